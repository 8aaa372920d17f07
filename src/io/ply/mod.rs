//! PLY, the Stanford mesh format: ASCII, and binary in both byte orders.
//!
//! Reads x, y and z of `vertex` and the list `vertex_indices` (or `vertex_index`) of `face`; other
//! properties and elements are passed over. Polygons are cut into fans from their first corner.
//! Vertices keep the file's order.
//!
//! Why not a crate: `ply-rs` has had no release since 2018, and stores every element as a map from
//! names to values. Neither it nor its successor checks the header's counts against the file's
//! length before it allocates.
//!
//! One pass; time and memory are linear in the file's length.

mod data;
mod error;
mod header;

use std::path::Path;

use self::data::Data;
pub use self::error::PlyError;
use self::header::{Element, Header};
use super::MeshData;
use super::error::ReadError;
use super::format::FileFormat;
use super::source::read_bytes;
use crate::limits;

/// Reads a mesh from a PLY file.
///
/// # Errors
/// When the file cannot be read, is not PLY 1.0, is shorter or longer than its header says, has no
/// vertices or no faces, or holds a coordinate or an index that is not usable.
pub fn read_ply(path: impl AsRef<Path>) -> Result<MeshData, ReadError> {
    let path = path.as_ref();
    parse_ply(&read_bytes(path, FileFormat::Ply)?, path)
}

/// Reads a mesh from the bytes of a PLY file; `file` is only named in errors.
///
/// # Errors
/// As [`read_ply`], apart from reading the file.
pub fn parse_ply(bytes: &[u8], file: &Path) -> Result<MeshData, ReadError> {
    let header = header::read(bytes).map_err(|(line, error)| ReadError::new(file, error).at_line(line))?;
    header.check(bytes.len()).map_err(|error| ReadError::new(file, error))?;
    let mut data = Data::new(header.storage, &bytes[header.end..], header.lines);
    let read = read_elements(&header, &mut data);
    read.map_err(|error| {
        let refused = ReadError::new(file, error);
        match data.line() {
            Some(line) => refused.at_line(line),
            None => refused,
        }
    })
}

fn read_elements(header: &Header, data: &mut Data<'_>) -> Result<MeshData, PlyError> {
    let mut mesh = MeshData::default();
    let vertices = header.elements.iter().find(|element| element.name == "vertex");
    let vertices = vertices.map_or(0, |element| element.count as usize);
    if vertices == 0 {
        return Err(PlyError::NoVertices);
    }
    if vertices > limits::MAX_INDEX {
        return Err(PlyError::TooMany { what: "vertices" });
    }
    let mut has_faces = false;
    for element in &header.elements {
        match &*element.name {
            "vertex" if mesh.positions.is_empty() => read_vertices(element, data, &mut mesh.positions)?,
            "face" if !has_faces => {
                has_faces = true;
                read_faces(element, data, vertices, &mut mesh.triangles)?;
            }
            _ => (0..element.count).try_for_each(|index| pass_over(element, index, data))?,
        }
    }
    let bytes = data.left().trim_ascii().len();
    if bytes > 0 {
        return Err(PlyError::Trailing { bytes });
    }
    if mesh.triangles.is_empty() {
        return Err(PlyError::NoFaces { vertices });
    }
    Ok(mesh)
}

fn read_vertices(element: &Element, data: &mut Data<'_>, positions: &mut Vec<[f32; 3]>) -> Result<(), PlyError> {
    let places = ["x", "y", "z"].map(|name| element.property(&[name]));
    if places.iter().any(|place| place.is_none_or(|place| element.properties[place].count.is_some())) {
        return Err(PlyError::NoVertices);
    }
    positions.reserve_exact(element.count as usize);
    for vertex in 0..element.count {
        let mut position = [0.0; 3];
        each_number(element, vertex, data, |property, value| {
            let Some(axis) = places.iter().position(|&place| place == Some(property)) else { return Ok(()) };
            let coordinate = value as f32;
            if !coordinate.is_finite() {
                return Err(PlyError::Coordinate { vertex, axis: ['x', 'y', 'z'][axis], value });
            }
            position[axis] = coordinate;
            Ok(())
        })?;
        positions.push(position);
    }
    Ok(())
}

fn read_faces(
    element: &Element,
    data: &mut Data<'_>,
    vertices: usize,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), PlyError> {
    let place = element.property(&["vertex_indices", "vertex_index"]);
    let Some(place) = place.filter(|&place| element.properties[place].count.is_some()) else {
        return Err(PlyError::NoFaces { vertices });
    };
    let mut corners = Vec::new();
    for face in 0..element.count {
        corners.clear();
        each_number(element, face, data, |property, index| {
            if property != place {
                return Ok(());
            }
            if !(index >= 0.0 && index < vertices as f64 && index.fract() == 0.0) {
                return Err(PlyError::IndexOutOfRange { face, index, vertices });
            }
            corners.push(index as u32);
            Ok(())
        })?;
        if corners.len() < 3 {
            return Err(PlyError::FaceTooSmall { face, corners: corners.len() as i64 });
        }
        if triangles.len() + corners.len() - 2 > limits::MAX_INDEX {
            return Err(PlyError::TooMany { what: "triangles" });
        }
        triangles.extend(corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]));
    }
    Ok(())
}

fn pass_over(element: &Element, index: u64, data: &mut Data<'_>) -> Result<(), PlyError> {
    each_number(element, index, data, |_, _| Ok(()))
}

/// Calls `take` with the place of the property and the value, for every number of an element but
/// the lengths of its lists.
fn each_number(
    element: &Element,
    index: u64,
    data: &mut Data<'_>,
    mut take: impl FnMut(usize, f64) -> Result<(), PlyError>,
) -> Result<(), PlyError> {
    data.begin_element();
    for (place, property) in element.properties.iter().enumerate() {
        let mut items = 1.0;
        if let Some(kind) = property.count {
            items = data.number(kind).map_err(|missing| missing.at(element, index, property))?;
            if items < 0.0 {
                return Err(PlyError::FaceTooSmall { face: index, corners: items as i64 });
            }
        }
        // A list that is longer than the file ends with the data.
        for _ in 0..items as u64 {
            let value = data.number(property.kind).map_err(|missing| missing.at(element, index, property))?;
            take(place, value)?;
        }
    }
    if !data.is_element_done() {
        return Err(PlyError::Surplus { element: element.name.clone(), index });
    }
    Ok(())
}
