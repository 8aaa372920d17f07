//! Contacts: at the clock's time, at a time just passed, and the first one of two bodies to come.

use crate::id::BodyId;
use crate::kinetic::TreeKind;
use crate::motion::StretchKind;
use crate::time::{Moment, NEVER, Span};
use crate::world::World;
use crate::world::body::new::NewBody;
use crate::world::body::{Body, BodyRules, TreeParams};
use crate::world::contact::{Contact, ContactChange, OngoingContact};
use crate::world::def::{ContactMode, Filter, IgnoredContacts, RebuildPolicy, WorldDef};
use crate::world::engine::Engine;
use crate::world::error::WorldError;

impl World {
    /// All pairs of triangles that touch at the clock's time, sorted. Valid until the world
    /// changes.
    ///
    /// Exact also where the clock stands inside the enclosure of a begin or an end of a continuous
    /// contact: there an exact test decides. What rounding or a curved path leaves open
    /// ([`OngoingContact::undecided`], or other key times than the other body's) counts as contact
    /// throughout its enclosures.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(1.0)?;
    /// let contact = world.contacts()[0];
    /// assert_eq!((contact.a, contact.triangle_a, contact.b, contact.triangle_b), (floor, 0, ball, 0));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts.now
    }

    /// What began and ended in the last advance, and by changes of the world since: sorted by
    /// contact, or, if contacts are continuous, in the order in which it happened.
    ///
    /// A host that reads this once after every advance sees every beginning and end once, also
    /// those that changes made between two advances. Continuous contacts are told when the clock
    /// reaches the enclosure of their begin, and when it has left that of their end: inside it
    /// [`World::contacts`] may not hold a contact that was told, or hold one no longer.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(2.0)?; // The ball touched the floor at 1 s and left it: nothing is lost between two advances.
    /// let changes = world.contact_changes();
    /// assert!(changes[0].is_begin() && !changes[1].is_begin());
    /// assert!(changes[0].time().lo <= 1.0 && 1.0 <= changes[1].time().hi); // Seconds.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn contact_changes(&self) -> &[ContactChange] {
        &self.contacts.changes
    }

    /// Contacts that are on at the clock's time, with their begins, sorted by contact. Empty unless
    /// contacts are continuous.
    ///
    /// They are those whose begin was told and whose end was not: where the clock stands inside the
    /// enclosure of a begin or an end, [`World::contacts`] tells which of them are truly on.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(1.0)?;
    /// assert_eq!(world.ongoing_contacts()[0].contact, world.contacts()[0]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn ongoing_contacts(&self) -> Vec<OngoingContact> {
        let on = self.pairs.spans_on(&self.bodies).map(|(contact, span)| OngoingContact {
            contact,
            began: span.begin,
            undecided: span.undecided,
            touching: span.ends.allow(self.clock.now.time()),
        });
        let mut ongoing: Vec<OngoingContact> = on.collect();
        ongoing.sort_unstable_by_key(|ongoing| ongoing.contact);
        ongoing
    }

    /// The span of time, seconds, in which [`World::contacts_at`] may be asked: from the last
    /// advance's begin to the clock. Only the clock's own time unless contacts are continuous.
    /// Where the last call that was to find contacts ended in an error or was cancelled, those of
    /// the clock's own time are not known: the span ends just before it.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(0.5)?;
    /// assert_eq!((world.certified_span().begin, world.certified_span().end), (0.0, 0.5)); // Seconds.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn certified_span(&self) -> Span {
        let clock = self.clock.now.time();
        let begin = if self.contact_mode == ContactMode::Continuous { self.clock.step_began } else { clock };
        Span { begin, end: if self.contacts.is_stale { clock.next_down() } else { clock } }
    }

    /// All pairs of triangles that touched at a time in the certified span, sorted. O(contacts log
    /// contacts).
    ///
    /// Exact also inside the enclosure of a begin or an end, as [`World::contacts`]; there an exact
    /// test decides, some microseconds per contact. Bodies removed since are left out.
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
        if self.contact_mode == ContactMode::AtTimes || time == self.clock.now.time() {
            return Ok(self.contacts().to_vec());
        }
        let on =
            self.pairs.spans_on(&self.bodies).filter(|(_, span)| span.begin.begins_by(time) && span.ends.allow(time));
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

    /// The first contact of two bodies, or of one with itself, from the clock's time until a time,
    /// seconds; `None` if there is none. Contacts that are on now come first, with the clock's
    /// time. This world stays where it is.
    ///
    /// Only the two bodies are advanced, and only until they touch: O(their size), plus their
    /// events up to then. Pairs of triangles that this world ignores are ignored, and no others.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::MadeOfPatches`], [`WorldError::BadTime`], or a
    /// time outside the motion of a body that says so; [`WorldError::Limit`] where the two bodies
    /// alone go beyond a bound of this world.
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
        let start = self.clock.now.time();
        if !(until.abs() <= crate::limits::MAX_TIME) || until < start {
            return Err(WorldError::BadTime { time: until });
        }
        let bodies = if a == b { vec![self.bodies.find(a)?] } else { vec![self.bodies.find(a)?, self.bodies.find(b)?] };
        for body in &bodies {
            if body.shape.patches.is_some() {
                return Err(WorldError::MadeOfPatches { body: body.name.clone() });
            }
            if !body.epoch.allowed.contains(until) {
                return Err(WorldError::OutsideSpan { body: body.name.clone(), time: until, span: body.epoch.allowed });
            }
        }
        let contacts = ContactMode::Continuous;
        // Only its contacts are read.
        let def = WorldDef { start, contacts, limits: self.limits, idle_trees: true, ..WorldDef::default() };
        let mut scout = World::new(def)?;
        if let Some(ignored) = self.pairs.rules.ignored.get(&(a.index(), b.index())) {
            scout.pairs.rules.ignored.insert((0, u32::from(a != b)), ignored.clone());
        }
        let ids = [a, b];
        for (body, id) in bodies.iter().zip(ids) {
            let copy = scout.add_copy(body, a == b, self.pairs.rules.distance(a.index(), b.index(), &self.bodies))?;
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

    /// When a whole round of loops has passed after the present one, seconds, if all later ones are
    /// like it: every body rests from now on or repeats keys, all at the same times, and no change
    /// is scheduled.
    ///
    /// Rounds differ by the rounding of their times only. Between two keys, where bodies touch
    /// depends on the stored positions and not on the times. In late rounds some keys may fall on
    /// one time; then rounds skip what lies between.
    fn end_of_next_round(&self) -> Option<f64> {
        let (mut times, mut round) = (None, None);
        for (_, body) in self.bodies.iter() {
            let motion = &body.motion;
            if motion.rests_until(self.clock.now.time()) == Some(NEVER) {
                continue;
            }
            let goes_by_keys = motion.stretch(self.clock.now).is_some_and(|stretch| stretch.kind == StretchKind::Keys);
            if !goes_by_keys
                || motion.first_of_loop().is_none()
                || times.is_some_and(|times| times != motion.key_times())
            {
                return None;
            }
            times = Some(motion.key_times());
            let end = motion.epoch_end(self.clock.now).time();
            round = Some(motion.epoch_end(Moment::after(end)).time());
        }
        round.filter(|_| self.clock.schedule.next_time().is_none())
    }

    /// Adds a copy of another world's body, with the plans it has now and another thickness.
    fn add_copy(&mut self, body: &Body, self_contact: bool, thickness: f64) -> Result<BodyId, WorldError> {
        let mut shape = body.shape.clone();
        if !self_contact {
            shape.seams = None;
        }
        let rules = BodyRules {
            filter: Filter::default(),
            thickness,
            contact_margin: 0.5 * thickness,
            // Nothing is decided again: what this world ignores is copied.
            ignored_contacts: IgnoredContacts::None,
            neighbours: body.rules.neighbours,
        };
        self.insert_body(NewBody {
            name: body.name.clone(),
            shape,
            motion: body.motion.clone(),
            rules,
            tree: TreeParams { rebuild: RebuildPolicy::Off, events_since_check: 0, ..body.tree },
            kind: TreeKind::default(),
            ignored: Vec::new(),
            sampler: None,
            idle_shape: None,
            requested_engine: Engine::Kinetic,
            is_kinetic: true,
        })
    }
}
