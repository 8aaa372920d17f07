//! Boxes, extents, polynomials.

mod aabb;
mod extent;
mod polynomial;

pub use aabb::Aabb;
pub use extent::{Extent, GapDirection};
pub(crate) use polynomial::{sign_change, turning_points};
