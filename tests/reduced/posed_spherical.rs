//! Poses under spherical blending: boxes of nodes hold every vertex, and contacts of two bodies equal brute force, on random joints and
//! on the sample models. Half turns, joints that hardly turn against each other (far rotation centres), any scale and place.

use crate::common;
use std::collections::BTreeSet;

use crate::common::dice::Dice;
use crate::reduced_support::{
    CornersWithin, Weights, influences, morph_targets, rotation, strip, torture, vertices_below,
};
use kinetree::bvh::{BuildParams, Width};
use kinetree::narrow::{ContactRule, EveryPair};
use kinetree::reduced::bounds::{
    BoundParams, BoundTree, Budget, Camera, Decision, Depth, DepthPyramid, Frame, Level, PairQuery, PosedBounds,
    Rectangle, View, Way,
};
use kinetree::reduced::{Affine, Blend, Pose, ReducedDef, ReducedError, ReducedMesh};
use nalgebra::{Matrix3, Vector3};

/// How joints turn against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Turns {
    /// By little.
    Slight,
    /// Any way.
    Any,
    /// By half turns about a few axes, or nearly.
    Half,
    /// So little that rotation centres are far away.
    Tiny,
}

fn skin(dice: &mut Dice, vertices: usize, maps: usize) -> ReducedMesh {
    let (mesh, rest) = strip(dice, vertices, maps as f64);
    let weights =
        dice.pick(&[Weights::Smooth, Weights::Random(4), Weights::Random(3), Weights::AtLimits, Weights::Single]);
    let influences = influences(dice, &rest, maps, weights);
    let morphs = if dice.percent(30) { 1 + dice.below(2) } else { 0 };
    let morphs = morph_targets(dice, rest.len(), morphs);
    let joints = (0..maps).map(|j| [j as f64, dice.real(-0.2, 0.2), dice.real(-0.2, 0.2)]).collect();
    ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs, blend: Blend::Spherical { joints } }).unwrap()
}

fn vector(dice: &mut Dice, size: f64) -> Vector3<f64> {
    Vector3::new(dice.real(-size, size), dice.real(-size, size), dice.real(-size, size))
}

/// A pose near the rest pose: every joint turned about a place on the strip.
fn pose(dice: &mut Dice, mesh: &ReducedMesh, turns: Turns) -> Pose {
    let is_scaled = dice.percent(40);
    let whole = rotation(&vector(dice, 1.0).normalize(), dice.real(-3.0, 3.0));
    let maps = (0..mesh.map_count()).map(|joint| {
        let axis = if dice.percent(50) { Vector3::z() } else { vector(dice, 1.0).normalize() };
        let angle = match turns {
            Turns::Slight => dice.real(-0.3, 0.3),
            Turns::Any => dice.real(-3.1, 3.1),
            Turns::Half => {
                dice.pick(&[0.0, 1.0, -1.0]) * std::f64::consts::PI
                    + dice.real(-1.0, 1.0) * dice.pick(&[0.0, 1e-9, 1e-3])
            }
            Turns::Tiny => dice.real(-1.0, 1.0) * dice.pick(&[1e-9, 1e-6, 1e-4, 1e-2]),
        };
        let scale = if is_scaled { dice.real(0.5, 1.6) } else { 1.0 };
        let linear = whole * rotation(&axis, angle) * scale;
        let place = Vector3::new(joint as f64, 0.0, 0.0);
        Affine { linear, shift: whole * (place + vector(dice, 0.3)) - linear * place }
    });
    let maps = maps.collect();
    Pose { maps, morphs: (0..mesh.morph_count()).map(|_| dice.real(-1.5, 1.5)).collect() }
}

fn moved(mut pose: Pose, by: Vector3<f64>, scale: f64) -> Pose {
    for map in &mut pose.maps {
        map.linear *= scale;
        map.shift = (map.shift + by) * scale;
    }
    pose
}

fn evaluated(mesh: &ReducedMesh, pose: &Pose) -> Vec<[f64; 3]> {
    let mut positions = Vec::new();
    mesh.evaluate_all(pose, &mut positions).unwrap();
    positions
}

fn params(dice: &mut Dice) -> BoundParams {
    let width = dice.pick(&[Width::Two, Width::Two, Width::Four]);
    BoundParams {
        tree: BuildParams { leaf_size: 1 + dice.below(8), width, ..BoundParams::default().tree },
        splits_by_influence: dice.percent(50),
        ..BoundParams::default()
    }
}

/// Tests all boxes of nodes; returns how many vertices are outside those of linear blending, and the largest ratio of sides of root boxes.
fn hold(name: &str, mesh: &ReducedMesh, tree: &BoundTree, posed: &mut PosedBounds<'_>, level: Level) -> (usize, f64) {
    let positions = evaluated(mesh, posed.pose());
    let frame = Frame::of_pose(tree, posed.pose()).unwrap();
    let mut outside = 0;
    for node in 0..tree.topology().nodes().len() as u32 {
        let (bounds, linear) = (posed.node_box(node), tree.node_box(node, &frame, level));
        for vertex in vertices_below(tree.topology(), node) {
            let place = positions[vertex as usize];
            assert!(bounds.contains(&place), "{name}, node {node}, vertex {vertex}: {place:?} is not in {bounds:?}");
            outside += usize::from(!linear.contains(&place));
        }
    }
    let exact = kinetree::math::Aabb::of_points(&positions);
    let (own, sides) = (posed.node_box(0), |b: &kinetree::math::Aabb| (0..3).map(|k| b.max[k] - b.min[k]).sum::<f64>());
    (outside, sides(&own) / sides(&exact))
}

#[test]
fn boxes_of_nodes_hold_every_vertex() {
    let mut dice = Dice::new(91, &[]);
    let (mut outside, mut tight, mut all) = (0, 0, 0);
    for round in 0..torture(400) {
        let dice = &mut dice;
        let turns = [Turns::Slight, Turns::Any, Turns::Half, Turns::Tiny][round % 4];
        let (vertices, maps) = (if round % 9 == 8 { 400 } else { 4 + dice.below(60) }, 1 + dice.below(6));
        let mesh = skin(dice, vertices, maps);
        let tree = BoundTree::new(&mesh, params(dice));
        let level = dice.pick(&[Level::Corner, Level::Optimum]);
        let scale = dice.pick(&[1.0, 1.0, 1e-12, 1e-30, 1e9, 1e25]);
        let far = dice.pick(&[0.0, 1e3, 1e6]);
        let away = vector(dice, far);
        let mut posed: Option<PosedBounds<'_>> = None;
        for _ in 0..3 {
            let pose = moved(pose(dice, &mesh, turns), away, scale);
            match &mut posed {
                Some(posed) => posed.set_pose(&pose).unwrap(),
                None => posed = Some(PosedBounds::new(&tree, &mesh, level, &pose).unwrap()),
            }
            let posed = posed.as_mut().unwrap();
            let (found, ratio) = hold(&format!("{turns:?} {round}"), &mesh, &tree, posed, level);
            assert_eq!(posed.counts().blended, 0, "boxes are bounded from parameters");
            assert!(ratio.is_finite());
            outside += found;
            if turns == Turns::Slight && away.norm() == 0.0 {
                (all, tight) = (all + 1, tight + usize::from(ratio < 1.7));
            }
        }
    }
    println!("{outside} outside linear boxes; {tight} of {all} roots are tight");
    assert!(outside > 3_000, "{outside}");
    assert!(4 * tight > 3 * all && all > 50, "{tight} of {all}");
}

/// In a new pose, blocks and boxes that the last query needed are computed first, and boxes above are united from them.
#[test]
fn boxes_after_a_query_hold_every_vertex() {
    let mut dice = Dice::new(96, &[]);
    let (mut outside, mut laid_out) = (0, 0);
    for round in 0..torture(40) {
        let dice = &mut dice;
        let turns = [Turns::Slight, Turns::Any][round % 2];
        let (vertices, maps) = (300 + dice.below(300), 2 + dice.below(5));
        let mesh = skin(dice, vertices, maps);
        let tree = BoundTree::new(&mesh, params(dice));
        let first = pose(dice, &mesh, turns);
        let mut posed = PosedBounds::new(&tree, &mesh, Level::Corner, &first).unwrap();
        for _ in 0..4 {
            // One vertex or two are looked at.
            let positions = evaluated(&mesh, posed.pose());
            for _ in 0..=dice.below(2) {
                let place = positions[dice.below(positions.len())];
                let mut found = Vec::new();
                posed.triangles_in(&kinetree::math::Aabb::of_points(&[place]), &mut found);
                assert!(!found.is_empty());
            }
            posed.set_pose(&pose(dice, &mesh, turns)).unwrap();
            posed.node_box(0);
            laid_out += usize::from(posed.counts().bounded > 2 && posed.counts().blended > 0);
            outside += hold(&format!("{turns:?} {round}"), &mesh, &tree, &mut posed, Level::Corner).0;
        }
    }
    println!("{outside} outside linear boxes, {laid_out} poses laid out");
    assert!(outside > 3_000 && laid_out > 80, "{outside} {laid_out}");
}

fn brute(meshes: [&ReducedMesh; 2], poses: &[Pose; 2], rule: &impl ContactRule) -> BTreeSet<(u32, u32)> {
    let positions = [0, 1].map(|i| evaluated(meshes[i], &poses[i]));
    let corners = |i: usize| {
        let positions = &positions[i];
        meshes[i].mesh().triangles().iter().map(move |corners| corners.map(|vertex| positions[vertex as usize]))
    };
    let mut found = BTreeSet::new();
    for (p, a) in (0..).zip(corners(0)) {
        for (q, b) in (0..).zip(corners(1)) {
            if rule.wants(p, q) && rule.touch((p, &a), (q, &b)) {
                found.insert((p, q));
            }
        }
    }
    found
}

/// Both bodies spherical, or one of them linear; all entries; with and without a distance.
#[test]
fn contacts_equal_brute_force() {
    let mut dice = Dice::new(92, &[]);
    let (mut contacts, mut apart, mut saved, mut whole, mut by_witness) = (0, 0, 0, 0, 0);
    for round in 0..torture(80) {
        let dice = &mut dice;
        let turns = [Turns::Slight, Turns::Any, Turns::Half, Turns::Tiny][round % 4];
        let meshes = [0, 1].map(|which| {
            let (vertices, maps) = (if round % 8 == 7 { 250 } else { 30 + dice.below(60) }, 1 + dice.below(5));
            let mesh = skin(dice, vertices, maps);
            if which == 1 && round % 5 == 4 { mesh.blended(Blend::Linear).unwrap() } else { mesh }
        });
        let trees = [0, 1].map(|i: usize| BoundTree::new(&meshes[i], params(dice)));
        let level = dice.pick(&[Level::Corner, Level::Optimum]);
        let scale = dice.pick(&[1.0, 1.0, 1e-12, 1e9, 1e25]);
        let length = dice.pick(&[0.0, 0.0, 0.03]) * scale;
        let mut bodies: Vec<PosedBounds<'_>> = Vec::new();
        let mut query = PairQuery::default();
        for frame in 0..8 {
            // The second body comes and leaves again.
            let far = f64::from(frame - 4).abs() * dice.real(0.0, 3.0);
            let away = Vector3::new(0.0, far, 0.0);
            let poses = [Vector3::zeros(), away].map(|by| (by, dice.below(2)));
            let poses: [Pose; 2] = std::array::from_fn(|i| moved(pose(dice, &meshes[i], turns), poses[i].0, scale));
            let is_taken = bodies.is_empty() || dice.percent(50);
            if bodies.is_empty() {
                bodies.extend((0..2).map(|i| PosedBounds::new(&trees[i], &meshes[i], level, &poses[i]).unwrap()));
            } else if is_taken {
                bodies.iter_mut().zip(&poses).for_each(|(body, pose)| body.set_pose(pose).unwrap());
            }
            let [a, b] = &mut bodies[..] else { unreachable!() };
            let (within, mut found) = (CornersWithin(length), BTreeSet::new());
            let mut report = |p, q| assert!(found.insert((p, q)), "reported twice");
            match (is_taken, length > 0.0) {
                (true, true) => query.touching(a, b, &within, &mut report),
                (true, false) => query.touching(a, b, &EveryPair, &mut report),
                (false, true) => query.touching_in((a, &poses[0]), (b, &poses[1]), &within, &mut report),
                (false, false) => query.touching_in((a, &poses[0]), (b, &poses[1]), &EveryPair, &mut report),
            }
            .unwrap();
            let pair = [&meshes[0], &meshes[1]];
            let truth = if length > 0.0 { brute(pair, &poses, &within) } else { brute(pair, &poses, &EveryPair) };
            assert_eq!(found, truth, "{turns:?} {round}, frame {frame}, scale {scale}");
            let stats = query.stats();
            contacts += truth.len();
            apart += usize::from(truth.is_empty());
            by_witness += usize::from(stats.by_witness);
            whole += usize::from(stats.way == Way::Whole);
            saved += usize::from(stats.bodies.iter().map(|counts| counts.blended).sum::<u64>() < 30);
            // Poses that a witness decided on were not taken.
            if length == 0.0 && is_taken {
                match PairQuery::default().decide(a, b, &EveryPair, Budget::UNLIMITED) {
                    Decision::Apart => assert!(truth.is_empty()),
                    Decision::Touching { triangles } => assert!(truth.contains(&triangles)),
                    Decision::Undecided { .. } => unreachable!("no limit"),
                }
            }
        }
    }
    println!("{contacts} contacts, {apart} apart, {saved} saved, {whole} whole, {by_witness} by witness");
    assert!(contacts > 5_000 && apart > 100 && saved > 50 && whole > 5, "{contacts} {apart} {saved} {whole}");
    assert!(by_witness > 5, "{by_witness}");
}

/// Supports, rays and nearest points use the same boxes and vertices.
#[test]
fn queries_of_a_pose_equal_brute_force() {
    let mut dice = Dice::new(93, &[]);
    for round in 0..torture(100) {
        let dice = &mut dice;
        let turns = [Turns::Slight, Turns::Any, Turns::Half, Turns::Tiny][round % 4];
        let (vertices, maps) = (10 + dice.below(200), 1 + dice.below(5));
        let mesh = skin(dice, vertices, maps);
        let tree = BoundTree::new(&mesh, params(dice));
        let pose = pose(dice, &mesh, turns);
        let mut posed = PosedBounds::new(&tree, &mesh, Level::Corner, &pose).unwrap();
        let positions = evaluated(&mesh, &pose);
        for _ in 0..4 {
            let direction: [f64; 3] = vector(dice, 1.0).into();
            let along = |p: &[f64; 3]| (0..3).map(|axis| direction[axis] * p[axis]).sum::<f64>();
            let most = positions.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
            let support = posed.support(direction).unwrap();
            assert!((support.extent - most).abs() <= 1e-12 * (1.0 + most.abs()), "{support:?} {most}");
            assert_eq!(support.position, positions[support.vertex as usize]);
            // One pixel with a wall just before or just behind the nearest vertex.
            let camera = Camera { x: [1.0, 0.0, 0.0, 0.0], y: [0.0, 1.0, 0.0, 0.0], w: [0.0, 0.0, 0.0, 1.0] };
            let [x, y, z] = direction.map(|x| -x);
            let far = Rectangle { min: [-1e6; 2], max: [1e6; 2] };
            let view = View { camera, screen: far, depth: Depth::Affine([x, y, z, 0.0]) };
            let mut pyramid = DepthPyramid::new(view, [1, 1]).unwrap();
            for (off, is_hidden) in [(-1e-4, true), (1e-4, false)] {
                pyramid.set_depths(view, &[(off - most) as f32]).unwrap();
                let found = posed.is_hidden(&pyramid, Budget::UNLIMITED);
                assert_eq!(found, is_hidden, "round {round}: a wall {off} m off the nearest vertex");
            }
        }
    }
}

#[test]
fn maps_that_are_no_rotations_are_refused_and_change_nothing() {
    let mut dice = Dice::new(94, &[]);
    let mesh = skin(&mut dice, 40, 3);
    let tree = BoundTree::new(&mesh, BoundParams::default());
    let good = pose(&mut dice, &mesh, Turns::Slight);
    let mut posed = PosedBounds::new(&tree, &mesh, Level::Corner, &good).unwrap();
    let mut other = posed.clone();
    let before = posed.node_box(0);
    for bad in [Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 1.0)), -Matrix3::identity(), Matrix3::zeros()] {
        let mut sheared = good.clone();
        sheared.maps[1].linear = bad;
        let refused = ReducedError::NotRigid { map: 1 };
        assert_eq!(PosedBounds::new(&tree, &mesh, Level::Corner, &sheared).err(), Some(refused.clone()));
        assert_eq!(posed.set_pose(&sheared), Err(refused.clone()));
        let pair = ((&mut posed, &sheared), (&mut other, &good));
        let asked = PairQuery::default().touching_in(pair.0, pair.1, &EveryPair, &mut |_, _| unreachable!());
        assert_eq!(asked, Err(refused));
        assert_eq!(posed.node_box(0), before);
        assert_eq!(posed.pose(), &good);
    }
    let larger = skin(&mut dice, 80, 3);
    let foreign = BoundTree::new(&larger, BoundParams::default());
    assert!(PosedBounds::new(&foreign, &mesh, Level::Corner, &good).is_err());
}

#[cfg(feature = "io")]
mod models {
    use super::*;
    use common::data::shared_models;
    use kinetree::io::gltf::{GltfOptions, read_gltf};
    use kinetree::math::Aabb;
    use kinetree::oracle::{Shape, touching_by_brute_force};
    use kinetree::reduced::ReducedBody;
    use kinetree::time::Moment;

    fn bodies() -> Vec<(String, ReducedBody)> {
        let mut found = Vec::new();
        for path in shared_models(&["skinned", "skinned/quaternius"]) {
            let model = read_gltf(&path, GltfOptions::repairing()).unwrap();
            let Ok(rig) = model.rig() else { continue };
            let bodies = model.bodies(&rig, &model.once(0)).unwrap().into_iter();
            let mut skins = bodies.filter(|body| body.body.mesh().map_count() > 1);
            let Some(skin) = skins.next() else { continue };
            let name = format!("{}, {}", path.file_stem().unwrap().to_string_lossy(), skin.name);
            if let Ok(body) = skin.body.blended_spherically() {
                found.push((name, body));
            }
        }
        found
    }

    /// Two of a model in different poses, moved past each other.
    #[test]
    fn contacts_of_models_equal_brute_force() {
        let mut dice = Dice::new(95, &[]);
        let mut contacts = 0;
        for (name, body) in bodies() {
            let (mesh, span) = (body.mesh(), body.driver().span());
            let tree = BoundTree::new(mesh, BoundParams::default());
            let mut poses = [Pose::default(), Pose::default()];
            body.pose(Moment::at(span.begin), &mut poses[0]);
            let mut a = PosedBounds::new(&tree, mesh, Level::Corner, &poses[0]).unwrap();
            let mut b = a.clone();
            let mut query = PairQuery::default();
            let large = mesh.vertex_count() > 6_000;
            for frame in 0..torture(if large { 2 } else { 4 }).min(if large { 3 } else { 5 }) {
                for pose in &mut poses {
                    body.pose(Moment::at(dice.real(span.begin, span.end)), pose);
                }
                let bounds = Aabb::of_points(&evaluated(mesh, &poses[0]));
                let part = [2.5, 0.6, 0.35, 0.2, 0.8][frame];
                let axis = dice.below(3);
                let by = part * (bounds.max[axis] - bounds.min[axis]);
                poses[1].maps.iter_mut().for_each(|map| map.shift[axis] += by);
                if frame == 1 {
                    a.set_pose(&poses[0]).unwrap();
                    let (_, ratio) = hold(&name, mesh, &tree, &mut a, Level::Corner);
                    println!("{name}: root of a pose {ratio:.3} times the exact box");
                    assert!(ratio < 2.6, "{name}: {ratio}");
                }
                let (mut found, mut truth) = (BTreeSet::new(), BTreeSet::new());
                let report = &mut |p, q| assert!(found.insert((p, q)));
                query.touching_in((&mut a, &poses[0]), (&mut b, &poses[1]), &EveryPair, report).unwrap();
                let positions = [0, 1].map(|i: usize| evaluated(mesh, &poses[i]));
                let shape = |i: usize| Shape { triangles: mesh.mesh().triangles(), positions: &positions[i] };
                touching_by_brute_force(shape(0), shape(1), &EveryPair, &mut |p, q| {
                    truth.insert((p, q));
                });
                assert_eq!(found, truth, "{name}, frame {frame}");
                contacts += truth.len();
            }
        }
        println!("{contacts} contacts");
        assert!(contacts == 0 || contacts > 1_000);
    }
}
