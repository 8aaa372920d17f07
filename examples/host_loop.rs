//! A host's loop: a cloth waves through a post, stepped at 60 frames a second from 5 keys a second. Events of pairs of
//! bodies, normals and depths, a ray for the mouse, and a drawing.
//!
//! `cargo run --release --example host_loop` writes `target/host_loop.svg`.

use kinetree::draw::{DrawOptions, Svg};
use kinetree::{BodyDef, ContactMode, Filter, Flightplan, Mesh, World, WorldDef};

const CLOTH: u64 = 1;
const SCENERY: u64 = 2;

type Shape = (Vec<[f32; 3]>, Vec<[u32; 3]>);

/// A sheet of square cells in the plane z = 0, a sixth of a metre wide each.
fn sheet(width: u32, depth: u32) -> Shape {
    let row = width + 1;
    let positions = (0..row * (depth + 1)).map(|v| [(v % row) as f32 / 6.0, (v / row) as f32 / 6.0, 0.0]);
    let cell = |c: u32| {
        let p = c / width * row + c % width;
        [[p, p + 1, p + row + 1], [p, p + row + 1, p + row]]
    };
    (positions.collect(), (0..width * depth).flat_map(cell).collect())
}

/// A closed box, normals outward.
fn cuboid(low: [f32; 3], high: [f32; 3]) -> Shape {
    let corner = |bits: u32| std::array::from_fn(|axis| if bits >> axis & 1 == 1 { high[axis] } else { low[axis] });
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    ((0..8).map(corner).collect(), faces.iter().flat_map(|&[p, q, r, s]| [[p, q, r], [p, r, s]]).collect())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Definitions: a mesh, its motion, its groups.
    let (rest, triangles) = sheet(24, 5);
    let times: Vec<f64> = (0..11).map(|key| f64::from(key) / 5.0).collect();
    let wave = |t: f64, [x, y, _]: [f32; 3]| [x, y, (3.0 * f64::from(x) - 4.0 * t).sin() as f32 * 0.3];
    let keys = times.iter().flat_map(|&t| rest.iter().map(move |&p| wave(t, p))).collect();
    let cloth = BodyDef::new(Mesh::new(rest.len(), triangles)?, Flightplan::keyframes(times, keys)).named("cloth");
    let (corners, triangles) = cuboid([1.8, 0.25, -1.0], [2.2, 0.55, 0.2]);
    let post = BodyDef::new(Mesh::new(8, triangles)?, Flightplan::fixed(corners)).named("post");

    let mut world = World::new(WorldDef::new().contacts(ContactMode::Continuous))?;
    let cloth = world.add_body(cloth.filter(Filter::new(CLOTH, SCENERY)))?;
    let post = world.add_body(post.filter(Filter::new(SCENERY, CLOTH)))?;

    let mut deepest: Option<(f64, Svg)> = None;
    for frame in 0..=120 {
        world.advance_to(f64::from(frame) / 60.0)?;
        // One event when the first triangles of two bodies touch, one when the last ones part.
        for change in world.body_pair_changes() {
            let what = if change.is_begin { "touches" } else { "leaves" };
            println!("{:.6} s: {} {what} {}", change.time.lo, world.name(change.a)?, world.name(change.b)?);
        }
        // Regions of contact: where, in which direction, and how deep.
        let manifolds = world.pair(cloth, post)?.manifolds()?;
        let depth = manifolds.iter().map(|manifold| manifold.depth()).fold(0.0, f64::max);
        if deepest.as_ref().is_none_or(|(most, _)| depth > *most) {
            let mut picture = Svg::new(960, 540).view([-0.4, -1.0, 0.6], [0.0, 0.0, 1.0]);
            world.draw(&mut picture, &DrawOptions::new().faces(true).normals(0.25).names(true));
            deepest = Some((depth, picture));
        }
        if frame % 30 == 0 {
            // The body under the mouse, scenery only.
            let hit =
                world.query().filter(Filter::new(CLOTH, SCENERY)).cast_ray([2.0, 0.4, 5.0], [0.0, 0.0, -1.0], 10.0);
            let under = hit.map(|hit| world.name(hit.body)).transpose()?.unwrap_or("nothing");
            println!("frame {frame:3}: {} regions, {depth:.3} m deep, the mouse is over {under}", manifolds.len());
        }
    }
    if let Some((depth, picture)) = deepest {
        let target = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/host_loop.svg");
        std::fs::create_dir_all(target.parent().ok_or("no folder")?)?;
        std::fs::write(&target, picture.finish())?;
        println!("the deepest frame, {depth:.3} m, is drawn in {}", target.display());
    }
    Ok(())
}
