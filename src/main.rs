//! The `kinetree` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    kinetree::cli::run()
}
