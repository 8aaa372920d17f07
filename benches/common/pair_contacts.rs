//! The contacts of an interval, decided once: exact contact intervals of all candidates, and the
//! pairs that touch at any time of it. Frames read them; a test is needed inside the enclosure of
//! an end only.

use kinetree::interval::{Candidates, IntervalPairs};
use kinetree::narrow::intervals::{ContactInterval, IntervalStats, MovingTriangle, contact_intervals, touch_at_time};

/// Exact contact intervals of pairs of triangles over one interval between two keys.
#[derive(Clone, Debug, Default)]
pub struct PairContacts {
    contacts: Vec<(u32, u32, ContactInterval)>,
    found: Vec<ContactInterval>,
    stats: IntervalStats,
}

impl PairContacts {
    /// Decides all candidates. `motion` gives a triangle over the interval, by the body's side (0
    /// or 1) and its number.
    pub fn decide(&mut self, candidates: &Candidates, motion: impl Fn(usize, u32) -> MovingTriangle) {
        self.contacts.clear();
        for (a, b) in candidates.pairs() {
            self.found.clear();
            contact_intervals(&motion(0, a), &motion(1, b), &mut self.found, &mut self.stats);
            self.contacts.extend(self.found.iter().map(|interval| (a, b, *interval)));
        }
    }

    /// Names all pairs of triangles that touch at a time of the interval, each once.
    pub fn touching(
        &self,
        leaf_pairs: &IntervalPairs,
        time: f64,
        motion: impl Fn(usize, u32) -> MovingTriangle,
        mut found: impl FnMut(u32, u32),
    ) {
        // Computed parameters of times are off by some roundings.
        const CLEAR: f64 = 1.0 / (1_u64 << 45) as f64;
        let span = leaf_pairs.interval();
        let s = ((time - span.begin) / (span.end - span.begin)).clamp(0.0, 1.0);
        let mut last = (u32::MAX, u32::MAX);
        for &(a, b, interval) in &self.contacts {
            if (a, b) == last || s < interval.begin.lo - CLEAR || s > interval.end.hi + CLEAR {
                continue;
            }
            let has_begun = interval.begin.hi == 0.0 || interval.begin.hi + CLEAR <= s;
            let goes_on = interval.end.lo == 1.0 || s <= interval.end.lo - CLEAR;
            let is_certain = has_begun && goes_on;
            if is_certain || touch_at_time(&motion(0, a), &motion(1, b), (span.begin, span.end), time) {
                last = (a, b);
                found(a, b);
            }
        }
    }

    /// How candidates were decided.
    pub fn stats(&self) -> IntervalStats {
        self.stats
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.contacts.capacity() * size_of::<(u32, u32, ContactInterval)>()
            + self.found.capacity() * size_of::<ContactInterval>()
    }
}
