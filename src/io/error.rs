//! The one error every reader returns: where the trouble is, and what it is.
//!
//! The *where* (file, line, column, body) lives here, once; the *what* is an enum beside each reader, so that a program can
//! match on it. `Display` puts both into a sentence for the person who made the file, and says what to do where that is known.

use std::fmt;
use std::path::{Path, PathBuf};

use super::baked::BakedSceneError;
use super::gltf::GltfProblem;
use super::matrix::MatrixProblem;
use super::obj::ObjProblem;
use super::obj_sequence::SequenceProblem;
use super::point_cache::CacheProblem;
use super::scene::SceneProblem;
use super::timing::TimingProblem;
use super::transforms::TransformProblem;

/// Longest piece of a file's own text repeated in a message, in characters.
const QUOTE_CHARACTERS: usize = 40;

/// Why a file was refused, and where in it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadError {
    // Boxed: the readers return it from inner loops, and a large error makes every `Result` there large.
    details: Box<Details>,
}

#[derive(Clone, Debug, PartialEq)]
struct Details {
    file: PathBuf,
    line: Option<usize>,
    column: Option<usize>,
    body: Option<String>,
    problem: Problem,
}

impl ReadError {
    pub(super) fn new(file: &Path, problem: impl Into<Problem>) -> Self {
        let details = Details { file: file.to_owned(), line: None, column: None, body: None, problem: problem.into() };
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

    /// The file that was refused: the one to open and look at.
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
    pub fn problem(&self) -> &Problem {
        &self.details.problem
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
        write!(out, ": {}", details.problem)
    }
}

impl std::error::Error for ReadError {}

/// What is wrong with a file, by the kind of file or rule.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The file cannot be read at all.
    File(FileProblem),
    /// A mesh in OBJ.
    Obj(ObjProblem),
    /// A sequence of OBJ files.
    Sequence(SequenceProblem),
    /// A PC2 or MDD point cache.
    Cache(CacheProblem),
    /// A JSON file of transforms.
    Transforms(TransformProblem),
    /// A 4 × 4 matrix, in a transform file or in a placement.
    Matrix(MatrixProblem),
    /// Frames a second or key times.
    Timing(TimingProblem),
    /// A scene file.
    Scene(SceneProblem),
    /// A model in glTF.
    Gltf(GltfProblem),
    /// A baked scene.
    Baked(BakedSceneError),
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(problem) => problem.fmt(out),
            Self::Obj(problem) => problem.fmt(out),
            Self::Sequence(problem) => problem.fmt(out),
            Self::Cache(problem) => problem.fmt(out),
            Self::Transforms(problem) => problem.fmt(out),
            Self::Matrix(problem) => problem.fmt(out),
            Self::Timing(problem) => problem.fmt(out),
            Self::Scene(problem) => problem.fmt(out),
            Self::Gltf(problem) => problem.fmt(out),
            Self::Baked(problem) => problem.fmt(out),
        }
    }
}

macro_rules! problem_from {
    ($($kind:ident($from:ty)),+ $(,)?) => {$(
        impl From<$from> for Problem {
            fn from(problem: $from) -> Self {
                Self::$kind(problem)
            }
        }
    )+};
}

problem_from!(
    File(FileProblem),
    Obj(ObjProblem),
    Sequence(SequenceProblem),
    Cache(CacheProblem),
    Transforms(TransformProblem),
    Matrix(MatrixProblem),
    Timing(TimingProblem),
    Scene(SceneProblem),
    Gltf(GltfProblem),
    Baked(BakedSceneError),
);

/// Why a file could not be read before its content mattered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FileProblem {
    /// Nothing is there.
    NotFound,
    /// A folder, a pipe or a device is there.
    NotAFile,
    /// A document names a file outside its own folder.
    Outside {
        /// The name, as the document has it, or the path that is a link.
        name: String,
        /// The document's folder.
        folder: PathBuf,
        /// Where a link leads, if it is one.
        leads_to: Option<PathBuf>,
    },
    /// It became shorter while it was read.
    Shrank,
    /// It holds more than this computer can address.
    TooLarge,
    /// A text file that is not UTF-8.
    NotUtf8 {
        /// Offset of the first byte that is no text, counted from 0.
        byte: usize,
    },
    /// The operating system refused.
    Refused {
        /// The kind of refusal.
        kind: std::io::ErrorKind,
        /// The operating system's own words.
        message: String,
    },
}

impl fmt::Display for FileProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => out.write_str(
                "there is no such file; check the path (in a scene file, paths start at the scene file's folder)",
            ),
            Self::NotAFile => {
                out.write_str("this is a folder, a pipe or a device; give the path of a file with content of its own")
            }
            Self::Outside { name, folder, leads_to } => {
                write!(out, "`{}` ", name.escape_debug())?;
                match leads_to {
                    Some(target) => write!(out, "is a link to {}, ", target.display())?,
                    None => out.write_str("is ")?,
                }
                write!(
                    out,
                    "outside the folder {}, in which files named there must be; copy the file into it, or, if you trust \
                     the document, allow it with --allow-outside (`allow_outside` in a program)",
                    folder.display()
                )
            }
            Self::Shrank => {
                out.write_str("the file became shorter while it was read; wait until its export is finished")
            }
            Self::TooLarge => out.write_str("the file holds more than this computer can address"),
            Self::NotUtf8 { byte } => {
                write!(out, "byte {byte} is not UTF-8 text; save the file as UTF-8")
            }
            Self::Refused { message, .. } => write!(out, "the file cannot be read: {message}"),
        }
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
