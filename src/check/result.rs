//! What a check found.

use crate::incident::{Incident, TriangleContact};
use crate::stats::Stats;

/// A body that was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedBody {
    /// Its name in the scene.
    pub name: String,
    /// Triangles.
    pub triangles: usize,
}

/// What a check found. All times are seconds; numbers of bodies are those of `bodies`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckResult {
    /// The bodies, in the scene's order.
    pub bodies: Vec<CheckedBody>,
    /// Pairs of bodies that were tested, lower number first, sorted; equal numbers for a body with
    /// itself.
    pub tested: Vec<[u32; 2]>,
    /// First and last second.
    pub span: [f64; 2],
    /// Frames a second, where the scene or the user says so. Frame 0 is at 0 s.
    pub fps: Option<f64>,
    /// The sampled times, increasing, seconds.
    pub times: Vec<f64>,
    /// All contacts over the span by bodies, triangles and begin; empty where only samples were
    /// asked for.
    pub contacts: Vec<TriangleContact>,
    /// The incidents, the most severe first.
    pub incidents: Vec<Incident>,
    /// Counters.
    pub stats: Stats,
}
