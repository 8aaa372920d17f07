//! Why a flightplan was refused.

use std::fmt;

use crate::limits;

/// Why a flightplan was refused; nothing was changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MotionError {
    /// There is no key.
    NoKeys,
    /// The number of positions is not keys × vertices.
    PositionCount {
        /// How many positions are needed.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// The number of transforms is not the number of key times.
    TransformCount {
        /// How many key times there are.
        keys: usize,
        /// How many transforms came.
        found: usize,
    },
    /// The number of velocities is not the number of vertices.
    VelocityCount {
        /// How many velocities are needed.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// Key times do not increase.
    KeysOutOfOrder {
        /// The later key.
        key: usize,
        /// Its time.
        time: f64,
        /// The time of the key before it.
        previous: f64,
    },
    /// A time is not a number or too far off.
    BadTime {
        /// Which time: a key's index, or 0.
        key: usize,
        /// Its value.
        time: f64,
    },
    /// The end of a span comes before its begin.
    SpanReversed {
        /// The begin.
        begin: f64,
        /// The end.
        end: f64,
    },
    /// A loop's period is shorter than [`crate::limits::MIN_PERIOD`].
    PeriodTooShort {
        /// The period, seconds.
        period: f64,
    },
    /// A coordinate is not a number or too large.
    BadCoordinate {
        /// The key (0 when there are none).
        key: usize,
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// A velocity is not a number or too large.
    BadVelocity {
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// A matrix entry is not a number, or the last row is not 0 0 0 1.
    BadTransform {
        /// The key.
        key: usize,
        /// The entry, row by row, 0 to 15.
        entry: usize,
        /// Its value.
        value: f64,
    },
    /// A plan names a vertex that does not exist.
    NoSuchVertex {
        /// The vertex.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// One call gives a vertex two plans.
    VertexNamedTwice {
        /// The vertex.
        vertex: u32,
    },
    /// A plan of a single vertex may hold or end, not loop.
    VertexMayNotLoop {
        /// The vertex.
        vertex: u32,
    },
}

impl fmt::Display for MotionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis_name = |axis: usize| ["x", "y", "z"][axis];
        match self {
            Self::NoKeys => write!(f, "the motion has no keys"),
            Self::PositionCount { expected, found } => {
                write!(f, "{found} positions were given where keys × vertices is {expected}")
            }
            Self::TransformCount { keys, found } => write!(f, "{found} transforms were given for {keys} key times"),
            Self::VelocityCount { expected, found } => {
                write!(f, "{found} velocities were given for {expected} vertices")
            }
            Self::KeysOutOfOrder { key, time, previous } => {
                write!(f, "key {key} at {time} s does not come after key {} at {previous} s", key - 1)
            }
            Self::BadTime { key, time } => write!(f, "time {key} is {time} s, which is not a usable time"),
            Self::SpanReversed { begin, end } => write!(f, "the motion ends at {end} s, before it begins at {begin} s"),
            Self::PeriodTooShort { period } => {
                write!(f, "the loop's period is {period} s, but at least {} s are needed", limits::MIN_PERIOD)
            }
            Self::BadCoordinate { key, vertex, axis, value } => {
                write!(
                    f,
                    "key {key}, vertex {vertex}: {} is {value}, which is not a usable coordinate",
                    axis_name(*axis)
                )
            }
            Self::BadVelocity { vertex, axis, value } => {
                write!(f, "vertex {vertex}: the velocity's {} is {value}, which is not usable", axis_name(*axis))
            }
            Self::BadTransform { key, entry, value } => {
                write!(f, "transform {key}: entry {entry} is {value}; finite entries and a last row 0 0 0 1 are needed")
            }
            Self::NoSuchVertex { vertex, vertices } => {
                write!(f, "vertex {vertex} does not exist: there are {vertices} vertices")
            }
            Self::VertexNamedTwice { vertex } => write!(f, "vertex {vertex} is given two flightplans in one call"),
            Self::VertexMayNotLoop { vertex } => {
                write!(f, "vertex {vertex}: the flightplan of a single vertex may hold or end, but not loop")
            }
        }
    }
}

impl std::error::Error for MotionError {}
