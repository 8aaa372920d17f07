//! Which check a result belongs to: fingerprints of its scene and settings.

use crate::bytes::Fingerprint;
use crate::io::{Scene, SceneWorldError};
use crate::world::{World, WorldIdentity};

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
pub(super) struct Motions<'a> {
    world: &'a World,
    spans: Vec<[f64; 2]>,
    /// Per body, a fingerprint per span; `None` for bodies whose motion the world has whole.
    known: Vec<Option<Vec<u64>>>,
}

impl<'a> Motions<'a> {
    /// `world` is one of the scene, over any part of its time. O(keys × vertices).
    pub(super) fn new(scene: &Scene, world: &'a World, spans: Vec<[f64; 2]>) -> Result<Self, SceneWorldError> {
        let known = (0..scene.bodies.len()).map(|body| scene.fingerprints(body, &spans)).collect::<Result<_, _>>()?;
        Ok(Self { world, spans, known })
    }

    /// The identity of the world over a span, by its number.
    pub(super) fn identity(&self, span: usize) -> WorldIdentity {
        let [begin, end] = self.spans[span];
        self.world.identity_by(begin, end, |body| self.known.get(body)?.as_ref().map(|known| known[span]))
    }
}

impl CheckIdentity {
    /// Of a world of a scene, over the whole check. O(keys × vertices).
    pub(super) fn new(scene: &Scene, world: &World, whole: [f64; 2], sampling: u64) -> Result<Self, SceneWorldError> {
        Ok(Self::of(&Motions::new(scene, world, vec![whole])?, sampling))
    }

    /// The first span is the whole check.
    pub(super) fn of(motions: &Motions<'_>, sampling: u64) -> Self {
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
