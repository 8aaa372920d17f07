//! Exact arithmetic behind the narrow phase: integers, polynomials over a window, and their real roots.
//!
//! Nothing here rounds. The floating-point filters in front of it decide almost every case; what they leave open
//! is settled here, for any finite input.

pub(crate) mod form;
pub(crate) mod grid;
pub(crate) mod integer;
pub(crate) mod ratio;
pub(crate) mod root;
pub(crate) mod small;
