//! Distances of nodes in a pose against vertices of both blends.

use nalgebra::{Matrix3, Rotation3, Vector3};

use super::{Largest, NodeSet, NodeSets};
use crate::mesh::Mesh;
use crate::reduced::bounds::rounded_tests::Numbers;
use crate::reduced::bounds::{BoundParams, BoundTree};
use crate::reduced::pair_lanes::Batch;
use crate::reduced::set_pose::{Few, PoseSets};
use crate::reduced::shortest::MOST_JOINTS;
use crate::reduced::{Affine, Blend, Influences, JointSets, MorphTarget, Pose, ReducedDef, ReducedMesh, WeightPolicy};
use crate::simd;

fn vector(dice: &mut Numbers, most: f64) -> Vector3<f64> {
    Vector3::new(dice.real(most), dice.real(most), dice.real(most))
}

/// Vertices of up to `most` joints each around a point, in triangles, with morph targets; under
/// spherical and under linear blending.
fn skins(dice: &mut Numbers, [vertices, maps, most, morphs]: [usize; 4], unit: f64) -> [ReducedMesh; 2] {
    let place = |dice: &mut Numbers| <[f64; 3]>::from(vector(dice, unit)).map(|x| x as f32);
    let rest: Vec<[f32; 3]> = (0..vertices).map(|_| place(dice)).collect();
    let list = |dice: &mut Numbers| {
        let first = dice.below(maps);
        // Neighbours, so that vertices share sets.
        let mut list: Vec<(u32, f64)> = (0..=dice.below(most))
            .map(|joint| (((first / 3 * 3 + joint) % maps) as u32, dice.real(0.5) + 0.500_001))
            .collect();
        let sum: f64 = list.iter().map(|(_, weight)| weight).sum();
        list.iter_mut().for_each(|(_, weight)| *weight /= sum);
        list
    };
    let lists: Vec<_> = (0..vertices).map(|_| list(dice)).collect();
    let joints: Vec<[f64; 3]> = (0..maps).map(|_| vector(dice, unit).into()).collect();
    let target = |dice: &mut Numbers| {
        let deltas = (0..vertices).map(|_| place(dice)).collect();
        MorphTarget { vertices: (0..vertices as u32).collect(), deltas }
    };
    let morphs: Vec<MorphTarget> = (0..morphs).map(|_| target(dice)).collect();
    [Blend::Spherical { joints }, Blend::Linear].map(|blend| {
        let influences = Influences::convex(maps, lists.clone(), WeightPolicy::Repair).unwrap();
        let triangles = (0..vertices as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = Mesh::new(vertices, triangles).unwrap();
        ReducedMesh::new(ReducedDef { mesh, rest: rest.clone(), influences, morphs: morphs.clone(), blend }).unwrap()
    })
}

/// Joints turned about places of their own by up to `most` radians.
fn pose(dice: &mut Numbers, maps: usize, most: f64, [unit, scale, spread]: [f64; 3]) -> Pose {
    let slip = dice.pick(&[0.0, 0.1, 1.0]) * unit;
    let maps = (0..maps).map(|_| {
        let turn: Matrix3<f64> = Rotation3::from_scaled_axis(vector(dice, most)).into_inner();
        let linear = turn * (scale * (1.0 + spread * dice.real(1.0)));
        let place = vector(dice, slip);
        Affine { linear, shift: place * scale - linear * place }
    });
    Pose { maps: maps.collect(), morphs: Vec::new() }
}

/// How far vertices are from those of linear blending.
fn offsets([spherical, linear]: &[ReducedMesh; 2], pose: &Pose) -> Vec<f64> {
    let [v, l] = [spherical, linear].map(|mesh| {
        let mut places = Vec::new();
        mesh.evaluate_all(pose, &mut places).unwrap();
        places
    });
    v.iter().zip(&l).map(|(v, l)| (Vector3::from(*v) - Vector3::from(*l)).norm()).collect()
}

/// Per node, the vertices of its subtree.
fn vertices_of(tree: &BoundTree) -> Vec<Vec<u32>> {
    let topology = tree.topology();
    let mut all = vec![Vec::new(); topology.nodes().len()];
    for node in topology.upward() {
        let mut own = topology.leaf_points(node).to_vec();
        topology.node(node).children().iter().for_each(|&child| own.extend(&all[child as usize]));
        all[node as usize] = own;
    }
    all
}

/// All nodes of a tree, in its order.
fn all_of(tree: &BoundTree) -> Vec<u32> {
    (0..tree.topology().nodes().len() as u32).collect()
}

fn distance_of(own: &NodeSets, joints: &JointSets, sets: &mut PoseSets, place: u32) -> f64 {
    f64::from(distances_of(own, joints, sets, &[place])[0])
}

fn distances_of(own: &NodeSets, joints: &JointSets, sets: &mut PoseSets, places: &[u32]) -> Vec<f32> {
    let mut most = vec![0.0; places.len()];
    let mut largest = Largest::new(&mut most);
    sets.know_all(joints, own.sets_of(places));
    places.iter().for_each(|&place| own.add(simd::Plain, sets, place, &mut largest));
    largest.finish(simd::Plain, sets);
    most
}

/// Places that are computed together have the distances of places alone.
fn together_as_alone(own: &NodeSets, joints: &JointSets, sets: &mut PoseSets, places: &[u32]) {
    for (&place, most) in places.iter().zip(distances_of(own, joints, sets, places)) {
        assert_eq!(f64::from(most).to_bits(), distance_of(own, joints, sets, place).to_bits(), "place {place}");
    }
}

#[test]
fn no_vertex_is_farther_than_its_nodes_say() {
    let mut dice = Numbers(11);
    let (mut by_pairs, mut apart, mut large, mut close) = (0, 0, 0, 0);
    for round in 0..160 {
        let maps = 3 + dice.below(12);
        let most = [2, 3, 4, 4, 8, 12][dice.below(6)].min(maps);
        let unit = dice.pick(&[1.0, 1.0, 1.0, 1e-3, 1e6, 1e-20]);
        let count = 3 * (4 + dice.below(40));
        let morphs = dice.below(2);
        let skins = skins(&mut dice, [count, maps, most, morphs], unit);
        let (mesh, tree) = (&skins[0], BoundTree::new(&skins[0], BoundParams::default()));
        let joints = mesh.joint_sets().unwrap();
        let own = NodeSets::new(&tree, mesh, &all_of(&tree)).unwrap();
        let (below, mut sets) = (vertices_of(&tree), PoseSets::new(mesh, joints));
        for _ in 0..6 {
            let scale = dice.pick(&[1.0, 1.0, 1.0, 0.01, 1e3, 1e-12, 1e-30, 1e30]);
            let (spread, angle) = (dice.pick(&[0.0, 0.0, 1e-3, 0.6]), dice.pick(&[3.1, 1.0, 0.3, 1e-2, 1e-5, 1e-9]));
            let mut pose = pose(&mut dice, maps, angle, [unit, scale, spread]);
            pose.morphs = (0..morphs).map(|_| dice.real(3.0)).collect();
            sets.check(&pose).unwrap();
            sets.take();
            sets.set(joints, &pose);
            let offsets = offsets(&skins, &pose);
            let first = dice.below(below.len()) as u32;
            let places: Vec<u32> = (first..(first + 8).min(below.len() as u32)).collect();
            together_as_alone(&own, joints, &mut sets, &places);
            for (node, vertices) in (0..).zip(&below) {
                let bound = distance_of(&own, joints, &mut sets, node);
                let farthest = vertices.iter().map(|&vertex| offsets[vertex as usize]).fold(0.0, f64::max);
                assert!(farthest <= bound, "round {round}, node {node}: {farthest} {bound}");
                close += usize::from(farthest > 0.5 * bound && angle > 0.1);
            }
            for set in 0..joints.count() as u32 {
                // Sets four at once and one by one have the same centre, bit for bit.
                let (own, one) = (sets.frame(joints, set, &pose).cloned(), joints.frame(set, &pose).ok());
                assert_eq!(own, one, "round {round}, set {set}");
                let is_large = joints.joints_of(set).len() > MOST_JOINTS;
                large += usize::from(is_large);
                by_pairs += usize::from(sets.is_by_pairs(joints, set));
                apart += usize::from(!is_large && joints.joints_of(set).len() > 2 && !sets.is_by_pairs(joints, set));
            }
        }
    }
    assert!(by_pairs > 2_000 && apart > 300 && large > 300 && close > 400, "{by_pairs} {apart} {large} {close}");
}

/// Joints turned about one axis: all pairs move a vertex in one direction, and the bound is nearly
/// the distance. Then each product of weights counts.
#[test]
fn a_product_that_is_too_small_is_found() {
    let mut dice = Numbers(5);
    let (mut found, mut closest) = (0, 0.0f64);
    for _ in 0..20 {
        let maps = 4 + dice.below(3);
        let skins = skins(&mut dice, [90, maps, 4, 0], 1.0);
        let mut params = BoundParams::default();
        params.tree.leaf_size = 1;
        let (mesh, tree) = (&skins[0], BoundTree::new(&skins[0], params));
        let joints = mesh.joint_sets().unwrap();
        let own = NodeSets::new(&tree, mesh, &all_of(&tree)).unwrap();
        let mut sets = PoseSets::new(mesh, joints);
        let axis = vector(&mut dice, 1.0).normalize() * 0.2;
        // Angles far apart, so that each pair has a share.
        let turn = |joint: usize| Rotation3::from_scaled_axis(axis * ((joint * joint + 3 * joint) % 7) as f64);
        let maps = (0..maps).map(|joint| Affine { linear: turn(joint).into_inner(), shift: Vector3::zeros() });
        let pose = Pose { maps: maps.collect(), morphs: Vec::new() };
        sets.check(&pose).unwrap();
        sets.take();
        sets.set(joints, &pose);
        let offsets = offsets(&skins, &pose);
        for (vertex, &offset) in (0..).zip(&offsets) {
            let set = joints.set_of(vertex).unwrap();
            // Nodes with this vertex of the set alone.
            let middle = mesh.rest_positions()[vertex as usize].map(f64::from);
            let mut each = own.each.iter();
            let found_one = each.find(|own| own.set == set && own.ball.parts().0 == middle);
            let Some(&NodeSet { ref ball, set, part, begin, end }) = found_one else { continue };
            let mut products = own.products[begin as usize..end as usize].to_vec();
            sets.know_all(joints, [set].into_iter());
            let bound = |products: &[(f32, u32)]| {
                let mut batch = Batch::EMPTY;
                let by_sum = sets.add(simd::Plain, &Few { set, part, products, ball }, &mut batch);
                assert!(by_sum.is_none());
                f64::from(batch.distances(simd::Plain, sets.unsure())[0])
            };
            if offset < 1e-3 {
                continue;
            }
            let whole = bound(&products);
            assert!(offset <= whole);
            closest = closest.max(offset / whole);
            for pair in 0..products.len() {
                let kept = products[pair];
                products[pair].0 = 0.0;
                let without = bound(&products);
                // The part of this pair in the distance.
                if without < 0.9 * whole {
                    found += 1;
                    assert!(without < offset, "{without} {offset} {whole}");
                }
                products[pair] = kept;
            }
        }
    }
    assert!(found > 300 && closest > 0.97, "{found} {closest}");
}
