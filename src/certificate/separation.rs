//! Apart or not: the gap between an upper and a lower bound that both move linearly in pieces.
//!
//! The gap is `upper − lower − slack`. Within a segment its state follows from the signs at the segment's ends and, where
//! they differ, from the one computed crossing; so the state asked for and the times computed can never disagree.

use super::crossing;
use crate::motion::{Piece, Row};
use crate::time::{Moment, NEVER, Side};

/// A stretch of time in which the gap moves linearly.
struct Segment {
    begin: f64,
    end: f64,
    gap_at_begin: f64,
    gap_at_end: f64,
}

impl Segment {
    #[inline]
    fn new(lower: &Piece, upper: &Piece, slack: f64) -> Self {
        if lower.begin == upper.begin && lower.end == upper.end {
            return Self {
                begin: lower.begin,
                end: lower.end,
                gap_at_begin: upper.at_begin - lower.at_begin - slack,
                gap_at_end: upper.at_end - lower.at_end - slack,
            };
        }
        let (begin, end) = (lower.begin.max(upper.begin), lower.end.min(upper.end));
        Self {
            begin,
            end,
            gap_at_begin: upper.at(begin) - lower.at(begin) - slack,
            gap_at_end: upper.at(end) - lower.at(end) - slack,
        }
    }

    /// The segment that ends at a key; beyond the last key nothing moves.
    fn keys(times: &[f64], gap: &impl Fn(usize) -> f64, key: usize) -> Self {
        let last = times.len() - 1;
        if key > last {
            return Self { begin: times[last], end: NEVER, gap_at_begin: gap(last), gap_at_end: gap(last) };
        }
        Self { begin: times[key - 1], end: times[key], gap_at_begin: gap(key - 1), gap_at_end: gap(key) }
    }

    /// The first moment in the segment, not before `at`, at which the state is as sought.
    #[inline(always)]
    fn search(&self, at: Moment, sought: impl Fn(bool) -> bool, reached: impl Fn(f64) -> Moment) -> Option<Moment> {
        if sought(self.is_apart(at)) {
            return Some(at);
        }
        // The state changes at most once in a segment, and then its end is as sought.
        sought(self.gap_at_end > 0.0).then(|| reached(self.crossing()).max(at))
    }

    fn crossing(&self) -> f64 {
        crossing(self.begin, self.end, self.gap_at_begin, self.gap_at_end)
    }

    #[inline]
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
#[inline]
pub fn is_apart(lower: &Piece, upper: &Piece, slack: f64, at: Moment) -> bool {
    Segment::new(lower, upper, slack).is_apart(at)
}

/// A bound on one extent of something, as a function of time.
pub trait Bound {
    /// The linear piece around a moment, metres.
    fn piece(&self, at: Moment) -> Piece;

    /// The whole function, if it has a form that can be searched quickly.
    fn row(&self) -> Option<Row<'_>> {
        None
    }
}

/// When two bounds that are apart at `from` first are not; [`NEVER`] if not until `until`.
///
/// If they are not apart at `from`, that is the answer.
pub fn closing(lower: &impl Bound, upper: &impl Bound, slack: f64, from: Moment, until: f64) -> Moment {
    search(lower, upper, slack, from, until, |apart| !apart, Moment::at)
}

/// When two bounds that are not apart at `from` first are; [`NEVER`] if not until `until`.
///
/// If they are apart at `from`, that is the answer.
pub fn opening(lower: &impl Bound, upper: &impl Bound, slack: f64, from: Moment, until: f64) -> Moment {
    search(lower, upper, slack, from, until, |apart| apart, Moment::after)
}

/// The first moment at which the state is what `sought` says, not before `from`. `reached` is the side of a crossing on
/// which it is.
#[inline(always)]
fn search(
    lower: &impl Bound,
    upper: &impl Bound,
    slack: f64,
    from: Moment,
    until: f64,
    sought: impl Fn(bool) -> bool + Copy,
    reached: impl Fn(f64) -> Moment + Copy,
) -> Moment {
    match (lower.row(), upper.row()) {
        (Some(Row::Keys { times, row: l }), Some(Row::Keys { times: same, row: u })) if std::ptr::eq(times, same) => {
            let gap = |key: usize| f64::from(u[key]) - f64::from(l[key]) - slack;
            return search_keys(times, gap, from, until, sought, reached);
        }
        (Some(Row::Keys { times, row: l }), Some(Row::Constant(u))) => {
            let gap = |key: usize| u - f64::from(l[key]) - slack;
            return search_keys(times, gap, from, until, sought, reached);
        }
        (Some(Row::Constant(l)), Some(Row::Keys { times, row: u })) => {
            let gap = |key: usize| f64::from(u[key]) - l - slack;
            return search_keys(times, gap, from, until, sought, reached);
        }
        _ => {}
    }
    let mut at = from;
    loop {
        let segment = Segment::new(&lower.piece(at), &upper.piece(at), slack);
        if let Some(found) = segment.search(at, sought, reached) {
            return found;
        }
        if segment.end >= until {
            return Moment::at(NEVER);
        }
        at = Moment::after(segment.end);
    }
}

/// The same over keys: segments whose end is not as sought are passed over many at a time.
#[inline(always)]
fn search_keys(
    times: &[f64],
    gap: impl Fn(usize) -> f64,
    from: Moment,
    until: f64,
    sought: impl Fn(bool) -> bool + Copy,
    reached: impl Fn(f64) -> Moment + Copy,
) -> Moment {
    /// Keys looked at before the decision whether to go on.
    const STRIDE: usize = 8;
    let keys = times.len();
    let mut next = match from.side() {
        Side::At => times.partition_point(|&key| key < from.time()),
        Side::After => times.partition_point(|&key| key <= from.time()),
    };
    if next == 0 {
        // Before the first key nothing moves.
        if sought(gap(0) > 0.0) {
            return from;
        }
        next = 1;
    } else {
        let here = Segment::keys(times, &gap, next);
        if let Some(found) = here.search(from, sought, reached) {
            return found;
        }
        next += 1;
    }
    while next + STRIDE <= keys && times[next - 1] < until {
        let mut any = false;
        for key in next..next + STRIDE {
            any |= sought(gap(key) > 0.0);
        }
        if any {
            break;
        }
        next += STRIDE;
    }
    while next < keys && times[next - 1] < until {
        if sought(gap(next) > 0.0) {
            let begin = Moment::after(times[next - 1]);
            return Segment::keys(times, &gap, next).search(begin, sought, reached).unwrap_or(begin).max(from);
        }
        next += 1;
    }
    Moment::at(NEVER)
}
