//! The clock: events up to a time, in their total order.

use crate::kinetic::SeparationList;
use crate::kinetic::event::{Event, EventKind, Ticket};
use crate::limits;
use crate::time::{Moment, NEVER};
use crate::world::contact::continuous::Partners;
use crate::world::pair::broad_phase::members;
use crate::world::rule::PairRule;
use crate::world::{AdvanceError, BodyPair, Index, World, WorldError};

impl World {
    /// Advances the clock to `time` (seconds), then finds what touches at that very time.
    ///
    /// The events processed do not depend on how often the host advances: once far or a thousand times a little give the
    /// same log. Advancing to the present time is allowed and changes nothing.
    ///
    /// O(log n) per event and slot it changes, plus one exact triangle test per candidate pair of bodies that may have moved;
    /// O(1) if nothing moves.
    ///
    /// Scheduled changes are carried out on the way. Plans in force now must reach to `time`, and so must plans that come into force
    /// by then: where one is to follow another that ends, advance to the change first.
    ///
    /// # Errors
    /// A time that is not usable, earlier than now, or outside the motion of a body that says so; the world is unchanged.
    /// [`AdvanceError::Change`] if a scheduled change is not possible any more: the clock stands at its time.
    pub fn advance_to(&mut self, time: f64) -> Result<(), AdvanceError> {
        if !(time.abs() <= limits::MAX_TIME) {
            return Err(AdvanceError::BadTime { to: time });
        }
        if time < self.now.time() {
            return Err(AdvanceError::Backwards { now: self.now.time(), to: time });
        }
        // All spans contain the present, so only their ends can be in the way.
        if let Some(&(end, body)) = self.ends.first()
            && time > end.0
        {
            let body = self.bodies.at(body);
            return Err(AdvanceError::OutsideSpan { body: body.name.clone(), to: time, span: body.allowed });
        }
        self.check_scheduled_spans(time)?;
        self.step_began = self.now.time();
        self.contacts.begin_turns();
        self.in_advance = true;
        let outcome = self.process_changes_until(time);
        self.in_advance = false;
        if outcome.is_err() {
            // The clock may stand elsewhere, and contacts were not looked for.
            let all: Vec<u32> = self.bodies.iter().map(|(id, _)| id.index()).collect();
            for body in all {
                self.bodies.at_mut(body).forget_place();
                self.bodies.at_mut(body).forget_refitted();
            }
        }
        outcome?;
        self.now = Moment::at(time);
        if time > self.step_began {
            self.step = time - self.step_began;
        }
        self.contacts.begin_step();
        Ok(self.find_contacts()?)
    }

    /// Processes all events up to a moment.
    pub(crate) fn process_until(&mut self, until: Moment) -> Result<(), Halt> {
        let mut moment = self.now;
        let (mut at_moment, mut scheduled) = (0, 0);
        while let Some(event) = self.queue.pop_until(until) {
            if event.moment != moment {
                debug_assert!(event.moment > moment, "{:?} after {moment:?}", event.moment);
                (moment, at_moment, scheduled) = (event.moment, 0, 0);
            }
            at_moment += 1;
            // The most that was scheduled in the course of this moment: at its end nothing may be left.
            scheduled = scheduled.max(self.queue.len() as u64 + 1);
            if at_moment > limits::MAX_EVENTS_PER_SLOT_AND_MOMENT * (scheduled + 64) {
                return Err(Halt::Stuck { time: moment.time(), events: at_moment });
            }
            self.events += 1;
            self.process(event);
            if self.broad_phase.is_full() {
                return Err(Halt::TooMany);
            }
        }
        Ok(())
    }

    fn process(&mut self, event: Event) {
        match event.kind {
            EventKind::Renewal => {
                self.renewals += 1;
                self.bodies.at_mut(event.owner).renewal = Ticket::NONE;
                self.renew(event.owner, event.moment);
            }
            EventKind::Leaf | EventKind::Tree => {
                let body = self.bodies.at_mut(event.owner);
                let Index::Kinetic(tree) = &mut body.index else { return };
                let mut clock = event_context!(self, event.moment);
                self.slot_changes.clear();
                tree.process(event, &body.motion, body.epoch_end, &mut clock, &mut self.slot_changes);
                self.notify(event.owner, event.moment);
                self.rebuild_if_due(event.owner, event.moment);
            }
            EventKind::FatBoxLeft | EventKind::BodiesMeet | EventKind::BodiesSeparate => {
                let mut clock = event_context!(self, event.moment);
                self.broad_phase.process(event, &members!(self), &mut clock, &mut self.body_pair_events);
                self.follow_body_pair_events(event.moment);
            }
            EventKind::BoxesOverlap | EventKind::LeavesSeparate | EventKind::ParentsSeparate => {
                let pair = &mut self.pairs[event.owner as usize];
                let lives = pair.kinetic_view(&self.bodies, event.moment);
                let (Some(list), Some((a, b))) = (&mut pair.list, lives) else { return };
                list.process(event, &a, &b, &mut event_context!(self, event.moment));
                self.step_contacts(event.owner, event.moment, &Step::Met);
            }
            EventKind::Window => self.step_contacts(event.owner, event.moment, &Step::WindowEnds),
            EventKind::TrianglesTouch | EventKind::TrianglesSeparate => {
                self.step_contacts(event.owner, event.moment, &Step::Event(event));
            }
        }
    }

    /// Carries the continuous contacts of a pair of bodies over one step; nothing unless they are wanted.
    pub(crate) fn step_contacts(&mut self, number: u32, now: Moment, step: &Step<'_>) {
        match step {
            Step::Met | Step::PlansChanged(_) => self.follow_interval(number, now, now),
            // What lies beyond the window begins just after it.
            Step::WindowEnds => self.follow_interval(number, Moment::after(now.time()), now),
            Step::Event(_) | Step::Invalidate(_) | Step::Retire => {}
        }
        let BodyPair { a, b, distance, list, interval, continuous, ignored, .. } = &mut self.pairs[number as usize];
        let Some(continuous) = continuous else { return };
        if list.is_none() && interval.is_none() {
            return;
        }
        let (body_a, body_b) = (self.bodies.at(*a), self.bodies.at(*b));
        let rule = PairRule::of(*a == *b, body_a, *distance, ignored);
        let partners = Partners { a: body_a, b: body_b, rule, owner: number, interval: interval.as_deref() };
        continuous.needed_from = self.step_began;
        let mut clock = event_context!(self, now);
        let (mut transitions, mut leaves) = (Vec::new(), Vec::new());
        match step {
            Step::Met => {
                met(list.as_mut(), &mut leaves);
                if !leaves.is_empty() {
                    continuous.decide(&leaves, &partners, &mut transitions, &mut clock);
                }
            }
            Step::WindowEnds => {
                overlapping(list.as_ref(), &mut leaves);
                continuous.next_windows(&leaves, &partners, &mut transitions, &mut clock);
            }
            Step::Event(event) => continuous.process(*event, number, &mut transitions, &mut clock),
            Step::PlansChanged(is_affected) => {
                overlapping(list.as_ref(), &mut leaves);
                continuous.plans_changed(&leaves, is_affected, &partners, &mut transitions, &mut clock);
            }
            Step::Invalidate(is_affected) => {
                continuous.invalidate(is_affected, &mut clock);
                met(list.as_mut(), &mut leaves);
                continuous.decide(&leaves, &partners, &mut transitions, &mut clock);
            }
            Step::Retire => continuous.retire(number, &mut transitions, &mut clock),
        }
        self.contacts.retest_at(continuous.take_retests());
        let ids = (self.bodies.id_at(*a), self.bodies.id_at(*b));
        self.contacts.turn(transitions, ids, self.in_advance);
    }

    /// Tells the crowd and the separation lists of a body which of its slots changed.
    pub(crate) fn notify(&mut self, body: u32, now: Moment) {
        for change in self.slot_changes.iter().filter(|change| change.node == 0) {
            self.broad_phase.bound_changed(body, change.extent, &members!(self), &mut event_context!(self, now));
        }
        for &pair in &self.bodies.at(body).pairs {
            let pair = &mut self.pairs[pair as usize];
            let lives = pair.kinetic_view(&self.bodies, now);
            let (Some(list), Some((live_a, live_b))) = (&mut pair.list, lives) else { continue };
            let mut clock = event_context!(self, now);
            for side in
                [pair.a == body, pair.b == body].into_iter().enumerate().filter_map(|(side, here)| here.then_some(side))
            {
                for &change in &self.slot_changes {
                    list.bound_changed(side, change, &live_a, &live_b, &mut clock);
                }
            }
        }
    }

    /// Begins a body's epoch at a moment: slack, horizon, and every certificate it takes part in.
    pub(crate) fn renew(&mut self, index: u32, now: Moment) {
        self.begin_epoch(index, now);
        let body = self.bodies.at_mut(index);
        let Index::Kinetic(tree) = &mut body.index else { return };
        self.slot_changes.clear();
        tree.certify_all(&body.motion, body.epoch_end, &mut event_context!(self, now), &mut self.slot_changes);
        self.broad_phase.certify_all(index, &members!(self), &mut event_context!(self, now));
        for &pair in &self.bodies.at(index).pairs {
            let pair = &mut self.pairs[pair as usize];
            let lives = pair.kinetic_view(&self.bodies, now);
            if let (Some(list), Some((a, b))) = (&mut pair.list, lives) {
                list.certify_all(&a, &b, &mut event_context!(self, now));
            }
        }
    }

    /// Sets a body's slack and horizon, and schedules the end of the epoch.
    pub(crate) fn begin_epoch(&mut self, index: u32, now: Moment) {
        let body = self.bodies.at_mut(index);
        let end = body.motion.epoch_end(now);
        body.epoch_end = end.time();
        body.slack = body.motion.slack(now);
        if body.renewal.is_some() {
            self.queue.erase(body.renewal);
            body.renewal = Ticket::NONE;
        }
        if end.time() < NEVER && matches!(body.index, Index::Kinetic(_)) {
            body.renewal = self.queue.push(Event { moment: end, kind: EventKind::Renewal, owner: index, slot: 0 });
        }
    }
}

/// Appends the leaf pairs of a list that met since that was last asked; without one, that of the roots.
fn met(list: Option<&mut SeparationList>, leaves: &mut Vec<(u32, u32)>) {
    match list {
        Some(list) => list.take_met(leaves),
        None => leaves.push((0, 0)),
    }
}

/// Appends the leaf pairs of a list that overlap, sorted; without one, that of the roots.
fn overlapping(list: Option<&SeparationList>, leaves: &mut Vec<(u32, u32)>) {
    match list {
        Some(list) => leaves.extend(list.overlapping()),
        None => leaves.push((0, 0)),
    }
    leaves.sort_unstable();
}

/// What happens to the continuous contacts of a pair of bodies.
pub(crate) enum Step<'a> {
    /// Leaves may have met.
    Met,
    /// The earliest window ends.
    WindowEnds,
    /// Triangles touch or part.
    Event(Event),
    /// Flightplans changed; says which leaf pairs that concerns.
    PlansChanged(&'a dyn Fn((u32, u32)) -> bool),
    /// Leaves are others than before; says which leaf pairs that concerns. [`Step::PlansChanged`] is to follow at the same
    /// moment.
    Invalidate(&'a dyn Fn((u32, u32)) -> bool),
    /// The pair is watched no longer.
    Retire,
}

/// Why the world cannot go on.
#[derive(Debug)]
pub(crate) enum Halt {
    /// Too many events at one moment.
    Stuck { time: f64, events: u64 },
    /// More pairs of bodies than can be named.
    TooMany,
}

impl Halt {
    pub(crate) const PAIRS: &'static str = "pairs of bodies";
}

impl From<Halt> for AdvanceError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stuck { time, events } => Self::Stuck { time, events },
            Halt::TooMany => Self::TooMany { what: Halt::PAIRS },
        }
    }
}

impl From<Halt> for WorldError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stuck { time, events } => Self::Stuck { time, events },
            Halt::TooMany => Self::TooMany { what: Halt::PAIRS },
        }
    }
}
