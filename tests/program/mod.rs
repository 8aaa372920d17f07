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

/// Interrupts the program, as Ctrl-C does, once it has begun to write a file in a folder; what it wrote then.
#[cfg(unix)]
pub(crate) fn interrupted(arguments: &[&str], folder: &std::path::Path) -> Output {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let mut command = Command::new(env!("CARGO_BIN_EXE_kinetree"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let begun = Instant::now();
    let is_written = || {
        let mut files = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        files.any(|file| file.file_name().to_str().unwrap().contains(".part") && file.metadata().unwrap().len() > 0)
    };
    while !is_written() {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is written");
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    child.wait_with_output().unwrap()
}
