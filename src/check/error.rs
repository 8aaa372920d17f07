//! Why a check is refused.

use crate::incident::IncidentError;
use crate::io::{BakedSceneError, MAX_FRAME_NUMBER, SceneWorldError};
use crate::limits;
use crate::world::AdvanceError;

/// Why a check is refused. Values are counted from 1 in messages, as they stand in a list.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A scene that is not the one of a result.
    #[error(
        "this is not the scene of the result: {}",
        .body.as_ref().map_or("it has other bodies".into(), |body| format!("body '{body}' has another mesh or motion"))
    )]
    OtherScene {
        /// The first body that differs, if both have as many.
        body: Option<String>,
    },
    /// Contacts of the scene are to be the baseline, but other ones count in it than in the check.
    #[error("the check had other rules of what counts as contact; give the same, such as self contact and thickness")]
    OtherRules,
    /// The scene has no span and no keys, and no times were given.
    #[error("there is no time to look at; give the scene a span, or give times")]
    NoTimes,
    /// A time that is NaN or infinite.
    #[error("value {} is {value}, which is not a time in seconds", .index + 1)]
    TimeNotFinite {
        /// Its place in the list, from 0.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A time that is too far off.
    #[error("value {} is {value:e} s; at most {:e} s can be used", .index + 1, limits::MAX_TIME)]
    TimeTooLarge {
        /// Its place in the list, from 0.
        index: usize,
        /// The value, seconds.
        value: f64,
    },
    /// A time that is not after the one before it.
    #[error("value {} is {value} s, which does not come after {previous} s; give increasing times", .index + 1)]
    TimeOrder {
        /// Its place in the list, from 0.
        index: usize,
        /// The value before it, seconds.
        previous: f64,
        /// The value, seconds.
        value: f64,
    },
    /// A time outside the span that the scene states.
    #[error("{time} s is outside the scene's span, {} s to {} s; give times inside it", .span[0], .span[1])]
    OutsideSpan {
        /// The time, seconds.
        time: f64,
        /// The scene's span, seconds.
        span: [f64; 2],
    },
    /// A time at which all bodies are held at their first or last keys, in a scene without a span.
    #[error(
        "{time} s is {} key, that of body '{body}' at {} s, and nothing moves there; give times from {} s to {} s, \
         or give the scene a `span` over which its bodies are held",
        if *.is_before { "before the first" } else { "after the last" },
        if *.is_before { .keys[0] } else { .keys[1] },
        .keys[0],
        .keys[1]
    )]
    OutsideKeys {
        /// The time, seconds.
        time: f64,
        /// Whether the time is before all keys; otherwise it is after them.
        is_before: bool,
        /// The body with the nearest key.
        body: String,
        /// First and last key of all bodies, seconds.
        keys: [f64; 2],
    },
    /// Samples a second that are zero, negative or not finite.
    #[error("{value} is not a number of samples a second above 0; give one such as 24")]
    Fps {
        /// The value.
        value: f64,
    },
    /// More samples than can be counted.
    #[error(
        "{fps} a second from {} s to {} s are too many samples; at most {MAX_FRAME_NUMBER} can be counted",
        .span[0],
        .span[1]
    )]
    TooManySamples {
        /// Samples a second.
        fps: f64,
        /// The scene's span, seconds.
        span: [f64; 2],
    },
    /// A span to check that is not two times in order.
    #[error("{} s to {} s is no span: its begin must come before its end, or be equal to it", .span[0], .span[1])]
    Span {
        /// The span asked for, seconds.
        span: [f64; 2],
    },
    /// A scene that cannot be run.
    #[error(transparent)]
    Scene(#[from] SceneWorldError),
    /// A time that cannot be reached.
    #[error(transparent)]
    Advance(#[from] AdvanceError),
    /// A baked file that is not of this scene, or that cannot answer.
    #[error(transparent)]
    Baked(#[from] BakedSceneError),
    /// Contacts that are not of this scene.
    #[error(transparent)]
    Incident(#[from] IncidentError),
    /// Incidents, a baseline, or a file of a check that hands over its contacts.
    #[error(
        "this needs all contacts over time, and those that ended were to be handed over, not kept; keep them, or \
         leave incidents, baselines and result files out"
    )]
    ContactsLeftOut,
    /// Contacts over time are asked of a baked file without them.
    #[error("contacts over time were left out when it was baked; ask for samples only")]
    NoBakedContacts,
}
