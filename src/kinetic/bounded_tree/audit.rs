//! Audit of the kinetic tree of a reduced body: bounds against the vertices, the table against new
//! boxes.

use super::KineticBoundedTree;
use crate::bvh::{AuditReport, Hierarchy};
use crate::math::Aabb;
use crate::motion::Motion;
use crate::time::Moment;

impl KineticBoundedTree {
    /// Checks at a moment of the epoch: every node's box against the positions of all vertices
    /// below it, at the moment and at both keys around it; what the table holds of these keys
    /// against new boxes. A box is cut to that of its parent when it is made, so that is not
    /// checked again. O(nodes + vertices × depth).
    pub fn audit(&self, motion: &Motion, slack: f64, until: f64, at: Moment) -> AuditReport {
        let mut report = AuditReport::default();
        let Some(around) = motion.keys_around(at) else {
            report.check(false, || "the motion is not that of its sampler".into());
            return report;
        };
        let mut positions = Vec::new();
        motion.positions(at, &mut positions);
        let view = self.kinetic_view(motion, slack, until, at);
        let boxes = self.boxes_at(motion, slack, at);
        report.check_boxes(self.topology(), &positions, &format!("at {at:?}"), |node| boxes[node as usize]);
        for (node, bounds) in (0..).zip(&boxes) {
            let known = view.node_box(node, at);
            report.check(known == *bounds, || format!("node {node} at {at:?}: {known:?} is kept, {bounds:?} is made"));
        }
        let keys = [around.first, around.last];
        for &(key, side) in &keys[..if keys[0] == keys[1] { 1 } else { 2 }] {
            motion.sampled_at(key, side, &mut positions);
            let made = |node: u32| self.boxes.key_box(key, side, node).inflated(slack);
            report.check_boxes(self.topology(), &positions, &format!("at key {key}, {side:?}"), made);
        }
        report
    }

    /// The boxes of all nodes at a moment of the epoch, moved outward by the slack, from new boxes
    /// at keys: the table is not read. O(nodes).
    pub fn boxes_at(&self, motion: &Motion, slack: f64, at: Moment) -> Vec<Aabb> {
        let fresh = Self::empty(self.boxes.clone(), self.keys.clone());
        let view = fresh.kinetic_view(motion, slack, at.time(), at);
        (0..self.topology().nodes().len() as u32).map(|node| view.node_box(node, at)).collect()
    }
}
