//! Questions about other times than now: contacts at a time just passed, and the first contact of two bodies to come.

use super::{Body, Contact, ContactChange, ContactMode, World, WorldDef, WorldError};
use crate::id::BodyId;
use crate::motion::StretchKind;
use crate::time::{Moment, NEVER, Span};

impl World {
    /// The span of time, seconds, in which [`World::contacts_at`] may be asked: from the last advance's begin to the clock.
    /// Only the clock's own time unless contacts are continuous.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(0.5)?;
    /// assert_eq!((world.certified_span().begin, world.certified_span().end), (0.0, 0.5)); // Seconds.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn certified_span(&self) -> Span {
        let end = self.now.time();
        let begin = if self.contact_mode == ContactMode::Continuous { self.step_began } else { end };
        Span { begin, end }
    }

    /// All pairs of triangles that touched at a time in the certified span, sorted. O(contacts log contacts).
    ///
    /// Exact also inside the enclosure of a begin or an end, as [`World::contacts`]; there an exact test decides, some microseconds per
    /// contact. Bodies removed since are left out.
    ///
    /// # Errors
    /// [`WorldError::NotCertified`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(2.0)?;
    /// assert_eq!(world.contacts_at(1.0)?.len(), 1);
    /// assert_eq!(world.contacts_at(1.5)?.len(), 0);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn contacts_at(&self, time: f64) -> Result<Vec<Contact>, WorldError> {
        let span = self.certified_span();
        if !span.contains(time) {
            return Err(WorldError::NotCertified { time, span });
        }
        if self.contact_mode == ContactMode::AtTimes || time == self.now.time() {
            return Ok(self.contacts().to_vec());
        }
        let on = self.stretches_on().filter(|(_, stretch)| stretch.begin.begins_by(time) && stretch.ends.allow(time));
        let past = self.contacts.changes_and_ends().filter_map(|(change, ends)| match change {
            ContactChange::Ended { contact, began: Some(began), time: ended, .. } => {
                (began.begins_by(time) && ended.ends_from(time) && ends.allow(time)).then_some(*contact)
            }
            _ => None,
        });
        let is_here = |contact: &Contact| self.bodies.get(contact.a).is_some() && self.bodies.get(contact.b).is_some();
        let mut contacts: Vec<Contact> = on.map(|(contact, _)| contact).chain(past).filter(is_here).collect();
        contacts.sort_unstable();
        contacts.dedup();
        Ok(contacts)
    }

    /// The first contact of two bodies, or of one with itself, from the clock's time until a time, seconds; `None` if there is
    /// none. Contacts that are on now come first, with the clock's time. This world stays where it is.
    ///
    /// Only the two bodies are looked at, and only until they touch: O(their size), plus their events up to then. A loop has
    /// events in every round; where both bodies rest or repeat the same keys at the same times, one whole round tells. Wishes
    /// to ignore contacts are heeded as for bodies added now.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::MadeOfPatches`], [`WorldError::BadTime`], or a time outside the motion of a body
    /// that says so.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let first = world.first_contact(floor, ball, 2.0)?.expect("they meet");
    /// assert!(first.time().lo <= 1.0 && 1.0 <= first.time().hi); // Seconds.
    /// assert_eq!(world.time(), 0.0);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn first_contact(&self, a: BodyId, b: BodyId, until: f64) -> Result<Option<ContactChange>, WorldError> {
        let (a, b) = (a.min(b), a.max(b));
        let start = self.now.time();
        if !(until.abs() <= crate::limits::MAX_TIME) || until < start {
            return Err(WorldError::BadTime { time: until });
        }
        let bodies = if a == b { vec![self.body(a)?] } else { vec![self.body(a)?, self.body(b)?] };
        for body in &bodies {
            if body.patches.is_some() {
                return Err(WorldError::MadeOfPatches { body: body.name.clone() });
            }
            if !body.allowed.contains(until) {
                return Err(WorldError::OutsideSpan { body: body.name.clone(), time: until, span: body.allowed });
            }
        }
        let contacts = ContactMode::Continuous;
        let mut scout = World::new(WorldDef { start, contacts, limits: self.limits, ..WorldDef::default() })?;
        let ids = [a, b];
        for (body, id) in bodies.iter().zip(ids) {
            let copy = scout.add_copy(body, a == b, self.distance_between(a.index(), b.index()))?;
            scout.copy_schedule(self, id, copy);
        }
        let (mut next, mut last) = (start, until);
        loop {
            scout.advance_to(next).map_err(WorldError::from)?;
            let began = scout.contact_changes().iter().filter(|change| change.is_begin());
            if let Some(first) = began.min_by(|x, y| x.compare_begins(y)) {
                return Ok(Some(first.renamed(|id| ids[(id.index() as usize).min(1)])));
            }
            if next >= last {
                return Ok(None);
            }
            if last == until {
                last = scout.end_of_next_round().map_or(until, |end| end.min(until));
            }
            // Later than the clock, so the clock reaches `last`; no contact begins on the way.
            next = scout.next_event_time().map_or(last, |time| time.min(last));
        }
    }

    /// When a whole round of loops has passed after the present one, seconds, if all later ones are like it: every body rests
    /// from now on or repeats keys, all at the same times, and no change is scheduled.
    ///
    /// Rounds differ by the rounding of their times only. Between two keys, where bodies touch depends on the stored positions
    /// and not on the times. In late rounds some keys may fall on one time; then rounds skip what lies between.
    fn end_of_next_round(&self) -> Option<f64> {
        let (mut times, mut round) = (None, None);
        for (_, body) in self.bodies.iter() {
            let motion = &body.motion;
            if motion.rests_until(self.now.time()) == Some(NEVER) {
                continue;
            }
            let goes_by_keys = motion.stretch(self.now).is_some_and(|stretch| stretch.kind == StretchKind::Keys);
            if !goes_by_keys
                || motion.first_of_loop().is_none()
                || times.is_some_and(|times| times != motion.key_times())
            {
                return None;
            }
            times = Some(motion.key_times());
            let end = motion.epoch_end(self.now).time();
            round = Some(motion.epoch_end(Moment::after(end)).time());
        }
        round.filter(|_| self.schedule.next_time().is_none())
    }

    /// Adds a copy of another world's body, with the plans it has now and another thickness.
    fn add_copy(&mut self, body: &Body, self_contact: bool, thickness: f64) -> Result<BodyId, WorldError> {
        self.insert_body(super::change::NewBody {
            name: body.name.clone(),
            mesh: body.mesh.clone(),
            patches: body.patches.clone(),
            motion: body.motion.clone(),
            rest: body.rest.clone(),
            filter: super::Filter::default(),
            self_contact,
            ignored_contacts: body.ignored_contacts,
            ignored: Vec::new(),
            build: body.build,
            neighbours: body.neighbours,
            thickness,
            tree: crate::kinetic::TreeKind::default(),
            requested_engine: super::Engine::Kinetic,
            is_kinetic: true,
            sampler: None,
            rebuild: super::RebuildPolicy::Off,
        })
    }
}
