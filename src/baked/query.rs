//! Boxes of a clip tree.

use super::ClipTree;
use crate::bvh::{Hierarchy, Topology};
use crate::interval::track::Track;
use crate::math::{Aabb, Extent};
use crate::time::Moment;

impl Hierarchy for ClipTree {
    fn topology(&self) -> &Topology {
        self.shape()
    }

    /// The box of a node at the tree's time; [`ClipTree::seek`] it first. O(1).
    ///
    /// At another time the box is that of the winners at the tree's time, hence only an inner
    /// bound.
    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        let winners = &self.winners[self.layout.place_of(node)];
        let slack = self.slack();
        let track = self.intervals.get(self.cursor).map(|interval| &interval.track);
        let coordinate = |axis: usize, lane: usize| match track {
            Some(track) => track.coordinate(winners[lane], axis, at.time()),
            None => f64::from(self.last[winners[lane] as usize][axis]),
        };
        Aabb {
            min: std::array::from_fn(|axis| coordinate(axis, axis)),
            max: std::array::from_fn(|axis| coordinate(axis, axis + 4)),
        }
        .inflated(slack)
    }
}

impl ClipTree {
    /// The track of the vertices at the tree's time; `None` before the first interval.
    pub(super) fn track(&self) -> Option<&Track> {
        self.intervals.get(self.cursor).map(|interval| &interval.track)
    }

    /// One coordinate of the vertex that realises an extent of a node, metres, without slack.
    pub fn extent(&self, node: u32, extent: Extent) -> f64 {
        let point = self.winners.as_flattened()[self.layout.slot(node, extent)];
        match self.track() {
            Some(track) => track.coordinate(point, extent.axis(), self.now),
            None => f64::from(self.last[point as usize][extent.axis()]),
        }
    }
}
