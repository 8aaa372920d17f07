//! Corner bounds in `f32`, eight lanes at a time.
//!
//! Two kernels for one formula, `Σ l v + R second + d₁ (first − second)`. Where a node has few influences, lanes are directions (six of
//! eight), and influences are taken one by one. Where it has many, lanes are influences: maps lie in *blocks* of eight, a node
//! names the blocks in which it has some, and largest, second largest and sums of the lanes are joined at the end. Which way a node goes is decided
//! when the tree is built. Machines agree bit for bit ([`crate::simd`]).
//!
//! **Places.** Rest boxes are relative to the middle of the body at rest, images to a place amid the images of that middle, which is
//! added to the result in `f64`, times the sum of weights: so a body far from the origin loses nothing.
//!
//! **Rounding.** With `u = 2⁻²⁴` and `M` the largest `Σ |A| (|c| + e) + |t|`, a value `γ·(A c + t) + Σ e |γ·A|` is off by at most `10 u M`: maps,
//! shifts and morphed boxes are rounded once, products and sums once each. Let `ε` be that, and take `second + ε` in place of the second
//! largest value found as level: no true value but the first exceeds it, the first exceeds it by no more than was found, and every level is valid. So the bound is
//! off by no more than `ε (Σ l + |R|)`, by what the sum of `n` products `l v` is rounded, `(n + 1) u M Σ l`, and by the last products and sums,
//! `5 u M (Σ l + |R| + 2 d₁)`. [`limits::SINGLE_ROUNDING`] and [`limits::SINGLE_STEPS`] pay for more. Frames with numbers so large or small that products leave the range of
//! `f32` are bounded in `f64` instead.
//!
//! Cost: some thirty instructions per influence one by one, a dozen by blocks and a hundred for joining lanes.

use super::direct::Sides;
use super::frame::Columns;
use super::tree::NodeInfluence;
use crate::limits;
use crate::simd::{self, Kernel, LANES, Machine, Numbers};

/// Less than any value, metres: what lanes without an influence have.
const NOTHING: f32 = -1e30;

/// Eight numbers.
type Lane = [f32; LANES];

/// Eight influences of a node, side by side.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Which eight maps.
    number: u32,
    low: Lane,
    spread: Lane,
    centre: [Lane; 3],
    half: [Lane; 3],
    /// 0, or [`NOTHING`] where the node has no such influence.
    bias: Lane,
}

/// Maps in `f32`, for both kernels.
#[derive(Clone, Debug, Default)]
pub(super) struct Singles {
    /// Per map, three columns and a shift, towards x, y, z, nowhere, and the same negated.
    lists: Vec<[Lane; 4]>,
    /// Per eight maps, the twelve numbers of each: row by row, the shift behind three columns.
    blocks: Vec<[Lane; 12]>,
    /// What images are relative to, metres.
    origin: [f64; 3],
    /// The largest number in a sum, metres; 0 where `f32` will not do.
    size: f64,
}

/// What morph targets do to the rest boxes of a node: shift and growth.
pub(super) type Morph = [[f32; 3]; 2];

/// The influences of a node, in either form.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form<'a> {
    List(&'a [NodeInfluence]),
    Blocks(&'a [Block]),
}

/// The blocks of a node's influences (ascending), if that is cheaper than a list; else none.
pub(super) fn blocks_of(influences: &[NodeInfluence]) -> Vec<Block> {
    let of_one = influences.chunk_by(|a, b| a.influence / LANES as u32 == b.influence / LANES as u32);
    let by_blocks = limits::BLOCK_COST * of_one.clone().count() + limits::BLOCKS_COST;
    if by_blocks >= limits::INFLUENCE_COST * influences.len() {
        return Vec::new();
    }
    of_one.map(|some| Block::of(some[0].influence / LANES as u32, some)).collect()
}

impl Block {
    /// Some influences out of eight.
    fn of(number: u32, influences: &[NodeInfluence]) -> Self {
        let mut block = Self {
            number,
            low: [0.0; LANES],
            spread: [0.0; LANES],
            centre: [[0.0; LANES]; 3],
            half: [[0.0; LANES]; 3],
            bias: [NOTHING; LANES],
        };
        for influence in influences {
            let lane = influence.influence as usize % LANES;
            (block.low[lane], block.spread[lane], block.bias[lane]) = (influence.low, influence.spread, 0.0);
            for axis in 0..3 {
                block.centre[axis][lane] = influence.rest.centre[axis];
                block.half[axis][lane] = influence.rest.half[axis];
            }
        }
        block
    }
}

impl Singles {
    /// Lays maps out; `reach` is the largest coordinate of a morphed rest box from the body's middle, metres. O(maps).
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
        self.origin = [origin[0], origin[1], origin[2]];
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
        if is_number && size > limits::SINGLE_RANGE.recip() && size < limits::SINGLE_RANGE {
            self.size = size;
        }
        self.blocks.clear();
        if has_blocks {
            self.blocks.resize(maps.len().div_ceil(LANES), [[0.0; LANES]; 12]);
            for (place, list) in self.lists.iter().enumerate() {
                let block = &mut self.blocks[place / LANES];
                for number in 0..12 {
                    block[number][place % LANES] = list[number % 4][number / 4];
                }
            }
        }
    }

    /// Will `f32` do?
    pub(super) fn fit(&self) -> bool {
        self.size > 0.0
    }

    /// The sides of a node's box, before what `f64` rounds; `rest` is what is left of the sum of weights when every influence has its least.
    pub(super) fn sides(&self, form: Form<'_>, morph: Option<&Morph>, rest: [f64; 2], weights: Weights) -> Sides {
        let rest = rest.map(|rest| rest as f32);
        let (lists, blocks) = (&self.lists, &self.blocks);
        let found = match (form, morph) {
            (Form::List(list), None) => simd::run(ByList::<false> { maps: lists, list, morph: &STILL, rest }),
            (Form::List(list), Some(morph)) => simd::run(ByList::<true> { maps: lists, list, morph, rest }),
            (Form::Blocks(some), None) => {
                simd::run(ByBlocks::<false> { maps: blocks, blocks: some, morph: &STILL, rest })
            }
            (Form::Blocks(some), Some(morph)) => {
                simd::run(ByBlocks::<true> { maps: blocks, blocks: some, morph, rest })
            }
        };
        let [x, y, z] = self.origin;
        let off =
            weights.steps * limits::SINGLE_ROUNDING * self.size + weights.unsure * x.abs().max(y.abs()).max(z.abs());
        let origin = [x, y, z, 0.0, -x, -y, -z, 0.0];
        std::array::from_fn(|lane| f64::from(found[lane]) + (origin[lane] + off))
    }
}

/// No morph targets.
const STILL: Morph = [[0.0; 3]; 2];

/// What a node's bound needs of its weights besides the influences.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    /// How often the largest number may be rounded: see [`steps`].
    pub(super) steps: f64,
    /// How far a sum of weights may be from 1.
    pub(super) unsure: f64,
}

/// How many roundings of the largest number a node's bound has, for `count` influences with a sum of least weights, a largest range of weights and a rest.
pub(super) fn steps(count: usize, lows: f64, spread: f64, rest: [f64; 2]) -> f64 {
    let own = limits::SINGLE_STEPS as f64;
    (count as f64 + own) * lows + own * (rest[0].abs().max(rest[1].abs()) + spread)
}

/// Which lanes of two sets, sixteen together, are joined with which.
type Places = [[usize; LANES]; 2];
const FOUR: Places = [[0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]];
const TWO: Places = [[0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]];
const ONE: Places = [[0, 2, 8, 10, 4, 6, 12, 14], [1, 3, 9, 11, 5, 7, 13, 15]];

/// Sums and largest values of one set of lanes.
#[derive(Clone, Copy)]
struct Best<N> {
    base: N,
    first: N,
    second: N,
    spread: N,
}

impl<N: Numbers> Best<N> {
    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn none<M: Machine<Numbers = N>>(machine: M) -> Self {
        let (zero, nothing) = (machine.splat(0.0), machine.splat(NOTHING));
        Self { base: zero, first: nothing, second: nothing, spread: zero }
    }

    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn add(&mut self, value: N, low: N, spread: N) {
        self.base = self.base + value * low;
        self.second = self.second.more(self.first.less(value));
        self.spread = value.pick(self.first, spread, self.spread);
        self.first = self.first.more(value);
    }

    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn join(&mut self, other: Self) {
        self.base = self.base + other.base;
        self.second = self.second.more(self.first.less(other.first)).more(other.second);
        self.spread = other.first.pick(self.first, other.spread, self.spread);
        self.first = self.first.more(other.first);
    }

    /// Of two sets of lanes, halves joined.
    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn halved<M: Machine<Numbers = N>>(self, other: Self, machine: M, places: Places) -> Self {
        let (base, first) =
            (divided(machine, self.base, other.base, places), divided(machine, self.first, other.first, places));
        let (second, spread) =
            (divided(machine, self.second, other.second, places), divided(machine, self.spread, other.spread, places));
        let mut best = Self { base: base.0, first: first.0, second: second.0, spread: spread.0 };
        best.join(Self { base: base.1, first: first.1, second: second.1, spread: spread.1 });
        best
    }

    /// The bound.
    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn bound<M: Machine<Numbers = N>>(self, machine: M, rest: [f32; 2]) -> Lane {
        let rest = (self.second * machine.splat(rest[0])).more(self.second * machine.splat(rest[1]));
        (self.base + rest + self.spread * (self.first - self.second)).lanes()
    }
}

/// Sixteen lanes taken apart. Written out: what is not inlined is not compiled for the machine.
#[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
#[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
fn divided<M: Machine>(machine: M, a: M::Numbers, b: M::Numbers, [one, other]: Places) -> (M::Numbers, M::Numbers) {
    let (a, b) = (a.lanes(), b.lanes());
    let all = [a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]];
    let [i, j, k, l, m, n, o, p] = one;
    let first = [all[i], all[j], all[k], all[l], all[m], all[n], all[o], all[p]];
    let [i, j, k, l, m, n, o, p] = other;
    let second = [all[i], all[j], all[k], all[l], all[m], all[n], all[o], all[p]];
    (machine.load(&first), machine.load(&second))
}

/// Influences one by one, lanes are directions.
#[derive(Clone, Copy)]
struct ByList<'a, const MORPHED: bool> {
    maps: &'a [[Lane; 4]],
    list: &'a [NodeInfluence],
    morph: &'a Morph,
    rest: [f32; 2],
}

impl<const MORPHED: bool> Kernel for ByList<'_, MORPHED> {
    type Output = Lane;

    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn run<M: Machine>(self, machine: M) -> Lane {
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
            best.add(value + half, machine.splat(influence.low), machine.splat(influence.spread));
        }
        if list.len() == 1 {
            best.second = best.first;
        }
        best.bound(machine, rest)
    }
}

/// Influences eight by eight, direction by direction.
#[derive(Clone, Copy)]
struct ByBlocks<'a, const MORPHED: bool> {
    maps: &'a [[Lane; 12]],
    blocks: &'a [Block],
    morph: &'a Morph,
    rest: [f32; 2],
}

impl<const MORPHED: bool> Kernel for ByBlocks<'_, MORPHED> {
    type Output = Lane;

    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn run<M: Machine>(self, machine: M) -> Lane {
        let Self { maps, blocks, morph: [shift, growth], rest } = self;
        let mut pairs = [Best::none(machine); 3];
        for axis in 0..3 {
            let (mut up, mut down) = (Best::none(machine), Best::none(machine));
            for block in blocks {
                let map = &maps[block.number as usize];
                let (mut middle, mut half) = (machine.load(&map[4 * axis + 3]), machine.load(&block.bias));
                for column in 0..3 {
                    let number = machine.load(&map[4 * axis + column]);
                    let (mut centre, mut along) =
                        (machine.load(&block.centre[column]), machine.load(&block.half[column]));
                    if MORPHED {
                        centre = centre + machine.splat(shift[column]);
                        along = along + machine.splat(growth[column]);
                    }
                    middle = middle + number * centre;
                    half = half + number.size() * along;
                }
                let (low, spread) = (machine.load(&block.low), machine.load(&block.spread));
                up.add(half + middle, low, spread);
                down.add(half - middle, low, spread);
            }
            pairs[axis] = up.halved(down, machine, FOUR);
        }
        let [x, y, z] = pairs;
        // Four lanes of each of two directions, two of each of four, one of each.
        let best = x.halved(y, machine, TWO).halved(z.halved(z, machine, TWO), machine, ONE);
        best.bound(machine, rest)
    }
}

#[cfg(test)]
#[path = "lanes_tests.rs"]
mod tests;
