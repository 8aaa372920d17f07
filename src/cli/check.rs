//! `kinetree check`: runs a world through the sampled times.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::{CheckOptions, FailOn};
use super::bake::{apply_rules, ignored};
use super::baked::Source;
use super::intervals::Intervals;
use super::report::{CsvReport, JsonReport, Summary};
use super::{Failure, bold, load};
use crate::io::{MAX_FRAME_NUMBER, Scene};
use crate::world::{ContactMode, Engine, WorldDef};

pub(super) fn check(options: &CheckOptions) -> Result<ExitCode, Failure> {
    let mut scene = load(&options.scene, &options.model)?;
    apply_rules(&options.rules, &mut scene)?;
    if let Some(tree) = options.tree {
        scene.bodies.iter_mut().for_each(|body| body.tree = tree.into());
    }
    let scene = scene;
    for note in &scene.notes {
        anstream::eprintln!("{}", bold("note: ", note));
    }
    let times = sample_times(options, &scene)?;
    let Some(&start) = times.first() else {
        return Err(Failure(format!(
            "{}: there is no time to look at; give the scene a span, or use --times",
            options.scene.display()
        )));
    };
    let engine: Engine = options.engine.into();
    let wants_intervals = options.intervals.unwrap_or(matches!(engine, Engine::Auto | Engine::Kinetic));
    let contacts = if wants_intervals { ContactMode::Continuous } else { ContactMode::AtTimes };
    let ignored = ignored(&options.rules);
    // Files are opened first: a wrong path should not cost the run.
    let mut json = options.json.as_deref().map(|path| JsonReport::create(path, &scene)).transpose()?;
    let mut csv = options.csv.as_deref().map(CsvReport::create).transpose()?;
    let began = Instant::now();
    let mut source = match &options.baked {
        Some(file) => Source::read(file, &scene, ignored, wants_intervals, start)?,
        None => {
            let (world, ids) = scene
                .world(WorldDef { start, engine, contacts, ..WorldDef::default() }, ignored)
                .map_err(|error| Failure(format!("{}: {error}", options.scene.display())))?;
            Source::World { world: Box::new(world), ids, file: &options.scene }
        }
    };
    let ids = source.ids().to_vec();
    let mut summary = Summary::new(&scene, &ids);
    let mut intervals = wants_intervals.then(|| Intervals::new(&ids, start));
    let bar = progress_bar(times.len(), options.quiet);
    let mut seen = 0;
    for &time in &times {
        let (contacts, began) = source.step(time, intervals.as_mut())?;
        summary.add(time, &contacts);
        if let Some(json) = &mut json {
            json.add(time, &contacts, &ids)?;
        }
        if let Some(csv) = &mut csv {
            csv.add(time, &contacts, &scene, &ids)?;
        }
        bar.inc(1);
        seen += 1;
        if options.first && (!contacts.is_empty() || began) {
            break;
        }
    }
    bar.finish_and_clear();
    let elapsed = began.elapsed();
    if let Some(intervals) = &mut intervals {
        source.finish(intervals);
    }
    let stats = source.stats();
    if let Some(json) = json {
        json.finish(intervals.as_ref(), &stats)?;
    }
    if let Some(csv) = csv {
        csv.finish()?;
    }
    if !options.quiet {
        let cost = source.cost(elapsed);
        anstream::print!("{}", summary.text(&options.scene, &times[..seen], intervals.as_ref(), &stats, &cost));
    }
    let any_contact = summary.any_contact() || intervals.is_some_and(|intervals| !intervals.rows(&scene).is_empty());
    let failed = options.fail_on == Some(FailOn::Contacts) && any_contact;
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The times to look at, increasing.
fn sample_times(options: &CheckOptions, scene: &Scene) -> Result<Vec<f64>, Failure> {
    if let Some(times) = &options.times {
        for (index, &time) in times.iter().enumerate() {
            if !time.is_finite() {
                return Err(Failure(format!("--times: value {} is {time}, which is not a time", index + 1)));
            }
            if index > 0 && times[index - 1] >= time {
                return Err(Failure(format!(
                    "--times: value {} is {time} s, which does not come after {} s",
                    index + 1,
                    times[index - 1]
                )));
            }
        }
        if let (Some([first, last]), Some(&time)) = (
            scene.span,
            times.iter().find(|&&time| scene.span.is_some_and(|[first, last]| time < first || time > last)),
        ) {
            return Err(Failure(format!("--times: {time} s is outside the scene's span, {first} s to {last} s")));
        }
        return Ok(times.clone());
    }
    frame_times(options.fps, scene)
}

/// So many times a second over the scene's span, or the scene's own samples.
pub(super) fn frame_times(fps: Option<f64>, scene: &Scene) -> Result<Vec<f64>, Failure> {
    let Some(fps) = fps else { return Ok(scene.sample_times()) };
    if !(fps > 0.0 && fps.is_finite()) {
        return Err(Failure(format!("--fps: {fps} is not a number of samples a second")));
    }
    if let Some([first, last]) = scene.default_span()
        && first.abs().max(last.abs()) * fps > MAX_FRAME_NUMBER as f64
    {
        return Err(Failure(format!("--fps: {fps} a second from {first} s to {last} s are too many samples")));
    }
    let mut sampled = scene.clone();
    sampled.fps = Some(fps);
    Ok(sampled.sample_times())
}

fn progress_bar(samples: usize, quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::new(samples as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} samples, {eta} left") {
        bar.set_style(style);
    }
    bar
}
