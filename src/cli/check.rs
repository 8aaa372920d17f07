//! `kinetree check`: runs a world through the sampled times.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::{CheckOptions, FailOn};
use super::bake::{apply_rules, ignored};
use super::baked::Source;
use super::intervals::Intervals;
use super::output::{is_standard, keep_apart, say, warn};
use super::report::{CsvReport, JsonReport, NOTHING_TESTED, Summary};
use super::{Failure, Status, load, tell};
use crate::io::{MAX_FRAME_NUMBER, MotionData, Outside, Scene, SceneBody};
use crate::limits;
use crate::world::{ContactMode, Engine, WorldDef};

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
    let times = sample_times(options, &scene)?;
    let Some(&start) = times.first() else {
        return Err(Failure::Input(format!(
            "{}: there is no time to look at; give the scene a span, or use --times",
            options.scene.display()
        )));
    };
    let engine: Engine = options.engine.into();
    // Of what never moves, from when to when it touches is no question.
    let is_still = is_still(&scene) && times.len() == 1;
    let over_time = !is_still && matches!(engine, Engine::Auto | Engine::Kinetic);
    let wants_intervals = options.intervals.unwrap_or(over_time);
    let contacts = if wants_intervals { ContactMode::Continuous } else { ContactMode::AtTimes };
    let ignored = ignored(&options.rules);
    // Files are opened first: a wrong path should not cost the run.
    let results = [("--json", options.json.as_deref()), ("--csv", options.csv.as_deref())];
    let results: Vec<(&str, &Path)> = results.into_iter().filter_map(|(name, path)| Some((name, path?))).collect();
    keep_apart(&results, inputs(&options.scene, &scene).chain(options.baked.as_deref()))?;
    let mut json = options.json.as_deref().map(|path| JsonReport::create(path, &scene)).transpose()?;
    let mut csv = options.csv.as_deref().map(CsvReport::create).transpose()?;
    let began = Instant::now();
    let mut source = match &options.baked {
        Some(file) => Source::read(file, &scene, ignored, wants_intervals, start)?,
        None => {
            let (world, ids) = scene
                .world(WorldDef { start, engine, contacts, ..WorldDef::default() }, ignored)
                .map_err(|error| Failure::Input(format!("{}: {error}", options.scene.display())))?;
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
        let (cost, times) = (source.cost(elapsed), &times[..seen]);
        let text = summary.text(&options.scene, times, is_still, intervals.as_ref(), &stats, &cost);
        let is_taken = results.iter().any(|(_, path)| is_standard(path));
        if is_taken { warn(&text) } else { say(&text)? }
    }
    if options.fail_on != Some(FailOn::Contacts) {
        return Ok(Status::Answered);
    }
    if summary.is_empty() {
        tell("error: ", &format!("{}: {NOTHING_TESTED}", options.scene.display()));
        return Ok(Status::NothingTested);
    }
    let any_contact = summary.any_contact() || intervals.is_some_and(|intervals| !intervals.rows(&scene).is_empty());
    Ok(if any_contact { Status::Found } else { Status::Answered })
}

/// The files a scene was read from.
pub(super) fn inputs<'a>(file: &'a Path, scene: &'a Scene) -> impl Iterator<Item = &'a Path> {
    let of_bodies = scene.bodies.iter().flat_map(|body| [Some(&body.mesh_file), body.motion_file.as_ref()]);
    of_bodies.flatten().map(PathBuf::as_path).chain([file])
}

/// Whether nothing in a scene ever moves.
pub(super) fn is_still(scene: &Scene) -> bool {
    scene.bodies.iter().all(|body| matches!(body.motion, MotionData::Fixed))
}

/// The times to test, increasing.
fn sample_times(options: &CheckOptions, scene: &Scene) -> Result<Vec<f64>, Failure> {
    let Some(times) = &options.times else { return frame_times(options.fps, scene) };
    for (index, &time) in times.iter().enumerate() {
        if !time.is_finite() {
            return Err(Failure::Input(format!(
                "--times: value {} is {time}, which is not a time in seconds",
                index + 1
            )));
        }
        if time.abs() > limits::MAX_TIME {
            let most = limits::MAX_TIME;
            return Err(Failure::Input(format!(
                "--times: value {} is {time:e} s; at most {most:e} s can be used",
                index + 1
            )));
        }
        if index > 0 && times[index - 1] >= time {
            return Err(Failure::Input(format!(
                "--times: value {} is {time} s, which does not come after {} s; give increasing times",
                index + 1,
                times[index - 1]
            )));
        }
    }
    times.iter().try_for_each(|&time| inside(time, scene))?;
    Ok(times.clone())
}

/// Refuses a time outside the scene's span; where it has none, one at which all bodies are held at
/// their first or last keys.
fn inside(time: f64, scene: &Scene) -> Result<(), Failure> {
    if let Some([first, last]) = scene.span {
        if !(first..=last).contains(&time) {
            return Err(Failure::Input(format!(
                "--times: {time} s is outside the scene's span, {first} s to {last} s; give times inside it"
            )));
        }
        return Ok(());
    }
    let moves_on = |body: &SceneBody| match body.motion {
        MotionData::Velocity { .. } => true,
        _ => body.outside == Outside::Loop && body.motion.key_count() > 0,
    };
    let ends =
        |body: &SceneBody| Some((*body.motion.times().first()?, *body.motion.times().last()?, body.name.clone()));
    let ends: Vec<_> = scene.bodies.iter().filter_map(ends).collect();
    let first = ends.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let last = ends.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let (Some((first, _, starter)), Some((_, last, ender))) = (first, last) else { return Ok(()) };
    if scene.bodies.iter().any(moves_on) || (*first..=*last).contains(&time) {
        return Ok(());
    }
    let (side, name, key) =
        if time < *first { ("before the first", starter, first) } else { ("after the last", ender, last) };
    Err(Failure::Input(format!(
        "--times: {time} s is {side} key, that of body '{name}' at {key} s, and nothing moves there; give times from \
         {first} s to {last} s, or give the scene a `span` over which its bodies are held"
    )))
}

/// `fps` times a second over the scene's span, or the scene's own samples.
pub(super) fn frame_times(fps: Option<f64>, scene: &Scene) -> Result<Vec<f64>, Failure> {
    let is_any_time_as_good = scene.span.is_none() && is_still(scene);
    let Some(fps) = fps else {
        return Ok(if is_any_time_as_good { vec![0.0] } else { scene.sample_times() });
    };
    if !(fps > 0.0 && fps.is_finite()) {
        return Err(Failure::Input(format!(
            "--fps: {fps} is not a number of samples a second above 0; give one such as 24"
        )));
    }
    if let Some([first, last]) = scene.default_span()
        && first.abs().max(last.abs()) * fps > MAX_FRAME_NUMBER as f64
    {
        return Err(Failure::Input(format!(
            "--fps: {fps} a second from {first} s to {last} s are too many samples; \
             at most {MAX_FRAME_NUMBER} can be counted"
        )));
    }
    if is_any_time_as_good {
        return Ok(vec![0.0]);
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
