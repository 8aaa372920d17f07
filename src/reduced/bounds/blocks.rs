//! Corner bounds of nodes with many influences: lanes are influences, in blocks of eight. See
//! [`super::lanes`].

use super::lanes::{Best, Eight, Lane, Morph, NOTHING};
use super::tree::NodeInfluence;
use crate::simd::{F32x8, Kernel, LANES, Simd};
use crate::tuning;

/// Eight influences of a node, side by side, aligned to cache lines.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Block {
    low: Lane,
    spread: Lane,
    centre: [Lane; 3],
    half: [Lane; 3],
    /// 0, or [`NOTHING`] if the node has no such influence.
    bias: Lane,
    /// Number of the block of eight maps.
    number: u32,
    /// Whether any block of the node has nonzero least weights.
    pub(super) has_lows: bool,
}

/// The blocks of a node's influences (ascending), if they are cheaper than a list; else empty.
pub(super) fn blocks_of(influences: &[NodeInfluence]) -> Vec<Block> {
    let of_one = influences.chunk_by(|a, b| a.influence / LANES as u32 == b.influence / LANES as u32);
    let by_blocks = tuning::BLOCK_COST * of_one.clone().count() + tuning::BLOCK_JOIN_COST;
    if by_blocks >= tuning::INFLUENCE_COST * influences.len() {
        return Vec::new();
    }
    let has_lows = influences.iter().any(|influence| influence.low != 0.0);
    of_one.map(|some| Block::of(some[0].influence / LANES as u32, some, has_lows)).collect()
}

impl Block {
    /// Creates a block from some of eight influences.
    pub(super) fn of(number: u32, influences: &[NodeInfluence], has_lows: bool) -> Self {
        let mut block = Self {
            low: [0.0; LANES],
            spread: [0.0; LANES],
            centre: [[0.0; LANES]; 3],
            half: [[0.0; LANES]; 3],
            bias: [NOTHING; LANES],
            number,
            has_lows,
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

/// Permutation of two sets of lanes, sixteen together, into two sets to be joined.
type Places = [[usize; LANES]; 2];
const FOUR: Places = [[0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]];
const TWO: Places = [[0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]];
const ONE: Places = [[0, 2, 8, 10, 4, 6, 12, 14], [1, 3, 9, 11, 5, 7, 13, 15]];

impl<N: F32x8> Best<N> {
    /// Joins the halves of two sets of lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn halved<M: Simd<F32x8 = N>>(self, other: Self, machine: M, places: Places) -> Self {
        let (base, first) =
            (divided(machine, self.base, other.base, places), divided(machine, self.first, other.first, places));
        let (second, spread) =
            (divided(machine, self.second, other.second, places), divided(machine, self.spread, other.spread, places));
        let mut best = Self { base: base.0, first: first.0, second: second.0, spread: spread.0 };
        best.join(Self { base: base.1, first: first.1, second: second.1, spread: spread.1 });
        best
    }
}

/// Permutes sixteen lanes. Written out: only inlined code is compiled for the machine.
#[cfg_attr(not(debug_assertions), inline(always))]
fn divided<M: Simd>(machine: M, a: M::F32x8, b: M::F32x8, [one, other]: Places) -> (M::F32x8, M::F32x8) {
    let (a, b) = (a.lanes(), b.lanes());
    let all = [a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]];
    let [i, j, k, l, m, n, o, p] = one;
    let first = [all[i], all[j], all[k], all[l], all[m], all[n], all[o], all[p]];
    let [i, j, k, l, m, n, o, p] = other;
    let second = [all[i], all[j], all[k], all[l], all[m], all[n], all[o], all[p]];
    (machine.load(&first), machine.load(&second))
}

/// The kernel over blocks of influences, direction by direction.
#[derive(Clone, Copy)]
pub(super) struct ByBlocks<'a, const MORPHED: bool, const LOWS: bool> {
    pub(super) maps: &'a [Eight],
    pub(super) blocks: &'a [Block],
    pub(super) morph: &'a Morph,
    pub(super) rest: [f32; 2],
}

impl<const MORPHED: bool, const LOWS: bool> Kernel for ByBlocks<'_, MORPHED, LOWS> {
    type Output = Lane;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) -> Lane {
        let Self { maps, blocks, morph: [shift, growth], rest } = self;
        let mut pairs = [Best::none(machine); 3];
        for axis in 0..3 {
            let (mut up, mut down) = (Best::none(machine), Best::none(machine));
            for block in blocks {
                let Eight(map) = &maps[block.number as usize];
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
                let (above, below, spread) = (half + middle, half - middle, machine.load(&block.spread));
                if LOWS {
                    let low = machine.load(&block.low);
                    up.base = up.base + above * low;
                    down.base = down.base + below * low;
                }
                up.add(above, spread);
                down.add(below, spread);
            }
            pairs[axis] = up.halved(down, machine, FOUR);
        }
        let [x, y, z] = pairs;
        // Four lanes of each of two directions, two of each of four, one of each.
        let best = x.halved(y, machine, TWO).halved(z.halved(z, machine, TWO), machine, ONE);
        best.bound(machine, rest)
    }
}
