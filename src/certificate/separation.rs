//! Apart or not: the gap between an upper and a lower bound that both move linearly in pieces.
//!
//! The gap is `upper − lower − slack`. Within a segment its state follows from the signs at the segment's ends and, where
//! they differ, from the one computed crossing; so the state asked for and the times computed can never disagree.

use super::crossing;
use crate::motion::Piece;
use crate::time::{Moment, Side};

/// A stretch of time in which the gap moves linearly.
struct Segment {
    begin: f64,
    end: f64,
    gap_at_begin: f64,
    gap_at_end: f64,
}

impl Segment {
    fn new(lower: &Piece, upper: &Piece, slack: f64) -> Self {
        let (begin, end) = (lower.begin.max(upper.begin), lower.end.min(upper.end));
        Self {
            begin,
            end,
            gap_at_begin: upper.at(begin) - lower.at(begin) - slack,
            gap_at_end: upper.at(end) - lower.at(end) - slack,
        }
    }

    fn crossing(&self) -> f64 {
        crossing(self.begin, self.end, self.gap_at_begin, self.gap_at_end)
    }

    fn is_apart(&self, at: Moment) -> bool {
        match (self.gap_at_begin > 0.0, self.gap_at_end > 0.0) {
            (true, true) => true,
            (false, false) => false,
            (true, false) => at.time() < self.crossing(),
            (false, true) => {
                let crossing = self.crossing();
                at.time() > crossing || (at.time() == crossing && at.side() == Side::After)
            }
        }
    }
}

/// Are two bounds apart at a moment? `lower` and `upper` are the pieces around it.
pub fn is_apart(lower: &Piece, upper: &Piece, slack: f64, at: Moment) -> bool {
    Segment::new(lower, upper, slack).is_apart(at)
}

/// When two bounds that are apart at `from` first are not; [`crate::time::NEVER`] if not until `until`.
///
/// If they are not apart at `from`, that is the answer.
pub fn closing(
    lower: impl Fn(Moment) -> Piece,
    upper: impl Fn(Moment) -> Piece,
    slack: f64,
    from: Moment,
    until: f64,
) -> Moment {
    let mut at = from;
    loop {
        let segment = Segment::new(&lower(at), &upper(at), slack);
        if !segment.is_apart(at) {
            return at;
        }
        if segment.gap_at_end <= 0.0 {
            return Moment::at(segment.crossing()).max(at);
        }
        if segment.end >= until {
            return Moment::at(crate::time::NEVER);
        }
        at = Moment::after(segment.end);
    }
}

/// When two bounds that are not apart at `from` first are; [`crate::time::NEVER`] if not until `until`.
///
/// If they are apart at `from`, that is the answer.
pub fn opening(
    lower: impl Fn(Moment) -> Piece,
    upper: impl Fn(Moment) -> Piece,
    slack: f64,
    from: Moment,
    until: f64,
) -> Moment {
    let mut at = from;
    loop {
        let segment = Segment::new(&lower(at), &upper(at), slack);
        if segment.is_apart(at) {
            return at;
        }
        if segment.gap_at_end > 0.0 {
            return Moment::after(segment.crossing()).max(at);
        }
        if segment.end >= until {
            return Moment::at(crate::time::NEVER);
        }
        at = Moment::after(segment.end);
    }
}
