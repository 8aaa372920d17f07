//! The tuned refit against brute force, and its boxes against positions.

use super::*;
use crate::bvh::{BuildParams, Builder};
use crate::motion::{Flightplan, KeyLayout, Motion, Outside, VertexFlightplan};
use crate::narrow::{ContactRule, EveryPair};
use crate::oracle::{Shape, touching_by_brute_force};
use crate::simd::{Kernel as _, Plain};
use crate::time::Span;

struct Random(u64);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// In −1..1.
    fn signed(&mut self) -> f32 {
        self.bits() as f32 / (1u32 << 30) as f32 - 1.0
    }
}

/// A strip of triangles around a point far from the origin, wildly moving: neighbouring `f32`
/// numbers matter there.
fn strip(random: &mut Random, keys: usize, columns: u32, offset: f32) -> (Mesh, Vec<f64>, Vec<[f32; 3]>) {
    let mut triangles = Vec::new();
    for column in 0..columns - 1 {
        let corner = 2 * column;
        triangles.push([corner, corner + 1, corner + 2]);
        triangles.push([corner + 3, corner + 2, corner + 1]);
    }
    // Degenerate ones too.
    triangles.push([0, 0, 1]);
    triangles.push([5, 5, 5]);
    let mesh = Mesh::new(2 * columns as usize, triangles).unwrap();
    let mut positions = Vec::new();
    for _ in 0..keys {
        for vertex in 0..2 * columns {
            let place = [(vertex / 2) as f32 / columns as f32, (vertex % 2) as f32 * 0.1, 0.0];
            positions.push(place.map(|x| offset + x + 0.2 * random.signed()));
        }
    }
    (mesh, (0..keys).map(|key| key as f64 * 0.1).collect(), positions)
}

fn sorted(pairs: &mut [(u32, u32)]) -> &[(u32, u32)] {
    pairs.sort_unstable();
    pairs
}

#[test]
fn finds_what_brute_force_finds() {
    let mut random = Random(11);
    let (mut contacts, mut tests_saved) = (0, 0);
    for (round, offset) in [0.0f32, 0.3, 4096.0, 1e6, -3e5].into_iter().enumerate() {
        for leaf_size in [1, 2, 4, 16] {
            for builder in [Builder::MedianSplit, Builder::BinnedSurfaceArea] {
                let params = BuildParams { builder, leaf_size, ..BuildParams::default() };
                let layout = if round % 2 == 0 { KeyLayout::KeyMajor } else { KeyLayout::VertexMajor };
                let bodies: Vec<_> = (0..2)
                    .map(|_| {
                        let (mesh, times, keys) = strip(&mut random, 3, 24, offset);
                        let motion =
                            Motion::new(Flightplan::keyframes(times, keys), mesh.vertex_count(), layout).unwrap();
                        (mesh, motion)
                    })
                    .collect();
                let positions_at = |at: Moment| -> Vec<Vec<[f64; 3]>> {
                    bodies
                        .iter()
                        .map(|(_, motion)| {
                            let mut positions = Vec::new();
                            motion.positions(at, &mut positions);
                            positions
                        })
                        .collect()
                };
                let start = positions_at(Moment::at(0.0));
                let mut trees: Vec<RefitTree> = (0..2)
                    .map(|side| {
                        let mesh = &bodies[side].0;
                        RefitTree::new(Topology::build(mesh, &start[side], params), mesh, &start[side])
                    })
                    .collect();
                for time in [-1.0, 0.0, 0.0371, 0.1, 0.15, 0.199_999_9, 0.2, 3.0] {
                    let at = Moment::at(time);
                    let positions = positions_at(at);
                    let shapes: Vec<Shape<'_>> = (0..2)
                        .map(|side| Shape { triangles: bodies[side].0.triangles(), positions: &positions[side] })
                        .collect();
                    let mut expected = Vec::new();
                    let brute = touching_by_brute_force(shapes[0], shapes[1], &EveryPair, &mut |x, y| {
                        expected.push((x, y));
                    });
                    for by_motion in [false, true] {
                        for (side, tree) in trees.iter_mut().enumerate() {
                            if by_motion {
                                let motion = &bodies[side].1;
                                tree.refit_with(|vertices, points| motion.rounded_positions(at, vertices, points));
                            } else {
                                tree.refit(&positions[side]);
                            }
                            check_boxes(tree, &positions[side], offset);
                        }
                        let mut found = Vec::new();
                        let mut push = |x, y| found.push((x, y));
                        let tests =
                            touching_by_trees(&trees[0], shapes[0], &trees[1], shapes[1], &EveryPair, &mut push);
                        assert_eq!(sorted(&mut found), sorted(&mut expected), "{params:?} at {time} by {offset}");
                        assert_eq!(tests, brute, "exact boxes that overlap are found by both");
                    }
                    contacts += expected.len();
                    tests_saved += shapes[0].triangles.len() * shapes[1].triangles.len() - brute as usize;
                }
            }
        }
    }
    assert!(contacts > 10_000 && tests_saved > 100_000, "{contacts} contacts, {tests_saved} tests saved");
}

/// Every node holds the positions below it, and is not wider than rounding makes it.
fn check_boxes(tree: &RefitTree, positions: &[[f64; 3]], offset: f32) {
    let loose = f64::from((offset.abs() + 2.0) * 4e-6);
    for node in 0..tree.topology.nodes().len() as u32 {
        let bounds = tree.node_box(node, Moment::at(0.0));
        let mut points = Vec::new();
        let mut below = vec![node];
        while let Some(node) = below.pop() {
            match tree.topology.node(node).left_and_right() {
                Some((left, right)) => below.extend([left, right]),
                None => points.extend(tree.topology.leaf_points(node).iter().map(|&v| positions[v as usize])),
            }
        }
        let truth = Aabb::of_points(&points);
        assert!(points.iter().all(|point| bounds.contains(point)), "{bounds:?} does not hold {truth:?}");
        assert!(truth.inflated(loose).contains(&bounds.min) && truth.inflated(loose).contains(&bounds.max));
    }
}

#[test]
fn margins_cover_vertices_with_plans_of_their_own() {
    let mut random = Random(5);
    let (mesh, times, keys) = strip(&mut random, 3, 12, 0.5);
    let mut motion = Motion::new(Flightplan::keyframes(times, keys), mesh.vertex_count(), KeyLayout::KeyMajor).unwrap();
    let far = VertexFlightplan::Velocity { from: Some([1e5, 0.1, 0.2]), velocity: [0.3, 0.1, 7.0] };
    motion.set_vertex_plans(&[(3, far)], Moment::at(0.0)).unwrap();
    let vertices: Vec<u32> = (0..mesh.vertex_count() as u32).rev().collect();
    let mut points = vec![[7.0; 4]; vertices.len()];
    for time in [0.0, 0.033, 0.1, 0.17, 5.0] {
        let at = Moment::at(time);
        let margin = motion.rounded_positions(at, &vertices, &mut points);
        for (point, &vertex) in points.iter().zip(&vertices) {
            for (axis, x) in motion.position(vertex, at).into_iter().enumerate() {
                assert!((f64::from(point[axis]) - x).abs() <= 0.5 * f64::from(margin));
            }
            assert_eq!(point[3], 0.0);
        }
    }
}

/// The plain machine names the same pairs in the same order, with the same work.
#[test]
fn machines_agree_on_fronts() {
    let mut bits = 7_u64;
    let mut random = |range: f64| {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (bits >> 40) as f64 / f64::from(1 << 24) * range
    };
    let mut named = 0;
    for leaf_size in [1, 5, 8] {
        let count = 90;
        // Chains of two triangles that share a corner.
        let triangles = (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * (t | 1) + 2]).collect();
        let mesh = Mesh::new(3 * count, triangles).unwrap();
        let mut place = || -> Vec<[f64; 3]> {
            let centres: Vec<[f64; 3]> = (0..count).map(|_| std::array::from_fn(|_| random(2.0))).collect();
            (0..3 * count).map(|v| centres[v / 3].map(|x| x + random(0.5))).collect()
        };
        let start = place();
        let params = BuildParams { leaf_size, ..BuildParams::default() };
        let tree = || RefitTree::new(Topology::build(&mesh, &start, params), &mesh, &start);
        let (mut a, mut b) = (tree(), tree());
        let rest: Vec<[f32; 3]> = start.iter().map(|p| p.map(|x| x as f32)).collect();
        let own = RefitFront::within(&a, &mesh, &mesh.weld(&rest).unwrap()).unwrap();
        for (mut front, is_self) in [(RefitFront::between(&a, &b).unwrap(), false), (own, true)] {
            let mut twin = front.clone();
            for round in 0..8 {
                a.refit(&place());
                b.refit(&start);
                let other = if is_self { &a } else { &b };
                let distance = [0.0, 0.1][round % 2];
                let (mut found, mut again) = (Vec::new(), Vec::new());
                front.look(&a, other, distance, |p, q| found.push((p, q)));
                twin.begin::<false, _>(&a, other, distance, |p, q| again.push((p, q))).run(Plain);
                assert_eq!((&found, front.stats()), (&again, twin.stats()));
                named += found.len();
            }
        }
    }
    assert!(named > 1_000, "{named}");
}

/// What a velocity field does.
#[derive(Clone, Copy, Debug)]
enum Field {
    Drift,
    Grow,
    Scatter,
    Rest,
    /// Comes back to where it was, again and again.
    Loop,
}

fn field(random: &mut Random, kind: Field, offset: f32, scale: f32) -> (Mesh, Motion) {
    let (mesh, _, places) = strip(random, 1, 24, 0.0);
    let count = mesh.vertex_count();
    let places: Vec<[f32; 3]> = places[..count].iter().map(|p| p.map(|x| offset + scale * x)).collect();
    let velocities = places.iter().map(|p| match kind {
        Field::Drift => [0.3, -0.2, 0.1].map(|x: f32| scale * x),
        Field::Grow => p.map(|x| 0.5 * (x - offset)),
        Field::Scatter | Field::Loop => [0; 3].map(|_| 0.1 * scale * random.signed()),
        Field::Rest => [0.0; 3],
    });
    let velocities: Vec<[f32; 3]> = velocities.collect();
    let plan = match kind {
        Field::Loop => {
            Flightplan::velocities_until(Span { begin: 0.0, end: 1.0 }, places, velocities).outside(Outside::Loop)
        }
        _ => Flightplan::velocities(0.0, places, velocities),
    };
    (mesh, Motion::new(plan, count, KeyLayout::KeyMajor).unwrap())
}

/// Boxes of velocity fields hold all positions and the boxes of all triangles at every query, and
/// all touching pairs are named, whether boxes were moved or refitted.
#[test]
fn boxes_of_velocity_fields_move() {
    let mut random = Random(23);
    let (mut contacts, mut moved, mut refitted) = (0, 0, 0);
    let kinds = [Field::Drift, Field::Grow, Field::Scatter, Field::Rest, Field::Loop];
    for (round, (offset, scale)) in
        [(0.0, 1.0), (4096.0, 1.0), (-3e5, 1.0), (1e6, 0.3), (0.0, 1e-20), (0.0, 1e-37), (0.0, 1e15)]
            .into_iter()
            .enumerate()
    {
        for (kind, leaf_size) in kinds.into_iter().flat_map(|kind| [1, 4, 8].map(|size| (kind, size))) {
            let other = kinds[(round + leaf_size) % kinds.len()];
            let bodies = [kind, other].map(|kind| field(&mut random, kind, offset, scale));
            let positions_at = |side: usize, at: Moment| {
                let mut positions = Vec::new();
                bodies[side].1.positions(at, &mut positions);
                positions
            };
            let params = BuildParams { leaf_size, ..BuildParams::default() };
            let mut trees = [0, 1].map(|side: usize| {
                let start = positions_at(side, Moment::at(0.0));
                RefitTree::new(Topology::build(&bodies[side].0, &start, params), &bodies[side].0, &start)
            });
            let mut front = RefitFront::between(&trees[0], &trees[1]).unwrap();
            for time in [0.0, 1e-40, 1e-9, 0.01, 0.02, 0.05, 0.2, 0.21, 0.5, 0.999, 1.0, 1.1, 1.95, 2.3, 2.2, 40.0, 1e6]
            {
                let at = Moment::at(time);
                let positions = [0, 1].map(|side| positions_at(side, at));
                for side in 0..2 {
                    trees[side].follow(&bodies[side].1, at);
                    *(if trees[side].has_moved() { &mut moved } else { &mut refitted }) += 1;
                    check_moved(&trees[side], &positions[side]);
                    let mut forgetful = trees[side].clone();
                    forgetful.forget_motion();
                    assert!(
                        (0..trees[side].boxes.len() as u32)
                            .all(|p| forgetful.box_at::<true>(p) == trees[side].box_at::<true>(p))
                    );
                    check_moved(&forgetful, &positions[side]);
                }
                let shapes = [0, 1]
                    .map(|side: usize| Shape { triangles: bodies[side].0.triangles(), positions: &positions[side] });
                let mut expected = Vec::new();
                touching_by_brute_force(shapes[0], shapes[1], &EveryPair, &mut |x, y| expected.push((x, y)));
                let mut found = Vec::new();
                let mut push = |x, y| found.push((x, y));
                touching_by_trees(&trees[0], shapes[0], &trees[1], shapes[1], &EveryPair, &mut push);
                assert_eq!(sorted(&mut found), sorted(&mut expected), "{kind:?} {other:?} {offset} {scale} {time}");
                let mut named = Vec::new();
                front.look(&trees[0], &trees[1], 0.0, |p, q| named.push((p, q)));
                let named = sorted(&mut named);
                assert!(expected.iter().all(|pair| named.binary_search(pair).is_ok()), "{kind:?} {other:?} {time}");
                contacts += expected.len();
            }
        }
    }
    assert!(
        contacts > 10_000 && moved > 1_000 && refitted > 500,
        "{contacts} contacts, {moved} moved, {refitted} refitted"
    );
}

/// Every box holds the positions and the widened triangles below it.
fn check_moved(tree: &RefitTree, positions: &[[f64; 3]]) {
    for node in 0..tree.topology.nodes().len() as u32 {
        let (bounds, box_of_node) = (tree.bounds(node), tree.node_box(node, Moment::at(0.0)));
        let mut below = vec![node];
        while let Some(node) = below.pop() {
            if let Some((left, right)) = tree.topology.node(node).left_and_right() {
                below.extend([left, right]);
                continue;
            }
            let points = tree.topology.leaf_points(node);
            assert!(points.iter().all(|&vertex| box_of_node.contains(&positions[vertex as usize])));
            for triangle in tree.leaf_triangles(tree.places[node as usize]) {
                let inside = tree.triangle_box(triangle);
                assert!((0..8).all(|side| bounds.0[side] <= inside.0[side]), "{bounds:?} {inside:?}");
            }
        }
    }
}

/// Reports every pair of triangles below two refitted trees that is in contact by a rule, in no
/// useful order. Returns how many exact tests that took.
fn touching_by_trees(
    tree_a: &RefitTree,
    a: Shape<'_>,
    tree_b: &RefitTree,
    b: Shape<'_>,
    rule: &impl ContactRule,
    found: &mut impl FnMut(u32, u32),
) -> u64 {
    let mut tests = 0;
    candidate_triangles(tree_a, tree_b, rule.distance(), |triangle_a, triangle_b| {
        let (corners_a, corners_b) = (a.corners(triangle_a), b.corners(triangle_b));
        let box_a = Aabb::of_points(&corners_a).grown(rule.box_distance());
        if rule.wants(triangle_a, triangle_b) && box_a.overlaps(&Aabb::of_points(&corners_b)) {
            tests += 1;
            if rule.touch((triangle_a, &corners_a), (triangle_b, &corners_b)) {
                found(triangle_a, triangle_b);
            }
        }
    });
    tests
}
