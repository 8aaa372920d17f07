//! The batteries of random and adversarial scenes in worlds that mix both kinds of kinetic tree.

#![allow(clippy::duplicate_mod, reason = "every battery brings what it shares with the others")]

#[path = "adversarial.rs"]
mod adversarial;
#[path = "properties.rs"]
mod properties;
