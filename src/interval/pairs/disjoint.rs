//! Which triangles of leaves that share a corner have no corner in common.
//!
//! Such leaves are never apart: they are listed in every interval, all of them and in the same
//! order. So the place in that order names them.
//!
//! Cost: eight bytes per pair of leaves that share a corner; about 2 µs per pair, once.

use super::PairedMeshes;
use super::blocks::Asked;
use crate::bvh::leaf_filter::WIDTH;
use crate::interval::layout::Layout;
use crate::mesh::share_corner;
use std::sync::Arc;

/// The pairs of triangles without a common corner, leaf pair by leaf pair.
#[derive(Clone, Debug, Default)]
pub(super) struct DisjointTriangles {
    /// What they are of.
    layout: Option<Arc<Layout>>,
    /// As [`Asked::Only`] names them.
    pairs: Vec<u64>,
    next: usize,
}

impl DisjointTriangles {
    /// Begins again with the first leaf pair. O(1).
    pub(super) fn begin(&mut self, layout: &Arc<Layout>) {
        if self.layout.as_ref().is_none_or(|of| !Arc::ptr_eq(of, layout)) {
            self.layout = Some(Arc::clone(layout));
            self.pairs.clear();
        }
        self.next = 0;
    }

    /// The pairs of triangles to be asked about of the next two leaves that share a corner: all
    /// that have none in common. All pairs where leaves are large, or if common corners do not
    /// matter.
    pub(super) fn next(&mut self, leaves: [u32; 2], meshes: PairedMeshes<'_>) -> Asked {
        let Some(layout) = &self.layout else { return Asked::All };
        let triangles = leaves.map(|leaf| layout.topology.primitives(leaf));
        let is_same = leaves[0] == leaves[1];
        let Some(seams) = meshes.seams.filter(|_| triangles.iter().all(|of| of.len() <= WIDTH)) else {
            return if is_same { Asked::Behind } else { Asked::All };
        };
        let corners = |triangle: u32| seams.corners(&meshes.a.triangles()[triangle as usize]);
        let disjoint = || {
            let mut pairs = 0;
            for (i, &p) in triangles[0].iter().enumerate() {
                for (j, &q) in triangles[1].iter().enumerate().skip(if is_same { i + 1 } else { 0 }) {
                    pairs |= u64::from(!share_corner(&corners(p), &corners(q))) << (WIDTH * i + j);
                }
            }
            pairs
        };
        if self.next == self.pairs.len() {
            let pairs = disjoint();
            self.pairs.push(pairs);
        }
        let pairs = self.pairs[self.next];
        debug_assert_eq!(pairs, disjoint(), "leaves {leaves:?}");
        self.next += 1;
        Asked::Only(pairs)
    }

    /// Bytes held, the layout apart.
    pub(super) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<u64>()
    }
}
