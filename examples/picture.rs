//! A walking figure in a dress, touching triangles marked (`target/contact.png`); or any scene
//! file at any time.
//!
//! `cargo run --release --features report --example picture -- [SCENE.toml TIME OUT.png]`

use kinetree::io::read_scene;
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::report::render::{Frame, RenderOptions, render};
use kinetree::scenes::{GeneratedBody, WalkDef};
use kinetree::world::{BodyDef, IgnoredContacts, World, WorldDef};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (world, ids, out) = match &arguments[..] {
        [scene, time, out] => {
            let scene = read_scene(scene)?;
            let start = scene.default_span().map_or(0.0, |[start, _]| start);
            let (mut world, ids) = scene.world(WorldDef::default().start(start), IgnoredContacts::None)?;
            world.advance_to(time.parse()?)?;
            (world, ids, out.as_str())
        }
        [] => {
            let (world, ids) = walker()?;
            (world, ids, "target/contact.png")
        }
        _ => return Err("usage: picture [SCENE.toml TIME OUT.png]".into()),
    };
    println!("{} touching pairs at {} s", world.contacts().len(), world.time());
    let mut frame = Frame::of_world(&world, &ids)?;
    frame.label = vec![Frame::at(world.time(), None)];
    let began = std::time::Instant::now();
    let image = render(&frame, &RenderOptions::sized(1200, 900))?;
    println!("drawn in {:.3} s", began.elapsed().as_secs_f64());
    std::fs::write(out, image.png()?)?;
    Ok(())
}

/// The generated walking figure in its dress, between two keys.
fn walker() -> Result<(World, Vec<kinetree::BodyId>), Box<dyn std::error::Error>> {
    let scene = WalkDef { triangles: 32_000, ..WalkDef::default() }.generate();
    let mut world = World::new(WorldDef::default())?;
    let mut ids = Vec::new();
    let mut time = 0.0;
    for body in &scene.bodies {
        let GeneratedBody::Keyed(clip) = body else { return Err("a walker's bodies have keys".into()) };
        let (points, _) = clip.positions.as_chunks::<3>();
        let plan = Flightplan::keyframes(clip.times.clone(), points.to_vec());
        let mesh = Mesh::new(clip.vertex_count, clip.triangles.clone())?;
        ids.push(world.add_body(BodyDef::new(mesh, plan).named(&clip.name))?);
        time = 0.5 * (clip.times[10] + clip.times[11]);
    }
    world.advance_to(time)?;
    Ok((world, ids))
}
