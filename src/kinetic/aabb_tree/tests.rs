//! The audit of a kinetic AABB tree finds what is damaged in it.

use super::KineticAabbTree;
use crate::bvh::{BuildParams, Topology};
use crate::kinetic::event::{Event, EventKind, EventLog, EventQueue, Ticket};
use crate::kinetic::{EventContext, KineticTree, TreeAudit, TreeContext};
use crate::math::Extent;
use crate::mesh::Mesh;
use crate::motion::{Flightplan, KeyLayout, Motion};
use crate::time::Moment;

/// The first horizon of endless motion, seconds.
const END: f64 = crate::tuning::FIRST_HORIZON;

/// A row of triangles along x whose order turns round between 0 and 4 s.
struct Rig {
    motion: Motion,
    tree: KineticAabbTree,
    queue: EventQueue,
}

impl Rig {
    fn new() -> Self {
        let corner = |v: usize, x: f32| [x + (v % 3) as f32 * 0.25, (v % 3 % 2) as f32, (v % 3 / 2) as f32];
        let row = |turn: f32| (0..24).map(move |v| corner(v, turn * (v / 3) as f32));
        let mesh = Mesh::new(24, (0..8).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).expect("a valid mesh");
        let plan = Flightplan::keyframes(vec![0.0, 4.0], row(1.0).chain(row(-1.0)).collect());
        let motion = Motion::new(plan, 24, KeyLayout::VertexMajor).expect("a usable plan");
        let (mut queue, mut log, now) = (EventQueue::new(), EventLog::new(false), Moment::at(0.0));
        let mut positions = Vec::new();
        motion.positions(now, &mut positions);
        let topology = Topology::build(&mesh, &positions, BuildParams { leaf_size: 1, ..BuildParams::default() });
        let (mut events, mut changes) = (EventContext { queue: &mut queue, log: &mut log, now }, Vec::new());
        let mut context = TreeContext::new(&motion, END, &mut events, &mut changes);
        let tree = KineticAabbTree::new(topology, 3, &mut context);
        Self { motion, tree, queue }
    }

    fn faults(&self) -> Vec<String> {
        let (now, at) = (Moment::at(0.0), Moment::at(1e-3));
        let (motion, slack) = (&self.motion, self.motion.slack(at));
        let audit = TreeAudit { motion, slack, until: END, queue: &self.queue, now, at };
        let report = KineticTree::Aabb(self.tree.clone()).audit(&audit);
        assert!(report.checks > self.tree.topology.nodes().len());
        report.faults.into_iter().map(|fault| fault.0).collect()
    }

    /// A slot with an event.
    fn scheduled(&self) -> (u32, Extent, Ticket) {
        let all = self.tree.topology.upward().flat_map(|node| Extent::ALL.map(|extent| (node, extent)));
        let ticket = |(node, extent): (u32, Extent)| self.tree.tickets[node as usize][extent.index()];
        let (node, extent) = all.into_iter().find(|&slot| ticket(slot).is_some()).expect("events");
        (node, extent, ticket((node, extent)))
    }
}

fn assert_names(faults: &[String], part: &str) {
    assert!(faults.iter().any(|fault| fault.contains(part)), "{faults:?} do not name {part:?}");
}

#[test]
fn sound_trees_are_clean() {
    let rig = Rig::new();
    assert_eq!(rig.faults(), [""; 0]);
    assert!(!rig.queue.is_empty());
}

#[test]
fn wrong_winners_are_named() {
    // The root's least x is that of vertex 0; 21 is far from it, and wins another child.
    let mut rig = Rig::new();
    assert_eq!(rig.tree.winner(0, Extent::min(0)), 0);
    rig.tree.winners[0][Extent::min(0).index()] = 21;
    let faults = rig.faults();
    assert_names(&faults, "does not hold");
    assert_names(&faults, "is not the implied");
    assert_names(&faults, "winner 21 is not below it");
    // A box that is too large is no false negative, and is named too.
    let mut rig = Rig::new();
    let leaf = rig.tree.topology.leaves_of(0)[0];
    rig.tree.winners[leaf as usize][Extent::max(0).index()] = 21;
    let faults = rig.faults();
    assert!(!faults.iter().any(|fault| fault.contains("does not hold")), "{faults:?}");
    assert_names(&faults, "is not the implied");
}

#[test]
fn events_that_are_lost_moved_or_foreign_are_named() {
    let mut rig = Rig::new();
    let (node, extent, ticket) = rig.scheduled();
    rig.queue.erase(ticket);
    assert_names(&rig.faults(), &format!("node {node} {extent:?}: its ticket names no event"));
    rig.tree.tickets[node as usize][extent.index()] = Ticket::NONE;
    assert_names(&rig.faults(), "but nothing is scheduled");

    let mut rig = Rig::new();
    let (.., ticket) = rig.scheduled();
    let moment = rig.queue.get(ticket).moment;
    rig.queue.reschedule(ticket, Moment::at(moment.time() + 0.5));
    assert_names(&rig.faults(), "scheduled at");

    for (owner, slot) in [(3, 5_000), (4, 0)] {
        let mut rig = Rig::new();
        let (node, extent, ticket) = rig.scheduled();
        let moment = rig.queue.get(ticket).moment;
        let (owner, slot) = (owner, if owner == 4 { rig.queue.get(ticket).slot } else { slot });
        rig.tree.tickets[node as usize][extent.index()] =
            rig.queue.push(Event { moment, kind: EventKind::Tree, owner, slot });
        rig.queue.erase(ticket);
        assert_names(&rig.faults(), "its ticket names Event");
    }

    let mut rig = Rig::new();
    let scheduled = rig.queue.len();
    for kind in [EventKind::Leaf, EventKind::Tree, EventKind::Window] {
        rig.queue.push(Event { moment: Moment::at(9.0), kind, owner: 3, slot: 5_000 });
    }
    rig.queue.push(Event { moment: Moment::at(9.0), kind: EventKind::Leaf, owner: 2, slot: 0 });
    assert_names(&rig.faults(), &format!("{} events in the queue for {scheduled} scheduled", scheduled + 2));
}
