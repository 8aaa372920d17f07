//! The cheapest proof that two moving triangles stay apart: a fixed separating direction.
//!
//! For any direction `n`, however it was found, `n·(b − a)` is linear in time for every pair of vertices. If all nine
//! are positive at both ends of the window, or all negative at both, the triangles never meet. Coordinate axes need only comparisons,
//! which are exact; other directions compare projections whose rounding is bounded.
//!
//! Cost: 3 ns for the coordinate axes, 5 ns for each further direction.

use super::MovingTriangle;

/// Rounding of a difference of two projections in units of `Σ |nₖ|·Mₖ`, `M` the largest difference from the
/// reference: one for the difference, one for the product, two for the sums, on both sides, doubled: 16 u.
const PROJECTION_ERROR: f64 = 8.0 * f64::EPSILON;

/// Bounds above this (2⁹⁰⁰) could hide an overflow.
const LARGEST_BOUND: f64 = f64::from_bits(1923 << 52);

/// Whether all coordinates are finite.
#[inline]
pub(crate) fn finite(a: &MovingTriangle, b: &MovingTriangle) -> bool {
    // Zero times infinity is not a number, and neither is any sum with it.
    let mut probe = 0.0;
    for points in [&a.begin, &a.end, &b.begin, &b.end] {
        for point in points {
            probe += 0.0 * point[0] + 0.0 * point[1] + 0.0 * point[2];
        }
    }
    probe == 0.0
}

/// Whether a fixed direction proves the triangles apart over the whole window. `false` proves nothing.
#[inline]
pub(crate) fn apart(a: &MovingTriangle, b: &MovingTriangle) -> bool {
    (0..3).any(|axis| apart_on_axis(a, b, axis)) || apart_on_normals(a, b)
}

/// Smallest and largest of three numbers.
#[inline(always)]
fn range(x: [f64; 3]) -> [f64; 2] {
    let [p, q, r] = x;
    let (low, high) = if p < q { (p, q) } else { (q, p) };
    [if r < low { r } else { low }, if r > high { r } else { high }]
}

#[inline(always)]
fn apart_on_axis(a: &MovingTriangle, b: &MovingTriangle, axis: usize) -> bool {
    let along = |points: &[[f64; 3]; 3]| range([points[0][axis], points[1][axis], points[2][axis]]);
    let (a0, a1) = (along(&a.begin), along(&a.end));
    let (b0, b1) = (along(&b.begin), along(&b.end));
    (a0[1] < b0[0] && a1[1] < b1[0]) || (b0[1] < a0[0] && b1[1] < a1[0])
}

#[inline(always)]
fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn normal(points: &[[f64; 3]; 3]) -> [f64; 3] {
    let (u, v) = (minus(points[1], points[0]), minus(points[2], points[0]));
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

#[inline(always)]
fn apart_on_normals(a: &MovingTriangle, b: &MovingTriangle) -> bool {
    let relative = |points: &[[f64; 3]; 3], base: [f64; 3]| points.map(|p| minus(p, base));
    // Positions relative to a vertex of the first triangle at each end keep the rounding small.
    let (a0, b0) = (relative(&a.begin, a.begin[0]), relative(&b.begin, a.begin[0]));
    let (a1, b1) = (relative(&a.end, a.end[0]), relative(&b.end, a.end[0]));
    let mut extent = [0.0; 3];
    for point in a0.iter().chain(&b0).chain(&a1).chain(&b1) {
        for axis in 0..3 {
            let size = point[axis].abs();
            extent[axis] = if size > extent[axis] { size } else { extent[axis] };
        }
    }
    let separates = |n: [f64; 3]| {
        let project = |p: &[f64; 3]| n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
        let along = |points: &[[f64; 3]; 3]| range([project(&points[0]), project(&points[1]), project(&points[2])]);
        let bound = PROJECTION_ERROR * (n[0].abs() * extent[0] + n[1].abs() * extent[1] + n[2].abs() * extent[2])
            + f64::MIN_POSITIVE;
        let (a0, a1) = (along(&a0), along(&a1));
        let (b0, b1) = (along(&b0), along(&b1));
        if bound > LARGEST_BOUND {
            return false;
        }
        (b0[0] - a0[1] > bound && b1[0] - a1[1] > bound) || (a0[0] - b0[1] > bound && a1[0] - b1[1] > bound)
    };
    separates(normal(&a.begin)) || separates(normal(&b.begin)) || separates(normal(&a.end)) || separates(normal(&b.end))
}
