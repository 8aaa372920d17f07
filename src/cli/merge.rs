//! `kinetree merge`: joins the parts of a check.

use std::ffi::OsStr;
use std::path::Path;

use super::args::{MergeOptions, ModelOptions};
use super::bake::apply_rules;
use super::gate::{baseline_file, baseline_of};
use super::output::{Output, failed, is_standard, keep_apart, say, unread, warn};
use super::summary::summary;
use super::{Failure, Status, inputs, interrupt};
use crate::check::{self as checked, BaselineChoice, CheckResult, MergeError, ResultFile};
use crate::io::{Input, InputOptions, Scene, read_inputs};

pub(super) fn merge(options: &MergeOptions) -> Result<Status, Failure> {
    refuse_without_scene(options)?;
    let scene = options.scene.iter().map(|word| input(word)).collect::<Result<Vec<Input>, _>>()?;
    keep_apart(&[("--out", &options.out)], options.parts.iter().map(std::path::PathBuf::as_path))?;
    let part = |path: &std::path::PathBuf| {
        let remedy = "give files that `kinetree check --span A..B -o FILE` wrote";
        checked::read_result(path).map_err(|error| Failure::Input(unread(path, &error, remedy)))
    };
    let parts = options.parts.iter().map(part).collect::<Result<Vec<ResultFile>, _>>()?;
    let mut joined = checked::merge(parts).map_err(|error| refused(&error, options))?;
    if let Some(first) = scene.first() {
        let name = first.path.display();
        let mut scene = read(&scene, &options.model, &joined.result)?;
        inputs::refuse_needless(&options.model, first.path.as_path(), &scene.files)?;
        apply_rules(&options.rules, &mut scene)?;
        keep_apart(&[("--out", &options.out)], inputs::files(&scene))?;
        keep_apart(&[("--out", &options.out)], options.baseline.as_deref().and_then(baseline_file))?;
        let baseline = options.baseline.as_deref().map(|path| baseline_of(path, &scene)).transpose()?;
        let baseline = baseline.unwrap_or(BaselineChoice::None);
        joined.add_incidents(&scene, &baseline).map_err(|error| Failure::Input(format!("--scene {name}: {error}")))?;
    }
    interrupt::end_clean();
    let output = Output::create(&options.out)?;
    let name = output.name().to_owned();
    joined.write(output).map_err(|error| failed(&name, &error))?.finish()?;
    if !options.quiet {
        let text = summary(
            &options.out,
            &joined.result,
            options.baseline.is_some(),
            &format!("{} parts joined", options.parts.len()),
        );
        if is_standard(&options.out) { warn(&text) } else { say(&text)? }
    }
    Ok(Status::Answered)
}

/// Refuses options that say how a scene is read, or what counts as contact, where there is none.
fn refuse_without_scene(options: &MergeOptions) -> Result<(), Failure> {
    let (model, rules) = (&options.model, &options.rules);
    let given = [
        ("--clip", model.clip.is_some()),
        ("--tolerance", model.tolerance.is_some()),
        ("--repair", model.repair),
        ("--stored", model.stored),
        ("--allow-outside", model.allow_outside),
    ];
    let of_rules = [
        ("--self", rules.self_contact),
        ("--neighbours", rules.neighbours),
        ("--thickness", rules.thickness.is_some()),
        ("--ignore-rest-contacts", rules.ignore_rest_contacts),
    ];
    let first =
        |options: &[(&'static str, bool)]| options.iter().find(|(_, is_given)| *is_given).map(|(name, _)| *name);
    let message = match (first(&given), first(&of_rules)) {
        _ if !options.scene.is_empty() => return Ok(()),
        (Some(name), _) => format!("{name}: says how --scene is read; give --scene too"),
        (_, Some(name)) => format!("{name}: says what counts as contact in --scene; give --scene too"),
        _ => return Ok(()),
    };
    Err(Failure::Input(message))
}

/// A word of `--scene` as an input.
fn input(word: &OsStr) -> Result<Input, Failure> {
    match word.to_str() {
        Some(word) => word.parse().map_err(Failure::from),
        // What is no text names neither node nor clip.
        None => Ok(Input::new(word)),
    }
}

/// Reads what was checked, at the rate that it was checked at.
fn read(scene: &[Input], model: &ModelOptions, result: &CheckResult) -> Result<Scene, Failure> {
    if let Some(tolerance) = model.tolerance.filter(|tolerance| !(*tolerance > 0.0 && tolerance.is_finite())) {
        return Err(Failure::Input(format!(
            "--tolerance: {tolerance} is not a number of metres above 0; give the one that was checked with"
        )));
    }
    let is_stored = model.stored || !result.bodies.iter().any(|body| body.is_reduced);
    let how = InputOptions::default().at_fps(result.fps).clip(model.clip.clone().flatten()).tolerance(model.tolerance);
    let how = how.repairing(model.repair).allowing_outside(model.allow_outside).storing(is_stored);
    read_inputs(scene, &how).map_err(|error| inputs::refused(&error))
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
