//! A body with itself whose triangles share places at rest: corners that are welded by these places part, come back and part again.

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::Random;
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

const CLUSTERS: usize = 4;
const TRIANGLES: usize = 6;
const KEYS: usize = 12;

/// Clusters of triangles in a chain: at the first key the last corner of each is where the next one's first corner is. At two keys in
/// four they are far apart.
fn chain(seed: u64) -> (Mesh, Flightplan) {
    let mut random = Random::new(seed);
    let mut points: Vec<[f32; 3]> = Vec::new();
    for key in 0..KEYS {
        let step = if key / 2 % 2 == 1 { 4.0 } else { [1.0, 0.5][usize::from(key > 0)] };
        for cluster in 0..CLUSTERS {
            let x = step * cluster as f64;
            for triangle in 0..TRIANGLES {
                let middle = random.in_cube(0.2);
                for corner in 0..3 {
                    let around = random.in_cube(0.2);
                    let mut point: [f64; 3] = std::array::from_fn(|axis| middle[axis] + around[axis]);
                    point[0] += x;
                    match (key, triangle, corner) {
                        (0, 0, 0) => point = [x - 0.5, 0.0, 0.0],
                        (0, last, 2) if last + 1 == TRIANGLES => point = [x + 0.5, 0.0, 0.0],
                        _ => {}
                    }
                    points.push(point.map(|x| x as f32));
                }
            }
        }
    }
    let count = (CLUSTERS * TRIANGLES) as u32;
    let mesh = Mesh::new(3 * count as usize, (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect()).unwrap();
    (mesh, Flightplan::keyframes((0..KEYS).map(|key| 0.2 * key as f64).collect(), points))
}

#[test]
fn contacts_are_found_whatever_welded_corners_do() {
    let mut contacts = 0;
    for seed in 0..8 {
        let (mesh, plan) = chain(seed);
        let make = |engine: Engine, mode: ContactMode| {
            let mut world = World::new(WorldDef::new().engine(engine).contacts(mode).start(0.45)).unwrap();
            world.add_body(BodyDef::new(mesh.clone(), plan.clone()).self_contact(true)).unwrap();
            world
        };
        let mut truth = make(Engine::BruteForce, ContactMode::AtTimes);
        let mut worlds = [
            make(Engine::Interval, ContactMode::AtTimes),
            make(Engine::Auto, ContactMode::AtTimes),
            make(Engine::Refit, ContactMode::AtTimes),
            make(Engine::Auto, ContactMode::Continuous),
        ];
        for step in 1..=100 {
            let time = 0.45 + 0.017 * f64::from(step);
            truth.advance_to(time).unwrap();
            contacts += truth.contacts().len();
            for (number, world) in worlds.iter_mut().enumerate() {
                world.advance_to(time).unwrap();
                assert_eq!(world.contacts(), truth.contacts(), "seed {seed}, world {number} at {time}");
            }
        }
    }
    assert!(contacts > 1_000, "{contacts}");
}
