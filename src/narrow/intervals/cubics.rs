//! The 15 cubics of two moving triangles, computed together.
//!
//! With the five differences from vertex 0 of the first triangle, ten minors are triple products
//! that share four cross products. The five minors without that vertex are sums of four of them:
//! `ijkl = 0jkl − 0ikl + 0ijl − 0ijk`. The error of each sum is at most four times the bound of the
//! others (4 · 198.1 u plus 162 u of the additions, below 1024 u).
//!
//! Inner loops run over four lanes for auto-vectorisation.

#![expect(clippy::needless_range_loop, reason = "one index runs over several arrays of lanes")]

use super::minors::{Family, Level, Points, cross};
use super::tables::{POINTS, Signs, Table};
use crate::simd::{Kernel, Simd};

const LANES: usize = 4;
type Lanes = [f64; LANES];
/// A vector that moves linearly, per lane: axis, end of the window, lane.
type Linear = [[Lanes; 2]; 3];
/// A vector that moves quadratically, per lane: axis, coefficient, lane.
type Quadratic = [[Lanes; 3]; 3];

/// Minors by sets of points, in the order of `Table`: indices of the ten with point 0 …
const WITH_FIRST_OF_A_PLANE: [usize; 3] = [0, 1, 5];
const WITH_V1: [usize; 3] = [2, 6, 9];
const WITH_V2: [usize; 3] = [3, 7, 10];
const WITH_B_PLANE: usize = 12;
/// … and of the sums `[ijkl, 0jkl, 0ikl, 0ijl, 0ijk]` for 1234, 1235, 1245, 1345, 2345.
const SUMS: [[usize; 5]; 5] =
    [[4, 3, 2, 1, 0], [8, 7, 6, 5, 0], [11, 10, 9, 5, 1], [13, 12, 9, 6, 2], [14, 12, 10, 7, 3]];
/// Bits of the sums.
const DERIVED: u32 = 1 << 4 | 1 << 8 | 1 << 11 | 1 << 13 | 1 << 14;

/// The kernel: writes all cubics, and says which signs hold over the whole closed window.
pub(crate) struct Signed<'a> {
    pub(crate) points: &'a Points<'a>,
    pub(crate) family: &'a mut Family,
    pub(crate) table: &'a Table,
}

impl Kernel for Signed<'_> {
    type Output = Signs;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) -> Signs {
        let Self { points, family, table } = self;
        *family = self::family(points);
        family.signs_on(machine, table)
    }
}

/// Computes all cubics.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn family(points: &Points<'_>) -> Family {
    let mut family = Family::empty(points, Level::Space);
    family.derived = DERIVED;
    let (mut w, mut v) = ([[[0.0; LANES]; 2]; 3], [[[0.0; 2]; 3]; 2]);
    for axis in 0..3 {
        let row = &points.relative[axis];
        for lane in 0..3 {
            w[axis][0][lane] = row[3 + lane];
            w[axis][1][lane] = row[POINTS + 3 + lane];
        }
        v[0][axis] = [row[1], row[POINTS + 1]];
        v[1][axis] = [row[2], row[POINTS + 2]];
    }
    let mut normal: Quadratic = [[[0.0; LANES]; 3]; 3];
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let product = cross(v[0][i], v[1][j], v[0][j], v[1][i]);
        for (lanes, value) in normal[k].iter_mut().zip(product) {
            *lanes = [value; LANES];
        }
    }
    let plane = dot(&w, &normal);

    // Lanes: w0 × w1, w0 × w2, w1 × w2.
    let mut products: Quadratic = [[[0.0; LANES]; 3]; 3];
    let (mut left, mut right): (Linear, Linear) = Default::default();
    for axis in 0..3 {
        for end in 0..2 {
            let [w0, w1, w2, _] = w[axis][end];
            left[axis][end] = [w0, w0, w1, 0.0];
            right[axis][end] = [w1, w2, w2, 0.0];
        }
    }
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        for lane in 0..LANES {
            let (a0, a1) = (left[i][0][lane], left[i][1][lane]);
            let (b0, b1) = (right[j][0][lane], right[j][1][lane]);
            let (c0, c1) = (left[j][0][lane], left[j][1][lane]);
            let (d0, d1) = (right[i][0][lane], right[i][1][lane]);
            products[k][0][lane] = a0 * b0 - c0 * d0;
            products[k][1][lane] = (a0 * b1 + a1 * b0) - (c0 * d1 + c1 * d0);
            products[k][2][lane] = a1 * b1 - c1 * d1;
        }
    }
    let first = dot(&broadcast(&v[0]), &products);
    let second = dot(&broadcast(&v[1]), &products);
    // The plane of the second triangle: w0 · (w1 × w2), in the third lane.
    let mut w0 = [[0.0; 2]; 3];
    for axis in 0..3 {
        w0[axis] = [w[axis][0][0], w[axis][1][0]];
    }
    let third = dot(&broadcast(&w0), &products);

    for (i, row) in family.coefficients.iter_mut().enumerate() {
        for lane in 0..3 {
            row[WITH_FIRST_OF_A_PLANE[lane]] = plane[i][lane];
            row[WITH_V1[lane]] = first[i][lane];
            row[WITH_V2[lane]] = second[i][lane];
        }
        row[WITH_B_PLANE] = third[i][2];
        for [sum, a, b, c, d] in SUMS {
            row[sum] = (row[a] - row[b]) + (row[c] - row[d]);
        }
    }
    family
}

#[inline(always)]
fn broadcast(v: &[[f64; 2]; 3]) -> Linear {
    let mut lanes: Linear = Default::default();
    for axis in 0..3 {
        for end in 0..2 {
            lanes[axis][end] = [v[axis][end]; LANES];
        }
    }
    lanes
}

/// Scalar product per lane, a cubic.
#[inline(always)]
fn dot(u: &Linear, q: &Quadratic) -> [Lanes; 4] {
    let mut sum = [[0.0; LANES]; 4];
    for axis in 0..3 {
        for lane in 0..LANES {
            let (u0, u1) = (u[axis][0][lane], u[axis][1][lane]);
            let (c0, c1, c2) = (q[axis][0][lane], q[axis][1][lane], q[axis][2][lane]);
            sum[0][lane] += u0 * c0;
            sum[1][lane] += u0 * c1 + u1 * c0;
            sum[2][lane] += u0 * c2 + u1 * c1;
            sum[3][lane] += u1 * c2;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::family;
    use crate::narrow::intervals::minors::{Family, Level, Points};
    use crate::narrow::intervals::tables::TRIANGLES;
    use proptest::prelude::*;

    proptest! {
        /// Both evaluations of the cubics agree within their bounds.
        #[test]
        fn agrees_with_single_minors(values in prop::array::uniform32(-1.0_f64..1.0), more in prop::array::uniform4(-1.0_f64..1.0)) {
            let all: Vec<f64> = values.into_iter().chain(more).collect();
            let points = |from: usize| std::array::from_fn(|p| std::array::from_fn(|k| all[from + 3 * p + k]));
            let (begin, end): ([[f64; 3]; 6], [[f64; 3]; 6]) = (points(0), points(18));
            let points = Points::new(begin.each_ref(), end.each_ref());
            let one = Family::new(&points, &TRIANGLES.space, Level::Space);
            let all = family(&points);
            for k in 0..15 {
                let (a, b) = (one.approximate(k), all.approximate(k));
                for (x, y) in a.coefficients.iter().zip(b.coefficients) {
                    prop_assert!((x - y).abs() <= a.error + b.error, "minor {k}: {x} {y}");
                }
            }
        }
    }
}
