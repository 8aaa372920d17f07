//! The sign of a difference of two pieces, at least one of them curved.
//!
//! On their common segment the difference is one polynomial of degree at most 3. The segment is cut
//! at its turning points. On each part the difference exceeds an offset from some time on, until
//! some time, nowhere or everywhere. These times are bracketed by the sign of the evaluation
//! ([`Piece::at`]), down to two neighbouring numbers. The sign at every `f64` time thus depends on
//! the segment alone, not on "now". States and times are read from the same list.
//!
//! Guarantee (see [`limits`]): where the difference is reported to exceed the offset, it truly
//! exceeds the offset less a threshold. Elsewhere it is below the offset plus the threshold.
//! Callers add the threshold to the offset.

use crate::limits;
use crate::math::{sign_change, turning_points};
use crate::motion::Piece;
use crate::time::{Moment, Side};

/// The parts of a segment in which `larger − smaller` exceeds an offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Course {
    /// The common segment, seconds.
    pub(super) begin: f64,
    pub(super) end: f64,
    /// Whether it exceeds the offset at the begin.
    exceeds: bool,
    /// Pairs of neighbouring times, in order, between which that changes.
    changes: [(f64, f64); 3],
    count: usize,
}

impl Course {
    /// The course of a lead; the offset is the threshold between winner and challenger.
    pub(super) fn of_lead(smaller: &Piece, larger: &Piece) -> Self {
        let latest = latest(smaller, larger);
        let threshold = |piece: &Piece| {
            let drift = (limits::DRIFT_THRESHOLD * piece.speed() * latest).min(piece.magnitude());
            limits::CURVED_THRESHOLD * piece.magnitude() + drift + limits::FLUSH
        };
        Self::new(smaller, larger, threshold(smaller) + threshold(larger))
    }

    /// The course of a gap; the offset is the slack plus the threshold.
    pub(super) fn of_gap(lower: &Piece, upper: &Piece, slack: f64) -> Self {
        let threshold = |piece: &Piece| {
            let share = if piece.is_curved() { limits::CURVED_THRESHOLD } else { limits::LINEAR_THRESHOLD };
            share * piece.magnitude() + limits::FLUSH
        };
        Self::new(lower, upper, slack + (threshold(lower) + threshold(upper)))
    }

    fn new(smaller: &Piece, larger: &Piece, offset: f64) -> Self {
        let (begin, end) = (smaller.begin.max(larger.begin), smaller.end.min(larger.end));
        let excess = |time: f64| larger.at(time) - smaller.at(time) - offset;
        let (at_begin, at_end) = (excess(begin), excess(end));
        let mut course = Self { begin, end, exceeds: at_begin > 0.0, changes: [(0.0, 0.0); 3], count: 0 };
        // The difference deviates from its chord by at most the sum of both deviations; twice, as
        // the values at the ends contain them too.
        let bent = 2.0 * (smaller.deviation() + larger.deviation());
        if at_begin.max(at_end) + bent < 0.0 || at_begin.min(at_end) - bent > 0.0 || !(begin < end) {
            return course;
        }
        let (down, up) = (smaller.slopes(begin, end), larger.slopes(begin, end));
        let turns = turning_points(std::array::from_fn(|power| up[power] - down[power]));
        let (mut from, mut exceeds) = (begin, course.exceeds);
        for turn in turns.into_iter().flatten() {
            let time = (begin + turn * (end - begin)).clamp(begin, end);
            course.take_stretch(&mut from, &mut exceeds, time, excess);
        }
        course.take_stretch(&mut from, &mut exceeds, end, excess);
        course
    }

    /// Adds a part in which the difference is monotonic. A part without length changes nothing.
    fn take_stretch(&mut self, from: &mut f64, exceeds: &mut bool, to: f64, excess: impl Fn(f64) -> f64) {
        let exceeds_then = excess(to) > 0.0;
        if exceeds_then != *exceeds {
            self.changes[self.count] = sign_change(*from, to, excess);
            self.count += 1;
        }
        (*from, *exceeds) = (to, exceeds_then);
    }

    /// Returns the first moment of the first excess that is not over at `time`.
    pub(super) fn first_excess(&self, time: f64) -> Option<Moment> {
        let mut exceeds = self.exceeds;
        let mut since = Moment::after(self.begin);
        for &(_, first) in &self.changes[..self.count] {
            if exceeds && first > time {
                return Some(since);
            }
            (exceeds, since) = (!exceeds, Moment::at(first));
        }
        exceeds.then_some(since)
    }

    /// Whether the difference exceeds the offset at a moment. An excess begins just *after* a time,
    /// and ends *at* one.
    pub(super) fn exceeds(&self, at: Moment) -> bool {
        let mut exceeds = self.exceeds;
        for &(last, first) in &self.changes[..self.count] {
            let is_passed = if exceeds {
                at.time() >= first
            } else {
                at.time() > last || (at.time() == last && at.side() == Side::After)
            };
            if !is_passed {
                break;
            }
            exceeds = !exceeds;
        }
        exceeds
    }

    /// Returns the first moment in the segment, not before `at`, with the sought state.
    pub(super) fn search(&self, at: Moment, sought: bool) -> Option<Moment> {
        if self.exceeds(at) == sought {
            return Some(at);
        }
        let mut exceeds = self.exceeds;
        for &(last, first) in &self.changes[..self.count] {
            let moment = if exceeds { Moment::at(first) } else { Moment::after(last) };
            exceeds = !exceeds;
            if exceeds == sought && moment > at {
                return Some(moment);
            }
        }
        None
    }
}

/// The time of the common segment of largest magnitude.
fn latest(p: &Piece, q: &Piece) -> f64 {
    p.begin.max(q.begin).abs().max(p.end.min(q.end).abs())
}
