//! The `kinetree` program: reads a scene, runs a world over it, reports what touches. The only room
//! that prints.
//!
//! Exit statuses are those of `Status`; README.md has them in a table, and `--help` too.

mod args;
mod bake;
mod bench;
mod bounds;
mod check;
mod completions;
mod gate;
mod incidents;
mod info;
mod init;
mod inputs;
mod interrupt;
mod merge;
mod numbers;
mod output;
mod pack;
mod page;
mod progress;
mod render;
mod replay;
mod report;
mod summary;
mod table;
mod when;

use std::process::ExitCode;

use clap::Parser;

use crate::threads;
use args::{Arguments, BakeOptions, CheckOptions, Command, InfoOptions};
use init::InitOptions;
use render::RenderArguments;

/// How the program ends. [`args::STATUSES`] tells users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Status {
    Answered = 0,
    /// What `--fail-on` names was found, or a replay differs.
    Found = 1,
    /// Bad usage or bad input.
    Input = 2,
    /// `--fail-on` names what was looked for nowhere, or what no incident has.
    NothingTested = 3,
    /// Results could not be written.
    Output = 4,
    /// Ctrl-C: 128 and the number of SIGINT, which is what shells show of other programs then.
    Interrupted = 130,
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
    threads::alone(run_alone)
}

/// Runs the program; it makes the threads it was told to have.
fn run_alone() -> ExitCode {
    completions::choose_colors(std::env::args_os());
    let outcome = match Arguments::try_parse() {
        Ok(arguments) => match &arguments.command {
            Command::Check(CheckOptions { source, fail_on, .. }) if source.lists_clips() && !fail_on.is_empty() => {
                let reason = "--clip without a name lists the clips and tests nothing";
                Err(Failure::Input(format!("--fail-on: {reason}; name a clip, or leave out --fail-on")))
            }
            Command::Check(CheckOptions { source, .. })
            | Command::Bake(BakeOptions { source, .. })
            | Command::Info(InfoOptions { source, .. })
            | Command::Init(InitOptions { source, .. })
            | Command::Render(RenderArguments { source, .. })
                if source.lists_clips() =>
            {
                source.list_clips()
            }
            Command::Check(options) => check::check(options),
            Command::Merge(options) => merge::merge(options),
            Command::Bake(options) => bake::bake(options),
            Command::Bench(options) => bench::bench(options),
            Command::Info(options) => info::info(options),
            Command::Init(options) => init::init(options),
            Command::Render(options) => render::render(options),
            Command::Pack(options) => pack::pack(options),
            Command::Replay(options) => replay::replay(options),
            Command::Completions(options) => completions::completions(options),
            Command::Man(options) => completions::man(options),
        },
        Err(refused) if refused.use_stderr() => {
            output::warn(&inputs::with_remedy(refused).render().ansi().to_string());
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
