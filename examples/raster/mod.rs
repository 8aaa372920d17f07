//! Triangles of any colours to a picture, drawn by the library: what the examples share.

use std::collections::BTreeMap;

pub use kinetree::report::render::Camera;
use kinetree::report::render::{Frame, FrameBody, RenderOptions, render};

const WIDTH: usize = 1200;
const HEIGHT: usize = 750;

/// A picture in the making: triangles by colour.
pub struct Canvas {
    camera: Camera,
    bodies: BTreeMap<[u8; 3], FrameBody>,
}

impl Canvas {
    pub fn new(camera: Camera) -> Self {
        Self { camera, bodies: BTreeMap::new() }
    }

    /// Adds a triangle; its colour has parts from 0 to 1.
    pub fn triangle(&mut self, corners: [[f64; 3]; 3], colour: [f64; 3]) {
        let colour = colour.map(|part| (255.0 * part).round() as u8);
        let body = self.bodies.entry(colour).or_default();
        let first = body.positions.len() as u32;
        body.colour = Some(colour);
        body.positions.extend(corners);
        body.triangles.push([first, first + 1, first + 2]);
    }

    /// Draws all triangles into a PNG file.
    pub fn write(self, path: &str) -> Result<(), Box<dyn std::error::Error>> {
        let frame = Frame { bodies: self.bodies.into_values().collect(), ..Frame::default() };
        let mut options = RenderOptions::sized(WIDTH, HEIGHT);
        options.camera = Some(self.camera);
        (options.words, options.ground, options.sides) = (false, false, false);
        if let Some(folder) = std::path::Path::new(path).parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, render(&frame, &options)?.png()?)?;
        Ok(())
    }
}
