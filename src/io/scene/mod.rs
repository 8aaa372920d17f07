//! The scene file: which meshes there are, how they move, and which pairs are of no interest.
//!
//! TOML; every key is known or refused, with line and column. Paths start at the scene file's
//! folder. `docs/formats/scene.md` is the page for users. What is cheap to judge is judged before
//! any mesh is read.
//!
//! | file | does |
//! |---|---|
//! | `text` | the keys as TOML has them, with their places |
//! | `load` | one body: mesh, motion, key times, placement |
//! | `model` | one body that is a node of a glTF file |
//! | `stated`, `shape` | one body of points, segments, triangles, patches or spheres |
//! | `plan` | a motion that is stated as numbers |
//! | `file_or` | values that are there or in a file |
//! | `order` | vertices of a cache that are not in the order of the mesh |
//! | `placement` | `transform`, or `translate`, `rotate`, `scale`, to one matrix |
//! | `exclusion` | names and groups to pairs of bodies |
//! | `error` | what can be wrong |

mod error;
mod exclusion;
mod file_or;
mod load;
mod model;
mod order;
mod placement;
mod plan;
mod shape;
mod stated;
mod text;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

pub use self::error::SceneError;
use self::load::Context;
pub(in crate::io) use self::load::check_path;
use self::model::Models;
pub(in crate::io) use self::order::check as check_order;
pub use self::plan::PlanError;
pub use self::shape::{SceneShape, ShapeError};
use self::text::{SceneFile, SceneText};
use super::error::ReadError;
use super::folder::Folder;
use super::format::FileFormat;
use super::gltf::frames_around;
use super::matrix::transform_point;
use super::remarks;
use super::source::{go_on, read_text};
use super::timing::check_fps;
use super::{MeshData, MotionData};
use crate::cancel::Cancel;
use crate::incident::PartLabels;
use crate::kinetic::TreeKind;

/// Highest frame number, time × fps, a scene's span may reach on either side of zero. 48 hours at
/// 57 frames a second; beyond it the list of samples alone would need hundreds of megabytes, and
/// the numbers are a slip of the pen.
pub const MAX_FRAME_NUMBER: usize = 10_000_000;

/// What a body does before its first key and after its last.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Outside {
    /// It stays at the nearest key.
    #[default]
    Hold,
    /// It starts again; the step from the last key to the first is a jump.
    Loop,
    /// Asking is an error.
    Error,
}

/// One body of a scene.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneBody {
    /// Unique in the scene, never empty.
    pub name: String,
    /// What it is made of.
    pub shape: SceneShape,
    /// Triangles, and positions in metres: placed in the scene, except for [`MotionData::Rigid`],
    /// whose transforms contain the placement. For [`MotionData::Reduced`] those at the first key.
    pub mesh: MeshData,
    /// The motion, placed in the scene, with key times in seconds.
    pub motion: MotionData,
    /// What happens outside the keys; [`Outside::Hold`] for a body without keys.
    pub outside: Outside,
    /// Whether contacts of the body with itself are wanted.
    pub self_contact: bool,
    /// Whether triangles of the body that share a corner are tested against each other too.
    pub neighbours: bool,
    /// How thick its triangles are, metres; 0 for contact proper.
    pub thickness: f64,
    /// Which kinetic tree the body has.
    pub tree: TreeKind,
    /// The group `[[exclude]]` may name.
    pub group: Option<String>,
    /// The file of the mesh; for a sequence without a mesh of its own, the sequence's pattern.
    pub mesh_file: PathBuf,
    /// The file of the motion, if it has one.
    pub motion_file: Option<PathBuf>,
    /// The name of the clip of a glTF model that moves it; of several, all names.
    pub clip: Option<String>,
    /// Names of triangles: materials, groups, joints.
    pub labels: PartLabels,
    /// How far vertices may be from their true motion between keys, metres: 0 where the keys are
    /// all that is known of the motion, `None` where no bound is known. See
    /// [`gltf::GltfSceneOptions`](super::gltf::GltfSceneOptions).
    pub deviation: Option<f64>,
    /// The same, measured in the middle between any two keys, metres; 0 where the keys are all that
    /// is known of the motion.
    pub measured_deviation: f64,
}

impl SceneBody {
    /// A body with the defaults of a scene file: held outside its keys, not tested against itself,
    /// without thickness. The other fields can be set afterwards.
    ///
    /// `mesh` holds the positions at rest, metres. Nothing is checked before a world is made of the
    /// scene.
    ///
    /// ```
    /// use kinetree::io::{MeshData, MotionData, Scene, SceneBody};
    ///
    /// let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let mesh = MeshData { positions, triangles: vec![[0, 1, 2]] };
    /// let mut scene = Scene::default();
    /// scene.bodies.push(SceneBody::new("floor", mesh, MotionData::Fixed));
    /// assert_eq!(scene.bodies[0].name, "floor");
    /// ```
    pub fn new(name: &str, mesh: MeshData, motion: MotionData) -> Self {
        Self {
            name: name.to_owned(),
            shape: SceneShape::default(),
            mesh,
            motion,
            outside: Outside::Hold,
            self_contact: false,
            neighbours: false,
            thickness: 0.0,
            tree: TreeKind::default(),
            group: None,
            mesh_file: PathBuf::new(),
            motion_file: None,
            clip: None,
            labels: PartLabels::default(),
            deviation: Some(0.0),
            measured_deviation: 0.0,
        }
    }

    /// The times of its first key and its last, seconds.
    fn key_ends(&self) -> Option<[f64; 2]> {
        let times = self.motion.times();
        Some([*times.first()?, *times.last()?])
    }

    /// The same; of a clip, with `fps`, the frames that they belong to.
    fn frame_ends(&self, fps: Option<f64>) -> Option<[f64; 2]> {
        let keys = self.key_ends()?;
        Some(fps.filter(|_| self.clip.is_some()).map_or(keys, |fps| frames_around(keys, fps)))
    }

    /// The body's vertices in metres at a key, counted from 0; `None` where there is no such key,
    /// or its frame can no longer be read.
    ///
    /// Linear in the number of vertices. Rigid maps are evaluated in f64 and rounded to f32 once.
    /// Spheres have no vertices.
    pub fn vertices_at_key(&self, key: usize) -> Option<Vec<[f32; 3]>> {
        match &self.motion {
            MotionData::Fixed | MotionData::Velocity { .. } => None,
            MotionData::Keyframes { positions, .. } => {
                let vertices = self.mesh.positions.len();
                let (points, _) = positions.as_chunks::<3>();
                points.chunks(vertices.max(1)).nth(key).map(<[_]>::to_vec)
            }
            MotionData::Cached { frames, .. } => {
                let positions = frames.read(key..key.checked_add(1)?).ok().filter(|positions| !positions.is_empty())?;
                Some(positions.as_chunks::<3>().0.to_vec())
            }
            MotionData::Rigid { transforms, .. } => transforms.get(key).map(|matrix| {
                let place = |&point: &[f32; 3]| transform_point(matrix, point);
                self.mesh.positions.iter().map(place).collect()
            }),
            MotionData::Reduced(motion) => (key < motion.times().len()).then(|| {
                let round = |point: [f64; 3]| point.map(|x| x as f32);
                motion.positions_at_key(key).into_iter().map(round).collect()
            }),
            MotionData::Planned(motion) => motion.positions_at_key(&self.mesh.positions, key),
        }
    }
}

/// A scene as its file describes it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Scene {
    /// In file order, at least one.
    pub bodies: Vec<SceneBody>,
    /// Pairs of different bodies, by index, whose contacts are not wanted: lower index first,
    /// sorted, no pair twice.
    pub excluded: Vec<[usize; 2]>,
    /// First and last second to test, if the file states them.
    pub span: Option<[f64; 2]>,
    /// Frames a second for bodies that state none, and for sampling.
    pub fps: Option<f64>,
    /// Remarks for the author of the scene: the scene is valid, but may not be what was meant.
    pub notes: Vec<String>,
    /// The files that it was read from, none twice: its own, those that bodies name, all frames of
    /// sequences, data and images of glTF models.
    pub files: Vec<PathBuf>,
}

impl Scene {
    /// First and last second to test: the file's `span`, or from the earliest key of any body to
    /// the latest. Key times of glTF clips are 32-bit numbers: where one of them is a rounding
    /// inside of a frame at `fps`, the span reaches to that frame, unless a body whose keys end
    /// there does not hold its pose.
    ///
    /// `None` where the file states no span and no body has keys.
    pub fn default_span(&self) -> Option<[f64; 2]> {
        self.span_at(self.fps)
    }

    /// As [`Scene::default_span`], with other frames a second.
    pub(crate) fn span_at(&self, fps: Option<f64>) -> Option<[f64; 2]> {
        if self.span.is_some() {
            return self.span;
        }
        let frames = self.ends(fps)?;
        // Beyond its keys, a body that does not hold its pose is in another round, or nowhere. So
        // the keys count of those that end at the frame.
        let keys = |end: usize| {
            let moving = self.bodies.iter().filter(|body| body.outside != Outside::Hold);
            moving
                .filter(move |body| body.frame_ends(fps).is_some_and(|own| own[end] == frames[end]))
                .filter_map(move |body| Some(body.key_ends()?[end]))
        };
        Some([keys(0).fold(frames[0], f64::max), keys(1).fold(frames[1], f64::min)])
    }

    /// The earliest key of any body and the latest; of clips, with `fps`, the frames that these
    /// belong to.
    fn ends(&self, fps: Option<f64>) -> Option<[f64; 2]> {
        let ends = self.bodies.iter().filter_map(|body| body.frame_ends(fps));
        ends.reduce(|[start, end], [first, last]| [start.min(first), end.max(last)])
    }

    /// The time at which a frame is sampled, seconds, by its own time: the same, or the end of the
    /// span that belongs to it.
    pub(crate) fn time_of_frame(&self, fps: f64) -> impl Fn(f64) -> f64 {
        let span = self.span_at(Some(fps));
        let frames = if self.span.is_some() { span } else { self.ends(Some(fps)) };
        move |time| {
            // Keys that a frame belongs to, moved by an offset, may be some roundings away from it.
            let is_same = |other: f64| (time - other).abs() <= 4.0 * f64::EPSILON * time.abs();
            let mut ends = span.into_iter().flatten().zip(frames.into_iter().flatten());
            ends.find(|&(end, frame)| is_same(end) || is_same(frame)).map_or(time, |(end, _)| end)
        }
    }

    /// The default times to test, in seconds, strictly increasing.
    ///
    /// With `fps`, every k / fps inside [`Self::default_span`]; an end of the span that differs
    /// from one by some roundings counts as that frame. Without, every key time of any body inside
    /// the span. A span of one instant is that instant, and a span in which no such time lies is
    /// both its ends. Empty where there is no span.
    pub fn sample_times(&self) -> Vec<f64> {
        self.times_at(self.fps)
    }

    /// As [`Scene::sample_times`], with other frames a second.
    pub(crate) fn times_at(&self, fps: Option<f64>) -> Vec<f64> {
        let Some([start, end]) = self.span_at(fps.or(self.fps)) else {
            return Vec::new();
        };
        if start == end {
            return vec![start];
        }
        if let Some(fps) = fps {
            // The product may round past a frame, so the quotient, which is what key times are, has
            // the last word.
            let first = (start * fps).floor() - 1.0;
            let time_of_frame = self.time_of_frame(fps);
            let frames: Vec<f64> = (0..=2 * MAX_FRAME_NUMBER + 2)
                .map(|step| time_of_frame((first + step as f64) / fps))
                .take_while(|&time| time <= end)
                .filter(|&time| time >= start)
                .collect();
            return if frames.is_empty() { vec![start, end] } else { frames };
        }
        let mut times: Vec<f64> = self
            .bodies
            .iter()
            .flat_map(|body| body.motion.times())
            .copied()
            .filter(|&time| start <= time && time <= end)
            .collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        if times.is_empty() { vec![start, end] } else { times }
    }
}

/// What reading a scene file may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SceneOptions {
    /// Whether the scene may name files outside its own folder: by absolute paths, by `..`, or by
    /// links that lead out.
    pub allow_outside: bool,
    /// Whether weights of glTF files that are negative, no numbers or all zero are repaired, with a
    /// note, instead of refused.
    pub repair: bool,
    /// Whether glTF bodies that do not say otherwise are stored, vertex by vertex at every key, see
    /// [`GltfSceneOptions`](super::gltf::GltfSceneOptions::stored).
    pub stored: bool,
}

impl SceneOptions {
    /// Sets whether the scene may name files outside its own folder.
    #[must_use]
    pub fn allowing_outside(self, allow_outside: bool) -> Self {
        Self { allow_outside, ..self }
    }

    /// Sets whether bad weights of glTF files are repaired.
    #[must_use]
    pub fn repairing(self, repair: bool) -> Self {
        Self { repair, ..self }
    }

    /// Sets whether glTF bodies that do not say otherwise are stored.
    #[must_use]
    pub fn storing(self, stored: bool) -> Self {
        Self { stored, ..self }
    }
}

/// Reads a scene file and every file it names, all in the scene file's folder or below.
///
/// Memory is the positions of all keys that are stored; time is linear in the files. glTF bodies
/// are reduced, unless the scene or [`SceneOptions::stored`] says otherwise.
///
/// # Errors
/// When any of the files is refused, or the scene file contradicts itself or them. The error names
/// the file to open and, where there is one, the body and the line.
pub fn read_scene(path: impl AsRef<Path>) -> Result<Scene, ReadError> {
    read_scene_with(path, SceneOptions::default())
}

/// As [`read_scene`], with options.
///
/// # Errors
/// As [`read_scene`].
pub fn read_scene_with(path: impl AsRef<Path>, options: SceneOptions) -> Result<Scene, ReadError> {
    read_scene_until(path.as_ref(), options, None)
}

/// As [`read_scene_with`]; a cancellation ends it before the next body.
pub(super) fn read_scene_until(
    path: &Path,
    options: SceneOptions,
    cancel: Option<&Cancel>,
) -> Result<Scene, ReadError> {
    go_on(cancel, path)?;
    let mut scene = parse_scene_until(&read_text(path, FileFormat::Scene)?, path, options, cancel)?;
    scene.files.insert(0, path.to_owned());
    Ok(scene)
}

/// Reads the text of a scene file and every file it names; `file` is named in errors, and paths
/// start at its folder.
///
/// # Errors
/// As [`read_scene`], apart from reading the scene file itself.
pub fn parse_scene(text: &str, file: &Path) -> Result<Scene, ReadError> {
    parse_scene_with(text, file, SceneOptions::default())
}

/// As [`parse_scene`], with options.
///
/// # Errors
/// As [`parse_scene`].
pub fn parse_scene_with(text: &str, file: &Path, options: SceneOptions) -> Result<Scene, ReadError> {
    parse_scene_until(text, file, options, None)
}

fn parse_scene_until(
    text: &str,
    file: &Path,
    options: SceneOptions,
    cancel: Option<&Cancel>,
) -> Result<Scene, ReadError> {
    let place = SceneFile { path: file, text };
    let scene: SceneText = toml::from_str(text).map_err(|error| place.syntax_error(&error))?;
    if scene.body.is_empty() {
        return Err(ReadError::new(file, SceneError::NoBodies));
    }
    let fps = match &scene.fps {
        Some(fps) => Some(check_fps(*fps.get_ref()).map_err(|error| place.at(fps, error))?),
        None => None,
    };
    let span = match &scene.span {
        Some(span) => Some(check_span(place, span)?),
        None => None,
    };
    check_names(place, &scene)?;
    let excluded = exclusion::pairs(place, &scene)?;

    let mut notes = Vec::new();
    let folder = Folder::of(file, options.allow_outside);
    let files = RefCell::default();
    let context = Context { place, folder: &folder, options, fps: scene.fps.as_ref(), span, files: &files };
    let mut models = Models::default();
    let mut bodies = Vec::with_capacity(scene.body.len());
    for body in &scene.body {
        go_on(cancel, file)?;
        let name = body.get_ref().name.get_ref();
        let loaded = load::load(&context, &mut models, body, &mut notes).map_err(|error| error.of_body(name))?;
        bodies.push(loaded);
    }
    let files = files.into_inner().into_iter().collect();
    let mut scene_data = Scene { bodies, excluded, span, fps, notes, files };
    scene_data.notes.extend(remarks::on_bodies(&scene_data));
    if let (Some(fps), Some(ends)) = (&scene.fps, scene_data.default_span()) {
        for time in ends {
            let frame = time * fps.get_ref();
            if frame.abs() > MAX_FRAME_NUMBER as f64 {
                return Err(place.at(fps, SceneError::FrameNumber { time, frame }));
            }
        }
    }
    Ok(scene_data)
}

fn check_span(place: SceneFile<'_>, span: &toml::Spanned<Vec<f64>>) -> Result<[f64; 2], ReadError> {
    let [start, end] = placement::numbers("span", span.get_ref()).map_err(|error| place.at(span, error))?;
    if start > end {
        return Err(place.at(span, SceneError::SpanReversed { start, end }));
    }
    Ok([start, end])
}

fn check_names(place: SceneFile<'_>, scene: &SceneText) -> Result<(), ReadError> {
    let names: BTreeSet<&String> = scene.body.iter().map(|body| body.get_ref().name.get_ref()).collect();
    let mut earlier = BTreeMap::new();
    for body in &scene.body {
        let body = body.get_ref();
        let name = body.name.get_ref();
        if name.trim().is_empty() {
            return Err(place.at(&body.name, SceneError::EmptyName { key: "name" }));
        }
        if let Some(first) = earlier.insert(name, &body.name) {
            let error = SceneError::DuplicateName { name: name.clone(), first_line: place.line(first) };
            return Err(place.at(&body.name, error));
        }
        let Some(group) = &body.group else { continue };
        if group.get_ref().trim().is_empty() {
            return Err(place.at(group, SceneError::EmptyName { key: "group" }).of_body(name));
        }
        if names.contains(group.get_ref()) {
            let group_name = group.get_ref().clone();
            let error = SceneError::GroupIsBody { name: group_name };
            return Err(place.at(group, error).of_body(name));
        }
    }
    Ok(())
}
