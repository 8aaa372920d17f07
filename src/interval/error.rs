//! Why an interval was refused.

use crate::limits;
use crate::motion::MotionError;

/// Why an interval was not extended or moved; nothing was changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IntervalError {
    /// Times or positions that no flightplan may have.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// The time lies outside the interval.
    #[error("{time} s is outside the interval from {begin} s to {end} s")]
    Outside {
        /// The time asked for, seconds.
        time: f64,
        /// The interval's begin, seconds.
        begin: f64,
        /// The interval's end, seconds.
        end: f64,
    },
    /// A node of the tree has more than two children.
    #[error("node {node} has more than two children; build the tree with a width of two")]
    WideTree {
        /// The node.
        node: u32,
    },
    /// Vertices move on curves, or have plans of their own: no common linear stretch exists.
    #[error("some vertices move on curves, or have their own flightplans")]
    NotLinear,
    /// Two bodies are known at no common time.
    #[error("the bodies have no common time: one is known from {begin} s on, the other until {end} s")]
    NoCommonTime {
        /// When the later one begins, seconds.
        begin: f64,
        /// When the earlier one ends, seconds.
        end: f64,
    },
    /// A distance that is no number from 0 to the largest coordinate.
    #[error("{value} m is not a usable distance")]
    BadDistance {
        /// The distance given, metres.
        value: f64,
    },
    /// The interval is not prepared to its end.
    #[error("the interval is not prepared to its end")]
    NotPrepared,
    /// A loop is asked for before its first key; the interval begins at a key or after one.
    #[error("{time} s comes before the first key of the loop")]
    BeforeLoop {
        /// The time asked for, seconds.
        time: f64,
    },
}

/// Refuses times no flightplan may have; `key` is what the error names.
pub(crate) fn check_time(key: usize, time: f64) -> Result<(), MotionError> {
    // Also false for NaN.
    if time.abs() <= limits::MAX_TIME { Ok(()) } else { Err(MotionError::BadTime { key, time }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_up_to_the_largest_one_are_accepted() {
        let largest = limits::MAX_TIME;
        for time in [0.0, largest, -largest] {
            assert_eq!(check_time(3, time), Ok(()));
        }
        for time in [largest.next_up(), -largest.next_up(), f64::INFINITY] {
            assert_eq!(check_time(3, time), Err(MotionError::BadTime { key: 3, time }));
        }
        assert!(check_time(3, f64::NAN).is_err());
    }
}
