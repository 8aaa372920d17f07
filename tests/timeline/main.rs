//! The window engine against the live engine and brute force.

#[path = "../common/mod.rs"]
mod common;

mod rival;
mod window;
