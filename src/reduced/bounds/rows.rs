//! Boxes of a leaf's triangles in rows of eight, and which of two leaves' boxes meet.

use super::layout::indices;
use super::layout::{Layout, Leaf};
use super::rounded::EVERYTHING;
use crate::refit::Bounds;
use crate::simd::{F32x8, Kernel, LANES, Simd};

/// Boxes of eight triangles: lower sides along x, y, z, then upper ones.
pub(super) type Row = [[f32; LANES]; 6];

/// Boxes that no number is in.
pub(super) const NO_ROW: Row = {
    let (low, high) = ([f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
    [low, low, low, high, high, high]
};

/// Writes the boxes of a leaf's triangles, widened by a margin; none is left out where there is no margin.
pub(super) fn fill_rows(layout: &Layout, leaf: &Leaf, points: &[[f32; 4]], margin: Option<f32>, rows: &mut [Row]) {
    let corners = &layout.corners[indices(&leaf.triangles)];
    for (corners, row) in corners.chunks(LANES).zip(rows) {
        if corners.len() < LANES {
            *row = NO_ROW;
        }
        for (lane, corners) in corners.iter().enumerate() {
            let Bounds(sides) = match margin {
                Some(margin) => Bounds::of_triangle(corners.map(|point| &points[point as usize])).widened(margin),
                None => EVERYTHING,
            };
            for axis in 0..3 {
                row[axis][lane] = sides[axis];
                row[axis + 3][lane] = -sides[axis + 4];
            }
        }
    }
}

/// A leaf's triangles.
#[derive(Clone, Copy)]
pub(super) struct LeafRows<'a> {
    pub(super) rows: &'a [Row],
    /// How many there are, and the first one's place among all.
    pub(super) count: usize,
    pub(super) first: u32,
    /// The leaf's box.
    pub(super) bounds: Bounds,
}

/// Finds the pairs of triangles of two leaves whose boxes meet, where those of the second are grown by a distance.
pub(super) struct Meeting<'a> {
    pub(super) a: LeafRows<'a>,
    pub(super) b: LeafRows<'a>,
    pub(super) distance: f32,
    /// Places of triangles of `a` and `b`.
    pub(super) found: &'a mut Vec<(u32, u32)>,
}

impl Kernel for Meeting<'_> {
    type Output = ();

    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn run<M: Simd>(self, machine: M) {
        let Self { a, b, distance, found } = self;
        let b_box = grown(&b.bounds, distance);
        // Triangles of the first leaf that come near the second, then each against those that come near the first.
        for (row_a, first_a) in a.rows.iter().zip((0..a.count).step_by(LANES)) {
            let mut near_a = meeting(machine, row_a, &b_box) & lanes(a.count - first_a);
            while near_a != 0 {
                let lane = near_a.trailing_zeros() as usize;
                near_a &= near_a - 1;
                let [x, y, z, u, v, w] = [0, 1, 2, 3, 4, 5].map(|side: usize| row_a[side][lane]);
                let own = grown(&Bounds([x, y, z, 0.0, -u, -v, -w, 0.0]), distance);
                for (row_b, first_b) in b.rows.iter().zip((0..b.count).step_by(LANES)) {
                    let mut near_b = meeting(machine, row_b, &own) & lanes(b.count - first_b);
                    while near_b != 0 {
                        let other = near_b.trailing_zeros();
                        near_b &= near_b - 1;
                        found.push((a.first + (first_a + lane) as u32, b.first + first_b as u32 + other));
                    }
                }
            }
        }
    }
}

/// Per triangle of a row, a bit: does its box share a point with another?
#[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
#[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
fn meeting<M: Simd>(machine: M, row: &Row, other: &Bounds) -> u32 {
    // A difference of two numbers is greater than zero if and only if the first one is greater.
    let mut gap = machine.splat(f32::NEG_INFINITY);
    for axis in 0..3 {
        let above = machine.load(&row[axis]) - machine.splat(-other.0[axis + 4]);
        let below = machine.splat(other.0[axis]) - machine.load(&row[axis + 3]);
        gap = above.more(gap);
        gap = below.more(gap);
    }
    !gap.above(machine.splat(0.0))
}

/// The first lanes, as many as asked for.
fn lanes(count: usize) -> u32 {
    if count >= LANES { 0xff } else { (1 << count) - 1 }
}

/// A box moved outward by a distance, and by no less.
#[inline(always)]
pub(super) fn grown(bounds: &Bounds, distance: f32) -> Bounds {
    if distance > 0.0 { Bounds(bounds.0.map(|side| (side - distance).next_down())) } else { *bounds }
}
