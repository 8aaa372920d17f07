//! Distance of a node's vertices under spherical blending from linear blending, during a piece: the
//! largest of its joint sets ([`crate::reduced::set_bounds`]).
//!
//! There are no bounds of derivatives here: short pieces do not reduce this distance, small turns
//! between the joints do.

use std::collections::BTreeMap;

use super::BoundTree;
use crate::reduced::set_bounds::{SetBounds, SetPiece};
use crate::reduced::spherical::product_of;
use crate::reduced::{PoseDerivativeBounds, ReducedBody, SimilarityBounds};

/// The joint sets of a body's nodes.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    /// Per node, the begin of its joint sets; one more entry at the end.
    starts: Vec<u32>,
    /// Joint sets, each with the largest [`product_of`] of a vertex of the node.
    sets_of: Vec<(u32, f64)>,
    unsure: f64,
}

/// Per joint set, its bounds during a piece.
pub(super) type Offsets = Vec<SetBounds>;

/// Both ends of a piece, and the derivative bounds in between.
pub(super) struct Between<'a> {
    pub(super) poses: [&'a crate::reduced::Pose; 2],
    pub(super) bends: &'a PoseDerivativeBounds,
    pub(super) similarity: SimilarityBounds,
    /// Length of the piece, seconds.
    pub(super) length: f64,
}

impl Turning {
    /// Creates the data; `None` for linear blending.
    pub(super) fn new(tree: &BoundTree, body: &ReducedBody) -> Option<Self> {
        let (mesh, topology) = (body.mesh(), tree.topology());
        let sets = mesh.joint_sets()?;
        let mut gathered: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); topology.nodes().len()];
        for node in topology.upward() {
            let mut own: BTreeMap<u32, f64> = BTreeMap::new();
            let mut add = |set: u32, product: f64| {
                let most = own.entry(set).or_insert(0.0);
                *most = most.max(product);
            };
            for &vertex in topology.leaf_points(node) {
                add(sets.set_of[vertex as usize], product_of(mesh.influences().weights_of(vertex)));
            }
            for &child in topology.node(node).children() {
                gathered[child as usize].iter().for_each(|(&set, &product)| add(set, product));
            }
            gathered[node as usize] = own;
        }
        let (mut starts, mut sets_of) = (vec![0], Vec::new());
        for own in gathered {
            sets_of.extend(own);
            starts.push(sets_of.len() as u32);
        }
        Some(Self { starts, sets_of, unsure: tree.unsure })
    }

    /// The largest distance of any vertex of a node from linear blending, metres. O(joint sets of
    /// the node).
    pub(super) fn of(&self, node: u32, offsets: &Offsets) -> f64 {
        let own = &self.sets_of[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize];
        own.iter().map(|&(set, product)| offsets[set as usize].distance(product)).fold(0.0, f64::max)
    }

    /// Computes the bounds of all joint sets over a piece. O(Σ joints² of a set).
    pub(super) fn measure(&self, body: &ReducedBody, piece: &Between<'_>, out: &mut Offsets) {
        out.clear();
        let Some(sets) = body.mesh().joint_sets() else { return };
        let piece = SetPiece {
            poses: piece.poses,
            bends: piece.bends,
            similarity: piece.similarity,
            centres: body.driver().centres(),
            displaced: body.displacement(piece.bends),
            length: piece.length,
            unsure: self.unsure,
        };
        out.extend((0..sets.count() as u32).map(|set| piece.bounds(sets, set)));
    }
}
