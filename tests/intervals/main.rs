//! Baked clips and interpolated boxes against the kinetic engine and brute force.

#[path = "../common/mod.rs"]
mod common;

mod bake;
mod counts;
mod key_boxes;
mod rival;
mod travel;
mod window;
