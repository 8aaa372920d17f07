//! Edges of drivers, influences and queries: poses that are held, keys that fall on one time, late times, numbers that are none.

use std::sync::Arc;

use kinetree::Hierarchy;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::reduced::bounds::{
    BoundParams, BoundTree, Camera, Frame, Level, MovingBounds, PosedBounds, Rectangle, Visibility,
};
use kinetree::reduced::{
    Affine, Binding, Blend, Channel, Clip, DerivativeBounds, Driver, Influences, Interpolation, JointTracks, Layer,
    Mix, Node, Pose, PoseKeys, Property, ReducedBody, ReducedDef, ReducedError, ReducedMesh, Rig, Sequence, Track,
    WeightPolicy, check_driver,
};
use kinetree::time::{Moment, Side, Span};
use kinetree::world::{BodyDef, World, WorldDef};

fn single_mesh(blend: Blend, maps: usize, lists: Vec<Vec<(u32, f64)>>) -> Arc<ReducedMesh> {
    let influences = Influences::convex(maps, lists, WeightPolicy::Strict).unwrap();
    let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    Arc::new(ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs: vec![], blend }).unwrap())
}

fn rigid_mesh() -> Arc<ReducedMesh> {
    single_mesh(Blend::Linear, 1, vec![vec![(0, 1.0)]; 3])
}

/// A rig of one node that moves along x.
fn rig(interpolation: Interpolation, times: Vec<f64>, values: &[f64]) -> Arc<Rig> {
    let values = values.iter().flat_map(|&x| [x, 0.0, 0.0]).collect();
    let track = Track { interpolation, times, values };
    let clip =
        Clip { name: "slide".into(), channels: vec![Channel { node: 0, property: Property::Translation, track }] };
    Arc::new(Rig::new(vec![Node::default()], &[clip]).unwrap())
}

fn tracks(rig: &Arc<Rig>, mix: &Mix) -> Result<JointTracks, ReducedError> {
    JointTracks::new(Arc::clone(rig), mix, Binding::skin(&[0], None).unwrap(), None)
}

/// Contacts with a wall across x at a time, of a body with bounds.
fn touches_wall(body: &Arc<ReducedBody>, x: f32, time: f64) -> usize {
    let sampler = body.sampler(body.pieces(1e-3).unwrap()).unwrap();
    let mut world = World::new(WorldDef::new().start(time.min(0.0))).unwrap();
    world.add_body(BodyDef::bounded(body.mesh().mesh().clone(), sampler)).unwrap();
    let wall = Flightplan::fixed(vec![[x, -5.0, -5.0], [x, 5.0, -5.0], [x, 0.0, 5.0]]);
    world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), wall)).unwrap();
    world.advance_to(time).unwrap();
    world.contacts().len()
}

/// The clip goes on to x = 0 after the span of the mix, which ends at x = 100.
#[test]
fn a_part_of_a_sequence_holds_its_poses_outside_its_own_span() {
    let rig = rig(Interpolation::Linear, vec![0.0, 1.0, 2.0], &[0.0, 100.0, 0.0]);
    let mut mix = Mix::clip(&rig, 0, Outside::Hold).unwrap();
    mix.span.end = 1.0;
    for (begin, end, x, time) in [(3.0, 5.0, 100.0, 4.0), (-5.0, -3.0, 0.0, -4.0), (-1.0, 2.0, 100.0, 1.5)] {
        let part: Arc<dyn Driver> = Arc::new(tracks(&rig, &mix).unwrap());
        let sequence = Sequence::new(vec![(begin, part)], end, Outside::Hold).unwrap();
        let body = Arc::new(ReducedBody::new(rigid_mesh(), Arc::new(sequence)).unwrap());
        check_driver(&body, 1, 50).unwrap();
        let mut places = Vec::new();
        body.positions(Moment::at(time), &[0], &mut places).unwrap();
        assert_eq!(places, [[x, 0.0, 0.0]], "{begin}");
        assert_eq!(touches_wall(&body, x as f32 + 0.25, time), 1, "{begin}");
    }
}

/// A step emulated by two keys that are one step of `f32` apart, on a clock of many seconds.
#[test]
fn keys_that_fall_on_one_time_of_the_body_are_a_jump() {
    let times = vec![0.0, 1.0, f64::from(1.0f32.next_up()), 2.0];
    for (values, jumps) in [([0.0, 0.0, 5.0, 5.0], true), ([0.0, 2.0, 2.0, 5.0], false)] {
        let rig = rig(Interpolation::Linear, times.clone(), &values);
        for start in [0.0, 1.7e9] {
            let mix = Mix::clip(&rig, 0, Outside::Hold).unwrap().later(start);
            let body = Arc::new(ReducedBody::new(rigid_mesh(), Arc::new(tracks(&rig, &mix).unwrap())).unwrap());
            check_driver(&body, 1, 50).unwrap();
            let is_jump = body.driver().breaks().iter().any(|stop| stop.is_jump);
            assert_eq!(is_jump, jumps && start > 0.0, "{start} {values:?}");
            if jumps {
                assert_eq!(touches_wall(&body, 5.5, start + 1.25), 1, "{start}");
            }
        }
    }
}

/// Ends of a clip's intervals are rounded on the body's clock; the motion between them is linear all the same.
#[test]
fn deviations_hold_on_late_clocks() {
    let times: Vec<f64> = (0..=30).map(|key| f64::from(key) / 30.0).collect();
    let values: Vec<f64> = times.iter().map(|time| 10.0 * time).collect();
    let rig = rig(Interpolation::Linear, times, &values);
    for start in [0.0, 0.1, 1e3, 1.7e9] {
        let mix = Mix::clip(&rig, 0, Outside::Hold).unwrap().later(start);
        let body = ReducedBody::new(rigid_mesh(), Arc::new(tracks(&rig, &mix).unwrap())).unwrap();
        let pieces = body.pieces(1e-9).unwrap();
        let x = |at: Moment| {
            let mut places = Vec::new();
            body.positions(at, &[0], &mut places).unwrap();
            places[0][0]
        };
        for (ends, stated) in pieces.times().windows(2).zip(pieces.deviations()) {
            let (first, last) = (x(Moment::after(ends[0])), x(Moment::at(ends[1])));
            for step in 1..20 {
                let time = ends[0] + (ends[1] - ends[0]) * f64::from(step) / 20.0;
                let share = (time - ends[0]) / (ends[1] - ends[0]);
                let off = (x(Moment::at(time)) - (first + share * (last - first))).abs();
                assert!(off <= *stated, "{start}: {off} at {time}, stated {stated}");
            }
        }
    }
}

/// A NaN with a sign comes before all numbers.
#[test]
fn times_that_are_no_numbers_are_passed_over() {
    let rig = rig(Interpolation::Linear, vec![0.0, 1.0], &[0.0, 1.0]);
    let mix = Mix::clip(&rig, 0, Outside::Hold).unwrap();
    let body = ReducedBody::new(rigid_mesh(), Arc::new(tracks(&rig, &mix).unwrap())).unwrap();
    let times = [f64::NAN, 0.5, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2.0, -1.0];
    for times in [times.as_slice(), &[-f64::NAN, 0.5], &[0.5, f64::NAN]] {
        let pieces = body.pieces_at(times).unwrap();
        assert_eq!(pieces.times(), [0.0, 0.5, 1.0], "{times:?}");
        assert!(pieces.largest_deviation() < 1e-9, "{times:?}");
    }
}

#[test]
fn poses_of_loops_have_a_round_at_any_time() {
    let keys = PoseKeys::new(&[0.0, 0.3], vec![Pose::rest(1, 0); 2], vec![[0.0; 3]], Outside::Loop).unwrap();
    let body = Arc::new(ReducedBody::new(rigid_mesh(), Arc::new(keys)).unwrap());
    let pieces = body.pieces(1e-3).unwrap();
    let tree = Arc::new(BoundTree::new(body.mesh(), BoundParams::default()));
    let moving = MovingBounds::new(tree, Arc::clone(&body), &pieces, Level::Corner).unwrap();
    for time in [1e11, 1e17, f64::MAX, f64::INFINITY, -1e17, f64::NEG_INFINITY] {
        let mut pose = Pose::default();
        body.pose(Moment::at(time), &mut pose);
        assert_eq!(pose, Pose::rest(1, 0), "{time}");
        assert!(moving.node_box(0, Moment::at(time)).contains(&[1.0, 0.0, 0.0]), "{time}");
    }
}

/// Two joints turned against each other: the blend is outside what linear blending bounds.
#[test]
fn a_pose_blended_spherically_at_rest_passes_the_check_of_drivers() {
    let joints = vec![[0.0, 3.0, 0.0]; 2];
    let mesh = single_mesh(Blend::Spherical { joints: joints.clone() }, 2, vec![vec![(0, 0.5), (1, 0.5)]; 3]);
    let map = |angle: f64| {
        let (sine, cosine) = (0.5 * angle).sin_cos();
        Affine::from_parts([0.0, 3.0, 0.0], [sine, 0.0, 0.0, cosine], [1.0; 3])
    };
    let pose = Pose { maps: vec![map(1.45), map(-1.45)], morphs: vec![] };
    let keys = PoseKeys::new(&[0.0, 1.0], vec![pose.clone(), pose], joints, Outside::Hold).unwrap();
    check_driver(&ReducedBody::new(mesh, Arc::new(keys)).unwrap(), 1, 20).unwrap();
}

#[test]
fn a_tree_over_another_mesh_is_refused() {
    let rest: Vec<[f32; 3]> = (0..6u8).map(|i| [f32::from(i), f32::from(i % 2), 0.0]).collect();
    let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 6], WeightPolicy::Strict).unwrap();
    let mesh = Mesh::new(6, vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    let blend = Blend::Linear;
    let larger = Arc::new(ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs: vec![], blend }).unwrap());
    let smaller = rigid_mesh();
    for (own, other) in [(&larger, &smaller), (&smaller, &larger)] {
        let tree = Arc::new(BoundTree::new(own, BoundParams::default()));
        let refused = PosedBounds::new(&tree, other, Level::Corner, &Pose::rest(1, 0)).err();
        assert_eq!(refused, Some(ReducedError::ForeignTree));
        let keys = PoseKeys::new(&[0.0, 1.0], vec![Pose::rest(1, 0); 2], vec![[0.0; 3]], Outside::Hold).unwrap();
        let body = Arc::new(ReducedBody::new(Arc::clone(other), Arc::new(keys)).unwrap());
        let pieces = body.pieces(1e-3).unwrap();
        let refused = MovingBounds::new(tree, body, &pieces, Level::Corner).err();
        assert_eq!(refused, Some(ReducedError::ForeignTree));
    }
}

/// The square of the length of such a piece underflows.
#[test]
fn splines_over_no_time_to_speak_of_keep_their_bounds() {
    let values = [0.0, 100.0, 0.0, 0.0, 100.0, 0.0];
    let rig = rig(Interpolation::CubicSpline, vec![0.0, 1e-170], &values);
    let mix = Mix::clip(&rig, 0, Outside::Hold).unwrap();
    let body = Arc::new(ReducedBody::new(rigid_mesh(), Arc::new(tracks(&rig, &mix).unwrap())).unwrap());
    let sampler = body.sampler(body.pieces(1e-3).unwrap()).unwrap();
    assert_eq!(sampler.position(0, Side::At, 0), [100.0, 0.0, 0.0]);
    assert_eq!(touches_wall(&body, 100.25, 0.5), 1);
}

#[test]
fn weights_of_layers_are_checked_in_a_span_without_length() {
    let rig = rig(Interpolation::Linear, vec![0.0, 1.0], &[2.0, 2.0]);
    let span = Span { begin: 0.0, end: 0.0 };
    let twice = Mix { layers: vec![Layer::new(0, 0.0), Layer::new(0, 0.0)], span, outside: Outside::Hold };
    let refused = tracks(&rig, &twice).unwrap_err();
    assert_eq!(refused, ReducedError::LayerWeights { time: 0.0, value: 2.0 });
    let weight = Track { interpolation: Interpolation::Linear, times: vec![0.0], values: vec![-3.0] };
    let negative = Layer { weight: Some(weight), ..Layer::new(0, 0.0) };
    let refused = tracks(&rig, &Mix { layers: vec![negative], span, outside: Outside::Hold }).unwrap_err();
    assert_eq!(refused, ReducedError::LayerWeights { time: 0.0, value: -3.0 });
}

#[test]
fn sums_of_weights_are_numbers_and_no_weight_is_zero() {
    let refused = Influences::combination(1, [vec![(0, 1e308), (0, 1e308)]]).unwrap_err();
    assert_eq!(refused, ReducedError::BadWeight { vertex: 0, slot: 0, value: f64::INFINITY });
    let repaired = Influences::convex(2, [vec![(0, 1e300), (1, 1e-300)]], WeightPolicy::Repair).unwrap();
    assert_eq!(repaired.of(0).collect::<Vec<_>>(), [(0, 1.0)]);
}

/// What is not known to be hidden must be drawn.
#[test]
fn planes_and_cameras_that_are_not_numbers_hide_nothing() {
    let mesh = rigid_mesh();
    let tree = BoundTree::new(&mesh, BoundParams::default());
    let pose = Pose::rest(1, 0);
    let mut posed = PosedBounds::new(&tree, &mesh, Level::Corner, &pose).unwrap();
    let frame = Frame::of_pose(&tree, &pose).unwrap();
    let inside = [1.0, 0.0, 0.0, f64::INFINITY];
    assert_eq!(posed.visibility(&[inside]), Visibility::Inside);
    for bad in [[f64::NAN, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, f64::NAN], [f64::INFINITY, 0.0, 0.0, 1.0]] {
        assert_eq!(posed.visibility(&[inside, bad]), Visibility::Crossing, "{bad:?}");
        let rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
        for row in 0..3 {
            let mut rows = rows;
            rows[row] = bad;
            let camera = Camera { x: rows[0], y: rows[1], w: rows[2] };
            assert_eq!(posed.screen_rectangle(&camera), Rectangle::EVERYTHING, "{bad:?}");
            let rectangle = tree.screen_rectangle(0, &frame, Level::Corner, &camera);
            assert!(rectangle.overlaps(&Rectangle { min: [0.0; 2], max: [0.5; 2] }), "{bad:?}: {rectangle:?}");
        }
    }
}

/// What is unknown leaves a multiple of zero at zero.
#[test]
fn nothing_of_what_is_unknown_is_nothing() {
    let unknown = DerivativeBounds { size: f64::INFINITY, rate: f64::INFINITY, bend: f64::INFINITY };
    assert_eq!(unknown.scaled(0.0), DerivativeBounds::default());
    assert_eq!(unknown.scaled(2.0), unknown);
}
