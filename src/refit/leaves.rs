//! The boxes of a leaf's triangles at an instant, eight side by side.

use super::{Bounds, RefitTree};
use crate::simd::{F32x8, LANES, Simd};

/// Most triangles in a leaf.
pub(super) const WIDTH: usize = LANES;

/// Sides of a box: lowest, and highest with the other sign, per axis.
pub(super) type Sides = [f32; 6];

/// The boxes of the triangles of a leaf; unused ones are empty.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Block([[f32; WIDTH]; 6]);

impl Block {
    pub(super) const EMPTY: Self = Self([[f32::INFINITY; WIDTH]; 6]);

    /// Enters a box.
    pub(super) fn set(&mut self, lane: usize, bounds: &Bounds) {
        for (side, value) in sides_of(bounds).into_iter().enumerate() {
            self.0[side][lane] = value;
        }
    }

    /// The sides of one of the boxes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn sides(&self, lane: usize) -> Sides {
        let mut sides = [0.0; 6];
        for side in 0..6 {
            sides[side] = self.0[side][lane];
        }
        sides
    }

    /// Per box, a bit: is it not apart from another one by more than a threshold, along any axis? A rounded difference exceeds an `f32`
    /// threshold only if the real one does.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn near<M: Simd>(&self, machine: M, other: &Sides, threshold: f32) -> u32 {
        let mut gap = machine.splat(f32::NEG_INFINITY);
        for side in 0..6 {
            gap = (machine.load(&self.0[side]) + machine.splat(other[(side + 3) % 6])).more(gap);
        }
        !gap.above(machine.splat(threshold)) & ((1 << WIDTH) - 1)
    }
}

/// The sides of a node's box.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn sides_of(bounds: &Bounds) -> Sides {
    let [x, y, z, _, p, q, r, _] = bounds.0;
    [x, y, z, p, q, r]
}

/// The blocks of a tree's leaves, made when a leaf is first come to; room is taken for these only.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    made: Vec<Block>,
    /// Per leaf, at which look its block was made, and as which one.
    stamps: Vec<[u32; 2]>,
    stamp: u32,
}

impl Blocks {
    /// Begins another look: no block is made. O(1), but O(leaves) the first time.
    pub(super) fn begin(&mut self, tree: &RefitTree) {
        let leaves = tree.starts.len() - 1;
        self.made.clear();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 || self.stamps.len() != leaves {
            self.stamp = 1;
            self.stamps.clear();
            self.stamps.resize(leaves, [0; 2]);
        }
    }

    /// Makes the block of a leaf unless that was done; which one it is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn make<const MOVED: bool>(&mut self, leaf: usize, tree: &RefitTree) -> usize {
        let [stamp, place] = self.stamps[leaf];
        if stamp == self.stamp { place as usize } else { self.fill::<MOVED>(leaf, tree) }
    }

    fn fill<const MOVED: bool>(&mut self, leaf: usize, tree: &RefitTree) -> usize {
        let place = self.made.len();
        self.stamps[leaf] = [self.stamp, place as u32];
        let mut block = Block::EMPTY;
        let triangles = tree.starts[leaf] as usize..tree.starts[leaf + 1] as usize;
        for (lane, triangle) in triangles.enumerate() {
            block.set(lane, &tree.triangle_box_at::<MOVED>(triangle));
        }
        self.made.push(block);
        place
    }

    /// One of the blocks that were made.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn of(&self, place: usize) -> &Block {
        &self.made[place]
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.made.capacity() * size_of::<Block>() + self.stamps.capacity() * size_of::<[u32; 2]>()
    }
}
