//! PC2, the point cache of 3ds Max that Blender and most others write.
//!
//! Little endian: 12 bytes `POINTCACHE2\0`, i32 version (1), i32 vertices, f32 start, f32 rate, i32
//! frames, then frames × vertices × 3 f32. Start and rate are in frames; they are read, checked to
//! be numbers, and never used for time.

use std::io::Read;
use std::path::Path;

use super::error::{ReadError, quote};
use super::point_cache::{
    Announced, CacheTiming, Header, PointCache, PointCacheError, fill, little_endian, read_positions,
};
use super::source::open;

const SIGNATURE: &[u8; 12] = b"POINTCACHE2\0";
const HEADER_BYTES: usize = 32;

/// Reads a PC2 point cache.
///
/// # Errors
/// When the file cannot be read, is no PC2 of version 1, announces no frames or no vertices, is not
/// as long as its header says, or holds a coordinate that is not finite.
pub fn read_pc2(path: impl AsRef<Path>) -> Result<PointCache, ReadError> {
    let path = path.as_ref();
    let (mut file, length) = open(path)?;
    read(&mut file, length, path)
}

/// Reads a PC2 point cache from its bytes; `file` is only named in errors.
///
/// # Errors
/// As [`read_pc2`], apart from reading the file.
pub fn parse_pc2(mut bytes: &[u8], file: &Path) -> Result<PointCache, ReadError> {
    let length = bytes.len() as u64;
    read(&mut bytes, length, file)
}

fn read(reader: &mut impl Read, length: u64, file: &Path) -> Result<PointCache, ReadError> {
    let Header { frames, vertices, timing, .. } = read_header(reader, length, file)?;
    let positions = read_positions(reader, file, frames, vertices, little_endian)?;
    Ok(PointCache { frames, vertices, positions, timing })
}

/// Reads and checks what stands before the first position.
pub(super) fn read_header(reader: &mut impl Read, length: u64, file: &Path) -> Result<Header, ReadError> {
    if length < HEADER_BYTES as u64 {
        let error = PointCacheError::TooShort { format: "PC2", needed: HEADER_BYTES as u64, found: length };
        return Err(ReadError::new(file, error));
    }
    let mut signature = [0; SIGNATURE.len()];
    fill(reader, file, &mut signature)?;
    if signature != *SIGNATURE {
        let found = quote(&signature);
        return Err(ReadError::new(file, PointCacheError::Signature { found }));
    }
    let mut fields = [[0; 4]; 5];
    fill(reader, file, fields.as_flattened_mut())?;
    let [version, vertices, start, rate, frames] = fields;
    let version = i32::from_le_bytes(version);
    if version != 1 {
        return Err(ReadError::new(file, PointCacheError::Version { found: version }));
    }
    let announced = Announced {
        frames: i32::from_le_bytes(frames),
        vertices: i32::from_le_bytes(vertices),
        header: HEADER_BYTES as u64,
        beside: 0,
    };
    let (frames, vertices) = announced.check(length).map_err(|error| ReadError::new(file, error))?;
    let (start, rate) = (f32::from_le_bytes(start), f32::from_le_bytes(rate));
    for (field, value) in [("start", start), ("rate", rate)] {
        if !value.is_finite() {
            return Err(ReadError::new(file, PointCacheError::Header { field, value }));
        }
    }
    Ok(Header { frames, vertices, bytes: HEADER_BYTES as u64, timing: CacheTiming::Pc2 { start, rate } })
}
