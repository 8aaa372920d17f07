//! Tests of the broad phase alone, over boxes with prescribed motion.

use std::collections::BTreeSet;

use super::{Bodies, BodyPairEvent, KineticBroadPhase};
use crate::kinetic::EventContext;
use crate::kinetic::event::{Event, EventLog, EventQueue};
use crate::math::{Aabb, Extent};
use crate::motion::{KeyTrack, Piece};
use crate::time::{Moment, NEVER};

pub(super) const SLACK: f64 = 1e-9;

/// Cubes of unit side whose centres move along x, linearly from knot to knot and not outside.
pub(super) struct Cubes {
    /// Per body: y of the centre, and its knots (time, x).
    pub(super) ways: Vec<(f64, Vec<(f64, f64)>)>,
    /// Bodies of one group do not meet.
    pub(super) groups: Vec<u32>,
}

impl Cubes {
    pub(super) fn box_at(&self, body: u32, at: Moment) -> Aabb {
        let side = |extent| self.bound(body, extent, at).at(at.time());
        Aabb {
            min: std::array::from_fn(|axis| side(Extent::min(axis)) - SLACK),
            max: std::array::from_fn(|axis| side(Extent::max(axis)) + SLACK),
        }
    }
}

impl Bodies for Cubes {
    fn bound(&self, body: u32, extent: Extent, at: Moment) -> Piece {
        let (y, knots) = &self.ways[body as usize];
        let half = if extent.is_max() { 0.5 } else { -0.5 };
        match extent.axis() {
            1 => return Piece::constant(f64::NEG_INFINITY, NEVER, y + half),
            2 => return Piece::constant(f64::NEG_INFINITY, NEVER, half),
            _ => {}
        }
        let next = knots.iter().position(|&(time, _)| Moment::at(time) >= at).unwrap_or(knots.len());
        match (next.checked_sub(1).map(|last| knots[last]), knots.get(next)) {
            (None, Some(&(time, x))) => Piece::constant(f64::NEG_INFINITY, time, x + half),
            (Some((begin, x0)), Some(&(end, x1))) => Piece::linear(begin, end, x0 + half, x1 + half),
            (Some((time, x)), None) => Piece::constant(time, NEVER, x + half),
            (None, None) => Piece::constant(f64::NEG_INFINITY, NEVER, half),
        }
    }

    fn bound_row(&self, _: u32, _: Extent) -> Option<KeyTrack<'_>> {
        None
    }

    fn slack(&self, _: u32) -> f64 {
        SLACK
    }

    fn epoch_end(&self, _: u32) -> f64 {
        NEVER
    }

    fn may_meet(&self, a: u32, b: u32) -> bool {
        self.groups[a as usize] != self.groups[b as usize]
    }
}

/// A broad phase with its queue, and the pairs that it reports as meeting.
pub(super) struct Stage {
    pub(super) cubes: Cubes,
    pub(super) broad_phase: KineticBroadPhase,
    pub(super) queue: EventQueue,
    log: EventLog,
    pub(super) met: BTreeSet<(u32, u32)>,
}

impl Stage {
    pub(super) fn new(cubes: Cubes, broad_phase: KineticBroadPhase) -> Self {
        let mut stage =
            Self { cubes, broad_phase, queue: EventQueue::new(), log: EventLog::new(false), met: BTreeSet::new() };
        for body in 0..stage.cubes.ways.len() as u32 {
            stage.act(Moment::at(0.0), |broad_phase, cubes, clock| {
                broad_phase.join(body, cubes, clock);
            });
        }
        stage
    }

    pub(super) fn act(
        &mut self,
        now: Moment,
        action: impl FnOnce(&mut KineticBroadPhase, &Cubes, &mut EventContext<'_>),
    ) {
        let mut clock = EventContext { queue: &mut self.queue, log: &mut self.log, now };
        action(&mut self.broad_phase, &self.cubes, &mut clock);
        for BodyPairEvent { a, b, met } in self.broad_phase.take_changes() {
            let is_news = if met { self.met.insert((a, b)) } else { self.met.remove(&(a, b)) };
            assert!(is_news, "{a} and {b}: {met}");
        }
    }

    /// Processes events until a time; returns how many.
    pub(super) fn run(&mut self, time: f64) -> usize {
        let mut events = 0;
        while let Some(event) = self.queue.pop_until(Moment::at(time)) {
            events += 1;
            self.act(event.moment, |broad_phase, cubes, clock| {
                broad_phase.process(event, cubes, clock);
            });
        }
        events
    }

    /// Processes the next event.
    pub(super) fn run_one(&mut self) -> Option<Event> {
        let event = self.queue.pop_until(Moment::at(NEVER))?;
        self.act(event.moment, |broad_phase, cubes, clock| broad_phase.process(event, cubes, clock));
        Some(event)
    }

    pub(super) fn audit(&self, now: f64) {
        let next = self.queue.peek().map_or(now + 1.0, |event| event.moment.time());
        let at = Moment::at(0.5 * (now + next));
        let members = (0..self.cubes.ways.len() as u32).filter(|&body| self.broad_phase.contains(body));
        let boxes: Vec<(u32, Aabb)> = members.map(|body| (body, self.cubes.box_at(body, at))).collect();
        let report = self.broad_phase.audit(&self.cubes, &boxes, &self.queue, Moment::at(now));
        assert!(report.is_clean() && report.checks > boxes.len(), "at {now}: {report}");
        assert_eq!(self.broad_phase.meeting().collect::<BTreeSet<_>>(), self.met);
    }
}

pub(super) fn still(places: &[(f64, f64)]) -> Cubes {
    let ways = places.iter().map(|&(x, y)| (y, vec![(0.0, x)])).collect();
    Cubes { ways, groups: (0..places.len() as u32).collect() }
}

#[test]
fn cubes_meet_at_the_time_they_touch_and_part_just_after() {
    let mut cubes = still(&[(0.0, 0.0), (10.0, 0.0)]);
    // Touches at 3, stays in touch until 4, is back at 7.
    cubes.ways[1].1 = vec![(0.0, 4.0), (3.0, 1.0), (4.0, 1.0), (7.0, 4.0)];
    let mut stage = Stage::new(cubes, KineticBroadPhase::default());
    stage.run(2.999_999);
    assert!(stage.met.is_empty());
    stage.audit(2.999_999);
    stage.run(3.0);
    assert_eq!(stage.met, BTreeSet::from([(0, 1)]));
    stage.run(4.0);
    assert_eq!(stage.met.len(), 1);
    stage.run(4.000_001);
    assert!(stage.met.is_empty());
    stage.audit(4.000_001);
    assert_eq!((stage.broad_phase.stats().met, stage.broad_phase.stats().parted), (1, 1));
}

#[test]
fn a_touch_of_one_instant_is_not_missed() {
    let mut cubes = still(&[(0.0, 0.0), (10.0, 0.0)]);
    cubes.ways[1].1 = vec![(0.0, 4.0), (3.0, 1.0), (6.0, 4.0)];
    let mut stage = Stage::new(cubes, KineticBroadPhase::default());
    stage.run(3.0);
    assert_eq!(stage.met.len(), 1);
    stage.run(3.000_001);
    assert!(stage.met.is_empty());
}

#[test]
fn bodies_at_rest_have_no_events_and_tight_fat_boxes() {
    let stage = Stage::new(still(&[(0.0, 0.0), (0.5, 0.0), (1.6, 0.0)]), KineticBroadPhase::default());
    assert!(stage.queue.is_empty());
    // The first two overlap; the third is a tenth of a metre off, and makes no pair.
    assert_eq!(stage.met, BTreeSet::from([(0, 1)]));
    assert_eq!(stage.broad_phase.stats().overlapping, 1);
    stage.audit(0.0);
}

#[test]
fn a_popular_fat_box_shrinks() {
    // The first comes into an empty world and takes its whole way; then twenty bodies stand beside
    // it.
    let mut cubes = still(&[(0.0, 0.0); 21]);
    cubes.ways[0].1 = vec![(0.0, 0.0), (100.0, 100.0)];
    for (body, way) in cubes.ways.iter_mut().enumerate().skip(1) {
        *way = (1.05, vec![(0.0, 20.0 + 3.0 * body as f64)]);
    }
    let mut stage = Stage::new(cubes, KineticBroadPhase::default());
    assert!(stage.broad_phase.stats().overlapping > 8, "{:?}", stage.broad_phase.stats());
    let events = stage.run(0.0);
    assert!(events > 0 && stage.broad_phase.stats().overlapping <= 8, "{:?}", stage.broad_phase.stats());
    stage.audit(0.0);
    for step in 1..=50 {
        stage.run(2.0 * f64::from(step));
        assert!(stage.broad_phase.stats().overlapping <= 8);
        stage.audit(2.0 * f64::from(step));
    }
    assert!(stage.met.is_empty());
}

#[test]
fn permissions_are_asked_and_may_change() {
    let mut cubes = still(&[(0.0, 0.0), (0.5, 0.0), (0.7, 0.0)]);
    cubes.groups = vec![0, 0, 1];
    let mut stage = Stage::new(cubes, KineticBroadPhase::default());
    assert_eq!(stage.met, BTreeSet::from([(0, 2), (1, 2)]));
    stage.cubes.groups = vec![0, 2, 0];
    for (a, b) in [(0, 1), (1, 0), (0, 2), (2, 1)] {
        stage.act(Moment::at(1.0), |broad_phase, cubes, clock| {
            broad_phase.permission_changed([a, b], cubes, clock);
        });
    }
    assert_eq!(stage.met, BTreeSet::from([(0, 1), (1, 2)]));
    stage.audit(1.0);
    stage.act(Moment::at(1.0), |broad_phase, _, clock| broad_phase.leave(1, clock));
    assert!(stage.met.is_empty() && stage.broad_phase.stats().overlapping == 0);
    stage.audit(1.0);
}

#[test]
fn more_pairs_than_there_may_be_are_noticed() {
    let places: Vec<(f64, f64)> = (0..4).map(|body| (0.1 * f64::from(body), 0.0)).collect();
    assert!(!Stage::new(still(&places), KineticBroadPhase::with_most_pairs(6)).broad_phase.is_full());
    let mut stage = Stage::new(still(&places), KineticBroadPhase::with_most_pairs(5));
    // The last body has all of its three pairs or none.
    assert!(stage.broad_phase.is_full() && stage.broad_phase.stats().overlapping == 3);
    stage.act(Moment::at(0.0), |broad_phase, _, clock| broad_phase.leave(3, clock));
    stage.broad_phase.forget_full();
    stage.audit(0.0);
}

#[test]
fn room_of_events_is_used_again_and_loses_none() {
    let mut stage = Stage::new(still(&[(0.0, 0.0), (10.0, 0.0)]), KineticBroadPhase::default());
    let room = Vec::with_capacity(1_000);
    stage.broad_phase.keep_changes(room);
    assert!(stage.broad_phase.take_changes().capacity() >= 1_000);
    // Events that were not taken yet stay when room is given back.
    let met = BodyPairEvent { a: 0, b: 1, met: true };
    stage.broad_phase.changes.push(met);
    stage.broad_phase.keep_changes(Vec::with_capacity(1_000));
    assert_eq!(stage.broad_phase.take_changes(), [met]);
    // What was in the room is no event.
    stage.broad_phase.keep_changes(vec![met]);
    assert!(stage.broad_phase.take_changes().is_empty());
}
