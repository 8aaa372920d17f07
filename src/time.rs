//! Time: `f64` seconds with a total order, moments (a time and its side), spans.

use ordered_float::OrderedFloat;

/// A time that is never reached.
pub const NEVER: f64 = f64::INFINITY;

/// The side of a time: at it, or just after it.
///
/// Contact sets are closed: a gap that closes *at* `t` is closed at `t`, one that opens at `t` is
/// open just *after* it. Plans that jump (a loop's wrap) have their old position *at* the jump and
/// their new one just *after* it. The first key of a loop is no wrap: *at* its time a loop is where
/// that key says. docs/DETERMINISM.md has the rule for contacts at jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// The instant itself, and the limit from below.
    At,
    /// The limit from above: `t + ε` for every small enough `ε`.
    After,
}

/// A point of the engine's clock: a time in seconds and its side. Totally ordered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "stored::StoredMoment", into = "stored::StoredMoment")
)]
pub struct Moment {
    time: OrderedFloat<f64>,
    side: Side,
}

impl Moment {
    /// The instant `time` itself.
    pub fn at(time: f64) -> Self {
        // + 0.0 turns −0.0 into 0.0, so that equal times have equal bits.
        Self { time: OrderedFloat(time + 0.0), side: Side::At }
    }

    /// Just after `time`.
    pub fn after(time: f64) -> Self {
        Self { time: OrderedFloat(time + 0.0), side: Side::After }
    }

    /// Seconds.
    pub fn time(self) -> f64 {
        self.time.0
    }

    /// The side of the time.
    pub fn side(self) -> Side {
        self.side
    }
}

impl std::fmt::Debug for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.side == Side::After { "+" } else { "" };
        write!(f, "{}{sign}", self.time.0)
    }
}

/// A closed span of time, in seconds; either end may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Span {
    /// First time of the span.
    #[cfg_attr(feature = "serde", serde(default = "stored::always", with = "stored::since_ever"))]
    pub begin: f64,
    /// Last time of the span.
    #[cfg_attr(feature = "serde", serde(default = "stored::never", with = "stored::until_never"))]
    pub end: f64,
}

impl Span {
    /// All of time.
    pub const ALWAYS: Self = Self { begin: f64::NEG_INFINITY, end: f64::INFINITY };

    /// Whether the span contains `time`.
    pub fn contains(self, time: f64) -> bool {
        self.begin <= time && time <= self.end
    }

    /// The times in both spans; empty if `begin > end`.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self { begin: self.begin.max(other.begin), end: self.end.min(other.end) }
    }
}

/// Times as they are stored: an infinite one is left out, because JSON has no infinity.
#[cfg(feature = "serde")]
mod stored {
    use super::{Moment, NEVER, Side};

    pub(super) fn always() -> f64 {
        f64::NEG_INFINITY
    }

    pub(super) fn never() -> f64 {
        NEVER
    }

    /// A begin; none for `-∞`.
    pub(super) mod since_ever {
        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        pub(in crate::time) fn serialize<S: Serializer>(time: &f64, serializer: S) -> Result<S::Ok, S::Error> {
            Some(*time).filter(|&time| time != f64::NEG_INFINITY).serialize(serializer)
        }

        pub(in crate::time) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
            Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NEG_INFINITY))
        }
    }

    /// An end; none for `∞`.
    pub(super) mod until_never {
        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        pub(in crate::time) fn serialize<S: Serializer>(time: &f64, serializer: S) -> Result<S::Ok, S::Error> {
            Some(*time).filter(|&time| time != f64::INFINITY).serialize(serializer)
        }

        pub(in crate::time) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
            Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
        }
    }

    #[derive(serde::Serialize, serde::Deserialize)]
    pub(super) struct StoredMoment {
        #[serde(default = "never", with = "until_never")]
        time: f64,
        side: Side,
    }

    impl From<Moment> for StoredMoment {
        fn from(moment: Moment) -> Self {
            Self { time: moment.time(), side: moment.side() }
        }
    }

    impl From<StoredMoment> for Moment {
        fn from(stored: StoredMoment) -> Self {
            match stored.side {
                Side::At => Self::at(stored.time),
                Side::After => Self::after(stored.time),
            }
        }
    }
}
