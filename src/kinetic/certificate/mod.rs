//! Certificates: elementary conditions with a failure time.
//!
//! | certificate | asserts | owner | its failure |
//! |---|---|---|---|
//! | [`overtaking`] | the winner of a slot stays beyond a challenger | a slot of a kinetic tree | leaf or tree event |
//! | [`closing`] | two boxes stay apart along their witness direction | an apart pair of the separation list | boxes meet, or another witness |
//! | [`opening`] | two boxes do not part along a direction | overlapping leaves, parents of apart pairs | leaves part, parents part |
//!
//! Rules. Each is decided per segment, from numbers of the segment that do not depend on "now". For
//! linear motion these are the values at the segment's two ends; for curved motion see `curved`.
//! - A winner fails only if the challenger is *strictly* beyond it at the segment's end; the time
//!   is solved for only then. Equal and parallel motion never fails, and the quotient is never 0/0.
//! - Every failure makes progress: winners of one moment follow each other in one order, see
//!   `ranking`.
//! - Boxes stay apart while their gap is positive. They meet at the *first* time it is not, even
//!   for a single instant.
//! - Gaps close *at* a time and open just *after* one, so a touch of one instant is reported at
//!   that instant.
//! - With a curved piece, a winner fails only if the challenger leads by more than a threshold
//!   somewhere in the segment: even roots do not fail. Boxes are apart only while their gap exceeds
//!   the threshold: even roots meet.
//! - No failure is earlier than the moment from which it is searched.
//!
//! Cost: O(pieces until the failure). Vertices on common keys are compared row by row, about 1 ns
//! per key.

mod curved;
mod extremum;
mod ranking;
mod separation;
#[cfg(test)]
mod tests;

pub use extremum::{is_ahead, overtaking};
pub use ranking::{Ranking, first_overtaking};
pub use separation::{Bound, closing, first_opening, is_apart, opening};

/// Returns when a quantity that moves linearly from `x0` to `x1`, of different signs, is zero;
/// within `begin..=end`.
pub(crate) fn crossing(begin: f64, end: f64, x0: f64, x1: f64) -> f64 {
    let time = begin + (end - begin) * (x0 / (x0 - x1));
    time.max(begin).min(end)
}
