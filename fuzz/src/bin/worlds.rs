//! Worlds of every engine and mode under calls that bytes choose; see `tests/fuzz`.

#![no_main]

#[path = "../../../tests/fuzz/changes.rs"]
mod changes;
#[path = "../../../tests/fuzz/exact.rs"]
mod exact;
#[path = "../../../tests/fuzz/model.rs"]
mod model;
#[path = "../../../tests/fuzz/motion.rs"]
mod motion;
#[path = "../../../tests/fuzz/questions.rs"]
mod questions;
#[path = "../../../tests/fuzz/reduced.rs"]
mod reduced;
#[path = "../../../tests/fuzz/scene.rs"]
mod scene;
#[path = "../../../tests/fuzz/source.rs"]
mod source;
#[path = "../../../tests/fuzz/stopped.rs"]
mod stopped;
#[path = "../../../tests/fuzz/worlds.rs"]
mod worlds;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    worlds::run(bytes);
});
