//! Numbered mesh files, one a frame: `frames/cloth_####.obj` or `frames/cloth_%04d.ply`.
//!
//! The numbers found on disk are the frames, from the lowest to the highest without a gap. `####`
//! means at least as many digits as there are signs, filled with zeros, so `cloth_9999.obj` may be
//! followed by `cloth_10000.obj`; `%04d` means the same, `%d` means no filling. The pattern stands
//! in the file name, never in a folder's.
//!
//! The faces of every frame are compared with the first frame's, corner by corner: a remeshed or
//! re-ordered frame would give vertices that jump from one place of the surface to another. STL has
//! no vertices: corners are one vertex if their positions are equal in every frame. Memory holds
//! one frame's mesh and all positions, for STL all corners.
//!
//! | file | content |
//! |---|---|
//! | `pattern` | names with a place for the number |
//! | `error` | what can be wrong |

mod error;
mod pattern;

use std::path::{Path, PathBuf};

pub use self::error::SequenceError;
pub(in crate::io) use self::pattern::NamePattern;
use super::error::ReadError;
use super::folder::Folder;
use super::format::{FileFormat, foreign};
use super::obj::{ParsedObj, read_faces};
use super::ply::read_ply;
use super::stl::{Corners, Welding, read_corners};
use super::{MeshData, MeshFile};
use crate::incident::PartLabels;

/// A mesh and where its vertices are in every frame of the sequence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshSequence {
    /// The first frame's mesh.
    pub mesh: MeshData,
    /// Names of triangles of the mesh.
    pub labels: PartLabels,
    /// Number in the first frame's file name.
    pub first_number: u64,
    /// How many frames there are.
    pub frames: usize,
    /// Metres, frame-major: frames × vertices × 3.
    pub positions: Vec<f32>,
}

/// Reads a numbered sequence of OBJ files.
///
/// # Errors
/// As [`read_mesh_sequence`].
pub fn read_obj_sequence(pattern: impl AsRef<Path>) -> Result<MeshSequence, ReadError> {
    read_frames(pattern.as_ref(), FileFormat::Obj, None, None)
}

/// Reads a numbered sequence of OBJ, PLY or STL files, as the ending of the pattern says.
///
/// # Errors
/// When the ending is none of these, the pattern has no place for a number, no file fits it, a
/// number between the lowest and the highest is missing, a file is refused as [`super::read_mesh`]
/// does, or a frame's vertex count or faces differ from the first frame's.
pub fn read_mesh_sequence(pattern: impl AsRef<Path>) -> Result<MeshSequence, ReadError> {
    let pattern = pattern.as_ref();
    read_frames(pattern, format_of(pattern)?, None, None)
}

/// The files that a path stands for: itself, and for a pattern the frames on disk.
pub(super) fn files_of(path: &Path) -> Vec<PathBuf> {
    let frames = NamePattern::parse(path).and_then(|name| {
        let numbers = name.numbers_on_disk(path)?;
        Ok(numbers.into_iter().map(|number| name.path(number)).collect::<Vec<_>>())
    });
    let itself = path.exists().then(|| path.to_owned());
    itself.into_iter().chain(frames.unwrap_or_default()).collect()
}

/// The format of the frames, by the ending of the pattern.
pub(super) fn format_of(pattern: &Path) -> Result<FileFormat, ReadError> {
    foreign(pattern, &[]).map_or(Ok(()), |error| Err(ReadError::new(pattern, error)))?;
    let format = FileFormat::of_ending(pattern).filter(|format| format.is_mesh());
    format.ok_or_else(|| ReadError::new(pattern, SequenceError::Format))
}

/// As [`read_mesh_sequence`]; with the file of a mesh given, its faces are what every frame is
/// compared with; with a folder given, no frame is a link that leads out of it.
pub(super) fn read_frames(
    pattern: &Path,
    format: FileFormat,
    mesh: Option<&Path>,
    folder: Option<&Folder>,
) -> Result<MeshSequence, ReadError> {
    let name = NamePattern::parse(pattern)?;
    let numbers = name.numbers_on_disk(pattern)?;
    if let Some((name, digits)) = name.longer_name(&numbers) {
        return Err(ReadError::new(pattern, SequenceError::FewerDigits { name, digits }));
    }
    let (Some(&first), Some(&last)) = (numbers.first(), numbers.last()) else {
        return Err(ReadError::new(pattern, SequenceError::NoFrames));
    };
    if let Some(gap) = numbers.windows(2).find(|pair| pair[1] - pair[0] > 1) {
        let missing = gap[0] + 1;
        let error = SequenceError::FrameMissing { first, last, step_to: gap[1] };
        return Err(ReadError::new(&name.path(missing), error));
    }
    for &number in &numbers {
        let file = name.path(number);
        folder.map_or(Ok(()), |folder| folder.check(&file)).map_err(|error| ReadError::new(&file, error))?;
    }
    let reference_file = mesh.map_or_else(|| name.path(first), Path::to_owned);
    if FileFormat::of_ending(&reference_file) != Some(format) {
        return Err(ReadError::new(&reference_file, SequenceError::Mixed { wanted: format.name() }));
    }
    let reference = Frame::read(&reference_file, format)?;
    let mut positions = Vec::new();
    for &number in &numbers {
        let file = name.path(number);
        if file == reference_file {
            positions.extend_from_slice(reference.positions());
            continue;
        }
        let frame = Frame::read(&file, format)?;
        compare(&file, &frame, &reference_file, &reference)?;
        positions.extend_from_slice(frame.positions());
    }
    let (file, positions) = reference.finish(positions);
    let frames = numbers.len();
    let positions = positions.into_flattened();
    Ok(MeshSequence { mesh: file.mesh, labels: file.labels, first_number: first, frames, positions })
}

/// One frame, as its format has it.
enum Frame {
    Obj(ParsedObj),
    Ply(MeshData),
    Stl(Corners),
}

impl Frame {
    fn read(file: &Path, format: FileFormat) -> Result<Self, ReadError> {
        match format {
            FileFormat::Ply => read_ply(file).map(Self::Ply),
            FileFormat::Stl => read_corners(file).map(Self::Stl),
            _ => read_faces(file).map(Self::Obj),
        }
    }

    /// Of vertices; of STL of corners.
    fn positions(&self) -> &[[f32; 3]] {
        match self {
            Self::Obj(parsed) => &parsed.mesh.positions,
            Self::Ply(mesh) => &mesh.positions,
            Self::Stl(corners) => &corners.positions,
        }
    }

    /// The mesh, and the positions of its vertices in all frames.
    fn finish(self, positions: Vec<[f32; 3]>) -> (MeshFile, Vec<[f32; 3]>) {
        match self {
            Self::Obj(parsed) => (MeshFile::new(parsed.mesh, parsed.labels), positions),
            Self::Ply(mesh) => (MeshFile::new(mesh, PartLabels::default()), positions),
            Self::Stl(corners) => {
                let mut welding = Welding::new(corners.positions.len());
                welding.split(&corners.positions);
                let frames = || positions.chunks(corners.positions.len().max(1));
                frames().for_each(|frame| welding.split(frame));
                let mesh = MeshData { positions: welding.pick(&corners.positions), triangles: welding.triangles() };
                let picked = frames().flat_map(|frame| welding.pick(frame)).collect();
                (MeshFile::new(mesh, corners.labels), picked)
            }
        }
    }
}

fn compare(file: &Path, frame: &Frame, reference_file: &Path, reference: &Frame) -> Result<(), ReadError> {
    let refuse = |error| Err(ReadError::new(file, error));
    let (found, expected) = (frame.positions().len(), reference.positions().len());
    let reference_path = || reference_file.to_owned();
    match (frame, reference) {
        (Frame::Stl(_), Frame::Stl(_)) if found != expected => {
            let (found, expected) = (found / 3, expected / 3);
            refuse(SequenceError::FaceCount { found, expected, reference: reference_path() })
        }
        _ if found != expected => refuse(SequenceError::VertexCount { found, expected, reference: reference_path() }),
        (Frame::Obj(frame), Frame::Obj(reference)) => compare_faces(file, frame, reference_file, reference),
        (Frame::Ply(frame), Frame::Ply(reference)) => {
            let mut pairs = frame.triangles.iter().zip(&reference.triangles);
            if let Some(triangle) = pairs.position(|(found, expected)| found != expected) {
                let (found, expected) = (frame.triangles[triangle], reference.triangles[triangle]);
                return refuse(SequenceError::Triangle { triangle, found, expected, reference: reference_path() });
            }
            let (found, expected) = (frame.triangles.len(), reference.triangles.len());
            if found != expected {
                return refuse(SequenceError::FaceCount { found, expected, reference: reference_path() });
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn compare_faces(
    file: &Path,
    frame: &ParsedObj,
    reference_file: &Path,
    reference: &ParsedObj,
) -> Result<(), ReadError> {
    let common = frame.faces.len().min(reference.faces.len());
    for face in 0..common {
        let (found, expected) = (frame.faces.corners(face), reference.faces.corners(face));
        if found != expected {
            let one_based = |corners: &[u32]| corners.iter().map(|&c| u64::from(c) + 1).collect();
            let error = SequenceError::Face {
                face: face + 1,
                found: one_based(found),
                expected: one_based(expected),
                reference: reference_file.to_owned(),
                reference_line: reference.faces.line(face),
            };
            return Err(ReadError::new(file, error).at_line(frame.faces.line(face)));
        }
    }
    let (found, expected) = (frame.faces.len(), reference.faces.len());
    if found != expected {
        let error = SequenceError::FaceCount { found, expected, reference: reference_file.to_owned() };
        return Err(ReadError::new(file, error));
    }
    Ok(())
}
