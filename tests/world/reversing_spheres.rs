//! Two spheres expand; at every sample the vertices of triangles in contact turn round. As a host
//! does it: read the contacts, reverse, hand the new flightplans in. Every engine and both kinds of
//! tree must find the same contacts at every sample, through thousands of flightplan updates a
//! second.

use kinetree::kinetic::TreeKind;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::scenes::{ExpandingSpheresDef, GeneratedBody, VelocityBody};
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef, WorldLimits};
use kinetree::{BodyId, world::Contact};

/// Metres per second: sixteen times the default, so that much happens in a second.
const SPEED: f64 = 4.0;
/// The spheres meet a little after that, seconds.
const MEETING: f64 = 0.125;

/// The spheres of a scene, and their velocities as they are now.
fn spheres(triangles: usize) -> [VelocityBody; 2] {
    let scene = ExpandingSpheresDef { triangles, speed: SPEED, ..ExpandingSpheresDef::default() }.generate();
    let bodies: Vec<VelocityBody> = scene
        .bodies
        .into_iter()
        .map(|body| match body {
            GeneratedBody::Moving(body) => body,
            other => panic!("{} has no velocities", other.name()),
        })
        .collect();
    bodies.try_into().expect("two spheres")
}

fn world(spheres: &[VelocityBody; 2], def: WorldDef, tree: TreeKind) -> (World, [BodyId; 2]) {
    let mut world = World::new(def).unwrap();
    let ids = spheres.each_ref().map(|sphere| {
        let mesh = Mesh::new(sphere.positions.len(), sphere.triangles.clone()).unwrap();
        let plan = Flightplan::velocities(0.0, sphere.positions.clone(), sphere.velocities.clone());
        world.add_body(BodyDef::new(mesh, plan).named(&sphere.name).tree(tree)).unwrap()
    });
    (world, ids)
}

/// Turns the vertices of touching triangles round and gives their plans, per sphere.
fn reversed(spheres: &mut [VelocityBody; 2], contacts: &[Contact]) -> [Vec<(u32, VertexFlightplan)>; 2] {
    let plan = |(vertex, velocity): (u32, [f32; 3])| {
        (vertex, VertexFlightplan::Velocity { from: None, velocity: velocity.map(f64::from) })
    };
    let [a, b] = spheres;
    [
        a.reverse(contacts.iter().map(|contact| contact.triangle_a)).into_iter().map(plan).collect(),
        b.reverse(contacts.iter().map(|contact| contact.triangle_b)).into_iter().map(plan).collect(),
    ]
}

struct Run {
    updates: usize,
    contacts: usize,
    seconds: f64,
    hashes: Vec<u64>,
}

/// Runs all worlds side by side from their meeting on, `samples` times at `rate` a second.
fn run(triangles: usize, rate: f64, samples: usize, engines: &[(WorldDef, TreeKind)]) -> Run {
    let mut spheres = spheres(triangles);
    let mut worlds: Vec<(World, [BodyId; 2])> = engines.iter().map(|&(def, tree)| world(&spheres, def, tree)).collect();
    let (mut updates, mut contacts) = (0, 0);
    for sample in 1..=samples {
        let time = MEETING + sample as f64 / rate;
        for (world, _) in &mut worlds {
            world.advance_to(time).unwrap();
        }
        let found = worlds[0].0.contacts().to_vec();
        for ((world, _), (def, tree)) in worlds.iter().zip(engines).skip(1) {
            let others: Vec<_> = world.contacts().iter().map(|it| (it.triangle_a, it.triangle_b)).collect();
            let ours: Vec<_> = found.iter().map(|it| (it.triangle_a, it.triangle_b)).collect();
            assert_eq!(
                ours, others,
                "at {time} s: {:?} and {:?}, {:?}, {tree:?}",
                engines[0], def.engine, def.contacts
            );
        }
        contacts += found.len();
        let plans = reversed(&mut spheres, &found);
        updates += plans.iter().map(Vec::len).sum::<usize>();
        for (world, ids) in &mut worlds {
            for (id, plans) in ids.iter().zip(&plans) {
                world.set_vertex_flightplans(*id, plans).unwrap();
            }
            if sample % 40 == 0 {
                let report = world.audit();
                assert!(report.is_clean(), "{report:?}");
            }
        }
    }
    let hashes = worlds.iter().map(|(world, _)| world.log().hash()).collect();
    Run { updates, contacts, seconds: samples as f64 / rate, hashes }
}

const KINETIC: WorldDef = WorldDef::new()
    .start(0.0)
    .engine(Engine::Kinetic)
    .contacts(ContactMode::AtTimes)
    .keep_events(false)
    .limits(WorldLimits::DEFAULT);
const CONTINUOUS: WorldDef = KINETIC.contacts(ContactMode::Continuous);
const REFIT: WorldDef = KINETIC.engine(Engine::Refit);
const BRUTE: WorldDef = KINETIC.engine(Engine::BruteForce);

#[test]
fn every_engine_finds_the_same_through_thousands_of_updates_a_second() {
    let engines =
        [(KINETIC, TreeKind::Aabb), (KINETIC, TreeKind::Box), (REFIT, TreeKind::Aabb), (BRUTE, TreeKind::Aabb)];
    let run = run(2_000, 400.0, 80, &engines);
    let a_second = run.updates as f64 / run.seconds;
    println!("{} flightplan updates, {a_second:.0} a second; {} contacts", run.updates, run.contacts);
    assert!(a_second >= 2_000.0, "only {a_second} flightplan updates a second");
    assert!(run.contacts > 500, "only {} contacts", run.contacts);
}

#[test]
fn continuous_contacts_at_the_samples_are_the_same() {
    // Small: windows of endless motion are long, and every new plan decides them again.
    let run = run(800, 400.0, 60, &[(KINETIC, TreeKind::Aabb), (CONTINUOUS, TreeKind::Aabb)]);
    assert!(run.updates > 40 && run.contacts > 40, "{} updates, {} contacts", run.updates, run.contacts);
}

#[test]
fn larger_spheres_against_the_refit() {
    let run = run(8_000, 400.0, 60, &[(KINETIC, TreeKind::Aabb), (REFIT, TreeKind::Aabb)]);
    let a_second = run.updates as f64 / run.seconds;
    println!("{} flightplan updates, {a_second:.0} a second; {} contacts", run.updates, run.contacts);
    assert!(a_second >= 5_000.0, "only {a_second} flightplan updates a second");
}

#[test]
fn the_same_updates_give_the_same_log() {
    let once = || run(500, 200.0, 60, &[(KINETIC, TreeKind::Aabb), (KINETIC, TreeKind::Box)]);
    let (one, two) = (once(), once());
    assert!(one.updates > 100, "only {} flightplan updates", one.updates);
    assert_eq!(one.hashes, two.hashes);
}
