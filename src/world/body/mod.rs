//! Bodies: what the world keeps of each.

pub(crate) mod discrete;
pub(crate) mod sleep;
pub(crate) mod snapshot;
