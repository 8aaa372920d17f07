//! Building a kinetic AABB tree, and certifying all of it anew.

use super::KineticAabbTree;
use crate::bvh::Topology;
use crate::kinetic::certificate::is_ahead;
use crate::kinetic::event::Ticket;
use crate::kinetic::{EventContext, SlotChange};
use crate::math::Extent;
use crate::motion::Motion;
use crate::stats::TreeStats;

impl KineticAabbTree {
    /// Finds all winners at the clock's moment and schedules all certificates. O(m log m).
    pub fn new(topology: Topology, owner: u32, motion: &Motion, until: f64, clock: &mut EventContext<'_>) -> Self {
        let nodes = topology.nodes().len();
        let mut tree = Self {
            topology,
            winners: vec![[u32::MAX; 6]; nodes],
            tickets: vec![[Ticket::NONE; 6]; nodes],
            owner,
            stats: TreeStats::default(),
        };
        tree.certify_all(motion, until, clock, &mut Vec::new());
        tree
    }

    /// Finds all winners and all certificates anew: after a jump, or a change of most plans. O(m log m).
    ///
    /// Every slot is reported as changed.
    pub fn certify_all(
        &mut self,
        motion: &Motion,
        until: f64,
        clock: &mut EventContext<'_>,
        changes: &mut Vec<SlotChange>,
    ) {
        for node in self.topology.upward() {
            for extent in Extent::ALL {
                let winner = self.best_now(node, extent, motion, clock);
                let slot = &mut self.winners[node as usize][extent.index()];
                let is_first = *slot == u32::MAX;
                if *slot != winner {
                    *slot = winner;
                    if !is_first {
                        self.record(node, extent, clock);
                    }
                }
                self.certify(node, extent, motion, until, clock);
                changes.push(SlotChange { node, extent });
            }
        }
    }

    /// The extreme vertex of a slot at the clock's moment, from the vertices of a leaf or the winners of the children.
    /// A present winner keeps its place against equals; otherwise the first of equals wins.
    pub(super) fn best_now(&self, node: u32, extent: Extent, motion: &Motion, clock: &EventContext<'_>) -> u32 {
        let present = self.winner(node, extent);
        let better = |best: u32, next: u32| {
            if is_ahead(motion, next, best, extent, clock.now) {
                next
            } else if next == present && !is_ahead(motion, best, next, extent, clock.now) {
                present
            } else {
                best
            }
        };
        self.candidates(node, extent).reduce(better).unwrap_or(u32::MAX)
    }
}
