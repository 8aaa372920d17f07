//! Topology, separate from geometry: triangles, segments and points over vertex numbers,
//! welded seams; patches over control points. Validated once.
//!
//! A mesh may be edited ([`MeshEdit`]): triangles are added, removed or given other corners;
//! vertices are added and removed. Triangles and vertices keep their numbers for life, and no
//! number is used twice. A removed item leaves its number unused, so the names in contacts remain
//! valid.

mod elements;
mod patches;
mod spheres;

pub use elements::Element;
pub use patches::{Patch, PatchError, PatchSpan, Patches};
pub use spheres::Spheres;

mod edit;
mod lists;
mod seams;
#[cfg(feature = "serde")]
pub(crate) mod stored;

pub use edit::{EditError, MeshEdit};
pub(crate) use lists::{Lists, range_of};
pub use seams::Seams;
pub(crate) use seams::{share_corner, weld};

use crate::limits;
use edit::Ledger;

/// Reason why a mesh was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There is no triangle.
    #[error("the mesh has no triangles")]
    Empty,
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {index}, but there are {vertices} vertices")]
    IndexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// The vertex it names.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// There is no point.
    #[error("the cloud has no points")]
    NoPoints,
    /// There is no segment.
    #[error("there are no segments")]
    NoSegments,
    /// There is no sphere.
    #[error("there are no spheres")]
    NoSpheres,
    /// A segment names a vertex that does not exist.
    #[error("segment {segment} names vertex {index}, but there are {vertices} vertices")]
    SegmentOutOfRange {
        /// The segment.
        segment: usize,
        /// The vertex it names.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// There is no triangle of this number.
    #[error("there is no triangle {triangle}: there are {triangles} triangles")]
    NoSuchTriangle {
        /// The triangle.
        triangle: u32,
        /// How many there are.
        triangles: usize,
    },
    /// The number of rest positions is not the number of vertices.
    #[error("{found} rest positions were given for {expected} vertices")]
    RestCount {
        /// How many are needed.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// More vertices or triangles than indices can name.
    #[error("{count} {what} are more than the {} supported", limits::MAX_INDEX / 2)]
    TooLarge {
        /// The kind of items.
        what: &'static str,
        /// Their number.
        count: usize,
    },
}

/// Primitives of a tree: small sets of vertices whose hull contains the primitive.
///
/// A triangle has its three corners, a span of a patch its control points.
pub trait Primitives {
    /// The number of primitives.
    fn primitive_count(&self) -> usize;
    /// The vertices whose hull contains primitive `index`.
    fn points_of(&self, index: usize) -> &[u32];
    /// Whether primitive `index` exists. Some numbers may not be in use.
    fn is_used(&self, _index: usize) -> bool {
        true
    }
}

/// Triangles over vertices `0..vertex_count`: a connected mesh or a soup. Repeated corners are
/// allowed: such triangles are segments and points, see [`Element`].
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "stored::StoredMesh", into = "stored::StoredMesh")
)]
pub struct Mesh {
    vertex_count: usize,
    triangles: Vec<[u32; 3]>,
    /// Data of edits; `None` before the first edit.
    ledger: Option<Box<Ledger>>,
}

impl Mesh {
    /// Creates a mesh after checking the triangles.
    ///
    /// # Errors
    /// No triangle, an index out of range, or more than [`limits::MAX_INDEX`] of anything.
    ///
    /// ```
    /// use kinetree::Mesh;
    ///
    /// let square = Mesh::new(4, vec![[0, 1, 2], [0, 2, 3]])?;
    /// assert_eq!(square.triangle_count(), 2);
    /// let refused = Mesh::new(3, vec![[0, 1, 3]]).unwrap_err();
    /// assert_eq!(refused.to_string(), "triangle 0 names vertex 3, but there are 3 vertices");
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn new(vertex_count: usize, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        Self::check_sizes(&[("vertices", vertex_count), ("triangles", triangles.len())])?;
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&corner| corner as usize >= vertex_count) {
                return Err(MeshError::IndexOutOfRange { triangle, index, vertices: vertex_count });
            }
        }
        Ok(Self { vertex_count, triangles, ledger: None })
    }

    fn check_sizes(counts: &[(&'static str, usize)]) -> Result<(), MeshError> {
        // A binary tree over m leaves has 2m - 1 nodes.
        let too_large = counts.iter().find(|&&(_, count)| count > limits::MAX_INDEX / 2);
        too_large.map_or(Ok(()), |&(what, count)| Err(MeshError::TooLarge { what, count }))
    }

    /// Vertices without triangles, for a body of other primitives.
    pub(crate) fn bare(vertex_count: usize) -> Self {
        Self { vertex_count, triangles: Vec::new(), ledger: None }
    }

    /// The number of vertices, including unused and removed ones.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Vertex numbers of every triangle. Removed triangles are still listed, with their last
    /// corners; see [`Mesh::has_triangle`].
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Whether a triangle of this number exists and was not removed.
    pub fn has_triangle(&self, triangle: u32) -> bool {
        (triangle as usize) < self.triangles.len()
            && self.ledger.as_ref().is_none_or(|ledger| ledger.has_triangle(triangle))
    }

    /// Whether a vertex of this number exists and was not removed.
    pub fn has_vertex(&self, vertex: u32) -> bool {
        (vertex as usize) < self.vertex_count && self.ledger.as_ref().is_none_or(|ledger| ledger.has_vertex(vertex))
    }

    /// The number of triangles, without removed ones.
    pub fn triangle_count(&self) -> usize {
        self.ledger.as_ref().map_or(self.triangles.len(), |ledger| ledger.triangle_count())
    }

    /// The numbers of the triangles that were not removed, ascending.
    pub(crate) fn present(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.triangles.len() as u32).filter(|&triangle| self.has_triangle(triangle))
    }

    /// Whether an edit removed any triangle.
    pub(crate) fn has_gaps(&self) -> bool {
        self.triangle_count() < self.triangles.len()
    }

    /// The number of edges with one triangle. Points and segments have no edges. O(triangles log
    /// triangles).
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn boundary_edges(&self) -> usize {
        let own = self.present().map(|triangle| self.triangles[triangle as usize]);
        let mut edges: Vec<[u32; 2]> = own
            .filter(|&corners| matches!(Element::of(corners), Element::Triangle(_)))
            .flat_map(|[p, q, r]| [[p, q], [q, r], [r, p]].map(|[p, q]| [p.min(q), p.max(q)]))
            .collect();
        edges.sort_unstable();
        edges.chunk_by(|a, b| a == b).filter(|group| group.len() == 1).count()
    }

    /// Welds vertices with equal rest positions (`-0.0` equals `0.0`); none in a cloud. Vertices
    /// added by an edit are welded only to the vertex that the edit names. O(vertices log
    /// vertices).
    ///
    /// # Errors
    /// [`MeshError::RestCount`].
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn weld(&self, rest: &[[f32; 3]]) -> Result<Seams, MeshError> {
        if rest.len() != self.vertex_count {
            return Err(MeshError::RestCount { expected: self.vertex_count, found: rest.len() });
        }
        Ok(self.weld_checked(rest))
    }

    /// [`Mesh::weld`] with one rest position per vertex.
    pub(crate) fn weld_checked(&self, rest: &[[f32; 3]]) -> Seams {
        let added = self.ledger.as_ref().map_or(&[][..], |ledger| ledger.joined());
        let own = self.vertex_count - added.len();
        let mut seams = if self.is_cloud() { Seams::none(own) } else { Seams::new(&weld(own, |vertex| rest[vertex])) };
        added.iter().for_each(|&other| seams.push(other));
        seams
    }
}

impl Primitives for Mesh {
    fn primitive_count(&self) -> usize {
        self.triangles.len()
    }

    fn points_of(&self, index: usize) -> &[u32] {
        &self.triangles[index]
    }

    fn is_used(&self, index: usize) -> bool {
        self.has_triangle(index as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_it_cannot_index() {
        assert_eq!(Mesh::new(3, vec![]).unwrap_err(), MeshError::Empty);
        let error = Mesh::new(3, vec![[0, 1, 2], [0, 3, 1]]).unwrap_err();
        assert_eq!(error, MeshError::IndexOutOfRange { triangle: 1, index: 3, vertices: 3 });
        assert_eq!(error.to_string(), "triangle 1 names vertex 3, but there are 3 vertices");
    }

    #[test]
    fn questions_about_what_does_not_exist_are_refused() {
        let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        assert_eq!(mesh.element(1), Err(MeshError::NoSuchTriangle { triangle: 1, triangles: 1 }));
        assert_eq!(mesh.weld(&[[0.0; 3]; 2]), Err(MeshError::RestCount { expected: 3, found: 2 }));
    }

    #[test]
    fn two_triangles_on_one_edge_have_four_others() {
        assert_eq!(Mesh::new(4, vec![[0, 1, 2], [2, 1, 3]]).unwrap().boundary_edges(), 4);
    }
}
