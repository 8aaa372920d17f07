//! Jumps of the clock to any time, forward or backward, without the events in between.
//!
//! What is certified belongs to a stretch of time, so it is dropped and computed again at the time
//! sought: certificates, pairs, intervals. What belongs to a body alone stays: its plan, its rules,
//! the shape of its tree.

use crate::limits;
use crate::time::Moment;
use crate::world::World;
use crate::world::error::AdvanceError;

impl World {
    /// Sets the clock to any time, seconds, before or after the present one: for hosts that scrub
    /// along a timeline. Contacts are then those of a world advanced to that time, bit for bit.
    ///
    /// Bodies are where their present plans place them at that time. Changes of plans, meshes and
    /// rules made since then stay made; undo them with [`World::snapshot`]. If a change is
    /// scheduled until the time sought, the world is advanced there instead.
    ///
    /// Continuous contacts that are on end, and those at the time sought begin, all with that time
    /// in [`World::contact_changes`]. Of contacts at times it has those that are on at one of the
    /// two times only. Contacts between the two times are not reported. A pair of bodies that
    /// touches at both times has no change in [`World::body_pair_changes`]. Seeking the clock's own
    /// time is allowed and changes nothing. What follows is as in a world advanced to that time,
    /// but for the begins of contacts that are on, and for the order of changes at one
    /// and the same time. The log goes on: its times may then decrease.
    ///
    /// Trees keep their shapes. Without events ([`World::advance_to`]) a seek costs about one
    /// refit, plus the pairs that are near each other. Of kinetic bodies all certificates are
    /// computed again: O(body). To play forward, [`World::advance_to`] is cheaper.
    ///
    /// # Errors
    /// [`AdvanceError::BadTime`]; [`AdvanceError::OutsideSpan`] if the motion of a body does not
    /// reach that time, or its keys there were forgotten by [`World::extend_flightplan`]. The world
    /// is unchanged. [`AdvanceError::Limit`] as [`World::advance_to`]; where more pairs of kinetic
    /// bodies are close at that time than the bound allows, the clock stays, and contacts that are
    /// on are told as ended and begun.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(2.0)?; // The ball touched the floor at 1 s.
    /// assert!(world.contacts().is_empty());
    /// world.seek(1.0)?;
    /// assert_eq!((world.time(), world.contacts().len()), (1.0, 1));
    /// world.seek(0.25)?;
    /// assert!(world.contacts().is_empty());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn seek(&mut self, time: f64) -> Result<(), AdvanceError> {
        self.check_seek(time)?;
        let is_ahead = time >= self.time();
        if time == self.time() || (is_ahead && self.clock.schedule.next_until(time).is_some()) {
            return self.advance_to(time);
        }
        let before = self.time();
        self.contacts.begin_advance();
        self.drop_certified(time);
        self.contacts.end_at(time);
        let told = self.contacts.changes.len();
        let outcome = self.certify_at(time);
        let Err(AdvanceError::Limit { what: AdvanceError::KINETIC_PAIRS, limit, .. }) = outcome else {
            return outcome;
        };
        // Pairs are missing. At the time before there are about as many as there were.
        self.drop_certified(before);
        self.contacts.take_back(told);
        self.contacts.end_at(before);
        self.pairs.broad_phase.set_most_pairs(limits::MAX_OWNERS);
        let back = self.certify_at(before);
        self.pairs.broad_phase.set_most_pairs(self.limits.most_body_pairs());
        back?;
        Err(AdvanceError::Limit { what: AdvanceError::PAIRS, limit, time: before })
    }

    /// Sets the clock to a time, seconds, and drops what is certified.
    fn drop_certified(&mut self, time: f64) {
        (self.clock.now, self.clock.step_began) = (Moment::at(time), time);
        self.contacts.is_stale = true;
        self.pairs.is_crowded = false;
        self.pairs.unpaired.clear();
        self.clock.in_advance = true;
        self.clock.events_before = self.clock.events;
        self.bodies.indices().iter().for_each(|&index| self.exit(index));
        self.pairs.renumber();
    }

    /// Certifies what is dropped, at the clock's time, seconds.
    fn certify_at(&mut self, time: f64) -> Result<(), AdvanceError> {
        let now = Moment::at(time);
        let bodies = self.bodies.indices();
        for &index in &bodies {
            self.bodies.at_mut(index).forget_time();
            self.begin_epoch(index, now);
            self.bodies.certify_tree(index, &mut self.clock.at(now));
            self.forget_extensions(index);
            self.bodies.sleep.wake(index);
        }
        for &index in &bodies {
            self.enter(index);
            self.process_body_pairs(now);
            if self.bodies.at(index).shape.seams.is_some() {
                self.watch(index, index, now);
            }
        }
        let outcome = self.process_until(now);
        self.clock.in_advance = false;
        // Before other errors: a body without its pairs would meet nothing.
        let is_beyond = self.pairs.broad_phase.is_full() || !self.pairs.unpaired.is_empty();
        if is_beyond || matches!(outcome, Err(AdvanceError::Limit { what: AdvanceError::PAIRS, .. })) {
            self.pairs.broad_phase.forget_full();
            self.pairs.unpaired.clear();
            return Err(self.clock.beyond(AdvanceError::KINETIC_PAIRS, self.limits.most_body_pairs()));
        }
        outcome?;
        self.end_step(time)
    }

    /// Checks that the clock may stand at a time. O(bodies).
    fn check_seek(&self, time: f64) -> Result<(), AdvanceError> {
        if !(time.abs() <= limits::MAX_TIME) {
            return Err(AdvanceError::BadTime { to: time });
        }
        let outside = self.bodies.iter().find(|(_, body)| !body.epoch.allowed.contains(time));
        outside.map_or(Ok(()), |(_, body)| {
            Err(AdvanceError::OutsideSpan { body: body.name.clone(), to: time, span: body.epoch.allowed })
        })
    }
}
