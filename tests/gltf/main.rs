//! The glTF reader and its bodies: against an independent evaluation, against fixtures made here, against damage.
#![cfg(feature = "io")]

mod build;
mod damage;
mod features;
#[path = "../io_support/mod.rs"]
mod io_support;
mod reference;
mod refusals;
mod samples;
mod scenes;
