//! The audit of a list finds each kind of damage, names it, and takes nothing sound for damage.

use super::State;
use super::rows::{OWNER, Row, Stage, cube};
use crate::kinetic::event::{Event, EventKind};
use crate::math::Aabb;
use crate::time::Moment;

/// A list with pairs of every state, at a time without events.
fn stage() -> Stage {
    let mut stage = Stage::crossing();
    stage.run(0.703);
    assert_eq!(faults(&stage), [""; 0]);
    stage
}

fn faults(stage: &Stage) -> Vec<String> {
    stage.audit().faults.into_iter().map(|fault| fault.0).collect()
}

/// All faults after a damage, one a line.
fn damaged(damage: impl FnOnce(&mut Stage)) -> String {
    let mut stage = stage();
    damage(&mut stage);
    faults(&stage).join("\n")
}

fn assert_names(faults: &str, part: &str) {
    assert!(faults.contains(part), "{faults:?} does not name {part:?}");
}

/// The first pairs of a kind, by their places.
fn places(stage: &Stage, is_wanted: impl Fn(State) -> bool) -> Vec<usize> {
    let places: Vec<usize> =
        stage.list.pairs.iter().filter(|(_, pair)| is_wanted(pair.state)).map(|(place, _)| place).collect();
    assert!(places.len() > 1);
    places
}

fn is_overlapping(state: State) -> bool {
    matches!(state, State::Overlapping { .. })
}

/// Two pairs apart that are scheduled.
fn scheduled(stage: &Stage) -> [usize; 2] {
    let apart = places(stage, |state| state == State::Apart);
    let mut scheduled = apart.into_iter().filter(|&place| stage.list.pairs[place].boxes.ticket.is_some());
    [scheduled.next().expect("a scheduled pair"), scheduled.next().expect("another one")]
}

#[test]
fn wrong_members_are_named() {
    let twice = damaged(|stage| {
        let apart = places(stage, |state| state == State::Apart);
        stage.list.pairs[apart[0]].nodes = stage.list.pairs[apart[1]].nodes;
    });
    assert_names(&twice, "a pair of nodes is listed twice");
    let hidden = damaged(|stage| {
        let overlapping = places(stage, is_overlapping)[0];
        stage.list.pairs[overlapping].state = State::Apart;
    });
    assert_names(&hidden, "a traversal finds overlap true, the list Some(false)");
    let strange = damaged(|stage| {
        let apart = places(stage, |state| state == State::Apart);
        let pair = apart.into_iter().find(|&place| {
            let [a, b] = stage.list.pairs[place].nodes;
            stage.rows[0].topology.node(a).is_leaf() && stage.rows[1].topology.node(b).is_leaf()
        });
        let pair = pair.expect("leaves apart");
        stage.list.pairs[pair].state = State::Overlapping { place: 0 };
    });
    assert_names(&strange, "a traversal finds overlap false, the list Some(true)");
    let elsewhere = damaged(|stage| {
        let overlapping = places(stage, is_overlapping)[0];
        stage.list.pairs[overlapping].nodes = [0, 0];
    });
    assert_names(&elsewhere, "(0, 0) is listed with overlap true, a traversal does not stop there");
    assert_names(&elsewhere, "a traversal finds overlap true, the list None");
}

#[test]
fn wrong_places_parents_counts_and_links_are_named() {
    let swapped = damaged(|stage| stage.list.overlapping.swap(0, 1));
    assert_names(&swapped, "not where it should be among the overlapping");
    for change in [[1, 0], [0, 1]] {
        let counted = damaged(|stage| {
            let inner = places(stage, |state| matches!(state, State::Inner { .. }));
            let State::Inner { count, apart, .. } = &mut stage.list.pairs[inner[0]].state else { return };
            (*count, *apart) = (*count + change[0], *apart + change[1]);
        });
        assert_names(&counted, "counts ");
    }
    let orphan = damaged(|stage| {
        let apart = places(stage, |state| state == State::Apart);
        stage.list.pairs[apart[0]].parent = apart[1] as u32;
    });
    assert_names(&orphan, "does not know its parent");
    for side in 0..2 {
        let linked = damaged(|stage| {
            let [pair, other] = scheduled(stage);
            let node = stage.list.pairs[pair].nodes[side];
            let stranger = [other, places(stage, is_overlapping)[0]]
                .into_iter()
                .find(|&other| stage.list.pairs[other].nodes[side] != node);
            stage.list.heads[side][node as usize] = stranger.expect("a pair of another node") as u32;
        });
        assert_names(&linked, "which is not its own");
        let lost = damaged(|stage| {
            let [pair, _] = scheduled(stage);
            stage.list.heads[side][stage.list.pairs[pair].nodes[side] as usize] = crate::kinetic::separation_list::NONE;
        });
        assert_names(&lost, "pairs are linked to nodes, and");
        let strange = damaged(|stage| {
            let [pair, _] = scheduled(stage);
            stage.list.pairs[pair].links[side].previous = pair as u32;
        });
        assert_names(&strange, " comes after ");
        let circle = damaged(|stage| {
            let [pair, _] = scheduled(stage);
            stage.list.pairs[pair].links[side].next = pair as u32;
        });
        assert_names(&circle, " comes after ");
    }
}

#[test]
fn wrong_events_are_named() {
    let exchanged = damaged(|stage| {
        let [one, other] = scheduled(stage).map(|place| stage.list.pairs[place].boxes.ticket);
        let [first, second] = scheduled(stage);
        (stage.list.pairs[first].boxes.ticket, stage.list.pairs[second].boxes.ticket) = (other, one);
    });
    assert_names(&exchanged, "certificates: pair ");
    assert_names(&exchanged, "its ticket names Some(");
    let erased = damaged(|stage| {
        let [pair, _] = scheduled(stage);
        stage.queue.erase(stage.list.pairs[pair].boxes.ticket);
    });
    assert_names(&erased, "its ticket names None");
    assert_names(&erased, "events in the queue for");
    for (kind, owner) in [(EventKind::LeavesSeparate, OWNER), (EventKind::BoxesOverlap, OWNER + 1)] {
        let replaced = damaged(|stage| {
            let [pair, _] = scheduled(stage);
            let ticket = stage.list.pairs[pair].boxes.ticket;
            let event = stage.queue.get(ticket);
            stage.queue.erase(ticket);
            stage.list.pairs[pair].boxes.ticket = stage.queue.push(Event { kind, owner, ..event });
        });
        assert_names(&replaced, &format!("kind: {kind:?}, owner: {owner}"));
    }
    let moment = Moment::at(9.0);
    let left_over = damaged(|stage| {
        stage.queue.push(Event { moment, kind: EventKind::ParentsSeparate, owner: OWNER, slot: 1 << 20 });
    });
    assert_names(&left_over, "events in the queue for");
    let forgotten = damaged(|stage| {
        let [pair, _] = scheduled(stage);
        stage.list.pairs[pair].boxes.ticket = crate::kinetic::event::Ticket::NONE;
    });
    assert_names(&forgotten, "events in the queue for");
}

/// Owners of other kinds of events have numbers of their own.
#[test]
fn events_of_others_are_no_faults() {
    let faults = damaged(|stage| {
        for (kind, owner) in
            [(EventKind::Leaf, OWNER), (EventKind::BodiesMeet, OWNER), (EventKind::BoxesOverlap, OWNER + 1)]
        {
            stage.queue.push(Event { moment: Moment::at(9.0), kind, owner, slot: 3 });
        }
    });
    assert_eq!(faults, "");
}

/// The faults where the list knows two leaves as overlapping or apart, and their boxes are some
/// metres apart along an axis.
fn faults_at(is_overlapping: bool, axis: usize, is_below: bool, gap: f64, tolerance: f64) -> usize {
    let far = if is_overlapping { 0.0 } else { 8.0 };
    let row = |x: f64| Row::new(0.0, &[cube([[x; 3]; 3])]);
    let stage = Stage::new([row(0.0), row(far)]);
    assert_eq!(stage.list.overlapping().len(), usize::from(is_overlapping));
    let mut boxes = [Aabb { min: [0.0; 3], max: [1.0; 3] }; 2];
    let shift = if is_below { 1.0 + gap } else { -1.0 - gap };
    (boxes[1].min[axis], boxes[1].max[axis]) = (shift, 1.0 + shift);
    let [a, b] = [0, 1].map(|side| (&stage.rows[side].topology, &boxes[side..=side]));
    stage.list.audit(a, b, tolerance, &stage.queue).faults.len()
}

#[test]
fn boxes_nearer_to_each_other_than_the_tolerance_may_be_listed_either_way() {
    for (axis, is_below) in [(0, true), (0, false), (1, true), (1, false), (2, true), (2, false)] {
        let faults = |is_overlapping, gap| faults_at(is_overlapping, axis, is_below, gap, 0.25);
        for gap in [-0.125, 0.0, 0.125] {
            assert_eq!([faults(true, gap), faults(false, gap)], [0, 0], "{axis}, {gap}");
        }
        // From the tolerance on, what the boxes say is right.
        for gap in [0.25, 0.5, 4.0] {
            assert!(faults(true, gap) > 0 && faults(false, gap) == 0, "{axis}, {gap}");
            if gap < 1.0 {
                assert!(faults(true, -gap) == 0 && faults(false, -gap) > 0, "{axis}, -{gap}");
            }
        }
        // Without a tolerance, boxes that touch overlap.
        assert_eq!(faults_at(true, axis, is_below, 0.0, 0.0), 0);
        assert!(faults_at(false, axis, is_below, 0.0, 0.0) > 0);
    }
}
