//! Spheres that move and change their radius: keys of centres and radii, linear in between, stored
//! exactly.
//!
//! A body of `n` spheres has `2 n` vertices: sphere `i` has the lower corner `2 i` and the upper
//! corner `2 i + 1` of a box around it. The corners move linearly as well. Structures over boxes of
//! vertices (trees, lists, broad phase, grids) therefore handle spheres without a special case.
//! Corners are `f32` like all keyframes. Contacts are decided on the spheres themselves, in the
//! given `f64` numbers.
//!
//! **The box contains the sphere at every time.** Corners are moved outward by
//! [`limits::SPHERE_BOX_ROUNDING`] of the sphere's largest extent along the axis at any key, plus
//! [`limits::FLUSH`], and then rounded outward to `f32`. Between keys both the extents of the
//! sphere and the corners are linear, so containment at two keys implies containment between them.
//! The margin is far above the roundings of the evaluation of corners in `f64`.

use super::key_times::{KeyTimeline, Place};
use super::{MotionError, Outside, check};
use crate::bytes::Fingerprint;
use crate::limits;
use crate::time::{Moment, NEVER};

/// A sphere at one time: all points at most `radius` from `centre`, in metres. A radius of 0 is a
/// point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sphere {
    /// Metres.
    pub centre: [f64; 3],
    /// Metres, not negative.
    pub radius: f64,
}

/// A stretch of time, seconds, in which a sphere's centre and radius are linear. An end may be
/// infinite; the sphere is then constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpherePiece {
    /// The begin, seconds.
    pub begin: f64,
    /// The end, seconds.
    pub end: f64,
    /// The sphere at the begin.
    pub at_begin: Sphere,
    /// The sphere at the end.
    pub at_end: Sphere,
}

impl SpherePiece {
    /// The sphere at a time. Exact at both ends and beyond them; otherwise each number is rounded
    /// by at most 8 units of 2⁻⁵³ of the larger of its two ends.
    pub fn at(&self, time: f64) -> Sphere {
        if time <= self.begin || self.is_still() {
            return self.at_begin;
        }
        if time >= self.end {
            return self.at_end;
        }
        let u = (time - self.begin) / (self.end - self.begin);
        let between = |x: f64, y: f64| (x + (y - x) * u).clamp(x.min(y), x.max(y));
        let ([a, b, c], [x, y, z]) = (self.at_begin.centre, self.at_end.centre);
        Sphere {
            centre: [between(a, x), between(b, y), between(c, z)],
            radius: between(self.at_begin.radius, self.at_end.radius),
        }
    }

    /// Whether centre and radius are constant.
    pub fn is_still(&self) -> bool {
        self.at_begin == self.at_end
    }

    /// The largest number of the piece, metres: bounds the roundings of [`SpherePiece::at`].
    pub fn magnitude(&self) -> f64 {
        let of = |sphere: &Sphere| sphere.centre.iter().fold(sphere.radius, |most, x| most.max(x.abs()));
        of(&self.at_begin).max(of(&self.at_end))
    }
}

/// Checked keys of all spheres of a body.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct SphereKeys {
    timeline: KeyTimeline,
    count: usize,
    /// Key by key, one per sphere.
    keys: Vec<Sphere>,
    /// Whether all keys are equal.
    is_still: bool,
}

/// The place of a moment among the keys of spheres: computed once for many spheres.
#[derive(Clone, Copy, Debug)]
pub struct SpherePlace(Place);

impl SphereKeys {
    /// Creates keys for `count` spheres after checking them.
    pub(super) fn new(times: &[f64], spheres: &[Sphere], count: usize, outside: Outside) -> Result<Self, MotionError> {
        check::times(times)?;
        check::period(times[0], times[times.len() - 1], outside)?;
        let expected = times.len() * count;
        if spheres.len() != expected {
            return Err(MotionError::SphereCount { expected, found: spheres.len() });
        }
        for (place, sphere) in spheres.iter().enumerate() {
            let (key, number) = (place / count.max(1), (place % count.max(1)) as u32);
            let radius = sphere.radius;
            if !(0.0..=limits::MAX_COORDINATE).contains(&radius) {
                return Err(MotionError::BadRadius { key, sphere: number, value: radius });
            }
            for (axis, &value) in sphere.centre.iter().enumerate() {
                if !(value.abs() + radius <= limits::MAX_COORDINATE) {
                    return Err(MotionError::BadCentre { key, sphere: number, axis, value });
                }
            }
        }
        let is_still = spheres.chunks(count.max(1)).all(|key| key == &spheres[..key.len()]);
        Ok(Self { timeline: KeyTimeline::new(times.to_vec(), outside), count, keys: spheres.to_vec(), is_still })
    }

    /// The number of spheres.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Finds the place of a moment. O(log keys).
    pub fn place(&self, at: Moment) -> SpherePlace {
        SpherePlace(self.timeline.place(at))
    }

    /// All spheres at a moment, each number rounded. O(spheres + log keys).
    #[cfg(feature = "report")]
    pub(crate) fn at(&self, at: Moment) -> Vec<Sphere> {
        let place = self.place(at);
        (0..self.count as u32).map(|sphere| self.piece(sphere, place).at(at.time())).collect()
    }

    /// The place of motion that stays at its first key permanently.
    pub fn rest(&self) -> SpherePlace {
        SpherePlace(Place::Hold { key: 0, begin: f64::NEG_INFINITY, end: f64::INFINITY })
    }

    /// The piece of a sphere's motion at a known place.
    pub(crate) fn piece(&self, sphere: u32, place: SpherePlace) -> SpherePiece {
        let key = |key: usize| self.keys[key * self.count..][..self.count][sphere as usize];
        match place.0 {
            Place::Hold { key: only, begin, end } => SpherePiece { begin, end, at_begin: key(only), at_end: key(only) },
            Place::Between { key: first, begin, end } => {
                SpherePiece { begin, end, at_begin: key(first), at_end: key(first + 1) }
            }
        }
    }

    /// Adds all pieces from `begin` to `end`, seconds, to a fingerprint: the corners of boxes are
    /// rounded, and do not tell one sphere from another.
    pub(super) fn add_pieces(&self, begin: f64, end: f64, hash: &mut Fingerprint) {
        hash.word(u64::from_le_bytes(*b"spheres "));
        for sphere in 0..self.count as u32 {
            let mut at = Moment::at(begin);
            loop {
                let piece = self.piece(sphere, self.place(at));
                let of = |ball: &Sphere| [ball.centre[0], ball.centre[1], ball.centre[2], ball.radius];
                let numbers = [piece.begin, piece.end].into_iter().chain(of(&piece.at_begin)).chain(of(&piece.at_end));
                numbers.for_each(|x| hash.word((x + 0.0).to_bits()));
                if piece.end >= end {
                    break;
                }
                at = Moment::after(piece.end.max(at.time()));
            }
        }
    }

    /// See [`super::Motion::rests_until`].
    pub(super) fn rests_until(&self, time: f64) -> Option<f64> {
        if self.is_still { Some(NEVER) } else { self.timeline.rests_until(time) }
    }
}

#[cfg(test)]
impl super::Motion {
    /// Damage that audits are to find: the spheres of another motion in the boxes of this one.
    pub(crate) fn take_spheres_of(&mut self, other: &Self) {
        self.spheres.clone_from(&other.spheres);
    }
}

/// The corners of boxes that contain spheres: key by key, sphere by sphere, lower corner first.
pub(super) fn corners(keys: usize, spheres: &[Sphere]) -> Vec<[f32; 3]> {
    let count = spheres.len() / keys.max(1);
    let mut margins = vec![[0.0f64; 3]; count];
    for key in spheres.chunks_exact(count.max(1)) {
        for (margin, sphere) in margins.iter_mut().zip(key) {
            for axis in 0..3 {
                margin[axis] = margin[axis].max(sphere.centre[axis].abs() + sphere.radius);
            }
        }
    }
    let margin = |number: usize, axis: usize| limits::SPHERE_BOX_ROUNDING * margins[number][axis] + limits::FLUSH;
    let mut corners = Vec::with_capacity(2 * spheres.len());
    for (place, Sphere { centre, radius }) in spheres.iter().enumerate() {
        let number = place % count.max(1);
        let reach = |axis: usize| radius + if number < count { margin(number, axis) } else { 0.0 };
        corners.push(std::array::from_fn(|axis| below(centre[axis] - reach(axis))));
        corners.push(std::array::from_fn(|axis| -below(-centre[axis] - reach(axis))));
    }
    corners
}

/// The next `f32` strictly below a number.
fn below(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) < x { rounded } else { rounded.next_down() }
}

#[cfg(test)]
mod tests {
    use super::super::{Flightplan, KeyLayout, Motion};
    use super::*;

    fn sphere(x: f64, radius: f64) -> Sphere {
        Sphere { centre: [x, -x, 3.0 * x], radius }
    }

    /// Evaluated corners contain the evaluated sphere with a margin, at all scales, between keys
    /// far from zero and near it.
    #[test]
    fn corners_hold_spheres() {
        for scale in [1e-300, 1e-70, 1e-45, 1e-7, 1.0, 1e8, 1e29] {
            let spheres = vec![
                sphere(scale, 0.0),
                sphere(0.1 * scale, scale),
                sphere(-1e-9 * scale, 0.3 * scale),
                Sphere::default(),
            ];
            let motion = Motion::new(Flightplan::spheres(vec![0.0, 0.7], spheres), 4, KeyLayout::VertexMajor).unwrap();
            let keys = motion.spheres().unwrap();
            for step in 0..=100 {
                let at = Moment::at(f64::from(step) * 0.007);
                for number in 0..2 {
                    let Sphere { centre, radius } = keys.piece(number, keys.place(at)).at(at.time());
                    let (low, high) = (motion.position(2 * number, at), motion.position(2 * number + 1, at));
                    for axis in 0..3 {
                        let spare = 1e-14 * centre[axis].abs().max(radius);
                        assert!(low[axis] <= centre[axis] - radius - spare, "{scale} {step} {number} {axis}");
                        assert!(high[axis] >= centre[axis] + radius + spare, "{scale} {step} {number} {axis}");
                    }
                }
            }
        }
    }

    /// Spheres that move by less than the resolution of `f32` are not at rest.
    #[test]
    fn small_motion_is_motion() {
        let moved = Sphere { centre: [1e8, 0.0, 0.0], radius: 1.0 };
        let plan = Flightplan::spheres(vec![0.0, 1.0], vec![moved, Sphere { radius: 1.0625, ..moved }]);
        let motion = Motion::new(plan, 2, KeyLayout::KeyMajor).unwrap();
        assert_eq!([-1.0, 0.5, 1.0].map(|time| motion.rests_until(time)), [Some(0.0), None, Some(NEVER)]);
        let still = Motion::new(Flightplan::spheres(vec![0.0, 1.0], vec![moved; 2]), 2, KeyLayout::KeyMajor).unwrap();
        assert_eq!(still.rests_until(0.5), Some(NEVER));
    }

    #[test]
    fn refusals_name_key_and_sphere() {
        let good = Sphere { centre: [1.0; 3], radius: 0.5 };
        let refused = |times: Vec<f64>, spheres: Vec<Sphere>| {
            Motion::new(Flightplan::spheres(times, spheres), 4, KeyLayout::KeyMajor).unwrap_err()
        };
        assert_eq!(refused(vec![0.0], vec![good; 3]), MotionError::SphereCount { expected: 2, found: 3 });
        assert_eq!(refused(vec![], vec![]), MotionError::NoKeys);
        assert!(matches!(refused(vec![1.0, 1.0], vec![good; 4]), MotionError::KeysOutOfOrder { key: 1, .. }));
        for value in [-1e-300, f64::NAN, f64::INFINITY, 2e30] {
            let error = refused(vec![0.0, 1.0], vec![good, good, good, Sphere { radius: value, ..good }]);
            assert!(matches!(error, MotionError::BadRadius { key: 1, sphere: 1, .. }), "{error}");
        }
        for value in [f64::NAN, f64::NEG_INFINITY, 1.3e30] {
            let error =
                refused(vec![0.0, 1.0], vec![good, good, Sphere { centre: [0.0, value, 0.0], radius: 0.0 }, good]);
            assert!(matches!(error, MotionError::BadCentre { key: 1, sphere: 0, axis: 1, .. }), "{error}");
        }
    }
}
