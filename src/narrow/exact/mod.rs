//! Exact arithmetic behind the narrow phase: integers, polynomials over a window, and their real
//! roots.
//!
//! Nothing here rounds. The floating-point filters of the narrow phase decide almost every case;
//! the remaining ones are decided here, for any finite input.

pub(crate) mod form;
pub(crate) mod grid;
pub(crate) mod integer;
pub(crate) mod ratio;
pub(crate) mod root;
pub(crate) mod small;
