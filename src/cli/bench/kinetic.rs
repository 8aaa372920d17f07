//! Kinetic trees, with or without a separation list over them: the paper's Algorithm 1 with its
//! Algorithm 2, or §7.
//!
//! The parts are driven directly, without a world, so that keeping boxes and looking for contacts
//! can be timed apart. Epochs are not carried over their end: a run stays below the first horizon
//! (`tuning::FIRST_HORIZON`).

use super::body::{Body, test_triangles};
use super::contender::{Contender, Held, ListEvents, Work};
use crate::bvh::{BuildParams, Hierarchy, Topology};
use crate::cli::Failure;
use crate::kinetic::event::{EventLog, EventQueue};
use crate::kinetic::{
    EventContext, KineticHierarchy, KineticTree, KineticTreeView, SeparationList, SlotChange, TreeContext, TreeKind,
};
use crate::math::{Aabb, Extent};
use crate::motion::{Motion, VertexFlightplan};
use crate::time::{Moment, NEVER};

pub(super) struct Kinetic {
    bodies: [Body; 2],
    sides: [Side; 2],
    list: Option<SeparationList>,
    queue: EventQueue,
    log: EventLog,
    now: Moment,
    changes: Vec<SlotChange>,
    leaves: Vec<(u32, u32)>,
}

/// The tree of a body, and what its certificates were searched with.
struct Side {
    tree: KineticTree,
    slack: f64,
    epoch_end: f64,
}

impl Side {
    fn kinetic_view<'a>(&'a self, motion: &'a Motion, now: Moment) -> KineticTreeView<'a> {
        self.tree.kinetic_view(motion, self.slack, self.epoch_end, now)
    }
}

/// Queue, log and a moment.
macro_rules! clock {
    ($it:expr, $now:expr) => {
        &mut EventContext { queue: &mut $it.queue, log: &mut $it.log, now: $now }
    };
}

impl Kinetic {
    pub(super) fn new(mut bodies: [Body; 2], kind: TreeKind, with_list: bool, build: BuildParams) -> Self {
        let now = Moment::at(0.0);
        let (mut queue, mut log) = (EventQueue::new(), EventLog::new(false));
        let [a, b] = &mut bodies;
        if let Some(times) = a.motion.common_times() {
            b.motion.take_times(&times);
        }
        let mut clock = EventContext { queue: &mut queue, log: &mut log, now };
        let sides = [0, 1].map(|side: usize| {
            let Body { mesh, motion, .. } = &bodies[side];
            let topology = Topology::build(mesh, &bodies[side].start(), build);
            let epoch_end = motion.epoch_end(now).time();
            let tree = KineticTree::new(
                kind,
                topology,
                side as u32,
                &mut TreeContext::new(motion, epoch_end, &mut clock, &mut Vec::new()),
            );
            Side { tree, slack: motion.slack(now), epoch_end }
        });
        let list = with_list.then(|| {
            let [a, b] = [0, 1].map(|side: usize| sides[side].kinetic_view(&bodies[side].motion, now));
            SeparationList::new((&a, &b), 0, &mut clock)
        });
        Self { bodies, sides, list, queue, log, now, changes: Vec::new(), leaves: Vec::new() }
    }

    /// Processes everything up to a moment.
    fn process_until(&mut self, until: Moment) {
        while let Some(event) = self.queue.pop_until(until) {
            let now = event.moment;
            if event.kind.is_of_tree() {
                let side = event.owner as usize;
                let Side { tree, epoch_end, .. } = &mut self.sides[side];
                self.changes.clear();
                let (motion, changes) = (&self.bodies[side].motion, &mut self.changes);
                tree.process(event, &mut TreeContext::new(motion, *epoch_end, clock!(self, now), changes));
                self.notify(side, now);
            } else if let Some(list) = &mut self.list {
                let [a, b] = [0, 1].map(|side: usize| self.sides[side].kinetic_view(&self.bodies[side].motion, now));
                list.process(event, (&a, &b), clock!(self, now));
            }
        }
    }

    /// Tells the list which slots of a body changed.
    fn notify(&mut self, side: usize, now: Moment) {
        let Some(list) = &mut self.list else { return };
        let [a, b] = [0, 1].map(|side: usize| self.sides[side].kinetic_view(&self.bodies[side].motion, now));
        for &change in &self.changes {
            list.bound_changed(side, change, (&a, &b), clock!(self, now));
        }
    }

    /// Leaf pairs whose boxes overlap: the paper's Algorithm 2, without recursion. Both nodes are
    /// opened at once and boxes are carried downward, unlike in [`traverse`](crate::bvh::traverse).
    fn traverse(&mut self) {
        let now = self.now;
        let [a, b] = [0, 1].map(|side: usize| Boxes::new(&self.sides[side], &self.bodies[side].motion, now));
        self.leaves.clear();
        let roots = (a.root(), b.root());
        let mut stack = if roots.0.1.overlaps(&roots.1.1) { vec![roots] } else { Vec::new() };
        while let Some((x, y)) = stack.pop() {
            let (below_x, below_y) = (a.below(&x), b.below(&y));
            if below_x.is_none() && below_y.is_none() {
                self.leaves.push((x.0, y.0));
                continue;
            }
            let twice =
                |own: (u32, Aabb), below: Option<[(u32, Aabb); 2]>| below.map_or([Some(own), None], |it| it.map(Some));
            let (below_x, below_y) = (twice(x, below_x), twice(y, below_y));
            for &p in below_x.iter().flatten() {
                stack.extend(below_y.iter().flatten().filter(|q| p.1.overlaps(&q.1)).map(|&q| (p, q)));
            }
        }
    }
}

/// Boxes of a kinetic tree on the way down at one moment.
struct Boxes<'a> {
    side: &'a Side,
    view: KineticTreeView<'a>,
    now: Moment,
}

impl<'a> Boxes<'a> {
    fn new(side: &'a Side, motion: &'a Motion, now: Moment) -> Self {
        Self { side, view: side.kinetic_view(motion, now), now }
    }

    fn root(&self) -> (u32, Aabb) {
        (0, self.box_of(0))
    }

    /// All six bounds.
    fn box_of(&self, node: u32) -> Aabb {
        let bounds = self.view.bounds(node, self.now).map(|piece| piece.at(self.now.time()));
        let side = |extent: Extent| bounds[extent.index()];
        Aabb::of_sides(side).inflated(self.side.slack)
    }

    /// The children of a node with their boxes, from its own; `None` at a leaf. In a BoxTree a
    /// child differs by one bound.
    fn below(&self, &(node, own): &(u32, Aabb)) -> Option<[(u32, Aabb); 2]> {
        let KineticTree::Box(tree) = &self.side.tree else {
            let children = self.view.topology().node(node).children();
            debug_assert!(children.len() <= 2, "the paper's trees are binary");
            let &[left, right] = children else { return None };
            return Some([left, right].map(|child| (child, self.box_of(child))));
        };
        let (axis, [lower, upper]) = tree.division(node)?;
        let plane = |child: u32, extent: Extent| self.view.bound(child, extent, self.now).at(self.now.time());
        let mut boxes = [(lower, own), (upper, own)];
        boxes[0].1.max[axis] = plane(lower, Extent::max(axis)) + self.side.slack;
        boxes[1].1.min[axis] = plane(upper, Extent::min(axis)) - self.side.slack;
        Some(boxes)
    }
}

impl Contender for Kinetic {
    fn advance_to(&mut self, time: f64) -> Result<(), Failure> {
        self.process_until(Moment::at(time));
        self.now = Moment::at(time);
        Ok(())
    }

    fn check(&mut self, found: &mut Vec<(u32, u32)>) {
        self.bodies.iter_mut().for_each(|body| body.begin_frame(self.now));
        if let Some(list) = &self.list {
            self.leaves.clear();
            self.leaves.extend(list.overlapping());
            // So that the cost does not depend on history.
            self.leaves.sort_unstable();
        } else {
            self.traverse();
        }
        let [a, b] = self.sides.each_ref().map(|side| side.tree.topology());
        for &(leaf_a, leaf_b) in &self.leaves {
            test_triangles(&mut self.bodies, a.primitives(leaf_a), b.primitives(leaf_b), found);
        }
    }

    fn replan(&mut self, body: usize, plans: &[(u32, VertexFlightplan)]) -> Result<(), Failure> {
        let now = self.now;
        let motion = &mut self.bodies[body].motion;
        motion.set_vertex_plans(plans, now)?;
        let Side { tree, slack, epoch_end } = &mut self.sides[body];
        self.changes.clear();
        // As in a world: new certificates reach as far as present ones, or all are searched again.
        let is_local = motion.epoch_end(now).time() == *epoch_end
            && motion.slack(now) <= *slack
            && 4 * plans.len() <= motion.vertex_count();
        if is_local {
            let vertices: Vec<u32> = plans.iter().map(|&(vertex, _)| vertex).collect();
            tree.replan(&vertices, &mut TreeContext::new(motion, *epoch_end, clock!(self, now), &mut self.changes));
            self.notify(body, now);
        } else {
            (*slack, *epoch_end) = (motion.slack(now), motion.epoch_end(now).time());
            tree.certify_all(&mut TreeContext::new(motion, *epoch_end, clock!(self, now), &mut self.changes));
            if let Some(list) = &mut self.list {
                let [a, b] = [0, 1].map(|side: usize| self.sides[side].kinetic_view(&self.bodies[side].motion, now));
                list.certify_all((&a, &b), clock!(self, now));
            }
        }
        self.process_until(now);
        Ok(())
    }

    fn is_incremental(&self) -> bool {
        true
    }

    fn work(&self) -> Work {
        let mut work = Work { log: self.log.hash(), ..Work::default() };
        for (Side { tree, .. }, body) in self.sides.iter().zip(&self.bodies) {
            let stats = tree.stats();
            work.tree_events += stats.leaf_events + stats.tree_events;
            work.leaf_events += stats.leaf_events;
            work.updates += stats.updates;
            work.replanned += stats.slots_replanned;
            if body.motion.rests_until(0.0) != Some(NEVER) {
                work.nodes += tree.topology().nodes().len();
            }
        }
        if let Some(list) = &self.list {
            let stats = list.stats();
            work.list = ListEvents {
                met: stats.boxes_met,
                leaves_parted: stats.leaves_separated,
                parents_parted: stats.parents_separated,
                witnesses: stats.witnesses_replaced,
            };
            work.most_per_node = list.most_members_per_node();
        }
        work
    }

    fn held(&self) -> Held {
        let trees: usize = self.sides.iter().map(|side| side.tree.bytes()).sum();
        Held {
            listed: self.list.as_ref().map_or(0, SeparationList::len),
            bytes: trees + self.list.as_ref().map_or(0, SeparationList::bytes) + self.queue.bytes(),
        }
    }
}
