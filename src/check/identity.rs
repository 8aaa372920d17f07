//! Which check a result belongs to: fingerprints of its scene and settings.

use crate::bytes::Fingerprint;
use crate::world::World;

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

impl CheckIdentity {
    /// O(keys × vertices).
    pub(super) fn new(world: &World, whole: [f64; 2], sampling: u64) -> Self {
        let identity = world.identity(whole[0], whole[1]);
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
