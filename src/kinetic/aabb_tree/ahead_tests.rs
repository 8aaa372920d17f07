//! Epochs that were prepared ahead are those that are searched where they begin.

use super::SlotsAhead;
use super::event_tests::{Dice, Stage};
use crate::bvh::{BuildParams, Hierarchy, Width};
use crate::kinetic::{KineticHierarchy, KineticTree};
use crate::math::Extent;
use crate::motion::{Flightplan, Outside};
use crate::time::Moment;

/// A soup in a loop of 4 s; vertices are at few places, so that many are level where it begins.
fn looping(seed: u64) -> Stage {
    let mut dice = Dice(seed);
    let mesh = dice.mesh(12);
    let plan = Flightplan::keyframes(vec![0.0, 1.0, 2.0, 4.0], dice.places(4 * 12, 2)).outside(Outside::Loop);
    let width = if seed.is_multiple_of(2) { Width::Two } else { Width::Four };
    Stage::new(&mesh, plan, BuildParams { leaf_size: 1 + seed as usize % 3, width, ..BuildParams::default() })
}

/// Enters the next epoch, which begins now, with what was found and without it, and compares;
/// returns how many slots were reported.
fn enter(stage: &mut Stage, ahead: &SlotsAhead, name: &str) -> usize {
    stage.until = stage.motion.epoch_end(stage.now).time();
    stage.changes.clear();
    let mut anew = stage.clone();
    anew.with(|tree, context| {
        let mut whole = KineticTree::Aabb(tree.clone());
        whole.certify_all(context);
        let KineticTree::Aabb(certified) = whole else { panic!("another tree") };
        *tree = certified;
    });
    stage.with(|tree, context| tree.certify_all_as_found(ahead, context));
    assert_eq!(stage.winners(), anew.winners(), "{name}");
    assert_eq!(stage.scheduled(), anew.scheduled(), "{name}");
    assert_eq!(stage.log.events(), anew.log.events(), "{name}");
    assert_eq!(stage.tree.stats, anew.tree.stats, "{name}");
    assert_eq!(stage.faults(), [""; 0], "{name}");
    assert_eq!(anew.changes.len(), 6 * anew.tree.topology.node_count(), "{name}");
    stage.changes.len()
}

#[test]
fn what_was_found_ahead_is_what_is_searched_where_the_epoch_begins() {
    let (mut as_found, mut searched) = (0, 0);
    for seed in 0..16 {
        let mut stage = looping(seed);
        // One for all epochs, as a body has.
        let mut ahead = SlotsAhead::default();
        for epoch in 0..6 {
            let name = format!("seed {seed}, epoch {epoch}");
            let (begin, at) = (stage.now.time(), stage.motion.epoch_end(stage.now));
            let (until, nodes) = (stage.motion.epoch_end(at).time(), stage.tree.topology.node_count());
            // Winners change while nodes are passed; in some epochs all are passed late, in others
            // not all are passed.
            let shares = [[1, 1, 1], [0, 0, 3], [1, 0, 1]][epoch % 3];
            for (part, share) in shares.into_iter().enumerate() {
                stage.advance(Moment::at(begin + [0.0, 1.5, 3.75][part]));
                if part == 0 {
                    stage.tree.begin_ahead(&mut ahead, at, until);
                    assert_eq!((ahead.left(), ahead.is_complete(at)), (nodes, false), "{name}");
                    // Of each node six winners, and its place in the order.
                    assert!(ahead.bytes() >= nodes * 28, "{name}");
                    assert!(ahead.is_begun(at) && !ahead.is_begun(Moment::at(at.time())), "{name}");
                }
                stage.tree.prepare_ahead(&mut ahead, share * nodes.div_ceil(3), &stage.motion);
            }
            let is_complete = ahead.left() == 0;
            assert_eq!(is_complete, epoch % 3 != 2 || nodes <= 2 * nodes.div_ceil(3), "{name}");
            assert_eq!(ahead.is_complete(at), is_complete, "{name}");
            assert!(!ahead.is_complete(Moment::at(at.time())), "{name}");
            stage.advance(at);
            let reported = enter(&mut stage, &ahead, &name);
            assert_eq!(reported, if is_complete { 0 } else { 6 * nodes }, "{name}");
            let tree = &stage.tree;
            let agrees = |node: u32| Extent::ALL.iter().all(|&it| ahead.agrees(node, it, tree.winner(node, it)));
            let is_as_found = tree.topology.upward().all(agrees);
            as_found += usize::from(is_complete && is_as_found);
            searched += usize::from(is_complete && !is_as_found);
            check_view(&stage, &ahead, at, is_complete.then_some(is_as_found), &name);
        }
    }
    // Enough of both: entered as found, and searched because another vertex had come to win a slot
    // that is level then.
    assert!(as_found > 8 && searched > 8, "{as_found} as found, {searched} searched");
}

/// Compares the view of what was found with the tree; `is_entered` is none where not all was found.
fn check_view(stage: &Stage, ahead: &SlotsAhead, at: Moment, is_entered: Option<bool>, name: &str) {
    let (motion, tree) = (&stage.motion, &stage.tree);
    let view = tree.view_ahead(ahead, motion, 0.5, at);
    assert_eq!(view.is_some(), is_entered.is_some(), "{name}");
    let Some(view) = view else { return };
    assert_eq!((view.slack(), view.epoch_end()), (0.5, stage.until), "{name}");
    for node in tree.topology.upward() {
        // Of level vertices either may have been found, so boxes are the same.
        let kinetic = tree.kinetic_view(motion, 0.5, stage.until, at);
        assert_eq!(view.node_box(node, at), kinetic.node_box(node, at), "{name}, node {node}");
        for extent in Extent::ALL {
            let winner = tree.winner(node, extent);
            let is_same = view.bound(node, extent, at) == kinetic.bound(node, extent, at);
            assert!(!ahead.agrees(node, extent, winner) || is_same, "{name}, node {node}, {extent:?}");
            assert!(is_entered != Some(true) || ahead.agrees(node, extent, winner), "{name}, node {node}, {extent:?}");
            assert!(!ahead.agrees(node, extent, winner + 100), "{name}, node {node}, {extent:?}");
        }
    }
}

#[test]
fn what_was_found_of_another_epoch_is_not_taken() {
    let all = usize::MAX;
    let mut failures = 0;
    for seed in 0..8 {
        let start = looping(seed);
        let at = start.motion.epoch_end(start.now);
        let until = start.motion.epoch_end(at).time();
        let nodes = start.tree.topology.node_count();
        // Begun for a shorter epoch, for another moment, forgotten, or never begun.
        for case in 0..4 {
            let mut stage = start.clone();
            stage.advance(at);
            let mut ahead = SlotsAhead::default();
            match case {
                0 => stage.tree.begin_ahead(&mut ahead, at, until - 3.0),
                1 => stage.tree.begin_ahead(&mut ahead, Moment::after(at.time() + 1.5), until),
                2 => stage.tree.begin_ahead(&mut ahead, at, until),
                _ => {}
            }
            stage.tree.prepare_ahead(&mut ahead, all, &stage.motion);
            if case == 2 {
                ahead.forget();
                assert!(ahead.agrees(0, Extent::min(0), 99) && !ahead.is_begun(at) && !ahead.is_complete(at));
            }
            let name = format!("seed {seed}, case {case}");
            assert_eq!(enter(&mut stage, &ahead, &name), 6 * nodes, "{name}");
            failures += stage.queue.len();
        }
    }
    assert!(failures > 100, "{failures} certificates fail");
}

#[test]
fn events_that_are_left_go_where_an_epoch_is_entered_as_found() {
    let mut left = 0;
    for seed in 0..4 {
        let mut stage = looping(seed);
        let at = stage.motion.epoch_end(stage.now);
        let (mut ahead, until) = (SlotsAhead::default(), stage.motion.epoch_end(at).time());
        stage.tree.begin_ahead(&mut ahead, at, until);
        stage.tree.prepare_ahead(&mut ahead, usize::MAX, &stage.motion);
        // Nothing is processed, so winners are those that were assumed.
        (stage.now, left) = (at, left + stage.queue.len());
        assert_eq!(enter(&mut stage, &ahead, &format!("seed {seed}")), 0);
    }
    assert!(left > 20, "{left} events");
}
