//! Boxes, extents, polynomials, roundings.

mod aabb;
mod extent;
mod polynomial;
mod roundings;

pub use aabb::Aabb;
pub use extent::{Extent, GapDirection};
pub(crate) use polynomial::{sign_change, turning_points};
pub(crate) use roundings::{two_product, two_sum};
