//! Why a window or a bake was refused.

use std::fmt;

use crate::limits;
use crate::motion::MotionError;

/// Why a window was not extended or moved; nothing was changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum IntervalError {
    /// A key or an end does not come after the last one.
    NotLater {
        /// The time given, seconds.
        time: f64,
        /// The window's end, seconds.
        end: f64,
    },
    /// Times or positions that no flightplan may have.
    Motion(MotionError),
    /// The time lies outside the window.
    Outside {
        /// The time asked for, seconds.
        time: f64,
        /// The window's begin, seconds.
        begin: f64,
        /// The window's end, seconds.
        end: f64,
    },
    /// A node of the tree has more than two children.
    WideTree {
        /// The node.
        node: u32,
    },
    /// Vertices move on curves, or have plans of their own: no common linear stretch exists.
    NotLinear,
    /// Two bodies are known at no common time.
    NoCommonTime {
        /// When the later one begins, seconds.
        begin: f64,
        /// When the earlier one ends, seconds.
        end: f64,
    },
    /// A distance that is no number from 0 to the largest coordinate.
    BadDistance {
        /// The distance given, metres.
        value: f64,
    },
    /// The interval is not prepared to its end.
    NotPrepared,
    /// A loop is asked for before its first key; the window begins at a key or after one.
    BeforeLoop {
        /// The time asked for, seconds.
        time: f64,
    },
}

impl fmt::Display for IntervalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLater { time, end } => write!(f, "{time} s does not come after the window's end at {end} s"),
            Self::Motion(error) => error.fmt(f),
            Self::Outside { time, begin, end } => {
                write!(f, "{time} s lies outside the window from {begin} s to {end} s")
            }
            Self::WideTree { node } => {
                write!(f, "node {node} has more than two children; build the tree with a width of two")
            }
            Self::NotLinear => write!(f, "some vertices move on curves, or have flightplans of their own"),
            Self::NoCommonTime { begin, end } => {
                write!(f, "one body is known from {begin} s on, and the other until {end} s")
            }
            Self::BadDistance { value } => write!(f, "{value} m is no distance"),
            Self::NotPrepared => write!(f, "the interval is not prepared to its end"),
            Self::BeforeLoop { time } => write!(f, "{time} s comes before the first key of the loop"),
        }
    }
}

impl std::error::Error for IntervalError {}

impl From<MotionError> for IntervalError {
    fn from(error: MotionError) -> Self {
        Self::Motion(error)
    }
}

/// Refuses times no flightplan may have; `key` is what the error names.
pub(crate) fn check_time(key: usize, time: f64) -> Result<(), MotionError> {
    // Also false for NaN.
    if time.abs() <= limits::MAX_TIME { Ok(()) } else { Err(MotionError::BadTime { key, time }) }
}
