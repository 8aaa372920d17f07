//! STL: triangles without vertices in common, ASCII or binary.
//!
//! Corners with equal positions become one vertex (0 and -0 are equal); vertices are numbered by
//! their first corner. Normals, attributes and colours are passed over. Every solid of an ASCII
//! file is a group.
//!
//! A file is binary if its length is what the count of a binary file says, whatever its first bytes
//! are: exporters write `solid` into both kinds. One pass over the file, one hash lookup a corner.

use std::collections::HashMap;
use std::path::Path;

use super::MeshData;
use super::error::{ReadError, quote};
use super::format::FileFormat;
use super::labels::{LabelBuilder, MeshFile};
use super::source::read_bytes;
use crate::incident::PartLabels;
use crate::limits;

/// Bytes before the count of triangles in a binary file.
const HEADER: usize = 80;
const TRIANGLE: usize = 50;

/// Reads a mesh from an STL file.
///
/// # Errors
/// When the file cannot be read, is neither ASCII nor binary STL, is cut short, has no triangles,
/// or holds a coordinate that is not finite.
pub fn read_stl(path: impl AsRef<Path>) -> Result<MeshData, ReadError> {
    let path = path.as_ref();
    parse_stl(&read_bytes(path, FileFormat::Stl)?, path)
}

/// Reads a mesh from the bytes of an STL file; `file` is only named in errors.
///
/// # Errors
/// As [`read_stl`], apart from reading the file.
pub fn parse_stl(bytes: &[u8], file: &Path) -> Result<MeshData, ReadError> {
    Ok(parse_corners(bytes, file)?.weld().mesh)
}

/// Triangles as the file has them.
pub(super) struct Corners {
    /// Three a triangle.
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) labels: PartLabels,
}

impl Corners {
    pub(super) fn weld(self) -> MeshFile {
        let mut welding = Welding::new(self.positions.len());
        welding.split(&self.positions);
        MeshFile::new(
            MeshData { positions: welding.pick(&self.positions), triangles: welding.triangles() },
            self.labels,
        )
    }
}

pub(super) fn read_corners(path: &Path) -> Result<Corners, ReadError> {
    parse_corners(&read_bytes(path, FileFormat::Stl)?, path)
}

fn parse_corners(bytes: &[u8], file: &Path) -> Result<Corners, ReadError> {
    let refuse = |error: StlError| ReadError::new(file, error);
    let announced = bytes.get(HEADER..HEADER + 4).map(|count| {
        let count = count.try_into().map_or(0, u32::from_le_bytes);
        (count, (HEADER + 4) as u64 + u64::from(count) * TRIANGLE as u64)
    });
    let is_ascii = || {
        let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        start.starts_with(b"solid") && !bytes.contains(&0)
    };
    let corners = match announced {
        Some((_, length)) if length == bytes.len() as u64 => parse_binary(&bytes[HEADER + 4..]).map_err(refuse)?,
        _ if is_ascii() => parse_ascii(bytes).map_err(|(line, error)| refuse(error).at_line(line))?,
        Some((triangles, expected)) => {
            return Err(refuse(StlError::Length { triangles, expected, found: bytes.len() as u64 }));
        }
        None => return Err(refuse(StlError::TooShort { found: bytes.len() })),
    };
    if corners.positions.is_empty() {
        return Err(refuse(StlError::NoTriangles));
    }
    if corners.positions.len() > limits::MAX_INDEX {
        return Err(refuse(StlError::TooMany { triangles: corners.positions.len() / 3 }));
    }
    Ok(corners)
}

fn parse_binary(bytes: &[u8]) -> Result<Corners, StlError> {
    let (triangles, _) = bytes.as_chunks::<TRIANGLE>();
    let mut positions = Vec::with_capacity(3 * triangles.len());
    for (number, triangle) in triangles.iter().enumerate() {
        // The normal comes first, two bytes of attributes last.
        let (numbers, _) = triangle[12..48].as_chunks::<4>();
        for corner in 0..3 {
            let position: [f32; 3] = std::array::from_fn(|axis| f32::from_le_bytes(numbers[3 * corner + axis]));
            if let Some(axis) = position.iter().position(|value| !value.is_finite()) {
                let text = position[axis].to_string();
                return Err(StlError::Coordinate { triangle: number, corner, axis: ['x', 'y', 'z'][axis], text });
            }
            positions.push(position);
        }
    }
    Ok(Corners { positions, labels: PartLabels::default() })
}

fn parse_ascii(bytes: &[u8]) -> Result<Corners, (usize, StlError)> {
    let mut positions: Vec<[f32; 3]> = Vec::new();
    let mut groups = LabelBuilder::default();
    let mut solid = String::new();
    let (mut number, mut is_open) = (0, false);
    // How many corners there were before the facet.
    let mut before = 0;
    for line in bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).split(|&byte| byte == b'\n') {
        number += 1;
        let line = line.trim_ascii();
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let corners = positions.len() - before;
        let refused = (number, StlError::CornerCount { triangle: before / 3, corners });
        match words.next().unwrap_or(b"") {
            b"vertex" => positions.push(corner(words, positions.len()).map_err(|error| (number, error))?),
            b"facet" | b"endsolid" | b"solid" if !matches!(corners, 0 | 3) => return Err(refused),
            b"endfacet" if corners != 3 => return Err(refused),
            b"facet" => before = positions.len(),
            b"endfacet" => {
                groups.add(&solid, before / 3, before / 3 + 1);
                before = positions.len();
            }
            b"solid" => {
                solid = String::from_utf8_lossy(line[5..].trim_ascii()).into_owned();
                is_open = true;
            }
            b"endsolid" => is_open = false,
            b"" | b"outer" | b"endloop" => {}
            _ => return Err((number, StlError::Word { text: quote(line) })),
        }
    }
    let corners = positions.len() - before;
    if !matches!(corners, 0 | 3) {
        return Err((number, StlError::CornerCount { triangle: before / 3, corners }));
    }
    if is_open {
        return Err((number, StlError::NoEnd));
    }
    let labels = PartLabels { groups: groups.finish(), ..PartLabels::default() };
    Ok(Corners { positions, labels })
}

fn corner<'a>(words: impl Iterator<Item = &'a [u8]>, count: usize) -> Result<[f32; 3], StlError> {
    let (triangle, corner) = (count / 3, count % 3);
    let words: Vec<&[u8]> = words.take(4).collect();
    if words.len() != 3 {
        return Err(StlError::NumberCount { triangle, corner, found: words.len() });
    }
    let mut position = [0.0; 3];
    for (axis, word) in words.into_iter().enumerate() {
        let value = std::str::from_utf8(word).ok().and_then(|word| word.parse::<f32>().ok());
        position[axis] = value.filter(|value| value.is_finite()).ok_or_else(|| StlError::Coordinate {
            triangle,
            corner,
            axis: ['x', 'y', 'z'][axis],
            text: quote(word),
        })?;
    }
    Ok(position)
}

/// Which corners are one vertex: those with equal positions in every frame.
pub(super) struct Welding {
    /// Per corner its vertex, numbered by first corners.
    vertices: Vec<u32>,
    count: usize,
}

impl Welding {
    pub(super) fn new(corners: usize) -> Self {
        Self { vertices: vec![0; corners], count: usize::from(corners > 0) }
    }

    /// Separates corners of one vertex whose positions differ in this frame. O(corners).
    pub(super) fn split(&mut self, positions: &[[f32; 3]]) {
        // Never iterated: numbers follow the order of corners.
        let mut known: HashMap<(u32, [u32; 3]), u32> = HashMap::with_capacity(self.count);
        for (vertex, position) in self.vertices.iter_mut().zip(positions) {
            // 0 and -0 are one place.
            let place = position.map(|coordinate| (coordinate + 0.0).to_bits());
            let next = known.len() as u32;
            *vertex = *known.entry((*vertex, place)).or_insert(next);
        }
        self.count = known.len();
    }

    /// The positions of the vertices in a frame.
    pub(super) fn pick(&self, positions: &[[f32; 3]]) -> Vec<[f32; 3]> {
        let mut picked = Vec::with_capacity(self.count);
        for (&vertex, &position) in self.vertices.iter().zip(positions) {
            if vertex as usize == picked.len() {
                picked.push(position);
            }
        }
        picked
    }

    pub(super) fn triangles(&self) -> Vec<[u32; 3]> {
        self.vertices.as_chunks::<3>().0.to_vec()
    }
}

/// What is wrong with an STL file. Triangles and corners are counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StlError {
    /// Too short for a binary file, and no ASCII file.
    #[error("the file has {found} bytes and does not start with `solid`; it is no STL mesh: export it again")]
    TooShort {
        /// Bytes of the file.
        found: usize,
    },
    /// Not as long as the count of a binary file says, and no ASCII file.
    #[error(
        "as binary STL the file announces {triangles} triangles, which are {expected} bytes, but it has {found}; it was \
         cut short, or is no STL mesh: export it again"
    )]
    Length {
        /// What the file announces.
        triangles: u32,
        /// Bytes of such a file.
        expected: u64,
        /// Bytes of the file.
        found: u64,
    },
    /// No triangle.
    #[error("the file has no triangles; export the mesh again")]
    NoTriangles,
    /// More corners than 32-bit indices can name.
    #[error("the file has {triangles} triangles, more than 32-bit indices can name; split the mesh")]
    TooMany {
        /// How many it has.
        triangles: usize,
    },
    /// An ASCII file without `endsolid` at its end.
    #[error("the file does not end with `endsolid`; it was cut short: export it again")]
    NoEnd,
    /// A line of an ASCII file that is not known.
    #[error("`{text}` is no line of an ASCII STL file; export the mesh again")]
    Word {
        /// The line, made printable.
        text: String,
    },
    /// A facet without exactly three vertices.
    #[error("triangle {triangle} (counted from 0) has {corners} corners where 3 are needed; export the mesh again")]
    CornerCount {
        /// The triangle, from 0.
        triangle: usize,
        /// How many corners it has.
        corners: usize,
    },
    /// A vertex without exactly three coordinates.
    #[error(
        "corner {corner} of triangle {triangle} (both counted from 0) has {found} coordinates where x, y and z are \
         needed"
    )]
    NumberCount {
        /// The triangle, from 0.
        triangle: usize,
        /// The corner, from 0.
        corner: usize,
        /// How many there are; 4 stands for 4 or more.
        found: usize,
    },
    /// A coordinate that is no finite number.
    #[error(
        "the {axis} coordinate of corner {corner} of triangle {triangle} (both counted from 0) is `{text}`, which is \
         not a finite 32-bit number; look for exploded vertices, and export again"
    )]
    Coordinate {
        /// The triangle, from 0.
        triangle: usize,
        /// The corner, from 0.
        corner: usize,
        /// `x`, `y` or `z`.
        axis: char,
        /// What the file says.
        text: String,
    },
}
