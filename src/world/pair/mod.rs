//! Pairs of bodies: which are watched, and what finds their contacts.

pub(crate) mod broad_phase;
pub(crate) mod continuous_interval;
pub(crate) mod find_contacts;
pub(crate) mod front;
pub(crate) mod interval;
mod prefetch;
