//! Random reduced bodies whose motion is known in closed form, made to break bounds: whole twists, weights at their limits, single
//! influences, sums beside one, jumps.
#![allow(dead_code, unreachable_pub)]

use std::sync::Arc;

use kinetree::mesh::Mesh;
use kinetree::motion::Outside;
use kinetree::narrow::{ContactRule, triangles_touch};
use kinetree::reduced::{
    Affine, Blend, Break, DerivativeBounds, Driver, Influences, MapDerivativeBounds, MorphTarget, Pose,
    PoseDerivativeBounds, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy,
};
use kinetree::time::{Moment, Side, Span};
use nalgebra::{Matrix3, Vector3};

use crate::common::dice::Dice;

/// What kind of weights the vertices have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// One influence each.
    Single,
    /// Two neighbours, varying along the body.
    Smooth,
    /// Up to `n` of them, any.
    Random(usize),
    /// Zero or one, or one half.
    AtLimits,
    /// Either sign, any sum.
    Signed,
}

/// One map: turns at a constant rate about an axis through its centre, which moves on a parabola.
#[derive(Clone, Debug)]
pub struct Turn {
    pub axis: Vector3<f64>,
    pub phase: f64,
    pub rate: f64,
    pub scale: f64,
    pub place: Vector3<f64>,
    pub velocity: Vector3<f64>,
    pub acceleration: Vector3<f64>,
}

/// Maps that turn and morph weights that move on parabolas, anew from jump to jump.
#[derive(Clone, Debug)]
pub struct Spinner {
    pub breaks: Vec<Break>,
    /// Per stretch between breaks, per map.
    pub turns: Vec<Vec<Turn>>,
    /// Per stretch and morph, three coefficients.
    pub morphs: Vec<Vec<[f64; 3]>>,
    pub centres: Vec<[f64; 3]>,
    pub outside: Outside,
}

impl Spinner {
    pub fn random(dice: &mut Dice, maps: usize, morphs: usize, stretches: usize, wildness: f64) -> Self {
        let rigid = dice.percent(50);
        Self::of(dice, maps, morphs, stretches, wildness, rigid)
    }

    pub fn of(dice: &mut Dice, maps: usize, morphs: usize, stretches: usize, wildness: f64, rigid: bool) -> Self {
        let mut time = dice.real(-2.0, 2.0);
        let mut breaks = vec![Break { time, is_jump: false }];
        for _ in 0..stretches {
            time += dice.real(0.2, 1.5);
            breaks.push(Break { time, is_jump: true });
        }
        breaks[stretches].is_jump = false;
        let centres: Vec<[f64; 3]> =
            (0..maps).map(|j| [j as f64, dice.real(-0.2, 0.2), dice.real(-0.2, 0.2)]).collect();
        let turn = |dice: &mut Dice, centre: &[f64; 3]| {
            let vector = |dice: &mut Dice, size: f64| {
                Vector3::new(dice.real(-size, size), dice.real(-size, size), dice.real(-size, size))
            };
            let mut axis = vector(dice, 1.0);
            if dice.percent(40) || axis.norm() < 0.1 {
                axis = Vector3::zeros();
                axis[dice.below(3)] = 1.0;
            }
            let half_turn = dice.percent(30);
            Turn {
                axis: axis.normalize(),
                phase: if half_turn { std::f64::consts::PI } else { dice.real(-3.0, 3.0) * wildness },
                rate: if dice.percent(20) { 0.0 } else { dice.real(-4.0, 4.0) * wildness },
                scale: if rigid { 1.0 } else { dice.real(0.2, 2.0) },
                place: Vector3::from(*centre) + vector(dice, wildness),
                velocity: vector(dice, wildness),
                acceleration: vector(dice, wildness),
            }
        };
        let turns = (0..stretches).map(|_| centres.iter().map(|centre| turn(dice, centre)).collect()).collect();
        let morphs = (0..stretches)
            .map(|_| (0..morphs).map(|_| std::array::from_fn(|_| dice.real(-1.0, 1.0))).collect())
            .collect();
        Self { breaks, turns, morphs, centres, outside: Outside::Hold }
    }

    /// The stretch of a moment and the time since it began.
    fn stretch(&self, at: Moment) -> (usize, f64) {
        let last = self.breaks.len() - 1;
        let passed = match at.side() {
            Side::At => self.breaks.partition_point(|stop| stop.time < at.time()),
            Side::After => self.breaks.partition_point(|stop| stop.time <= at.time()),
        };
        let stretch = passed.clamp(1, last) - 1;
        let time = at.time().clamp(self.breaks[0].time, self.breaks[last].time);
        (stretch, time - self.breaks[stretch].time)
    }
}

/// The rotation by an angle about a unit axis.
pub fn rotation(axis: &Vector3<f64>, angle: f64) -> Matrix3<f64> {
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    let [x, y, z] = [axis.x, axis.y, axis.z];
    let cross = Matrix3::new(0.0, -z, y, z, 0.0, -x, -y, x, 0.0);
    Matrix3::identity() + cross * s + cross * cross * (1.0 - c)
}

impl Driver for Spinner {
    fn map_count(&self) -> usize {
        self.centres.len()
    }

    fn morph_count(&self) -> usize {
        self.morphs[0].len()
    }

    fn span(&self) -> Span {
        Span { begin: self.breaks[0].time, end: self.breaks[self.breaks.len() - 1].time }
    }

    fn outside(&self) -> Outside {
        self.outside
    }

    fn pose(&self, at: Moment, pose: &mut Pose) {
        let (stretch, t) = self.stretch(at);
        pose.maps.clear();
        for (turn, centre) in self.turns[stretch].iter().zip(&self.centres) {
            let linear = rotation(&turn.axis, turn.phase + turn.rate * t) * turn.scale;
            let image = turn.place + turn.velocity * t + turn.acceleration * (0.5 * t * t);
            pose.maps.push(Affine { linear, shift: image - linear * Vector3::from(*centre) });
        }
        pose.morphs.clear();
        pose.morphs.extend(self.morphs[stretch].iter().map(|[a, b, c]| a + t * (b + t * c)));
    }

    fn breaks(&self) -> &[Break] {
        &self.breaks
    }

    fn centres(&self) -> &[[f64; 3]] {
        &self.centres
    }

    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        bends.reset(self.map_count(), self.morph_count());
        let middle = Moment::at(0.5 * (piece.begin + piece.end));
        let (stretch, _) = self.stretch(middle);
        let from = (piece.begin - self.breaks[stretch].time).abs();
        let to = (piece.end - self.breaks[stretch].time).abs().max(from);
        for (bend, turn) in bends.maps.iter_mut().zip(&self.turns[stretch]) {
            let rate = turn.rate.abs();
            *bend = MapDerivativeBounds {
                linear: DerivativeBounds { size: turn.scale, rate: turn.scale * rate, bend: turn.scale * rate * rate },
                centre: DerivativeBounds {
                    size: turn.place.norm() + to * (turn.velocity.norm() + to * turn.acceleration.norm()),
                    rate: turn.velocity.norm() + to * turn.acceleration.norm(),
                    bend: turn.acceleration.norm(),
                },
            };
        }
        for (growth, [a, b, c]) in bends.morphs.iter_mut().zip(&self.morphs[stretch]) {
            *growth = DerivativeBounds {
                size: a.abs() + to * (b.abs() + to * c.abs()),
                rate: b.abs() + 2.0 * to * c.abs(),
                bend: 2.0 * c.abs(),
            };
        }
    }
}

/// A strip of triangles along x, with a vertex cloud around it.
pub fn strip(dice: &mut Dice, vertices: usize, length: f64) -> (Mesh, Vec<[f32; 3]>) {
    let vertices = vertices.max(3);
    let rest: Vec<[f32; 3]> = (0..vertices)
        .map(|v| {
            let x = length * v as f64 / vertices as f64;
            [x as f32, dice.real(-0.3, 0.3) as f32, dice.real(-0.3, 0.3) as f32]
        })
        .collect();
    let triangles = (0..vertices as u32 - 2).map(|v| [v, v + 1, v + 2]).collect();
    (Mesh::new(vertices, triangles).unwrap(), rest)
}

pub fn influences(dice: &mut Dice, rest: &[[f32; 3]], maps: usize, weights: Weights) -> Influences {
    let lists: Vec<Vec<(u32, f64)>> = rest
        .iter()
        .map(|place| {
            let at = f64::from(place[0]).clamp(0.0, maps as f64 - 1.0);
            let near = at.floor() as u32;
            let far = (near + 1).min(maps as u32 - 1);
            match weights {
                Weights::Single => vec![(near, 1.0)],
                Weights::Smooth => vec![(near, 1.0 - (at - f64::from(near))), (far, at - f64::from(near))],
                Weights::AtLimits => match dice.below(3) {
                    0 => vec![(near, 1.0)],
                    1 => vec![(far, 1.0)],
                    _ if near == far => vec![(near, 1.0)],
                    _ => vec![(near, 0.5), (far, 0.5)],
                },
                Weights::Random(most) => {
                    let count = 1 + dice.below(most.min(maps));
                    let mut list: Vec<(u32, f64)> =
                        (0..count).map(|_| (dice.below(maps) as u32, dice.real(0.01, 1.0))).collect();
                    let sum: f64 = list.iter().map(|(_, weight)| weight).sum();
                    // Sums beside one, as files have them.
                    let target = 1.0 + if dice.percent(50) { dice.real(-9e-7, 9e-7) } else { 0.0 };
                    list.iter_mut().for_each(|(_, weight)| *weight *= target / sum);
                    list
                }
                Weights::Signed => {
                    let count = 1 + dice.below(maps.min(5));
                    (0..count).map(|_| (dice.below(maps) as u32, dice.real(-1.0, 1.0) + 1e-9)).collect()
                }
            }
        })
        .collect();
    if weights == Weights::Signed {
        Influences::combination(maps, lists).unwrap()
    } else {
        Influences::convex(maps, lists, WeightPolicy::Strict).unwrap()
    }
}

pub fn morph_targets(dice: &mut Dice, vertices: usize, count: usize) -> Vec<MorphTarget> {
    (0..count)
        .map(|_| {
            let deltas: Vec<[f32; 3]> = (0..vertices)
                .map(|_| {
                    let moves = dice.percent(60);
                    std::array::from_fn(|_| if moves { dice.real(-0.3, 0.3) as f32 } else { 0.0 })
                })
                .collect();
            MorphTarget::dense(&deltas)
        })
        .collect()
}

/// A random mesh with weights and morphs.
pub fn random_mesh(dice: &mut Dice, vertices: usize, maps: usize, morphs: usize, weights: Weights) -> Arc<ReducedMesh> {
    let (mesh, rest) = strip(dice, vertices, maps as f64);
    let influences = influences(dice, &rest, maps, weights);
    let morphs = morph_targets(dice, rest.len(), morphs);
    let blend = if weights == Weights::Signed { Blend::Combination } else { Blend::Linear };
    Arc::new(ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs, blend }).unwrap())
}

pub fn body(mesh: &Arc<ReducedMesh>, spinner: Spinner) -> ReducedBody {
    ReducedBody::new(mesh.clone(), Arc::new(spinner)).unwrap()
}

/// Vertices below a node.
pub fn vertices_below(topology: &kinetree::bvh::Topology, node: u32) -> Vec<u32> {
    let (mut stack, mut found) = (vec![node], Vec::new());
    while let Some(node) = stack.pop() {
        found.extend_from_slice(topology.leaf_points(node));
        stack.extend_from_slice(topology.node(node).children());
    }
    found
}

/// How many times as much a test does where asked: set `KINETREE_TORTURE` to a number, in release.
pub fn torture(usual: usize) -> usize {
    match std::env::var("KINETREE_TORTURE") {
        Ok(text) => usual * text.parse::<usize>().unwrap_or(10).max(10),
        Err(_) => usual,
    }
}

/// Triangles that touch, or have corners within a length of each other along every axis.
pub struct CornersWithin(pub f64);

impl ContactRule for CornersWithin {
    fn distance(&self) -> f64 {
        // As far as such corners may be from each other, and more.
        2.0 * self.0
    }

    fn wants(&self, a: u32, b: u32) -> bool {
        !(a + b).is_multiple_of(5)
    }

    fn touch(&self, a: (u32, &[[f64; 3]; 3]), b: (u32, &[[f64; 3]; 3])) -> bool {
        let are_near = |p: &[f64; 3]| b.1.iter().any(|q| (0..3).all(|axis| (p[axis] - q[axis]).abs() <= self.0));
        triangles_touch(a.1, b.1) || a.1.iter().any(are_near)
    }
}
