//! Two triangles at one instant: are they within a distance?

use super::exact::Whole;
use super::frame::Frame;
use super::sites::ALL;
use crate::narrow::intervals::{MovingTriangle, touch_at};

/// Whether the distance of two closed triangles is at most `distance` (metres, same unit as the positions).
///
/// Exact: positions and distance are taken as real numbers, a distance of exactly `distance` counts, degenerate triangles
/// (segments, points) are allowed. `distance = 0` (and below) asks whether they share a point. Where a position or the distance is not a
/// number, or a position is infinite, the answer is `true`.
///
/// Cost: 0.2 to 0.4 µs; tens of microseconds where f64 cannot decide.
///
/// ```
/// use kinetree::narrow::proximity::triangles_within;
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
    let frame = Frame::new(&a, &b, distance);
    if let Some(proved) = frame.as_ref().and_then(|frame| frame.prove(0.0, 0.0)) {
        return proved;
    }
    if touch_at(&a, &b, 0.0) {
        return true;
    }
    let near = frame.map_or([0; 8], |frame| frame.distant_pairs());
    let instant = Whole::new(&a, &b, distance).instant(0);
    ALL.iter().filter(|site| near.iter().all(|set| site.pairs & !set != 0)).any(|site| instant.reaches(site.parts))
}
