//! kinetree: kinetic, event-driven collision detection between bodies whose motion is known.

#[cfg(feature = "io")]
pub mod io;
pub mod narrow;
#[cfg(feature = "scenes")]
pub mod scenes;
