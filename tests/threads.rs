//! The same world with any number of threads, and without: contacts, changes, log and statistics.
//!
//! The hash is pinned, so builds with and without the feature `rayon` are held against each other too.

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::material::random_soup;
use kinetree::world::{BodyDef, ContactChange, Engine, World, WorldDef};

/// What a run showed.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// Of all contacts at all times, and of how many changes there were.
    hash: u64,
    contacts: usize,
    changes: usize,
    events: u64,
    log: u64,
    stats: String,
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17)
}

/// Soups of triangles that pass through each other, a few of every engine, and themselves; changed plans and bodies that go.
fn run() -> Outcome {
    let engines = [Engine::Interval, Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit];
    let clips: Vec<_> = (0..11).map(|seed| random_soup(seed, 30, 6, 1.0)).collect();
    let mut world = World::new(WorldDef::default().engine(Engine::Interval)).unwrap();
    let mut ids = Vec::new();
    for (place, clip) in clips.iter().enumerate() {
        let (points, _) = clip.positions.as_chunks::<3>();
        // Side by side, so that not all meet all.
        let shift = |point: &[f32; 3]| [point[0] + 0.375 * place as f32, point[1], point[2]];
        let plan = Flightplan::keyframes(clip.times.clone(), points.iter().map(shift).collect());
        let mesh = Mesh::new(clip.vertex_count, clip.triangles.clone()).unwrap();
        let def = BodyDef::new(mesh, plan).engine(engines[place % engines.len()]).self_contact(place % 4 == 0);
        ids.push(world.add_body(def).unwrap());
    }
    let end = clips[0].times[5];
    let mut outcome =
        Outcome { hash: 0xcbf2_9ce4_8422_2325, contacts: 0, changes: 0, events: 0, log: 0, stats: String::new() };
    for step in 1..=60_u32 {
        if step == 20 {
            world.remove_body(ids[3]).unwrap();
        }
        if step == 35 {
            let (points, _) = clips[5].positions.as_chunks::<3>();
            world.set_flightplan(ids[5], Flightplan::fixed(points[..clips[5].vertex_count].to_vec())).unwrap();
        }
        world.advance_to(end * f64::from(step) / 60.0).unwrap();
        let index = |id: kinetree::BodyId| u64::from(id.index());
        for contact in world.contacts() {
            let triangles = u64::from(contact.triangle_a) << 32 | u64::from(contact.triangle_b);
            outcome.hash = mix(mix(outcome.hash, index(contact.a) << 32 | index(contact.b)), triangles);
        }
        outcome.hash = mix(outcome.hash, world.contact_changes().len() as u64);
        outcome.hash =
            mix(outcome.hash, world.contact_changes().iter().filter(|c| ContactChange::is_begin(c)).count() as u64);
        outcome.contacts += world.contacts().len();
        outcome.changes += world.contact_changes().len();
    }
    (outcome.events, outcome.log) = (world.stats().events, world.log().hash());
    let mut stats = world.stats();
    // Capacities of memory are not part of the promise.
    stats.bytes = 0;
    outcome.stats = format!("{stats:?}");
    outcome
}

const PINNED: u64 = 0x6a71_0475_da93_b864;

#[test]
fn with_the_threads_there_are() {
    let outcome = run();
    assert!(outcome.contacts > 3_000 && outcome.changes > 500 && outcome.events > 100, "{outcome:?}");
    assert!(outcome.stats.contains("triangle_tests"), "{}", outcome.stats);
    assert_eq!(run(), outcome);
    assert_eq!(outcome.hash, PINNED, "{:#018x}", outcome.hash);
}

#[cfg(feature = "rayon")]
#[test]
fn with_any_number_of_threads() {
    let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let one = pool(1).install(run);
    assert_eq!(one.hash, PINNED, "{:#018x}", one.hash);
    for threads in [2, 4] {
        assert_eq!(pool(threads).install(run), one, "{threads} threads");
    }
}

/// Soups that cross each other and themselves, with contacts over time: hundreds of pairs of
/// triangles are decided at each key. Returns the hash of all changes, that of the log, the number
/// of changes and that of decided pairs.
#[cfg(feature = "rayon")]
fn run_over_time() -> (u64, u64, usize, u64) {
    use kinetree::ContactMode;

    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    for seed in 0..2 {
        let clip = random_soup(seed, 120, 4, 1.0);
        let (points, _) = clip.positions.as_chunks::<3>();
        let plan = Flightplan::keyframes(clip.times.clone(), points.to_vec());
        let mesh = Mesh::new(clip.vertex_count, clip.triangles.clone()).unwrap();
        world.add_body(BodyDef::new(mesh, plan).self_contact(true)).unwrap();
    }
    let (mut hash, mut changes) = (0, 0);
    for step in 1..=12_u32 {
        world.advance_to(f64::from(step) * 0.25).unwrap();
        for change in world.contact_changes() {
            let text = format!("{change:?}");
            hash = text.bytes().fold(hash, |hash, byte| mix(hash, u64::from(byte)));
        }
        changes += world.contact_changes().len();
    }
    (hash, world.log().hash(), changes, world.interval_stats().pairs)
}

#[cfg(feature = "rayon")]
#[test]
fn over_time_with_any_number_of_threads() {
    let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let one = pool(1).install(run_over_time);
    // Far more than the 128 pairs from which threads share them.
    assert!(one.2 > 300 && one.3 > 4_000, "{one:?}");
    for threads in [2, 3] {
        assert_eq!(pool(threads).install(run_over_time), one, "{threads} threads");
    }
}

/// Two sheets that cross, and the first of them folded onto itself, each with more leaves and leaf
/// pairs than one thread takes: what is in contact after every step, and statistics.
#[cfg(feature = "rayon")]
fn run_large(engine: Engine, contacts: kinetree::ContactMode) -> (Vec<kinetree::Contact>, usize, String) {
    use kinetree::bvh::BuildParams;
    use kinetree::scenes::material::jittered_grid_cloth;

    const CELLS: usize = 72;
    let mut world = World::new(WorldDef::default().engine(engine).contacts(contacts)).unwrap();
    for seed in 0..2 {
        let clip = jittered_grid_cloth(seed, CELLS, CELLS, 3);
        let (points, _) = clip.positions.as_chunks::<3>();
        let middle = 0.5 * points.iter().map(|point| point[0]).fold(0.0, f32::max);
        let fold = |&[x, y, z]: &[f32; 3]| {
            [if seed == 0 && x > middle { 2.0 * middle - x } else { x }, y + 0.3 * seed as f32, z]
        };
        let plan = Flightplan::keyframes(clip.times.clone(), points.iter().map(fold).collect());
        let mesh = Mesh::new(clip.vertex_count, clip.triangles.clone()).unwrap();
        let build = BuildParams { leaf_size: 1, ..BuildParams::default() };
        world.add_body(BodyDef::new(mesh, plan).build(build).self_contact(seed == 0)).unwrap();
    }
    let end = jittered_grid_cloth(0, 1, 1, 3).times[2];
    let (mut found, mut changes) = (Vec::new(), 0);
    for step in [0.1, 0.2, 0.3, 0.9, 1.0] {
        world.advance_to(end * step).unwrap();
        found.extend_from_slice(world.contacts());
        changes += world.contact_changes().len();
    }
    let mut stats = world.stats();
    stats.bytes = 0;
    (found, changes, format!("{stats:?} {:?} {:?}", world.interval_stats(), world.log().hash()))
}

#[cfg(feature = "rayon")]
#[test]
fn large_bodies_with_any_number_of_threads() {
    use kinetree::ContactMode;

    let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let modes = [Engine::Interval, Engine::Refit, Engine::Auto].map(|engine| (engine, ContactMode::AtTimes));
    for (engine, mode) in modes.into_iter().chain([(Engine::Auto, ContactMode::Continuous)]) {
        let one = pool(1).install(|| run_large(engine, mode));
        assert!(one.0.len() > 5_000, "{engine:?} {mode:?}: {} contacts, {}", one.0.len(), one.2);
        let three = pool(3).install(|| run_large(engine, mode));
        assert!(three == one, "{engine:?} {mode:?}: {} {}\n{}\n{}", three.1, one.1, three.2, one.2);
    }
}

/// Distances, packed spheres and their joints, bit by bit.
#[cfg(feature = "rayon")]
fn run_packing() -> Vec<u64> {
    use kinetree::proxy::{
        DistanceField, Faults, PackingDef, Resolution, Solid, joints_of_spheres, signed_distances, surface_samples,
    };

    let car = kinetree::scenes::wrecks::car();
    let positions: Vec<[f64; 3]> = car.positions.iter().map(|position| position.map(f64::from)).collect();
    let mesh = Mesh::new(positions.len(), car.triangles).unwrap();
    let (solid, _) = Solid::new(&mesh, &positions, Faults::Refuse).unwrap();
    let field = DistanceField::new(&solid, Resolution::CellsAlongLongest(32)).unwrap();
    let packing = PackingDef { r_min: 0.0, r_max: 1.0, max_count: 40 }.pack(&field).unwrap();
    let samples = surface_samples(&solid, field.grid().cell()).unwrap();
    let distances = signed_distances(&samples, packing.spheres());
    let joints = joints_of_spheres(&solid, packing.spheres(), 7, |vertex| [(vertex % 7, 1.0)]).unwrap();
    let centres = packing.spheres().iter().flat_map(|sphere| sphere.centre.into_iter().chain([sphere.radius]));
    let numbers = field.values().iter().copied().chain(centres).chain(distances);
    numbers.map(f64::to_bits).chain(joints.into_iter().map(u64::from)).collect()
}

#[cfg(feature = "rayon")]
#[test]
fn packing_with_any_number_of_threads() {
    let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let one = pool(1).install(run_packing);
    assert!(one.len() > 10_000, "{}", one.len());
    for threads in [2, 3, 8] {
        assert!(pool(threads).install(run_packing) == one, "{threads} threads");
    }
}
