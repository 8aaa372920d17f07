//! Reduced bodies: bounds of their models and queries of their poses.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reduced_skins/mod.rs"]
mod reduced_skins;
#[path = "../reduced_support/mod.rs"]
mod reduced_support;
#[allow(dead_code, reason = "the half for streams is not used here")]
#[path = "../reduced_stream/truth.rs"]
mod truth;

mod bounds;
mod bounds_combination;
mod bounds_lanes;
mod bounds_pair;
mod bounds_spherical;
mod occlusion;
mod pair_portions;
mod pose_queries;
mod posed_spherical;
mod radial;
#[cfg(feature = "io")]
mod spherical_models;
