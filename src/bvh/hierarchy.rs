//! What separation lists, queries and audits need of a hierarchy.

use super::Topology;
use crate::math::Aabb;
use crate::time::Moment;

/// A tree whose nodes have boxes at any time reached.
pub trait Hierarchy {
    /// The shape of the tree.
    fn topology(&self) -> &Topology;

    /// The box of a node at a moment, rounded outward: it holds every vertex of the subtree as
    /// evaluated.
    fn node_box(&self, node: u32, at: Moment) -> Aabb;

    /// Visits every leaf for whose box and the boxes above it `keep` holds; counts the nodes
    /// visited.
    fn leaves_where(&self, at: Moment, keep: impl Fn(&Aabb) -> bool, mut found: impl FnMut(u32)) -> Visits
    where
        Self: Sized,
    {
        let mut visits = Visits::default();
        let mut stack = vec![0];
        while let Some(node) = stack.pop() {
            visits.nodes += 1;
            if !keep(&self.node_box(node, at)) {
                continue;
            }
            let children = self.topology().node(node).children();
            if children.is_empty() {
                visits.leaves += 1;
                found(node);
            }
            stack.extend(children.iter().rev());
        }
        visits
    }
}

/// What a query cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Visits {
    /// Boxes tested.
    pub nodes: usize,
    /// Leaves reached.
    pub leaves: usize,
}

/// The boxes of the vertices below each node, from positions of all vertices.
pub(crate) fn tight_boxes(topology: &Topology, positions: &[[f64; 3]]) -> Vec<Aabb> {
    let mut boxes = vec![Aabb::EMPTY; topology.nodes().len()];
    for node in topology.upward() {
        let children = topology.node(node).children().iter().map(|&child| boxes[child as usize]);
        boxes[node as usize] = children.reduce(|a, b| a.union(&b)).unwrap_or_else(|| {
            let points = topology.leaf_points(node).iter();
            Aabb::of_points(points.map(|&vertex| &positions[vertex as usize]))
        });
    }
    boxes
}
