//! Boxes of a leaf's triangles, eight side by side, and which boxes of two leaves are near each
//! other.
//!
//! One filter for instants (`ENDS` = 1) and for intervals in which boxes move linearly (`ENDS` =
//! 2): boxes that are apart on the same axis and side at both ends are apart throughout. It finds a
//! superset of the pairs of triangles that come within the threshold;
//! [`TriangleFilter`](crate::narrow::TriangleFilter) rejects pairs among them by the triangles
//! themselves.
//!
//! **Rounding.** A rounded difference of two `f32` exceeds an `f32` threshold only if the real one
//! does.
//!
//! Cost: eight comparisons of boxes at a time, some 20 instructions per end.

use crate::simd::{F32x8, LANES, Simd};

/// Boxes in a block.
pub(crate) const WIDTH: usize = LANES;

/// Sides of a box per end: lowest, and highest with the other sign, per axis.
pub(crate) type Sides<const ENDS: usize> = [[f32; 6]; ENDS];

/// The boxes of eight triangles; unused ones are empty.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct BoxBlock<const ENDS: usize>([[[f32; WIDTH]; 6]; ENDS]);

const _: () = assert!(size_of::<BoxBlock<1>>() == 192 && size_of::<BoxBlock<2>>() == 384);

#[cfg(feature = "record")]
impl<const ENDS: usize> serde::Serialize for BoxBlock<ENDS> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0[..].serialize(serializer)
    }
}

#[cfg(feature = "record")]
impl<'de, const ENDS: usize> serde::Deserialize<'de> for BoxBlock<ENDS> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ends = Vec::<[[f32; WIDTH]; 6]>::deserialize(deserializer)?;
        let ends = ends.try_into().map_err(|_| serde::de::Error::custom("a block has another number of ends"))?;
        Ok(Self(ends))
    }
}

impl<const ENDS: usize> BoxBlock<ENDS> {
    pub(crate) const EMPTY: Self = Self([[[f32::INFINITY; WIDTH]; 6]; ENDS]);

    /// Enters a box.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn set(&mut self, lane: usize, sides: &Sides<ENDS>) {
        for end in 0..ENDS {
            for side in 0..6 {
                self.0[end][side][lane] = sides[end][side];
            }
        }
    }

    /// Enters what a box is at one end, by its corners; the fourth numbers say nothing.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn set_end(&mut self, lane: usize, end: usize, low: &[f32; 4], high: &[f32; 4]) {
        for axis in 0..3 {
            self.0[end][axis][lane] = low[axis];
            self.0[end][axis + 3][lane] = -high[axis];
        }
    }

    /// The sides of one of the boxes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn sides(&self, lane: usize) -> Sides<ENDS> {
        let mut sides = [[0.0; 6]; ENDS];
        for end in 0..ENDS {
            for side in 0..6 {
                sides[end][side] = self.0[end][side][lane];
            }
        }
        sides
    }

    /// Per box, a bit: whether it is not proved to be apart from another one by more than a
    /// threshold, at all ends on the same side.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn near<M: Simd>(&self, machine: M, other: &Sides<ENDS>, threshold: f32) -> u32 {
        self.near_to(machine, |end, side| other[end][side], threshold)
    }

    /// The same of one of the boxes of another block.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn near_lane<M: Simd>(&self, machine: M, (other, lane): (&Self, usize), threshold: f32) -> u32 {
        self.near_to(machine, |end, side| other.0[end][side][lane], threshold)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn near_to<M: Simd>(&self, machine: M, other: impl Fn(usize, usize) -> f32, threshold: f32) -> u32 {
        let mut gap = machine.splat(f32::NEG_INFINITY);
        for side in 0..6 {
            let opposite = (side + 3) % 6;
            let mut least = machine.load(&self.0[0][side]) + machine.splat(other(0, opposite));
            for end in 1..ENDS {
                least = least.less(machine.load(&self.0[end][side]) + machine.splat(other(end, opposite)));
            }
            gap = least.more(gap);
        }
        !gap.above(machine.splat(threshold)) & ((1 << WIDTH) - 1)
    }
}

/// The boxes of one leaf's triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeafBlocks<'a, const ENDS: usize> {
    pub(crate) blocks: &'a [BoxBlock<ENDS>],
    /// How many triangles there are.
    pub(crate) count: usize,
    /// The box of all of them.
    pub(crate) bounds: Sides<ENDS>,
}

/// Visits the pairs of triangles of two leaves, by their places in them, whose boxes are near each
/// other and that are wanted.
///
/// `wanted` is given a place of `a` and the first of eight places of `b`, and has a bit for each of
/// them. Triangles of the first leaf near the second one come first, then each against those of the
/// second.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn near_pairs<M: Simd, const ENDS: usize>(
    machine: M,
    (a, b): (LeafBlocks<'_, ENDS>, LeafBlocks<'_, ENDS>),
    threshold: f32,
    wanted: impl Fn(usize, usize) -> u32,
    mut found: impl FnMut(usize, usize),
) {
    for (place_a, block_a) in a.blocks.iter().enumerate() {
        let first_a = place_a * WIDTH;
        let mut rows = block_a.near(machine, &b.bounds, threshold) & lanes(a.count - first_a);
        while rows != 0 {
            let row = rows.trailing_zeros() as usize;
            rows &= rows - 1;
            for (place_b, block_b) in b.blocks.iter().enumerate() {
                let first_b = place_b * WIDTH;
                let asked = wanted(first_a + row, first_b) & lanes(b.count - first_b);
                if asked == 0 {
                    continue;
                }
                let mut near = block_b.near_lane(machine, (block_a, row), threshold) & asked;
                while near != 0 {
                    found(first_a + row, first_b + near.trailing_zeros() as usize);
                    near &= near - 1;
                }
            }
        }
    }
}

/// All lanes behind a place, where eight places from `first` on are asked about: of a leaf with
/// itself, each pair once.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn lanes_behind(place: usize, first: usize) -> u32 {
    !0 << (place + 1).saturating_sub(first).min(WIDTH)
}

/// The mask of the first `count` lanes.
#[cfg_attr(not(debug_assertions), inline(always))]
fn lanes(count: usize) -> u32 {
    if count >= WIDTH { (1 << WIDTH) - 1 } else { (1 << count) - 1 }
}
