//! What a row of a table is made of: a chained checksum of results, and sums of counters.

use kinetree::narrow::ccd::FirstContact;
use kinetree::narrow::{ContactInterval, Enclosure, FirstTouch, IntervalStats};

use crate::checksum::{chained, mix};

/// Results in the order in which they were found.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) sum: u64,
    pub(crate) counts: Vec<u64>,
}

impl Record {
    pub(crate) fn new(name: &str, columns: usize) -> Self {
        Self { sum: chained(0, name.as_bytes()), counts: vec![0; columns] }
    }

    pub(crate) fn word(&mut self, word: u64) {
        self.sum = mix(self.sum, word);
    }

    /// A number by its bits; one zero and one NaN, as which of them it is may depend on the machine.
    pub(crate) fn number(&mut self, number: f64) {
        self.word(if number.is_nan() {
            0x7ff8_0000_0000_0000
        } else if number == 0.0 {
            0
        } else {
            number.to_bits()
        });
    }

    pub(crate) fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|&number| self.number(number));
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.sum = chained(self.sum, text.as_bytes());
    }

    /// A truth value, counted in a column if it holds.
    pub(crate) fn truth(&mut self, holds: bool, column: usize) {
        self.word(u64::from(holds));
        self.counts[column] += u64::from(holds);
    }

    pub(crate) fn option(&mut self, number: Option<f64>, column: usize) {
        self.truth(number.is_some(), column);
        self.number(number.unwrap_or(-1.0));
    }

    pub(crate) fn enclosure(&mut self, Enclosure { lo, hi }: Enclosure) {
        self.numbers(&[lo, hi]);
    }

    pub(crate) fn interval(&mut self, interval: &ContactInterval) {
        self.enclosure(interval.begin);
        self.enclosure(interval.end);
        let is = [interval.instant, interval.undecided, interval.at_window_begin(), interval.at_window_end()];
        is.into_iter().for_each(|is| self.word(u64::from(is)));
        self.text(&format!("{:?}", interval.feature));
    }

    pub(crate) fn touch(&mut self, touch: &FirstTouch) {
        self.text(&format!("{:?}", touch.feature));
        self.numbers(&touch.point);
        self.numbers(&touch.normal);
    }

    pub(crate) fn contact(&mut self, contact: Option<&FirstContact>, column: usize) {
        self.truth(contact.is_some(), column);
        if let Some(contact) = contact {
            self.enclosure(contact.time);
            self.numbers(&contact.point);
            self.word(u64::from(contact.undecided));
        }
    }

    /// Counters of stages, each in a column of its own: [`STAGES`].
    pub(crate) fn stats(&mut self, stats: &IntervalStats) {
        let counters = [
            stats.pairs,
            stats.rejected_by_axes,
            stats.rejected_by_planes,
            stats.rejected_by_signs,
            stats.accepted_by_signs,
            stats.solved,
            stats.coplanar,
            stats.collinear,
            stats.exact_pairs,
            stats.exact_minors,
            stats.algebraic,
            stats.intervals,
            stats.instants,
            stats.undecided,
        ];
        for (count, counter) in self.counts.iter_mut().zip(counters) {
            *count += counter;
            self.sum = mix(self.sum, counter);
        }
    }
}

/// The columns of [`Record::stats`].
pub(crate) const STAGES: [&str; 14] = [
    "pairs",
    "by axes",
    "by planes",
    "by signs",
    "throughout",
    "solved",
    "coplanar",
    "collinear",
    "exact pairs",
    "exact minors",
    "algebraic",
    "intervals",
    "instants",
    "undecided",
];
