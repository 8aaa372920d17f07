//! Every refusal, provoked.

use std::sync::Arc;

use kinetree::limits::MAX_JOINTS_PER_VERTEX;
use kinetree::mesh::Mesh;
use kinetree::motion::Outside;
use kinetree::reduced::{
    Affine, Binding, Blend, Channel, Clip, Influences, Interpolation, JointTracks, Layer, Meshless, Mix, MorphTarget,
    Node, NodeTransform, Pose, PoseKeys, Property, ReducedBody, ReducedDef, ReducedError, ReducedMesh, Rig, Tetrahedra,
    Track, WeightPolicy,
};
use kinetree::time::Span;

fn def() -> ReducedDef {
    ReducedDef {
        mesh: Mesh::new(3, vec![[0, 1, 2]]).unwrap(),
        rest: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        influences: Influences::convex(2, vec![vec![(0, 0.5), (1, 0.5)]; 3], WeightPolicy::Strict).unwrap(),
        morphs: Vec::new(),
        blend: Blend::Linear,
    }
}

#[test]
fn weights() {
    let strict =
        |list: Vec<(u32, f64)>| Influences::convex(2, vec![vec![(0, 1.0)], list], WeightPolicy::Strict).unwrap_err();
    let nan = strict(vec![(0, 0.5), (1, f64::NAN)]);
    assert!(matches!(nan, ReducedError::BadWeight { vertex: 1, slot: 1, value } if value.is_nan()), "{nan}");
    assert_eq!(strict(vec![(0, -0.5), (1, 1.5)]), ReducedError::BadWeight { vertex: 1, slot: 0, value: -0.5 });
    assert_eq!(strict(vec![(0, 0.5), (1, 0.25)]), ReducedError::WeightSum { vertex: 1, sum: 0.75 });
    assert_eq!(strict(vec![(0, 0.5), (2, 0.5)]), ReducedError::InfluenceOutOfRange { vertex: 1, index: 2, count: 2 });
    assert_eq!(strict(vec![]), ReducedError::NoInfluence { vertex: 1 });
    assert_eq!(strict(vec![(0, 0.0), (1, 0.0)]), ReducedError::NoInfluence { vertex: 1 });
    assert_eq!(strict(vec![(1, f64::INFINITY)]), ReducedError::BadWeight { vertex: 1, slot: 0, value: f64::INFINITY });
    // Unused places may name anything.
    assert!(Influences::convex(2, vec![vec![(0, 1.0), (65535, 0.0)]], WeightPolicy::Strict).is_ok());
    assert_eq!(
        Influences::combination(2, vec![vec![(0, 1.0), (0, -1.0)]]).unwrap_err(),
        ReducedError::NoInfluence { vertex: 0 }
    );
    let error = Influences::combination(2, vec![vec![(0, f64::NEG_INFINITY)]]).unwrap_err();
    assert_eq!(error, ReducedError::BadWeight { vertex: 0, slot: 0, value: f64::NEG_INFINITY });
}

#[test]
fn sums_near_one_become_one_and_repairs_are_listed() {
    let list = vec![(1, 0.25), (0, 0.5), (1, 0.25 + 9e-7)];
    let influences = Influences::convex(2, vec![list], WeightPolicy::Strict).unwrap();
    assert_eq!(influences.indices_of(0), [0, 1]);
    let sum: f64 = influences.weights_of(0).iter().sum();
    assert!((sum - 1.0).abs() <= influences.residue() && influences.residue() < 1e-14);
    assert!(influences.repairs().is_empty());
    let lists =
        vec![vec![(0, 1.0)], vec![(0, f64::NAN), (1, 0.5)], vec![(0, 3.0), (1, 1.0)], vec![(0, -1.0), (1, 1.0)]];
    let influences = Influences::convex(2, lists, WeightPolicy::Repair).unwrap();
    let repairs: Vec<(u32, f64, u32)> =
        influences.repairs().iter().map(|repair| (repair.vertex, repair.sum, repair.dropped)).collect();
    assert_eq!(repairs, [(1, 0.5, 1), (2, 4.0, 0), (3, 1.0, 1)]);
    assert_eq!(influences.weights_of(2), [0.75, 0.25]);
    assert_eq!(influences.weights_of(1), [1.0]);
    let error = Influences::convex(2, vec![vec![(0, f64::NAN)]], WeightPolicy::Repair).unwrap_err();
    assert_eq!(error, ReducedError::NoInfluence { vertex: 0 });
}

#[test]
fn meshes() {
    let refused = |def: ReducedDef| ReducedMesh::new(def).unwrap_err();
    let error = refused(ReducedDef { rest: vec![[0.0; 3]; 2], ..def() });
    assert_eq!(error, ReducedError::RestCount { expected: 3, found: 2 });
    let mut bad = def();
    bad.rest[2][1] = f32::INFINITY;
    assert_eq!(refused(bad), ReducedError::BadRest { vertex: 2, axis: 1, value: f64::INFINITY });
    let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 4], WeightPolicy::Strict).unwrap();
    let error = refused(ReducedDef { influences, ..def() });
    assert_eq!(error, ReducedError::InfluenceCount { expected: 3, found: 4 });
    let combination = |list| Influences::combination(2, vec![list; 3]).unwrap();
    let error = refused(ReducedDef { influences: combination(vec![(0, -1.0), (1, 2.0)]), ..def() });
    assert_eq!(error, ReducedError::BadWeight { vertex: 0, slot: 0, value: -1.0 });
    let error = refused(ReducedDef { influences: combination(vec![(0, 2.0)]), ..def() });
    assert_eq!(error, ReducedError::WeightSum { vertex: 0, sum: 2.0 });
    let spherical = |joints| ReducedDef { blend: Blend::Spherical { joints }, ..def() };
    assert_eq!(refused(spherical(vec![[0.0; 3]])), ReducedError::MapCount { expected: 2, found: 1 });
    let error = refused(spherical(vec![[0.0; 3], [f64::INFINITY, 0.0, 0.0]]));
    assert_eq!(error, ReducedError::BadPlace { index: 1, value: f64::INFINITY });
}

#[test]
fn morph_targets() {
    let refused = |vertices: Vec<u32>, deltas: Vec<[f32; 3]>| {
        let morphs = vec![MorphTarget::default(), MorphTarget { vertices, deltas }];
        ReducedMesh::new(ReducedDef { morphs, ..def() }).unwrap_err()
    };
    assert_eq!(refused(vec![0, 1], vec![[0.0; 3]]), ReducedError::DeltaCount { morph: 1, expected: 2, found: 1 });
    assert_eq!(refused(vec![3], vec![[0.0; 3]]), ReducedError::MorphVertex { morph: 1, vertex: 3, vertices: 3 });
    assert_eq!(refused(vec![2, 2], vec![[0.0; 3]; 2]), ReducedError::MorphVertexTwice { morph: 1, vertex: 2 });
    let error = refused(vec![2], vec![[0.0, f32::INFINITY, 0.0]]);
    assert_eq!(error, ReducedError::BadDelta { morph: 1, vertex: 2, value: f64::INFINITY });
}

#[test]
fn poses() {
    let mesh = ReducedMesh::new(def()).unwrap();
    let mut out = vec![[7.0; 3]];
    let vertices = mesh.vertex_count();
    let missing = ReducedError::NoSuchVertex { vertex: vertices as u32, vertices };
    assert_eq!(mesh.evaluate(&Pose::rest(2, 0), &[0, vertices as u32], &mut out), Err(missing));
    assert!(out.is_empty());
    let error = mesh.evaluate(&Pose::rest(3, 0), &[0], &mut out).unwrap_err();
    assert_eq!(error, ReducedError::MapCount { expected: 2, found: 3 });
    assert!(out.is_empty());
    let error = mesh.evaluate(&Pose::rest(2, 1), &[0], &mut out).unwrap_err();
    assert_eq!(error, ReducedError::MorphCount { expected: 0, found: 1 });
    let mut pose = Pose::rest(2, 0);
    pose.maps[1].shift.x = f64::NAN;
    assert_eq!(mesh.check_pose(&pose), Err(ReducedError::BadMap { map: 1 }));
    let pose = Pose { maps: vec![Affine::identity()], morphs: vec![0.0, f64::NEG_INFINITY] };
    assert_eq!(pose.check(1, 2), Err(ReducedError::BadMorphWeight { morph: 1, value: f64::NEG_INFINITY }));
}

fn translation(times: &[f64], values: &[f64]) -> Track {
    Track { interpolation: Interpolation::Linear, times: times.to_vec(), values: values.to_vec() }
}

fn rig_with(property: Property, track: Track) -> Result<Rig, ReducedError> {
    let channel = Channel { node: 0, property, track };
    Rig::new(vec![Node::default()], &[Clip { name: String::new(), channels: vec![channel] }])
}

#[test]
fn tracks() {
    let refused = |property, times: &[f64], values: &[f64]| rig_with(property, translation(times, values)).unwrap_err();
    let along = Property::Translation;
    assert_eq!(refused(along, &[], &[]), ReducedError::NoKeys { track: 0 });
    assert_eq!(refused(along, &[0.0, 0.0], &[0.0; 6]), ReducedError::BadKeyTime { track: 0, key: 1, time: 0.0 });
    let error = refused(along, &[f64::NAN], &[0.0; 3]);
    assert!(matches!(error, ReducedError::BadKeyTime { key: 0, .. }));
    assert_eq!(refused(along, &[0.0], &[0.0; 4]), ReducedError::ValueCount { track: 0, expected: 3, found: 4 });
    let error = refused(along, &[0.0, 1.0], &[0.0, 0.0, 0.0, 0.0, f64::INFINITY, 0.0]);
    assert_eq!(error, ReducedError::BadValue { track: 0, key: 1, value: f64::INFINITY });
    assert_eq!(refused(Property::Rotation, &[0.0], &[0.0; 4]), ReducedError::BadValue { track: 0, key: 0, value: 0.0 });
    let spline = Track { interpolation: Interpolation::CubicSpline, times: vec![0.0], values: vec![0.0; 3] };
    let error = rig_with(along, spline).unwrap_err();
    assert_eq!(error, ReducedError::ValueCount { track: 0, expected: 9, found: 3 });
    assert_eq!(
        refused(Property::Weights, &[0.0], &[1.0]),
        ReducedError::ValueCount { track: 0, expected: 0, found: 1 }
    );
}

#[test]
fn rigs() {
    let node = |parent| Node { parent, ..Node::default() };
    let refused = |nodes, clips: &[Clip]| Rig::new(nodes, clips).unwrap_err();
    assert_eq!(refused(vec![node(Some(3))], &[]), ReducedError::NoSuchNode { node: 3, count: 1 });
    let circle = vec![node(None), node(Some(2)), node(Some(1))];
    assert!(matches!(refused(circle, &[]), ReducedError::NodeCycle { node: 1 }));
    assert!(matches!(refused(vec![node(Some(0))], &[]), ReducedError::NodeCycle { node: 0 }));
    let parts = |translation, rotation, scale| Node {
        transform: NodeTransform::Parts { translation, rotation, scale },
        ..Node::default()
    };
    for bad in [
        parts([f64::NAN, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3]),
        parts([0.0; 3], [0.0; 4], [1.0; 3]),
        parts([0.0; 3], [0.0, 0.0, 0.0, 1.0], [f64::INFINITY; 3]),
        Node { weights: vec![f64::NAN], ..Node::default() },
        Node { transform: NodeTransform::Matrix(Affine::constant([f64::NAN; 3])), ..Node::default() },
    ] {
        assert_eq!(refused(vec![node(None), bad], &[]), ReducedError::BadNode { node: 1 });
    }
    let channel = |node| Channel { node, property: Property::Translation, track: translation(&[0.0], &[0.0; 3]) };
    let clip = |channels| Clip { name: "walk".into(), channels };
    let error = refused(vec![node(None)], &[clip(vec![channel(0), channel(0)])]);
    assert_eq!(error, ReducedError::TrackTwice { track: 1, node: 0 });
    let error = refused(vec![node(None)], &[clip(vec![channel(1)])]);
    assert_eq!(error, ReducedError::NoSuchNode { node: 1, count: 1 });
    let fixed = Node { transform: NodeTransform::Matrix(Affine::identity()), ..Node::default() };
    assert_eq!(refused(vec![fixed], &[clip(vec![channel(0)])]), ReducedError::BadNode { node: 0 });
}

fn walking() -> Arc<Rig> {
    Arc::new(rig_with(Property::Translation, translation(&[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0])).unwrap())
}

#[test]
fn joint_tracks() {
    let rig = walking();
    let mix = Mix::clip(&rig, 0, Outside::Hold).unwrap();
    let refused = |mix: &Mix, bindings, morphs| JointTracks::new(walking(), mix, bindings, morphs).unwrap_err();
    let error = Binding::skin(&[0, 0], Some(&[Affine::identity()])).unwrap_err();
    assert_eq!(error, ReducedError::InverseBindCount { joints: 2, found: 1 });
    assert_eq!(Binding::skin(&[0], None).unwrap()[0].inverse_bind, Affine::identity());
    let bound = |node, inverse_bind| {
        vec![Binding { node: 0, inverse_bind: Affine::identity() }, Binding { node, inverse_bind }]
    };
    let error = refused(&mix, bound(1, Affine::identity()), None);
    assert_eq!(error, ReducedError::NoSuchNode { node: 1, count: 1 });
    assert_eq!(refused(&mix, bound(0, Affine::identity()), Some(9)), ReducedError::NoSuchNode { node: 9, count: 1 });
    assert_eq!(refused(&mix, bound(0, Affine::constant([1.0; 3])), None), ReducedError::Singular { index: 1 });
    assert_eq!(refused(&mix, bound(0, Affine::constant([f64::NAN; 3])), None), ReducedError::BadMap { map: 1 });
    assert_eq!(Mix::clip(&rig, 1, Outside::Hold).unwrap_err(), ReducedError::NoSuchClip { clip: 1, count: 1 });
    let layers = |layers: Vec<Layer>| Mix { layers, span: Span { begin: 0.0, end: 2.0 }, outside: Outside::Hold };
    let error = refused(&layers(vec![Layer::new(4, 0.0)]), Vec::new(), None);
    assert_eq!(error, ReducedError::NoSuchClip { clip: 4, count: 1 });
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = refused(&layers(vec![Layer { rate, ..Layer::new(0, 0.0) }]), Vec::new(), None);
        assert!(matches!(error, ReducedError::BadRate { layer: 0, .. }), "{error}");
    }
    let weighed = |values: Vec<f64>| Layer {
        weight: Some(Track { times: vec![0.0, 1.0], values, interpolation: Interpolation::Linear }),
        ..Layer::new(0, 0.0)
    };
    let error = refused(&layers(vec![weighed(vec![1.0, 0.5]), weighed(vec![0.0, 0.4])]), Vec::new(), None);
    assert_eq!(error, ReducedError::LayerWeights { time: 1.0, value: 0.9 });
    let error = refused(&layers(vec![weighed(vec![1.0, 1.5]), weighed(vec![0.0, -0.5])]), Vec::new(), None);
    assert_eq!(error, ReducedError::LayerWeights { time: 1.0, value: -0.5 });
    let backwards = Mix { span: Span { begin: 1.0, end: 0.0 }, ..layers(vec![]) };
    assert_eq!(refused(&backwards, Vec::new(), None), ReducedError::BadSpan { begin: 1.0, end: 0.0 });
}

#[test]
fn clips_without_length_may_be_held_but_not_looped() {
    let rig = Arc::new(rig_with(Property::Translation, translation(&[3.0], &[1.0, 2.0, 3.0])).unwrap());
    let looped = Mix::clip(&rig, 0, Outside::Loop).unwrap();
    let refused = |mix: &Mix| JointTracks::new(Arc::clone(&rig), mix, Vec::new(), None).unwrap_err();
    assert_eq!(refused(&looped), ReducedError::BadSpan { begin: 3.0, end: 3.0 });
    let layer = Layer { outside: Outside::Loop, ..Layer::new(0, 0.0) };
    let mix = Mix { layers: vec![layer], span: Span { begin: 0.0, end: 2.0 }, outside: Outside::Hold };
    assert!(matches!(refused(&mix), ReducedError::BadSpan { .. }));
    let held = Mix::clip(&rig, 0, Outside::Hold).unwrap();
    let bindings = Binding::skin(&[0], None).unwrap();
    let tracks = JointTracks::new(Arc::clone(&rig), &held, bindings, None).unwrap();
    let mesh = Arc::new(ReducedMesh::morphed(def().mesh, def().rest, Vec::new()).unwrap());
    let body = ReducedBody::new(mesh, Arc::new(tracks)).unwrap();
    assert_eq!(body.pieces(0.1).unwrap().count(), 0);
    let mut out = Vec::new();
    for time in [-1.0, 3.0, 9.0] {
        body.positions(kinetree::time::Moment::at(time), &[0], &mut out).unwrap();
        assert_eq!(out, [[1.0, 2.0, 3.0]]);
    }
}

#[test]
fn keyed_poses() {
    let pose = |maps| Pose::rest(maps, 0);
    let refused = |times: &[f64], poses, centres, outside| PoseKeys::new(times, poses, centres, outside).unwrap_err();
    let hold = Outside::Hold;
    assert_eq!(refused(&[], vec![], vec![], hold), ReducedError::NoKeys { track: 0 });
    let error = refused(&[0.0, 1.0], vec![pose(1)], vec![[0.0; 3]], hold);
    assert_eq!(error, ReducedError::ValueCount { track: 0, expected: 2, found: 1 });
    let error = refused(&[1.0, 0.0], vec![pose(1); 2], vec![[0.0; 3]], hold);
    assert_eq!(error, ReducedError::BadKeyTime { track: 0, key: 1, time: 0.0 });
    let error = refused(&[0.0, 1.0], vec![pose(1), pose(2)], vec![[0.0; 3]], hold);
    assert_eq!(error, ReducedError::MapCount { expected: 1, found: 2 });
    assert_eq!(refused(&[0.0], vec![pose(1)], vec![], hold), ReducedError::MapCount { expected: 1, found: 0 });
    let error = refused(&[0.0], vec![pose(1)], vec![[0.0, f64::INFINITY, 0.0]], hold);
    assert_eq!(error, ReducedError::BadPlace { index: 0, value: f64::INFINITY });
    let error = refused(&[0.0], vec![pose(1)], vec![[0.0; 3]], Outside::Loop);
    assert_eq!(error, ReducedError::BadSpan { begin: 0.0, end: 0.0 });
    let error = PoseKeys::weights(&[0.0], vec![vec![f64::INFINITY]], hold).unwrap_err();
    assert_eq!(error, ReducedError::BadMorphWeight { morph: 0, value: f64::INFINITY });
}

#[test]
fn meshless_nodes() {
    let flat: Vec<[f64; 3]> = (0..9).map(|i| [f64::from(i % 3), f64::from(i / 3), 0.0]).collect();
    let error = Meshless::new(flat, 3.0).unwrap_err();
    assert!(matches!(error, ReducedError::DegenerateNode { node: 0, neighbours } if neighbours > 3), "{error}");
    let far = vec![[0.0; 3], [10.0, 0.0, 0.0]];
    assert_eq!(Meshless::new(far, 1.0).unwrap_err(), ReducedError::DegenerateNode { node: 0, neighbours: 0 });
    assert!(Meshless::new(vec![], 1.0).is_err());
    assert!(Meshless::new(vec![[0.0; 3]], f64::NAN).is_err());
    let cube: Vec<[f64; 3]> = (0..8).map(|i| [f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)]).collect();
    let mut broken = cube.clone();
    broken[5][2] = f64::NAN;
    assert!(matches!(Meshless::new(broken, 2.0).unwrap_err(), ReducedError::BadPlace { index: 5, .. }));
    let nodes = Meshless::new(cube, 2.0).unwrap();
    assert_eq!(nodes.influences(&[[0.0; 3], [9.0; 3]]).unwrap_err(), ReducedError::NoInfluence { vertex: 1 });
    let mut pose = Pose::default();
    assert_eq!(nodes.pose(&[[0.0; 3]], &mut pose).unwrap_err(), ReducedError::MapCount { expected: 8, found: 1 });
    let mut displacements = [[0.0; 3]; 8];
    displacements[3][1] = f64::NEG_INFINITY;
    assert!(matches!(nodes.pose(&displacements, &mut pose).unwrap_err(), ReducedError::BadPlace { index: 3, .. }));
}

#[test]
fn tetrahedra() {
    let places = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]];
    let refused = |tetrahedra| Tetrahedra::new(places.clone(), tetrahedra).unwrap_err();
    assert_eq!(refused(vec![]), ReducedError::BadTetrahedron { tetrahedron: 0 });
    assert_eq!(refused(vec![[0, 1, 2, 3], [0, 1, 2, 5]]), ReducedError::BadTetrahedron { tetrahedron: 1 });
    assert_eq!(refused(vec![[0, 1, 2, 4]]), ReducedError::BadTetrahedron { tetrahedron: 0 });
    let body = Tetrahedra::new(places, vec![[0, 1, 2, 3]]).unwrap();
    let error = body.pose(&[[0.0; 3]], &mut Pose::default()).unwrap_err();
    assert_eq!(error, ReducedError::MapCount { expected: 5, found: 1 });
}

#[test]
fn bodies_and_tolerances() {
    let mesh = Arc::new(ReducedMesh::new(def()).unwrap());
    let tracks = |count| {
        let bindings = Binding::skin(&vec![0; count], None).unwrap();
        Arc::new(
            JointTracks::new(walking(), &Mix::clip(&walking(), 0, Outside::Hold).unwrap(), bindings, None).unwrap(),
        )
    };
    let error = ReducedBody::new(Arc::clone(&mesh), tracks(1)).unwrap_err();
    assert_eq!(error, ReducedError::MapCount { expected: 2, found: 1 });
    let morphed = ReducedMesh::morphed(def().mesh, def().rest, vec![MorphTarget::default()]).unwrap();
    let error = ReducedBody::new(Arc::new(morphed), tracks(1)).unwrap_err();
    assert_eq!(error, ReducedError::MorphCount { expected: 1, found: 0 });
    let body = ReducedBody::new(mesh, tracks(2)).unwrap();
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
        let error = body.pieces(tolerance).unwrap_err();
        assert!(matches!(error, ReducedError::BadTolerance { .. }), "{error}");
        assert!(!error.to_string().is_empty());
    }
    assert!(matches!(body.pieces_at_rate(0.0), Err(ReducedError::BadTolerance { .. })));
    assert!(matches!(body.pieces_at_rate(1e9), Err(ReducedError::TooManyPieces { .. })));
    assert_eq!(body.pieces(1e-6).unwrap().count(), 1);
}

#[test]
fn sheared_joints_are_refused_under_spherical_blending() {
    let values = [1.0, 1.0, 1.0, 2.0, 1.0, 1.0];
    let rig = Arc::new(rig_with(Property::Scale, translation(&[0.0, 1.0], &values)).unwrap());
    let bindings = Binding::skin(&[0, 0], None).unwrap();
    let tracks =
        JointTracks::new(Arc::clone(&rig), &Mix::clip(&rig, 0, Outside::Hold).unwrap(), bindings, None).unwrap();
    let def = ReducedDef { blend: Blend::Spherical { joints: vec![[0.0; 3]; 2] }, ..def() };
    let error = ReducedBody::new(Arc::new(ReducedMesh::new(def).unwrap()), Arc::new(tracks)).unwrap_err();
    assert_eq!(error, ReducedError::NotRigid { map: 0 });
}

#[test]
fn a_vertex_with_too_many_joints_for_spherical_blending() {
    let mesh = |joints: usize, blend: fn(usize) -> Blend| {
        let weight = 1.0 / joints as f64;
        let list: Vec<(u32, f64)> = (0..joints as u32).map(|joint| (joint, weight)).collect();
        let lists = vec![vec![(0, 1.0)], list.clone(), list];
        let influences = Influences::convex(joints, lists, WeightPolicy::Strict).unwrap();
        ReducedMesh::new(ReducedDef { influences, blend: blend(joints), ..def() })
    };
    let spherical = |joints| Blend::Spherical { joints: vec![[0.0; 3]; joints] };
    let most = MAX_JOINTS_PER_VERTEX;
    let largest = mesh(most, spherical).unwrap();
    assert_eq!(largest.joint_sets().unwrap().joints_of(1).len(), most);
    let refused = ReducedError::TooManyJoints { vertex: 1, joints: most + 1 };
    assert_eq!(mesh(most + 1, spherical).err(), Some(refused.clone()));
    let linear = mesh(most + 1, |_| Blend::Linear).unwrap();
    assert_eq!(linear.blended(spherical(most + 1)).err(), Some(refused));
    // Before any work on their pairs.
    assert_eq!(mesh(100_000, spherical).err(), Some(ReducedError::TooManyJoints { vertex: 1, joints: 100_000 }));
}
