//! When contacts may change next.

use crate::limits;
use crate::time::{NEVER, Side};
use crate::world::World;
use crate::world::body::Index;

/// When the contacts of a world may change next; see [`World::next_event`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum NextEvent {
    /// At no time before this one, seconds. It is later than the clock.
    At(f64),
    /// Perhaps at any time after the clock. Contacts of some pair of bodies that moves are computed
    /// again in every advance, or contacts at the clock's time have still to be found.
    Unknown,
    /// Not any more, at any time that the clock can reach ([`limits::MAX_TIME`]). Nothing moves, or
    /// nothing that moves can meet.
    Never,
}

impl World {
    /// Returns when the contacts may change next, if nothing is edited. O(bodies + pairs of
    /// bodies).
    ///
    /// The answer depends on how contacts are found.
    ///
    /// | contacts | answer |
    /// |---|---|
    /// | [continuous](crate::world::def::ContactMode::Continuous) | [`NextEvent::At`] the next event or scheduled change; [`NextEvent::Never`] without one |
    /// | at times, all bodies with kinetic trees, no two leaves that overlap | the same |
    /// | at times, all bodies rest whose contacts are computed again | [`NextEvent::At`] the end of their rest, or an earlier event |
    /// | at times, otherwise | [`NextEvent::Unknown`] |
    /// | the last call that was to find contacts ended in an error or was cancelled | [`NextEvent::Unknown`]: the next advance finds them, even one to the clock's time |
    ///
    /// A loop that advances to [`NextEvent::At`] again and again meets every change of contacts,
    /// and its clock passes any time:
    ///
    /// - The time returned is later than the clock. An event at a time `t` stops the clock at `t`.
    ///   An event *just after* `t` (the wrap of a loop, the end of a contact) stops it at the next
    ///   `f64` number, and there it has been processed. So every advance carries out an event or a
    ///   scheduled change at least, ends a rest, or comes to a key, and a finite stretch of time
    ///   holds finitely many of these. A key is returned where certificates are not searched beyond
    ///   it yet ([`World::extend_flightplan`]).
    /// - [`World::contacts`] stays as it is at all `f64` times before the time returned, and so
    ///   does what
    ///   [`World::contact_changes`] would tell. No `f64` number lies between `t` and the next one,
    ///   so nothing is passed over.
    ///
    /// One exception: where the clock stands inside the enclosure of a begin or an end of a
    /// continuous contact, that contact may change once within the enclosure, which is as wide as
    /// rounding. Its begin and its end are told in any case.
    ///
    /// Most events change no contact: bounds change, boxes meet. A loop has an event in every
    /// round.
    ///
    /// ```
    /// use kinetree::{NextEvent, World, WorldDef};
    ///
    /// let mut world = World::new(WorldDef::default())?;
    /// while let NextEvent::At(time) = world.next_event() {
    ///     world.advance_to(time)?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn next_event(&self) -> NextEvent {
        if self.contacts.is_stale {
            return NextEvent::Unknown;
        }
        let Some(rest) = self.recomputed_rest() else { return NextEvent::Unknown };
        let event = self.clock.queue.peek().map_or(NEVER, |event| match event.moment.side() {
            Side::At => event.moment.time(),
            Side::After => event.moment.time().next_up(),
        });
        let change = self.clock.schedule.next_time().unwrap_or(NEVER);
        let clock = self.clock.now.time();
        // A begin or an end that lies ahead is told at its event, and contacts may change from its
        // enclosure on.
        let inside = self.contacts.inside_from.filter(|&from| from > clock).unwrap_or(NEVER);
        // What fails beyond this key is not known yet.
        let key = self.clock.extensions.first();
        let next = event.min(change).min(inside).min(rest).min(key).max(clock.next_up());
        if next <= limits::MAX_TIME { NextEvent::At(next) } else { NextEvent::Never }
    }

    /// Returns the time of [`NextEvent::At`], seconds; `None` for [`NextEvent::Unknown`] and
    /// [`NextEvent::Never`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let next = world.next_event_time().expect("they meet at 1 s");
    /// assert!(next <= 1.0);
    /// world.advance_to(next.next_down())?;
    /// assert!(world.contacts().is_empty());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn next_event_time(&self) -> Option<f64> {
        match self.next_event() {
            NextEvent::At(time) => Some(time),
            NextEvent::Unknown | NextEvent::Never => None,
        }
    }

    /// Until when all bodies rest of which contacts are computed again in every advance, seconds;
    /// [`NEVER`] if there are none. `None` if one moves, or may.
    fn recomputed_rest(&self) -> Option<f64> {
        let clock = self.clock.now.time();
        let earlier = |until: f64, body: u32| Some(until.min(self.bodies.at(body).motion.rests_until(clock)?));
        if self.bodies.iter().any(|(_, body)| !matches!(body.index, Index::Kinetic(_))) {
            // Which of these meet is found in every advance too.
            return self.bodies.iter().try_fold(NEVER, |until, (id, _)| earlier(until, id.index()));
        }
        let is_recomputed = |list: &crate::kinetic::SeparationList| list.overlapping().len() > 0;
        let recomputed = self
            .pairs
            .iter()
            .map(|(_, pair)| pair)
            // What touches in a pair with patches is for the host to find.
            .filter(|pair| !pair.is_hosted() && pair.continuous.is_none())
            .filter(|pair| pair.finder.list().is_none_or(is_recomputed));
        recomputed.flat_map(|pair| [pair.a, pair.b]).try_fold(NEVER, earlier)
    }
}
