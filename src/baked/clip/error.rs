//! Errors of baking, reading and replaying a clip.

use crate::interval::IntervalError;

/// Reason why a clip was refused; nothing was changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BakeError {
    /// The motion cannot be followed.
    #[error(transparent)]
    Interval(#[from] IntervalError),
    /// The motion jumps inside the clip.
    #[error("the motion jumps at {time} s")]
    Jump {
        /// When, seconds.
        time: f64,
    },
    /// The clip has no length, or its rate of frames is not positive and finite.
    #[error("a clip from {begin} s to {end} s at {per_second} frames per second cannot be baked")]
    BadSpan {
        /// The begin, seconds.
        begin: f64,
        /// The end, seconds.
        end: f64,
        /// Frames per second; 0 where events are stamped.
        per_second: f64,
    },
    /// More frames, events or winners than a clip can hold.
    #[error("{count} {what} are more than a baked clip can hold")]
    TooLarge {
        /// The kind of items.
        what: &'static str,
        /// Their number.
        count: usize,
    },
    /// The bytes are not a baked clip.
    #[error("the bytes are not a baked clip")]
    NotAClip,
    /// The bytes are of another version.
    #[error("the baked clip has version {found}; only version {expected} can be read")]
    Version {
        /// The version found.
        found: u16,
        /// The version that is read.
        expected: u16,
    },
    /// The number of bytes differs from the one in the header.
    #[error("a baked clip needs {expected} bytes, not {found}")]
    Length {
        /// The number of bytes needed; the size of a header if the header is incomplete.
        expected: u64,
        /// The number of bytes given.
        found: u64,
    },
    /// The bytes were changed: their checksum differs.
    #[error("the baked clip is damaged: its checksum does not match")]
    Checksum,
    /// A value contradicts the others.
    #[error("the baked clip is inconsistent: {what}")]
    Inconsistent {
        /// The value.
        what: &'static str,
    },
    /// The clip was baked for another tree.
    #[error("the clip was baked for another tree")]
    OtherTopology,
    /// The clip was baked for another motion.
    #[error("the clip was baked for another motion")]
    OtherMotion,
    /// The time lies outside the clip, or between frames where frames are baked.
    #[error(
        "{time} s is outside the baked clip, or between its frames; bake stamped, or the frames a second that are asked for"
    )]
    NoSuchTime {
        /// The time, seconds.
        time: f64,
    },
}
