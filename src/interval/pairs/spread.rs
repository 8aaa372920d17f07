//! An order of leaf pairs each part of which is a fair sample of all.
//!
//! Pairs that lie side by side in the list lie side by side in space: the first of them may be a
//! corner full of contacts. So runs of pairs, which share leaves, are taken from all parts of the
//! list: every eighth run, then the runs after these, and so on.

use crate::tuning::LEAF_PAIRS_PER_SAMPLE as STRIDE;

/// All places below a count, once each: every eighth run first.
#[derive(Debug)]
pub(super) struct SpreadOrder {
    /// Places of a run; the last may be cut.
    run: usize,
    /// The turns at which every eighth run begins, from each of the first eight runs on.
    begins: [usize; STRIDE],
}

/// About as many runs as a list has. More gather leaves more often.
const RUNS: usize = 64;

impl SpreadOrder {
    pub(super) fn new(count: usize) -> Self {
        let run = (count / RUNS).clamp(8, 128);
        let (whole, rest) = (count / run, count % run);
        let mut begins = [0; STRIDE];
        for first in 1..STRIDE {
            let runs = (whole + STRIDE - first) / STRIDE;
            begins[first] = begins[first - 1] + runs * run + if whole % STRIDE == first - 1 { rest } else { 0 };
        }
        Self { run, begins }
    }

    /// The place that comes at a turn.
    pub(super) fn place(&self, turn: usize) -> usize {
        let first = self.begins[1..].iter().filter(|&&begin| begin <= turn).count();
        let turn = turn - self.begins[first];
        (turn / self.run * STRIDE + first) * self.run + turn % self.run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_comes_once_and_each_eighth_is_from_all_parts() {
        for count in (0..700).chain([1023, 1024, 5000, 8191, 13_290]) {
            let order = SpreadOrder::new(count);
            let places: Vec<usize> = (0..count).map(|turn| order.place(turn)).collect();
            let mut sorted = places.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(0..count), "{count}: {places:?}");
            if count >= 1023 {
                for sample in places.chunks_exact(count / STRIDE) {
                    let mean = sample.iter().sum::<usize>() as f64 / sample.len() as f64 / count as f64;
                    // Of the first and of the last eighth, runs lie 3.5 runs from the middle one.
                    assert!((mean - 0.5).abs() < 5.0 / RUNS as f64, "{count}: {mean}");
                }
            }
        }
    }
}
