//! Triangles of any colours to a picture, drawn by the library, and several pictures to one: what the examples share.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use kinetree::Aabb;
use kinetree::motion::Sphere;
pub use kinetree::report::render::Camera;
use kinetree::report::render::{Frame, FrameBody, Image, RenderOptions, render};
use kinetree::scenes::Mesh;

const WIDTH: usize = 1200;
const HEIGHT: usize = 750;
/// Two tones of a ground, that of shadows on it, and how far shadows lie above it, metres.
const GROUND: [[f64; 3]; 2] = [[0.88; 3], [0.80; 3]];
const SHADOW: [f64; 3] = [0.60; 3];
const ABOVE: f64 = 0.004;
/// Rows of pixels that are cut off.
const BELOW: usize = 12;

/// A picture in the making: triangles by colour.
pub struct Canvas {
    camera: Camera,
    size: [usize; 2],
    label: Vec<String>,
    bodies: BTreeMap<[u8; 3], FrameBody>,
    wires: Vec<([u8; 3], Aabb)>,
}

impl Canvas {
    pub fn new(camera: Camera) -> Self {
        Self::sized(camera, [WIDTH, HEIGHT])
    }

    /// Of this many pixels.
    pub fn sized(camera: Camera, size: [usize; 2]) -> Self {
        Self { camera, size, label: Vec::new(), bodies: BTreeMap::new(), wires: Vec::new() }
    }

    /// Words for the upper left corner.
    pub fn label(&mut self, line: &str) {
        self.label.push(line.into());
    }

    /// Adds a triangle; its colour has parts from 0 to 1.
    pub fn triangle(&mut self, corners: [[f64; 3]; 3], colour: [f64; 3]) {
        let body = self.body(bytes(colour));
        let first = body.positions.len() as u32;
        body.positions.extend(corners);
        body.triangles.push([first, first + 1, first + 2]);
    }

    fn body(&mut self, colour: [u8; 3]) -> &mut FrameBody {
        self.bodies.entry(colour).or_insert_with(|| FrameBody { colour: Some(colour), ..FrameBody::default() })
    }

    /// Adds the edges of a box, somewhat darker than a colour.
    pub fn wires(&mut self, bounds: Aabb, colour: [f64; 3]) {
        self.body(bytes(colour));
        self.wires.push((bytes(colour), bounds));
    }

    /// Adds the side of a sphere that is seen, drawn as `unit`, a ball of radius 1.
    pub fn ball(&mut self, unit: &Mesh, sphere: Sphere, colour: [f64; 3]) {
        let eye = self.camera.eye();
        for corners in &unit.triangles {
            let corners = corners.map(|vertex| {
                let at = unit.positions[vertex as usize].map(f64::from);
                [0, 1, 2].map(|k| sphere.centre[k] + sphere.radius * at[k])
            });
            let toward: f64 = (0..3).map(|k| (corners[0][k] - sphere.centre[k]) * (eye[k] - corners[0][k])).sum();
            // A little of the far side, as corners are not the middles of triangles.
            if toward > -0.3 * sphere.radius * sphere.radius.max(1e-9) {
                self.triangle(corners, colour);
            }
        }
    }

    /// Adds a ground at height 0 of square tiles, metres: from and to along x, from and to along z.
    pub fn ground(&mut self, [left, right, back, front]: [f64; 4], tile: f64) {
        let [columns, rows] = [(right - left) / tile, (front - back) / tile].map(|count| count.round() as usize);
        for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))) {
            let [x, z] = [left + tile * column as f64, back + tile * row as f64];
            let corners = [[x, 0.0, z], [x, 0.0, z + tile], [x + tile, 0.0, z + tile], [x + tile, 0.0, z]];
            let colour = GROUND[(column + row) % 2];
            self.triangle([corners[0], corners[1], corners[2]], colour);
            self.triangle([corners[0], corners[2], corners[3]], colour);
        }
    }

    /// Adds what a triangle darkens of the ground straight below it.
    pub fn shadow(&mut self, corners: [[f64; 3]; 3]) {
        let [a, b, c] = corners.map(|[x, _, z]| [x, ABOVE, z]);
        let is_upward = (c[0] - a[0]) * (b[2] - a[2]) > (b[0] - a[0]) * (c[2] - a[2]);
        self.triangle(if is_upward { [a, b, c] } else { [a, c, b] }, SHADOW);
    }

    /// Draws all triangles.
    pub fn sheet(mut self) -> Result<Sheet, Box<dyn Error>> {
        // A legend without names leaves a mark in the lowest rows.
        self.size[1] += BELOW;
        let mut sheet = Sheet::from(self.image()?);
        sheet.height -= BELOW;
        sheet.pixels.truncate(3 * sheet.width * sheet.height);
        Ok(sheet)
    }

    fn image(self) -> Result<Image, Box<dyn Error>> {
        let mut options = RenderOptions::sized(self.size[0], self.size[1]);
        options.camera = Some(self.camera);
        (options.words, options.ground, options.sides) = (!self.label.is_empty(), false, false);
        let number = |colour: &[u8; 3]| self.bodies.keys().position(|other| other == colour).unwrap_or(0) as u32;
        let boxes = self.wires.iter().map(|(colour, bounds)| (number(colour), *bounds)).collect();
        let frame = Frame { boxes, bodies: self.bodies.into_values().collect(), label: self.label };
        Ok(render(&frame, &options)?)
    }

    /// Draws all triangles into a PNG file.
    pub fn write(self, path: &str) -> Result<(), Box<dyn Error>> {
        if let Some(folder) = Path::new(path).parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, self.image()?.png()?)?;
        Ok(())
    }
}

fn bytes(colour: [f64; 3]) -> [u8; 3] {
    colour.map(|part| (255.0 * part).round() as u8)
}

/// The colour of a surface at a distance from its proxy: grey up to a third of a limit, red from five thirds of it on.
pub fn colour_of_error(error: f64, limit: f64) -> [f64; 3] {
    let share = ((error / limit - 1.0 / 3.0) * 0.75).clamp(0.0, 1.0);
    [0, 1, 2].map(|k| [0.86, 0.88, 0.90][k] * (1.0 - share) + [0.92, 0.08, 0.06][k] * share)
}

/// Pixels of three bytes, row by row.
#[derive(Clone)]
pub struct Sheet {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl From<Image> for Sheet {
    fn from(image: Image) -> Self {
        Self { width: image.width(), height: image.height(), pixels: image.pixels().to_vec() }
    }
}

impl Sheet {
    /// Two pictures of one size, each seen through the other; `share` is that of the second.
    #[must_use]
    pub fn mixed(&self, other: &Self, share: f64) -> Self {
        let mix = |(&a, &b): (&u8, &u8)| (f64::from(a) * (1.0 - share) + f64::from(b) * share).round() as u8;
        Self { pixels: self.pixels.iter().zip(&other.pixels).map(mix).collect(), ..*self }
    }

    /// Rows of pictures, each row of as many and all of one size, with white between them.
    pub fn table(rows: &[Vec<Self>]) -> Self {
        const BETWEEN: usize = 6;
        let [width, height] = [rows[0][0].width, rows[0][0].height];
        let all = [rows[0].len() * (width + BETWEEN) - BETWEEN, rows.len() * (height + BETWEEN) - BETWEEN];
        let mut pixels = vec![255; 3 * all[0] * all[1]];
        for (row, pictures) in rows.iter().enumerate() {
            for (column, picture) in pictures.iter().enumerate() {
                for y in 0..height {
                    let at = 3 * ((row * (height + BETWEEN) + y) * all[0] + column * (width + BETWEEN));
                    pixels[at..at + 3 * width].copy_from_slice(&picture.pixels[3 * y * width..3 * (y + 1) * width]);
                }
            }
        }
        Self { width: all[0], height: all[1], pixels }
    }

    /// Writes a PNG file. Colours are rounded to 32 steps of each part, which halves the file.
    pub fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let rounded: Vec<u8> =
            self.pixels.iter().map(|&byte| (((u32::from(byte) * 31 + 127) / 255) * 255 / 31) as u8).collect();
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = std::io::BufWriter::new(std::fs::File::create(path)?);
        let mut encoder = png::Encoder::new(file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&rounded)?;
        writer.finish()?;
        Ok(())
    }
}
