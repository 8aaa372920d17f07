//! Points blended spherically, in `f32` or in `f64`, against exact ones.

use nalgebra::{Matrix3, Rotation3, Vector3};

use super::PosedBounds;
use crate::mesh::Mesh;
use crate::reduced::bounds::rounded_tests::Numbers;
use crate::reduced::bounds::{BoundParams, BoundTree, Level};
use crate::reduced::{Affine, Blend, Influences, MorphTarget, Pose, ReducedDef, ReducedMesh, WeightPolicy};

fn vector(dice: &mut Numbers, most: f64) -> Vector3<f64> {
    Vector3::new(dice.real(most), dice.real(most), dice.real(most))
}

/// Triangles along a row of joints one unit apart, a vertex with up to four of them.
fn skin(dice: &mut Numbers, vertices: usize, maps: usize, unit: f64) -> ReducedMesh {
    let place = |dice: &mut Numbers| {
        let [x, y, z] = [dice.real(0.5) + 0.5, dice.real(0.2), dice.real(0.2)];
        [x * maps as f64, y, z].map(|x| (x * unit) as f32)
    };
    let rest: Vec<[f32; 3]> = (0..vertices).map(|_| place(dice)).collect();
    let list = |dice: &mut Numbers| {
        let mut list: Vec<(u32, f64)> =
            (0..=dice.below(4)).map(|_| (dice.below(maps) as u32, dice.real(0.5) + 0.500_001)).collect();
        let sum: f64 = list.iter().map(|(_, weight)| weight).sum();
        list.iter_mut().for_each(|(_, weight)| *weight /= sum);
        list
    };
    let lists: Vec<_> = (0..vertices).map(|_| list(dice)).collect();
    let influences = Influences::convex(maps, lists, WeightPolicy::Repair).unwrap();
    let morphs = (0..dice.below(2))
        .map(|_| {
            let vertices: Vec<u32> = (0..vertices as u32).filter(|_| dice.below(3) > 0).collect();
            let deltas = vertices.iter().map(|_| vector(dice, 0.3 * unit).map(|x| x as f32).into()).collect();
            MorphTarget { vertices, deltas }
        })
        .collect();
    let triangles = (0..vertices as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = Mesh::new(vertices, triangles).unwrap();
    let joints = (0..maps).map(|joint| [(joint as f64 + 0.5) * unit, 0.0, 0.0]).collect();
    ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs, blend: Blend::Spherical { joints } }).unwrap()
}

/// Joints turned about places on the row, by any angle or so little that rotation centres are far
/// away.
fn pose(dice: &mut Numbers, mesh: &ReducedMesh, unit: f64) -> Pose {
    let scale = dice.pick(&[1.0, 1.0, 0.01, 100.0]);
    let (most, slip) = (dice.pick(&[0.5, 3.1, 1e-2, 1e-4]), dice.pick(&[0.0, 0.1, 1.0]));
    let by = {
        let far = dice.pick(&[0.0, 1.0, 1e4]) * unit;
        vector(dice, far)
    };
    let maps = (0..mesh.map_count()).map(|joint| {
        let turn: Matrix3<f64> = Rotation3::from_scaled_axis(vector(dice, most)).into_inner();
        let place = Vector3::new((joint as f64 + 0.5) * unit, 0.0, 0.0);
        let linear = turn * scale;
        Affine { linear, shift: (place + vector(dice, slip * unit)) * scale + by - linear * place }
    });
    let maps = maps.collect();
    Pose { maps, morphs: (0..mesh.morph_count()).map(|_| dice.real(1.5)).collect() }
}

#[test]
fn blended_points_are_within_half_the_margin() {
    let mut dice = Numbers(7);
    let (mut narrow, mut wide, mut closest) = (0, 0, 0.0f64);
    for _ in 0..120 {
        let (maps, unit) = (1 + dice.below(6), dice.pick(&[1.0, 1.0, 1e-3, 1e6, 1e-25]));
        let vertices = 30 + 3 * dice.below(40);
        let mesh = skin(&mut dice, vertices, maps, unit);
        let tree = BoundTree::new(&mesh, BoundParams::default());
        let first = pose(&mut dice, &mesh, unit);
        let mut body = PosedBounds::new(&tree, &mesh, Level::Corner, &first).unwrap();
        for _ in 0..6 {
            let pose = pose(&mut dice, &mesh, unit);
            body.set_pose(&pose).unwrap();
            if dice.below(4) == 0 {
                body.evaluate_all();
            } else {
                (0..body.layout.blocks.len() as u32).for_each(|block| body.evaluate(block));
            }
            let mut exact = Vec::new();
            mesh.evaluate_all(&pose, &mut exact).unwrap();
            let blur = body.blur().expect("numbers in range");
            for (point, &vertex) in (0..).zip(&body.layout.vertices) {
                let place = body.points[point as usize];
                let error = (0..3).map(|axis| (f64::from(place[axis]) - exact[vertex as usize][axis]).abs());
                let error = error.fold(0.0, f64::max);
                assert!(error <= blur, "vertex {vertex}: {error} of {blur}");
                // Those blended in `f64` have their exact position by now.
                let is_wide = body.exact[point as usize].stamp == body.stamp;
                narrow += usize::from(!is_wide);
                wide += usize::from(is_wide);
                closest = closest.max(if is_wide { 0.0 } else { error / blur });
            }
        }
    }
    assert!(narrow > 10_000 && wide > 2_000, "{narrow} {wide}");
    // The bound is proven term by term, and errors cancel.
    assert!(closest > 0.01, "{closest}");
}
