//! Audit of a kinetic BoxTree: every invariant, against positions and the queue.

use std::collections::BTreeSet;

use super::build::implied_boxes;
use super::{KineticBoxTree, NONE};
use crate::bvh::{AuditReport, Hierarchy, tight_boxes};
use crate::kinetic::certificate::overtaking;
use crate::kinetic::event::{EventKind, EventQueue};
use crate::math::Aabb;
use crate::motion::Motion;
use crate::time::{Moment, NEVER};

impl KineticBoxTree {
    /// Checks, at a moment no later than the next event: every node's box against the positions of
    /// all vertices below it, and against the implied box computed from positions; every winner
    /// against the candidates, found from the leaves upward; every plane against the queue, both
    /// ways; every scheduled time against a new search from `now`. O(m log m).
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
        let (tight, expected) = (tight_boxes(&self.topology, &positions), self.boxes_from(&positions));
        for node in 0..self.topology.nodes().len() as u32 {
            let (truth, implied) = (tight[node as usize], expected[node as usize]);
            let bounds = live.node_box(node, at);
            report.check(bounds.contains(&truth.min) && bounds.contains(&truth.max), || {
                format!("node {node} at {at:?}: {bounds:?} does not hold {truth:?}")
            });
            let is_implied = bounds.contains(&implied.min) && bounds.contains(&implied.max);
            // A winner may be wrong by a rounding, to either side of the true extent.
            let outer = implied.inflated(2.0 * slack);
            report.check(is_implied && outer.contains(&bounds.min) && outer.contains(&bounds.max), || {
                format!("node {node} at {at:?}: {bounds:?} is not the implied {implied:?} moved by {slack:e}")
            });
        }
        self.audit_planes(motion, until, queue, now, &mut report);
        report
    }

    fn audit_planes(&self, motion: &Motion, until: f64, queue: &EventQueue, now: Moment, report: &mut AuditReport) {
        let mut scheduled = 0;
        for (plane, candidates) in (0u32..).zip(self.candidates_from_below()) {
            let (_, extent) = self.bounded_by(plane);
            let known = self.planes[plane as usize];
            report.check(candidates.contains(&known.winner), || {
                format!("plane {plane} {extent:?}: winner {} is not below it", known.winner)
            });
            let failures = candidates.iter().map(|&v| overtaking(motion, known.winner, v, extent, now, until));
            let expected = failures.fold(Moment::at(NEVER), Moment::min);
            if !known.ticket.is_some() {
                report.check(expected.time() == NEVER && known.challenger == NONE, || {
                    format!("plane {plane} {extent:?}: fails at {expected:?} but nothing is scheduled")
                });
                continue;
            }
            let Some(event) = queue.contains(known.ticket).then(|| queue.get(known.ticket)) else {
                report.check(false, || format!("plane {plane} {extent:?}: its ticket names no event"));
                continue;
            };
            scheduled += 1;
            let is_own = event.owner == self.owner && event.slot == plane && event.kind == EventKind::Tree;
            report.check(is_own, || format!("plane {plane} {extent:?}: its ticket names {event:?}"));
            report.check(event.moment == expected && candidates.contains(&known.challenger), || {
                format!("plane {plane} {extent:?}: scheduled at {:?}, found at {expected:?}", event.moment)
            });
        }
        let owned = queue.iter().filter(|(_, event)| event.owner == self.owner && event.kind.is_of_tree()).count();
        report.check(owned == scheduled, || format!("{owned} events in the queue for {scheduled} scheduled planes"));
    }

    /// Candidates of every plane, each found from its leaf, or from the plane at the fringe,
    /// upward.
    fn candidates_from_below(&self) -> Vec<BTreeSet<u32>> {
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
