//! Steps: events up to a time, then contacts at that time.

pub(crate) mod detect;
pub(crate) mod events;
