//! The kinetic BoxTree: the batteries of random and adversarial scenes with a BoxTree in every body, and what is said of this
//! tree in particular.

#![allow(clippy::duplicate_mod, reason = "every battery brings what it shares with the others")]

#[path = "adversarial.rs"]
mod adversarial;
#[path = "properties.rs"]
mod properties;
