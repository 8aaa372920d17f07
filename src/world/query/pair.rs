//! Questions about two bodies.

use crate::id::BodyId;
use crate::world::World;
use crate::world::contact::Contact;
use crate::world::error::WorldError;
use crate::world::pair::BodyPair;

/// Two bodies of a world, or one with itself, for reading: [`World::pair`].
#[derive(Clone, Copy, Debug)]
pub struct PairView<'a> {
    world: &'a World,
    a: BodyId,
    b: BodyId,
}

impl World {
    /// Returns a view of two bodies, which may be given in either order, or of one with itself.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(1.0)?;
    /// let pair = world.pair(ball, floor)?;
    /// assert_eq!(pair.bodies(), [floor, ball]);
    /// assert_eq!(pair.contacts(), world.contacts());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn pair(&self, a: BodyId, b: BodyId) -> Result<PairView<'_>, WorldError> {
        self.bodies.find(a)?;
        self.bodies.find(b)?;
        let (a, b) = if a.index() <= b.index() { (a, b) } else { (b, a) };
        Ok(PairView { world: self, a, b })
    }

    /// The watched pair of two indices in use, or of one with itself.
    pub(crate) fn watched_pair(&self, a: u32, b: u32) -> Option<&BodyPair> {
        let wanted = (a.min(b), a.max(b));
        if a != b {
            return self.pairs.number_of(wanted).map(|number| &self.pairs[number]);
        }
        let mut pairs = self.bodies.at(a).pairs.iter().map(|&number| &self.pairs[number]);
        pairs.find(|pair| (pair.a, pair.b) == wanted)
    }
}

impl<'a> PairView<'a> {
    /// Both bodies, in the order in which contacts name them: the lower index first.
    pub fn bodies(self) -> [BodyId; 2] {
        [self.a, self.b]
    }

    /// The pairs of triangles that touch at the clock's time, sorted: the part of
    /// [`World::contacts`] between the two bodies. O(log contacts).
    pub fn contacts(self) -> &'a [Contact] {
        contacts_of(self.world.contacts(), self.a, self.b)
    }

    /// Whether the bodies touch at the clock's time. O(log contacts).
    pub fn is_touching(self) -> bool {
        !self.contacts().is_empty()
    }

    /// Whether the bodies are tested against each other where they are near: by their filters, by
    /// [`World::set_pair_watched`], or, of a body with itself, by
    /// [`BodyDef::self_contact`](crate::BodyDef::self_contact).
    pub fn may_touch(self) -> bool {
        let (a, b) = (self.a.index(), self.b.index());
        match a == b {
            true => self.world.bodies.at(a).shape.seams.is_some(),
            false => self.world.pairs.rules.may_meet(a, b, &self.world.bodies),
        }
    }

    /// The distance from which triangles of the two bodies count as touching, metres: the mean of
    /// both thicknesses, or what [`World::set_pair_thickness`] decided.
    pub fn thickness(self) -> f64 {
        self.world.pairs.rules.distance(self.a.index(), self.b.index(), &self.world.bodies)
    }
}

/// The part of sorted contacts that is between two bodies.
pub(crate) fn contacts_of(contacts: &[Contact], a: BodyId, b: BodyId) -> &[Contact] {
    let from = contacts.partition_point(|contact| (contact.a, contact.b) < (a, b));
    let rest = &contacts[from..];
    &rest[..rest.partition_point(|contact| (contact.a, contact.b) == (a, b))]
}
