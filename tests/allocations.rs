//! A warm advance allocates nothing, in any mode. A motion of four keys is repeated, by a plan that
//! holds all rounds or by a loop; once buffers have their sizes, further rounds find them large
//! enough.
//!
//! The log is not kept: a kept log grows. The rest after the last key of a plan is not counted: it
//! is an interval of another kind, once.

mod common;

use allocation_counter::measure;
use common::kinds::MODES;
use common::shapes::sphere;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
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

/// How a motion is repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// By a plan with the keys of all rounds. Nothing jumps.
    Plan,
    /// By a loop, which ends with its first key.
    Loop,
}

impl Way {
    fn plan(self, keys: &[f32], vertices: usize, offset: [f32; 3]) -> Flightplan {
        let moved = |point: &[f32; 3]| std::array::from_fn(|axis| point[axis] + offset[axis]);
        let round: Vec<[f32; 3]> = keys.as_chunks::<3>().0.iter().map(moved).collect();
        assert_eq!(round.len(), ROUND * vertices);
        let rounds = if self == Self::Loop { 1 } else { WARM + COUNTED + 1 };
        let count = ROUND * rounds + 1;
        let times = (0..count).map(|key| key as f64 * INTERVAL).collect();
        let plan = Flightplan::keyframes(times, round.into_iter().cycle().take(count * vertices).collect());
        if self == Self::Loop { plan.outside(Outside::Loop) } else { plan }
    }

    fn cloth(self, seed: u64, cells: usize, offset: [f32; 3]) -> BodyDef {
        let clip = jittered_grid_cloth(seed, cells, cells, ROUND);
        let plan = self.plan(&clip.positions, clip.vertex_count, offset);
        BodyDef::new(Mesh::new(clip.vertex_count, clip.triangles).unwrap(), plan)
    }
}

/// The two cloths of [`Scene::Cloths`], as one body.
fn double_cloth(way: Way) -> BodyDef {
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
    BodyDef::new(Mesh::new(vertices, triangles).unwrap(), way.plan(&keys, vertices, [0.0; 3]))
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

    fn bodies(self, way: Way) -> Vec<BodyDef> {
        match self {
            Self::Cloths => vec![way.cloth(1, 10, [0.0; 3]), way.cloth(2, 10, [0.3, 0.5, 0.2])],
            Self::ClothAndBall => vec![way.cloth(1, 10, [0.0; 3]), ball(2.5)],
            Self::ClothWithItself => vec![double_cloth(way).self_contact(true)],
            Self::ManyBodies => {
                let place = |body: u64| [2.2 * (body % 4) as f32, 0.4 * (body % 3) as f32, 2.2 * (body / 4) as f32];
                (0..12).map(|body| way.cloth(body, 2, place(body))).collect()
            }
        }
    }
}

/// The most allocations of a counted step, their sum, and the contacts of all counted steps.
fn count(scene: Scene, way: Way, engine: Engine, contacts: ContactMode, warm: usize) -> (u64, u64, usize) {
    let mut world = World::new(WorldDef::default().engine(engine).contacts(contacts)).unwrap();
    for body in scene.bodies(way) {
        world.add_body(body).unwrap();
    }
    let (mut most, mut sum, mut found) = (0, 0, 0);
    for step in 1..=ROUND * STEPS * (warm + COUNTED) {
        let time = step as f64 * (INTERVAL / STEPS as f64);
        let allocations = measure(|| world.advance_to(time).unwrap()).count_total;
        if step > ROUND * STEPS * warm {
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

fn compare(way: Way) {
    let mut wrong = Vec::new();
    for scene in Scene::ALL {
        for (engine, contacts) in MODES {
            let (most, sum, found) = count(scene, way, engine, contacts, WARM);
            println!("{scene:?} {way:?} {engine:?} {contacts:?}: most {most}, sum {sum}, {found} contacts");
            if found == 0 {
                wrong.push(format!("{scene:?} {engine:?} {contacts:?}: nothing touches"));
            }
            if most > 0 {
                wrong.push(format!("{scene:?} {engine:?} {contacts:?}: {most} allocations in a step, {sum} in all"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_warm_advance_allocates_nothing() {
    alone(|| compare(Way::Plan));
}

#[test]
fn a_warm_advance_of_a_loop_allocates_nothing() {
    alone(|| compare(Way::Loop));
}

/// Of the last round of a plan, and of nothing after it: the interval that follows the last key is
/// prepared, longer than any before.
#[test]
fn the_end_of_a_plan_takes_eight_blocks_at_most() {
    alone(|| {
        for scene in Scene::ALL {
            for (engine, contacts) in MODES {
                let (most, sum, _) = count(scene, Way::Plan, engine, contacts, WARM + 1);
                assert!(most <= 8, "{scene:?} {engine:?} {contacts:?}: {most} allocations in a step, {sum} in all");
            }
        }
    });
}
