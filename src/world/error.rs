//! What a world refuses, and why. Whatever is refused leaves the world as it was.
//!
//! Two exceptions. Beyond a bound ([`WorldError::Limit`]) changes are made all the same, but for a
//! body that was to be added. And such a body has been there for a moment: its id is not given
//! again, and the log ([`super::World::log`]) may have counted what it did.

use crate::baked::BakeError;
use crate::geometry::GeometryError;
use crate::id::BodyId;
use crate::limits;
use crate::mesh::EditError;
use crate::motion::MotionError;
use crate::time::Span;

/// Why a change of a world, or a question to it, was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The body was removed, or belongs to another world.
    #[error("{body} is not (or no longer) in this world")]
    NoSuchBody {
        /// The id.
        body: BodyId,
    },
    /// A flightplan is not usable.
    #[error("body '{body}': {error}")]
    Motion {
        /// The body's name.
        body: String,
        /// What is wrong with it.
        #[source]
        error: MotionError,
    },
    /// An edit is not possible.
    #[error("body '{body}': {error}")]
    Edit {
        /// The body's name.
        body: String,
        /// What is wrong with it.
        #[source]
        error: EditError,
    },
    /// An edit would make a scheduled change impossible; cancel that first.
    #[error("body '{body}': the edit would make the change scheduled for {time} s impossible")]
    ChangeScheduled {
        /// The body's name.
        body: String,
        /// When the change is due, seconds.
        time: f64,
    },
    /// A bound on drift that is not a number of at least 1.
    #[error("body '{body}': {value} is not a usable bound on the quality of a tree; it must be at least 1")]
    BadBound {
        /// The body's name.
        body: String,
        /// The bound.
        value: f64,
    },
    /// The clock stands outside the span of a plan that says [`crate::motion::Outside::Error`].
    #[error("body '{body}': {time} s is outside its motion, which runs from {} s to {} s", .span.begin, .span.end)]
    OutsideSpan {
        /// The body's name.
        body: String,
        /// The clock, seconds.
        time: f64,
        /// The plan's span.
        span: Span,
    },
    /// A thickness that is negative, not a number, or too large.
    #[error(
        "body '{body}': {value} m is not a usable thickness; it must be a number from 0 to {:e}",
        limits::MAX_COORDINATE
    )]
    BadThickness {
        /// The body's name.
        body: String,
        /// The thickness, metres.
        value: f64,
    },
    /// Exact contacts were asked of a body made of patches, whose contacts the host decides.
    #[error("body '{body}' is made of patches: it cannot be edited, and only the host can test its contacts")]
    MadeOfPatches {
        /// The body's name.
        body: String,
    },
    /// An edit was asked of a body made of spheres, which has nothing to edit but its flightplan.
    #[error("body '{body}' is made of spheres: it cannot be edited, but it can be given another flightplan")]
    MadeOfSpheres {
        /// The body's name.
        body: String,
    },
    /// A surface was asked of a body made of patches or spheres.
    #[error("body '{body}' is made of patches or spheres: it has no surface of triangles")]
    NoSurface {
        /// The body's name.
        body: String,
    },
    /// The geometry of a body's contacts cannot be computed.
    #[error("body '{body}': {error}")]
    Geometry {
        /// The body's name.
        body: String,
        /// The reason.
        #[source]
        error: GeometryError,
    },
    /// A time is not a number or too far off.
    #[error("{} s is not a usable time (finite, at most {:e} s)", limits::readable(*.time), limits::MAX_TIME)]
    BadTime {
        /// The time.
        time: f64,
    },
    /// A time is before the world's clock.
    #[error("{time} s has passed: the clock stands at {now} s")]
    PastTime {
        /// The time.
        time: f64,
        /// The clock's time.
        now: f64,
    },
    /// Continuous contacts were asked for with an engine that cannot find them.
    #[error("continuous contacts need the engine 'auto' or 'kinetic'; '{engine}' tests only the times advanced to")]
    NeedsKinetic {
        /// The engine.
        engine: super::Engine,
    },
    /// A body was to have an engine that only whole worlds have.
    #[error("body '{body}': '{engine}' is an engine for whole worlds, not for single bodies")]
    EngineOfWorlds {
        /// The body's name.
        body: String,
        /// The engine.
        engine: super::Engine,
    },
    /// A body's tree cannot be baked, or a baked clip is not one of it.
    #[error("body '{body}': {error}")]
    Baked {
        /// The body's name.
        body: String,
        /// What is wrong.
        #[source]
        error: BakeError,
    },
    /// A baked tree was asked of a kinetic body, or of a body without a tree.
    #[error(
        "body '{body}' has no tree to bake: baking needs engine 'auto', 'interval' or 'refit', and a body that is not \
         kinetic"
    )]
    NotBakeable {
        /// The body's name.
        body: String,
    },
    /// The boxes of a body's sampler are of another tree than the one they were asked for.
    #[error("body '{body}': the sampler's boxes are of another tree than the one they were asked for")]
    ForeignBoxes {
        /// The body's name.
        body: String,
    },
    /// Contacts were asked for at a time that is not covered by the last advance.
    #[error("contacts at {time} s are not known; they are known from {} s to {} s", .span.begin, .span.end)]
    NotCertified {
        /// The time, seconds.
        time: f64,
        /// What is covered.
        span: Span,
    },
    /// A pair of one body with itself.
    #[error("{body} was given twice where two bodies are needed")]
    SameBody {
        /// The id.
        body: BodyId,
    },
    /// More than one of the world's bounds allows ([`super::WorldLimits`]). A body that was to be
    /// added is not added; another change is made, and [`super::World::contacts`] are those of
    /// before it until the world is advanced within its bounds.
    #[error("more than {limit} {what}, which is the world's bound")]
    Limit {
        /// Of which things.
        what: &'static str,
        /// The bound.
        limit: u64,
    },
    /// More bodies, or pairs of bodies, than can be named.
    #[error("more than {} {what} are not supported", limits::MAX_OWNERS)]
    TooMany {
        /// What there is too much of.
        what: &'static str,
    },
    /// Settling what a change brought about at the present moment did not end.
    #[error("{events} events at {time} s and no end: this is a defect of kinetree, please report it")]
    Stuck {
        /// The clock, seconds.
        time: f64,
        /// Events processed at this one moment.
        events: u64,
    },
}

/// Why the clock was not advanced.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AdvanceError {
    /// Time does not run backwards.
    #[error("cannot advance backwards, from {now} s to {to} s")]
    Backwards {
        /// The clock, seconds.
        now: f64,
        /// The time asked for.
        to: f64,
    },
    /// The time is not a number or too far off.
    #[error("{} s is not a usable time (finite, at most {:e} s)", limits::readable(*.to), limits::MAX_TIME)]
    BadTime {
        /// The time asked for.
        to: f64,
    },
    /// A plan that says [`crate::motion::Outside::Error`] does not reach that far.
    #[error("body '{body}': {to} s is outside its motion, which runs from {} s to {} s", .span.begin, .span.end)]
    OutsideSpan {
        /// The body's name.
        body: String,
        /// The time asked for.
        to: f64,
        /// The plan's span.
        span: Span,
    },
    /// A scheduled change is not possible any more; it was withdrawn, and the clock stands at its
    /// time.
    #[error("the change scheduled for {time} s is not possible: {error}")]
    Change {
        /// When it was due, seconds.
        time: f64,
        /// Why it was refused.
        #[source]
        error: Box<WorldError>,
    },
    /// More than one of the world's bounds allows ([`super::WorldLimits`]). The world can be
    /// advanced again, from the clock's time.
    #[error("more than {limit} {what}, which is the world's bound; the clock stands at {time} s")]
    Limit {
        /// Of which things.
        what: &'static str,
        /// The bound.
        limit: u64,
        /// Where the clock stands, seconds.
        time: f64,
    },
    /// Events at one moment did not come to an end: a defect of this library. The world must be
    /// dropped.
    #[error("{events} events at {time} s and no end: this is a defect of kinetree, please report it")]
    Stuck {
        /// The moment, seconds.
        time: f64,
        /// Events processed at it.
        events: u64,
    },
}

impl From<AdvanceError> for WorldError {
    fn from(error: AdvanceError) -> Self {
        match error {
            AdvanceError::Backwards { now, to } => Self::PastTime { time: to, now },
            AdvanceError::BadTime { to } => Self::BadTime { time: to },
            AdvanceError::OutsideSpan { body, to, span } => Self::OutsideSpan { body, time: to, span },
            AdvanceError::Change { error, .. } => *error,
            AdvanceError::Stuck { time, events } => Self::Stuck { time, events },
            AdvanceError::Limit { what, limit, .. } => Self::Limit { what, limit },
        }
    }
}

impl AdvanceError {
    /// What [`WorldLimits::body_pairs`](super::WorldLimits::body_pairs) bounds.
    pub(crate) const PAIRS: &'static str = "pairs of bodies";

    /// Another thread cancelled an advance: names no bound, and no host meets it.
    pub(crate) const CANCELLED: &'static str = "advances that were cancelled";

    /// The same, where certificates would be missing.
    pub(crate) const KINETIC_PAIRS: &'static str = "pairs of kinetic bodies";

    /// What [`WorldLimits::candidates`](super::WorldLimits::candidates) bounds.
    pub(crate) const CANDIDATES: &'static str = "candidate pairs of triangles";

    /// What [`WorldLimits::contacts`](super::WorldLimits::contacts) bounds.
    pub(crate) const CONTACTS: &'static str = "contacts";

    /// What [`WorldLimits::events`](super::WorldLimits::events) bounds.
    pub(crate) const EVENTS: &'static str = "events in one advance";
}
