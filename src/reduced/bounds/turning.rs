//! Distance of a node's vertices under spherical blending from linear blending during a piece: the
//! largest of its joint sets ([`crate::reduced::set_bounds`]). What nodes gather of their joint
//! sets also serves poses ([`super::posed`]).
//!
//! There are no bounds of derivatives here: short pieces do not reduce this distance, small turns
//! between the joints do.

use std::collections::BTreeMap;

use super::BoundTree;
use crate::math::Aabb;
use crate::reduced::pair_lanes::rounded_up;
use crate::reduced::set_bounds::{SetBounds, SetPiece};
use crate::reduced::shortest::MOST_JOINTS;
use crate::reduced::spherical::product_of;
use crate::reduced::{PoseDerivativeBounds, ReducedBody, ReducedMesh, SimilarityBounds};

/// The joint sets of a body's nodes.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    /// Per node, the begin of its joint sets; one more entry at the end.
    starts: Vec<u32>,
    sets_of: Vec<NodeSet>,
    unsure: f64,
}

/// A joint set of a node, and the largest [`product_of`] of a vertex of the node.
#[derive(Clone, Copy, Debug)]
struct NodeSet {
    set: u32,
    product: f64,
}

/// What is gathered of a joint set of a node.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    /// The largest [`product_of`] of a vertex.
    pub(super) product: f64,
    /// The box of the vertices at rest, metres.
    pub(super) rest: Aabb,
    /// The largest product of the weights of each pair of joints, rounded up; none of sets with
    /// more than [`MOST_JOINTS`] joints.
    pub(super) products: Vec<f32>,
}

impl Gathered {
    const NOTHING: Self = Self { product: 0.0, rest: Aabb::EMPTY, products: Vec::new() };

    fn of(weights: &[f64], place: [f64; 3]) -> Self {
        let mut products = Vec::new();
        if weights.len() <= MOST_JOINTS {
            for (b, &weight) in weights.iter().enumerate() {
                products.extend(weights[..b].iter().map(|other| rounded_up(other * weight)));
            }
        }
        Self { product: product_of(weights), rest: Aabb { min: place, max: place }, products }
    }

    fn add(&mut self, other: &Self) {
        self.product = self.product.max(other.product);
        self.rest = self.rest.union(&other.rest);
        self.products.resize(other.products.len(), 0.0);
        for (most, own) in self.products.iter_mut().zip(&other.products) {
            *most = most.max(*own);
        }
    }
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

/// Per node of a tree, its joint sets with what is gathered of them; `None` for linear blending.
pub(super) fn gather(tree: &BoundTree, mesh: &ReducedMesh) -> Option<Vec<BTreeMap<u32, Gathered>>> {
    let (topology, sets) = (tree.topology(), mesh.joint_sets()?);
    let mut gathered: Vec<BTreeMap<u32, Gathered>> = vec![BTreeMap::new(); topology.nodes().len()];
    for node in topology.upward() {
        let mut own: BTreeMap<u32, Gathered> = BTreeMap::new();
        let mut add = |set: u32, more: &Gathered| own.entry(set).or_insert(Gathered::NOTHING).add(more);
        for &vertex in topology.leaf_points(node) {
            let place = mesh.rest_positions()[vertex as usize].map(f64::from);
            let weights = mesh.influences().weights_of(vertex);
            add(sets.set_of[vertex as usize], &Gathered::of(weights, place));
        }
        for &child in topology.node(node).children() {
            gathered[child as usize].iter().for_each(|(&set, more)| add(set, more));
        }
        gathered[node as usize] = own;
    }
    Some(gathered)
}

impl Turning {
    /// Creates the data; `None` for linear blending.
    pub(super) fn new(tree: &BoundTree, mesh: &ReducedMesh) -> Option<Self> {
        let (mut starts, mut sets_of) = (vec![0], Vec::new());
        for own in gather(tree, mesh)? {
            sets_of.extend(own.into_iter().map(|(set, Gathered { product, .. })| NodeSet { set, product }));
            starts.push(sets_of.len() as u32);
        }
        Some(Self { starts, sets_of, unsure: tree.unsure })
    }

    /// The largest distance of any vertex of a node from linear blending, metres. O(joint sets of
    /// the node).
    pub(super) fn of(&self, node: u32, offsets: &Offsets) -> f64 {
        self.of_node(node).iter().map(|own| offsets[own.set as usize].distance(own.product)).fold(0.0, f64::max)
    }

    fn of_node(&self, node: u32) -> &[NodeSet] {
        &self.sets_of[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
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
