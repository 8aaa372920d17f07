//! Poses that cannot be used are refused by name, and nothing is changed.

use std::sync::Arc;

use kinetree::reduced::{
    Affine, Binding, Blend, DerivativeBounds, Influences, MapDerivativeBounds, Node, NodeTransform, Pose,
    PoseDerivativeBounds, PoseStream, ReducedDef, ReducedError, ReducedMesh, Rig, WeightPolicy,
};

fn mesh(blend: Blend) -> Arc<ReducedMesh> {
    let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let lists = vec![vec![(0, 1.0)], vec![(0, 0.5), (1, 0.5)], vec![(1, 1.0)]];
    let influences = Influences::convex(2, lists, WeightPolicy::default()).unwrap();
    let mesh = kinetree::Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    Arc::new(ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs: vec![], blend }).unwrap())
}

fn at(height: f64) -> Pose {
    let map = Affine::from_parts([0.0, 0.0, height], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
    Pose { maps: vec![map; 2], morphs: vec![] }
}

fn scaled(scale: [f64; 3]) -> Pose {
    let mut pose = at(0.0);
    pose.maps[1] = Affine::from_parts([0.0; 3], [0.0, 0.0, 0.0, 1.0], scale);
    pose
}

fn state(stream: &PoseStream) -> (Vec<f64>, Vec<[f64; 3]>) {
    let mut positions = Vec::new();
    for step in 0..9 {
        let mut some = Vec::new();
        stream.body().positions(kinetree::Moment::at(0.25 * f64::from(step)), &[0, 1, 2], &mut some).unwrap();
        positions.extend(some);
    }
    (stream.times().collect(), positions)
}

#[test]
fn unusable_poses_are_refused_and_change_nothing() {
    let mut stream = PoseStream::new(mesh(Blend::Linear), 0.0, at(0.0)).unwrap();
    stream.extend(0.0, 1.0, at(1.0)).unwrap();
    let before = state(&stream);
    let mut nan = at(0.0);
    nan.maps[1].shift.y = f64::NAN;
    let mut far = at(0.0);
    far.maps[0].shift.x = 1e300;
    let few = Pose { maps: at(0.0).maps[..1].to_vec(), morphs: vec![] };
    let morph = Pose { morphs: vec![0.5], ..at(0.0) };
    type Refusal = fn(&ReducedError) -> bool;
    let cases: [(f64, f64, Pose, Refusal); 10] = [
        (0.0, 2.0, few, |error| matches!(error, ReducedError::MapCount { expected: 2, found: 1 })),
        (0.0, 2.0, morph, |error| matches!(error, ReducedError::MorphCount { expected: 0, found: 1 })),
        (0.0, 2.0, nan, |error| matches!(error, ReducedError::BadMap { map: 1 })),
        (0.0, 2.0, far, |error| matches!(error, ReducedError::TooFar { .. })),
        (0.0, 2.0, scaled([0.0; 3]), |error| matches!(error, ReducedError::ZeroScale { map: 1 })),
        (0.0, 2.0, scaled([1.0, 0.0, 1.0]), |error| matches!(error, ReducedError::ZeroScale { map: 1 })),
        (0.0, 1.0, at(0.0), |error| matches!(error, ReducedError::BadPoseTime { time: 1.0, previous: 1.0 })),
        (1.5, 1.2, at(0.0), |error| matches!(error, ReducedError::BadPoseTime { time: 1.2, previous: 1.5 })),
        (0.0, f64::NAN, at(0.0), |error| matches!(error, ReducedError::BadPoseTime { .. })),
        (f64::NAN, 2.0, at(0.0), |error| matches!(error, ReducedError::BadPoseTime { .. })),
    ];
    for (now, time, pose, is_right) in cases {
        let error = stream.extend(now, time, pose.clone()).unwrap_err();
        assert!(is_right(&error), "{error}");
        assert_eq!(state(&stream), before, "{error}");
        if time == 2.0 {
            let error = stream.jump(now, 0.5, pose).unwrap_err();
            assert!(is_right(&error) || now.is_nan(), "{error}");
            assert_eq!(state(&stream), before, "{error}");
        }
    }
    assert!(matches!(stream.truncate(0.5, 0.4), Err(ReducedError::BadPoseTime { time: 0.4, .. })));
    assert!(matches!(stream.jump(0.5, 0.4, at(0.0)), Err(ReducedError::BadPoseTime { time: 0.4, .. })));
    assert_eq!(state(&stream), before);
    let joints = vec![[0.0; 3], [0.0, 1.0, 0.0]];
    let mut rigid = PoseStream::new(mesh(Blend::Spherical { joints }), 0.0, at(0.0)).unwrap();
    let error = rigid.extend(0.0, 1.0, scaled([1.1, 1.0, 1.0])).unwrap_err();
    assert!(matches!(error, ReducedError::NotRigid { map: 1 }), "{error}");
    assert!(rigid.extend(0.0, 1.0, at(1.0)).unwrap() < 1e-9);
}

#[test]
fn promised_bounds_are_checked_and_give_the_deviation() {
    let mut stream = PoseStream::new(mesh(Blend::Linear), 0.0, at(0.0)).unwrap();
    let promise = |rate: f64, bend: f64| {
        let linear = DerivativeBounds::constant(1.0);
        let map = MapDerivativeBounds { linear, centre: DerivativeBounds { size: 9.0, rate, bend } };
        PoseDerivativeBounds { maps: vec![map; 2], morphs: vec![] }
    };
    let before = state(&stream);
    // From rest to 2 m in 1 s: not with less than 2 m/s.
    for (rate, bend) in [(1.9, 4.0), (2.0, -1.0), (2.0, f64::NAN), (f64::NAN, 0.0)] {
        let error = stream.extend_promised(0.0, 1.0, at(2.0), &promise(rate, bend)).unwrap_err();
        assert!(matches!(error, ReducedError::BadBound { quantity: "centre", index: 0, .. }), "{error}");
        assert_eq!(state(&stream), before);
    }
    let few = PoseDerivativeBounds::default();
    assert!(matches!(stream.extend_promised(0.0, 1.0, at(2.0), &few), Err(ReducedError::MapCount { .. })));
    // h²/8 · 4 m/s² in 1 s.
    let deviation = stream.extend_promised(0.0, 1.0, at(2.0), &promise(2.0, 4.0)).unwrap();
    assert!((0.5..0.5 + 1e-9).contains(&deviation), "{deviation}");
    assert!(stream.extend(0.0, 2.0, at(0.0)).unwrap() < 1e-9);
    assert_eq!(stream.largest_deviation(), deviation);
}

#[test]
fn poses_from_joints_and_local_transforms() {
    let part = |translation, rotation, scale| NodeTransform::Parts { translation, rotation, scale };
    let unit = [0.0, 0.0, 0.0, 1.0];
    let node = |parent| Node { parent, transform: NodeTransform::default(), weights: vec![] };
    // A child before its parent.
    let rig = Rig::new(vec![node(Some(1)), node(None)], &[]).unwrap();
    let bindings = Binding::skin(&[1, 0], None).unwrap();
    let half = 0.5f64.sqrt();
    // The parent turns by a quarter about z, with a quaternion of length 2.
    let locals =
        [part([1.0, 0.0, 0.0], unit, [2.0; 3]), part([0.0, 0.0, 5.0], [0.0, 0.0, 2.0 * half, 2.0 * half], [1.0; 3])];
    let pose = rig.pose_of(&bindings, &locals, &[0.25]).unwrap();
    let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-12);
    assert!(near(pose.maps[0].point([1.0, 0.0, 0.0]), [0.0, 1.0, 5.0]));
    assert!(near(pose.maps[1].point([1.0, 0.0, 0.0]), [0.0, 3.0, 5.0]));
    assert_eq!(pose.morphs, [0.25]);
    let error = rig.pose_of(&bindings, &locals[..1], &[]).unwrap_err();
    assert!(matches!(error, ReducedError::LocalCount { expected: 2, found: 1 }), "{error}");
    for bad in [part([f64::NAN, 0.0, 0.0], unit, [1.0; 3]), part([0.0; 3], [0.0; 4], [1.0; 3])] {
        let error = rig.pose_of(&bindings, &[bad, locals[1]], &[]).unwrap_err();
        assert!(matches!(error, ReducedError::BadNode { node: 0 }), "{error}");
    }
    let error = rig.pose_of(&bindings, &[part([0.0; 3], unit, [1.0, 0.0, 1.0]), locals[1]], &[]).unwrap_err();
    assert!(matches!(error, ReducedError::ZeroScale { map: 1 }), "{error}");
    let error = rig.pose_of(&Binding::skin(&[2], None).unwrap(), &locals, &[]).unwrap_err();
    assert!(matches!(error, ReducedError::NoSuchNode { node: 2, count: 2 }), "{error}");
}

/// Before its first pose a body rests; a stream may be cut off or jump there too.
#[test]
fn a_stream_begins_before_its_first_pose() {
    let height = |stream: &PoseStream, at: kinetree::Moment| {
        let mut some = Vec::new();
        stream.body().positions(at, &[0], &mut some).unwrap();
        some[0][2]
    };
    let mut stream = PoseStream::new(mesh(Blend::Linear), 5.0, at(1.0)).unwrap();
    assert_eq!(stream.truncate(0.0, 2.0).unwrap(), 2.0);
    stream.extend(0.0, 4.0, at(3.0)).unwrap();
    let heights = [0.0, 2.0, 3.0, 4.0, 9.0].map(|time| height(&stream, kinetree::Moment::at(time)));
    assert_eq!(heights, [1.0, 1.0, 2.0, 3.0, 3.0]);
    let mut stream = PoseStream::new(mesh(Blend::Linear), 5.0, at(1.0)).unwrap();
    assert_eq!(stream.jump(0.0, 2.0, at(7.0)).unwrap(), 2.0);
    assert_eq!(height(&stream, kinetree::Moment::at(2.0)), 1.0);
    assert_eq!(height(&stream, kinetree::Moment::after(2.0)), 7.0);
    // At the world's time there is nothing before.
    assert_eq!(stream.jump(3.0, 3.0, at(8.0)).unwrap(), 3.0);
    assert_eq!(height(&stream, kinetree::Moment::at(3.0)), 7.0);
    assert_eq!(height(&stream, kinetree::Moment::at(3.5)), 8.0);
}
