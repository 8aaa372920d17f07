//! Marks of highlighted triangles: those behind others are drawn through in stripes, and all have a
//! dark border, which also shows triangles smaller than a pixel.

use super::image::Image;
use super::palette::HALO;
use super::words::stroke;

/// Rings in a picture, at most: with more the highlights are seen without.
const MOST_RINGS: usize = 8;
/// Radius of a ring over the picture's height, at most.
const LARGEST_RING: f64 = 0.12;
/// Cells in a column of the picture; marks in neighbouring cells have one ring.
const CELLS: usize = 30;

/// How strong a hidden highlighted triangle is drawn, on stripes and between them.
const STRIPES: [f32; 2] = [0.85, 0.22];

/// Per pixel: samples that see a highlighted triangle; samples with one behind other triangles, and
/// its colour; the face in the pixel's middle.
pub(super) struct Marks {
    width: usize,
    height: usize,
    samples: usize,
    seen: Vec<u8>,
    hidden: Vec<u8>,
    through: Vec<[u8; 3]>,
    faces: Vec<u32>,
}

impl Marks {
    pub(super) fn new(width: usize, height: usize, samples: usize) -> Self {
        let (seen, hidden, through, faces) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { width, height, samples, seen, hidden, through, faces }
    }

    /// Appends rows.
    pub(super) fn extend(&mut self, seen: Vec<u8>, hidden: Vec<u8>, through: Vec<[u8; 3]>, faces: Vec<u32>) {
        self.seen.extend(seen);
        self.hidden.extend(hidden);
        self.through.extend(through);
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
                    image.mix(x, y, self.through[place], hidden.min(1.0) * stripe);
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

    /// Draws rings around groups of marks, if there are few groups and all are small.
    pub(super) fn rings(&self, image: &mut Image) {
        let cell = (self.height / CELLS).max(1);
        let (height, half) = (self.height as f64, (self.height as f64 / 500.0).max(0.6));
        let circle = |[low, high]: [[usize; 2]; 2]| {
            let middle = [0, 1].map(|axis| 0.5 * (low[axis] + high[axis] + 1) as f64);
            let size = libm::hypot((high[0] - low[0]) as f64, (high[1] - low[1]) as f64);
            (middle, 0.5 * size + height / 45.0)
        };
        let circles: Vec<([f64; 2], f64)> = self.groups(cell).into_iter().map(circle).collect();
        if circles.len() > MOST_RINGS || circles.iter().any(|&(_, radius)| radius > LARGEST_RING * height) {
            return;
        }
        for (middle, radius) in circles {
            let at = |step: usize| {
                let angle = core::f64::consts::TAU * step as f64 / 48.0;
                [middle[0] + radius * libm::cos(angle), middle[1] + radius * libm::sin(angle)]
            };
            for (half, colour) in [(2.2 * half, [255; 3]), (half, HALO)] {
                (0..48).for_each(|step| stroke(image, at(step), at(step + 1), half, colour));
            }
        }
    }

    /// Boxes of marks whose cells are neighbours: first and last column and row, in the order of
    /// their first cells.
    fn groups(&self, cell: usize) -> Vec<[[usize; 2]; 2]> {
        let [columns, rows] = [self.width.div_ceil(cell), self.height.div_ceil(cell)];
        let mut boxes: Vec<Option<[[usize; 2]; 2]>> = vec![None; columns * rows];
        for place in (0..self.seen.len()).filter(|&place| self.seen[place] > 0 || self.hidden[place] > 0) {
            let at = [place % self.width, place / self.width];
            let found = &mut boxes[at[1] / cell * columns + at[0] / cell];
            *found = Some(found.map_or([at, at], |[low, high]| {
                [[low[0].min(at[0]), low[1].min(at[1])], [high[0].max(at[0]), high[1].max(at[1])]]
            }));
        }
        let mut groups = Vec::new();
        for first in 0..boxes.len() {
            let Some([mut low, mut high]) = boxes[first].take() else { continue };
            let mut open = vec![first];
            while let Some(place) = open.pop() {
                let (x, y) = (place % columns, place / columns);
                for row in y.saturating_sub(1)..=(y + 1).min(rows - 1) {
                    for column in x.saturating_sub(1)..=(x + 1).min(columns - 1) {
                        if let Some([a, b]) = boxes[row * columns + column].take() {
                            low = [low[0].min(a[0]), low[1].min(a[1])];
                            high = [high[0].max(b[0]), high[1].max(b[1])];
                            open.push(row * columns + column);
                        }
                    }
                }
            }
            groups.push([low, high]);
        }
        groups
    }
}
