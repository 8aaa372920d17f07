//! The audit of the broad phase finds what is damaged in it.

use super::KineticBroadPhase;
use super::tests::{Cubes, SLACK, Stage, still};
use crate::kinetic::event::{Event, EventKind};
use crate::math::{Aabb, Extent};
use crate::time::Moment;

/// Bodies 0 and 1 meet, 2 comes near at 5 s, 3 stands beside, and 4 far away.
fn stage() -> Stage {
    let mut cubes: Cubes = still(&[(0.0, 0.0), (0.5, 0.0), (8.0, 0.0), (1.6, 0.0), (500.0, 0.0)]);
    cubes.ways[2].1 = vec![(0.0, 8.0), (10.0, -2.0)];
    Stage::new(cubes, KineticBroadPhase::default())
}

/// The first fault after a damage.
fn fault(damage: impl FnOnce(&mut Stage)) -> String {
    let mut stage = stage();
    stage.run(1.0);
    assert_eq!(faults(&stage), [""; 0]);
    damage(&mut stage);
    faults(&stage).first().cloned().unwrap_or_default()
}

fn faults(stage: &Stage) -> Vec<String> {
    faults_with(stage, |_| ())
}

/// The faults where the boxes that are compared are others.
fn faults_with(stage: &Stage, change: impl FnOnce(&mut [(u32, Aabb)])) -> Vec<String> {
    let at = Moment::at(1.001);
    let mut boxes: Vec<(u32, Aabb)> = (0..5).map(|body| (body, stage.cubes.box_at(body, at))).collect();
    change(&mut boxes);
    let report = stage.broad_phase.audit(&stage.cubes, &boxes, &stage.queue, Moment::at(1.0));
    report.faults.into_iter().map(|fault| fault.0).collect()
}

fn assert_names(fault: &str, part: &str) {
    assert!(fault.contains(part), "{fault:?} does not name {part:?}");
}

#[test]
fn pairs_that_meet_wrongly_are_named() {
    let flipped = fault(|stage| {
        let pair = stage.broad_phase.member(0).expect("a member").overlapping.get(&1).copied().expect("a pair");
        stage.broad_phase.pairs[pair as usize].is_meeting = false;
    });
    assert_names(&flipped, "bodies 0 and 1: meeting false");
    let listed = fault(|stage| {
        let pair = stage.broad_phase.member(0).expect("a member").overlapping.get(&2).copied().expect("a pair");
        stage.broad_phase.pairs[pair as usize].is_meeting = true;
    });
    assert_names(&listed, "bodies 0 and 2: meeting true");
    assert_names(&fault(|stage| stage.broad_phase.meeting += 1), "1 pairs meet, counted are 2");
}

#[test]
fn boxes_within_the_slack_of_each_other_may_be_listed_either_way() {
    let mut stage = stage();
    stage.run(1.0);
    for (gap, is_fault) in [(0.3, false), (-0.3, false), (3.0, true)] {
        let faults = faults_with(&stage, |boxes| boxes[0].1.max[0] = boxes[1].1.min[0] - gap * SLACK);
        assert_eq!(faults.len(), usize::from(is_fault), "{gap}: {faults:?}");
    }
}

#[test]
fn pairs_that_do_not_agree_are_named() {
    let one_sided = fault(|stage| {
        stage.broad_phase.members[1].as_mut().expect("a member").overlapping.remove(&0);
    });
    assert_names(&one_sided, "bodies 0 and 1: do not agree");
    let unknown = fault(|stage| {
        stage.broad_phase.members[0].as_mut().expect("a member").overlapping.remove(&1);
    });
    assert_names(&unknown, "bodies 0 and 1: overlapping false");
    let exchanged = fault(|stage| {
        let pair = stage.broad_phase.member(0).expect("a member").overlapping.get(&1).copied().expect("a pair");
        stage.broad_phase.pairs[pair as usize].bodies.reverse();
    });
    assert_names(&exchanged, "bodies 1 and 0 do not know it");
    let stranger = fault(|stage| stage.cubes.groups[1] = stage.cubes.groups[0]);
    assert_names(&stranger, "bodies 0 and 1: overlapping true");
}

#[test]
fn bodies_outside_of_their_fat_boxes_are_named() {
    for (axis, side) in [(0, false), (1, true), (2, true)] {
        let left = fault(|stage| {
            let fat_box = &mut stage.broad_phase.members[4].as_mut().expect("a member").fat_box;
            if side {
                fat_box.max[axis] -= 0.5;
            } else {
                fat_box.min[axis] += 0.5;
            }
        });
        assert!(left.contains("body 4") || left.contains("fat"), "{left}");
    }
    let mut stage = stage();
    stage.run(1.0);
    for side in [-1e3, 1e3] {
        let left = faults_with(&stage, |boxes| {
            let corner = if side < 0.0 { &mut boxes[4].1.min } else { &mut boxes[4].1.max };
            corner[1] += side;
        });
        assert_names(&left[0], "has left its fat_box");
    }
    // The tree of fat boxes has another fat box than the body.
    let grown = fault(|stage| stage.broad_phase.members[4].as_mut().expect("a member").fat_box.max[1] += 0.5);
    assert!(!grown.is_empty());
    let overfull = fault(|stage| stage.broad_phase.members[4].as_mut().expect("a member").is_overfull = true);
    assert_names(&overfull, "body 4: its fat_box has still to be chosen again");
    let noted = fault(|stage| {
        stage.broad_phase.members[2].as_mut().expect("a member").leaves[Extent::max(0).index()] = Moment::at(77.0);
    });
    assert_names(&noted, "body 2: leaves its fat_box at");
}

#[test]
fn events_that_are_lost_late_or_foreign_are_named() {
    let lost = fault(|stage| {
        let pair = stage.broad_phase.member(0).expect("a member").overlapping.get(&2).copied().expect("a pair");
        let ticket = stage.broad_phase.pairs[pair as usize].boxes.ticket;
        stage.queue.erase(ticket);
    });
    assert_names(&lost, "BodiesMeet is due at");
    let forgotten = fault(|stage| {
        let pair = stage.broad_phase.member(0).expect("a member").overlapping.get(&2).copied().expect("a pair");
        let ticket = std::mem::take(&mut stage.broad_phase.pairs[pair as usize].boxes.ticket);
        stage.queue.erase(ticket);
    });
    assert_names(&forgotten, "BodiesMeet is due at");
    // A body that rests leaves no fat box.
    let stays = fault(|stage| {
        let leaves = Event { moment: Moment::at(99.0), kind: EventKind::FatBoxLeft, owner: 4, slot: 0 };
        stage.broad_phase.members[4].as_mut().expect("a member").ticket = stage.queue.push(leaves);
    });
    assert_names(&stays, "FatBoxLeft is due at");
    let late = fault(|stage| {
        let pair = stage.broad_phase.member(0).expect("a member").overlapping.get(&2).copied().expect("a pair");
        let ticket = stage.broad_phase.pairs[pair as usize].boxes.ticket;
        stage.queue.reschedule(ticket, Moment::at(9.0));
    });
    assert_names(&late, "scheduled is Some");
    for kind in [EventKind::FatBoxLeft, EventKind::BodiesMeet, EventKind::BodiesSeparate] {
        let foreign = fault(|stage| {
            stage.queue.push(Event { moment: Moment::at(50.0), kind, owner: 4, slot: 0 });
        });
        assert_names(&foreign, "is in the queue, its owner does not know it");
    }
    // Events of others are none of its business.
    let other = fault(|stage| {
        stage.queue.push(Event { moment: Moment::at(50.0), kind: EventKind::Leaf, owner: 4, slot: 0 });
    });
    assert_eq!(other, "");
}

#[test]
fn members_that_are_not_given_are_counted() {
    let stage = stage();
    let at = Moment::at(0.0);
    let boxes: Vec<(u32, Aabb)> = (0..4).map(|body| (body, stage.cubes.box_at(body, at))).collect();
    let report = stage.broad_phase.audit(&stage.cubes, &boxes, &stage.queue, at);
    assert_eq!(report.faults.len(), 1);
    assert_names(&report.faults[0].0, "5 members, not the 4 bodies given");
    let twice: Vec<(u32, Aabb)> = (0..5).map(|body| (if body == 4 { 9 } else { body }, boxes[0].1)).collect();
    let report = stage.broad_phase.audit(&stage.cubes, &twice, &stage.queue, at);
    assert_names(&report.faults[0].0, "5 members, not the 5 bodies given");
}
