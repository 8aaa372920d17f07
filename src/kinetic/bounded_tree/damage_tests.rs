//! The audit of the tree of a reduced body finds what is damaged in it; what it holds is counted.

use std::sync::{Arc, OnceLock};

use super::tests::{Poses, tree, tree_with};
use super::{KineticBoundedTree, Row, Sides};
use crate::bvh::Hierarchy;
use crate::kinetic::event::EventQueue;
use crate::kinetic::{KineticHierarchy, KineticTree, TreeAudit};
use crate::math::Extent;
use crate::motion::Outside;
use crate::time::{Moment, Side};

/// The faults of an audit at a moment of the first epoch.
fn faults(poses: &Arc<Poses>, tree: &KineticBoundedTree, at: Moment) -> Vec<String> {
    let motion = poses.motion();
    let report = KineticTree::Bounded(tree.clone()).audit(&TreeAudit {
        motion: &motion,
        slack: motion.slack(at),
        until: 8.0,
        queue: &EventQueue::new(),
        now: at,
        at,
    });
    // Each node at the moment, at both keys, and against what is kept.
    assert!(report.checks >= 4 * tree.topology().node_count(), "{} checks", report.checks);
    report.faults.into_iter().map(|fault| fault.0).collect()
}

#[test]
fn damaged_bounds_are_named() {
    let poses = Poses::new(40, None, Outside::Hold);
    let times = [Moment::at(0.25), Moment::after(3.0), Moment::at(7.75)];
    for at in times {
        let sound = tree(&poses);
        assert_eq!(faults(&poses, &sound, at), [""; 0]);
        let all_named = |faults: &[String], part: &str| !faults.is_empty() && faults.iter().all(|f| f.contains(part));
        // Boxes at the next key that are too small along one side are named just after this key.
        let (key, first) = ((at.time() / 0.5) as usize, Moment::after((at.time() / 0.5).floor() * 0.5));
        for extent in Extent::ALL {
            let small = tree_with(&poses, move |mut bounds, place, node| {
                if place == (key + 1, Side::At) && node == 7 {
                    let side = if extent.is_max() { &mut bounds.max } else { &mut bounds.min };
                    side[extent.axis()] += if extent.is_max() { -0.5 } else { 0.5 };
                }
                bounds
            });
            let found = faults(&poses, &small, first);
            assert!(all_named(&found, &format!("at key {}, At", key + 1)), "{extent:?}: {found:?}");
        }
        // The keys of the epoch are others than those of the motion: boxes at both keys are right,
        // those in between are not made of them.
        let mut shifted = tree(&poses);
        shifted.keys.first.0 += 3;
        let found = faults(&poses, &shifted, at);
        assert!(all_named(&found, &format!("at {at:?}: ")), "{found:?}");
        // What is kept is not what would be made.
        let kept = tree(&poses);
        let view = kept.kinetic_view(&poses.motion(), 0.0, 8.0, at).node_box(0, at);
        let mut damaged = kept.clone();
        let row: &mut Row<Sides> = damaged.table.rows[0].get_mut().expect("it was asked for");
        for entry in row.iter_mut().filter_map(OnceLock::get_mut) {
            entry[1] += 2.0;
        }
        let found = faults(&poses, &damaged, at);
        assert!(all_named(&found, "is kept") && found[0].contains("node 0"), "{view:?}: {found:?}");
    }
}

#[test]
fn bytes_grow_with_what_is_kept() {
    let poses = Poses::new(40, None, Outside::Hold);
    let (motion, tree) = (poses.motion(), tree(&poses));
    let nodes = tree.topology().nodes().len();
    // The boxes' own, a word or more per node and table, and the times of keys.
    let empty = tree.bytes();
    let tables = size_of_val(&*tree.table.rows) + size_of_val(&*tree.points.rows);
    assert!(tables >= 2 * nodes * size_of::<usize>());
    let used = size_of_val(&*tree.table.used) + size_of_val(&*tree.points.used);
    let times = tree.keys.times.capacity() * size_of::<f64>();
    assert!(times >= 17 * size_of::<f64>());
    assert_eq!(empty, 1000 + tables + used + times);
    // All nodes at two keys, a row of seventeen boxes each.
    let now = Moment::at(0.25);
    let view = tree.kinetic_view(&motion, 0.0, 8.0, now);
    (0..nodes as u32).for_each(|node| assert!(view.bounds(node, now)[0].end == 0.5));
    let boxed = tree.bytes();
    assert!((17 * nodes * 24..17 * nodes * 40).contains(&(boxed - empty)), "{} bytes", boxed - empty);
    let leaf = tree.topology().leaves_of(0)[0];
    assert!(tree.leaf_pieces(leaf, &motion, now).is_some());
    // Of three vertices at two keys, in a row.
    let kept = tree.bytes() - boxed;
    assert!((17 * 24 + 2 * 3 * 24..17 * 40 + 2 * 3 * 24).contains(&kept), "{kept} bytes");
}
