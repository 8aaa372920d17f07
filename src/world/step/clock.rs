//! The clock: the time, the events to come, and what happened.

use std::collections::BTreeSet;

use ordered_float::OrderedFloat;

use crate::cancel::Cancel;
use crate::kinetic::EventContext;
use crate::kinetic::event::{EventLog, EventQueue};
use crate::time::{Moment, NEVER};
use crate::world::error::AdvanceError;
use crate::world::pair::scratch::Scratch;
use crate::world::step::extension::Extensions;
use crate::world::step::schedule::Schedule;

/// The clock of a world.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Clock {
    pub(crate) queue: EventQueue,
    pub(crate) log: EventLog,
    /// The moment up to which all events are processed; between calls always *at* a time, not after
    /// one. Where pairs of bodies became too many just after a time, it is the next number, and
    /// events of just after that time are still to come: they are processed as if they were of the
    /// clock's moment.
    pub(crate) now: Moment,
    /// The clock before the last advance, seconds.
    pub(crate) step_began: f64,
    /// The length of the last advance that had one, seconds; 0 before the first.
    pub(crate) step: f64,
    /// Whether events are processed for an advance, not for an edit.
    pub(crate) in_advance: bool,
    /// Changes of flightplans to come.
    pub(crate) schedule: Schedule,
    /// Certificates that end at a key that was the last one known.
    pub(crate) extensions: Extensions,
    /// When motions end that may not be asked beyond their ends, seconds, with their bodies.
    ends: BTreeSet<(OrderedFloat<f64>, u32)>,
    /// Events processed, and how many there were before the last advance.
    pub(crate) events: u64,
    pub(crate) events_before: u64,
    /// Epochs renewed.
    pub(crate) renewals: u64,
    /// What another thread cancels the present advance by. Neither clones nor saved worlds have it.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) cancel: Scratch<Option<Cancel>>,
    /// Scratch: bodies that began an epoch at the moment being processed. Empty between events.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) renewed: Vec<u32>,
}

impl Clock {
    /// A clock that stands at a time, seconds.
    pub(crate) fn new(start: f64, keep_events: bool) -> Self {
        Self {
            queue: EventQueue::new(),
            log: EventLog::new(keep_events),
            now: Moment::at(start),
            step_began: start,
            step: 0.0,
            in_advance: false,
            schedule: Schedule::default(),
            extensions: Extensions::default(),
            ends: BTreeSet::new(),
            events: 0,
            events_before: 0,
            renewals: 0,
            cancel: Scratch::default(),
            renewed: Vec::new(),
        }
    }

    /// Queue and log at a moment, for whatever processes an event.
    pub(crate) fn at(&mut self, now: Moment) -> EventContext<'_> {
        EventContext { queue: &mut self.queue, log: &mut self.log, now }
    }

    /// Queue and log at the clock's time.
    pub(crate) fn context(&mut self) -> EventContext<'_> {
        self.at(self.now)
    }

    /// A body's motion may not be asked beyond a time, seconds.
    pub(crate) fn add_end(&mut self, end: f64, body: u32) {
        if end < NEVER {
            self.ends.insert((OrderedFloat(end), body));
        }
    }

    /// Withdraws the end of a body's motion.
    pub(crate) fn remove_end(&mut self, end: f64, body: u32) {
        self.ends.remove(&(OrderedFloat(end), body));
    }

    /// The body whose motion ends first, if that is before a time.
    pub(crate) fn first_end_before(&self, time: f64) -> Option<u32> {
        self.ends.first().filter(|(end, _)| time > end.0).map(|&(_, body)| body)
    }

    /// When the next event or scheduled change may be due, seconds: at the clock's time or later.
    /// Where certificates are yet to be searched beyond a key, no later than that key.
    pub(crate) fn next_due(&self) -> Option<f64> {
        let event = self.queue.peek().map(|event| event.moment.time()).filter(|&time| time < NEVER);
        let extension = Some(self.extensions.first()).filter(|&time| time < NEVER);
        let due = event.into_iter().chain(self.schedule.next_time()).chain(extension);
        due.min_by(f64::total_cmp).map(|time| time.max(self.now.time()))
    }

    /// A bound was exceeded at the clock's time.
    pub(crate) fn beyond(&self, what: &'static str, most: usize) -> AdvanceError {
        AdvanceError::Limit { what, limit: most as u64, time: self.now.time() }
    }

    /// Whether the present advance was cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.0.as_ref().is_some_and(Cancel::is_cancelled)
    }

    /// The advance was cancelled at the clock's time.
    pub(crate) fn cancelled(&self) -> AdvanceError {
        self.beyond(AdvanceError::CANCELLED, 0)
    }

    /// The clock stands at the end of an advance.
    pub(crate) fn finish_step(&mut self, time: f64) {
        self.now = Moment::at(time);
        if time > self.step_began {
            self.step = time - self.step_began;
        }
    }
}
