//! Advances in portions: at most about a number of events, or until another thread cancels them;
//! and how far that went.

use crate::cancel::Cancel;
use crate::world::World;
use crate::world::caps::WorldLimits;
use crate::world::error::AdvanceError;

/// How far an advance went that may stop early; see [`World::advance_to_within`] and
/// [`World::advance_to_unless`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Progress {
    /// The clock, seconds: events are those of an advance to this time. So are contacts, except
    /// contacts at times of an advance that was cancelled.
    pub time: f64,
    /// Whether the advance was done. Where contacts at times were not found, as it was cancelled
    /// meanwhile, it was not, though the clock stands at the time asked for.
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

    /// Advances to `time` (seconds) unless another thread sets a flag; says how far the world came.
    ///
    /// The flag is read between events, between and within the parts of a long decision at the end
    /// of windows of continuous contacts, and between pairs of bodies where contacts are found at a
    /// time. Not divided are the events of one moment, the first decision of two bodies that come
    /// close, a scheduled change, the boxes of one body, and what steps that were far shorter have
    /// begun to prepare of the windows and epochs that end in this one.
    ///
    /// Where it stops, the clock stands at [`Progress::time`], and what happens later is not
    /// touched. Continuous contacts are exact there, with all changes up to it; if they are more
    /// than [`WorldLimits::contacts`], [`World::contacts`] are those of before. Contacts at times
    /// are not found: [`World::contacts`] are those of before the advance, and
    /// [`World::contact_changes`] is empty. The next advance goes on, with a new flag or without
    /// one: however often it is cancelled, events, contacts and log are those of one advance, bit
    /// for bit. Changes of contacts at times are then told since the last advance that was done. A
    /// flag that is set before the call leaves the clock where it is.
    ///
    /// The flag belongs to the call: saves, clones and recordings do not have it. Cost as
    /// [`World::advance_to`], and a few nanoseconds per event.
    ///
    /// # Errors
    /// As [`World::advance_to`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::Cancel;
    ///
    /// let cancel = Cancel::new();
    /// let shared = cancel.clone();
    /// let impatient = std::thread::spawn(move || shared.cancel());
    /// let progress = world.advance_to_unless(2.0, &cancel)?;
    /// assert_eq!(world.time(), progress.time); // At most 2 s.
    /// # impatient.join().unwrap();
    /// world.advance_to(2.0)?; // Goes on.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn advance_to_unless(&mut self, time: f64, cancel: &Cancel) -> Result<Progress, AdvanceError> {
        self.clock.cancel.0 = Some(cancel.clone());
        let outcome = self.advance_to(time);
        self.clock.cancel.0 = None;
        match outcome {
            Ok(()) => Ok(Progress { time, is_done: true }),
            Err(AdvanceError::Limit { what: AdvanceError::CANCELLED, time, .. }) => {
                Ok(Progress { time, is_done: false })
            }
            Err(error) => Err(error),
        }
    }

    /// The state that an advance to `time` leaves that was cancelled where the clock stood at
    /// `reached`, both in seconds: for recordings.
    #[cfg(feature = "record")]
    pub(crate) fn advance_cancelled_at(&mut self, time: f64, reached: f64) -> Result<Progress, AdvanceError> {
        let reached = reached.clamp(self.time(), time.max(self.time()));
        self.begin_advance(time)?;
        let outcome = self.process_changes_until(reached);
        self.clock.cancel.0 = Some(Cancel::after_reads(0));
        let cancelled = AdvanceError::Limit { what: AdvanceError::CANCELLED, limit: 0, time: reached };
        let outcome = self.end_advance(reached, outcome.and(Err(cancelled)));
        self.clock.cancel.0 = None;
        match outcome {
            Ok(()) | Err(AdvanceError::Limit { what: AdvanceError::CANCELLED, .. }) => {
                Ok(Progress { time: reached, is_done: false })
            }
            Err(error) => Err(error),
        }
    }
}
