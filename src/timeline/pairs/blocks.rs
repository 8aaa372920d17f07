//! The triangles of leaves at both ends of an interval, eight boxes side by side.
//!
//! Only leaves that are in some pair are gathered, each once per interval.

use super::part;
use crate::limits;
use crate::narrow::batch::Corners;
use crate::simd::{self, Kernel, LANES, Machine, Numbers};
use crate::time::Span;
use crate::timeline::KeyBoxes;

/// Boxes in a block.
const WIDTH: usize = LANES;

/// Sides of a box at both ends: lowest, and highest with the other sign, per axis.
const SIDES: usize = 12;

/// The boxes of some triangles of a leaf; unused ones are empty.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Block([[f32; WIDTH]; SIDES]);

impl Block {
    const EMPTY: Self = Self([[f32::INFINITY; WIDTH]; SIDES]);

    /// The sides of one box.
    #[inline(always)]
    fn sides(&self, lane: usize) -> [f32; SIDES] {
        let mut sides = [0.0; SIDES];
        for (side, row) in sides.iter_mut().zip(&self.0) {
            *side = row[lane];
        }
        sides
    }

    /// The sides of a box that holds all.
    #[inline(always)]
    fn union(&self, sides: &mut [f32; SIDES]) {
        for (side, row) in sides.iter_mut().zip(&self.0) {
            for &other in row {
                *side = if other < *side { other } else { *side };
            }
        }
    }

    /// Per box, a bit: is it not proved to be apart from another one throughout, by more than a threshold?
    #[inline(always)]
    fn near<M: Machine>(&self, machine: M, other: &[f32; SIDES], threshold: f32) -> u32 {
        let mut most = machine.splat(f32::NEG_INFINITY);
        for axis in 0..3 {
            for (own, its) in [(axis, axis + 3), (axis + 3, axis)] {
                let begin = machine.load(&self.0[own]) + machine.splat(other[its]);
                let end = machine.load(&self.0[own + 6]) + machine.splat(other[its + 6]);
                most = begin.less(end).more(most);
            }
        }
        !most.above(machine.splat(threshold)) & ((1 << WIDTH) - 1)
    }
}

/// The triangles of one body, leaf by leaf; a triangle's *slot* is its place in that order.
#[derive(Clone, Debug)]
pub(super) struct LeafTriangles {
    /// Per leaf in the order of places, its first slot; one more entry at the end.
    starts: Vec<u32>,
    /// Per slot, the triangle's corners as points.
    pub(super) corners: Vec<[u32; 3]>,
    /// Per slot, the triangle's number.
    pub(super) numbers: Vec<u32>,
    /// Per leaf, its first block; one more entry at the end.
    block_starts: Vec<u32>,
    blocks: Vec<Block>,
    /// Per leaf, the sides of all its triangles' boxes.
    bounds: Vec<[f32; SIDES]>,
    /// Per slot, in `f32`.
    moving: Vec<Corners<2>>,
    /// Per leaf, when it was last gathered.
    stamps: Vec<u32>,
    stamp: u32,
    /// The points that the gathered leaves are of.
    generation: u64,
    /// How far corners are from where the motion has them, metres.
    pub(super) blur: f64,
    cut: [Option<f32>; 2],
}

impl LeafTriangles {
    /// O(triangles).
    ///
    /// # Panics
    /// If the boxes are of another mesh.
    pub(super) fn new(boxes: &KeyBoxes, triangles: &[[u32; 3]]) -> Self {
        let layout = &boxes.layout;
        let bound = triangles.iter().flatten().map(|&vertex| vertex as usize + 1).max().unwrap_or(0);
        let mut points = vec![u32::MAX; bound];
        layout.vertices.iter().enumerate().for_each(|(point, &vertex)| points[vertex as usize] = point as u32);
        let (mut starts, mut block_starts) = (vec![0], vec![0]);
        let (mut corners, mut numbers, mut blocks) = (Vec::new(), Vec::new(), 0);
        for &leaf in &layout.nodes[layout.inner_count()..] {
            for &triangle in layout.topology.primitives(leaf) {
                corners.push(triangles[triangle as usize].map(|vertex| points[vertex as usize]));
                numbers.push(triangle);
            }
            blocks += layout.topology.primitives(leaf).len().div_ceil(WIDTH);
            starts.push(corners.len() as u32);
            block_starts.push(blocks as u32);
        }
        let leaves = layout.leaf_count();
        Self {
            starts,
            moving: vec![[[[0.0; 3]; 3]; 2]; corners.len()],
            corners,
            numbers,
            block_starts,
            blocks: vec![Block::EMPTY; blocks],
            bounds: vec![[f32::INFINITY; SIDES]; leaves],
            stamps: vec![0; leaves],
            stamp: 0,
            generation: u64::MAX,
            blur: 0.0,
            cut: [None; 2],
        }
    }

    /// Begins another interval: nothing is gathered, unless points and interval are those of the last one. O(1).
    pub(super) fn begin(&mut self, boxes: &KeyBoxes, interval: Span) {
        let is_own = |time: f64, own: f64| time == own || boxes.rests();
        let cut = |time: f64, own: f64| (!is_own(time, own)).then(|| part(time, boxes.begin(), boxes.end()) as f32);
        let cut = [cut(interval.begin, boxes.begin()), cut(interval.end, boxes.end())];
        if self.generation == boxes.generation() && self.cut == cut {
            return;
        }
        if self.stamp == u32::MAX {
            self.stamps.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
        (self.generation, self.cut) = (boxes.generation(), cut);
        // Eight roundings of the largest coordinate where positions are interpolated.
        let rounding = if cut == [None; 2] { 0.0 } else { f64::from(limits::ROUNDED_POSITION) * boxes.coordinate() };
        self.blur = boxes.blur() + rounding;
    }

    /// Gathers a leaf, by its place among the leaves, unless that was done in this interval.
    #[inline(always)]
    pub(super) fn gather(&mut self, leaf: usize, boxes: &KeyBoxes) {
        if self.stamps[leaf] != self.stamp {
            self.stamps[leaf] = self.stamp;
            self.gather_anew(leaf, boxes);
        }
    }

    fn gather_anew(&mut self, leaf: usize, boxes: &KeyBoxes) {
        let slots = self.slots(leaf);
        let (before, after) = (&boxes.points_before[..], &boxes.points[..]);
        for slot in slots.clone() {
            let mut moving = [[[0.0; 3]; 3]; 2];
            for (corner, &point) in self.corners[slot].iter().enumerate() {
                let (x, y) = (&before[point as usize], &after[point as usize]);
                for axis in 0..3 {
                    let at = |cut: Option<f32>, own: f32| cut.map_or(own, |u| x[axis] + (y[axis] - x[axis]) * u);
                    moving[0][corner][axis] = at(self.cut[0], x[axis]);
                    moving[1][corner][axis] = at(self.cut[1], y[axis]);
                }
            }
            self.moving[slot] = moving;
        }
        let mut bounds = [f32::INFINITY; SIDES];
        for block in self.block_starts[leaf] as usize..self.block_starts[leaf + 1] as usize {
            let mut sides = Block::EMPTY;
            let first = slots.start + (block - self.block_starts[leaf] as usize) * WIDTH;
            for (lane, slot) in (first..slots.end.min(first + WIDTH)).enumerate() {
                for (end, corners) in self.moving[slot].iter().enumerate() {
                    for axis in 0..3 {
                        let [p, q, r] = corners.map(|corner| corner[axis]);
                        sides.0[6 * end + axis][lane] = less(less(p, q), r);
                        sides.0[6 * end + axis + 3][lane] = less(less(-p, -q), -r);
                    }
                }
            }
            sides.union(&mut bounds);
            self.blocks[block] = sides;
        }
        self.bounds[leaf] = bounds;
    }

    /// The slots of a leaf.
    #[inline(always)]
    pub(super) fn slots(&self, leaf: usize) -> std::ops::Range<usize> {
        self.starts[leaf] as usize..self.starts[leaf + 1] as usize
    }

    #[inline(always)]
    fn blocks(&self, leaf: usize) -> &[Block] {
        &self.blocks[self.block_starts[leaf] as usize..self.block_starts[leaf + 1] as usize]
    }

    #[inline(always)]
    pub(super) fn moving(&self, slot: usize) -> &Corners<2> {
        &self.moving[slot]
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        (self.starts.capacity() + self.numbers.capacity() + self.block_starts.capacity() + self.stamps.capacity())
            * size_of::<u32>()
            + self.corners.capacity() * size_of::<[u32; 3]>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.bounds.capacity() * size_of::<[f32; SIDES]>()
            + self.moving.capacity() * size_of::<Corners<2>>()
    }
}

#[inline(always)]
fn less(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Appends the pairs of slots of two gathered leaves whose triangles' boxes are not proved to be apart throughout, by more than
/// a threshold. Of a leaf with itself each pair once. Returns how many pairs of boxes were compared.
pub(super) fn near_pairs(
    (a, leaf_a): (&LeafTriangles, usize),
    (b, leaf_b): (&LeafTriangles, usize),
    is_same: bool,
    threshold: f32,
    near: &mut Vec<[u32; 2]>,
) -> u64 {
    simd::run(NearPairs { a: (a, leaf_a), b: (b, leaf_b), is_same, threshold, near })
}

/// The kernel.
struct NearPairs<'a> {
    a: (&'a LeafTriangles, usize),
    b: (&'a LeafTriangles, usize),
    is_same: bool,
    threshold: f32,
    near: &'a mut Vec<[u32; 2]>,
}

impl Kernel for NearPairs<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<M: Machine>(self, machine: M) -> u64 {
        let ((a, leaf_a), (b, leaf_b)) = (self.a, self.b);
        let (slots_a, slots_b) = (a.slots(leaf_a), b.slots(leaf_b));
        let (bounds, mut compared) = (&b.bounds[leaf_b], 0);
        for (place, block) in a.blocks(leaf_a).iter().enumerate() {
            let mut rows = block.near(machine, bounds, self.threshold);
            compared += WIDTH as u64;
            while rows != 0 {
                let lane = rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let slot_a = slots_a.start + place * WIDTH + lane;
                let sides = block.sides(lane);
                for (place, other) in b.blocks(leaf_b).iter().enumerate() {
                    let first = slots_b.start + place * WIDTH;
                    let mut bits = other.near(machine, &sides, self.threshold);
                    compared += WIDTH as u64;
                    if self.is_same {
                        // Only those behind it.
                        let behind = (slot_a + 1).saturating_sub(first).min(WIDTH);
                        bits &= !0 << behind;
                    }
                    while bits != 0 {
                        let lane = bits.trailing_zeros() as usize;
                        bits &= bits - 1;
                        self.near.push([slot_a as u32, (first + lane) as u32]);
                    }
                }
            }
        }
        compared
    }
}
