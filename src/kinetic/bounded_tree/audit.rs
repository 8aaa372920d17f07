//! Audit of the kinetic tree of a reduced body: bounds against the vertices, the table against new
//! boxes.

use super::KineticBoundedTree;
use crate::bvh::{AuditReport, Hierarchy, tight_boxes};
use crate::math::Aabb;
use crate::motion::Motion;
use crate::time::Moment;

impl KineticBoundedTree {
    /// Checks at a moment of the epoch: every node's box against the positions of all vertices
    /// below it, at the moment and at both keys around it, and against its parent's box; what the
    /// table holds of these keys against new boxes. O(nodes + vertices × depth).
    pub fn audit(&self, motion: &Motion, slack: f64, until: f64, at: Moment) -> AuditReport {
        let mut report = AuditReport::default();
        let Some(around) = motion.keys_around(at) else {
            report.check(false, || "the motion is not that of its sampler".into());
            return report;
        };
        let mut positions = Vec::new();
        motion.positions(at, &mut positions);
        let live = self.kinetic_view(motion, slack, until, at);
        let boxes = self.boxes_at(motion, slack, at);
        self.audit_boxes(&positions, &boxes, &mut report, &format!("at {at:?}"));
        for (node, bounds) in (0..).zip(&boxes) {
            let known = live.node_box(node, at);
            report.check(known == *bounds, || format!("node {node} at {at:?}: {known:?} is kept, {bounds:?} is made"));
            let Some(parent) = self.topology().node(node).parent() else { continue };
            // Interpolation rounds.
            let outer = boxes[parent as usize].inflated(slack);
            report.check(outer.contains(&bounds.min) && outer.contains(&bounds.max), || {
                format!("node {node} at {at:?}: {bounds:?} is not within that of its parent, {outer:?}")
            });
        }
        let keys = [around.first, around.last];
        for &(key, side) in &keys[..if keys[0] == keys[1] { 1 } else { 2 }] {
            motion.sampled_at(key, side, &mut positions);
            let made: Vec<Aabb> =
                (0..boxes.len() as u32).map(|node| self.boxes.key_box(key, side, node).inflated(slack)).collect();
            self.audit_boxes(&positions, &made, &mut report, &format!("at key {key}, {side:?}"));
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

    /// Checks that the boxes of all nodes hold the vertices below.
    fn audit_boxes(&self, positions: &[[f64; 3]], boxes: &[Aabb], report: &mut AuditReport, place: &str) {
        for (node, (truth, known)) in tight_boxes(self.topology(), positions).iter().zip(boxes).enumerate() {
            // A side that is not a number says nothing, and is never used.
            let is_held = (0..3).all(|k| !(truth.min[k] < known.min[k]) && !(truth.max[k] > known.max[k]));
            report.check(is_held, || format!("node {node} {place}: {known:?} does not hold {truth:?}"));
        }
    }
}
