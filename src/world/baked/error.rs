//! Why contacts were not recorded, read or told.

use crate::world::AdvanceError;

/// Why contacts were not recorded, read or told.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BakedContactsError {
    /// The world looks only at the times it is advanced to: it knows no intervals.
    #[error("contacts can be baked only where they are continuous")]
    NotContinuous,
    /// Flightplans are to change in the course of the recording.
    #[error("a flightplan is to change at {time} s")]
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
    #[error("these bytes are no baked contacts")]
    NotContacts,
    /// The bytes are of another version.
    #[error("version {found} of baked contacts; {expected} is read")]
    Version {
        /// The version found.
        found: u16,
        /// The version that is read.
        expected: u16,
    },
    /// The bytes end too early, or go on too long.
    #[error("the baked contacts are cut short or too long")]
    Length,
    /// The bytes were changed: their checksum is another.
    #[error("the baked contacts are damaged: their checksum does not fit")]
    Checksum,
    /// A value inside contradicts the others.
    #[error("the baked contacts contradict themselves: {what}")]
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
    #[error("contacts at {time} s are not baked; they are from {begin} s to {end} s")]
    NoSuchTime {
        /// The time, seconds.
        time: f64,
        /// What was recorded begins here, seconds.
        begin: f64,
        /// And ends here, seconds.
        end: f64,
    },
}
