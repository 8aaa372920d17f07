//! Scenes of glTF characters and cloth: reduced bodies against brute force over an independent
//! evaluation of the skins.

#![cfg(feature = "cli")]

mod agreement;
#[path = "../gltf/build.rs"]
#[allow(dead_code, reason = "the reader's tests use all of it")]
mod build;
mod clips;
mod input;
#[path = "../io_support/mod.rs"]
mod io_support;
#[path = "../program/mod.rs"]
mod program;
#[path = "../gltf/reference.rs"]
#[allow(dead_code, reason = "the reader's tests use all of it")]
mod reference;
mod spherical;
#[path = "../spherical_oracle/mod.rs"]
mod spherical_oracle;
mod stored;
mod tentacle;
mod truth;
