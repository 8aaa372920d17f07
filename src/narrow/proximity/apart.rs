//! A fast proof of the time until which two moving triangles stay more than a distance apart.
//!
//! Along a fixed direction the gap between any two vertices is linear in time; the triangles are
//! apart while all nine gaps are open. When the first of them closes, the search continues with the
//! direction between the points nearest then.

use super::nearest::nearest;
use crate::math::vector::{Vector, dot, minus};
use crate::narrow::intervals::MovingTriangle;
use crate::narrow::intervals::touch::blend;

/// Most directions tried. Pairs that pass each other take two or three; contacts take more the
/// closer the search comes.
const MOST_STEPS: usize = 64;

/// Shorter steps, as a fraction of the window, end the search.
const LEAST_STEP: f64 = 1.0 / (1u64 << 48) as f64;

/// Fraction of a step that is taken: values are rounded, and at the very end of the step the gap
/// may be closed.
const STEP: f64 = 0.999;

/// Relative bound on the roundings of a gap and of its positions, per sum of the magnitudes of its
/// terms.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Returns a time of the window before which the triangles are more than `distance` apart: 1 if
/// they are throughout the window, its end included; 0 without a proof.
///
/// Cost: about 0.2 µs per direction tried.
pub(crate) fn apart_until(a: &MovingTriangle, b: &MovingTriangle, distance: f64) -> f64 {
    let mut s = 0.0;
    for _ in 0..MOST_STEPS {
        let at = |triangle: &MovingTriangle| [0, 1, 2].map(|k| blend(triangle.begin[k], triangle.end[k], s));
        let (here_a, here_b) = (at(a), at(b));
        let direction = nearest(&here_a, &here_b).direction;
        // Positions on the way round by what its ends measure, and may be much smaller.
        let ends = if s > 0.0 { largest(&direction, [&a.begin, &b.begin, &a.end, &b.end]) } else { 0.0 };
        let here = gaps_along(&direction, &here_a, &here_b, distance, ends);
        if !here.iter().all(|&gap| gap > 0.0) {
            return s;
        }
        let last = gaps_along(&direction, &a.end, &b.end, distance, 0.0);
        if last.iter().all(|&gap| gap > 0.0) {
            return 1.0;
        }
        let closing =
            here.iter().zip(&last).filter(|(_, last)| !(**last > 0.0)).map(|(here, last)| here / (here - last));
        let next = s + (1.0 - s) * closing.fold(1.0, f64::min) * STEP;
        // NaN also ends the search.
        if !(next > s + LEAST_STEP && next < 1.0) {
            return s;
        }
        s = next;
    }
    s
}

/// The largest sum of the magnitudes of the terms of `n · p`.
fn largest<const N: usize>(n: &Vector, points: [&[Vector; 3]; N]) -> f64 {
    let size = |p: &Vector| (n[0] * p[0]).abs() + (n[1] * p[1]).abs() + (n[2] * p[2]).abs();
    points.into_iter().flatten().map(size).fold(0.0, f64::max)
}

/// Lower bounds on the distance by which each vertex of `b` is beyond each of `a` along a
/// direction, less `distance`, in units of the direction's length. Positions are rounded relative
/// to themselves, and to terms of the size `rounded`.
fn gaps_along(n: &Vector, a: &[Vector; 3], b: &[Vector; 3], distance: f64, rounded: f64) -> [f64; 9] {
    let size = largest(n, [a, b]).max(rounded);
    // The sum of magnitudes is at least the length.
    let margin = distance * (n[0].abs() + n[1].abs() + n[2].abs()) + ROUNDING * size;
    std::array::from_fn(|pair| dot(n, &minus(&b[pair % 3], &a[pair / 3])) - margin)
}
