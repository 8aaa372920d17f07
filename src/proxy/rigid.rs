//! The rigid motion of a body with its spheres: keys in the world frame, with a proven inflation.
//!
//! Between two keys a body's origin moves linearly and the body rotates at a constant rate about
//! one axis, by the shorter way. A centre `c(t)`, linear in the body frame, is `x(t) + R(t) c(t)`
//! in the world frame. Its second derivative is `R (ω × (ω × c) + 2 ω × c′)`, of length at most
//! `ω² |c| + 2 ω |c′|`. On a piece of length h it deviates from its chord by at most h²/8 times
//! that.
//!
//! Intervals are divided into equal pieces until this is within the tolerance for every sphere. The
//! remaining deviation and the rounding are added to the radii at both ends of the piece. The
//! inflated sphere therefore contains the true one at all times.
//!
//! Cost: O(pieces · spheres); the number of pieces grows with the square root of 1/tolerance.
//! Follows theory §7 (rotating joints), with the cross term.

use super::clip::SphereClip;
use super::error::ProxyError;
use super::track::{check_times, place};
use crate::limits;
use crate::math::vector::{distance, length};
use crate::motion::Sphere;

/// Positions and rotations of a body at key times.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidTrack {
    times: Vec<f64>,
    places: Vec<[f64; 3]>,
    turns: Vec<[f64; 4]>,
}

impl RigidTrack {
    /// Creates a track from key times (seconds, increasing), positions of the body's origin
    /// (metres) and rotations from the body frame to the world frame (unit quaternions x, y, z, w).
    ///
    /// # Errors
    /// No key, times out of order, counts that do not match, numbers that are not finite,
    /// quaternions whose length differs from 1 by more than [`limits::UNIT_QUATERNION_TOLERANCE`]
    /// (smaller differences are normalised).
    pub fn new(times: Vec<f64>, places: Vec<[f64; 3]>, turns: Vec<[f64; 4]>) -> Result<Self, ProxyError> {
        check_times(&times)?;
        for (what, found) in [("places", places.len()), ("turns", turns.len())] {
            if found != times.len() {
                return Err(ProxyError::KeyCount { what, found, wanted: times.len() });
            }
        }
        for (index, &value) in places.as_flattened().iter().enumerate() {
            if !(value.abs() <= limits::MAX_COORDINATE) {
                return Err(ProxyError::Number { what: "place at key", index: index / 3, value });
            }
        }
        let mut turns = turns;
        for (key, turn) in turns.iter_mut().enumerate() {
            let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !((length - 1.0).abs() <= limits::UNIT_QUATERNION_TOLERANCE) {
                return Err(ProxyError::Turn { key, length });
            }
            turn.iter_mut().for_each(|x| *x /= length);
        }
        Ok(Self { times, places, turns })
    }

    /// Key times, seconds.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The body's position and rotation at a time; constant before the first and after the last
    /// key.
    pub fn at(&self, time: f64) -> ([f64; 3], [f64; 4]) {
        let (key, share) = place(&self.times, time);
        if share == 0.0 {
            return (self.places[key], self.turns[key]);
        }
        let (from, to) = (self.places[key], self.places[key + 1]);
        let (axis, angle) = self.turning(key);
        let half = 0.5 * angle * share;
        let (sin, cos) = (libm::sin(half), libm::cos(half));
        let turn = multiply(self.turns[key], [sin * axis[0], sin * axis[1], sin * axis[2], cos]);
        ([0, 1, 2].map(|k| from[k] + share * (to[k] - from[k])), turn)
    }

    /// The world position of a point of the body at a time, metres.
    pub fn carry(&self, point: [f64; 3], time: f64) -> [f64; 3] {
        let (place, turn) = self.at(time);
        let turned = rotate(turn, point);
        [0, 1, 2].map(|k| place[k] + turned[k])
    }

    /// Axis (in the body frame) and angle (radians, at most π) of the rotation from key `key` to
    /// the next.
    fn turning(&self, key: usize) -> ([f64; 3], f64) {
        let [x, y, z, w] = self.turns[key];
        let [x, y, z, w] = multiply([-x, -y, -z, w], self.turns[key + 1]);
        // A quaternion and its negative are one rotation: the shorter way has w ≥ 0.
        let sign = if w < 0.0 { -1.0 } else { 1.0 };
        let sin = (x * x + y * y + z * z).sqrt();
        if sin == 0.0 {
            return ([0.0; 3], 0.0);
        }
        ([x, y, z].map(|x| sign * x / sin), 2.0 * libm::atan2(sin, w.abs()))
    }

    /// Maps spheres from the body frame into the world frame, within `tolerance` metres.
    ///
    /// Keys are those of both tracks and the ends of pieces. At every time each sphere contains the
    /// true one, and its radius exceeds it by at most the tolerance and a rounding.
    ///
    /// # Errors
    /// Invalid keys (see [`SphereClip`]); a tolerance that is not a positive number, or that needs
    /// more than [`limits::MAX_PIECES`] pieces between two keys.
    pub fn compose(&self, keys: &SphereClip, tolerance: f64) -> Result<SphereClip, ProxyError> {
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(ProxyError::Number { what: "tolerance", index: 0, value: tolerance });
        }
        keys.check()?;
        let count = keys.sphere_count();
        let mut times: Vec<f64> = self.times.iter().chain(&keys.times).copied().collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        let mut made = SphereClip::default();
        // Deviations of the pieces before and after each key, per sphere.
        let mut deviations: Vec<Vec<f64>> = Vec::new();
        for (index, &start) in times.iter().enumerate() {
            let Some(&end) = times.get(index + 1) else {
                made.times.push(start);
                deviations.push(vec![0.0; count]);
                continue;
            };
            let bends = self.bends(keys, start, end);
            let largest = bends.iter().copied().fold(0.0, f64::max);
            let pieces = (largest / tolerance).sqrt().ceil().max(1.0);
            if !(pieces <= limits::MAX_PIECES as f64) {
                return Err(ProxyError::TooManyPieces { time: start, pieces });
            }
            let pieces = pieces as u32;
            let first = made.times.len();
            for piece in 0..pieces {
                let time = start + (end - start) * (f64::from(piece) / f64::from(pieces));
                // Pieces shorter than the spacing of times are skipped.
                if time < end && (piece == 0 || made.times.last().is_some_and(|&last| time > last)) {
                    made.times.push(time);
                }
            }
            for piece in first..made.times.len() {
                let until = made.times.get(piece + 1).copied().unwrap_or(end);
                let share = (until - made.times[piece]) / (end - start);
                deviations.push(bends.iter().map(|bend| bend * share * share).collect());
            }
        }
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |most, x| f64::max(most, x.abs()));
        let reach = largest(&mut self.places.as_flattened().iter().copied())
            + largest(&mut keys.spheres.iter().flatten().map(|sphere| length(&sphere.centre) + sphere.radius));
        let rounding = limits::CARRY_ROUNDING * reach;
        for (key, &time) in made.times.iter().enumerate() {
            let (origin, turn) = self.at(time);
            let before = key.checked_sub(1).map(|before| &deviations[before]);
            let at = |index: usize| {
                let Sphere { centre, radius } = keys.known_at(index, time);
                let turned = rotate(turn, centre);
                let deviation = before.map_or(0.0, |before| before[index]).max(deviations[key][index]);
                Sphere { centre: [0, 1, 2].map(|k| origin[k] + turned[k]), radius: (radius + deviation) + rounding }
            };
            made.spheres.push((0..count).map(at).collect());
        }
        Ok(made)
    }

    /// Per sphere, h²/8 times the largest second derivative in an interval without an inner key,
    /// metres.
    fn bends(&self, keys: &SphereClip, start: f64, end: f64) -> Vec<f64> {
        let duration = end - start;
        let (key, _) = place(&self.times, start);
        let is_moving = start >= self.times[0] && key + 1 < self.times.len();
        let angle =
            if is_moving { self.turning(key).1 * (duration / (self.times[key + 1] - self.times[key])) } else { 0.0 };
        let bend = |index: usize| {
            let (a, b) = (keys.known_at(index, start).centre, keys.known_at(index, end).centre);
            // Multiplied by h²: the angle for ω h, the displacement for |c′| h.
            let way = distance(&a, &b);
            let far = length(&a).max(length(&b));
            (angle * angle * far + 2.0 * angle * way) / 8.0 * (1.0 + limits::CARRY_ROUNDING)
        };
        (0..keys.sphere_count()).map(bend).collect()
    }
}

/// Product of two quaternions (x, y, z, w): the second rotation, followed by the first.
fn multiply([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// Rotates a vector by a unit quaternion.
fn rotate([x, y, z, w]: [f64; 4], [px, py, pz]: [f64; 3]) -> [f64; 3] {
    // v + 2 q × (q × v + w v)
    let cross = [y * pz - z * py + w * px, z * px - x * pz + w * py, x * py - y * px + w * pz];
    [
        px + 2.0 * (y * cross[2] - z * cross[1]),
        py + 2.0 * (z * cross[0] - x * cross[2]),
        pz + 2.0 * (x * cross[1] - y * cross[0]),
    ]
}
