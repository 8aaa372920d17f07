//! Audit of a kinetic AABB tree: its winners and certificates, against the queue.

use super::{KineticAabbTree, slot_number};
use crate::bvh::AuditReport;
use crate::kinetic::tree::TreeAudit;
use crate::math::Extent;

impl KineticAabbTree {
    /// Checks every winner against the winners below it, every slot against the queue, and every
    /// scheduled time against a new search. Returns the number of scheduled slots. O(m log m).
    pub(in crate::kinetic) fn audit_certificates(&self, audit: &TreeAudit<'_>, report: &mut AuditReport) -> usize {
        let &TreeAudit { motion, until, now, .. } = audit;
        let mut scheduled = 0;
        for node in self.topology.upward() {
            for extent in Extent::ALL {
                let winner = self.winner(node, extent);
                let is_candidate = self.candidates(node, extent).any(|candidate| candidate == winner);
                report.check(is_candidate, || format!("node {node} {extent:?}: winner {winner} is not below it"));
                scheduled += usize::from(audit.check_ticket(
                    self.tickets[node as usize][extent.index()],
                    self.failure(node, extent, motion, now, until),
                    |event| event.owner == self.owner && event.slot == slot_number(node, extent),
                    || format!("node {node} {extent:?}"),
                    report,
                ));
            }
        }
        scheduled
    }
}
