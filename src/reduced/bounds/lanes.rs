//! Corner bounds in `f32`, eight lanes at a time.
//!
//! Two kernels evaluate one formula, `Σ l v + R second + d₁ (first − second)`. For nodes with few
//! influences, lanes are directions (six of eight), and influences are processed one by one. For
//! nodes with many, lanes are influences. Maps are stored in *blocks* of eight, and a node lists
//! the blocks in which it has influences. Largest, second largest and sums of the lanes are joined
//! at the end. The form of a node is chosen when the tree is built. Machines agree bit for bit
//! ([`crate::simd`]).
//!
//! **Positions.** Rest boxes are relative to the centre of the body at rest. Images are relative to
//! a point amid the images of that centre; this point, times the sum of weights, is added to the
//! result in `f64`. A body far from the origin therefore loses no precision.
//!
//! **Rounding.** With `u = 2⁻²⁴` and `M` the largest `Σ |A| (|c| + e) + |t|`, the error of a value
//! `γ·(A c + t) + Σ e |γ·A|` is at most `10 u M`: maps, shifts and morphed boxes are rounded once,
//! products and sums once each. Let `ε` be that, and take `second + ε` as level, with `second` the
//! computed second largest value. Then no true value but the first exceeds the level, the first
//! exceeds it by no more than computed, and every level is valid. So the error of the bound is at
//! most the sum of three terms: `ε (Σ l + |R|)`; the rounding of the sum of `n` products `l v`,
//! `(n + 1) u M Σ l`; and the last products and sums, `5 u M (Σ l + |R| + 2 d₁)`.
//! [`limits::REDUCED_F32_ROUNDING`] and [`limits::REDUCED_F32_ROUNDING_STEPS`] exceed this. Frames
//! with numbers so large or small that products leave the range of `f32` are bounded in `f64`
//! instead.
//!
//! Cost: some thirty instructions per influence one by one, a dozen by blocks plus a hundred to
//! join lanes.

use super::blocks::{Block, ByBlocks};
use super::direct::Sides;
use super::frame::Columns;
use super::tree::NodeInfluence;
use crate::limits;
use crate::simd::{F32x8, Kernel, LANES, Simd};

/// Less than any value, metres: the value of lanes without an influence.
pub(super) const NOTHING: f32 = -1e30;

/// Eight numbers.
pub(super) type Lane = [f32; LANES];

/// The twelve numbers of eight maps each: row by row, the shift after three columns. Aligned to
/// cache lines: loads across two lines take twice as long.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Eight(pub(super) [Lane; 12]);

/// Maps in `f32`, for both kernels.
#[derive(Clone, Debug, Default)]
pub(super) struct Singles {
    /// Per map, three columns and a shift, towards x, y, z, an idle lane, and the same negated.
    pub(super) lists: Vec<[Lane; 4]>,
    pub(super) blocks: Vec<Eight>,
    /// The reference point of images, metres, and the same negated.
    origin: Sides,
    /// The largest of its coordinates.
    far: f64,
    /// The largest number in a sum, metres; 0 if `f32` does not suffice.
    size: f64,
}

/// Effect of morph targets on the rest boxes of a node: shift and growth.
pub(super) type Morph = [[f32; 3]; 2];

/// The influences of a node, in either form.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form<'a> {
    List(&'a [NodeInfluence]),
    Blocks(&'a [Block]),
}

impl Singles {
    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.lists.capacity() * size_of::<[Lane; 4]>() + self.blocks.capacity() * size_of::<Eight>()
    }

    /// Lays out the maps; `reach` is the largest coordinate of a morphed rest box from the body's
    /// centre, metres. O(maps).
    pub(super) fn set(&mut self, maps: &[Columns], reach: f64, has_blocks: bool, is_wanted: bool) {
        self.size = 0.0;
        if !is_wanted {
            return;
        }
        let share = 1.0 / maps.len().max(1) as f64;
        let mut origin = [0.0; 4];
        for map in maps {
            (0..4).for_each(|lane| origin[lane] += map[3][lane] * share);
        }
        let [x, y, z, _] = origin;
        self.origin = [x, y, z, 0.0, -x, -y, -z, 0.0];
        self.far = x.abs().max(y.abs()).max(z.abs());
        self.lists.clear();
        let mut largest = [0.0f64; 4];
        let mut is_number = true;
        for map in maps {
            let mut list = [[0.0; LANES]; 4];
            let mut sum = [0.0; 4];
            for column in 0..4 {
                let weight = if column < 3 { reach } else { 1.0 };
                for lane in 0..4 {
                    let number = if column < 3 { map[column][lane] } else { map[3][lane] - origin[lane] };
                    sum[lane] += number.abs() * weight;
                    (list[column][lane], list[column][lane + 4]) = (number as f32, -(number as f32));
                }
            }
            for lane in 0..4 {
                is_number &= sum[lane].is_finite();
                largest[lane] = if sum[lane] > largest[lane] { sum[lane] } else { largest[lane] };
            }
            self.lists.push(list);
        }
        let size = largest[0].max(largest[1]).max(largest[2]);
        if is_number && size > limits::REDUCED_F32_RANGE.recip() && size < limits::REDUCED_F32_RANGE {
            self.size = size;
        }
        self.blocks.clear();
        if has_blocks {
            self.blocks.resize(maps.len().div_ceil(LANES), Eight([[0.0; LANES]; 12]));
            for (place, list) in self.lists.iter().enumerate() {
                let Eight(block) = &mut self.blocks[place / LANES];
                for number in 0..12 {
                    block[number][place % LANES] = list[number % 4][number / 4];
                }
            }
        }
    }

    /// Whether `f32` suffices.
    pub(super) fn fit(&self) -> bool {
        self.size > 0.0
    }

    /// The sides of a node's box, moved outward by `slack` and the rounding of `f32`; `rest` is the
    /// remainder of the sum of weights when every influence has its least weight. For kernels: only
    /// inlined code is compiled for the machine.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn sides<M: Simd>(
        &self,
        machine: M,
        form: Form<'_>,
        morph: Option<&Morph>,
        rest: [f64; 2],
        weights: Weights,
        slack: f64,
    ) -> Sides {
        let rest = [rest[0] as f32, rest[1] as f32];
        let (lists, maps) = (&self.lists, &self.blocks);
        let found = match (form, morph) {
            (Form::List(list), None) => ByList::<false> { maps: lists, list, morph: &STILL, rest }.run(machine),
            (Form::List(list), Some(morph)) => ByList::<true> { maps: lists, list, morph, rest }.run(machine),
            (Form::Blocks(blocks), None) => {
                // Large nodes rarely have nonzero least weights.
                if blocks.first().is_some_and(|block| block.has_lows) {
                    ByBlocks::<false, true> { maps, blocks, morph: &STILL, rest }.run(machine)
                } else {
                    ByBlocks::<false, false> { maps, blocks, morph: &STILL, rest }.run(machine)
                }
            }
            (Form::Blocks(blocks), Some(morph)) => ByBlocks::<true, true> { maps, blocks, morph, rest }.run(machine),
        };
        let off = weights.steps * limits::REDUCED_F32_ROUNDING * self.size + weights.unsure * self.far;
        let mut sides = [0.0; LANES];
        for lane in 0..LANES {
            let side = f64::from(found[lane]) + (self.origin[lane] + off) + slack;
            // Infinite numbers give NaN.
            sides[lane] = if side.is_nan() { f64::INFINITY } else { side };
        }
        sides
    }
}

/// A node without morph targets.
pub(super) const STILL: Morph = [[0.0; 3]; 2];

/// The weights of a node's bound, apart from its influences.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    /// Number of roundings of the largest number: see [`steps`].
    pub(super) steps: f64,
    /// Largest distance of a sum of weights from 1.
    pub(super) unsure: f64,
}

/// Number of roundings of the largest number in a node's bound, for `count` influences with a sum
/// of least weights, a largest range of weights and a rest.
pub(super) fn steps(count: usize, lows: f64, spread: f64, rest: [f64; 2]) -> f64 {
    let own = limits::REDUCED_F32_ROUNDING_STEPS as f64;
    (count as f64 + own) * lows + own * (rest[0].abs().max(rest[1].abs()) + spread)
}

/// Sums and largest values of one set of lanes.
#[derive(Clone, Copy)]
pub(super) struct Best<N> {
    pub(super) base: N,
    pub(super) first: N,
    pub(super) second: N,
    pub(super) spread: N,
}

impl<N: F32x8> Best<N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn none<M: Simd<F32x8 = N>>(machine: M) -> Self {
        let (zero, nothing) = (machine.splat(0.0), machine.splat(NOTHING));
        Self { base: zero, first: nothing, second: nothing, spread: zero }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add(&mut self, value: N, spread: N) {
        self.second = self.second.more(self.first.less(value));
        self.spread = value.pick(self.first, spread, self.spread);
        self.first = self.first.more(value);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn join(&mut self, other: Self) {
        self.base = self.base + other.base;
        self.second = self.second.more(self.first.less(other.first)).more(other.second);
        self.spread = other.first.pick(self.first, other.spread, self.spread);
        self.first = self.first.more(other.first);
    }

    /// The bound of the lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn bound<M: Simd<F32x8 = N>>(self, machine: M, rest: [f32; 2]) -> Lane {
        let rest = (self.second * machine.splat(rest[0])).more(self.second * machine.splat(rest[1]));
        (self.base + rest + self.spread * (self.first - self.second)).lanes()
    }
}

/// The kernel over a list of influences; lanes are directions.
#[derive(Clone, Copy)]
struct ByList<'a, const MORPHED: bool> {
    maps: &'a [[Lane; 4]],
    list: &'a [NodeInfluence],
    morph: &'a Morph,
    rest: [f32; 2],
}

impl<const MORPHED: bool> Kernel for ByList<'_, MORPHED> {
    type Output = Lane;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) -> Lane {
        let Self { maps, list, morph: [shift, growth], rest } = self;
        let mut best = Best::none(machine);
        for influence in list {
            let [x, y, z, image] = &maps[influence.influence as usize];
            let (mut value, mut half) = (machine.load(image), machine.splat(0.0));
            for (axis, column) in [x, y, z].into_iter().enumerate() {
                let column = machine.load(column);
                let mut centre = machine.splat(influence.rest.centre[axis]);
                let mut along = machine.splat(influence.rest.half[axis]);
                if MORPHED {
                    centre = centre + machine.splat(shift[axis]);
                    along = along + machine.splat(growth[axis]);
                }
                value = value + column * centre;
                half = half + column.size() * along;
            }
            let value = value + half;
            best.base = best.base + value * machine.splat(influence.low);
            best.add(value, machine.splat(influence.spread));
        }
        if list.len() == 1 {
            best.second = best.first;
        }
        best.bound(machine, rest)
    }
}

#[cfg(test)]
#[path = "lanes_tests.rs"]
mod tests;
