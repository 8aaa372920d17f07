//! The world: bodies with known motion, a clock, and what touches now. What a host embeds.
//!
//! ```text
//! add_body, remove_body, set_flightplan ─► trees and separation lists ◄─ advance_to(t): events up to t, in order
//!                                                   │
//!                        overlapping leaf pairs ─► exact triangle tests at t ─► contacts, contact_changes
//! ```
//!
//! At rest the clock stands *at* a time: gaps that close at that time are closed, gaps that open at
//! it are still closed.

mod body;
mod caps;
mod change;
mod contact;
mod def;
mod engine;
mod error;
mod pair;
mod query;
mod recording;
mod rule;
#[cfg(feature = "record")]
mod saved;
mod step;
mod tree;
mod trial;

pub use caps::WorldLimits;
pub use change::edit::{Edit, NewVertex};
pub use contact::span::TimeEnclosure;
pub use contact::{Contact, ContactChange, OngoingContact};
pub use def::{BodyDef, BodyShape, ContactMode, Filter, IgnoredContacts, RebuildPolicy, TreeDef, WorldDef};
pub use engine::Engine;
pub use error::{AdvanceError, WorldError};
pub use query::hosted::{Candidate, NarrowPhase, PrimitiveAt};
pub use query::next::NextEvent;
pub use query::pair::PairView;
pub use query::pair_changes::BodyPairChange;
pub use query::snapshot::Snapshot;
pub use query::spatial::{NearestPoint, Query, RayHit};
pub use query::view::{BodyView, CutPair, NodeBox};
#[cfg(feature = "io")]
pub(crate) use recording::IdentityFrame;
pub use recording::{BakedContacts, BakedContactsError, BakedInterval, WorldIdentity};
#[cfg(feature = "record")]
pub use saved::{HostSampler, LoadError, SampledBody, SaveError};
pub use step::schedule::ChangeId;
pub use step::within::Progress;
pub use trial::{Trial, TrialContact, TrialError};

use crate::id::BodyId;
use crate::kinetic::event::{EventLog, LoggedEvent, QueueOperation};
use crate::limits;
use crate::time::Moment;

use body::bodies::Bodies;
use contact::set::ContactSet;
use pair::Pairs;
use step::clock::Clock;
use step::schedule::{Change, Scheduled};

/// Bodies in motion, and their contacts. See the crate's first page for a host loop.
///
/// A clone has the future of the original, bit for bit, and shares nothing that changes: a host
/// that predicts and corrects keeps a clone of each step and goes on from it. Cloning copies what
/// the world keeps ([`World::stats`], `bytes`); motions that bodies share by [`std::sync::Arc`]
/// stay shared.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct World {
    engine: Engine,
    contact_mode: ContactMode,
    /// Whether no body has certificates and no two bodies have a list ([`step::idle`]).
    #[cfg_attr(feature = "record", serde(skip))]
    trees_are_idle: bool,
    limits: WorldLimits,
    bodies: Bodies,
    pairs: Pairs,
    clock: Clock,
    contacts: ContactSet,
}

impl World {
    /// An empty world.
    ///
    /// # Errors
    /// [`WorldError::BadTime`] if the start is not a usable time, [`WorldError::NeedsKinetic`] for
    /// continuous contacts with another engine than kinetic.
    ///
    /// ```
    /// use kinetree::{Engine, World, WorldDef};
    ///
    /// let world = World::new(WorldDef::new().engine(Engine::Kinetic).start(-0.5))?;
    /// assert_eq!((world.time(), world.contacts().len()), (-0.5, 0));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn new(def: WorldDef) -> Result<Self, WorldError> {
        if !(def.start.abs() <= limits::MAX_TIME) {
            return Err(WorldError::BadTime { time: def.start });
        }
        let is_kinetic = matches!(def.engine, Engine::Auto | Engine::Kinetic);
        if def.contacts == ContactMode::Continuous && !is_kinetic {
            return Err(WorldError::NeedsKinetic { engine: def.engine });
        }
        Ok(Self {
            engine: def.engine,
            contact_mode: def.contacts,
            trees_are_idle: def.idle_trees && def.contacts == ContactMode::Continuous && !def.keep_events,
            limits: def.limits,
            bodies: Bodies::new(),
            pairs: Pairs::new(&def.limits),
            clock: Clock::new(def.start, def.keep_events),
            contacts: ContactSet::new(def.contacts == ContactMode::Continuous),
        })
    }

    /// The clock, seconds.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(0.5)?;
    /// assert_eq!(world.time(), 0.5);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn time(&self) -> f64 {
        self.clock.now.time()
    }

    /// All bodies, in the order of their indices.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// assert_eq!(world.bodies().collect::<Vec<_>>(), [floor, ball]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> {
        self.bodies.iter().map(|(id, _)| id)
    }

    /// Advances the clock to `time` (seconds), then finds what touches at that very time.
    ///
    /// The events processed do not depend on how often the host advances: once far or a thousand
    /// times a little give the same log. Advancing to the present time is allowed and changes
    /// nothing.
    ///
    /// O(log n) per event and slot it changes, plus one exact triangle test per candidate pair of
    /// bodies that may have moved; O(1) if nothing moves.
    ///
    /// Scheduled changes are carried out on the way. Plans in force now must reach to `time`, and
    /// so must plans that come into force by then: where one is to follow another that ends,
    /// advance to the change first.
    ///
    /// # Errors
    /// A time that is not usable, earlier than now, or outside the motion of a body that says so;
    /// the world is unchanged. [`AdvanceError::Change`] if a scheduled change is not possible any
    /// more: the clock stands at its time. [`AdvanceError::Limit`] beyond one of [`WorldLimits`].
    /// For events and changes, all is as after an advance to the time in the error, which lies
    /// before `time`. For contacts, candidates and pairs of bodies [`World::contacts`] are those of
    /// before, and no change of contacts at times is told. The clock stands at `time`; if
    /// continuous contacts, or pairs of kinetic bodies, are too many in the course of the advance,
    /// at the time at which they become so, or just after it. In all cases the next advance, which
    /// may be to the same time, goes on as if there had been no error, with the exceptions that
    /// [`WorldLimits`] states. Changes of contacts at times are then told since the last advance
    /// whose contacts were found. Those of continuous contacts are told once, by the advance in
    /// which they come about: also by one that ends in an error.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(0.5)?; // Seconds.
    /// assert!(world.contacts().is_empty());
    /// world.advance_to(1.0)?;
    /// assert_eq!(world.contacts().len(), 1);
    /// assert_eq!(world.advance_to(0.5).unwrap_err().to_string(), "cannot advance backwards, from 1 s to 0.5 s");
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn advance_to(&mut self, time: f64) -> Result<(), AdvanceError> {
        self.begin_advance(time)?;
        let outcome = if time > self.time() && self.clock.is_cancelled() {
            // What is due now is no part of what was cancelled.
            self.process_changes_until(self.time()).and_then(|()| Err(self.clock.cancelled()))
        } else {
            self.process_changes_until(time)
        };
        self.end_advance(time, outcome)
    }

    /// Checks and begins an advance to a time.
    fn begin_advance(&mut self, time: f64) -> Result<(), AdvanceError> {
        self.check_advance(time)?;
        // From here on nothing of the advance before is told or certified, whatever comes of this
        // one.
        self.contacts.begin_advance();
        self.clock.step_began = self.clock.now.time();
        self.clock.in_advance = true;
        let completed = self.decide_overfull().and_then(|()| self.complete_pairs());
        self.clock.in_advance = false;
        if completed.is_err() {
            self.contacts.leave_step_out();
        }
        completed?;
        self.pairs.is_crowded = false;
        self.pairs.spare.0.count_advance();
        self.clock.in_advance = true;
        self.clock.events_before = self.clock.events;
        self.extend_some(time);
        self.prepare_ahead(time);
        Ok(())
    }

    /// Ends an advance to a time whose events were processed, or why they were not all.
    fn end_advance(&mut self, time: f64, outcome: Result<(), AdvanceError>) -> Result<(), AdvanceError> {
        self.clock.in_advance = false;
        if let Err(AdvanceError::Limit { time: reached, what, .. }) = outcome {
            if what == AdvanceError::PAIRS || !self.pairs.overfull.is_empty() {
                // Events of that very time, or of just before it, are still to come.
                self.contacts.is_stale = true;
                self.contacts.leave_step_out();
                self.clock.finish_step(reached);
                self.bodies.forget_places();
                return outcome;
            }
            let ended = self.end_step(reached);
            // What is too much where an advance was cancelled is told by the next one.
            return if what == AdvanceError::CANCELLED { outcome } else { ended.and(outcome) };
        }
        if outcome.is_err() {
            // The clock may stand elsewhere, and contacts were not found.
            self.contacts.is_stale = true;
            self.contacts.leave_step_out();
            self.bodies.forget_places();
        }
        outcome?;
        self.end_step(time)
    }

    /// Everything has happened up to a time: finds what touches then.
    fn end_step(&mut self, time: f64) -> Result<(), AdvanceError> {
        self.clock.finish_step(time);
        self.contacts.begin_step();
        let outcome = self.find_contacts();
        if outcome.is_err() {
            self.contacts.break_step_off();
        }
        outcome
    }

    /// The bounds on memory and work.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::WorldLimits;
    ///
    /// assert_eq!(world.limits(), WorldLimits::default());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn limits(&self) -> WorldLimits {
        self.limits
    }

    /// Replaces the bounds on memory and work; nothing is done that a bound has kept from being
    /// done.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::WorldLimits;
    ///
    /// world.set_limits(WorldLimits { events: 10_000, ..world.limits() }); // In one advance.
    /// assert_eq!(world.limits().events, 10_000);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn set_limits(&mut self, limits: WorldLimits) {
        self.limits = limits;
        self.pairs.broad_phase.set_most_pairs(limits.most_body_pairs());
        self.pairs.most_contacts = limits.contacts;
    }

    /// Processes all events, and carries out all changes, up to a time.
    fn process_changes_until(&mut self, time: f64) -> Result<(), AdvanceError> {
        while let Some((at, id)) = self.clock.schedule.next_until(time) {
            if at > self.time() && self.clock.is_cancelled() {
                return Err(self.clock.cancelled());
            }
            self.process_until(Moment::at(at))?;
            self.clock.now = Moment::at(at);
            if let Some(Scheduled { body, change, .. }) = self.clock.schedule.take(id) {
                let done = match change {
                    Change::Body(plan) => self.set_flightplan(body, plan),
                    Change::Vertices(plans) => self.set_vertex_flightplans(body, &plans),
                };
                done.map_err(|error| match error {
                    // It is made; what follows from it is too much.
                    WorldError::Limit { what, limit } => AdvanceError::Limit { what, limit, time: at },
                    error => AdvanceError::Change { time: at, error: Box::new(error) },
                })?;
                if !self.pairs.overfull.is_empty() {
                    return Err(self.clock.beyond(AdvanceError::CONTACTS, self.limits.contacts));
                }
            }
        }
        self.process_until(Moment::at(time))
    }

    /// Checks that the clock may advance to a time.
    fn check_advance(&self, time: f64) -> Result<(), AdvanceError> {
        if !(time.abs() <= limits::MAX_TIME) {
            return Err(AdvanceError::BadTime { to: time });
        }
        if time < self.time() {
            return Err(AdvanceError::Backwards { now: self.time(), to: time });
        }
        // All spans contain the present, so only their ends can be in the way.
        if let Some(body) = self.clock.first_end_before(time) {
            let body = self.bodies.at(body);
            return Err(AdvanceError::OutsideSpan { body: body.name.clone(), to: time, span: body.epoch.allowed });
        }
        // Every plan that comes into force by then must reach that far.
        match self.clock.schedule.ends_before(time) {
            Some(scheduled) => {
                let body = self.bodies.get(scheduled.body).map_or_else(String::new, |body| body.name.clone());
                Err(AdvanceError::OutsideSpan { body, to: time, span: scheduled.span })
            }
            None => Ok(()),
        }
    }

    /// The log of changes so far: its hash is the world's history in 64 bits.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let mut twin = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs")).0;
    /// world.advance_to(2.0)?;
    /// (1..=8).try_for_each(|step| twin.advance_to(f64::from(step) / 4.0))?;
    /// assert_eq!(world.log().hash(), twin.log().hash());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn log(&self) -> &EventLog {
        &self.clock.log
    }

    /// Takes the logged events since the last call out of the log, in order; empty unless
    /// [`WorldDef::keep_events`] is set. Count and hash of the log stay. O(1).
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(1.5)?;
    /// for event in world.drain_log() {
    ///     if let Some(named) = event.describe() {
    ///         println!("at {} s {named}", event.moment.time());
    ///     }
    /// }
    /// assert!(world.drain_log().is_empty());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn drain_log(&mut self) -> Vec<LoggedEvent> {
        self.clock.log.drain()
    }

    /// Writes down every queue operation from now on, if asked to; returns those written down so
    /// far. For benchmarks.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn record_queue_operations(&mut self, on: bool) -> Vec<QueueOperation> {
        self.clock.queue.record_operations(on)
    }
}
