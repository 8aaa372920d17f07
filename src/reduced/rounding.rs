//! Coordinates as `f32`: positions to the nearest number, boxes outward.

use crate::math::Aabb;

/// Coordinates rounded to the nearest `f32`, metres, as stored keyframes.
pub(super) fn rounded(position: [f64; 3]) -> [f64; 3] {
    position.map(|x| f64::from(x as f32))
}

/// The least `f32` at or above a number.
pub(super) fn rounded_up(x: f64) -> f64 {
    let near = x as f32;
    f64::from(if f64::from(near) < x { near.next_up() } else { near })
}

/// A box with sides rounded outward to `f32`: it holds a rounded point if it held the point, since
/// rounding keeps order.
pub(super) fn rounded_outward(bounds: &Aabb) -> Aabb {
    Aabb { min: bounds.min.map(|x| -rounded_up(-x)), max: bounds.max.map(rounded_up) }
}
