//! Prediction and rollback: every frame goes half a second ahead, is found wrong, and goes back.
//! Prints what that costs, and what a world in bytes does.
//!
//! `cargo run --release --features record,scenes --example rollback`

use std::time::Instant;

use kinetree::scenes::material::jittered_grid_cloth;
use kinetree::{BodyDef, ContactMode, Engine, Flightplan, Mesh, World, WorldDef};

fn main() -> Result<(), kinetree::Error> {
    for (name, engine, mode) in [
        ("auto", Engine::Auto, ContactMode::AtTimes),
        ("kinetic", Engine::Kinetic, ContactMode::AtTimes),
        ("interval", Engine::Interval, ContactMode::AtTimes),
        ("refit", Engine::Refit, ContactMode::AtTimes),
        ("auto, continuous", Engine::Auto, ContactMode::Continuous),
        ("kinetic, continuous", Engine::Kinetic, ContactMode::Continuous),
    ] {
        let mut world = World::new(WorldDef::new().engine(engine).contacts(mode))?;
        // Two sheets of 16,200 triangles, half a metre apart, 10 keys each.
        for (seed, height) in [(1, 0.0), (2, 0.5)] {
            let clip = jittered_grid_cloth(seed, 90, 90, 10);
            let positions = clip.positions.as_chunks::<3>().0.iter().map(|&[x, y, z]| [x, y + height, z]);
            let plan = Flightplan::keyframes(clip.times, positions.collect());
            world.add_body(BodyDef::new(Mesh::new(clip.vertex_count, clip.triangles)?, plan))?;
        }
        let (mut keeping, mut restoring, mut stepping) = (Vec::new(), Vec::new(), Vec::new());
        for frame in 1..=24 {
            let time = f64::from(frame) / 60.0;
            let begin = Instant::now();
            let kept = world.snapshot();
            keeping.push(begin.elapsed().as_secs_f64());
            if frame % 6 == 0 {
                world.advance_to(time + 1.0 / 60.0)?;
            }
            let begin = Instant::now();
            world = World::restore(&kept);
            restoring.push(begin.elapsed().as_secs_f64());
            let begin = Instant::now();
            world.advance_to(time)?;
            stepping.push(begin.elapsed().as_secs_f64());
        }
        // The same without a snapshot that shares anything.
        let mut alone = Vec::new();
        for frame in 25..=48 {
            let begin = Instant::now();
            world.advance_to(f64::from(frame) / 60.0)?;
            alone.push(begin.elapsed().as_secs_f64());
        }
        let begin = Instant::now();
        let bytes = world.to_bytes()?;
        let saving = 1e3 * begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let loaded = World::from_bytes(&bytes, |_| None)?;
        let loading = 1e3 * begin.elapsed().as_secs_f64();
        assert_eq!(loaded.contacts(), world.contacts());
        let figures = |mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            format!("{:.2} ms, least {:.2}", 1e3 * times[times.len() / 2], 1e3 * times[0])
        };
        println!(
            "{name}: snapshot {}; restore {}; first step after {}, without a snapshot {}; {} contacts; {} bytes a triangle; in \
             bytes {} a triangle, saved in {saving:.1} ms, loaded in {loading:.1} ms",
            figures(keeping),
            figures(restoring),
            figures(stepping),
            figures(alone),
            world.contacts().len(),
            world.stats().bytes / world.stats().triangles,
            bytes.len() / world.stats().triangles,
        );
    }
    Ok(())
}
