//! MDD, the point cache of `LightWave`'s Motion Designer that Blender and others write.
//!
//! Big endian: i32 frames, i32 vertices, f32 time in seconds of every frame, then frames × vertices
//! × 3 f32. The format has no signature, so the file's length is what tells it from something else.

use std::io::Read;
use std::path::Path;

use super::error::ReadError;
use super::point_cache::{
    Announced, CacheTiming, Header, PointCache, PointCacheError, big_endian, fill, read_positions,
};
use super::source::open;

const HEADER_BYTES: usize = 8;
const TIME_BYTES: usize = 4;

/// Reads an MDD point cache.
///
/// The times are returned as the file has them, unchecked: many exporters fill them carelessly, and
/// a scene that states its frames a second does not use them.
///
/// # Errors
/// When the file cannot be read, announces no frames or no vertices, is not as long as its header
/// says, or holds a coordinate that is not finite.
pub fn read_mdd(path: impl AsRef<Path>) -> Result<PointCache, ReadError> {
    let path = path.as_ref();
    let (mut file, length) = open(path)?;
    read(&mut file, length, path)
}

/// Reads an MDD point cache from its bytes; `file` is only named in errors.
///
/// # Errors
/// As [`read_mdd`], apart from reading the file.
pub fn parse_mdd(mut bytes: &[u8], file: &Path) -> Result<PointCache, ReadError> {
    let length = bytes.len() as u64;
    read(&mut bytes, length, file)
}

fn read(reader: &mut impl Read, length: u64, file: &Path) -> Result<PointCache, ReadError> {
    let Header { frames, vertices, timing, .. } = read_header(reader, length, file)?;
    let positions = read_positions(reader, file, frames, vertices, big_endian)?;
    Ok(PointCache { frames, vertices, positions, timing })
}

/// Reads and checks what stands before the first position.
pub(super) fn read_header(reader: &mut impl Read, length: u64, file: &Path) -> Result<Header, ReadError> {
    let refuse = |error: PointCacheError| ReadError::new(file, error);
    if length < HEADER_BYTES as u64 {
        return Err(refuse(PointCacheError::TooShort { format: "MDD", needed: HEADER_BYTES as u64, found: length }));
    }
    let mut header = [[0; 4]; 2];
    fill(reader, file, header.as_flattened_mut())?;
    if header.as_flattened() == b"POINTCAC" {
        return Err(refuse(PointCacheError::Pc2NotMdd));
    }
    let announced = announced(header, i32::from_be_bytes);
    let (frames, vertices) = announced.check(length).map_err(|error| {
        let swapped = self::announced(header, i32::from_le_bytes);
        if swapped.check(length).is_ok() {
            return refuse(PointCacheError::LittleEndian);
        }
        ReadError::new(file, error)
    })?;
    let mut times = vec![0; frames * TIME_BYTES];
    fill(reader, file, &mut times)?;
    let times = times.as_chunks::<TIME_BYTES>().0.iter().map(|&word| f32::from_be_bytes(word)).collect();
    let bytes = (HEADER_BYTES + frames * TIME_BYTES) as u64;
    Ok(Header { frames, vertices, bytes, timing: CacheTiming::Mdd { times } })
}

fn announced([frames, vertices]: [[u8; 4]; 2], decode: fn([u8; 4]) -> i32) -> Announced {
    Announced {
        frames: decode(frames),
        vertices: decode(vertices),
        header: HEADER_BYTES as u64,
        beside: TIME_BYTES as u64,
    }
}
