//! Which check a result belongs to: fingerprints of its scene and settings.

use crate::bytes::Fingerprint;
use crate::io::{Scene, SceneWorldError};
use crate::world::{IdentityFrame, World, WorldIdentity};

/// What tells a check from others, in numbers of 64 bits: equal for equal scenes and settings, and
/// different, except for a chance of 2⁻⁶⁴, for others.
///
/// Names, engines, kinds of trees and the span that is checked do not matter: they do not change
/// what touches at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckIdentity {
    /// Per body, of its triangles, and of where its vertices are over the whole check.
    pub bodies: Vec<u64>,
    /// Of which bodies are tested against which, from which distance, and which pairs of triangles
    /// are left out.
    pub rules: u64,
    /// Of the sampled times of the whole check, and of whether contacts over time are found.
    pub sampling: u64,
}

/// Fingerprints of the motions of the bodies of a scene: over a whole check, and over its
/// stretches.
pub(super) struct Motions {
    frame: IdentityFrame,
    /// Per body, a fingerprint per span; `None` where the world's keys are not all.
    known: Vec<Option<Vec<u64>>>,
}

/// Per body, a fingerprint per span; `None` for bodies of whose keys every world has all.
pub(super) type ReadMotions = Vec<Option<Vec<u64>>>;

/// Fingerprints of the motions of which worlds may have a part only: reads their keys once more.
/// O(keys × vertices), with few keys held at once.
pub(super) fn read_motions(scene: &Scene, spans: &[[f64; 2]]) -> Result<ReadMotions, SceneWorldError> {
    (0..scene.bodies.len()).map(|body| scene.fingerprints(body, spans)).collect()
}

impl Motions {
    /// What a world of the scene knows, made for a part of its time, seconds; without one, no more
    /// than worlds of all parts do. O(triangles), and O(keys × vertices) for bodies whose motion it
    /// has whole.
    pub(super) fn of_world(scene: &Scene, world: &World, part: Option<[f64; 2]>, spans: &[[f64; 2]]) -> Self {
        let known =
            |body: usize| if scene.is_divided(body, part) { None } else { world.motion_fingerprints(body, spans) };
        Self { frame: world.identity_frame(), known: (0..scene.bodies.len()).map(known).collect() }
    }

    /// Adds what was read.
    pub(super) fn add(&mut self, read: ReadMotions) {
        for (known, read) in self.known.iter_mut().zip(read) {
            *known = read.or(known.take());
        }
    }

    /// Reads what the world did not know, as [`read_motions`].
    pub(super) fn read_unknown(&mut self, scene: &Scene, spans: &[[f64; 2]]) -> Result<(), SceneWorldError> {
        for (body, known) in self.known.iter_mut().enumerate().filter(|(_, known)| known.is_none()) {
            *known = scene.fingerprints(body, spans)?;
        }
        Ok(())
    }

    /// The identity of the world over a span, by its number.
    pub(super) fn identity(&self, span: usize) -> WorldIdentity {
        let of_body = |known: &Option<Vec<u64>>| known.as_ref().and_then(|known| known.get(span)).copied();
        self.frame.with(self.known.iter().map(|known| of_body(known).unwrap_or_default()))
    }
}

impl CheckIdentity {
    /// Of a world of a scene that was made for a part of its time, over the whole check, seconds.
    /// O(keys × vertices).
    pub(super) fn new(
        scene: &Scene,
        world: &World,
        part: [f64; 2],
        whole: [f64; 2],
        sampling: u64,
    ) -> Result<Self, SceneWorldError> {
        let mut motions = Motions::of_world(scene, world, Some(part), &[whole]);
        motions.read_unknown(scene, &[whole])?;
        Ok(Self::of(&motions, sampling))
    }

    /// The first span is the whole check.
    pub(super) fn of(motions: &Motions, sampling: u64) -> Self {
        let identity = motions.identity(0);
        Self { bodies: identity.bodies, rules: identity.rules, sampling }
    }
}

/// Of all sampled times of a check, frames a second, and whether contacts over time are found.
pub(super) fn of_sampling(times: &[f64], fps: Option<f64>, over_time: bool) -> u64 {
    let mut hash = Fingerprint::new();
    hash.word(u64::from(over_time));
    hash.word(fps.map_or(u64::MAX, f64::to_bits));
    times.iter().for_each(|time| hash.word((time + 0.0).to_bits()));
    hash.value()
}
