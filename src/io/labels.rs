//! A mesh with what its parts are called, and how such names are collected.

use std::collections::BTreeMap;
use std::path::Path;

use super::MeshData;
use super::error::ReadError;
use super::format::{FileFormat, FormatError};
use super::obj::read_faces;
use super::ply::read_ply;
use super::source::format_of;
use super::stl::read_corners;
use crate::incident::{PartLabel, PartLabels};

/// A mesh as its file gives it, and the names of its parts.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MeshFile {
    /// The mesh.
    pub mesh: MeshData,
    /// Names of triangles of the mesh.
    pub labels: PartLabels,
}

impl MeshFile {
    pub(super) fn new(mesh: MeshData, labels: PartLabels) -> Self {
        Self { mesh, labels }
    }
}

/// Reads a mesh from an OBJ, PLY or STL file, whichever it is. Time and memory are linear in the
/// file.
///
/// # Errors
/// A format that is not read, with what to export instead; as the format's own reader.
pub fn read_mesh(path: impl AsRef<Path>) -> Result<MeshFile, ReadError> {
    let path = path.as_ref();
    match format_of(path)? {
        FileFormat::Obj => read_faces(path).map(|parsed| MeshFile::new(parsed.mesh, parsed.labels)),
        FileFormat::Ply => read_ply(path).map(|mesh| MeshFile::new(mesh, PartLabels::default())),
        FileFormat::Stl => read_corners(path).map(super::stl::Corners::weld),
        other => Err(ReadError::new(path, FormatError::NoMesh { found: other.name() })),
    }
}

/// Collects names of increasing triangles.
#[derive(Default)]
pub(super) struct LabelBuilder {
    labels: Vec<PartLabel>,
    places: BTreeMap<String, usize>,
}

impl LabelBuilder {
    /// Names the triangles from `begin` to `end`, which is not among them. Later calls for the same
    /// name have later triangles. An empty name names nothing.
    pub(super) fn add(&mut self, name: &str, begin: usize, end: usize) {
        if begin >= end || name.is_empty() {
            return;
        }
        let range = begin as u32..end as u32;
        let Some(&place) = self.places.get(name) else {
            self.places.insert(name.to_owned(), self.labels.len());
            self.labels.push(PartLabel { name: name.to_owned(), triangles: vec![range] });
            return;
        };
        let triangles = &mut self.labels[place].triangles;
        match triangles.last_mut() {
            // Two names of one kind may be the same, as object and group often are.
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => triangles.push(range),
        }
    }

    /// The labels, in the order in which their names were first used.
    pub(super) fn finish(self) -> Vec<PartLabel> {
        self.labels
    }
}
