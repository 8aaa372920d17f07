//! Validation of patches.

use super::Patch;
use crate::limits;

/// Why patches, or a question about them, were refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// There is no patch.
    #[error("there are no patches")]
    Empty,
    /// A degree that is 0 or too large.
    #[error("patch {patch}: degree {degree} along {direction}; it must be 1 to {}", limits::MAX_DEGREE)]
    Degree {
        /// The patch.
        patch: usize,
        /// Along `'u'` or `'v'`.
        direction: char,
        /// The degree.
        degree: usize,
    },
    /// A direction has fewer control points than its degree + 1.
    #[error("patch {patch}: {count} control points along {direction} are too few for degree {degree}")]
    TooFewPoints {
        /// The patch.
        patch: usize,
        /// Along `'u'` or `'v'`.
        direction: char,
        /// Number of control points.
        count: usize,
        /// The degree.
        degree: usize,
    },
    /// The grid of control points is not rows × columns, or there is not one weight per control
    /// point, or not count + degree + 1 knots.
    #[error("patch {patch}: {found} {what}, but there must be {expected}")]
    Count {
        /// The patch.
        patch: usize,
        /// The kind of items: control points, weights, or knots along a direction.
        what: &'static str,
        /// The required number.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// A control point names a vertex that does not exist.
    #[error("patch {patch} names vertex {index}, but there are {vertices} vertices")]
    IndexOutOfRange {
        /// The patch.
        patch: usize,
        /// The vertex it names.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A weight that is not positive, not a number, or beyond [`limits::MAX_WEIGHT`] or its
    /// inverse.
    #[error(
        "patch {patch}: weight {place} is {value:e}; it must be from {:e} to {:e}",
        1.0 / limits::MAX_WEIGHT,
        limits::MAX_WEIGHT
    )]
    Weight {
        /// The patch.
        patch: usize,
        /// The control point's place in the grid.
        place: usize,
        /// The weight.
        value: f64,
    },
    /// A knot that is less than the one before, not a number, or too large.
    #[error(
        "patch {patch}: knot {place} along {direction} is {value:e}; knots must not decrease and be at most {:e}",
        limits::MAX_COORDINATE
    )]
    Knot {
        /// The patch.
        patch: usize,
        /// Along `'u'` or `'v'`.
        direction: char,
        /// The knot.
        place: usize,
        /// Its value.
        value: f64,
    },
    /// A knot repeated more than degree + 1 times.
    #[error("patch {patch}: knot {place} along {direction} is repeated more often than degree + 1 times")]
    RepeatedKnot {
        /// The patch.
        patch: usize,
        /// Along `'u'` or `'v'`.
        direction: char,
        /// The first of the equal knots.
        place: usize,
    },
    /// All knots between which a direction is defined are equal.
    #[error("patch {patch}: the knots along {direction} leave nothing between them")]
    NoSpan {
        /// The patch.
        patch: usize,
        /// Along `'u'` or `'v'`.
        direction: char,
    },
    /// There is no span of this number.
    #[error("there is no span {span}: there are {spans} spans")]
    NoSuchSpan {
        /// The span.
        span: u32,
        /// How many there are.
        spans: usize,
    },
    /// A span was given another number of places than it has control points.
    #[error("{found} places were given for the {expected} control points of span {span}")]
    PlaceCount {
        /// The span.
        span: u32,
        /// How many control points it has.
        expected: usize,
        /// How many places came.
        found: usize,
    },
    /// More items than indices can name.
    #[error("{count} {what} are more than the {} supported", limits::MAX_INDEX / 2)]
    TooLarge {
        /// The kind of items.
        what: &'static str,
        /// Their number.
        count: usize,
    },
}

/// Checks all requirements on patches, patch by patch.
pub(super) fn check(vertex_count: usize, patches: &[Patch]) -> Result<(), PatchError> {
    if patches.is_empty() {
        return Err(PatchError::Empty);
    }
    let most = limits::MAX_INDEX / 2;
    if vertex_count > most {
        return Err(PatchError::TooLarge { what: "vertices", count: vertex_count });
    }
    let mut entries = 0usize;
    for (number, patch) in patches.iter().enumerate() {
        check_grid(number, patch, vertex_count)?;
        for (direction, name) in ['u', 'v'].into_iter().enumerate() {
            check_knots(number, patch, direction, name)?;
        }
        let net: usize = patch.degrees.iter().map(|degree| degree + 1).product();
        let spans = patch.spans(0).count().saturating_mul(patch.spans(1).count());
        entries = entries.saturating_add(spans.saturating_mul(net));
    }
    if entries > most {
        return Err(PatchError::TooLarge { what: "control points of spans", count: entries });
    }
    Ok(())
}

fn check_grid(number: usize, patch: &Patch, vertices: usize) -> Result<(), PatchError> {
    let Patch { degrees, counts, control, weights, .. } = patch;
    for (direction, name) in ['u', 'v'].into_iter().enumerate() {
        let (degree, count) = (degrees[direction], counts[direction]);
        if !(1..=limits::MAX_DEGREE).contains(&degree) {
            return Err(PatchError::Degree { patch: number, direction: name, degree });
        }
        if count <= degree {
            return Err(PatchError::TooFewPoints { patch: number, direction: name, count, degree });
        }
    }
    let expected = counts[0].saturating_mul(counts[1]);
    if control.len() != expected {
        return Err(PatchError::Count { patch: number, what: "control points", expected, found: control.len() });
    }
    if !weights.is_empty() && weights.len() != expected {
        return Err(PatchError::Count { patch: number, what: "weights", expected, found: weights.len() });
    }
    if let Some(&index) = control.iter().find(|&&index| index as usize >= vertices) {
        return Err(PatchError::IndexOutOfRange { patch: number, index, vertices });
    }
    let is_bad = |weight: f64| !(1.0 / limits::MAX_WEIGHT..=limits::MAX_WEIGHT).contains(&weight);
    match weights.iter().position(|&weight| is_bad(weight)) {
        Some(place) => Err(PatchError::Weight { patch: number, place, value: weights[place] }),
        None => Ok(()),
    }
}

fn check_knots(patch: usize, given: &Patch, at: usize, direction: char) -> Result<(), PatchError> {
    let (degree, count, knots) = (given.degrees[at], given.counts[at], &given.knots[at]);
    let expected = count.saturating_add(degree + 1);
    if knots.len() != expected {
        let what = if at == 0 { "knots along u" } else { "knots along v" };
        return Err(PatchError::Count { patch, what, expected, found: knots.len() });
    }
    for (place, &value) in knots.iter().enumerate() {
        let is_ascending = place == 0 || knots[place - 1] <= value;
        if !(value.abs() <= limits::MAX_COORDINATE) || !is_ascending {
            return Err(PatchError::Knot { patch, direction, place, value });
        }
    }
    if let Some(place) = knots.windows(degree + 2).position(|row| row[0] == row[degree + 1]) {
        return Err(PatchError::RepeatedKnot { patch, direction, place });
    }
    if knots[degree] == knots[count] {
        return Err(PatchError::NoSpan { patch, direction });
    }
    Ok(())
}
