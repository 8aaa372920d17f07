//! Rules of one body that the host changes after it was added: filter and thickness.

use crate::id::BodyId;
use crate::world::World;
use crate::world::change::pairs::is_thickness;
use crate::world::def::Filter;
use crate::world::error::WorldError;

impl World {
    /// Changes the groups of a body. Contacts are those of a world with the new filter from the
    /// clock's time on: contacts that it forbids end, contacts that it allows begin. Decisions by
    /// [`World::set_pair_watched`] remain, and so do contacts of the body with itself.
    ///
    /// O(bodies), and one separation list per body near it that may now be touched.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`]; [`WorldError::Limit`] if more comes close than the world allows:
    /// the filter is changed, and contacts follow when the world is advanced within its bounds.
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
        self.bodies.at_mut(body.index()).rules.filter = filter;
        self.pair_again(body.index());
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
    /// [`WorldError::Limit`] as of [`World::set_filter`]; the thickness is changed.
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
}
