//! Building a kinetic AABB tree, and certifying all of it again.

use super::{KineticAabbTree, SlotsAhead};
use crate::bvh::Topology;
use crate::kinetic::certificate::is_ahead;
use crate::kinetic::event::Ticket;
use crate::kinetic::{SlotChange, TreeContext};
use crate::math::Extent;
use crate::stats::TreeStats;

impl KineticAabbTree {
    /// Finds all winners at the context's moment and schedules all certificates. O(m log m).
    pub fn new(topology: Topology, owner: u32, context: &mut TreeContext<'_, '_>) -> Self {
        let mut tree = Self::idle(topology, owner);
        tree.certify_all(context);
        tree
    }

    /// A tree without winners and events; the first [`KineticAabbTree::certify_all`] finds them.
    /// O(1).
    pub(crate) fn idle(topology: Topology, owner: u32) -> Self {
        Self { topology, winners: Vec::new(), tickets: Vec::new(), owner, stats: TreeStats::default() }
    }

    /// Computes all winners and all certificates again: after a jump, or a change of most plans.
    /// O(m log m).
    ///
    /// Every slot is reported as changed.
    pub fn certify_all(&mut self, context: &mut TreeContext<'_, '_>) {
        self.certify_all_as_found(&SlotsAhead::default(), context);
    }

    /// The same, where some of it was found ahead.
    pub(crate) fn certify_all_as_found(&mut self, ahead: &SlotsAhead, context: &mut TreeContext<'_, '_>) {
        if self.is_idle() {
            let nodes = self.topology.nodes().len();
            (self.winners, self.tickets) = (vec![[u32::MAX; 6]; nodes], vec![[Ticket::NONE; 6]; nodes]);
        }
        // While every slot is as it was found, so are all children.
        let mut is_as_found = ahead.is_complete(context.events.now);
        for node in self.topology.upward() {
            for extent in Extent::ALL {
                let found = self.found_ahead(ahead, node, extent, is_as_found, context);
                is_as_found &= found.is_some();
                let winner = found.map_or_else(|| self.best_now(node, extent, context), |(winner, _)| winner);
                let slot = &mut self.winners[node as usize][extent.index()];
                let is_first = *slot == u32::MAX;
                if *slot != winner {
                    *slot = winner;
                    if !is_first {
                        self.record(node, extent, context.events);
                    }
                }
                match found {
                    Some((_, failure)) => self.schedule(node, extent, failure, context),
                    None => self.certify(node, extent, context),
                }
                context.changes.push(SlotChange { node, extent });
            }
        }
    }

    /// The extreme vertex of a slot at the context's moment, from the vertices of a leaf or the
    /// winners of the children. A present winner keeps its place against equals; otherwise the
    /// first of equals wins.
    pub(super) fn best_now(&self, node: u32, extent: Extent, context: &TreeContext<'_, '_>) -> u32 {
        let present = self.winner(node, extent);
        let is_ahead = |x: u32, y: u32| is_ahead(context.motion, x, y, extent, context.events.now);
        let better = |best: u32, next: u32| {
            if is_ahead(next, best) {
                next
            } else if next == present && !is_ahead(best, next) {
                present
            } else {
                best
            }
        };
        self.candidates(node, extent).reduce(better).unwrap_or(u32::MAX)
    }
}
