//! Separation certificates: the sign of the gap between an upper and a lower bound, both piecewise
//! linear.
//!
//! The gap is `upper − lower − slack`. Within a segment its state follows from the signs at the
//! segment's ends and, where they differ, from the one computed crossing. State and times therefore
//! never disagree. If one of the bounds is curved, both follow from a [`Course`].
//!
//! ```text
//!   gap
//!    |   gap_at_begin > 0
//!    |  *.
//!    |     '.                      closing: the first moment not apart is *at* the crossing
//!  0 +--------'x--------------- t  opening (signs exchanged): the first moment apart is just *after* it
//!    |        | '.
//!    |        |    '*  gap_at_end <= 0
//!     begin   |      end
//!             crossing = begin + (end - begin) * gap_at_begin / (gap_at_begin - gap_at_end)
//! ```

#[cfg(test)]
mod tests;

use super::crossing;
use super::curved::Course;
use crate::math::{GapDirection, f32_above};
use crate::motion::{BoxTracks, KeyTrack, Piece};
use crate::time::{Moment, NEVER, Side};

/// Whether one of two pieces is curved.
#[inline]
fn any_curved(lower: &Piece, upper: &Piece) -> bool {
    lower.is_curved() || upper.is_curved()
}

/// A segment of time in which the gap moves linearly.
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

    /// The segment that ends at a key; beyond the last key the gap is constant.
    fn keys(times: &[f64], gap: &impl Fn(usize) -> f64, key: usize) -> Self {
        let last = times.len() - 1;
        if key > last {
            return Self { begin: times[last], end: NEVER, gap_at_begin: gap(last), gap_at_end: gap(last) };
        }
        Self { begin: times[key - 1], end: times[key], gap_at_begin: gap(key - 1), gap_at_end: gap(key) }
    }

    /// Returns the first moment in the segment, not before `at`, with the sought state.
    #[inline(always)]
    fn search(&self, at: Moment, sought: impl Fn(bool) -> bool, reached: impl Fn(f64) -> Moment) -> Option<Moment> {
        if sought(self.is_apart(at)) {
            return Some(at);
        }
        // The state changes at most once in a segment, so the state at its end is the sought one.
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

/// Whether two bounds are apart at a moment. `lower` and `upper` are the pieces around it.
#[inline]
pub fn is_apart(lower: &Piece, upper: &Piece, slack: f64, at: Moment) -> bool {
    if any_curved(lower, upper) {
        return Course::of_gap(lower, upper, slack).exceeds(at);
    }
    Segment::new(lower, upper, slack).is_apart(at)
}

/// A bound on one extent as a function of time.
pub trait Bound {
    /// The piece around a moment, metres.
    fn piece(&self, at: Moment) -> Piece;

    /// The whole function, if it has a form that can be searched fast.
    fn row(&self) -> Option<KeyTrack<'_>> {
        None
    }
}

/// Returns when two bounds that are apart at `from` first meet; [`NEVER`] if not until `until`.
///
/// Returns `from` if they are not apart at `from`.
pub fn closing(lower: &impl Bound, upper: &impl Bound, slack: f64, from: Moment, until: f64) -> Moment {
    search(lower, upper, slack, from, until, |apart| !apart, Moment::at)
}

/// Returns when two bounds that are not apart at `from` first part; [`NEVER`] if not until `until`.
///
/// Returns `from` if they are apart at `from`.
pub fn opening(lower: &impl Bound, upper: &impl Bound, slack: f64, from: Moment, until: f64) -> Moment {
    search(lower, upper, slack, from, until, |apart| apart, Moment::after)
}

/// Returns the first moment, not before `from`, at which `sought` accepts the state. `reached`
/// gives the side of a crossing on which the state holds.
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
        (Some(KeyTrack::Keys { times, row: l }), Some(KeyTrack::Keys { times: same, row: u }))
            if std::ptr::eq(times, same) =>
        {
            return search_keys(times, Search { lower: l, upper: u, slack, sought }, from, until, reached);
        }
        (Some(KeyTrack::Keys { times, row: lower }), Some(KeyTrack::Constant(upper))) => {
            return search_keys(times, Search { lower, upper, slack, sought }, from, until, reached);
        }
        (Some(KeyTrack::Constant(lower)), Some(KeyTrack::Keys { times, row: upper })) => {
            return search_keys(times, Search { lower, upper, slack, sought }, from, until, reached);
        }
        _ => {}
    }
    let mut at = from;
    loop {
        let (below, above) = (lower.piece(at), upper.piece(at));
        let (found, end) = if any_curved(&below, &above) {
            let course = Course::of_gap(&below, &above, slack);
            (course.search(at, sought(true)), course.end)
        } else {
            let segment = Segment::new(&below, &above, slack);
            (segment.search(at, sought, reached), segment.end)
        };
        if let Some(found) = found {
            return found;
        }
        if end >= until {
            return Moment::at(NEVER);
        }
        at = Moment::after(end);
    }
}

/// Keys compared per step of the search; comparing eight pairs of `f32` takes two instructions.
const STRIDE: usize = 8;

/// One coordinate at all keys: a row of values, or a constant.
trait Samples: Copy {
    fn at(self, key: usize) -> f64;
    fn load(self, key: usize) -> [f32; STRIDE];
}

impl Samples for &[f32] {
    #[inline(always)]
    fn at(self, key: usize) -> f64 {
        f64::from(self[key])
    }

    #[inline(always)]
    fn load(self, key: usize) -> [f32; STRIDE] {
        let mut lanes = [0.0; STRIDE];
        lanes.copy_from_slice(&self[key..key + STRIDE]);
        lanes
    }
}

/// A constant that was an `f32`.
impl Samples for f64 {
    #[inline(always)]
    fn at(self, _: usize) -> f64 {
        self
    }

    #[inline(always)]
    fn load(self, _: usize) -> [f32; STRIDE] {
        [self as f32; STRIDE]
    }
}

/// The sought state, and the bounds.
struct Search<L, U, S> {
    lower: L,
    upper: U,
    slack: f64,
    sought: S,
}

impl<L: Samples, U: Samples, S: Fn(bool) -> bool> Search<L, U, S> {
    #[inline(always)]
    fn gap(&self, key: usize) -> f64 {
        self.upper.at(key) - self.lower.at(key) - self.slack
    }

    #[inline(always)]
    fn is_sought_at(&self, key: usize) -> bool {
        (self.sought)(self.gap(key) > 0.0)
    }

    /// Whether one of the keys from `key` on may have the sought state. Never a false negative: a
    /// difference rounded to `f32` keeps its order against an `f32` above the slack, and its sign.
    #[inline(always)]
    fn may_be_within(&self, key: usize) -> bool {
        let (lower, upper) = (self.lower.load(key), self.upper.load(key));
        let mut any = false;
        if (self.sought)(true) {
            for lane in 0..STRIDE {
                any |= upper[lane] > lower[lane];
            }
        } else {
            let most = f32_above(self.slack);
            for lane in 0..STRIDE {
                any |= upper[lane] - lower[lane] <= most;
            }
        }
        any
    }
}

/// The number of keys before a moment (up to its time for side `After`): the index of the key that
/// ends its segment.
#[inline(always)]
fn keys_passed(times: &[f64], at: Moment) -> usize {
    match at.side() {
        Side::At => times.partition_point(|&key| key < at.time()),
        Side::After => times.partition_point(|&key| key <= at.time()),
    }
}

/// Searches over keys; skips segments whose end does not have the sought state, [`STRIDE`] keys at
/// a time.
#[inline(always)]
#[expect(clippy::needless_pass_by_value, reason = "a few slices, given up by the only caller")]
fn search_keys<L: Samples, U: Samples>(
    times: &[f64],
    search: Search<L, U, impl Fn(bool) -> bool + Copy>,
    from: Moment,
    until: f64,
    reached: impl Fn(f64) -> Moment + Copy,
) -> Moment {
    let keys = times.len();
    let gap = |key: usize| search.gap(key);
    let mut next = keys_passed(times, from);
    if next == 0 {
        // Before the first key the gap is constant.
        if search.is_sought_at(0) {
            return from;
        }
    } else if let Some(found) = Segment::keys(times, &gap, next).search(from, search.sought, reached) {
        return found;
    }
    next += 1;
    while times[..keys - 1].get(next - 1).is_some_and(|&begin| begin < until) {
        if next + STRIDE <= keys && !search.may_be_within(next) {
            next += STRIDE;
            continue;
        }
        for key in next..keys.min(next + STRIDE) {
            if times[key - 1] < until && search.is_sought_at(key) {
                let begin = Moment::after(times[key - 1]);
                let segment = Segment::keys(times, &gap, key);
                return segment.search(begin, search.sought, reached).unwrap_or(begin).max(from);
            }
        }
        next += STRIDE;
    }
    Moment::at(NEVER)
}

/// Returns when two boxes that overlap at `from` first part, and along which direction; [`NEVER`]
/// if not until `until`. Returns `None` if the tracks cannot be read side by side: each direction
/// then needs its own query ([`opening`]).
///
/// The directions are searched together, so none is followed beyond the first opening of another.
pub fn first_opening(
    a: &BoxTracks<'_>,
    b: &BoxTracks<'_>,
    slack: f64,
    from: Moment,
    until: f64,
) -> Option<(Moment, GapDirection)> {
    Some(match (*a, *b) {
        (BoxTracks::Keys { times, rows: a }, BoxTracks::Keys { times: same, rows: b }) if std::ptr::eq(times, same) => {
            Boxes { a, b, slack }.first_opening(times, from, until)
        }
        (BoxTracks::Keys { times, rows: a }, BoxTracks::Constant(b)) => {
            Boxes { a, b, slack }.first_opening(times, from, until)
        }
        (BoxTracks::Constant(a), BoxTracks::Keys { times, rows: b }) => {
            Boxes { a, b, slack }.first_opening(times, from, until)
        }
        _ => return None,
    })
}

/// Two boxes over time.
struct Boxes<A, B> {
    a: [A; 6],
    b: [B; 6],
    slack: f64,
}

impl<A: Samples, B: Samples> Boxes<A, B> {
    #[inline(always)]
    fn gap(&self, direction: GapDirection, key: usize) -> f64 {
        let x = self.a[direction.extent_of_a().index()].at(key);
        let y = self.b[direction.extent_of_b().index()].at(key);
        if direction.a_is_below() { y - x - self.slack } else { x - y - self.slack }
    }

    /// Returns the first of the keys from `key` on at which a gap may be open. Never a false
    /// negative: the difference of two `f32` has the sign of their comparison.
    #[inline(always)]
    #[expect(clippy::needless_bitwise_bool, reason = "without branches the lanes are compared at once")]
    fn may_be_apart_within(&self, key: usize) -> Option<usize> {
        let mut apart = [false; STRIDE];
        for axis in 0..3 {
            let (low_a, high_a) = (self.a[2 * axis].load(key), self.a[2 * axis + 1].load(key));
            let (low_b, high_b) = (self.b[2 * axis].load(key), self.b[2 * axis + 1].load(key));
            for lane in 0..STRIDE {
                apart[lane] |= (low_b[lane] > high_a[lane]) | (low_a[lane] > high_b[lane]);
            }
        }
        // One comparison decides the common case of no open gap.
        if apart == [false; STRIDE] { None } else { apart.iter().position(|&apart| apart).map(|lane| key + lane) }
    }

    /// Returns the first opening in the segment that ends at a key, from `at` on. A gap that is
    /// already open opens at `at`.
    #[inline(always)]
    fn opening_in_segment(&self, times: &[f64], key: usize, at: Moment) -> Option<(Moment, GapDirection)> {
        let mut first: Option<(Moment, GapDirection)> = None;
        for direction in GapDirection::ALL {
            let (begin, end) = (key - 1, key.min(times.len() - 1));
            let (gap_at_begin, gap_at_end) = (self.gap(direction, begin), self.gap(direction, end));
            let end_time = if key < times.len() { times[key] } else { NEVER };
            let segment = Segment { begin: times[begin], end: end_time, gap_at_begin, gap_at_end };
            if let Some(moment) = segment.search(at, |apart| apart, Moment::after)
                && first.is_none_or(|(earliest, _)| moment < earliest)
            {
                first = Some((moment, direction));
            }
        }
        first
    }

    fn first_opening(&self, times: &[f64], from: Moment, until: f64) -> (Moment, GapDirection) {
        let keys = times.len();
        let mut next = keys_passed(times, from);
        if next == 0 {
            // Before the first key the boxes are at rest.
            if let Some(direction) = GapDirection::ALL.into_iter().find(|&direction| self.gap(direction, 0) > 0.0) {
                return (from, direction);
            }
        } else if let Some(found) = self.opening_in_segment(times, next, from) {
            return found;
        }
        next += 1;
        while times[..keys - 1].get(next - 1).is_some_and(|&begin| begin < until) {
            if next + STRIDE <= keys {
                match self.may_be_apart_within(next) {
                    Some(key) => next = key,
                    None => {
                        next += STRIDE;
                        continue;
                    }
                }
                if times[next - 1] >= until {
                    break;
                }
            }
            if let Some((moment, direction)) = self.opening_in_segment(times, next, Moment::after(times[next - 1])) {
                return (moment.max(from), direction);
            }
            next += 1;
        }
        (Moment::at(NEVER), GapDirection::ALL[0])
    }
}
