//! A host's loop: a strip of cloth waves through a wall, rendered at 60 frames a second from 5 keys a second.
//!
//! `cargo run --release --example host_loop`

use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};

/// A strip of `2 × length` vertices along x, in the plane z = 0.
fn strip(length: u32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let positions = (0..2 * length).map(|v| [(v / 2) as f32 * 0.1, (v % 2) as f32 * 0.1, 0.0]).collect();
    let cell = |i: u32| [[2 * i, 2 * i + 2, 2 * i + 1], [2 * i + 1, 2 * i + 2, 2 * i + 3]];
    (positions, (0..length - 1).flat_map(cell).collect())
}

fn main() -> Result<(), kinetree::Error> {
    let (rest, triangles) = strip(40);
    let times: Vec<f64> = (0..11).map(|key| f64::from(key) / 5.0).collect();
    let wave = |t: f64, [x, y, _]: [f32; 3]| [x, y, (3.0 * f64::from(x) - 4.0 * t).sin() as f32 * 0.3];
    let keys = times.iter().flat_map(|&t| rest.iter().map(move |&p| wave(t, p))).collect();
    let wall = vec![[2.0, -1.0, 0.2], [2.0, 1.0, 0.2], [2.0, 0.0, 1.0]];

    let mut world = World::new(WorldDef::default())?;
    let mesh = Mesh::new(rest.len(), triangles)?;
    world.add_body(BodyDef::new(mesh, Flightplan::keyframes(times, keys)).named("cloth"))?;
    world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]])?, Flightplan::fixed(wall)).named("wall"))?;
    for frame in 0..=120 {
        world.advance_to(f64::from(frame) / 60.0)?;
        for change in world.contact_changes() {
            let what = if change.is_begin() { "touches" } else { "leaves" };
            println!("frame {frame:3}: triangle {} of the cloth {what} the wall", change.contact().triangle_a);
        }
    }
    println!("{} windows for 121 frames", world.stats().engines.intervals_entered);
    Ok(())
}
