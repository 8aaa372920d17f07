//! Two triangles at one instant: tests whether they are within a distance.

use super::exact::{Instant, Whole};
use super::frame::Frame;
use super::reach::Reach;
use super::sites::{ALL, Parts};
use crate::narrow::exact::integer::Integer;
use crate::narrow::exact::ratio::{Place, Ratio};
use crate::narrow::intervals::axes::is_finite;
use crate::narrow::intervals::{MovingTriangle, touch_at, touch_at_time};

/// Whether the distance of two closed triangles is at most `distance` (metres, same unit as the
/// positions).
///
/// Exact: positions and distance are taken as real numbers, a distance of exactly `distance`
/// counts, degenerate triangles (segments, points) are allowed. `distance = 0` (and below) asks
/// whether they share a point. Where a position or the distance is not a number, or a position is
/// infinite, the answer is `true`.
///
/// Cost: 0.2 to 0.4 µs; tens of microseconds where f64 cannot decide.
///
/// ```
/// use kinetree::narrow::triangles_within;
///
/// let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
/// let above = [[1.0, 1.0, 0.5], [1.0, 2.0, 0.5], [2.0, 1.0, 0.75]];
/// assert!(triangles_within(&floor, &above, 0.5));
/// assert!(!triangles_within(&floor, &above, 0.5_f64.next_down()));
/// ```
pub fn triangles_within(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3], distance: f64) -> bool {
    let still = |t: &[[f64; 3]; 3]| MovingTriangle { begin: *t, end: *t };
    let (a, b) = (still(a), still(b));
    if distance.is_nan() || [&a, &b].iter().any(|t| t.begin.iter().flatten().any(|x| !x.is_finite())) {
        return true;
    }
    if !(distance > 0.0) {
        return touch_at(&a, &b, 0.0);
    }
    if distance == f64::INFINITY {
        return true;
    }
    let reach = Reach::constant(distance);
    let frame = Frame::new(&a, &b, reach);
    if let Some(proved) = frame.as_ref().and_then(|frame| frame.prove(0.0, 0.0)) {
        return proved;
    }
    if touch_at(&a, &b, 0.0) {
        return true;
    }
    reaches(frame.as_ref(), &Whole::new(&a, &b, reach).instant(0), |_| true)
}

/// The same for moving triangles at a time: as [`touch_at_time`], for a distance (metres) as
/// [`triangles_within`] takes it.
///
/// Exact: the window's begin and end, the time (all of one unit), the positions and the distance
/// are taken as real numbers. A time outside the window is clamped; where one of them is not a
/// number, or a time or a position is infinite, the answer is `true`.
///
/// Cost: 0.3 to 0.6 µs; tens of microseconds where f64 cannot decide.
///
/// ```
/// use kinetree::narrow::MovingTriangle;
/// use kinetree::narrow::within_at_time;
///
/// let floor = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
/// let at = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
/// let floor = MovingTriangle { begin: floor, end: floor };
/// let falling = MovingTriangle { begin: at(2.0), end: at(-1.0) };
/// assert!(within_at_time(&falling, &floor, 1.0, (0.0, 3.0), 1.0));
/// assert!(!within_at_time(&falling, &floor, 1.0, (0.0, 3.0), 1.0_f64.next_down()));
/// ```
pub fn within_at_time(a: &MovingTriangle, b: &MovingTriangle, distance: f64, window: (f64, f64), time: f64) -> bool {
    if distance <= 0.0 {
        return touch_at_time(a, b, window, time);
    }
    let is_finite = is_finite(a) && is_finite(b) && [time, window.0, window.1].iter().all(|x| x.is_finite());
    if distance.is_nan() || distance == f64::INFINITY || !is_finite {
        return true;
    }
    let (lo, hi) = match Place::of(time, window) {
        Place::Begin => return triangles_within(&a.begin, &b.begin, distance),
        Place::End => return triangles_within(&a.end, &b.end, distance),
        Place::Inside { lo, hi } => (lo, hi),
    };
    let reach = Reach::constant(distance);
    let frame = Frame::new(a, b, reach);
    if let Some(proved) = frame.as_ref().and_then(|frame| frame.prove(lo, hi)) {
        return proved;
    }
    if touch_at_time(a, b, window, time) {
        return true;
    }
    reaches(frame.as_ref(), &Whole::new(a, b, reach).instant_at(&Ratio::new(time, window)), |_| true)
}

/// The same for a point that moves, given as a triangle whose corners are that point, and a
/// triangle, from a distance that changes. All numbers must be finite and the distance not
/// negative.
pub(crate) fn point_within_at_time(
    point: &MovingTriangle,
    triangle: &MovingTriangle,
    reach: Reach,
    window: (f64, f64),
    time: f64,
) -> bool {
    let still = |t: &[[f64; 3]; 3]| MovingTriangle { begin: *t, end: *t };
    let (lo, hi) = match Place::of(time, window) {
        Place::Begin => return point_is_within(&still(&point.begin), &still(&triangle.begin), reach.at_begin()),
        Place::End => return point_is_within(&still(&point.end), &still(&triangle.end), reach.at_end()),
        Place::Inside { lo, hi } => (lo, hi),
    };
    let frame = Frame::new(point, triangle, reach);
    if let Some(proved) = frame.as_ref().and_then(|frame| frame.prove(lo, hi)) {
        return proved;
    }
    let instant = Whole::new(point, triangle, reach).instant_at(&Ratio::new(time, window));
    reaches(frame.as_ref(), &instant, Parts::is_of_point)
}

/// The same for what does not move.
fn point_is_within(point: &MovingTriangle, triangle: &MovingTriangle, reach: Reach) -> bool {
    let frame = Frame::new(point, triangle, reach);
    if let Some(proved) = frame.as_ref().and_then(|frame| frame.prove(0.0, 0.0)) {
        return proved;
    }
    reaches(frame.as_ref(), &Whole::new(point, triangle, reach).instant(0), Parts::is_of_point)
}

/// Whether some site of six points reaches a distance, in units of one positive number. As a whole
/// this is whether triangles are within the distance unless they cross; of a point, the first three
/// points being one, it is whether the point is.
pub(crate) fn reach_exactly(points: [[Integer; 3]; 6], reach: &Integer, of_point: bool) -> bool {
    let instant = Instant::of(points, reach);
    reaches(None, &instant, |parts| !of_point || Parts::is_of_point(parts))
}

/// Tests whether one of some sites reaches. A point in contact has one that does, also at distance
/// 0; triangles that cross need none.
fn reaches(frame: Option<&Frame>, instant: &Instant, is_wanted: impl Fn(Parts) -> bool) -> bool {
    let near = frame.map_or([0; 8], Frame::distant_pairs);
    let sites = ALL.iter().filter(|site| is_wanted(site.parts) && near.iter().all(|set| site.pairs & !set != 0));
    sites.into_iter().any(|site| instant.reaches(site.parts))
}
