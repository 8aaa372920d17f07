//! Audit of a kinetic BoxTree: its winners and certificates, against the queue; and the boxes it
//! should have.

use std::collections::BTreeSet;

use super::build::implied_boxes;
use super::{KineticBoxTree, NONE};
use crate::bvh::AuditReport;
use crate::kinetic::certificate::{Ranking, overtaking};
use crate::kinetic::event::EventKind;
use crate::kinetic::tree::TreeAudit;
use crate::math::Aabb;
use crate::time::{Moment, NEVER};

impl KineticBoxTree {
    /// Checks every winner against the candidates, found from the leaves upward, every plane
    /// against the queue, and every scheduled time against a new search. Returns the number of
    /// scheduled planes. O(m log m).
    pub(in crate::kinetic) fn audit_certificates(&self, audit: &TreeAudit<'_>, report: &mut AuditReport) -> usize {
        let &TreeAudit { motion, until, now, .. } = audit;
        let mut scheduled = 0;
        for (plane, candidates) in (0u32..).zip(self.candidates_from_below()) {
            let (_, extent) = self.bounded_by(plane);
            let known = self.planes[plane as usize];
            report.check(candidates.contains(&known.winner), || {
                format!("plane {plane} {extent:?}: winner {} is not below it", known.winner)
            });
            let is_challenged = known.ticket.is_some();
            report.check(
                if is_challenged { candidates.contains(&known.challenger) } else { known.challenger == NONE },
                || format!("plane {plane} {extent:?}: challenger {}", known.challenger),
            );
            let overtaking = |vertex: u32| overtaking(motion, known.winner, vertex, extent, now, until);
            // A challenger that a ranking puts off is searched again when a piece ends: the first
            // at that time, while the plan of another candidate may have changed since.
            let is_put_off = |vertex: u32| Ranking::new(motion, extent, now).is_some() && overtaking(vertex) <= now;
            let others = candidates.iter().filter(|&&vertex| !is_put_off(vertex));
            let mut expected = others.map(|&vertex| overtaking(vertex)).fold(Moment::at(NEVER), Moment::min);
            if audit.queue.contains(known.ticket) && is_put_off(known.challenger) {
                expected = expected.min(audit.queue.get(known.ticket).moment);
            }
            scheduled += usize::from(audit.check_ticket(
                known.ticket,
                expected,
                |event| event.owner == self.owner && event.slot == plane && event.kind == EventKind::Tree,
                || format!("plane {plane} {extent:?}"),
                report,
            ));
        }
        scheduled
    }

    /// Candidates of every plane, each found from its leaf, or from the plane at the fringe,
    /// upward.
    pub(super) fn candidates_from_below(&self) -> Vec<BTreeSet<u32>> {
        let mut candidates = vec![BTreeSet::new(); self.planes.len()];
        for leaf in (0..self.topology.nodes().len() as u32).filter(|&node| self.topology.node(node).is_leaf()) {
            for plane in self.sources(leaf) {
                candidates[plane as usize].extend(self.topology.leaf_points(leaf));
            }
        }
        for plane in 0..self.planes.len() as u32 {
            if let Some(above) = self.above(plane) {
                candidates[above as usize].insert(self.planes[plane as usize].winner);
            }
        }
        candidates
    }

    /// The boxes all nodes should have, without slack, from positions of all vertices and the axes
    /// alone. O(m log m).
    pub fn boxes_from(&self, positions: &[[f64; 3]]) -> Vec<Aabb> {
        implied_boxes(&self.topology, &self.splits, positions, None)
    }
}
