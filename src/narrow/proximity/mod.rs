//! Proximity intervals: when two moving triangles are within a distance of each other, exactly.
//!
//! The thickness of sheets. Two closed triangles are in contact at thickness `d` while their
//! distance is at most `d`; a distance of exactly `d` counts. As in `intervals` the truth is exact
//! real interpolation of the given positions over a window, and f64 arithmetic only filters.
//!
//! | stage | what decides | file |
//! |---|---|---|
//! | 1 | coordinate axes: swept boxes more than `d` apart on one side | here |
//! | 2 | two material points that stay near, or a direction along which the gap stays larger than `d` | `frame`, `nearest` |
//! | 3 | [`contact_intervals`]: crossing triangles | `intervals` |
//! | 4 | sites (pairs of vertices, edges, faces): polynomials of degree 2, 4 and 6 with error bounds, halving | `sites`, `bounded`, `search` |
//! | 5 | exact signs at instants of the grid, by doubled f64 and integers; the same polynomials in integers | `twice`, `exact`, `search` |
//!
//! The distance may change linearly over the window where one of the two is a point: a ball
//! (`narrow::spheres`).
//!
//! # Why no contact is missed
//! Halving stops only where a stretch is proved or is one cell of the 2⁻⁵³ grid. A proof of "apart"
//! shows, for every site that is not degenerate for all time, one condition negative throughout; by
//! the first fact in `sites` the distance is then 0 or above `d`, and it is 0 only if the triangles
//! cross for the whole stretch, which stage 3 tells exactly. So whatever is not proved is a cell,
//! and the status at both sides of a cell is an exact sign:
//! - apart and within: an end of an interval, enclosed by the cell;
//! - within at both sides: contact goes on (a gap shorter than a cell would be closed);
//! - apart at both sides: perhaps a grazing instant at a time between grid points, perhaps nothing:
//!   reported as an interval that the cell encloses, marked `undecided` and counted. Grazing at a
//!   grid point is decided exactly.
//!
//! Sites overlap while the distance is below `d` (the second fact), so such cells occur only where
//! the distance is `d` to within what 2⁻⁵³ of the window can change.

mod apart;
mod bounded;
mod exact;
mod frame;
mod instant;
mod nearest;
mod reach;
mod search;
mod sites;
mod touch;
mod twice;

pub(crate) use apart::apart_until;
pub(crate) use instant::{point_within_at_time, reach_exactly};
pub use instant::{triangles_within, within_at_time};
pub(crate) use nearest::{GUESS_ERROR, ROOM, closest_on_triangle, nearest, nearest_precisely, refined_weights};
pub(crate) use reach::Reach;
pub use touch::first_nearness;

use frame::Frame;
use search::{Part, Search};

use super::exact::form::{GRID_BITS, cell_to_f64};
use super::intervals::axes::is_finite;
use super::intervals::{ContactInterval, Enclosure, IntervalStats, MovingTriangle, contact_intervals};

/// Appends to `found` all maximal closed intervals of `s` in `[0, 1]` in which the closed triangles
/// are within `distance` of each other (metres), ascending and disjoint.
///
/// Ends are cells of the 2⁻⁵³ grid, or grid points where the true end is one; the status at both
/// sides of a cell is exact. An interval marked `undecided` is one cell in which the distance comes
/// to `distance` or not quite, or the whole window where a position or the distance is not finite.
/// `distance = 0` (and below) is [`contact_intervals`]. The feature of an interval says what is
/// nearest when it begins; see [`first_nearness`].
///
/// Counted in `stats`: `rejected_by_planes` and `accepted_by_signs` mean stage 2, `solved` the
/// stages behind, `exact_pairs` pairs that asked for integers, `exact_minors` signs from them,
/// `algebraic` stretches searched in integers.
///
/// ```
/// use kinetree::narrow::{IntervalStats, MovingTriangle};
/// use kinetree::narrow::proximity_intervals;
///
/// let floor = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
/// let at = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
/// let floor = MovingTriangle { begin: floor, end: floor };
/// let falling = MovingTriangle { begin: at(2.5), end: at(0.5) };
/// let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
/// proximity_intervals(&falling, &floor, 1.0, &mut found, &mut stats);
/// assert_eq!((found[0].begin.lo, found[0].begin.hi), (0.75, 0.75));
/// assert!(found[0].at_window_end());
/// ```
pub fn proximity_intervals(
    a: &MovingTriangle,
    b: &MovingTriangle,
    distance: f64,
    found: &mut Vec<ContactInterval>,
    stats: &mut IntervalStats,
) {
    reach_intervals(a, b, Reach::constant(distance), false, found, stats);
}

/// The same for a point that moves, given as a triangle whose corners are that point, and a
/// triangle, from a distance that changes; it must not be negative.
pub(crate) fn point_intervals(
    point: &MovingTriangle,
    triangle: &MovingTriangle,
    reach: Reach,
    found: &mut Vec<ContactInterval>,
    stats: &mut IntervalStats,
) {
    reach_intervals(point, triangle, reach, true, found, stats);
}

/// Both; `of_point` says that A is a point. Then its sites tell all, crossings among them: where
/// the distance asked about is 0 at an instant, so is that of a site that holds the point.
fn reach_intervals(
    a: &MovingTriangle,
    b: &MovingTriangle,
    reach: Reach,
    of_point: bool,
    found: &mut Vec<ContactInterval>,
    stats: &mut IntervalStats,
) {
    if reach.is_nothing() {
        return contact_intervals(a, b, found, stats);
    }
    stats.pairs += 1;
    if apart_on_an_axis(a, b, reach.upper_sums()) && is_finite(a) && is_finite(b) {
        stats.rejected_by_axes += 1;
        return;
    }
    if reach.is_nan() || !(is_finite(a) && is_finite(b)) {
        stats.undecided += 1;
        stats.intervals += 1;
        found.push(ContactInterval::whole(true));
        return;
    }
    let frame = Frame::new(a, b, reach);
    let proved = match &frame {
        _ if reach.sums() == [f64::INFINITY; 2] => Some(true),
        Some(frame) if frame.is_always_within() => Some(true),
        Some(frame) => frame.prove(0.0, 1.0),
        None => None,
    };
    if proved == Some(false) {
        stats.rejected_by_planes += 1;
        return;
    }
    let mut touching = Vec::new();
    if !of_point {
        contact_intervals(a, b, &mut touching, &mut IntervalStats::default());
    }
    if proved == Some(true) {
        stats.accepted_by_signs += 1;
        stats.intervals += 1;
        found.push(ContactInterval { feature: touch::feature(a, b, &touching, 0.0), ..ContactInterval::whole(false) });
        return;
    }
    stats.solved += 1;
    let mut search = Search::new(a, b, reach, of_point, frame.as_ref(), &touching);
    search.run();
    stats.exact_pairs += u64::from(search.exact_signs + search.exact_stretches > 0);
    stats.exact_minors += search.exact_signs;
    stats.algebraic += search.exact_stretches;
    let before = found.len();
    join(&search.parts, |begin, end, undecided| {
        let feature = touch::feature(a, b, &touching, begin.lo);
        found.push(ContactInterval { begin, end, instant: undecided || begin == end, undecided, feature });
    });
    for interval in &found[before..] {
        stats.intervals += 1;
        stats.instants += u64::from(interval.instant);
        stats.undecided += u64::from(interval.undecided);
    }
}

/// Whether the triangles are more than a distance, given at both ends of the window, apart along a
/// coordinate axis, on the same side, at both ends. A rounded difference exceeds an f64 number only
/// if the exact one does.
#[inline(always)]
fn apart_on_an_axis(a: &MovingTriangle, b: &MovingTriangle, distance: [f64; 2]) -> bool {
    let mut apart = false;
    for axis in 0..3 {
        let range = |points: &[[f64; 3]; 3]| {
            let [p, q, r] = [points[0][axis], points[1][axis], points[2][axis]];
            let (low, high) = if p < q { (p, q) } else { (q, p) };
            (if r < low { r } else { low }, if r > high { r } else { high })
        };
        let (a0, a1, b0, b1) = (range(&a.begin), range(&a.end), range(&b.begin), range(&b.end));
        apart |= b0.0 - a0.1 > distance[0] && b1.0 - a1.1 > distance[1];
        apart |= a0.0 - b0.1 > distance[0] && a1.0 - b1.1 > distance[1];
    }
    apart
}

/// Joins the parts of the window to intervals: begin, end, and whether nothing but a cell is known.
fn join(parts: &[Part], mut emit: impl FnMut(Enclosure, Enclosure, bool)) {
    let point = |at: u64| Enclosure { lo: cell_to_f64(at), hi: cell_to_f64(at) };
    let cell = |lo: u64| Enclosure { lo: cell_to_f64(lo), hi: cell_to_f64(lo + 1) };
    // Begin of the open interval, and up to where it is known to last.
    let mut open: Option<(Enclosure, u64)> = None;
    let mut parts = parts.iter().peekable();
    while let Some(&part) = parts.next() {
        match part {
            Part::Within { lo, hi } => {
                open = Some((open.map_or(point(lo), |(begin, _)| begin), hi));
            }
            Part::Point { at, within: true } => {
                open = Some((open.map_or(point(at), |(begin, _)| begin), at));
            }
            // The end of a stretch within is within: closed sets.
            Part::Point { at, within: false } if open.is_some_and(|(_, last)| last == at) => {}
            Part::Point { within: false, .. } | Part::Apart => {
                if let Some((begin, last)) = open.take() {
                    emit(begin, point(last), false);
                }
            }
            Part::Open { lo } => {
                let goes_on = match parts.peek() {
                    Some(&&Part::Point { within, .. }) => within,
                    Some(&&Part::Within { .. }) => true,
                    Some(&&(Part::Apart | Part::Open { .. })) | None => false,
                };
                match (open.take(), goes_on) {
                    (Some((begin, _)), true) => open = Some((begin, lo + 1)),
                    (None, true) => open = Some((cell(lo), lo + 1)),
                    (Some((begin, _)), false) => emit(begin, cell(lo), false),
                    (None, false) => emit(cell(lo), cell(lo), true),
                }
            }
        }
    }
    if let Some((begin, last)) = open {
        debug_assert!(last == 1 << GRID_BITS, "the window is covered");
        emit(begin, point(last), false);
    }
}
