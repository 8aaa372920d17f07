//! Prediction and rollback: every frame goes half a second ahead, is found wrong, and goes back. Prints what that costs.
//!
//! `cargo run --release --features scenes --example rollback`

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
        let (mut keeping, mut restoring) = (Vec::new(), Vec::new());
        for frame in 1..=12 {
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
            world.advance_to(time)?;
        }
        let median = |times: &mut Vec<f64>| {
            times.sort_by(f64::total_cmp);
            1e3 * times[times.len() / 2]
        };
        println!(
            "{name}: snapshot {:.2} ms, restore {:.2} ms, {} contacts, {} bytes counted",
            median(&mut keeping),
            median(&mut restoring),
            world.contacts().len(),
            world.stats().bytes
        );
    }
    Ok(())
}
