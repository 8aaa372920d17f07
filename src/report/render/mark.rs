//! Marks of highlighted triangles: those behind others are drawn through in stripes, and all have a
//! dark border, which also shows triangles smaller than a pixel.

use super::image::Image;
use super::palette::{HALO, HIGHLIGHT};
use super::raster::NONE;

/// How strong a hidden highlighted triangle is drawn, on stripes and between them.
const STRIPES: [f32; 2] = [0.85, 0.22];

/// Per pixel: samples that see a highlighted triangle, samples with one behind other triangles,
/// and the face in its middle.
pub(super) struct Marks {
    width: usize,
    height: usize,
    samples: usize,
    seen: Vec<u8>,
    hidden: Vec<u8>,
    faces: Vec<u32>,
}

impl Marks {
    pub(super) fn new(width: usize, height: usize, samples: usize) -> Self {
        Self { width, height, samples, seen: Vec::new(), hidden: Vec::new(), faces: Vec::new() }
    }

    /// Appends rows.
    pub(super) fn extend(&mut self, seen: &[u8], hidden: &[u8], faces: &[u32]) {
        self.seen.extend(seen);
        self.hidden.extend(hidden);
        self.faces.extend(faces);
    }

    /// Faces in the middles of the pixels, row by row.
    pub(super) fn faces(&self) -> &[u32] {
        &self.faces
    }

    /// Samples that see a highlighted triangle.
    pub(super) fn seen(&self) -> usize {
        self.seen.iter().map(|&count| count as usize).sum()
    }

    /// Pixels of a rectangle in which something is seen.
    pub(super) fn occupied(&self, [left, top]: [usize; 2], size: [usize; 2]) -> usize {
        let rows = top..(top + size[1]).min(self.height);
        let columns = left..(left + size[0]).min(self.width);
        rows.flat_map(|y| columns.clone().map(move |x| (x, y)))
            .filter(|&(x, y)| self.faces[y * self.width + x] != NONE)
            .count()
    }

    /// Draws the marks over a picture.
    pub(super) fn draw(&self, image: &mut Image, with_hidden: bool) {
        let all = (self.samples * self.samples) as f32;
        let period = (self.height / 110).max(4);
        let mut border = vec![0.0_f32; self.width * self.height];
        let radius = (self.height as f32 / 420.0).clamp(1.0, 4.0);
        for y in 0..self.height {
            for x in 0..self.width {
                let place = y * self.width + x;
                let hidden = f32::from(self.hidden[place]) / all;
                if with_hidden && hidden > 0.0 {
                    let stripe = STRIPES[usize::from((x + y) % period >= period.div_ceil(2))];
                    image.mix(x, y, HIGHLIGHT, hidden.min(1.0) * stripe);
                }
                if self.seen[place] > 0 && self.is_at_border(x, y) {
                    self.widen(&mut border, [x, y], radius);
                }
            }
        }
        for (place, &share) in border.iter().enumerate() {
            let seen = (f32::from(self.seen[place]) / all).min(1.0);
            if share > 0.0 && seen < 1.0 {
                image.mix(place % self.width, place / self.width, HALO, share * (1.0 - seen));
            }
        }
    }

    fn is_at_border(&self, x: usize, y: usize) -> bool {
        let seen = |x: usize, y: usize| self.seen[y * self.width + x] > 0;
        let is_inner = x > 0 && y > 0 && x + 1 < self.width && y + 1 < self.height;
        !(is_inner && seen(x - 1, y) && seen(x + 1, y) && seen(x, y - 1) && seen(x, y + 1))
    }

    /// Raises the border around a pixel.
    fn widen(&self, border: &mut [f32], [x, y]: [usize; 2], radius: f32) {
        let reach = radius.ceil() as usize + 1;
        for row in y.saturating_sub(reach)..=(y + reach).min(self.height - 1) {
            for column in x.saturating_sub(reach)..=(x + reach).min(self.width - 1) {
                let distance = libm::hypotf(row.abs_diff(y) as f32, column.abs_diff(x) as f32);
                let place = &mut border[row * self.width + column];
                *place = place.max((radius + 0.5 - distance).clamp(0.0, 1.0));
            }
        }
    }
}
