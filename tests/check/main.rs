//! The check of a clip: spans, threads, interruption, long clips, and the world it leaves.
#![cfg(feature = "io")]

#[path = "../check_support/mod.rs"]
mod check_support;
#[path = "../io_support/mod.rs"]
mod io_support;

mod again;
mod cancel;
mod handed_over;
mod idle_trees;
mod jobs;
mod long;
mod parts;
mod run;
