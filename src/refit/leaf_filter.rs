//! Triangles below pairs of leaves of any two trees at an instant: named unless they are certainly
//! apart.
//!
//! Leaves are gathered once, with their vertices in `f32` and a margin: boxes of triangles in
//! blocks of eight. Below a pair of leaves boxes are compared eight at a time ([`near_pairs`]), and
//! pairs that are left are rejected in batches along the directions of faces ([`TriangleFilter`]),
//! as in [`RefitFront`](super::RefitFront). A pair that is named is to be tested exactly; a pair
//! that is not named is proved apart.
//!
//! Cost: O(vertices and triangles of the leaves), and per pair of leaves eight comparisons of boxes
//! at a time.

use super::Bounds;
use super::front::are_apart;
use super::leaves::sides_of;
use super::pairs::widening;
use crate::bvh::Topology;
use crate::bvh::leaf_filter::{BoxBlock, LeafBlocks, WIDTH, lanes_behind, near_pairs};
use crate::narrow::TriangleFilter;
use crate::narrow::batch::Directions;
use crate::simd::{self, Kernel, Simd};

/// Leaves of one body at an instant. The room is used again for the next ones, of any body.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// Per node of a tree, one more than its place among `leaves`; 0 for those that were not
    /// gathered.
    places: Vec<u32>,
    leaves: Vec<Leaf>,
    /// Distinct vertices, and per vertex of a mesh, one more than its place among them.
    vertices: Vec<u32>,
    vertex_places: Vec<u32>,
    /// Per triangle, its number and its corners among `points`.
    numbers: Vec<u32>,
    corners: Vec<[u32; 3]>,
    points: Vec<[f32; 4]>,
    blocks: Vec<BoxBlock<1>>,
    /// By how much boxes are widened, metres; at least what any coordinate is off by.
    margin: f32,
}

#[derive(Debug)]
struct Leaf {
    node: u32,
    bounds: Bounds,
    /// Its triangles, and the first of its blocks.
    triangles: std::ops::Range<usize>,
    block: usize,
}

impl Gathered {
    /// Gathers leaves of a tree over some triangles, each once, in place of those before. `fill` is
    /// given distinct vertices and writes their places, as
    /// [`RefitTree::refit_with`](super::RefitTree::refit_with) says.
    pub(crate) fn gather(
        &mut self,
        leaves: impl Iterator<Item = u32>,
        tree: &Topology,
        (triangles, vertex_count): (&[[u32; 3]], usize),
        fill: impl FnOnce(&[u32], &mut [[f32; 4]]) -> f32,
    ) {
        self.clear();
        let grow = |places: &mut Vec<u32>, count: usize| places.resize(places.len().max(count), 0);
        grow(&mut self.places, tree.nodes().len());
        grow(&mut self.vertex_places, vertex_count);
        for leaf in leaves {
            let place = &mut self.places[leaf as usize];
            if *place != 0 {
                continue;
            }
            let begin = self.numbers.len();
            for &number in tree.primitives(leaf) {
                self.numbers.push(number);
                self.corners.push(triangles[number as usize].map(|vertex| {
                    let place = &mut self.vertex_places[vertex as usize];
                    if *place == 0 {
                        self.vertices.push(vertex);
                        *place = self.vertices.len() as u32;
                    }
                    *place - 1
                }));
            }
            let triangles = begin..self.numbers.len();
            self.leaves.push(Leaf { node: leaf, bounds: Bounds::EMPTY, triangles, block: 0 });
            *place = self.leaves.len() as u32;
        }
        self.blocks.reserve(self.numbers.len().div_ceil(WIDTH).max(self.leaves.len()));
        self.points.resize(self.vertices.len(), [0.0; 4]);
        self.margin = fill(&self.vertices, &mut self.points);
        self.bound();
    }

    /// Forgets what was gathered. O(leaves and vertices gathered).
    fn clear(&mut self) {
        let Self { places, leaves, vertices, vertex_places, numbers, corners, points, blocks, .. } = self;
        leaves.iter().for_each(|leaf| places[leaf.node as usize] = 0);
        vertices.iter().for_each(|&vertex| vertex_places[vertex as usize] = 0);
        leaves.clear();
        vertices.clear();
        numbers.clear();
        corners.clear();
        points.clear();
        blocks.clear();
    }

    /// Makes the boxes of triangles and leaves.
    fn bound(&mut self) {
        let Self { leaves, corners, points, blocks, margin, .. } = self;
        for leaf in leaves {
            leaf.block = blocks.len();
            for corners in corners[leaf.triangles.clone()].chunks(WIDTH) {
                let mut block = BoxBlock::EMPTY;
                for (lane, corners) in corners.iter().enumerate() {
                    let bounds = Bounds::of_triangle(corners.map(|point| &points[point as usize])).widened(*margin);
                    block.set(lane, &sides_of(&bounds));
                    leaf.bounds = leaf.bounds.union(&bounds);
                }
                blocks.push(block);
            }
        }
    }

    fn leaf(&self, node: u32) -> &Leaf {
        &self.leaves[self.places[node as usize] as usize - 1]
    }

    fn blocks_of(&self, leaf: &Leaf) -> LeafBlocks<'_, 1> {
        let count = leaf.triangles.len();
        let blocks = &self.blocks[leaf.block..leaf.block + count.div_ceil(WIDTH)];
        LeafBlocks { blocks, count, bounds: sides_of(&leaf.bounds) }
    }

    fn corners_of(&self, triangle: usize) -> [[f32; 3]; 3] {
        self.corners[triangle].map(|point| {
            let [x, y, z, _] = self.points[point as usize];
            [x, y, z]
        })
    }
}

/// Names the triangles below pairs of gathered leaves that may come within `distance` (metres) and
/// are wanted; the others are proved to be apart, or not wanted. If both are leaves of one tree,
/// the lower number comes first, and no triangle is named with itself; pairs of leaves must be
/// given once.
pub(crate) fn filter_leaf_pairs(
    leaves: &[(u32, u32)],
    (a, b): (&Gathered, &Gathered),
    is_self: bool,
    distance: f64,
    wants: impl Fn(u32, u32) -> bool,
    found: &mut Vec<(u32, u32)>,
) {
    let blur = if a.margin > b.margin { a.margin } else { b.margin };
    simd::run(Below {
        leaves,
        a,
        b,
        is_self,
        threshold: widening(distance, a.margin),
        filter: TriangleFilter::new(distance, f64::from(blur), Directions::Faces),
        wants,
        found,
    });
}

/// The kernel.
struct Below<'a, W> {
    leaves: &'a [(u32, u32)],
    a: &'a Gathered,
    b: &'a Gathered,
    is_self: bool,
    threshold: f32,
    /// Pairs of numbers.
    filter: TriangleFilter<1, (u32, u32)>,
    wants: W,
    found: &'a mut Vec<(u32, u32)>,
}

impl<W: Fn(u32, u32) -> bool> Kernel for Below<'_, W> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(mut self, machine: M) {
        for &(leaf_a, leaf_b) in self.leaves {
            self.meet(machine, leaf_a, leaf_b);
        }
        let Self { mut filter, found, .. } = self;
        filter.flush(|pair| found.push(pair));
    }
}

impl<W: Fn(u32, u32) -> bool> Below<'_, W> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn meet<M: Simd>(&mut self, machine: M, node_a: u32, node_b: u32) {
        let Self { a, b, is_self, threshold, filter, wants, found, .. } = self;
        let (leaf_a, leaf_b) = (a.leaf(node_a), b.leaf(node_b));
        if are_apart(&leaf_a.bounds, &leaf_b.bounds, *threshold) {
            return;
        }
        let is_same = *is_self && node_a == node_b;
        let asked = |row: usize, first: usize| if is_same { lanes_behind(row, first) } else { !0 };
        near_pairs(machine, (a.blocks_of(leaf_a), b.blocks_of(leaf_b)), *threshold, asked, |row, other| {
            let (p, q) = (leaf_a.triangles.start + row, leaf_b.triangles.start + other);
            let (number_a, number_b) = (a.numbers[p], b.numbers[q]);
            let is_turned = *is_self && number_a > number_b;
            let pair = if is_turned { (number_b, number_a) } else { (number_a, number_b) };
            if wants(pair.0, pair.1) {
                filter.push(pair, &[a.corners_of(p)], &[b.corners_of(q)], |pair| found.push(pair));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::BuildParams;
    use crate::mesh::Mesh;
    use crate::narrow::proximity::triangles_within;
    use crate::narrow::triangles_touch;
    use crate::simd::Plain;

    /// A soup of triangles on a lattice or off it.
    fn soup(seed: u64, count: usize, is_lattice: bool) -> (Mesh, Vec<[f64; 3]>) {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let x = (state >> 40) as f64 / f64::from(1u32 << 24);
            if is_lattice { (x * 6.0).floor() } else { x * 6.0 }
        };
        let mut positions: Vec<[f64; 3]> = Vec::new();
        for _ in 0..count {
            let middle = [next(), next(), next()];
            positions.extend([0; 3].map(|_| [0, 1, 2].map(|axis: usize| middle[axis] + 0.5 * next())));
        }
        let triangles = (0..count as u32).map(|number| [3 * number, 3 * number + 1, 3 * number + 2]).collect();
        (Mesh::new(3 * count, triangles).unwrap(), positions)
    }

    #[test]
    fn what_touches_is_named_once_and_the_plain_machine_agrees() {
        let (mut touching, mut named) = (0, 0);
        let (mut of_a, mut of_b) = (Gathered::default(), Gathered::default());
        for seed in 0..60 {
            let (is_self, distance) = (seed % 3 == 0, [0.0, 0.0, 0.2][seed as usize / 3 % 3]);
            let leaf_size = [1, 4, 8, 13, 30][seed as usize % 5];
            let side = |seed: u64| {
                let (mesh, positions) = soup(seed, 60, seed.is_multiple_of(2));
                let tree = Topology::build(&mesh, &positions, BuildParams { leaf_size, ..BuildParams::default() });
                (mesh, positions, tree)
            };
            let a = side(seed);
            let b = if is_self { side(seed) } else { side(seed + 1000) };
            let leaves_of = |tree: &Topology| -> Vec<u32> {
                (0..tree.nodes().len() as u32).filter(|&node| tree.node(node).is_leaf()).collect()
            };
            let (leaves_a, leaves_b) = (leaves_of(&a.2), leaves_of(&b.2));
            let pairs: Vec<(u32, u32)> = leaves_a
                .iter()
                .flat_map(|&x| leaves_b.iter().map(move |&y| (x, y)))
                .filter(|(x, y)| !is_self || x <= y)
                .collect();
            type Side = (Mesh, Vec<[f64; 3]>, Topology);
            let gather = |into: &mut Gathered, (mesh, positions, tree): &Side, leaves: &[u32]| {
                let twice = leaves.iter().chain(leaves).copied();
                into.gather(twice, tree, (mesh.triangles(), positions.len()), |vertices, out| {
                    for (out, &vertex) in out.iter_mut().zip(vertices) {
                        let [x, y, z] = positions[vertex as usize].map(|x| x as f32);
                        *out = [x, y, z, 0.0];
                    }
                    8.0 * 4.0 * f32::EPSILON
                });
            };
            // The room of earlier rounds, with more leaves or fewer.
            gather(&mut of_a, &a, &leaves_a);
            gather(&mut of_b, &b, &leaves_b);
            let wants = |p: u32, q: u32| !(p + q).is_multiple_of(7);
            let mut found = Vec::new();
            filter_leaf_pairs(&pairs, (&of_a, &of_b), is_self, distance, wants, &mut found);
            let mut plain = Vec::new();
            let kernel = Below {
                leaves: &pairs,
                a: &of_a,
                b: &of_b,
                is_self,
                threshold: widening(distance, of_a.margin),
                filter: TriangleFilter::new(distance, f64::from(of_a.margin), Directions::Faces),
                wants,
                found: &mut plain,
            };
            kernel.run(Plain);
            assert_eq!(plain, found);
            named += found.len();
            found.sort_unstable();
            assert!(found.windows(2).all(|two| two[0] < two[1]), "named twice");
            let corners = |side: &(Mesh, Vec<[f64; 3]>, Topology), number: u32| {
                side.0.triangles()[number as usize].map(|vertex| side.1[vertex as usize])
            };
            for (p, q) in (0..60).flat_map(|p| (0..60).map(move |q| (p, q))) {
                let (first, second) = (corners(&a, p), corners(&b, q));
                let touch = if distance > 0.0 {
                    triangles_within(&first, &second, distance)
                } else {
                    triangles_touch(&first, &second)
                };
                let is_asked = wants(p, q) && (!is_self || p < q);
                assert!(!(touch && is_asked) || found.binary_search(&(p, q)).is_ok(), "{p} and {q} touch: {seed}");
                assert!(is_asked || found.binary_search(&(p, q)).is_err(), "{p} and {q} are of no interest");
                touching += usize::from(touch && is_asked);
            }
        }
        assert!(touching > 1_000 && named < 10 * touching, "{touching} touch, {named} are named");
    }
    /// Positions may be off by half of the margin: of two touching triangles, one is given a gap
    /// away from where it is.
    #[test]
    fn positions_that_are_off_by_half_of_either_margin_lose_no_contact() {
        let floor = ([[-4.0, -4.0, 0.0], [8.0, -4.0, 0.0], [-4.0, 8.0, 0.0]], [0.0, 0.0, -0.004]);
        let tip = ([[0.0, 0.0, -1e-3], [1.0, 0.3, 1.0], [-1.0, 0.2, 1.0]], [0.0; 3]);
        assert!(triangles_touch(&floor.0, &tip.0));
        let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        let gather = |(corners, error): &([[f64; 3]; 3], [f64; 3]), margin: f32| {
            let tree = Topology::build(&mesh, corners, BuildParams::default());
            let mut gathered = Gathered::default();
            gathered.gather([0].into_iter(), &tree, (mesh.triangles(), 3), |vertices, out| {
                for (out, &vertex) in out.iter_mut().zip(vertices) {
                    let place = [0, 1, 2].map(|axis: usize| (corners[vertex as usize][axis] + error[axis]) as f32);
                    *out = [place[0], place[1], place[2], 0.0];
                }
                margin
            });
            gathered
        };
        let (exact, off) = (gather(&tip, 1e-5), gather(&floor, 0.01));
        for pair in [(&exact, &off), (&off, &exact)] {
            let mut found = Vec::new();
            filter_leaf_pairs(&[(0, 0)], pair, false, 0.0, |_, _| true, &mut found);
            assert_eq!(found, [(0, 0)]);
        }
        // The filter rejects them where the margin does not cover the error.
        let (low, mut found) = (gather(&floor, 1e-5), Vec::new());
        filter_leaf_pairs(&[(0, 0)], (&exact, &low), false, 0.0, |_, _| true, &mut found);
        assert!(found.is_empty());
    }
}
