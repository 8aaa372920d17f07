//! Checked plans of every kind behind one interface.

use super::curves::Curves;
use super::key_times::{KeyTimeline, Place};
use super::keys::KeyTable;
use super::linear::LinearMotion;
use super::sampled::Sampled;
use super::{Piece, Reach};
use crate::time::{Moment, Span};

/// A checked plan: of all vertices of a body, or of one.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Trajectories {
    Keys(KeyTable),
    LinearMotion(LinearMotion),
    Curves(Curves),
    Sampled(Sampled),
}

/// Dispatches a call to the kind of plan.
macro_rules! of_any {
    ($trajectories:expr, $kind:ident => $answer:expr) => {
        match $trajectories {
            Trajectories::Keys($kind) => $answer,
            Trajectories::LinearMotion($kind) => $answer,
            Trajectories::Curves($kind) => $answer,
            Trajectories::Sampled($kind) => $answer,
        }
    };
}

impl Trajectories {
    /// The keys; `None` for velocities and accelerations.
    fn timeline(&self) -> Option<&KeyTimeline> {
        match self {
            Self::Keys(table) => Some(&table.timeline),
            Self::LinearMotion(_) => None,
            Self::Curves(curves) => Some(&curves.timeline),
            Self::Sampled(sampled) => Some(&sampled.timeline),
        }
    }

    /// Key times; empty for velocities and accelerations.
    pub(super) fn times(&self) -> &[f64] {
        self.timeline().map_or(&[], KeyTimeline::times)
    }

    /// When the motion begins, seconds: its first key, or where its vertices leave.
    pub(super) fn begin(&self) -> f64 {
        match self {
            Self::LinearMotion(lines) => lines.begin(),
            others => others.times().first().copied().unwrap_or(0.0),
        }
    }

    pub(super) fn allowed_span(&self) -> Span {
        match self {
            Self::LinearMotion(lines) => lines.allowed_span(),
            others => others.timeline().map_or(Span::ALWAYS, KeyTimeline::allowed_span),
        }
    }

    pub(super) fn coordinate(&self, row: u32, axis: usize, at: Moment) -> f64 {
        of_any!(self, kind => kind.coordinate(row, axis, at))
    }

    pub(super) fn position(&self, row: u32, at: Moment) -> [f64; 3] {
        of_any!(self, kind => kind.position(row, at))
    }

    pub(super) fn piece(&self, row: u32, axis: usize, at: Moment) -> Piece {
        of_any!(self, kind => kind.piece(row, axis, at))
    }

    pub(super) fn next_wrap(&self, at: Moment) -> Moment {
        match self {
            Self::LinearMotion(lines) => lines.next_wrap(at),
            Self::Keys(KeyTable { timeline, .. }) | Self::Curves(Curves { timeline, .. }) => timeline.next_wrap(at),
            Self::Sampled(sampled) => sampled.next_wrap(at),
        }
    }

    pub(super) fn reach(&self, at: Moment) -> Reach {
        of_any!(self, kind => kind.reach(at))
    }

    /// See [`super::Motion::rests_until`].
    pub(super) fn rests_until(&self, time: f64) -> Option<f64> {
        of_any!(self, kind => kind.rests_until(time))
    }

    /// The place of a moment among the keys, if there are any.
    pub(super) fn place(&self, at: Moment) -> Option<Place> {
        Some(self.timeline()?.place(at))
    }

    /// Whether the motion is endless.
    pub(super) fn is_endless(&self) -> bool {
        matches!(self, Self::LinearMotion(lines) if lines.is_endless())
    }

    /// Whether it has curved pieces.
    pub(super) fn is_curved(&self) -> bool {
        match self {
            Self::Keys(_) | Self::Sampled(_) => false,
            Self::LinearMotion(lines) => lines.is_curved(),
            Self::Curves(curves) => curves.is_curved(),
        }
    }
}
