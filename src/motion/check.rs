//! Checks of flightplans: counts, order of times, ranges of numbers.

use super::curves::Data;
use super::{MotionError, Outside, flush};
use crate::limits;
use crate::time::{NEVER, Span};

pub(super) fn count(found: usize, expected: usize) -> Result<(), MotionError> {
    if found == expected { Ok(()) } else { Err(MotionError::PositionCount { expected, found }) }
}

pub(super) fn times(times: &[f64]) -> Result<(), MotionError> {
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

pub(super) fn span(span: Span) -> Result<(), MotionError> {
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

/// Checks the period of a loop; a span without length does not repeat and is accepted.
pub(super) fn period(first: f64, last: f64, outside: Outside) -> Result<(), MotionError> {
    let period = last - first;
    if outside == Outside::Loop && period != 0.0 && period < limits::MIN_PERIOD {
        return Err(MotionError::PeriodTooShort { period });
    }
    Ok(())
}

pub(super) fn positions(positions: &[[f32; 3]], vertex_count: usize) -> Result<(), MotionError> {
    if all_usable(positions) {
        return Ok(());
    }
    for (place, position) in positions.iter().enumerate() {
        coordinates(place / vertex_count.max(1), (place % vertex_count.max(1)) as u32, position.map(f64::from))?;
    }
    Ok(())
}

/// Whether all coordinates are finite and in range. Without a branch; callers search the first
/// fault afterwards.
pub(super) fn all_usable(positions: &[[f32; 3]]) -> bool {
    const MOST: f32 = limits::MAX_COORDINATE as f32;
    let of_position =
        |fine: bool, [x, y, z]: &[f32; 3]| fine & (x.abs() <= MOST) & (y.abs() <= MOST) & (z.abs() <= MOST);
    positions.iter().fold(true, of_position)
}

pub(super) fn coordinates(key: usize, vertex: u32, position: [f64; 3]) -> Result<(), MotionError> {
    for (axis, &value) in position.iter().enumerate() {
        if !(value.abs() <= limits::MAX_COORDINATE) {
            return Err(MotionError::BadCoordinate { key, vertex, axis, value });
        }
    }
    Ok(())
}

pub(super) fn velocity(vertex: u32, velocity: [f64; 3]) -> Result<(), MotionError> {
    for (axis, &value) in velocity.iter().enumerate() {
        if !(value.abs() <= limits::MAX_SPEED) {
            return Err(MotionError::BadVelocity { vertex, axis, value });
        }
    }
    Ok(())
}

pub(super) fn transforms(transforms: &[[f64; 16]]) -> Result<(), MotionError> {
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

pub(super) fn acceleration(vertex: u32, acceleration: [f64; 3]) -> Result<(), MotionError> {
    for (axis, &value) in acceleration.iter().enumerate() {
        if !(value.abs() <= limits::MAX_ACCELERATION) {
            return Err(MotionError::BadAcceleration { vertex, axis, value });
        }
    }
    Ok(())
}

/// Checks the tangents of all vertices at all keys, before and after each.
pub(super) fn tangents(
    times: &[f64],
    before: &[[f32; 3]],
    after: &[[f32; 3]],
    vertex_count: usize,
) -> Result<(), MotionError> {
    all_tangents(times, before, after, vertex_count, 0)
}

/// Checks the tangents of one vertex.
pub(super) fn tangents_of(
    times: &[f64],
    before: &[[f32; 3]],
    after: &[[f32; 3]],
    vertex: u32,
) -> Result<(), MotionError> {
    all_tangents(times, before, after, 1, vertex)
}

fn all_tangents(
    times: &[f64],
    before: &[[f32; 3]],
    after: &[[f32; 3]],
    vertex_count: usize,
    first_vertex: u32,
) -> Result<(), MotionError> {
    let expected = times.len() * vertex_count;
    if let Some(found) = [before.len(), after.len()].into_iter().find(|&found| found != expected) {
        return Err(MotionError::TangentCount { expected, found });
    }
    let longest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(1.0, f64::max);
    for tangents in [before, after] {
        for (place, tangent) in tangents.iter().enumerate() {
            let (key, vertex) = (place / vertex_count, first_vertex + (place % vertex_count) as u32);
            for (axis, value) in tangent.map(f64::from).into_iter().enumerate() {
                if !(value.abs() * longest <= limits::MAX_COORDINATE) {
                    return Err(MotionError::BadTangent { key, vertex, axis, value });
                }
            }
        }
    }
    Ok(())
}

/// Checks polynomials and converts them to values at the times and bends in between. Errors number
/// the vertices from `first_vertex`.
pub(super) fn polynomials(
    times: &[f64],
    degree: usize,
    coefficients: &[[f64; 3]],
    vertex_count: usize,
    first_vertex: u32,
) -> Result<Data, MotionError> {
    if degree > 3 {
        return Err(MotionError::DegreeTooHigh { degree });
    }
    self::times(times)?;
    let (segments, terms, width) = (times.len() - 1, degree + 1, 3 * vertex_count);
    if segments == 0 {
        return Err(MotionError::NoSegments);
    }
    let expected = segments * vertex_count * terms;
    if coefficients.len() != expected {
        return Err(MotionError::CoefficientCount { expected, found: coefficients.len() });
    }
    let mut values = vec![0.0; times.len() * width];
    let mut bends = vec![[0.0; 2]; times.len() * width];
    // Per column, the sum of the magnitudes of the previous segment's terms.
    let mut reach = vec![0.0; width];
    for segment in 0..segments {
        let length = times[segment + 1] - times[segment];
        for column in 0..width {
            let (vertex, axis) = (column / 3, column % 3);
            let first = (segment * vertex_count + vertex) * terms;
            let (mut steps, mut scale, mut sum) = ([0.0; 4], 1.0, 0.0);
            for (power, step) in steps.iter_mut().enumerate().take(terms) {
                let value = coefficients[first + power][axis];
                *step = value * scale;
                sum += step.abs();
                if !(sum <= limits::MAX_COORDINATE) {
                    let vertex = first_vertex + vertex as u32;
                    return Err(MotionError::BadCoefficient { segment, vertex, axis, power, value });
                }
                scale *= length;
            }
            let begin = flush(steps[0]);
            let here = segment * width + column;
            if segment > 0 {
                let before = values[here];
                if (before - begin).abs() > limits::SEGMENT_JOIN_TOLERANCE * reach[column] {
                    let vertex = first_vertex + vertex as u32;
                    return Err(MotionError::Jump { key: segment, vertex, axis, before, after: begin });
                }
            }
            reach[column] = sum;
            values[here] = begin;
            values[here + width] = flush(((steps[3] + steps[2]) + steps[1]) + steps[0]);
            bends[here] = [-steps[3] - steps[2], -steps[3]];
        }
    }
    Ok(Data::Polynomials { values, bends })
}
