//! The one error that every reader returns: the place of the fault, and its kind.
//!
//! The place (file, line, column, body) is defined here, once; the kind is an enum beside each
//! reader, so that a program can match on it. `Display` puts both into a sentence for the author of
//! the file, and names a remedy where one is known.

use std::fmt;
use std::path::{Path, PathBuf};

use super::baked::BakedSceneError;
use super::format::FormatError;
use super::gltf::GltfError;
use super::inputs::InputError;
use super::matrix::MatrixError;
use super::obj::ObjError;
use super::ply::PlyError;
use super::point_cache::PointCacheError;
use super::scene::SceneError;
use super::sequence::SequenceError;
use super::spheres::SphereFileError;
use super::stl::StlError;
use super::timing::TimingError;
use super::transforms::TransformError;

/// Longest piece of a file's own text repeated in a message, in characters.
const QUOTE_CHARACTERS: usize = 40;

/// Why a file was refused, and where in it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadError {
    // Boxed: the readers return it from inner loops, and a large error makes every `Result` there
    // large.
    details: Box<Details>,
}

#[derive(Clone, Debug, PartialEq)]
struct Details {
    file: PathBuf,
    line: Option<usize>,
    column: Option<usize>,
    body: Option<String>,
    kind: ReadErrorKind,
}

impl ReadError {
    pub(super) fn new(file: &Path, kind: impl Into<ReadErrorKind>) -> Self {
        let details = Details { file: file.to_owned(), line: None, column: None, body: None, kind: kind.into() };
        Self { details: Box::new(details) }
    }

    pub(super) fn at_line(mut self, line: usize) -> Self {
        self.details.line = Some(line);
        self
    }

    pub(super) fn at_column(mut self, column: usize) -> Self {
        self.details.column = Some(column);
        self
    }

    pub(super) fn of_body(mut self, body: &str) -> Self {
        self.details.body = Some(body.to_owned());
        self
    }

    /// The file that was refused: the one to open and inspect.
    pub fn file(&self) -> &Path {
        &self.details.file
    }

    /// The line in that file, counted from 1, where it has lines.
    pub fn line(&self) -> Option<usize> {
        self.details.line
    }

    /// The column in that line, counted from 1, where it is known.
    pub fn column(&self) -> Option<usize> {
        self.details.column
    }

    /// The body of the scene the file was read for, when a scene was read.
    pub fn body(&self) -> Option<&str> {
        self.details.body.as_deref()
    }

    /// What is wrong.
    pub fn kind(&self) -> &ReadErrorKind {
        &self.details.kind
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let details = &*self.details;
        write!(out, "{}", details.file.display())?;
        if let Some(line) = details.line {
            write!(out, ", line {line}")?;
        }
        if let Some(column) = details.column {
            write!(out, ", column {column}")?;
        }
        if let Some(body) = &details.body {
            write!(out, " (body \"{body}\")")?;
        }
        write!(out, ": {}", details.kind)
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.details.kind)
    }
}

/// What is wrong with a file, by the kind of file or rule.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file cannot be read at all.
    #[error(transparent)]
    File(#[from] FileError),
    /// A mesh in OBJ.
    #[error(transparent)]
    Obj(#[from] ObjError),
    /// The format of the file.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A mesh in PLY.
    #[error(transparent)]
    Ply(#[from] PlyError),
    /// A mesh in STL.
    #[error(transparent)]
    Stl(#[from] StlError),
    /// A sequence of mesh files.
    #[error(transparent)]
    Sequence(#[from] SequenceError),
    /// A PC2 or MDD point cache.
    #[error(transparent)]
    Cache(#[from] PointCacheError),
    /// A JSON file of transforms.
    #[error(transparent)]
    Transforms(#[from] TransformError),
    /// A JSON file of spheres.
    #[error(transparent)]
    Spheres(#[from] SphereFileError),
    /// A 4 × 4 matrix, in a transform file or in a placement.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// Frames a second or key times.
    #[error(transparent)]
    Timing(#[from] TimingError),
    /// A list of inputs.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A scene file.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A model in glTF.
    #[error(transparent)]
    Gltf(#[from] GltfError),
    /// A baked scene.
    #[error(transparent)]
    Baked(#[from] BakedSceneError),
    /// The caller cancelled the reading.
    #[error("cancelled before this was read")]
    Cancelled,
}

/// Why a file could not be read before its content mattered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Nothing is there.
    #[error("there is no such file; check the path (in a scene file, paths start at the scene file's folder)")]
    NotFound,
    /// A folder, a pipe or a device is there.
    #[error("this is a folder, a pipe or a device; give the path of a file with content of its own")]
    NotAFile,
    /// A document names a file outside its own folder.
    #[error(
        "`{}` is {}outside the folder {}, in which files named there must be; copy the file into it, or, if you trust the \
         document, allow it with --allow-outside (`allow_outside` in a program)",
        .name.escape_debug(),
        .leads_to.as_ref().map(|target| format!("a link to {}, ", target.display())).unwrap_or_default(),
        .folder.display()
    )]
    Outside {
        /// The name, as the document has it, or the path that is a link.
        name: String,
        /// The document's folder.
        folder: PathBuf,
        /// Where a link leads, if it is one.
        leads_to: Option<PathBuf>,
    },
    /// It became shorter while it was read.
    #[error("the file became shorter while it was read; wait until its export is finished")]
    Shrank,
    /// It is another file than when it was opened first.
    #[error("the file has changed since the scene was read; wait until its export is finished, and start again")]
    Changed,
    /// It holds more than this computer can address.
    #[error("the file holds more than this computer can address")]
    TooLarge,
    /// A text file that is not UTF-8.
    #[error("byte {byte} is not UTF-8 text; save the file as UTF-8")]
    NotUtf8 {
        /// Offset of the first byte that is no text, counted from 0.
        byte: usize,
    },
    /// The operating system refused.
    #[error("the file cannot be read: {message}")]
    Refused {
        /// The kind of refusal.
        kind: std::io::ErrorKind,
        /// The operating system's own words.
        message: String,
    },
}

/// The names there are, for a message about one that does not exist.
pub(super) fn listed(known: &[String], none: &str) -> String {
    if known.is_empty() { none.to_owned() } else { format!("there are: \"{}\"", known.join("\", \"")) }
}

/// What another reader says of a file, which may hold much of the file: its begin and its end, made
/// printable.
pub(crate) fn excerpt(message: &str) -> String {
    const BEGIN: usize = 240;
    const END: usize = 120;
    let printable = |text: &str| -> String {
        let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
        text.chars().map(shown).collect()
    };
    let place = |count: usize| message.char_indices().nth(count).map(|(place, _)| place);
    match (place(BEGIN + END), place(BEGIN)) {
        (Some(_), Some(begin)) => {
            let end = message.char_indices().rev().nth(END - 1).map_or(begin, |(place, _)| place);
            format!("{}…{}", printable(&message[..begin]), printable(&message[end..]))
        }
        _ => printable(message),
    }
}

/// The file's own text for a message: shortened, and made printable.
pub(super) fn quote(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut shown: String = text.chars().take(QUOTE_CHARACTERS).flat_map(char::escape_debug).collect();
    if text.chars().nth(QUOTE_CHARACTERS).is_some() {
        shown.push('…');
    }
    shown
}
