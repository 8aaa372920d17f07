//! Which leaves of one tree share a point of the surface.
//!
//! A body against itself is full of triangles that share a corner: they touch at all times and are of no interest. Kinship
//! keeps them out of the traversal. Two leaves with a common corner are never apart, so they need no certificate; if all
//! their triangle pairs have a common corner, there is nothing to test below them at all, unless the host wants to know what
//! neighbours share besides the corner.
//!
//! Corners count as common when they are one vertex or welded (equal rest positions, [`Seams`]).
//!
//! Cost: O(n log n) to build for bounded vertex degree; O(log degree) to ask.

use super::Topology;
use crate::mesh::{Lists, Primitives, Seams};

/// How two leaves (or a leaf and itself) are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// No common corner.
    Strangers,
    /// A common corner, and pairs of primitives without one.
    Touching,
    /// Every pair of primitives has a common corner, and such pairs are of no interest.
    Sealed,
}

/// The relations of all leaves of a tree.
#[derive(Clone, Debug)]
pub struct Kinship {
    /// Per leaf, related leaves of higher or equal number, ascending; the lowest bit says sealed.
    related: Lists,
}

impl Kinship {
    /// Finds the relations of all leaves. `seals` says that pairs of primitives with a common corner are of no interest.
    pub fn new(topology: &Topology, primitives: &impl Primitives, seams: &Seams, seals: bool) -> Self {
        let corners = Lists::gather(
            primitives.primitive_count(),
            (0..primitives.primitive_count())
                .flat_map(|p| primitives.points_of(p).iter().map(move |&v| (p as u32, seams.representative(v)))),
        );
        let leaves = || (0..topology.nodes().len() as u32).filter(|&node| topology.node(node).is_leaf());
        let mut occurrences: Vec<(u32, u32)> = leaves()
            .flat_map(|leaf| topology.leaf_points(leaf).iter().map(move |&v| (seams.representative(v), leaf)))
            .collect();
        occurrences.sort_unstable();
        occurrences.dedup();
        let mut pairs: Vec<(u32, u32)> = leaves().map(|leaf| (leaf, leaf)).collect();
        for group in occurrences.chunk_by(|x, y| x.0 == y.0) {
            for (place, &(_, a)) in group.iter().enumerate() {
                pairs.extend(group[place + 1..].iter().map(|&(_, b)| (a, b)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let share = |p: u32, q: u32| corners.of(p).iter().any(|corner| corners.of(q).contains(corner));
        let is_sealed = |a: u32, b: u32| {
            let (below_a, below_b) = (topology.primitives(a), topology.primitives(b));
            seals && below_a.iter().all(|&p| below_b.iter().all(|&q| share(p, q)))
        };
        let marked: Vec<(u32, u32)> = pairs.iter().map(|&(a, b)| (a, 2 * b + u32::from(is_sealed(a, b)))).collect();
        let related = Lists::gather(topology.nodes().len(), marked.iter().copied());
        Self { related }
    }

    /// The relation of two leaves.
    pub fn relation(&self, a: u32, b: u32) -> Relation {
        let related = self.related.of(a.min(b));
        match related.binary_search_by_key(&a.max(b), |marked| marked / 2) {
            Err(_) => Relation::Strangers,
            Ok(place) if related[place] % 2 == 1 => Relation::Sealed,
            Ok(_) => Relation::Touching,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.related.bytes()
    }
}
