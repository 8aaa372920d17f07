//! `kinetree render`: pictures of a scene.

mod arguments;
mod stage;

use std::path::{Path, PathBuf};

pub(super) use arguments::RenderArguments;
use arguments::{FrameRange, Highlight, Size};
use stage::{Stage, frame_time, highlighted_box, name_concerned};

use super::bake::{apply_rules, ignored};
use super::gate::{baseline_file, baseline_of};
use super::inputs::files;
use super::output::{Output, spare};
use super::table::grouped;
use super::when::no_frame;
use super::{Failure, Status, tell};
use crate::check::{CheckError, Sampling, check_sampled, is_still};
use crate::math::Aabb;
use crate::report::render::{
    Animation, Camera, Frame, Framing, Image, MAX_ANIMATED_PIXELS, RenderError, RenderOptions, Shading, Up, glb,
    render as draw, render_close_up, turntable,
};

/// Seconds that a picture of a turntable is shown: one turn in about six seconds.
const TURN: f64 = 6.0;
/// Frames a second of an animation whose scene states none.
const USUAL_FPS: f64 = 24.0;

/// What the name of the output asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Picture,
    Animation,
    /// One file a picture.
    Files,
    Model,
}

pub(super) fn render(arguments: &RenderArguments) -> Result<Status, Failure> {
    let form = form(arguments)?;
    let options = options(arguments);
    options.check().map_err(|error| refused_option(&error))?;
    refuse_counts(arguments, form)?;
    let mut scene = arguments.source.load(arguments.fps, true, false)?;
    apply_rules(&arguments.rules, &mut scene)?;
    let scene = scene;
    for note in &scene.notes {
        tell("note: ", note);
    }
    let written = outputs(arguments, form);
    let written: Vec<(&str, &Path)> = written.iter().map(|path| ("--out", path.as_path())).collect();
    spare(&written, files(&scene).chain(arguments.baseline.as_deref().and_then(baseline_file)))?;
    let fps = usable_fps(arguments.fps.or(scene.fps))?;
    let ignored = ignored(&arguments.rules);
    let (highlight, title) = (arguments.highlight, arguments.source.title());
    let mut stage = Stage { file: &title, scene: &scene, fps, ignored, highlight, found: None };
    let is_compared = arguments.baseline.is_some() && highlight == Highlight::Contacts;
    if is_compared || matches!(highlight, Highlight::Incident(_)) {
        let known = arguments.baseline.as_deref().map(|path| baseline_of(path, &scene)).transpose()?;
        let sampling = arguments.fps.map_or(Sampling::Scene, Sampling::Fps);
        stage.find_incidents(sampling, known.unwrap_or_default())?;
    }
    let times = times(arguments, &stage)?;
    check_sampled(&times, &scene, fps).map_err(|error| outside(&error, arguments, fps))?;
    match (form, arguments.turntable) {
        (Form::Model, _) => stage.play(&times, |_, frame| Output::whole(&arguments.out, &glb(&frame, options.up)?))?,
        (_, Some(count)) => {
            stage.play(&times, |_, frame| {
                turn(&name_concerned(frame), &options, count as usize, form, &arguments.out)
            })?;
        }
        (Form::Picture, None) => stage.play(&times, |_, frame| still(&name_concerned(frame), &options, arguments))?,
        (_, None) => sequence(&stage, &times, options, form, arguments)?,
    }
    Ok(Status::Answered)
}

/// The message of refused options, with the one that is to be changed.
fn refused_option(error: &RenderError) -> Failure {
    let option = match error {
        RenderError::Size { .. } => "--size: ",
        RenderError::Samples { .. } => "--samples: ",
        _ => "",
    };
    Failure::Input(format!("{option}{error}"))
}

/// Refuses a step without frames, and more pixels than an animation may have.
fn refuse_counts(arguments: &RenderArguments, form: Form) -> Result<(), Failure> {
    if arguments.every.is_some() && arguments.frames.is_none() {
        return Err(Failure::Input("--every: says which of --frames are drawn; give --frames too".into()));
    }
    let (option, count) = match (arguments.turntable, arguments.frames) {
        (Some(count), _) => ("--turntable", count as usize),
        (None, Some(FrameRange(first, last))) => ("--frames", (last - first) as usize / step(arguments) + 1),
        (None, None) => return Ok(()),
    };
    let Size(width, height) = arguments.size;
    if form != Form::Animation || count.saturating_mul(width * height) <= MAX_ANIMATED_PIXELS {
        return Ok(());
    }
    let most = grouped(MAX_ANIMATED_PIXELS as u64);
    let fewer = if option == "--frames" { "--every" } else { "fewer pictures" };
    Err(Failure::Input(format!(
        "{option}: {count} pictures of {width}x{height} are more than {most} pixels, the most that an animation has; give \
         {fewer}, a smaller --size, or a name with # for one file a picture, such as out_####.png"
    )))
}

/// Frames from one that is drawn to the next.
fn step(arguments: &RenderArguments) -> usize {
    arguments.every.unwrap_or(1) as usize
}

/// The message of a time that the scene does not have: as a frame, where frames were asked for.
fn outside(error: &CheckError, arguments: &RenderArguments, fps: Option<f64>) -> Failure {
    let option = times_option(arguments);
    let frame = no_frame(error, fps, option).filter(|_| option != "--time");
    frame.unwrap_or_else(|| Failure::Input(format!("{option}: {error}")))
}

fn usable_fps(fps: Option<f64>) -> Result<Option<f64>, Failure> {
    match fps {
        Some(fps) if !(fps > 0.0 && fps.is_finite()) => {
            Err(Failure::Input(format!("--fps: {fps} is not a number of frames a second above 0; give one such as 24")))
        }
        _ => Ok(fps),
    }
}

fn form(arguments: &RenderArguments) -> Result<Form, Failure> {
    let refused = |message: &str| Err(Failure::Input(format!("--out {}: {message}", arguments.out.display())));
    let is_sequence = arguments.frames.is_some() || arguments.turntable.is_some();
    let name = arguments.out.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let has_number = name.contains('#');
    match Path::new(&name).extension().and_then(|ending| ending.to_str()) {
        _ if name == "-" => Ok(if is_sequence { Form::Animation } else { Form::Picture }),
        Some("png" | "apng") => match (is_sequence, has_number) {
            (true, true) => Ok(Form::Files),
            (true, false) => Ok(Form::Animation),
            (false, false) => Ok(Form::Picture),
            (false, true) => refused("a name with # is for several pictures; add --frames or --turntable"),
        },
        Some("glb") if is_sequence => refused("a .glb shows one frame; use --frame or --time"),
        Some("glb") => Ok(Form::Model),
        Some("gif") => refused("animated pictures are written as PNG, which browsers show; name the file .png"),
        Some("gltf") => refused("models are written as one binary file; name it .glb"),
        _ => refused("the name must end in .png or .glb"),
    }
}

/// The files that are to be written; of several pictures, those that are there already.
fn outputs(arguments: &RenderArguments, form: Form) -> Vec<PathBuf> {
    let (first, last, every) = match (arguments.turntable, arguments.frames) {
        _ if form != Form::Files => return vec![arguments.out.clone()],
        (Some(count), _) => (0, count - 1, 1),
        (None, Some(FrameRange(first, last))) => (first, last, step(arguments)),
        (None, None) => return Vec::new(),
    };
    let pictures = (first..=last).step_by(every).map(|number| numbered(&arguments.out, number as usize));
    pictures.filter(|path| path.is_file()).collect()
}

fn options(arguments: &RenderArguments) -> RenderOptions {
    let Size(width, height) = arguments.size;
    let with_words = !arguments.plain;
    // glTF says where up is; other files do not.
    let usual = if crate::io::gltf::is_gltf(&arguments.source.file()) { Up::Y } else { Up::Auto };
    RenderOptions {
        samples: arguments.samples as usize,
        shading: if arguments.flat { Shading::Flat } else { Shading::Smooth },
        from: arguments.from,
        up: arguments.up.map_or(usual, Up::from),
        ground: with_words,
        words: with_words,
        rings: with_words,
        ..RenderOptions::sized(width, height)
    }
}

/// The option that says when, for messages.
fn times_option(arguments: &RenderArguments) -> &'static str {
    match (arguments.frame, arguments.frames) {
        (Some(_), _) => "--frame",
        (_, Some(_)) => "--frames",
        _ => "--time",
    }
}

/// The times to be seen, increasing.
fn times(arguments: &RenderArguments, stage: &Stage) -> Result<Vec<f64>, Failure> {
    let at = |frame: f64| {
        let time = frame_time(frame, stage.fps)?;
        Ok(stage.fps.map_or(time, |fps| stage.scene.time_of_frame(fps)(time)))
    };
    if let Some(frame) = arguments.frame {
        return Ok(vec![at(frame)?]);
    }
    if let Some(FrameRange(first, last)) = arguments.frames {
        return (first..=last).step_by(step(arguments)).map(|frame| at(f64::from(frame))).collect();
    }
    if let Some(time) = arguments.time {
        return Ok(vec![time]);
    }
    if let Some((_, incident)) = stage.incident()? {
        return Ok(vec![incident.worst_time]);
    }
    if is_still(stage.scene) {
        return Ok(vec![stage.scene.default_span().map_or(0.0, |[start, _]| start)]);
    }
    Err(Failure::Input("which time? add --frame F, --time T or --frames A-B".into()))
}

/// The box of a close-up; `None` where all bodies are to be seen.
fn close_up(frame: &Frame, arguments: &RenderArguments) -> Option<Aabb> {
    let is_incident = matches!(arguments.highlight, Highlight::Incident(_));
    if is_incident && !arguments.whole { highlighted_box(frame) } else { None }
}

fn still(frame: &Frame, options: &RenderOptions, arguments: &RenderArguments) -> Result<(), Failure> {
    if matches!(arguments.highlight, Highlight::Incident(_)) && frame.highlighted() == 0 {
        tell("note: ", "nothing of this incident touches at that time; leave out --frame and --time for its worst");
    }
    let image = match close_up(frame, arguments) {
        Some(bounds) => render_close_up(frame, options, &bounds)?,
        None => draw(frame, options)?,
    };
    Output::whole(&arguments.out, &image.png()?)
}

/// Pictures of one frame from all sides.
fn turn(frame: &Frame, options: &RenderOptions, count: usize, form: Form, out: &Path) -> Result<(), Failure> {
    let mut pictures = Pictures::new(form, TURN / count as f64)?;
    for (number, camera) in turntable(frame, options, count)?.into_iter().enumerate() {
        let options = RenderOptions { camera: Some(camera), ..options.clone() };
        pictures.add(&draw(frame, &options)?, number, out)?;
    }
    pictures.finish(out)
}

/// Pictures of several frames with one camera.
fn sequence(
    stage: &Stage,
    times: &[f64],
    mut options: RenderOptions,
    form: Form,
    arguments: &RenderArguments,
) -> Result<(), Failure> {
    options.camera = Some(camera(stage, times, &options, arguments)?);
    let first = arguments.frames.map_or(0, |range| range.0) as usize;
    let mut pictures = Pictures::new(form, step(arguments) as f64 / stage.fps.unwrap_or(USUAL_FPS))?;
    stage.play(times, |number, frame| {
        pictures.add(&draw(&name_concerned(frame), &options)?, first + number * step(arguments), &arguments.out)
    })?;
    pictures.finish(&arguments.out)
}

/// The camera that sees all frames, or all of an incident.
fn camera(
    stage: &Stage,
    times: &[f64],
    options: &RenderOptions,
    arguments: &RenderArguments,
) -> Result<Camera, Failure> {
    let mut bounds: Option<Aabb> = None;
    // Of an incident, the frame with most of it decides from where it is seen.
    let mut best: Option<Frame> = None;
    let mut framing: Option<Framing> = None;
    stage.play(times, |_, frame| {
        if let Some(own) = close_up(&frame, arguments) {
            bounds = Some(bounds.map_or(own, |all| all.union(&own)));
            if best.as_ref().is_none_or(|best| best.highlighted() < frame.highlighted()) {
                best = Some(frame.clone());
            }
        }
        if framing.is_none() {
            framing = Some(Framing::new(&frame, options)?);
        }
        if let Some(framing) = &mut framing {
            framing.add(&frame);
        }
        Ok(())
    })?;
    if let (Some(bounds), Some(best)) = (bounds, best) {
        let options = RenderOptions { target: Some(bounds), ..options.clone() };
        return Ok(Framing::new(&best, &options)?.camera()?);
    }
    match framing {
        Some(framing) => Ok(framing.camera()?),
        None => Err(Failure::Input("--frames: there is no frame".into())),
    }
}

/// Several pictures: files, or an animation.
enum Pictures {
    Files,
    Moving(Box<Animation>),
}

impl Pictures {
    fn new(form: Form, delay: f64) -> Result<Self, Failure> {
        if form == Form::Files {
            return Ok(Self::Files);
        }
        Ok(Self::Moving(Box::new(Animation::new(delay)?)))
    }

    fn add(&mut self, image: &Image, number: usize, out: &Path) -> Result<(), Failure> {
        match self {
            Self::Files => Output::whole(&numbered(out, number), &image.png()?),
            Self::Moving(animation) => Ok(animation.add(image)?),
        }
    }

    fn finish(self, out: &Path) -> Result<(), Failure> {
        match self {
            Self::Files => Ok(()),
            Self::Moving(animation) => Output::whole(out, &animation.png()?),
        }
    }
}

/// The name of a file with a number in place of its #.
fn numbered(out: &Path, number: usize) -> PathBuf {
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let digits = name.matches('#').count();
    let first = name.find('#').unwrap_or(name.len());
    let rest: String = name[first..].chars().filter(|&c| c != '#').collect();
    out.with_file_name(format!("{}{number:0digits$}{rest}", &name[..first]))
}
