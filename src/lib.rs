//! kinetree: kinetic, event-driven collision detection between bodies whose motion is known.

pub mod narrow;
#[cfg(feature = "io")]
pub mod io;
#[cfg(feature = "scenes")]
pub mod scenes;
