//! Bounds on a plan.

/// Bounds on a plan, from which a slack follows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Reach {
    /// Largest coordinate, metres.
    pub(crate) coordinate: f64,
    /// Largest speed along an axis times largest time, metres.
    pub(crate) drift: f64,
}

impl Reach {
    pub(super) fn max(self, other: Self) -> Self {
        Self { coordinate: self.coordinate.max(other.coordinate), drift: self.drift.max(other.drift) }
    }
}
