//! A thousand walking characters are culled against a view frustum and behind walls, frame after
//! frame, without a world and mostly without a vertex.
//!
//! `cargo run --release --features scenes --example culling -- [CHARACTERS] [FRAMES] [PICTURE.svg]`
//!
//! The characters share one skin and differ in place, heading and step. A character is decided by
//! one box from the matrices of its bones; only those whose box crosses a plane of the frustum
//! evaluate vertices, and of these only those near the plane. Of what is in the frustum, walls hide
//! some: the walls are drawn into a small picture of depths, which is asked for each of these
//! characters. The last frame is decided again from all vertices. The picture shows it from above:
//! characters that are outside of the frustum in grey, hidden in red, to be drawn in green.

use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Instant;

use kinetree::draw::{Draw, Svg};
use kinetree::mesh::Mesh;
use kinetree::reduced::bounds::{
    BoundParams, BoundTree, Budget, Camera, DepthPyramid, Level, PosedBounds, Rectangle, View, Visibility,
};
use kinetree::reduced::{Affine, Blend, Influences, Pose, ReducedDef, ReducedMesh, WeightPolicy};
use kinetree::scenes::SkinnedFigureDef;

type Failure = Box<dyn std::error::Error>;

/// Distance between neighbours, metres.
const APART: f64 = 2.0;
/// Half the field of view across and upward, as tangents.
const ASPECT: [f64; 2] = [0.8, 0.45];
/// From where to where the frustum reaches, metres.
const DEPTH: [f64; 2] = [0.1, 60.0];
/// Columns and rows of the picture of depths.
const PICTURE: [usize; 2] = [160, 90];
/// Walls around the eye: distance, half the length, height, metres.
const WALL: [f64; 3] = [9.0, 5.0, 4.0];
const WALLS: usize = 5;
/// Boxes that may be asked to decide that a character is hidden.
const BUDGET: u64 = 64;

/// What a character is in a frame.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Outside,
    Hidden,
    Drawn,
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual| arguments.get(at).map_or(Ok(usual), |text: &String| text.parse::<usize>());
    let (characters, frames) = (number(0, 1000)?, number(1, 120)?.max(1));
    let (mesh, walk) = skin()?;
    let tree = BoundTree::new(&mesh, BoundParams::default());
    // Clones share all that does not depend on the pose.
    let first = PosedBounds::new(&tree, &mesh, Level::Corner, &walk[0])?;
    let mut crowd: Vec<PosedBounds<'_>> = vec![first; characters];
    let side = (characters as f64).sqrt().ceil();
    let mut states = vec![State::Drawn; characters];
    let (mut counts, mut evaluated, mut seconds) = ([0; 3], 0, [const { Vec::new() }; 3]);
    let mut poses: Vec<Pose> = vec![Pose::default(); characters];
    let middle = [0.5 * side * APART, 1.6, 0.5 * side * APART];
    let (positions, triangles) = walls(middle);
    let heading = |frame: usize| TAU * frame as f64 / frames as f64;
    let screen = Rectangle { min: ASPECT.map(|x| -x), max: ASPECT };
    let mut pyramid = DepthPyramid::new(View::new(view(middle, 0.0).1, screen), PICTURE)?;
    for frame in 0..frames {
        for (number, pose) in poses.iter_mut().enumerate() {
            place(&walk[(frame + 7 * number) % walk.len()], number, side, pose);
        }
        let (planes, camera) = view(middle, heading(frame));
        let begin = Instant::now();
        for ((body, pose), state) in crowd.iter_mut().zip(&poses).zip(&mut states) {
            body.set_pose(pose)?;
            let is_outside = matches!(body.visibility(&planes), Visibility::Outside { .. });
            *state = if is_outside { State::Outside } else { State::Drawn };
        }
        let culled = Instant::now();
        pyramid.set_occluders(View::new(camera, screen), &positions, &triangles)?;
        let walled = Instant::now();
        for (body, state) in crowd.iter_mut().zip(&mut states).filter(|(_, state)| **state == State::Drawn) {
            if body.is_hidden(&pyramid, Budget::steps(BUDGET)) {
                *state = State::Hidden;
            }
        }
        let spans = [(begin, culled), (culled, walled), (walled, Instant::now())];
        seconds.iter_mut().zip(spans).for_each(|(list, (from, to))| list.push((to - from).as_secs_f64()));
        states.iter().for_each(|state| counts[*state as usize] += 1);
        evaluated += crowd.iter().map(|body| body.counts().evaluated + body.counts().blended).sum::<u64>();
    }
    let vertices = mesh.vertex_count();
    println!("{characters} characters of {vertices} vertices, {frames} frames, {} triangles of walls", triangles.len());
    println!("outside, hidden, to be drawn: {:?} a frame", counts.map(|count: usize| count / frames));
    let [frustum, drawing, hiding] = seconds.map(|mut list| {
        list.sort_unstable_by(f64::total_cmp);
        1e6 * list[list.len() / 2]
    });
    println!(
        "{:.1} µs a frame, medians (frustum {frustum:.1}, walls into {PICTURE:?} pixels {drawing:.1}, characters behind them \
         {hiding:.1}), {:.0} vertices evaluated of {}",
        frustum + drawing + hiding,
        evaluated as f64 / frames as f64,
        vertices * characters
    );
    let last = heading(frames - 1);
    check(&mesh, &poses, &mut crowd, &states, middle, last)?;
    if let Some(path) = arguments.get(2) {
        std::fs::write(path, picture(&poses, &states, middle, last))?;
    }
    Ok(())
}

/// The feet of the walls around a place: from where to where in x and z.
fn feet(middle: [f64; 3]) -> impl Iterator<Item = [[f64; 2]; 2]> {
    let [distance, half, _] = WALL;
    (0..WALLS).map(move |wall| {
        let (sin, cos) = (TAU * wall as f64 / WALLS as f64).sin_cos();
        [-half, half].map(|along| [middle[0] + distance * sin + along * cos, middle[2] + distance * cos - along * sin])
    })
}

/// The walls as a mesh. Their triangles are small, since those that reach the camera's plane hide
/// nothing.
fn walls(middle: [f64; 3]) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for [from, to] in feet(middle) {
        let first = positions.len() as u32;
        for column in 0..=8 {
            let part = f64::from(column) / 8.0;
            let foot = [0, 1].map(|i: usize| from[i] + part * (to[i] - from[i]));
            positions.extend([[foot[0], 0.0, foot[1]], [foot[0], WALL[2], foot[1]]]);
        }
        let quads = (0..8).map(|column| first + 2 * column);
        triangles.extend(quads.flat_map(|low| [[low, low + 1, low + 2], [low + 1, low + 3, low + 2]]));
    }
    (positions, triangles)
}

/// Whether a wall is between the eye and a point, by the walls' plan and height.
fn is_walled(eye: [f64; 3], point: &[f64; 3]) -> bool {
    let off = [point[0] - eye[0], point[2] - eye[2]];
    feet(eye).any(|[from, to]| {
        let (wall, start) = ([to[0] - from[0], to[1] - from[1]], [from[0] - eye[0], from[1] - eye[2]]);
        let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
        let (t, s) = (cross(start, wall) / cross(off, wall), cross(start, off) / cross(off, wall));
        let height = eye[1] + t * (point[1] - eye[1]);
        (0.0..=1.0).contains(&t) && (-1e-9..=1.0 + 1e-9).contains(&s) && (-1e-9..=WALL[2] + 1e-9).contains(&height)
    })
}

/// The frame from above.
fn picture(poses: &[Pose], states: &[State], eye: [f64; 3], heading: f64) -> String {
    let mut picture = Svg::new(800, 800).view([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    for (pose, state) in poses.iter().zip(states) {
        let colour = match state {
            State::Outside => [180, 180, 180, 255],
            State::Hidden => [200, 40, 40, 255],
            State::Drawn => [30, 150, 60, 255],
        };
        let [x, _, z] = pose.maps[0].point([0.0; 3]);
        picture.triangle([[x - 0.5, 0.0, z - 0.4], [x + 0.5, 0.0, z - 0.4], [x, 0.0, z + 0.6]], colour);
    }
    for [from, to] in feet(eye) {
        picture.line([from[0], WALL[2], from[1]], [to[0], WALL[2], to[1]], [0, 0, 0, 255]);
    }
    for side in [-1.0, 1.0] {
        let (sin, cos) = (heading + side * ASPECT[0].atan()).sin_cos();
        let reach = 25.0;
        picture.line(
            [eye[0], WALL[2], eye[2]],
            [eye[0] + reach * sin, WALL[2], eye[2] + reach * cos],
            [40, 80, 200, 255],
        );
    }
    picture.finish()
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

/// Decides one frame again from all vertices, and compares rectangles on the screen. Of a character
/// that is hidden, all vertices in the frustum must be behind walls.
fn check(
    mesh: &ReducedMesh,
    poses: &[Pose],
    crowd: &mut [PosedBounds<'_>],
    states: &[State],
    eye: [f64; 3],
    heading: f64,
) -> Result<(), Failure> {
    let (planes, camera) = view(eye, heading);
    let (mut all, mut visible, mut hidden, mut walled) = (Vec::new(), 0, 0, 0);
    let begin = Instant::now();
    for ((pose, body), state) in poses.iter().zip(crowd).zip(states) {
        mesh.evaluate_all(pose, &mut all)?;
        let value = |plane: &[f64; 4], p: &[f64; 3]| (0..3).map(|i| plane[i] * p[i]).sum::<f64>() + plane[3];
        let is_outside = planes.iter().any(|plane| all.iter().all(|p| value(plane, p) < 0.0));
        let found = body.visibility(&planes);
        if is_outside != matches!(found, Visibility::Outside { .. }) {
            return Err(format!("a character is {found:?}, and all vertices say otherwise").into());
        }
        visible += usize::from(!is_outside);
        let is_in = |p: &&[f64; 3]| planes.iter().all(|plane| value(plane, p) >= 0.0);
        let is_behind = !is_outside && all.iter().filter(is_in).all(|p| is_walled(eye, p));
        if *state == State::Hidden && !is_behind {
            return Err("a character was found hidden, and one of its vertices is not behind a wall".into());
        }
        hidden += usize::from(*state == State::Hidden);
        walled += usize::from(is_behind);
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
        "the last frame from all vertices: the same {visible} are in the frustum; {hidden} were found hidden, of \
         {walled} without a vertex beside the walls; {:.1} ms",
        1e3 * begin.elapsed().as_secs_f64()
    );
    Ok(())
}
