//! Rectangles on a screen that contain a node's vertices, for culling.
//!
//! A screen coordinate is a quotient `x / w` of two affine functions of the position, and
//! `x / w ≤ s` is `x − s w ≤ 0` if `w > 0`: a bound along one direction. From a valid `s`, with
//! `x − s w ≤ b ≤ 0` from that direction's support, `s + b / w` holds for every vertex. So
//! `s + b / max w` is valid too, and smaller. A few such steps come close to the optimum.
//!
//! Follows an open question of Steinemann and Otaduy 2007 ("Efficient bounds for point-based
//! animations", last slide but one).

use super::{BoundTree, Frame, Level};
use crate::limits;
use crate::tuning;

/// A perspective or parallel projection: the rows of x, y and w of a 4 × 4 matrix for column
/// vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The horizontal screen coordinate before division.
    pub x: [f64; 4],
    /// The vertical screen coordinate before division.
    pub y: [f64; 4],
    /// The divisor of both: positive in front of the camera. Parallel projections have 0 0 0 1.
    pub w: [f64; 4],
}

/// A closed rectangle on a screen, in the camera's units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// Smallest coordinates.
    pub min: [f64; 2],
    /// Largest coordinates.
    pub max: [f64; 2],
}

impl Rectangle {
    /// The whole plane of the screen.
    pub const EVERYTHING: Self = Self { min: [f64::NEG_INFINITY; 2], max: [f64::INFINITY; 2] };

    /// Whether the rectangles share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..2).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }
}

impl BoundTree {
    /// A rectangle that contains the image of every vertex of a node, rounded outward;
    /// [`Rectangle::EVERYTHING`] if the node may reach the plane of the camera or lie behind it.
    /// Sides are infinite where rows of the camera are not finite. O(influences).
    pub fn screen_rectangle(&self, node: u32, frame: &Frame, level: Level, camera: &Camera) -> Rectangle {
        let [near, far] = self.affine_extent(node, frame, level, camera.w);
        if !(near > 0.0) {
            return Rectangle::EVERYTHING;
        }
        let mut rectangle = Rectangle::EVERYTHING;
        for (place, row) in [camera.x, camera.y].into_iter().enumerate() {
            let most = |row: [f64; 4]| {
                let over = |numerator: f64| outward(numerator / if numerator > 0.0 { near } else { far });
                let mut bound = over(self.affine_extent(node, frame, level, row)[1]);
                for _ in 0..tuning::SCREEN_BOUND_STEPS {
                    let shifted = std::array::from_fn(|part| row[part] - bound * camera.w[part]);
                    // Bound on the rounding of the difference, per metre.
                    let lost = limits::ROUNDING
                        * (0..4).map(|part| row[part].abs() + (bound * camera.w[part]).abs()).sum::<f64>();
                    let size = 1.0 + self.loads[node as usize] * frame.size;
                    let above = self.affine_extent(node, frame, level, shifted)[1] + lost * size;
                    if above < 0.0 {
                        bound = outward(bound + above / far);
                    }
                }
                if bound.is_nan() { f64::INFINITY } else { bound }
            };
            rectangle.max[place] = most(row);
            rectangle.min[place] = -most(row.map(|x| -x));
        }
        rectangle
    }

    /// Least and largest value of an affine function over a node's vertices, rounded outward.
    fn affine_extent(&self, node: u32, frame: &Frame, level: Level, row: [f64; 4]) -> [f64; 2] {
        let [least, most] = self.support(node, frame, level, [row[0], row[1], row[2]]);
        let lost = limits::ROUNDING * (least.abs() + most.abs() + row[3].abs());
        [least + row[3] - lost, most + row[3] + lost]
    }
}

fn outward(bound: f64) -> f64 {
    bound + bound.abs() * limits::ROUNDING + limits::FLUSH
}
