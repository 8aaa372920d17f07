//! Queries: contacts, boxes and rays, single bodies, candidates for the host's own narrow phase;
//! counters and audit.

mod audit;
mod body;
pub(crate) mod boxes_and_rays;
mod contacts;
pub(crate) mod hosted;
mod memory;
pub(crate) mod next;
pub(crate) mod pair;
pub(crate) mod pair_changes;
pub(crate) mod snapshot;
pub(crate) mod spatial;
mod stats;
pub(crate) mod view;
