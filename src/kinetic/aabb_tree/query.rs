//! Bounds of any node at any time reached.

use crate::bvh::{Hierarchy, Topology};
use crate::kinetic::KineticHierarchy;
use crate::math::{Aabb, Extent};
use crate::motion::{BoxTracks, Cursor, KeyTrack, Motion, Piece};
use crate::time::Moment;

/// A kinetic AABB tree together with the motion of its vertices.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(super) topology: &'a Topology,
    /// Per node and extent, the vertex that realises it.
    pub(super) winners: &'a [[u32; 6]],
    pub(super) motion: &'a Motion,
    pub(super) slack: f64,
    pub(super) epoch_end: f64,
    /// The moment most questions are about.
    pub(super) cursor: Cursor,
}

impl View<'_> {
    fn winner(&self, node: u32, extent: Extent) -> u32 {
        self.winners[node as usize][extent.index()]
    }
}

impl Hierarchy for View<'_> {
    fn topology(&self) -> &Topology {
        self.topology
    }

    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        let is_known = at == self.cursor.moment();
        let extent = |extent: Extent| {
            let (winner, axis) = (self.winner(node, extent), extent.axis());
            if is_known {
                self.motion.coordinate_at(winner, axis, &self.cursor)
            } else {
                self.motion.coordinate(winner, axis, at)
            }
        };
        Aabb::of_sides(extent).inflated(self.slack)
    }
}

impl KineticHierarchy for View<'_> {
    fn bound(&self, node: u32, extent: Extent, at: Moment) -> Piece {
        let winner = self.winner(node, extent);
        if at == self.cursor.moment() {
            return self.motion.piece_at(winner, extent.axis(), &self.cursor);
        }
        self.motion.piece(winner, extent.axis(), at)
    }

    fn bounds(&self, node: u32, at: Moment) -> [Piece; 6] {
        if at == self.cursor.moment() {
            return self.motion.pieces_at(&self.winners[node as usize], &self.cursor);
        }
        Extent::ALL.map(|extent| self.bound(node, extent, at))
    }

    fn bound_row(&self, node: u32, extent: Extent) -> Option<KeyTrack<'_>> {
        self.motion.row(self.winner(node, extent), extent.axis())
    }

    fn bound_rows(&self, node: u32) -> Option<BoxTracks<'_>> {
        self.motion.box_rows(&self.winners[node as usize])
    }

    fn slack(&self) -> f64 {
        self.slack
    }

    fn epoch_end(&self) -> f64 {
        self.epoch_end
    }
}
