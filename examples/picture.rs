//! The picture of the README: a walking figure in a dress, touching triangles in red; or any scene file at any time.
//!
//! `cargo run --release --features io --example picture -- [SCENE.toml TIME OUT.png]`

#[allow(dead_code, unreachable_pub, reason = "shared with other examples")]
mod raster;

use kinetree::io::read_scene;
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::{GeneratedBody, WalkDef};
use kinetree::world::{BodyDef, IgnoredContacts, World, WorldDef};
use raster::{Camera, Canvas};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (world, ids, camera, out) = match &arguments[..] {
        [scene, time, out] => {
            let scene = read_scene(scene)?;
            let start = scene.default_span().map_or(0.0, |[start, _]| start);
            let (mut world, ids) = scene.world(WorldDef::default().start(start), IgnoredContacts::None)?;
            world.advance_to(time.parse()?)?;
            (world, ids, Camera::new([1.9, -1.5, 1.1], [0.0, 0.0, -0.1], [0.0, 0.0, 1.0], 0.36), out.as_str())
        }
        [] => {
            let (world, ids) = walker()?;
            (
                world,
                ids,
                Camera::new([1.5, 1.05, 2.4], [0.0, 0.83, 0.0], [0.0, 1.0, 0.0], 0.34),
                "docs/figures/contact.png",
            )
        }
        _ => return Err("usage: picture [SCENE.toml TIME OUT.png]".into()),
    };
    println!("{} touching pairs at {} s", world.contacts().len(), world.time());

    let mut canvas = Canvas::new(camera);
    let palette = [[0.80, 0.74, 0.60], [0.42, 0.55, 0.70], [0.62, 0.62, 0.62], [0.70, 0.58, 0.70]];
    for (number, &id) in ids.iter().enumerate() {
        let mut touching = vec![false; world.mesh(id)?.triangles().len()];
        for contact in world.contacts() {
            for (body, triangle) in [(contact.a, contact.triangle_a), (contact.b, contact.triangle_b)] {
                touching[triangle as usize] |= body == id;
            }
        }
        canvas.body(&world, id, palette[number % palette.len()], &touching)?;
    }
    canvas.write(out)
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
