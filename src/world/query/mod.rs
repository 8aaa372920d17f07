//! Queries: rays, boxes, other times, candidates for the host, audit.

mod audit;
pub(crate) mod boxes_and_rays;
pub(crate) mod hosted;
mod other_times;
