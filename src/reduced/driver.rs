//! Drivers: how the few parameters of a reduced body move, and how far from straight.

use std::fmt::Debug;

use super::Pose;
use crate::motion::Outside;
use crate::time::{Moment, Span};

/// Upper bounds, over a stretch of time, of a varying quantity: of its magnitude, of its first and of its second derivative.
///
/// Per second and per second squared of the quantity's unit. May be infinite where nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DerivativeBounds {
    /// Of the magnitude.
    pub size: f64,
    /// Of the magnitude of the first derivative.
    pub rate: f64,
    /// Of the magnitude of the second derivative.
    pub bend: f64,
}

impl DerivativeBounds {
    /// Of something that does not change.
    pub const fn constant(size: f64) -> Self {
        Self { size, rate: 0.0, bend: 0.0 }
    }

    /// Of a product, if the magnitude of a product is at most that of magnitudes.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self {
            size: self.size * other.size,
            rate: zero_wins(self.rate, other.size) + zero_wins(self.size, other.rate),
            bend: zero_wins(self.bend, other.size)
                + 2.0 * zero_wins(self.rate, other.rate)
                + zero_wins(self.size, other.bend),
        }
    }

    /// Of a sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { size: self.size + other.size, rate: self.rate + other.rate, bend: self.bend + other.bend }
    }

    /// Of whichever of the two is larger.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { size: self.size.max(other.size), rate: self.rate.max(other.rate), bend: self.bend.max(other.bend) }
    }

    /// Where time passes at another rate: `pace` of the quantity's own seconds per second.
    #[must_use]
    pub fn paced(self, pace: f64) -> Self {
        Self { size: self.size, rate: zero_wins(self.rate, pace), bend: zero_wins(self.bend, pace * pace) }
    }

    /// Of a multiple.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        self.times(Self::constant(factor.abs()))
    }
}

/// A product in which zero wins over infinity: what does not change is not made to by a factor nothing is known of.
pub(super) fn zero_wins(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// How one influence's map moves during a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MapDerivativeBounds {
    /// The linear part, by operator norm (unitless).
    pub linear: DerivativeBounds,
    /// The image of the influence's reference point ([`Driver::centres`]), metres; its `size` is the distance from the origin.
    pub centre: DerivativeBounds,
}

/// How all parameters move during a stretch of time without breaks inside.
#[derive(Clone, Debug, Default, PartialEq)]
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
}

/// A time at which the motion of parameters is not smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Break {
    /// Seconds.
    pub time: f64,
    /// Whether the pose just after the time is another one than at the time.
    pub is_jump: bool,
}

/// The motion of a reduced body's parameters.
///
/// Times are seconds. Within [`Driver::span`] everything is known; outside it the caller's [`Outside`] says what happens, and
/// [`Driver::pose`] obeys.
pub trait Driver: Debug + Send + Sync {
    /// How many maps a pose has.
    fn map_count(&self) -> usize;

    /// How many morph weights a pose has.
    fn morph_count(&self) -> usize;

    /// First and last time of the motion, finite.
    fn span(&self) -> Span;

    /// What happens outside the span.
    fn outside(&self) -> Outside;

    /// The pose at a moment; at a jump the one that leads up to it at [`crate::time::Side::At`], the new one at
    /// [`crate::time::Side::After`]. Any time is answered, with [`Outside::Error`] as with [`Outside::Hold`].
    fn pose(&self, at: Moment, pose: &mut Pose);

    /// The times at which pieces must end, ascending, each once, both ends of the span included: source keys and jumps. The wrap of a loop
    /// is not among them.
    fn breaks(&self) -> &[Break];

    /// Per map, the rest point that [`MapDerivativeBounds::centre`] speaks of, metres: a joint's place, a node's place.
    fn centres(&self) -> &[[f64; 3]];

    /// How far the linear part of any map is from a rotation at most, at any time, by operator norm (unitless); infinite where nothing is known,
    /// which is what drivers say that do not say otherwise. Bounds in time of what is blended spherically rest on it.
    fn rigidity(&self) -> f64 {
        f64::INFINITY
    }

    /// Proven bounds on how parameters move during `piece`, inside which no break lies (its ends may be breaks).
    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds);
}
