//! Edits of a mesh: triangles and vertices are added and removed under permanent numbers.

use super::Mesh;
use crate::limits;
use std::collections::{BTreeMap, BTreeSet};

/// Reason why an edit was refused; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// Another edit was applied since this one began: its new numbers are taken.
    #[error("the mesh was edited after this edit began")]
    Outdated,
    /// The triangle does not exist, or was removed.
    #[error("triangle {triangle} does not exist (or no longer)")]
    NoSuchTriangle {
        /// The triangle.
        triangle: u32,
    },
    /// The vertex does not exist, was removed, or is removed by the same edit.
    #[error("vertex {vertex}{} does not exist (or no longer)", named_by(*.triangle))]
    NoSuchVertex {
        /// The vertex.
        vertex: u32,
        /// The triangle that names it; `None` if the edit names it directly.
        triangle: Option<u32>,
    },
    /// One edit removes a triangle, or changes its corners, twice.
    #[error("one edit changes triangle {triangle} twice")]
    TriangleNamedTwice {
        /// The triangle.
        triangle: u32,
    },
    /// One edit removes a vertex twice.
    #[error("one edit removes vertex {vertex} twice")]
    VertexNamedTwice {
        /// The vertex.
        vertex: u32,
    },
    /// A vertex to be removed is still used by triangles.
    #[error("vertex {vertex} cannot be removed: it is used by {corners} corners of triangles")]
    VertexInUse {
        /// The vertex.
        vertex: u32,
        /// Number of corners that use it.
        corners: u32,
    },
    /// No triangle would remain.
    #[error("no triangle would be left")]
    Empty,
    /// More vertices or triangles than indices can name, including removed ones.
    #[error("{count} {what} are more than the {} supported", limits::MAX_INDEX / 2)]
    TooLarge {
        /// The kind of items.
        what: &'static str,
        /// Their number after the edit.
        count: usize,
    },
}

/// The triangle that names a vertex, for a message.
fn named_by(triangle: Option<u32>) -> String {
    triangle.map_or_else(String::new, |triangle| format!(", which triangle {triangle} names,"))
}

/// Changes of a mesh, applied as a whole or not at all.
///
/// New vertices and triangles get the numbers after all earlier ones, in the order in which they
/// are added, so one edit can add vertices and use them. A cut duplicates the vertices along it and
/// changes the corners of the triangles on one side.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshEdit {
    /// Numbers of vertices and triangles when the edit began.
    base: [usize; 2],
    /// Per new vertex, the vertex that it is welded to (one point of the surface), or itself.
    pub(super) joined: Vec<u32>,
    pub(super) added: Vec<[u32; 3]>,
    pub(super) removed: Vec<u32>,
    pub(super) corners: Vec<(u32, [u32; 3])>,
    pub(super) removed_vertices: Vec<u32>,
}

impl MeshEdit {
    /// Creates an edit without changes.
    pub fn new(mesh: &Mesh) -> Self {
        Self {
            base: [mesh.vertex_count(), mesh.triangles().len()],
            joined: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            corners: Vec::new(),
            removed_vertices: Vec::new(),
        }
    }

    /// Adds a vertex, optionally welded to another one; returns its number.
    pub fn add_vertex(&mut self, welded_to: Option<u32>) -> u32 {
        let number = (self.base[0] + self.joined.len()) as u32;
        self.joined.push(welded_to.unwrap_or(number));
        number
    }

    /// Adds a triangle; returns its number.
    pub fn add_triangle(&mut self, corners: [u32; 3]) -> u32 {
        self.added.push(corners);
        (self.base[1] + self.added.len() - 1) as u32
    }

    /// Removes a triangle.
    pub fn remove_triangle(&mut self, triangle: u32) {
        self.removed.push(triangle);
    }

    /// Changes the corners of a triangle; it remains the same triangle.
    pub fn set_corners(&mut self, triangle: u32, corners: [u32; 3]) {
        self.corners.push((triangle, corners));
    }

    /// Removes a vertex; no triangle may use it after the edit.
    pub fn remove_vertex(&mut self, vertex: u32) {
        self.removed_vertices.push(vertex);
    }

    /// Numbers of triangles that are removed or whose corners change.
    pub(crate) fn uprooted(&self) -> impl Iterator<Item = u32> + '_ {
        self.removed.iter().copied().chain(self.corners.iter().map(|&(triangle, _)| triangle))
    }

    /// Numbers of triangles that are added or whose corners change.
    pub(crate) fn planted(&self) -> impl Iterator<Item = u32> + '_ {
        let added = (self.base[1]..self.base[1] + self.added.len()).map(|triangle| triangle as u32);
        self.corners.iter().map(|&(triangle, _)| triangle).chain(added)
    }

    /// The removed vertices.
    pub(crate) fn removed_vertices(&self) -> &[u32] {
        &self.removed_vertices
    }

    /// Per new vertex, the vertex that it is welded to, or itself.
    pub(crate) fn joined(&self) -> &[u32] {
        &self.joined
    }

    /// The number of changes.
    pub(crate) fn len(&self) -> usize {
        self.joined.len() + self.added.len() + self.removed.len() + self.corners.len() + self.removed_vertices.len()
    }
}

/// Data of an edited mesh, kept from the first edit on.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    /// Per triangle, whether it was removed.
    gone: Vec<bool>,
    gone_count: usize,
    /// Per vertex, the number of corners that use it; `GONE` if it was removed.
    uses: Vec<u32>,
    /// Per vertex added by an edit, the vertex that it is welded to, or itself.
    joined: Vec<u32>,
}

const GONE: u32 = u32::MAX;

impl Ledger {
    fn new(mesh: &Mesh) -> Self {
        let mut uses = vec![0; mesh.vertex_count];
        mesh.triangles.iter().flatten().for_each(|&corner| uses[corner as usize] += 1);
        Self { gone: vec![false; mesh.triangles.len()], gone_count: 0, uses, joined: Vec::new() }
    }

    pub(super) fn has_triangle(&self, triangle: u32) -> bool {
        !self.gone[triangle as usize]
    }

    pub(crate) fn has_vertex(&self, vertex: u32) -> bool {
        self.uses[vertex as usize] != GONE
    }

    pub(super) fn triangle_count(&self) -> usize {
        self.gone.len() - self.gone_count
    }

    pub(super) fn joined(&self) -> &[u32] {
        &self.joined
    }
}

/// What edits of a mesh have done, as it is stored.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct LedgerParts {
    removed_triangles: Vec<u32>,
    /// Per vertex, whether it was removed: a short file makes no large mesh.
    removed_vertices: Vec<bool>,
    /// Per vertex added by an edit, the vertex that it is welded to, or itself.
    joined: Vec<u32>,
}

#[cfg(feature = "serde")]
impl Ledger {
    /// What edits have done.
    pub(super) fn parts(&self) -> LedgerParts {
        let removed = (0..).zip(&self.gone).filter_map(|(triangle, &is_gone)| is_gone.then_some(triangle));
        LedgerParts {
            removed_triangles: removed.collect(),
            removed_vertices: self.uses.iter().map(|&uses| uses == GONE).collect(),
            joined: self.joined.clone(),
        }
    }

    /// Data of edits of a mesh, checked as edits are. O(triangles).
    pub(super) fn of_parts(mesh: &Mesh, parts: LedgerParts) -> Result<Self, EditError> {
        if parts.removed_vertices.len() != mesh.vertex_count {
            return Err(EditError::NoSuchVertex { vertex: parts.removed_vertices.len() as u32, triangle: None });
        }
        let mut ledger = Self::new(mesh);
        for &triangle in &parts.removed_triangles {
            match ledger.gone.get_mut(triangle as usize) {
                None => return Err(EditError::NoSuchTriangle { triangle }),
                Some(true) => return Err(EditError::TriangleNamedTwice { triangle }),
                Some(gone) => *gone = true,
            }
            mesh.triangles[triangle as usize].iter().for_each(|&corner| ledger.uses[corner as usize] -= 1);
        }
        ledger.gone_count = parts.removed_triangles.len();
        if ledger.triangle_count() == 0 {
            return Err(EditError::Empty);
        }
        for (vertex, uses) in (0..).zip(&mut ledger.uses) {
            match (parts.removed_vertices[vertex as usize], *uses) {
                (false, _) => {}
                (true, 0) => *uses = GONE,
                (true, corners) => return Err(EditError::VertexInUse { vertex, corners }),
            }
        }
        let Some(first) = mesh.vertex_count.checked_sub(parts.joined.len()) else {
            return Err(EditError::NoSuchVertex { vertex: mesh.vertex_count as u32, triangle: None });
        };
        // A vertex may be welded to one added before it.
        let too_late = |&(vertex, &other): &(usize, &u32)| other as usize > vertex;
        if let Some((_, &vertex)) = (first..).zip(&parts.joined).find(too_late) {
            return Err(EditError::NoSuchVertex { vertex, triangle: None });
        }
        ledger.joined = parts.joined;
        Ok(ledger)
    }
}

impl Mesh {
    /// Checks whether an edit can be applied. O(edit · log edit), plus O(triangles) if it removes
    /// vertices from a mesh never edited.
    ///
    /// # Errors
    /// See [`EditError`].
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn check_edit(&self, edit: &MeshEdit) -> Result<(), EditError> {
        if edit.base != [self.vertex_count, self.triangles.len()] {
            return Err(EditError::Outdated);
        }
        let vertices = self.vertex_count + edit.joined.len();
        for (what, count) in [("vertices", vertices), ("triangles", self.triangles.len() + edit.added.len())] {
            if count > limits::MAX_INDEX / 2 {
                return Err(EditError::TooLarge { what, count });
            }
        }
        let mut named = BTreeSet::new();
        for triangle in edit.uprooted() {
            if !self.has_triangle(triangle) {
                return Err(EditError::NoSuchTriangle { triangle });
            }
            if !named.insert(triangle) {
                return Err(EditError::TriangleNamedTwice { triangle });
            }
        }
        let mut removed = BTreeSet::new();
        for &vertex in &edit.removed_vertices {
            if !self.has_vertex(vertex) {
                return Err(EditError::NoSuchVertex { vertex, triangle: None });
            }
            if !removed.insert(vertex) {
                return Err(EditError::VertexNamedTwice { vertex });
            }
        }
        let is_there = |vertex: u32| {
            let is_new = (self.vertex_count..vertices).contains(&(vertex as usize));
            (is_new || self.has_vertex(vertex)) && !removed.contains(&vertex)
        };
        for (place, &other) in edit.joined.iter().enumerate() {
            // A vertex may be welded to one added before it.
            if other as usize > self.vertex_count + place || !is_there(other) {
                return Err(EditError::NoSuchVertex { vertex: other, triangle: None });
            }
        }
        let added =
            edit.added.iter().enumerate().map(|(place, corners)| ((self.triangles.len() + place) as u32, *corners));
        for (triangle, corners) in added.chain(edit.corners.iter().copied()) {
            if let Some(&vertex) = corners.iter().find(|&&corner| !is_there(corner)) {
                return Err(EditError::NoSuchVertex { vertex, triangle: Some(triangle) });
            }
        }
        if self.triangle_count() + edit.added.len() == edit.removed.len() {
            return Err(EditError::Empty);
        }
        self.check_unused(edit)
    }

    /// Checks that no triangle uses the vertices to be removed.
    fn check_unused(&self, edit: &MeshEdit) -> Result<(), EditError> {
        if edit.removed_vertices.is_empty() {
            return Ok(());
        }
        let fresh;
        let uses = if let Some(ledger) = &self.ledger {
            &ledger.uses
        } else {
            fresh = Ledger::new(self).uses;
            &fresh
        };
        // Removed corners; added ones were checked to use vertices that stay.
        let mut freed: BTreeMap<u32, u32> = BTreeMap::new();
        for corner in edit.uprooted().flat_map(|triangle| self.triangles[triangle as usize]) {
            *freed.entry(corner).or_default() += 1;
        }
        for &vertex in &edit.removed_vertices {
            let corners = uses[vertex as usize] - freed.get(&vertex).copied().unwrap_or(0);
            if corners > 0 {
                return Err(EditError::VertexInUse { vertex, corners });
            }
        }
        Ok(())
    }

    /// Applies an edit. O(edit), and O(triangles) for the first one.
    ///
    /// # Errors
    /// As [`Mesh::check_edit`]; the mesh is then unchanged.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn edit(&mut self, edit: &MeshEdit) -> Result<(), EditError> {
        self.check_edit(edit)?;
        let mut ledger = self.ledger.take().unwrap_or_else(|| Box::new(Ledger::new(self)));
        ledger.joined.extend_from_slice(&edit.joined);
        ledger.uses.resize(self.vertex_count + edit.joined.len(), 0);
        self.vertex_count += edit.joined.len();
        let mut count = |corners: [u32; 3], change: i32| {
            for corner in corners {
                let uses = &mut ledger.uses[corner as usize];
                *uses = uses.wrapping_add_signed(change);
            }
        };
        for &triangle in &edit.removed {
            count(self.triangles[triangle as usize], -1);
        }
        for &(triangle, corners) in &edit.corners {
            let old = std::mem::replace(&mut self.triangles[triangle as usize], corners);
            count(old, -1);
            count(corners, 1);
        }
        for &corners in &edit.added {
            self.triangles.push(corners);
            count(corners, 1);
        }
        for &triangle in &edit.removed {
            ledger.gone[triangle as usize] = true;
        }
        ledger.gone.resize(self.triangles.len(), false);
        ledger.gone_count += edit.removed.len();
        for &vertex in &edit.removed_vertices {
            ledger.uses[vertex as usize] = GONE;
        }
        self.ledger = Some(ledger);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip() -> Mesh {
        Mesh::new(4, vec![[0, 1, 2], [2, 1, 3]]).unwrap()
    }

    #[test]
    fn numbers_last() {
        let mut mesh = strip();
        let mut edit = MeshEdit::new(&mesh);
        let vertex = edit.add_vertex(None);
        assert_eq!((vertex, edit.add_triangle([2, 3, vertex])), (4, 2));
        edit.remove_triangle(0);
        edit.remove_vertex(0);
        mesh.edit(&edit).unwrap();
        assert_eq!((mesh.triangle_count(), mesh.triangles().len(), mesh.vertex_count()), (2, 3, 5));
        assert!(!mesh.has_triangle(0) && mesh.has_triangle(2) && !mesh.has_vertex(0) && mesh.has_vertex(4));
        assert_eq!(mesh.boundary_edges(), 4);
        assert_eq!(mesh.edit(&edit), Err(EditError::Outdated));
        let mut again = MeshEdit::new(&mesh);
        assert_eq!(again.add_triangle([1, 2, 3]), 3, "a number is not given twice");
        again.remove_triangle(0);
        assert_eq!(mesh.check_edit(&again), Err(EditError::NoSuchTriangle { triangle: 0 }));
    }

    #[test]
    fn refusals() {
        let mesh = strip();
        let refused = |change: &dyn Fn(&mut MeshEdit)| {
            let mut edit = MeshEdit::new(&mesh);
            change(&mut edit);
            mesh.clone().edit(&edit).unwrap_err()
        };
        assert_eq!(refused(&|edit| edit.remove_vertex(1)), EditError::VertexInUse { vertex: 1, corners: 2 });
        assert_eq!(refused(&|edit| edit.remove_vertex(9)), EditError::NoSuchVertex { vertex: 9, triangle: None });
        let both = refused(&|edit| {
            edit.remove_triangle(0);
            edit.remove_triangle(1);
        });
        assert_eq!(both, EditError::Empty);
        let twice = refused(&|edit| {
            edit.remove_triangle(1);
            edit.set_corners(1, [0, 1, 2]);
        });
        assert_eq!(twice, EditError::TriangleNamedTwice { triangle: 1 });
        let gone = refused(&|edit| {
            edit.remove_triangle(0);
            edit.remove_vertex(0);
            edit.add_triangle([0, 1, 3]);
        });
        assert_eq!(gone, EditError::NoSuchVertex { vertex: 0, triangle: Some(2) });
        assert_eq!(gone.to_string(), "vertex 0, which triangle 2 names, does not exist (or no longer)");
        let later = refused(&|edit| {
            edit.add_vertex(Some(5));
        });
        assert_eq!(later, EditError::NoSuchVertex { vertex: 5, triangle: None });
    }

    #[test]
    fn new_vertices_are_welded_only_if_asked_for() {
        let mut mesh = strip();
        let mut edit = MeshEdit::new(&mesh);
        let (apart, welded) = (edit.add_vertex(None), edit.add_vertex(Some(2)));
        mesh.edit(&edit).unwrap();
        let mut rest = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        rest.extend([rest[2], rest[2]]);
        let seams = mesh.weld(&rest).unwrap();
        assert_eq!((seams.representative(apart), seams.representative(welded)), (apart, 2));
        assert_eq!(seams.welded_to(welded).collect::<Vec<_>>(), [2, welded]);
        assert_eq!(seams.welded_to(apart).collect::<Vec<_>>(), [apart]);
    }
}
