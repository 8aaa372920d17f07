//! What is wrong with a driver.

use super::ReducedError;
use crate::time::Span;

/// What a driver states of itself and does not hold: [`super::check_driver`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DriverFault {
    /// Breaks are not ascending and distinct, or lack an end of the span.
    #[error("break {index}: breaks must ascend from the begin of the span to its end")]
    Breaks {
        /// The first break that is wrong or missing.
        index: usize,
    },
    /// A pose is refused: another number of maps or morph weights, numbers that are not finite.
    #[error("the pose at {time} s: {fault}")]
    Pose {
        /// Its time, seconds.
        time: f64,
        /// What is wrong with it.
        fault: Box<ReducedError>,
    },
    /// The pose jumps at a time that is no jump.
    #[error("{part} {index} moves by {value} at {time} s, where no jump is stated")]
    HiddenJump {
        /// The quantity: linear part or centre of a map, or morph weight.
        part: &'static str,
        /// The map or morph target.
        index: usize,
        /// The time of the break, seconds.
        time: f64,
        /// The distance of both poses.
        value: f64,
    },
    /// A quantity is beyond its bound.
    #[error(
        "{part} {index}, from {} s to {} s, at {time} s: {statement} is stated as {bound}, and {value} was found",
        piece.begin,
        piece.end
    )]
    Bound {
        /// The quantity: linear part, centre or scale of a map, morph weight, or vertex.
        part: &'static str,
        /// The map, the morph target or the vertex.
        index: usize,
        /// The statement: `size`, `rate`, `bend`, `off`, `least` or `deviation`.
        statement: &'static str,
        /// The piece that the bounds are of, seconds.
        piece: Span,
        /// The time at which the bound is exceeded, seconds; for `rate` the end of a stretch.
        time: f64,
        /// What the motion shows.
        value: f64,
        /// What is stated; NaN is exceeded by anything.
        bound: f64,
    },
}

impl From<DriverFault> for ReducedError {
    fn from(fault: DriverFault) -> Self {
        Self::Driver(Box::new(fault))
    }
}
