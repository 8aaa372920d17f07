//! The `kinetree` program: reads a scene, runs a world over it, reports what touches. The only room
//! that prints.
//!
//! Exit statuses are those of `Status`; README.md has them in a table, and `--help` too.

mod args;
mod bake;
mod bench;
mod check;
mod info;
mod output;
mod report;
mod table;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command, ModelOptions};

use crate::io::gltf::{GltfOptions, GltfSceneOptions, is_gltf, read_gltf_scene};
use crate::io::{ReadErrorKind, Scene, SceneError, SceneOptions, read_scene_with};

/// How the program ends. [`args::STATUSES`] tells users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Status {
    Answered = 0,
    /// What `--fail-on` names was found.
    Found = 1,
    /// Bad usage or bad input.
    Input = 2,
    /// `--fail-on` names what was looked for nowhere.
    NothingTested = 3,
    /// Results could not be written.
    Output = 4,
    /// The reader of standard output went away: 128 and the number of SIGPIPE, which is what shells
    /// show of other programs then.
    Closed = 141,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// Runs the program with the process's arguments.
pub fn run() -> ExitCode {
    let outcome = match Arguments::try_parse() {
        Ok(arguments) => match arguments.command {
            Command::Check(options) => check::check(&options),
            Command::Bake(options) => bake::bake(&options),
            Command::Bench(options) => bench::bench(&options),
            Command::Info(options) => info::info(&options),
        },
        Err(refused) if refused.use_stderr() => {
            output::warn(&refused.render().ansi().to_string());
            Ok(Status::Input)
        }
        Err(help) => output::say(&help.render().ansi().to_string()).map(|()| Status::Answered),
    };
    let status = outcome.unwrap_or_else(|failure| {
        if failure != Failure::Closed {
            tell("error: ", failure.message());
        }
        failure.status()
    });
    status.into()
}

/// Why the program gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Failure {
    /// Bad usage or bad input, in a sentence.
    Input(String),
    /// Results that could not be written, in a sentence.
    Output(String),
    /// The reader of the output went away: no message, as it is the end of a pipe's usual life.
    Closed,
}

impl Failure {
    /// The sentence for the user; empty where there is nothing to say.
    fn message(&self) -> &str {
        match self {
            Self::Input(message) | Self::Output(message) => message,
            Self::Closed => "",
        }
    }

    fn status(&self) -> Status {
        match self {
            Self::Input(_) => Status::Input,
            Self::Output(_) => Status::Output,
            Self::Closed => Status::Closed,
        }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Input(error.to_string())
    }
}

/// `text` after a bold `head`; the terminal's escape codes are dropped where output is not a
/// terminal.
fn bold(head: &str, text: &str) -> String {
    format!("\u{1b}[1m{head}\u{1b}[0m{text}")
}

/// Tells the user something, on standard error.
fn tell(head: &str, text: &str) {
    output::warn(&format!("{}\n", bold(head, text)));
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
            return Err(Failure::Input(format!(
                "{name}: only for glTF models, and {} is none; leave it out",
                path.display()
            )));
        }
        let how = SceneOptions::default().allowing_outside(options.allow_outside);
        return read_scene_with(path, how).map_err(|error| {
            let is_mistaken = path.extension().is_none_or(|ending| ending != "toml");
            let is_no_toml = matches!(error.kind(), ReadErrorKind::Scene(SceneError::Toml { .. }));
            let advice =
                "; a scene is a TOML file (docs/formats/scene.md) that names meshes and motions, or a glTF model";
            Failure::Input(format!("{error}{}", if is_mistaken && is_no_toml { advice } else { "" }))
        });
    }
    if let Some(tolerance) = options.tolerance.filter(|tolerance| !(*tolerance > 0.0 && tolerance.is_finite())) {
        return Err(Failure::Input(format!(
            "--tolerance: {tolerance} is not a number of metres above 0; give one such as 0.001"
        )));
    }
    let read = if options.repair { GltfOptions::repairing() } else { GltfOptions::default() };
    let how = GltfSceneOptions {
        read: read.allowing_outside(options.allow_outside),
        clip: options.clip.clone(),
        tolerance: options.tolerance,
        ..GltfSceneOptions::default()
    };
    Ok(read_gltf_scene(path, &how)?)
}
