//! Patches as bodies: refusals, the surface and its hulls, candidates under every engine, and a host that decides them.

mod candidates;
#[path = "../common/mod.rs"]
mod common;
mod hosts;
mod refusals;
mod surface;

use common::dice::Dice;
use kinetree::mesh::{Patch, Patches, Primitives};
use kinetree::motion::Flightplan;
use kinetree::world::BodyDef;

/// A scene is four seconds long, a key each second.
const KEYS: usize = 5;

/// Knots for a degree and a count of control points: clamped or not, some repeated.
fn knots(dice: &mut Dice, degree: usize, count: usize) -> Vec<f64> {
    let is_clamped = dice.percent(60);
    let mut knots = vec![0.0];
    while knots.len() < count + degree + 1 {
        let (place, last) = (knots.len(), knots[knots.len() - 1]);
        let is_repeated = is_clamped && (place < degree + 1 || place > count);
        let is_double =
            place > degree + 1 && place < count && degree > 1 && knots[place - 2] < last && dice.percent(20);
        knots.push(if is_repeated || is_double { last } else { last + dice.real(0.25, 2.0) });
    }
    knots
}

/// A random patch whose control points begin at a vertex, and how many it has.
fn random_patch(dice: &mut Dice, first: usize) -> (Patch, usize) {
    let degrees: [usize; 2] = std::array::from_fn(|_| 1 + dice.below(3));
    let is_bezier = dice.percent(40);
    let counts = degrees.map(|degree| if is_bezier { degree + 1 } else { degree + 1 + dice.below(4) });
    let count = counts[0] * counts[1];
    let control = (first as u32..(first + count) as u32).collect();
    let patch = if is_bezier {
        Patch::bezier(degrees, control)
    } else {
        let [u, v] = [0, 1].map(|k| knots(dice, degrees[k], counts[k]));
        Patch::nurbs(degrees, counts, control, [u, v])
    };
    let is_rational = dice.percent(60);
    let weights = (0..count).map(|_| dice.real(0.05, 1.0) * f64::from(1 << dice.below(5))).collect();
    (if is_rational { patch.weights(weights) } else { patch }, count)
}

/// Patches over vertices of their own.
fn random_patches(dice: &mut Dice, how_many: usize) -> Patches {
    let (mut patches, mut vertices) = (Vec::new(), 0);
    for _ in 0..how_many {
        let (patch, count) = random_patch(dice, vertices);
        patches.push(patch);
        vertices += count;
    }
    Patches::new(vertices, patches).expect("good patches")
}

/// Patches that wander and bend; each control point stays near its place in the grid.
fn random_body(dice: &mut Dice, how_many: usize) -> BodyDef {
    let patches = random_patches(dice, how_many);
    let mut keys: Vec<[f32; 3]> = Vec::new();
    let turns: Vec<usize> = patches.patches().iter().map(|_| dice.below(3)).collect();
    for _ in 0..KEYS {
        for (patch, &turn) in patches.patches().iter().zip(&turns) {
            let shift: [f32; 3] = std::array::from_fn(|_| dice.real(-3.0, 3.0) as f32);
            for place in 0..patch.control().len() {
                let (row, column) = (place / patch.counts()[1], place % patch.counts()[1]);
                let mut point = [row as f32, column as f32, 0.0].map(|x| 0.6 * x + dice.real(-0.3, 0.3) as f32);
                point.rotate_left(turn);
                keys.push(std::array::from_fn(|k| point[k] + shift[k]));
            }
        }
    }
    BodyDef::new(patches, Flightplan::keyframes((0..KEYS).map(|key| key as f64).collect(), keys)).named("patches")
}

/// Where the control points of a span are.
fn net(patches: &Patches, span: u32, positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    patches.points_of(span as usize).iter().map(|&vertex| positions[vertex as usize]).collect()
}
