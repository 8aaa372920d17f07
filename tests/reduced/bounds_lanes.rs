//! Bounds made in `f32` lanes, influence by influence and eight by eight: they hold every vertex, far from the origin, at any scale,
//! morphed, with weights at their limits and with very many influences, and are no looser than what `f64` finds by more than a rounding of
//! `f32`. Bounds in time do not depend on what was asked before.

use std::sync::Arc;

use crate::common::dice::Dice;
use crate::common::handed_on::handed_on;
use crate::reduced_support::{
    Spinner, Weights, body, morph_targets, random_mesh, rotation, strip, torture, vertices_below,
};
use kinetree::bvh::Hierarchy;
use kinetree::math::Aabb;
use kinetree::motion::Outside;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Frame, Level, MovingBounds, RestBoxes};
use kinetree::reduced::{
    Affine, Blend, Driver, Influences, Pose, PoseDerivativeBounds, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy,
};
use kinetree::time::{Moment, Span};
use nalgebra::Vector3;

/// A body of vertices that many maps move, so many that nodes are bounded eight by eight.
fn overfull(dice: &mut Dice, maps: usize, morphs: usize, scale: f64, offset: [f64; 3]) -> ReducedMesh {
    let vertices = 40 + dice.below(80);
    let (mesh, rest) = strip(dice, vertices, 4.0);
    let lists: Vec<Vec<(u32, f64)>> = rest
        .iter()
        .map(|_| {
            let count = 1 + dice.below(maps.min(24));
            let mut list: Vec<(u32, f64)> =
                (0..count).map(|_| (dice.below(maps) as u32, dice.pick(&[1.0, 1e-7, 0.3]))).collect();
            let sum: f64 = list.iter().map(|(_, weight)| weight).sum();
            list.iter_mut().for_each(|(_, weight)| *weight /= sum);
            list
        })
        .collect();
    let influences = Influences::convex(maps, lists, WeightPolicy::Strict).unwrap();
    let targets = morph_targets(dice, rest.len(), morphs);
    let rest = rest
        .iter()
        .map(|place| std::array::from_fn(|axis| (f64::from(place[axis]) * scale + offset[axis]) as f32))
        .collect();
    ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs: targets, blend: Blend::Linear }).unwrap()
}

/// Turned about the body's middle, moved by an offset: half turns, mirrors, scales, maps alike but for a rounding.
fn wild_pose(dice: &mut Dice, maps: usize, morphs: usize, scale: f64, from: [f64; 3], to: [f64; 3]) -> Pose {
    let vector = |dice: &mut Dice| Vector3::new(dice.real(-1.0, 1.0), dice.real(-1.0, 1.0), dice.real(-1.0, 1.0));
    let alike = dice.percent(20);
    let mut pose = Pose::default();
    for _ in 0..maps {
        let angle = dice.pick(&[0.0, std::f64::consts::PI, 1e-9, 1.3]);
        let axis = (vector(dice) + Vector3::new(1e-3, 0.0, 0.0)).normalize();
        let size = dice.pick(&[1.0, 1.0, -1.0, 0.0, 3.0]);
        let linear = rotation(&axis, angle) * if alike { 1.0 } else { size };
        let shift =
            Vector3::from(to) + vector(dice) * scale * dice.pick(&[0.0, 1.0, 5.0]) - linear * Vector3::from(from);
        pose.maps.push(Affine { linear, shift });
    }
    pose.morphs = (0..morphs).map(|_| dice.pick(&[0.0, 1.0, -1.0, 0.37])).collect();
    pose
}

#[test]
fn boxes_hold_every_vertex_and_are_as_tight_as_those_of_f64() {
    let mut dice = Dice::new(51, &[]);
    let (mut checks, mut worst) = (0usize, 0.0f64);
    for round in 0..torture(120) {
        let maps = dice.pick(&[1, 2, 3, 7, 8, 9, 40, 130]);
        let scale = dice.pick(&[1.0f64, 1.0, 1e-6, 1e5, 1e-12, 1e12]);
        let morphs = if scale == 1.0 { dice.below(3) } else { 0 };
        let far = dice.pick(&[0.0, 0.0, 1e3, 1e7]) * scale.min(1e3);
        let offset = |dice: &mut Dice| std::array::from_fn(|_| dice.real(-far, far));
        let (from, to) = (offset(&mut dice), offset(&mut dice));
        let mesh = overfull(&mut dice, maps, morphs, scale, from);
        let tree = BoundTree::new(&mesh, BoundParams::default());
        for _ in 0..3 {
            let pose = wild_pose(&mut dice, maps, morphs, scale, from, to);
            let frame = Frame::of_pose(&tree, &pose).unwrap();
            let mut all = Vec::new();
            mesh.evaluate_all(&pose, &mut all).unwrap();
            // What the body measures, and what f64 leaves of coordinates so far away.
            let size = Aabb::of_points(&all);
            let size = (0..3).map(|axis| size.max[axis] - size.min[axis]).fold(20.0 * scale, f64::max);
            let unsure = 1e-12 * far;
            for node in 0..tree.topology().nodes().len() as u32 {
                let bounds = tree.node_box(node, &frame, Level::Corner);
                for &vertex in &vertices_below(tree.topology(), node) {
                    let point = all[vertex as usize];
                    assert!(bounds.contains(&point), "round {round}, node {node}: {bounds:?} misses {point:?}");
                    checks += 1;
                }
                for axis in 0..3 {
                    let mut along = [0.0; 3];
                    along[axis] = 1.0;
                    let [least, most] = tree.support(node, &frame, Level::Corner, along);
                    let over = (least - bounds.min[axis]).max(bounds.max[axis] - most) - unsure;
                    worst = worst.max(over / size);
                    assert!(over <= 1e-4 * size, "round {round}, node {node}: {bounds:?} along {axis}: {least} {most}");
                }
            }
        }
    }
    assert!(checks > 20_000, "{checks} checks");
    println!("{checks} checks, at most {worst:e} of the body looser than f64");
}

/// Known weights of one map: nothing but roundings between the bound and the exact box.
#[test]
fn a_rigid_body_far_away_is_bounded_to_a_millionth_of_its_size() {
    let mut dice = Dice::new(52, &[]);
    let (mesh, rest) = strip(&mut dice, 60, 2.0);
    let def = ReducedDef {
        mesh,
        influences: Influences::convex(1, vec![vec![(0, 1.0)]; rest.len()], WeightPolicy::Strict).unwrap(),
        rest,
        morphs: Vec::new(),
        blend: Blend::Linear,
    };
    let mesh = ReducedMesh::new(def).unwrap();
    let tree = BoundTree::new(&mesh, BoundParams::default());
    for far in [0.0, 1e3, 1e6] {
        let pose =
            Pose { maps: vec![Affine::from_parts([far; 3], [0.0, 0.0, 0.0, 1.0], [1.0; 3])], morphs: Vec::new() };
        let mut all = Vec::new();
        mesh.evaluate_all(&pose, &mut all).unwrap();
        let (exact, bounds) =
            (Aabb::of_points(&all), tree.node_box(0, &Frame::of_pose(&tree, &pose).unwrap(), Level::Corner));
        for axis in 0..3 {
            let over = (exact.min[axis] - bounds.min[axis]).max(bounds.max[axis] - exact.max[axis]);
            assert!((0.0..1.2e-5).contains(&over), "{far} m away: {over}");
        }
    }
}

/// Whoever asked before, in whatever order: the same box, bit for bit.
#[test]
fn boxes_in_time_do_not_depend_on_what_was_asked_before() {
    let mut dice = Dice::new(53, &[]);
    let mut compared = 0;
    for _ in 0..torture(20) {
        let kind = dice.pick(&[Weights::Smooth, Weights::Random(4), Weights::Signed]);
        let morphs = dice.below(3);
        let mesh = random_mesh(&mut dice, 120, 6, morphs, kind);
        let tree = Arc::new(BoundTree::new(&mesh, BoundParams::default()));
        let mut driver = Spinner::random(&mut dice, 6, morphs, 3, 0.5);
        driver.outside = dice.pick(&[Outside::Hold, Outside::Loop]);
        let body = Arc::new(body(&mesh, driver));
        let pieces = body.pieces_at_rate(7.5).unwrap();
        let fresh = || MovingBounds::new(tree.clone(), body.clone(), &pieces, Level::Corner).unwrap();
        let (used, span) = (fresh(), body.driver().span());
        for _ in 0..60 {
            let time = match dice.below(3) {
                0 => dice.pick(pieces.times()),
                1 => dice.real(span.begin - 0.5, span.end + 2.0),
                _ => dice.real(span.begin, span.end),
            };
            let at = if dice.percent(50) { Moment::at(time) } else { Moment::after(time) };
            let node = dice.below(tree.topology().nodes().len()) as u32;
            assert_eq!(used.node_box(node, at), fresh().node_box(node, at), "node {node} at {at:?}");
            compared += 1;
        }
    }
    assert!(compared > 1000);
}

/// Some nodes in some order, some of them twice; now and then none.
fn some_nodes(dice: &mut Dice, tree: &BoundTree) -> Vec<u32> {
    let count = dice.below(2 * tree.topology().nodes().len());
    (0..count).map(|_| dice.below(tree.topology().nodes().len()) as u32).collect()
}

/// Of any weights, with blocks and without, at both levels, along the axes and not: what is asked for together is what is asked for by itself.
#[test]
fn boxes_asked_for_together_are_those_asked_for_one_by_one() {
    let mut dice = Dice::new(54, &[]);
    let (mut compared, mut boxes) = (0, Vec::new());
    for round in 0..torture(60) {
        let maps = dice.pick(&[1, 3, 40, 90]);
        let morphs = dice.below(3);
        let mesh = match dice.below(3) {
            0 => Arc::new(overfull(&mut dice, maps, morphs, 1.0, [0.0; 3])),
            1 => random_mesh(&mut dice, 90, maps, morphs, Weights::Signed),
            _ => random_mesh(&mut dice, 90, maps, morphs, Weights::Random(4)),
        };
        let lie = if dice.percent(20) { RestBoxes::Oriented } else { RestBoxes::Aligned };
        let tree = BoundTree::new(&mesh, BoundParams { boxes: lie, ..BoundParams::default() });
        // Too large for `f32` now and then.
        let scale = dice.pick(&[1.0, 1.0, 1.0, 1e25]);
        let pose = wild_pose(&mut dice, maps, morphs, scale, [0.0; 3], [0.0; 3]);
        let frame = Frame::of_pose(&tree, &pose).unwrap();
        for level in [Level::Corner, Level::Optimum] {
            let nodes = some_nodes(&mut dice, &tree);
            tree.node_boxes(&nodes, &frame, level, &mut boxes);
            let alone: Vec<Aabb> = nodes.iter().map(|&node| tree.node_box(node, &frame, level)).collect();
            assert_eq!(boxes, alone, "round {round}, {level:?}");
            compared += nodes.len();
        }
    }
    assert!(compared > 1000, "{compared}");
}

/// A driver that knows nothing of some maps' motion half of the time.
#[derive(Debug)]
struct Forgetful(Spinner);

impl Driver for Forgetful {
    handed_on!(0: map_count, morph_count, span, outside, breaks, centres);

    fn pose(&self, at: Moment, pose: &mut Pose) {
        self.0.pose(at, pose);
    }

    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        self.0.bends(piece, bends);
        if piece.begin.to_bits().is_multiple_of(2) {
            bends.maps.iter_mut().step_by(3).for_each(|map| map.linear.bend = f64::INFINITY);
        }
    }
}

/// The same of boxes in time, whatever was asked for before, where bounds are infinite too; and they hold every vertex.
#[test]
fn boxes_in_time_asked_for_together_are_those_asked_for_one_by_one() {
    let mut dice = Dice::new(55, &[]);
    let (mut compared, mut infinite, mut boxes, mut all) = (0, 0, Vec::new(), Vec::new());
    for round in 0..torture(24) {
        let kind = dice.pick(&[Weights::Smooth, Weights::Random(4), Weights::Signed]);
        let morphs = dice.below(3);
        let mesh = random_mesh(&mut dice, 120, 6, morphs, kind);
        let tree = Arc::new(BoundTree::new(&mesh, BoundParams::default()));
        let mut driver = Spinner::random(&mut dice, 6, morphs, 3, 0.5);
        driver.outside = dice.pick(&[Outside::Hold, Outside::Loop]);
        let holds = driver.outside == Outside::Hold;
        let driver: Arc<dyn Driver> = if round % 3 == 0 { Arc::new(Forgetful(driver)) } else { Arc::new(driver) };
        let body = Arc::new(ReducedBody::new(mesh.clone(), driver).unwrap());
        let pieces = body.pieces_at_rate(7.5).unwrap();
        let (level, levels) = (dice.pick(&[Level::Corner, Level::Corner, Level::Optimum]), dice.pick(&[0, 0, 2]));
        let fresh = || MovingBounds::new(tree.clone(), body.clone(), &pieces, level).unwrap().united(levels);
        let (used, span) = (fresh(), body.driver().span());
        let mut time = span.begin - 0.1;
        for _ in 0..30 {
            // Forward as time runs as a rule, through ends of pieces, and back now and then.
            time = match dice.below(6) {
                0 => dice.pick(pieces.times()),
                1 => dice.real(span.begin - 0.5, span.end + 2.0),
                _ => time + dice.real(0.0, 0.1),
            };
            let at = if dice.percent(50) { Moment::at(time) } else { Moment::after(time) };
            let nodes = some_nodes(&mut dice, &tree);
            used.node_boxes(&nodes, at, &mut boxes);
            let alone = fresh();
            body.positions(at, &(0..mesh.vertex_count() as u32).collect::<Vec<_>>(), &mut all).unwrap();
            for (&node, bounds) in nodes.iter().zip(&boxes) {
                assert_eq!(*bounds, alone.node_box(node, at), "round {round}, node {node} at {at:?}");
                // A spinner does not go round, whatever it says.
                let below = if holds { vertices_below(tree.topology(), node) } else { Vec::new() };
                for vertex in below {
                    let point = all[vertex as usize];
                    assert!(
                        bounds.contains(&point),
                        "round {round}, node {node} at {at:?}: {bounds:?} misses {point:?}"
                    );
                }
                infinite += usize::from(bounds.max.contains(&f64::INFINITY));
            }
            assert_eq!(boxes.len(), nodes.len());
            compared += nodes.len();
            if let Some(&node) = nodes.first() {
                // By itself after all together.
                assert_eq!(used.node_box(node, at), boxes[0], "round {round}, node {node} at {at:?}");
            }
        }
    }
    assert!(compared > 1000 && infinite > 10, "{compared} boxes, {infinite} of them infinite");
}
