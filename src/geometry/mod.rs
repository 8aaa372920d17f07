//! Geometry of contacts: where triangles cross, how deep bodies penetrate, how far they are apart.

mod crossing;
mod flat;
mod vector;

pub use crossing::{Crossing, CrossingCorner, CrossingShape, Site, crossing};
