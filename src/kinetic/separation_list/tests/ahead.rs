//! Certificates of the next epoch, searched before it begins, against those searched at its begin.

use super::State;
use super::rows::{OWNER, Row, Stage, cube, resting, wandering};
use crate::kinetic::event::Event;
use crate::math::{Extent, GapDirection};
use crate::time::Moment;

/// When the next epoch begins.
fn begin() -> Moment {
    Moment::after(1.0)
}

/// The rows in the next epoch: on another path from 1 s on.
fn next_rows() -> [Row; 2] {
    let mut places = wandering();
    for (k, places) in places.iter_mut().enumerate() {
        let [x, y, z] = places[1].min;
        *places = cube([[0.0; 3], [x + 0.25, y, z], [x - 1.5, y - 3.0 + k as f64, z]]);
    }
    [Row::new(0.125, &resting()), Row::new(0.25, &places)]
}

/// Passes all places of a list before an epoch.
fn prepare_all(stage: &mut Stage, at: Moment, rows: &[Row; 2]) {
    let left = stage.list.left_ahead(at);
    stage.list.prepare_ahead(at, left, (&rows[0], &rows[1]));
    assert_eq!(stage.list.left_ahead(at), 0);
}

/// Lets the next epoch begin; returns the events and how many were entered as found.
fn enter(
    stage: &mut Stage,
    at: Moment,
    rows: [Row; 2],
    is_as_found: impl Fn(usize, u32, Extent) -> bool,
) -> (Vec<Event>, u64) {
    (stage.now, stage.rows) = (at, rows);
    let entered = stage.with(|list, rows, clock| list.certify_all_as_found(is_as_found, rows, clock));
    (stage.events(), entered)
}

/// What a certificate that was found holds for.
#[derive(PartialEq)]
struct Subject {
    nodes: [u32; 2],
    is_apart: bool,
    direction: GapDirection,
}

fn subjects(stage: &Stage) -> Vec<Option<Subject>> {
    let list = &stage.list;
    let subject = |place: u32| {
        let pair = list.pairs.get(place as usize)?;
        let is_apart = pair.state == State::Apart;
        list.is_linked(place).then_some(Subject { nodes: pair.nodes, is_apart, direction: pair.boxes.direction })
    };
    (0..list.place_count()).map(subject).collect()
}

/// How many pairs with a certificate are those that something was found of, where all bounds of
/// which `is_as_found` tells so are as assumed.
fn count_same(
    before: &[Option<Subject>],
    after: &[Option<Subject>],
    is_as_found: impl Fn(usize, u32, Extent) -> bool,
) -> u64 {
    let is_entered = |(old, new): &(&Option<Subject>, &Option<Subject>)| match (old, new) {
        (Some(old), Some(new)) if old.nodes == new.nodes && old.is_apart == new.is_apart => {
            let [x, y] = new.nodes;
            if new.is_apart {
                old.direction == new.direction
                    && is_as_found(0, x, new.direction.extent_of_a())
                    && is_as_found(1, y, new.direction.extent_of_b())
            } else {
                Extent::ALL.iter().all(|&extent| is_as_found(0, x, extent) && is_as_found(1, y, extent))
            }
        }
        _ => false,
    };
    before.iter().zip(after).filter(is_entered).count() as u64
}

#[test]
fn what_was_found_is_entered_for_pairs_that_are_still_the_same() {
    let mut stage = Stage::crossing();
    stage.run(0.4);
    let rows = next_rows();
    let count = stage.list.place_count() as usize;
    assert_eq!((stage.list.left_ahead(begin()), stage.list.left_ahead(Moment::after(2.0))), (count, count));
    stage.list.prepare_ahead(begin(), 10, (&rows[0], &rows[1]));
    assert_eq!((stage.list.left_ahead(begin()), stage.list.left_ahead(Moment::after(2.0))), (count - 10, count));
    stage.list.prepare_ahead(begin(), usize::MAX, (&rows[0], &rows[1]));
    assert_eq!(stage.list.left_ahead(begin()), 0);
    let before = subjects(&stage);
    // Other pairs have come to some places, and some are in another state.
    stage.run(1.0);
    let after = subjects(&stage);
    let count = |is_wanted: fn(&Subject, &Subject) -> bool| {
        let both = before.iter().zip(&after).filter_map(|(old, new)| old.as_ref().zip(new.as_ref()));
        both.filter(|(old, new)| is_wanted(old, new)).count()
    };
    assert!(count(|old, new| old.nodes != new.nodes && old.is_apart == new.is_apart) > 0);
    assert!(count(|old, new| old.nodes == new.nodes && old.is_apart != new.is_apart) > 0);
    assert!(count(|old, new| old.nodes == new.nodes && new.is_apart && old.direction != new.direction) > 0);
    let mut fresh = stage.clone();
    assert_eq!(fresh.list.left_ahead(begin()), fresh.list.place_count() as usize, "a clone has nothing");
    let expected = enter(&mut fresh, begin(), rows.clone(), |_, _, _| true);
    let same = count_same(&before, &after, |_, _, _| true);
    assert_eq!(enter(&mut stage, begin(), rows.clone(), |_, _, _| true), (expected.0, same));
    assert!(expected.1 == 0 && same > 5, "{same}");
    assert_eq!(stage.list.stats(), fresh.list.stats(), "what is entered counts as searched now");
    stage.run(1.5);
    stage.assert_right();
    // It is of no use a second time.
    prepare_all(&mut stage, Moment::at(1.6), &rows);
    assert!(enter(&mut stage, Moment::at(1.6), rows.clone(), |_, _, _| true).1 > 5);
    assert_eq!(enter(&mut stage, Moment::at(1.6), rows, |_, _, _| true).1, 0);
}

#[test]
fn certificates_whose_bounds_are_others_than_assumed_are_searched() {
    let rows = next_rows();
    let mut stage = Stage::crossing();
    stage.run(0.9);
    // Some pairs overlap, others are apart along each axis.
    let mut expected = None;
    let (used, ..) = stage.list.members().next().expect("a pair");
    let ways: [&dyn Fn(usize, u32, Extent) -> bool; 7] = [
        &|_, _, _| true,
        &|side, _, _| side == 0,
        &|side, _, _| side == 1,
        &|side, _, extent| side == 1 || extent != Extent::min(1),
        &|side, _, extent| side == 0 || extent != Extent::max(1),
        &|side, node, _| side == 1 || node != used,
        &|_, _, _| false,
    ];
    let mut counts = Vec::new();
    for is_as_found in ways {
        let mut stage = stage.clone();
        prepare_all(&mut stage, begin(), &rows);
        let subjects = subjects(&stage);
        let (events, entered) = enter(&mut stage, begin(), rows.clone(), is_as_found);
        assert_eq!(entered, count_same(&subjects, &subjects, is_as_found));
        counts.push(entered);
        assert_eq!(*expected.get_or_insert_with(|| events.clone()), events);
    }
    assert!(counts[0] > counts[3] && counts[3] > 0 && counts[0] > counts[4] && counts[4] > 0, "{counts:?}");
    assert!(counts[0] > counts[5] && counts[5] > 0, "{counts:?}");
    assert_eq!([counts[1], counts[2], counts[6]], [0; 3]);
}

#[test]
fn what_was_found_of_another_epoch_is_not_entered() {
    let mut stage = Stage::crossing();
    stage.run(0.9);
    let mut rows = next_rows();
    rows[1].epoch_end = 3.0;
    let late = [&rows[0], &rows[1]].map(|row| Row { epoch_end: 3.0, ..row.clone() });
    let wide = [Row { slack: 0.25, ..rows[0].clone() }, rows[1].clone()];
    for (at, others) in [(begin(), late), (begin(), wide), (Moment::after(1.25), rows.clone())] {
        let mut fresh = stage.clone();
        let mut stage = stage.clone();
        prepare_all(&mut stage, begin(), &rows);
        let expected = enter(&mut fresh, at, others.clone(), |_, _, _| true);
        assert_eq!(enter(&mut stage, at, others, |_, _, _| true), (expected.0, 0));
    }
}

#[test]
fn what_was_found_is_dropped_before_another_epoch_is_prepared() {
    let mut stage = Stage::crossing();
    stage.run(0.9);
    let mut others = next_rows();
    let count = stage.list.place_count() as usize;
    others[1] = Row::new(0.25, &resting());
    let expected = enter(&mut stage.clone(), begin(), next_rows(), |_, _, _| true).0;
    for is_forgotten in [false, true] {
        let mut stage = stage.clone();
        // Of other motion, before another moment.
        let at = if is_forgotten { begin() } else { Moment::after(1.25) };
        prepare_all(&mut stage, at, &others);
        if is_forgotten {
            stage.list.forget_ahead();
            assert_eq!(stage.list.left_ahead(begin()), count);
        }
        let rows = next_rows();
        stage.list.prepare_ahead(begin(), 1, (&rows[0], &rows[1]));
        assert_eq!(stage.list.left_ahead(begin()), count - 1);
        let (events, entered) = enter(&mut stage, begin(), rows, |_, _, _| true);
        assert_eq!(events, expected);
        assert!(entered <= 1 && events.iter().all(|event| event.owner == OWNER));
    }
}

#[test]
fn bytes_of_what_was_found_and_of_all_nodes_are_counted() {
    let mut stage = Stage::crossing();
    stage.run(0.4);
    let before = stage.list.bytes();
    prepare_all(&mut stage, begin(), &next_rows());
    // Two nodes, a moment and a direction each.
    let least = 25 * stage.list.place_count() as usize;
    let held = stage.list.bytes() - before;
    assert!((least..4 * least).contains(&held), "{held}, at least {least}");
    // One pair, and a number per node.
    let row = |y: f64, count: u32| {
        let places: Vec<_> = (0..count).map(|k| cube([[2.0 * f64::from(k), y, 0.0]; 3])).collect();
        Row::new(0.0, &places)
    };
    let far = Stage::new([row(0.0, 100), row(50.0, 60)]);
    let least = 4 * far.rows.iter().map(|row| row.topology.nodes().len()).sum::<usize>();
    assert_eq!((far.list.len(), least), (1, 4 * (199 + 119)));
    let held = far.list.bytes();
    assert!((least..least + 1024).contains(&held), "{held}, at least {least}");
}

/// A list that other bodies get has nothing of the bodies before.
#[test]
fn an_emptied_list_starts_as_a_new_one() {
    let mut used = Stage::crossing();
    let mut met = Vec::new();
    used.list.take_met(&mut met);
    used.run(0.75);
    prepare_all(&mut used, begin(), &next_rows());
    used.list.take_met(&mut met);
    used.run(1.0);
    assert!(used.list.met.as_ref().is_some_and(|met| !met.is_empty()));
    used.with(|list, _, clock| list.retire(clock));
    used.list.empty();
    assert_eq!(used.list.left_ahead(begin()), 0);
    (used.rows, used.now) = ([Row::new(0.125, &resting()), Row::new(0.25, &wandering())], Moment::at(0.0));
    used.with(|list, rows, clock| list.restart(rows, OWNER, clock));
    let mut new = Stage::crossing();
    assert_eq!(used.list.left_ahead(begin()), used.list.place_count() as usize);
    for stage in [&mut used, &mut new] {
        stage.list.take_met(&mut Vec::new());
    }
    assert_eq!(used.events(), new.events());
    let mut again = [Vec::new(), Vec::new()];
    for (stage, again) in [&mut used, &mut new].into_iter().zip(&mut again) {
        stage.list.take_met(again);
        stage.run(1.0);
        stage.list.take_met(again);
    }
    assert_eq!(again[0], again[1]);
    assert!(!again[0].is_empty());
}
