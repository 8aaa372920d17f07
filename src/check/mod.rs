//! Checking a whole clip: a scene in; contacts over its span and their incidents out, in the
//! formats that people and pipelines read.
//!
//! | file | does |
//! |---|---|
//! | `settings` | what is asked for |
//! | `sampling` | the times to test |
//! | `source` | where contacts come from: a world that runs, or a baked file |
//! | `run` | the run itself |
//! | `jobs` | the run with its span divided over threads |
//! | `outline` | what a check covers, before it runs |
//! | `again` | a check that takes what did not change from an earlier result |
//! | `contacts` | contacts over time, collected while the run goes on |
//! | `seam` | the same of parts that follow each other, joined at the cuts |
//! | `ledger` | the same of a whole check: kept or handed over, and summed up |
//! | `incidents`, `baseline` | incidents of the contacts; the earlier contacts they are compared with |
//! | `rows`, `names` | incidents as files list them; what their triangles are called |
//! | `gate` | formats that pipelines read |
//! | `result`, `error` | what a check found; why it was refused |
//! | `identity` | which scene and settings a result belongs to |
//! | `file` | result files, and joining parts |
//!
//! ```
//! use std::ops::ControlFlow;
//! use kinetree::check::{CheckSettings, check};
//!
//! let scene = kinetree::io::read_scene("fixtures/cloth_ball/scene.toml")?;
//! let mut settings = CheckSettings::default();
//! settings.span = Some([0.0, 0.25]);
//! let result = check(&scene, &settings, |sample| {
//!     let _progress = (sample.number + 1) as f64 / sample.count as f64;
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(result.span, [0.0, 0.25]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod again;
mod baseline;
mod contacts;
mod error;
mod file;
mod gate;
mod identity;
mod incidents;
mod jobs;
mod ledger;
mod names;
mod outline;
mod result;
mod rows;
mod run;
mod sampling;
mod seam;
mod settings;
mod source;

pub use again::{Reused, Stretches, check_again};
pub use baseline::{BaselineChoice, BaselineError, read_baseline};
#[cfg(feature = "cli")]
pub(crate) use contacts::compare_ends;
pub use error::CheckError;
pub use file::{FileSample, JsonWriter, MergeError, ResultFile, ResultFileError, merge, parse_result, read_result};
pub use gate::{Gate, github_annotations, junit_xml};
pub use identity::CheckIdentity;
pub use incidents::incidents_of;
#[cfg(feature = "cli")]
pub(crate) use names::PartFinder;
pub use outline::{CheckOutline, outline};
pub use result::{CheckEnding, CheckResult, CheckedBody, PairSummary, SamplingDeviation};
pub use rows::{IncidentRow, PartsRow};
#[cfg(feature = "cli")]
pub(crate) use run::checked_bodies;
pub use run::{CheckSample, SampledContact, check, check_baked};
#[cfg(feature = "cli")]
pub(crate) use sampling::{check_sampled, frame_times, is_still};
pub use settings::{CheckSettings, Sampling};
