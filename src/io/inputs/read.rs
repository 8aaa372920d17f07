//! Inputs to bodies of a scene.

use std::cell::OnceCell;
use std::collections::btree_map::Entry as MapEntry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::super::error::ReadError;
use super::super::format::{FileFormat, FormatError, foreign};
use super::super::gltf::{GltfOptions, GltfSceneOptions, Model, OpenModel, Remedies, read_with_files, take};
use super::super::labels::read_mesh;
use super::super::moving::{Moving, read_moved, read_sequence};
use super::super::remarks::on_bodies;
use super::super::scene::{MAX_FRAME_NUMBER, Scene, SceneBody, SceneError, SceneOptions, read_scene_until};
use super::super::sequence::files_of;
use super::super::source::{format_of, go_on};
use super::super::spheres::is_of_spheres;
use super::super::timing::{TimingError, check_fps, check_times, disagree, times_from_fps};
use super::names::{self, Name};
use super::{Input, InputError, InputOptions, is_pattern};

/// Makes a scene of a list of inputs: one scene file, or meshes, sequences and models, whose bodies
/// follow each other in the order of the list.
///
/// Bodies are named like their files or nodes; where several have the same name, these are preceded
/// by folder or file, and numbered where that is not enough. With models, the scene's span is from
/// the first begin of a clip or motion to the last end; where all that moves are models with the
/// same rate, it is the scene's `fps`.
///
/// Memory is the positions of all keys; time is linear in the files.
///
/// # Errors
/// No input; what the readers of the files refuse; a scene file among other inputs; a motion
/// without times where `fps` is not given; [`InputOptions::cancel`].
pub fn read_inputs(inputs: &[Input], options: &InputOptions) -> Result<Scene, ReadError> {
    read_inputs_with(inputs, options, &mut |_| {})
}

/// As [`read_inputs`]; calls `begins` with the place of each input before it is read.
///
/// # Errors
/// As [`read_inputs`].
pub fn read_inputs_with(
    inputs: &[Input],
    options: &InputOptions,
    begins: &mut dyn FnMut(usize),
) -> Result<Scene, ReadError> {
    gather(inputs, options, begins).map(|gathered| gathered.scene)
}

/// A body as a scene file would state it.
pub(super) struct Entry {
    /// The mesh, the model, or the pattern of the frames.
    pub(super) file: PathBuf,
    /// Node and clip of a model, each a word that means it alone; the name of a clip that no word
    /// means.
    pub(super) node: Option<String>,
    pub(super) clip: Option<Result<String, String>>,
    pub(super) motion: Option<PathBuf>,
    /// The rate at which a clip was sampled.
    pub(super) fps: Option<f64>,
    pub(super) is_sequence: bool,
}

/// A scene and what a scene file would say of it; no entries for a scene file itself.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) scene: Scene,
    pub(super) entries: Vec<Entry>,
}

pub(super) fn gather(
    inputs: &[Input],
    options: &InputOptions,
    begins: &mut dyn FnMut(usize),
) -> Result<Gathered, ReadError> {
    let Some(first) = inputs.first() else { return Err(ReadError::new(Path::new(""), InputError::None)) };
    if let Some(fps) = options.fps {
        check_fps(fps).map_err(|error| ReadError::new(&first.path, error))?;
    }
    // All are opened before one is read: a wrong name should not cost the time of the others.
    let formats = inputs.iter().map(format).collect::<Result<Vec<_>, _>>()?;
    if let Some(scene) = formats.iter().position(|&format| format == FileFormat::Scene) {
        let refuse = |error| Err(ReadError::new(&inputs[scene].path, error));
        if inputs.len() > 1 {
            // Among others, a text of any name is hardly meant as a scene.
            if FileFormat::of_ending(&inputs[scene].path).is_none() {
                return Err(ReadError::new(&inputs[scene].path, FormatError::Unknown));
            }
            return refuse(InputError::SceneAmongOthers);
        }
        if let Some(key) = only_for_models(options) {
            return refuse(InputError::OnlyModels { key });
        }
        begins(0);
        let how = SceneOptions::default().allowing_outside(options.allow_outside).repairing(options.repair);
        let how = how.storing(options.stored);
        let scene = read_scene_until(&first.path, how, options.cancel.as_ref())?;
        return Ok(Gathered { scene, entries: Vec::new() });
    }
    if let Some(key) = only_for_models(options).filter(|_| !formats.contains(&FileFormat::Gltf)) {
        return Err(ReadError::new(&first.path, InputError::OnlyModels { key }));
    }
    let mut gatherer = Gatherer { options, is_alone: inputs.len() == 1, ..Gatherer::new(options) };
    for (place, (input, &format)) in inputs.iter().zip(&formats).enumerate() {
        begins(place);
        go_on(options.cancel.as_ref(), &input.path)?;
        gatherer.add(input, format)?;
    }
    gatherer.finish(&first.path)
}

fn only_for_models(options: &InputOptions) -> Option<&'static str> {
    let keys = [("clip", options.clip.is_some()), ("tolerance", options.tolerance.is_some())];
    keys.into_iter().find_map(|(key, is_given)| is_given.then_some(key))
}

/// The format of an input; of a sequence that of its frames.
fn format(input: &Input) -> Result<FileFormat, ReadError> {
    let path = &input.path;
    let refuse = |error| Err(ReadError::new(path, error));
    if is_pattern(path) {
        if let Some(error) = foreign(path, &[]) {
            return Err(ReadError::new(path, error));
        }
        return super::super::sequence::format_of(path);
    }
    let format = format_of(path)?;
    if format.is_motion() {
        let name = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        if format == FileFormat::Transforms && is_of_spheres(path)? {
            return refuse(InputError::SpheresAlone { name });
        }
        return refuse(InputError::MotionAlone { motion: name });
    }
    if format == FileFormat::Gltf && input.motion.is_some() {
        return refuse(InputError::ModelWithMotion);
    }
    if format != FileFormat::Gltf && (input.node.is_some() || input.clip.is_some()) {
        return refuse(InputError::NotModel { input: path.display().to_string() });
    }
    Ok(format)
}

struct Gatherer<'a> {
    options: &'a InputOptions,
    is_alone: bool,
    models: BTreeMap<PathBuf, OpenModel>,
    names: Vec<Name>,
    bodies: Vec<SceneBody>,
    entries: Vec<Entry>,
    notes: Vec<String>,
    /// Spans of clips, seconds.
    spans: Vec<[f64; 2]>,
    /// What was read.
    files: BTreeSet<PathBuf>,
}

impl<'a> Gatherer<'a> {
    fn new(options: &'a InputOptions) -> Self {
        Self {
            options,
            is_alone: false,
            models: BTreeMap::new(),
            names: Vec::new(),
            bodies: Vec::new(),
            entries: Vec::new(),
            notes: Vec::new(),
            spans: Vec::new(),
            files: BTreeSet::new(),
        }
    }

    fn add(&mut self, input: &Input, format: FileFormat) -> Result<(), ReadError> {
        let named = [Some(&input.path), input.motion.as_ref()];
        self.files.extend(named.into_iter().flatten().flat_map(|path| files_of(path)));
        if format == FileFormat::Gltf {
            return self.add_model(input);
        }
        let name = Name { given: input.name.clone(), ..names::of_file(&input.path) };
        let is_sequence = is_pattern(&input.path);
        let entry = Entry {
            file: input.path.clone(),
            node: None,
            clip: None,
            motion: input.motion.clone(),
            fps: None,
            is_sequence,
        };
        let body = match &input.motion {
            Some(_) if is_sequence => return Err(ReadError::new(&input.path, InputError::MotionIsMesh)),
            Some(motion) => self.moving(motion_of(&input.path, motion)?, motion)?,
            None if is_sequence => self.moving(read_sequence(&input.path, None, None)?, &input.path)?,
            None => {
                let file = read_mesh(&input.path)?;
                let still = super::super::MotionData::Fixed;
                {
                    let mesh_file = input.path.clone();
                    SceneBody { labels: file.labels, mesh_file, ..SceneBody::new("", file.mesh, still) }
                }
            }
        };
        self.push(name, body, entry);
        Ok(())
    }

    fn push(&mut self, name: Name, body: SceneBody, entry: Entry) {
        self.names.push(name);
        self.bodies.push(body);
        self.entries.push(entry);
    }

    /// The body of a mesh with frames, which get their times.
    fn moving(&mut self, moving: Moving, motion: &Path) -> Result<SceneBody, ReadError> {
        let refuse = |error: TimingError| ReadError::new(motion, error);
        let times = match (self.options.fps, moving.own_times) {
            (Some(fps), own) => {
                let times = times_from_fps(moving.count, fps).map_err(refuse)?;
                if own.is_some_and(|own| disagree(&own, &times)) {
                    self.notes.push(format!(
                        "{}: the file has frame times of its own, which differ from the {fps} frames a second that \
                         were asked for; the latter are used",
                        motion.display()
                    ));
                }
                times
            }
            (None, Some(own)) => {
                check_times(&own, moving.count).map_err(refuse)?;
                own
            }
            (None, None) => return Err(ReadError::new(motion, InputError::NoTimes)),
        };
        if let Some(unusual) = moving.unusual {
            self.notes.push(format!("{}: {unusual}", motion.display()));
        }
        let moves = Moving::at(moving.frames, times);
        let body = SceneBody { mesh_file: moving.mesh_file, ..SceneBody::new("", moving.file.mesh, moves) };
        Ok(SceneBody { labels: moving.file.labels, motion_file: Some(motion.to_owned()), ..body })
    }

    fn add_model(&mut self, input: &Input) -> Result<(), ReadError> {
        let path = &input.path;
        let mut notes = Vec::new();
        self.models.iter_mut().filter(|(file, _)| *file != path).for_each(|(_, open)| open.forget());
        let open = match self.models.entry(path.clone()) {
            MapEntry::Occupied(entry) => entry.into_mut(),
            MapEntry::Vacant(entry) => {
                let read = if self.options.repair { GltfOptions::repairing() } else { GltfOptions::default() };
                let (model, files) = read_with_files(path, read.allowing_outside(self.options.allow_outside))?;
                self.files.extend(files);
                notes.extend(model.notes.iter().cloned());
                entry.insert(OpenModel::new(model))
            }
        };
        let options = GltfSceneOptions {
            node: input.node.clone(),
            clip: input.clip.clone().or_else(|| self.options.clip.clone()),
            fps: self.options.fps,
            tolerance: self.options.tolerance,
            stored: self.options.stored,
            ..GltfSceneOptions::default()
        };
        let taken =
            take(open, path, &options, Remedies::Options, &mut notes).map_err(|error| ReadError::new(path, *error))?;
        let model = open.model();
        let names = OnceCell::new();
        let is_name = |word: &str| {
            let names_of = || model.nodes.iter().map(|node| node.name.as_str()).collect::<BTreeSet<&str>>();
            names.get_or_init(names_of).contains(word)
        };
        let prefix = if self.is_alone { String::new() } else { format!("{}: ", path.display()) };
        self.notes.extend(notes.into_iter().map(|note| format!("{prefix}{note}")));
        let count = taken.bodies.len();
        if let Some(name) = input.name.as_ref().filter(|_| count > 1) {
            return Err(ReadError::new(path, InputError::OneName { name: name.clone(), count }));
        }
        if taken.clip.is_some() {
            self.spans.push(taken.span);
        }
        let clip = taken.clip.map(|clip| clip_word(model, clip));
        for (node, body) in taken.bodies {
            // Not every name can be written after `#`; numbers can, unless a node has one as its
            // name.
            let number = node.to_string();
            let is_named = !body.name.contains('@') && !body.name.trim().is_empty();
            let word = if is_named || is_name(&number) { body.name.clone() } else { number };
            let name = Name { given: input.name.clone(), ..names::of_node(path, &body.name) };
            let entry = Entry {
                file: path.clone(),
                node: Some(word),
                clip: clip.clone(),
                motion: None,
                fps: taken.fps,
                is_sequence: false,
            };
            self.names.push(name);
            self.bodies.push(body);
            self.entries.push(entry);
        }
        Ok(())
    }

    fn finish(mut self, first: &Path) -> Result<Gathered, ReadError> {
        let mut given: Vec<&String> = self.names.iter().filter_map(|name| name.given.as_ref()).collect();
        given.sort_unstable();
        let bad = given.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        if let Some(name) = bad.or_else(|| given.iter().copied().find(|name| name.trim().is_empty())) {
            return Err(ReadError::new(first, InputError::Name { name: name.clone() }));
        }
        for (body, name) in self.bodies.iter_mut().zip(names::unique(&self.names)) {
            body.name = name;
        }
        if let Some(note) = expanded_sequence(&self.entries) {
            self.notes.push(note);
        }
        let (fps, span) = (self.fps(), self.span());
        let files = self.files.into_iter().collect();
        let mut scene = Scene { bodies: self.bodies, excluded: Vec::new(), span, fps, notes: self.notes, files };
        scene.notes.extend(on_bodies(&scene));
        if let (Some(fps), Some(ends)) = (fps, scene.default_span()) {
            for time in ends {
                let frame = time * fps;
                if frame.abs() > MAX_FRAME_NUMBER as f64 {
                    return Err(ReadError::new(first, SceneError::FrameNumber { time, frame }));
                }
            }
        }
        Ok(Gathered { scene, entries: self.entries })
    }

    /// Frames a second of the scene: what was asked for, or the one rate of all that moves.
    fn fps(&self) -> Option<f64> {
        if self.options.fps.is_some() {
            return self.options.fps;
        }
        let moving = self
            .bodies
            .iter()
            .zip(&self.entries)
            .filter(|(body, entry)| body.motion.key_count() > 0 || entry.fps.is_some());
        let mut rates = moving.map(|(_, entry)| entry.fps);
        let first = rates.next()??;
        rates.all(|rate| rate == Some(first)).then_some(first)
    }

    /// With clips, from the first begin of what moves to the last end.
    fn span(&self) -> Option<[f64; 2]> {
        let is_file = |entry: &Entry| entry.node.is_none();
        let ends = |(body, _): (&SceneBody, &Entry)| {
            let times = body.motion.times();
            Some([*times.first()?, *times.last()?])
        };
        let files = self.bodies.iter().zip(&self.entries).filter(|(_, entry)| is_file(entry)).filter_map(ends);
        let clips = self.spans.iter().copied().reduce(union)?;
        Some(files.fold(clips, union))
    }
}

fn union(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// A word that means this clip: its name, or its number where another clip has the name too.
fn clip_word(model: &Model, clip: usize) -> Result<String, String> {
    let name = &model.clips[clip].name;
    // An empty name cannot be written after `@`; the number of a clip may be the name of another.
    let words = [name.clone(), clip.to_string()];
    let word = words.into_iter().find(|word| !word.is_empty() && model.clip(word) == Some(clip));
    word.ok_or_else(|| name.clone())
}

fn motion_of(mesh: &Path, motion: &Path) -> Result<Moving, ReadError> {
    let refuse = |error| Err(ReadError::new(motion, error));
    if let Some(error) = foreign(motion, &[]) {
        return Err(ReadError::new(motion, error));
    }
    match FileFormat::of_ending(motion) {
        Some(format) if format.is_motion() => read_moved(mesh, motion, format, true),
        Some(format) if format.is_mesh() && is_pattern(motion) => read_sequence(motion, Some(mesh), None),
        Some(format) if format.is_mesh() => refuse(InputError::MotionIsMesh),
        _ => refuse(InputError::MotionFormat),
    }
}

/// A remark where a shell has replaced the pattern of a sequence by its frames: three still meshes
/// or more whose names differ in their last number only.
fn expanded_sequence(entries: &[Entry]) -> Option<String> {
    let mut series: BTreeMap<(PathBuf, String, String), usize> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.motion.is_none() && entry.node.is_none() && !entry.is_sequence) {
        let stem = entry.file.file_stem()?.to_string_lossy().into_owned();
        let before = stem.trim_end_matches(|letter: char| letter.is_ascii_digit());
        if before.len() < stem.len() {
            let ending = entry.file.extension()?.to_string_lossy().into_owned();
            *series.entry((entry.file.with_file_name(""), before.to_owned(), ending)).or_insert(0) += 1;
        }
    }
    let ((folder, before, ending), count) = series.into_iter().find(|&(_, count)| count >= 3)?;
    let pattern = folder.join(format!("{before}####.{ending}"));
    Some(format!(
        "{count} inputs are still bodies whose names differ in a number only; if they are the frames of one motion, \
         write \"{}\" instead, in quotes and with one # a digit",
        pattern.display()
    ))
}
