//! Local changes of a kinetic AABB tree.

use std::collections::BTreeSet;

use super::event_tests::{Dice, Stage};
use super::{Ground, TreeChange};
use crate::bvh::{BuildParams, Builder, Topology, Width};
use crate::kinetic::event::EventKind;
use crate::kinetic::{EventContext, KineticTree, TreeContext, TreeKind};
use crate::math::Extent;
use crate::math::vector::widened;
use crate::mesh::{Mesh, Primitives};
use crate::motion::Flightplan;
use crate::time::Moment;

/// Some triangles of a mesh.
struct Part<'a> {
    mesh: &'a Mesh,
    used: Vec<bool>,
}

impl Primitives for Part<'_> {
    fn primitive_count(&self) -> usize {
        self.used.len()
    }

    fn points_of(&self, index: usize) -> &[u32] {
        self.mesh.points_of(index)
    }

    fn is_used(&self, index: usize) -> bool {
        self.used[index]
    }
}

impl Stage {
    fn edit<P: Primitives>(
        &mut self,
        primitives: &P,
        tree_change: &mut TreeChange,
        edit: impl FnOnce(&mut super::KineticAabbTree, &mut Ground<'_, '_, P>),
    ) {
        let mut events = EventContext { queue: &mut self.queue, log: &mut self.log, now: self.now };
        let context = TreeContext::new(&self.motion, self.until, &mut events, &mut self.changes);
        edit(&mut self.tree, &mut Ground { primitives, context, tree_change });
    }
}

/// Triangles side by side, then some of which each is 32 times as far from the origin as the one
/// before: planes take these off one after the other, as far as the height allows.
fn far_and_near(near: i32, far: i32) -> (Mesh, Stage) {
    let corner = |v: i32| {
        let (triangle, corner) = (v / 3, (v % 3) as f32 / 64.0);
        if triangle < near {
            return [triangle as f32, triangle as f32, triangle as f32 + corner];
        }
        // Beyond the near ones, or from very small to very large.
        let begin = if near == 0 { -110 } else { 10 };
        let scale = f32::from_bits(((127 + begin + 5 * (triangle - near)) as u32) << 23);
        [scale, scale, scale * (1.0 + corner)]
    };
    let count = (near + far) as u32;
    let mesh = Mesh::new(3 * count as usize, (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect());
    let mesh = mesh.expect("a valid mesh");
    let params = BuildParams { builder: Builder::BinnedSurfaceArea, leaf_size: 1, ..BuildParams::default() };
    let stage = Stage::new(&mesh, Flightplan::fixed((0..3 * count as i32).map(corner).collect()), params);
    assert!(stage.tree.topology.audit(&mesh).is_clean());
    (mesh, stage)
}

/// The nodes on the way to the most primitives, from the root downward.
fn way_down(topology: &Topology) -> Vec<u32> {
    let next = |&node: &u32| {
        let children = topology.node(node).children().iter().copied();
        children.max_by_key(|&child| topology.node(child).count())
    };
    std::iter::successors(Some(0), next).collect()
}

#[test]
fn a_subtree_that_is_rebuilt_leaves_the_tree_low() {
    let (mesh, mut stage) = far_and_near(0, 30);
    let node = way_down(&stage.tree.topology)[10];
    assert_eq!(stage.tree.topology.node(node).count(), 20);
    stage.edit(&mesh, &mut TreeChange::default(), |tree, ground| tree.rebuild(node, ground));
    let stats = stage.tree.stats();
    assert!(stats.subtrees_rebuilt == 1 && stats.subtrees_balanced > 0, "{stats:?}");
    // The height is at most 2 log₂ n + 10.
    let shape = stage.tree.topology.audit(&mesh);
    assert!(shape.is_clean() && stage.tree.topology.depth() <= 18, "{shape}");
    assert_eq!(stage.faults(), [""; 0]);
}

#[test]
fn a_tree_that_loses_its_primitives_gets_lower() {
    let (mesh, mut stage) = far_and_near(114, 14);
    // Of each node beside the way down, and of its end, one primitive remains.
    let (topology, mut kept) = (&stage.tree.topology, BTreeSet::new());
    let way = way_down(topology);
    assert!(way.len() > 20, "{} levels", way.len());
    for child in way.iter().flat_map(|&node| topology.node(node).children()) {
        if !way.contains(child) || topology.node(*child).is_leaf() {
            kept.insert(topology.primitives_below(*child)[0]);
        }
    }
    assert!(kept.len() < 32, "{} are kept", kept.len());
    let mut primitives = Part { mesh: &mesh, used: vec![true; 128] };
    for primitive in (0..128).filter(|primitive| !kept.contains(primitive)) {
        stage.edit(&primitives, &mut TreeChange::default(), |tree, ground| tree.remove(primitive, ground));
        primitives.used[primitive as usize] = false;
        let shape = stage.tree.topology.audit(&primitives);
        assert!(shape.is_clean(), "{primitive}: {shape}");
    }
    assert!(stage.tree.stats().subtrees_balanced > 0 && stage.tree.topology.depth() <= 18);
    assert_eq!(stage.faults(), [""; 0]);
}

#[test]
fn a_new_tree_of_any_width_has_not_drifted() {
    for width in [Width::Two, Width::Four] {
        let mut dice = Dice(3);
        let mesh = dice.mesh(60);
        let params = BuildParams { leaf_size: 1, width, ..BuildParams::default() };
        let places = dice.places(60, 50);
        let positions = widened(&places);
        let mut stage = Stage::new(&mesh, Flightplan::fixed(places), params);
        // A BoxTree has a width of two, whatever is asked for.
        let binary = Topology::build(&mesh, &positions, BuildParams { width: Width::Two, ..params });
        let divided = stage.with(|_, context| KineticTree::new(TreeKind::Box, binary, 6, context));
        assert_eq!(divided.sah_ratio(0, &mesh, &positions), 1.0, "{width:?}");
        let tree = KineticTree::Aabb(stage.tree);
        assert_eq!(tree.sah_ratio(0, &mesh, &positions), 1.0, "{width:?}");
        // Positions of other vertices: boxes of siblings overlap.
        let shuffled: Vec<[f64; 3]> = (0..60).map(|vertex| positions[vertex * 7 % 60]).collect();
        let drifted = tree.sah_ratio(0, &mesh, &shuffled);
        assert!(drifted > 1.05, "{width:?}: {drifted}");
    }
}

/// What a node is: its children and its primitives; nothing if its number is not in use.
fn content(topology: &Topology, node: u32) -> (Vec<u32>, Vec<u32>) {
    (topology.node(node).children().to_vec(), topology.primitives(node).to_vec())
}

/// Checks events and reported slots of an edit against the winners before it.
fn check_log(stage: &Stage, before: &[[u32; 6]], logged: usize, tree_change: &TreeChange) {
    let (after, logged) = (stage.winners(), &stage.log.events().expect("kept")[logged..]);
    let used = (0..after.len() as u32).filter(|&node| stage.tree.topology.node(node).is_used());
    for (node, extent) in used.flat_map(|node| Extent::ALL.map(|extent| (node, extent))) {
        let slot = 6 * node + extent.index() as u32;
        let winner = after[node as usize][extent.index()];
        let last = logged.iter().rfind(|event| event.first == slot).map(|event| event.second);
        let is_reported = stage.changes.iter().any(|change| (change.node, change.extent) == (node, extent));
        assert_eq!(last.is_some(), is_reported, "node {node}, {extent:?}");
        assert!(last.is_none_or(|last| last == winner), "node {node}, {extent:?}: {last:?} for {winner}");
        // Nodes that are others than before may have had the same winner.
        if !tree_change.touched.contains(&node) {
            let is_another = before[node as usize][extent.index()] != winner;
            assert_eq!(last.is_some(), is_another, "node {node}, {extent:?}: {logged:?}");
        }
    }
    for event in stage.scheduled() {
        let is_leaf = stage.tree.topology.node(event.slot / 6).is_leaf();
        assert_eq!(event.kind, if is_leaf { EventKind::Leaf } else { EventKind::Tree }, "{event:?}");
    }
}

#[test]
fn changes_of_a_tree_name_what_was_there_before_and_all_that_differs() {
    for seed in 0..6 {
        let mut dice = Dice(seed);
        let mesh = dice.mesh(60);
        let width = if seed.is_multiple_of(2) { Width::Two } else { Width::Four };
        let params = BuildParams { leaf_size: 1 + seed as usize % 2, width, ..BuildParams::default() };
        let plan = Flightplan::keyframes(vec![0.0, 8.0], dice.places(120, 30));
        let mut primitives = Part { mesh: &mesh, used: (0..60).map(|t| t % 4 == 0).collect() };
        let mut stage = Stage::over(&primitives, 60, plan, params);
        let mut created = 0;
        for round in 0..8 {
            let before = stage.tree.topology.clone();
            let mut tree_change = TreeChange::default();
            for _ in 0..5 {
                let primitive = dice.below(60);
                let (winners, logged) = (stage.winners(), stage.log.events().expect("kept").len());
                stage.changes.clear();
                if !primitives.used[primitive as usize] {
                    primitives.used[primitive as usize] = true;
                    stage.edit(&primitives, &mut tree_change, |tree, ground| tree.insert(primitive, ground));
                } else if stage.tree.topology.node(0).count() > 5 {
                    stage.edit(&primitives, &mut tree_change, |tree, ground| tree.remove(primitive, ground));
                    primitives.used[primitive as usize] = false;
                }
                check_log(&stage, &winners, logged, &tree_change);
            }
            let name = format!("seed {seed}, round {round}");
            let after = &stage.tree.topology;
            assert!(after.audit(&primitives).is_clean(), "{name}: {}", after.audit(&primitives));
            assert_eq!(stage.faults(), [""; 0], "{name}");
            let is_there = |&node: &u32| before.node(node).is_used() && after.node(node).is_used();
            assert!(tree_change.altered.iter().all(is_there), "{name}: {tree_change:?}");
            let numbers = 0..after.nodes().len() as u32;
            let differs = |&node: &u32| content(&before, node) != content(after, node);
            let differing: BTreeSet<u32> = numbers.filter(differs).collect();
            assert!(tree_change.touched.is_superset(&differing), "{name}: {differing:?}, {tree_change:?}");
            for &node in differing.iter().filter(|&&node| after.node(node).is_used()) {
                let above = std::iter::successors(Some(node), |&node| after.node(node).parent());
                assert!(above.into_iter().any(|node| tree_change.altered.contains(&node)), "{name}: node {node}");
            }
            created += differing.iter().filter(|&&node| !before.node(node).is_used()).count();
            let time = stage.now.time() + 0.75;
            stage.advance(Moment::at(time));
        }
        assert!(created > 8, "seed {seed}: {created} nodes were created");
    }
}
