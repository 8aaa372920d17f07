//! Exact tests between primitives.

pub mod ccd;
mod exact;
pub mod intervals;
