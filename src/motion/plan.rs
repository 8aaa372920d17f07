//! Flightplans as the host states them, and their checks.

use super::keys::KeyTable;
use super::lines::Lines;
use super::{Layout, MotionError};
use crate::limits;
use crate::time::{NEVER, Span};

/// What a plan does outside its span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Outside {
    /// Stay at the nearest end of the span.
    #[default]
    Hold,
    /// Begin again. At the wrap the vertices jump from their last position to their first.
    Loop,
    /// Advancing outside the span is an error.
    Error,
}

/// Where all vertices of a body will be. Checked when it is given to a world.
///
/// Times are seconds, positions metres, velocities metres per second.
#[derive(Clone, Debug)]
pub struct Flightplan {
    kind: Kind,
    outside: Outside,
}

#[derive(Clone, Debug)]
enum Kind {
    Fixed { positions: Vec<[f32; 3]> },
    Keyframes { times: Vec<f64>, positions: Vec<[f32; 3]> },
    Velocities { span: Span, positions: Vec<[f32; 3]>, velocities: Vec<[f32; 3]> },
    Rigid { times: Vec<f64>, transforms: Vec<[f64; 16]>, rest: Vec<[f32; 3]> },
}

impl Flightplan {
    /// Nothing moves; one position per vertex.
    pub fn fixed(positions: Vec<[f32; 3]>) -> Self {
        Self { kind: Kind::Fixed { positions }, outside: Outside::Hold }
    }

    /// Vertices move linearly from key to key: all positions at `times[0]`, then all at `times[1]`, and so on.
    pub fn keyframes(times: Vec<f64>, positions: Vec<[f32; 3]>) -> Self {
        Self { kind: Kind::Keyframes { times, positions }, outside: Outside::Hold }
    }

    /// Every vertex leaves its position at `begin` with a constant velocity, without end.
    pub fn velocities(begin: f64, positions: Vec<[f32; 3]>, velocities: Vec<[f32; 3]>) -> Self {
        let span = Span { begin, end: NEVER };
        Self { kind: Kind::Velocities { span, positions, velocities }, outside: Outside::Hold }
    }

    /// As [`Flightplan::velocities`], until `end`.
    pub fn velocities_until(span: Span, positions: Vec<[f32; 3]>, velocities: Vec<[f32; 3]>) -> Self {
        Self { kind: Kind::Velocities { span, positions, velocities }, outside: Outside::Hold }
    }

    /// A transform per key time, applied to the rest positions; vertices move linearly between keys.
    ///
    /// Transforms are 4 × 4, row by row, for column vectors, with last row 0 0 0 1. Each key's positions are computed in
    /// `f64` and rounded once to `f32`: those are the body's keyframes.
    pub fn rigid(times: Vec<f64>, transforms: Vec<[f64; 16]>, rest: Vec<[f32; 3]>) -> Self {
        Self { kind: Kind::Rigid { times, transforms, rest }, outside: Outside::Hold }
    }

    /// What happens outside the plan's span (default: [`Outside::Hold`]).
    #[must_use]
    pub fn outside(mut self, outside: Outside) -> Self {
        self.outside = outside;
        self
    }

    /// Positions at the first key: the rest shape where the host gives no other. Rigid plans give their rest positions.
    pub fn rest_positions(&self, vertex_count: usize) -> &[[f32; 3]] {
        match &self.kind {
            Kind::Keyframes { positions, .. } => positions.get(..vertex_count).unwrap_or(positions),
            Kind::Fixed { positions } | Kind::Velocities { positions, .. } => positions,
            Kind::Rigid { rest, .. } => rest,
        }
    }

    pub(super) fn check(self, vertex_count: usize, layout: Layout) -> Result<Checked, MotionError> {
        // What does not move is never outside its span.
        let outside = if matches!(self.kind, Kind::Fixed { .. }) { Outside::Hold } else { self.outside };
        let table = |times: Vec<f64>, positions: Vec<[f32; 3]>| {
            check_times(&times)?;
            check_period(times[0], times[times.len() - 1], outside)?;
            check_count(positions.len(), times.len() * vertex_count)?;
            check_positions(&positions, vertex_count)?;
            let data = positions.into_flattened();
            Ok(Checked::Keys(KeyTable::new(times, data, vertex_count, outside, layout)))
        };
        match self.kind {
            Kind::Fixed { positions } => table(vec![0.0], positions),
            Kind::Keyframes { times, positions } => table(times, positions),
            Kind::Rigid { times, transforms, rest } => {
                check_times(&times)?;
                if transforms.len() != times.len() {
                    return Err(MotionError::TransformCount { keys: times.len(), found: transforms.len() });
                }
                check_count(rest.len(), vertex_count)?;
                check_positions(&rest, vertex_count)?;
                check_transforms(&transforms)?;
                let positions = transforms.iter().flat_map(|matrix| rest.iter().map(|p| place(matrix, *p))).collect();
                table(times, positions)
            }
            Kind::Velocities { span, positions, velocities } => {
                check_span(span)?;
                check_period(span.begin, span.end, outside)?;
                check_count(positions.len(), vertex_count)?;
                check_positions(&positions, vertex_count)?;
                if velocities.len() != vertex_count {
                    return Err(MotionError::VelocityCount { expected: vertex_count, found: velocities.len() });
                }
                for (vertex, velocity) in velocities.iter().enumerate() {
                    check_velocity(vertex as u32, velocity.map(f64::from))?;
                }
                let wide = |values: Vec<[f32; 3]>| values.into_iter().map(|v| v.map(f64::from)).collect();
                Ok(Checked::Lines(Lines::new(span, outside, wide(positions), wide(velocities))))
            }
        }
    }
}

/// Where a single vertex will be from now on, in place of its body's plan.
#[derive(Clone, Debug, PartialEq)]
pub enum VertexFlightplan {
    /// Stays at a position.
    Fixed {
        /// Metres.
        position: [f64; 3],
    },
    /// Moves with a constant velocity.
    Velocity {
        /// Metres, now; `None` leaves from where the vertex is.
        from: Option<[f64; 3]>,
        /// Metres per second.
        velocity: [f64; 3],
    },
    /// Moves linearly from key to key; `outside` may be [`Outside::Hold`] or [`Outside::Error`].
    Keyframes {
        /// Seconds, increasing.
        times: Vec<f64>,
        /// One position per time, metres.
        positions: Vec<[f32; 3]>,
        /// What happens outside the keys.
        outside: Outside,
    },
}

impl VertexFlightplan {
    /// The span in which the host may ask; all of time unless the plan says [`Outside::Error`].
    pub fn allowed_span(&self) -> Span {
        match self {
            Self::Keyframes { times, outside: Outside::Error, .. } => match times[..] {
                [begin, .., end] => Span { begin, end },
                [only] => Span { begin: only, end: only },
                [] => Span::ALWAYS,
            },
            _ => Span::ALWAYS,
        }
    }

    pub(super) fn check(&self, vertex: u32, here: [f64; 3], now: f64) -> Result<Checked, MotionError> {
        let line = |position, velocity, span| Lines::new(span, Outside::Hold, vec![position], vec![velocity]);
        match self {
            Self::Fixed { position } => {
                check_coordinates(0, vertex, *position)?;
                Ok(Checked::Lines(line(*position, [0.0; 3], Span { begin: now, end: now })))
            }
            Self::Velocity { from, velocity } => {
                let position = from.unwrap_or(here);
                check_coordinates(0, vertex, position)?;
                check_velocity(vertex, *velocity)?;
                Ok(Checked::Lines(line(position, *velocity, Span { begin: now, end: NEVER })))
            }
            Self::Keyframes { times, positions, outside } => {
                if *outside == Outside::Loop {
                    return Err(MotionError::VertexMayNotLoop { vertex });
                }
                check_times(times)?;
                check_count(positions.len(), times.len())?;
                for (key, position) in positions.iter().enumerate() {
                    check_coordinates(key, vertex, position.map(f64::from))?;
                }
                let data = positions.as_flattened().to_vec();
                Ok(Checked::Keys(KeyTable::new(times.clone(), data, 1, *outside, Layout::ByVertex)))
            }
        }
    }
}

/// A plan that passed its checks.
pub(super) enum Checked {
    Keys(KeyTable),
    Lines(Lines),
}

/// Applies an affine transform in `f64` and rounds once.
pub(crate) fn place(matrix: &[f64; 16], point: [f32; 3]) -> [f32; 3] {
    let point = nalgebra::Point3::from(point.map(f64::from));
    let moved = nalgebra::Matrix4::from_row_slice(matrix).transform_point(&point);
    [moved.x as f32, moved.y as f32, moved.z as f32]
}

fn check_count(found: usize, expected: usize) -> Result<(), MotionError> {
    if found == expected { Ok(()) } else { Err(MotionError::PositionCount { expected, found }) }
}

fn check_times(times: &[f64]) -> Result<(), MotionError> {
    if times.is_empty() {
        return Err(MotionError::NoKeys);
    }
    for (key, &time) in times.iter().enumerate() {
        // Also false for NaN.
        if !(time.abs() <= limits::MAX_TIME) {
            return Err(MotionError::BadTime { key, time });
        }
        if key > 0 && times[key - 1] >= time {
            return Err(MotionError::KeysOutOfOrder { key, time, previous: times[key - 1] });
        }
    }
    Ok(())
}

fn check_span(span: Span) -> Result<(), MotionError> {
    if !(span.begin.abs() <= limits::MAX_TIME) {
        return Err(MotionError::BadTime { key: 0, time: span.begin });
    }
    if span.end != NEVER && !(span.end.abs() <= limits::MAX_TIME) {
        return Err(MotionError::BadTime { key: 1, time: span.end });
    }
    if span.end < span.begin {
        return Err(MotionError::SpanReversed { begin: span.begin, end: span.end });
    }
    Ok(())
}

/// A span without length does not repeat, so it may be as short as that.
fn check_period(first: f64, last: f64, outside: Outside) -> Result<(), MotionError> {
    let period = last - first;
    if outside == Outside::Loop && period != 0.0 && period < limits::MIN_PERIOD {
        return Err(MotionError::PeriodTooShort { period });
    }
    Ok(())
}

fn check_positions(positions: &[[f32; 3]], vertex_count: usize) -> Result<(), MotionError> {
    for (place, position) in positions.iter().enumerate() {
        check_coordinates(place / vertex_count.max(1), (place % vertex_count.max(1)) as u32, position.map(f64::from))?;
    }
    Ok(())
}

fn check_coordinates(key: usize, vertex: u32, position: [f64; 3]) -> Result<(), MotionError> {
    for (axis, &value) in position.iter().enumerate() {
        if !(value.abs() <= limits::MAX_COORDINATE) {
            return Err(MotionError::BadCoordinate { key, vertex, axis, value });
        }
    }
    Ok(())
}

fn check_velocity(vertex: u32, velocity: [f64; 3]) -> Result<(), MotionError> {
    for (axis, &value) in velocity.iter().enumerate() {
        if !(value.abs() <= limits::MAX_SPEED) {
            return Err(MotionError::BadVelocity { vertex, axis, value });
        }
    }
    Ok(())
}

fn check_transforms(transforms: &[[f64; 16]]) -> Result<(), MotionError> {
    for (key, matrix) in transforms.iter().enumerate() {
        for (entry, &value) in matrix.iter().enumerate() {
            let last_row = [0.0, 0.0, 0.0, 1.0];
            if !value.is_finite() || (entry >= 12 && value != last_row[entry - 12]) {
                return Err(MotionError::BadTransform { key, entry, value });
            }
        }
    }
    Ok(())
}
