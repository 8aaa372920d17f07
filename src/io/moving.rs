//! A mesh and the file that moves it, before its frames have times.

use std::path::{Path, PathBuf};

use super::cache_frames::{CacheFrames, OpenCache};
use super::error::ReadError;
use super::folder::Folder;
use super::format::FileFormat;
use super::labels::{MeshFile, read_mesh};
use super::point_cache::CacheTiming;
use super::scene::{SceneError, check_order};
use super::sequence::read_frames;
use super::transforms::read_transforms;
use super::{MotionData, sequence};

/// Where the mesh is in every frame.
pub(super) enum Frames {
    /// Metres, frame-major.
    Positions(Vec<f32>),
    /// In a cache's file.
    Cached(CacheFrames),
    /// Row-major 4 × 4 for column vectors.
    Transforms(Vec<[f64; 16]>),
}

/// What the files of a moving body say.
pub(super) struct Moving {
    pub(super) file: MeshFile,
    /// The file of the mesh, or the pattern of the frames.
    pub(super) mesh_file: PathBuf,
    pub(super) count: usize,
    pub(super) frames: Frames,
    /// Seconds, one a frame, as the file states them: possibly useless.
    pub(super) own_times: Option<Vec<f64>>,
    /// A remark on a header that does not count, if it looks unusual.
    pub(super) unusual: Option<String>,
}

impl Moving {
    /// The motion at these times, one a frame.
    pub(super) fn at(frames: Frames, times: Vec<f64>) -> MotionData {
        match frames {
            Frames::Positions(positions) => MotionData::Keyframes { times, positions },
            Frames::Cached(frames) => MotionData::Cached { times, frames },
            Frames::Transforms(transforms) => MotionData::Rigid { times, transforms },
        }
    }
}

/// Reads a sequence of frames, compared with the mesh of a file if one is given.
pub(super) fn read_sequence(
    pattern: &Path,
    mesh_file: Option<&Path>,
    folder: Option<&Folder>,
) -> Result<Moving, ReadError> {
    let read = read_frames(pattern, sequence::format_of(pattern)?, mesh_file, folder)?;
    Ok(Moving {
        file: MeshFile::new(read.mesh, read.labels),
        mesh_file: mesh_file.unwrap_or(pattern).to_owned(),
        count: read.frames,
        frames: Frames::Positions(read.positions),
        own_times: None,
        unusual: None,
    })
}

/// Reads a mesh and a cache or track of transforms; `format` is that of the motion's name.
pub(super) fn read_moved(
    mesh_file: &Path,
    motion: &Path,
    format: FileFormat,
    checks_order: bool,
) -> Result<Moving, ReadError> {
    moved(read_mesh(mesh_file)?, mesh_file, motion, format, checks_order)
}

/// As [`read_moved`], with a mesh that was read.
pub(super) fn moved(
    file: MeshFile,
    mesh_file: &Path,
    motion: &Path,
    format: FileFormat,
    checks_order: bool,
) -> Result<Moving, ReadError> {
    let mesh_file = mesh_file.to_owned();
    if format == FileFormat::Transforms {
        let track = read_transforms(motion)?;
        let (count, frames) = (track.transforms.len(), Frames::Transforms(track.transforms));
        return Ok(Moving { file, mesh_file, count, frames, own_times: track.times, unusual: None });
    }
    let OpenCache { frames, timing, first } = CacheFrames::open(motion, format)?;
    let (mesh_vertices, motion_vertices) = (file.mesh.positions.len(), frames.vertex_count());
    if motion_vertices != mesh_vertices {
        let error = SceneError::VertexCount { mesh: mesh_file, mesh_vertices, motion_vertices };
        return Err(ReadError::new(motion, error));
    }
    if checks_order {
        check_order(&mesh_file, &file.mesh, &first).map_err(|error| ReadError::new(motion, error))?;
    }
    let (own_times, unusual) = match timing {
        CacheTiming::Mdd { times } => (Some(times.into_iter().map(f64::from).collect()), None),
        CacheTiming::Pc2 { start, rate } => (None, unusual_header(start, rate)),
    };
    let count = frames.frame_count();
    Ok(Moving { file, mesh_file, count, frames: Frames::Cached(frames), own_times, unusual })
}

/// Exporters start at frame 0 or 1 and step by 1 unless the artist asked for something else.
fn unusual_header(start: f32, rate: f32) -> Option<String> {
    let usual = rate == 1.0 && (start == 0.0 || start == 1.0);
    (!usual).then(|| {
        format!(
            "its header says start {start}, rate {rate}, which are not used: frame k is shown at k / fps seconds; \
             give the body `times` if that is wrong"
        )
    })
}
