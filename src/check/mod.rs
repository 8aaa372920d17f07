//! Checking a whole clip: a scene in; contacts over its span and their incidents out, in the
//! formats that people and pipelines read.
//!
//! | file | does |
//! |---|---|
//! | `settings` | what is asked for |
//! | `sampling` | the times to test |
//! | `source` | where contacts come from: a world that runs, or a baked file |
//! | `run` | the run itself |
//! | `contacts` | contacts over time, collected while the run goes on |
//! | `result`, `error` | what a check found; why it was refused |
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

mod contacts;
mod error;
mod result;
mod run;
mod sampling;
mod settings;
mod source;

pub use error::CheckError;
pub use result::{CheckEnding, CheckResult, CheckedBody, PairSummary};
pub use run::{CheckSample, SampledContact, check, check_baked};
pub(crate) use sampling::{frame_times, is_still};
pub use settings::{CheckSettings, Sampling};
