//! Why contacts were not recorded, read or told.

use std::fmt;

use crate::world::error::AdvanceError;

/// Why contacts were not recorded, read or told.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BakedContactsError {
    /// The world looks only at the times it is advanced to: it knows no intervals.
    NotContinuous,
    /// Flightplans are to change in the course of the recording.
    ChangesScheduled {
        /// When first, seconds.
        time: f64,
    },
    /// The world cannot go there.
    Advance(AdvanceError),
    /// More contacts than can be numbered.
    TooMany {
        /// How many.
        count: usize,
    },
    /// The bytes are no baked contacts.
    NotContacts,
    /// The bytes are of another version.
    Version {
        /// The version found.
        found: u16,
        /// The version that is read.
        expected: u16,
    },
    /// The bytes end too early, or go on too long.
    Length,
    /// The bytes were changed: their checksum is another.
    Checksum,
    /// A value inside contradicts the others.
    Inconsistent {
        /// What.
        what: &'static str,
    },
    /// The world asked about is not the one recorded.
    OtherWorld {
        /// What differs.
        what: &'static str,
    },
    /// The time was not recorded.
    NoSuchTime {
        /// The time, seconds.
        time: f64,
        /// What was recorded begins here, seconds.
        begin: f64,
        /// And ends here, seconds.
        end: f64,
    },
}

impl fmt::Display for BakedContactsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotContinuous => write!(f, "contacts can be baked only where they are continuous"),
            Self::ChangesScheduled { time } => write!(f, "a flightplan is to change at {time} s"),
            Self::Advance(error) => error.fmt(f),
            Self::TooMany { count } => write!(f, "{count} contacts are more than can be baked"),
            Self::NotContacts => write!(f, "these bytes are no baked contacts"),
            Self::Version { found, expected } => write!(f, "version {found} of baked contacts; {expected} is read"),
            Self::Length => write!(f, "the baked contacts are cut short or too long"),
            Self::Checksum => write!(f, "the baked contacts are damaged: their checksum does not fit"),
            Self::Inconsistent { what } => write!(f, "the baked contacts contradict themselves: {what}"),
            Self::OtherWorld { what } => write!(f, "the contacts were baked for another world: {what}"),
            Self::NoSuchTime { time, begin, end } => {
                write!(f, "contacts at {time} s are not baked; they are from {begin} s to {end} s")
            }
        }
    }
}

impl std::error::Error for BakedContactsError {}

impl From<AdvanceError> for BakedContactsError {
    fn from(error: AdvanceError) -> Self {
        Self::Advance(error)
    }
}
