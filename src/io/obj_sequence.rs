//! Numbered OBJ files, one a frame: `frames/cloth_####.obj` or `frames/cloth_%04d.obj`.
//!
//! The numbers found on disk are the frames, from the lowest to the highest without a gap. `####`
//! means at least as many digits as there are signs, filled with zeros, so `cloth_9999.obj` may be
//! followed by `cloth_10000.obj`; `%04d` means the same, `%d` means no filling. The pattern stands
//! in the file name, never in a folder's.
//!
//! The faces of every frame are compared with the first frame's, corner by corner: a remeshed or
//! re-ordered frame would give vertices that jump from one place of the surface to another. Memory
//! holds one frame's mesh and all positions.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::MeshData;
use super::error::ReadError;
use super::folder::Folder;
use super::obj::{ParsedObj, read_faces};
use super::source::refused;

/// Widest number in a pattern, digits: what a `u64` always holds.
const MAX_DIGITS: usize = 18;

/// A mesh and where its vertices are in every frame of the sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjSequence {
    /// The first frame's mesh.
    pub mesh: MeshData,
    /// Number in the first frame's file name.
    pub first_number: u64,
    /// How many frames there are.
    pub frames: usize,
    /// Metres, frame-major: frames × vertices × 3.
    pub positions: Vec<f32>,
}

/// Reads a numbered sequence of OBJ files.
///
/// # Errors
/// When the pattern has no place for a number, no file fits it, a number between the lowest and the
/// highest is missing, a file is refused as [`super::read_obj`] does, or a frame's vertex count or
/// faces differ from the first frame's.
pub fn read_obj_sequence(pattern: impl AsRef<Path>) -> Result<ObjSequence, ReadError> {
    read_frames(pattern.as_ref(), None, None)
}

/// As [`read_obj_sequence`]; with a mesh given, its file and faces are what every frame is compared
/// with; with a folder given, no frame is a link that leads out of it.
pub(super) fn read_frames(
    pattern: &Path,
    mesh: Option<(&Path, ParsedObj)>,
    folder: Option<&Folder>,
) -> Result<ObjSequence, ReadError> {
    let name = NamePattern::parse(pattern)?;
    let numbers = name.numbers_on_disk(pattern)?;
    let (Some(&first), Some(&last)) = (numbers.first(), numbers.last()) else {
        return Err(ReadError::new(pattern, ObjSequenceError::NoFrames));
    };
    if let Some(gap) = numbers.windows(2).find(|pair| pair[1] - pair[0] > 1) {
        let missing = gap[0] + 1;
        let error = ObjSequenceError::FrameMissing { first, last, step_to: gap[1] };
        return Err(ReadError::new(&name.path(missing), error));
    }
    for &number in &numbers {
        let file = name.path(number);
        folder.map_or(Ok(()), |folder| folder.check(&file)).map_err(|error| ReadError::new(&file, error))?;
    }
    let (reference_file, reference) = if let Some((file, parsed)) = mesh {
        (file.to_owned(), parsed)
    } else {
        let file = name.path(first);
        let parsed = read_faces(&file)?;
        (file, parsed)
    };
    let mut positions = Vec::new();
    for &number in &numbers {
        let file = name.path(number);
        if file == reference_file {
            positions.extend_from_slice(reference.mesh.positions.as_flattened());
            continue;
        }
        let frame = read_faces(&file)?;
        compare(&file, &frame, &reference_file, &reference)?;
        positions.extend_from_slice(frame.mesh.positions.as_flattened());
    }
    Ok(ObjSequence { mesh: reference.mesh, first_number: first, frames: numbers.len(), positions })
}

fn compare(file: &Path, frame: &ParsedObj, reference_file: &Path, reference: &ParsedObj) -> Result<(), ReadError> {
    let refuse = |error| Err(ReadError::new(file, error));
    let (found, expected) = (frame.mesh.positions.len(), reference.mesh.positions.len());
    if found != expected {
        return refuse(ObjSequenceError::VertexCount { found, expected, reference: reference_file.to_owned() });
    }
    let common = frame.faces.len().min(reference.faces.len());
    for face in 0..common {
        let (found, expected) = (frame.faces.corners(face), reference.faces.corners(face));
        if found != expected {
            let one_based = |corners: &[u32]| corners.iter().map(|&c| u64::from(c) + 1).collect();
            let error = ObjSequenceError::Face {
                face: face + 1,
                found: one_based(found),
                expected: one_based(expected),
                reference: reference_file.to_owned(),
                reference_line: reference.faces.line(face),
            };
            return Err(ReadError::new(file, error).at_line(frame.faces.line(face)));
        }
    }
    if frame.faces.len() != reference.faces.len() {
        return refuse(ObjSequenceError::FaceCount {
            found: frame.faces.len(),
            expected: reference.faces.len(),
            reference: reference_file.to_owned(),
        });
    }
    Ok(())
}

struct NamePattern {
    folder: PathBuf,
    before: String,
    digits: usize,
    after: String,
}

impl NamePattern {
    fn parse(pattern: &Path) -> Result<Self, ReadError> {
        let refuse = |error| ReadError::new(pattern, error);
        let name =
            pattern.file_name().and_then(|name| name.to_str()).ok_or_else(|| refuse(ObjSequenceError::NoNumber))?;
        let (start, end, digits) = placeholder(name).ok_or_else(|| refuse(ObjSequenceError::NoNumber))?;
        let (before, after) = (&name[..start], &name[end..]);
        if after.contains('#') || placeholder(after).is_some() {
            return Err(refuse(ObjSequenceError::SeveralNumbers));
        }
        if digits > MAX_DIGITS {
            return Err(refuse(ObjSequenceError::TooManyDigits { digits }));
        }
        Ok(Self {
            folder: pattern.parent().unwrap_or(Path::new("")).to_owned(),
            before: before.to_owned(),
            digits,
            after: after.to_owned(),
        })
    }

    fn path(&self, number: u64) -> PathBuf {
        let Self { before, after, .. } = self;
        let digits = self.digits;
        self.folder.join(format!("{before}{number:0digits$}{after}"))
    }

    /// Frame numbers of the files that fit, ascending: the order of a folder's entries is not
    /// defined.
    fn numbers_on_disk(&self, pattern: &Path) -> Result<Vec<u64>, ReadError> {
        let here = Path::new(".");
        let folder = if self.folder.as_os_str().is_empty() { here } else { &self.folder };
        let entries = fs::read_dir(folder).map_err(|error| refused(pattern, &error))?;
        let mut numbers = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| refused(pattern, &error))?;
            if let Some(number) = entry.file_name().to_str().and_then(|name| self.number(name)) {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The number in a file name, if the name is exactly what [`Self::path`] would write for it.
    fn number(&self, name: &str) -> Option<u64> {
        let digits = name.strip_prefix(&*self.before)?.strip_suffix(&*self.after)?;
        let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
        let filled = digits.len() == self.digits || (digits.len() > self.digits && !digits.starts_with('0'));
        if !all_digits || !filled || digits.len() > MAX_DIGITS {
            return None;
        }
        digits.parse().ok()
    }
}

/// Start, end and least digits of the first `###`, `%d` or `%0Nd` in a name.
fn placeholder(name: &str) -> Option<(usize, usize, usize)> {
    let bytes = name.as_bytes();
    for start in 0..bytes.len() {
        match bytes[start] {
            b'#' => {
                let signs = bytes[start..].iter().take_while(|&&byte| byte == b'#').count();
                return Some((start, start + signs, signs));
            }
            b'%' => {
                let rest = &bytes[start + 1..];
                let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let width = &name[start + 1..start + 1 + count];
                if rest.get(count) == Some(&b'd') && (width.is_empty() || width.starts_with('0')) {
                    // A width too long for a number is refused by the caller as too many digits.
                    let digits = if width.is_empty() { 1 } else { width.parse().unwrap_or(usize::MAX) };
                    return Some((start, start + count + 2, digits.max(1)));
                }
            }
            _ => {}
        }
    }
    None
}

/// What is wrong with a sequence of OBJ files. Faces and their corners are counted from 1, as the
/// format does.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjSequenceError {
    /// The file name has no `####` and no `%04d`.
    #[error("the file name has no place for the frame number; write it as `cloth_####.obj` or `cloth_%04d.obj`")]
    NoNumber,
    /// The file name has more than one place for a number.
    #[error("the file name has more than one place for the frame number; leave one `####` or `%04d`")]
    SeveralNumbers,
    /// The pattern asks for more digits than a frame number has.
    #[error("the file name asks for a frame number of {digits} digits; at most {MAX_DIGITS} are possible")]
    TooManyDigits {
        /// How many it asks for.
        digits: usize,
    },
    /// No file fits the pattern.
    #[error("no file fits this pattern; check the folder, the name and the number of digits")]
    NoFrames,
    /// A number is missing between the lowest and the highest.
    #[error(
        "this frame is missing: the files run from {first} to {last}, and the next one there is {step_to}; export \
         the missing frames, or renumber the files without gaps"
    )]
    FrameMissing {
        /// Lowest number on disk.
        first: u64,
        /// Highest number on disk.
        last: u64,
        /// The next number on disk after the gap.
        step_to: u64,
    },
    /// A frame has another number of vertices.
    #[error(
        "the frame has {found} vertices, but {} has {expected}; the mesh may not change during a sequence",
        .reference.display()
    )]
    VertexCount {
        /// How many it has.
        found: usize,
        /// How many the reference has.
        expected: usize,
        /// The file it was compared with.
        reference: PathBuf,
    },
    /// A frame has another number of faces.
    #[error(
        "the frame has {found} faces, but {} has {expected}; the mesh may not change during a sequence",
        .reference.display()
    )]
    FaceCount {
        /// How many it has.
        found: usize,
        /// How many the reference has.
        expected: usize,
        /// The file it was compared with.
        reference: PathBuf,
    },
    /// A face has other corners.
    #[error(
        "face {face} has the corners {}, but in {}, line {reference_line}, it has {}; the mesh may not change \
         during a sequence: export with the option that keeps vertex order",
        Corners(.found),
        .reference.display(),
        Corners(.expected)
    )]
    Face {
        /// The face, from 1.
        face: usize,
        /// Its corners.
        found: Vec<u64>,
        /// The corners of that face in the reference.
        expected: Vec<u64>,
        /// The file it was compared with.
        reference: PathBuf,
        /// The line of that face there.
        reference_line: usize,
    },
}

/// Corners in a message: a face of a thousand corners is cut short.
struct Corners<'a>(&'a [u64]);

impl fmt::Display for Corners<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        for (place, corner) in self.0.iter().take(SHOWN).enumerate() {
            let space = if place == 0 { "" } else { " " };
            write!(out, "{space}{corner}")?;
        }
        if self.0.len() > SHOWN { out.write_str(" …") } else { Ok(()) }
    }
}
