//! Audit of a on-demand body: boxes, and vertices rounded to `f32`, against the vertices.

use super::OnDemandTree;
use crate::bvh::AuditReport;
use crate::motion::Motion;
use crate::time::{Moment, Side};

impl OnDemandTree {
    /// Checks at a moment: the box of every node holds every vertex below it, at the moment and at
    /// both keys around it; what is known of vertices in `f32` is within its margin of them.
    /// O(nodes + vertices × depth).
    pub(in crate::world) fn audit(&self, motion: &Motion, at: Moment) -> AuditReport {
        let mut report = AuditReport::default();
        let Some(bounds) = self.at(motion, at) else {
            report.check(false, || "the motion is not that of its sampler".into());
            return report;
        };
        let mut positions = Vec::new();
        motion.positions(at, &mut positions);
        let mut walk = bounds.walk();
        report.check_boxes(self.topology(), &positions, "now", |node| walk.bounds(node).to_aabb());
        drop(walk);
        let keys = [bounds.keys.first, bounds.keys.last];
        for (key, side) in &keys[..if keys[0] == keys[1] { 1 } else { 2 }] {
            let place = format!("at key {key}{}", if *side == Side::After { ", as it is left" } else { "" });
            motion.sampled_at(*key, *side, &mut positions);
            report.check_boxes(self.topology(), &positions, &place, |node| self.boxes.key_box(*key, *side, node));
        }
        positions.clear();
        motion.positions(at, &mut positions);
        let vertices: Vec<u32> = (0..positions.len() as u32).collect();
        let mut places = vec![[0.0; 4]; positions.len()];
        if let Some(margin) = bounds.rounded_positions(&vertices, &mut places) {
            for (vertex, (place, position)) in places.iter().zip(&positions).enumerate() {
                let is_near = (0..3).all(|k| (f64::from(place[k]) - position[k]).abs() <= f64::from(margin));
                report.check(is_near, || {
                    format!(
                        "vertex {vertex} at {position:?} is not within {margin} of what it is rounded to, {place:?}"
                    )
                });
            }
        }
        report
    }
}
