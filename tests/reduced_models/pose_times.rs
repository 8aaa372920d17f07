//! Times that are added to the ends of pieces: speeds of the shorter pieces.

use std::sync::Arc;

use kinetree::check_bounded_sampler;
use kinetree::mesh::Mesh;
use kinetree::motion::Outside;
use kinetree::reduced::{
    Affine, Binding, Blend, Channel, Clip, Driver, Influences, Interpolation, JointTracks, Mix, Node, Pose, PoseKeys,
    PoseTimes, Property, ReducedBody, ReducedDef, ReducedMesh, Rig, Sequence, Track, WeightPolicy,
};

const REST: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]];

fn check(body: &ReducedBody, times: &PoseTimes, added: &[f64]) {
    let keys = times.with(added, |_| 0.0);
    let turned = Affine::from_parts([3.0, -2.0, 1.0], [0.6, 0.0, 0.8, 0.0], [2.0; 3]);
    let cases = [(body.clone(), keys.clone()), (body.placed(turned).unwrap(), keys.placed(&turned))];
    for (body, keys) in cases {
        let sampler = body.sampler_at(keys, None, Outside::Hold).unwrap();
        check_bounded_sampler(sampler, body.mesh().mesh()).unwrap();
    }
}

/// At 1 s the body jumps from x = 10 back to 0, and travels there from 0.5 s on: it is early at 0.5 s.
#[test]
fn ways_to_and_over_a_jump_are_bounded() {
    let at =
        |x: f64| Pose { maps: vec![Affine::from_parts([x, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3])], morphs: vec![] };
    let keys = |times: [f64; 2], xs: [f64; 2]| -> Arc<dyn Driver> {
        Arc::new(PoseKeys::new(&times, xs.map(at).to_vec(), vec![[0.0; 3]], Outside::Hold).unwrap())
    };
    let parts = vec![(0.0, keys([0.0, 1.0], [0.0, 10.0])), (1.0, keys([1.0, 2.0], [0.0, 0.0]))];
    let driver = Sequence::new(parts, 2.0, Outside::Hold).unwrap();
    let mesh = ReducedMesh::morphed(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), REST.to_vec(), Vec::new()).unwrap();
    let body = ReducedBody::new(Arc::new(mesh), Arc::new(driver)).unwrap();
    let times = body.travelling(&body.pieces_at(&[]).unwrap(), 0.5);
    assert_eq!(times.times(), [0.0, 0.5, 1.0, 2.0]);
    for added in [[].as_slice(), &[0.25], &[0.49], &[0.51], &[0.99], &[1.01], &[0.49, 0.51, 0.99]] {
        check(&body, &times, added);
    }
    // Elsewhere nothing gets faster.
    let speed = |times: PoseTimes| body.sampler_at(times, None, Outside::Hold).unwrap().largest_speed();
    let [before, after] = [speed(times.clone()), speed(times.with(&[1.25, 1.75], |_| 0.0))];
    assert!(after < 1.001 * before, "{before} m/s, {after} m/s");
}

/// Two joints turn from 170 to 190 degrees against each other: half-way a vertex changes sides within an instant.
#[test]
fn shorter_pieces_of_spherical_blending_are_bounded() {
    let turn = |degrees: f64| {
        let (sine, cosine) = (0.5 * degrees.to_radians()).sin_cos();
        [0.0, 0.0, sine, cosine]
    };
    let values = [turn(170.0), turn(190.0)].concat();
    let track = Track { interpolation: Interpolation::Linear, times: vec![0.0, 1.0], values };
    let channel = Channel { node: 1, property: Property::Rotation, track };
    let clip = Clip { name: String::new(), channels: vec![channel] };
    let rig = Arc::new(Rig::new(vec![Node::default(); 2], &[clip]).unwrap());
    let mix = Mix::clip(&rig, 0, Outside::Hold).unwrap();
    let tracks = JointTracks::new(rig, &mix, Binding::skin(&[0, 1], None).unwrap(), None).unwrap();
    let influences = Influences::convex(2, vec![vec![(0, 0.5), (1, 0.5)]; 3], WeightPolicy::Strict).unwrap();
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let blend = Blend::Spherical { joints: vec![[0.0; 3]; 2] };
    let def = ReducedDef { mesh, rest: REST.to_vec(), influences, morphs: Vec::new(), blend };
    let body = ReducedBody::new(Arc::new(ReducedMesh::new(def).unwrap()), Arc::new(tracks)).unwrap();
    let times = PoseTimes::new(&body.pieces_at(&[]).unwrap());
    for added in [[].as_slice(), &[0.25], &[0.49, 0.51], &[0.4999, 0.5001]] {
        check(&body, &times, added);
    }
}
