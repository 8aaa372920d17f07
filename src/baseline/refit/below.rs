//! Triangles below pairs of leaves of any two trees at an instant: named unless they are certainly apart.
//!
//! Leaves are gathered once, with their vertices in `f32` and a margin: boxes of triangles in blocks of eight. Below a pair of leaves boxes
//! are compared eight at a time, and triangles whose boxes meet are told apart in batches along faces' directions ([`PairBatch`]), as in
//! [`RefitFront`](super::RefitFront). Nothing is decided here: what is named is to be tested exactly, what is not is proved apart.
//!
//! Cost: O(vertices and triangles of the leaves), and per pair of leaves eight comparisons of boxes at a time.

use super::Bounds;
use super::front::are_apart;
use super::leaves::{Block, WIDTH, sides_of};
use super::pairs::widening;
use crate::kds::Topology;
use crate::narrow::batch::{Directions, PairBatch};
use crate::simd::{self, Kernel, Machine};

/// Leaves of one body at an instant.
#[derive(Debug)]
pub(crate) struct Gathered {
    /// Per node of the tree, one more than its place among `leaves`; 0 for those that were not gathered.
    places: Vec<u32>,
    leaves: Vec<Leaf>,
    /// Per triangle, its number and its corners among `points`.
    numbers: Vec<u32>,
    corners: Vec<[u32; 3]>,
    points: Vec<[f32; 4]>,
    blocks: Vec<Block>,
    /// By how much boxes are widened, metres; at least what any coordinate is off by.
    margin: f32,
}

#[derive(Debug)]
struct Leaf {
    bounds: Bounds,
    /// Its triangles, and the first of its blocks.
    triangles: std::ops::Range<usize>,
    block: usize,
}

impl Gathered {
    /// Gathers leaves of a tree over some triangles, each once. `fill` is given distinct vertices and writes their places, as
    /// [`RefitTree::refit_with`](super::RefitTree::refit_with) says.
    pub(crate) fn new(
        leaves: impl Iterator<Item = u32>,
        tree: &Topology,
        (triangles, vertex_count): (&[[u32; 3]], usize),
        fill: impl FnOnce(&[u32], &mut [[f32; 4]]) -> f32,
    ) -> Self {
        let mut gathered = Self {
            places: vec![0; tree.nodes().len()],
            leaves: Vec::new(),
            numbers: Vec::new(),
            corners: Vec::new(),
            points: Vec::new(),
            blocks: Vec::new(),
            margin: 0.0,
        };
        let mut vertices: Vec<u32> = Vec::new();
        // Per vertex, one more than its place among them.
        let mut places = vec![0u32; vertex_count];
        for leaf in leaves {
            let place = &mut gathered.places[leaf as usize];
            if *place != 0 {
                continue;
            }
            let begin = gathered.numbers.len();
            for &number in tree.primitives(leaf) {
                gathered.numbers.push(number);
                gathered.corners.push(triangles[number as usize].map(|vertex| {
                    let place = &mut places[vertex as usize];
                    if *place == 0 {
                        vertices.push(vertex);
                        *place = vertices.len() as u32;
                    }
                    *place - 1
                }));
            }
            gathered.leaves.push(Leaf { bounds: Bounds::EMPTY, triangles: begin..gathered.numbers.len(), block: 0 });
            *place = gathered.leaves.len() as u32;
        }
        gathered.blocks.reserve(gathered.numbers.len().div_ceil(WIDTH).max(gathered.leaves.len()));
        gathered.points = vec![[0.0; 4]; vertices.len()];
        gathered.margin = fill(&vertices, &mut gathered.points);
        gathered.bound();
        gathered
    }

    /// Makes the boxes of triangles and leaves.
    fn bound(&mut self) {
        let Self { leaves, corners, points, blocks, margin, .. } = self;
        for leaf in leaves {
            leaf.block = blocks.len();
            for corners in corners[leaf.triangles.clone()].chunks(WIDTH) {
                let mut block = Block::EMPTY;
                for (lane, corners) in corners.iter().enumerate() {
                    let bounds = Bounds::of_triangle(corners.map(|point| &points[point as usize])).widened(*margin);
                    block.set(lane, &bounds);
                    leaf.bounds = leaf.bounds.union(&bounds);
                }
                blocks.push(block);
            }
        }
    }

    fn leaf(&self, node: u32) -> &Leaf {
        &self.leaves[self.places[node as usize] as usize - 1]
    }

    fn blocks_of(&self, leaf: &Leaf) -> &[Block] {
        &self.blocks[leaf.block..leaf.block + leaf.triangles.len().div_ceil(WIDTH)]
    }

    fn corners_of(&self, triangle: usize) -> [[f32; 3]; 3] {
        self.corners[triangle].map(|point| {
            let [x, y, z, _] = self.points[point as usize];
            [x, y, z]
        })
    }
}

/// Names the triangles below pairs of gathered leaves that may come within `distance` (metres) and are wanted; the others are proved to be
/// apart, or not wanted. If both are leaves of one tree, the lower number comes first, and no triangle is named with itself; pairs of leaves
/// must be given once.
pub(crate) fn near_below(
    leaves: &[(u32, u32)],
    (a, b): (&Gathered, &Gathered),
    is_one: bool,
    distance: f64,
    wants: impl Fn(u32, u32) -> bool,
    found: &mut Vec<(u32, u32)>,
) {
    let blur = if a.margin > b.margin { a.margin } else { b.margin };
    simd::run(Below {
        leaves,
        a,
        b,
        is_one,
        threshold: widening(distance, a.margin),
        batch: PairBatch::new(distance, f64::from(blur)),
        waiting: Vec::new(),
        wants,
        found,
    });
}

/// The kernel.
struct Below<'a, W> {
    leaves: &'a [(u32, u32)],
    a: &'a Gathered,
    b: &'a Gathered,
    is_one: bool,
    threshold: f32,
    batch: PairBatch<1>,
    /// The pairs of the batch, by number.
    waiting: Vec<(u32, u32)>,
    wants: W,
    found: &'a mut Vec<(u32, u32)>,
}

impl<W: Fn(u32, u32) -> bool> Kernel for Below<'_, W> {
    type Output = ();

    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn run<M: Machine>(mut self, machine: M) {
        for &(leaf_a, leaf_b) in self.leaves {
            self.meet(machine, leaf_a, leaf_b);
        }
        self.name();
    }
}

impl<W: Fn(u32, u32) -> bool> Below<'_, W> {
    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn meet<M: Machine>(&mut self, machine: M, node_a: u32, node_b: u32) {
        let Self { a, b, threshold, .. } = *self;
        let (leaf_a, leaf_b) = (a.leaf(node_a), b.leaf(node_b));
        if are_apart(&leaf_a.bounds, &leaf_b.bounds, threshold) {
            return;
        }
        let is_same = self.is_one && node_a == node_b;
        let bounds = sides_of(&leaf_b.bounds);
        for (block_a, first_a) in a.blocks_of(leaf_a).iter().zip(leaf_a.triangles.clone().step_by(WIDTH)) {
            let mut rows = block_a.near(machine, &bounds, threshold) & lanes(leaf_a.triangles.end - first_a);
            while rows != 0 {
                let row = rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let (p, sides) = (first_a + row, block_a.sides(row));
                for (block_b, first_b) in b.blocks_of(leaf_b).iter().zip(leaf_b.triangles.clone().step_by(WIDTH)) {
                    let mut near = block_b.near(machine, &sides, threshold) & lanes(leaf_b.triangles.end - first_b);
                    while near != 0 {
                        let q = first_b + near.trailing_zeros() as usize;
                        near &= near - 1;
                        if !is_same || p < q {
                            self.take(p, q);
                        }
                    }
                }
            }
        }
    }

    /// Two triangles whose boxes meet, by their places.
    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn take(&mut self, p: usize, q: usize) {
        let (number_a, number_b) = (self.a.numbers[p], self.b.numbers[q]);
        let is_turned = self.is_one && number_a > number_b;
        let pair = if is_turned { (number_b, number_a) } else { (number_a, number_b) };
        if (self.wants)(pair.0, pair.1) {
            self.batch.push(&[self.a.corners_of(p)], &[self.b.corners_of(q)]);
            self.waiting.push(pair);
            if self.batch.is_full() {
                self.name();
            }
        }
    }

    /// Names those of the batch that no face's direction parts, and empties it.
    fn name(&mut self) {
        let apart = self.batch.apart(Directions::Faces);
        let left = self.waiting.iter().enumerate().filter(|(place, _)| apart >> place & 1 == 0);
        self.found.extend(left.map(|(_, &pair)| pair));
        self.waiting.clear();
        self.batch.clear();
    }
}

/// The first so many lanes.
fn lanes(count: usize) -> u32 {
    if count >= WIDTH { (1 << WIDTH) - 1 } else { (1 << count) - 1 }
}
