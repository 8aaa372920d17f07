//! kinetree: kinetic, event-driven collision detection between bodies whose motion is known.

pub mod baseline;
pub mod certificate;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod event;
pub mod id;
#[cfg(feature = "io")]
pub mod io;
pub mod kds;
pub mod limits;
pub mod math;
pub mod mesh;
pub mod motion;
pub mod narrow;
#[cfg(feature = "scenes")]
pub mod scenes;
pub mod stats;
pub mod time;
pub mod world;

pub use id::BodyId;
pub use world::World;
