//! The program as its users run it, from the crate's folder.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::process::{Command, Output};

/// Runs the program to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_kinetree");
    Command::new(program).current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap()
}

/// What it wrote, as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
