//! Formats that pipelines read: JUnit XML, and annotations of GitHub workflows.
//!
//! Both list the incidents that violate the thresholds of a gate.

mod github;
mod junit;
mod text;

use super::CheckResult;
use crate::incident::{Condition, Incident, Quantity, Thresholds};

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

    /// Whether an incident has what it takes to accept it: some thresholds decide on it. Conditions
    /// on depth, length and area do not decide on incidents without depth and crossing curve: with
    /// spheres, points or segments, or by thickness alone ([`Quantity::of`]).
    pub fn judges(&self, incident: &Incident) -> bool {
        self.thresholds.is_empty() || self.thresholds.iter().any(|it| decides(it, incident, self.result.fps))
    }

    /// Whether there are incidents, and none of them is judged: that none fails says nothing then.
    pub fn judges_none(&self) -> bool {
        let incidents = &self.result.incidents;
        !incidents.is_empty() && incidents.iter().all(|incident| !self.judges(incident))
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

/// Whether thresholds decide on an incident: it has all that they compare, or is accepted by what
/// it has.
fn decides(thresholds: &Thresholds, incident: &Incident, fps: Option<f64>) -> bool {
    let conditions = thresholds.conditions();
    let is_known = |condition: &Condition| missing(condition, incident, fps).is_none();
    conditions.iter().all(is_known) || conditions.iter().any(|condition| is_refuted(condition, incident, fps))
}

/// Whether an incident has what a condition compares, and does not meet it.
fn is_refuted(condition: &Condition, incident: &Incident, fps: Option<f64>) -> bool {
    match *condition {
        Condition::New => !incident.is_new,
        Condition::Exceeds { quantity, limit, is_inclusive } => {
            quantity.of(incident, fps).is_some_and(|value| value < limit || (value == limit && !is_inclusive))
        }
    }
}

/// What a condition compares, if an incident does not have it.
fn missing(condition: &Condition, incident: &Incident, fps: Option<f64>) -> Option<Quantity> {
    match *condition {
        Condition::New => None,
        Condition::Exceeds { quantity, .. } => quantity.of(incident, fps).is_none().then_some(quantity),
    }
}
