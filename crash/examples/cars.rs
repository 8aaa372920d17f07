//! Eight cars launched off ramps into each other, with 320, 114 and 66 spheres per car and with their triangles.
//!
//! `cd crash && cargo run --release --example cars -- [FOLDER]` writes error plots and tables to FOLDER (default `target/crash`).

use kinetree::mesh::Spheres;
use kinetree::world::{BodyDef, World, WorldDef};
use kinetree_crash::{self as crash, Crash, Model, Shape, scenes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:>10} {:>12} {:>12} {:>7}", "shape", "rigid ms", "dents ms", "dents");
    for shape in crash::SHAPES {
        let model = Model::car(crash::spheres_of(shape))?;
        let mut cars = scenes::cars(shape, &model, crash::clock)?;
        cars.run(10.0)?;
        println!(
            "{:>10} {:>12.1} {:>12.1} {:>7}",
            crash::name(shape),
            cars.costs.rigid / 1e6,
            cars.costs.deforming / 1e6,
            cars.dents
        );
        if let Shape::Spheres(_) = shape {
            crash::write_quality(&cars, "cars", shape, 0.15)?;
            watch(&cars)?;
        }
    }
    Ok(())
}

/// The same spheres as bodies of a kinetic world: who touches whom, without the engine.
fn watch(cars: &Crash) -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(WorldDef::default())?;
    for body in 0..cars.bodies.len() {
        let clip = cars.spheres(body, 0.01)?;
        world.add_body(BodyDef::new(Spheres::new(clip.sphere_count())?, clip.flightplan()))?;
    }
    let (mut most, mut first) = (0, None);
    for &time in cars.times() {
        world.advance_to(time)?;
        most = most.max(world.contacts().len());
        if first.is_none() && !world.contacts().is_empty() {
            first = Some(time);
        }
    }
    match first {
        Some(time) => println!("{:>10} cars meet first at {time:.2} s; at most {most} pairs of spheres touch", ""),
        None => println!("{:>10} no two cars meet", ""),
    }
    Ok(())
}
