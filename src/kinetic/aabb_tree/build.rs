//! Building a kinetic AABB tree, and certifying all of it again.

use super::ahead::Reader;
use super::{KineticAabbTree, SlotsAhead};
use crate::bvh::Topology;
use crate::kinetic::certificate::is_ahead;
use crate::kinetic::event::Ticket;
use crate::kinetic::{SlotChange, TreeContext};
use crate::math::Extent;
use crate::motion::{Cursor, Motion};
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

    /// The same, where some of it was found ahead. Slots are not reported where all were passed.
    pub(crate) fn certify_all_as_found(&mut self, ahead: &SlotsAhead, context: &mut TreeContext<'_, '_>) {
        if self.is_idle() {
            let nodes = self.topology.nodes().len();
            (self.winners, self.tickets) = (vec![[u32::MAX; 6]; nodes], vec![[Ticket::NONE; 6]; nodes]);
        }
        if self.enter_ahead(ahead, context) {
            return;
        }
        let mut reader = Reader::of(ahead, context);
        let cursor = context.motion.cursor(context.events.now);
        for node in self.topology.upward() {
            for extent in Extent::ALL {
                let found = self.found_ahead(&mut reader, node, extent);
                let winner =
                    found.map_or_else(|| self.best_at(node, extent, context.motion, &cursor), |(winner, _)| winner);
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

    /// The extreme vertex of a slot at the context's moment.
    pub(super) fn best_now(&self, node: u32, extent: Extent, context: &TreeContext<'_, '_>) -> u32 {
        self.best_at(node, extent, context.motion, &context.motion.cursor(context.events.now))
    }

    /// The extreme vertex of a slot at the moment of a cursor, from the vertices of a leaf or the
    /// winners of the children. A present winner keeps its place against equals; otherwise the
    /// first of equals wins.
    pub(super) fn best_at(&self, node: u32, extent: Extent, motion: &Motion, at: &Cursor) -> u32 {
        let present = self.winner(node, extent);
        let is_ahead = |x: u32, y: u32| is_ahead(motion, x, y, extent, at);
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
