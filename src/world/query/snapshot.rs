//! Worlds kept as they are at a time, to go on from there again.

use std::sync::Arc;

use crate::world::World;

/// A world as it was at a time: all that decides its future. It never changes.
///
/// A restored world has the future of the original, bit for bit: the same contacts, changes, events
/// and hash of the log, whatever the host changes from there on.
///
/// It is kept in memory, motions by samplers included. Cloning a snapshot copies nothing.
#[derive(Clone, Debug)]
pub struct Snapshot {
    world: Arc<World>,
}

impl Snapshot {
    /// The clock then, seconds.
    pub fn time(&self) -> f64 {
        self.world.time()
    }

    /// The world then: what it was asked then can be asked of it still.
    pub fn world(&self) -> &World {
        &self.world
    }
}

impl World {
    /// Keeps the world as it is now, to go on from here again. O(memory of the world); what bodies
    /// share with each other by [`Arc`] is not copied.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::World;
    ///
    /// world.advance_to(0.5)?;
    /// let before = world.snapshot();
    /// world.advance_to(1.0)?; // A prediction.
    /// assert_eq!((world.contacts().len(), before.time()), (1, 0.5));
    /// world = World::restore(&before); // It was wrong: the ball goes.
    /// world.remove_body(ball)?;
    /// world.advance_to(1.0)?;
    /// assert!(world.contacts().is_empty());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { world: Arc::new(self.clone()) }
    }

    /// The world that a snapshot was taken of, as it was then. O(memory of the world), as
    /// [`World::snapshot`].
    ///
    /// The restored world gives ids of bodies and of changes again that were given after the
    /// snapshot. Ids of that time are to be discarded with it.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::World;
    ///
    /// let start = world.snapshot();
    /// world.advance_to(1.5)?;
    /// let mut again = World::restore(&start);
    /// again.advance_to(1.5)?;
    /// assert_eq!((again.log().hash(), again.contacts()), (world.log().hash(), world.contacts()));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn restore(snapshot: &Snapshot) -> Self {
        Self::clone(&snapshot.world)
    }
}
