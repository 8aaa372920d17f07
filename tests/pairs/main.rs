//! Pairs of leaves per interval against brute force over the leaf boxes of positions.

#[path = "../common/mod.rs"]
mod common;

mod by_hand;
mod contacts;
mod windows;
