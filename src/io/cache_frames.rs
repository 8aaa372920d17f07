//! Frames of a point cache that stay in their file.

use std::io::{BufReader, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::error::{FileError, ReadError};
use super::format::FileFormat;
use super::matrix::transform_point;
use super::point_cache::{CacheTiming, Decode, Header, POSITION_BYTES, big_endian, little_endian, read_frames};
use super::source::{open, refused};
use super::{mdd, pc2};

/// Frames of a PC2 or MDD cache. They are read from the file when they are needed, so that memory
/// does not grow with their number.
///
/// The file must stay as it is. Reading refuses a file whose length or time of change is another.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheFrames {
    file: Arc<CacheFile>,
    /// Row-major 4 × 4 for column vectors: where the frames are put.
    placement: Option<[f64; 16]>,
}

#[derive(Debug, PartialEq)]
struct CacheFile {
    path: PathBuf,
    format: FileFormat,
    frames: usize,
    vertices: usize,
    /// Bytes before the first position.
    start: u64,
    length: u64,
    changed: Option<SystemTime>,
}

/// A cache whose frames were all read once.
pub(super) struct OpenCache {
    pub(super) frames: CacheFrames,
    pub(super) timing: CacheTiming,
    /// Positions in the first frame, metres.
    pub(super) first: Vec<f32>,
}

impl CacheFrames {
    /// Opens a cache and checks all its frames. O(file); memory of one frame.
    pub(super) fn open(path: &Path, format: FileFormat) -> Result<OpenCache, ReadError> {
        let (file, length) = open(path)?;
        let changed = file.metadata().and_then(|metadata| metadata.modified()).ok();
        let mut reader = BufReader::new(file);
        let read_header = if format == FileFormat::Pc2 { pc2::read_header } else { mdd::read_header };
        let Header { frames, vertices, bytes, timing } = read_header(&mut reader, length, path)?;
        let file = CacheFile { path: path.to_owned(), format, frames, vertices, start: bytes, length, changed };
        let mut first = Vec::new();
        read_frames(&mut reader, path, 0..frames, vertices, file.decode(), |frame, positions| {
            if frame == 0 {
                first = positions.to_vec();
            }
            Ok(())
        })?;
        Ok(OpenCache { frames: Self { file: Arc::new(file), placement: None }, timing, first })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// The number of frames, at least one.
    pub fn frame_count(&self) -> usize {
        self.file.frames
    }

    /// The number of vertices of a frame, at least one.
    pub fn vertex_count(&self) -> usize {
        self.file.vertices
    }

    /// Bytes of the positions of one frame in memory.
    pub(crate) fn frame_bytes(&self) -> usize {
        self.file.vertices * POSITION_BYTES
    }

    /// Reads frames, counted from 0: metres, frame-major, frames × vertices × 3, placed in the
    /// scene. Frames that the file does not have are left out.
    ///
    /// # Errors
    /// A file that cannot be read, or has changed since the scene was read.
    pub fn read(&self, frames: Range<usize>) -> Result<Vec<f32>, ReadError> {
        let mut positions = Vec::new();
        self.append(frames, &mut positions)?;
        Ok(positions.into_flattened())
    }

    /// As [`CacheFrames::read`]; appends the positions.
    pub(super) fn append(&self, frames: Range<usize>, positions: &mut Vec<[f32; 3]>) -> Result<(), ReadError> {
        let frames = frames.start.min(self.file.frames)..frames.end.min(self.file.frames);
        let count = frames.len().saturating_mul(self.file.vertices);
        positions.try_reserve_exact(count).map_err(|_| ReadError::new(&self.file.path, FileError::TooLarge))?;
        self.visit(frames, |_, frame| {
            positions.extend_from_slice(frame.as_chunks::<3>().0);
            Ok(())
        })
    }

    /// The same frames, put elsewhere. `check` is given the number of each frame, of a vertex, and
    /// where it is put. O(file).
    pub(super) fn placed(
        &self,
        placement: &[f64; 16],
        mut check: impl FnMut(usize, usize, [f32; 3]) -> Result<(), ReadError>,
    ) -> Result<Self, ReadError> {
        let placed = Self { file: Arc::clone(&self.file), placement: Some(*placement) };
        placed.visit(0..self.file.frames, |frame, positions| {
            let (points, _) = positions.as_chunks::<3>();
            points.iter().enumerate().try_for_each(|(vertex, &point)| check(frame, vertex, point))
        })?;
        Ok(placed)
    }

    /// Reads frames one at a time, placed.
    fn visit(
        &self,
        frames: Range<usize>,
        mut take: impl FnMut(usize, &[f32]) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let CacheFile { path, vertices, start, length, changed, .. } = &*self.file;
        let (file, found) = open(path)?;
        if found != *length || file.metadata().and_then(|metadata| metadata.modified()).ok() != *changed {
            return Err(ReadError::new(path, FileError::Changed));
        }
        let mut reader = BufReader::new(file);
        // Within the file's length, which was checked.
        let from = start + (frames.start * vertices * POSITION_BYTES) as u64;
        reader.seek(SeekFrom::Start(from)).map_err(|error| refused(path, &error))?;
        let mut moved = Vec::new();
        read_frames(&mut reader, path, frames, *vertices, self.file.decode(), |frame, positions| {
            let Some(placement) = &self.placement else { return take(frame, positions) };
            let (points, _) = positions.as_chunks::<3>();
            moved.clear();
            moved.extend(points.iter().flat_map(|&point| transform_point(placement, point)));
            take(frame, &moved)
        })
    }
}

impl CacheFile {
    fn decode(&self) -> Decode {
        if self.format == FileFormat::Pc2 { little_endian } else { big_endian }
    }
}
