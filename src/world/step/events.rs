//! Events up to a time, in their total order; and the epochs of bodies.

use crate::kinetic::event::{Event, EventKind, Ticket};
use crate::limits;
use crate::time::{Moment, NEVER, Side};
use crate::world::World;
use crate::world::body::Index;
use crate::world::contact::span::ContactStep;
use crate::world::error::AdvanceError;

impl World {
    /// Whether this advance has done as much as it may and can stop at a time between a moment and
    /// the next event. Of one moment all events are processed.
    fn stop_after(&mut self, moment: Moment, until: Moment) -> Option<AdvanceError> {
        let (what, limit) = if self.clock.events - self.clock.events_before >= self.limits.events.max(1) {
            (AdvanceError::EVENTS, self.limits.events)
        } else if self.pairs.is_crowded {
            (AdvanceError::CONTACTS, self.limits.contacts as u64)
        } else if self.contacts.changes_of_advance() > self.limits.changes.max(1) {
            ("begins and ends of contacts in one advance", self.limits.changes as u64)
        } else {
            return self.stop_if_cancelled(moment, until);
        };
        let time = moment.time().next_up();
        let next = self.clock.queue.peek().filter(|event| event.moment <= until)?;
        (time < next.moment.time()).then_some(AdvanceError::Limit { what, limit, time })
    }

    /// Whether this advance was cancelled and can stop: at the clock's time before its first event,
    /// or at a time between a moment and the next event. Before the windows of a pair end that has
    /// much to decide, that is decided a part at a time.
    fn stop_if_cancelled(&mut self, moment: Moment, until: Moment) -> Option<AdvanceError> {
        self.clock.cancel.0.as_ref()?;
        let next = self.clock.queue.peek().filter(|event| event.moment <= until)?;
        let now = Moment::at(self.clock.now.time());
        let is_first = moment == self.clock.now && next.moment > now;
        let time = if is_first { now.time() } else { moment.time().next_up() };
        if !(is_first || time < next.moment.time()) {
            return None;
        }
        // Windows end after other events of the same moment.
        let at = next.moment.time();
        let mut is_stopped = self.clock.is_cancelled();
        let mut from = 0;
        while !is_stopped && let Some(number) = self.pairs.windows.ending_at(at, from) {
            is_stopped = self.decide_before_window(number, at);
            from = number + 1;
        }
        is_stopped.then_some(AdvanceError::Limit { what: AdvanceError::CANCELLED, limit: 0, time })
    }

    /// Processes all events up to a moment. Events that an advance left behind, as pairs of bodies
    /// became too many just after a time, take place where the clock stands now: at the next
    /// number.
    pub(crate) fn process_until(&mut self, until: Moment) -> Result<(), AdvanceError> {
        let mut moment = self.clock.now;
        let (mut at_moment, mut scheduled) = (0, 0);
        loop {
            if self.clock.in_advance {
                // A clock that stands at a time has not seen what happens just after it: events of
                // that moment are processed to the end.
                if !self.pairs.overfull.is_empty()
                    && (moment.side() == Side::At || self.clock.queue.peek().is_none_or(|next| next.moment > moment))
                {
                    let time = if moment.side() == Side::At { moment.time() } else { moment.time().next_up() };
                    return Err(self.too_many_contacts(time));
                }
                if let Some(halt) = self.stop_after(moment, until) {
                    return Err(halt);
                }
            }
            let Some(mut event) = self.clock.queue.pop_until(until) else { break };
            event.moment = event.moment.max(self.clock.now);
            if event.moment != moment {
                debug_assert!(event.moment > moment, "{:?} after {moment:?}", event.moment);
                (moment, at_moment, scheduled) = (event.moment, 0, 0);
            }
            at_moment += 1;
            // The most that was scheduled in the course of this moment: at its end nothing may be
            // left.
            scheduled = scheduled.max(self.clock.queue.len() as u64 + 1);
            if at_moment > limits::MAX_EVENTS_PER_SLOT_AND_MOMENT * (scheduled + 64) {
                return Err(AdvanceError::Stuck { time: moment.time(), events: at_moment });
            }
            self.clock.events += 1;
            self.process(event);
            if self.pairs.broad_phase.is_full() {
                // The event is in the queue again.
                self.pairs.broad_phase.forget_full();
                self.clock.events -= 1;
                let limit = self.limits.most_body_pairs() as u64;
                // Just after a time, some bodies have left where they were at it, and others have
                // not: what touches at that time is not known any more.
                let time = if moment.side() == Side::At { moment.time() } else { moment.time().next_up() };
                return Err(AdvanceError::Limit { what: AdvanceError::PAIRS, limit, time });
            }
        }
        Ok(())
    }

    fn too_many_contacts(&self, time: f64) -> AdvanceError {
        AdvanceError::Limit { what: AdvanceError::CONTACTS, limit: self.limits.contacts as u64, time }
    }

    /// Decides what pairs put off whose contacts were too many.
    pub(crate) fn decide_overfull(&mut self) -> Result<(), AdvanceError> {
        for number in std::mem::take(&mut self.pairs.overfull) {
            self.step_contacts(number, self.clock.now, &ContactStep::Resume);
            let continuous = self.pairs[number].continuous.as_ref();
            if continuous.and_then(|of_pair| of_pair.put_off.as_ref()).is_some_and(|put_off| put_off.is_beyond()) {
                self.pairs.overfull.remove(&number);
                self.step_contacts(number, self.clock.now, &ContactStep::Resume);
            }
        }
        if self.pairs.overfull.is_empty() { Ok(()) } else { Err(self.too_many_contacts(self.time())) }
    }

    fn process(&mut self, event: Event) {
        match event.kind {
            EventKind::Renewal => self.process_renewals(event),
            EventKind::Leaf | EventKind::Tree => {
                self.process_tree_event(event);
                self.rebuild_if_due(event.owner, event.moment);
            }
            EventKind::FatBoxLeft | EventKind::BodiesMeet | EventKind::BodiesSeparate => {
                self.pairs.process_broad_phase(event, &self.bodies, &mut self.clock.at(event.moment));
                self.process_body_pairs(event.moment);
            }
            EventKind::BoxesOverlap | EventKind::LeavesSeparate | EventKind::ParentsSeparate => {
                if self.pairs.process_list(event, &self.bodies, &mut self.clock.at(event.moment)) {
                    self.step_contacts(event.owner, event.moment, &ContactStep::Met);
                }
            }
            EventKind::Window => self.step_contacts(event.owner, event.moment, &ContactStep::WindowEnds),
            EventKind::TrianglesTouch | EventKind::TrianglesSeparate => {
                self.step_contacts(event.owner, event.moment, &ContactStep::Event(event));
            }
        }
    }

    /// Begins the epochs of all bodies that begin one at the moment of an event, and certifies them
    /// together.
    fn process_renewals(&mut self, first: Event) {
        let moment = first.moment;
        let mut renewed = std::mem::take(&mut self.clock.renewed);
        let mut event = first;
        loop {
            self.clock.renewals += 1;
            self.bodies.at_mut(event.owner).epoch.renewal = Ticket::NONE;
            self.begin_epoch(event.owner, moment);
            renewed.push(event.owner);
            // Each body once: one whose epoch ended again would go on without end.
            let is_alike =
                |next: &Event| next.kind == EventKind::Renewal && next.moment == moment && next.owner > event.owner;
            if !self.clock.queue.peek().is_some_and(|next| is_alike(&next)) {
                break;
            }
            let Some(next) = self.clock.queue.pop_until(moment) else { break };
            self.clock.events += 1;
            event = next;
        }
        self.certify_renewed(&renewed, moment);
        renewed.clear();
        self.clock.renewed = renewed;
    }

    fn process_tree_event(&mut self, event: Event) {
        self.bodies.process_tree(event, &mut self.clock.at(event.moment));
        self.pairs.bounds_changed(event.owner, &self.bodies, &mut self.clock.at(event.moment));
    }

    /// Begins a body's epoch at a moment, and certifies everything the body takes part in.
    pub(crate) fn renew(&mut self, index: u32, now: Moment) {
        self.begin_epoch(index, now);
        if self.bodies.at(index).is_kinetic() {
            self.certify_renewed(&[index], now);
        }
    }

    /// Certifies everything that some bodies take part in, by ascending index, which began an epoch
    /// at a moment.
    fn certify_renewed(&mut self, indices: &[u32], now: Moment) {
        if self.trees_are_idle {
            return;
        }
        for &index in indices {
            self.bodies.certify_tree(index, &mut self.clock.at(now));
        }
        self.pairs.certify_all(indices, &mut self.bodies, &mut self.clock.at(now));
        for &index in indices {
            self.forget_extensions(index);
        }
    }

    /// Sets a body's slack and the end of its epoch, and schedules the next epoch.
    pub(crate) fn begin_epoch(&mut self, index: u32, now: Moment) {
        let body = self.bodies.at_mut(index);
        let end = body.epoch_end(now);
        body.epoch.end = end.time();
        body.epoch.slack = body.motion.slack(now);
        self.bodies.begin_epoch(index, now);
        let body = self.bodies.at_mut(index);
        let queue = &mut self.clock.queue;
        queue.set(&mut body.epoch.renewal, None);
        if end.time() < NEVER && matches!(body.index, Index::Kinetic(_)) {
            let event = Event { moment: end, kind: EventKind::Renewal, owner: index, slot: 0 };
            body.epoch.renewal = queue.push(event);
            self.bodies.renewals.insert(index, end);
        } else {
            self.bodies.renewals.remove(&index);
        }
    }
}
