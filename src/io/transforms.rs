//! One 4 × 4 matrix a frame, in JSON: the motion of a rigid body.
//!
//! An object with `frames`, a list of matrices: row-major, for column vectors, mapping the mesh
//! file's vertices to where they are in that frame. A matrix is sixteen numbers, or four rows of
//! four. `fps` or `times` (seconds) may be stated and count when the scene file says nothing.
//! Anything else in the object is the exporter's own and passed over.

use std::path::Path;

use serde::Deserialize;

use super::error::{ReadError, ReadErrorKind, excerpt};
use super::format::FileFormat;
use super::matrix::{MatrixEntries, MatrixError};
use super::source::read_bytes;
use super::timing::{TimingError, check_times, times_from_fps};

/// What Python's JSON writer puts where JSON has nothing: worth a better message than "expected
/// value".
const NOT_JSON_NUMBERS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// A rigid body's place in every frame.
#[derive(Clone, Debug, PartialEq)]
pub struct TransformTrack {
    /// Row-major 4 × 4 for column vectors, one a frame, at least one; finite, never flat, last row
    /// 0 0 0 1.
    pub transforms: Vec<[f64; 16]>,
    /// Seconds, one a frame, increasing, if the file states `fps` or `times`.
    pub times: Option<Vec<f64>>,
}

#[derive(Deserialize)]
struct TrackText {
    frames: Vec<MatrixEntries>,
    fps: Option<f64>,
    times: Option<Vec<f64>>,
}

/// Reads a JSON file of transforms.
///
/// # Errors
/// When the file cannot be read, is not JSON of this form, has no frames, or holds a matrix that is
/// not sixteen finite numbers with the last row 0 0 0 1, or that flattens the body.
pub fn read_transforms(path: impl AsRef<Path>) -> Result<TransformTrack, ReadError> {
    let path = path.as_ref();
    parse_transforms(&read_bytes(path, FileFormat::Transforms)?, path)
}

/// Reads the bytes of a JSON file of transforms; `file` is only named in errors.
///
/// # Errors
/// As [`read_transforms`], apart from reading the file.
pub fn parse_transforms(bytes: &[u8], file: &Path) -> Result<TransformTrack, ReadError> {
    let text: TrackText = serde_json::from_slice(bytes).map_err(|error| syntax_error(bytes, file, &error))?;
    let refuse = |error: ReadErrorKind| ReadError::new(file, error);
    let frames = text.frames.len();
    if frames == 0 {
        return Err(refuse(TransformError::NoFrames.into()));
    }
    let times = match (text.fps, text.times) {
        (Some(_), Some(_)) => return Err(refuse(TimingError::Both.into())),
        (Some(fps), None) => Some(times_from_fps(frames, fps).map_err(|error| refuse(error.into()))?),
        (None, Some(times)) => {
            check_times(&times, frames).map_err(|error| refuse(error.into()))?;
            Some(times)
        }
        (None, None) => None,
    };
    let mut transforms = Vec::with_capacity(frames);
    for (frame, entries) in text.frames.iter().enumerate() {
        let matrix = entries.matrix().map_err(|kind| {
            let frame = Some(frame);
            refuse(MatrixError { frame, kind }.into())
        })?;
        transforms.push(matrix);
    }
    Ok(TransformTrack { transforms, times })
}

fn syntax_error(bytes: &[u8], file: &Path, error: &serde_json::Error) -> ReadError {
    let kind = match not_a_number(bytes, error) {
        Some(word) => TransformError::NotJsonNumber { word },
        None => TransformError::Json { message: without_place(&error.to_string()) },
    };
    ReadError::new(file, kind).at_line(error.line()).at_column(error.column())
}

/// The word at which a reader of JSON stopped, if it is one that other programs write for a number.
fn not_a_number(bytes: &[u8], error: &serde_json::Error) -> Option<String> {
    let (line, column) = (error.line(), error.column());
    let start =
        bytes.split_inclusive(|&byte| byte == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum::<usize>()
            + column.saturating_sub(1);
    // The reader may stop at, or after, the first letter it cannot use.
    (start.saturating_sub(2)..=start)
        .filter_map(|at| bytes.get(at..))
        .find_map(|rest| NOT_JSON_NUMBERS.into_iter().find(|word| rest.starts_with(word)))
        .map(|word| String::from_utf8_lossy(word).into_owned())
}

/// What a reader of JSON says, without its place; words for numbers that JSON does not have are
/// named.
pub(super) fn json_fault(bytes: &[u8], error: &serde_json::Error) -> String {
    match not_a_number(bytes, error) {
        Some(word) => format!("a number is {word}, which JSON does not have"),
        None => without_place(&error.to_string()),
    }
}

/// The message without "at line 1 column 2", which the error states by itself; shortened.
pub(super) fn without_place(message: &str) -> String {
    excerpt(message.rfind(" at line ").map_or(message, |end| &message[..end]))
}

/// What is wrong with a JSON file of transforms, beside its matrices and times.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TransformError {
    /// Not JSON, or JSON of another form.
    #[error("this is not a JSON file of transforms: {message}; it must look like {{\"frames\": [[16 numbers], …]}}")]
    Json {
        /// What the JSON reader says.
        message: String,
    },
    /// NaN or an infinity, which JSON does not have.
    #[error("a number is {word}, which neither JSON nor a transform can hold; correct it in the exporter")]
    NotJsonNumber {
        /// The word in the file.
        word: String,
    },
    /// An empty list of frames.
    #[error("`frames` is empty; at least one matrix is needed")]
    NoFrames,
}
