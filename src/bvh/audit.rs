//! Audit reports.

use std::fmt;

use super::{Topology, tight_boxes};
use crate::math::Aabb;

/// What an audit found: how much it compared, and what was wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AuditReport {
    /// Comparisons made. An audit of something that has events and vertices makes at least one.
    pub checks: usize,
    /// Violations; empty if all is well. At most [`AuditReport::MOST_FAULTS`] are kept.
    pub faults: Vec<Fault>,
}

/// One violated invariant, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fault(pub String);

impl AuditReport {
    /// More faults than this are not written down.
    pub const MOST_FAULTS: usize = 100;

    /// Counts a check, and notes a fault unless it `holds`.
    pub(crate) fn check(&mut self, holds: bool, fault: impl FnOnce() -> String) {
        self.checks += 1;
        if !holds && self.faults.len() < Self::MOST_FAULTS {
            self.faults.push(Fault(fault()));
        }
    }

    /// Checks that the boxes of all nodes of a tree hold the vertices below them.
    pub(crate) fn check_boxes(
        &mut self,
        tree: &Topology,
        positions: &[[f64; 3]],
        place: &str,
        mut bounds: impl FnMut(u32) -> Aabb,
    ) {
        let truths = tight_boxes(tree, positions);
        for node in tree.upward() {
            let (truth, known) = (&truths[node as usize], bounds(node));
            // A side that is not a number says nothing, and is never used.
            let is_held = (0..3).all(|k| !(truth.min[k] < known.min[k]) && !(truth.max[k] > known.max[k]));
            self.check(is_held, || format!("node {node} {place}: {known:?} does not hold {truth:?}"));
        }
    }

    /// Adds another report to this one, its faults prefixed with where they were found.
    pub(crate) fn absorb(&mut self, place: impl fmt::Display, other: Self) {
        self.checks += other.checks;
        let room = Self::MOST_FAULTS.saturating_sub(self.faults.len());
        self.faults.extend(other.faults.into_iter().take(room).map(|fault| Fault(format!("{place}: {}", fault.0))));
    }

    /// Whether the audit found no fault.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }
}

impl fmt::Display for AuditReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} checks, {} faults", self.checks, self.faults.len())?;
        for fault in &self.faults {
            writeln!(f, "- {}", fault.0)?;
        }
        Ok(())
    }
}
