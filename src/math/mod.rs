//! Boxes, extents, polynomials, roundings, vectors.

mod aabb;
mod extent;
mod polynomial;
mod roundings;
pub(crate) mod vector;

pub use aabb::Aabb;
pub use extent::{Extent, GapDirection};
pub(crate) use polynomial::{sign_change, turning_points};
pub(crate) use roundings::{f32_above, f32_above_or_zero, f32_at_least, f32_at_most, two_product, two_sum};
