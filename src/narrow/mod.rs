//! Tests between primitives: triangle against triangle at an instant and over time, features over
//! time, rays.
//!
//! Every yes or no is decided from exact signs of orientation determinants; nothing is compared
//! after rounding. Coordinates are metres, any right- or left-handed frame, given as f64 and taken
//! as exact real numbers.
//!
//! # Range
//! Each coordinate must be zero or have a magnitude in [2⁻²⁰⁰, 2¹³⁰]; every finite f32 qualifies,
//! subnormal ones included. Why the signs are exact there: all coordinates are multiples of 2⁻²⁵²,
//! so the differences, their rounding tails, and the products of two or three of them that the
//! predicates form are multiples of 2⁻⁷⁵⁶. Each such quantity, and each rounding error of one, is
//! therefore zero or far above the smallest subnormal 2⁻¹⁰⁷⁴: nothing underflows, and the
//! error-free transformations under `robust` stay error-free. At the other end, sums of triple
//! products stay below 2⁴⁰⁰ and the factor 2²⁷ of the operand splitting does no harm: nothing
//! overflows. Outside this range, and for NaN or infinite coordinates, no function here panics, but
//! the answers mean nothing.

#[cfg(not(feature = "unstable"))]
pub(crate) mod batch;
#[cfg(feature = "unstable")]
pub mod batch;
#[cfg(not(feature = "unstable"))]
pub(crate) mod ccd;
#[cfg(feature = "unstable")]
pub mod ccd;
mod certain;
mod exact;
#[cfg(not(feature = "unstable"))]
pub(crate) mod intervals;
#[cfg(feature = "unstable")]
pub mod intervals;
mod neighbours;
mod paths;
pub(crate) mod pierce;
#[cfg(not(feature = "unstable"))]
pub(crate) mod proximity;
#[cfg(feature = "unstable")]
pub mod proximity;
mod ray;
mod rule;
#[cfg(not(feature = "unstable"))]
pub(crate) mod spheres;
#[cfg(feature = "unstable")]
pub mod spheres;
mod tri_tri;
mod triangle_filter;
mod twice;

pub(crate) use certain::touch_if_certain;
pub(crate) use exact::ratio::compare_with_time;
pub use intervals::{
    ContactInterval, Enclosure, Feature, FirstTouch, IntervalStats, MovingTriangle, contact_intervals, touch_at_time,
};
pub(crate) use neighbours::any_parts;
pub(crate) use paths::{neighbour_paths_touch, paths_touch, paths_within, sphere_touches_paths};
pub(crate) use proximity::closest_on_triangle;
pub use proximity::{first_nearness, proximity_intervals, triangles_within, within_at_time};
pub use ray::ray_hits_triangle;
pub use rule::{ContactRule, EveryPair};
pub(crate) use tri_tri::Cut;
pub use tri_tri::triangles_touch;
pub(crate) use triangle_filter::TriangleFilter;

unstable_use!(self::neighbours::{neighbour_intervals, neighbours_touch, neighbours_touch_at_time});

use robust::{Coord, Coord3D};

pub(crate) type Point = [f64; 3];

/// Two coordinate indices: the coordinate plane onto which a figure is projected.
pub(crate) type Projection = (usize, usize);

const PROJECTIONS: [Projection; 3] = [(0, 1), (1, 2), (2, 0)];

#[inline(always)]
fn sign(value: f64) -> i32 {
    i32::from(value > 0.0) - i32::from(value < 0.0)
}

/// Exact sign of det(a − d, b − d, c − d).
#[inline(always)]
pub(crate) fn volume_sign(a: &Point, b: &Point, c: &Point, d: &Point) -> i32 {
    let coord = |p: &Point| Coord3D { x: p[0], y: p[1], z: p[2] };
    sign(robust::orient3d(coord(a), coord(b), coord(c), coord(d)))
}

/// Exact sign of the area of the projected triangle abc, positive when it turns counter-clockwise.
#[inline(always)]
pub(crate) fn area_sign((i, j): Projection, a: &Point, b: &Point, c: &Point) -> i32 {
    let coord = |p: &Point| Coord { x: p[i], y: p[j] };
    sign(robust::orient2d(coord(a), coord(b), coord(c)))
}

/// A coordinate plane in which the triangle keeps a positive area; `None` if and only if the three
/// points are collinear.
#[inline]
pub(crate) fn faithful_projection(a: &Point, b: &Point, c: &Point) -> Option<Projection> {
    PROJECTIONS.into_iter().find(|&projection| area_sign(projection, a, b, c) != 0)
}
