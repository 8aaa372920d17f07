//! A thousand walking characters are culled against a view frustum, frame after frame, without a world and mostly without a vertex.
//!
//! `cargo run --release --features scenes --example culling -- [CHARACTERS] [FRAMES]`
//!
//! The characters share one skin and differ in place, heading and step. A character is decided by one box from the matrices of its
//! bones; only those whose box crosses a plane of the frustum evaluate vertices, and of these only those near the plane. The last
//! frame is decided again from all vertices, which must give the same.

use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Instant;

use kinetree::mesh::Mesh;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Camera, Level, PosedBounds, Rectangle, Visibility};
use kinetree::reduced::{Affine, Blend, Influences, Pose, ReducedDef, ReducedMesh, WeightPolicy};
use kinetree::scenes::SkinnedFigureDef;

type Failure = Box<dyn std::error::Error>;

/// Distance between neighbours, metres.
const APART: f64 = 2.0;
/// Half the field of view across and upward, as tangents.
const ASPECT: [f64; 2] = [0.8, 0.45];
/// From where to where the frustum reaches, metres.
const DEPTH: [f64; 2] = [0.1, 60.0];

fn main() -> Result<(), Failure> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let characters = numbers.next().transpose()?.unwrap_or(1000);
    let frames = numbers.next().transpose()?.unwrap_or(120);
    let (mesh, walk) = skin()?;
    let tree = BoundTree::new(&mesh, BoundParams::default());
    // Clones share all that does not depend on the pose.
    let first = PosedBounds::new(&tree, &mesh, Level::Corner, &walk[0])?;
    let mut crowd: Vec<PosedBounds<'_>> = vec![first; characters];
    let side = (characters as f64).sqrt().ceil();
    let mut counts = [0usize; 3];
    let (mut evaluated, mut seconds) = (0, 0.0);
    let mut poses: Vec<Pose> = vec![Pose::default(); characters];
    let middle = [0.5 * side * APART, 1.6, 0.5 * side * APART];
    for frame in 0..frames {
        for (number, pose) in poses.iter_mut().enumerate() {
            place(&walk[(frame + 7 * number) % walk.len()], number, side, pose);
        }
        let (planes, _) = view(middle, TAU * frame as f64 / frames as f64);
        let begin = Instant::now();
        for (body, pose) in crowd.iter_mut().zip(&poses) {
            body.set_pose(pose)?;
            let place = match body.visibility(&planes) {
                Visibility::Outside { .. } => 0,
                Visibility::Inside => 1,
                Visibility::Crossing => 2,
            };
            counts[place] += 1;
        }
        seconds += begin.elapsed().as_secs_f64();
        evaluated += crowd.iter().map(|body| body.counts().evaluated + body.counts().blended).sum::<u64>();
    }
    let vertices = mesh.vertex_count();
    println!("{characters} characters of {vertices} vertices, {frames} frames");
    println!("outside, inside, crossing: {:?} a frame", counts.map(|count| count / frames.max(1)));
    println!(
        "{:.1} µs a frame, {:.0} vertices evaluated of {}",
        1e6 * seconds / frames.max(1) as f64,
        evaluated as f64 / frames.max(1) as f64,
        vertices * characters
    );
    check(&mesh, &poses, &mut crowd, middle, TAU * frames.saturating_sub(1) as f64 / frames.max(1) as f64)
}

/// A walking figure: its mesh, and the poses of one cycle.
fn skin() -> Result<(Arc<ReducedMesh>, Vec<Pose>), Failure> {
    let figure = SkinnedFigureDef { triangles: 6_000, forward: false, ..SkinnedFigureDef::default() }.generate();
    let mesh = Mesh::new(figure.positions.len(), figure.triangles)?;
    let lists = figure.weights.iter().map(|pair| pair.iter().copied().filter(|(_, weight)| *weight > 0.0).collect());
    let influences = Influences::convex(figure.bones, lists.collect::<Vec<Vec<_>>>(), WeightPolicy::Strict)?;
    let def = ReducedDef { mesh, rest: figure.positions, influences, morphs: Vec::new(), blend: Blend::Linear };
    let poses = figure
        .poses
        .chunks(figure.bones)
        .map(|bones| Pose { maps: bones.iter().map(|rows| Affine::from_rows(*rows)).collect(), morphs: Vec::new() });
    Ok((Arc::new(ReducedMesh::new(def)?), poses.collect()))
}

/// Puts a character into its place on a grid, in its own heading.
fn place(walk: &Pose, number: usize, side: f64, pose: &mut Pose) {
    let (row, column) = ((number as f64 / side).floor(), number as f64 % side);
    let half = 0.5 * TAU * (0.61 * number as f64).fract();
    let turn = [0.0, half.sin(), 0.0, half.cos()];
    let map = Affine::from_parts([APART * column, 0.0, APART * row], turn, [1.0; 3]);
    pose.maps.clear();
    pose.maps.extend(walk.maps.iter().map(|own| map.after(own)));
}

/// The planes of a camera that looks along a heading, and the camera.
fn view(eye: [f64; 3], heading: f64) -> ([[f64; 4]; 6], Camera) {
    let (ahead, aside) = ([heading.sin(), 0.0, heading.cos()], [heading.cos(), 0.0, -heading.sin()]);
    let row = |axis: [f64; 3]| {
        let off = -(0..3).map(|i| axis[i] * eye[i]).sum::<f64>();
        [axis[0], axis[1], axis[2], off]
    };
    let camera = Camera { x: row(aside), y: row([0.0, 1.0, 0.0]), w: row(ahead) };
    let side = |row: &[f64; 4], sign: f64, slope: f64| std::array::from_fn(|i| slope * camera.w[i] - sign * row[i]);
    let depth = |sign: f64, at: f64| {
        let mut plane = camera.w.map(|x| sign * x);
        plane[3] -= sign * at;
        plane
    };
    let planes = [
        depth(1.0, DEPTH[0]),
        side(&camera.x, 1.0, ASPECT[0]),
        side(&camera.x, -1.0, ASPECT[0]),
        side(&camera.y, 1.0, ASPECT[1]),
        side(&camera.y, -1.0, ASPECT[1]),
        depth(-1.0, DEPTH[1]),
    ];
    (planes, camera)
}

/// Decides one frame again from all vertices, and compares rectangles on the screen.
fn check(
    mesh: &ReducedMesh,
    poses: &[Pose],
    crowd: &mut [PosedBounds<'_>],
    eye: [f64; 3],
    heading: f64,
) -> Result<(), Failure> {
    let (planes, camera) = view(eye, heading);
    let (mut all, mut visible) = (Vec::new(), 0);
    let begin = Instant::now();
    for (pose, body) in poses.iter().zip(crowd) {
        mesh.evaluate_all(pose, &mut all)?;
        let value = |plane: &[f64; 4], p: &[f64; 3]| (0..3).map(|i| plane[i] * p[i]).sum::<f64>() + plane[3];
        let is_outside = planes.iter().any(|plane| all.iter().all(|p| value(plane, p) < 0.0));
        let found = body.visibility(&planes);
        if is_outside != matches!(found, Visibility::Outside { .. }) {
            return Err(format!("a character is {found:?}, and all vertices say otherwise").into());
        }
        visible += usize::from(!is_outside);
        let rectangle = body.screen_rectangle(&camera);
        let is_on_screen = all.iter().all(|p| {
            let image = [&camera.x, &camera.y].map(|row| value(row, p) / value(&camera.w, p));
            (0..2).all(|i| rectangle.min[i] - 1e-9 <= image[i] && image[i] <= rectangle.max[i] + 1e-9)
        });
        if rectangle != Rectangle::EVERYTHING && !is_on_screen {
            return Err("a vertex is drawn outside its character's rectangle".into());
        }
    }
    println!(
        "the last frame from all vertices: the same {visible} are visible; {:.1} ms",
        1e3 * begin.elapsed().as_secs_f64()
    );
    Ok(())
}
