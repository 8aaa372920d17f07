//! Readers of files and scenes: what they accept, what they refuse and how, and that no input brings them down.
#![cfg(feature = "io")]

#[allow(dead_code, reason = "the reader's tests use all of it")]
#[path = "../gltf/build.rs"]
mod build;
#[path = "../io_support/mod.rs"]
mod io_support;

mod caches;
mod fixtures;
mod inputs;
mod kinds_mutants;
mod labels;
mod mutation;
mod obj;
mod order;
#[cfg(unix)]
mod outside;
mod ply;
mod scene;
mod scene_kinds;
mod scene_refusals;
mod spheres;
mod stl;
