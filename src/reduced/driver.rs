//! Drivers: the motion of the few parameters of a reduced body, and its deviation from linear
//! motion.

use std::fmt::Debug;

use super::{Affine, Pose};
use crate::limits;
use crate::motion::Outside;
use crate::time::{Moment, Span};

/// Upper bounds of a varying quantity over a stretch of time: of its magnitude, of its first and of
/// its second derivative.
///
/// Per second and per second squared of the quantity's unit. Infinite if no bound is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DerivativeBounds {
    /// Bound of the magnitude.
    pub size: f64,
    /// Bound of the magnitude of the first derivative.
    pub rate: f64,
    /// Bound of the magnitude of the second derivative.
    pub bend: f64,
}

impl DerivativeBounds {
    /// Nothing is known.
    pub(super) const UNKNOWN: Self = Self { size: f64::INFINITY, rate: f64::INFINITY, bend: f64::INFINITY };

    /// Bounds of a constant.
    pub const fn constant(size: f64) -> Self {
        Self { size, rate: 0.0, bend: 0.0 }
    }

    /// Bounds of a product, if the magnitude of a product is at most the product of magnitudes.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self {
            size: zero_wins(self.size, other.size),
            rate: zero_wins(self.rate, other.size) + zero_wins(self.size, other.rate),
            bend: zero_wins(self.bend, other.size)
                + 2.0 * zero_wins(self.rate, other.rate)
                + zero_wins(self.size, other.bend),
        }
    }

    /// Bounds of a sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { size: self.size + other.size, rate: self.rate + other.rate, bend: self.bend + other.bend }
    }

    /// Bounds of either of two quantities.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            size: larger(self.size, other.size),
            rate: larger(self.rate, other.rate),
            bend: larger(self.bend, other.bend),
        }
    }

    /// Bounds after a change of time scale: `pace` of the quantity's own seconds per second.
    #[must_use]
    pub fn paced(self, pace: f64) -> Self {
        Self { size: self.size, rate: zero_wins(self.rate, pace), bend: zero_wins(self.bend, pace * pace) }
    }

    /// Bounds of a multiple.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        self.times(Self::constant(factor.abs()))
    }
}

/// The larger of two bounds; a bound that is not a number is unknown.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// A product in which zero times infinity is zero: a constant stays constant times an unbounded
/// factor.
pub(super) fn zero_wins(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// Derivative bounds of one influence's map during a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MapDerivativeBounds {
    /// The linear part, by operator norm (unitless).
    pub linear: DerivativeBounds,
    /// The image of the influence's reference point ([`Driver::centres`]), metres; its `size` is
    /// the distance from the origin.
    pub centre: DerivativeBounds,
}

/// Derivative bounds of all parameters during a stretch of time without inner breaks.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PoseDerivativeBounds {
    /// Per influence.
    pub maps: Vec<MapDerivativeBounds>,
    /// Per morph weight.
    pub morphs: Vec<DerivativeBounds>,
}

impl PoseDerivativeBounds {
    /// Sets everything to constant zero, for the given numbers of maps and morphs.
    pub fn reset(&mut self, maps: usize, morphs: usize) {
        self.maps.clear();
        self.maps.resize(maps, MapDerivativeBounds::default());
        self.morphs.clear();
        self.morphs.resize(morphs, DerivativeBounds::default());
    }

    /// Takes those of a driver during a piece; of maps and morphs that it leaves out nothing is
    /// known.
    pub(super) fn take(&mut self, driver: &dyn Driver, piece: Span) {
        self.reset(0, 0);
        driver.bends(piece, self);
        let unknown = DerivativeBounds::UNKNOWN;
        self.maps.resize(driver.map_count(), MapDerivativeBounds { linear: unknown, centre: unknown });
        self.morphs.resize(driver.morph_count(), unknown);
    }
}

/// Bounds of the maps' linear parts as rotations times scales, during a stretch of time.
///
/// Each map's linear part is within `off · s` (operator norm) of `s` times a rotation, for a scale
/// `s` that varies smoothly within `least` and `scale.size`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SimilarityBounds {
    /// The largest distance from a rotation times a scale, relative to the scale (unitless).
    pub off: f64,
    /// A lower bound of all scales, positive (unitless).
    pub least: f64,
    /// Bounds of any scale and its derivatives.
    pub scale: DerivativeBounds,
}

impl SimilarityBounds {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { off: f64::INFINITY, least: 0.0, scale: DerivativeBounds::UNKNOWN };

    /// Maps that are rotations up to a distance `off` (unitless).
    pub const fn rotations(off: f64) -> Self {
        Self { off, least: 1.0, scale: DerivativeBounds::constant(1.0) }
    }

    /// Bounds of one constant map; [`SimilarityBounds::UNKNOWN`] if it mirrors or flattens.
    ///
    /// Singular values `σ` with the root mean square `s` have `|σ/s − 1| ≤ |σ²/s² − 1|`.
    pub fn of_map(map: &Affine) -> Self {
        let square = map.linear.transpose() * map.linear;
        let mean = square.trace() / 3.0;
        if !(mean > 0.0 && map.linear.determinant() > 0.0) {
            return Self::UNKNOWN;
        }
        let off = (square / mean - nalgebra::Matrix3::identity()).norm() + limits::EVALUATION_ROUNDING;
        let scale = mean.sqrt();
        let slack = limits::EVALUATION_ROUNDING * scale;
        Self { off, least: scale - slack, scale: DerivativeBounds::constant(scale + slack) }
    }

    /// Bounds of several constant maps.
    pub fn of_maps(maps: &[Affine]) -> Self {
        Self::of_all(maps.iter().map(Self::of_map))
    }

    /// Bounds of all of several maps; unknown if one of them is.
    pub(super) fn of_all(mut maps: impl Iterator<Item = Self>) -> Self {
        let first = maps.next().unwrap_or(Self::rotations(0.0));
        let all = maps.fold(first, |all, one| Self {
            off: larger(all.off, one.off),
            least: -larger(-all.least, -one.least),
            scale: all.scale.max(one.scale),
        });
        if all.least > 0.0 && all.off.is_finite() { all } else { Self::UNKNOWN }
    }

    /// Bounds of compositions of maps.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        let off = self.off + other.off + zero_wins(self.off, other.off);
        Self { off, least: self.least * other.least, scale: self.scale.times(other.scale) }
    }
}

/// A time at which the motion of parameters is not smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Break {
    /// Seconds.
    pub time: f64,
    /// Whether the pose just after the time differs from the pose at the time.
    pub is_jump: bool,
}

/// The motion of a reduced body's parameters. [`super::check_driver`] tests one of a host.
///
/// Times are seconds. Within [`Driver::span`] the motion is defined; outside it [`Driver::pose`]
/// follows [`Driver::outside`].
pub trait Driver: Debug + Send + Sync {
    /// The number of maps of a pose.
    fn map_count(&self) -> usize;

    /// The number of morph weights of a pose.
    fn morph_count(&self) -> usize;

    /// First and last time of the motion, finite.
    fn span(&self) -> Span;

    /// The motion outside the span.
    fn outside(&self) -> Outside;

    /// Computes the pose at a moment; at a jump the pose before it for [`crate::time::Side::At`],
    /// the new one for [`crate::time::Side::After`]. Accepts any time; [`Outside::Error`] acts like
    /// [`Outside::Hold`].
    fn pose(&self, at: Moment, pose: &mut Pose);

    /// The times at which pieces must end, ascending and distinct, with both ends of the span:
    /// source keys and jumps. Excludes the wrap of a loop.
    fn breaks(&self) -> &[Break];

    /// Per map, the reference rest point of [`MapDerivativeBounds::centre`], metres: the position
    /// of a joint or node.
    fn centres(&self) -> &[[f64; 3]];

    /// Bounds of all maps as rotations times scales during `piece`. The default is
    /// [`SimilarityBounds::UNKNOWN`]. Bounds in time of spherical blending rely on it.
    fn similarity(&self, _piece: Span) -> SimilarityBounds {
        SimilarityBounds::UNKNOWN
    }

    /// Computes proven derivative bounds of the parameters during `piece`, which has no inner break
    /// (its ends may be breaks). `bends` is empty; of maps and morph weights that are left out
    /// nothing is known.
    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds);
}
