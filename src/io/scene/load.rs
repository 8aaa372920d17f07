//! One body of a scene: reads its files, gives its frames their times, puts it in its place.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml::Spanned;

use super::super::error::ReadError;
use super::super::folder::Folder;
use super::super::format::{FileFormat, foreign};
use super::super::labels::{MeshFile, read_mesh};
use super::super::matrix::{compose, transform_point};
use super::super::moving::{Moving, moved, read_sequence};
use super::super::sequence::{NamePattern, files_of};
use super::super::timing::{TimingError, check_times, disagree, times_from_fps};
use super::super::{MeshData, MotionData};
use super::model::{Models, is_model, offset};
use super::placement::{numbers, placement};
use super::plan::PlanError;
use super::shape::{SceneShape, ShapeError, check_keys, stated};
use super::stated;
use super::text::{BodyText, Metres, SceneFile};
use super::{Outside, SceneBody, SceneError, SceneOptions};
use crate::limits;
use crate::reduced::Affine;

/// What the whole scene says that a body needs.
pub(super) struct Context<'a> {
    pub(super) place: SceneFile<'a>,
    pub(super) folder: &'a Folder,
    pub(super) options: SceneOptions,
    pub(super) fps: Option<&'a Spanned<f64>>,
    pub(super) span: Option<[f64; 2]>,
    /// The files that bodies have named.
    pub(super) files: &'a RefCell<BTreeSet<PathBuf>>,
}

pub(super) fn load(
    context: &Context<'_>,
    models: &mut Models,
    spanned: &Spanned<BodyText>,
    notes: &mut Vec<String>,
) -> Result<SceneBody, ReadError> {
    let place = context.place;
    let body = spanned.get_ref();
    let placement = placement(place, body)?;
    check_keys(context, body)?;
    let model = body.mesh.as_ref().filter(|mesh| is_model(mesh.get_ref()) && body.spheres.is_none());
    let mut loaded = match model {
        Some(mesh) => models.body(context, body, mesh, notes)?,
        None if body.spheres.is_some() => stated::spheres(context, spanned, notes)?,
        None => from_files(context, spanned, notes)?,
    };
    put(&mut loaded.mesh, &mut loaded.motion, placement.as_ref(), |error| place.at(spanned, error))?;
    if let Some(placement) = &placement {
        loaded.deviation = loaded.deviation.map(|deviation| stretched(deviation, placement));
        loaded.measured_deviation = stretched(loaded.measured_deviation, placement);
    }
    loaded.outside = outside(context, body, &loaded.motion)?;
    loaded.name.clone_from(body.name.get_ref());
    loaded.self_contact = body.self_contact;
    loaded.neighbours = body.neighbours;
    loaded.thickness = thickness(place, body)?;
    loaded.tree = body.tree;
    loaded.group = body.group.as_ref().map(|group| group.get_ref().clone());
    stated::check(context, spanned, &mut loaded)?;
    Ok(loaded)
}

/// A length under a map, at most.
fn stretched(length: f64, matrix: &[f64; 16]) -> f64 {
    let (rows, _) = matrix.as_chunks::<4>();
    length * Affine::from_rows([rows[0], rows[1], rows[2]]).stretch()
}

/// The mesh of a body at rest.
enum Rest {
    /// Stated by the scene, or read from the file of its numbers.
    Stated(MeshFile, PathBuf),
    /// In this mesh file.
    Named(PathBuf),
}

impl Rest {
    fn read(self) -> Result<(MeshFile, PathBuf), ReadError> {
        match self {
            Self::Stated(file, path) => Ok((file, path)),
            Self::Named(path) => Ok((read_mesh(&path)?, path)),
        }
    }
}

fn from_files(
    context: &Context<'_>,
    spanned: &Spanned<BodyText>,
    notes: &mut Vec<String>,
) -> Result<SceneBody, ReadError> {
    let place = context.place;
    let body = spanned.get_ref();
    refuse_keys_of_models(place, body)?;
    let given = stated(context, body)?;
    let shape = given.as_ref().map_or(SceneShape::Triangles, |given| given.shape.clone());
    let rest = match given {
        Some(given) => Some(Rest::Stated(given.file, given.path)),
        None => mesh_file(context, body)?.map(Rest::Named),
    };
    if let (Some(_), Some(velocity)) = (&body.motion, &body.velocity) {
        return Err(place.at(velocity, SceneError::MotionTwice));
    }
    let (file, motion, mesh_file, motion_file) = if let (Some(motion), None) = (&body.motion, &body.plan) {
        let (file, data, mesh_file, motion) = moving(context, spanned, motion, rest, notes)?;
        (file, data, mesh_file, Some(motion))
    } else {
        let rest = rest.ok_or_else(|| place.at(spanned, SceneError::NoMesh))?;
        if body.plan.is_none() {
            refuse_needless(place, body)?;
        }
        let (file, path) = rest.read()?;
        let motion = match (&body.plan, &body.velocity) {
            (Some(plan), _) => stated::plan(context, body, plan, &file.mesh.positions)?,
            (None, Some(velocity)) => MotionData::Velocity {
                velocity: numbers("velocity", velocity.get_ref()).map_err(|error| place.at(velocity, error))?,
            },
            (None, None) => MotionData::Fixed,
        };
        (file, motion, path, None)
    };
    let name = body.name.get_ref().clone();
    Ok(SceneBody { shape, labels: file.labels, mesh_file, motion_file, ..SceneBody::new(&name, file.mesh, motion) })
}

fn thickness(place: SceneFile<'_>, body: &BodyText) -> Result<f64, ReadError> {
    let Some(thickness) = &body.thickness else { return Ok(0.0) };
    let Metres(value) = *thickness.get_ref();
    // NaN is refused with what is out of range.
    if !(0.0..=limits::MAX_COORDINATE).contains(&value) {
        return Err(place.at(thickness, SceneError::Thickness { value }));
    }
    Ok(value)
}

/// The path of the body's mesh file, if it has one.
pub(super) fn mesh_file(context: &Context<'_>, body: &BodyText) -> Result<Option<PathBuf>, ReadError> {
    let Some(mesh) = &body.mesh else { return Ok(None) };
    if let Some(error) = foreign(Path::new(mesh.get_ref()), &[]) {
        return Err(context.place.at(mesh, error));
    }
    if !FileFormat::of_ending(mesh.get_ref()).is_some_and(FileFormat::is_mesh) {
        let name = mesh.get_ref().clone();
        return Err(context.place.at(mesh, SceneError::MeshFormat { name }));
    }
    let path = named_file(context, mesh)?;
    if NamePattern::is_one(&path) && !path.exists() {
        return Err(context.place.at(mesh, SceneError::MeshIsSequence { name: mesh.get_ref().clone() }));
    }
    Ok(Some(path))
}

/// The path of a file that the scene names.
pub(super) fn named_file(context: &Context<'_>, name: &Spanned<String>) -> Result<PathBuf, ReadError> {
    named(context, name, name.get_ref())
}

/// The path of a file that a part of a value names.
pub(super) fn named<T>(context: &Context<'_>, value: &Spanned<T>, name: &str) -> Result<PathBuf, ReadError> {
    check_path(name).map_err(|error| context.place.at(value, error))?;
    let path = context.folder.file(name).map_err(|error| context.place.at(value, error))?;
    context.files.borrow_mut().extend(files_of(&path));
    Ok(path)
}

/// Refuses a path that is hardly meant as a scene file has it.
pub(in crate::io) fn check_path(name: &str) -> Result<(), SceneError> {
    match name.chars().find(|character| character.is_control()) {
        Some(character) => Err(SceneError::PathEscape { name: name.to_owned(), character }),
        None => Ok(()),
    }
}

/// Keys that say something about a glTF file, on a body that has none.
pub(super) fn refuse_keys_of_models(place: SceneFile<'_>, body: &BodyText) -> Result<(), ReadError> {
    let needless = |key| SceneError::NeedsModel { key };
    if let Some(tolerance) = &body.tolerance {
        return Err(place.at(tolerance, needless("tolerance")));
    }
    if let Some(clip) = &body.clip {
        return Err(place.at(clip, needless("clip")));
    }
    if let Some(clips) = &body.clips {
        return Err(place.at(clips, needless("clips")));
    }
    if let Some(stored) = &body.stored {
        return Err(place.at(stored, needless("stored")));
    }
    if let Some(blend) = &body.blend {
        return Err(place.at(blend, needless("blend")));
    }
    Ok(())
}

/// Keys that say something about a motion's frames, on a body that has no frames.
pub(super) fn refuse_needless(place: SceneFile<'_>, body: &BodyText) -> Result<(), ReadError> {
    let needless = |key| match &body.velocity {
        Some(_) => SceneError::NeedlessWithVelocity { key },
        None => SceneError::Needless { key },
    };
    if let Some(fps) = &body.fps {
        return Err(place.at(fps, needless("fps")));
    }
    if let Some(times) = &body.times {
        return Err(place.at(times, needless("times")));
    }
    if let Some(offset) = &body.offset {
        return Err(place.at(offset, needless("offset")));
    }
    if let Some(outside) = &body.outside {
        return Err(place.at(outside, needless("outside")));
    }
    if let Some(check) = &body.check_order {
        return Err(place.at(check, SceneError::NeedlessOrder));
    }
    Ok(())
}

/// Mesh, motion, and the files they came from, of a body whose motion is in a file.
fn moving(
    context: &Context<'_>,
    spanned: &Spanned<BodyText>,
    motion: &Spanned<String>,
    rest: Option<Rest>,
    notes: &mut Vec<String>,
) -> Result<(MeshFile, MotionData, PathBuf, PathBuf), ReadError> {
    let place = context.place;
    if let Some(error) = foreign(Path::new(motion.get_ref()), &[]) {
        return Err(place.at(motion, error));
    }
    let Some(format) = FileFormat::of_ending(motion.get_ref()).filter(|format| format.is_motion() || format.is_mesh())
    else {
        let name = motion.get_ref().clone();
        return Err(place.at(motion, SceneError::MotionFormat { name }));
    };
    let file = named_file(context, motion)?;
    let body = spanned.get_ref();
    let is_cache = matches!(format, FileFormat::Pc2 | FileFormat::Mdd);
    if let Some(check) = body.check_order.as_ref().filter(|_| !is_cache) {
        return Err(place.at(check, SceneError::NeedlessOrder));
    }
    let moving = if format.is_mesh() {
        let mesh_file = match rest {
            Some(Rest::Stated(..)) => return Err(place.at(motion, SceneError::from(ShapeError::Sequence))),
            Some(Rest::Named(path)) => Some(path),
            None => None,
        };
        read_sequence(&file, mesh_file.as_deref(), Some(context.folder))?
    } else {
        let (mesh, path) = rest.ok_or_else(|| place.at(spanned, SceneError::NoMesh))?.read()?;
        let checks_order = body.check_order.as_ref().is_none_or(|check| *check.get_ref());
        moved(mesh, &path, &file, format, checks_order)?
    };
    let keys = KeyTimes { context, spanned, file: &file };
    if let Some(unusual) = moving.unusual.filter(|_| body.times.is_none()) {
        keys.note(notes, &unusual);
    }
    let mut times = keys.resolve(moving.count, moving.own_times, notes)?;
    later(&mut times, context, body)?;
    Ok((moving.file, Moving::at(moving.frames, times), moving.mesh_file, file))
}

/// Moves key times by the body's `offset`, which must keep them apart.
pub(super) fn later(times: &mut [f64], context: &Context<'_>, body: &BodyText) -> Result<(), ReadError> {
    let (Some(spanned), value) = (&body.offset, offset(context, body)?) else { return Ok(()) };
    times.iter_mut().for_each(|time| *time += value);
    check_times(times, times.len()).map_err(|_| context.place.at(spanned, SceneError::Offset { value }))
}

/// The sources of the frame times of one body; `timing` states their order.
pub(super) struct KeyTimes<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) spanned: &'a Spanned<BodyText>,
    pub(super) file: &'a Path,
}

impl KeyTimes<'_> {
    pub(super) fn resolve(
        &self,
        frames: usize,
        own: Option<Vec<f64>>,
        notes: &mut Vec<String>,
    ) -> Result<Vec<f64>, ReadError> {
        let place = self.context.place;
        let body = self.spanned.get_ref();
        if let Some(times) = &body.times {
            if body.fps.is_some() {
                return Err(place.at(times, TimingError::Both));
            }
            check_times(times.get_ref(), frames).map_err(|error| place.at(times, error))?;
            if own.is_some_and(|own| disagree(&own, times.get_ref())) {
                let text =
                    "the file has frame times of its own, which differ from the `times` of the body; these are used";
                self.note(notes, text);
            }
            return Ok(times.get_ref().clone());
        }
        if let Some(fps) = body.fps.as_ref().or(self.context.fps) {
            let times = times_from_fps(frames, *fps.get_ref()).map_err(|error| place.at(fps, error))?;
            if own.is_some_and(|own| disagree(&own, &times)) {
                self.note(
                    notes,
                    &format!(
                        "the file has frame times of its own, which differ from the {} frames a second of the scene; \
                         the scene's are used",
                        fps.get_ref()
                    ),
                );
            }
            return Ok(times);
        }
        let Some(own) = own else {
            return Err(place.at(self.spanned, TimingError::Missing));
        };
        check_times(&own, frames).map_err(|error| ReadError::new(self.file, error))?;
        Ok(own)
    }

    fn note(&self, notes: &mut Vec<String>, text: &str) {
        let name = self.spanned.get_ref().name.get_ref();
        notes.push(format!("{} (body \"{name}\"): {text}", self.file.display()));
    }
}

/// Applies a placement, if there is one, and checks that every position the body is given fits an
/// f32.
fn put(
    mesh: &mut MeshData,
    motion: &mut MotionData,
    placement: Option<&[f64; 16]>,
    refuse: impl Fn(SceneError) -> ReadError,
) -> Result<(), ReadError> {
    if let MotionData::Rigid { transforms, .. } = motion {
        let mut far = [0.0f64; 3];
        for point in &mesh.positions {
            for (far, x) in far.iter_mut().zip(point) {
                *far = if x.is_finite() { far.max(f64::from(x.abs())) } else { f64::INFINITY };
            }
        }
        for (key, transform) in transforms.iter_mut().enumerate() {
            if let Some(placement) = placement {
                *transform = compose(placement, transform);
            }
            // Most matrices take no vertex anywhere near the bound.
            let reach = |row: usize| {
                let [a, b, c, d] = [0, 1, 2, 3].map(|column| transform[4 * row + column].abs());
                a * far[0] + b * far[1] + c * far[2] + d
            };
            if (0..3).all(|row| reach(row) < f64::from(f32::MAX) / 2.0) {
                continue;
            }
            for (vertex, &point) in mesh.positions.iter().enumerate() {
                check_placed(Some(key), vertex, transform_point(transform, point)).map_err(&refuse)?;
            }
        }
        return Ok(());
    }
    let Some(placement) = placement else { return Ok(()) };
    for (vertex, point) in mesh.positions.iter_mut().enumerate() {
        *point = check_placed(None, vertex, transform_point(placement, *point)).map_err(&refuse)?;
    }
    if let MotionData::Reduced(reduced) = motion {
        *reduced = reduced.placed(placement).map_err(|error| refuse(SceneError::Placed(error)))?;
    }
    if let MotionData::Cached { frames, .. } = motion {
        let check = |key, vertex, point| check_placed(Some(key), vertex, point).map(|_| ()).map_err(&refuse);
        *frames = frames.placed(placement, check)?;
    }
    if let MotionData::Planned(planned) = motion {
        let stretched = ShapeError::SpheresStretched { key: None };
        *planned = planned.clone().placed(placement).ok_or_else(|| refuse(stretched.into()))?;
    }
    if let MotionData::Keyframes { positions, .. } = motion {
        let vertices = mesh.positions.len().max(1);
        let (points, _) = positions.as_chunks_mut::<3>();
        for (at, point) in points.iter_mut().enumerate() {
            let (key, vertex) = (at / vertices, at % vertices);
            *point = check_placed(Some(key), vertex, transform_point(placement, *point)).map_err(&refuse)?;
        }
    }
    Ok(())
}

pub(super) fn check_placed(key: Option<usize>, vertex: usize, point: [f32; 3]) -> Result<[f32; 3], SceneError> {
    if point.iter().all(|coordinate| coordinate.is_finite()) {
        Ok(point)
    } else {
        Err(SceneError::PlacedTooFar { key, vertex, point })
    }
}

fn outside(context: &Context<'_>, body: &BodyText, motion: &MotionData) -> Result<Outside, ReadError> {
    let Some(outside) = &body.outside else {
        return Ok(Outside::default());
    };
    let refuse = |error| Err(context.place.at(outside, error));
    if matches!(motion, MotionData::Planned(planned) if planned.is_endless()) {
        return refuse(PlanError::Endless.into());
    }
    let times = motion.times();
    if let (Some(&first), Some(&last)) = (times.first(), times.last()) {
        match (outside.get_ref(), context.span) {
            (Outside::Loop, _) if first == last => return refuse(SceneError::LoopOfOne),
            (Outside::Error, Some(span)) if span[0] < first || span[1] > last => {
                let keys = [first, last];
                return refuse(SceneError::SpanOutsideMotion { span, keys });
            }
            _ => {}
        }
    }
    Ok(*outside.get_ref())
}
