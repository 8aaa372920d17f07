//! Reduced bodies: evaluation against an independent reference, proven deviations against sampled truth, every refusal.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reduced_model_support/mod.rs"]
mod reduced_model_support;

mod bends;
mod bodies;
mod reference;
mod refusals;
mod skinning;
mod spherical;

use reduced_model_support::{Flavour, Scene, distance, quaternion, rounds, scene, vector};
