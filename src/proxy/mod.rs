//! Collision proxies of example-based bodies: a closed mesh packed with spheres that move and change size with the body's poses.
//!
//! | step | by |
//! |---|---|
//! | a mesh is checked, or repaired, to be closed | [`Solid`] |
//! | its signed distances are measured on a grid | [`DistanceField`] |
//! | spheres are packed into it, deepest first | [`PackingDef::pack`] |
//!
//! Metres and seconds; positions `[f64; 3]`. Everything is deterministic: ties are broken by number, and no result depends on
//! threads, hashes or a platform's trigonometry.
//!
//! Follows *A new collision proxy for example-based deformable bodies*, §3 (theory §10).

mod closest;
mod error;
mod field;
mod holes;
mod packing;
mod repair;
mod solid;
mod surface;

pub use error::ProxyError;
pub use field::{DistanceField, Grid, Resolution};
pub use packing::{Packing, PackingDef, PackingEnd, PackingFault, Sphere};
pub use repair::Repair;
pub use solid::{Faults, Solid};
