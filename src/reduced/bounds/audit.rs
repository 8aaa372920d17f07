//! Audit of moving bounds against the vertices of the true motion.

use super::MovingBounds;
use crate::bvh::{AuditReport, Hierarchy};
use crate::reduced::ReducedError;
use crate::time::Moment;

impl MovingBounds {
    /// Evaluates all vertices at a moment and checks that every leaf's box contains its own, and
    /// that every node's box is within its parent's. O(weights + nodes).
    ///
    /// # Errors
    /// Errors of vertex evaluation.
    pub fn audit(&self, at: Moment) -> Result<AuditReport, ReducedError> {
        let mut report = AuditReport::default();
        let all: Vec<u32> = (0..self.body().mesh().vertex_count() as u32).collect();
        let mut positions = Vec::new();
        self.body().positions(at, &all, &mut positions)?;
        for node in 0..self.topology().nodes().len() as u32 {
            let bounds = self.node_box(node, at);
            for &vertex in self.topology().leaf_points(node) {
                let place = &positions[vertex as usize];
                report.check(bounds.contains(place), || {
                    format!("leaf {node}, vertex {vertex}: {place:?} is not in {bounds:?}")
                });
            }
            if let Some(parent) = self.topology().node(node).parent() {
                let outer = self.node_box(parent, at);
                let nested =
                    (0..3).all(|axis| outer.min[axis] <= bounds.min[axis] && bounds.max[axis] <= outer.max[axis]);
                report.check(nested, || format!("node {node}: {bounds:?} is not within its parent's {outer:?}"));
            }
        }
        Ok(report)
    }
}
