//! Trees of bodies that are not kinetic, and the mode of each.
//!
//! | file | holds |
//! |---|---|
//! | `discrete` | [`Discrete`](discrete::Discrete): boxes brought up to date at the times asked for |
//! | `mode`, `cost_model` | how they are, and what that costs |
//! | `intervals`, `interval_length` | boxes of keyframe intervals |
//! | `replay` | baked clips |
//! | `on_demand` | boxes made when they are asked for |
//! | `view` | a tree of any kind, and two of them traversed together |
//! | `leaves` | exact tests below leaves |

pub(crate) mod cost_model;
pub(crate) mod discrete;
pub(crate) mod interval_length;
pub(crate) mod intervals;
pub(crate) mod leaves;
pub(crate) mod mode;
pub(crate) mod on_demand;
pub(crate) mod replay;
pub(crate) mod view;
