//! Barrels dropped on a loading dock, with three numbers of spheres and with their triangles.
//!
//! `cd crash && cargo run --release --example dock -- [FOLDER]` writes error plots and tables to FOLDER (default `target/crash`).

use kinetree_crash::{self as crash, Model, Shape, scenes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:>10} {:>12} {:>12} {:>7}", "shape", "rigid ms", "dents ms", "dents");
    for shape in [Shape::Spheres(200), Shape::Spheres(60), Shape::Spheres(25), Shape::Triangles] {
        let barrel = Model::barrel(crash::spheres_of(shape))?;
        let mut dock = scenes::dock(shape, &barrel, crash::clock)?;
        dock.run(4.0)?;
        println!(
            "{:>10} {:>12.1} {:>12.1} {:>7}",
            crash::name(shape),
            dock.costs.rigid / 1e6,
            dock.costs.deforming / 1e6,
            dock.dents
        );
        if let Shape::Spheres(_) = shape {
            crash::write_quality(&dock, "dock", shape, 0.03)?;
        }
    }
    Ok(())
}
