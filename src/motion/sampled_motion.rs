//! What a motion knows of its sampler: keys around a moment and ahead of it, positions there.

use std::sync::Arc;

use super::sampled::{KeysAhead, KeysAround, Sampler};
use super::trajectories::Trajectories;
use super::{Motion, MotionError};
use crate::time::{Moment, NEVER, Side};

impl Motion {
    /// Whether this is the motion of a sampler for all vertices.
    pub(crate) fn is_sampled_by(&self, sampler: &Arc<dyn Sampler>) -> bool {
        let is_shared = self.own.is_empty() && self.shared_count == self.vertex_count;
        is_shared && matches!(&self.shared, Trajectories::Sampled(sampled) if sampled.is_by(sampler))
    }

    /// The hash of the motion from `begin` to `end`, seconds, if all vertices follow a sampler that
    /// has fingerprints.
    pub(super) fn sampled_fingerprint(&self, begin: f64, end: f64) -> Option<u64> {
        match &self.shared {
            Trajectories::Sampled(sampled) if self.own.is_empty() && self.shared_count == self.vertex_count => {
                sampled.sampler.fingerprint(begin, end)
            }
            _ => None,
        }
    }

    /// Whether all vertices of both motions follow one and the same sampler.
    pub(crate) fn has_sampler_of(&self, other: &Self) -> bool {
        matches!(&other.shared, Trajectories::Sampled(sampled)
            if other.own.is_empty() && self.is_sampled_by(&sampled.sampler))
    }

    /// The sampler of all vertices; `None` for motion of other kinds.
    pub(crate) fn sampler(&self) -> Option<&Arc<dyn Sampler>> {
        match &self.shared {
            Trajectories::Sampled(sampled) if self.own.is_empty() && self.shared_count == self.vertex_count => {
                Some(&sampled.sampler)
            }
            _ => None,
        }
    }

    /// The time up to which the motion of another sampler is identical to this one from `from` on,
    /// seconds; `from` for motion of other kinds.
    pub(crate) fn samples_agree_until(&self, other: &Self, from: f64) -> f64 {
        match (&self.shared, &other.shared) {
            (Trajectories::Sampled(sampled), Trajectories::Sampled(known))
                if self.sampler().is_some() && other.sampler().is_some() =>
            {
                sampled.agrees_until(known, from)
            }
            _ => from,
        }
    }

    /// Checks the bounds that a sampler states against where it puts vertices around a moment;
    /// nothing of motion of other kinds. O(vertices).
    pub(crate) fn check_sampler_at(&self, at: Moment) -> Result<(), MotionError> {
        match &self.shared {
            Trajectories::Sampled(sampled) => sampled.check_bounds(at),
            _ => Ok(()),
        }
    }

    /// Where a sampler puts some vertices at a key, metres; the origin for motion of other kinds.
    pub(crate) fn key_positions(&self, key: usize, side: Side, vertices: &[u32]) -> Vec<[f64; 3]> {
        let Trajectories::Sampled(sampled) = &self.shared else { return vec![[0.0; 3]; vertices.len()] };
        let mut positions = Vec::with_capacity(vertices.len());
        sampled.some_key_positions((key, side), &mut vertices.iter().copied(), &mut positions);
        positions
    }

    /// Writes where a sampler puts all vertices at a key; nothing for motion of other kinds.
    pub(crate) fn sampled_at(&self, key: usize, side: Side, out: &mut Vec<[f64; 3]>) {
        out.clear();
        if let Trajectories::Sampled(sampled) = &self.shared {
            sampled.key_positions((key, side), out);
        }
    }

    /// The keys of a sampler around a moment; `None` for motion of other kinds.
    pub(crate) fn keys_around(&self, at: Moment) -> Option<KeysAround> {
        match &self.shared {
            Trajectories::Sampled(sampled) if self.own.is_empty() => Some(sampled.keys_around(at)),
            _ => None,
        }
    }

    /// When the last of the next `pieces` pieces of a sampler ends; [`NEVER`] if no key follows it,
    /// and for motion of other kinds.
    pub(crate) fn key_horizon(&self, at: Moment, pieces: usize) -> Moment {
        match &self.shared {
            Trajectories::Sampled(sampled) if self.own.is_empty() => sampled.horizon(at, pieces),
            _ => Moment::after(NEVER),
        }
    }

    /// Writes the keys of the next `pieces` pieces of a sampler; returns false for motion of other
    /// kinds.
    pub(crate) fn keys_ahead(&self, at: Moment, pieces: usize, ahead: &mut KeysAhead) -> bool {
        let Trajectories::Sampled(sampled) = &self.shared else { return false };
        let is_shared = self.own.is_empty();
        if is_shared {
            sampled.keys_ahead(at, pieces, ahead);
        }
        is_shared
    }
}
