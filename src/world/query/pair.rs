//! Questions about two bodies.

use crate::geometry::{GeometryError, Manifold, Surface, manifolds, manifolds_self};
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

    /// Returns the triangles of a body where they are at the clock's time, for geometric queries;
    /// [`Surface::refit`] with [`World::positions`] brings it to later times. O(n log n).
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`]; [`WorldError::NoSurface`] for bodies made of patches or spheres;
    /// [`WorldError::Geometry`] if all triangles were removed.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let mut surface = world.surface(ball)?;
    /// assert_eq!(surface.bounds().min[2], 1.0); // Metres.
    /// world.advance_to(0.5)?;
    /// surface.refit(&world.positions(ball)?)?;
    /// assert_eq!(surface.bounds().min[2], 0.5);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn surface(&self, body: BodyId) -> Result<Surface, WorldError> {
        self.check_surface(body)?;
        let mesh = &self.bodies.find(body)?.shape.mesh;
        Surface::new(mesh, &self.positions(body)?).map_err(|error| self.geometry_error(body, error))
    }

    /// Refuses bodies that are not made of triangles, segments and points.
    fn check_surface(&self, id: BodyId) -> Result<(), WorldError> {
        let body = self.bodies.find(id)?;
        if body.shape.patches.is_some() || body.is_of_spheres() {
            return Err(WorldError::NoSurface { body: body.name.clone() });
        }
        Ok(())
    }

    fn geometry_error(&self, id: BodyId, error: GeometryError) -> WorldError {
        let body = self.bodies.get(id).map_or_else(String::new, |body| body.name.clone());
        WorldError::Geometry { body, error }
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

    pub(crate) fn world(self) -> &'a World {
        self.world
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

    /// Returns the manifolds of the two bodies at the clock's time: connected regions of touching
    /// triangles, with points, a normal, depth and area. The first surface is the first of
    /// [`PairView::bodies`].
    ///
    /// World frame, metres, `f64`; errors: [`Manifold`]. Contacts are decided on the exact motion
    /// and geometry on rounded positions: triangles that only just touch may be given by their
    /// nearest points. Triangles that touch by thickness alone have their nearest points too.
    ///
    /// O((n + m) log (n + m)) for bodies of n and m triangles in contact, as it builds both
    /// surfaces; nothing without contact. A host that asks at every step keeps both
    /// [`World::surface`]s, refits them, and calls [`manifolds`](crate::geometry::manifolds).
    ///
    /// # Errors
    /// [`WorldError::NoSurface`], [`WorldError::Geometry`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(1.0)?;
    /// let manifolds = world.pair(floor, ball)?.manifolds()?;
    /// assert_eq!((manifolds.len(), manifolds[0].normal), (1, Some([0.0, 0.0, 1.0])));
    /// let area = manifolds[0].measure.as_ref().expect("the triangles touch").overlap;
    /// assert_eq!(area, 0.5); // Square metres.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn manifolds(self) -> Result<Vec<Manifold>, WorldError> {
        for id in [self.a, self.b] {
            self.world.check_surface(id)?;
        }
        let pairs: Vec<[u32; 2]> =
            self.contacts().iter().map(|contact| [contact.triangle_a, contact.triangle_b]).collect();
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let a = self.world.surface(self.a)?;
        let found = if self.a == self.b {
            manifolds_self(&a, &pairs)
        } else {
            manifolds(&a, &self.world.surface(self.b)?, &pairs)
        };
        found.map_err(|error| self.world.geometry_error(self.a, error))
    }
}

/// The part of sorted contacts that is between two bodies.
pub(crate) fn contacts_of(contacts: &[Contact], a: BodyId, b: BodyId) -> &[Contact] {
    let from = contacts.partition_point(|contact| (contact.a, contact.b) < (a, b));
    let rest = &contacts[from..];
    &rest[..rest.partition_point(|contact| (contact.a, contact.b) == (a, b))]
}
