//! Many balls that swell and wander among each other: between two keys they move by about the size of a triangle, and most of their leaves meet.

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::BodyDef;

/// Bodies, in a cube of `SIDE` to each edge, and rings of each.
pub const SIDE: usize = 4;
const RINGS: usize = 32;

/// A ball that swells and wanders: 4 `RINGS`² triangles, about.
pub fn ball(number: usize, keys: usize) -> BodyDef {
    let place = [number % SIDE, number / SIDE % SIDE, number / (SIDE * SIDE)].map(|x| 0.9 * x as f32);
    let around = 2 * RINGS;
    let mut triangles = Vec::new();
    for ring in 0..RINGS {
        for step in 0..around {
            let at = |ring: usize, step: usize| (ring * around + step % around) as u32;
            triangles.push([at(ring, step), at(ring, step + 1), at(ring + 1, step)]);
            triangles.push([at(ring, step + 1), at(ring + 1, step + 1), at(ring + 1, step)]);
        }
    }
    let times: Vec<f64> = (0..=keys).map(|key| key as f64 / 30.0).collect();
    let mut positions = Vec::new();
    for key in 0..=keys {
        let phase = 0.7 * key as f32 + number as f32;
        let shift = [phase.sin(), (1.3 * phase).cos(), (0.6 * phase).sin()].map(|x| 0.05 * x);
        for ring in 0..=RINGS {
            let up = std::f32::consts::PI * ring as f32 / RINGS as f32;
            for step in 0..around {
                let turn = std::f32::consts::TAU * step as f32 / around as f32;
                let radius = 0.45 + 0.02 * (3.0 * turn + phase).sin() * up.sin();
                let out = [up.sin() * turn.cos(), up.sin() * turn.sin(), up.cos()];
                positions.push(std::array::from_fn(|axis| place[axis] + shift[axis] + radius * out[axis]));
            }
        }
    }
    let mesh = Mesh::new((RINGS + 1) * around, triangles).expect("a ball");
    BodyDef::new(mesh, Flightplan::keyframes(times, positions))
}
