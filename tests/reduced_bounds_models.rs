//! Real skins and morphs: random (node, direction, time) checks of every kind of bound against exactly evaluated vertices of the true
//! motion, for every model and clip. `KINETREE_TORTURE=1` in release makes a million checks per kind, spread over models and clips.
#![cfg(feature = "io")]

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::dice::Dice;
use kinetree::io::gltf::{GltfOptions, read_gltf};
use kinetree::kds::KineticHierarchy;
use kinetree::math::Extent;
use kinetree::motion::Outside;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Directions, Frame, Level, MovingBounds};
use kinetree::reduced::sphere_tree::{PosedSpheres, SphereParams, SphereTree};
use kinetree::reduced::{Blend, Mix, Pose, ReducedBody, ReducedDef, ReducedMesh};
use kinetree::time::Moment;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "glb" || ending == "gltf") {
            found.push(path);
        }
    }
}

/// A body of a model under one clip, and what it is called.
struct Case {
    name: String,
    body: Arc<ReducedBody>,
}

/// Every body of every model under every clip; where there are many, an even choice of at most `most` per model.
fn cases(most: usize) -> Vec<Case> {
    let mut paths = Vec::new();
    files(&folder("skinned"), &mut paths);
    files(&folder("morph"), &mut paths);
    let mut cases = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let model = match read_gltf(&path, GltfOptions::repairing()) {
            Ok(model) => model,
            Err(error) => {
                println!("{name}: skipped, not readable: {error}");
                continue;
            }
        };
        let rig = model.rig().unwrap();
        let mut own = Vec::new();
        for clip in 0..rig.clip_count() {
            let mix = Mix::clip(&rig, clip, Outside::Hold).unwrap();
            for body in model.bodies(&rig, &mix).unwrap() {
                own.push(Case { name: format!("{name}, clip {clip}, {}", body.name), body: Arc::new(body.body) });
            }
        }
        let step = own.len().div_ceil(most).max(1);
        cases.extend(own.into_iter().step_by(step));
    }
    cases
}

struct Checked {
    case: Case,
    tree: Arc<BoundTree>,
    /// Per node, its vertices.
    below: Vec<Vec<u32>>,
}

impl Checked {
    fn new(case: Case) -> Self {
        let tree = Arc::new(BoundTree::new(case.body.mesh(), BoundParams::default()));
        let topology = tree.topology();
        let mut below: Vec<Vec<u32>> = vec![Vec::new(); topology.nodes().len()];
        for node in topology.upward() {
            let mut own = topology.leaf_points(node).to_vec();
            for &child in topology.node(node).children() {
                own.extend_from_slice(&below[child as usize]);
            }
            own.sort_unstable();
            own.dedup();
            below[node as usize] = own;
        }
        Self { case, tree, below }
    }
}

/// Looks at some nodes at a random time under every kind of bound; returns how many (vertex, direction) pairs were checked per kind.
fn look(checked: &Checked, moving: &mut MovingBounds, dice: &mut Dice, nodes: usize, counts: &mut [usize; 4]) {
    let (body, tree) = (&checked.case.body, &checked.tree);
    let span = body.driver().span();
    let time = dice.real(span.begin, span.end);
    let at = if dice.percent(50) { Moment::at(time) } else { Moment::after(time) };
    let mut pose = Pose::default();
    body.pose(at, &mut pose);
    let frame = Frame::of_pose(tree, &pose).unwrap();
    if time >= moving.epoch_end() || dice.percent(30) {
        moving.start_epoch(at);
    }
    let (mut points, mut extents) = (Vec::new(), Vec::new());
    for _ in 0..nodes {
        let node = dice.below(checked.below.len()) as u32;
        // Of large nodes some vertices; all of small ones.
        let own = &checked.below[node as usize];
        let some: Vec<u32> = if own.len() <= 64 { own.clone() } else { (0..64).map(|_| dice.pick(own)).collect() };
        body.mesh().evaluate(&pose, &some, &mut points).unwrap();
        let level = dice.pick(&[Level::Corner, Level::Optimum]);
        let bounds = tree.node_box(node, &frame, level);
        let united = tree.united_box(node, &frame, level, dice.below(4));
        let sides = moving.bounds(node, at);
        let directions = Directions::along(vec![std::array::from_fn(|_| dice.real(-1.0, 1.0)), [1.0, 1.0, -1.0]]);
        tree.polytope(node, &frame, level, &directions, &mut extents);
        for point in &points {
            let name = &checked.case.name;
            assert!(bounds.contains(point), "{name} at {time}, node {node}: {bounds:?} misses {point:?}");
            assert!(united.contains(point), "{name} at {time}, node {node}: united {united:?} misses {point:?}");
            for (axis, [least, most]) in directions.axes().iter().zip(&extents) {
                let value = axis[0] * point[0] + axis[1] * point[1] + axis[2] * point[2];
                assert!(*least <= value && value <= *most, "{name} at {time}, node {node}: {value} {least} {most}");
            }
            for extent in Extent::ALL {
                let side = sides[extent.index()].at(time);
                let outward = if extent.is_max() { side + moving.slack() } else { side - moving.slack() };
                let x = point[extent.axis()];
                assert!(!extent.beyond(x, outward), "{name} at {time}, node {node}: {x} beyond {outward}");
            }
        }
        counts[0] += 6 * points.len();
        counts[1] += 6 * points.len();
        counts[2] += 4 * points.len();
        counts[3] += 6 * points.len();
    }
}

#[test]
fn no_bound_misses_a_vertex_of_any_clip() {
    let is_torture = std::env::var("KINETREE_TORTURE").is_ok();
    let cases = cases(if is_torture { usize::MAX } else { 1 });
    if cases.is_empty() {
        println!("skipped: no models beside the repository");
        return;
    }
    let (mut counts, mut dice) = ([0; 4], Dice::new(41, &[]));
    let many = cases.len();
    let wanted = if is_torture { 1_000_000 } else { 3_000 };
    let mut loosest = (0.0, String::new());
    for case in cases {
        let checked = Checked::new(case);
        let body = &checked.case.body;
        let rate = dice.pick(&[7.5, 15.0, 30.0]);
        let pieces = body.pieces_at_rate(rate).unwrap();
        let level = dice.pick(&[Level::Corner, Level::Optimum]);
        let mut moving = MovingBounds::new(checked.tree.clone(), body.clone(), &pieces, level).unwrap();
        if pieces.largest_deviation() > loosest.0 {
            loosest = (pieces.largest_deviation(), format!("{} at {rate} pieces a second", checked.case.name));
        }
        let before = counts;
        let mut looks = 0;
        while (counts[2] - before[2]) * many < wanted || looks < 2 {
            look(&checked, &mut moving, &mut dice, 8, &mut counts);
            looks += 1;
        }
    }
    println!("{many} bodies and clips; checks of boxes, united boxes, other directions, moving boxes: {counts:?}");
    println!("largest proven deviation {} m: {}", loosest.0, loosest.1);
    assert!(counts.iter().all(|&count| count >= wanted), "{counts:?}");
}

/// The same models under spherical blending, where their maps are rigid, and under linear blending: spheres.
#[test]
fn no_sphere_misses_a_vertex_of_any_clip() {
    let is_torture = std::env::var("KINETREE_TORTURE").is_ok();
    let cases = cases(if is_torture { usize::MAX } else { 1 });
    if cases.is_empty() {
        println!("skipped: no models beside the repository");
        return;
    }
    let (many, wanted) = (cases.len(), if is_torture { 1_000_000 } else { 3_000 });
    let (mut dice, mut linear, mut spherical, mut refused) = (Dice::new(42, &[]), 0, 0, 0);
    for case in cases {
        let body = &case.body;
        let source = body.mesh();
        let params = SphereParams { leaf_size: 16, ..SphereParams::default() };
        let tree = SphereTree::new(source, params).unwrap();
        let before = linear;
        while (linear - before) * many < wanted {
            linear += spheres(&case.name, body, source, &tree, &mut dice).unwrap();
        }
        if source.map_count() < 2 {
            continue;
        }
        // Joints' places at rest do not matter for truth; centres of their vertices are as good.
        let joints = vec![[0.0; 3]; source.map_count()];
        let blend = Blend::Spherical { joints };
        let def = ReducedDef {
            mesh: source.mesh().clone(),
            rest: source.rest_positions().to_vec(),
            influences: source.influences().clone(),
            morphs: Vec::new(),
            blend,
        };
        if source.morph_count() > 0 {
            continue;
        }
        let mesh = ReducedMesh::new(def).unwrap();
        let tree = SphereTree::new(&mesh, params).unwrap();
        let before = spherical;
        while (spherical - before) * many < wanted {
            match spheres(&case.name, body, &mesh, &tree, &mut dice) {
                Some(checks) => spherical += checks,
                None => {
                    refused += 1;
                    break;
                }
            }
        }
    }
    println!(
        "{many} bodies and clips; checks of spheres: linear {linear}, spherical {spherical}; {refused} with scaled joints"
    );
    assert!(linear >= wanted && spherical >= wanted / 20, "{linear} {spherical}");
}

/// Checks some spheres at a random time; `None` if the pose cannot be blended spherically.
fn spheres(name: &str, body: &ReducedBody, mesh: &ReducedMesh, tree: &SphereTree, dice: &mut Dice) -> Option<usize> {
    let span = body.driver().span();
    let mut pose = Pose::default();
    body.pose(Moment::at(dice.real(span.begin, span.end)), &mut pose);
    let mut posed = PosedSpheres::new(tree, mesh, &pose).ok()?;
    let (mut checks, mut points) = (0, Vec::new());
    for _ in 0..20 {
        // Down from the root at random, so that all levels are seen.
        let mut node = 0;
        loop {
            let sphere = posed.sphere(node);
            let mut at = node;
            while !tree.children(at).is_empty() {
                at = dice.pick(tree.children(at));
            }
            let vertices: Vec<u32> =
                tree.triangles(at).iter().flat_map(|&triangle| mesh.mesh().triangles()[triangle as usize]).collect();
            mesh.evaluate(&pose, &vertices, &mut points).unwrap();
            for point in &points {
                assert!(sphere.contains(point), "{name}, node {node}: {sphere:?} misses {point:?}");
            }
            checks += points.len();
            if tree.children(node).is_empty() {
                break;
            }
            node = dice.pick(tree.children(node));
        }
    }
    Some(checks)
}
