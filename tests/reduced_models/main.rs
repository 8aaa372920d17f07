//! Reduced bodies: evaluation against an independent reference, proven deviations against sampled truth, every refusal.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reduced_skins/mod.rs"]
mod reduced_skins;

mod bends;
mod bodies;
mod driver_check;
mod edges;
mod hosts_drivers;
mod morph_weights;
mod pose_times;
mod reference;
mod refusals;
mod skinning;
mod spherical;

use reduced_skins::{Flavour, Scene, distance, quaternion, rounds, scene, vector};
