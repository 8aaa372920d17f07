//! Wavefront OBJ: positions and faces, in file order.
//!
//! Reads `v` and `f`, and the names that `o`, `g` and `usemtl` give to the faces after them; every
//! other statement (normals, texture coordinates, lines, curves, and the free text some exporters
//! leave) is passed over. Faces of any size are cut into fans from their first corner.
//!
//! Why not a crate: point caches address vertices by their order in the OBJ. `tobj` 4, in both its
//! index modes, numbers vertices again by their first use in a face, starts over at every object or
//! material, and drops vertices no face uses, so a cache would no longer match the mesh (see `tobj`
//! 4.0.5, `add_vertex` and `add_vertex_multi_index`).
//!
//! Two choices where the format leaves room:
//! - A `\` at the end of a line continues `v` and `f` only. A comment or `mtllib C:\textures\` that
//!   happens to end in one would otherwise swallow the next line, and with it a vertex.
//! - A positive index may name a vertex that comes later in the file; a negative one counts back
//!   from what was read so far.
//!
//! One pass, time and memory linear in the file's length.

use std::borrow::Cow;
use std::path::Path;

use super::MeshData;
use super::error::{ReadError, quote};
use super::format::FileFormat;
use super::labels::LabelBuilder;
use super::source::read_bytes;
use crate::incident::PartLabels;

/// Reads a mesh from an OBJ file.
///
/// # Errors
/// When the file cannot be read, has no vertices or no faces, or holds a coordinate or an index
/// that is not usable.
pub fn read_obj(path: impl AsRef<Path>) -> Result<MeshData, ReadError> {
    let path = path.as_ref();
    parse_obj(&read_bytes(path, FileFormat::Obj)?, path)
}

/// Reads a mesh from the bytes of an OBJ file; `file` is only named in errors.
///
/// # Errors
/// As [`read_obj`], apart from reading the file.
pub fn parse_obj(bytes: &[u8], file: &Path) -> Result<MeshData, ReadError> {
    parse_faces(bytes, file).map(|parsed| parsed.mesh)
}

/// The vertices of an OBJ file, which may have no faces.
pub(super) fn read_obj_points(path: &Path) -> Result<Vec<[f32; 3]>, ReadError> {
    let bytes = read_bytes(path, FileFormat::Obj)?;
    let (mut positions, mut lines) = (Vec::new(), Lines::new(&bytes));
    while let Some((line, text)) = lines.next_statement() {
        let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        if words.next() == Some(b"v") {
            let position = parse_vertex(words, positions.len() + 1);
            positions.push(position.map_err(|error| ReadError::new(path, error).at_line(line))?);
        }
    }
    if positions.is_empty() {
        return Err(ReadError::new(path, ObjError::NoVertices));
    }
    Ok(positions)
}

/// A mesh together with its faces before they were cut, which sequences compare.
pub(super) struct ParsedObj {
    pub(super) mesh: MeshData,
    pub(super) faces: Faces,
    pub(super) labels: PartLabels,
}

/// Faces of any size: the corners of all, and where each face ends and began in the file.
#[derive(Default)]
pub(super) struct Faces {
    corners: Vec<u32>,
    ends: Vec<usize>,
    lines: Vec<usize>,
    /// The first face with a positive index no `u32` holds, and that index: refused once the
    /// vertices are counted.
    beyond: Option<(usize, i64)>,
}

impl Faces {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Corners of a face, counted from 0.
    pub(super) fn corners(&self, face: usize) -> &[u32] {
        let start = if face == 0 { 0 } else { self.ends[face - 1] };
        &self.corners[start..self.ends[face]]
    }

    /// Triangles that the faces before this one are cut into.
    fn triangles_before(&self, face: usize) -> usize {
        if face == 0 { 0 } else { self.ends[face - 1] - 2 * face }
    }

    /// The line the face starts on, counted from 1.
    pub(super) fn line(&self, face: usize) -> usize {
        self.lines[face]
    }
}

pub(super) fn read_faces(path: &Path) -> Result<ParsedObj, ReadError> {
    parse_faces(&read_bytes(path, FileFormat::Obj)?, path)
}

fn parse_faces(bytes: &[u8], file: &Path) -> Result<ParsedObj, ReadError> {
    let refuse = |line: usize, error: ObjError| ReadError::new(file, error).at_line(line);
    let mut positions: Vec<[f32; 3]> = Vec::new();
    let mut faces = Faces::default();
    let mut names = Names::default();
    let mut lines = Lines::new(bytes);
    while let Some((line, text)) = lines.next_statement() {
        let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match words.next() {
            Some(b"v") => {
                let position = parse_vertex(words, positions.len() + 1).map_err(|error| refuse(line, error))?;
                positions.push(position);
            }
            Some(b"f") => {
                parse_face(words, &mut faces, positions.len()).map_err(|error| refuse(line, error))?;
                faces.lines.push(line);
            }
            Some(word) if names_faces(word) => names.change(word, &text, faces.len()),
            _ => {}
        }
    }
    if positions.is_empty() {
        return Err(ReadError::new(file, ObjError::NoVertices));
    }
    if faces.len() == 0 {
        let vertices = positions.len();
        return Err(ReadError::new(file, ObjError::NoFaces { vertices }));
    }
    let triangles = cut_fans(&faces, positions.len()).map_err(|(face, error)| refuse(faces.line(face), error))?;
    let mesh = MeshData { positions, triangles };
    let labels = names.labels(&faces);
    Ok(ParsedObj { mesh, faces, labels })
}

/// Which names hold from which face on.
#[derive(Default)]
struct Names {
    /// Of objects, groups and materials: the first face, and the name; empty for none.
    changes: [Vec<(usize, String)>; 3],
}

impl Names {
    fn change(&mut self, word: &[u8], statement: &[u8], face: usize) {
        let kind = match word {
            b"o" => 0,
            b"g" => 1,
            _ => 2,
        };
        // A name may contain spaces, and a face may be in several groups at once; `g` alone ends
        // them.
        let name = String::from_utf8_lossy(&statement.trim_ascii_start()[word.len()..]).trim().to_owned();
        self.changes[kind].push((face, name));
    }

    fn labels(&self, faces: &Faces) -> PartLabels {
        let of_kinds = |kinds: &[usize]| {
            let mut ranges: Vec<(usize, usize, &str)> = Vec::new();
            for &kind in kinds {
                let changes = &self.changes[kind];
                for (place, (begin, name)) in changes.iter().enumerate() {
                    let end = changes.get(place + 1).map_or(faces.len(), |&(end, _)| end);
                    ranges.push((faces.triangles_before(*begin), faces.triangles_before(end), name));
                }
            }
            // Stable: of an object and a group that begin together the object comes first.
            ranges.sort_by_key(|&(begin, ..)| begin);
            let mut builder = LabelBuilder::default();
            ranges.into_iter().for_each(|(begin, end, name)| builder.add(name, begin, end));
            builder.finish()
        };
        PartLabels { materials: of_kinds(&[2]), groups: of_kinds(&[0, 1]), joints: Vec::new() }
    }
}

/// Only the first three numbers count: a weight or a colour may follow.
fn parse_vertex<'a>(words: impl Iterator<Item = &'a [u8]>, vertex: usize) -> Result<[f32; 3], ObjError> {
    let mut position = [0.0; 3];
    let mut found = 0;
    for (slot, word) in position.iter_mut().zip(words) {
        *slot = parse_coordinate(word).ok_or_else(|| ObjError::Coordinate {
            vertex,
            axis: ['x', 'y', 'z'][found],
            text: quote(word),
        })?;
        found += 1;
    }
    if found < 3 {
        return Err(ObjError::VertexTooShort { vertex, found });
    }
    Ok(position)
}

/// Decimal text to the nearest f32; what overflows it is as useless as infinity.
fn parse_coordinate(word: &[u8]) -> Option<f32> {
    let value: f32 = std::str::from_utf8(word).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

fn parse_face<'a>(
    words: impl Iterator<Item = &'a [u8]>,
    faces: &mut Faces,
    vertices_so_far: usize,
) -> Result<(), ObjError> {
    let face = faces.len() + 1;
    let start = faces.corners.len();
    for word in words {
        // `v`, `v/vt`, `v//vn`, `v/vt/vn`: what follows the first stroke does not move anything.
        let digits = word.split(|&byte| byte == b'/').next().unwrap_or(word);
        let index: i64 = std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| ObjError::IndexText { face, text: quote(word) })?;
        if index == 0 {
            return Err(ObjError::IndexZero { face });
        }
        let corner = if index > 0 {
            // A corner beyond the vertices read so far is judged when all are known.
            u32::try_from(index - 1).unwrap_or_else(|_| {
                faces.beyond.get_or_insert((face, index));
                u32::MAX
            })
        } else {
            let back = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
            let corner = vertices_so_far.checked_sub(back).and_then(|corner| u32::try_from(corner).ok());
            corner.ok_or(ObjError::IndexOutOfRange { face, index, vertices: vertices_so_far })?
        };
        faces.corners.push(corner);
    }
    let corners = faces.corners.len() - start;
    if corners < 3 {
        return Err(ObjError::FaceTooSmall { face, corners });
    }
    faces.ends.push(faces.corners.len());
    Ok(())
}

/// Triangles of every face in turn: (first, k, k + 1).
fn cut_fans(faces: &Faces, vertices: usize) -> Result<Vec<[u32; 3]>, (usize, ObjError)> {
    let mut triangles = Vec::with_capacity(faces.corners.len().saturating_sub(2 * faces.len()));
    // The last `u32` stands for an index that did not fit, so it never names a vertex.
    let nameable = vertices.min(u32::MAX as usize);
    for face in 0..faces.len() {
        let corners = faces.corners(face);
        if let Some(&corner) = corners.iter().find(|&&corner| corner as usize >= nameable) {
            let face_number = face + 1;
            let index = match faces.beyond {
                Some((beyond, index)) if beyond == face_number && corner == u32::MAX => index,
                _ => i64::from(corner) + 1,
            };
            let error = ObjError::IndexOutOfRange { face: face_number, index, vertices };
            return Err((face, error));
        }
        triangles.extend(corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]));
    }
    Ok(triangles)
}

/// Lines of a file with their numbers; LF, CRLF and CR all end a line.
struct Lines<'a> {
    rest: Option<&'a [u8]>,
    number: usize,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self { rest: Some(bytes), number: 0 }
    }

    /// The next statement that could matter, without its comment, and the line it starts on.
    fn next_statement(&mut self) -> Option<(usize, Cow<'a, [u8]>)> {
        let (first, line) = (self.number + 1, self.next_line()?);
        let (line, mut continues) = continued(line);
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        if !continues || !matches!(words.next(), Some(b"v" | b"f")) {
            return Some((first, Cow::Borrowed(line)));
        }
        let mut joined = line.to_vec();
        while continues {
            let Some(line) = self.next_line() else { break };
            let (line, again) = continued(line);
            joined.push(b' ');
            joined.extend_from_slice(line);
            continues = again;
        }
        Some((first, Cow::Owned(joined)))
    }

    fn next_line(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        self.number += 1;
        let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            self.rest = None;
            return Some(rest);
        };
        let after = if rest[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        self.rest = Some(&rest[after..]);
        Some(&rest[..end])
    }
}

/// Whether what follows a word is a name.
fn names_faces(word: &[u8]) -> bool {
    matches!(word, b"o" | b"g" | b"usemtl")
}

/// A line without comment and closing `\`, and whether the `\` was there. Names may have a `#`,
/// but not at the begin of a word, and may end in a `\`.
fn continued(line: &[u8]) -> (&[u8], bool) {
    let is_name = line.trim_ascii_start().split(u8::is_ascii_whitespace).next().is_some_and(names_faces);
    let is_comment = |before: u8| {
        // `1.#QNAN` is how one C library prints NaN: not a comment but a coordinate to refuse.
        if is_name { before.is_ascii_whitespace() } else { before != b'.' }
    };
    let comment = (0..line.len()).find(|&at| line[at] == b'#' && (at == 0 || is_comment(line[at - 1])));
    match comment {
        Some(at) => (&line[..at], false),
        None if is_name => (line, false),
        None => match line.trim_ascii_end().strip_suffix(b"\\") {
            Some(line) => (line, true),
            None => (line, false),
        },
    }
}

/// What is wrong with an OBJ file. Vertices and faces are counted from 1, as the format does.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjError {
    /// No `v` statement.
    #[error("the file has no vertices (no line starts with `v`); is this an OBJ mesh?")]
    NoVertices,
    /// No `f` statement.
    #[error("the file has {vertices} vertices but no faces (no line starts with `f`); export the mesh with its faces")]
    NoFaces {
        /// How many vertices there are.
        vertices: usize,
    },
    /// A `v` statement with fewer than three numbers.
    #[error("vertex {vertex} has {found} coordinates where x, y and z are needed")]
    VertexTooShort {
        /// The vertex, from 1.
        vertex: usize,
        /// How many numbers it has.
        found: usize,
    },
    /// A coordinate that is no finite number.
    #[error(
        "the {axis} coordinate of vertex {vertex} is `{text}`, which is not a finite 32-bit number; look for \
         exploded vertices or a decimal comma, and export again"
    )]
    Coordinate {
        /// The vertex, from 1.
        vertex: usize,
        /// `x`, `y` or `z`.
        axis: char,
        /// What the file says.
        text: String,
    },
    /// A face with fewer than three corners.
    #[error("face {face} has {corners} corners where at least 3 are needed")]
    FaceTooSmall {
        /// The face, from 1.
        face: usize,
        /// How many corners it has.
        corners: usize,
    },
    /// A corner that is no index.
    #[error("face {face} has the corner `{text}`, which does not start with a vertex number")]
    IndexText {
        /// The face, from 1.
        face: usize,
        /// What the file says.
        text: String,
    },
    /// A corner with index 0.
    #[error("face {face} names vertex 0, but OBJ counts vertices from 1")]
    IndexZero {
        /// The face, from 1.
        face: usize,
    },
    /// A corner that names no vertex.
    #[error("face {face} {}", out_of_range(*.index, *.vertices))]
    IndexOutOfRange {
        /// The face, from 1.
        face: usize,
        /// The index as the file says it.
        index: i64,
        /// How many vertices it may choose from: all, or for a negative index those before it.
        vertices: usize,
    },
}

fn out_of_range(index: i64, vertices: usize) -> String {
    if index < 0 {
        format!("counts back to vertex {index}, but the number of vertices before it is {vertices}")
    } else {
        format!("names vertex {index}, but the file has {vertices} vertices")
    }
}
