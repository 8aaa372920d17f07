//! Steps: events up to a time, then contacts at that time.

pub(crate) mod clock;
mod continuous;
mod detect;
mod events;
pub(crate) mod schedule;
pub(crate) mod tree_changed;
mod watch;
