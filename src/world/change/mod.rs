//! Changes of the world while it runs, all at the clock's time or at a scheduled one.

pub(crate) mod add;
pub(crate) mod edit;
pub(crate) mod ignored;
pub(crate) mod rebuild;
pub(crate) mod schedule;
pub(crate) mod stream;
pub(crate) mod tree_changed;
