//! Drift: how much worse a tree has become than one that is built for the positions its vertices
//! have now.
//!
//! Deformation makes the boxes of siblings overlap. What that costs is measured as the surface-area
//! cost
//!
//! ```text
//! cost(node) = Σ area(box of n), n = node and all nodes below it
//! ```
//!
//! which is, over the area of the node's box, the mean number of boxes below it that a small thing
//! in it meets. The drift is this cost over the cost of a fresh build of the same primitives, with
//! the same parameters, at the same positions: 1 is as good as fresh, 2 means twice as many boxes
//! to test. It may be a little below 1, as builders are not optimal.
//!
//! For the AABB tree, boxes are those of the vertices below. For the BoxTree they are the implied
//! ones, of the fresh build implied by the box that the node has now: a rebuild of a subtree cannot
//! change the planes above it. There the cost is the summed overlap of siblings in disguise: the
//! lower and the upper child of a box with sides a × b × c, divided along c and overlapping by d,
//! have the areas of their parent, and ab, and d (a + b), together (half areas; a gap is a negative
//! d).

use super::KineticTree;
use crate::bvh::{Topology, tight_boxes};
use crate::math::Aabb;
use crate::mesh::Primitives;

/// Some of the primitives of a body.
struct Part<'a, P> {
    whole: &'a P,
    chosen: &'a [u32],
}

impl<P: Primitives> Primitives for Part<'_, P> {
    fn primitive_count(&self) -> usize {
        self.chosen.len()
    }

    fn points_of(&self, index: usize) -> &[u32] {
        self.whole.points_of(self.chosen[index] as usize)
    }
}

impl KineticTree {
    /// The drift of the subtree of a node (0: of the whole tree) at the positions given; see the
    /// module's text. A subtree without any area has none: 1. O(m + k log k) for k primitives below
    /// the node.
    ///
    /// `primitives` are those the tree was built with.
    pub fn sah_ratio(&self, node: u32, primitives: &impl Primitives, positions: &[[f64; 3]]) -> f64 {
        let topology = self.topology();
        let boxes = self.boxes_from(positions);
        let part = Part { whole: primitives, chosen: &topology.primitives_below(node) };
        let fresh = Topology::build(&part, positions, topology.params());
        let fresh_boxes = match self {
            Self::Aabb(_) | Self::Bounded(_) => tight_boxes(&fresh, positions),
            Self::Box(_) => {
                let given = (node != 0).then_some(&boxes[node as usize]);
                super::box_tree::fresh_boxes(&fresh, positions, given)
            }
        };
        let (cost, fresh_cost) = (cost_below(topology, node, &boxes), cost_below(&fresh, 0, &fresh_boxes));
        if fresh_cost == 0.0 { 1.0 } else { cost / fresh_cost }
    }
}

/// The areas of the boxes of a node and of all nodes below it, halved.
fn cost_below(topology: &Topology, node: u32, boxes: &[Aabb]) -> f64 {
    let mut cost = 0.0;
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        cost += boxes[node as usize].half_area();
        stack.extend(topology.node(node).children().iter().rev());
    }
    cost
}
