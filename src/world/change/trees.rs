//! Trees of single bodies, on the host's word: subtrees that drifted are rebuilt
//! ([`crate::world::step::tree_changed`] says what drift is), and baked clips are read instead of
//! refits.

use std::sync::Arc;

use crate::baked::{BakedClip, BakedTree};
use crate::id::BodyId;
use crate::world::World;
use crate::world::body::{Body, Index};
use crate::world::error::WorldError;
use crate::world::tree::replay::Replay;

impl World {
    /// Builds the subtrees of a body's tree again that drifted beyond a bound: 2 means that twice
    /// as many boxes are met below them as in a fresh build. Returns how many were built. Contacts
    /// stay as they are. O(triangles · log triangles), also if none is.
    ///
    /// Bodies that are not kinetic have no tree that ages: none is built.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::BadBound`] for a bound that is not a number of at
    /// least 1; [`WorldError::Limit`] where an advance or a change met a bound and what remains is
    /// beyond it: the subtrees are built.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// assert_eq!(world.rebuild_degraded(ball, 2.0)?, 0); // No subtree is worse than twice a fresh one.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn rebuild_degraded(&mut self, body: BodyId, bound: f64) -> Result<usize, WorldError> {
        let entry = self.bodies.find(body)?;
        check_bound(&entry.name, bound)?;
        let now = self.clock.now;
        let (count, touched) = self.rebuild_beyond(body.index(), bound, now);
        if count > 0 {
            self.settle_edit(body.index(), &touched)?;
        }
        Ok(count)
    }

    /// Gives a body a baked clip of its motion, or takes it away.
    ///
    /// Engines auto and refit then read the clip where they would refit the body, if the clip knows
    /// the time asked for: after its first time, up to its last and, where frames were baked, at
    /// their times. A body that asked for refit explicitly reads its clip too: a clip is a cache of
    /// refits. Contacts are the same with and without a clip. The clip is dropped when the body is
    /// given another motion or edited.
    ///
    /// The clip is compared with the body's motion and tree, O(keys × vertices); its events are
    /// believed.
    ///
    /// # Errors
    /// A body that is not there or that is kinetic; a clip of another motion or tree. The body
    /// keeps what it has.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use kinetree::{BakeFormat, BodyDef, Flightplan, Mesh, Span, World, WorldDef};
    ///
    /// let keys = vec![[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let def = BodyDef::new(Mesh::new(3, vec![[0, 1, 2]])?, Flightplan::keyframes(vec![0.0, 1.0], keys));
    /// let mut world = World::new(WorldDef::new())?;
    /// let ball = world.add_body(def)?;
    /// let clip = Arc::new(world.bake(ball, Span { begin: 0.0, end: 1.0 }, BakeFormat::Stamped, 0)?); // Seconds.
    /// world.set_baked(ball, Some(clip))?;
    /// world.advance_to(0.5)?; // Reads the clip instead of refitting.
    /// world.set_baked(ball, None)?;
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn set_baked(&mut self, id: BodyId, clip: Option<Arc<BakedClip>>) -> Result<(), WorldError> {
        self.bodies.find(id)?;
        let Body { index, motion, name, .. } = self.bodies.at_mut(id.index());
        let Index::Discrete(discrete) = index else { return Err(WorldError::NotBakeable { body: name.clone() }) };
        let replay = match clip {
            None => None,
            Some(clip) => {
                let tree = BakedTree::new(clip, discrete.topology().clone(), motion);
                let tree = tree.map_err(|error| WorldError::Baked { body: name.clone(), error })?;
                Some(Box::new(Replay::new(tree)))
            }
        };
        discrete.replay = replay;
        Ok(())
    }
}

/// Checks a bound on drift: a fresh tree must keep it.
pub(crate) fn check_bound(name: &str, bound: f64) -> Result<(), WorldError> {
    if bound >= 1.0 { Ok(()) } else { Err(WorldError::BadBound { body: name.to_owned(), value: bound }) }
}
