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
    pub fn mesh(&self, body: BodyId) -> Result<&Mesh, WorldError> {
        Ok(&self.bodies.find(body)?.shape.mesh)
    }

    /// The patches of a body, if it is made of these.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
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

    /// The spheres of a body now, each number rounded to `f64`; `None` if it is not made of
    /// spheres. O(spheres).
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
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
    /// A body that is not there or that is live; what [`BakedClip::bake`] refuses: motion that is
    /// not linear between keys, a jump within the span.
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
