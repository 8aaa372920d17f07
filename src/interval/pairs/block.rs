//! Boxes that move linearly, eight side by side, compared with one more.

use crate::simd::{F32x8, LANES, Simd};

/// Boxes in a block.
pub(super) const WIDTH: usize = LANES;

/// Sides of a box at both ends: lowest, and highest with the other sign, per axis.
pub(super) const SIDES: usize = 12;

/// The boxes of some triangles of a leaf; unused ones are empty.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Block(pub(super) [[f32; WIDTH]; SIDES]);

impl Block {
    pub(super) const EMPTY: Self = Self([[f32::INFINITY; WIDTH]; SIDES]);

    /// The sides of a box that holds all.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn union(&self, sides: &mut [f32; SIDES]) {
        for (side, row) in sides.iter_mut().zip(&self.0) {
            for &other in row {
                *side = if other < *side { other } else { *side };
            }
        }
    }

    /// The sides of one of the boxes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn sides(&self, lane: usize) -> [f32; SIDES] {
        let mut sides = [0.0; SIDES];
        for side in 0..SIDES {
            sides[side] = self.0[side][lane];
        }
        sides
    }

    /// Per box, a bit: is it not proved to be apart from another one throughout, by more than a threshold?
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn near<M: Simd>(&self, machine: M, other: &[f32; SIDES], threshold: f32) -> u32 {
        let [x, y, z] = [self.gap(machine, other, 0), self.gap(machine, other, 1), self.gap(machine, other, 2)];
        !x.more(y).more(z).above(machine.splat(threshold)) & ((1 << WIDTH) - 1)
    }

    /// By how much boxes are apart along an axis at both ends, on the better side.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gap<M: Simd>(&self, machine: M, other: &[f32; SIDES], axis: usize) -> M::F32x8 {
        let (low, high) = (axis, axis + 3);
        let above = (machine.load(&self.0[low]) + machine.splat(other[high]))
            .less(machine.load(&self.0[low + 6]) + machine.splat(other[high + 6]));
        let below = (machine.load(&self.0[high]) + machine.splat(other[low]))
            .less(machine.load(&self.0[high + 6]) + machine.splat(other[low + 6]));
        above.more(below)
    }
}
