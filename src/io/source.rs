//! Opening files: every refusal of the file system becomes a [`ReadError`] that names the file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::error::{FileError, ReadError};

/// Opens a regular file and tells its length in bytes.
///
/// The kind is asked before opening: opening a pipe would wait for a writer, and a device has no
/// end.
pub(super) fn open(path: &Path) -> Result<(File, u64), ReadError> {
    let metadata = fs::metadata(path).map_err(|error| refused(path, &error))?;
    if !metadata.is_file() {
        return Err(ReadError::new(path, FileError::NotAFile));
    }
    let file = File::open(path).map_err(|error| refused(path, &error))?;
    Ok((file, metadata.len()))
}

/// The whole file.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    read_first_bytes(path, u64::MAX)
}

/// The first `most` bytes of a file, or all of it; no more than it has when it is opened. Some
/// files that the system makes up state no length and have no end.
pub(super) fn read_first_bytes(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let (file, length) = open(path)?;
    let most = most.min(length);
    let length = usize::try_from(most).map_err(|_| ReadError::new(path, FileError::TooLarge))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| ReadError::new(path, FileError::TooLarge))?;
    file.take(most).read_to_end(&mut bytes).map_err(|error| refused(path, &error))?;
    Ok(bytes)
}

/// The whole file as text.
pub(super) fn read_text(path: &Path) -> Result<String, ReadError> {
    String::from_utf8(read_bytes(path)?).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        ReadError::new(path, FileError::NotUtf8 { byte })
    })
}

pub(super) fn refused(path: &Path, error: &io::Error) -> ReadError {
    let error = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileError::NotFound,
        io::ErrorKind::IsADirectory => FileError::NotAFile,
        io::ErrorKind::UnexpectedEof => FileError::Shrank,
        kind => FileError::Refused { kind, message: error.to_string() },
    };
    ReadError::new(path, error)
}
