//! `kinetree merge`: joins the parts of a check.

use std::path::Path;

use super::args::MergeOptions;
use super::output::{Output, failed, is_standard, keep_apart, say, unread, warn};
use super::summary::summary;
use super::{Failure, Status, inputs};
use crate::check::{self as checked, BaselineChoice, MergeError, ResultFile};
use crate::io::gltf::is_gltf;
use crate::io::{Input, InputOptions, read_inputs};

pub(super) fn merge(options: &MergeOptions) -> Result<Status, Failure> {
    keep_apart(&[("--out", &options.out)], options.parts.iter().map(std::path::PathBuf::as_path))?;
    let read = |path: &std::path::PathBuf| {
        let remedy = "give files that `kinetree check --span A..B -o FILE` wrote";
        checked::read_result(path).map_err(|error| Failure::Input(unread(path, &error, remedy)))
    };
    let parts = options.parts.iter().map(read).collect::<Result<Vec<ResultFile>, _>>()?;
    let mut joined = checked::merge(parts).map_err(|error| refused(&error, options))?;
    if let Some(path) = &options.scene {
        let how = InputOptions::default().at_fps(joined.result.fps.filter(|_| is_gltf(path)));
        let how = how.storing(!joined.result.bodies.iter().any(|body| body.is_reduced));
        let scene = read_inputs(&[Input::new(path)], &how).map_err(|error| inputs::refused(&error))?;
        joined
            .add_incidents(&scene, &BaselineChoice::None)
            .map_err(|error| Failure::Input(format!("--scene {}: {error}", path.display())))?;
    }
    let output = Output::create(&options.out)?;
    let name = output.name().to_owned();
    joined.write(output).map_err(|error| failed(&name, &error))?.finish()?;
    if !options.quiet {
        let text = summary(&options.out, &joined.result, &format!("{} parts joined", options.parts.len()));
        if is_standard(&options.out) { warn(&text) } else { say(&text)? }
    }
    Ok(Status::Answered)
}

/// The message of parts that do not go together, with their files.
fn refused(error: &MergeError, options: &MergeOptions) -> Failure {
    let file = |part: usize| options.parts.get(part).map_or(Path::new("?"), std::path::PathBuf::as_path).display();
    let first = file(0);
    let message = match error {
        MergeError::NoIdentity { part } => {
            format!("{}: it does not say which check it is of; write it again with this version", file(*part))
        }
        MergeError::OtherScene { part, what } => {
            format!("{}: a part of another scene than {first}: {what} differs", file(*part))
        }
        MergeError::OtherSettings { part, what } => {
            format!("{}: made with other settings than {first}: {what}; make it again", file(*part))
        }
        MergeError::Overlap { parts: [one, two], from, to } => {
            let (one, two) = (file(*one), file(*two));
            format!("{one} and {two} both cover {from} s to {to} s; leave one out, or make one of them shorter")
        }
        MergeError::Samples { parts: [one, two], time } => {
            format!("{} and {} do not agree on what touches at {time} s; make them again", file(*one), file(*two))
        }
        other => other.to_string(),
    };
    Failure::Input(message)
}
