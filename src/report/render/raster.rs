//! Visibility: which face is nearest in every sample of a picture.
//!
//! Faces are clipped at a plane before the camera, projected, and filled row by row. A row's first
//! and last column follow from two edges of the face, each computed from its upper end, so faces
//! that share an edge leave no gap and cover no sample twice. The reciprocal of the depth is linear
//! on the picture. The picture is cut into bands of rows that depend on nothing else.

use nalgebra::Vector3;

use super::camera::Camera;

/// The number of no face.
pub(super) const NONE: u32 = u32::MAX;
/// How much nearer lines are drawn than they are, so that surfaces on which they lie do not hide
/// them.
const LINE_LIFT: f64 = 1.0004;

/// A convex polygon on the picture, in samples.
#[derive(Clone, Debug)]
pub(super) struct Polygon {
    pub(super) face: u32,
    /// Whether the second layer takes it too, which nothing hides but others of that layer.
    pub(super) is_highlighted: bool,
    corners: [[f64; 2]; 4],
    count: usize,
    /// The reciprocal of the depth is `plane[0] + plane[1] · column + plane[2] · row`.
    plane: [f64; 3],
    /// Least and greatest reciprocal.
    range: [f64; 2],
}

/// Size of the raster and what it is seen with.
#[derive(Clone, Debug)]
pub(super) struct Raster<'a> {
    pub(super) camera: &'a Camera,
    /// Samples in a row, and rows of samples.
    pub(super) size: [usize; 2],
    /// Samples over the tangent of the angle to the axis.
    scale: f64,
    near: f64,
}

impl<'a> Raster<'a> {
    /// A raster whose camera sees nothing nearer than `near`, metres.
    pub(super) fn new(camera: &'a Camera, size: [usize; 2], near: f64) -> Self {
        Self { camera, size, scale: size[1] as f64 / (2.0 * camera.slope), near }
    }

    fn place(&self, seen: &Vector3<f64>) -> [f64; 2] {
        [
            0.5 * self.size[0] as f64 + self.scale * seen.x / seen.z,
            0.5 * self.size[1] as f64 + self.scale * seen.y / seen.z,
        ]
    }

    /// The polygon of a triangle; `None` where it is behind the camera or seen from the side.
    pub(super) fn triangle(&self, corners: &[[f64; 3]; 3], face: u32, is_highlighted: bool) -> Option<Polygon> {
        let seen = corners.map(|corner| self.camera.seen(corner));
        let normal = (seen[1] - seen[0]).cross(&(seen[2] - seen[0]));
        let offset = normal.dot(&seen[0]);
        if offset == 0.0 || !offset.is_finite() {
            return None;
        }
        let (clipped, count) = clip(&seen, self.near);
        if count < 3 {
            return None;
        }
        // A direction (x, y, 1) meets the plane at the depth offset / (normal · direction).
        let [x, y] = [normal.x / offset / self.scale, normal.y / offset / self.scale];
        let at_zero = normal.z / offset - x * 0.5 * self.size[0] as f64 - y * 0.5 * self.size[1] as f64;
        Some(self.polygon(&clipped[..count], [at_zero, x, y], face, is_highlighted))
    }

    /// The polygon of a line `width` samples wide, drawn a little nearer than it is.
    pub(super) fn line(&self, ends: &[[f64; 3]; 2], width: f64, face: u32) -> Option<Polygon> {
        let mut seen = ends.map(|end| self.camera.seen(end));
        if seen[0].z < self.near && seen[1].z < self.near {
            return None;
        }
        for end in 0..2 {
            if seen[end].z < self.near {
                seen[end] = cut(&seen[1 - end], &seen[end], self.near);
            }
        }
        let [from, to] = seen.map(|end| self.place(&end));
        let along = [to[0] - from[0], to[1] - from[1]];
        let length = libm::hypot(along[0], along[1]);
        let square = length * length;
        if !(square > 0.0 && square.is_finite()) {
            return None;
        }
        let reciprocals = seen.map(|end| LINE_LIFT / end.z);
        let rise = (reciprocals[1] - reciprocals[0]) / square;
        let plane =
            [reciprocals[0] - rise * (along[0] * from[0] + along[1] * from[1]), rise * along[0], rise * along[1]];
        let aside = [-0.5 * width * along[1] / length, 0.5 * width * along[0] / length];
        let corners = [
            [from[0] + aside[0], from[1] + aside[1]],
            [to[0] + aside[0], to[1] + aside[1]],
            [to[0] - aside[0], to[1] - aside[1]],
            [from[0] - aside[0], from[1] - aside[1]],
        ];
        let range = [reciprocals[0].min(reciprocals[1]), reciprocals[0].max(reciprocals[1])];
        Some(Polygon { face, is_highlighted: false, corners, count: 4, plane, range })
    }

    fn polygon(&self, seen: &[Vector3<f64>], plane: [f64; 3], face: u32, is_highlighted: bool) -> Polygon {
        let mut corners = [[0.0; 2]; 4];
        let mut range = [f64::INFINITY, 0.0_f64];
        for (corner, seen) in corners.iter_mut().zip(seen) {
            *corner = self.place(seen);
            range = [range[0].min(1.0 / seen.z), range[1].max(1.0 / seen.z)];
        }
        Polygon { face, is_highlighted, corners, count: seen.len(), plane, range }
    }
}

/// The part of a triangle that is beyond a depth: at most four corners, and how many they are.
fn clip(seen: &[Vector3<f64>; 3], near: f64) -> ([Vector3<f64>; 4], usize) {
    let mut kept = [Vector3::zeros(); 4];
    let mut count = 0;
    for index in 0..3 {
        let (here, next) = (&seen[index], &seen[(index + 1) % 3]);
        if here.z >= near {
            kept[count] = *here;
            count += 1;
        }
        if (here.z >= near) != (next.z >= near) {
            kept[count] = if here.z >= near { cut(here, next, near) } else { cut(next, here, near) };
            count += 1;
        }
    }
    (kept, count)
}

/// The point of a segment at a depth, computed from its far end.
fn cut(far: &Vector3<f64>, close: &Vector3<f64>, near: f64) -> Vector3<f64> {
    let share = (far.z - near) / (far.z - close.z);
    let mut point = far + (close - far) * share;
    point.z = near;
    point
}

impl Polygon {
    /// First and last row of samples it may cover, counted from 0; `None` if none.
    pub(super) fn rows(&self, height: usize) -> Option<[usize; 2]> {
        let rows = self.corners[..self.count].iter().map(|corner| corner[1]);
        let (low, high) = rows.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
        let first = (low - 0.5).ceil().max(0.0);
        let end = (high - 0.5).ceil().min(height as f64);
        (first < end).then(|| [first as usize, end as usize - 1])
    }

    /// Columns that a row covers, the end excluded.
    fn columns(&self, row: usize, width: usize) -> [usize; 2] {
        let y = row as f64 + 0.5;
        let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
        for index in 0..self.count {
            let (mut upper, mut lower) = (self.corners[index], self.corners[(index + 1) % self.count]);
            if (upper[1], upper[0]) > (lower[1], lower[0]) {
                (upper, lower) = (lower, upper);
            }
            if upper[1] <= y && y < lower[1] {
                let x = upper[0] + (y - upper[1]) * ((lower[0] - upper[0]) / (lower[1] - upper[1]));
                left = left.min(x);
                right = right.max(x);
            }
        }
        let column = |x: f64| (x - 0.5).ceil().clamp(0.0, width as f64) as usize;
        if left < right { [column(left), column(right)] } else { [0, 0] }
    }
}

/// Rows of samples and the nearest face of each.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    width: usize,
    first: usize,
    rows: usize,
    nearness: Vec<f32>,
    faces: Vec<u32>,
}

impl Layer {
    /// `rows` rows from `first` on.
    pub(super) fn new(width: usize, first: usize, rows: usize) -> Self {
        Self { width, first, rows, nearness: vec![0.0; width * rows], faces: vec![NONE; width * rows] }
    }

    /// Draws a polygon; of equally near ones the first stays.
    pub(super) fn draw(&mut self, polygon: &Polygon) {
        let Some([first, last]) = polygon.rows(self.first + self.rows) else { return };
        let [least, most] = polygon.range.map(|x| x as f32);
        let [base, along, down] = polygon.plane;
        for row in first.max(self.first)..=last {
            let [begin, end] = polygon.columns(row, self.width);
            if begin >= end {
                continue;
            }
            let at = (row - self.first) * self.width;
            let start = base + down * (row as f64 + 0.5) + along * 0.5;
            let nearness = &mut self.nearness[at + begin..at + end];
            let faces = &mut self.faces[at + begin..at + end];
            for (step, (nearness, face)) in nearness.iter_mut().zip(faces).enumerate() {
                let near = ((start + along * (begin + step) as f64) as f32).clamp(least, most);
                if near > *nearness {
                    *nearness = near;
                    *face = polygon.face;
                }
            }
        }
    }

    /// The nearest face of a sample; rows counted from the layer's first.
    pub(super) fn face(&self, column: usize, row: usize) -> u32 {
        self.faces[row * self.width + column]
    }

    /// The reciprocal of the depth there; 0 without a face.
    pub(super) fn nearness(&self, column: usize, row: usize) -> f32 {
        self.nearness[row * self.width + column]
    }
}
