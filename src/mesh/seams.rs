//! Which vertices are one point of the surface, and which parts of a surface share a point.
//!
//! Triangles that share a point touch at all times, so they are excluded from tests of a body
//! against itself, or tested for what else they share. All such questions are answered here: of
//! vertices by [`Seams`], of triangles by [`Seams::share_corner`] and [`Seams::common_corners`], of
//! primitives with more points by [`Seams::share_point`]. Loops over many pairs keep the corners
//! after welding ([`Seams::corners`]) and compare these ([`share_corner`]). Relations of the leaves
//! of a tree follow from them ([`SharedVertices`](crate::bvh::SharedVertices)).

use ordered_float::{FloatCore, OrderedFloat};
use std::collections::BTreeMap;

/// Vertices that are one point of the surface but are stored separately (texture seams, split
/// normals).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct Seams {
    representative: Vec<u32>,
    /// Per representative with other vertices welded to it, these vertices, ascending.
    twins: BTreeMap<u32, Vec<u32>>,
}

impl Seams {
    /// Per vertex, the vertex of a number not higher than its own that it is welded to, or itself.
    pub(super) fn new(welded: &[u32]) -> Self {
        let mut seams = Self::default();
        welded.iter().for_each(|&other| seams.push(other));
        seams
    }

    /// Seams without welded vertices.
    pub(crate) fn none(vertex_count: usize) -> Self {
        Self { representative: (0..vertex_count as u32).collect(), twins: BTreeMap::new() }
    }

    /// Appends the next vertex, welded to `other`, or to none if `other` is its own number.
    pub(crate) fn push(&mut self, other: u32) {
        let vertex = self.representative.len() as u32;
        let first = self.representative(other);
        self.representative.push(first);
        if first != vertex {
            self.twins.entry(first).or_default().push(vertex);
        }
    }

    /// All vertices welded to a vertex, itself included. O(log vertices + result).
    pub(crate) fn welded_to(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.representative(vertex);
        std::iter::once(first).chain(self.twins.get(&first).into_iter().flatten().copied())
    }

    /// The lowest-numbered vertex welded to `vertex` (itself when it has no twin, or does not
    /// exist).
    pub fn representative(&self, vertex: u32) -> u32 {
        self.representative.get(vertex as usize).copied().unwrap_or(vertex)
    }

    /// The number of points after welding.
    pub fn welded_count(&self) -> usize {
        self.representative.iter().enumerate().filter(|&(vertex, &first)| vertex == first as usize).count()
    }

    /// The corners of a triangle after welding.
    pub(crate) fn corners(&self, triangle: &[u32; 3]) -> [u32; 3] {
        triangle.map(|vertex| self.representative(vertex))
    }

    /// Whether two triangles share a corner, welded or not.
    pub fn share_corner(&self, a: &[u32; 3], b: &[u32; 3]) -> bool {
        share_corner(&self.corners(a), &self.corners(b))
    }

    /// Common corners of two triangles, welded or not: which of the first is which of the second.
    pub(crate) fn common_corners(&self, a: &[u32; 3], b: &[u32; 3]) -> Vec<(usize, usize)> {
        let [a, b] = [a, b].map(|triangle| self.corners(triangle));
        let pairs = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        pairs.filter(|&(i, j)| a[i] == b[j]).collect()
    }

    /// Whether two sets of vertices share a point, welded or not.
    pub(crate) fn share_point(&self, a: &[u32], b: &[u32]) -> bool {
        a.iter().any(|&x| b.iter().any(|&y| self.representative(x) == self.representative(y)))
    }
}

/// Whether two triangles have a common corner, after welding. All comparisons without a branch:
/// none could be predicted.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn share_corner(a: &[u32; 3], b: &[u32; 3]) -> bool {
    let mut share = false;
    for p in a {
        for q in b {
            share |= p == q;
        }
    }
    share
}

/// Returns, per vertex, the vertex of lowest number at the same position; `-0.0` equals `0.0`.
/// O(n log n).
pub(crate) fn weld<T: FloatCore>(vertex_count: usize, position: impl Fn(usize) -> [T; 3]) -> Vec<u32> {
    let key = |vertex: u32| position(vertex as usize).map(|x| OrderedFloat(x + T::zero()));
    let mut order: Vec<u32> = (0..vertex_count as u32).collect();
    order.sort_unstable_by_key(|&vertex| (key(vertex), vertex));
    let mut welded = vec![0; vertex_count];
    for same in order.chunk_by(|&x, &y| key(x) == key(y)) {
        same.iter().for_each(|&vertex| welded[vertex as usize] = same[0]);
    }
    welded
}

#[cfg(test)]
mod tests {
    use crate::mesh::Mesh;

    #[test]
    fn seams_join_equal_rest_positions() {
        let mesh = Mesh::new(4, vec![[0, 1, 2], [3, 1, 2]]).unwrap();
        let seams = mesh.weld(&[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [-0.0, 0.0, 1.0]]).unwrap();
        assert_eq!(seams.representative(4), 4);
        assert_eq!(seams.representative(3), 0);
        assert_eq!(seams.welded_count(), 3);
        assert!(seams.share_corner(&[0, 0, 0], &[3, 3, 3]));
        assert!(!seams.share_corner(&[0, 0, 0], &[1, 2, 1]));
    }
}
