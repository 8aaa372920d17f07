//! The paper's refitting as printed, and what was put right in ours: every error is shown to be one.

use kinetree::mesh::Mesh;
use kinetree::reduced::affine::rotation_matrix;
use kinetree::reduced::sphere_tree::{PosedSpheres, SphereParams, SphereTree};
use kinetree::reduced::{Affine, Blend, Influences, Pose, ReducedDef, ReducedMesh, WeightPolicy};
use nalgebra::Vector3;

use crate::common::dice::Dice;
use crate::reduced_support::rotation;

/// A skin of some vertices at given places, all in one leaf, under spherical blending, with joints at the origin.
fn one_leaf(places: &[[f32; 3]], lists: &[Vec<(u32, f64)>], joints: usize) -> ReducedMesh {
    let triangles = (0..places.len() as u32).map(|v| [v, v, v]).collect();
    let mesh = Mesh::new(places.len(), triangles).unwrap();
    let influences = Influences::convex(joints, lists.iter().cloned(), WeightPolicy::Strict).unwrap();
    let blend = Blend::Spherical { joints: vec![[0.0; 3]; joints] };
    ReducedMesh::new(ReducedDef { mesh, rest: places.to_vec(), influences, morphs: Vec::new(), blend }).unwrap()
}

fn turned(axis: [f64; 3], degrees: f64) -> Affine {
    Affine { linear: rotation(&Vector3::from(axis), degrees.to_radians()), shift: Vector3::zeros() }
}

/// Which of its errors the printed algorithm is run with.
#[derive(Clone, Copy, PartialEq)]
enum Printed {
    /// Quaternions as they come from the matrices, signs and all.
    Signs,
    /// Joints of the set taken for the first joints of the body (lines 2-3).
    Indices,
}

/// Algorithm 1 for a ball `[p, 0]`, one joint set, all corners of the weights given, rotation centre 0. Returns centre and radius.
fn printed(p: [f64; 3], quaternions: &[[f64; 4]], corners: &[Vec<f64>]) -> (Vector3<f64>, f64, f64) {
    let blends: Vec<[f64; 4]> = corners
        .iter()
        .map(|corner| {
            let mut sum = [0.0; 4];
            for (weight, q) in corner.iter().zip(quaternions) {
                (0..4).for_each(|part| sum[part] += weight * q[part]);
            }
            let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
            sum.map(|x| x / length)
        })
        .collect();
    let mut centre = [0.0; 4];
    for blend in &blends {
        (0..4).for_each(|part| centre[part] += blend[part] / blends.len() as f64);
    }
    let off = |q: &[f64; 4]| (0..4).map(|part| (q[part] - centre[part]).powi(2)).sum::<f64>().sqrt();
    let radius = blends.iter().map(off).fold(0.0, f64::max);
    let square = centre.iter().map(|x| x * x).sum::<f64>();
    let argument = (1.0 + square - radius * radius) / (2.0 * square.sqrt());
    let alpha = 2.0 * argument.acos();
    let arm = rotation_matrix(centre) * Vector3::from(p);
    (arm * alpha.cos(), alpha.sin() * arm.norm(), argument)
}

const UNIT_CORNERS: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Beyond a right angle a cap holds a great circle, and no smaller sphere than the whole one holds that.
#[test]
fn lemma_5_holds_up_to_a_right_angle_only() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let p = [half as f32, half as f32, 0.0];
    let tiny = 1e-7;
    // All in one joint set: weights of (almost) nothing keep the joints in every list.
    let lists = [
        vec![(0, 1.0 - 2.0 * tiny), (1, tiny), (2, tiny)],
        vec![(0, tiny), (1, 1.0 - 2.0 * tiny), (2, tiny)],
        vec![(0, tiny), (1, tiny), (2, 1.0 - 2.0 * tiny)],
        vec![(0, tiny), (1, 0.5 - tiny / 2.0), (2, 0.5 - tiny / 2.0)],
    ];
    let mesh = one_leaf(&[p; 4], &lists, 3);
    let pose = Pose {
        maps: vec![Affine::identity(), turned([1.0, 0.0, 0.0], 180.0), turned([0.0, 1.0, 0.0], 180.0)],
        morphs: Vec::new(),
    };
    let mut all = Vec::new();
    mesh.evaluate_all(&pose, &mut all).unwrap();
    let quaternions = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]];
    let (centre, radius, _) = printed([half, half, 0.0], &quaternions, &UNIT_CORNERS.map(|c| c.to_vec()));
    let outside = (Vector3::from(all[3]) - centre).norm() - radius;
    assert!((radius - 0.943).abs() < 0.001 && (outside - 0.391).abs() < 0.001, "{radius} {outside}");

    let tree = SphereTree::new(&mesh, SphereParams::default()).unwrap();
    let sphere = PosedSpheres::new(&tree, &mesh, &pose).unwrap().sphere(0);
    assert!(all.iter().all(|place| sphere.contains(place)) && sphere.radius < 1.1, "{sphere:?}");
}

/// The same where the quaternions are within a cap that is not all rotations: two joints at 170° about x. The ball of their blends reaches
/// beyond a right angle, and the sphere of the printed formula would lie on the far side.
#[test]
fn a_cap_beyond_a_right_angle_is_the_whole_sphere() {
    let lists = [vec![(0, 1.0 - 1e-7), (1, 1e-7)], vec![(0, 1e-7), (1, 1.0 - 1e-7)], vec![(0, 0.5), (1, 0.5)]];
    let mesh = one_leaf(&[[0.0, 1.0, 0.0]; 3], &lists, 2);
    let maps = vec![turned([1.0, 0.0, 0.0], 85.0), turned([1.0, 0.0, 0.0], -85.0)];
    let pose = Pose { maps, morphs: Vec::new() };
    let mut all = Vec::new();
    mesh.evaluate_all(&pose, &mut all).unwrap();
    let half = 42.5f64.to_radians();
    let quaternions = [[libm::sin(half), 0.0, 0.0, libm::cos(half)], [-libm::sin(half), 0.0, 0.0, libm::cos(half)]];
    // As printed, with the ball of the corners' blends before they are normalised: their middle and half their distance.
    let (length, radius) = (libm::cos(half), libm::sin(half));
    assert!(radius < length && quaternions[0][3] == length);
    let sine = radius / length;
    let (along, radius) = (1.0 - 2.0 * sine * sine, 2.0 * sine * (1.0 - sine * sine).sqrt());
    assert!(along < 0.0);
    assert!((Vector3::from(all[0]) - Vector3::new(0.0, along, 0.0)).norm() > radius + 0.5, "{along} {radius}");

    let tree = SphereTree::new(&mesh, SphereParams::default()).unwrap();
    let sphere = PosedSpheres::new(&tree, &mesh, &pose).unwrap().sphere(0);
    assert!(all.iter().all(|place| sphere.contains(place)) && sphere.radius < 1.01, "{sphere:?}");
}

/// A ball of quaternions that is too large has no cap: all rotations must be taken.
#[test]
fn a_large_ball_of_quaternions_means_all_rotations() {
    let p = [0.0, 1.0, 0.0f32];
    let tiny = 1e-7;
    let lists = [
        vec![(0, 1.0 - 2.0 * tiny), (1, tiny), (2, tiny)],
        vec![(0, tiny), (1, 1.0 - 2.0 * tiny), (2, tiny)],
        vec![(0, tiny), (1, tiny), (2, 1.0 - 2.0 * tiny)],
        vec![(0, 0.3), (1, 0.6), (2, 0.1)],
    ];
    let mesh = one_leaf(&[p; 4], &lists, 3);
    let turns = [0.0, 178.0, -178.0];
    let maps: Vec<Affine> = turns.iter().map(|&angle| turned([1.0, 0.0, 0.0], angle)).collect();
    let pose = Pose { maps, morphs: Vec::new() };
    let mut all = Vec::new();
    mesh.evaluate_all(&pose, &mut all).unwrap();
    let quaternions = turns.map(|angle: f64| {
        let half = 0.5 * angle.to_radians();
        [libm::sin(half), 0.0, 0.0, libm::cos(half)]
    });
    let (centre, radius, _) = printed([0.0, 1.0, 0.0], &quaternions, &UNIT_CORNERS.map(|c| c.to_vec()));
    assert!(all.iter().any(|place| (Vector3::from(*place) - centre).norm() > radius + 0.5), "{radius}");

    let tree = SphereTree::new(&mesh, SphereParams::default()).unwrap();
    let sphere = PosedSpheres::new(&tree, &mesh, &pose).unwrap().sphere(0);
    assert!(all.iter().all(|place| sphere.contains(place)), "{sphere:?}");
}

/// One joint: the argument of the arc cosine is 1 up to rounding, now and then above.
#[test]
fn one_joint_leaves_the_range_of_the_arc_cosine() {
    let mut dice = Dice::new(25, &[]);
    let mut beyond = 0;
    for _ in 0..300 {
        let axis = Vector3::new(dice.real(-1.0, 1.0), dice.real(-1.0, 1.0), 1.0).normalize();
        let angle = dice.real(-3.0, 3.0);
        let (s, c) = (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
        let quaternion = [axis.x * s, axis.y * s, axis.z * s, c];
        let (_, radius, argument) = printed([1.0, 2.0, 3.0], &[quaternion], &[vec![1.0]]);
        beyond += usize::from(argument > 1.0 && radius.is_nan());
        let mesh = one_leaf(&[[1.0, 2.0, 3.0]], &[vec![(0, 1.0)]], 1);
        let pose =
            Pose { maps: vec![Affine { linear: rotation(&axis, angle), shift: Vector3::zeros() }], morphs: Vec::new() };
        let tree = SphereTree::new(&mesh, SphereParams::default()).unwrap();
        let sphere = PosedSpheres::new(&tree, &mesh, &pose).unwrap().sphere(0);
        let mut all = Vec::new();
        mesh.evaluate_all(&pose, &mut all).unwrap();
        assert!(sphere.contains(&all[0]) && sphere.radius < 1e-9, "{sphere:?}");
    }
    assert!(beyond > 0, "none beyond 1");
}

/// Quaternions with other signs than the skinning's bound other rotations; those of other joints too.
#[test]
fn signs_and_indices_must_be_those_of_the_skinning() {
    let mut dice = Dice::new(26, &[]);
    let mut lost = [0usize; 2];
    let rounds = 200;
    for _ in 0..rounds {
        let tiny = 1e-7;
        let weight = dice.real(0.1, 0.9);
        // The set is {1, 2} of three joints.
        let lists =
            [vec![(1, 1.0 - tiny), (2, tiny)], vec![(1, tiny), (2, 1.0 - tiny)], vec![(1, weight), (2, 1.0 - weight)]];
        let p = [0.3f32, 0.5, 0.7];
        let mesh = one_leaf(&[p; 3], &lists, 3);
        let mut pose = Pose::rest(3, 0);
        for map in &mut pose.maps {
            let axis = Vector3::new(dice.real(-1.0, 1.0), dice.real(-1.0, 1.0), dice.real(-1.0, 1.0));
            if axis.norm() > 0.1 {
                map.linear = rotation(&axis.normalize(), dice.real(-3.0, 3.0));
            }
        }
        let mut all = Vec::new();
        mesh.evaluate_all(&pose, &mut all).unwrap();
        let frame = mesh.joint_sets().unwrap().frame(0, &pose).unwrap();
        let tree = SphereTree::new(&mesh, SphereParams::default()).unwrap();
        let sphere = PosedSpheres::new(&tree, &mesh, &pose).unwrap().sphere(0);
        assert!(all.iter().all(|place| sphere.contains(place)), "{sphere:?}");

        let image = |joint: usize| pose.maps[joint].apply(&Vector3::from(frame.centre));
        let arm = Vector3::from(p.map(f64::from)) - Vector3::from(frame.centre);
        for (which, error) in [Printed::Signs, Printed::Indices].into_iter().enumerate() {
            let quaternions = match error {
                Printed::Signs => [frame.joints[0].quaternion, frame.joints[1].quaternion.map(|x| -x)],
                Printed::Indices => {
                    [0, 1].map(|joint: usize| kinetree::reduced::affine::quaternion_of(&pose.maps[joint].linear))
                }
            };
            let (centre, radius, _) = printed(arm.into(), &quaternions, &[vec![1.0, 0.0], vec![0.0, 1.0]]);
            let linear = (image(1) + image(2)) * 0.5;
            let spread = (image(1) - image(2)).norm() * 0.5;
            let is_lost =
                |place: &[f64; 3]| !((Vector3::from(*place) - centre - linear).norm() <= radius + spread + 1e-9);
            lost[which] += usize::from(all.iter().any(is_lost));
        }
    }
    assert!(lost.iter().all(|&lost| lost > rounds / 4), "lost with wrong signs and indices: {lost:?}");
}

/// Joints at 70° one way and 100° the other about x, blended by nearly equal weights: a small cap around a small turn. Quaternions with the
/// signs their matrices give are blended the long way round, and the small cap there holds no vertex.
#[test]
fn a_small_cap_needs_the_signs_of_the_skinning() {
    let lists = [vec![(0, 0.45), (1, 0.55)], vec![(0, 0.5), (1, 0.5)], vec![(0, 0.55), (1, 0.45)]];
    let mesh = one_leaf(&[[0.0, 1.0, 0.0]; 3], &lists, 2);
    let maps = vec![turned([1.0, 0.0, 0.0], 70.0), turned([1.0, 0.0, 0.0], -100.0)];
    let pose = Pose { maps, morphs: Vec::new() };
    let raw = pose.maps.iter().map(|map| kinetree::reduced::affine::quaternion_of(&map.linear));
    let raw: Vec<[f64; 4]> = raw.collect();
    assert!((0..4).map(|part| raw[0][part] * raw[1][part]).sum::<f64>() < 0.0, "one hemisphere already");
    let mut all = Vec::new();
    mesh.evaluate_all(&pose, &mut all).unwrap();
    let (centre, radius, _) = printed([0.0, 1.0, 0.0], &raw, &[vec![0.45, 0.55], vec![0.55, 0.45]]);
    assert!(all.iter().all(|place| (Vector3::from(*place) - centre).norm() > radius + 0.5), "{centre} {radius}");

    let tree = SphereTree::new(&mesh, SphereParams::default()).unwrap();
    let sphere = PosedSpheres::new(&tree, &mesh, &pose).unwrap().sphere(0);
    assert!(all.iter().all(|place| sphere.contains(place)) && sphere.radius < 0.8, "{sphere:?}");
}

/// A node with several joint sets is bounded set by set: the ball of one says nothing of the others.
#[test]
fn every_joint_set_of_a_node_is_bounded() {
    let mesh = one_leaf(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[vec![(0, 1.0)], vec![(1, 1.0)]], 2);
    let mut pose = Pose::rest(2, 0);
    pose.maps[1].shift.y = 10.0;
    let tree = SphereTree::new(&mesh, SphereParams::default()).unwrap();
    let sphere = PosedSpheres::new(&tree, &mesh, &pose).unwrap().sphere(0);
    assert!(sphere.contains(&[1.0, 0.0, 0.0]) && sphere.contains(&[2.0, 10.0, 0.0]));
    let only_first = one_leaf(&[[1.0, 0.0, 0.0]], &[vec![(0, 1.0)]], 2);
    let tree = SphereTree::new(&only_first, SphereParams::default()).unwrap();
    let sphere = PosedSpheres::new(&tree, &only_first, &pose).unwrap().sphere(0);
    assert!(!sphere.contains(&[2.0, 10.0, 0.0]));
}
