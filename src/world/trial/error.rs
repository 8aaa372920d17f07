//! What a trial refuses.

use crate::id::BodyId;
use crate::limits;
use crate::world::error::WorldError;

/// Reason why a trial step was refused. The world is as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// A body does not exist, is not made of triangles, or was given positions that are not usable.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The end of a trial does not come after the clock.
    #[error("a trial must end after the clock: it stands at {now} s, and the trial ends at {end} s")]
    NotAfterNow {
        /// The clock, seconds.
        now: f64,
        /// The end of the trial, seconds.
        end: f64,
    },
    /// A trial names no body.
    #[error("a trial needs at least one body")]
    NoBodies,
    /// A body is named twice in one trial.
    #[error("{body} is named twice in one trial")]
    BodyTwice {
        /// The body.
        body: BodyId,
    },
    /// A correction names a body that the trial does not move.
    #[error("body '{body}' does not take part in the trial: name it when the trial is made")]
    NotInTrial {
        /// The body's name.
        body: String,
    },
    /// A change of some body's flightplan is scheduled before the end of the trial. Advance to it
    /// first, or cancel it.
    #[error("body '{body}': a change of its flightplan is scheduled at {time} s, before the trial ends at {end} s")]
    ChangeScheduled {
        /// The body's name.
        body: String,
        /// When the change is due, seconds.
        time: f64,
        /// The end of the trial, seconds.
        end: f64,
    },
    /// A body made of patches or spheres cannot be moved by a trial.
    #[error("body '{body}' is not made of triangles: a trial cannot move it")]
    NotOfTriangles {
        /// The body's name.
        body: String,
    },
    /// A distance that is negative, not a number, or too large.
    #[error("{value} m is not a usable distance; it must be a number from 0 to {:e}", limits::MAX_COORDINATE)]
    BadDistance {
        /// The distance, metres.
        value: f64,
    },
    /// More than one of the world's bounds allows ([`crate::WorldLimits`]).
    #[error("more than {limit} {what} in a trial, which is the world's bound")]
    Limit {
        /// Of which things.
        what: &'static str,
        /// The bound.
        limit: u64,
    },
}
