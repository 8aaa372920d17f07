//! Pixels, and PNG files of them.

use super::RenderError;

/// A picture: rows from top to bottom, three bytes (red, green, blue) a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Image {
    /// A picture of one colour.
    #[cfg(test)]
    pub(super) fn filled(width: usize, height: usize, colour: [u8; 3]) -> Self {
        Self { width, height, pixels: colour.repeat(width * height) }
    }

    /// Of rows that fill the picture.
    pub(super) fn of_rows(width: usize, height: usize, pixels: Vec<u8>) -> Self {
        debug_assert_eq!(pixels.len(), 3 * width * height);
        Self { width, height, pixels }
    }

    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// All pixels, row by row, three bytes each.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Red, green and blue of a pixel, from the upper left; white outside the picture.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        if x >= self.width || y >= self.height {
            return [255; 3];
        }
        let at = 3 * (y * self.width + x);
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    /// Mixes a share of a colour into a pixel; outside the picture nothing happens.
    pub(super) fn mix(&mut self, x: usize, y: usize, colour: [u8; 3], share: f32) {
        if x < self.width && y < self.height {
            let at = 3 * (y * self.width + x);
            for (byte, new) in self.pixels[at..at + 3].iter_mut().zip(colour) {
                *byte = (f32::from(*byte) + share * (f32::from(new) - f32::from(*byte)) + 0.5) as u8;
            }
        }
    }

    /// Mixes a share of a colour into a rectangle, as far as it is inside.
    pub(super) fn fill(&mut self, [left, top]: [usize; 2], [width, height]: [usize; 2], colour: [u8; 3], share: f32) {
        for y in top..top.saturating_add(height).min(self.height) {
            for x in left..left.saturating_add(width).min(self.width) {
                self.mix(x, y, colour, share);
            }
        }
    }

    /// Draws the border of a rectangle, `thickness` pixels inward.
    pub(super) fn outline(&mut self, corner: [usize; 2], size: [usize; 2], thickness: usize, colour: [u8; 3]) {
        let [left, top] = corner;
        let [width, height] = size;
        let thickness = thickness.min(width).min(height);
        self.fill(corner, [width, thickness], colour, 1.0);
        self.fill([left, top + height - thickness], [width, thickness], colour, 1.0);
        self.fill(corner, [thickness, height], colour, 1.0);
        self.fill([left + width - thickness, top], [thickness, height], colour, 1.0);
    }

    /// Copies a picture into this one, with its upper left corner at a pixel.
    pub(super) fn paste(&mut self, other: &Self, [left, top]: [usize; 2]) {
        for y in 0..other.height.min(self.height.saturating_sub(top)) {
            let count = 3 * other.width.min(self.width.saturating_sub(left));
            let (to, from) = (3 * ((top + y) * self.width + left), 3 * y * other.width);
            self.pixels[to..to + count].copy_from_slice(&other.pixels[from..from + count]);
        }
    }

    /// The bytes of a PNG file. The same picture gives the same bytes.
    ///
    /// # Errors
    /// [`RenderError::Encode`], which no picture is known to cause.
    pub fn png(&self) -> Result<Vec<u8>, RenderError> {
        let failed = |error: png::EncodingError| RenderError::Encode { reason: error.to_string() };
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.pixels).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }
}
