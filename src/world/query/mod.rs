//! Queries: contacts, boxes and rays, single bodies, candidates for the host's own narrow phase;
//! counters and audit.

mod audit;
mod body;
pub(crate) mod boxes_and_rays;
mod contacts;
pub(crate) mod hosted;
pub(crate) mod next;
pub(crate) mod snapshot;
mod stats;
