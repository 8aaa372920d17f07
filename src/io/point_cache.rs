//! What the two point-cache formats share: a block of frames of positions after a small header.
//!
//! The header's counts are checked against the file's length before anything is allocated, so a
//! damaged header costs nothing. Positions are then read one frame at a time: memory is the
//! positions plus one frame, time is linear in the file.

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use super::error::{FileError, ReadError, ReadErrorKind};
use super::source::refused;

/// Bytes of one position: three 32-bit floats.
pub(super) const POSITION_BYTES: usize = 12;

/// Where every vertex is in every frame, from a PC2 or MDD file.
#[derive(Clone, Debug, PartialEq)]
pub struct PointCache {
    /// How many frames there are, at least one.
    pub frames: usize,
    /// How many vertices a frame has, at least one.
    pub vertices: usize,
    /// Metres, frame-major: frames × vertices × 3; all finite.
    pub positions: Vec<f32>,
    /// What the file itself says about time.
    pub timing: CacheTiming,
}

/// What a point cache says about time; the scene file decides whether it counts.
#[derive(Clone, Debug, PartialEq)]
pub enum CacheTiming {
    /// PC2: both in frames, as the exporter counted them; finite.
    Pc2 {
        /// Frame number of the first sample.
        start: f32,
        /// Frames from one sample to the next.
        rate: f32,
    },
    /// MDD: seconds, one a frame, exactly as in the file, and so possibly useless.
    Mdd {
        /// Seconds, one a frame.
        times: Vec<f32>,
    },
}

/// What stands before the first position of a cache, checked.
pub(super) struct Header {
    pub(super) frames: usize,
    pub(super) vertices: usize,
    /// Bytes before the first position.
    pub(super) bytes: u64,
    pub(super) timing: CacheTiming,
}

/// Counts a header announced, still to be believed.
pub(super) struct Announced {
    pub(super) frames: i32,
    pub(super) vertices: i32,
    /// Bytes before the first position that do not depend on the counts.
    pub(super) header: u64,
    /// Bytes a frame has beside its positions.
    pub(super) beside: u64,
}

impl Announced {
    /// Bytes such a file has. 128 bits: two counts near 2³¹ exceed 64.
    pub(super) fn length(&self) -> u128 {
        let frames = self.frames.max(0) as u128;
        let vertices = self.vertices.max(0) as u128;
        let frame = vertices * POSITION_BYTES as u128 + u128::from(self.beside);
        u128::from(self.header) + frames * frame
    }

    /// The counts (frames, vertices), if they are positive and the file is exactly as long as they
    /// say.
    pub(super) fn check(&self, length: u64) -> Result<(usize, usize), ReadErrorKind> {
        let frames = usize::try_from(self.frames).unwrap_or(0);
        let vertices = usize::try_from(self.vertices).unwrap_or(0);
        if vertices == 0 {
            let found = self.vertices;
            return Err(PointCacheError::VertexCount { found }.into());
        }
        if frames == 0 {
            let found = self.frames;
            return Err(PointCacheError::FrameCount { found }.into());
        }
        if self.length() != u128::from(length) {
            return Err(PointCacheError::Length { frames, vertices, expected: self.length(), found: length }.into());
        }
        if usize::try_from(length).is_err() {
            return Err(FileError::TooLarge.into());
        }
        Ok((frames, vertices))
    }
}

/// Reads frames × vertices × 3 floats after the header was checked.
pub(super) fn read_positions(
    reader: &mut impl Read,
    file: &Path,
    frames: usize,
    vertices: usize,
    decode: Decode,
) -> Result<Vec<f32>, ReadError> {
    let mut positions = Vec::new();
    // Neither product overflows: the file is as long as the counts say, and its length fits a
    // `usize`.
    positions.try_reserve_exact(frames * vertices * 3).map_err(|_| ReadError::new(file, FileError::TooLarge))?;
    read_frames(reader, file, 0..frames, vertices, decode, |_, frame| {
        positions.extend_from_slice(frame);
        Ok(())
    })?;
    Ok(positions)
}

/// Reads frames, of which the first is at the reader's place, one at a time; all must be finite.
pub(super) fn read_frames(
    reader: &mut impl Read,
    file: &Path,
    frames: Range<usize>,
    vertices: usize,
    decode: Decode,
    mut take: impl FnMut(usize, &[f32]) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut buffer = vec![0; vertices * POSITION_BYTES];
    let mut positions = vec![0.0f32; 3 * vertices];
    for frame in frames {
        fill(reader, file, &mut buffer)?;
        decode(&buffer, &mut positions);
        // A pass over all is faster than a search that may stop at any number.
        let are_finite = positions.iter().fold(true, |all, value| all & value.is_finite());
        if !are_finite && let Some(at) = positions.iter().position(|value| !value.is_finite()) {
            let (axis, value) = (['x', 'y', 'z'][at % 3], positions[at]);
            return Err(ReadError::new(file, PointCacheError::Position { frame, vertex: at / 3, axis, value }));
        }
        take(frame, &positions)?;
    }
    Ok(())
}

/// Decodes numbers of four bytes, all at once.
pub(super) type Decode = fn(&[u8], &mut [f32]);

pub(super) fn little_endian(bytes: &[u8], out: &mut [f32]) {
    out.iter_mut().zip(bytes.as_chunks::<4>().0).for_each(|(out, &word)| *out = f32::from_le_bytes(word));
}

pub(super) fn big_endian(bytes: &[u8], out: &mut [f32]) {
    out.iter_mut().zip(bytes.as_chunks::<4>().0).for_each(|(out, &word)| *out = f32::from_be_bytes(word));
}

pub(super) fn fill(reader: &mut impl Read, file: &Path, buffer: &mut [u8]) -> Result<(), ReadError> {
    reader.read_exact(buffer).map_err(|error| refused(file, &error))
}

/// What is wrong with a point cache. Frames and vertices are counted from 0, as Blender and Maya
/// do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PointCacheError {
    /// Not even a header fits into the file.
    #[error("the file has {found} bytes, less than the {needed} of the {format} header; write the cache again")]
    TooShort {
        /// `PC2` or `MDD`.
        format: &'static str,
        /// Bytes a header has.
        needed: u64,
        /// Bytes the file has.
        found: u64,
    },
    /// The first bytes are not those of this format.
    #[error("the file starts with `{found}` where a PC2 cache starts with `POINTCACHE2`; is it another format?")]
    Signature {
        /// The first bytes, made printable.
        found: String,
    },
    /// An MDD reader was given a PC2 file.
    #[error("this is a PC2 cache with the name of an MDD cache; name it .pc2")]
    Pc2NotMdd,
    /// An MDD file with its bytes in the wrong order.
    #[error(
        "the numbers are stored lowest byte first, but MDD stores the highest byte first; write the cache with an \
         exporter that follows the format"
    )]
    LittleEndian,
    /// A version of PC2 that is not 1.
    #[error("the header says PC2 version {found}; only version 1 is known")]
    Version {
        /// What the header says.
        found: i32,
    },
    /// The header announces no vertices, or a negative number.
    #[error("the header announces {found} vertices; at least 1 is needed: export the cache again")]
    VertexCount {
        /// What the header says.
        found: i32,
    },
    /// The header announces no frames, or a negative number.
    #[error("the header announces {found} frames; at least 1 is needed: bake the simulation, then export again")]
    FrameCount {
        /// What the header says.
        found: i32,
    },
    /// The header's start or rate is no finite number.
    #[error("the header's {field} is {value}; the file is damaged: write the cache again")]
    Header {
        /// `start` or `rate`.
        field: &'static str,
        /// What the header says.
        value: f32,
    },
    /// The file is not as long as its header says.
    #[error(
        "the header announces {frames} frames of {vertices} vertices, which is a file of {expected} bytes, but this one \
         has {found}; {}: write the cache again",
        if u128::from(*.found) < *.expected { "the export was cut short" } else { "the header was not brought up to date" }
    )]
    Length {
        /// Frames the header announces.
        frames: usize,
        /// Vertices the header announces.
        vertices: usize,
        /// Bytes such a file has.
        expected: u128,
        /// Bytes the file has.
        found: u64,
    },
    /// A coordinate that is NaN or infinite.
    #[error(
        "in frame {frame} the {axis} coordinate of vertex {vertex} is {value} (both counted from 0); the simulation \
         has exploded there: bake it again"
    )]
    Position {
        /// The frame, from 0.
        frame: usize,
        /// The vertex, from 0.
        vertex: usize,
        /// `x`, `y` or `z`.
        axis: char,
        /// What the file says.
        value: f32,
    },
}
