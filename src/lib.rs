//! kinetree: kinetic, event-driven collision detection between bodies whose motion is known.

pub mod certificate;
pub mod event;
pub mod id;
pub mod kds;
pub mod limits;
pub mod math;
pub mod mesh;
pub mod motion;
pub mod narrow;
#[cfg(feature = "io")]
pub mod io;
#[cfg(feature = "scenes")]
pub mod scenes;
pub mod time;
