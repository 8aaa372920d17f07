//! Linear pieces of trajectories.

use super::interpolate;

/// A stretch of time in which one coordinate moves linearly.
///
/// Either end may be infinite; then the coordinate is constant. `begin <= end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Where the piece begins, seconds.
    pub begin: f64,
    /// Where it ends, seconds.
    pub end: f64,
    /// The coordinate at the beginning, metres.
    pub at_begin: f64,
    /// The coordinate at the end, metres.
    pub at_end: f64,
}

impl Piece {
    /// A coordinate that does not change from `begin` to `end`.
    pub fn constant(begin: f64, end: f64, x: f64) -> Self {
        Self { begin, end, at_begin: x, at_end: x }
    }

    /// The coordinate at `time`; exact at both ends, and constant beyond them.
    pub fn at(&self, time: f64) -> f64 {
        if time <= self.begin {
            self.at_begin
        } else if time >= self.end {
            self.at_end
        } else if self.at_begin == self.at_end {
            self.at_begin
        } else {
            interpolate(self.at_begin, self.at_end, (time - self.begin) / (self.end - self.begin))
        }
    }
}
