//! Hierarchies whose bounds are functions of time: the interface that separation lists and the
//! broad phase need of a tree.

use crate::bvh::Hierarchy;
use crate::math::Extent;
use crate::motion::{BoxTracks, KeyTrack, Piece};
use crate::time::Moment;

/// A hierarchy whose bounds are known ahead of time: the extremal certificates of its nodes.
///
/// A caller that computes with a bound must compute again when the hierarchy reports a
/// [`SlotChange`] of that slot, and when the body's epoch ends.
pub trait KineticHierarchy: Hierarchy {
    /// A bound on one extent of a node, linear in time around a moment, without slack.
    fn bound(&self, node: u32, extent: Extent, at: Moment) -> Piece;

    /// All six bounds of a node, in the order of [`Extent::ALL`].
    fn bounds(&self, node: u32, at: Moment) -> [Piece; 6] {
        Extent::ALL.map(|extent| self.bound(node, extent, at))
    }

    /// The same as a row, if it has such a form until the slot changes.
    fn bound_row(&self, node: u32, extent: Extent) -> Option<KeyTrack<'_>>;

    /// All six rows of a node, if they can be read side by side until one of its slots changes.
    fn bound_rows(&self, _node: u32) -> Option<BoxTracks<'_>> {
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
