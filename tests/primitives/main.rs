//! Points and segments as bodies: exact distances against rational numbers, all engines, over time and at instants.

#[path = "../common/mod.rs"]
mod common;
mod degenerate;
mod instants;
mod oracle;
mod rules;
mod worlds;

use common::dice::{Dice, Grain};
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::BodyDef;

/// A scene is six seconds long, a key each second.
const KEYS: usize = 7;

/// `count` vertices that wander on their own.
fn wander(dice: &mut Dice, count: usize, grain: Grain) -> Flightplan {
    let range = if grain == Grain::Crooked { 20 } else { 4 };
    let mut places: Vec<[f32; 3]> =
        (0..count).map(|_| std::array::from_fn(|_| grain.coordinate(dice, range))).collect();
    let mut keys = places.clone();
    for _ in 1..KEYS {
        for place in &mut places {
            *place = place.map(|x| x + grain.coordinate(dice, range / 2));
        }
        keys.extend_from_slice(&places);
    }
    Flightplan::keyframes((0..KEYS).map(|key| key as f64).collect(), keys)
}

fn cloud(dice: &mut Dice, count: usize, grain: Grain) -> BodyDef {
    BodyDef::new(Mesh::points(count).unwrap(), wander(dice, count, grain)).named("cloud")
}

/// Strands: each vertex is joined to the next, but for every fifth.
fn strands(dice: &mut Dice, count: usize, grain: Grain) -> BodyDef {
    let joined = (0..count as u32 - 1).filter(|vertex| vertex % 5 != 4);
    let segments: Vec<[u32; 2]> = joined.map(|vertex| [vertex, vertex + 1]).collect();
    BodyDef::new(Mesh::segments(count, &segments).unwrap(), wander(dice, count, grain)).named("strands")
}

fn soup(dice: &mut Dice, count: usize, grain: Grain) -> BodyDef {
    let triangles = common::shapes::soup_triangles(count);
    BodyDef::new(Mesh::new(3 * count, triangles).unwrap(), wander(dice, 3 * count, grain)).named("soup")
}
