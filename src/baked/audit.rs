//! Audit of a clip tree against positions.

use super::ClipTree;
use crate::bvh::{AuditReport, Hierarchy};
use crate::math::{Aabb, Extent};
use crate::time::Moment;

impl ClipTree {
    /// Checks boxes and winners at the tree's time, against the positions of all vertices at that
    /// time. Every box must hold the vertices below it and exceed them only by the slack; every
    /// winner must be a candidate of its slot. O(m log m).
    pub fn audit(&self, positions: &[[f64; 3]]) -> AuditReport {
        let mut report = AuditReport::default();
        let (topology, slack, at) = (self.shape(), self.slack(), Moment::at(self.now));
        let mut truths = vec![Aabb::EMPTY; topology.nodes().len()];
        for &node in self.layout.nodes.iter().rev() {
            let truth = match topology.node(node).left_and_right() {
                Some((left, right)) => truths[left as usize].union(&truths[right as usize]),
                None => Aabb::of_points(topology.leaf_points(node).iter().map(|&vertex| &positions[vertex as usize])),
            };
            truths[node as usize] = truth;
            let bounds = self.node_box(node, at);
            report.check(bounds.contains(&truth.min) && bounds.contains(&truth.max), || {
                format!("node {node} at {at:?}: {bounds:?} does not hold {truth:?}")
            });
            let loose = truth.inflated(2.0 * slack);
            report.check(loose.contains(&bounds.min) && loose.contains(&bounds.max), || {
                format!("node {node} at {at:?}: {bounds:?} is larger than {truth:?} and the slack {slack:e}")
            });
            for extent in Extent::ALL {
                let winner = self.winner(node, extent);
                let is_candidate = match topology.node(node).left_and_right() {
                    Some((left, right)) => winner == self.winner(left, extent) || winner == self.winner(right, extent),
                    None => topology.leaf_points(node).contains(&winner),
                };
                report.check(is_candidate, || format!("node {node} {extent:?}: winner {winner} is not below it"));
            }
        }
        report
    }
}
