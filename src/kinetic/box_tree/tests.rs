//! Local tests of the kinetic BoxTree: a tree by itself, driven by its own queue.

use super::{KineticBoxTree, ROOT_PLANES};
use crate::bvh::{BuildParams, Builder, Hierarchy, Topology};
use crate::kinetic::event::{Event, EventKind, EventLog, EventQueue};
use crate::kinetic::{EventContext, KineticHierarchy, KineticTree, SlotChange, TreeAudit, TreeContext, TreeKind};
use crate::math::Extent;
use crate::math::vector::widened;
use crate::mesh::Mesh;
use crate::motion::{Flightplan, KeyLayout, Motion, VertexFlightplan};
use crate::time::Moment;

mod by_hand;

/// Numbers in 0..1 from a multiplicative generator: enough for test positions.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// A sheet of `side`² squares in the plane z = 0, two triangles each.
fn sheet(side: u32) -> (Vec<[f32; 3]>, Mesh) {
    let line = side + 1;
    let points = (0..line * line).map(|i| [(i % line) as f32, (i / line) as f32, 0.0]).collect();
    let corner = |x: u32, y: u32| x + line * y;
    let triangles = (0..side * side).flat_map(|i| {
        let (x, y) = (i % side, i / side);
        let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
        [[a, b, c], [a, c, d]]
    });
    (points, Mesh::new((line * line) as usize, triangles.collect()).expect("a valid mesh"))
}

/// A tree with everything it needs.
struct Rig {
    motion: Motion,
    queue: EventQueue,
    log: EventLog,
    tree: KineticBoxTree,
    changes: Vec<SlotChange>,
    now: Moment,
}

/// The first horizon of endless motion: where searches end, seconds.
const END: f64 = crate::tuning::FIRST_HORIZON;

impl Rig {
    fn new(mesh: &Mesh, plan: Flightplan, leaf_size: usize) -> Self {
        let motion = Motion::new(plan, mesh.vertex_count(), KeyLayout::VertexMajor).expect("a usable plan");
        let (mut queue, mut log, now) = (EventQueue::new(), EventLog::new(true), Moment::at(0.0));
        let mut positions = Vec::new();
        motion.positions(now, &mut positions);
        let params = BuildParams { leaf_size, ..BuildParams::default() };
        let topology = Topology::build(mesh, &positions, params);
        let mut clock = EventContext { queue: &mut queue, log: &mut log, now };
        let tree = KineticBoxTree::new(topology, 0, &mut TreeContext::new(&motion, END, &mut clock, &mut Vec::new()));
        Self { motion, queue, log, tree, changes: Vec::new(), now }
    }

    /// Processes everything up to a time; returns how many events that were.
    fn advance(&mut self, time: f64) -> usize {
        let mut events = 0;
        while let Some(event) = self.queue.pop_until(Moment::at(time)) {
            let mut clock = EventContext { queue: &mut self.queue, log: &mut self.log, now: event.moment };
            self.tree.process(event, &mut TreeContext::new(&self.motion, END, &mut clock, &mut self.changes));
            events += 1;
        }
        self.now = Moment::at(time);
        events
    }

    fn replan(&mut self, plans: &[(u32, VertexFlightplan)]) {
        self.motion.set_vertex_plans(plans, self.now).expect("usable plans");
        let vertices: Vec<u32> = plans.iter().map(|&(vertex, _)| vertex).collect();
        let mut clock = EventContext { queue: &mut self.queue, log: &mut self.log, now: self.now };
        self.tree.replan(&vertices, &mut TreeContext::new(&self.motion, END, &mut clock, &mut self.changes));
    }

    fn audit(&self) {
        let next = self.queue.peek().map_or(self.now.time() + 1.0, |event| event.moment.time());
        let at = Moment::at(self.now.time().midpoint(next).min(next));
        let (motion, slack) = (&self.motion, self.motion.slack(at));
        let audit = TreeAudit { motion, slack, until: END, queue: &self.queue, now: self.now, at };
        let report = KineticTree::Box(self.tree.clone()).audit(&audit);
        assert!(report.is_clean() && report.checks > 0, "at {at:?}: {report}");
    }

    /// The faults just after the present.
    fn faults(&self) -> Vec<String> {
        let at = Moment::at(self.now.time() + 1e-9);
        let (motion, slack) = (&self.motion, self.motion.slack(at));
        let audit = TreeAudit { motion, slack, until: END, queue: &self.queue, now: self.now, at };
        KineticTree::Box(self.tree.clone()).audit(&audit).faults.into_iter().map(|fault| fault.0).collect()
    }

    fn winners(&self) -> Vec<[u32; 6]> {
        (0..self.tree.topology.nodes().len() as u32).map(|node| self.tree.winners(node)).collect()
    }
}

/// A sheet that crumples: every vertex goes its own way from key to key.
fn crumpling(seed: u64, side: u32, keys: usize) -> (Mesh, Flightplan) {
    let (rest, mesh) = sheet(side);
    let mut dice = Dice(seed);
    let mut positions = rest.clone();
    for _ in 1..keys {
        positions.extend(rest.iter().map(|p| p.map(|x| x + 3.0 * dice.unit())));
    }
    (mesh, Flightplan::keyframes((0..keys).map(|key| key as f64).collect(), positions))
}

#[test]
fn a_sheet_is_divided_across_and_along() {
    let (points, mesh) = sheet(16);
    let rig = Rig::new(&mesh, Flightplan::fixed(points), 2);
    let mut axes = [0; 3];
    for node in 0..rig.tree.topology.nodes().len() as u32 {
        if let Some((axis, [lower, upper])) = rig.tree.division(node) {
            axes[axis] += 1;
            let view = rig.tree.kinetic_view(&rig.motion, 0.0, END, rig.now);
            let (below, above) = (view.node_box(lower, rig.now), view.node_box(upper, rig.now));
            assert!(below.max[axis] <= above.min[axis] + 1.0, "{below:?} and {above:?} overlap by more than a square");
        }
    }
    assert!(axes[0] > 50 && axes[1] > 50, "{axes:?}");
    assert_eq!(axes[2], 0);
    rig.audit();
}

#[test]
fn groups_are_fringes_and_the_root_has_gates() {
    let (points, mesh) = sheet(32);
    let rig = Rig::new(&mesh, Flightplan::fixed(points), 2);
    let count = |plane: u32| {
        let mut candidates = Vec::new();
        rig.tree.visit_candidates(plane, |vertex| candidates.push(vertex));
        candidates.sort_unstable();
        candidates.dedup();
        candidates.len()
    };
    // x and y: of the order of the side; z, along which nothing is divided: the gates of the root.
    for extent in [0, 1, 2, 3] {
        assert!(count(extent) < 8 * 33, "{} candidates", count(extent));
    }
    for extent in [4, 5] {
        assert!((16..=64).contains(&count(extent)), "{} candidates", count(extent));
    }
    assert!(rig.tree.gates.len() < 1024, "{} gates", rig.tree.gates.len());
    for gate in 0..rig.tree.gates.len() as u32 {
        assert!(count(ROOT_PLANES + gate) < 200);
        assert!(rig.tree.above(ROOT_PLANES + gate).is_some_and(|above| rig.tree.is_of_root(above)));
    }
    rig.audit();
}

#[test]
fn groups_of_one_extent_share_no_node_and_leave_none_out() {
    let (mesh, plan) = crumpling(5, 20, 2);
    let rig = Rig::new(&mesh, plan, 3);
    let nodes = rig.tree.topology.nodes().len();
    let mut seen = vec![[0; 6]; nodes];
    for plane in 0..rig.tree.planes.len() as u32 {
        let (_, extent) = rig.tree.bounded_by(plane);
        rig.tree.visit_group(
            plane,
            |node| {
                seen[node as usize][extent.index()] += 1;
                assert_eq!(rig.tree.source(node, extent), plane);
                assert_eq!(rig.tree.sources(node)[extent.index()], plane);
            },
            |below| assert_eq!(rig.tree.above(below), Some(plane)),
        );
    }
    assert!(nodes > 500 && !rig.tree.gates.is_empty() && seen.iter().flatten().all(|&times| times == 1));
}

#[test]
fn every_changed_slot_is_reported_and_no_other() {
    let (mesh, plan) = crumpling(1, 16, 6);
    let mut rig = Rig::new(&mesh, plan, 2);
    let (mut events, mut reported) = (0, 0);
    for step in 1..=50 {
        let before = rig.winners();
        rig.changes.clear();
        events += rig.advance(f64::from(step) / 10.0);
        let after = rig.winners();
        let told: std::collections::BTreeSet<(u32, Extent)> = rig.changes.iter().map(|c| (c.node, c.extent)).collect();
        reported += rig.changes.len();
        for (node, (old, new)) in (0u32..).zip(before.iter().zip(&after)) {
            for extent in Extent::ALL {
                let changed = old[extent.index()] != new[extent.index()];
                assert!(!changed || told.contains(&(node, extent)), "node {node} {extent:?} was not reported");
            }
        }
        rig.audit();
    }
    assert!(events > 300, "{events} events");
    let stats = rig.tree.stats();
    assert_eq!(stats.tree_events, events as u64);
    assert!(stats.root_events > 0 && stats.root_events < stats.tree_events);
    // Each update reports one group.
    assert!(reported as u64 >= stats.updates && rig.log.count() == stats.updates);
    assert!(rig.queue.len() <= rig.tree.planes.len());
}

#[test]
fn plans_change_one_by_one_and_many_at_once() {
    let (mesh, plan) = crumpling(2, 8, 6);
    let mut rig = Rig::new(&mesh, plan, 2);
    let mut dice = Dice(3);
    let mut pick = |most: usize| (dice.unit() * most as f32) as usize;
    for step in 1..40 {
        rig.advance(f64::from(step) / 8.0);
        let many = [1, 1, 7, 60][step as usize % 4];
        let mut plans: Vec<(u32, VertexFlightplan)> = (0..many)
            .map(|_| {
                let velocity = [0, 1, 2].map(|_| 0.125 * (pick(9) as f64 - 4.0));
                let from = (pick(3) == 0).then(|| [0, 1, 2].map(|_| pick(12) as f64));
                (pick(81) as u32, VertexFlightplan::Velocity { from, velocity })
            })
            .collect();
        plans.sort_by_key(|&(vertex, _)| vertex);
        plans.dedup_by_key(|&mut (vertex, _)| vertex);
        rig.replan(&plans);
        // What is due at this very moment happens first.
        rig.advance(rig.now.time());
        rig.audit();
    }
    assert!(rig.tree.stats().tree_events > 100 && rig.tree.stats().slots_replanned > 1000);
}

#[test]
fn the_change_of_one_inner_vertex_searches_little() {
    let (points, mesh) = sheet(64);
    let mut rig = Rig::new(&mesh, Flightplan::fixed(points), 8);
    let before = rig.tree.stats();
    // A vertex in the middle, pushed a little along the sheet: it wins nothing far above it.
    let vertex = 65 * 32 + 31;
    rig.replan(&[(vertex, VertexFlightplan::Velocity { from: None, velocity: [0.001, 0.0, 0.0] })]);
    rig.audit();
    let searched = rig.tree.stats().candidates_searched - before.candidates_searched;
    // Of the 4225 vertices, a few dozen per level at most.
    assert!(searched > 0 && searched < 1000, "{searched} candidates");
}

#[test]
fn bounds_are_those_of_the_winners() {
    let (mesh, plan) = crumpling(8, 6, 4);
    let mut rig = Rig::new(&mesh, plan, 2);
    rig.advance(1.3);
    let view = rig.tree.kinetic_view(&rig.motion, 0.25, END, rig.now);
    for node in 0..rig.tree.topology.nodes().len() as u32 {
        let (winners, bounds, held) =
            (rig.tree.winners(node), view.bounds(node, rig.now), view.node_box(node, rig.now));
        for extent in Extent::ALL {
            let (winner, axis) = (winners[extent.index()], extent.axis());
            assert_eq!(rig.tree.winner(node, extent), winner);
            assert_eq!(bounds[extent.index()], view.bound(node, extent, rig.now));
            assert_eq!(bounds[extent.index()], rig.motion.piece(winner, axis, rig.now));
            let side = if extent.is_max() { held.max[axis] - 0.25 } else { held.min[axis] + 0.25 };
            assert!((side - rig.motion.coordinate(winner, axis, rig.now)).abs() < 1e-12);
        }
    }
    // The traversal that carries boxes down finds what boxes found one by one do.
    let keep = |bounds: &crate::math::Aabb| bounds.min[0] < 3.0 && bounds.max[1] > 2.0;
    let (mut carried, mut single) = (Vec::new(), Vec::new());
    view.leaves_where(rig.now, keep, |leaf| carried.push(leaf));
    for leaf in (0..rig.tree.topology.nodes().len() as u32).filter(|&node| rig.tree.topology.node(node).is_leaf()) {
        if keep(&view.node_box(leaf, rig.now)) {
            single.push(leaf);
        }
    }
    carried.sort_unstable();
    assert!(!single.is_empty() && carried == single);
}

#[test]
fn a_tree_of_one_leaf_has_only_the_planes_of_its_root() {
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).expect("a valid mesh");
    let points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let velocities = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut rig = Rig::new(&mesh, Flightplan::velocities(0.0, points, velocities), 1);
    rig.audit();
    assert!(rig.advance(5.0) > 0);
    rig.audit();
    let mut clock = EventContext { queue: &mut rig.queue, log: &mut rig.log, now: rig.now };
    rig.tree.retire(&mut clock);
    assert_eq!(rig.queue.len(), 0);
}

#[test]
fn drift_is_one_when_fresh_and_grows_with_disorder() {
    let (points, mesh) = sheet(16);
    let wide = widened(&points);
    // Every vertex to the place of another: the shape of the tree has nothing to do with positions
    // any more.
    let mut dice = Dice(4);
    let mut shuffled: Vec<(u32, [f64; 3])> = wide.iter().map(|&p| ((dice.unit() * 1e6) as u32, p)).collect();
    shuffled.sort_by_key(|&(key, _)| key);
    let shuffled: Vec<[f64; 3]> = shuffled.into_iter().map(|(_, p)| p).collect();
    for kind in [TreeKind::Aabb, TreeKind::Box] {
        let motion =
            Motion::new(Flightplan::fixed(points.clone()), points.len(), KeyLayout::VertexMajor).expect("usable");
        let (mut queue, mut log) = (EventQueue::new(), EventLog::new(false));
        let mut clock = EventContext { queue: &mut queue, log: &mut log, now: Moment::at(0.0) };
        let params = BuildParams::default();
        let topology = Topology::build(&mesh, &wide, params);
        let tree =
            KineticTree::new(kind, topology, 0, &mut TreeContext::new(&motion, END, &mut clock, &mut Vec::new()));
        assert_eq!(tree.sah_ratio(0, &mesh, &wide), 1.0);
        let child = tree.topology().node(0).children()[0];
        assert!((tree.sah_ratio(child, &mesh, &wide) - 1.0).abs() < 1e-9);
        // A uniform scale changes nothing; disorder does.
        let scaled: Vec<[f64; 3]> = wide.iter().map(|p| p.map(|x| 8.0 * x)).collect();
        assert_eq!(tree.sah_ratio(0, &mesh, &scaled), 1.0);
        // Triangles of shuffled corners are large, whatever builds the tree over them.
        let sah_ratio = tree.sah_ratio(0, &mesh, &shuffled);
        assert!(sah_ratio > 1.02 && sah_ratio.is_finite(), "{kind:?}: {sah_ratio}");
        let point = vec![[1.0; 3]; wide.len()];
        assert_eq!(tree.sah_ratio(0, &mesh, &point), 1.0);
    }
}

/// A few far triangles make a small child of a large root, which is a gate of two rounds at once.
#[test]
fn planes_are_numbered_without_gaps_in_a_lopsided_tree() {
    let mut dice = Dice(9);
    let corner =
        |triangle: u32, dice: &mut Dice| [dice.unit() + if triangle < 2 { 1e4 } else { 0.0 }, dice.unit(), 0.0];
    let points: Vec<[f32; 3]> = (0..3 * 600).map(|vertex| corner(vertex / 3, &mut dice)).collect();
    let mesh =
        Mesh::new(points.len(), (0..600).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).expect("a valid mesh");
    let wide = widened(&points);
    let motion = Motion::new(Flightplan::fixed(points), wide.len(), KeyLayout::VertexMajor).expect("usable");
    let (mut queue, mut log) = (EventQueue::new(), EventLog::new(false));
    let mut clock = EventContext { queue: &mut queue, log: &mut log, now: Moment::at(0.0) };
    let params = BuildParams { builder: Builder::BinnedSurfaceArea, leaf_size: 1, ..BuildParams::default() };
    let tree = KineticBoxTree::new(
        Topology::build(&mesh, &wide, params),
        0,
        &mut TreeContext::new(&motion, END, &mut clock, &mut Vec::new()),
    );
    let inner = tree.topology.nodes().iter().filter(|node| !node.is_leaf()).count();
    assert!(tree.gates.len() > 50, "{} gates", tree.gates.len());
    assert_eq!(tree.planes.len(), 6 + tree.gates.len() + 2 * inner);
    let last = (0..tree.topology.nodes().len() as u32).rev().find(|&node| tree.division(node).is_some());
    let last = tree.splits[last.expect("an inner node") as usize].plane as usize;
    assert_eq!(last + 2, tree.planes.len());
}

#[test]
fn damage_is_found_by_the_audit() {
    let (mesh, plan) = crumpling(5, 4, 3);
    let rig = || {
        let mut rig = Rig::new(&mesh, plan.clone(), 2);
        rig.advance(0.3);
        rig
    };
    assert_eq!(rig().faults(), [""; 0]);
    let names = |rig: &Rig, part: &str| {
        let faults = rig.faults();
        assert!(faults.iter().any(|fault| fault.contains(part)), "{faults:?} do not name {part:?}");
    };
    let challenged = rig().tree.planes.iter().position(|plane| plane.ticket.is_some()).expect("events");
    let quiet = rig().tree.planes.iter().position(|plane| !plane.ticket.is_some()).expect("planes without events");

    let mut winner = rig();
    let candidates = &winner.tree.candidates_from_below()[challenged];
    let stranger = (0..25).find(|vertex| !candidates.contains(vertex)).expect("a stranger");
    winner.tree.planes[challenged].winner = stranger;
    names(&winner, &format!("winner {stranger} is not below it"));

    let mut challenger = rig();
    challenger.tree.planes[challenged].challenger = stranger;
    names(&challenger, &format!("challenger {stranger}"));
    let mut challenger = rig();
    challenger.tree.planes[quiet].challenger = 0;
    names(&challenger, "challenger 0");

    let mut lost = rig();
    let ticket = lost.tree.planes[challenged].ticket;
    lost.queue.erase(ticket);
    names(&lost, "its ticket names no event");
    let mut late = rig();
    late.queue.reschedule(ticket, Moment::at(7.0));
    names(&late, "scheduled at");
    let own = rig().queue.get(ticket);
    for other in [
        Event { kind: EventKind::Leaf, ..own },
        Event { owner: own.owner + 1, ..own },
        Event { slot: own.slot + 1, ..own },
    ] {
        let mut foreign = rig();
        foreign.queue.erase(ticket);
        foreign.tree.planes[challenged].ticket = foreign.queue.push(other);
        names(&foreign, "its ticket names Event");
    }
}

/// A vertex has a plan of its own, so that a challenger may be put off.
#[test]
fn late_events_are_found_by_the_audit_where_plans_differ() {
    let (mesh, plan) = crumpling(5, 4, 3);
    let mut rig = Rig::new(&mesh, plan, 2);
    rig.advance(0.3);
    rig.replan(&[(12, VertexFlightplan::Velocity { from: None, velocity: [0.125, 0.0, 0.0] })]);
    rig.advance(0.3);
    assert_eq!(rig.faults(), [""; 0]);
    let ticket = rig.tree.planes.iter().map(|plane| plane.ticket).find(|ticket| ticket.is_some()).expect("events");
    rig.queue.reschedule(ticket, Moment::at(7.0));
    let faults = rig.faults();
    assert!(faults.iter().any(|fault| fault.contains("scheduled at")), "{faults:?}");
}
