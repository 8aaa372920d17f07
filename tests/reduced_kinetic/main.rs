//! Bounded bodies in the kinetic engine: events, separation lists and contacts from bounds that come from few parameters. Lists are
//! Definition 2 (by the audit, which makes all boxes again), contacts are those of brute force.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reduced_skins/mod.rs"]
mod reduced_skins;
#[path = "../reduced_support/mod.rs"]
mod reduced_support;

mod bodies;
mod changes;
mod counts;
mod intervals;
mod liars;
mod mixtures;
mod over_time;
