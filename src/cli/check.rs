//! `kinetree check`: runs a world through the sampled times.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::{CheckOptions, FailOn};
use super::bake::{apply_rules, ignored};
use super::output::{is_standard, keep_apart, say, warn};
use super::report::{CsvReport, JsonReport, NOTHING_TESTED, summary};
use super::table::grouped;
use super::{Failure, Status, load, tell};
use crate::check::{self as checked, CheckError, CheckResult, CheckSample, CheckSettings, Sampling};
use crate::io::{Scene, read_baked_scene};

pub(super) fn check(options: &CheckOptions) -> Result<Status, Failure> {
    let mut scene = load(&options.scene, &options.model)?;
    apply_rules(&options.rules, &mut scene)?;
    if let Some(tree) = options.tree {
        scene.bodies.iter_mut().for_each(|body| body.tree = tree.into());
    }
    let scene = scene;
    for note in &scene.notes {
        tell("note: ", note);
    }
    let settings = settings(options);
    // Files are opened first: a wrong path should not cost the run.
    let results = [("--json", options.json.as_deref()), ("--csv", options.csv.as_deref())];
    let results: Vec<(&str, &Path)> = results.into_iter().filter_map(|(name, path)| Some((name, path?))).collect();
    keep_apart(&results, inputs(&options.scene, &scene).chain(options.baked.as_deref()))?;
    let mut json = options.json.as_deref().map(|path| JsonReport::create(path, &scene)).transpose()?;
    let mut csv = options.csv.as_deref().map(|path| CsvReport::create(path, &scene)).transpose()?;
    let began = Instant::now();
    let bar = progress_bar(options.quiet);
    let mut unwritten = None;
    let write = |sample: &CheckSample<'_>| {
        bar.set_length(sample.count as u64);
        let written = json.as_mut().map_or(Ok(()), |json| json.add(sample)).and_then(|()| match &mut csv {
            Some(csv) => csv.add(sample),
            None => Ok(()),
        });
        bar.inc(1);
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                unwritten = Some(failure);
                ControlFlow::Break(())
            }
        }
    };
    let result = match &options.baked {
        Some(file) => checked::check_baked(&scene, read_baked_scene(file)?, &settings, write),
        None => checked::check(&scene, &settings, write),
    };
    let result = result.map_err(|error| refused(&error, options))?;
    if let Some(failure) = unwritten {
        return Err(failure);
    }
    bar.finish_and_clear();
    let elapsed = began.elapsed();
    if let Some(json) = json {
        json.finish(&result)?;
    }
    if let Some(csv) = csv {
        csv.finish()?;
    }
    if !options.quiet {
        let text = summary(&options.scene, &result, &cost(options, &result, elapsed));
        let is_taken = results.iter().any(|(_, path)| is_standard(path));
        if is_taken { warn(&text) } else { say(&text)? }
    }
    if options.fail_on != Some(FailOn::Contacts) {
        return Ok(Status::Answered);
    }
    if result.tested.is_empty() {
        tell("error: ", &format!("{}: {NOTHING_TESTED}", options.scene.display()));
        return Ok(Status::NothingTested);
    }
    Ok(if result.has_contacts() { Status::Found } else { Status::Answered })
}

/// What the command line asks of a check.
fn settings(options: &CheckOptions) -> CheckSettings {
    CheckSettings {
        engine: options.engine.into(),
        over_time: options.intervals,
        sampling: match (&options.times, options.fps) {
            (Some(times), _) => Sampling::Times(times.clone()),
            (None, Some(fps)) => Sampling::Fps(fps),
            (None, None) => Sampling::Scene,
        },
        ignored: ignored(&options.rules),
        stop_at_first: options.first,
        ..CheckSettings::default()
    }
}

/// The message of a refused check, with the option or the file that is to be changed.
fn refused(error: &CheckError, options: &CheckOptions) -> Failure {
    let scene = || options.scene.display().to_string();
    let place = match error {
        CheckError::NoTimes => {
            let scene = scene();
            let message = "there is no time to look at; give the scene a span, or use --times";
            return Failure::Input(format!("{scene}: {message}"));
        }
        CheckError::NoBakedContacts => {
            let file = options.baked.as_deref().map_or_else(scene, |file| file.display().to_string());
            let message = "contacts over time were left out when it was baked; ask with --intervals=false";
            return Failure::Input(format!("{file}: {message}"));
        }
        CheckError::Fps { .. } | CheckError::TooManySamples { .. } => "--fps".into(),
        CheckError::TimeNotFinite { .. }
        | CheckError::TimeTooLarge { .. }
        | CheckError::TimeOrder { .. }
        | CheckError::OutsideSpan { .. }
        | CheckError::OutsideKeys { .. } => "--times".into(),
        CheckError::Baked(_) => options.baked.as_deref().map_or_else(scene, |file| file.display().to_string()),
        _ => scene(),
    };
    Failure::Input(format!("{place}: {error}"))
}

/// What the run took, in a line.
fn cost(options: &CheckOptions, result: &CheckResult, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    match &options.baked {
        Some(file) => format!("read from {} in {seconds:.2} s", file.display()),
        None => {
            let (events, tests) = (grouped(result.stats.events), grouped(result.triangle_tests));
            format!("{events} events, {tests} triangle tests in {seconds:.2} s")
        }
    }
}

/// The files a scene was read from.
pub(super) fn inputs<'a>(file: &'a Path, scene: &'a Scene) -> impl Iterator<Item = &'a Path> {
    let of_bodies = scene.bodies.iter().flat_map(|body| [Some(&body.mesh_file), body.motion_file.as_ref()]);
    of_bodies.flatten().map(PathBuf::as_path).chain([file])
}

fn progress_bar(quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::no_length();
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} samples, {eta} left") {
        bar.set_style(style);
    }
    bar
}
