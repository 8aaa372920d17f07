//! The kinetic engine, driven by hand: one tree, its queue, its log.

use kinetree::bvh::{BuildParams, Hierarchy, Topology};
use kinetree::kinetic::event::{EventKind, EventLog, EventQueue, LoggedEvent};
use kinetree::kinetic::{EventContext, KineticAabbTree, TreeContext};
use kinetree::math::Aabb;
use kinetree::mesh::Mesh;
use kinetree::motion::{KeyLayout, Motion};
use kinetree::time::Moment;

use crate::common::scene::BodySpec;

/// A body ready to be followed.
pub(crate) struct Body {
    pub(crate) motion: Motion,
    pub(crate) topology: Topology,
}

impl Body {
    pub(crate) fn new(spec: &BodySpec, start: f64) -> Self {
        let mesh = Mesh::new(spec.vertex_count, spec.triangles.clone()).expect("a valid mesh");
        Self::of(&mesh, spec.plan.flightplan(), spec.build, start)
    }

    pub(crate) fn of(mesh: &Mesh, plan: kinetree::motion::Flightplan, build: BuildParams, start: f64) -> Self {
        let motion = Motion::new(plan, mesh.vertex_count(), KeyLayout::VertexMajor).expect("a valid plan");
        let topology = Topology::build(mesh, &positions(&motion, start), build);
        Self { motion, topology }
    }
}

/// All positions at a time.
pub(crate) fn positions(motion: &Motion, time: f64) -> Vec<[f64; 3]> {
    let mut positions = Vec::new();
    motion.positions(Moment::at(time), &mut positions);
    positions
}

/// The boxes of all nodes from all vertices below them, without any tree of winners.
pub(crate) fn brute_boxes(topology: &Topology, mesh: &[[u32; 3]], positions: &[[f64; 3]]) -> Vec<Aabb> {
    (0..topology.nodes().len() as u32)
        .map(|node| {
            if !topology.node(node).is_used() {
                return Aabb::EMPTY;
            }
            let (mut corners, mut stack) = (Vec::new(), vec![node]);
            while let Some(below) = stack.pop() {
                match topology.node(below).children() {
                    children if !children.is_empty() => stack.extend(children),
                    _ => corners.extend(topology.primitives(below).iter().flat_map(|&t| mesh[t as usize])),
                }
            }
            assert!(!corners.is_empty(), "node {node} has no triangle");
            Aabb::of_points(corners.iter().map(|&vertex| &positions[vertex as usize]))
        })
        .collect()
}

/// One kinetic tree.
pub(crate) struct Kinetic<'a> {
    body: &'a Body,
    pub(crate) tree: KineticAabbTree,
    queue: EventQueue,
    log: EventLog,
    now: Moment,
}

impl<'a> Kinetic<'a> {
    pub(crate) fn new(body: &'a Body, start: f64) -> Self {
        let (mut queue, mut log, now) = (EventQueue::new(), EventLog::new(true), Moment::at(start));
        let until = body.motion.epoch_end(now).time();
        let mut clock = EventContext { queue: &mut queue, log: &mut log, now };
        let tree = KineticAabbTree::new(
            body.topology.clone(),
            0,
            &mut TreeContext::new(&body.motion, until, &mut clock, &mut Vec::new()),
        );
        Self { body, tree, queue, log, now }
    }

    pub(crate) fn advance(&mut self, time: f64) {
        let (motion, goal) = (&self.body.motion, Moment::at(time));
        loop {
            let renewal = motion.epoch_end(self.now);
            let until = renewal.time();
            while let Some(event) = self.queue.pop_until(goal.min(renewal)) {
                self.now = event.moment;
                let mut clock = EventContext { queue: &mut self.queue, log: &mut self.log, now: self.now };
                self.tree.process(event, &mut TreeContext::new(motion, until, &mut clock, &mut Vec::new()));
            }
            if renewal > goal {
                break;
            }
            self.now = renewal;
            let until = motion.epoch_end(Moment::after(renewal.time())).time();
            let mut clock =
                EventContext { queue: &mut self.queue, log: &mut self.log, now: Moment::after(renewal.time()) };
            self.now = clock.now;
            self.tree.certify_all(&mut TreeContext::new(motion, until, &mut clock, &mut Vec::new()));
        }
        self.now = goal;
    }

    pub(crate) fn node_box(&self, node: u32) -> Aabb {
        let slack = self.body.motion.slack(self.now);
        self.tree.kinetic_view(&self.body.motion, slack, f64::INFINITY, self.now).node_box(node, self.now)
    }

    /// Events in an order that does not depend on how equal times are told apart.
    pub(crate) fn events(&self) -> Vec<LoggedEvent> {
        let mut events = self.log.events().expect("they are kept").to_vec();
        events.sort_by(|a, b| a.moment.time().total_cmp(&b.moment.time()).then(key(a).cmp(&key(b))));
        events
    }
}

fn key(event: &LoggedEvent) -> (EventKind, u32) {
    (event.kind, event.first)
}
