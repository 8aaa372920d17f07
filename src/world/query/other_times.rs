//! Questions about other times than now: contacts at a time just passed, and the first contact of two bodies to come.

use crate::id::BodyId;
use crate::time::Span;
use crate::world::{Body, Contact, ContactChange, ContactMode, World, WorldDef, WorldError};

impl World {
    /// The span of time, seconds, in which [`World::contacts_at`] may be asked: from the last advance's begin to the clock.
    /// Only the clock's own time unless contacts are continuous.
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
    pub fn contacts_at(&self, time: f64) -> Result<Vec<Contact>, WorldError> {
        let span = self.certified_span();
        if !span.contains(time) {
            return Err(WorldError::NotCertified { time, span });
        }
        if self.contact_mode == ContactMode::AtTimes || time == self.now.time() {
            return Ok(self.contacts().to_vec());
        }
        let on = self.stretches_on().filter(|(_, stretch)| stretch.begin.lo <= time && stretch.ends.allow(time));
        let past = self.contacts.changes_and_ends().filter_map(|(change, ends)| match change {
            ContactChange::Ended { contact, began: Some(began), time: ended, .. } => {
                (began.lo <= time && time <= ended.hi && ends.allow(time)).then_some(*contact)
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
    /// Only the two bodies are looked at, and only until they touch: O(their size), plus their events up to then. Wishes to
    /// ignore contacts are heeded as for bodies added now.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::MadeOfPatches`], [`WorldError::BadTime`], or a time outside the motion of a body
    /// that says so.
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
        let mut scout = World::new(WorldDef { start, contacts, ..WorldDef::default() })?;
        let ids = [a, b];
        for (body, id) in bodies.iter().zip(ids) {
            let copy = scout.add_copy(body, a == b, self.distance_between(a.index(), b.index()))?;
            scout.copy_schedule(self, id, copy);
        }
        loop {
            let next = scout.next_event_time().filter(|&time| time < until).unwrap_or(until);
            scout.advance_to(next).map_err(WorldError::from)?;
            let began = scout.contact_changes().iter().filter(|change| change.is_begin());
            if let Some(first) = began.min_by_key(|change| change.contact()) {
                return Ok(Some(first.renamed(|id| ids[(id.index() as usize).min(1)])));
            }
            if next >= until {
                return Ok(None);
            }
        }
    }

    /// Adds a copy of another world's body, with the plans it has now and another thickness.
    fn add_copy(&mut self, body: &Body, self_contact: bool, thickness: f64) -> Result<BodyId, WorldError> {
        self.insert_body(crate::world::change::add::NewBody {
            name: body.name.clone(),
            mesh: body.mesh.clone(),
            patches: body.patches.clone(),
            motion: body.motion.clone(),
            rest: body.rest.clone(),
            filter: crate::world::Filter::default(),
            self_contact,
            ignored_contacts: body.ignored_contacts,
            ignored: Vec::new(),
            build: body.build,
            neighbours: body.neighbours,
            thickness,
            tree: crate::kinetic::TreeKind::default(),
            requested_engine: crate::world::Engine::Kinetic,
            is_kinetic: true,
            sampler: None,
            rebuild: crate::world::RebuildPolicy::Off,
        })
    }
}
