//! Random bodies in motion.

use kinetree::{BodyDef, BodyId, ContactMode, Engine, Flightplan, Mesh, World, WorldDef};

use crate::dice::Dice;

pub(crate) const ENGINES: [Engine; 5] =
    [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce];

/// Keys of every scene, seconds.
pub(crate) const KEYS: [f64; 5] = [0.0, 0.5, 1.25, 1.5, 2.0];

/// Triangles with corners of their own around the origin, some without area.
pub(crate) fn soup(dice: &mut Dice, count: usize) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let mut positions = Vec::new();
    for triangle in 0..count {
        let centre: [f64; 3] = std::array::from_fn(|_| dice.real(-1.0, 1.0));
        let corners = [0; 3].map(|_| std::array::from_fn(|axis| (centre[axis] + dice.real(-0.6, 0.6)) as f32));
        let [p, q, _] = corners;
        match triangle % 7 {
            5 => positions.extend([p, q, q]),
            6 => positions.extend([p, p, p]),
            _ => positions.extend(corners),
        }
    }
    (positions, (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
}

/// A body of a random soup that is elsewhere, and of other shape, at each key.
pub(crate) fn body(dice: &mut Dice, triangles: usize, range: f64) -> BodyDef {
    let (rest, corners) = soup(dice, triangles);
    let mut keys = Vec::new();
    for _ in KEYS {
        let offset: [f64; 3] = std::array::from_fn(|_| dice.real(-range, range));
        keys.extend(rest.iter().map(|p| {
            let moved: [f32; 3] =
                std::array::from_fn(|axis| (f64::from(p[axis]) + offset[axis] + dice.real(-0.1, 0.1)) as f32);
            moved
        }));
        // Triangles without area stay so.
        let first = keys.len() - rest.len();
        for (t, _) in corners.iter().enumerate() {
            match t % 7 {
                5 => keys[first + 3 * t + 2] = keys[first + 3 * t + 1],
                6 => (keys[first + 3 * t + 1], keys[first + 3 * t + 2]) = (keys[first + 3 * t], keys[first + 3 * t]),
                _ => {}
            }
        }
    }
    BodyDef::new(Mesh::new(rest.len(), corners).unwrap(), Flightplan::keyframes(KEYS.to_vec(), keys))
}

/// A world with the bodies of a seed.
pub(crate) fn world(engine: Engine, contacts: ContactMode, seed: u64, bodies: usize) -> (World, Vec<BodyId>) {
    let mut world = World::new(WorldDef::new().engine(engine).contacts(contacts)).unwrap();
    let mut dice = Dice::new(seed, &[1]);
    let ids = (0..bodies).map(|index| {
        let def = body(&mut dice, 3 + 5 * (index % 3), 1.6).self_contact(index % 4 == 0);
        world.add_body(def).unwrap()
    });
    let ids = ids.collect();
    (world, ids)
}
