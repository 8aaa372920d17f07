//! The boxes of a leaf's triangles at an instant, made when a leaf is first reached.

use super::{Bounds, RefitTree};
use crate::bvh::leaf_filter::{BoxBlock, Sides};
use crate::threads;

/// The sides of a box.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn sides_of(bounds: &Bounds) -> Sides<1> {
    let [x, y, z, _, p, q, r, _] = bounds.0;
    [[x, y, z, p, q, r]]
}

/// The boxes of a leaf's triangles.
#[cfg_attr(not(debug_assertions), inline(always))]
fn block_of<const MOVED: bool>(leaf: usize, tree: &RefitTree) -> BoxBlock<1> {
    let mut block = BoxBlock::EMPTY;
    let triangles = tree.starts[leaf] as usize..tree.starts[leaf + 1] as usize;
    for (lane, triangle) in triangles.enumerate() {
        block.set(lane, &sides_of(&tree.triangle_box_at::<MOVED>(triangle)));
    }
    block
}

/// Leaves of a task.
const RUN: usize = 256;

/// The blocks of those leaves of a tree that are reached; room is taken for these only.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Blocks {
    made: Vec<BoxBlock<1>>,
    /// Per leaf, the query at which its block was made, and the index of the block.
    stamps: Vec<[u32; 2]>,
    stamp: u32,
}

impl Blocks {
    /// Begins another query: drops all blocks. O(1), but O(leaves) the first time.
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
        self.made.push(block_of::<MOVED>(leaf, tree));
        place
    }

    /// Makes the blocks of some leaves, by several threads.
    pub(super) fn make_all<const MOVED: bool>(&mut self, leaves: impl Iterator<Item = usize>, tree: &RefitTree) {
        let first = self.made.len();
        let mut new = Vec::new();
        for leaf in leaves {
            if self.stamps[leaf][0] != self.stamp {
                self.stamps[leaf] = [self.stamp, (first + new.len()) as u32];
                new.push(leaf);
            }
        }
        self.made.resize(first + new.len(), BoxBlock::EMPTY);
        let mut runs: Vec<_> = new.chunks(RUN).zip(self.made[first..].chunks_mut(RUN)).collect();
        threads::for_each(&mut runs, |(leaves, blocks)| {
            blocks.iter_mut().zip(*leaves).for_each(|(block, &leaf)| *block = block_of::<MOVED>(leaf, tree));
        });
    }

    /// The block of a leaf that was made.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn known(&self, leaf: usize) -> &BoxBlock<1> {
        &self.made[self.stamps[leaf][1] as usize]
    }

    /// One of the blocks that were made.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn of(&self, made: usize) -> &BoxBlock<1> {
        &self.made[made]
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.made.capacity() * size_of::<BoxBlock<1>>() + self.stamps.capacity() * size_of::<[u32; 2]>()
    }
}
