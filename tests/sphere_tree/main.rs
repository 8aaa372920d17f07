//! Sphere trees of skins: no sphere misses a vertex, queries equal brute force, and every error of the paper that was put right is shown
//! to be one: its formula, as printed, loses a vertex that ours holds.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reduced_support/mod.rs"]
mod reduced_support;

#[cfg(feature = "io")]
#[path = "../spherical_oracle/mod.rs"]
mod spherical_oracle;

#[cfg(feature = "io")]
mod against_linear;
mod balls;
mod errata;

use std::collections::BTreeSet;
use std::sync::Arc;

use common::dice::Dice;
use kinetree::narrow::EveryPair;
use kinetree::oracle::{Shape, touching_by_brute_force};
use kinetree::reduced::sphere_tree::{
    PosedSpheres, Proximity, SphereParams, SphereSearch, SphereTree, all_touching, any_touching,
};
use kinetree::reduced::{Affine, Blend, Driver, Pose, ReducedDef, ReducedError, ReducedMesh};
use kinetree::time::Moment;
use nalgebra::Vector3;
use reduced_support::{Spinner, Weights, influences, morph_targets, rotation, strip, torture};

/// A random skin and the places of its joints.
fn skin(dice: &mut Dice, weights: Weights, spherical: bool) -> Arc<ReducedMesh> {
    let maps = 1 + dice.below(8);
    let vertices = 3 + dice.below(120);
    let (mesh, rest) = strip(dice, vertices, maps as f64);
    let influences = influences(dice, &rest, maps, weights);
    let targets = if dice.percent(40) { 1 + dice.below(3) } else { 0 };
    let morphs = morph_targets(dice, rest.len(), targets);
    let joints = (0..maps).map(|j| [j as f64, dice.real(-0.3, 0.3), dice.real(-0.3, 0.3)]).collect();
    let blend = if spherical { Blend::Spherical { joints } } else { Blend::Linear };
    Arc::new(ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs, blend }).unwrap())
}

fn random_pose(dice: &mut Dice, mesh: &ReducedMesh, spherical: bool) -> Pose {
    let wildness = dice.pick(&[0.0, 0.2, 1.0, 3.0]);
    let is_unscaled = spherical && dice.percent(50);
    let driver = Spinner::of(dice, mesh.map_count(), mesh.morph_count(), 1, wildness, is_unscaled);
    let mut pose = Pose::default();
    driver.pose(Moment::at(dice.real(driver.span().begin, driver.span().end)), &mut pose);
    if dice.percent(20) {
        // All joints turned alike: blends are of one rotation, and rotation centres are free.
        let first = pose.maps[0];
        pose.maps.iter_mut().for_each(|map| *map = first);
    }
    pose
}

fn params(dice: &mut Dice) -> SphereParams {
    SphereParams { leaf_size: 1 + dice.below(8), prune: dice.pick(&[0.6, 0.8, 1.0]) }
}

fn below(tree: &SphereTree, mesh: &ReducedMesh, node: u32) -> BTreeSet<u32> {
    let (mut stack, mut found) = (vec![node], BTreeSet::new());
    while let Some(node) = stack.pop() {
        for &triangle in tree.triangles(node) {
            found.extend(mesh.mesh().triangles()[triangle as usize]);
        }
        stack.extend(tree.children(node));
    }
    found
}

#[test]
fn no_sphere_misses_a_vertex() {
    let kinds = [Weights::Single, Weights::Smooth, Weights::Random(2), Weights::Random(5), Weights::AtLimits];
    let mut dice = Dice::new(21, &[]);
    let (mut checks, mut general, mut wide) = (0usize, 0, 0);
    for round in 0..torture(150) {
        let spherical = round % 3 != 0;
        let mesh = skin(&mut dice, kinds[round % kinds.len()], spherical);
        let tree = SphereTree::new(&mesh, params(&mut dice)).unwrap();
        assert_eq!(below(&tree, &mesh, 0).len(), mesh.vertex_count());
        general += usize::from((0..tree.node_count()).any(|node| tree.children(node as u32).len() > 2));
        let mut all = Vec::new();
        for _ in 0..3 {
            let pose = random_pose(&mut dice, &mesh, spherical);
            mesh.evaluate_all(&pose, &mut all).unwrap();
            let mut posed = PosedSpheres::new(&tree, &mesh, &pose).unwrap();
            for node in 0..tree.node_count() as u32 {
                let sphere = posed.sphere(node);
                wide += usize::from(sphere.radius > 2.0 * tree.rest_sphere(node).radius);
                for vertex in below(&tree, &mesh, node) {
                    let place = &all[vertex as usize];
                    assert!(sphere.contains(place), "round {round}: {sphere:?} misses {place:?} of {vertex}");
                    checks += 1;
                }
            }
        }
    }
    assert!(checks > 50_000 && general > 5 && wide > 10, "{checks} {general} {wide}");
}

#[test]
fn spheres_of_rigid_parts_are_those_at_rest() {
    let mut dice = Dice::new(22, &[]);
    for spherical in [false, true] {
        let mesh = skin(&mut dice, Weights::Single, spherical);
        let tree = SphereTree::new(&mesh, SphereParams { leaf_size: 1, prune: 1.0 }).unwrap();
        let mut pose = Pose::rest(mesh.map_count(), mesh.morph_count());
        let turn = rotation(&Vector3::new(0.6, 0.0, 0.8), 2.0);
        pose.maps.iter_mut().for_each(|map| *map = Affine { linear: turn, shift: Vector3::new(1.0, 2.0, 3.0) });
        let mut posed = PosedSpheres::new(&tree, &mesh, &pose).unwrap();
        for node in 0..tree.node_count() as u32 {
            let groups_of_one = below(&tree, &mesh, node).len() == 3;
            let (posed, rest) = (posed.sphere(node).radius, tree.rest_sphere(node).radius);
            assert!(posed <= 2.0 * rest + 1e-9);
            assert!(groups_of_one || posed >= rest - 1e-9);
        }
    }
}

/// Two bodies at a distance of about `apart`, posed at random.
fn two(dice: &mut Dice, spherical: bool, apart: f64) -> ([Arc<ReducedMesh>; 2], [Pose; 2]) {
    let meshes = [skin(dice, Weights::Random(3), spherical), skin(dice, Weights::Smooth, spherical)];
    let mut poses = [random_pose(dice, &meshes[0], spherical), random_pose(dice, &meshes[1], spherical)];
    poses[1].maps.iter_mut().for_each(|map| map.shift.y += apart);
    (meshes, poses)
}

#[test]
fn queries_equal_brute_force() {
    let mut dice = Dice::new(23, &[]);
    let (mut touching, mut apart, mut undecided, mut saved) = (0, 0, 0, 0);
    for round in 0..torture(60) {
        let spherical = round % 2 == 0;
        let distance = dice.pick(&[0.0, 0.0, 0.1, 0.5, 6.0]);
        let (meshes, poses) = two(&mut dice, spherical, distance);
        let trees = [0, 1].map(|i: usize| SphereTree::new(&meshes[i], SphereParams::default()).unwrap());
        let mut positions = [Vec::new(), Vec::new()];
        for i in 0..2 {
            meshes[i].evaluate_all(&poses[i], &mut positions[i]).unwrap();
        }
        let shape = |i: usize| Shape { triangles: meshes[i].mesh().triangles(), positions: &positions[i] };
        let mut truth = BTreeSet::new();
        touching_by_brute_force(shape(0), shape(1), &EveryPair, &mut |p, q| {
            truth.insert((p, q));
        });
        let posed = |i: usize| PosedSpheres::new(&trees[i], &meshes[i], &poses[i]).unwrap();
        let (mut a, mut b) = (posed(0), posed(1));
        let mut found = BTreeSet::new();
        all_touching(&mut a, &mut b, |p, q| assert!(found.insert((p, q)))).unwrap();
        assert_eq!(found, truth, "round {round}");
        if a.refitted() < trees[0].node_count() as u64 {
            saved += 1;
        }

        let (mut a, mut b) = (posed(0), posed(1));
        let any = any_touching(&mut a, &mut b).unwrap();
        assert_eq!(any.is_some(), !truth.is_empty());
        assert!(any.is_none_or(|pair| truth.contains(&pair)));

        let (mut a, mut b) = (posed(0), posed(1));
        let mut search = SphereSearch::new(&mut a, &mut b);
        let mut last = f64::INFINITY;
        loop {
            match search.run(&mut a, &mut b, 3).unwrap() {
                Proximity::Undecided { overlap } => {
                    undecided += 1;
                    assert!(overlap >= 0.0);
                    last = last.min(overlap);
                }
                Proximity::Touching { a, b } => {
                    assert!(truth.contains(&(a, b)));
                    touching += 1;
                    break;
                }
                Proximity::Apart { at_least } => {
                    assert!(truth.is_empty());
                    let nearest = positions[0]
                        .iter()
                        .flat_map(|p| positions[1].iter().map(move |q| (Vector3::from(*p) - Vector3::from(*q)).norm()))
                        .fold(f64::INFINITY, f64::min);
                    assert!(0.0 <= at_least && at_least <= nearest, "{at_least} {nearest}");
                    apart += 1;
                    break;
                }
            }
        }
    }
    assert!(touching > 5 && apart > 10 && undecided > 10 && saved > 10, "{touching} {apart} {undecided} {saved}");
}

#[test]
fn what_has_no_spheres_is_refused() {
    let mut dice = Dice::new(24, &[]);
    let mesh = skin(&mut dice, Weights::Smooth, true);
    let tree = SphereTree::new(&mesh, SphereParams::default()).unwrap();
    let mut sheared = Pose::rest(mesh.map_count(), mesh.morph_count());
    sheared.maps[0].linear[(0, 1)] = 0.5;
    assert!(matches!(PosedSpheres::new(&tree, &mesh, &sheared), Err(ReducedError::NotRigid { map: 0 })));
    let mut scaled = Pose::rest(mesh.map_count(), mesh.morph_count());
    scaled.maps[0].linear[(0, 0)] *= 1.01;
    assert!(matches!(PosedSpheres::new(&tree, &mesh, &scaled), Err(ReducedError::NotRigid { map: 0 })));
    let mut mirrored = Pose::rest(mesh.map_count(), mesh.morph_count());
    mirrored.maps[0].linear *= -1.0;
    assert!(matches!(PosedSpheres::new(&tree, &mesh, &mirrored), Err(ReducedError::NotRigid { map: 0 })));
    let mut flat = Pose::rest(mesh.map_count(), mesh.morph_count());
    flat.maps[0].linear *= 0.0;
    assert!(matches!(PosedSpheres::new(&tree, &mesh, &flat), Err(ReducedError::NotRigid { map: 0 })));
    let good = Pose::rest(mesh.map_count(), mesh.morph_count());
    let mut posed = PosedSpheres::new(&tree, &mesh, &good).unwrap();
    assert!(posed.set_pose(&scaled).is_err());
    posed.sphere(0);
    assert!(PosedSpheres::new(&tree, &mesh, &Pose::rest(99, 0)).is_err());
    let signed = reduced_support::random_mesh(&mut dice, 20, 3, 0, Weights::Signed);
    assert!(matches!(SphereTree::new(&signed, SphereParams::default()), Err(ReducedError::NoBound { .. })));
}
