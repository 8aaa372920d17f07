//! Bounds of any node at any time reached.

use super::KineticBoxTree;
use crate::bvh::{Hierarchy, Topology, Visits};
use crate::kinetic::KineticHierarchy;
use crate::math::{Aabb, Extent};
use crate::motion::{BoxTracks, Cursor, KeyTrack, Motion, Piece};
use crate::time::Moment;

/// A kinetic BoxTree together with the motion of its vertices.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    tree: &'a KineticBoxTree,
    motion: &'a Motion,
    slack: f64,
    epoch_end: f64,
    /// The moment most questions are about.
    cursor: Cursor,
}

impl KineticBoxTree {
    /// The tree with its motion, as a hierarchy with boxes. Questions about `now` are answered
    /// fastest.
    pub fn kinetic_view<'a>(&'a self, motion: &'a Motion, slack: f64, epoch_end: f64, now: Moment) -> View<'a> {
        View { tree: self, motion, slack, epoch_end, cursor: motion.cursor(now) }
    }
}

impl View<'_> {
    fn coordinate(&self, plane: u32, axis: usize, at: Moment) -> f64 {
        self.motion.coordinate(self.tree.planes[plane as usize].winner, axis, at)
    }

    /// The implied boxes of an inner node's lower and upper child, from its own; all moved outward.
    fn below(&self, node: u32, own: &Aabb, axis: usize, at: Moment) -> [Aabb; 2] {
        let plane = self.tree.splits[node as usize].plane;
        let mut boxes = [*own, *own];
        boxes[0].max[axis] = self.coordinate(plane, axis, at) + self.slack;
        boxes[1].min[axis] = self.coordinate(plane + 1, axis, at) - self.slack;
        boxes
    }

    /// An implied box with the sides that come from gates at the node itself.
    fn gated(&self, node: u32, mut bounds: Aabb, at: Moment) -> Aabb {
        for (gate, extent) in self.tree.gates_at(node) {
            let (axis, x) = (extent.axis(), self.coordinate(gate, extent.axis(), at));
            if extent.is_max() { bounds.max[axis] = x + self.slack } else { bounds.min[axis] = x - self.slack }
        }
        bounds
    }
}

impl Hierarchy for View<'_> {
    fn topology(&self) -> &Topology {
        &self.tree.topology
    }

    /// O(log m).
    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        let sources = self.tree.sources(node);
        let extent = |extent: Extent| self.coordinate(sources[extent.index()], extent.axis(), at);
        Aabb::of_sides(extent).inflated(self.slack)
    }

    /// Carries boxes downward: two coordinates per inner node.
    fn leaves_where(&self, at: Moment, keep: impl Fn(&Aabb) -> bool, mut found: impl FnMut(u32)) -> Visits {
        let mut visits = Visits::default();
        let mut stack = vec![(0, self.node_box(0, at))];
        while let Some((node, bounds)) = stack.pop() {
            visits.nodes += 1;
            if !keep(&bounds) {
                continue;
            }
            if let Some((axis, [lower, upper])) = self.tree.division(node) {
                let [box_of_lower, box_of_upper] = self.below(node, &bounds, axis, at);
                stack.push((upper, self.gated(upper, box_of_upper, at)));
                stack.push((lower, self.gated(lower, box_of_lower, at)));
            } else {
                visits.leaves += 1;
                found(node);
            }
        }
        visits
    }
}

impl KineticHierarchy for View<'_> {
    fn bound(&self, node: u32, extent: Extent, at: Moment) -> Piece {
        let winner = self.tree.winner(node, extent);
        if at == self.cursor.moment() {
            return self.motion.piece_at(winner, extent.axis(), &self.cursor);
        }
        self.motion.piece(winner, extent.axis(), at)
    }

    fn bounds(&self, node: u32, at: Moment) -> [Piece; 6] {
        let winners = self.tree.winners(node);
        if at == self.cursor.moment() {
            return self.motion.pieces_at(&winners, &self.cursor);
        }
        Extent::ALL.map(|extent| self.motion.piece(winners[extent.index()], extent.axis(), at))
    }

    fn bound_row(&self, node: u32, extent: Extent) -> Option<KeyTrack<'_>> {
        self.motion.row(self.tree.winner(node, extent), extent.axis())
    }

    fn bound_rows(&self, node: u32) -> Option<BoxTracks<'_>> {
        self.motion.box_rows(&self.tree.winners(node))
    }

    fn slack(&self) -> f64 {
        self.slack
    }

    fn epoch_end(&self) -> f64 {
        self.epoch_end
    }
}
