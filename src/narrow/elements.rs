//! Exact tests of points and segments against triangles, as degenerate triangles.
//!
//! Limits of coordinates are those of the parent module. A radius or distance is compared with the
//! true distance; equality counts as contact.

use super::proximity::triangles_within;
use super::{Point, triangles_touch};

/// Tests whether a point lies in a closed triangle, or within `radius` metres of it. A radius that
/// is not positive counts as 0.
///
/// ```
/// use kinetree::narrow::point_within;
///
/// let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
/// assert!(point_within(&[1.0, 1.0, 0.5], &floor, 0.5));
/// assert!(!point_within(&[1.0, 1.0, 0.5_f64.next_up()], &floor, 0.5));
/// ```
#[must_use]
pub fn point_within(point: &[f64; 3], triangle: &[[f64; 3]; 3], radius: f64) -> bool {
    within(&[*point; 3], triangle, radius)
}

/// Tests whether a closed segment shares a point with a closed triangle, or comes within `radius`
/// metres of it. A radius that is not positive counts as 0. The ends may coincide, and the triangle
/// may be degenerate.
///
/// ```
/// use kinetree::narrow::segment_within;
///
/// let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
/// assert!(segment_within(&[[2.0, 2.0, -1.0], [2.0, 2.0, 1.0]], &floor, 0.0)); // through the slanted side
/// assert!(!segment_within(&[[2.5, 2.0, -1.0], [2.5, 2.0, 1.0]], &floor, 0.0));
/// ```
#[must_use]
pub fn segment_within(segment: &[[f64; 3]; 2], triangle: &[[f64; 3]; 3], radius: f64) -> bool {
    within(&[segment[0], segment[1], segment[1]], triangle, radius)
}

fn within(a: &[Point; 3], b: &[Point; 3], distance: f64) -> bool {
    if distance > 0.0 { triangles_within(a, b, distance) } else { triangles_touch(a, b) }
}
