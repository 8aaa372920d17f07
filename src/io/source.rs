//! Opening files: every refusal of the file system becomes a [`ReadError`] that names the file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::error::{FileError, ReadError, ReadErrorKind};
use super::format::{FileFormat, HEAD_BYTES, check_head, of_file};
use crate::cancel::Cancel;

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

/// The whole file, if its first bytes can be those of the format; otherwise no more than these are
/// read.
pub(super) fn read_bytes(path: &Path, format: FileFormat) -> Result<Vec<u8>, ReadError> {
    let (mut file, length) = open(path)?;
    let head = head_of(&mut file, path, length)?;
    check_head(path, format, &head, length)?;
    let length = usize::try_from(length).map_err(|_| ReadError::new(path, FileError::TooLarge))?;
    let mut bytes = head;
    bytes
        .try_reserve_exact(length.saturating_sub(bytes.len()))
        .map_err(|_| ReadError::new(path, FileError::TooLarge))?;
    let rest = length.saturating_sub(bytes.len()) as u64;
    file.take(rest).read_to_end(&mut bytes).map_err(|error| refused(path, &error))?;
    Ok(bytes)
}

/// The first bytes of a file, its length, and so its format.
pub(super) fn format_of(path: &Path) -> Result<FileFormat, ReadError> {
    let (mut file, length) = open(path)?;
    of_file(path, &head_of(&mut file, path, length)?, length)
}

fn head_of(file: &mut File, path: &Path, length: u64) -> Result<Vec<u8>, ReadError> {
    let most = length.min(HEAD_BYTES as u64);
    let mut head = Vec::with_capacity(most as usize);
    file.take(most).read_to_end(&mut head).map_err(|error| refused(path, &error))?;
    Ok(head)
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
pub(super) fn read_text(path: &Path, format: FileFormat) -> Result<String, ReadError> {
    String::from_utf8(read_bytes(path, format)?).map_err(|error| {
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

/// Refuses to go on with a file after a cancellation.
pub(super) fn go_on(cancel: Option<&Cancel>, file: &Path) -> Result<(), ReadError> {
    let is_cancelled = cancel.is_some_and(Cancel::is_cancelled);
    if is_cancelled { Err(ReadError::new(file, ReadErrorKind::Cancelled)) } else { Ok(()) }
}
