//! Which triangles of one tree share a corner, leaf pair by leaf pair: once for a tree's shape, read at every look.
//!
//! Leaves that share a corner are never apart, and nearly all pairs of triangles that a traversal of one tree comes to are of such leaves.
//! They are kept out of it: each pair of such leaves has a mask of 64 bits, one per pair of triangles, which says who is of interest.
//!
//! Maintains: every pair of triangles is either of two leaves that are listed, the earlier one first, and is of interest if its bit says so;
//! or it is of two leaves that share no corner.
//!
//! Cost: O(triangles) for bounded vertex degree, about 2 µs per leaf of eight; O(log degree) to ask.

use super::RefitTree;
use crate::bvh::leaf_filter::WIDTH;
use crate::mesh::Seams;

/// The pairs of leaves of one tree that share a corner, each leaf with itself included. Leaves are counted from 0 in the order of places.
#[derive(Clone, Debug)]
pub(super) struct Kin {
    /// Per leaf, where its pairs begin; one more entry at the end.
    starts: Vec<u32>,
    /// The other leaf, which comes later or is the same; ascending.
    others: Vec<u32>,
    /// Bit `8 i + j`: triangles i of the leaf and j of the other one share no corner, and, of a leaf with itself, i comes before j.
    disjoint: Vec<u64>,
}

impl Kin {
    /// Of a tree with at most eight triangles in a leaf.
    pub(super) fn new(tree: &RefitTree, triangles: &[[u32; 3]], seams: &Seams) -> Self {
        let topology = &tree.topology;
        let (inner, order) = (tree.children.len() as u32, topology.order());
        let corners: Vec<[u32; 3]> =
            order.iter().map(|&triangle| triangles[triangle as usize].map(|v| seams.representative(v))).collect();
        let mut kin = Self { starts: vec![0], others: Vec::new(), disjoint: Vec::new() };
        let mut related: Vec<u32> = Vec::new();
        for node in (0..topology.nodes().len() as u32).filter(|&node| topology.node(node).is_leaf()) {
            let place = tree.places[node as usize];
            related.clear();
            for vertex in topology.leaf_points(node).iter().flat_map(|&vertex| seams.welded_to(vertex)) {
                related.extend(topology.leaves_of(vertex).iter().map(|&other| tree.places[other as usize]));
            }
            // Triangles that have shrunk to nothing at all may share no corner with themselves; a leaf is its own kin all the same.
            related.push(place);
            related.retain(|&other| other >= place);
            related.sort_unstable();
            related.dedup();
            let own = tree.leaf_triangles(place);
            for &other in &related {
                let mut disjoint = 0;
                for (i, p) in own.clone().enumerate() {
                    for (j, q) in tree.leaf_triangles(other).enumerate() {
                        let is_stranger = (other > place || i < j) && !share(&corners[p], &corners[q]);
                        disjoint |= u64::from(is_stranger) << (WIDTH * i + j);
                    }
                }
                kin.others.push(other - inner);
                kin.disjoint.push(disjoint);
            }
            kin.starts.push(kin.others.len() as u32);
        }
        kin
    }

    /// The listed pairs of a leaf: the other leaf, and which pairs of triangles are of interest.
    pub(super) fn of(&self, leaf: usize) -> impl Iterator<Item = (u32, u64)> + '_ {
        let own = self.starts[leaf] as usize..self.starts[leaf + 1] as usize;
        self.others[own.clone()].iter().copied().zip(self.disjoint[own].iter().copied())
    }

    /// Do two leaves share a corner? The earlier one comes first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn holds(&self, leaf: u32, other: u32) -> bool {
        let own = self.starts[leaf as usize] as usize..self.starts[leaf as usize + 1] as usize;
        self.others[own].contains(&other)
    }

    pub(super) fn leaves(&self) -> usize {
        self.starts.len() - 1
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        (self.starts.capacity() + self.others.capacity()) * size_of::<u32>()
            + self.disjoint.capacity() * size_of::<u64>()
    }
}

/// All comparisons, and one verdict: no branch could be guessed.
fn share(a: &[u32; 3], b: &[u32; 3]) -> bool {
    let mut share = false;
    for p in a {
        for q in b {
            share |= p == q;
        }
    }
    share
}
