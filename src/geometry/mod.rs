//! Geometry of contacts: where triangles cross, how deep bodies penetrate, how far they are apart.
//!
//! | question | function |
//! |---|---|
//! | where two triangles cross | [`crossing`] |
//! | whether a point is inside, how far it is from a surface | [`Surface`] |
//! | how two bodies cross in given triangles: depth, length, area, box | [`measure`] |
//! | the same of a body with itself, without depth | [`measure_self`] |
//! | connected regions of touching triangles: points, normals, depth, area | [`manifolds`] |
//! | when a crossing of moving bodies is worst | [`deepest_time`] |
//! | how two bodies cross as a whole, or how far they are apart | [`separation`] |
//!
//! Contact itself is decided by exact predicates. Coordinates, lengths, areas and distances are
//! rounded, with stated bounds of the error. Definitions: docs/design/contact-geometry.md.

mod closest;
mod crossing;
mod cut_off;
mod deepest;
mod depth;
mod error;
mod extent;
mod flat;
mod inside_area;
mod manifold;
mod measure;
mod pieces;
mod region;
mod resting;
mod separation;
mod sides;
mod surface;
mod winding;

pub use closest::ClosestPoint;
pub(crate) use closest::closest_on_triangle;
pub use crossing::{Crossing, CrossingCorner, CrossingShape, Site, crossing};
pub use deepest::{DeepestTime, deepest_time};
pub use depth::Depth;
pub use error::GeometryError;
pub(crate) use extent::Common;
pub use manifold::{Manifold, ManifoldPoint, PointKind, manifolds, manifolds_self};
pub use measure::{Measure, measure, measure_self};
pub use separation::{Gap, Separation, separation, touching_pairs};
pub use surface::Surface;
