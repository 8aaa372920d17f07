//! Advances in portions: at most about a number of events, and how far that went.

use crate::world::World;
use crate::world::caps::WorldLimits;
use crate::world::error::AdvanceError;

/// How far an advance with a budget went; see [`World::advance_to_within`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Progress {
    /// The clock, seconds: contacts and events are those of an advance to this time.
    pub time: f64,
    /// Whether the clock stands at the time asked for.
    pub is_done: bool,
}

impl World {
    /// Advances towards `time` (seconds), but processes only about `budget` events; says how far
    /// the world came.
    ///
    /// Where it stops, contacts are exact, and the world can be used as after any advance. The next
    /// call goes on from there. However a stretch of time is divided into budgets, events and
    /// contacts are those of one advance, bit for bit. For a host that spreads the work of a spike
    /// over several frames: events of kinetic bodies and of continuous contacts are counted; what
    /// other engines compute at the time they stop at is not.
    ///
    /// All events of one moment are processed together, and at least those of one; so each call
    /// makes progress. Cost as [`World::advance_to`], for each call once.
    ///
    /// # Errors
    /// As [`World::advance_to`]; [`AdvanceError::Limit`] only where one of the world's own bounds
    /// is met.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let mut frames = 1;
    /// while !world.advance_to_within(2.0, 1)?.is_done {
    ///     frames += 1; // The world stands at an earlier time, with the contacts of that time.
    /// }
    /// assert_eq!(world.time(), 2.0);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn advance_to_within(&mut self, time: f64, budget: u64) -> Result<Progress, AdvanceError> {
        let own = self.limits;
        if budget >= own.events {
            self.advance_to(time)?;
            return Ok(Progress { time, is_done: true });
        }
        self.limits = WorldLimits { events: budget, ..own };
        let outcome = self.advance_to(time);
        self.limits = own;
        match outcome {
            Ok(()) => Ok(Progress { time, is_done: true }),
            Err(AdvanceError::Limit { what: AdvanceError::EVENTS, time, .. }) => Ok(Progress { time, is_done: false }),
            Err(error) => Err(error),
        }
    }
}
