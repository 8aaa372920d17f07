//! Rules of one body that the host changes after it was added: filter and thickness.

use crate::id::BodyId;
use crate::world::World;
use crate::world::change::pairs::is_thickness;
use crate::world::def::Filter;
use crate::world::engine::Engine;
use crate::world::error::{AdvanceError, WorldError};

impl World {
    /// Changes the groups of a body. Contacts are those of a world with the new filter from the
    /// clock's time on: contacts that it forbids end, contacts that it allows begin. Decisions by
    /// [`World::set_pair_watched`] remain, and so do contacts of the body with itself.
    ///
    /// O(bodies), and one separation list per body near it that may now be touched.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`]; [`WorldError::Limit`] if more pairs of bodies come close than
    /// the world allows: the filter is not changed.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::Filter;
    ///
    /// world.advance_to(1.0)?;
    /// assert_eq!(world.contacts().len(), 1);
    /// world.set_filter(ball, Filter::new(2, 2))?; // The floor is in group 1.
    /// assert_eq!(world.contacts().len(), 0);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn set_filter(&mut self, body: BodyId, filter: Filter) -> Result<(), WorldError> {
        let before = self.bodies.find(body)?.rules.filter;
        if before == filter {
            return Ok(());
        }
        let index = body.index();
        let most = self.limits.most_body_pairs();
        self.bodies.at_mut(index).rules.filter = filter;
        if self.engine == Engine::BruteForce && self.count_with_pairs_of(index) > most {
            self.bodies.at_mut(index).rules.filter = before;
            return Err(self.clock.beyond(AdvanceError::PAIRS, most).into());
        }
        self.filter_changed(index);
        if self.pairs.broad_phase.is_full() {
            self.bodies.at_mut(index).rules.filter = before;
            self.filter_changed(index);
            self.pairs.broad_phase.forget_full();
            return Err(self.clock.beyond(AdvanceError::PAIRS, most).into());
        }
        self.process_body_pairs(self.clock.now);
        self.settle()
    }

    /// Changes the thickness of a body, metres ([`BodyDef::thickness`](crate::BodyDef::thickness)).
    /// Contacts are those of a world with the new thickness from the clock's time on. Distances
    /// decided by [`World::set_pair_thickness`] remain, and pairs of triangles that are
    /// [ignored](crate::IgnoredContacts) stay those found when the bodies were added.
    ///
    /// Continuous contacts of pairs whose distance changes end, and begin again where they still
    /// hold. O(pairs of the body).
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::BadThickness`]; nothing is changed.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(0.75)?; // The ball is 0.25 m above the floor.
    /// assert_eq!(world.contacts().len(), 0);
    /// world.set_thickness(ball, 0.5)?;
    /// assert_eq!(world.contacts().len(), 1);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn set_thickness(&mut self, body: BodyId, thickness: f64) -> Result<(), WorldError> {
        let known = self.bodies.find(body)?;
        if !is_thickness(thickness) {
            return Err(WorldError::BadThickness { body: known.name.clone(), value: thickness });
        }
        if known.rules.thickness == thickness {
            return Ok(());
        }
        let index = body.index();
        self.bodies.at_mut(index).rules.thickness = thickness;
        let margin = self.pairs.rules.contact_margin(index, &self.bodies);
        self.bodies.at_mut(index).rules.contact_margin = margin;
        self.bodies.sleep.wake(index);
        self.pairs.certify_in_broad_phase(index, &self.bodies, &mut self.clock.context());
        self.settle_events()?;
        for number in self.bodies.at(index).pairs.clone() {
            let pair = &self.pairs[number];
            let (a, b) = (pair.a, pair.b);
            if pair.distance != self.pairs.rules.distance(a, b, &self.bodies) {
                self.unwatch(number, self.clock.now);
                self.watch(a, b, self.clock.now);
            }
        }
        self.settle()
    }

    /// Another filter of a body is in force: tells the broad phase which pairs may meet.
    fn filter_changed(&mut self, index: u32) {
        self.enter(index);
        for other in self.bodies.indices() {
            if other != index {
                self.permission_changed(index, other);
            }
        }
    }

    /// How many pairs a world of brute force has if it watches all that a body may meet.
    fn count_with_pairs_of(&self, index: u32) -> usize {
        let may_meet = |&other: &u32| other != index && self.pairs.rules.may_meet(index, other, &self.bodies);
        let own = self.bodies.at(index).pairs.iter().filter(|&&number| !self.pairs[number].is_self()).count();
        self.pairs.len() - own + self.bodies.indices().into_iter().filter(may_meet).count()
    }
}
