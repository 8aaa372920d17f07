//! Audit of a kinetic AABB tree: every invariant, against positions and the queue.

use super::{KineticAabbTree, slot_number};
use crate::bvh::AuditReport;
use crate::kinetic::certificate::overtaking;
use crate::kinetic::event::EventQueue;
use crate::math::{Aabb, Extent};
use crate::motion::Motion;
use crate::time::{Moment, NEVER};

impl KineticAabbTree {
    /// Checks, at a moment no later than the next event: every node's box against the positions of
    /// all vertices below it; every winner against the winners below it; every slot against the
    /// queue, both ways; every scheduled time against a new search from `now`. O(m log m).
    pub fn audit(
        &self,
        motion: &Motion,
        slack: f64,
        until: f64,
        queue: &EventQueue,
        now: Moment,
        at: Moment,
    ) -> AuditReport {
        let mut report = AuditReport::default();
        let mut positions = Vec::new();
        motion.positions(at, &mut positions);
        let live = self.kinetic_view(motion, slack, until, at);
        let count = self.topology.nodes().len();
        let mut true_boxes = vec![Aabb::EMPTY; count];
        let mut scheduled = 0;
        for node in self.topology.upward() {
            let index = node as usize;
            let children = self.topology.node(node).children().iter().map(|&child| true_boxes[child as usize]);
            true_boxes[index] = children.reduce(|a, b| a.union(&b)).unwrap_or_else(|| {
                Aabb::of_points(self.topology.leaf_points(node).iter().map(|&v| &positions[v as usize]))
            });
            let (truth, bounds) = (true_boxes[index], crate::bvh::Hierarchy::node_box(&live, node, at));
            report.check(bounds.contains(&truth.min) && bounds.contains(&truth.max), || {
                format!("node {node} at {at:?}: {bounds:?} does not hold {truth:?}")
            });
            report.check(
                truth.inflated(2.0 * slack).contains(&bounds.min) && truth.inflated(2.0 * slack).contains(&bounds.max),
                || format!("node {node} at {at:?}: {bounds:?} is larger than {truth:?} and the slack {slack:e}"),
            );
            for extent in Extent::ALL {
                scheduled += usize::from(self.audit_slot(node, extent, motion, until, queue, now, &mut report));
            }
        }
        let owned = queue.iter().filter(|(_, event)| event.owner == self.owner && event.kind.is_of_tree()).count();
        report.check(owned == scheduled, || format!("{owned} events in the queue for {scheduled} scheduled slots"));
        report
    }

    fn audit_slot(
        &self,
        node: u32,
        extent: Extent,
        motion: &Motion,
        until: f64,
        queue: &EventQueue,
        now: Moment,
        report: &mut AuditReport,
    ) -> bool {
        let winner = self.winner(node, extent);
        let is_candidate = self.candidates(node, extent).any(|candidate| candidate == winner);
        report.check(is_candidate, || format!("node {node} {extent:?}: winner {winner} is not below it"));
        let ticket = self.tickets[node as usize][extent.index()];
        let overtaken = |[winner, other]: [u32; 2]| overtaking(motion, winner, other, extent, now, until);
        let expected = self.failure(node, extent, overtaken);
        if !ticket.is_some() {
            report.check(expected.time() == NEVER, || {
                format!("node {node} {extent:?}: fails at {expected:?} but nothing is scheduled")
            });
            return false;
        }
        let known = queue.contains(ticket);
        report.check(known, || format!("node {node} {extent:?}: its ticket names no event"));
        if known {
            let event = queue.get(ticket);
            report.check(event.owner == self.owner && event.slot == slot_number(node, extent), || {
                format!("node {node} {extent:?}: its ticket names {event:?}")
            });
            report.check(event.moment == expected, || {
                format!("node {node} {extent:?}: scheduled at {:?}, found at {expected:?}", event.moment)
            });
        }
        known
    }
}
