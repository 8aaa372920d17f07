//! What a check found.

use super::{CheckIdentity, Stretches};
use crate::incident::{Incident, NamedPart, TriangleContact};
use crate::stats::Stats;

/// A body that was checked.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CheckedBody {
    /// Its name in the scene.
    pub name: String,
    /// Triangles.
    pub triangles: usize,
    /// Whether its motion was evaluated from few parameters; otherwise it is stored or simple.
    pub is_reduced: bool,
    /// How far the sampled motion may be from that of the file, where the reader sampled it.
    pub deviation: Option<SamplingDeviation>,
    /// What its triangles are called in its file: nodes, materials and joints. Empty without names.
    pub parts: Vec<NamedPart>,
}

impl CheckedBody {
    /// Whether another body is the same, apart from what its parts are called.
    pub(super) fn is_same_but_for_names(&self, other: &Self) -> bool {
        let Self { name, triangles, is_reduced, deviation, .. } = self;
        (name, triangles, is_reduced, deviation) == (&other.name, &other.triangles, &other.is_reduced, &other.deviation)
    }
}

/// How far a motion that a reader sampled is from the motion of its file, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SamplingDeviation {
    /// At most, as proven, rounding of positions to `f32` not counted; `None` without a proof.
    pub bound: Option<f64>,
    /// The greatest distance half-way between samples, with positions in `f32`.
    pub measured: f64,
}

impl SamplingDeviation {
    /// A bound, if there is one, and a measured distance, metres.
    pub fn new(bound: Option<f64>, measured: f64) -> Self {
        Self { bound, measured }
    }
}

/// Contacts of one pair of bodies, summed up. Of contacts over time where the check found them,
/// otherwise of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PairSummary {
    /// The two bodies, by their number in the scene; equal for a body with itself.
    pub bodies: [u32; 2],
    /// First contact, seconds.
    pub first: Option<f64>,
    /// Time in which anything touches, seconds; 0 where only samples were asked for.
    pub seconds: f64,
    /// Contacts over time: pairs of triangles, counted each time they begin to touch.
    pub contacts: usize,
    /// How many of these are assumed, because they could not be decided.
    pub undecided: usize,
    /// Samples at which anything touches.
    pub samples: usize,
    /// Most pairs of triangles that touch at once.
    pub most: usize,
    /// When that number first touches, seconds.
    pub most_at: f64,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckEnding {
    /// All of its span was checked.
    #[default]
    Complete,
    /// At the first contact, as the settings ask.
    FirstContact,
    /// The observer or [`super::CheckSettings::cancel`] ended it.
    Cancelled,
}

/// What a check found. All times are seconds; numbers of bodies are those of `bodies`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each says something else of the check")]
pub struct CheckResult {
    /// The bodies, in the scene's order.
    pub bodies: Vec<CheckedBody>,
    /// Pairs of bodies that were tested, lower number first, sorted; equal numbers for a body with
    /// itself.
    pub tested: Vec<[u32; 2]>,
    /// Contacts of those pairs, in the same order.
    pub pairs: Vec<PairSummary>,
    /// First and last second that were checked.
    pub span: [f64; 2],
    /// First and last second of the whole check: those of all its samples. `span` is a part of it
    /// where a part was asked for.
    pub whole: [f64; 2],
    /// Which scene and settings the result belongs to; `None` in files of earlier versions.
    pub identity: Option<CheckIdentity>,
    /// Fingerprints of the bodies by stretches of time, for [`super::check_again`].
    pub stretches: Stretches,
    /// Frames a second, where the scene or the user says so. Frame 0 is at 0 s.
    pub fps: Option<f64>,
    /// The sampled times, increasing, seconds.
    pub times: Vec<f64>,
    /// Whether contacts over time were asked for.
    pub is_over_time: bool,
    /// Whether nothing moves and one time was sampled: the result holds at any time.
    pub is_still: bool,
    /// How the check ended.
    pub ending: CheckEnding,
    /// All contacts over the span by bodies, triangles and begin; empty where only samples were
    /// asked for, except where nothing moves: a contact then lasts for the whole span. Without
    /// those that were handed over, if [`Self::contacts_left_out`].
    pub contacts: Vec<TriangleContact>,
    /// Whether contacts that ended were handed to the observer
    /// ([`super::CheckSettings::hand_over_contacts`]): `contacts` is the rest. Files, reports and
    /// incidents need all contacts, and refuse such a result.
    pub contacts_left_out: bool,
    /// The incidents, the most severe first.
    pub incidents: Vec<Incident>,
    /// Whether the incidents were not found: the settings skip them, or the check was cancelled
    /// before. [`super::merge`] and [`super::ResultFile::add_incidents`] find them later.
    pub incidents_left_out: bool,
    /// Counters; `triangle_tests` are those at instants and over time.
    pub stats: Stats,
}

impl CheckResult {
    /// Whether the result covers a part of the whole check only.
    pub fn is_part(&self) -> bool {
        self.span != self.whole || self.ending != CheckEnding::Complete
    }

    /// Whether anything touches.
    pub fn has_contacts(&self) -> bool {
        self.pairs.iter().any(|pair| pair.first.is_some())
    }

    /// Contacts over time that are assumed, because they could not be decided.
    pub fn undecided(&self) -> usize {
        self.pairs.iter().map(|pair| pair.undecided).sum()
    }
}
