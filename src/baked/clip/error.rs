//! Why a clip was not baked, read or replayed.

use std::fmt;

use crate::interval::IntervalError;

/// Why a clip was refused; nothing was changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BakeError {
    /// The motion cannot be followed.
    Window(IntervalError),
    /// The motion jumps inside the clip.
    Jump {
        /// When, seconds.
        time: f64,
    },
    /// The clip has no length, or its rate of frames is not positive and finite.
    BadSpan {
        /// The begin, seconds.
        begin: f64,
        /// The end, seconds.
        end: f64,
        /// Frames per second; 0 where events are stamped.
        per_second: f64,
    },
    /// More frames, events or winners than a clip can hold.
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
    /// The bytes are no baked clip.
    NotAClip,
    /// The bytes are of another version.
    Version {
        /// The version found.
        found: u16,
        /// The version that is read.
        expected: u16,
    },
    /// The number of bytes is not what the header says.
    Length {
        /// How many bytes are needed; the size of a header where not even that is complete.
        expected: u64,
        /// How many came.
        found: u64,
    },
    /// The bytes were changed: their checksum is another.
    Checksum,
    /// A value inside contradicts the others.
    Inconsistent {
        /// What.
        what: &'static str,
    },
    /// The clip was baked for another tree.
    OtherTopology,
    /// The clip was baked for another motion.
    OtherMotion,
    /// The time lies outside the clip, or between frames where frames are baked.
    NoSuchTime {
        /// The time, seconds.
        time: f64,
    },
}

impl fmt::Display for BakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Window(error) => error.fmt(f),
            Self::Jump { time } => write!(f, "the motion jumps at {time} s"),
            Self::BadSpan { begin, end, per_second } => {
                write!(f, "a clip from {begin} s to {end} s at {per_second} frames per second cannot be baked")
            }
            Self::TooLarge { what, count } => write!(f, "{count} {what} are more than a baked clip can hold"),
            Self::NotAClip => write!(f, "these bytes are no baked clip"),
            Self::Version { found, expected } => write!(f, "version {found} of a baked clip; {expected} is read"),
            Self::Length { expected, found } => write!(f, "{found} bytes where a baked clip needs {expected}"),
            Self::Checksum => write!(f, "the baked clip is damaged: its checksum does not fit"),
            Self::Inconsistent { what } => write!(f, "the baked clip contradicts itself: {what}"),
            Self::OtherTopology => write!(f, "the clip was baked for another tree"),
            Self::OtherMotion => write!(f, "the clip was baked for another motion"),
            Self::NoSuchTime { time } => write!(f, "the baked clip does not know {time} s"),
        }
    }
}

impl std::error::Error for BakeError {}

impl From<IntervalError> for BakeError {
    fn from(error: IntervalError) -> Self {
        Self::Window(error)
    }
}
