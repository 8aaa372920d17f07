//! Morph weights of clips: wraps of loops, and weights of single layers.

use std::sync::Arc;

use kinetree::Hierarchy;
use kinetree::mesh::Mesh;
use kinetree::motion::Outside;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Level, MovingBounds};
use kinetree::reduced::{
    Binding, Channel, Clip, Interpolation, JointTracks, Layer, Mix, MorphTarget, Node, Property, ReducedBody,
    ReducedMesh, Rig, Track, check_driver,
};
use kinetree::time::{Moment, Side, Span};

/// A triangle that the first of `targets` moves along x; the clip gives all weights at 0 s and 1 s.
fn morphed(targets: usize, values: &[f64], layer: Layer, end: f64) -> Arc<ReducedBody> {
    let track = Track { interpolation: Interpolation::Linear, times: vec![0.0, 1.0], values: values.to_vec() };
    let clip = Clip { name: String::new(), channels: vec![Channel { node: 0, property: Property::Weights, track }] };
    let node = Node { weights: vec![0.0; targets], ..Node::default() };
    let rig = Arc::new(Rig::new(vec![node], &[clip]).unwrap());
    let mix = Mix { layers: vec![layer], span: Span { begin: 0.0, end }, outside: Outside::Hold };
    let tracks = JointTracks::new(rig, &mix, Binding::skin(&[0], None).unwrap(), Some(0)).unwrap();
    let mut morphs = vec![MorphTarget::dense(&[[1.0, 0.0, 0.0]; 3])];
    morphs.resize(targets, MorphTarget::default());
    let rest = vec![[0.0; 3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mesh = ReducedMesh::morphed(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), rest, morphs).unwrap();
    Arc::new(ReducedBody::new(Arc::new(mesh), Arc::new(tracks)).unwrap())
}

fn x_at(body: &ReducedBody, at: Moment) -> f64 {
    let mut places = Vec::new();
    body.positions(at, &[0], &mut places).unwrap();
    places[0][0]
}

/// Four weights are no quaternion: opposite ones are another pose.
#[test]
fn a_loop_from_weights_to_their_opposites_jumps() {
    for targets in [3, 4, 5] {
        let mut values = vec![0.0; 2 * targets];
        (values[0], values[targets]) = (1.0, -1.0);
        let layer = Layer { outside: Outside::Loop, ..Layer::new(0, 0.0) };
        let body = morphed(targets, &values, layer, 2.0);
        let wrap = body.driver().breaks()[1];
        assert!(wrap.time == 1.0 && wrap.is_jump, "{targets}: {wrap:?}");
        check_driver(&body, 1, 10).unwrap();
        let pieces = body.pieces(1e-3).unwrap();
        let tree = Arc::new(BoundTree::new(body.mesh(), BoundParams::default()));
        let moving = MovingBounds::new(tree, Arc::clone(&body), &pieces, Level::Corner).unwrap();
        for at in [Moment::at(1.0), Moment::after(1.0), Moment::at(1.25), Moment::at(1.5)] {
            let bounds = moving.node_box(0, at);
            let mut places = Vec::new();
            body.positions(at, &[0, 1, 2], &mut places).unwrap();
            assert!(places.iter().all(|place| bounds.contains(place)), "{targets}: {bounds:?} at {at:?}");
        }
        let sampler = body.sampler(pieces).unwrap();
        assert_eq!(sampler.position(1, Side::At, 0), [-1.0, 0.0, 0.0]);
        assert_eq!(sampler.position(1, Side::After, 0), [1.0, 0.0, 0.0]);
    }
}

/// The weight of a single layer is one up to rounding, and does not bend the motion.
#[test]
fn the_weight_of_a_single_layer_is_one() {
    let weight =
        Track { interpolation: Interpolation::Linear, times: vec![0.0, 1.0], values: vec![1.0 - 9e-7, 1.0 + 9e-7] };
    let body = morphed(1, &[0.0, 1000.0], Layer { weight: Some(weight), ..Layer::new(0, 0.0) }, 1.0);
    check_driver(&body, 1, 50).unwrap();
    let pieces = body.pieces(1e-5).unwrap();
    for (ends, stated) in pieces.times().windows(2).zip(pieces.deviations()) {
        let [begin, end] = [x_at(&body, Moment::after(ends[0])), x_at(&body, Moment::at(ends[1]))];
        let middle = x_at(&body, Moment::at(0.5 * (ends[0] + ends[1])));
        let off = (middle - 0.5 * (begin + end)).abs();
        assert!(off <= *stated, "{off} m from {ends:?}, stated {stated}");
    }
    assert_eq!(x_at(&body, Moment::at(0.5)), 500.0);
}
