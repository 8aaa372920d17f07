//! Why contacts were not recorded, read or told.

use crate::world::error::AdvanceError;

/// Why contacts were not recorded, read or told.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BakedContactsError {
    /// The world finds contacts only at the times of its steps, not contact intervals.
    #[error("only continuous contacts can be baked")]
    NotContinuous,
    /// Flightplans are to change in the course of the recording.
    #[error("a flightplan changes at {time} s, within the time to be baked")]
    ChangesScheduled {
        /// When first, seconds.
        time: f64,
    },
    /// The world cannot go there.
    #[error(transparent)]
    Advance(#[from] AdvanceError),
    /// More contacts than can be numbered.
    #[error("{count} contacts are more than can be baked")]
    TooMany {
        /// How many.
        count: usize,
    },
    /// The bytes are no baked contacts.
    #[error("the bytes are not baked contacts")]
    NotContacts,
    /// The bytes are of another version.
    #[error("the baked contacts have version {found}; only version {expected} can be read")]
    Version {
        /// The version found.
        found: u16,
        /// The version that is read.
        expected: u16,
    },
    /// The bytes end too early, or go on too long.
    #[error("the bytes of the baked contacts are too few or too many")]
    Length,
    /// The bytes were changed: their checksum is another.
    #[error("the baked contacts are damaged: their checksum does not match")]
    Checksum,
    /// A value inside contradicts the others.
    #[error("the baked contacts are inconsistent: {what}")]
    Inconsistent {
        /// What.
        what: &'static str,
    },
    /// The world asked about is not the one recorded.
    #[error("the contacts were baked for another world: {what}")]
    OtherWorld {
        /// What differs.
        what: &'static str,
    },
    /// The time was not recorded.
    #[error("contacts at {time} s are not baked; they are baked from {begin} s to {end} s")]
    NoSuchTime {
        /// The time, seconds.
        time: f64,
        /// What was recorded begins here, seconds.
        begin: f64,
        /// And ends here, seconds.
        end: f64,
    },
}
