//! Both kernels against the plain machine, bit for bit, and against each other.

use super::*;
use crate::reduced::bounds::blocks::ByBlocks;
use crate::reduced::bounds::tree::RestBox;
use crate::simd::{self, Plain};

/// Deterministic numbers between −1 and 1.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / f64::from(1 << 23) - 1.0
    }
}

fn maps(dice: &mut Dice, count: usize, scale: f64) -> Vec<Columns> {
    let mut column = |size: f64| [dice.next() * size, dice.next() * size, dice.next() * size, 0.0];
    (0..count).map(|_| [column(1.0), column(1.0), column(1.0), column(3.0 * scale)]).collect()
}

fn influences(dice: &mut Dice, count: usize, every: usize, lows: f64) -> Vec<NodeInfluence> {
    (0..count)
        .step_by(every)
        .map(|influence| NodeInfluence {
            low: (lows * dice.next()).max(0.0) as f32,
            spread: dice.next().abs() as f32,
            influence: influence as u32,
            rest: RestBox {
                centre: std::array::from_fn(|_| dice.next() as f32),
                half: std::array::from_fn(|_| dice.next().abs() as f32),
            },
        })
        .collect()
}

#[test]
fn machines_agree_and_so_do_both_ways() {
    let mut dice = Dice(7);
    for round in 0..200 {
        let count = 1 + round % 70;
        let maps = maps(&mut dice, count, 1.0);
        let mut singles = Singles::default();
        singles.set(&maps, 4.0, true, true);
        assert!(singles.fit());
        // Large nodes have no nonzero least weights.
        let list = influences(&mut dice, count, 1 + round % 3, if round % 2 == 0 { 0.1 } else { 0.0 });
        let morph = [[0.25, -0.5, 0.125], [0.5, 0.0, 0.25]];
        let of_one = list.chunk_by(|a, b| a.influence / LANES as u32 == b.influence / LANES as u32);
        // Even if blocks are more expensive.
        let has_lows = list.iter().any(|influence| influence.low != 0.0);
        let blocks: Vec<Block> =
            of_one.map(|some| Block::of(some[0].influence / LANES as u32, some, has_lows)).collect();
        let rest = [0.5, 0.75];
        agree::<false>(&singles, &list, &blocks, &STILL, rest);
        agree::<true>(&singles, &list, &blocks, &morph, rest);
    }
}

fn agree<const MORPHED: bool>(
    singles: &Singles,
    list: &[NodeInfluence],
    blocks: &[Block],
    morph: &Morph,
    rest: [f32; 2],
) {
    let by_list = ByList::<MORPHED> { maps: &singles.lists, list, morph, rest };
    let one_by_one = simd::run(by_list);
    assert_eq!(one_by_one, by_list.run(Plain));
    // A node of one influence never uses blocks: there is no second value.
    if list.len() > 1 {
        let by_blocks = ByBlocks::<MORPHED, true> { maps: &singles.blocks, blocks, morph, rest };
        let eight_by_eight = simd::run(by_blocks);
        assert_eq!(eight_by_eight, by_blocks.run(Plain));
        if !blocks[0].has_lows {
            let without = ByBlocks::<MORPHED, false> { maps: &singles.blocks, blocks, morph, rest };
            assert_eq!(eight_by_eight, simd::run(without));
            assert_eq!(eight_by_eight, without.run(Plain));
        }
        for lane in [0, 1, 2, 4, 5, 6] {
            // The same values in another order of summation.
            assert!((eight_by_eight[lane] - one_by_one[lane]).abs() <= 1e-4, "{eight_by_eight:?} {one_by_one:?}");
        }
    }
}

#[test]
fn numbers_out_of_range_are_left_to_f64() {
    let mut dice = Dice(9);
    for (scale, fits) in [(1e-30, false), (1e-12, true), (1.0, true), (1e12, true), (1e26, false), (f64::NAN, false)] {
        let maps = maps(&mut dice, 3, scale);
        let mut singles = Singles::default();
        singles.set(&maps, if scale.is_nan() { 1.0 } else { scale }, false, true);
        assert_eq!(singles.fit(), fits, "{scale}");
        singles.set(&maps, 1.0, false, false);
        assert!(!singles.fit());
    }
}
