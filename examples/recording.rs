//! Records a world into a file, and runs the file again.
//!
//! `cargo run --features record --example recording`

use kinetree::replay::{Recording, RecordingWorld};
use kinetree::{BodyDef, Error, Flightplan, Mesh, WorldDef};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join("kinetree-example.ktrc");
    let mut world = RecordingWorld::new(WorldDef::new(), std::io::BufWriter::new(std::fs::File::create(&path)?))?;
    let triangle = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]]; // Metres.
    world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]])?, Flightplan::fixed(triangle(0.0))))?;
    let fall = Flightplan::keyframes(vec![0.0, 1.0], [triangle(1.0), triangle(0.0)].concat());
    world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]])?, fall))?;
    (1..=10).try_for_each(|step| world.advance_to(f64::from(step) / 10.0))?;
    let last = world.finish()?;

    let replayed = Recording::from_bytes(&std::fs::read(&path)?).map_err(Error::from)?.replay()?;
    println!("{}: {} calls, {} contacts", path.display(), replayed.calls, replayed.world.contacts().len());
    assert!(replayed.divergence.is_none() && replayed.world.contacts() == last.contacts());
    Ok(())
}
