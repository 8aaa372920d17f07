//! Events, replans, longer motion and questions of a kinetic AABB tree, against what is found by a
//! new tree.

use super::KineticAabbTree;
use crate::bvh::{BuildParams, Hierarchy, Topology};
use crate::kinetic::event::{Event, EventKind, EventLog, EventQueue};
use crate::kinetic::{EventContext, KineticHierarchy, KineticTree, SlotChange, TreeAudit, TreeContext};
use crate::math::{Aabb, Extent};
use crate::mesh::{Mesh, Primitives};
use crate::motion::{BoxTracks, Flightplan, KeyLayout, KeyTrack, Motion, VertexFlightplan};
use crate::time::{Moment, NEVER};

/// Numbers from a multiplicative generator: enough for test positions.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, count: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as u32 % count
    }

    /// Positions at integers from 0 on: many vertices are level.
    pub(super) fn places(&mut self, count: usize, most: u32) -> Vec<[f32; 3]> {
        (0..count).map(|_| [0; 3].map(|_: u32| self.below(most + 1) as f32)).collect()
    }

    /// Triangles over some vertices, each vertex in one at least.
    pub(super) fn mesh(&mut self, vertices: u32) -> Mesh {
        let mut triangle = |first: u32| [first, (first + 1 + self.below(3)) % vertices, (first + 4) % vertices];
        Mesh::new(vertices as usize, (0..vertices).map(&mut triangle).collect()).expect("a valid mesh")
    }
}

/// A tree over any motion, with its queue and its log.
#[derive(Clone)]
pub(super) struct Stage {
    pub(super) motion: Motion,
    pub(super) tree: KineticAabbTree,
    pub(super) queue: EventQueue,
    pub(super) log: EventLog,
    pub(super) changes: Vec<SlotChange>,
    pub(super) now: Moment,
    pub(super) until: f64,
}

impl Stage {
    pub(super) fn new(mesh: &Mesh, plan: Flightplan, params: BuildParams) -> Self {
        Self::over(mesh, mesh.vertex_count(), plan, params)
    }

    pub(super) fn over(primitives: &impl Primitives, vertices: usize, plan: Flightplan, params: BuildParams) -> Self {
        let motion = Motion::new(plan, vertices, KeyLayout::VertexMajor).expect("a usable plan");
        let now = Moment::at(0.0);
        let mut positions = Vec::new();
        motion.positions(now, &mut positions);
        let tree = KineticAabbTree::idle(Topology::build(primitives, &positions, params), 5);
        let (queue, log, until) = (EventQueue::new(), EventLog::new(true), motion.epoch_end(now).time());
        let mut stage = Self { motion, tree, queue, log, changes: Vec::new(), now, until };
        stage.with(KineticAabbTree::certify_all);
        stage
    }

    pub(super) fn with<T>(&mut self, call: impl FnOnce(&mut KineticAabbTree, &mut TreeContext<'_, '_>) -> T) -> T {
        let mut events = EventContext { queue: &mut self.queue, log: &mut self.log, now: self.now };
        call(&mut self.tree, &mut TreeContext::new(&self.motion, self.until, &mut events, &mut self.changes))
    }

    /// Processes everything up to a moment.
    pub(super) fn advance(&mut self, to: Moment) {
        while let Some(event) = self.queue.pop_until(to) {
            self.now = event.moment;
            self.with(|tree, context| tree.process(event, context));
        }
        self.now = self.now.max(to);
    }

    pub(super) fn winners(&self) -> Vec<[u32; 6]> {
        (0..self.tree.topology.nodes().len() as u32)
            .map(|node| Extent::ALL.map(|extent| self.tree.winner(node, extent)))
            .collect()
    }

    /// Everything in the queue, in order.
    pub(super) fn scheduled(&self) -> Vec<Event> {
        let mut events: Vec<Event> = self.queue.iter().map(|(_, event)| event).collect();
        events.sort_unstable();
        events
    }

    /// The faults between now and the next event.
    pub(super) fn faults(&self) -> Vec<String> {
        let next = self.queue.peek().map_or(NEVER, |event| event.moment.time()).min(self.now.time() + 1.0);
        let at = Moment::after(self.now.time().midpoint(next));
        let (motion, slack, until) = (&self.motion, self.motion.slack(self.now), self.until);
        let audit = TreeAudit { motion, slack, until, queue: &self.queue, now: self.now, at };
        let report = KineticTree::Aabb(self.tree.clone()).audit(&audit);
        report.faults.into_iter().map(|fault| fault.0).collect()
    }
}

/// Three vertices in one leaf: the first has the largest x, the second is behind it by 1 m, ahead
/// by 2⁻⁶⁰ m at 1 s, which is the time of the crossing when rounded, and goes on as stated.
fn rounded_crossing(rest: &[[f32; 2]]) -> (Mesh, Flightplan) {
    let known = [[1.0, 0.0], [0.0, f32::from_bits((127 - 60) << 23)]];
    let keys = known.iter().chain(rest).flat_map(|&[first, second]| [[first, 0.0, 0.0], [second; 3], [-5.0; 3]]);
    let times = (0..2 + rest.len()).map(|key| key as f64).collect();
    (Mesh::new(3, vec![[0, 1, 2]]).expect("a valid mesh"), Flightplan::keyframes(times, keys.collect()))
}

#[test]
fn a_challenger_that_falls_behind_at_once_changes_nothing() {
    let (mesh, plan) = rounded_crossing(&[[1.0, 0.0]]);
    let mut stage = Stage::new(&mesh, plan, BuildParams::default());
    let largest = Event { moment: Moment::at(1.0), kind: EventKind::Leaf, owner: 5, slot: 1 };
    assert!(stage.scheduled().contains(&largest), "{:?}", stage.scheduled());
    stage.changes.clear();
    stage.advance(Moment::at(1.0));
    let of_slot = |change: &&SlotChange| change.extent == Extent::max(0);
    assert_eq!(stage.changes.iter().find(of_slot), None);
    assert!(stage.log.events().expect("kept").iter().all(|event| event.first != 1));
    assert_eq!((stage.tree.winner(0, Extent::max(0)), stage.faults()), (0, vec![]));
    let stats = stage.tree.stats();
    assert_eq!((stats.updates, stats.tree_events), (stage.log.count(), 0));
    assert!(stats.leaf_events > stats.updates);
}

#[test]
fn motion_that_goes_on_has_the_events_of_motion_that_was_known() {
    // The event at the last key that was known is searched where it was found, not after it.
    let (mesh, plan) = rounded_crossing(&[]);
    let mut stage = Stage::new(&mesh, plan, BuildParams::default());
    let next = [[-1.0, 0.0, 0.0], [1.0; 3], [-5.0; 3]];
    let since = stage.motion.append_key(2.0, &next, 0.0).expect("a usable key");
    stage.with(|tree, context| tree.extend(0..1, since, context));
    let (mesh, whole) = rounded_crossing(&[[-1.0, 1.0]]);
    assert_eq!(stage.scheduled(), Stage::new(&mesh, whole, BuildParams::default()).scheduled());

    // A challenger with a plan of its own is level at the last key that was known. There it would
    // overtake what rests from then on; what goes on leaves it behind.
    let (first, second) = ([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [5.0, 0.0, 0.0]);
    let staged = |keys: &[[f32; 3]]| {
        let times = (0..keys.len()).map(|key| key as f64).collect();
        let keys = keys.iter().flat_map(|&key| [key, [0.0; 3], [-5.0; 3]]).collect();
        let mut stage = Stage::new(&mesh, Flightplan::keyframes(times, keys), BuildParams::default());
        let own = VertexFlightplan::Velocity { from: Some([0.0; 3]), velocity: [1.0, 0.0, 0.0] };
        stage.motion.set_vertex_plans(&[(1, own)], stage.now).expect("a usable plan");
        stage.until = stage.motion.epoch_end(stage.now).time();
        stage.with(|tree, context| tree.replan(&[1], context));
        stage
    };
    let (mut stage, whole) = (staged(&first), staged(&[first[0], first[1], second]));
    let overtaken = |stage: &Stage| stage.scheduled().iter().find(|event| event.slot == 1).map(|event| event.moment);
    assert_eq!(overtaken(&stage), Some(Moment::at(1.0)));
    let since = stage.motion.append_key(2.0, &[second, [0.0; 3], [-5.0; 3]], 0.0).expect("a usable key");
    stage.with(|tree, context| tree.extend(0..1, since, context));
    assert_eq!((overtaken(&stage), stage.faults()), (Some(Moment::at(5.0)), vec![]));
    assert_eq!(stage.scheduled(), whole.scheduled());

    for seed in 0..8 {
        let mut dice = Dice(seed);
        let mesh = dice.mesh(14);
        let params = BuildParams { leaf_size: 2, ..BuildParams::default() };
        let (times, keys) = (vec![0.0, 1.0, 2.0], dice.places(3 * 14, 3));
        let mut stage = Stage::new(&mesh, Flightplan::keyframes(times.clone(), keys.clone()), params);
        let more = dice.places(14, 3);
        let since = stage.motion.append_key(3.0, &more, 0.0).expect("a usable key");
        assert_eq!(since, 2.0);
        // Events in between, and parts in any order.
        let mut whole =
            Stage::new(&mesh, Flightplan::keyframes([times, vec![3.0]].concat(), [keys, more].concat()), params);
        let middle = stage.tree.topology.nodes().len() as u32 / 2;
        stage.with(|tree, context| tree.extend(middle..9999, since, context));
        stage.advance(Moment::at(0.75));
        stage.with(|tree, context| tree.extend(0..middle, since, context));
        whole.advance(Moment::at(0.75));
        assert_eq!(stage.faults(), [""; 0]);
        for time in [0.75, 2.0, 9.0] {
            stage.advance(Moment::at(time));
            whole.advance(Moment::at(time));
            assert_eq!(stage.scheduled(), whole.scheduled(), "{seed}, {time} s");
            assert_eq!(stage.log.events(), whole.log.events(), "{seed}, {time} s");
        }
        assert!(whole.log.count() > 0);
    }
}

#[test]
fn a_replan_logs_and_reports_each_slot_with_another_winner() {
    let mut dice = Dice(4);
    // Triangles without common vertices, so that each slot is passed once.
    let mesh = Mesh::new(36, (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).expect("a valid mesh");
    let params = BuildParams { leaf_size: 1, ..BuildParams::default() };
    let mut stage = Stage::new(&mesh, Flightplan::fixed(dice.places(36, 9)), params);
    let mut changed = 0;
    for vertex in [0, 17, 31, 17] {
        let before = (stage.winners(), stage.log.events().expect("kept").len());
        let position = [0; 3].map(|_: u32| f64::from(dice.below(24)) - 7.0);
        let plan = (vertex, VertexFlightplan::Fixed { position });
        stage.motion.set_vertex_plans(&[plan], stage.now).expect("a usable plan");
        stage.changes.clear();
        stage.with(|tree, context| tree.replan(&[vertex], context));
        let after = stage.winners();
        let slots = before.0.as_flattened().iter().zip(after.as_flattened()).enumerate();
        let mut truth: Vec<[u32; 2]> =
            slots.filter(|(_, (old, new))| old != new).map(|(slot, (_, &new))| [slot as u32, new]).collect();
        let logged = &stage.log.events().expect("kept")[before.1..];
        assert!(logged.iter().all(|event| (event.moment, event.owner) == (stage.now, 5)));
        let mut logged: Vec<[u32; 2]> = logged.iter().map(|event| [event.first, event.second]).collect();
        logged.sort_unstable();
        truth.sort_unstable();
        assert_eq!(logged, truth);
        let reported = |slot: u32| stage.changes.iter().any(|c| 6 * c.node + c.extent.index() as u32 == slot);
        assert!(truth.iter().all(|&[slot, _]| reported(slot)));
        assert_eq!(stage.faults(), [""; 0]);
        changed += truth.len();
    }
    assert!(changed > 8, "{changed} slots");
}

#[test]
fn a_vertex_takes_part_in_no_more_slots_than_stated() {
    // One leaf; two leaves below a root with a vertex in both; six triangles around one vertex.
    let fan = |count: u32| {
        let triangles = (0..count).map(|t| [0, t + 1, t + 2]).collect();
        let places = (0..count + 2).map(|v| [v as f32, (v % 2) as f32, 0.0]).collect();
        (Mesh::new(count as usize + 2, triangles).expect("a valid mesh"), Flightplan::fixed(places))
    };
    for (count, stated) in [(1, 6), (2, 6 * 2 * 2), (6, 6 * 6 * 4)] {
        let (mesh, plan) = fan(count);
        let tree = Stage::new(&mesh, plan, BuildParams { leaf_size: 1, ..BuildParams::default() }).tree;
        let mut ways = std::collections::BTreeSet::new();
        for &leaf in tree.topology.leaves_of(0) {
            let mut next = Some(leaf);
            while let Some(node) = next {
                ways.insert(node);
                next = tree.topology.node(node).parent();
            }
        }
        assert_eq!(tree.most_slots_per_vertex(), stated);
        assert!(6 * ways.len() <= stated);
        // Of each node a winner and a ticket per extent.
        let (bytes, nodes) = (tree.bytes(), tree.topology.nodes().len());
        assert!(bytes >= tree.topology.bytes() + nodes * 6 * 2 * size_of::<u32>(), "{bytes} bytes");
        let tree = KineticTree::Aabb(tree);
        assert_eq!((tree.most_slots_per_vertex(), tree.bytes()), (stated, bytes));
    }
}

#[test]
fn bounds_at_any_moment_are_those_of_the_winners() {
    let mut dice = Dice(11);
    let mesh = dice.mesh(14);
    let plan = Flightplan::keyframes(vec![0.0, 1.0, 2.0, 5.0], dice.places(4 * 14, 50));
    let mut stage = Stage::new(&mesh, plan, BuildParams { leaf_size: 2, ..BuildParams::default() });
    stage.advance(Moment::at(1.25));
    let (motion, tree) = (&stage.motion, &stage.tree);
    let view = tree.kinetic_view(motion, 0.25, 64.0, stage.now);
    assert_eq!((view.slack(), view.epoch_end()), (0.25, 64.0));
    for node in tree.topology.upward() {
        let winner = |extent: Extent| tree.winner(node, extent);
        for at in [stage.now, Moment::after(1.25), Moment::at(0.5), Moment::after(2.0), Moment::at(7.0)] {
            let side = |extent: Extent| motion.coordinate(winner(extent), extent.axis(), at);
            assert_eq!(view.node_box(node, at), Aabb::of_sides(side).inflated(0.25), "node {node} at {at:?}");
            let pieces = Extent::ALL.map(|extent| motion.piece(winner(extent), extent.axis(), at));
            assert_eq!(view.bounds(node, at), pieces, "node {node} at {at:?}");
            assert_eq!(Extent::ALL.map(|extent| view.bound(node, extent, at)), pieces, "node {node} at {at:?}");
        }
        let Some(BoxTracks::Keys { rows, .. }) = view.bound_rows(node) else { panic!("a plan of keys has rows") };
        for extent in Extent::ALL {
            let Some(KeyTrack::Keys { row, .. }) = view.bound_row(node, extent) else { panic!("a row") };
            let keys = motion
                .key_times()
                .iter()
                .map(|&time| motion.coordinate(winner(extent), extent.axis(), Moment::at(time)) as f32);
            assert!(keys.eq(row.iter().copied()) && rows[extent.index()] == row, "node {node}, {extent:?}");
        }
    }
}
