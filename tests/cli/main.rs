//! The program as a user runs it: each command, its output, files, exit statuses and messages.
#![cfg(feature = "cli")]

#[allow(dead_code, reason = "the reader's tests use all of it")]
#[path = "../gltf/build.rs"]
mod build;
#[path = "../io_support/mod.rs"]
mod io_support;
#[path = "../program/mod.rs"]
mod program;

mod baked_scenes;
mod bench;
mod check;
mod check_parts;
mod contacts_schema;
mod gates;
mod gltf;
mod incidents;
mod inputs;
mod intervals;
mod output;
mod pack;
mod pack_cache;
mod pack_compound;
mod pack_joints;
mod pack_wrap;
mod remedies;
mod replay;
mod report;
