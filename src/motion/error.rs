//! Errors of flightplans.

use crate::limits::{self, readable};
use crate::time::Side;

const SPHERES_NEEDED: &str = "a body made of spheres needs a flightplan of spheres";
const SPHERES_GIVEN: &str = "a flightplan of spheres was given to a body that is not made of spheres";

fn axis_name(axis: usize) -> &'static str {
    ["x", "y", "z"].get(axis).copied().unwrap_or("?")
}

/// Reason why a flightplan was refused; nothing was changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// There is no key.
    #[error("the motion has no keys")]
    NoKeys,
    /// The number of positions is not keys × vertices.
    #[error("{found} positions were given where keys × vertices is {expected}")]
    PositionCount {
        /// The number of positions needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// The number of transforms is not the number of key times.
    #[error("{found} transforms were given for {keys} key times")]
    TransformCount {
        /// The number of key times.
        keys: usize,
        /// The number of transforms given.
        found: usize,
    },
    /// The number of velocities is not the number of vertices.
    #[error("{found} velocities were given for {expected} vertices")]
    VelocityCount {
        /// The number of velocities needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// Key times do not increase.
    #[error("key {key} at {time} s does not come after key {} at {previous} s", .key - 1)]
    KeysOutOfOrder {
        /// The later key.
        key: usize,
        /// Its time.
        time: f64,
        /// The time of the key before it.
        previous: f64,
    },
    /// A time is not a number, or too large.
    #[error("time {key} is {} s, which is not a usable time", readable(*.time))]
    BadTime {
        /// The index of the key, or 0.
        key: usize,
        /// Its value.
        time: f64,
    },
    /// The end of a span comes before its begin.
    #[error("the motion ends at {end} s, before it begins at {begin} s")]
    SpanReversed {
        /// The begin.
        begin: f64,
        /// The end.
        end: f64,
    },
    /// A loop's period is shorter than [`crate::limits::MIN_PERIOD`].
    #[error("the loop's period is {period} s, but at least {} s are needed", limits::MIN_PERIOD)]
    PeriodTooShort {
        /// The period, seconds.
        period: f64,
    },
    /// A coordinate is not a number or too large.
    #[error("key {key}, vertex {vertex}: {} is {}, which is not a usable coordinate", axis_name(*.axis), readable(*.value))]
    BadCoordinate {
        /// The key (0 without keys).
        key: usize,
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// A velocity is not a number or too large.
    #[error("vertex {vertex}: the velocity's {} is {}, which is not usable", axis_name(*.axis), readable(*.value))]
    BadVelocity {
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// The number of accelerations is not the number of vertices.
    #[error("{found} accelerations were given for {expected} vertices")]
    AccelerationCount {
        /// The number of accelerations needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// The number of tangents is not keys × vertices.
    #[error("{found} tangents were given where keys × vertices is {expected}")]
    TangentCount {
        /// The number of tangents needed, both before and after the keys.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// The number of coefficients is not segments × vertices × (degree + 1).
    #[error("{found} coefficients were given where segments × vertices × (degree + 1) is {expected}")]
    CoefficientCount {
        /// The number of coefficients needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// Polynomials need at least two times.
    #[error("polynomials need two times at least")]
    NoSegments,
    /// The degree of polynomials is at most 3.
    #[error("the polynomials have degree {degree}; the highest degree possible is 3")]
    DegreeTooHigh {
        /// The degree given.
        degree: usize,
    },
    /// An acceleration is not a number or too large.
    #[error("vertex {vertex}: the acceleration's {} is {}, which is not usable", axis_name(*.axis), readable(*.value))]
    BadAcceleration {
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// A tangent is not a number, or reaches too far.
    #[error("key {key}, vertex {vertex}: a tangent's {} is {}, which is not usable", axis_name(*.axis), readable(*.value))]
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
    /// A coefficient is not a number, or the terms up to it reach too far within its segment.
    #[error(
        "segment {segment}, vertex {vertex}: the coefficient of power {power} along {} is {value}, which is not \
         usable",
        axis_name(*.axis)
    )]
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
    /// The polynomials of two segments differ at their common key by more than
    /// [`crate::limits::SEGMENT_JOIN_TOLERANCE`] times the magnitudes of the earlier one's terms.
    #[error(
        "key {key}, vertex {vertex}: {} jumps from {before} to {after}; the polynomials before and after a key must agree there; a motion that jumps needs a new flightplan",
        axis_name(*.axis)
    )]
    Jump {
        /// The key.
        key: usize,
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// Coordinate at the end of the segment before the key.
        before: f64,
        /// Coordinate at the begin of the segment after it.
        after: f64,
    },
    /// A matrix entry is not a number, or the last row is not 0 0 0 1.
    #[error("transform {key}: entry {entry} is {value}; finite entries and a last row 0 0 0 1 are needed")]
    BadTransform {
        /// The key.
        key: usize,
        /// The entry, row by row, 0 to 15.
        entry: usize,
        /// Its value.
        value: f64,
    },
    /// Spheres were to be placed by a map that does not leave them spheres.
    #[error("spheres can be moved, turned and scaled alike along all axes only")]
    NotSimilar,
    /// A plan whose positions are kept in `f32` was to be moved to an origin in `f64`.
    #[error("velocities, accelerations and Hermite curves have no origin of their own; use keyframes or polynomials")]
    NoOrigin,
    /// The number of spheres is not keys × spheres.
    #[error("{found} spheres were given where keys × spheres is {expected}")]
    SphereCount {
        /// The number needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// A radius is negative, not a number or too large.
    #[error(
        "key {key}, sphere {sphere}: the radius is {value} m; it must be a number from 0 to {:e}",
        limits::MAX_COORDINATE
    )]
    BadRadius {
        /// The key.
        key: usize,
        /// The sphere.
        sphere: u32,
        /// Its radius, metres.
        value: f64,
    },
    /// A coordinate of a centre is not a number, or too large together with the radius.
    #[error(
        "key {key}, sphere {sphere}: the centre's {} is {value}, which is not usable (with the radius at most {:e})",
        axis_name(*.axis),
        limits::MAX_COORDINATE
    )]
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
    #[error("the sampler's {quantity} is {value}, which is not a usable bound")]
    BadBound {
        /// Of which quantity, with its unit.
        quantity: &'static str,
        /// Its value.
        value: f64,
    },
    /// A sampler puts a vertex beyond the largest coordinate that it states.
    #[error(
        "key {key}, vertex {vertex}: {} is {value} m, beyond the sampler's own bound of {bound} m",
        axis_name(*.axis)
    )]
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
    /// A vertex is elsewhere just after a key than at it, and the sampler states no jump.
    #[error("key {key}, vertex {vertex}: it is at {at:?} m, and just after at {after:?} m, without a jump")]
    HiddenJump {
        /// The key.
        key: usize,
        /// The vertex.
        vertex: u32,
        /// The position at the key, metres.
        at: [f64; 3],
        /// The position just after the key, metres.
        after: [f64; 3],
    },
    /// A box of a sampler misses a vertex below its node.
    #[error(
        "key {key} ({side:?}), node {node}: vertex {vertex} has {} = {value} m, outside of {low} m to {high} m",
        axis_name(*.axis)
    )]
    OutsideBox {
        /// The key.
        key: usize,
        /// Whether the box is that on arrival at the key or on departure.
        side: Side,
        /// The node of the tree.
        node: u32,
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// The coordinate, metres.
        value: f64,
        /// The lower side of the box, metres.
        low: f64,
        /// The upper side of the box, metres.
        high: f64,
    },
    /// A rounded position is farther from the position than half of its margin.
    #[error("after key {key}, at {part} of the way, vertex {vertex}: {} is off by {value} m, {half} m are allowed", axis_name(*.axis))]
    OutsideMargin {
        /// The key at which the piece begins.
        key: usize,
        /// The part of the piece, 0 to 1.
        part: f64,
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// The distance, metres.
        value: f64,
        /// Half of the margin stated, metres.
        half: f64,
    },
    /// The boxes of a sampler are of another tree than that asked for.
    #[error("the boxes are of another tree than that asked for")]
    ForeignTree,
    /// A sampler moves a vertex faster than the largest speed that it states.
    #[error(
        "after key {key}, vertex {vertex}: the speed along {} is {value} m/s, above the sampler's own bound of \
         {bound} m/s",
        axis_name(*.axis)
    )]
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
    /// A plan of spheres was given to another body, or a plan of another kind to a body of spheres.
    #[error("{}", if *.body_of_spheres { SPHERES_NEEDED } else { SPHERES_GIVEN })]
    WrongKind {
        /// Whether the body consists of spheres.
        body_of_spheres: bool,
    },
    /// A key was appended to a plan that loops, or whose vertices do not move linearly between
    /// keyframes.
    #[error("a key cannot follow {kind}; keyframes that do not loop can be extended")]
    NotExtendable {
        /// The kind of the plan.
        kind: &'static str,
    },
    /// A corner of a sphere's box cannot have a plan of its own.
    #[error("vertex {vertex} is a corner of a sphere's box: it cannot have a flightplan of its own")]
    CornerOfSphere {
        /// The vertex.
        vertex: u32,
    },
    /// A plan names a vertex that does not exist.
    #[error("vertex {vertex} does not exist: there are {vertices} vertices")]
    NoSuchVertex {
        /// The vertex.
        vertex: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// One call gives a vertex two plans.
    #[error("vertex {vertex} is given two flightplans in one call")]
    VertexNamedTwice {
        /// The vertex.
        vertex: u32,
    },
    /// A plan of a single vertex may hold or end, not loop.
    #[error("vertex {vertex}: the flightplan of a single vertex may hold or end, but not loop")]
    VertexMayNotLoop {
        /// The vertex.
        vertex: u32,
    },
}
