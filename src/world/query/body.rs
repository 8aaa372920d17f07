//! Questions about one body.

use crate::baked::{BakeFormat, BakedClip};
use crate::id::BodyId;
use crate::mesh::{Mesh, Patches};
use crate::motion::Sphere;
use crate::time::Span;
use crate::world::World;
use crate::world::body::Index;
use crate::world::error::WorldError;

impl World {
    /// The name a body was given.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// assert_eq!(world.name(ball)?, "ball");
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn name(&self, body: BodyId) -> Result<&str, WorldError> {
        Ok(&self.bodies.find(body)?.name)
    }

    /// The triangles of a body; one made of patches has none, one made of spheres has the diagonals
    /// of their boxes as segments.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// assert_eq!(world.mesh(ball)?.triangles(), [[0, 1, 2]]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn mesh(&self, body: BodyId) -> Result<&Mesh, WorldError> {
        Ok(&self.bodies.find(body)?.shape.mesh)
    }

    /// The patches of a body, if it is made of these.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// assert!(world.patches(ball)?.is_none()); // It is made of triangles.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn patches(&self, body: BodyId) -> Result<Option<&Patches>, WorldError> {
        Ok(self.bodies.find(body)?.shape.patches.as_ref())
    }

    /// Positions of all vertices of a body now, metres.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(0.5)?;
    /// assert_eq!(world.positions(ball)?[0], [0.0, 0.0, 0.5]); // Metres.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn positions(&self, body: BodyId) -> Result<Vec<[f64; 3]>, WorldError> {
        let mut positions = Vec::new();
        self.bodies.find(body)?.motion.positions(self.clock.now, &mut positions);
        Ok(positions)
    }

    /// Writes the positions of all vertices of a body now, metres, over what `out` holds: as
    /// [`World::positions`], without an allocation where `out` has room.
    ///
    /// Positions are plain arrays: `out.as_flattened()` is a view of their numbers.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`]; `out` is unchanged.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let mut positions = Vec::new(); // Kept from frame to frame.
    /// world.positions_into(ball, &mut positions)?;
    /// assert_eq!(positions.as_flattened()[..3], [0.0, 0.0, 1.0]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn positions_into(&self, body: BodyId, out: &mut Vec<[f64; 3]>) -> Result<(), WorldError> {
        let body = self.bodies.find(body)?;
        out.clear();
        body.motion.positions(self.clock.now, out);
        Ok(())
    }

    /// The spheres of a body now, each number rounded to `f64`; `None` if it is not made of
    /// spheres. O(spheres).
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::{BodyDef, Flightplan, Sphere, Spheres};
    ///
    /// let keys = [0.0, 2.0].map(|x| Sphere { centre: [x, 0.0, 9.0], radius: 0.5 }); // Metres.
    /// let bead = BodyDef::new(Spheres::new(1)?, Flightplan::spheres(vec![0.0, 1.0], keys.to_vec()));
    /// let bead = world.add_body(bead.named("bead"))?;
    /// world.advance_to(0.5)?;
    /// let now = world.spheres(bead)?.expect("it is made of spheres");
    /// assert_eq!((now[0].centre, now[0].radius), ([1.0, 0.0, 9.0], 0.5));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn spheres(&self, body: BodyId) -> Result<Option<Vec<Sphere>>, WorldError> {
        let Some(spheres) = self.bodies.find(body)?.spheres_at(self.clock.now) else { return Ok(None) };
        let count = spheres.keys.count() as u32;
        Ok(Some((0..count).map(|sphere| spheres.piece(sphere).at(spheres.time)).collect()))
    }

    /// Bakes the tree that a body has now, over a span of its motion, for [`World::set_baked`]: of
    /// this body, or of one that is added to another world with the same definition at the same
    /// time. `syncs` is the number of times from which far times are reached, besides the first.
    ///
    /// O(the body's keys in the span).
    ///
    /// # Errors
    /// A body that is not there or that is kinetic; what [`BakedClip::bake`] refuses: motion that
    /// is not linear between keys, a jump within the span.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use kinetree::{BakeFormat, BodyDef, Flightplan, Mesh, Span, World, WorldDef};
    ///
    /// let keys = vec![[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let mut world = World::new(WorldDef::new())?;
    /// let ball = world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]])?, Flightplan::keyframes(vec![0.0, 1.0], keys)))?;
    /// let clip = world.bake(ball, Span { begin: 0.0, end: 1.0 }, BakeFormat::Stamped, 0)?; // Seconds.
    /// world.set_baked(ball, Some(Arc::new(clip)))?;
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn bake(&self, id: BodyId, span: Span, format: BakeFormat, syncs: usize) -> Result<BakedClip, WorldError> {
        let body = self.bodies.find(id)?;
        let Index::Discrete(discrete) = &body.index else {
            return Err(WorldError::NotBakeable { body: body.name.clone() });
        };
        let refused = |error| WorldError::Baked { body: body.name.clone(), error };
        BakedClip::bake(discrete.topology().clone(), &body.motion, span, format, syncs).map_err(refused)
    }
}
