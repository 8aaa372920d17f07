//! `kinetree replay`: runs a recording again, and tells where it differs.

use std::fs;

use super::args::ReplayOptions;
use super::output::{say, unread};
use super::{Failure, Status};
use crate::replay::{Recording, RecordingError, Replayed};

pub(super) fn replay(options: &ReplayOptions) -> Result<Status, Failure> {
    let name = options.file.display();
    let bytes = fs::read(&options.file).map_err(|error| {
        let remedy = "give a recording, which a `RecordingWorld` of the library writes";
        Failure::Input(format!("cannot read {}", unread(&options.file, &error, remedy)))
    })?;
    let read = if options.unfinished { Recording::from_unfinished(&bytes) } else { Recording::from_bytes(&bytes) };
    let recording = read.map_err(|error| refused(&error, &name))?;
    if options.list {
        return list(&recording);
    }
    let count = options.calls.unwrap_or(usize::MAX);
    let replayed = recording.replay_first(count).map_err(|error| refused(&error, &name))?;
    say(&summary(&recording, &replayed))?;
    match replayed.divergence {
        None => Ok(Status::Answered),
        Some(divergence) => {
            say(&format!("differs from the recording: {divergence}\n"))?;
            Ok(Status::Found)
        }
    }
}

/// The message of a recording that was not read, with its file.
fn refused(error: &RecordingError, name: &impl std::fmt::Display) -> Failure {
    let hint = match error {
        RecordingError::Unfinished { .. } | RecordingError::Truncated { .. } => {
            "; --unfinished runs the calls that are whole"
        }
        _ => "",
    };
    Failure::Input(format!("{name}: {error}{hint}"))
}

/// The calls, one a line.
fn list(recording: &Recording) -> Result<Status, Failure> {
    let lines = recording.calls().enumerate().map(|(number, call)| format!("{number} {call}\n"));
    say(&lines.collect::<String>()).map(|()| Status::Answered)
}

fn summary(recording: &Recording, replayed: &Replayed) -> String {
    let world = &replayed.world;
    let all = recording.calls().len();
    let unfinished = if recording.is_finished() { "" } else { ", not finished" };
    format!(
        "recorded by kinetree {}{unfinished}\n{} of {all} calls, to {} s: {} bodies, {} contacts, {} events, log {:016x}\n",
        recording.program(),
        replayed.calls,
        world.time(),
        world.bodies().count(),
        world.contacts().len(),
        world.log().count(),
        world.log().hash(),
    )
}
