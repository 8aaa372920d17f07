//! Clips computed ahead of time: the events of a kinetic tree over a whole clip as a compact table
//! that can be stored as bytes ([`BakedClip`]), and its replay ([`BakedTree`]).

pub mod clip;
mod clip_tree;
mod envelope;

pub use clip::{BakeError, BakeFormat, BakedClip, BakedTree};
