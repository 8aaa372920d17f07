//! Spheres that `kinetree pack` wrote, in a rigid-body engine: they collide.
//!
//! `cargo run --manifest-path tests/rapier/Cargo.toml --target-dir target/rapier -- [FILE]` reads
//! the file of spheres, or of compounds (`kinetree pack --compound FILE.json`), makes a compound of
//! balls of it, drops it on a floor, and fails if it does not come to rest on its lowest spheres.

use std::error::Error;

use rapier3d::prelude::*;

/// The spheres of a pose, or of the first compound, as x, y, z and radius in metres.
fn spheres(text: &str, pose: usize) -> Result<Vec<[f32; 4]>, Box<dyn Error>> {
    let file: serde_json::Value = serde_json::from_str(text)?;
    let listed = match &file["compounds"][0]["balls"] {
        serde_json::Value::Array(balls) => balls,
        _ if file["format"] != "kinetree-spheres" || file["version"] != 1 => {
            return Err("no file of compounds, nor of spheres of version 1".into());
        }
        _ => file["poses"][pose]["spheres"].as_array().ok_or("no such pose")?,
    };
    let number = |value: &serde_json::Value| value.as_f64().map(|number| number as f32).ok_or("no number");
    let sphere = |entry: &serde_json::Value| -> Result<[f32; 4], Box<dyn Error>> {
        Ok([number(&entry[0])?, number(&entry[1])?, number(&entry[2])?, number(&entry[3])?])
    };
    listed.iter().map(sphere).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let usual = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/van/van.spheres.json");
    let path = std::env::args().nth(1).unwrap_or_else(|| usual.into());
    let spheres = spheres(&std::fs::read_to_string(&path)?, 0)?;
    let balls = spheres.iter().filter(|[.., radius]| *radius > 0.0);
    let shape = SharedShape::compound(
        balls.map(|&[x, y, z, radius]| (Pose::from_translation(Vector::new(x, y, z)), SharedShape::ball(radius))).collect(),
    );

    let mut physics = PhysicsWorld::new();
    physics.gravity = Vector::new(0.0, 0.0, -9.81);
    physics.insert(
        RigidBodyBuilder::fixed().pose(Pose::from_translation(Vector::new(0.0, 0.0, -0.5))),
        ColliderBuilder::cuboid(50.0, 50.0, 0.5),
    );
    let start = Pose::from_translation(Vector::new(0.0, 0.0, 1.0));
    let (body, _) = physics.insert(RigidBodyBuilder::dynamic().pose(start), ColliderBuilder::new(shape).friction(0.8));
    for _ in 0..600 {
        physics.step();
    }
    let pose = *physics.bodies[body].position();
    let lowest = spheres
        .iter()
        .map(|&[x, y, z, radius]| (pose * Vector::new(x, y, z)).z - radius)
        .fold(f32::INFINITY, f32::min);
    println!("{} spheres of {path}: at rest, the lowest sphere is {lowest:.4} m above the floor", spheres.len());
    if lowest.abs() > 0.02 {
        return Err(format!("the body is {lowest} m above the floor after 10 s").into());
    }
    Ok(())
}
