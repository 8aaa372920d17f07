//! Certificates over motion that was not known before.

use std::ops::Range;

use super::KineticAabbTree;
use crate::kinetic::TreeContext;
use crate::math::Extent;
use crate::time::Moment;

impl KineticAabbTree {
    /// Certifies the slots of some nodes again whose certificates were not found to fail before a
    /// time, seconds: from that time on, the motion is another one than was known. Until then it is
    /// the same, so winners and all earlier failures stay as they are.
    ///
    /// The order in which nodes are passed does not matter, nor does the moment, as long as all are
    /// passed before that time. O(1) searches per slot and challenger.
    pub fn extend(&mut self, nodes: Range<u32>, since: f64, context: &mut TreeContext<'_, '_>) {
        let now = context.events.now;
        for node in nodes.start..nodes.end.min(self.winners.len() as u32) {
            if !self.topology.node(node).is_used() {
                continue;
            }
            for extent in Extent::ALL {
                let ticket = self.tickets[node as usize][extent.index()];
                let failure = ticket.is_some().then(|| context.events.queue.get(ticket).moment);
                if failure.is_some_and(|failure| failure.time() < since) {
                    continue;
                }
                // Without a failure, the search begins where the motion is new.
                context.events.now = if failure.is_some() { now } else { now.max(Moment::at(since)) };
                self.certify(node, extent, context);
            }
        }
        context.events.now = now;
    }
}
