//! What a check is asked for.

use super::BaselineChoice;
use crate::cancel::Cancel;
use crate::limits;
use crate::world::{Engine, IgnoredContacts};

/// At which times a check reports what touches.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Sampling {
    /// The scene's own samples ([`crate::io::Scene::sample_times`]): its frames, or the key times
    /// of its bodies.
    #[default]
    Scene,
    /// This number of samples a second, over the scene's span.
    Fps(f64),
    /// These times, seconds, increasing, inside the scene's span.
    Times(Vec<f64>),
}

/// What a check is asked for. What counts as contact (thickness, contacts of a body with itself,
/// neighbours) is said by the scene.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CheckSettings {
    /// How contacts are found; the contacts are the same.
    pub engine: Engine,
    /// Whether contacts over time are found too, not only those of the samples. `None` finds them
    /// with [`Engine::Auto`] and [`Engine::Kinetic`], where anything moves or several times are
    /// sampled. The other engines refuse `Some(true)`.
    pub over_time: Option<bool>,
    /// At which times contacts are reported.
    pub sampling: Sampling,
    /// First and last second. Contacts over time are clipped to it, and samples outside it are left
    /// out. `None` for all samples: from the first to the last of them.
    pub span: Option<[f64; 2]>,
    /// Pairs of triangles that are left out.
    pub ignored: IgnoredContacts,
    /// What incidents are compared with.
    pub baseline: BaselineChoice,
    /// Whether the check ends at the first sample at or before which something touched.
    pub stop_at_first: bool,
    /// Threads that [`super::check`] divides the span over; 0 and 1 for one thread, and at most
    /// [`MAX_THREADS`](limits::MAX_THREADS). The outcome is the same, except for counters. With the
    /// feature `rayon`, threads also share the work within a pair of bodies and within an incident.
    ///
    /// A thread holds the keys of the part of the span that it runs: 8 MiB a body, or 64 keys,
    /// whichever is more, and all keys of a body that loops. Samples that were found before their
    /// turn wait in memory. With [`Self::stop_at_first`], with baked scenes, and where an earlier
    /// result is reused, one thread is used.
    pub jobs: usize,
    /// Parts into which the span is divided, at least. More parts hold fewer keys and build trees
    /// more often; long clips are divided without it. The outcome is the same, except for counters.
    pub parts: usize,
    /// Leaves incidents out ([`super::CheckResult::incidents_left_out`]): for parts of a check,
    /// whose incidents are found when the parts are joined.
    pub skip_incidents: bool,
    /// Contacts over time that have ended are handed to the observer
    /// ([`super::CheckSample::handed_over`]) and not kept. Those that were not handed over are in
    /// [`super::CheckResult::contacts`] at the end: they exist then, or have ended since the last
    /// sample. Both together are the contacts that are found without it, bit by bit. Summaries are
    /// the same too.
    ///
    /// Memory is then held for contacts that exist at a time, however long the check is; with
    /// [`Self::jobs`] also for those of parts that wait for their turn. A baked scene holds all its
    /// contacts, and so does an earlier result that is reused: there none are handed over.
    ///
    /// Incidents are found in all contacts, so this needs [`Self::skip_incidents`] and no
    /// [`Self::baseline`].
    pub hand_over_contacts: bool,
    /// Ends the check early: after the sample that is computed, as an observer does, and without
    /// the incidents that were not found yet.
    pub cancel: Option<Cancel>,
}

impl CheckSettings {
    /// The number of threads that are used, at least one.
    pub(super) fn threads(&self) -> usize {
        if self.stop_at_first { 1 } else { self.jobs.clamp(1, limits::MAX_THREADS) }
    }
}
