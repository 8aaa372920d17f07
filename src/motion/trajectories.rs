//! Checked plans of every kind behind one interface.

use super::curves::Curves;
use super::key_times::Place;
use super::keys::KeyTable;
use super::linear::LinearMotion;
use super::sampled::Sampled;
use super::{Piece, Reach};
use crate::time::{Moment, Span};

/// A checked plan: of all vertices of a body, or of one.
#[derive(Clone, Debug)]
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
    /// Key times; empty for velocities and accelerations.
    pub(super) fn times(&self) -> &[f64] {
        match self {
            Self::Keys(table) => table.times(),
            Self::LinearMotion(_) => &[],
            Self::Curves(curves) => curves.times(),
            Self::Sampled(sampled) => sampled.times(),
        }
    }

    /// When the motion begins, seconds: its first key, or where its vertices leave.
    pub(super) fn begin(&self) -> f64 {
        match self {
            Self::LinearMotion(lines) => lines.begin(),
            others => others.times().first().copied().unwrap_or(0.0),
        }
    }

    pub(super) fn allowed_span(&self) -> Span {
        of_any!(self, kind => kind.allowed_span())
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
        of_any!(self, kind => kind.next_wrap(at))
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
        match self {
            Self::Keys(table) => Some(table.place(at)),
            Self::LinearMotion(_) => None,
            Self::Curves(curves) => Some(curves.place(at)),
            Self::Sampled(sampled) => Some(sampled.place(at)),
        }
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
