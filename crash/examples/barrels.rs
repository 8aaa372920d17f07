//! A car into a pyramid of barrels, with sphere proxies and with triangles.
//!
//! `cd crash && cargo run --release --example barrels -- [FOLDER]` writes error plots and tables to FOLDER (default `target/crash`).

use kinetree_crash::{self as crash, Model, Shape, scenes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:>10} {:>12} {:>12} {:>7}", "shape", "rigid ms", "dents ms", "dents");
    for (shape, barrel_spheres) in [(Shape::Spheres(114), 60), (Shape::Triangles, 1)] {
        let (car, barrel) = (Model::car(crash::spheres_of(shape))?, Model::barrel(barrel_spheres)?);
        let mut pyramid = scenes::barrels(shape, &car, &barrel, crash::clock)?;
        pyramid.run(4.0)?;
        println!(
            "{:>10} {:>12.1} {:>12.1} {:>7}",
            crash::name(shape),
            pyramid.costs.rigid / 1e6,
            pyramid.costs.deforming / 1e6,
            pyramid.dents
        );
        if let Shape::Spheres(_) = shape {
            crash::write_quality(&pyramid, "barrels", shape, 0.15)?;
        }
    }
    Ok(())
}
