//! What separation lists, queries and audits need of a hierarchy.

use super::Topology;
use crate::math::{Aabb, Extent};
use crate::motion::{BoxRows, Piece, Row};
use crate::time::Moment;

/// A tree whose nodes have boxes at any time reached.
pub trait Hierarchy {
    /// The shape of the tree.
    fn topology(&self) -> &Topology;

    /// The box of a node at a moment, rounded outward: it holds every vertex of the subtree as evaluated.
    fn node_box(&self, node: u32, at: Moment) -> Aabb;

    /// Visits every leaf whose box may meet what `keep` keeps; counts the nodes looked at.
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
pub struct Visits {
    /// Boxes looked at.
    pub nodes: usize,
    /// Leaves reached.
    pub leaves: usize,
}

/// A hierarchy whose bounds are known ahead of time: the extremal certificates of its nodes.
///
/// Whoever computes with a bound must do so again when the hierarchy reports a [`SlotChange`] of that slot, and when the
/// body's epoch ends.
pub trait KineticHierarchy: Hierarchy {
    /// A bound on one extent of a node, linear in time around a moment, without slack.
    fn bound(&self, node: u32, extent: Extent, at: Moment) -> Piece;

    /// All six bounds of a node, in the order of [`Extent::ALL`].
    fn bounds(&self, node: u32, at: Moment) -> [Piece; 6] {
        Extent::ALL.map(|extent| self.bound(node, extent, at))
    }

    /// The same as a row, if it has such a form until the slot changes.
    fn bound_row(&self, node: u32, extent: Extent) -> Option<Row<'_>>;

    /// All six rows of a node, if they can be read side by side until one of its slots changes.
    fn bound_rows(&self, _node: u32) -> Option<BoxRows<'_>> {
        None
    }

    /// By how much bounds are moved outward, metres.
    fn slack(&self) -> f64;

    /// Until when bounds are known, seconds.
    fn epoch_end(&self) -> f64;
}

/// Notice that a slot's bound is another function of time than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotChange {
    /// The node.
    pub node: u32,
    /// Which of its six extents.
    pub extent: Extent,
}
