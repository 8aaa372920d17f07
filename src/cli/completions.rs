//! What a package of the program needs besides it: completions, manual pages, a version that names
//! its features; and colours.

use std::ffi::OsString;
use std::sync::LazyLock;

use anstream::ColorChoice;
use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;

use super::args::{Arguments, STATUSES_OF_WRITING};
use super::output::say;
use super::{Failure, Status};

/// Whether output has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorName {
    /// On terminals, unless `NO_COLOR` is set
    Auto,
    /// Also in files and pipes
    Always,
    /// Nowhere
    Never,
}

/// Sets the colours of all output, before the arguments are parsed: refusals of these are coloured
/// too.
pub(super) fn choose_colors(arguments: impl Iterator<Item = OsString>) {
    let words: Vec<String> = arguments.filter_map(|word| word.into_string().ok()).collect();
    let attached = words.iter().filter_map(|word| word.strip_prefix("--color="));
    let following = words.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1].as_str());
    match attached.chain(following).next() {
        Some("always") => ColorChoice::Always.write_global(),
        Some("never") => ColorChoice::Never.write_global(),
        _ => {}
    }
}

/// The version, and the features that the program was built with.
pub(super) fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let features = [
            ("simd", cfg!(feature = "simd")),
            ("rayon", cfg!(feature = "rayon")),
            ("serde", cfg!(feature = "serde")),
            ("record", cfg!(feature = "record")),
            ("io", cfg!(feature = "io")),
            ("report", cfg!(feature = "report")),
            ("scenes", cfg!(feature = "scenes")),
            ("unstable", cfg!(feature = "unstable")),
            ("cli", cfg!(feature = "cli")),
        ];
        let on: Vec<&str> = features.into_iter().filter_map(|(name, is_on)| is_on.then_some(name)).collect();
        let build = if cfg!(debug_assertions) { "debug" } else { "release" };
        let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
        let version = env!("CARGO_PKG_VERSION");
        format!("{version}\nfeatures: {}\nbuild: {build}, {system}, {processor}", on.join(", "))
    });
    &TEXT
}

#[derive(Args)]
#[command(after_help = STATUSES_OF_WRITING)]
pub(super) struct CompletionsOptions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn completions(options: &CompletionsOptions) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), "kinetree", &mut script);
    say(&String::from_utf8_lossy(&script))?;
    Ok(Status::Answered)
}

#[derive(Args)]
#[command(after_help = STATUSES_OF_WRITING)]
pub(super) struct ManOptions {
    /// The command to describe, as `check` [default: the program]
    command: Option<String>,
}

pub(super) fn man(options: &ManOptions) -> Result<Status, Failure> {
    let mut program = Arguments::command();
    program.build();
    let described = match &options.command {
        None => program,
        Some(name) => {
            let names: Vec<String> = program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
            let Some(command) = program.find_subcommand(name) else {
                return Err(Failure::Input(format!("there is no command '{name}'; there are: {}", names.join(", "))));
            };
            command.clone()
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(described).render(&mut page).map_err(|error| Failure::Output(error.to_string()))?;
    say(&String::from_utf8_lossy(&page))?;
    Ok(Status::Answered)
}
