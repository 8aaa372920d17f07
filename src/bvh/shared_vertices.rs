//! Which leaves of one tree share a point of the surface.
//!
//! A body against itself is full of triangles that share a corner: they touch at all times and are
//! of no interest. These relations keep them out of the traversal. Two leaves with a common vertex
//! are never apart, so they need no certificate. If all their triangle pairs have a common corner,
//! there is nothing to test below them at all, unless the host wants to know what neighbours share
//! besides the corner. Welded vertices can part; leaves that share nothing else are treated the
//! same.
//!
//! [`SharedVertices`] tells relations of leaves and follows changes of the tree.
//! [`DisjointTriangles`] tells, for trees whose shape stays, which pairs of triangles to test below
//! leaves that share a corner.
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
use crate::mesh::{Lists, Primitives, Seams};

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
pub struct SharedVertices {
    /// Per leaf, related leaves, itself included, ascending; the lowest bit says sealed.
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
    let share = |p: u32, q: u32| {
        let (p, q) = (primitives.points_of(p as usize), primitives.points_of(q as usize));
        p.iter().any(|&v| q.iter().any(|&w| seams.representative(v) == seams.representative(w)))
    };
    let (below_a, below_b) = (topology.primitives(a), topology.primitives(b));
    below_a.iter().all(|&p| below_b.iter().all(|&q| share(p, q)))
}

/// Which triangles of leaves with a common corner have none in common: the leaves that share a
/// corner, each with itself included, with one bit per pair of triangles. For trees whose shape
/// stays, with at most eight triangles in a leaf.
///
/// Leaves are counted from 0 in the order of nodes. Every pair of triangles is either of two listed
/// leaves, the earlier one first, and is of interest if its bit says so; or it is of two leaves
/// that share no corner.
///
/// Cost: O(triangles) for bounded vertex degree, about 2 µs per leaf of eight; O(degree) to ask.
#[derive(Clone, Debug)]
pub(crate) struct DisjointTriangles {
    /// Per leaf, where its pairs begin; one more entry at the end.
    starts: Vec<u32>,
    /// The other leaf, which comes later or is the same; ascending.
    others: Vec<u32>,
    /// Bit `8 i + j`: triangles i of the leaf and j of the other one share no corner, and, of a
    /// leaf with itself, i comes before j.
    masks: Vec<u64>,
}

impl DisjointTriangles {
    /// Of a tree over triangles.
    pub(crate) fn new(topology: &Topology, triangles: &[[u32; 3]], seams: &Seams) -> Self {
        let leaves = || (0..topology.nodes().len() as u32).filter(|&node| topology.node(node).is_leaf());
        let mut numbers = vec![u32::MAX; topology.nodes().len()];
        leaves().zip(0..).for_each(|(leaf, number)| numbers[leaf as usize] = number);
        // Per leaf, by number, its triangles' corners after welding.
        let mut corners: Vec<[u32; 3]> = Vec::with_capacity(triangles.len());
        let mut begins = vec![0];
        for leaf in leaves() {
            let welded = |&triangle: &u32| triangles[triangle as usize].map(|v| seams.representative(v));
            corners.extend(topology.primitives(leaf).iter().map(welded));
            begins.push(corners.len());
        }
        let corners_of = |number: u32| &corners[begins[number as usize]..begins[number as usize + 1]];
        let mut listed = Self { starts: vec![0], others: Vec::new(), masks: Vec::new() };
        for leaf in leaves() {
            let own = corners_of(numbers[leaf as usize]);
            let mut related = related_to(leaf, topology, seams);
            // A leaf is related to itself even if its triangles have no corner.
            related.push(leaf);
            related.retain(|&other| other >= leaf);
            related.sort_unstable();
            related.dedup();
            for &other in &related {
                let number = numbers[other as usize];
                listed.others.push(number);
                listed.masks.push(disjoint_mask(own, corners_of(number), other == leaf));
            }
            listed.starts.push(listed.others.len() as u32);
        }
        listed
    }

    /// The listed pairs of a leaf: the other leaf, and which pairs of triangles are of interest.
    pub(crate) fn of(&self, leaf: usize) -> impl Iterator<Item = (u32, u64)> + '_ {
        let own = self.starts[leaf] as usize..self.starts[leaf + 1] as usize;
        self.others[own.clone()].iter().copied().zip(self.masks[own].iter().copied())
    }

    /// Whether two leaves share a corner. The earlier one comes first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn holds(&self, leaf: u32, other: u32) -> bool {
        let own = self.starts[leaf as usize] as usize..self.starts[leaf as usize + 1] as usize;
        self.others[own].contains(&other)
    }

    pub(crate) fn leaves(&self) -> usize {
        self.starts.len() - 1
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        (self.starts.capacity() + self.others.capacity()) * size_of::<u32>() + self.masks.capacity() * size_of::<u64>()
    }
}

fn disjoint_mask(own: &[[u32; 3]], others: &[[u32; 3]], is_same: bool) -> u64 {
    let mut mask = 0;
    for (i, p) in own.iter().enumerate() {
        for (j, q) in others.iter().enumerate() {
            let is_disjoint = (!is_same || i < j) && !share_corner(p, q);
            mask |= u64::from(is_disjoint) << (WIDTH * i + j);
        }
    }
    mask
}

/// Whether two triangles have a common corner, after welding. All comparisons, and one verdict: no
/// branch could be guessed.
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
