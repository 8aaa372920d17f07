//! What can be wrong with a sequence of mesh files.

use std::fmt;
use std::path::PathBuf;

/// Widest number in a pattern, digits: what a `u64` always holds.
pub(super) const MAX_DIGITS: usize = 18;

/// What is wrong with a sequence of mesh files. Faces and their corners are counted from 1, as OBJ
/// does.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SequenceError {
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
    /// Frames have more digits than the pattern.
    #[error("frames such as '{name}' do not fit this pattern; write one # for each digit: {digits} of them")]
    FewerDigits {
        /// The name of a file.
        name: String,
        /// How many digits it has.
        digits: usize,
    },
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
    /// A triangle has other corners.
    #[error(
        "triangle {triangle} has the corners {} {} {}, but in {} it has {} {} {} (all counted from 0); the mesh may \
         not change during a sequence: export with the option that keeps vertex order",
        .found[0], .found[1], .found[2], .reference.display(), .expected[0], .expected[1], .expected[2]
    )]
    Triangle {
        /// The triangle, from 0.
        triangle: usize,
        /// Its corners, from 0.
        found: [u32; 3],
        /// The corners of that triangle in the reference, from 0.
        expected: [u32; 3],
        /// The file it was compared with.
        reference: PathBuf,
    },
    /// The pattern does not end like a mesh.
    #[error("a sequence of frames ends in .obj, .ply or .stl; write it as `cloth_####.obj`, or export the frames so")]
    Format,
    /// The mesh is of another format than the frames.
    #[error("the frames are {wanted}, but this mesh is not; give it in the same format")]
    Mixed {
        /// The format of the frames.
        wanted: &'static str,
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
