//! `kinetree check`: runs a world through the sampled times.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use super::args::CheckOptions;
use super::bake::{apply_rules, ignored};
use super::bounds;
use super::gate::{GateFiles, baseline, baseline_file, is_over_time, refuse_engine, refuse_left_out, refuse_samples};
use super::inputs::files;
use super::interrupt::Interrupt;
use super::output::{Output, is_standard, keep_apart, say, spare, warn};
use super::page;
use super::progress::Progress;
use super::report::{CsvReport, IntervalsReport, JsonReport};
use super::summary::summary;
use super::table::{counted, grouped};
use super::when::{SpanArgument, no_frame, reaching};
use super::{Failure, Status, tell};
use crate::check::{
    self as checked, CheckEnding, CheckError, CheckResult, CheckSample, CheckSettings, ResultFile, Reused, Sampling,
};
use crate::io::{Scene, read_baked_scene};
use crate::world::Engine;

pub(super) fn check(options: &CheckOptions) -> Result<Status, Failure> {
    if options.fps.is_some() && options.times.is_some() && options.source.is_scene_file() {
        let message = "--fps and --times: a scene file states its own rate, so these contradict each other; give one";
        return Err(Failure::Input(message.into()));
    }
    refuse_engine(options)?;
    refuse_left_out(options)?;
    // Baked files are of stored keys.
    let mut scene = options.source.load(options.fps, options.quiet, options.baked.is_some())?;
    apply_rules(&options.rules, &mut scene)?;
    if let Some(tree) = options.tree {
        scene.bodies.iter_mut().for_each(|body| body.tree = tree.into());
    }
    let scene = scene;
    for note in &scene.notes {
        tell("note: ", note);
    }
    let mut settings = settings(options, &scene)?;
    refuse_samples(options, &scene)?;
    settings.baseline = baseline(options, &scene)?;
    // Files are opened first: a wrong path should not cost the run.
    page::refuse_unusable(options)?;
    let results = [
        ("--report", options.report.as_deref()),
        ("--json", options.json.as_deref()),
        ("--csv", options.csv.as_deref()),
        ("--csv-intervals", options.csv_intervals.as_deref()),
        ("--incidents-csv", options.incidents_csv.as_deref()),
        ("--junit", options.junit.as_deref()),
    ];
    let results: Vec<(&str, &Path)> = results.into_iter().filter_map(|(name, path)| Some((name, path?))).collect();
    let others = options.baked.as_deref().into_iter().chain(options.baseline.as_deref().and_then(baseline_file));
    keep_apart(&results, files(&scene).chain(others))?;
    // What is reused may be the file that --json replaces.
    let kept: Vec<(&str, &Path)> = results.iter().copied().filter(|(name, _)| *name != "--json").collect();
    spare(&kept, options.reuse.as_deref())?;
    let earlier = options.reuse.as_deref().map_or(Ok(None), earlier)?;
    let gate = GateFiles::create(options)?;
    let mut json = options.json.as_deref().map(|path| JsonReport::create(path, &scene, settings.jobs)).transpose()?;
    let mut csv = options.csv.as_deref().map(|path| CsvReport::create(path, &scene)).transpose()?;
    let fps = if let Sampling::Fps(fps) = settings.sampling { Some(fps) } else { scene.fps };
    let intervals = options.csv_intervals.as_deref().map(|path| IntervalsReport::create(path, &scene, fps));
    let mut intervals = intervals.transpose()?;
    // Without it Ctrl-C ends the program as it always does.
    let interrupt = Interrupt::listen().ok();
    settings.cancel = interrupt.as_ref().map(Interrupt::cancel);
    let page = options.report.as_deref().map(Output::create).transpose()?;
    let began = Instant::now();
    let mut progress = Progress::new(options.quiet);
    let (mut unwritten, mut reused) = (None, None);
    let write = |sample: &CheckSample<'_>| {
        let written = json.as_mut().map_or(Ok(()), |json| json.add(sample));
        let written = written.and_then(|()| csv.as_mut().map_or(Ok(()), |csv| csv.add(sample)));
        let written = written.and_then(|()| intervals.as_mut().map_or(Ok(()), |intervals| intervals.add(sample)));
        progress.sample(sample, &scene);
        match written {
            Ok(()) if interrupt.as_ref().is_some_and(Interrupt::is_pressed) => ControlFlow::Break(()),
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                unwritten = Some(failure);
                ControlFlow::Break(())
            }
        }
    };
    let result = match (&options.baked, &earlier) {
        (Some(file), _) => checked::check_baked(&scene, read_baked_scene(file)?, &settings, write),
        (None, Some(earlier)) => checked::check_again(&scene, &settings, earlier, write).map(|(result, part)| {
            reused = Some(part);
            result
        }),
        (None, None) => checked::check(&scene, &settings, write),
    };
    let result = result.map_err(|error| refused(&error, options, options.fps.or(scene.fps)))?;
    if let Some(failure) = unwritten {
        return Err(failure);
    }
    drop(progress);
    tell_unused(options, &result, reused);
    let elapsed = began.elapsed();
    if let Some(json) = json {
        json.finish(&result)?;
    }
    if let Some(csv) = csv {
        csv.finish()?;
    }
    if let Some(intervals) = intervals {
        intervals.finish(&result)?;
    }
    if let Some(page) = page {
        page::write(page, options, &scene, &result)?;
    }
    if !options.quiet {
        let text = summary(
            &options.source.heading(&scene),
            &result,
            options.baseline.is_some(),
            &cost(options, &result, reused, elapsed),
        );
        let is_taken = results.iter().any(|(_, path)| is_standard(path));
        if is_taken { warn(&text) } else { say(&text)? }
    }
    gate.finish(options, &result)
}

/// An earlier result, if there is one.
fn earlier(path: &Path) -> Result<Option<ResultFile>, Failure> {
    if !path.exists() {
        tell("note: ", &format!("{}: there is no such file yet, so everything is checked", path.display()));
        return Ok(None);
    }
    let read = checked::read_result(path);
    read.map(Some).map_err(|error| Failure::Input(format!("--reuse: {}: {error}", path.display())))
}

/// Says where nothing of an earlier result could be used.
fn tell_unused(options: &CheckOptions, result: &CheckResult, reused: Option<Reused>) {
    let (Some(file), Some(Reused { taken: 0, of, .. })) = (&options.reuse, reused) else { return };
    if of > 0 && !result.is_still && result.ending == CheckEnding::Complete {
        let reason = "it is of other bodies, times or rules, or everything has changed since";
        let text = format!("--reuse: nothing was taken from {}: {reason}; all was checked again", file.display());
        tell("note: ", &text);
    }
}

/// What the command line asks of a check.
fn settings(options: &CheckOptions, scene: &Scene) -> Result<CheckSettings, Failure> {
    let engine: Engine = options.engine.into();
    if options.csv_intervals.is_some() && !is_over_time(options) {
        return Err(Failure::Input(
            "--csv-intervals: contacts over time are not asked for; leave out --intervals=false and --engine".into(),
        ));
    }
    let fps = options.fps.or(scene.fps);
    Ok(CheckSettings {
        engine,
        over_time: options.intervals,
        sampling: match (&options.times, options.fps) {
            (Some(times), _) => Sampling::Times(times.clone()),
            (None, Some(fps)) => Sampling::Fps(fps),
            (None, None) => Sampling::Scene,
        },
        span: match (options.span, options.frames) {
            (Some(SpanArgument(span)), _) => Some(span),
            (None, Some(frames)) => {
                let span = frames.seconds(fps)?;
                let span = fps.map_or(span, |fps| span.map(scene.time_of_frame(fps)));
                let samples = checked::frame_times(options.fps, scene).ok().filter(|_| options.times.is_none());
                match (scene.default_span(), samples, fps) {
                    (Some(ends), Some(samples), Some(fps)) => Some(reaching(span, ends, &samples, fps)),
                    _ => Some(span),
                }
            }
            (None, None) => None,
        },
        ignored: ignored(&options.rules),
        stop_at_first: options.first,
        skip_incidents: options.no_incidents,
        // All that needs contacts after they ended needs incidents too, but for the file.
        hand_over_contacts: options.no_incidents && options.json.is_none(),
        jobs: match options.jobs {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            jobs => jobs,
        },
        ..CheckSettings::default()
    })
}

/// The message of a refused check, with the option or the file that is to be changed.
fn refused(error: &CheckError, options: &CheckOptions, fps: Option<f64>) -> Failure {
    if let Some(failure) = no_frame(error, fps, "--frames").filter(|_| options.frames.is_some()) {
        return failure;
    }
    let scene = || options.source.title().display().to_string();
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
        CheckError::TimeNotFinite { .. } | CheckError::TimeTooLarge { .. } | CheckError::TimeOrder { .. } => {
            "--times".into()
        }
        CheckError::OutsideSpan { .. } | CheckError::OutsideKeys { .. } | CheckError::Span { .. } => {
            let named = [(options.span.is_some(), "--span"), (options.frames.is_some(), "--frames")];
            named.iter().find(|(is_given, _)| *is_given).map_or("--times", |(_, name)| name).into()
        }
        CheckError::Baked(_) => options.baked.as_deref().map_or_else(scene, |file| file.display().to_string()),
        _ => scene(),
    };
    Failure::Input(format!("{place}: {}", bounds::of_check(error)))
}

/// What the run took, in a line.
fn cost(options: &CheckOptions, result: &CheckResult, reused: Option<Reused>, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let taken = reused.filter(|reused| reused.of > 0).map_or_else(String::new, |Reused { taken, of, .. }| {
        let part = 100.0 * taken as f64 / of as f64;
        let stretches = counted(of as u64, "stretch", "stretches");
        format!("; reused {} of {stretches} of pairs of bodies ({part:.0} %)", grouped(taken as u64))
    });
    match &options.baked {
        Some(file) => format!("read from {} in {seconds:.2} s", file.display()),
        None if options.stats => {
            let (events, tests) = (grouped(result.stats.events), grouped(result.stats.triangle_tests));
            let reduced = reduced(result);
            format!("{events} events, {tests} triangle tests in {seconds:.2} s{taken}{reduced}")
        }
        None => format!("checked in {seconds:.2} s{taken}"),
    }
}

/// Which bodies were evaluated from few parameters.
fn reduced(result: &CheckResult) -> String {
    let names: Vec<&str> = result.bodies.iter().filter(|body| body.is_reduced).map(|body| body.name.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("\nreduced, not stored: {}", names.join(", ")) }
}
