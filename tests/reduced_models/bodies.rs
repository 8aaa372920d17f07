//! Morphs, meshless nodes, tetrahedra and combinations: by hand and against plain formulas.

use std::sync::Arc;

use kinetree::mesh::Mesh;
use kinetree::motion::Outside;
use kinetree::reduced::{
    Affine, Blend, Driver, Influences, Meshless, MorphTarget, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh,
    Tetrahedra,
};
use kinetree::time::Moment;

use crate::common::dice::Dice;
use crate::{distance, vector};

fn triangle() -> Mesh {
    Mesh::new(3, vec![[0, 1, 2]]).unwrap()
}

const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

fn nodes(dice: &mut Dice) -> Vec<[f64; 3]> {
    let mut nodes = Vec::new();
    for i in 0..27 {
        let grid = [i % 3, i / 3 % 3, i / 9].map(|k| f64::from(k) * 0.5 - 0.5);
        let off = vector(dice, 0.1);
        nodes.push(std::array::from_fn(|axis| grid[axis] + off[axis]));
    }
    nodes
}

#[test]
fn morph_weights_of_either_sign_displace_before_the_map() {
    let target = MorphTarget { vertices: vec![1, 2], deltas: vec![[0.0, 0.0, 2.0], [1.0, 0.0, 0.0]] };
    let other = MorphTarget::dense(&[[0.0; 3], [0.0, 4.0, 0.0], [0.0; 3]]);
    assert_eq!(other.vertices, [1]);
    let mesh = ReducedMesh::morphed(triangle(), CORNERS.to_vec(), vec![target, other]).unwrap();
    let quarter = Affine::from_parts([10.0, 0.0, 0.0], [0.0, 0.0, 0.5f64.sqrt(), 0.5f64.sqrt()], [1.0; 3]);
    let pose = Pose { maps: vec![quarter], morphs: vec![-0.5, 0.25] };
    let mut out = Vec::new();
    mesh.evaluate(&pose, &[1, 2, 0, 1], &mut out).unwrap();
    // (1, 1, −1) and (−½, 1, 0), turned by a quarter about z.
    let expected = [[9.0, 1.0, -1.0], [9.0, -0.5, 0.0], [10.0, 0.0, 0.0], [9.0, 1.0, -1.0]];
    for (found, expected) in out.iter().zip(&expected) {
        assert!(distance(found, expected) < 1e-15, "{found:?} {expected:?}");
    }
    assert_eq!(mesh.morphs_of(1).collect::<Vec<_>>(), [(0, [0.0, 0.0, 2.0]), (1, [0.0, 4.0, 0.0])]);
}

#[test]
fn modal_weights_move_straight_between_keys() {
    let target = MorphTarget { vertices: vec![1], deltas: vec![[0.0, 0.0, 2.0]] };
    let mesh = Arc::new(ReducedMesh::morphed(triangle(), CORNERS.to_vec(), vec![target]).unwrap());
    let keys = PoseKeys::weights(&[0.0, 1.0, 4.0], vec![vec![0.0], vec![1.0], vec![-2.0]], Outside::Loop).unwrap();
    let body = ReducedBody::new(mesh, Arc::new(keys)).unwrap();
    let height = |moment| {
        let mut out = Vec::new();
        body.positions(moment, &[1], &mut out).unwrap();
        out[0][2]
    };
    assert_eq!(height(Moment::at(0.25)), 0.5);
    assert!(height(Moment::at(2.0)).abs() < 1e-15);
    assert_eq!((height(Moment::at(4.0)), height(Moment::after(4.0))), (-4.0, 0.0));
    assert_eq!(height(Moment::at(8.25)), 0.5);
    assert_eq!(height(Moment::at(-3.0)), 2.0);
    let pieces = body.pieces(1e-6).unwrap();
    assert_eq!(pieces.times(), [0.0, 1.0, 4.0]);
    assert!(pieces.largest_deviation() < 1e-10);
}

#[test]
fn morphing_while_moving_bends_and_is_bounded() {
    let target = MorphTarget { vertices: vec![1], deltas: vec![[0.0, 0.0, 2.0]] };
    let mesh = Arc::new(ReducedMesh::morphed(triangle(), CORNERS.to_vec(), vec![target]).unwrap());
    let pose = |scale: f64, weight: f64| Pose {
        maps: vec![Affine::from_parts([0.0; 3], [0.0, 0.0, 0.0, 1.0], [scale; 3])],
        morphs: vec![weight],
    };
    let keys = PoseKeys::new(&[0.0, 1.0], vec![pose(1.0, 0.0), pose(3.0, 1.0)], vec![[0.0; 3]], Outside::Hold).unwrap();
    let body = ReducedBody::new(mesh, Arc::new(keys)).unwrap();
    // z = (1 + 2t) 2t, so z'' = 8 and the sagitta over one second is 1.
    let whole = body.deviation(kinetree::time::Span { begin: 0.0, end: 1.0 });
    assert!((1.0..1.0 + 1e-9).contains(&whole), "{whole}");
    assert_eq!(body.pieces(0.01).unwrap().count(), 11);
    assert_eq!(body.pieces(0.011).unwrap().count(), 10);
}

#[test]
fn meshless_gradients_reproduce_affine_fields() {
    let mut dice = Dice::new(5, &[]);
    for round in 0..20 {
        let places = nodes(&mut dice);
        let body = Meshless::new(places.clone(), 1.3).unwrap();
        let (a, b): ([[f64; 3]; 3], [f64; 3]) =
            (std::array::from_fn(|_| vector(&mut dice, 0.5)), vector(&mut dice, 1.0));
        let field =
            |x: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|i| b[i] + (0..3).map(|j| a[i][j] * x[j]).sum::<f64>()) };
        let displacements: Vec<[f64; 3]> = places.iter().map(field).collect();
        let rest: Vec<[f32; 3]> = (0..6).map(|_| vector(&mut dice, 0.5).map(|x| x as f32)).collect();
        let influences = body.influences(&rest).unwrap();
        let mesh = Mesh::new(6, vec![[0, 1, 2], [3, 4, 5]]).unwrap();
        let def = ReducedDef { mesh, rest: rest.clone(), influences, morphs: Vec::new(), blend: Blend::Linear };
        let mesh = ReducedMesh::new(def).unwrap();
        let mut pose = Pose::default();
        body.pose(&displacements, &mut pose).unwrap();
        let mut out = Vec::new();
        mesh.evaluate_all(&pose, &mut out).unwrap();
        for (rest, found) in rest.iter().zip(&out) {
            let rest = rest.map(f64::from);
            let moved = field(&rest);
            let expected = std::array::from_fn(|i| rest[i] + moved[i]);
            assert!(distance(found, &expected) < 1e-12, "round {round}: {found:?} {expected:?}");
        }
    }
}

#[test]
fn meshless_gradients_are_the_best_fit() {
    // Of any field: the sum of squared misfits grows whichever way the gradient is changed.
    let mut dice = Dice::new(6, &[]);
    let places = nodes(&mut dice);
    let support = 0.9;
    let body = Meshless::new(places.clone(), support).unwrap();
    let displacements: Vec<[f64; 3]> = places.iter().map(|_| vector(&mut dice, 1.0)).collect();
    let mut pose = Pose::default();
    body.pose(&displacements, &mut pose).unwrap();
    for node in 0..places.len() {
        let misfit = |map: &Affine| {
            (0..places.len())
                .filter(|&other| other != node)
                .map(|other| {
                    let far = distance(&places[node], &places[other]) / support;
                    let kernel = (1.0 - far * far).max(0.0).powi(3);
                    let image = map.point(places[other]);
                    let moved = std::array::from_fn(|i| places[other][i] + displacements[other][i]);
                    kernel * distance(&image, &moved).powi(2)
                })
                .sum::<f64>()
        };
        let map = pose.maps[node];
        let here = map.point(places[node]);
        let least = misfit(&map);
        for entry in 0..9 {
            for step in [1e-3, -1e-3] {
                let mut other = map;
                other.linear[entry] += step;
                // Still through the node's own displacement.
                let off = other.point(places[node]);
                (0..3).for_each(|i| other.shift[i] += here[i] - off[i]);
                assert!(misfit(&other) > least, "node {node}, entry {entry}");
            }
        }
    }
}

#[test]
fn meshless_nodes_move_straight_between_keys() {
    let mut dice = Dice::new(7, &[]);
    let places = nodes(&mut dice);
    let body = Meshless::new(places.clone(), 1.1).unwrap();
    let keys: Vec<Vec<[f64; 3]>> = (0..3).map(|_| places.iter().map(|_| vector(&mut dice, 0.4)).collect()).collect();
    let driver = body.driver(&[0.0, 0.5, 2.0], &keys, Outside::Hold).unwrap();
    let rest: Vec<[f32; 3]> = (0..30).map(|_| vector(&mut dice, 0.5).map(|x| x as f32)).collect();
    let mesh = Mesh::new(30, (0..10).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap();
    let influences = body.influences(&rest).unwrap();
    let def = ReducedDef { mesh, rest, influences, morphs: Vec::new(), blend: Blend::Linear };
    let body = ReducedBody::new(Arc::new(ReducedMesh::new(def).unwrap()), Arc::new(driver)).unwrap();
    let pieces = body.pieces(1e-9).unwrap();
    assert_eq!(pieces.count(), 2);
    let at = |time| {
        let mut out = Vec::new();
        body.positions(Moment::at(time), &(0..30).collect::<Vec<u32>>(), &mut out).unwrap();
        out
    };
    let (first, last) = (at(0.5), at(2.0));
    for (vertex, position) in at(1.1).iter().enumerate() {
        let chord = std::array::from_fn(|i| first[vertex][i] + 0.4 * (last[vertex][i] - first[vertex][i]));
        assert!(distance(position, &chord) < 1e-13);
        assert!(distance(&first[vertex], &last[vertex]) > 1e-3);
    }
}

#[test]
fn tetrahedra_reproduce_affine_maps_outside_too() {
    let places = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
    let body = Tetrahedra::new(places.clone(), vec![[0, 1, 2, 3], [4, 2, 1, 3]]).unwrap();
    let rest = vec![[0.1, 0.2, 0.3], [0.7, 0.6, 0.5], [-0.5, 2.0, 0.25]];
    let influences = body.influences(&rest).unwrap();
    assert!(influences.weights_of(0).iter().all(|&weight| weight > 0.0));
    assert_eq!(influences.indices_of(1), [1, 2, 3, 4]);
    assert!(influences.weights_of(2).iter().any(|&weight| weight < 0.0));
    let map = Affine::from_parts([3.0, 0.0, -1.0], [0.5; 4], [1.0, 2.0, 3.0]);
    let moved: Vec<[f64; 3]> = places.iter().map(|&place| map.point(place)).collect();
    let driver = body.driver(&[0.0, 1.0], &[places, moved], Outside::Hold).unwrap();
    let def =
        ReducedDef { mesh: triangle(), rest: rest.clone(), influences, morphs: Vec::new(), blend: Blend::Combination };
    let mesh = Arc::new(ReducedMesh::new(def).unwrap());
    assert_eq!(driver.map_count(), 5);
    let body = ReducedBody::new(mesh, Arc::new(driver)).unwrap();
    for (moment, map) in [(0.0, Affine::identity()), (1.0, map)] {
        let mut out = Vec::new();
        body.positions(Moment::at(moment), &[0, 1, 2], &mut out).unwrap();
        for (rest, found) in rest.iter().zip(&out) {
            assert!(distance(found, &map.point(rest.map(f64::from))) < 1e-6);
        }
    }
    assert_eq!(body.pieces(1e-9).unwrap().times(), [0.0, 1.0]);
}

#[test]
fn combinations_take_weights_of_either_sign_and_any_sum() {
    let lists = vec![vec![(0, 2.0), (1, -1.0)], vec![(0, 0.5)], vec![(1, 1.5), (0, 1.5), (1, -0.5)]];
    let influences = Influences::combination(2, lists).unwrap();
    assert_eq!(influences.weights_of(2), [1.5, 1.0]);
    let def = ReducedDef {
        mesh: triangle(),
        rest: CORNERS.to_vec(),
        influences,
        morphs: Vec::new(),
        blend: Blend::Combination,
    };
    let mesh = ReducedMesh::new(def).unwrap();
    let pose = Pose {
        maps: vec![
            Affine::from_parts([1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3]),
            Affine::constant([0.0, 0.0, 4.0]),
        ],
        morphs: Vec::new(),
    };
    let mut out = Vec::new();
    mesh.evaluate_all(&pose, &mut out).unwrap();
    assert_eq!(out, [[2.0, 0.0, -4.0], [1.0, 0.0, 0.0], [1.5, 1.5, 4.0]]);
}
