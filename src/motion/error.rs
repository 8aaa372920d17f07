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
    /// The number of accelerations is not the number of vertices.
    AccelerationCount {
        /// How many accelerations are needed.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// The number of tangents is not keys × vertices.
    TangentCount {
        /// How many tangents are needed, before the keys and again after them.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// The number of coefficients is not segments × vertices × (degree + 1).
    CoefficientCount {
        /// How many coefficients are needed.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// Polynomials need two times at least.
    NoSegments,
    /// Polynomials have a degree of at most 3.
    DegreeTooHigh {
        /// The degree given.
        degree: usize,
    },
    /// An acceleration is not a number or too large.
    BadAcceleration {
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// A tangent is not a number, or leads too far away.
    BadTangent {
        /// The key.
        key: usize,
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// A coefficient is not a number, or the terms up to it lead too far away within its segment.
    BadCoefficient {
        /// The segment.
        segment: usize,
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// The power it belongs to, 0 to 3.
        power: usize,
        /// Its value.
        value: f64,
    },
    /// The polynomials of two segments do not meet at their common key: by more than [`crate::limits::JOINT`].
    Jump {
        /// The key.
        key: usize,
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// Where the segment before the key ends.
        before: f64,
        /// Where the segment after it begins.
        after: f64,
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
    /// The number of spheres is not keys × spheres.
    SphereCount {
        /// How many are needed.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// A radius is negative, not a number or too large.
    BadRadius {
        /// The key.
        key: usize,
        /// The sphere.
        sphere: u32,
        /// Its radius, metres.
        value: f64,
    },
    /// A coordinate of a centre is not a number, or too large together with the radius.
    BadCentre {
        /// The key.
        key: usize,
        /// The sphere.
        sphere: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// Its value, metres.
        value: f64,
    },
    /// A bound that a sampler states for its own motion is negative, not a number or too large.
    BadBound {
        /// Of which quantity, with its unit.
        quantity: &'static str,
        /// Its value.
        value: f64,
    },
    /// A sampler puts a vertex beyond the largest coordinate that it states.
    BeyondBound {
        /// The key.
        key: usize,
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// The coordinate, metres.
        value: f64,
        /// The bound stated, metres.
        bound: f64,
    },
    /// A sampler moves a vertex faster than the largest speed that it states.
    FasterThanBound {
        /// The key that the motion goes on from.
        key: usize,
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// The speed, metres per second.
        value: f64,
        /// The bound stated, metres per second.
        bound: f64,
    },
    /// A body of spheres was given another plan than one of spheres, or another body one of spheres.
    WrongKind {
        /// Whether the body is made of spheres.
        body_of_spheres: bool,
    },
    /// A key was to follow a plan that is not one of keyframes between which vertices move linearly, or that loops.
    NotExtendable {
        /// What the plan is.
        kind: &'static str,
    },
    /// A vertex that is a corner of a sphere's box cannot have a plan of its own.
    CornerOfSphere {
        /// The vertex.
        vertex: u32,
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
            Self::AccelerationCount { expected, found } => {
                write!(f, "{found} accelerations were given for {expected} vertices")
            }
            Self::TangentCount { expected, found } => {
                write!(f, "{found} tangents were given where keys × vertices is {expected}")
            }
            Self::CoefficientCount { expected, found } => {
                write!(f, "{found} coefficients were given where segments × vertices × (degree + 1) is {expected}")
            }
            Self::NoSegments => write!(f, "polynomials need two times at least"),
            Self::DegreeTooHigh { degree } => {
                write!(f, "the polynomials have degree {degree}; the highest degree possible is 3")
            }
            Self::BadAcceleration { vertex, axis, value } => {
                write!(f, "vertex {vertex}: the acceleration's {} is {value}, which is not usable", axis_name(*axis))
            }
            Self::BadTangent { key, vertex, axis, value } => {
                write!(
                    f,
                    "key {key}, vertex {vertex}: a tangent's {} is {value}, which is not usable",
                    axis_name(*axis)
                )
            }
            Self::BadCoefficient { segment, vertex, axis, power, value } => {
                write!(
                    f,
                    "segment {segment}, vertex {vertex}: the coefficient of power {power} along {} is {value}, which is not \
                     usable",
                    axis_name(*axis)
                )
            }
            Self::Jump { key, vertex, axis, before, after } => {
                write!(
                    f,
                    "key {key}, vertex {vertex}: {} jumps from {before} to {after}; a jump is a flightplan of its own",
                    axis_name(*axis)
                )
            }
            Self::BadTransform { key, entry, value } => {
                write!(f, "transform {key}: entry {entry} is {value}; finite entries and a last row 0 0 0 1 are needed")
            }
            Self::SphereCount { expected, found } => {
                write!(f, "{found} spheres were given where keys × spheres is {expected}")
            }
            Self::BadRadius { key, sphere, value } => {
                write!(
                    f,
                    "key {key}, sphere {sphere}: the radius is {value} m; it must be a number from 0 to {:e}",
                    limits::MAX_COORDINATE
                )
            }
            Self::BadCentre { key, sphere, axis, value } => {
                write!(
                    f,
                    "key {key}, sphere {sphere}: the centre's {} is {value}, which is not usable (with the radius at most {:e})",
                    axis_name(*axis),
                    limits::MAX_COORDINATE
                )
            }
            Self::BadBound { quantity, value } => {
                write!(f, "the sampler's {quantity} is {value}, which is not a usable bound")
            }
            Self::BeyondBound { key, vertex, axis, value, bound } => {
                write!(
                    f,
                    "key {key}, vertex {vertex}: {} is {value} m, beyond the sampler's own bound of {bound} m",
                    axis_name(*axis)
                )
            }
            Self::FasterThanBound { key, vertex, axis, value, bound } => {
                write!(
                    f,
                    "after key {key}, vertex {vertex}: the speed along {} is {value} m/s, above the sampler's own bound of {bound} m/s",
                    axis_name(*axis)
                )
            }
            Self::WrongKind { body_of_spheres: true } => {
                write!(f, "a body made of spheres needs a flightplan of spheres")
            }
            Self::WrongKind { body_of_spheres: false } => {
                write!(f, "a flightplan of spheres was given to a body that is not made of spheres")
            }
            Self::NotExtendable { kind } => {
                write!(f, "a key cannot follow {kind}; keyframes that do not loop can be extended")
            }
            Self::CornerOfSphere { vertex } => {
                write!(f, "vertex {vertex} is a corner of a sphere's box: it cannot have a flightplan of its own")
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
