//! One body of a scene: reads its files, gives its frames their times, puts it in its place.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use toml::Spanned;

use super::super::error::ReadError;
use super::super::folder::Folder;
use super::super::matrix::{compose, transform_point};
use super::super::mdd::read_mdd;
use super::super::obj::{read_faces, read_obj};
use super::super::obj_sequence::read_frames;
use super::super::pc2::read_pc2;
use super::super::point_cache::{CacheTiming, PointCache};
use super::super::timing::{TimingError, check_times, disagree, times_from_fps};
use super::super::transforms::read_transforms;
use super::super::{MeshData, MotionData};
use super::order;
use super::placement::{numbers, placement};
use super::text::{BodyText, SceneFile};
use super::{Outside, SceneBody, SceneError};
use crate::limits;

/// What the whole scene says that a body needs.
pub(super) struct Context<'a> {
    pub(super) place: SceneFile<'a>,
    pub(super) folder: &'a Folder,
    pub(super) fps: Option<&'a Spanned<f64>>,
    pub(super) span: Option<[f64; 2]>,
}

pub(super) fn load(
    context: &Context<'_>,
    spanned: &Spanned<BodyText>,
    notes: &mut Vec<String>,
) -> Result<SceneBody, ReadError> {
    let place = context.place;
    let body = spanned.get_ref();
    let placement = placement(place, body)?;
    let mesh_file = mesh_file(context, body)?;
    if let (Some(_), Some(velocity)) = (&body.motion, &body.velocity) {
        return Err(place.at(velocity, SceneError::MotionTwice));
    }
    let (mut mesh, mut motion, mesh_file, motion_file) = if let Some(motion) = &body.motion {
        let (mesh, data, mesh_file, file) = moving(context, spanned, motion, mesh_file, notes)?;
        (mesh, data, mesh_file, Some(file))
    } else {
        refuse_needless(place, body)?;
        let mesh_file = mesh_file.ok_or_else(|| place.at(spanned, SceneError::NoMesh))?;
        let motion = match &body.velocity {
            Some(velocity) => MotionData::Velocity {
                velocity: numbers("velocity", velocity.get_ref()).map_err(|error| place.at(velocity, error))?,
            },
            None => MotionData::Fixed,
        };
        (read_obj(&mesh_file)?, motion, mesh_file, None)
    };
    put(&mut mesh, &mut motion, placement.as_ref()).map_err(|error| place.at(spanned, error))?;
    let outside = outside(context, body, &motion)?;
    Ok(SceneBody {
        name: body.name.get_ref().clone(),
        mesh,
        motion,
        outside,
        self_contact: body.self_contact,
        neighbours: body.neighbours,
        thickness: thickness(place, body)?,
        tree: body.tree,
        group: body.group.as_ref().map(|group| group.get_ref().clone()),
        mesh_file,
        motion_file,
    })
}

fn thickness(place: SceneFile<'_>, body: &BodyText) -> Result<f64, ReadError> {
    let Some(thickness) = &body.thickness else { return Ok(0.0) };
    let value = *thickness.get_ref();
    // NaN is refused with what is out of range.
    if !(0.0..=limits::MAX_COORDINATE).contains(&value) {
        return Err(place.at(thickness, SceneError::Thickness { value }));
    }
    Ok(value)
}

fn extension(name: &str) -> String {
    Path::new(name).extension().and_then(OsStr::to_str).unwrap_or("").to_ascii_lowercase()
}

fn mesh_file(context: &Context<'_>, body: &BodyText) -> Result<Option<PathBuf>, ReadError> {
    let Some(mesh) = &body.mesh else { return Ok(None) };
    if extension(mesh.get_ref()) != "obj" {
        let name = mesh.get_ref().clone();
        return Err(context.place.at(mesh, SceneError::MeshFormat { name }));
    }
    named_file(context, mesh).map(Some)
}

/// The path of a file that the scene names.
fn named_file(context: &Context<'_>, name: &Spanned<String>) -> Result<PathBuf, ReadError> {
    context.folder.file(name.get_ref()).map_err(|error| context.place.at(name, error))
}

/// Keys that say something about a motion's frames, on a body that has no frames.
fn refuse_needless(place: SceneFile<'_>, body: &BodyText) -> Result<(), ReadError> {
    let needless = |key| SceneError::Needless { key };
    if let Some(fps) = &body.fps {
        return Err(place.at(fps, needless("fps")));
    }
    if let Some(times) = &body.times {
        return Err(place.at(times, needless("times")));
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
    mesh_file: Option<PathBuf>,
    notes: &mut Vec<String>,
) -> Result<(MeshData, MotionData, PathBuf, PathBuf), ReadError> {
    let place = context.place;
    let kind = extension(motion.get_ref());
    if !["pc2", "mdd", "json", "obj"].contains(&&*kind) {
        let name = motion.get_ref().clone();
        return Err(place.at(motion, SceneError::MotionFormat { name }));
    }
    let file = named_file(context, motion)?;
    let body = spanned.get_ref();
    if let Some(check) = body.check_order.as_ref().filter(|_| kind == "obj" || kind == "json") {
        return Err(place.at(check, SceneError::NeedlessOrder));
    }
    let keys = KeyTimes { context, spanned, file: &file };
    if kind == "obj" {
        let reference = match &mesh_file {
            Some(mesh_file) => Some((&**mesh_file, read_faces(mesh_file)?)),
            None => None,
        };
        let sequence = read_frames(&file, reference, Some(context.folder))?;
        let motion =
            MotionData::Keyframes { times: keys.resolve(sequence.frames, None, notes)?, positions: sequence.positions };
        let mesh_file = mesh_file.unwrap_or_else(|| file.clone());
        return Ok((sequence.mesh, motion, mesh_file, file));
    }
    let mesh_file = mesh_file.ok_or_else(|| place.at(spanned, SceneError::NoMesh))?;
    let mesh = read_obj(&mesh_file)?;
    let motion = if kind == "json" {
        let track = read_transforms(&file)?;
        MotionData::Rigid {
            times: keys.resolve(track.transforms.len(), track.times, notes)?,
            transforms: track.transforms,
        }
    } else {
        let cache = if kind == "pc2" { read_pc2(&file)? } else { read_mdd(&file)? };
        if cache.vertices != mesh.positions.len() {
            let error = SceneError::VertexCount {
                mesh: mesh_file,
                mesh_vertices: mesh.positions.len(),
                motion_vertices: cache.vertices,
            };
            return Err(ReadError::new(&file, error));
        }
        if body.check_order.as_ref().is_none_or(|check| *check.get_ref()) {
            order::check(&mesh_file, &mesh, &cache.positions).map_err(|error| ReadError::new(&file, error))?;
        }
        let own = keys.own_times(&cache, notes);
        MotionData::Keyframes { times: keys.resolve(cache.frames, own, notes)?, positions: cache.positions }
    };
    Ok((mesh, motion, mesh_file, file))
}

/// The sources of the frame times of one body; `timing` states their order.
struct KeyTimes<'a> {
    context: &'a Context<'a>,
    spanned: &'a Spanned<BodyText>,
    file: &'a Path,
}

impl KeyTimes<'_> {
    fn resolve(&self, frames: usize, own: Option<Vec<f64>>, notes: &mut Vec<String>) -> Result<Vec<f64>, ReadError> {
        let place = self.context.place;
        let body = self.spanned.get_ref();
        if let Some(times) = &body.times {
            if body.fps.is_some() {
                return Err(place.at(times, TimingError::Both));
            }
            check_times(times.get_ref(), frames).map_err(|error| place.at(times, error))?;
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

    /// The times a cache states; for a PC2, which states none in seconds, a remark where its header
    /// looks unusual.
    fn own_times(&self, cache: &PointCache, notes: &mut Vec<String>) -> Option<Vec<f64>> {
        match &cache.timing {
            CacheTiming::Mdd { times } => Some(times.iter().copied().map(f64::from).collect()),
            CacheTiming::Pc2 { start, rate } => {
                // Exporters start at frame 0 or 1 and step by 1 unless the artist asked for
                // something else.
                let usual = *rate == 1.0 && (*start == 0.0 || *start == 1.0);
                if !usual && self.spanned.get_ref().times.is_none() {
                    self.note(
                        notes,
                        &format!(
                            "its header says start {start}, rate {rate}, which are not used: \
                             frame k is shown at k / fps seconds; give the body `times` if that is wrong"
                        ),
                    );
                }
                None
            }
        }
    }

    fn note(&self, notes: &mut Vec<String>, text: &str) {
        let name = self.spanned.get_ref().name.get_ref();
        notes.push(format!("{} (body \"{name}\"): {text}", self.file.display()));
    }
}

/// Applies a placement, if there is one, and checks that every position the body is given fits an
/// f32.
fn put(mesh: &mut MeshData, motion: &mut MotionData, placement: Option<&[f64; 16]>) -> Result<(), SceneError> {
    if let MotionData::Rigid { transforms, .. } = motion {
        for (key, transform) in transforms.iter_mut().enumerate() {
            if let Some(placement) = placement {
                *transform = compose(placement, transform);
            }
            for (vertex, &point) in mesh.positions.iter().enumerate() {
                check_placed(Some(key), vertex, transform_point(transform, point))?;
            }
        }
        return Ok(());
    }
    let Some(placement) = placement else { return Ok(()) };
    for (vertex, point) in mesh.positions.iter_mut().enumerate() {
        *point = check_placed(None, vertex, transform_point(placement, *point))?;
    }
    if let MotionData::Keyframes { positions, .. } = motion {
        let vertices = mesh.positions.len().max(1);
        let (points, _) = positions.as_chunks_mut::<3>();
        for (at, point) in points.iter_mut().enumerate() {
            let (key, vertex) = (at / vertices, at % vertices);
            *point = check_placed(Some(key), vertex, transform_point(placement, *point))?;
        }
    }
    Ok(())
}

fn check_placed(key: Option<usize>, vertex: usize, point: [f32; 3]) -> Result<[f32; 3], SceneError> {
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
