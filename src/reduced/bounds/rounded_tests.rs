//! Blended points against exact ones, packed bounds against exact points, and kernels against the
//! plain machine.

use super::layout::Layout;
use super::packed::{Bound, Packed};
use super::posed::{Node, PosedBounds};
use super::rounded::{Evaluate, RoundedPose, Skin};
use super::rows::{LeafRows, Meeting, fill_rows};
use super::{BoundParams, BoundTree, Level};
use crate::bvh::leaf_filter::{BoxBlock, LeafBlocks};
use crate::bvh::{BuildParams, Width};
use crate::mesh::Mesh;
use crate::reduced::{Affine, Blend, Influences, MorphTarget, Pose, ReducedDef, ReducedMesh, WeightPolicy};
use crate::refit::{Bounds, sides_of};
use crate::simd::{self, Kernel as _, LANES, Plain};
use crate::tuning::MAX_QUERY_CHILDREN;

/// SplitMix64.
pub(in crate::reduced) struct Numbers(pub(in crate::reduced) u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(in crate::reduced) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    pub(in crate::reduced) fn real(&mut self, most: f64) -> f64 {
        ((self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * most
    }

    pub(in crate::reduced) fn pick(&mut self, from: &[f64]) -> f64 {
        from[self.below(from.len())]
    }
}

/// A triangle soup with weights by kind: 0 convex, 1 one influence each, 2 of either sign and any
/// sum.
fn soup(dice: &mut Numbers, vertices: usize, maps: usize, morphs: usize, kind: usize) -> ReducedMesh {
    let (scale, offset) = (dice.pick(&[1.0, 1e-3, 1e-25, 1e6, 1e25]), dice.pick(&[0.0, 0.0, 1e4]));
    let rest: Vec<[f32; 3]> =
        (0..vertices).map(|_| [0; 3].map(|_| ((dice.real(1.0) + offset) * scale) as f32)).collect();
    let list = |dice: &mut Numbers| -> Vec<(u32, f64)> {
        let count = if kind == 1 { 1 } else { 1 + dice.below(5) };
        let mut list: Vec<(u32, f64)> = (0..count)
            .map(|_| {
                let weight = dice.real(0.5) + 0.5 + 1e-9;
                let sign = if kind == 2 && dice.below(3) == 0 { -1.0 } else { 1.0 };
                (dice.below(maps) as u32, weight * sign * dice.pick(&[1.0, 1.0, 1e-6, 1e-42]))
            })
            .collect();
        if kind != 2 {
            let sum: f64 = list.iter().map(|(_, weight)| weight).sum();
            list.iter_mut().for_each(|(_, weight)| *weight /= sum);
        } else {
            list.push((0, dice.pick(&[0.5, -3.0, 40.0])));
        }
        list
    };
    let lists: Vec<Vec<(u32, f64)>> = (0..vertices).map(|_| list(dice)).collect();
    let influences = if kind == 2 {
        Influences::combination(maps, lists).unwrap()
    } else {
        Influences::convex(maps, lists, WeightPolicy::Repair).unwrap()
    };
    let morphs = (0..morphs)
        .map(|_| {
            let vertices: Vec<u32> = (0..vertices as u32).filter(|_| dice.below(3) > 0).collect();
            let far = dice.pick(&[1.0, 1.0, 1e-20, 1e3]) * scale;
            let deltas = vertices.iter().map(|_| [0; 3].map(|_| dice.real(far) as f32)).collect();
            MorphTarget { vertices, deltas }
        })
        .collect();
    let triangles = (0..vertices as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = Mesh::new(vertices, triangles).unwrap();
    let blend = if kind == 2 { Blend::Combination } else { Blend::Linear };
    ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs, blend }).unwrap()
}

fn pose(dice: &mut Numbers, mesh: &ReducedMesh) -> Pose {
    let (stretch, shift) = (dice.pick(&[1.0, 1.0, 1e-30, 1e-3, 1e5, 1e30]), dice.pick(&[0.0, 1.0, 1e6, -1e9, 1e-40]));
    let map = |dice: &mut Numbers| {
        Affine::from_rows([0; 3].map(|_| {
            let [a, b, c] = [0; 3].map(|_| dice.real(1.5) * stretch * dice.pick(&[1.0, 1.0, 0.0, 1e-12]));
            [a, b, c, shift + dice.real(2.0)]
        }))
    };
    let maps = (0..mesh.map_count()).map(|_| map(dice)).collect();
    let morphs = (0..mesh.morph_count()).map(|_| dice.real(2.0) * dice.pick(&[1.0, 1e-44, 1e3])).collect();
    Pose { maps, morphs }
}

#[test]
fn blended_points_are_within_half_the_margin_and_bounds_hold_them() {
    let mut dice = Numbers(1);
    let (mut checked, mut unknown, mut packed_boxes, mut closest, mut tightest) = (0, 0, 0, 0.0f64, 0.0f64);
    for round in 0..400 {
        let (maps, morphs) = (1 + dice.below(7), dice.below(3) * usize::from(round % 2 == 0));
        let vertices = 60 + 3 * dice.below(40);
        let mesh = soup(&mut dice, vertices, maps, morphs, round % 3);
        let leaf_size = 1 + dice.below(20);
        let tree =
            BoundParams { tree: BuildParams { leaf_size, ..BoundParams::default().tree }, ..BoundParams::default() };
        let tree = BoundTree::new(&mesh, tree);
        let layout = Layout::new(tree.topology(), mesh.mesh().triangles()).unwrap();
        let skin = Skin::new(&mesh, &layout);
        let packed = Packed::new(&tree, &layout, Level::Corner);
        let mut posed: Option<PosedBounds<'_>> = None;
        for _ in 0..4 {
            let pose = pose(&mut dice, &mesh);
            let mut rounded = RoundedPose::default();
            rounded.set(&tree, &skin, &pose);
            let mut exact = Vec::new();
            mesh.evaluate_all(&pose, &mut exact).unwrap();
            // The whole body, by the wide machine and the plain one.
            let body = match &mut posed {
                Some(body) => {
                    body.set_pose(&pose).unwrap();
                    body
                }
                None => posed.insert(PosedBounds::new(&tree, &mesh, Level::Corner, &pose).unwrap()),
            };
            let sides: [f64; 6] = [0, 1, 2, 4, 5, 6].map(|lane: usize| body.side(lane));
            let mut runs = [const { Vec::new() }; 2];
            for (run, points) in runs.iter_mut().enumerate() {
                points.resize(layout.vertices.len(), [0.0; 4]);
                let mut nodes: Vec<Node> = body.nodes_for_tests();
                let work = Evaluate {
                    layout: &layout,
                    skin: &skin,
                    pose: &rounded,
                    points: 0..points.len() as u32,
                    more: &[],
                    leaves: 0..layout.leaves.len() as u32,
                    root: 0,
                    below: 1..layout.reached,
                    into: points,
                    nodes: &mut nodes,
                };
                if run == 0 { simd::run(work) } else { work.run(Plain) }
            }
            assert_eq!(runs[0], runs[1], "machines differ");
            let Some(margin) = rounded.margin() else {
                unknown += 1;
                continue;
            };
            for (point, &vertex) in layout.vertices.iter().enumerate() {
                for axis in 0..3 {
                    let place = exact[vertex as usize][axis];
                    let error = (f64::from(runs[0][point][axis]) - place).abs();
                    assert!(error <= 0.5 * f64::from(margin), "round {round}: {error} of {margin}");
                    closest = closest.max(2.0 * error / f64::from(margin));
                    checked += 1;
                    assert!(place <= sides[axis] && -place <= sides[axis + 3], "round {round}: a side");
                }
            }
            // Bounds of nodes: packed ones by both machines, and as queries get them.
            let all = 0..layout.nodes.len() as u32;
            let mut bounded = [body.nodes_for_tests(), body.nodes_for_tests()];
            for (run, nodes) in bounded.iter_mut().enumerate() {
                nodes.iter_mut().for_each(|node| (node.bounds, node.stamp) = (super::rounded::EVERYTHING, 0));
                let work = Bound { packed: &packed, places: all.clone(), pose: &rounded, nodes, stamp: 1 };
                let count = if run == 0 { simd::run(work) } else { work.run(Plain) };
                assert_eq!(count as usize, nodes.iter().filter(|node| node.stamp == 1).count());
            }
            assert!(bounded[0].iter().map(|node| node.bounds).eq(bounded[1].iter().map(|node| node.bounds)));
            for place in all {
                let node = layout.nodes[place as usize];
                let bounds = body.node_box(node);
                let Bounds(packed) = bounded[0][place as usize].bounds;
                packed_boxes += usize::from(packed[0].is_finite());
                let mut stack = vec![node];
                let mut own = crate::math::Aabb::EMPTY;
                while let Some(node) = stack.pop() {
                    stack.extend(tree.topology().node(node).children());
                    tree.topology().leaf_points(node).iter().for_each(|&vertex| own.include(&exact[vertex as usize]));
                }
                for axis in 0..3 {
                    let (low, high) = (f64::from(packed[axis]), -f64::from(packed[axis + 4]));
                    assert!(low <= own.min[axis] && own.max[axis] <= high, "round {round}: packed bound");
                    assert!(bounds.min[axis] <= own.min[axis] && own.max[axis] <= bounds.max[axis], "round {round}");
                    let tightness = (own.max[axis] - own.min[axis]) / (high - low);
                    tightest = if tightness > tightest { tightness } else { tightest };
                }
            }
        }
    }
    // The margin is four times the proven error, which is at most thirty times the observed error.
    assert!(checked > 100_000 && packed_boxes > 5_000 && unknown < 800, "{checked} {packed_boxes} {unknown}");
    assert!(closest > 0.01 && tightest > 0.9, "{closest} {tightest}");
}

#[test]
fn triangles_of_leaves_meet_as_their_boxes_do() {
    let mut dice = Numbers(2);
    let mut all = 0;
    for round in 0..200 {
        let count = [1 + dice.below(20), 1 + dice.below(40)];
        // Few distinct numbers, so that many sides are equal.
        let grain = if round % 2 == 0 { 8.0 } else { 1e6 };
        let distance = [0.0, 0.25][round % 2];
        let boxes = count.map(|count| -> Vec<Bounds> {
            (0..count)
                .map(|_| {
                    let low = [0; 3].map(|_| ((dice.real(1.0) * grain).round() / grain) as f32);
                    let high = low.map(|x| x + (dice.real(1.0).abs() * grain).round() as f32 / grain as f32);
                    Bounds([low[0], low[1], low[2], 0.0, -high[0], -high[1], -high[2], 0.0])
                })
                .collect()
        });
        let rows = boxes.clone().map(|boxes| {
            let mut rows = vec![BoxBlock::EMPTY; boxes.len().div_ceil(LANES)];
            for (place, bounds) in boxes.iter().enumerate() {
                rows[place / LANES].set(place % LANES, &sides_of(bounds));
            }
            rows
        });
        let leaf = |which: usize, first: u32| {
            let bounds = sides_of(&boxes[which].iter().fold(Bounds::EMPTY, |all, own| all.union(own)));
            LeafRows { boxes: LeafBlocks { blocks: &rows[which], count: count[which], bounds }, first }
        };
        let mut runs = [const { Vec::new() }; 2];
        for (run, found) in runs.iter_mut().enumerate() {
            let work = Meeting { a: leaf(0, 100), b: leaf(1, 7), distance, found };
            if run == 0 { simd::run(work) } else { work.run(Plain) }
        }
        assert_eq!(runs[0], runs[1], "machines differ");
        let mut expected = Vec::new();
        for (p, Bounds(a)) in boxes[0].iter().enumerate() {
            for (q, Bounds(b)) in boxes[1].iter().enumerate() {
                let apart = |low: f32, high: f32| f64::from(low) - f64::from(high) > f64::from(distance);
                if !(0..3).any(|axis| apart(a[axis], -b[axis + 4]) || apart(b[axis], -a[axis + 4])) {
                    expected.push((100 + p as u32, 7 + q as u32));
                }
            }
        }
        // With a distance, sides are rounded outward: no pair may be missing.
        let found = &mut runs[0];
        found.sort_unstable();
        if distance == 0.0 {
            assert_eq!(*found, expected);
        } else {
            assert!(expected.iter().all(|pair| found.binary_search(pair).is_ok()));
            assert!(found.len() <= expected.len() + expected.len() / 10 + 3);
        }
        all += expected.len();
    }
    assert!(all > 500, "{all}");
}

#[test]
fn leaves_lie_in_memory_as_they_are() {
    let (mut dice, mut largest) = (Numbers(3), 0);
    for round in 0..60 {
        let vertices = 3 * (1 + dice.below([20, 100, 2_000][round % 3]));
        let mesh = soup(&mut dice, vertices, 3, 0, round / 3 % 3);
        let width = [Width::Two, Width::Four][round % 2];
        let tree = BuildParams { leaf_size: 1 + dice.below(20), width, ..BoundParams::default().tree };
        let tree = BoundTree::new(&mesh, BoundParams { tree, ..BoundParams::default() });
        let topology = tree.topology();
        let layout = Layout::new(topology, mesh.mesh().triangles()).unwrap();
        let mut triangles = layout.triangles.clone();
        triangles.sort_unstable();
        assert!(triangles.iter().copied().eq(0..mesh.mesh().triangles().len() as u32), "each triangle once");
        // A traversal visits every leaf once, from above, and each node has one place.
        let (mut leaves, mut stack) = (Vec::new(), vec![0]);
        while let Some(place) = stack.pop() {
            let link = layout.links[place as usize];
            assert!(link.first > place || link.count == 0, "those below come later");
            assert!(link.below().end <= layout.reached && link.count as usize <= MAX_QUERY_CHILDREN);
            assert_eq!(link.is_leaf(), link.count == 0);
            leaves.extend(link.is_leaf().then_some(link.leaf));
            stack.extend(link.below().rev());
        }
        assert!(leaves.iter().copied().eq(0..layout.leaves.len() as u32), "each leaf once, from left to right");
        largest = largest.max(layout.blocks.len());
        assert!(layout.places.iter().enumerate().all(|(node, &place)| layout.nodes[place as usize] == node as u32));
        let mut owned = 0;
        for block in &layout.blocks {
            // All nodes below its root, and no others.
            let (mut below, mut stack) = (Vec::new(), vec![block.root]);
            while let Some(place) = stack.pop() {
                below.extend(layout.links[place as usize].below());
                stack.extend(layout.links[place as usize].below());
            }
            below.sort_unstable();
            assert!(below.iter().copied().eq(block.below.clone()));
            assert_eq!(owned, block.points.start, "blocks own points in turn");
            owned = block.points.end;
            let known: Vec<u32> = block
                .points
                .clone()
                .chain(layout.foreign[super::layout::indices(&block.foreign)].iter().map(|&(point, _)| point))
                .collect();
            for leaf in &layout.leaves[super::layout::indices(&block.leaves)] {
                assert!(block.root == leaf.place || block.below.contains(&leaf.place));
                let node = layout.nodes[leaf.place as usize];
                let places = super::layout::indices(&leaf.triangles);
                assert_eq!(layout.triangles[places.clone()], topology.primitives_below(node));
                for (&triangle, corners) in layout.triangles[places.clone()].iter().zip(&layout.corners[places]) {
                    assert_eq!(
                        corners.map(|p| layout.vertices[p as usize]),
                        mesh.mesh().triangles()[triangle as usize]
                    );
                    assert!(corners.iter().all(|point| known.contains(point)), "a block knows its points");
                }
                let mut points: Vec<u32> = layout.leaf_points[super::layout::indices(&leaf.points)]
                    .iter()
                    .map(|&point| layout.vertices[point as usize])
                    .collect();
                points.sort_unstable();
                let mut expected: Vec<u32> = layout.triangles[super::layout::indices(&leaf.triangles)]
                    .iter()
                    .flat_map(|&triangle| mesh.mesh().triangles()[triangle as usize])
                    .collect();
                expected.sort_unstable();
                expected.dedup();
                assert_eq!(points, expected);
                // Rows contain the boxes of triangles.
                let at: Vec<[f32; 4]> = (0..layout.vertices.len()).map(|p| [p as f32, -(p as f32), 1.0, 0.0]).collect();
                let mut rows = vec![BoxBlock::EMPTY; leaf.triangles.len().div_ceil(LANES)];
                fill_rows(&layout, leaf, &at, Some(0.5), &mut rows);
                for (place, corners) in layout.corners[super::layout::indices(&leaf.triangles)].iter().enumerate() {
                    let (low, high) = (*corners.iter().min().unwrap() as f32, *corners.iter().max().unwrap() as f32);
                    let [sides] = rows[place / LANES].sides(place % LANES);
                    assert_eq!(sides, [low - 0.5, -high - 0.5, 0.5, -(high + 0.5), low - 0.5, -1.5]);
                }
            }
        }
        assert_eq!(owned as usize, layout.vertices.len());
    }
    assert!(largest > 20, "{largest}");
}
