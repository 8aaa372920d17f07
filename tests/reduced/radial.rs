//! Radial basis functions against what they are defined by: an interpolant solved in another way, affine motions, and bounds that hold
//! all vertices.

use std::sync::Arc;

use crate::common::dice::Dice;
use kinetree::math::Aabb;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Frame, Level};
use kinetree::reduced::{
    Blend, Influences, Pose, RadialBasis, RadialKernel, ReducedBody, ReducedDef, ReducedError, ReducedMesh,
};
use kinetree::scenes::shapes;
use kinetree::time::Moment;
use kinetree::{Mesh, Outside};

const KERNELS: [RadialKernel; 4] = [
    RadialKernel::Biharmonic,
    RadialKernel::Triharmonic,
    RadialKernel::Compact { support: 0.9 },
    RadialKernel::Compact { support: 40.0 },
];

fn places(dice: &mut Dice, count: usize, reach: f64) -> Vec<[f64; 3]> {
    (0..count).map(|_| [0; 3].map(|_| dice.real(-reach, reach))).collect()
}

fn far(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max)
}

/// The interpolant at points, by its definition: coefficients from Gauss-Jordan elimination in metres, one axis after the other.
fn by_definition(kernel: RadialKernel, nodes: &[[f64; 3]], shifts: &[[f64; 3]], points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let phi = |a: &[f64; 3], b: &[f64; 3]| {
        let d = ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2) + (a[2] - b[2]).powi(2)).sqrt();
        match kernel {
            RadialKernel::Biharmonic => d,
            RadialKernel::Triharmonic => d.powi(3),
            RadialKernel::Compact { support } if d < support => {
                let s = d / support;
                (1.0 - s).powi(4) * 4.0f64.mul_add(s, 1.0)
            }
            _ => 0.0,
        }
    };
    let row = |p: &[f64; 3]| -> Vec<f64> { nodes.iter().map(|x| phi(p, x)).chain([1.0, p[0], p[1], p[2]]).collect() };
    let size = nodes.len() + 4;
    let mut rows: Vec<Vec<f64>> = nodes.iter().zip(shifts).map(|(x, u)| [row(x), u.to_vec()].concat()).collect();
    for k in 0..4 {
        let of_node = nodes.iter().map(|x| [1.0, x[0], x[1], x[2]][k]);
        rows.push(of_node.chain([0.0; 7]).collect());
    }
    for column in 0..size {
        let best = (column..size).max_by(|&i, &j| rows[i][column].abs().total_cmp(&rows[j][column].abs())).unwrap();
        rows.swap(column, best);
        let pivot = rows[column].clone();
        for (index, row) in rows.iter_mut().enumerate().filter(|(index, _)| *index != column) {
            let share = row[column] / pivot[column];
            assert!(share.is_finite(), "row {index}");
            row.iter_mut().zip(&pivot).for_each(|(x, y)| *x -= share * y);
        }
    }
    let coefficient = |i: usize, axis: usize| rows[i][size + axis] / rows[i][i];
    let value = |p: &[f64; 3], axis: usize| row(p).iter().enumerate().map(|(i, x)| coefficient(i, axis) * x).sum();
    points.iter().map(|p| [value(p, 0), value(p, 1), value(p, 2)]).collect()
}

#[test]
fn points_follow_the_interpolant() {
    for (case, &kernel) in KERNELS.iter().enumerate() {
        let mut dice = Dice::new(case as u64, &[1]);
        for count in [4, 5, 12, 60] {
            let nodes = places(&mut dice, count, 1.5);
            let basis = RadialBasis::new(nodes.clone(), kernel).unwrap();
            assert_eq!(basis.node_count(), count);
            let shifts = places(&mut dice, count, 0.7);
            let mut points = places(&mut dice, 40, 2.0);
            points.extend(&nodes[..4]);
            let expected = by_definition(kernel, &nodes, &shifts, &points);
            let mut found = vec![[9.0; 3]];
            basis.interpolate(&shifts, &points, &mut found).unwrap();
            assert_eq!(found.len(), points.len());
            for (found, expected) in found.iter().zip(&expected) {
                // A wide compact kernel is nearly flat, and its system nearly singular.
                assert!(far(*found, *expected) < 1e-6, "{kernel:?}, {count} nodes: {found:?}, not {expected:?}");
            }
            // A point at a node moves as the node.
            assert!((0..4).all(|node| far(found[40 + node], shifts[node]) < 1e-7));
        }
    }
}

#[test]
fn affine_motions_of_nodes_move_all_points_alike() {
    let mut dice = Dice::new(7, &[2]);
    for &kernel in &KERNELS {
        let nodes = places(&mut dice, 30, 1.0);
        let basis = RadialBasis::new(nodes.clone(), kernel).unwrap();
        let matrix: [[f64; 3]; 3] = [0; 3].map(|_| [0; 3].map(|_| dice.real(-1.0, 1.0)));
        let shift = [3.0, -2.0, 0.5];
        let moved = |p: &[f64; 3]| [0, 1, 2].map(|k| (0..3).map(|j| matrix[k][j] * p[j]).sum::<f64>() + shift[k]);
        let shifts: Vec<[f64; 3]> = nodes.iter().map(moved).collect();
        let points = places(&mut dice, 50, 3.0);
        let mut found = Vec::new();
        basis.interpolate(&shifts, &points, &mut found).unwrap();
        assert!(points.iter().zip(&found).all(|(p, &u)| far(moved(p), u) < 1e-8), "{kernel:?}");
    }
}

/// A ball whose nodes are pulled, with the nodes' displacements at two keys.
fn body(kernel: RadialKernel, least: f64) -> (ReducedBody, RadialBasis, Vec<[f64; 3]>) {
    let mut dice = Dice::new(11, &[3]);
    let shape = shapes::icosphere(600, 1.0);
    let nodes = places(&mut dice, 24, 1.0);
    let basis = RadialBasis::new(nodes, kernel).unwrap();
    let influences = basis.influences(&shape.positions, least).unwrap();
    let shifts = places(&mut dice, 24, 0.8);
    let driver = basis.driver(&[0.0, 1.0], &[vec![[0.0; 3]; 24], shifts.clone()], Outside::Hold).unwrap();
    let mesh = Mesh::new(shape.positions.len(), shape.triangles).unwrap();
    let def = ReducedDef { mesh, rest: shape.positions, influences, morphs: Vec::new(), blend: Blend::Combination };
    (ReducedBody::new(Arc::new(ReducedMesh::new(def).unwrap()), Arc::new(driver)).unwrap(), basis, shifts)
}

#[test]
fn bodies_move_by_the_interpolant_and_bounds_hold_their_vertices() {
    for &kernel in &KERNELS {
        let (body, basis, shifts) = body(kernel, 0.0);
        let mesh = body.mesh();
        let tree = BoundTree::new(mesh, BoundParams::default());
        let (mut pose, mut all, mut moved) = (Pose::default(), Vec::new(), Vec::new());
        let rest: Vec<[f64; 3]> = mesh.rest_positions().iter().map(|p| p.map(f64::from)).collect();
        for step in 0..=4 {
            let time = f64::from(step) / 4.0;
            body.driver().pose(Moment::at(time), &mut pose);
            mesh.evaluate_all(&pose, &mut all).unwrap();
            let now: Vec<[f64; 3]> = shifts.iter().map(|shift| shift.map(|x| time * x)).collect();
            basis.interpolate(&now, &rest, &mut moved).unwrap();
            for (vertex, place) in all.iter().enumerate() {
                let expected = [0, 1, 2].map(|k| rest[vertex][k] + moved[vertex][k]);
                assert!(far(*place, expected) < 1e-6, "{kernel:?}, vertex {vertex}: {place:?}, not {expected:?}");
            }
            let frame = Frame::of_pose(&tree, &pose).unwrap();
            for node in 0..tree.topology().nodes().len() as u32 {
                let bounds: Aabb = tree.node_box(node, &frame, Level::Corner);
                let vertices = tree.topology().leaf_points(node);
                assert!(vertices.iter().all(|&v| bounds.contains(&all[v as usize])), "{kernel:?}, node {node}");
            }
        }
    }
}

#[test]
fn small_weights_may_be_left_out() {
    let weights = |least: f64| {
        let (body, ..) = body(RadialKernel::Triharmonic, least);
        let influences: &Influences = body.mesh().influences();
        let of = |vertex: u32| influences.of(vertex).map(|(_, weight)| weight).collect::<Vec<_>>();
        (0..influences.vertex_count() as u32).map(of).collect::<Vec<_>>()
    };
    let (all, most) = (weights(0.0), weights(0.02));
    let count = |weights: &[Vec<f64>]| weights.iter().map(Vec::len).sum::<usize>();
    assert!(count(&most) < count(&all) * 9 / 10 && count(&most) > 0);
    assert!(all.iter().flatten().any(|&weight| weight < -0.02), "weights of both signs");
    assert!(most.iter().all(|weights| (weights.iter().sum::<f64>() - 1.0).abs() < 1e-12));
}

#[test]
fn bad_input_is_refused() {
    let corner = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let new = |places: &[[f64; 3]]| RadialBasis::new(places.to_vec(), RadialKernel::Biharmonic).map(|_| ());
    let degenerate = |nodes| Err(ReducedError::DegenerateRadialNodes { nodes });
    assert_eq!(new(&corner), Ok(()));
    assert_eq!(new(&[]), degenerate(0));
    assert_eq!(new(&corner[..3]), degenerate(3));
    assert_eq!(new(&[[2.0; 3]; 9]), degenerate(9));
    assert_eq!(new(&[&corner[..], &corner[1..2]].concat()), degenerate(5));
    let flat: Vec<[f64; 3]> = (0..12).map(|i| [f64::from(i % 4), f64::from(i / 4), 0.5]).collect();
    assert_eq!(new(&flat), degenerate(12));
    // In a plane up to rounding, in no plane of the axes.
    let tilted: Vec<[f64; 3]> = flat.iter().map(|[x, y, _]| [0.3 * x, y / 3.0, 0.1 * x - 0.7 * y]).collect();
    assert_eq!(new(&tilted), degenerate(12));
    assert!(matches!(
        new(&[&corner[..], &[[f64::NAN, 0.0, 0.0]]].concat()),
        Err(ReducedError::BadPlace { index: 4, .. })
    ));
    assert!(matches!(new(&vec![[0.0; 3]; 2_049]), Err(ReducedError::TooLarge { count: 2_049, .. })));
    for support in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = RadialBasis::new(corner.clone(), RadialKernel::Compact { support });
        assert!(matches!(refused, Err(ReducedError::BadPlace { .. })), "{support}");
    }
    let basis = RadialBasis::new(corner, RadialKernel::Biharmonic).unwrap();
    for least in [-0.1, 1.0, f64::NAN] {
        assert!(matches!(basis.influences(&[[0.0; 3]], least), Err(ReducedError::BadLeastWeight { .. })), "{least}");
    }
    let rest = [[0.0; 3], [0.0, f32::NAN, 0.0]];
    assert!(matches!(basis.influences(&rest, 0.0), Err(ReducedError::BadRest { vertex: 1, axis: 1, .. })));
    let mut pose = Pose::rest(2, 1);
    assert_eq!(basis.pose(&[[0.0; 3]; 3], &mut pose), Err(ReducedError::MapCount { expected: 4, found: 3 }));
    assert!(basis.pose(&[[f64::INFINITY; 3]; 4], &mut pose).is_err());
    let mut out = vec![[1.0; 3]];
    assert!(basis.interpolate(&[[0.0; 3]; 4], &[[0.0; 3], [f64::NAN; 3]], &mut out).is_err());
    assert_eq!((pose, out), (Pose::rest(2, 1), vec![[1.0; 3]]), "nothing is changed");
    assert!(basis.driver(&[0.0, 1.0], &[vec![[0.0; 3]; 4]], Outside::Hold).is_err());
}
