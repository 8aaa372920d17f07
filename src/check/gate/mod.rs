//! Formats that pipelines read: JUnit XML, and annotations of GitHub workflows.
//!
//! Both list the incidents that violate the thresholds of a gate.

mod github;
mod junit;
mod text;

use super::CheckResult;
use crate::incident::{Incident, Thresholds};

pub use github::github_annotations;
pub use junit::junit_xml;

/// A check as a pipeline sees it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Gate<'a> {
    /// What was checked, as the user names it: a path.
    pub scene: &'a str,
    /// What the check found.
    pub result: &'a CheckResult,
    /// What the pipeline does not accept: an incident fails if it violates any of these. Without
    /// any, each new incident fails.
    pub thresholds: &'a [Thresholds],
}

impl<'a> Gate<'a> {
    /// A gate for a result.
    pub fn new(scene: &'a str, result: &'a CheckResult, thresholds: &'a [Thresholds]) -> Self {
        Self { scene, result, thresholds }
    }

    /// Whether an incident is not accepted.
    pub fn fails(&self, incident: &Incident) -> bool {
        if self.thresholds.is_empty() {
            return incident.is_new;
        }
        self.thresholds.iter().any(|thresholds| thresholds.is_violated_by(incident, self.result.fps))
    }

    /// The incidents that are not accepted, with their places by severity, the most severe first.
    pub fn failures(&self) -> impl Iterator<Item = (usize, &'a Incident)> + '_ {
        self.result.incidents.iter().enumerate().filter(|(_, incident)| self.fails(incident))
    }

    /// The thresholds as text.
    fn condition(&self) -> String {
        if self.thresholds.is_empty() {
            return "new".into();
        }
        self.thresholds.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
    }
}
