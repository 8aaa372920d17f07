//! How much a warm advance allocates. A motion of four keys is repeated; once buffers have their
//! sizes, further rounds find them large enough.
//!
//! The bar is 0 in every mode. [`BOUNDS`] holds what is not reached, with the reason: the most
//! allocations of one step. The log is not kept: a kept log grows.

mod common;

use allocation_counter::measure;
use common::kinds::MODES;
use common::shapes::sphere;
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::material::jittered_grid_cloth;
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

/// Keys of a round.
const ROUND: usize = 4;

/// Rounds before anything is counted, and rounds that are counted.
const WARM: usize = 24;
const COUNTED: usize = 8;

/// Steps per key.
const STEPS: usize = 4;

/// Seconds between keys; exact, so that all rounds have the same differences of times.
const INTERVAL: f64 = 1.0 / 32.0;

/// A plan that repeats the keys of a clip, without a loop: nothing jumps.
fn repeated(keys: &[f32], vertices: usize, offset: [f32; 3]) -> Flightplan {
    let moved = |point: &[f32; 3]| std::array::from_fn(|axis| point[axis] + offset[axis]);
    let round: Vec<[f32; 3]> = keys.as_chunks::<3>().0.iter().map(moved).collect();
    assert_eq!(round.len(), ROUND * vertices);
    let count = ROUND * (WARM + COUNTED) + 1;
    let times = (0..count).map(|key| key as f64 * INTERVAL).collect();
    Flightplan::keyframes(times, round.into_iter().cycle().take(count * vertices).collect())
}

fn cloth(seed: u64, cells: usize, offset: [f32; 3]) -> BodyDef {
    let clip = jittered_grid_cloth(seed, cells, cells, ROUND);
    let plan = repeated(&clip.positions, clip.vertex_count, offset);
    BodyDef::new(Mesh::new(clip.vertex_count, clip.triangles).unwrap(), plan)
}

/// The two cloths of [`Scene::Cloths`], as one body.
fn double_cloth() -> BodyDef {
    let [first, second] = [1, 2].map(|seed| jittered_grid_cloth(seed, 10, 10, ROUND));
    let shift = first.vertex_count as u32;
    let triangles: Vec<[u32; 3]> =
        first.triangles.iter().copied().chain(second.triangles.iter().map(|it| it.map(|v| v + shift))).collect();
    let mut keys: Vec<f32> = Vec::new();
    for key in 0..ROUND {
        keys.extend(first.key(key).iter().flatten());
        keys.extend(second.key(key).iter().flat_map(|[x, y, z]| [x + 0.3, y + 0.5, z + 0.2]));
    }
    let vertices = first.vertex_count + second.vertex_count;
    BodyDef::new(Mesh::new(vertices, triangles).unwrap(), repeated(&keys, vertices, [0.0; 3]))
}

fn ball(radius: f32) -> BodyDef {
    let (points, triangles) = sphere([0.0; 3], radius, 2);
    BodyDef::new(Mesh::new(points.len(), triangles).unwrap(), Flightplan::fixed(points))
}

/// What a world holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scene {
    /// Two cloths through each other.
    Cloths,
    /// A cloth and a body at rest.
    ClothAndBall,
    /// Two cloths through each other that are one body.
    ClothWithItself,
    /// Many small cloths, each near some others; pairs begin and cease to be near.
    ManyBodies,
}

impl Scene {
    const ALL: [Self; 4] = [Self::Cloths, Self::ClothAndBall, Self::ClothWithItself, Self::ManyBodies];

    fn bodies(self) -> Vec<BodyDef> {
        match self {
            Self::Cloths => vec![cloth(1, 10, [0.0; 3]), cloth(2, 10, [0.3, 0.5, 0.2])],
            Self::ClothAndBall => vec![cloth(1, 10, [0.0; 3]), ball(2.5)],
            Self::ClothWithItself => vec![double_cloth().self_contact(true)],
            Self::ManyBodies => {
                let place = |body: u64| [2.2 * (body % 4) as f32, 0.4 * (body % 3) as f32, 2.2 * (body / 4) as f32];
                (0..12).map(|body| cloth(body, 2, place(body))).collect()
            }
        }
    }
}

// Reasons were found with an allocator that keeps the places of the code, in the counted steps.

/// In one of the last four steps: what follows the last key lasts longer than the intervals before.
/// It is prepared then, with certainties of candidates for the first time, whose lists have no room.
const LAST_KEY: &str = "the interval after the last key is of another kind";

/// More than 1 024 tickets of the queue of events are free at once.
const TICKETS: &str = "the list of free tickets reaches its largest size late";

/// The oracle is kept simple.
const ORACLE: &str = "brute force collects its boxes";

/// The most allocations of a step, where that is not 0, and why.
const BOUNDS: &[(Scene, Engine, ContactMode, u64, &str)] = &[
    (Scene::Cloths, Engine::Auto, ContactMode::AtTimes, 8, LAST_KEY),
    (Scene::Cloths, Engine::Interval, ContactMode::AtTimes, 8, LAST_KEY),
    (Scene::Cloths, Engine::BruteForce, ContactMode::AtTimes, 1, ORACLE),
    (Scene::Cloths, Engine::Kinetic, ContactMode::Continuous, 1, TICKETS),
    (Scene::ClothAndBall, Engine::Auto, ContactMode::AtTimes, 6, LAST_KEY),
    (Scene::ClothAndBall, Engine::Interval, ContactMode::AtTimes, 6, LAST_KEY),
    (Scene::ClothAndBall, Engine::BruteForce, ContactMode::AtTimes, 1, ORACLE),
    (Scene::ClothWithItself, Engine::Auto, ContactMode::AtTimes, 8, LAST_KEY),
    (Scene::ClothWithItself, Engine::Interval, ContactMode::AtTimes, 8, LAST_KEY),
    (Scene::ClothWithItself, Engine::BruteForce, ContactMode::AtTimes, 1, ORACLE),
    (Scene::ManyBodies, Engine::Auto, ContactMode::AtTimes, 2, LAST_KEY),
    (Scene::ManyBodies, Engine::Interval, ContactMode::AtTimes, 2, LAST_KEY),
    (Scene::ManyBodies, Engine::BruteForce, ContactMode::AtTimes, 66, ORACLE),
];

/// The most allocations of a counted step, their sum, and the contacts of all counted steps.
fn count(scene: Scene, engine: Engine, contacts: ContactMode) -> (u64, u64, usize) {
    let mut world = World::new(WorldDef::default().engine(engine).contacts(contacts)).unwrap();
    for body in scene.bodies() {
        world.add_body(body).unwrap();
    }
    let (mut most, mut sum, mut found) = (0, 0, 0);
    for step in 1..=ROUND * STEPS * (WARM + COUNTED) {
        let time = step as f64 * (INTERVAL / STEPS as f64);
        let allocations = measure(|| world.advance_to(time).unwrap()).count_total;
        if step > ROUND * STEPS * WARM {
            (most, sum, found) = (most.max(allocations), sum + allocations, found + world.contacts().len());
        }
    }
    (most, sum, found)
}

/// On one thread: allocations of others are not counted.
#[cfg(feature = "rayon")]
fn alone(act: impl FnOnce() + Send) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread").install(act);
}

#[cfg(not(feature = "rayon"))]
fn alone(act: impl FnOnce()) {
    act();
}

#[test]
fn a_warm_advance_allocates_no_more_than_stated() {
    alone(compare_with_bounds);
}

fn compare_with_bounds() {
    let mut wrong = Vec::new();
    for scene in Scene::ALL {
        for (engine, contacts) in MODES {
            let (most, sum, found) = count(scene, engine, contacts);
            println!("{scene:?} {engine:?} {contacts:?}: most {most}, sum {sum}, {found} contacts");
            if found == 0 {
                wrong.push(format!("{scene:?} {engine:?} {contacts:?}: nothing touches"));
            }
            let bound = BOUNDS.iter().find(|bound| (bound.0, bound.1, bound.2) == (scene, engine, contacts));
            let (allowed, reason) = bound.map_or((0, "no reason known"), |bound| (bound.3, bound.4));
            if most > allowed {
                wrong.push(format!(
                    "{scene:?} {engine:?} {contacts:?}: {most} allocations in a step, {sum} in all; {allowed} are allowed: {reason}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
