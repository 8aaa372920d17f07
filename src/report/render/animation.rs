//! Moving pictures: animated PNG files with at most 255 colours, later frames as differences.

use super::image::Image;
use super::quantise::{BUCKETS, Bucket, bucket, palette};
use super::{MAX_SIDE, RenderError};

/// Most pixels of all pictures of an animation.
pub const MAX_ANIMATED_PIXELS: usize = 1 << 29;
/// The palette's entry for "as before".
const UNCHANGED: u8 = 0;

/// Pictures of one size, shown one after the other without end.
///
/// Holds two bytes a pixel.
#[derive(Clone, Debug)]
pub struct Animation {
    size: [usize; 2],
    /// Seconds that a picture is shown, in thousandths.
    delay: u16,
    buckets: Vec<Bucket>,
    pictures: Vec<Vec<u16>>,
}

impl Animation {
    /// An animation without pictures; `delay` is how long each is shown, in seconds, rounded to
    /// thousandths and at least one of them.
    ///
    /// # Errors
    /// [`RenderError::Delay`] unless it is above 0 and at most 60.
    pub fn new(delay: f64) -> Result<Self, RenderError> {
        if !(delay > 0.0 && delay <= 60.0) {
            return Err(RenderError::Delay { delay });
        }
        let delay = (1000.0 * delay).round().max(1.0) as u16;
        Ok(Self { size: [0; 2], delay, buckets: vec![Bucket::default(); BUCKETS], pictures: Vec::new() })
    }

    /// Pictures so far.
    pub fn len(&self) -> usize {
        self.pictures.len()
    }

    /// Whether there is no picture.
    pub fn is_empty(&self) -> bool {
        self.pictures.is_empty()
    }

    /// Appends a picture.
    ///
    /// # Errors
    /// [`RenderError::Animation`] for another size than that of the first, or more than
    /// [`MAX_ANIMATED_PIXELS`] in all.
    pub fn add(&mut self, image: &Image) -> Result<(), RenderError> {
        let size = [image.width(), image.height()];
        let index = self.pictures.len();
        if index == 0 {
            self.size = size;
        }
        if size != self.size || (index + 1) * size[0] * size[1] > MAX_ANIMATED_PIXELS {
            return Err(RenderError::Animation { index });
        }
        let (pixels, _) = image.pixels().as_chunks::<3>();
        let count = |&colour: &[u8; 3]| {
            let number = bucket(colour);
            self.buckets[number as usize].add(colour);
            number
        };
        self.pictures.push(pixels.iter().map(count).collect());
        Ok(())
    }

    /// The bytes of an animated PNG file. The same pictures give the same bytes.
    ///
    /// # Errors
    /// [`RenderError::Animation`] without pictures.
    pub fn png(&self) -> Result<Vec<u8>, RenderError> {
        let failed = |error: png::EncodingError| RenderError::Encode { reason: error.to_string() };
        let Some(first) = self.pictures.first() else { return Err(RenderError::Animation { index: 0 }) };
        let (colours, entries) = palette(&self.buckets);
        let [width, height] = self.size;
        debug_assert!(width <= MAX_SIDE && height <= MAX_SIDE);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette([&[0; 3], colours.as_flattened()].concat());
        encoder.set_trns(vec![0]);
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(png::Filter::NoFilter);
        encoder.set_animated(self.pictures.len() as u32, 0).map_err(failed)?;
        encoder.set_frame_delay(self.delay, 1000).map_err(failed)?;
        encoder.set_blend_op(png::BlendOp::Over).map_err(failed)?;
        let mut writer = encoder.write_header().map_err(failed)?;
        let entry = |bucket: u16| entries[bucket as usize] + 1;
        let mut shown: Vec<u8> = first.iter().map(|&bucket| entry(bucket)).collect();
        writer.write_image_data(&shown).map_err(failed)?;
        for picture in &self.pictures[1..] {
            let next: Vec<u8> = picture.iter().map(|&bucket| entry(bucket)).collect();
            let ([left, top], [columns, rows]) = difference(&shown, &next, width);
            let mut changed = Vec::with_capacity(columns * rows);
            for row in top..top + rows {
                for place in row * width + left..row * width + left + columns {
                    changed.push(if next[place] == shown[place] { UNCHANGED } else { next[place] });
                }
            }
            // The position first: the crate refuses a rectangle that leaves the picture.
            writer.set_frame_position(0, 0).map_err(failed)?;
            writer.set_frame_dimension(columns as u32, rows as u32).map_err(failed)?;
            writer.set_frame_position(left as u32, top as u32).map_err(failed)?;
            writer.write_image_data(&changed).map_err(failed)?;
            shown = next;
        }
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }
}

/// The rectangle in which two pictures differ: its upper left corner and its size, at least 1 × 1.
fn difference(before: &[u8], after: &[u8], width: usize) -> ([usize; 2], [usize; 2]) {
    let (mut low, mut high) = ([usize::MAX; 2], [0; 2]);
    for (place, _) in before.iter().zip(after).enumerate().filter(|(_, (a, b))| a != b) {
        for (axis, value) in [place % width, place / width].into_iter().enumerate() {
            low[axis] = low[axis].min(value);
            high[axis] = high[axis].max(value);
        }
    }
    if low[0] == usize::MAX { ([0; 2], [1; 2]) } else { (low, [high[0] - low[0] + 1, high[1] - low[1] + 1]) }
}
