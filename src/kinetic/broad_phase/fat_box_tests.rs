//! Which fat boxes bodies get, what is counted, and what happens at the limit of pairs.

use std::collections::BTreeSet;

use super::tests::{Cubes, SLACK, Stage, still};
use super::{KineticBroadPhase, Member, Pair};
use crate::math::{Aabb, Extent};
use crate::time::Moment;

/// A unit cube that moves along x from the first to the last place, with a margin.
fn around(x: [f64; 2], margin: f64) -> Aabb {
    Aabb { min: [x[0] - 0.5, -0.5, -0.5], max: [x[1] + 0.5, 0.5, 0.5] }.inflated(margin)
}

#[track_caller]
fn assert_fat_box(stage: &Stage, body: u32, expected: &Aabb) {
    let fat_box = stage.broad_phase.fat_box(body).expect("a member");
    // Outward to the next `f32`.
    let is_close = |axis: usize| {
        let [low, high] = [expected.min[axis] - fat_box.min[axis], fat_box.max[axis] - expected.max[axis]];
        (-1e-12..1e-5).contains(&low) && (-1e-12..1e-5).contains(&high)
    };
    assert!((0..3).all(is_close), "{fat_box:?}, not {expected:?}");
}

/// Moves one metre a second.
fn steps(seconds: u32) -> Vec<(f64, f64)> {
    (0..=seconds).map(|second| (f64::from(second), f64::from(second))).collect()
}

/// A body that moves on a way past a row of 20 that stand so near that its fat box overlaps theirs,
/// at 23 m, 26 m and so on. It comes last.
fn past_a_row(way: Vec<(f64, f64)>, row: impl Fn(u32) -> f64) -> Stage {
    let mut ways: Vec<_> = (1..=20).map(|body| (1.02, vec![(0.0, row(body))])).collect();
    ways.push((0.0, way));
    let groups = (0..=20).map(|body| u32::from(body == 20)).collect();
    Stage::new(Cubes { ways, groups }, KineticBroadPhase::default())
}

#[test]
fn a_fat_box_is_the_way_ahead_with_a_margin() {
    let alone = |way: Vec<(f64, f64)>| {
        let mut cubes = still(&[(0.0, 0.0)]);
        cubes.ways[0].1 = way;
        Stage::new(cubes, KineticBroadPhase::default())
    };
    // At rest: four slacks, outward to the next `f32`.
    let fat_box = alone(vec![(0.0, 0.0)]).broad_phase.fat_box(0).expect("a member");
    let margin = fat_box.max[0] - 0.5;
    assert!((0.999 * 4.0 * SLACK..4.0 * SLACK + f64::from(f32::EPSILON)).contains(&margin), "{fat_box:?}");
    assert_eq!(f64::from(fat_box.max[0] as f32), fat_box.max[0]);
    // To and fro, then at rest: all of it, and a sixteenth of the longest side.
    let margin = 1.0 / 16.0;
    assert_fat_box(&alone(vec![(0.0, 0.0), (3.0, -5.0), (9.0, 10.0)]), 0, &around([-5.0, 10.0], margin));
    // The first 64 pieces of many; the first of them ends now.
    let mut stage = alone(steps(200));
    assert_fat_box(&stage, 0, &around([0.0, 63.0], margin));
    // It is left at 63.0625 m, within the piece that ends at 64 s: 63 more until 127 s.
    assert_eq!((stage.run(63.0), stage.run(64.0)), (0, 1));
    assert_fat_box(&stage, 0, &around([63.0625, 127.0], margin));
}

#[test]
fn a_fat_box_is_halved_until_few_are_near() {
    let margin = 1.0 / 16.0;
    let mut stage = past_a_row(vec![(0.0, 0.0), (100.0, 100.0)], |body| 20.0 + 3.0 * f64::from(body));
    // Of 100 m 20 are in the way, of 50 m ten, of 25 m two.
    assert_fat_box(&stage, 20, &around([0.0, 25.0], margin));
    assert_eq!(stage.broad_phase.stats().overlapping, 2);
    // Then of 37 m 13, of 18.7 m seven. The other two events are those of the two that it passes.
    assert_eq!(stage.run(25.1), 3);
    assert_fat_box(&stage, 20, &around([25.0625, 25.0625 + 74.9375 / 4.0], margin));
    assert_eq!(stage.broad_phase.stats().overlapping, 7);
    stage.audit(25.1);
    // Half a side of the body is not worth halving, a little more is.
    for (way, held) in [(0.5, 0.5), (0.75, 0.375)] {
        let mut stage = past_a_row(vec![(0.0, 0.0), (1.0, way)], |_| 0.0);
        assert_fat_box(&stage, 20, &around([0.0, held], margin));
        assert_eq!(stage.broad_phase.stats().overlapping, 20);
        // It is as small as fat boxes get: it is not chosen again for the many that are near.
        assert_eq!(stage.run(0.0), 0);
    }
}

#[test]
fn searches_and_changes_are_counted() {
    let mut cubes = still(&[(0.0, 0.0), (10.0, 0.0)]);
    cubes.ways[1].1 = vec![(0.0, 4.0), (3.0, 1.0), (4.0, 1.0), (7.0, 4.0)];
    let mut stage = Stage::new(cubes, KineticBroadPhase::default());
    let counts = |stage: &Stage| {
        let stats = stage.broad_phase.stats();
        (stats.certificates_searched, stats.bound_changes, stats.met, stats.parted, stats.meeting)
    };
    let change = |stage: &mut Stage, time: f64, body: u32, extent: Extent| {
        stage.act(Moment::at(time), |broad_phase, cubes, clock| broad_phase.bound_changed(body, extent, cubes, clock));
    };
    // Two fat boxes of six sides, and a gap.
    assert_eq!(counts(&stage), (13, 0, 0, 0, 0));
    // The side that faces the gap is one of the fat box's, too; other sides belong to no gap that
    // is watched.
    change(&mut stage, 1.0, 1, Extent::min(0));
    assert_eq!(counts(&stage), (15, 1, 0, 0, 0));
    change(&mut stage, 1.0, 1, Extent::max(0));
    assert_eq!(counts(&stage), (16, 1, 0, 0, 0));
    // A body that is not there.
    change(&mut stage, 1.0, 7, Extent::max(0));
    assert_eq!(counts(&stage), (16, 1, 0, 0, 0));
    stage.run(3.0);
    assert_eq!(counts(&stage), (22, 1, 1, 0, 1));
    // One direction of those in which the boxes may part, and the one in which they do so first.
    change(&mut stage, 3.5, 0, Extent::max(1));
    assert_eq!(counts(&stage), (24, 2, 1, 0, 1));
    change(&mut stage, 3.5, 1, Extent::min(0));
    assert_eq!(counts(&stage), (31, 3, 1, 0, 1));
    stage.run(4.5);
    assert_eq!(counts(&stage), (32, 3, 1, 1, 0));
    assert_eq!((stage.broad_phase.stats().fat_boxes_chosen, stage.broad_phase.stats().fat_boxes_left), (2, 0));
    stage.audit(4.5);
    // Past at a distance: the gap along x closes, that along y is open.
    let mut cubes = still(&[(0.0, 0.0), (4.0, 1.05)]);
    cubes.ways[1].1 = vec![(0.0, 4.0), (8.0, -4.0)];
    let mut stage = Stage::new(cubes, KineticBroadPhase::default());
    assert_eq!(stage.run(8.0), 1);
    assert_eq!(counts(&stage), (14, 0, 0, 0, 0));
    assert_eq!(stage.broad_phase.stats().witnesses_replaced, 1);
}

#[test]
fn bytes_count_nodes_members_and_pairs() {
    // In a row, each near the next; all at one place.
    let (row, heap): (Vec<_>, Vec<_>) =
        ((0..100).map(|body| (0.75 * f64::from(body), 0.0)).collect(), vec![(0.0, 0.0); 40]);
    for (places, pairs) in [(row, 99), (heap, 780)] {
        let stage = Stage::new(still(&places), KineticBroadPhase::default());
        assert_eq!(stage.broad_phase.stats().overlapping, pairs);
        // Of a node: a box and six numbers.
        let nodes = (2 * places.len() - 1) * (size_of::<Aabb>() + 6 * size_of::<u32>());
        let members = places.len() * (size_of::<Option<Member>>() + size_of::<u32>());
        let least = nodes + members + pairs * size_of::<Pair>();
        let bytes = stage.broad_phase.bytes();
        assert!((least..=2 * least).contains(&bytes), "{bytes} bytes, at least {least}");
    }
}

#[test]
fn a_pair_allowed_later_counts_against_the_limit() {
    for (most, pairs) in [(2, 2), (3, 3)] {
        let mut cubes = still(&[(0.0, 0.0), (0.5, 0.0), (0.7, 0.0)]);
        cubes.groups = vec![0, 0, 1];
        let mut stage = Stage::new(cubes, KineticBroadPhase::with_most_pairs(most));
        stage.cubes.groups = vec![0, 2, 1];
        stage.act(Moment::at(1.0), |broad_phase, cubes, clock| {
            broad_phase.permission_changed([0, 1], cubes, clock);
        });
        assert_eq!((stage.broad_phase.is_full(), stage.met.len()), (pairs < 3, pairs));
        assert_eq!(stage.broad_phase.stats().overlapping, pairs);
    }
}

#[test]
fn what_met_before_the_limit_was_exceeded_is_forgotten() {
    let mut cubes = still(&[(0.0, 0.0), (0.5, 0.0), (0.7, 0.0)]);
    cubes.groups = vec![0; 3];
    let mut stage = Stage::new(cubes, KineticBroadPhase::with_most_pairs(1));
    stage.cubes.groups = vec![0, 1, 2];
    stage.act(Moment::at(1.0), |broad_phase, cubes, clock| {
        broad_phase.permission_changed([0, 1], cubes, clock);
        assert!(!broad_phase.is_full());
        broad_phase.permission_changed([0, 2], cubes, clock);
        assert!(broad_phase.is_full());
        broad_phase.forget_full();
    });
    assert!(stage.met.is_empty() && !stage.broad_phase.is_full(), "{:?}", stage.met);
}

#[test]
fn an_event_beyond_the_limit_changes_nothing_and_comes_again() {
    let mut cubes = still(&[(0.0, 0.0), (90.0, 0.0)]);
    // Its first fat box ends before the other body, its second one does not.
    cubes.ways[0].1 = steps(200);
    let mut stage = Stage::new(cubes, KineticBroadPhase::with_most_pairs(0));
    assert_eq!((stage.broad_phase.is_full(), stage.queue.len()), (false, 1));
    let fat_box = stage.broad_phase.fat_box(0);
    let event = stage.queue.peek().expect("the body leaves its fat box");
    assert!((event.moment.time() - 63.0625).abs() < 1e-6, "{event:?}");
    for _ in 0..3 {
        assert_eq!(stage.run_one(), Some(event));
        assert!(stage.broad_phase.is_full());
        stage.broad_phase.forget_full();
        let stats = stage.broad_phase.stats();
        assert_eq!((stats.fat_boxes_left, stats.fat_boxes_chosen, stats.overlapping), (0, 2, 0));
        assert_eq!((stage.broad_phase.fat_box(0), stage.queue.len()), (fat_box, 1));
        stage.audit(event.moment.time());
    }
    stage.broad_phase.set_most_pairs(1);
    assert_eq!(stage.run_one(), Some(event));
    let stats = stage.broad_phase.stats();
    assert_eq!((stats.fat_boxes_left, stats.fat_boxes_chosen, stats.overlapping), (1, 3, 1));
    assert!(!stage.broad_phase.is_full());
    stage.audit(event.moment.time());
    stage.run(88.99);
    assert!(stage.met.is_empty());
    stage.run(89.0);
    assert_eq!(stage.met, BTreeSet::from([(0, 1)]));
}
