//! Building a kinetic BoxTree, and certifying all of it again.

use super::{KineticBoxTree, NONE, Plane, ROOT_PLANES, Seen, Split};
use crate::bvh::{Topology, Width, tight_boxes};
use crate::kinetic::event::Ticket;
use crate::kinetic::{SlotChange, TreeContext};
use crate::math::{Aabb, Extent};
use crate::stats::TreeStats;

impl KineticBoxTree {
    /// Chooses all axes for the positions at the context's moment, finds all winners and schedules
    /// all certificates. O(m log m) if every group is searched once.
    ///
    /// # Panics
    /// If the topology is not of width two.
    pub fn new(topology: Topology, owner: u32, context: &mut TreeContext<'_, '_>) -> Self {
        assert_eq!(topology.params().width, Width::Two, "BoxTrees are binary");
        let mut positions = Vec::new();
        context.motion.positions(context.events.now, &mut positions);
        let splits = divide(&topology, &positions, None);
        let (gates, planes) = planes_of(&topology, &splits);
        let seen = Seen::new(positions.len());
        let mut tree = Self { topology, splits, gates, planes, owner, seen, stats: TreeStats::default() };
        tree.certify_all(context);
        tree
    }

    /// Computes all winners and all certificates again: after a jump, or a change of most plans.
    /// O(m) searches per extent.
    ///
    /// Every slot is reported as changed.
    pub fn certify_all(&mut self, context: &mut TreeContext<'_, '_>) {
        // Planes at a fringe come after the plane above them, so backwards is bottom-up.
        for plane in (0..self.planes.len() as u32).rev() {
            let old = self.planes[plane as usize].winner;
            let winner = self.best_now(plane, context);
            if winner != old {
                self.planes[plane as usize].winner = winner;
                if old != NONE {
                    self.record(plane, context.events);
                }
            }
            self.certify(plane, context);
        }
        for node in 0..self.topology.nodes().len() as u32 {
            context.changes.extend(Extent::ALL.map(|extent| SlotChange { node, extent }));
        }
    }

    /// The extreme candidate of a plane at the context's moment. The present winner keeps its place
    /// against equals if it is still a candidate; otherwise the first of equals wins.
    pub(super) fn best_now(&self, plane: u32, context: &TreeContext<'_, '_>) -> u32 {
        let (_, extent) = self.bounded_by(plane);
        let present = self.planes[plane as usize].winner;
        let (mut best, mut most) = (NONE, f64::NAN);
        self.visit_candidates(plane, |vertex| {
            let x = context.motion.coordinate(vertex, extent.axis(), context.events.now);
            if best == NONE || extent.beyond(x, most) || (vertex == present && !extent.beyond(most, x)) {
                (best, most) = (vertex, x);
            }
        });
        best
    }
}

/// The implied boxes of the lower and the upper child of a node, from its own and from their tight
/// boxes.
pub(super) fn implied(own: &Aabb, axis: usize, [lower, upper]: [&Aabb; 2]) -> [Aabb; 2] {
    let mut boxes = [*own, *own];
    boxes[0].max[axis] = lower.max[axis];
    boxes[1].min[axis] = upper.min[axis];
    boxes
}

/// Chooses the axis of every inner node, and which child is the lower one: the choice whose implied
/// boxes have the least area together, then the least edges (flat bodies have no area); the first
/// axis and the left child among equals.
///
/// The root's box is that of all vertices unless it is given.
pub(super) fn divide(topology: &Topology, positions: &[[f64; 3]], root: Option<&Aabb>) -> Vec<Split> {
    let tight = tight_boxes(topology, positions);
    let mut boxes = tight.clone();
    boxes[0] = root.copied().unwrap_or(boxes[0]);
    let mut splits = vec![Split { plane: NONE, axis: 0, gates: 0, lower_is_left: true }; tight.len()];
    for node in 0..tight.len() {
        let Some((left, right)) = topology.node(node as u32).left_and_right() else { continue };
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
        splits[node] = Split { plane: NONE, axis: axis as u8, gates: 0, lower_is_left };
        let (of_left, of_right) = if lower_is_left { (lower, upper) } else { (upper, lower) };
        boxes[left as usize] = of_left;
        boxes[right as usize] = of_right;
    }
    // Only a whole tree has gates.
    if root.is_none() {
        Extent::ALL.into_iter().for_each(|extent| raise_gates(topology, &mut splits, extent));
    }
    // A node may be a gate of two rounds at once, and is marked once.
    let mut next = ROOT_PLANES + splits.iter().map(|split| split.gates.count_ones()).sum::<u32>();
    for (node, split) in (0u32..).zip(&mut splits) {
        if !topology.node(node).is_leaf() {
            split.plane = next;
            next += 2;
        }
    }
    splits
}

/// The edges of a box along the three axes together, metres.
fn edges(bounds: &Aabb) -> f64 {
    bounds.sides().iter().sum()
}

/// An extent of the root, or a gate, with more leaves in its group than this has gates below it.
const LEAST_ROUND: u32 = 16;

/// Marks the gates of an extent of the root, round by round: the highest nodes of its group with no
/// more leaves of the group below them than the square root of those of the round above.
fn raise_gates(topology: &Topology, splits: &mut [Split], extent: Extent) {
    // Per node of the root's group, the leaves of the group below; 0 elsewhere, where another plane
    // is the source.
    let mut leaves = vec![0u32; splits.len()];
    let mut is_of_group = vec![false; splits.len()];
    is_of_group[0] = true;
    let passed_to = |node: u32, splits: &[Split]| {
        let (left, right) = topology.node(node).left_and_right()?;
        let Split { axis, lower_is_left, .. } = splits[node as usize];
        let both = usize::from(axis) != extent.axis();
        let to_left = extent.is_max() != lower_is_left;
        Some([(left, both || to_left), (right, both || !to_left)])
    };
    for node in 0..splits.len() as u32 {
        if let Some(children) = passed_to(node, splits).filter(|_| is_of_group[node as usize]) {
            children.into_iter().for_each(|(child, passed)| is_of_group[child as usize] = passed);
        }
    }
    for node in (0..splits.len()).rev().filter(|&node| is_of_group[node]) {
        leaves[node] += u32::from(topology.node(node as u32).is_leaf());
        if let Some(parent) = topology.node(node as u32).parent() {
            leaves[parent as usize] += leaves[node];
        }
    }
    let mut most = leaves[0];
    while most > LEAST_ROUND {
        most = most.isqrt();
        for node in (1..splits.len()).filter(|&node| is_of_group[node]) {
            let parent = topology.node(node as u32).parent().expect("not the root");
            if leaves[node] <= most && leaves[parent as usize] > most {
                splits[node].gates |= 1 << extent.index();
            }
        }
    }
}

/// The gates in order, and all planes without winners: the root's, the gates', and two per inner
/// node.
fn planes_of(topology: &Topology, splits: &[Split]) -> (Vec<(u32, Extent)>, Vec<Plane>) {
    let plane = |node: u32| Plane { node, winner: NONE, challenger: NONE, ticket: Ticket::NONE };
    let nodes = 0..splits.len() as u32;
    let is_gate = |node: u32, extent: Extent| splits[node as usize].gates & (1 << extent.index()) != 0;
    let gates_of = |node: u32| Extent::ALL.into_iter().filter(move |&e| is_gate(node, e)).map(move |e| (node, e));
    let gates: Vec<(u32, Extent)> = nodes.clone().flat_map(gates_of).collect();
    let mut planes = vec![plane(0); ROOT_PLANES as usize];
    planes.extend(gates.iter().map(|&(node, _)| plane(node)));
    planes.extend(nodes.filter(|&node| !topology.node(node).is_leaf()).flat_map(|node| [plane(node); 2]));
    (gates, planes)
}

/// The boxes all nodes should have, from positions of all vertices and how the nodes are divided.
/// The root's is that of all vertices unless it is given.
pub(super) fn implied_boxes(
    topology: &Topology,
    splits: &[Split],
    positions: &[[f64; 3]],
    root: Option<&Aabb>,
) -> Vec<Aabb> {
    let tight = tight_boxes(topology, positions);
    let mut boxes = tight.clone();
    boxes[0] = root.copied().unwrap_or(boxes[0]);
    for node in 0..boxes.len() {
        let Some((left, right)) = topology.node(node as u32).left_and_right() else { continue };
        let Split { axis, lower_is_left, .. } = splits[node];
        let (lower, upper) = if lower_is_left { (left, right) } else { (right, left) };
        let children = [lower as usize, upper as usize];
        let halves = implied(&boxes[node], usize::from(axis), children.map(|child| &tight[child]));
        for (child, mut half) in children.into_iter().zip(halves) {
            for axis in 0..3 {
                if splits[child].gates & (1 << Extent::min(axis).index()) != 0 {
                    half.min[axis] = tight[child].min[axis];
                }
                if splits[child].gates & (1 << Extent::max(axis).index()) != 0 {
                    half.max[axis] = tight[child].max[axis];
                }
            }
            boxes[child] = half;
        }
    }
    boxes
}
