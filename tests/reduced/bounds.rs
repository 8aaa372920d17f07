//! Bounds of reduced bodies against their vertices, evaluated one by one: no bound of any kind may miss one, at any time of the true
//! motion. `KINETREE_TORTURE=1000` in release does a thousand times as many checks.

use crate::reduced_support;
use std::sync::Arc;

use crate::common::dice::Dice;
use crate::reduced_support::{Spinner, Weights, body, random_mesh, torture, vertices_below};
use kinetree::bvh::{BuildParams, Builder, Hierarchy};
use kinetree::kinetic::KineticHierarchy;
use kinetree::math::Extent;
use kinetree::motion::Outside;
use kinetree::reduced::bounds::{
    BoundParams, BoundTree, Camera, Directions, Frame, Level, MovingBounds, Rectangle, RestBoxes,
};
use kinetree::reduced::{
    Affine, Blend, MorphTarget, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy,
};
use kinetree::time::Moment;

const KINDS: [Weights; 6] =
    [Weights::Single, Weights::Smooth, Weights::Random(4), Weights::Random(12), Weights::AtLimits, Weights::Signed];

fn params(dice: &mut Dice) -> BoundParams {
    BoundParams {
        tree: BuildParams {
            builder: dice.pick(&[Builder::CovarianceMedian, Builder::MedianSplit, Builder::BinnedSurfaceArea]),
            leaf_size: 1 + dice.below(16),
            ..BuildParams::default()
        },
        splits_by_influence: dice.percent(50),
        boxes: dice.pick(&[RestBoxes::Aligned, RestBoxes::Oriented]),
    }
}

/// One random mesh with its tree.
fn mesh(dice: &mut Dice, round: usize) -> (Arc<ReducedMesh>, Arc<BoundTree>) {
    let weights = KINDS[round % KINDS.len()];
    let (vertices, maps) = (3 + dice.below(200), 1 + dice.below(12));
    let morphs = if dice.percent(40) { 1 + dice.below(4) } else { 0 };
    let mesh = random_mesh(dice, vertices, maps, morphs, weights);
    let params = params(dice);
    let tree = Arc::new(BoundTree::new(&mesh, params));
    (mesh, tree)
}

fn along(axis: &[f64; 3], point: &[f64; 3]) -> f64 {
    axis[0] * point[0] + axis[1] * point[1] + axis[2] * point[2]
}

#[test]
fn no_bound_of_a_pose_misses_a_vertex() {
    let mut dice = Dice::new(11, &[]);
    let (mut checks, mut looseness) = (0usize, (0.0, 0.0));
    for round in 0..torture(60) {
        let (mesh, tree) = mesh(&mut dice, round);
        let wildness = dice.pick(&[0.0, 0.1, 1.0, 3.0]);
        let driver = Spinner::random(&mut dice, mesh.map_count(), mesh.morph_count(), 1, wildness);
        let body = body(&mesh, driver);
        let mut pose = Pose::default();
        let mut all = Vec::new();
        for _ in 0..4 {
            let span = body.driver().span();
            body.pose(Moment::at(dice.real(span.begin, span.end)), &mut pose);
            mesh.evaluate_all(&pose, &mut all).unwrap();
            let frame = Frame::of_pose(&tree, &pose).unwrap();
            for _ in 0..6 {
                let node = dice.below(tree.topology().nodes().len()) as u32;
                let points: Vec<[f64; 3]> =
                    vertices_below(tree.topology(), node).iter().map(|&vertex| all[vertex as usize]).collect();
                let level = dice.pick(&[Level::Corner, Level::Optimum]);
                let bounds = tree.node_box(node, &frame, level);
                let united = tree.united_box(node, &frame, level, dice.below(5));
                for point in &points {
                    assert!(bounds.contains(point), "round {round}: {bounds:?} misses {point:?}");
                    assert!(united.contains(point), "round {round}: united {united:?} misses {point:?}");
                    checks += 2;
                }
                let optimum = tree.node_box(node, &frame, Level::Optimum);
                let corner = tree.node_box(node, &frame, Level::Corner);
                looseness.0 += optimum.half_area();
                looseness.1 += corner.half_area();

                let directions = match dice.below(4) {
                    0 => Directions::fourteen(),
                    1 => Directions::eighteen(),
                    2 => Directions::twenty_six(),
                    _ => Directions::along(
                        (0..3).map(|_| std::array::from_fn(|_| dice.real(-1.0, 1.0))).collect::<Vec<[f64; 3]>>(),
                    ),
                };
                let mut extents = Vec::new();
                tree.polytope(node, &frame, level, &directions, &mut extents);
                for (axis, [least, most]) in directions.axes().iter().zip(&extents) {
                    for point in &points {
                        let value = along(axis, point);
                        assert!(*least <= value && value <= *most, "round {round}: {axis:?} {value} {least} {most}");
                        checks += 1;
                    }
                }
                check_screen(&tree, node, &frame, level, &points, &mut dice);
            }
        }
    }
    assert!(checks > 10_000, "{checks} checks");
    assert!(looseness.0 < looseness.1, "the optimum is no tighter than the corner");
}

fn check_screen(tree: &BoundTree, node: u32, frame: &Frame, level: Level, points: &[[f64; 3]], dice: &mut Dice) {
    let row = |dice: &mut Dice, shift: f64| [dice.real(-1.0, 1.0), dice.real(-1.0, 1.0), dice.real(-1.0, 1.0), shift];
    let distance = dice.real(0.0, 60.0);
    let camera = Camera { x: row(dice, 0.3), y: row(dice, -2.0), w: row(dice, distance) };
    let rectangle = tree.screen_rectangle(node, frame, level, &camera);
    if rectangle == Rectangle::EVERYTHING {
        return;
    }
    for point in points {
        let affine = |row: &[f64; 4]| row[0] * point[0] + row[1] * point[1] + row[2] * point[2] + row[3];
        let w = affine(&camera.w);
        assert!(w > 0.0);
        for (place, row) in [camera.x, camera.y].iter().enumerate() {
            let at = affine(row) / w;
            assert!(rectangle.min[place] <= at && at <= rectangle.max[place], "{rectangle:?} misses {at}");
        }
    }
}

/// Morphing and turning at once, jumps, loops, pieces much too long for the motion: the moving box holds every vertex at any time.
#[test]
fn no_moving_bound_misses_a_vertex() {
    let mut dice = Dice::new(12, &[]);
    let (mut checks, mut between, mut looped, mut still) = (0usize, 0usize, 0usize, 0usize);
    for round in 0..torture(60) {
        let (mesh, tree) = mesh(&mut dice, round);
        let wildness = dice.pick(&[0.0, 0.3, 1.0]);
        let stretches = 1 + dice.below(4);
        let mut driver = Spinner::random(&mut dice, mesh.map_count(), mesh.morph_count(), stretches, wildness);
        if dice.percent(40) {
            driver.outside = Outside::Hold;
        }
        let body = Arc::new(body(&mesh, driver));
        let pieces = body.pieces_at_rate(dice.pick(&[0.1, 2.0, 7.5, 30.0])).unwrap();
        let level = dice.pick(&[Level::Corner, Level::Optimum]);
        let mut moving = MovingBounds::new(tree.clone(), body.clone(), &pieces, level).unwrap().united(dice.below(3));
        let span = body.driver().span();
        let (mut pose, mut all) = (Pose::default(), Vec::new());
        for _ in 0..12 {
            let time = match dice.below(4) {
                0 => dice.pick(pieces.times()),
                1 => dice.real(span.begin - 1.0, span.end + 1.0),
                _ => dice.real(span.begin, span.end),
            };
            let at = if dice.percent(50) { Moment::at(time) } else { Moment::after(time) };
            looped += usize::from(time > span.end || time < span.begin);
            if dice.percent(30) {
                moving.start_epoch(at);
            }
            body.pose(at, &mut pose);
            mesh.evaluate_all(&pose, &mut all).unwrap();
            for _ in 0..4 {
                let node = dice.below(tree.topology().nodes().len()) as u32;
                let bounds = moving.node_box(node, at);
                let sides = moving.bounds(node, at);
                for vertex in vertices_below(tree.topology(), node) {
                    let point = all[vertex as usize];
                    assert!(bounds.contains(&point), "round {round} {at:?}: {bounds:?} misses {point:?}");
                    for extent in Extent::ALL {
                        let side = sides[extent.index()].at(time);
                        let outward = if extent.is_max() { side + moving.slack() } else { side - moving.slack() };
                        let coordinate = point[extent.axis()];
                        assert!(!extent.beyond(coordinate, outward), "round {round} {at:?}: {coordinate} {outward}");
                    }
                    checks += 1;
                }
                between += usize::from(sides[0].begin < time && time < sides[0].end);
                still += usize::from(sides[0].is_still());
                if let Some(father) = tree.topology().node(node).parent() {
                    let outer = moving.node_box(father, at);
                    assert!(
                        (0..3).all(|axis| outer.min[axis] <= bounds.min[axis] && bounds.max[axis] <= outer.max[axis])
                    );
                }
            }
        }
    }
    assert!(checks > 10_000 && between > 100 && looped > 20 && still > 10, "{checks} {between} {looped} {still}");
}

/// The bound must be that of the true motion: without what it is inflated by, chords of arcs lose vertices.
#[test]
fn without_the_deviation_the_bound_would_fail() {
    let mut dice = Dice::new(13, &[]);
    let mesh = random_mesh(&mut dice, 60, 1, 0, Weights::Single);
    let mut driver = Spinner::of(&mut dice, 1, 0, 1, 1.0, true);
    driver.turns[0][0].rate = 3.0;
    let body = body(&mesh, driver);
    let tree = BoundTree::new(&mesh, BoundParams::default());
    let pieces = body.pieces_at_rate(2.0).unwrap();
    let (mut pose, mut all, mut lost) = (Pose::default(), Vec::new(), 0);
    for two in pieces.times().windows(2) {
        let ends = [Moment::after(two[0]), Moment::at(two[1])].map(|at| {
            body.pose(at, &mut pose);
            tree.node_box(0, &Frame::of_pose(&tree, &pose).unwrap(), Level::Optimum)
        });
        body.pose(Moment::at(0.5 * (two[0] + two[1])), &mut pose);
        mesh.evaluate_all(&pose, &mut all).unwrap();
        let middle = |a: f64, b: f64| 0.5 * (a + b);
        lost += all
            .iter()
            .filter(|point| {
                (0..3).any(|axis| {
                    point[axis] < middle(ends[0].min[axis], ends[1].min[axis])
                        || point[axis] > middle(ends[0].max[axis], ends[1].max[axis])
                })
            })
            .count();
    }
    assert!(lost > 0, "the motion is too straight for this test");
}

/// Morphing and skinning at once is quadratic in time even where both are linear: a node whose morph weights were taken at the ends of
/// the piece alone would lose the middle.
#[test]
fn what_is_morphed_and_moved_at_once_is_not_linear() {
    let mesh = kinetree::mesh::Mesh::new(1, vec![[0, 0, 0]]).unwrap();
    let influences = kinetree::reduced::Influences::convex(1, vec![vec![(0, 1.0)]], WeightPolicy::Strict).unwrap();
    let morphs = vec![MorphTarget::dense(&[[1.0, 0.0, 0.0]])];
    let def = ReducedDef { mesh, rest: vec![[1.0, 0.0, 0.0]], influences, morphs, blend: Blend::Linear };
    let mesh = Arc::new(ReducedMesh::new(def).unwrap());
    // Twice the size at first, half as far morphed: (2 − t) (1 + t).
    let pose = |size: f64, morph: f64| Pose {
        maps: vec![Affine::from_parts([0.0; 3], [0.0, 0.0, 0.0, 1.0], [size; 3])],
        morphs: vec![morph],
    };
    let keys = vec![pose(2.0, 0.0), pose(1.0, 1.0)];
    let driver = PoseKeys::new(&[0.0, 1.0], keys, vec![[0.0; 3]], Outside::Hold).unwrap();
    let body = Arc::new(ReducedBody::new(mesh.clone(), Arc::new(driver)).unwrap());
    let tree = Arc::new(BoundTree::new(&mesh, BoundParams::default()));
    let pieces = body.pieces_at_rate(1.0).unwrap();
    assert_eq!(pieces.times(), [0.0, 1.0]);
    let moving = MovingBounds::new(tree, body.clone(), &pieces, Level::Corner).unwrap();
    for (time, x) in [(0.0, 2.0), (0.5, 2.25), (1.0, 2.0)] {
        let mut out = Vec::new();
        body.positions(Moment::at(time), &[0], &mut out).unwrap();
        assert_eq!(out[0], [x, 0.0, 0.0]);
        let bounds = moving.node_box(0, Moment::at(time));
        assert!(bounds.contains(&out[0]), "at {time}: {bounds:?} misses {x}");
    }
}

#[test]
fn bad_poses_are_refused() {
    let mut dice = Dice::new(14, &[]);
    let mesh = random_mesh(&mut dice, 20, 3, 2, Weights::Smooth);
    let tree = BoundTree::new(&mesh, BoundParams::default());
    let good = Pose::rest(3, 2);
    assert!(Frame::of_pose(&tree, &good).is_ok());
    assert!(Frame::of_pose(&tree, &Pose::rest(2, 2)).is_err());
    assert!(Frame::of_pose(&tree, &Pose::rest(3, 1)).is_err());
    let mut bad = good.clone();
    bad.maps[1].shift[2] = f64::NAN;
    assert!(Frame::of_pose(&tree, &bad).is_err());
    let mut bad = good;
    bad.morphs[0] = f64::INFINITY;
    assert!(Frame::of_pose(&tree, &bad).is_err());
}

/// Huge and tiny bodies: rounding is relative to the body's size.
#[test]
fn bounds_hold_at_any_scale() {
    let mut dice = Dice::new(15, &[]);
    for scale in [1e-12, 1e-3, 1e6, 1e12] {
        let (mesh, rest) = reduced_support::strip(&mut dice, 50, 4.0);
        let rest: Vec<[f32; 3]> = rest.iter().map(|p| p.map(|x| (f64::from(x) * scale) as f32)).collect();
        let places: Vec<[f32; 3]> = rest.iter().map(|p| p.map(|x| (f64::from(x) / scale) as f32)).collect();
        let influences = reduced_support::influences(&mut dice, &places, 4, Weights::Random(4));
        let def = kinetree::reduced::ReducedDef {
            mesh,
            rest,
            influences,
            morphs: Vec::new(),
            blend: kinetree::reduced::Blend::Linear,
        };
        let mesh = ReducedMesh::new(def).unwrap();
        let tree = BoundTree::new(&mesh, BoundParams::default());
        let mut pose = Pose::default();
        use kinetree::reduced::Driver;
        let driver = Spinner::random(&mut dice, 4, 0, 1, 1.0);
        driver.pose(Moment::at(driver.span().begin + 0.1), &mut pose);
        pose.maps.iter_mut().for_each(|map| map.shift *= scale);
        let mut all = Vec::new();
        mesh.evaluate_all(&pose, &mut all).unwrap();
        let frame = Frame::of_pose(&tree, &pose).unwrap();
        for node in 0..tree.topology().nodes().len() as u32 {
            let bounds = tree.node_box(node, &frame, Level::Optimum);
            for vertex in vertices_below(tree.topology(), node) {
                assert!(bounds.contains(&all[vertex as usize]));
            }
        }
    }
}
