//! Debug drawing: what a world knows, as lines, triangles and text.
//!
//! A host implements [`Draw`], whose only required method draws a line, for its own renderer.
//! [`World::draw`](crate::World::draw) draws bodies, contacts, normals, boxes of trees and lists to it. [`Svg`] writes
//! a picture without any renderer.
//!
//! Positions are metres in the frame of the world.
//!
//! ```
//! # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
//! use kinetree::draw::{Colour, Draw, DrawOptions};
//!
//! /// Counts lines; a renderer draws them.
//! struct Counter(usize);
//! impl Draw for Counter {
//!     fn line(&mut self, _from: [f64; 3], _to: [f64; 3], _colour: Colour) {
//!         self.0 += 1;
//!     }
//! }
//!
//! let mut counter = Counter(0);
//! world.draw(&mut counter, &DrawOptions::new().boxes(0));
//! assert_eq!(counter.0, 6 + 2 * 12); // Two triangles, and the boxes of two bodies.
//! # Ok::<(), kinetree::Error>(())
//! ```

mod options;
mod svg;
mod world;

use crate::math::vector::{length, minus};

pub use options::DrawOptions;
pub use svg::Svg;

/// Red, green, blue and opacity, 0 to 255; sRGB, not multiplied by the opacity.
pub type Colour = [u8; 4];

/// A receiver of drawings: a renderer, a log, a picture.
pub trait Draw {
    /// Draws a line, metres.
    fn line(&mut self, from: [f64; 3], to: [f64; 3], colour: Colour);

    /// Draws a filled triangle, metres. Its three edges, unless implemented.
    fn triangle(&mut self, [p, q, r]: [[f64; 3]; 3], colour: Colour) {
        self.line(p, q, colour);
        self.line(q, r, colour);
        self.line(r, p, colour);
    }

    /// Draws an arrow, metres. Three lines, unless implemented; [`Svg`] draws it over all else.
    fn arrow(&mut self, from: [f64; 3], to: [f64; 3], colour: Colour) {
        self.line(from, to, colour);
        for wing in tip(from, to) {
            self.line(to, wing, colour);
        }
    }

    /// Writes a text at a point, metres. Nothing, unless implemented.
    fn text(&mut self, at: [f64; 3], text: &str, colour: Colour) {
        let _ = (at, text, colour);
    }
}

/// The ends of both wings of an arrow's tip, a quarter of the arrow long.
fn tip(from: [f64; 3], to: [f64; 3]) -> [[f64; 3]; 2] {
    let along = minus(&to, &from);
    let steepest = (0..3).max_by(|&x, &y| along[x].abs().total_cmp(&along[y].abs())).unwrap_or(0);
    let mut side = [0.0; 3];
    side[(steepest + 1) % 3] = length(&along) / 8.0;
    [1.0, -1.0].map(|sign| std::array::from_fn(|axis| to[axis] - 0.25 * along[axis] + sign * side[axis]))
}
