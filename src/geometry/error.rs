//! Refusals.

/// Reason why a geometric query was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GeometryError {
    /// The mesh has no triangle: it consists of patches or spheres, or all triangles were removed.
    #[error("the surface has no triangles")]
    Empty,
    /// The number of positions is not the number of vertices.
    #[error("{found} positions were given for {expected} vertices")]
    PositionCount {
        /// How many are needed.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// A coordinate is not finite, or beyond [`crate::limits::MAX_COORDINATE`].
    #[error("coordinate {axis} of vertex {vertex} is {value}; it must be finite and at most {max:e}", max = crate::limits::MAX_COORDINATE)]
    Position {
        /// The vertex.
        vertex: usize,
        /// 0, 1 or 2.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
    /// A coordinate of a queried point is not finite, or beyond [`crate::limits::MAX_COORDINATE`].
    #[error("coordinate {axis} of the point is {value}; it must be finite and at most {max:e}", max = crate::limits::MAX_COORDINATE)]
    Point {
        /// 0, 1 or 2.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
    /// There is no triangle of this number.
    #[error("pair {pair} names triangle {triangle} of surface {surface}, which does not exist")]
    NoSuchTriangle {
        /// The pair, by its place in the list.
        pair: usize,
        /// 0 for the first surface, 1 for the second.
        surface: usize,
        /// The triangle.
        triangle: u32,
    },
    /// A tolerance is not a positive number.
    #[error("the tolerance is {value}; it must be positive and finite")]
    Tolerance {
        /// The value.
        value: f64,
    },
    /// Times are not finite, or do not increase.
    #[error("time {index} is {value}; times must be finite and increase")]
    Time {
        /// Its place in the list.
        index: usize,
        /// The time, seconds.
        value: f64,
    },
    /// There is no time.
    #[error("no time was given")]
    NoTimes,
}
