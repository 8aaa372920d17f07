//! Building a kinetic BoxTree, and certifying all of it anew.

use super::{KineticBoxTree, NONE, Plane, Seen, Split};
use crate::event::Ticket;
use crate::kds::{Clockwork, SlotChange, Topology, tight_boxes};
use crate::math::{Aabb, Extent};
use crate::motion::Motion;
use crate::stats::TreeStats;

impl KineticBoxTree {
    /// Chooses all axes for the positions at the clock's moment, finds all winners and schedules all certificates.
    /// O(m log m) if every group is searched once.
    pub fn new(topology: Topology, owner: u32, motion: &Motion, until: f64, clock: &mut Clockwork<'_>) -> Self {
        let mut positions = Vec::new();
        motion.positions(clock.now, &mut positions);
        let Division { splits, planes, .. } = divide(&topology, &positions, None);
        let seen = Seen::new(positions.len());
        let mut tree = Self { topology, splits, planes, owner, seen, stats: TreeStats::default() };
        tree.certify_all(motion, until, clock, &mut Vec::new());
        tree
    }

    /// Finds all winners and all certificates anew: after a jump, or a change of most plans. O(m) searches per extent.
    ///
    /// Every slot is reported as changed.
    pub fn certify_all(
        &mut self,
        motion: &Motion,
        until: f64,
        clock: &mut Clockwork<'_>,
        changes: &mut Vec<SlotChange>,
    ) {
        // Planes at a fringe come after the plane above them, so backwards is bottom-up.
        for plane in (0..self.planes.len() as u32).rev() {
            let old = self.planes[plane as usize].winner;
            let winner = self.best_now(plane, motion, clock);
            if winner != old {
                self.planes[plane as usize].winner = winner;
                if old != NONE {
                    self.record(plane, clock);
                }
            }
            self.certify(plane, motion, until, clock);
        }
        for node in 0..self.topology.nodes().len() as u32 {
            changes.extend(Extent::ALL.map(|extent| SlotChange { node, extent }));
        }
    }

    /// The extreme candidate of a plane at the clock's moment. The present winner keeps its place against equals if it is
    /// still a candidate; otherwise the first of equals wins.
    pub(super) fn best_now(&self, plane: u32, motion: &Motion, clock: &Clockwork<'_>) -> u32 {
        let (_, extent) = self.bounded_by(plane);
        let present = self.planes[plane as usize].winner;
        let (mut best, mut most) = (NONE, f64::NAN);
        self.visit_candidates(plane, |vertex| {
            let x = motion.coordinate(vertex, extent.axis(), clock.now);
            if best == NONE || extent.beyond(x, most) || (vertex == present && !extent.beyond(most, x)) {
                (best, most) = (vertex, x);
            }
        });
        best
    }
}

/// How all nodes are divided, and the boxes this implies.
pub(super) struct Division {
    splits: Vec<Split>,
    planes: Vec<Plane>,
    pub(super) boxes: Vec<Aabb>,
}

/// The implied boxes of the lower and the upper child of a node, from its own and from their tight boxes.
pub(super) fn implied(own: &Aabb, axis: usize, [lower, upper]: [&Aabb; 2]) -> [Aabb; 2] {
    let mut boxes = [*own, *own];
    boxes[0].max[axis] = lower.max[axis];
    boxes[1].min[axis] = upper.min[axis];
    boxes
}

/// Chooses the axis of every inner node, and which child is the lower one: the choice whose implied boxes have the least
/// area together, then the least edges (flat bodies have no area); the first axis and the left child among equals.
///
/// The root's box is that of all vertices unless it is given.
pub(super) fn divide(topology: &Topology, positions: &[[f64; 3]], root: Option<&Aabb>) -> Division {
    let plane = |node: u32| Plane { node, winner: NONE, challenger: NONE, ticket: Ticket::NONE };
    let tight = tight_boxes(topology, positions);
    let mut boxes = tight.clone();
    boxes[0] = root.copied().unwrap_or(boxes[0]);
    let mut splits = vec![Split { plane: NONE, axis: 0, lower_is_left: true }; tight.len()];
    let mut planes = vec![plane(0); super::ROOT_PLANES as usize];
    for node in 0..tight.len() {
        let Some((left, right)) = topology.node(node as u32).children() else { continue };
        let own = boxes[node];
        let mut least: Option<([f64; 2], usize, bool, [Aabb; 2])> = None;
        for (axis, lower_is_left) in (0..3).flat_map(|axis| [(axis, true), (axis, false)]) {
            let (lower, upper) = if lower_is_left { (left, right) } else { (right, left) };
            let halves = implied(&own, axis, [&tight[lower as usize], &tight[upper as usize]]);
            let cost = [halves[0].half_area() + halves[1].half_area(), edges(&halves[0]) + edges(&halves[1])];
            if least.as_ref().is_none_or(|(best, ..)| cost < *best) {
                least = Some((cost, axis, lower_is_left, halves));
            }
        }
        let (_, axis, lower_is_left, [lower, upper]) = least.expect("one of six");
        splits[node] = Split { plane: planes.len() as u32, axis: axis as u8, lower_is_left };
        planes.extend([plane(node as u32); 2]);
        let (of_left, of_right) = if lower_is_left { (lower, upper) } else { (upper, lower) };
        boxes[left as usize] = of_left;
        boxes[right as usize] = of_right;
    }
    Division { splits, planes, boxes }
}

/// The edges of a box along the three axes together, metres.
fn edges(bounds: &Aabb) -> f64 {
    (0..3).map(|axis| bounds.max[axis] - bounds.min[axis]).sum()
}
