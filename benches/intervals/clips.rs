//! Whole clips with continuous contacts: how long, how many events, pairs and intervals, and what
//! decided the pairs.
//!
//! A clip runs three times from begin to end: engine kinetic with contacts at times (events only),
//! the same with continuous contacts, which separation lists find, and engine auto, which finds
//! them interval by interval. Times are processor time of the thread.

use crate::data::shared;
use kinetree::io::{MotionData, read_obj, read_pc2, read_scene};
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::{ExpandingSpheresDef, Garment, GeneratedBody, GeneratedScene, TableclothDef, WalkDef};
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};
use rustix::time::{ClockId, clock_gettime};

/// Processor time of this thread, seconds.
fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn generated(scene: &GeneratedScene) -> Vec<BodyDef> {
    let body = |body: &GeneratedBody| {
        let mesh = Mesh::new(body.start_positions().len(), body.triangles().to_vec()).unwrap();
        let plan = match body {
            GeneratedBody::Fixed(mesh) => Flightplan::fixed(mesh.positions.clone()),
            GeneratedBody::Keyed(clip) => {
                Flightplan::keyframes(clip.times.clone(), clip.positions.as_chunks::<3>().0.to_vec())
            }
            GeneratedBody::Moving(body) => Flightplan::velocities(0.0, body.positions.clone(), body.velocities.clone()),
        };
        BodyDef::new(mesh, plan)
    };
    scene.bodies.iter().map(body).collect()
}

fn cloth_ball() -> Vec<BodyDef> {
    let scene = read_scene(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/cloth_ball/scene.toml")).unwrap();
    let bodies = scene.bodies.iter().enumerate().map(|(number, body)| {
        let mesh = Mesh::new(body.mesh.positions.len(), body.mesh.triangles.clone()).unwrap();
        let plan = match &body.motion {
            MotionData::Keyframes { times, positions } => {
                Flightplan::keyframes(times.clone(), positions.as_chunks::<3>().0.to_vec())
            }
            MotionData::Rigid { times, transforms } => {
                Flightplan::rigid(times.clone(), transforms.clone(), body.mesh.positions.clone())
            }
            _ => Flightplan::fixed(body.mesh.positions.clone()),
        };
        BodyDef::new(mesh, plan).self_contact(number == 0)
    });
    bodies.collect()
}

fn twist() -> Option<(Vec<BodyDef>, f64)> {
    let folder = shared("cloth/twist")?;
    let mesh = read_obj(folder.join("cloth.obj")).unwrap();
    let cache = read_pc2(folder.join("cloth.pc2")).unwrap();
    let times: Vec<f64> = (0..cache.frames).map(|frame| frame as f64 / 24.0).collect();
    let end = times[times.len() - 1];
    let plan = Flightplan::keyframes(times, cache.positions.as_chunks::<3>().0.to_vec());
    let mesh = Mesh::new(cache.vertices, mesh.triangles).unwrap();
    Some((vec![BodyDef::new(mesh, plan).self_contact(true)], end))
}

/// Runs a clip; seconds for the advance, the world, and how many contacts began or ended.
fn run(defs: Vec<BodyDef>, end: f64, engine: Engine, contacts: ContactMode) -> (f64, World, usize) {
    let mut world = World::new(WorldDef::default().engine(engine).contacts(contacts)).unwrap();
    for def in defs {
        world.add_body(def).unwrap();
    }
    world.advance_to(0.0).unwrap();
    let begin = now();
    world.advance_to(end).unwrap();
    let seconds = now() - begin;
    let changes = world.contact_changes().len();
    (seconds, world, changes)
}

fn row(name: &str, defs: &dyn Fn() -> Vec<BodyDef>, end: f64) {
    let (plain, ..) = run(defs(), end, Engine::Kinetic, ContactMode::AtTimes);
    let (by_lists, lists, changes) = run(defs(), end, Engine::Kinetic, ContactMode::Continuous);
    let (by_intervals, world, others) = run(defs(), end, Engine::Auto, ContactMode::Continuous);
    assert_eq!(changes, others, "{name}: contacts differ");
    let stats = world.interval_stats();
    let pairs = |world: &World| world.interval_stats().pairs as f64 / 1e6;
    let share = |count: u64| format!("{:.2}", 100.0 * count as f64 / stats.pairs.max(1) as f64);
    println!(
        "| {name} | {plain:.2} | {by_lists:.2} | {by_intervals:.3} | {:.1} | {} | {} | {:.3} | {:.3} | {changes} | {} | {} | {} | {} | {} | {} |",
        by_lists / by_intervals,
        lists.stats().events,
        world.stats().events,
        pairs(&lists),
        pairs(&world),
        share(stats.rejected_by_axes),
        share(stats.rejected_by_planes),
        share(stats.rejected_by_signs),
        share(stats.accepted_by_signs),
        share(stats.solved),
        stats.undecided,
    );
}

/// Prints one row a clip.
pub(crate) fn print_table() {
    println!(
        "| clip | events only, s | contacts by lists, s | by intervals, s | ratio | events: lists | intervals | pairs decided, M: lists | \
         intervals | begins and ends | axes % | planes % | signs % | accepted % | solved % | undecided |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, triangles) in [("tablecloth 2k", 2_000), ("tablecloth 16k", 16_000)] {
        let scene = TableclothDef { triangles, ..TableclothDef::default() }.generate();
        row(name, &|| generated(&scene), 59.0 / 30.0);
    }
    for (name, garment) in [("shirt 32k", Garment::Shirt), ("dress 32k", Garment::Dress)] {
        let scene = WalkDef { triangles: 32_000, garment, ..WalkDef::default() }.generate();
        row(name, &|| generated(&scene), 29.0 / 30.0);
    }
    let scene = ExpandingSpheresDef { triangles: 2_000, ..ExpandingSpheresDef::default() }.generate();
    row("spheres 2k, 3 s", &|| generated(&scene), 3.0);
    row("cloth_ball, cloth with itself", &cloth_ball, 93.0 / 24.0);
    if let Some((_, end)) = twist() {
        row("twist with itself", &|| twist().expect("it was there").0, end);
    }
}
