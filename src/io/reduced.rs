//! Motion by few parameters, as a scene holds it: a skin or morph targets of a glTF model.

use std::sync::Arc;

use super::Outside;
use crate::bvh::BoundedSampler;
use crate::motion;
use crate::motion::Flightplan;
use crate::reduced::{Affine, PoseTimes, ReducedBody, ReducedError};
use crate::time::Side;

/// How near a time may be to a key and count as that key, seconds, besides the rounding of 32-bit
/// times. A vertex within that of a key is off its true path by a millionth of what it travels in a
/// second, at most.
const NEAR: f64 = 1e-6;

/// The motion of a body that is moved by few parameters: a skin, or morph targets.
///
/// No position is stored. Vertices have their true positions at the key times, and move linearly in
/// between, as keyframes do. A world bounds the body from its parameters, and evaluates vertices
/// near other bodies only ([`crate::BodyDef::bounded`]).
///
/// Two motions are equal if their keys and the positions at them are, up to a hash of 64 bits.
#[derive(Clone, Debug)]
pub struct ReducedMotion {
    body: ReducedBody,
    keys: PoseTimes,
    /// Holds outside the keys.
    sampler: Arc<dyn BoundedSampler>,
}

impl ReducedMotion {
    /// A motion with keys at given times. O(1).
    ///
    /// # Errors
    /// Motion for which no bound of its coordinates or its speed is known; coordinates beyond
    /// [`crate::limits::MAX_COORDINATE`].
    pub fn new(body: ReducedBody, keys: PoseTimes) -> Result<Self, ReducedError> {
        let sampler = body.sampler_at(keys.clone(), None, motion::Outside::Hold)?;
        Ok(Self { body, keys, sampler })
    }

    /// The motion as a flightplan, which holds before the first key and after the last.
    pub fn flightplan(&self) -> Flightplan {
        Flightplan::sampled(Arc::<dyn BoundedSampler>::clone(&self.sampler))
    }

    /// Mesh and parameters.
    pub fn body(&self) -> &ReducedBody {
        &self.body
    }

    /// The keys.
    pub fn keys(&self) -> &PoseTimes {
        &self.keys
    }

    /// Key times, seconds, increasing.
    pub fn times(&self) -> &[f64] {
        self.keys.times()
    }

    /// The positions of all vertices at a key, metres; empty where there is no such key.
    /// O(vertices).
    pub fn positions_at_key(&self, key: usize) -> Vec<[f64; 3]> {
        let mut positions = Vec::new();
        if key < self.times().len() {
            self.sampler.positions(key, Side::At, &mut (0..self.sampler.vertex_count() as u32), &mut positions);
        }
        positions
    }

    /// The same motion, carried as a whole by a 4 × 4 matrix for column vectors, row by row.
    ///
    /// # Errors
    /// Coordinates beyond [`crate::limits::MAX_COORDINATE`].
    pub(super) fn placed(&self, matrix: &[f64; 16]) -> Result<Self, ReducedError> {
        let (rows, _) = matrix.as_chunks::<4>();
        let placement = Affine::from_rows([rows[0], rows[1], rows[2]]);
        Self::new(self.body.placed(placement)?, self.keys.placed(&placement))
    }

    /// The motion as a world takes it: with true positions at some more times, and the positions by
    /// which seams are welded, metres.
    pub(super) fn sampler(
        &self,
        rest: &[[f32; 3]],
        outside: Outside,
        exact: &[f64],
    ) -> Result<Arc<dyn BoundedSampler>, ReducedError> {
        let mut keys = self.keys.clone();
        if !exact.is_empty() {
            let exact: Vec<f64> = exact.iter().map(|&time| self.within(time, outside)).collect();
            keys = keys.with(&exact, |time| NEAR + time.abs() * f64::from(f32::EPSILON));
        }
        self.body.sampler_at(keys, Some(rest.into()), motion_outside(outside))
    }

    /// The time between the keys that is shown at a time, seconds.
    fn within(&self, time: f64, outside: Outside) -> f64 {
        match (outside, self.times()) {
            (Outside::Loop, &[first, .., last]) => first + (time - first).rem_euclid(last - first),
            _ => time,
        }
    }
}

/// The core's word for what happens outside the keys.
pub(super) fn motion_outside(outside: Outside) -> motion::Outside {
    match outside {
        Outside::Hold => motion::Outside::Hold,
        Outside::Loop => motion::Outside::Loop,
        Outside::Error => motion::Outside::Error,
    }
}

impl PartialEq for ReducedMotion {
    fn eq(&self, other: &Self) -> bool {
        let fingerprint = |motion: &Self| motion.sampler.fingerprint(f64::NEG_INFINITY, f64::INFINITY);
        self.keys == other.keys && fingerprint(self) == fingerprint(other)
    }
}
