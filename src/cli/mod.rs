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

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};

/// Runs the program with the process's arguments.
pub fn run() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Check(options) => check::check(&options),
        Command::Bake(options) => bake::bake(&options),
        Command::Bench(options) => bench::bench(&options),
        Command::Info { scene } => info::info(&scene),
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
