//! Distance of a node's vertices under spherical blending from linear blending, during a piece or
//! in a pose: the largest of its joint sets ([`crate::reduced::set_bounds`],
//! [`crate::reduced::set_pose`]).
//!
//! There are no bounds of derivatives here: short pieces do not reduce this distance, small turns
//! between the joints do.

use std::collections::BTreeMap;

use super::BoundTree;
use crate::math::Aabb;
use crate::reduced::set_bounds::{SetBounds, SetPiece};
use crate::reduced::set_pose::PoseSets;
use crate::reduced::spherical::{ball_around, product_of};
use crate::reduced::{PoseDerivativeBounds, ReducedBody, ReducedMesh, SimilarityBounds};

/// The joint sets of a body's nodes.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    /// Per node, the begin of its joint sets; one more entry at the end.
    starts: Vec<u32>,
    sets_of: Vec<NodeSet>,
    unsure: f64,
}

/// A joint set of a node.
#[derive(Clone, Copy, Debug)]
struct NodeSet {
    set: u32,
    /// The largest [`product_of`] of a vertex of the node, and its part of that of the set's.
    product: f64,
    part: f64,
    /// A ball around the node's vertices of the set at rest, metres.
    middle: [f64; 3],
    radius: f64,
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
    pub(super) fn new(tree: &BoundTree, mesh: &ReducedMesh) -> Option<Self> {
        let (topology, sets) = (tree.topology(), mesh.joint_sets()?);
        let mut gathered: Vec<BTreeMap<u32, (f64, Aabb)>> = vec![BTreeMap::new(); topology.nodes().len()];
        for node in topology.upward() {
            let mut own: BTreeMap<u32, (f64, Aabb)> = BTreeMap::new();
            let mut add = |set: u32, product: f64, rest: &Aabb| {
                let (most, all) = own.entry(set).or_insert((0.0, Aabb::EMPTY));
                (*most, *all) = (most.max(product), all.union(rest));
            };
            for &vertex in topology.leaf_points(node) {
                let place = mesh.rest_positions()[vertex as usize].map(f64::from);
                let product = product_of(mesh.influences().weights_of(vertex));
                add(sets.set_of[vertex as usize], product, &Aabb { min: place, max: place });
            }
            for &child in topology.node(node).children() {
                gathered[child as usize].iter().for_each(|(&set, (product, rest))| add(set, *product, rest));
            }
            gathered[node as usize] = own;
        }
        let (mut starts, mut sets_of) = (vec![0], Vec::new());
        for own in gathered {
            sets_of.extend(own.into_iter().map(|(set, (product, rest))| {
                let whole = sets.products[set as usize];
                let part = if product < whole { (product / whole).next_up() } else { 1.0 };
                let (middle, radius) = ball_around(&rest);
                NodeSet { set, product, part, middle, radius }
            }));
            starts.push(sets_of.len() as u32);
        }
        Some(Self { starts, sets_of, unsure: tree.unsure })
    }

    /// The largest distance of any vertex of a node from linear blending, metres. O(joint sets of
    /// the node).
    pub(super) fn of(&self, node: u32, offsets: &Offsets) -> f64 {
        self.of_node(node).iter().map(|own| offsets[own.set as usize].distance(own.product)).fold(0.0, f64::max)
    }

    /// As [`Turning::of`], in a pose.
    pub(super) fn in_pose(&self, node: u32, sets: &PoseSets) -> f64 {
        let own = self.of_node(node).iter();
        own.map(|own| sets.distance(own.set, own.part, &own.middle, own.radius)).fold(0.0, f64::max)
    }

    fn of_node(&self, node: u32) -> &[NodeSet] {
        &self.sets_of[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.sets_of.capacity() * size_of::<NodeSet>()
    }

    /// Computes the bounds of all joint sets over a piece. O(Σ joints² of a set).
    pub(super) fn measure(&self, body: &ReducedBody, piece: &Between<'_>, out: &mut Offsets) {
        out.clear();
        let Some(sets) = body.mesh().joint_sets() else { return };
        if !body.are_own(piece.poses) {
            out.resize(sets.count(), SetBounds::UNKNOWN);
            return;
        }
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
