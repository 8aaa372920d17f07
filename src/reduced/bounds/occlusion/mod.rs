//! What occluders hide: a picture of depths, and levels of coarser pictures above it.
//!
//! A pixel holds a depth behind which nothing is visible in it: a host's own depths, or those of
//! occluders that cover the whole pixel (`raster`). A pixel of a level holds the farthest depth of
//! four pixels of the level below. A rectangle is hidden if its nearest depth is behind all pixels
//! that it meets, its borders included. The query begins at the level where the rectangle meets at
//! most four pixels, and opens pixels that do not decide. So it finds exactly what the pixels say,
//! and stops at the first pixel that is not in front.
//!
//! Follows Greene, Kass and Miller 1993 ("Hierarchical Z-buffer visibility") for the levels, and
//! Steinemann and Otaduy 2007 for the use of bounds of reduced bodies.

mod raster;

use super::screen::{Camera, Rectangle};
use crate::limits;
use crate::reduced::ReducedError;

pub(super) use raster::Images;

/// What the depth of a point is. Of two depths the greater is farther; a host with reversed depths
/// negates the row and the depths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Depth {
    /// The value of an affine function: of the camera's `w`, the distance from its plane.
    Affine([f64; 4]),
    /// The same divided by the camera's `w`: depths of a projection matrix, by its row of z.
    Divided([f64; 4]),
}

impl Depth {
    fn row(&self) -> &[f64; 4] {
        let (Self::Affine(row) | Self::Divided(row)) = self;
        row
    }
}

/// A picture's camera, the part of the screen that it shows, and its depths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The camera.
    pub camera: Camera,
    /// What the picture shows, in the camera's units. The first row of pixels is at the least y,
    /// the first column at the least x; a host with rows from the top negates the camera's y.
    pub screen: Rectangle,
    /// What the depth of a point is.
    pub depth: Depth,
}

impl View {
    /// A perspective view whose depths are distances from the camera's plane.
    pub fn new(camera: Camera, screen: Rectangle) -> Self {
        Self { camera, screen, depth: Depth::Affine(camera.w) }
    }

    fn check(&self) -> Result<(), ReducedError> {
        let Camera { x, y, w } = &self.camera;
        let Rectangle { min, max } = &self.screen;
        let is_finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let faults = [
            ("camera", [x, y, w].iter().all(|row| is_finite(*row))),
            ("depth", is_finite(self.depth.row())),
            ("screen", is_finite(min) && is_finite(max) && (0..2).all(|axis| min[axis] < max[axis])),
        ];
        let fault = faults.into_iter().find(|(_, is_good)| !is_good);
        fault.map_or(Ok(()), |(what, _)| Err(ReducedError::BadView { what }))
    }
}

/// A picture of depths and its coarser levels, for
/// [`PosedBounds::is_hidden`](super::PosedBounds::is_hidden).
#[derive(Clone, Debug)]
pub struct DepthPyramid {
    view: View,
    /// The picture, then pictures of half the size, up to one pixel.
    levels: Vec<Picture>,
}

/// Depths of a level, row by row.
#[derive(Clone, Debug)]
struct Picture {
    size: [usize; 2],
    depths: Vec<f32>,
}

impl DepthPyramid {
    /// Creates a picture that hides nothing, of some columns and rows.
    ///
    /// # Errors
    /// No pixels or more than can be indexed, a screen without extent, numbers that are not finite.
    pub fn new(view: View, size: [usize; 2]) -> Result<Self, ReducedError> {
        view.check()?;
        if size.contains(&0) {
            return Err(ReducedError::BadView { what: "picture" });
        }
        let count = size[0].saturating_mul(size[1]);
        if count > limits::MAX_INDEX {
            return Err(ReducedError::TooLarge { what: "pixels", count });
        }
        let mut levels = Vec::new();
        let mut size = size;
        loop {
            levels.push(Picture { size, depths: vec![f32::INFINITY; size[0] * size[1]] });
            if size == [1, 1] {
                return Ok(Self { view, levels });
            }
            size = size.map(|side| side.div_ceil(2));
        }
    }

    /// Takes a host's depths, row by row: in a pixel, what is behind its depth is hidden. Infinity
    /// hides nothing. O(pixels).
    ///
    /// Depths that are sampled at the middles of pixels will do for pictures that are sampled in
    /// the same places: no body is found hidden that would draw one of them.
    ///
    /// # Errors
    /// Too few or too many depths, NaN, negative infinity, or a view as refused by
    /// [`DepthPyramid::new`]; the pyramid is unchanged.
    pub fn set_depths(&mut self, view: View, depths: &[f32]) -> Result<(), ReducedError> {
        view.check()?;
        let picture = &mut self.levels[0];
        if depths.len() != picture.depths.len() {
            return Err(ReducedError::DepthCount { expected: picture.depths.len(), found: depths.len() });
        }
        if let Some(bad) = depths.iter().position(|depth| !(*depth > f32::NEG_INFINITY)) {
            let width = picture.size[0];
            return Err(ReducedError::BadDepth { column: bad % width, row: bad / width, value: depths[bad] });
        }
        picture.depths.copy_from_slice(depths);
        self.view = view;
        self.build();
        Ok(())
    }

    /// Draws occluders: triangles of positions in metres, of either orientation. A pixel takes a
    /// depth only if triangles cover it wholly, and then the farthest depth of theirs in the pixel;
    /// of several layers the nearest. O(pixels and triangles in them, sorted).
    ///
    /// Triangles that share an edge cover pixels together, if they are on different sides of it on
    /// the screen. Edges are shared by vertices in the same place. A triangle that reaches the
    /// plane of the camera hides nothing, so large occluders are best divided.
    ///
    /// # Errors
    /// A position that is not usable, a vertex that does not exist, or a view as refused by
    /// [`DepthPyramid::new`]; the pyramid is unchanged.
    pub fn set_occluders(
        &mut self,
        view: View,
        positions: &[[f64; 3]],
        triangles: &[[u32; 3]],
    ) -> Result<(), ReducedError> {
        view.check()?;
        crate::reduced::pose::check_places(positions)?;
        if let Some(&vertex) = triangles.iter().flatten().find(|vertex| **vertex as usize >= positions.len()) {
            return Err(ReducedError::NoSuchVertex { vertex, vertices: positions.len() });
        }
        self.view = view;
        let Picture { size, depths } = &mut self.levels[0];
        depths.fill(f32::INFINITY);
        raster::draw(&view, *size, positions, triangles, depths);
        self.build();
        Ok(())
    }

    /// Computes all levels from the first.
    fn build(&mut self) {
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            let (Some(below), Some(Picture { size: [width, _], depths })) = (below.last(), above.first_mut()) else {
                return;
            };
            let [columns, rows] = below.size;
            for (at, depth) in depths.iter_mut().enumerate() {
                let (column, row) = (2 * (at % *width), 2 * (at / *width));
                *depth = f32::NEG_INFINITY;
                for row in row..rows.min(row + 2) {
                    for column in column..columns.min(column + 2) {
                        *depth = depth.max(below.depths[row * columns + column]);
                    }
                }
            }
        }
    }

    /// The view of the picture.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The number of columns and of rows.
    pub fn size(&self) -> [usize; 2] {
        self.levels[0].size
    }

    /// The depths of the picture, row by row; infinite where nothing is hidden.
    pub fn depths(&self) -> &[f32] {
        &self.levels[0].depths
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.depths.capacity() * size_of::<f32>() + size_of::<Picture>()).sum()
    }

    /// Whether nothing of a rectangle at or behind a depth is visible in the picture: its depth is
    /// behind every pixel that it meets, or it is beside the picture. For a host's own bounds,
    /// which must be rounded outward; `false` for a rectangle that is empty or has NaN.
    pub fn hides(&self, rectangle: &Rectangle, nearest: f64) -> bool {
        let (mut low, mut high) = ([0; 2], [0; 2]);
        let mut is_beside = false;
        for axis in 0..2 {
            let (from, to) = (rectangle.min[axis], rectangle.max[axis]);
            if !(from <= to) {
                return false;
            }
            let count = self.size()[axis];
            let [first, last] = pixels(&self.view.screen, axis, count, from, to);
            is_beside |= last < 0.0 || first > count as f64;
            let within = |place: f64| place.floor().clamp(0.0, (count - 1) as f64) as usize;
            (low[axis], high[axis]) = (within(first), within(last));
        }
        if is_beside {
            return true;
        }
        let is_few = |level: &usize| (0..2).all(|axis| (high[axis] >> level) - (low[axis] >> level) <= 1);
        let level = (0..self.levels.len()).find(is_few).unwrap_or(self.levels.len() - 1);
        self.is_behind(level, low, high, nearest)
    }

    /// Whether a depth is behind all pixels of a level that contain pixels of a range.
    fn is_behind(&self, level: usize, low: [usize; 2], high: [usize; 2], nearest: f64) -> bool {
        let Picture { size: [width, _], depths } = &self.levels[level];
        (low[1] >> level..=high[1] >> level).all(|row| {
            (low[0] >> level..=high[0] >> level).all(|column| {
                if f64::from(depths[row * width + column]) < nearest {
                    return true;
                }
                let Some(below) = level.checked_sub(1) else { return false };
                let first = [column, row].map(|place| place << level);
                let last = first.map(|place| place + (1 << level) - 1);
                let low = [0, 1].map(|axis: usize| low[axis].max(first[axis]));
                let high = [0, 1].map(|axis: usize| high[axis].min(last[axis]));
                self.is_behind(below, low, high, nearest)
            })
        })
    }
}

/// Where coordinates of a screen are among the pixels of an axis, rounded outward.
fn pixels(screen: &Rectangle, axis: usize, count: usize, from: f64, to: f64) -> [f64; 2] {
    let (min, max) = (screen.min[axis], screen.max[axis]);
    let per_unit = count as f64 / (max - min);
    let lost = |at: f64| limits::ROUNDING * (at.abs() + min.abs()) * per_unit;
    [(from - min) * per_unit - lost(from), (to - min) * per_unit + lost(to)]
}
