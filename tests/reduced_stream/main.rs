//! Streamed poses in worlds: contacts equal those of brute force and of an evaluation of their own, bounds are kept.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reduced_skins/mod.rs"]
mod reduced_skins;
#[path = "../reduced_support/mod.rs"]
mod reduced_support;

mod clips;
mod refusals;
mod spherical;
#[path = "../spherical_oracle/mod.rs"]
mod spherical_oracle;
mod truth;
mod worlds;
