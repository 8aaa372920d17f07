//! The `kinetree` program: reads a scene, runs a world over it, reports what touches. The only room that prints.
//!
//! Exit status: 0 when the question was answered, 1 only under `--fail-on`, 2 for bad usage or bad input.

mod args;
mod bake;
mod baked;
mod bench;
mod check;
mod info;
mod intervals;
mod report;
mod table;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command, ModelOptions};

use crate::io::gltf::{GltfOptions, GltfSceneOptions, is_gltf, read_gltf_scene};
use crate::io::{Scene, read_scene};

/// Runs the program with the process's arguments.
pub fn run() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Check(options) => check::check(&options),
        Command::Bake(options) => bake::bake(&options),
        Command::Bench(options) => bench::bench(&options),
        Command::Info(options) => info::info(&options),
    };
    match outcome {
        Ok(status) => status,
        Err(Failure(message)) => {
            anstream::eprintln!("{}", bold("error: ", &message));
            ExitCode::from(2)
        }
    }
}

/// Why the program gave up, in a sentence.
struct Failure(String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// `text` after a bold `head`; the terminal's escape codes are dropped where output is not a terminal.
fn bold(head: &str, text: &str) -> String {
    format!("\u{1b}[1m{head}\u{1b}[0m{text}")
}

/// A scene from a TOML file, or from a glTF model by itself.
fn load(path: &Path, options: &ModelOptions) -> Result<Scene, Failure> {
    if !is_gltf(path) {
        let unused = [
            ("--clip", options.clip.is_some()),
            ("--tolerance", options.tolerance.is_some()),
            ("--repair", options.repair),
        ];
        if let Some((name, _)) = unused.iter().find(|(_, is_given)| *is_given) {
            return Err(Failure(format!("{name}: only for glTF models, and {} is none", path.display())));
        }
        return Ok(read_scene(path)?);
    }
    if let Some(tolerance) = options.tolerance.filter(|tolerance| !(*tolerance > 0.0 && tolerance.is_finite())) {
        return Err(Failure(format!("--tolerance: {tolerance} is not a number of metres above 0")));
    }
    let read = if options.repair { GltfOptions::repairing() } else { GltfOptions::default() };
    let how = GltfSceneOptions {
        read,
        clip: options.clip.clone(),
        tolerance: options.tolerance,
        ..GltfSceneOptions::default()
    };
    Ok(read_gltf_scene(path, &how)?)
}
