//! Which leaves of one tree share a point of the surface.
//!
//! A body against itself is full of triangles that share a corner: they touch at all times and are
//! of no interest. These relations keep them out of the traversal. Two leaves with a common vertex
//! are never apart, so they need no certificate. If all their triangle pairs have a common corner,
//! there is nothing to test below them at all, unless the host wants to know what neighbours share
//! besides the corner. Welded vertices can part; leaves that share nothing else are treated the
//! same.
//!
//! Corners count as common when they are one vertex or welded (equal rest positions, [`Seams`]).
//!
//! Invariant: relations are entered with both leaves, so that those of a leaf that changes are
//! found.
//!
//! Cost: O(n log n) to build for bounded vertex degree; O(log degree) to ask; O(degree) per leaf
//! that changes.

use std::collections::BTreeSet;

use super::Topology;
use super::leaf_filter::WIDTH;
use crate::mesh::{Lists, Primitives, Seams, share_corner};

/// How two leaves (or a leaf and itself) are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafRelation {
    /// No common corner.
    Disjoint,
    /// A common corner, and pairs of primitives without one.
    Touching,
    /// Every pair of primitives has a common corner, and such pairs are of no interest.
    Excluded,
}

/// The relations of all leaves of a tree.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct SharedVertices {
    /// Per leaf, related leaves, itself included, ascending; the lowest bit says excluded.
    related: Lists,
    /// Whether pairs of primitives with a common corner are left out.
    seals: bool,
}

impl SharedVertices {
    /// Finds the relations of all leaves. `seals` says that pairs of primitives with a common
    /// corner are of no interest.
    pub fn new(topology: &Topology, primitives: &impl Primitives, seams: &Seams, seals: bool) -> Self {
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for (leaf, _) in topology.nodes().iter().enumerate().filter(|(_, node)| node.is_leaf()) {
            let leaf = leaf as u32;
            let related = related_to(leaf, topology, seams);
            for other in related.into_iter().filter(|&other| other >= leaf) {
                let mark = u32::from(seals && is_sealed(leaf, other, topology, primitives, seams));
                entries.push((leaf, 2 * other + mark));
                if other != leaf {
                    entries.push((other, 2 * leaf + mark));
                }
            }
        }
        entries.sort_unstable();
        Self { related: Lists::gather(topology.nodes().len(), entries.iter().copied()), seals }
    }

    /// The relation of two leaves.
    pub fn relation(&self, a: u32, b: u32) -> LeafRelation {
        let related = self.related.of(a);
        match related.binary_search_by_key(&b, |marked| marked / 2) {
            Err(_) => LeafRelation::Disjoint,
            Ok(place) if related[place] % 2 == 1 => LeafRelation::Excluded,
            Ok(_) => LeafRelation::Touching,
        }
    }

    /// All pairs of leaves that touch, each leaf with itself included, by number of node, the lower
    /// one first, ascending, with their [`disjoint_triangles`]. For relations that seal, of trees
    /// with at most eight triangles in a leaf. About 2 µs per leaf of eight.
    pub(crate) fn disjoint_triangles(
        &self,
        topology: &Topology,
        triangles: &[[u32; 3]],
        seams: &Seams,
    ) -> impl Iterator<Item = ([u32; 2], u64)> {
        let touching = (0..topology.nodes().len() as u32).flat_map(move |leaf| {
            let others = self.related.of(leaf).iter().filter(move |&&marked| marked >= 2 * leaf && marked % 2 == 0);
            others.map(move |&marked| [leaf, marked / 2])
        });
        touching.map(move |leaves| {
            let of_leaves = leaves.map(|leaf| topology.primitives(leaf));
            (leaves, disjoint_triangles(of_leaves, leaves[0] == leaves[1], triangles, seams))
        })
    }

    /// Follows a change of the tree: `changed` are all numbers of nodes that went or came, and of
    /// leaves that hold other primitives than before.
    pub fn follow(
        &mut self,
        changed: &BTreeSet<u32>,
        topology: &Topology,
        primitives: &impl Primitives,
        seams: &Seams,
    ) {
        self.related.grow(topology.nodes().len());
        for &leaf in changed {
            for other in self.related.of(leaf).to_vec() {
                if other / 2 != leaf {
                    self.related.retain(other / 2, |marked| marked / 2 != leaf);
                }
            }
            self.related.set(leaf, &[]);
        }
        for &leaf in changed.iter().filter(|&&leaf| topology.node(leaf).is_leaf()) {
            for other in related_to(leaf, topology, seams) {
                let mark = u32::from(self.seals && is_sealed(leaf, other, topology, primitives, seams));
                self.related.enter(leaf, 2 * other + mark);
                self.related.enter(other, 2 * leaf + mark);
            }
        }
    }

    /// Whether every leaf has the relations of `other`.
    pub fn agrees_with(&self, other: &Self, topology: &Topology) -> bool {
        (0..topology.nodes().len() as u32).all(|node| self.related.of(node) == other.related.of(node))
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.related.bytes()
    }
}

/// One bit per pair of triangles of two leaves, or of one: bit `8 i + j` says that triangles i of
/// the first and j of the second have no common corner. Of a leaf with itself i is before j. Of
/// leaves of at most eight triangles; others are left out.
pub(crate) fn disjoint_triangles(leaves: [&[u32]; 2], is_same: bool, triangles: &[[u32; 3]], seams: &Seams) -> u64 {
    let mut corners = [[[0; 3]; WIDTH]; 2];
    for (corners, leaf) in corners.iter_mut().zip(leaves) {
        for (corners, &triangle) in corners.iter_mut().zip(leaf) {
            *corners = seams.corners(&triangles[triangle as usize]);
        }
    }
    let mut disjoint = 0;
    for (i, p) in corners[0].iter().enumerate().take(leaves[0].len()) {
        for (j, q) in corners[1].iter().enumerate().take(leaves[1].len()) {
            disjoint |= u64::from((!is_same || i < j) && !share_corner(p, q)) << (WIDTH * i + j);
        }
    }
    disjoint
}

/// Leaves that share a corner with one, itself included, ascending.
fn related_to(leaf: u32, topology: &Topology, seams: &Seams) -> Vec<u32> {
    let points = topology.leaf_points(leaf).iter();
    let welded = points.flat_map(|&vertex| seams.welded_to(vertex));
    let mut related: Vec<u32> = welded.flat_map(|vertex| topology.leaves_of(vertex).iter().copied()).collect();
    related.sort_unstable();
    related.dedup();
    related
}

fn is_sealed(a: u32, b: u32, topology: &Topology, primitives: &impl Primitives, seams: &Seams) -> bool {
    let share = |p: u32, q: u32| seams.share_point(primitives.points_of(p as usize), primitives.points_of(q as usize));
    let (below_a, below_b) = (topology.primitives(a), topology.primitives(b));
    below_a.iter().all(|&p| below_b.iter().all(|&q| share(p, q)))
}
