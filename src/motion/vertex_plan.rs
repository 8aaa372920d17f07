//! Flightplans of single vertices, and their checks.

use super::check;
use super::curves::{Curves, Data};
use super::keys::KeyTable;
use super::linear::LinearMotion;
use super::trajectories::Trajectories;
use super::{KeyLayout, MotionError, Outside};
use crate::time::{NEVER, Span};

/// The motion of a single vertex from now on, in place of its body's plan.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum VertexFlightplan {
    /// Constant position.
    Fixed {
        /// Metres.
        position: [f64; 3],
    },
    /// Constant velocity.
    Velocity {
        /// Metres, now; `None` starts from the current position.
        from: Option<[f64; 3]>,
        /// Metres per second.
        velocity: [f64; 3],
    },
    /// Constant acceleration, without end.
    Ballistic {
        /// Metres, now; `None` starts from the current position.
        from: Option<[f64; 3]>,
        /// Metres per second, now.
        velocity: [f64; 3],
        /// Metres per second squared.
        acceleration: [f64; 3],
    },
    /// Cubics from key to key, as in [`super::Flightplan::hermite`]; `outside` may be
    /// [`Outside::Hold`] or [`Outside::Error`].
    Hermite {
        /// Seconds, increasing.
        times: Vec<f64>,
        /// One position per time, metres.
        positions: Vec<[f32; 3]>,
        /// Tangents on arrival, metres per second.
        in_tangents: Vec<[f32; 3]>,
        /// Tangents on departure, metres per second.
        out_tangents: Vec<[f32; 3]>,
        /// The motion outside the keys.
        outside: Outside,
    },
    /// Polynomials from time to time, as in [`super::Flightplan::polynomials`]; `outside` may be
    /// [`Outside::Hold`] or [`Outside::Error`].
    Polynomials {
        /// Seconds, increasing; one more than there are segments.
        times: Vec<f64>,
        /// 0 to 3.
        degree: usize,
        /// `degree + 1` per segment, constant term first, in powers of the seconds since the
        /// segment's begin; metres.
        coefficients: Vec<[f64; 3]>,
        /// The motion outside the times.
        outside: Outside,
    },
    /// Linear from key to key; `outside` may be [`Outside::Hold`] or [`Outside::Error`].
    Keyframes {
        /// Seconds, increasing.
        times: Vec<f64>,
        /// One position per time, metres.
        positions: Vec<[f32; 3]>,
        /// The motion outside the keys.
        outside: Outside,
    },
}

impl VertexFlightplan {
    /// The span of time open to queries; all of time unless the plan has [`Outside::Error`].
    pub fn allowed_span(&self) -> Span {
        match self {
            Self::Keyframes { times, outside: Outside::Error, .. }
            | Self::Hermite { times, outside: Outside::Error, .. }
            | Self::Polynomials { times, outside: Outside::Error, .. } => match times[..] {
                [begin, .., end] => Span { begin, end },
                [only] => Span { begin: only, end: only },
                [] => Span::ALWAYS,
            },
            _ => Span::ALWAYS,
        }
    }

    pub(super) fn check(&self, vertex: u32, here: [f64; 3], now: f64) -> Result<Trajectories, MotionError> {
        let line = |position, velocity, span| LinearMotion::new(span, Outside::Hold, vec![position], vec![velocity]);
        match self {
            Self::Fixed { position } => {
                check::coordinates(0, vertex, *position)?;
                Ok(Trajectories::LinearMotion(line(*position, [0.0; 3], Span { begin: now, end: now })))
            }
            Self::Velocity { from, velocity } => {
                let position = from.unwrap_or(here);
                check::coordinates(0, vertex, position)?;
                check::velocity(vertex, *velocity)?;
                Ok(Trajectories::LinearMotion(line(position, *velocity, Span { begin: now, end: NEVER })))
            }
            Self::Ballistic { from, velocity, acceleration } => {
                let position = from.unwrap_or(here);
                check::coordinates(0, vertex, position)?;
                check::velocity(vertex, *velocity)?;
                check::acceleration(vertex, *acceleration)?;
                let line = line(position, *velocity, Span { begin: now, end: NEVER });
                Ok(Trajectories::LinearMotion(line.accelerated(vec![*acceleration])))
            }
            Self::Hermite { times, positions, in_tangents, out_tangents, outside } => {
                may_be_outside(*outside, vertex)?;
                check::times(times)?;
                check::count(positions.len(), times.len())?;
                for (key, position) in positions.iter().enumerate() {
                    check::coordinates(key, vertex, position.map(f64::from))?;
                }
                check::tangents_of(times, in_tangents, out_tangents, vertex)?;
                let flat = |values: &[[f32; 3]]| values.as_flattened().to_vec();
                let (before, after) = (flat(in_tangents), flat(out_tangents));
                let data = Data::Hermite { values: flat(positions), before, after };
                Ok(Trajectories::Curves(Curves::new(times.clone(), data, 1, *outside, KeyLayout::VertexMajor)))
            }
            Self::Polynomials { times, degree, coefficients, outside } => {
                may_be_outside(*outside, vertex)?;
                let data = check::polynomials(times, *degree, coefficients, 1, vertex)?;
                Ok(Trajectories::Curves(Curves::new(times.clone(), data, 1, *outside, KeyLayout::VertexMajor)))
            }
            Self::Keyframes { times, positions, outside } => {
                may_be_outside(*outside, vertex)?;
                check::times(times)?;
                check::count(positions.len(), times.len())?;
                for (key, position) in positions.iter().enumerate() {
                    check::coordinates(key, vertex, position.map(f64::from))?;
                }
                let data = positions.as_flattened().to_vec();
                Ok(Trajectories::Keys(KeyTable::new(times.clone(), data, 1, *outside, KeyLayout::VertexMajor)))
            }
        }
    }
}

fn may_be_outside(outside: Outside, vertex: u32) -> Result<(), MotionError> {
    if outside == Outside::Loop { Err(MotionError::VertexMayNotLoop { vertex }) } else { Ok(()) }
}
