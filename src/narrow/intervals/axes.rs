//! The cheapest proofs that two moving triangles stay apart.
//!
//! 1. A fixed coordinate axis. The difference of two coordinates is linear in time, so a strict
//!    order at both ends of the window holds throughout. Only comparisons, hence exact.
//! 2. The moving plane of one triangle. The three orientation cubics of its plane with the other's
//!    vertices keep one sign if all their coefficients do. This catches nearly all pairs that fixed
//!    normals catch, and more, at the cost of one normal.
//! 3. A fixed direction through both centres, with bounded rounding.
//!
//! Rates on self-colliding cloth, of pairs with overlapping swept boxes: axes 55-80 %, planes 80-95
//! % of the rest, centres a quarter of the remainder.
//!
//! Cost: 30 ns for the axes, about 40 ns more for planes and centres (SSE2, busy two-core machine).

#![expect(clippy::needless_range_loop, reason = "one index runs over several arrays of coordinates")]

use super::MovingTriangle;
use super::minors::{CUBIC_ERROR, EXTENT_RANGE, cross};
use crate::math::vector::minus;
use crate::simd::{Kernel, Simd};

/// Rounding of a difference of two projections in units of `Σ |nₖ|·Mₖ`, `M` the largest coordinate
/// difference: one for the difference, one for the product, two for the sums, on both sides,
/// doubled: 16 u.
const PROJECTION_ERROR: f64 = 8.0 * f64::EPSILON;

type Triangle = [[f64; 3]; 3];

/// Smallest and largest of three numbers.
#[inline(always)]
fn range(x: f64, y: f64, z: f64) -> [f64; 2] {
    let (low, high) = if x < y { (x, y) } else { (y, x) };
    [if z < low { z } else { low }, if z > high { z } else { high }]
}

#[inline(always)]
fn smaller(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

#[inline(always)]
fn larger(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

/// Whether all coordinates are finite.
#[inline(always)]
pub(crate) fn is_finite(triangle: &MovingTriangle) -> bool {
    let mut sums = [0.0; 3];
    for [p, q, r] in [&triangle.begin, &triangle.end] {
        for k in 0..3 {
            // Zero times infinity is NaN, and so is any sum with it.
            sums[k] += 0.0 * p[k] + 0.0 * q[k] + 0.0 * r[k];
        }
    }
    sums[0] + sums[1] + sums[2] == 0.0
}

/// What proves two moving triangles apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// A coordinate axis.
    Axis,
    /// The moving plane of one triangle, or the direction of the centres.
    Direction,
}

/// The kernel: looks for such a proof; `None` proves nothing.
pub(super) struct Rejecting<'a> {
    pub(super) a: &'a MovingTriangle,
    pub(super) b: &'a MovingTriangle,
}

impl Kernel for Rejecting<'_> {
    type Output = Option<Reason>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, _: M) -> Option<Reason> {
        let Self { a, b } = self;
        match extent_unless_apart(a, b) {
            None => Some(Reason::Axis),
            Some(extent) => apart(a, b, extent).then_some(Reason::Direction),
        }
    }
}

/// Returns `None` if a coordinate axis proves the triangles apart; else the largest coordinate
/// difference of two vertices at one end of the window, per axis.
#[inline(always)]
pub(crate) fn extent_unless_apart(a: &MovingTriangle, b: &MovingTriangle) -> Option<[f64; 3]> {
    let mut extent = [0.0; 3];
    let mut apart = false;
    // No early exit: three axes cost less than a mispredicted branch.
    for (k, slot) in extent.iter_mut().enumerate() {
        let a0 = range(a.begin[0][k], a.begin[1][k], a.begin[2][k]);
        let b0 = range(b.begin[0][k], b.begin[1][k], b.begin[2][k]);
        let a1 = range(a.end[0][k], a.end[1][k], a.end[2][k]);
        let b1 = range(b.end[0][k], b.end[1][k], b.end[2][k]);
        let mut above = a0[1] < b0[0];
        above &= a1[1] < b1[0];
        let mut below = b0[1] < a0[0];
        below &= b1[1] < a1[0];
        apart |= above;
        apart |= below;
        *slot = larger(larger(a0[1], b0[1]) - smaller(a0[0], b0[0]), larger(a1[1], b1[1]) - smaller(a1[0], b1[0]));
    }
    // A range may hide a NaN.
    let proved = apart && is_finite(a) && is_finite(b);
    (!proved).then_some(extent)
}

/// Whether the moving plane of either triangle, or a fixed direction through the centres, proves
/// them apart. `false` proves nothing.
#[inline(always)]
pub(crate) fn apart(a: &MovingTriangle, b: &MovingTriangle, extent: [f64; 3]) -> bool {
    if !extent.iter().all(|m| EXTENT_RANGE.contains(m)) {
        return false;
    }
    let bound = CUBIC_ERROR * (extent[0] * extent[1] * extent[2]);
    plane_separates(a, b, bound) || plane_separates(b, a, bound) || centres_separate(a, b, extent)
}

/// Whether the plane of `a` keeps `b` strictly on one side.
#[inline(always)]
fn plane_separates(a: &MovingTriangle, b: &MovingTriangle, bound: f64) -> bool {
    let edges = |t: &Triangle| (minus(&t[1], &t[0]), minus(&t[2], &t[0]));
    let ((u0, v0), (u1, v1)) = (edges(&a.begin), edges(&a.end));
    let mut normal = [[0.0; 3]; 3];
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        normal[k] = cross([u0[i], u1[i]], [v0[j], v1[j]], [u0[j], u1[j]], [v0[i], v1[i]]);
    }
    let mut above = true;
    let mut below = true;
    for vertex in 0..3 {
        let w0 = minus(&b.begin[vertex], &a.begin[0]);
        let w1 = minus(&b.end[vertex], &a.end[0]);
        let mut cubic = [0.0; 4];
        for k in 0..3 {
            let [n0, n1, n2] = normal[k];
            cubic[0] += n0 * w0[k];
            cubic[1] += n1 * w0[k] + n0 * w1[k];
            cubic[2] += n2 * w0[k] + n1 * w1[k];
            cubic[3] += n2 * w1[k];
        }
        for value in cubic {
            above &= value > bound;
            below &= value < -bound;
        }
        if !above && !below {
            return false;
        }
    }
    true
}

/// Whether the line through the centres at the middle of the window separates at both ends.
#[inline(always)]
fn centres_separate(a: &MovingTriangle, b: &MovingTriangle, extent: [f64; 3]) -> bool {
    let mut n = [0.0; 3];
    for k in 0..3 {
        for vertex in 0..3 {
            n[k] += b.begin[vertex][k] - a.begin[vertex][k] + b.end[vertex][k] - a.end[vertex][k];
        }
    }
    let bound = PROJECTION_ERROR * (n[0].abs() * extent[0] + n[1].abs() * extent[1] + n[2].abs() * extent[2]);
    let along = |t: &Triangle, base: &[f64; 3]| {
        let [p, q, r] = [minus(&t[0], base), minus(&t[1], base), minus(&t[2], base)];
        let project = |p: [f64; 3]| n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
        range(project(p), project(q), project(r))
    };
    // The direction points from A to B.
    let gap = |a: &Triangle, b: &Triangle| along(b, &a[0])[0] - along(a, &a[0])[1];
    EXTENT_RANGE.contains(&bound) && gap(&a.begin, &b.begin) > bound && gap(&a.end, &b.end) > bound
}
