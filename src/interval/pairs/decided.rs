//! Candidates that are decided, with masks of as many bits as the interval has parts.

use super::{emptied, push};
use crate::narrow::intervals::certain::{Certainty, PARTS};

/// The greatest depth at which masks have 16 bits, and the only one at which they have 32.
const NARROW: u32 = u16::BITS.trailing_zeros();
const MEDIUM: u32 = u32::BITS.trailing_zeros();

/// The decided candidates of an interval: all in one list, which the depth of its certainties
/// chooses. The others are empty, unless a saved world is damaged: then all are read.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Decided {
    narrow: Vec<Suspect<u16>>,
    medium: Vec<Suspect<u32>>,
    wide: Vec<Suspect<u64>>,
}

/// A candidate.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Suspect<M> {
    pair: (u32, u32),
    touching: M,
    apart: M,
}

/// A bit for each of some parts of an interval, of equal length.
trait Mask: Copy + Into<u64> {
    const PARTS: u32;

    /// From one of [`PARTS`] bits, of which those of one part are equal.
    fn of(mask: u64) -> Self;
}

impl Mask for u16 {
    const PARTS: u32 = Self::BITS;

    fn of(mask: u64) -> Self {
        every_second(every_second(mask)) as Self
    }
}

impl Mask for u32 {
    const PARTS: u32 = Self::BITS;

    fn of(mask: u64) -> Self {
        every_second(mask) as Self
    }
}

impl Mask for u64 {
    const PARTS: u32 = Self::BITS;

    fn of(mask: u64) -> Self {
        mask
    }
}

/// Every second bit, from the lowest one on, side by side; it is equal to the one above it.
fn every_second(mask: u64) -> u64 {
    let mut bits = mask & 0x5555_5555_5555_5555;
    debug_assert_eq!(bits, mask >> 1 & 0x5555_5555_5555_5555, "{mask:b}");
    let kept =
        [0x3333_3333_3333_3333, 0x0f0f_0f0f_0f0f_0f0f, 0x00ff_00ff_00ff_00ff, 0x0000_ffff_0000_ffff, 0xffff_ffff];
    for (step, kept) in kept.into_iter().enumerate() {
        bits = (bits | bits >> (1 << step)) & kept;
    }
    bits
}

impl<M: Mask> Suspect<M> {
    fn new(pair: (u32, u32), certain: Certainty) -> Self {
        Self { pair, touching: M::of(certain.touching), apart: M::of(certain.apart) }
    }

    fn sort(list: &mut [Self]) {
        // Two numbers are compared as one.
        list.sort_unstable_by_key(|suspect| u64::from(suspect.pair.0) << 32 | u64::from(suspect.pair.1));
    }

    /// Appends those that touch throughout a part, and those that are open in it.
    fn at(list: &[Self], part: u32, touching: &mut Vec<(u32, u32)>, open: &mut Vec<(u32, u32)>) {
        let part = part / (PARTS / M::PARTS);
        let (mut touch, mut may) = (touching.len(), open.len());
        touching.resize(touch + list.len(), (0, 0));
        open.resize(may + list.len(), (0, 0));
        // Written to both and kept in one of them or none: no branch could be guessed.
        for suspect in list {
            (touching[touch], open[may]) = (suspect.pair, suspect.pair);
            let (touches, is_apart) = (suspect.touching.into() >> part & 1, suspect.apart.into() >> part & 1);
            touch += touches as usize;
            may += ((touches | is_apart) ^ 1) as usize;
        }
        touching.truncate(touch);
        open.truncate(may);
    }
}

impl Decided {
    /// Becomes as a new one, in the memory that is there.
    pub(super) fn clear(&mut self) {
        self.narrow.clear();
        self.medium.clear();
        self.wide.clear();
    }

    /// Begins an interval that is halved `depth` times, in the memory of masks of that width;
    /// gives up the others.
    pub(super) fn begin(&mut self, depth: u32) {
        let Self { narrow, medium, wide } = std::mem::take(self);
        match depth {
            ..=NARROW => self.narrow = emptied(narrow),
            MEDIUM => self.medium = emptied(medium),
            _ => self.wide = emptied(wide),
        }
    }

    /// Takes room for some more candidates.
    pub(super) fn reserve_exact(&mut self, depth: u32, count: usize) {
        match depth {
            ..=NARROW => self.narrow.reserve_exact(count),
            MEDIUM => self.medium.reserve_exact(count),
            _ => self.wide.reserve_exact(count),
        }
    }

    /// Appends a candidate whose certainty was computed with that depth.
    pub(super) fn push(&mut self, depth: u32, pair: (u32, u32), certain: Certainty) {
        match depth {
            ..=NARROW => push(&mut self.narrow, Suspect::new(pair, certain)),
            MEDIUM => push(&mut self.medium, Suspect::new(pair, certain)),
            _ => push(&mut self.wide, Suspect::new(pair, certain)),
        }
    }

    /// Takes the candidates of others of the same depth.
    pub(super) fn append(&mut self, next: Self) {
        self.narrow.extend(next.narrow);
        self.medium.extend(next.medium);
        self.wide.extend(next.wide);
    }

    pub(super) fn sort(&mut self) {
        Suspect::sort(&mut self.narrow);
        Suspect::sort(&mut self.medium);
        Suspect::sort(&mut self.wide);
    }

    pub(super) fn len(&self) -> usize {
        self.narrow.len() + self.medium.len() + self.wide.len()
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let Self { narrow, medium, wide } = self;
        let narrow = narrow.iter().map(|suspect| suspect.pair);
        narrow.chain(medium.iter().map(|suspect| suspect.pair)).chain(wide.iter().map(|suspect| suspect.pair))
    }

    /// Appends those that touch throughout one of [`PARTS`] parts, and those that are open in it.
    pub(super) fn at(&self, part: u32, touching: &mut Vec<(u32, u32)>, open: &mut Vec<(u32, u32)>) {
        Suspect::at(&self.narrow, part, touching, open);
        Suspect::at(&self.medium, part, touching, open);
        Suspect::at(&self.wide, part, touching, open);
    }

    pub(super) fn bytes(&self) -> usize {
        self.narrow.capacity() * size_of::<Suspect<u16>>()
            + self.medium.capacity() * size_of::<Suspect<u32>>()
            + self.wide.capacity() * size_of::<Suspect<u64>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::intervals::MovingTriangle;
    use crate::narrow::intervals::certain::certainty;

    struct Random(u64);

    impl Random {
        fn triangle(&mut self) -> [[f64; 3]; 3] {
            [(); 3].map(|()| {
                [(); 3].map(|()| {
                    self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
                })
            })
        }

        fn moving(&mut self) -> MovingTriangle {
            MovingTriangle { begin: self.triangle(), end: self.triangle() }
        }
    }

    /// Pairs that touch throughout a part, and those that are open, by masks of all parts.
    fn expected(all: &[((u32, u32), Certainty)], part: u32) -> [Vec<(u32, u32)>; 2] {
        let has = |mask: u64| mask >> part & 1 == 1;
        let pairs = |wanted: &dyn Fn(Certainty) -> bool| {
            all.iter().filter(|(_, certain)| wanted(*certain)).map(|(pair, _)| *pair).collect()
        };
        [pairs(&|certain| has(certain.touching)), pairs(&|certain| !has(certain.touching) && !has(certain.apart))]
    }

    fn at(decided: &Decided, part: u32) -> [Vec<(u32, u32)>; 2] {
        let (mut touching, mut open) = (Vec::new(), Vec::new());
        decided.at(part, &mut touching, &mut open);
        [touching, open]
    }

    #[test]
    fn masks_of_any_depth_say_of_every_part_what_the_certainty_says() {
        let mut random = Random(1);
        for depth in 1..=6 {
            let mut decided = Decided::default();
            decided.begin(depth);
            let all: Vec<_> = (0..300)
                .map(|number| {
                    let (a, b, most) = (random.moving(), random.moving(), if number % 3 == 0 { 9 } else { u32::MAX });
                    ((number, 7), certainty(&a, &b, [1e-9; 3], depth, most))
                })
                .collect();
            for &(pair, certain) in all.iter().rev() {
                decided.push(depth, pair, certain);
            }
            decided.sort();
            assert_eq!((decided.len(), decided.pairs().count()), (all.len(), all.len()));
            let mut counts = [0; 2];
            for part in 0..PARTS {
                let found = at(&decided, part);
                assert_eq!(found, expected(&all, part), "depth {depth}, part {part}");
                counts = [counts[0] + found[0].len(), counts[1] + found[1].len()];
            }
            // Of each kind some, and parts that differ.
            assert!(counts.iter().all(|&count| count > 64), "depth {depth}: {counts:?}");
            assert!(at(&decided, 0) != at(&decided, PARTS - 1));
        }
    }

    #[test]
    fn a_candidate_takes_12_16_or_24_bytes() {
        assert_eq!([size_of::<Suspect<u16>>(), size_of::<Suspect<u32>>(), size_of::<Suspect<u64>>()], [12, 16, 24]);
        for (depth, size) in [(1, 12), (4, 12), (5, 16), (6, 24)] {
            let mut decided = Decided::default();
            decided.reserve_exact(depth, 100);
            assert_eq!(decided.bytes(), 100 * size, "depth {depth}");
            for _ in 0..100 {
                decided.push(depth, (1, 2), Certainty::default());
            }
            assert_eq!(decided.bytes(), 100 * size, "depth {depth}");
        }
    }

    #[test]
    fn memory_stays_where_masks_stay_as_wide() {
        let mut decided = Decided::default();
        decided.begin(2);
        decided.reserve_exact(2, 100);
        decided.push(2, (1, 2), Certainty::default());
        decided.begin(4);
        assert_eq!((decided.len(), decided.bytes()), (0, 1200));
        decided.clear();
        assert_eq!((decided.len(), decided.bytes()), (0, 1200));
        for depth in [6, 5] {
            decided.begin(depth);
            assert_eq!(decided.bytes(), 0);
            decided.reserve_exact(depth, 100);
        }
        assert_eq!(decided.bytes(), 1600);
    }

    /// As a damaged world may have them.
    #[test]
    fn candidates_of_several_widths_are_all_found() {
        let mut decided = Decided::default();
        for (number, depth, touching) in [(0, 6, 1 << 63), (1, 5, 3 << 62), (2, 4, 15 << 60)] {
            decided.push(depth, (number, 0), Certainty { touching, apart: 0 });
        }
        assert_eq!(decided.pairs().collect::<Vec<_>>(), [(2, 0), (1, 0), (0, 0)]);
        assert_eq!(at(&decided, 63), [vec![(2, 0), (1, 0), (0, 0)], vec![]]);
        assert_eq!(at(&decided, 62), [vec![(2, 0), (1, 0)], vec![(0, 0)]]);
        let mut all = decided.clone();
        all.append(decided);
        assert_eq!((all.len(), at(&all, 59)[1].len()), (6, 6));
    }
}
