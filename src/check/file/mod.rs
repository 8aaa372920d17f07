//! Result files of checks: `kinetree-contacts/1`, `docs/formats/contacts.md`.
//!
//! | file | does |
//! |---|---|
//! | `write` | [`JsonWriter`]: a check as JSON, sample by sample |
//! | `read` | [`ResultFile`] from JSON |
//! | `merge` | parts of one check, joined |
//! | `error` | what is wrong with a file, or with parts |

mod error;
mod merge;
mod read;
mod write;

use super::{CheckResult, SampledContact};

pub use error::{MergeError, ResultFileError};
pub(super) use merge::join_contacts;
pub use merge::merge;
pub use read::{parse_result, read_result};
pub use write::JsonWriter;

/// The name of the format.
pub(super) const FORMAT: &str = "kinetree-contacts/1";

/// Counts additions to the format: members that earlier writers did not have.
pub(super) const REVISION: u32 = 1;

/// One sampled time of a result file.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FileSample {
    /// Seconds.
    pub time: f64,
    /// What touches, by bodies and triangles.
    pub contacts: Vec<SampledContact>,
}

/// A whole result file: a check, and what touches at its samples.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ResultFile {
    /// The check. Its counters are empty.
    pub result: CheckResult,
    /// What touches at the sampled times, in order of time.
    pub samples: Vec<FileSample>,
}
