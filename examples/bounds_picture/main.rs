//! Pictures of bounds that are computed without vertices: boxes and spheres of a running character by level of its trees, and boxes of
//! six meshless bodies on a ring.
//!
//! `cargo run --release --features report --example bounds_picture -- [FOLDER]` writes `bounds-boxes.png`, `bounds-spheres.png` and
//! `bounds-ring.png` to FOLDER (default `docs/figures`).

#[allow(dead_code, unreachable_pub, reason = "shared with a bench")]
mod balls;
#[allow(dead_code, unreachable_pub, reason = "shared with other examples")]
#[path = "../raster/mod.rs"]
mod raster;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kinetree::io::gltf::{GltfOptions, read_gltf};
use kinetree::motion::Sphere;
use kinetree::narrow::EveryPair;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Frame, Level, PairQuery, PosedBounds};
use kinetree::reduced::sphere_tree::{PosedSpheres, SphereParams, SphereTree};
use kinetree::reduced::{Mix, Pose, ReducedMesh};
use kinetree::scenes::shapes;
use kinetree::time::Moment;
use kinetree::{Aabb, Outside, Topology};
use raster::{Camera, Canvas, Sheet};

type Failure = Box<dyn std::error::Error>;

/// Pixels of one picture of several.
const SIZE: [usize; 2] = [400, 500];
/// Colours of neighbouring nodes.
const COLOURS: [[f64; 3]; 6] = [
    [0.35, 0.56, 0.84],
    [0.92, 0.62, 0.30],
    [0.45, 0.72, 0.48],
    [0.84, 0.45, 0.55],
    [0.62, 0.52, 0.82],
    [0.80, 0.74, 0.36],
];
/// The level of the boxes of the ring.
const DEEP: usize = 7;
const RED: [f64; 3] = [0.88, 0.10, 0.10];
const GREY: [f64; 3] = [0.82, 0.83, 0.86];

fn main() -> Result<(), Failure> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "docs/figures".into()));
    let (mesh, pose) = runner()?;
    boxes(&mesh, &pose)?.write(&folder.join("bounds-boxes.png"))?;
    spheres(&mesh, &pose)?.write(&folder.join("bounds-spheres.png"))?;
    ring()?.write(&folder.join("bounds-ring.png"))
}

/// The figure of the fixtures while it runs.
fn runner() -> Result<(Arc<ReducedMesh>, Pose), Failure> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hero/hero.glb");
    let model = read_gltf(&file, GltfOptions::default())?;
    let clip = model.clip("Run").ok_or("there is no clip Run")?;
    let rig = model.rig()?;
    let mix = Mix::clip(&rig, clip, Outside::Loop)?;
    let bodies = model.bodies(&rig, &mix)?;
    let body = &bodies.first().ok_or("there is no body")?.body;
    let mut pose = Pose::default();
    body.pose(Moment::at(0.3), &mut pose);
    Ok((Arc::clone(body.mesh()), pose))
}

/// The nodes of a level, and leaves above it, in the tree's order.
fn nodes_at(level: usize, children: &impl Fn(u32) -> Vec<u32>) -> Vec<u32> {
    (0..level).fold(vec![0], |nodes, _| {
        let below = |node: u32| {
            let below = children(node);
            if below.is_empty() { vec![node] } else { below }
        };
        nodes.into_iter().flat_map(below).collect()
    })
}

fn children(topology: &Topology) -> impl Fn(u32) -> Vec<u32> {
    |node| topology.node(node).children().to_vec()
}

/// A camera from the front, the left and above that sees a box.
fn camera(bounds: &Aabb, from: [f64; 3], slope: f64) -> Result<Camera, Failure> {
    let centre = bounds.centre();
    let size = (0..3).map(|axis| (bounds.max[axis] - bounds.min[axis]).powi(2)).sum::<f64>().sqrt();
    let length = from.iter().map(|x| x * x).sum::<f64>().sqrt();
    let eye = [0, 1, 2].map(|axis| centre[axis] + 4.0 * size * from[axis] / length);
    Ok(Camera::new(eye, centre, [0.0, 1.0, 0.0], slope)?)
}

const FROM: [f64; 3] = [1.0, 0.35, 1.1];

/// A picture each of levels 1, 3 and 5: triangles have the colour of the box they lie in.
fn boxes(mesh: &ReducedMesh, pose: &Pose) -> Result<Sheet, Failure> {
    let tree = BoundTree::new(mesh, BoundParams::default());
    // Not `PosedBounds`: it evaluates the vertices of small nodes.
    let frame = Frame::of_pose(&tree, pose)?;
    let bounds = |node: u32| tree.node_box(node, &frame, Level::Corner);
    let mut points = Vec::new();
    mesh.evaluate_all(pose, &mut points)?;
    let topology = tree.topology();
    let mut sheets = Vec::new();
    for level in [1, 3, 5] {
        let nodes = nodes_at(level, &children(topology));
        let mut canvas = Canvas::sized(camera(&bounds(0), FROM, 0.125)?, SIZE);
        canvas.label(&format!("level {level}: {} boxes", nodes.len()));
        for (number, &node) in nodes.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            for triangle in topology.primitives_below(node) {
                let corners = mesh.mesh().triangles()[triangle as usize];
                canvas.triangle(corners.map(|vertex| points[vertex as usize]), colour);
            }
            canvas.wires(bounds(node), colour);
        }
        sheets.push(canvas.sheet()?);
    }
    Ok(Sheet::table(&[sheets]))
}

/// The same of levels 1, 2 and 3 of a sphere tree: spheres through which the character is seen.
fn spheres(mesh: &ReducedMesh, pose: &Pose) -> Result<Sheet, Failure> {
    let tree = SphereTree::new(mesh, SphereParams::default())?;
    let mut posed = PosedSpheres::new(&tree, mesh, pose)?;
    let mut points = Vec::new();
    mesh.evaluate_all(pose, &mut points)?;
    let bounds = Aabb::of_points(&points);
    let ball = shapes::icosphere(5_120, 1.0);
    let below = |node: u32| tree.children(node).to_vec();
    let mut sheets = Vec::new();
    for level in [1, 2, 3] {
        let nodes = nodes_at(level, &below);
        let mut layers = Vec::new();
        for is_outer in [false, true] {
            let mut canvas = Canvas::sized(camera(&bounds, FROM, 0.16)?, SIZE);
            canvas.label(&format!("level {level}: {} spheres", nodes.len()));
            for (number, &node) in nodes.iter().enumerate() {
                let colour = COLOURS[number % COLOURS.len()];
                if is_outer {
                    let sphere = posed.sphere(node);
                    canvas.ball(&ball, Sphere { centre: sphere.centre, radius: sphere.radius }, colour);
                }
                for triangle in leaves(&tree, node) {
                    let corners = mesh.mesh().triangles()[triangle as usize];
                    canvas.triangle(corners.map(|vertex| points[vertex as usize]), colour);
                }
            }
            layers.push(canvas.sheet()?);
        }
        sheets.push(layers[0].mixed(&layers[1], 0.45));
    }
    Ok(Sheet::table(&[sheets]))
}

/// The triangles below a node.
fn leaves(tree: &SphereTree, node: u32) -> Vec<u32> {
    let mut all = tree.triangles(node).to_vec();
    tree.children(node).iter().for_each(|&child| all.extend(leaves(tree, child)));
    all
}

/// Six meshless bodies as near to each other as in the paper's scenes with many contacts, bounded as queries do: the boxes of their roots;
/// and of all boxes of a deeper level those that meet a box of another body, with the triangles in contact red.
fn ring() -> Result<Sheet, Failure> {
    let ball = balls::ball(2_900, 115);
    let mesh = &ball.mesh;
    let tree = BoundTree::new(mesh, BoundParams::default());
    let topology = tree.topology();
    let places = balls::ring(1.85);
    let poses: Vec<Pose> = places.iter().enumerate().map(|(body, &place)| ball.placed(place, body, 4)).collect();
    let pose = |pose| PosedBounds::new(&tree, mesh, Level::Corner, pose);
    let mut posed = poses.iter().map(pose).collect::<Result<Vec<_>, _>>()?;
    let nodes = nodes_at(DEEP, &children(topology));
    let roots: Vec<Aabb> = posed.iter_mut().map(|body| body.node_box(0)).collect();
    let boxes: Vec<Vec<Aabb>> =
        posed.iter_mut().map(|body| nodes.iter().map(|&node| body.node_box(node)).collect()).collect();
    let mut touching = BTreeSet::new();
    for b in 1..posed.len() {
        let (former, latter) = posed.split_at_mut(b);
        for (a, body) in former.iter_mut().enumerate() {
            PairQuery::default().touching(body, &mut latter[0], &EveryPair, &mut |p, q| {
                touching.extend([(a, p), (b, q)]);
            })?;
        }
    }
    let all = roots.iter().fold(Aabb::EMPTY, Aabb::union);
    let mut sheets = Vec::new();
    for is_deep in [false, true] {
        let mut canvas = Canvas::sized(camera(&all, [0.25, -0.55, 1.0], 0.108)?, [540, 520]);
        for (body, pose) in poses.iter().enumerate() {
            let colour = COLOURS[body];
            let mut points = Vec::new();
            mesh.evaluate_all(pose, &mut points)?;
            for (number, corners) in (0..).zip(mesh.mesh().triangles()) {
                let is_marked = is_deep && touching.contains(&(body, number));
                let own = if is_deep { GREY } else { colour };
                canvas.triangle(corners.map(|vertex| points[vertex as usize]), if is_marked { RED } else { own });
            }
            if !is_deep {
                canvas.wires(roots[body], colour);
                continue;
            }
            let others = || boxes.iter().enumerate().filter(|(other, _)| *other != body).flat_map(|(_, boxes)| boxes);
            for own in boxes[body].iter().filter(|own| others().any(|other| other.overlaps(own))) {
                canvas.wires(*own, colour);
            }
        }
        let meeting = boxes.iter().enumerate().flat_map(|(body, own)| own.iter().map(move |own| (body, own)));
        let meets = |(body, own): &(usize, &Aabb)| {
            boxes.iter().enumerate().any(|(other, all)| other != *body && all.iter().any(|all| all.overlaps(own)))
        };
        let count = meeting.filter(meets).count();
        if is_deep {
            canvas.label(&format!("level {DEEP}: {count} of {} meet", 6 * nodes.len()));
        } else {
            canvas.label("boxes of the roots");
        }
        sheets.push(canvas.sheet()?);
    }
    println!("ring: {} triangles in contact", touching.len());
    Ok(Sheet::table(&[sheets]))
}
