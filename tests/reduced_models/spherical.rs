//! Spherical blending against a reference by singular values, and the rules it states: hemispheres, centres, rigid maps.

use kinetree::limits::SMALL_TURN;
use kinetree::mesh::Mesh;
use kinetree::reduced::sphere_tree::{PosedSpheres, SphereParams, SphereTree};
use kinetree::reduced::{Affine, Blend, Influences, Pose, ReducedDef, ReducedError, ReducedMesh, WeightPolicy};
use kinetree::time::Moment;
use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};

use crate::common::dice::Dice;
use crate::{Flavour, distance, quaternion, rounds, scene, vector};

/// One vertex under some joints with places at rest.
fn single(vertex: [f32; 3], weights: &[f64], places: &[[f64; 3]]) -> ReducedMesh {
    let list: Vec<(u32, f64)> = weights.iter().enumerate().map(|(joint, &weight)| (joint as u32, weight)).collect();
    let influences = Influences::convex(weights.len(), vec![list], WeightPolicy::Strict).unwrap();
    let mesh = Mesh::new(1, vec![[0, 0, 0]]).unwrap();
    let blend = Blend::Spherical { joints: places.to_vec() };
    ReducedMesh::new(ReducedDef { mesh, rest: vec![vertex], influences, morphs: Vec::new(), blend }).unwrap()
}

fn place(mesh: &ReducedMesh, maps: &[Affine]) -> [f64; 3] {
    let mut out = Vec::new();
    mesh.evaluate(&Pose { maps: maps.to_vec(), morphs: Vec::new() }, &[0], &mut out).unwrap();
    out[0]
}

/// A turn about an axis through a point.
fn about(point: [f64; 3], axis: Vector3<f64>, angle: f64) -> Affine {
    let linear = Rotation3::new(axis.normalize() * angle).into_inner();
    let point = Vector3::from(point);
    Affine { linear, shift: point - linear * point }
}

/// The solution of a least-squares problem in three unknowns with `ridge` times the square of their length added: columns are turned against
/// each other until they are orthogonal (one-sided Jacobi).
fn least_squares(rows: &[[f64; 3]], right: &[f64], ridge: f64) -> Vector3<f64> {
    let mut columns: [Vec<f64>; 3] = std::array::from_fn(|k| rows.iter().map(|row| row[k]).collect());
    let mut turns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let turn = |a: &mut [f64], b: &mut [f64], c: f64, s: f64| {
        a.iter_mut().zip(b).for_each(|(x, y)| (*x, *y) = (c * *x - s * *y, s * *x + c * *y));
    };
    for _ in 0..30 {
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let mixed = dot(&columns[i], &columns[j]);
            if mixed != 0.0 {
                let cot = (dot(&columns[j], &columns[j]) - dot(&columns[i], &columns[i])) / (2.0 * mixed);
                let tan = cot.signum() / (cot.abs() + (1.0 + cot * cot).sqrt());
                let cosine = 1.0 / (1.0 + tan * tan).sqrt();
                let [left, .., last] = &mut columns[i..=j] else { unreachable!() };
                turn(left, last, cosine, tan * cosine);
                let [left, .., last] = &mut turns[i..=j] else { unreachable!() };
                turn(left, last, cosine, tan * cosine);
            }
        }
    }
    let part = |k: usize| dot(&columns[k], right) / (dot(&columns[k], &columns[k]) + ridge);
    (0..3).map(|k| Vector3::from(turns[k]) * part(k)).sum()
}

/// The paper's formula, with scales: centre by singular values over all pairs, drawn to the mean as documented, from the quaternions that the maps
/// were made of.
fn reference(
    vertex: Vector3<f64>,
    weights: &[f64],
    maps: &[Affine],
    (turns, scales): (&[[f64; 4]], &[f64]),
    mean: Vector3<f64>,
) -> [f64; 3] {
    let (mut rows, mut right) = (Vec::new(), Vec::new());
    for a in 0..maps.len() {
        for b in a + 1..maps.len() {
            let (linear, shift) = (maps[a].linear - maps[b].linear, maps[a].shift - maps[b].shift);
            let off = shift + linear * mean;
            for row in 0..3 {
                rows.push(std::array::from_fn(|column| linear[(row, column)]));
                right.push(-off[row]);
            }
        }
    }
    // Every pair's distance counts; the weight of the mean is per joint.
    let squares: f64 = scales.iter().map(|scale| scale * scale).sum();
    let centre = mean + least_squares(&rows, &right, SMALL_TURN * SMALL_TURN * squares);
    let turns: Vec<Quaternion<f64>> = turns.iter().map(|q| Quaternion::new(q[3], q[0], q[1], q[2])).collect();
    let mut sum = Quaternion::new(0.0, 0.0, 0.0, 0.0);
    let mut moved = Vector3::zeros();
    for ((map, turn), &weight) in maps.iter().zip(&turns).zip(weights) {
        sum += *turn * if turns[0].dot(turn) < 0.0 { -weight } else { weight };
        moved += map.apply(&centre) * weight;
    }
    let scale: f64 = scales.iter().zip(weights).map(|(scale, weight)| scale * weight).sum();
    (UnitQuaternion::new_normalize(sum) * (vertex - centre) * scale + moved).into()
}

#[test]
fn random_joint_sets_follow_the_reference() {
    let mut dice = Dice::new(3, &[]);
    for round in 0..rounds(400) {
        let joints = 1 + dice.below(4);
        let places: Vec<[f64; 3]> = (0..joints).map(|_| vector(&mut dice, 0.5)).collect();
        let (mut maps, mut turns, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        let (common, first) = (dice.pick(&[0.01, 1.0, 100.0]), quaternion(&mut dice));
        let (is_scaled, is_little) = (dice.percent(30), dice.percent(30));
        for _ in 0..joints {
            let (shift, mut turn) = (vector(&mut dice, 0.5).map(|x| x * common), quaternion(&mut dice));
            if is_little {
                turn = std::array::from_fn(|part| first[part] + 0.01 * turn[part]);
                let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
                turn = turn.map(|x| x / length);
            }
            let scale = if is_scaled { common * dice.real(0.5, 2.0) } else { common };
            maps.push(Affine::from_parts(shift, turn, [scale; 3]));
            turns.push(turn);
            scales.push(scale);
        }
        let mut weights: Vec<f64> = (0..joints).map(|_| dice.real(0.01, 1.0)).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        let vertex = vector(&mut dice, 1.0).map(|x| x as f32);
        let mean = places.iter().map(|&place| Vector3::from(place)).sum::<Vector3<f64>>() / joints as f64;
        let found = place(&single(vertex, &weights, &places), &maps);
        let truth = reference(Vector3::from(vertex.map(f64::from)), &weights, &maps, (&turns, &scales), mean);
        assert!(distance(&found, &truth) < 1e-9 * common, "round {round}: {found:?} {truth:?}");
    }
}

#[test]
fn joints_that_move_as_one_move_their_vertices_rigidly() {
    let map = Affine::from_parts([1.0, 2.0, 3.0], [0.5, 0.5, -0.5, 0.5], [1.0; 3]);
    let mesh = single([0.3, -0.2, 0.9], &[0.25, 0.75], &[[0.0; 3], [1.0, 0.0, 0.0]]);
    let expected = map.point([0.3f32, -0.2, 0.9].map(f64::from));
    assert!(distance(&place(&mesh, &[map, map]), &expected) < 1e-14);
}

#[test]
fn the_shorter_way_round_is_blended() {
    // 100° one way and 100° the other about x: the shorter way between them leads through the half turn.
    let angle = 100f64.to_radians();
    let maps = [about([0.0; 3], Vector3::x(), angle), about([0.0; 3], Vector3::x(), -angle)];
    let mesh = single([0.0, 1.0, 0.0], &[0.5, 0.5], &[[0.0; 3]; 2]);
    assert!(distance(&place(&mesh, &maps), &[0.0, -1.0, 0.0]) < 1e-12, "not by hemisphere");
    let frame = mesh.joint_sets().unwrap().frame(0, &Pose { maps: maps.to_vec(), morphs: Vec::new() }).unwrap();
    let dot: f64 = (0..4).map(|i| frame.joints[0].quaternion[i] * frame.joints[1].quaternion[i]).sum();
    assert!(dot >= 0.0);
    // Below a half turn between them, through the unturned.
    let maps = [about([0.0; 3], Vector3::x(), 1.0), about([0.0; 3], Vector3::x(), -1.0)];
    assert!(distance(&place(&mesh, &maps), &[0.0, 1.0, 0.0]) < 1e-12);
}

#[test]
fn the_sign_of_a_quaternion_does_not_depend_on_which_was_stored() {
    // A map has no sign; whatever quaternion it was made from, the frame is one and the same.
    let mut dice = Dice::new(4, &[]);
    for _ in 0..100 {
        let (a, b) = (quaternion(&mut dice), quaternion(&mut dice));
        let mesh = single([0.2, 0.4, -0.6], &[0.4, 0.6], &[[0.0; 3], [0.1, 0.0, 0.0]]);
        let at = |a: [f64; 4], b: [f64; 4]| {
            place(&mesh, &[Affine::from_parts([0.0; 3], a, [1.0; 3]), Affine::from_parts([1.0; 3], b, [1.0; 3])])
        };
        let negated = |q: [f64; 4]| q.map(|x| -x);
        assert_eq!(at(a, b), at(negated(a), b));
        assert_eq!(at(a, b), at(a, negated(b)));
    }
}

#[test]
fn a_centre_is_where_two_joints_agree() {
    let mut dice = Dice::new(8, &[]);
    for _ in 0..100 {
        let joint = vector(&mut dice, 0.5);
        let parent = Affine::from_parts(vector(&mut dice, 1.0), quaternion(&mut dice), [1.0; 3]);
        let child = parent.after(&about(joint, Vector3::from(vector(&mut dice, 1.0)), dice.real(0.05, 3.0)));
        let other = vector(&mut dice, 1.0);
        let mesh = single([0.1, 0.2, 0.3], &[0.5, 0.5], &[other, joint]);
        let pose = Pose { maps: vec![parent, child], morphs: Vec::new() };
        let frame = mesh.joint_sets().unwrap().frame(0, &pose).unwrap();
        // Drawn to the mean by `SMALL_TURN`² against half the square of the turn's chord.
        let (turn, mean) = ((child.linear - parent.linear).norm() / 2.0f64.sqrt(), 0.5 * distance(&other, &joint));
        let gap = distance(&parent.point(frame.centre), &child.point(frame.centre));
        assert!(gap < 2.0 * SMALL_TURN * SMALL_TURN / turn * mean + 1e-12, "{gap}");
    }
}

#[test]
fn where_turns_end_centres_go_to_the_mean_and_vertices_do_not_jump() {
    let (joint, mean) = ([0.5, 0.0, 0.0], [0.25, 0.5, 0.0]);
    let mesh = single([0.6, 0.1, 0.2], &[0.5, 0.5], &[[0.0, 1.0, 0.0], joint]);
    let at = |angle: f64| vec![Affine::identity(), about(joint, Vector3::z(), angle)];
    let frame =
        |maps: Vec<Affine>| mesh.joint_sets().unwrap().frame(0, &Pose { maps, morphs: Vec::new() }).unwrap().centre;
    assert!(distance(&frame(at(0.0)), &mean) < 1e-15);
    // The axis is parallel to z through the joint: the nearest of its points to the mean keeps the mean's height. The centre is on the way from
    // the mean to it.
    let square = 2.0 * libm::sin(0.25) * libm::sin(0.25);
    let over = square / (square + SMALL_TURN * SMALL_TURN);
    assert!(over > 0.99 && distance(&frame(at(0.5)), &[0.25 + 0.25 * over, 0.5 - 0.5 * over, 0.0]) < 1e-12);
    // Moved apart but not turned against each other: no place is better than any other.
    let apart = vec![Affine::identity(), Affine { linear: Matrix3::identity(), shift: Vector3::new(0.0, 0.0, 1.0) }];
    assert!(distance(&frame(apart), &mean) < 1e-15);
    let mut before = place(&mesh, &at(0.0));
    for step in 1..4000 {
        let angle = 1e-9 * 1.0054f64.powi(step);
        let here = place(&mesh, &at(angle));
        assert!(distance(&here, &before) <= 0.01 * angle + 2e-6, "jumps at {angle}");
        before = here;
    }
}

#[test]
fn sets_are_those_of_the_vertices_and_subsets_cost_their_own() {
    let lists = vec![vec![(0, 1.0)], vec![(1, 0.5), (0, 0.5)], vec![(0, 0.25), (1, 0.75)], vec![(2, 1.0)]];
    let influences = Influences::convex(3, lists, WeightPolicy::Strict).unwrap();
    let mesh = Mesh::new(4, vec![[0, 1, 2], [1, 2, 3]]).unwrap();
    let blend = Blend::Spherical { joints: vec![[0.0; 3], [2.0, 0.0, 0.0], [4.0, 0.0, 0.0]] };
    let def = ReducedDef { mesh, rest: vec![[1.0; 3]; 4], influences, morphs: Vec::new(), blend };
    let mesh = ReducedMesh::new(def).unwrap();
    let sets = mesh.joint_sets().unwrap();
    assert_eq!(
        (0..5).map(|vertex| sets.set_of(vertex)).collect::<Vec<_>>(),
        [Some(0), Some(1), Some(1), Some(2), None]
    );
    assert_eq!(sets.joints_of(1), [0, 1]);
    assert_eq!((sets.mean_of(1), sets.mean_of(3)), (Some([1.0, 0.0, 0.0]), None));
    // Joint 2 is sheared: only who uses it minds.
    let sheared = Affine::from_rows([[1.0, 0.5, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);
    let pose = Pose { maps: vec![Affine::identity(), Affine::identity(), sheared], morphs: Vec::new() };
    let mut out = Vec::new();
    mesh.evaluate(&pose, &[2, 1], &mut out).unwrap();
    assert_eq!(out, [[1.0; 3]; 2]);
    assert_eq!(mesh.evaluate(&pose, &[2, 3], &mut out), Err(ReducedError::NotRigid { map: 2 }));
    assert!(out.is_empty());
    assert_eq!(mesh.check_pose(&pose), Err(ReducedError::NotRigid { map: 2 }));
}

#[test]
fn rigs_drive_spherical_bodies() {
    let mut known = 0;
    for seed in 0..20 {
        let scene = scene(seed, Flavour::Rigid);
        let span = scene.body.driver().span();
        let mut out = Vec::new();
        scene.body.positions(Moment::at(0.5 * (span.begin + span.end)), &[0, 1, 2], &mut out).unwrap();
        assert!(out.iter().flatten().all(|x| x.is_finite()));
        if span.end > span.begin {
            let pieces = scene.body.pieces_at_rate(30.0).unwrap();
            known += usize::from(pieces.largest_deviation().is_finite());
        }
    }
    // The others have half turns between three joints and more.
    assert!(known > 3, "{known}");
}

/// Weights of a combination may sum to a little less than one.
#[test]
fn sums_of_weights_that_are_not_quite_one_count_in_the_distance_from_linear_blending() {
    let weight = 0.5 * (1.0 - 9.9e-7);
    let influences = Influences::combination(2, vec![vec![(0, weight), (1, weight)]; 3]).unwrap();
    assert_eq!(influences.residue(), 0.0);
    let (mesh, rest) = (Mesh::new(3, vec![[0, 1, 2]]).unwrap(), vec![[1.0, 0.0, 0.0]; 3]);
    let joints = vec![[0.0; 3]; 2];
    let linear = ReducedDef { mesh, rest, influences, morphs: Vec::new(), blend: Blend::Linear };
    let linear = ReducedMesh::new(linear).unwrap();
    let mesh = linear.blended(Blend::Spherical { joints }).unwrap();
    let angle = 45.0f64.to_radians();
    let maps = [-angle, angle].map(|angle| about([0.0; 3], Vector3::z(), angle));
    let pose = Pose { maps: maps.to_vec(), morphs: Vec::new() };
    let tree = SphereTree::new(&mesh, SphereParams::default()).unwrap();
    let stated = PosedSpheres::new(&tree, &mesh, &pose).unwrap().distance_from_linear(0);
    let off = distance(&place(&mesh, &maps), &place(&linear, &maps));
    assert!(off <= stated, "{off} m, stated {stated} m");
    assert!(mesh.influences().residue() >= 9.8e-7);
}

/// A vertex whose weights sum to 1 + e is e times its distance from the origin away from where weights of 1 put it.
#[test]
fn spheres_contain_vertices_whose_weights_do_not_quite_sum_to_one() {
    let low = 1.0 - 5e-7;
    let high = 0.5 * (1.0 + 9.8e-7);
    let far = Affine { linear: Matrix3::identity(), shift: Vector3::new(1000.0, 0.0, 0.0) };
    let turns = [-0.3, 0.3].map(|angle| about([0.0; 3], Vector3::z(), angle));
    let cases = [
        (
            vec![vec![(0, low)], vec![(0, 1.0)], vec![(0, 1.0)]],
            vec![far],
            [[-1.0, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, -0.1, 0.0]],
        ),
        (
            vec![vec![(0, 1.0)], vec![(0, 1.0 + 5e-7)], vec![(0, low)]],
            vec![far],
            [[0.0, 0.1, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        ),
        (vec![vec![(0, high), (1, high)]; 3], turns.to_vec(), [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    ];
    for (case, (lists, maps, rest)) in cases.into_iter().enumerate() {
        for blend in [Blend::Linear, Blend::Spherical { joints: vec![[0.0; 3]; maps.len()] }] {
            let influences = Influences::combination(maps.len(), lists.clone()).unwrap();
            let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
            let def = ReducedDef { mesh, rest: rest.to_vec(), influences, morphs: Vec::new(), blend };
            let mesh = ReducedMesh::new(def).unwrap();
            let pose = Pose { maps: maps.clone(), morphs: Vec::new() };
            let tree = SphereTree::new(&mesh, SphereParams::default()).unwrap();
            let mut posed = PosedSpheres::new(&tree, &mesh, &pose).unwrap();
            let mut places = Vec::new();
            mesh.evaluate_all(&pose, &mut places).unwrap();
            for sphere in [posed.refit(0), posed.sphere(0)] {
                for place in &places {
                    assert!(sphere.contains(place), "case {case}, {:?}: {place:?} in {sphere:?}", mesh.blend());
                }
            }
        }
    }
}
