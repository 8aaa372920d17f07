//! Contacts on real clips equal brute force, at keys and between them.
//!
//! `cloth_ball` is shipped; `twist`, `diffcloth_tshirt` and `spot` are read from the shared data and skipped, with a word,
//! where that is absent. By default a fixed subset of times; of `cloth_ball` the first 40 of 94 frames; with
//! `KINETREE_TORTURE=1` every frame and 200 random times.

#![cfg(feature = "io")]

#[path = "common/data.rs"]
mod data;

use data::shared;
use kinetree::io::{MeshData, read_obj, read_pc2, read_scene};
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::Random;
use kinetree::world::{BodyDef, ContactMode, Engine, IgnoredContacts, World, WorldDef};

fn is_torture() -> bool {
    std::env::var_os("KINETREE_TORTURE").is_some()
}

/// Frames and random times between them, increasing.
fn times(seed: u64, frames: usize, fps: f64) -> Vec<f64> {
    let (stride, between) = if is_torture() { (1, 200) } else { (frames / 6, 6) };
    let last = (frames - 1) as f64 / fps;
    let mut random = Random::new(seed);
    let mut times: Vec<f64> = (0..frames).step_by(stride.max(1)).map(|frame| frame as f64 / fps).collect();
    times.extend((0..between).map(|_| random.unit() * last));
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// Runs every engine over the times and compares; at least `least` contacts must have been seen in all.
fn compare(name: &str, defs: &dyn Fn() -> Vec<BodyDef>, times: &[f64], least: usize) {
    let world = |engine, contacts| {
        let mut world = World::new(WorldDef::default().engine(engine).contacts(contacts).start(times[0])).unwrap();
        for def in defs() {
            world.add_body(def).unwrap();
        }
        world
    };
    let mut brute = world(Engine::BruteForce, ContactMode::AtTimes);
    let mut others = [
        world(Engine::Kinetic, ContactMode::AtTimes),
        world(Engine::Interval, ContactMode::AtTimes),
        world(Engine::Auto, ContactMode::AtTimes),
        world(Engine::Refit, ContactMode::AtTimes),
        world(Engine::Kinetic, ContactMode::Continuous),
    ];
    let mut seen = 0;
    for &time in times {
        brute.advance_to(time).unwrap();
        seen += brute.contacts().len();
        for (number, other) in others.iter_mut().enumerate() {
            other.advance_to(time).unwrap();
            assert!(
                other.contacts() == brute.contacts(),
                "{name}, engine {number}, {time} s: {} contacts, brute force {}",
                other.contacts().len(),
                brute.contacts().len()
            );
        }
    }
    assert!(seen >= least, "{name}: only {seen} contacts seen");
    let report = others[0].audit();
    assert!(report.is_clean() && report.checks > 10_000, "{name}: {report}");
    eprintln!("{name}: {} times, {seen} contacts, {} events", times.len(), others[0].stats().events);
}

fn clip(folder: &str, name: &str, fps: f64) -> Option<(BodyDef, usize)> {
    let mesh = read_obj(shared(&format!("{folder}/{name}.obj"))?).unwrap();
    let cache = read_pc2(shared(&format!("{folder}/{name}.pc2"))?).unwrap();
    let times = (0..cache.frames).map(|frame| frame as f64 / fps).collect();
    let (points, _) = cache.positions.as_chunks::<3>();
    let plan = Flightplan::keyframes(times, points.to_vec());
    Some((BodyDef::new(Mesh::new(cache.vertices, mesh.triangles).unwrap(), plan).named(name), cache.frames))
}

fn fixed(mesh: &MeshData, scale: f32, offset: [f32; 3]) -> BodyDef {
    let place = |p: &[f32; 3]| std::array::from_fn(|axis| p[axis] * scale + offset[axis]);
    let positions: Vec<[f32; 3]> = mesh.positions.iter().map(place).collect();
    BodyDef::new(Mesh::new(positions.len(), mesh.triangles.clone()).unwrap(), Flightplan::fixed(positions))
        .named("fixed")
}

#[test]
fn cloth_ball() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/cloth_ball/scene.toml");
    let scene = read_scene(path).unwrap();
    // The shipped scene, the program's way, and the same bodies here.
    let mut world = scene.world(WorldDef::default(), IgnoredContacts::None).unwrap().0;
    world.advance_to(22.0 / 24.0).unwrap();
    assert_eq!(world.contacts().len(), 4);
    let defs = || {
        let body = |index: usize| {
            let body = &scene.bodies[index];
            let mesh = Mesh::new(body.mesh.positions.len(), body.mesh.triangles.clone()).unwrap();
            let plan = match &body.motion.in_memory().unwrap() {
                kinetree::io::MotionData::Keyframes { times, positions } => {
                    Flightplan::keyframes(times.clone(), positions.as_chunks::<3>().0.to_vec())
                }
                kinetree::io::MotionData::Rigid { times, transforms } => {
                    Flightplan::rigid(times.clone(), transforms.clone(), body.mesh.positions.clone())
                }
                _ => Flightplan::fixed(body.mesh.positions.clone()),
            };
            BodyDef::new(mesh, plan).self_contact(index == 0)
        };
        vec![body(0), body(1), body(2)]
    };
    let mut times = times(1, if is_torture() { 94 } else { 40 }, 24.0);
    // The two frames at which cloth and ball touch.
    times.extend([22.0 / 24.0, 23.0 / 24.0]);
    times.sort_by(f64::total_cmp);
    times.dedup();
    compare("cloth_ball", &defs, &times, 10);
}

#[test]
fn twist_around_a_fixed_mesh() {
    let (Some(spot), Some(_)) = (shared("static/spot.obj"), clip("cloth/twist", "cloth", 24.0)) else { return };
    let spot = read_obj(spot).unwrap();
    let defs = || vec![clip("cloth/twist", "cloth", 24.0).unwrap().0, fixed(&spot, 0.3, [0.1, 0.05, 0.0])];
    compare("twist", &defs, &times(2, 80, 24.0), 1000);
}

#[test]
fn tshirt_on_spot() {
    let Some(spot) = shared("static/spot.obj") else { return };
    let Some((shirt, frames)) = clip("cloth/diffcloth_tshirt", "tshirt", 30.0) else { return };
    // Into the middle of the shirt's first frame.
    let rest = shirt.motion.rest_positions(shirt.shape.mesh().unwrap().vertex_count());
    let middle = |axis: usize| rest.iter().map(|p| p[axis]).sum::<f32>() / rest.len() as f32;
    let offset = [middle(0), middle(1), middle(2)];
    let spot = read_obj(spot).unwrap();
    let defs = || vec![clip("cloth/diffcloth_tshirt", "tshirt", 30.0).unwrap().0, fixed(&spot, 1.5, offset)];
    compare("tshirt", &defs, &times(3, frames, 30.0), 1000);
}
