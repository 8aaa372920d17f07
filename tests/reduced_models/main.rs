//! Reduced bodies: evaluation against an independent reference, proven deviations against sampled truth, every refusal.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reduced_support/mod.rs"]
mod reduced_support;

mod bends;
mod bodies;
mod reference;
mod refusals;
mod skinning;
mod spherical;

use reduced_support::{Flavour, Scene, distance, quaternion, rounds, scene, vector};
