//! Boxes of a leaf's triangles in blocks of eight, and which of two leaves' boxes meet.

use super::layout::indices;
use super::layout::{Layout, Leaf};
use super::rounded::EVERYTHING;
use crate::bvh::leaf_filter::{BoxBlock, LeafBlocks, WIDTH, near_pairs};
use crate::refit::{Bounds, sides_of};
use crate::simd::{Kernel, Simd};

/// Writes the boxes of a leaf's triangles, widened by a margin; none is left out where there is no
/// margin.
pub(super) fn fill_rows(
    layout: &Layout,
    leaf: &Leaf,
    points: &[[f32; 4]],
    margin: Option<f32>,
    rows: &mut [BoxBlock<1>],
) {
    let corners = &layout.corners[indices(&leaf.triangles)];
    for (corners, row) in corners.chunks(WIDTH).zip(rows) {
        if corners.len() < WIDTH {
            *row = BoxBlock::EMPTY;
        }
        for (lane, corners) in corners.iter().enumerate() {
            let bounds = match margin {
                Some(margin) => Bounds::of_triangle(corners.map(|point| &points[point as usize])).widened(margin),
                None => EVERYTHING,
            };
            row.set(lane, &sides_of(&bounds));
        }
    }
}

/// A leaf's triangles, and the first one's place among all.
#[derive(Clone, Copy)]
pub(super) struct LeafRows<'a> {
    pub(super) boxes: LeafBlocks<'a, 1>,
    pub(super) first: u32,
}

/// Finds the pairs of triangles of two leaves whose boxes are no more than a distance apart.
pub(super) struct Meeting<'a> {
    pub(super) a: LeafRows<'a>,
    pub(super) b: LeafRows<'a>,
    pub(super) distance: f32,
    /// Places of triangles of `a` and `b`.
    pub(super) found: &'a mut Vec<(u32, u32)>,
}

impl Kernel for Meeting<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        let Self { a, b, distance, found } = self;
        near_pairs(
            machine,
            (a.boxes, b.boxes),
            distance,
            |_, _| !0,
            |p, q| {
                found.push((a.first + p as u32, b.first + q as u32));
            },
        );
    }
}

/// A box moved outward by a distance, and by no less.
#[inline(always)]
pub(super) fn grown(bounds: &Bounds, distance: f32) -> Bounds {
    if distance > 0.0 { Bounds(bounds.0.map(|side| (side - distance).next_down())) } else { *bounds }
}
