//! Marks: on the touching triangles and on no others; through what hides them; however small.

use std::collections::BTreeSet;

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::report::render::{Camera, Frame, FrameBody, Image, RenderOptions, Shading, render, visible};
use kinetree::scenes::{CapeDef, GeneratedBody};
use kinetree::world::{BodyDef, World, WorldDef};

/// The walking figure in its cape, with what touches, at a time when it does.
fn walker() -> (World, Vec<kinetree::BodyId>, Frame) {
    let mut world = World::new(WorldDef::default()).unwrap();
    let mut ids = Vec::new();
    for body in (CapeDef { keys: 15, ..CapeDef::default() }).generate().bodies {
        let GeneratedBody::Keyed(clip) = body else { panic!("keys") };
        let (points, _) = clip.positions.as_chunks::<3>();
        let plan = Flightplan::keyframes(clip.times.clone(), points.to_vec());
        let mesh = Mesh::new(clip.vertex_count, clip.triangles.clone()).unwrap();
        ids.push(world.add_body(BodyDef::new(mesh, plan).named(&clip.name)).unwrap());
    }
    world.advance_to(0.36).unwrap();
    let frame = Frame::of_world(&world, &ids).unwrap();
    (world, ids, frame)
}

/// Options for bodies only, one sample a pixel.
fn plain(width: usize, height: usize) -> RenderOptions {
    let mut options = RenderOptions::sized(width, height);
    (options.words, options.ground, options.rings, options.sides, options.hidden) = (false, false, false, false, false);
    options.samples = 1;
    options.shading = Shading::Flat;
    options
}

/// Whether a colour is that of a highlighted triangle, in any light.
fn is_strong([red, green, blue]: [u8; 3]) -> bool {
    let is_red = red > 100 && green < 30 && blue < 30;
    let is_purple = red > 60 && green < 15 && blue > 50;
    is_red || is_purple
}

#[test]
fn a_frame_of_a_world_has_what_touches() {
    let (world, ids, frame) = walker();
    assert!(world.contacts().len() > 20, "{}", world.contacts().len());
    for (body, &id) in frame.bodies.iter().zip(&ids) {
        let mut touching = BTreeSet::new();
        for contact in world.contacts() {
            for (other, triangle) in [(contact.a, contact.triangle_a), (contact.b, contact.triangle_b)] {
                if other == id {
                    touching.insert(triangle);
                }
            }
        }
        assert_eq!(body.highlighted, touching.into_iter().collect::<Vec<_>>(), "{}", body.name);
        assert_eq!(body.positions, world.positions(id).unwrap());
    }
}

#[test]
fn the_highlight_covers_exactly_the_touching_triangles() {
    let (_, _, frame) = walker();
    let mut options = plain(700, 700);
    options.from = "back-right".parse().unwrap();
    let image = render(&frame, &options).unwrap();
    let seen = visible(&frame, &options).unwrap();
    let marked = |place: usize| {
        seen[place].is_some_and(|[body, triangle]| frame.bodies[body as usize].highlighted.contains(&triangle))
    };
    let (mut strong, mut pale) = (0, 0);
    for place in 0..seen.len() {
        let (x, y) = (place % 700, place / 700);
        assert!(!marked(place) || is_strong(image.pixel(x, y)), "a marked pixel {x}, {y} is {:?}", image.pixel(x, y));
        strong += usize::from(marked(place));
        // Around marks there is a dark border.
        let near = |reach: usize| {
            let rows = y.saturating_sub(reach)..=(y + reach).min(699);
            rows.flat_map(|r| (x.saturating_sub(reach)..=(x + reach).min(699)).map(move |c| 700 * r + c)).any(marked)
        };
        if !marked(place) && !near(5) {
            assert!(!is_strong(image.pixel(x, y)), "pixel {x}, {y} is {:?}", image.pixel(x, y));
            pale += 1;
        }
    }
    assert!(strong > 300 && pale > 400_000, "{strong} {pale}");
}

/// A wall of two triangles before a small triangle, seen from +z.
fn behind_a_wall(size: f64) -> (Frame, RenderOptions) {
    let square = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
    let wall = FrameBody {
        name: "wall".into(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        positions: square.to_vec(),
        ..FrameBody::default()
    };
    let small = FrameBody {
        name: "small".into(),
        triangles: vec![[0, 1, 2]],
        positions: vec![[-size, -size, -0.5], [size, -size, -0.5], [0.0, size, -0.5]],
        highlighted: vec![0],
        ..FrameBody::default()
    };
    let mut options = plain(200, 200);
    options.camera = Some(Camera::new([0.0, 0.0, 5.0], [0.0; 3], [0.0, 1.0, 0.0], 0.25).unwrap());
    (Frame { bodies: vec![wall, small], ..Frame::default() }, options)
}

fn different(a: &Image, b: &Image) -> Vec<[usize; 2]> {
    let all = (0..a.height()).flat_map(|y| (0..a.width()).map(move |x| [x, y]));
    all.filter(|&[x, y]| a.pixel(x, y) != b.pixel(x, y)).collect()
}

#[test]
fn hidden_marks_are_drawn_through_and_only_if_asked() {
    let (frame, mut options) = behind_a_wall(0.4);
    let covered = render(&frame, &options).unwrap();
    let mut without = frame.clone();
    without.bodies[1].highlighted.clear();
    assert_eq!(different(&covered, &render(&without, &options).unwrap()), Vec::<[usize; 2]>::new());
    options.hidden = true;
    let through = render(&frame, &options).unwrap();
    let changed = different(&covered, &through);
    // The triangle is 0.8 × 0.8 / 2 m² at 5.5 m, where a pixel is 2 × 0.25 × 5.5 / 200 m wide.
    let pixels = 0.32 / (2.75_f64 / 200.0).powi(2);
    assert!((changed.len() as f64 - pixels).abs() < 0.05 * pixels, "{} of {pixels}", changed.len());
    // In stripes, so it is not taken for a triangle that is seen.
    let strong = changed.iter().filter(|[x, y]| through.pixel(*x, *y)[1] < 60).count();
    assert!(strong * 3 > changed.len() && strong * 3 < 2 * changed.len(), "{strong} of {}", changed.len());
}

#[test]
fn a_mark_smaller_than_a_pixel_is_seen() {
    let (mut frame, mut options) = behind_a_wall(0.0005);
    for corner in &mut frame.bodies[1].positions {
        corner[2] = 0.5;
        corner[0] += 0.0321;
    }
    let mut without = frame.clone();
    without.bodies[1].highlighted.clear();
    let shown = render(&frame, &options).unwrap();
    let changed = different(&shown, &render(&without, &options).unwrap());
    assert!((4..60).contains(&changed.len()), "{changed:?}");
    // Rings make it easy to find.
    options.rings = true;
    assert!(different(&shown, &render(&frame, &options).unwrap()).len() > 60);
}

#[test]
fn boxes_are_drawn_in_front_and_behind() {
    let (mut frame, options) = behind_a_wall(0.4);
    frame.bodies[1].highlighted.clear();
    let empty = render(&frame, &options).unwrap();
    let bounds = kinetree::Aabb { min: [-0.5, -0.5, -1.0], max: [0.5, 0.5, 1.0] };
    frame.boxes.push((1, bounds));
    let changed = different(&empty, &render(&frame, &options).unwrap());
    assert!(changed.len() > 200, "{}", changed.len());
    // Its near face, at 4 m, is larger than half of the picture; its far face is behind the wall.
    let near = 0.5 / (0.25 * 4.0) * 100.0;
    assert!(changed.iter().any(|[x, _]| (*x as f64 - (100.0 - near)).abs() < 2.0));
    let far = 0.5 / (0.25 * 6.0) * 100.0;
    let on_far_side = |[x, y]: &&[usize; 2]| (*x as f64 - (100.0 - far)).abs() < 1.5 && y.abs_diff(100) < 20;
    assert_eq!(changed.iter().filter(on_far_side).count(), 0);
}
