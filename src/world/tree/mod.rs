//! Trees of bodies that are not kinetic, and the mode each one is found by.

pub(crate) mod cost_model;
pub(crate) mod discrete;
pub(crate) mod interval_length;
pub(crate) mod intervals;
pub(crate) mod leaves;
pub(crate) mod mode;
pub(crate) mod on_demand;
pub(crate) mod replay;
pub(crate) mod view;
