//! Pictures: what is seen in each pixel, what is marked, files, and the command that makes them.
#![cfg(all(feature = "report", feature = "scenes"))]

#[path = "../common/dice.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod dice;
mod fixture;
mod highlights;
#[path = "../io_support/mod.rs"]
#[allow(unused_imports, reason = "shared with other tests")]
mod io_support;
mod models;
mod moving;
#[cfg(feature = "cli")]
mod program_runs;
mod rays;
mod refusals;
