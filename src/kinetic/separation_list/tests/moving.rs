//! Events, changes of bounds, extensions and rebuilt pairs of a list, against all pairs of boxes.

use std::collections::BTreeSet;

use super::rows::{Row, Stage, assert_links_and_counts, cube, kinds, resting, wandering};
use super::{Rig, State};
use crate::bvh::{Hierarchy, LeafRelation, SharedVertices};
use crate::kinetic::EventContext;
use crate::kinetic::event::{EventLog, EventQueue};
use crate::kinetic::separation_list::SeparationList;
use crate::math::Extent;
use crate::mesh::{Mesh, Seams};
use crate::time::Moment;

/// Times between events.
fn times() -> impl Iterator<Item = f64> {
    (1..54).map(|step| 0.037 * f64::from(step))
}

#[test]
fn lists_hold_the_boxes_within_the_slack_of_both_bodies() {
    let mut stage = Stage::crossing();
    stage.assert_right();
    for time in times() {
        stage.run(time);
        stage.assert_right();
    }
    let stats = stage.list.stats();
    let counts = [stats.boxes_met, stats.leaves_separated, stats.parents_separated, stats.witnesses_replaced];
    assert!(counts.iter().all(|&count| count > 4), "{counts:?}");
}

#[test]
fn certificates_that_use_a_changed_bound_are_searched_again() {
    let mut stage = Stage::crossing();
    stage.run(0.4);
    let before = stage.list.stats().bound_changes;
    // One side of each box in turn moves outward or inward, of the body at rest and the other one.
    for turn in 0..72 {
        let (side, number, extent) = (turn % 2, turn / 2 % 6, Extent::ALL[turn / 12]);
        let leaf = stage.rows[side].leaf(number);
        let mut places = stage.rows[side].places(leaf);
        let by = if (turn / 2 + turn / 12) % 2 == 0 { 0.625 } else { -0.5 };
        for place in &mut places[1..] {
            if extent.is_max() {
                place.max[extent.axis()] += by;
            } else {
                place.min[extent.axis()] -= by;
            }
        }
        for change in stage.rows[side].put(leaf, places) {
            assert_eq!(change.extent, extent);
            stage.with(|list, rows, clock| list.bound_changed(side, change, rows, clock));
        }
        // Boxes that met with the change have their events now.
        stage.run(0.403 + 0.005 * turn as f64);
        stage.assert_right();
    }
    assert!(stage.list.stats().bound_changes > before + 72);
}

/// The gap between the boxes, less the slack, closes at 0.65 s and opens at 1.35 s.
#[test]
fn roots_meet_and_part_at_times_computed_by_hand() {
    let mut rows = [resting()[..1].to_vec(), vec![cube([3.0, 0.5, 3.0].map(|y| [0.0, y, 0.0]))]];
    for slacks in [[0.125, 0.25], [0.25, 0.125]] {
        let mut stage = Stage::new([Row::new(slacks[0], &rows[0]), Row::new(slacks[1], &rows[1])]);
        for (until, overlapping, next) in [(0.0, 0, Some(0.65)), (0.66, 1, Some(1.35)), (1.36, 0, None)] {
            stage.run(until);
            assert_eq!(stage.list.overlapping().len(), overlapping, "{until}");
            let times: Vec<f64> = stage.events().iter().map(|event| event.moment.time()).collect();
            assert_eq!(times.len(), usize::from(next.is_some()));
            assert!(times.iter().zip(next).all(|(time, next)| (time - next).abs() < 1e-9), "{times:?}");
            stage.assert_right();
        }
        rows.swap(0, 1);
    }
}

#[test]
fn pairs_are_certified_over_keys_that_were_added() {
    let mut stage = Stage::crossing();
    stage.run(0.5);
    // From 1 s on the boxes go elsewhere.
    let mut extended = wandering();
    for places in &mut extended {
        let [_, second, _] = places.map(|place| place.min);
        places[2] = cube([[second[0] - 4.0, second[1] - 2.0, 0.0]; 3])[2];
    }
    let before = stage.events();
    stage.rows = [Row::new(0.125, &resting()), Row::new(0.25, &extended)];
    let expected = stage.events_searched_again();
    let since = |time: f64| before.iter().filter(|event| event.moment.time() < time).count();
    assert!(since(1.0) > 3 && before.len() > since(1.0) + 3 && before != expected);
    // The first half of the places first: events of the others are those from before.
    let half = stage.list.place_count() / 2;
    stage.with(|list, rows, clock| list.extend(0..half, 1.0, rows, clock));
    let mut mixed: Vec<_> = expected.iter().filter(|event| event.slot < half).copied().collect();
    mixed.extend(before.iter().filter(|event| event.slot >= half));
    mixed.sort_unstable();
    assert_eq!(stage.events(), mixed);
    stage.with(|list, rows, clock| list.extend(half..u32::MAX, 1.0, rows, clock));
    assert_eq!(stage.events(), expected);
    stage.run(1.7);
    stage.assert_right();
}

/// A failure at the time of the last key belongs to the motion after it.
#[test]
fn boxes_that_part_just_after_the_last_key_known_are_certified_again() {
    let up = |last: f64| Row::new(0.25, &[cube([[0.0, 0.5, 0.0], [0.0, 1.375, 0.0], [0.0, last, 0.0]])]);
    let mut stage = Stage::new([Row::new(0.125, &resting()[..1]), up(3.0)]);
    assert_eq!(stage.events()[0].moment, Moment::after(1.0));
    let mut parted = stage.clone();
    parted.run(1.01);
    assert_eq!(kinds(&parted.list).into_iter().collect::<Vec<_>>(), [([0, 0], "apart")]);
    parted.assert_right();
    stage.rows[1] = up(0.5);
    stage.with(|list, rows, clock| list.extend(0..1, 1.0, rows, clock));
    assert!(stage.events().is_empty());
}

#[test]
fn pairs_above_altered_nodes_are_opened_up_as_in_a_new_list() {
    for time in [0.3, 0.703, 1.31, 1.6] {
        let mut stage = Stage::crossing();
        stage.run(time);
        let mut fresh = stage.clone();
        fresh.list = {
            fresh.queue = EventQueue::new();
            let [a, b] = &fresh.rows;
            let mut log = EventLog::new(false);
            let mut clock = EventContext { queue: &mut fresh.queue, log: &mut log, now: fresh.now };
            SeparationList::new((a, b), super::rows::OWNER, &mut clock)
        };
        let nodes = stage.rows[0].topology.nodes().len() as u32;
        let none = BTreeSet::new();
        for node in 0..nodes {
            let (one, other) = (BTreeSet::from([node]), BTreeSet::from([(node + 3) % nodes]));
            for altered in [[&one, &none], [&none, &one], [&one, &other]] {
                stage.with(|list, rows, clock| list.tree_changed(altered, rows, clock));
                assert_eq!(kinds(&stage.list), kinds(&fresh.list), "{time}, {altered:?}");
                stage.assert_right();
            }
        }
        assert!(stage.list.stats().pairs_rebuilt > 20, "{time}");
        stage.run(time + 0.1);
        stage.assert_right();
    }
}

#[test]
fn pairs_that_an_edit_took_apart_are_counted_at_their_parents() {
    let none = BTreeSet::new();
    let away = |stage: &mut Stage, number: usize| {
        let leaf = stage.rows[1].leaf(number);
        let places = stage.rows[1].places(leaf).map(|place| place.min);
        (leaf, stage.rows[1].put(leaf, cube(places.map(|[x, y, z]| [x, y + 40.0, z]))))
    };
    let mut stage = Stage::crossing();
    stage.run(0.703);
    let before = stage.list.overlapping().len();
    for number in 0..5 {
        let (leaf, changes) = away(&mut stage, number);
        let altered = BTreeSet::from([leaf]);
        stage.with(|list, rows, clock| list.tree_changed([&none, &altered], rows, clock));
        for change in changes {
            stage.with(|list, rows, clock| list.bound_changed(1, change, rows, clock));
        }
        stage.run(stage.now.time() + 1e-3);
        stage.assert_right();
    }
    assert!(before > 3 && stage.list.overlapping().len() < before);
    // The pair of the roots, which has no parent.
    let mut stage = Stage::crossing();
    stage.run(0.703);
    for number in 0..6 {
        away(&mut stage, number);
    }
    let altered = BTreeSet::from([0]);
    stage.with(|list, rows, clock| list.tree_changed([&none, &altered], rows, clock));
    assert_eq!(kinds(&stage.list).into_iter().collect::<Vec<_>>(), [([0, 0], "apart")]);
    stage.assert_right();
}

/// Below one altered node of each tree, other pairs stay as they are.
#[test]
fn only_the_highest_pairs_with_altered_nodes_are_opened_up() {
    let mut stage = Stage::crossing();
    stage.run(0.703);
    let count = stage.rows[0].topology.nodes().len() as u32;
    let mut most = 0;
    for node in 0..count {
        let altered = [BTreeSet::from([node]), BTreeSet::from([(node + 3) % count])];
        let is_altered = |nodes: [u32; 2]| altered[0].contains(&nodes[0]) || altered[1].contains(&nodes[1]);
        let list = &stage.list;
        let is_highest = |place: u32| {
            let above =
                std::iter::successors(list.pairs.get(place as usize), |pair| list.pairs.get(pair.parent as usize));
            let mut above = above.map(|pair| is_altered(pair.nodes));
            above.next() == Some(true) && !above.any(|is_altered| is_altered)
        };
        let expected =
            list.pairs.iter().filter(|(place, pair)| pair.state != State::Apart && is_highest(*place as u32)).count();
        let before = list.stats().pairs_rebuilt;
        stage.with(|list, rows, clock| list.tree_changed([&altered[0], &altered[1]], rows, clock));
        assert_eq!(stage.list.stats().pairs_rebuilt - before, expected as u64, "{node}");
        most = most.max(expected);
    }
    assert!(most > 2);
}

#[test]
fn pairs_of_one_body_are_opened_up_as_in_a_new_list() {
    for leaf_size in [1, 2] {
        for time in [0.0, 0.4, 1.5] {
            let mut rig = Rig::of_leaves(leaf_size, time);
            assert_links_and_counts(&rig.list);
            let now = Moment::at(time);
            let slack = rig.motion.slack(now);
            let view = rig.tree.kinetic_view(&rig.motion, slack, super::END, now);
            let mut log = EventLog::new(false);
            let mut queue = EventQueue::new();
            let vertices: SharedVertices = rig.list.shared_vertices().expect("a list of one body").clone();
            let mut clock = EventContext { queue: &mut queue, log: &mut log, now };
            let fresh = SeparationList::of_one(&view, vertices, 1, &mut clock);
            for node in 0..view.topology().nodes().len() as u32 {
                let altered = BTreeSet::from([node]);
                let mut clock = EventContext { queue: &mut rig.queue, log: &mut log, now };
                rig.list.tree_changed([&altered, &altered], (&view, &view), &mut clock);
                assert_links_and_counts(&rig.list);
                if time == 0.0 {
                    assert_eq!(kinds(&rig.list), kinds(&fresh), "{node}");
                }
            }
            assert_eq!(rig.faults(time + 1e-3), 0, "{time}");
        }
    }
}

/// Of leaves with two triangles each, neighbours have a common corner and triangles without one.
#[test]
fn leaves_that_touch_stay_listed_after_their_corners_parted() {
    for time in [0.0, 0.3, 1.5] {
        let rig = Rig::of_leaves(2, time);
        let vertices = rig.list.shared_vertices().expect("a list of one body");
        let is_touching = |&(x, y): &(u32, u32)| vertices.relation(x, y) == LeafRelation::Touching;
        assert_eq!(rig.list.overlapping().filter(is_touching).count(), 3, "{time}");
        assert_eq!(rig.faults(time + 1e-3), 0, "{time}");
    }
}

#[test]
fn what_met_is_told_once() {
    let mut stage = Stage::crossing();
    stage.run(0.6);
    let (mut met, mut all) = (Vec::new(), BTreeSet::new());
    stage.list.take_met(&mut met);
    assert!(met.len() > 1);
    assert_eq!(met.iter().copied().collect::<BTreeSet<_>>(), stage.list.overlapping().collect());
    all.extend(met.drain(..));
    stage.list.take_met(&mut met);
    assert!(met.is_empty());
    for time in times().filter(|&time| time > 0.6) {
        let before: BTreeSet<_> = stage.list.overlapping().collect();
        stage.run(time);
        stage.list.take_met(&mut met);
        let told: BTreeSet<_> = met.drain(..).collect();
        assert!(stage.list.overlapping().all(|pair| before.contains(&pair) || told.contains(&pair)), "{time}");
        all.extend(told);
    }
    assert!(all.len() > stage.list.overlapping().len() + 3);
}

#[test]
fn the_node_in_most_pairs_is_counted() {
    let stage = Stage::crossing();
    let members: Vec<(u32, u32, bool)> = stage.list.members().collect();
    let of = |side: usize, node: u32| members.iter().filter(|&&(a, b, _)| [a, b][side] == node).count();
    let most = (0..11).map(|node| of(0, node).max(of(1, node))).max();
    assert_eq!(Some(stage.list.most_members_per_node()), most);
}

#[test]
fn the_list_of_one_triangle_with_itself_is_empty() {
    assert!(!Stage::crossing().list.is_empty());
    let row = Row::new(0.125, &resting()[..1]);
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).expect("a valid mesh");
    let vertices = SharedVertices::new(&row.topology, &mesh, &Seams::none(3), true);
    let (mut queue, mut log) = (EventQueue::new(), EventLog::new(false));
    let mut clock = EventContext { queue: &mut queue, log: &mut log, now: Moment::at(0.0) };
    let list = SeparationList::of_one(&row, vertices, 1, &mut clock);
    assert_eq!(list.len(), 0);
    assert!(list.is_empty() && list.members().next().is_none() && queue.is_empty());
    assert_links_and_counts(&list);
}
