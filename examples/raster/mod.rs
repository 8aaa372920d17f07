//! A small rasteriser with a depth buffer: what the pictures of this project are drawn with.

use std::fs::File;
use std::io::BufWriter;

use kinetree::world::World;
use nalgebra::{Matrix3, Point3, Vector3};

const WIDTH: usize = 1200;
const HEIGHT: usize = 750;
/// Samples per pixel and axis.
const SAMPLES: usize = 2;

/// Where a picture is seen from.
pub struct Camera {
    eye: Point3<f64>,
    /// Rows: right, down, forward.
    axes: Matrix3<f64>,
    /// Half the picture's height over its distance.
    slope: f64,
}

impl Camera {
    pub fn new(eye: [f64; 3], target: [f64; 3], up: [f64; 3], slope: f64) -> Self {
        let (eye, target) = (Point3::from(eye), Point3::from(target));
        let forward = (target - eye).normalize();
        let right = forward.cross(&Vector3::from(up)).normalize();
        let down = forward.cross(&right);
        Self { eye, axes: Matrix3::from_rows(&[right.transpose(), down.transpose(), forward.transpose()]), slope }
    }

    /// Column, row and depth of a point, in samples and metres.
    fn project(&self, point: [f64; 3]) -> [f64; 3] {
        let seen = self.axes * (Point3::from(point) - self.eye);
        let scale = (HEIGHT * SAMPLES) as f64 / (2.0 * self.slope * seen.z);
        [(WIDTH * SAMPLES) as f64 / 2.0 + seen.x * scale, (HEIGHT * SAMPLES) as f64 / 2.0 + seen.y * scale, seen.z]
    }
}

/// A picture in the making.
pub struct Canvas {
    camera: Camera,
    depth: Vec<f64>,
    colour: Vec<[f64; 3]>,
}

impl Canvas {
    pub fn new(camera: Camera) -> Self {
        let count = WIDTH * HEIGHT * SAMPLES * SAMPLES;
        Self { camera, depth: vec![f64::INFINITY; count], colour: vec![[1.0; 3]; count] }
    }

    /// Draws a triangle, lit from both sides alike; `glow` of its colour needs no light.
    pub fn triangle(&mut self, corners: [[f64; 3]; 3], colour: [f64; 3], light: [f64; 3], glow: f64) {
        let [p, q, r] = corners.map(Point3::from);
        let normal = (q - p).cross(&(r - p));
        if normal.norm() == 0.0 {
            return;
        }
        let shade = 0.35 + 0.65 * normal.normalize().dot(&Vector3::from(light).normalize()).abs();
        let lit = glow + (1.0 - glow) * shade;
        self.fill(corners.map(|corner| self.camera.project(corner)), colour.map(|c| c * lit));
    }

    /// Draws a triangle of a closed surface, seen from its outside only and darker where it faces away from the light.
    pub fn facet(&mut self, corners: [[f64; 3]; 3], colour: [f64; 3], light: [f64; 3]) {
        let [p, q, r] = corners.map(Point3::from);
        let normal = (q - p).cross(&(r - p));
        if normal.norm() == 0.0 || normal.dot(&(self.camera.eye - p)) <= 0.0 {
            return;
        }
        // In steps that the eye does not see, and a file's size does.
        let lit = (64.0 * (0.62 + 0.38 * normal.normalize().dot(&Vector3::from(light).normalize()))).round() / 64.0;
        self.fill(corners.map(|corner| self.camera.project(corner)), colour.map(|c| (c * lit).min(1.0)));
    }

    /// Draws a body where it is now, its touching triangles in red.
    pub fn body(
        &mut self,
        world: &World,
        body: kinetree::BodyId,
        colour: [f64; 3],
        touching: &[bool],
    ) -> Result<(), Box<dyn std::error::Error>> {
        let positions = world.positions(body)?;
        for (triangle, corners) in world.mesh(body)?.triangles().iter().enumerate() {
            let corners = corners.map(|vertex| positions[vertex as usize]);
            let (colour, glow) = if touching[triangle] { ([0.90, 0.12, 0.10], 0.6) } else { (colour, 0.0) };
            self.triangle(corners, colour, [0.3, -0.5, 0.8], glow);
        }
        Ok(())
    }

    /// Fills a triangle where nothing nearer is.
    fn fill(&mut self, corners: [[f64; 3]; 3], colour: [f64; 3]) {
        let (width, height) = (WIDTH * SAMPLES, HEIGHT * SAMPLES);
        let edge = |a: [f64; 3], b: [f64; 3], x: f64, y: f64| (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
        let area = edge(corners[0], corners[1], corners[2][0], corners[2][1]);
        if area == 0.0 || corners.iter().any(|corner| corner[2] <= 0.0) {
            return;
        }
        let range = |axis: usize, limit: usize| {
            let low = corners.iter().map(|c| c[axis]).fold(f64::INFINITY, f64::min).max(0.0) as usize;
            let high = corners.iter().map(|c| c[axis]).fold(0.0, f64::max).min(limit as f64 - 1.0) as usize;
            low..=high
        };
        for row in range(1, height) {
            for column in range(0, width) {
                let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
                let weights = [1, 2, 0].map(|i| edge(corners[i], corners[(i + 1) % 3], x, y) / area);
                if weights.iter().any(|&weight| weight < 0.0) {
                    continue;
                }
                // 1 / depth is linear on the screen.
                let depth = 1.0 / (0..3).map(|i| weights[i] / corners[i][2]).sum::<f64>();
                let place = row * width + column;
                if depth < self.depth[place] {
                    self.depth[place] = depth;
                    self.colour[place] = colour;
                }
            }
        }
    }

    pub fn write(&self, path: &str) -> Result<(), Box<dyn std::error::Error>> {
        let mut pixels = Vec::with_capacity(WIDTH * HEIGHT * 3);
        for row in 0..HEIGHT {
            for column in 0..WIDTH {
                let samples = (0..SAMPLES * SAMPLES).map(|s| {
                    let (y, x) = (row * SAMPLES + s / SAMPLES, column * SAMPLES + s % SAMPLES);
                    self.colour[y * WIDTH * SAMPLES + x]
                });
                let sum = samples.fold([0.0; 3], |sum, c| std::array::from_fn(|i| sum[i] + c[i]));
                pixels.extend(sum.map(|c| (255.0 * c / (SAMPLES * SAMPLES) as f64).round() as u8));
            }
        }
        if let Some(folder) = std::path::Path::new(path).parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), WIDTH as u32, HEIGHT as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        encoder.write_header()?.write_image_data(&pixels)?;
        Ok(())
    }
}
