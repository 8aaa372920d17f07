//! Trees of boxes that know nothing of time: shape, construction, relations of leaves, and pairs of
//! boxes.
//!
//! Every structure over a body (kinetic trees, boxes of keyframe intervals, refitted and baked
//! trees, bounds of reduced bodies) is built over a [`Topology`] and answers as a [`Hierarchy`].

mod audit;
mod bounded_sampler;
#[cfg(feature = "record")]
pub(crate) mod boxes_by_host;
pub(crate) mod builders;
mod check_bounds;
mod hierarchy;
pub(crate) mod leaf_filter;
mod shared_vertices;
mod sweep_and_prune;
mod topology;
pub(crate) mod traverse;

pub use audit::{AuditReport, Fault};
pub use bounded_sampler::{BoundedSampler, KeyedBoxes};
pub use builders::{BuildParams, Builder, Width};
pub use check_bounds::check_bounded_sampler;
pub(crate) use hierarchy::tight_boxes;
pub use hierarchy::{Hierarchy, Visits};
pub(crate) use shared_vertices::disjoint_triangles;
pub use shared_vertices::{LeafRelation, SharedVertices};
pub use sweep_and_prune::BoxSweep;
pub use topology::{Node, Reshaped, Topology};
