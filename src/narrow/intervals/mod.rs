//! Contact intervals: exact times of contact for prescribed motion.
//!
//! Two triangles whose six vertices move linearly over a window touch during finitely many closed
//! intervals, single instants included. [`contact_intervals`] returns all of them. The reference is
//! exact real interpolation of the given positions. f64 arithmetic only filters; cases within its
//! error bounds are decided in integers. No contact is missed and none is invented, including
//! coplanar, grazing and degenerate ones.
//!
//! | stage | decided by | file |
//! |---|---|---|
//! | 1 | coordinate axes, the triangles' planes, the direction of their centres | `axes` |
//! | 2 | signs of the 15 orientation cubics over the whole window | `minors`, `tables` |
//! | 3 | roots of the relevant undecided cubics, in order | `roots`, `order`, `sweep` |
//! | 4 | integers: zero or close coefficients, double and coincident roots, coplanar instants | `order`, `pair`, `exact` |
//!
//! Times are in the window's own parameter `s`, 0 at its begin and 1 at its end. An end of an
//! interval is reported as the cell of the 2⁻⁵³ grid that contains it, or as the grid point itself:
//! never wider, on any path of the algorithm.

pub(crate) mod axes;
pub(crate) mod certain;
mod cubics;
pub(crate) mod minors;
pub(crate) mod order;
pub(crate) mod pair;
pub(crate) mod roots;
pub(crate) mod sweep;
pub(crate) mod tables;
pub(crate) mod touch;

use minors::{Level, Points};
use pair::{Moment, Pair};
use sweep::{Span, Stage};

use super::exact::ratio::{Place, Ratio};
use crate::simd;

/// One triangle over a window: its vertices at the begin and at the end, in metres; in between they
/// move linearly.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MovingTriangle {
    /// Vertex positions at `s = 0`, taken as exact.
    pub begin: [[f64; 3]; 3],
    /// Vertex positions at `s = 1`, taken as exact.
    pub end: [[f64; 3]; 3],
}

impl MovingTriangle {
    /// Converts stored f32 positions, which f64 represents exactly.
    pub fn from_f32(begin: [[f32; 3]; 3], end: [[f32; 3]; 3]) -> Self {
        let wide = |points: [[f32; 3]; 3]| points.map(|point| point.map(f64::from));
        Self { begin: wide(begin), end: wide(end) }
    }
}

/// A time known up to `lo <= time <= hi`, with `hi - lo <= 2⁻⁵³`; equal when the time itself is a
/// multiple of `2⁻⁵³`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Enclosure {
    /// At or before the true time.
    pub lo: f64,
    /// At or after the true time.
    pub hi: f64,
}

/// The lowest-dimensional parts of the two triangles that meet; vertices are numbered 0 to 2 in
/// each triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Feature {
    /// A vertex of A on the inside of B.
    VertexFace {
        /// The vertex of A.
        vertex: u8,
    },
    /// A vertex of B on the inside of A.
    FaceVertex {
        /// The vertex of B.
        vertex: u8,
    },
    /// An edge of A across an edge of B.
    EdgeEdge {
        /// End vertices of the edge of A.
        a: [u8; 2],
        /// End vertices of the edge of B.
        b: [u8; 2],
    },
    /// A vertex of A on an edge of B.
    VertexEdge {
        /// The vertex of A.
        vertex: u8,
        /// End vertices of the edge of B.
        edge: [u8; 2],
    },
    /// A vertex of B on an edge of A.
    EdgeVertex {
        /// End vertices of the edge of A.
        edge: [u8; 2],
        /// The vertex of B.
        vertex: u8,
    },
    /// A vertex of A at a vertex of B.
    VertexVertex {
        /// The vertex of A.
        a: u8,
        /// The vertex of B.
        b: u8,
    },
    /// An edge of A through the inside of B: only if the window begins in contact.
    EdgeFace {
        /// End vertices of the edge of A.
        edge: [u8; 2],
    },
    /// An edge of B through the inside of A: only if the window begins in contact.
    FaceEdge {
        /// End vertices of the edge of B.
        edge: [u8; 2],
    },
}

/// A maximal closed interval in which two triangles share a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ContactInterval {
    /// The begin of contact; report `begin.lo` as a time, so that the reported interval contains
    /// the true one.
    pub begin: Enclosure,
    /// The end of contact; report `end.hi` as a time.
    pub end: Enclosure,
    /// Contact at a single instant: `begin` and `end` enclose the same time.
    pub instant: bool,
    /// Undecided, assumed in contact: only for positions that are not finite.
    pub undecided: bool,
    /// The features in contact at `begin`.
    pub feature: Feature,
}

impl ContactInterval {
    /// Whether contact holds at the window's begin, and may have begun before.
    pub fn at_window_begin(&self) -> bool {
        self.begin.hi == 0.0
    }

    /// Whether contact holds at the window's end, and may continue after it.
    pub fn at_window_end(&self) -> bool {
        self.end.lo == 1.0
    }

    /// Whether `s` may lie inside: certain unless `s` is strictly inside an end's enclosure; there
    /// `touch_at` tells.
    pub fn may_contain(&self, s: f64) -> bool {
        (self.begin.lo..=self.end.hi).contains(&s)
    }

    /// Point and normal at the begin of the interval; `a` and `b` must be the triangles of its
    /// computation.
    pub fn first_touch(&self, a: &MovingTriangle, b: &MovingTriangle) -> FirstTouch {
        touch::first_touch(a, b, self.feature, self.begin.lo)
    }
}

/// The place of a first touch, in f64 and rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FirstTouch {
    /// The features in contact.
    pub feature: Feature,
    /// A point of contact, metres.
    pub point: [f64; 3],
    /// Unit normal, from A towards the side from which B came (at rest: the side of B's centre).
    pub normal: [f64; 3],
}

/// Counters of the stage that decided each pair; they only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct IntervalStats {
    /// Number of queried pairs.
    pub pairs: u64,
    /// Proved apart by a coordinate axis: the cheapest stage, a high share is good.
    pub rejected_by_axes: u64,
    /// Proved apart by the moving plane of one triangle or the direction of the centres.
    pub rejected_by_planes: u64,
    /// Proved apart by signs over the whole window.
    pub rejected_by_signs: u64,
    /// Proved touching over the whole window without solving.
    pub accepted_by_signs: u64,
    /// Pairs that needed roots: about 1 µs each.
    pub solved: u64,
    /// Pairs coplanar over the whole window, decided in a plane.
    pub coplanar: u64,
    /// Pairs collinear over the whole window, decided on a line.
    pub collinear: u64,
    /// Pairs that formed an exact polynomial; pinning the end of an interval forms one.
    pub exact_pairs: u64,
    /// Exact polynomials formed.
    pub exact_minors: u64,
    /// Decisions between coincident or nearly coincident roots: 0 for generic motion, some
    /// microseconds each.
    pub algebraic: u64,
    /// Intervals reported.
    pub intervals: u64,
    /// Reported single instants.
    pub instants: u64,
    /// Pairs reported as touching because positions were not finite.
    pub undecided: u64,
}

impl std::ops::AddAssign for IntervalStats {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.rejected_by_axes += other.rejected_by_axes;
        self.rejected_by_planes += other.rejected_by_planes;
        self.rejected_by_signs += other.rejected_by_signs;
        self.accepted_by_signs += other.accepted_by_signs;
        self.solved += other.solved;
        self.coplanar += other.coplanar;
        self.collinear += other.collinear;
        self.exact_pairs += other.exact_pairs;
        self.exact_minors += other.exact_minors;
        self.algebraic += other.algebraic;
        self.intervals += other.intervals;
        self.instants += other.instants;
        self.undecided += other.undecided;
    }
}

/// Appends to `out` all maximal closed intervals of `s` in `[0, 1]` in which the closed triangles
/// share a point, ascending and disjoint.
///
/// Degenerate triangles (segments, points) are allowed. Positions that are not finite are reported
/// as contact over the whole window, marked and counted as undecided.
///
/// Cost: 30 to 70 ns for most pairs that stay apart, 0.3 µs if the signs of all 15 cubics are
/// needed, 1 to 2 µs if roots are solved, 5 to 10 µs if everything is degenerate; more if
/// coordinates span more than 40 bits.
///
/// ```
/// use kinetree::narrow::{IntervalStats, MovingTriangle, contact_intervals};
///
/// let floor = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
/// let at = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
/// let floor = MovingTriangle { begin: floor, end: floor };
/// let falling = MovingTriangle { begin: at(1.0), end: at(-3.0) };
/// let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
/// contact_intervals(&falling, &floor, &mut found, &mut stats);
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].begin.lo, found[0].end.hi), (0.25, 0.5));
/// ```
pub fn contact_intervals(
    a: &MovingTriangle,
    b: &MovingTriangle,
    out: &mut Vec<ContactInterval>,
    stats: &mut IntervalStats,
) {
    stats.pairs += 1;
    match simd::run(axes::Rejecting { a, b }) {
        Some(axes::Reason::Axis) => {
            stats.rejected_by_axes += 1;
            return;
        }
        Some(axes::Reason::Direction) => {
            stats.rejected_by_planes += 1;
            return;
        }
        None => {}
    }
    if !(axes::is_finite(a) && axes::is_finite(b)) {
        stats.undecided += 1;
        stats.intervals += 1;
        out.push(ContactInterval::whole(true));
        return;
    }
    spans_of_pair(a, b, stats, |span| out.push(ContactInterval::from_span(span)));
}

/// Finds the spans of a pair that no axis and no plane separates, and counts the deciding stage.
fn spans_of_pair(a: &MovingTriangle, b: &MovingTriangle, stats: &mut IntervalStats, mut found: impl FnMut(&Span)) {
    let points = points_of(a, b);
    let pair = Pair::new(&tables::TRIANGLES, &points);
    let (mut intervals, mut instants) = (0, 0);
    let (stage, level) = sweep::spans(&pair, |span| {
        instants += u64::from(span.instant);
        intervals += 1;
        found(&span);
        true
    });
    match stage {
        Stage::Rejected => stats.rejected_by_signs += 1,
        Stage::Accepted => stats.accepted_by_signs += 1,
        Stage::Solved => stats.solved += 1,
    }
    match level {
        Level::Space => {}
        Level::Plane(_) => stats.coplanar += 1,
        Level::Line(_) => stats.collinear += 1,
    }
    let (exact_minors, algebraic) = pair.counts();
    stats.exact_pairs += u64::from(exact_minors > 0);
    stats.exact_minors += exact_minors;
    stats.algebraic += algebraic;
    stats.intervals += intervals;
    stats.instants += instants;
}

/// Whether the closed triangles share a point at `s`, exactly: `s` and the positions are taken as
/// real numbers.
///
/// `s` outside `[0, 1]` is clamped; if it or a position is not a number the answer is `true`.
///
/// Cost: 100 to 200 ns; some microseconds where f64 cannot decide.
pub fn touch_at(a: &MovingTriangle, b: &MovingTriangle, s: f64) -> bool {
    if s.is_nan() || !(axes::is_finite(a) && axes::is_finite(b)) {
        return true;
    }
    let points = points_of(a, b);
    let s = s.clamp(0.0, 1.0);
    let pair = Pair::new(&tables::TRIANGLES, &points);
    pair.decide(&Moment::at(s), |_| true).touching
}

/// Whether the closed triangles share a point at a time, exactly. The window's begin and end, the
/// time (all of one unit) and the positions are taken as real numbers. The triangles are at
/// `s = (time − begin) / (end − begin)`, not rounded.
///
/// A time outside the window is clamped; if it, an end of the window or a position is not finite
/// the answer is `true`.
///
/// Cost: 100 to 300 ns; some tens of microseconds where f64 cannot decide.
///
/// ```
/// use kinetree::narrow::{MovingTriangle, touch_at_time};
///
/// let floor = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
/// let at = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
/// let floor = MovingTriangle { begin: floor, end: floor };
/// let falling = MovingTriangle { begin: at(1.0), end: at(-2.0) };
/// // It touches after a third of the way: at 1 s of 3 s, and at no f64 number of 1 s.
/// assert!(touch_at_time(&falling, &floor, (0.0, 3.0), 1.0));
/// assert!(!touch_at_time(&falling, &floor, (0.0, 3.0), 1.0_f64.next_down()));
/// assert!(!touch_at_time(&falling, &floor, (0.0, 1.0), 1.0 / 3.0));
/// assert!(touch_at_time(&falling, &floor, (0.0, 1.0), (1.0_f64 / 3.0).next_up()));
/// ```
pub fn touch_at_time(a: &MovingTriangle, b: &MovingTriangle, window: (f64, f64), time: f64) -> bool {
    if ![time, window.0, window.1].iter().all(|x| x.is_finite()) {
        return true;
    }
    match Place::of(time, window) {
        Place::Begin => touch_at(a, b, 0.0),
        Place::End => touch_at(a, b, 1.0),
        Place::Inside { lo, hi } => {
            if !(axes::is_finite(a) && axes::is_finite(b)) {
                return true;
            }
            let points = points_of(a, b);
            let pair = Pair::new(&tables::TRIANGLES, &points);
            let exact = || Ratio::new(time, window).root();
            pair.decide(&Moment { lo, hi, exact: Some(&exact) }, |_| true).touching
        }
    }
}

/// Exchanges A and B in a feature.
pub(crate) fn swapped(feature: Feature) -> Feature {
    let (a, b) = feature.supports();
    Feature::from_supports(b, a)
}

#[inline(always)]
fn points_of<'a>(a: &'a MovingTriangle, b: &'a MovingTriangle) -> Points<'a> {
    let ([a0, a1, a2], [b0, b1, b2]) = (&a.begin, &b.begin);
    let ([c0, c1, c2], [d0, d1, d2]) = (&a.end, &b.end);
    Points::new([a0, a1, a2, b0, b1, b2], [c0, c1, c2, d0, d1, d2])
}

impl ContactInterval {
    /// Contact over the whole window.
    pub(crate) fn whole(undecided: bool) -> Self {
        let [begin, end] = [0.0, 1.0].map(|at| Enclosure { lo: at, hi: at });
        Self { begin, end, instant: false, undecided, feature: Feature::VertexVertex { a: 0, b: 0 } }
    }

    fn from_span(span: &Span) -> Self {
        let [begin, end] = [span.begin, span.end].map(|[lo, hi]| Enclosure { lo, hi });
        Self {
            begin,
            end,
            instant: span.instant,
            undecided: false,
            feature: Feature::from_supports(span.support & 7, span.support >> 3),
        }
    }
}

#[cfg(test)]
mod roots_tests;

#[cfg(test)]
mod tests {
    use super::IntervalStats;

    #[test]
    fn sums_of_counters_are_those_of_each() {
        let from = |first: u64| IntervalStats {
            pairs: first,
            rejected_by_axes: 2 * first,
            rejected_by_planes: 3 * first,
            rejected_by_signs: 5 * first,
            accepted_by_signs: 7 * first,
            solved: 11 * first,
            coplanar: 13 * first,
            collinear: 17 * first,
            exact_pairs: 19 * first,
            exact_minors: 23 * first,
            algebraic: 29 * first,
            intervals: 31 * first,
            instants: 37 * first,
            undecided: 41 * first,
        };
        let mut sum = from(100);
        sum += from(1);
        assert_eq!(sum, from(101));
    }
}
