//! What is wrong with a result file, or with parts that do not go together.

/// Why a result file is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResultFileError {
    /// The file cannot be read.
    #[error("it cannot be read: {message}")]
    Read {
        /// What the system says.
        message: String,
    },
    /// No JSON, or not the members of a result.
    #[error("no result of a check: {message}; give a file that `check --json` or `check -o` wrote")]
    Json {
        /// Where and why.
        message: String,
    },
    /// Another format.
    #[error("its format is '{found}', not '{}'; write it again with this version", super::FORMAT)]
    Format {
        /// What the file says.
        found: String,
    },
    /// A name that is not that of a body.
    #[error("'{name}' is named in its {member}, but is not one of its bodies")]
    Body {
        /// The member.
        member: &'static str,
        /// The name.
        name: String,
    },
    /// A triangle that the body does not have.
    #[error("triangle {triangle} of '{body}' is named in its {member}, but the body has {count}")]
    Triangle {
        /// The member.
        member: &'static str,
        /// The body's name.
        body: String,
        /// The triangle, from 0.
        triangle: u32,
        /// How many triangles the body has.
        count: usize,
    },
    /// Entries that contradict each other.
    #[error("entry {index} (counted from 0) of its {member} contradicts the rest: {why}")]
    Inconsistent {
        /// The member.
        member: &'static str,
        /// Its place.
        index: usize,
        /// How.
        why: &'static str,
    },
}

/// Why parts cannot be joined. Parts are counted from 0, in the order they are given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// There are no parts.
    #[error("there is nothing to join; give at least one part")]
    Nothing,
    /// A file without fingerprints.
    #[error("part {part} does not say which check it is of: an earlier version wrote it; write it again")]
    NoIdentity {
        /// The part.
        part: usize,
    },
    /// A part of another scene.
    #[error("part {part} is of another scene than part 0: {what} differs")]
    OtherScene {
        /// The part.
        part: usize,
        /// What differs.
        what: String,
    },
    /// A part of a check with other settings.
    #[error("part {part} was made with other settings than part 0: {what}; make it again")]
    OtherSettings {
        /// The part.
        part: usize,
        /// Which.
        what: &'static str,
    },
    /// A part whose contacts were handed over, and not kept.
    #[error("part {part} lacks the contacts that were handed over; make it again, and keep them")]
    ContactsLeftOut {
        /// The part.
        part: usize,
    },
    /// A stretch of time that no part covers.
    #[error(
        "{from} s to {to} s is missing: no part covers it; add the part of `check --span {from}..{to}`; parts by \
         --frames share a frame with the next, as 0-10 and 10-45"
    )]
    Gap {
        /// Begin, seconds.
        from: f64,
        /// End, seconds.
        to: f64,
    },
    /// Two parts that cover the same time.
    #[error("parts {parts:?} both cover {from} s to {to} s; leave one out, or make one of them shorter")]
    Overlap {
        /// The parts.
        parts: [usize; 2],
        /// Begin, seconds.
        from: f64,
        /// End, seconds.
        to: f64,
    },
    /// Samples that two parts state differently at their common time.
    #[error("parts {parts:?} do not agree on what touches at {time} s; make them again, of the same scene")]
    Samples {
        /// The parts.
        parts: [usize; 2],
        /// Seconds.
        time: f64,
    },
}
