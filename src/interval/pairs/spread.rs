//! An order of leaf pairs whose begin is a fair sample of them.
//!
//! Pairs that lie side by side in the list lie side by side in space: the first of them may be a
//! corner full of contacts. So runs of pairs, which share leaves, are taken from all parts of the
//! list first, and then those between them.

use crate::tuning::LEAF_PAIRS_PER_SAMPLE as STRIDE;

/// All places below a count, once each: every eighth run first.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpreadOrder {
    /// Places of a run.
    run: usize,
    /// Places in every eighth run, of which the last may be cut.
    first: usize,
}

/// About as many runs as a list has. More gather leaves more often.
const RUNS: usize = 128;

impl SpreadOrder {
    pub(super) fn new(count: usize) -> Self {
        let run = (count / RUNS).clamp(8, 64);
        let runs = count.div_ceil(run);
        let last = runs.saturating_sub(1);
        let cut = runs * run - count;
        let first = runs.div_ceil(STRIDE) * run - if last.is_multiple_of(STRIDE) { cut } else { 0 };
        Self { run, first }
    }

    /// The place that comes at a turn.
    pub(super) fn place(self, turn: usize) -> usize {
        if let Some(turn) = turn.checked_sub(self.first) {
            let run = turn / self.run;
            (run + run / (STRIDE - 1) + 1) * self.run + turn % self.run
        } else {
            turn / self.run * STRIDE * self.run + turn % self.run
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_comes_once_and_the_first_eighth_is_from_all_parts() {
        for count in (0..700).chain([1023, 1024, 5000, 8191, 13_290]) {
            let order = SpreadOrder::new(count);
            let places: Vec<usize> = (0..count).map(|turn| order.place(turn)).collect();
            let mut sorted = places.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(0..count), "{count}: {places:?}");
            if count >= 1023 {
                let sample = &places[..count / STRIDE];
                let mean = sample.iter().sum::<usize>() as f64 / sample.len() as f64 / count as f64;
                assert!((mean - 0.5).abs() < 0.05, "{count}: {mean}");
            }
        }
    }
}
