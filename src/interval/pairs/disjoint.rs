//! Which triangles of leaves that share a corner have no corner in common.
//!
//! Leaves that share a vertex are never apart: they are listed in every interval and in the same
//! order, so each is found at its place. Corners that are only welded may part, and other leaves
//! then have the places: those are found again.
//!
//! Cost: 16 bytes per pair of leaves that share a corner; about 2 µs per pair, once.

use super::blocks::Asked;
use super::{PairedBodies, push};
use crate::bvh::disjoint_triangles;
use crate::bvh::leaf_filter::WIDTH;
use crate::interval::layout::Layout;
use crate::mesh::{Mesh, Seams};
use crate::threads;
use std::sync::Arc;

/// Leaves of more triangles than a row of bits has. Of others some pair has a common corner.
const LARGE: u64 = u64::MAX;

/// The pairs of triangles without a common corner, leaf pair by leaf pair.
#[derive(Clone, Debug, Default)]
pub(super) struct DisjointTriangles {
    /// What they are of.
    layout: Option<Arc<Layout>>,
    /// The leaves, and the pairs as [`Asked::Only`] names them, or [`LARGE`].
    pairs: Vec<([u32; 2], u64)>,
    next: usize,
}

impl DisjointTriangles {
    /// Forgets what they are of.
    pub(super) fn forget(&mut self) {
        self.layout = None;
        self.pairs.clear();
        self.next = 0;
    }

    /// Begins again with the first leaf pair. O(1).
    pub(super) fn begin(&mut self, layout: &Arc<Layout>) {
        if self.layout.as_ref().is_none_or(|of| !Arc::ptr_eq(of, layout)) {
            self.layout = Some(Arc::clone(layout));
            self.pairs.clear();
        }
        self.next = 0;
    }

    /// The pairs of triangles to be asked about of the next two leaves that share a corner: those
    /// that have none in common. All pairs where leaves are large, or if common corners do not
    /// matter.
    pub(super) fn next(&mut self, leaves: [u32; 2], bodies: PairedBodies<'_>) -> Asked {
        if let (Some(layout), Some(seams)) = (&self.layout, bodies.seams)
            && !self.knows(self.next, leaves)
        {
            let pairs = disjoint(layout, leaves, bodies.a.0, seams);
            self.keep(self.next, leaves, pairs);
        }
        self.next += 1;
        self.at(self.next - 1, leaves, bodies)
    }

    fn knows(&self, place: usize, leaves: [u32; 2]) -> bool {
        self.pairs.get(place).is_some_and(|&(of, _)| of == leaves)
    }

    /// Finds the pairs of triangles of the next leaves, where they are not known.
    pub(super) fn learn(&mut self, next: impl Iterator<Item = [u32; 2]>, bodies: PairedBodies<'_>) {
        let (Some(layout), Some(seams)) = (&self.layout, bodies.seams) else { return };
        let places = (self.next..).zip(next).filter(|&(place, leaves)| !self.knows(place, leaves));
        let mut unknown: Vec<(usize, [u32; 2], u64)> = places.map(|(place, leaves)| (place, leaves, 0)).collect();
        threads::for_each(&mut unknown, |(_, leaves, pairs)| *pairs = disjoint(layout, *leaves, bodies.a.0, seams));
        unknown.into_iter().for_each(|(place, leaves, pairs)| self.keep(place, leaves, pairs));
    }

    fn keep(&mut self, place: usize, leaves: [u32; 2], pairs: u64) {
        match self.pairs.get_mut(place) {
            Some(known) => *known = (leaves, pairs),
            None => push(&mut self.pairs, (leaves, pairs)),
        }
    }

    /// As [`DisjointTriangles::next`], of leaves at a place among those that share a corner, which
    /// are known.
    pub(super) fn at(&self, place: usize, leaves: [u32; 2], bodies: PairedBodies<'_>) -> Asked {
        let all = if leaves[0] == leaves[1] { Asked::Behind } else { Asked::All };
        let (Some(layout), Some(seams)) = (&self.layout, bodies.seams) else { return all };
        let (of, pairs) = self.pairs[place];
        debug_assert_eq!(of, leaves, "the leaves at {place}");
        debug_assert_eq!(pairs, disjoint(layout, leaves, bodies.a.0, seams), "leaves {leaves:?}");
        if pairs == LARGE { all } else { Asked::Only(pairs) }
    }

    /// The place of the next leaves among those that share a corner.
    pub(super) fn place(&self) -> usize {
        self.next
    }

    /// Bytes held, the layout apart.
    pub(super) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<([u32; 2], u64)>()
    }
}

/// The pairs of triangles of two leaves that have no corner in common.
fn disjoint(layout: &Layout, leaves: [u32; 2], mesh: &Mesh, seams: &Seams) -> u64 {
    let of_leaves = leaves.map(|leaf| layout.topology.primitives(leaf));
    if of_leaves.iter().any(|of| of.len() > WIDTH) {
        return LARGE;
    }
    disjoint_triangles(of_leaves, leaves[0] == leaves[1], mesh.triangles(), seams)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::{BuildParams, Topology};
    use crate::motion::{Flightplan, KeyLayout, Motion};

    /// The second tree's only leaf is the first of its list as well.
    #[test]
    fn of_another_tree_other_triangles_are_asked_about() {
        let mut known = DisjointTriangles::default();
        for (second, expected) in [([2, 3, 4], 0), ([3, 4, 5], 1 << 1), ([0, 4, 5], 0)] {
            let mesh = Mesh::new(6, vec![[0, 1, 2], second]).unwrap();
            let places: Vec<[f64; 3]> =
                (0..6_u32).map(|vertex| [f64::from(vertex), f64::from(vertex % 3), 0.0]).collect();
            let tree = Topology::build(&mesh, &places, BuildParams { leaf_size: 4, ..BuildParams::default() });
            assert_eq!(tree.primitives(0).len(), 2);
            let (layout, seams) = (Arc::new(Layout::new(tree).unwrap()), Seams::none(6));
            let motion = Motion::new(Flightplan::fixed(vec![[0.0; 3]; 6]), 6, KeyLayout::KeyMajor).unwrap();
            let bodies = PairedBodies::within((&mesh, &motion), Some(&seams));
            for _ in 0..2 {
                known.begin(&layout);
                let asked = known.next([0, 0], bodies);
                assert!(matches!(asked, Asked::Only(pairs) if pairs == expected), "{second:?}: {asked:?}");
            }
        }
    }
}
