//! Boxes and extents.

mod aabb;
mod extent;

pub use aabb::Aabb;
pub use extent::{Extent, GapDirection};
