//! Tracks: keyed values with step, linear and cubic-spline interpolation, as glTF 2.0 defines them.
//!
//! | interpolation | between two keys | at a key |
//! |---|---|---|
//! | step | the earlier key's value | the earlier value up to the key, the key's own just after it |
//! | linear | linear; rotations along the shorter great arc at constant rate (slerp) | the key's value |
//! | cubic spline | Hermite cubic, tangents scaled by the distance of the keys; rotations are normalised afterwards | the key's value |
//!
//! Outside its keys a track holds its first or last value. Every evaluation takes a time together
//! with the stretch of time that contains it, so a time on a key is never ambiguous.

use super::spherical::dot;
use super::turning::Turning;
use super::{DerivativeBounds, ReducedError};
use crate::limits;

/// The motion between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Interpolation {
    /// The earlier key's value.
    Step,
    /// Linear; rotations along the shorter arc.
    #[default]
    Linear,
    /// A cubic by values and tangents.
    CubicSpline,
}

/// Keyed values, as the host gives them.
///
/// Values are stored key by key, with the property's number of components (translation and scale 3,
/// rotation 4 as x y z w, weights one per target). Cubic splines have three such groups per key:
/// in-tangent, value, out-tangent, tangents per second.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Track {
    /// The interpolation between keys.
    pub interpolation: Interpolation,
    /// Key times, seconds, strictly increasing.
    pub times: Vec<f64>,
    /// Values, see above.
    pub values: Vec<f64>,
}

/// The kind of a track's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A vector of the given length.
    Vector(usize),
    /// A unit quaternion.
    Rotation,
}

impl Kind {
    fn width(self) -> usize {
        match self {
            Self::Vector(width) => width,
            Self::Rotation => 4,
        }
    }
}

/// A stretch of a track's own time, without inner keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) begin: f64,
    pub(super) end: f64,
}

/// A checked track.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    interpolation: Interpolation,
    times: Vec<f64>,
    /// As in [`Track`]; quaternions of linear and step tracks have length 1, and the signs of
    /// neighbours agree.
    values: Vec<f64>,
    kind: Kind,
    /// Per interval of a linear rotation track, its angular speed, radians per second; else empty.
    speeds: Vec<f64>,
}

impl Curve {
    /// Creates a curve after checking a track; `track` is its number in messages.
    pub(super) fn new(track: usize, given: &Track, kind: Kind) -> Result<Self, ReducedError> {
        let Track { interpolation, times, values } = given;
        if times.is_empty() {
            return Err(ReducedError::NoKeys { track });
        }
        check_times(track, times)?;
        let groups = if *interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let width = kind.width();
        let expected = times.len().saturating_mul(groups * width);
        if values.len() != expected {
            return Err(ReducedError::ValueCount { track, expected, found: values.len() });
        }
        if let Some(place) = values.iter().position(|x| !(x.abs() <= limits::MAX_COORDINATE)) {
            let key = place / (groups * width);
            return Err(ReducedError::BadValue { track, key, value: values[place] });
        }
        let mut curve = Self {
            interpolation: *interpolation,
            times: times.clone(),
            values: values.clone(),
            kind,
            speeds: Vec::new(),
        };
        if kind == Kind::Rotation {
            curve.normalise(track)?;
        }
        if kind == Kind::Rotation && *interpolation == Interpolation::Linear {
            curve.speeds = (1..times.len()).map(|key| curve.speed(key - 1)).collect();
        }
        Ok(curve)
    }

    /// Normalises quaternions, and gives neighbours of step and linear tracks the signs that make
    /// arcs the shorter ones. Keys of splines keep their values, which belong to their tangents.
    fn normalise(&mut self, track: usize) -> Result<(), ReducedError> {
        for key in 0..self.times.len() {
            let place = self.value_place(key);
            let value: [f64; 4] = std::array::from_fn(|i| self.values[place + i]);
            let length = dot(&value, &value).sqrt();
            if !(length > limits::SINGULAR_DETERMINANT) {
                return Err(ReducedError::BadValue { track, key, value: length });
            }
            if self.interpolation == Interpolation::CubicSpline {
                continue;
            }
            let mut unit = value.map(|x| x / length);
            if key > 0 {
                let before: [f64; 4] = std::array::from_fn(|i| self.values[place - 4 + i]);
                if dot(&before, &unit) < 0.0 {
                    unit = unit.map(|x| -x);
                }
            }
            self.values[place..place + 4].copy_from_slice(&unit);
        }
        Ok(())
    }

    pub(super) fn times(&self) -> &[f64] {
        &self.times
    }

    pub(super) fn first(&self) -> f64 {
        self.times[0]
    }

    pub(super) fn last(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    fn width(&self) -> usize {
        self.kind.width()
    }

    pub(super) fn is_rotation(&self) -> bool {
        self.kind == Kind::Rotation
    }

    fn value_place(&self, key: usize) -> usize {
        let width = self.width();
        if self.interpolation == Interpolation::CubicSpline { (3 * key + 1) * width } else { key * width }
    }

    fn value(&self, key: usize) -> &[f64] {
        let place = self.value_place(key);
        &self.values[place..place + self.width()]
    }

    /// Times at which the value jumps: keys of step tracks that differ from the previous key.
    pub(super) fn jumps(&self) -> impl Iterator<Item = f64> + '_ {
        let is_step = self.interpolation == Interpolation::Step;
        let differs = move |&key: &usize| is_step && self.value(key) != self.value(key - 1);
        (1..self.times.len()).filter(differs).map(|key| self.times[key])
    }

    /// Whether the value is constant.
    pub(super) fn is_constant(&self) -> bool {
        if self.width() == 0 {
            return true;
        }
        let is_flat = self.interpolation != Interpolation::CubicSpline
            || self
                .values
                .chunks(self.width())
                .enumerate()
                .all(|(i, group)| i % 3 == 1 || group.iter().all(|&x| x == 0.0));
        is_flat && (1..self.times.len()).all(|key| self.value(key) == self.value(0))
    }

    /// The segment that contains a stretch, and whether it lies between two keys (else it holds
    /// that key).
    fn segment(&self, stretch: Stretch) -> (usize, bool) {
        let middle = 0.5 * stretch.begin + 0.5 * stretch.end;
        let next = self.times.partition_point(|&key| key <= middle);
        match next {
            0 => (0, false),
            next if next == self.times.len() => (next - 1, false),
            next => (next - 1, self.interpolation != Interpolation::Step),
        }
    }

    /// The segment of a stretch, searched first at another curve's result: clips often have one set
    /// of key times for all curves.
    fn segment_near(&self, stretch: Stretch, near: &mut usize) -> (usize, bool) {
        let middle = 0.5 * stretch.begin + 0.5 * stretch.end;
        let is_there = self.times.get(*near..*near + 2).is_some_and(|two| two[0] <= middle && middle < two[1]);
        if is_there {
            return (*near, self.interpolation != Interpolation::Step);
        }
        let found = self.segment(stretch);
        *near = found.0;
        found
    }

    /// The angular speed of a linear rotation track between a key and the next, radians per second.
    fn speed(&self, key: usize) -> f64 {
        let length = self.times[key + 1] - self.times[key];
        2.0 * arc(&self.quaternion(key), &self.quaternion(key + 1)) / length
    }

    /// The tangent of a key in a spline: in-tangent (`group` 0) or out-tangent (2).
    fn tangent(&self, key: usize, group: usize) -> &[f64] {
        let width = self.width();
        &self.values[(3 * key + group) * width..][..width]
    }

    /// Power coefficients of a spline's segment in `s` from 0 to 1, for one component.
    fn cubic(&self, key: usize, component: usize) -> [f64; 4] {
        let length = self.times[key + 1] - self.times[key];
        let (p0, p1) = (self.value(key)[component], self.value(key + 1)[component]);
        let m0 = length * self.tangent(key, 2)[component];
        let m1 = length * self.tangent(key + 1, 0)[component];
        [p0, m0, 3.0 * (p1 - p0) - 2.0 * m0 - m1, 2.0 * (p0 - p1) + m0 + m1]
    }

    /// Appends the value at a time of a stretch to `out`; quaternions have length 1.
    pub(super) fn evaluate(&self, time: f64, stretch: Stretch, out: &mut Vec<f64>) {
        let start = out.len();
        let (key, is_between) = self.segment(stretch);
        if !is_between {
            out.extend_from_slice(self.value(key));
        } else if time <= self.times[key] || time >= self.times[key + 1] {
            let key = if time <= self.times[key] { key } else { key + 1 };
            out.extend_from_slice(self.value(key));
        } else {
            let (begin, end) = (self.times[key], self.times[key + 1]);
            let s = (time - begin) / (end - begin);
            match (self.interpolation, self.kind) {
                (Interpolation::CubicSpline, _) => out.extend((0..self.width()).map(|component| {
                    let [a, b, c, d] = self.cubic(key, component);
                    a + s * (b + s * (c + s * d))
                })),
                (_, Kind::Rotation) => {
                    let (left, right) = (self.quaternion(key), self.quaternion(key + 1));
                    out.extend(slerp(&left, &right, s));
                }
                _ => out.extend(self.value(key).iter().zip(self.value(key + 1)).map(|(a, b)| a + s * (b - a))),
            }
        }
        if self.kind == Kind::Rotation {
            let length = out[start..].iter().map(|x| x * x).sum::<f64>().sqrt();
            out[start..].iter_mut().for_each(|x| *x /= length);
        }
    }

    fn quaternion(&self, key: usize) -> [f64; 4] {
        let place = self.value_place(key);
        std::array::from_fn(|i| self.values[place + i])
    }

    /// Derivative bounds of a vector during a stretch, by a norm. `near` is a guess of the segment,
    /// updated on return.
    pub(super) fn growth(&self, stretch: Stretch, near: &mut usize, norm: impl Fn(&[f64]) -> f64) -> DerivativeBounds {
        if self.interpolation != Interpolation::CubicSpline && self.kind == Kind::Vector(3) {
            return self.growth_in_space(stretch, near, norm);
        }
        let (mut at_begin, mut at_end) = (Vec::with_capacity(4), Vec::with_capacity(4));
        self.evaluate(stretch.begin, stretch, &mut at_begin);
        self.evaluate(stretch.end, stretch, &mut at_end);
        let size = norm(&at_begin).max(norm(&at_end));
        let (key, is_between) = self.segment_near(stretch, near);
        if !is_between {
            return DerivativeBounds::constant(size);
        }
        if self.interpolation == Interpolation::Linear {
            let length = self.times[key + 1] - self.times[key];
            let step: Vec<f64> = self.value(key).iter().zip(self.value(key + 1)).map(|(a, b)| b - a).collect();
            return DerivativeBounds { size, rate: norm(&step) / length, bend: 0.0 };
        }
        let (rate, bend) = self.spline_bounds(key, stretch, norm);
        let length = stretch.end - stretch.begin;
        DerivativeBounds { size: size + 0.125 * length * length * bend, rate, bend }
    }

    /// Derivative bounds of a vector of three numbers that is linear or stepped, without
    /// allocation.
    fn growth_in_space(&self, stretch: Stretch, near: &mut usize, norm: impl Fn(&[f64]) -> f64) -> DerivativeBounds {
        let (key, is_between) = self.segment_near(stretch, near);
        let value = |key: usize| -> [f64; 3] { std::array::from_fn(|i| self.values[3 * key + i]) };
        let left = value(key);
        if !is_between {
            return DerivativeBounds::constant(norm(&left));
        }
        let right = value(key + 1);
        if left == right {
            return DerivativeBounds::constant(norm(&left));
        }
        let (begin, end) = (self.times[key], self.times[key + 1]);
        let at = |time: f64| -> [f64; 3] {
            if time <= begin || time >= end {
                return if time <= begin { left } else { right };
            }
            let s = (time - begin) / (end - begin);
            std::array::from_fn(|i| left[i] + s * (right[i] - left[i]))
        };
        let step: [f64; 3] = std::array::from_fn(|i| right[i] - left[i]);
        let size = norm(&at(stretch.begin)).max(norm(&at(stretch.end)));
        DerivativeBounds { size, rate: norm(&step) / (end - begin), bend: 0.0 }
    }

    /// Bounds on first and second derivative of a spline's segment during a stretch, by a norm. The
    /// second is linear in time, so largest at an end. The first differs from that in the middle by
    /// at most half the stretch times the second.
    fn spline_bounds(&self, key: usize, stretch: Stretch, norm: impl Fn(&[f64]) -> f64) -> (f64, f64) {
        let (begin, end) = (self.times[key], self.times[key + 1]);
        let length = end - begin;
        let place = |time: f64| ((time - begin) / length).clamp(0.0, 1.0);
        let (first, last) = (place(stretch.begin), place(stretch.end));
        let middle = 0.5 * (first + last);
        let cubics: Vec<[f64; 4]> = (0..self.width()).map(|component| self.cubic(key, component)).collect();
        let second = |s: f64| cubics.iter().map(|[_, _, c, d]| 2.0 * c + 6.0 * s * d).collect::<Vec<f64>>();
        let slope: Vec<f64> = cubics.iter().map(|[_, b, c, d]| b + middle * (2.0 * c + 3.0 * middle * d)).collect();
        let bend = norm(&second(first)).max(norm(&second(last)));
        let rate = norm(&slope) + 0.5 * (last - first) * bend;
        (rate / length, bend / length / length)
    }

    /// Derivative bounds of a rotation during a stretch; `near` as in [`Curve::growth`].
    pub(super) fn turning(&self, stretch: Stretch, near: &mut usize) -> Turning {
        let (key, is_between) = self.segment_near(stretch, near);
        if !is_between {
            return Turning::of(1.0, 0.0, 0.0);
        }
        if self.interpolation == Interpolation::Linear {
            return Turning::steady(self.speeds[key]);
        }
        let euclidean = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (rate, bend) = self.spline_bounds(key, stretch, euclidean);
        Turning::of(self.least_length(key, stretch, rate), rate, bend)
    }

    /// A lower bound on the length of a spline's quaternion during a stretch: its length in the
    /// middle less its largest change.
    fn least_length(&self, key: usize, stretch: Stretch, rate: f64) -> f64 {
        let s = ((0.5 * stretch.begin + 0.5 * stretch.end - self.times[key]) / (self.times[key + 1] - self.times[key]))
            .clamp(0.0, 1.0);
        let square: f64 = (0..4)
            .map(|component| {
                let [a, b, c, d] = self.cubic(key, component);
                let value = a + s * (b + s * (c + s * d));
                value * value
            })
            .sum();
        square.sqrt() - 0.5 * (stretch.end - stretch.begin) * rate
    }
}

/// Checks key times of a track.
pub(super) fn check_times(track: usize, times: &[f64]) -> Result<(), ReducedError> {
    for (key, &time) in times.iter().enumerate() {
        if !(time.abs() <= limits::MAX_TIME) || (key > 0 && !(times[key - 1] < time)) {
            return Err(ReducedError::BadKeyTime { track, key, time });
        }
    }
    Ok(())
}

/// The angle between two unit quaternions of one hemisphere, radians (half the angle of the
/// rotation between them).
pub(super) fn arc(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    let difference: [f64; 4] = std::array::from_fn(|i| a[i] - b[i]);
    let sum: [f64; 4] = std::array::from_fn(|i| a[i] + b[i]);
    // Accurate for small and large angles alike, unlike the arc cosine.
    2.0 * libm::atan2(dot(&difference, &difference).sqrt(), dot(&sum, &sum).sqrt())
}

/// The unit quaternion at parameter `s` (0 to 1) along the arc between two of one hemisphere.
pub(super) fn slerp(a: &[f64; 4], b: &[f64; 4], s: f64) -> [f64; 4] {
    let angle = arc(a, b);
    if angle < limits::SMALL_ARC {
        return std::array::from_fn(|i| a[i] + s * (b[i] - a[i]));
    }
    let scale = 1.0 / libm::sin(angle);
    let (left, right) = (scale * libm::sin((1.0 - s) * angle), scale * libm::sin(s * angle));
    std::array::from_fn(|i| left * a[i] + right * b[i])
}
