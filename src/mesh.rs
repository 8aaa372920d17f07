//! Topology, apart from geometry: triangles, segments and points over vertex numbers, adjacency, welded seams; patches over
//! control points. Validated once.

mod elements;
mod patches;

pub use elements::Element;
pub use patches::{Patch, PatchError, PatchSpan, Patches};

use std::fmt;

use crate::limits;

/// Why a mesh was refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MeshError {
    /// There is no triangle.
    Empty,
    /// A triangle names a vertex that does not exist.
    IndexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// The vertex it names.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// There is no point.
    NoPoints,
    /// There is no segment.
    NoSegments,
    /// A segment names a vertex that does not exist.
    SegmentOutOfRange {
        /// The segment.
        segment: usize,
        /// The vertex it names.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// More vertices or triangles than indices can name.
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the mesh has no triangles"),
            Self::IndexOutOfRange { triangle, index, vertices } => {
                write!(f, "triangle {triangle} names vertex {index}, but there are {vertices} vertices")
            }
            Self::NoPoints => write!(f, "the cloud has no points"),
            Self::NoSegments => write!(f, "there are no segments"),
            Self::SegmentOutOfRange { segment, index, vertices } => {
                write!(f, "segment {segment} names vertex {index}, but there are {vertices} vertices")
            }
            Self::TooLarge { what, count } => {
                write!(f, "{count} {what} are more than the {} supported", limits::MAX_INDEX / 2)
            }
        }
    }
}

impl std::error::Error for MeshError {}

/// Things a tree can be built over: small sets of vertices whose hull holds the primitive.
///
/// A triangle is its three corners, a span of a patch its control points.
pub trait Primitives {
    /// How many primitives there are.
    fn primitive_count(&self) -> usize;
    /// The vertices whose hull holds primitive `index`.
    fn points_of(&self, index: usize) -> &[u32];
}

/// Triangles over vertices `0..vertex_count`: a connected mesh or a soup. Repeated corners are allowed: such triangles are
/// segments and points, see [`Element`].
#[derive(Clone, Debug)]
pub struct Mesh {
    vertex_count: usize,
    triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Checks and takes the triangles.
    ///
    /// # Errors
    /// No triangle, an index out of range, or more than [`limits::MAX_INDEX`] of anything.
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
        Ok(Self { vertex_count, triangles })
    }

    fn check_sizes(counts: &[(&'static str, usize)]) -> Result<(), MeshError> {
        // A binary tree over m leaves has 2m - 1 nodes.
        let too_large = counts.iter().find(|&&(_, count)| count > limits::MAX_INDEX / 2);
        too_large.map_or(Ok(()), |&(what, count)| Err(MeshError::TooLarge { what, count }))
    }

    /// Vertices alone, of a body that is made of something else than triangles.
    pub(crate) fn bare(vertex_count: usize) -> Self {
        Self { vertex_count, triangles: Vec::new() }
    }

    /// How many vertices there are, used by a triangle or not.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Vertex numbers of every triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Which triangles use each vertex, and which share an edge. O(triangles).
    pub fn adjacency(&self) -> Adjacency {
        Adjacency::new(self)
    }

    /// Vertices joined where their rest positions are equal (`-0.0` equals `0.0`), none in a cloud. O(vertices log vertices).
    ///
    /// # Panics
    /// If `rest` does not have one position per vertex.
    pub fn weld(&self, rest: &[[f32; 3]]) -> Seams {
        assert_eq!(rest.len(), self.vertex_count, "one rest position per vertex");
        let is_cloud = self.is_cloud();
        let key = |vertex: u32| rest[vertex as usize].map(|x| ordered_float::OrderedFloat(x + 0.0));
        let mut order: Vec<u32> = (0..self.vertex_count as u32).collect();
        order.sort_by_key(|&vertex| (key(vertex), vertex));
        let mut representative = vec![0; self.vertex_count];
        let mut first = 0;
        for (place, &vertex) in order.iter().enumerate() {
            if place == 0 || is_cloud || key(order[place - 1]) != key(vertex) {
                first = vertex;
            }
            representative[vertex as usize] = first;
        }
        Seams { representative }
    }
}

impl Primitives for Mesh {
    fn primitive_count(&self) -> usize {
        self.triangles.len()
    }

    fn points_of(&self, index: usize) -> &[u32] {
        &self.triangles[index]
    }
}

/// Which vertices are one point of the surface although they are stored apart (texture seams, split normals).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seams {
    representative: Vec<u32>,
}

impl Seams {
    /// The lowest-numbered vertex welded to `vertex` (itself when it has no twin).
    pub fn representative(&self, vertex: u32) -> u32 {
        self.representative[vertex as usize]
    }

    /// How many points there are after welding.
    pub fn welded_count(&self) -> usize {
        self.representative.iter().enumerate().filter(|&(vertex, &first)| vertex == first as usize).count()
    }

    /// Do two triangles share a corner, welded or not?
    pub fn share_corner(&self, a: &[u32; 3], b: &[u32; 3]) -> bool {
        a.iter().any(|&p| b.iter().any(|&q| self.representative(p) == self.representative(q)))
    }
}

/// Lists of numbers, one list per owner, stored end to end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    offsets: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Sorts (owner, item) pairs into lists; within a list items keep the order of `pairs`.
    pub(crate) fn gather(owners: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut offsets = vec![0u32; owners + 1];
        for (owner, _) in pairs.clone() {
            offsets[owner as usize + 1] += 1;
        }
        for owner in 0..owners {
            offsets[owner + 1] += offsets[owner];
        }
        let mut next = offsets.clone();
        let mut items = vec![0; offsets[owners] as usize];
        for (owner, item) in pairs {
            let place = &mut next[owner as usize];
            items[*place as usize] = item;
            *place += 1;
        }
        Self { offsets, items }
    }

    pub(crate) fn of(&self, owner: u32) -> &[u32] {
        &self.items[self.offsets[owner as usize] as usize..self.offsets[owner as usize + 1] as usize]
    }

    /// Length of the longest list.
    pub(crate) fn longest(&self) -> usize {
        self.offsets.windows(2).map(|w| (w[1] - w[0]) as usize).max().unwrap_or(0)
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.offsets.capacity() + self.items.capacity()) * size_of::<u32>()
    }
}

/// Neighbourhoods of a mesh.
#[derive(Clone, Debug)]
pub struct Adjacency {
    vertex_triangles: Lists,
    /// Per triangle, across the edge from corner i to corner i + 1: the neighbour, or `u32::MAX`.
    across: Vec<[u32; 3]>,
    boundary_edges: usize,
    non_manifold_edges: usize,
}

impl Adjacency {
    fn new(mesh: &Mesh) -> Self {
        let corners = mesh.triangles.iter().enumerate().flat_map(|(triangle, corners)| {
            // A triangle that repeats a corner still lists once per distinct vertex.
            (0..3).filter(move |&i| !corners[..i].contains(&corners[i])).map(move |i| (corners[i], triangle as u32))
        });
        let vertex_triangles = Lists::gather(mesh.vertex_count, corners);
        let mut edges: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(3 * mesh.triangles.len());
        for (triangle, corners) in mesh.triangles.iter().enumerate() {
            if !matches!(Element::of(*corners), Element::Triangle(_)) {
                continue;
            }
            for side in 0..3 {
                let (p, q) = (corners[side], corners[(side + 1) % 3]);
                edges.push(([p.min(q), p.max(q)], triangle as u32, side as u8));
            }
        }
        edges.sort_unstable();
        let mut across = vec![[u32::MAX; 3]; mesh.triangles.len()];
        let (mut boundary_edges, mut non_manifold_edges) = (0, 0);
        for group in edges.chunk_by(|a, b| a.0 == b.0) {
            match *group {
                [_] => boundary_edges += 1,
                [(_, s, i), (_, t, j)] => {
                    across[s as usize][i as usize] = t;
                    across[t as usize][j as usize] = s;
                }
                _ => non_manifold_edges += 1,
            }
        }
        Self { vertex_triangles, across, boundary_edges, non_manifold_edges }
    }

    /// Triangles with `vertex` as a corner, ascending.
    pub fn triangles_around(&self, vertex: u32) -> &[u32] {
        self.vertex_triangles.of(vertex)
    }

    /// The one other triangle at side `side` (from corner `side` to the next), unless the edge is a border or shared by more
    /// than two triangles. Points and segments have no sides.
    pub fn neighbour(&self, triangle: u32, side: usize) -> Option<u32> {
        let other = self.across[triangle as usize][side];
        (other != u32::MAX).then_some(other)
    }

    /// Edges with one triangle.
    pub fn boundary_edges(&self) -> usize {
        self.boundary_edges
    }

    /// Edges with more than two triangles.
    pub fn non_manifold_edges(&self) -> usize {
        self.non_manifold_edges
    }

    /// Most triangles around one vertex.
    pub fn max_degree(&self) -> usize {
        self.vertex_triangles.longest()
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
    fn adjacency_of_two_triangles_on_one_edge() {
        let mesh = Mesh::new(4, vec![[0, 1, 2], [2, 1, 3]]).unwrap();
        let adjacency = mesh.adjacency();
        assert_eq!(adjacency.triangles_around(1), [0, 1]);
        assert_eq!(adjacency.triangles_around(3), [1]);
        assert_eq!(adjacency.neighbour(0, 1), Some(1));
        assert_eq!(adjacency.neighbour(1, 0), Some(0));
        assert_eq!(adjacency.neighbour(0, 0), None);
        assert_eq!((adjacency.boundary_edges(), adjacency.non_manifold_edges()), (4, 0));
    }

    #[test]
    fn seams_join_equal_rest_positions() {
        let mesh = Mesh::new(4, vec![[0, 1, 2], [3, 1, 2]]).unwrap();
        let seams = mesh.weld(&[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [-0.0, 0.0, 1.0]]);
        assert_eq!(seams.representative(3), 0);
        assert_eq!(seams.welded_count(), 3);
        assert!(seams.share_corner(&[0, 0, 0], &[3, 3, 3]));
        assert!(!seams.share_corner(&[0, 0, 0], &[1, 2, 1]));
    }
}
