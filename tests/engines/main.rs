//! Worlds whose bodies have different engines, windows in particular: contacts are those of brute force at all times, whatever is
//! mixed, changed or edited.

mod baked;
#[path = "../common/mod.rs"]
mod common;
mod extensions;
mod fields;
mod histories;
mod oracles;
mod streams;
mod windows;
