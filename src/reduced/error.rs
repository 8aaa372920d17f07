//! Why a reduced body, its pose or its motion was refused.

use std::fmt;

use crate::limits;

/// Why a reduced body, its pose or its motion was refused; nothing was changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReducedError {
    /// More of something than can be indexed.
    TooLarge {
        /// What there are too many of.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// The number of rest positions is not that of the mesh's vertices.
    RestCount {
        /// How many vertices there are.
        expected: usize,
        /// How many positions came.
        found: usize,
    },
    /// A rest coordinate is not a number or too large.
    BadRest {
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// The number of weight lists is not that of the mesh's vertices.
    InfluenceCount {
        /// How many vertices there are.
        expected: usize,
        /// How many lists came.
        found: usize,
    },
    /// A weight is not a number, or negative where weights are convex.
    BadWeight {
        /// The vertex.
        vertex: u32,
        /// Which of its weights.
        slot: usize,
        /// Its value.
        value: f64,
    },
    /// A vertex's weights do not sum to 1.
    WeightSum {
        /// The vertex.
        vertex: u32,
        /// Their sum.
        sum: f64,
    },
    /// A vertex has no influence with a weight.
    NoInfluence {
        /// The vertex.
        vertex: u32,
    },
    /// A vertex names an influence that does not exist.
    InfluenceOutOfRange {
        /// The vertex.
        vertex: u32,
        /// The influence.
        index: u32,
        /// How many there are.
        count: usize,
    },
    /// A morph target's lists differ in length.
    DeltaCount {
        /// The target.
        morph: usize,
        /// How many vertices it names.
        expected: usize,
        /// How many displacements it has.
        found: usize,
    },
    /// A morph target names a vertex that does not exist.
    MorphVertex {
        /// The target.
        morph: usize,
        /// The vertex.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A morph target names a vertex twice.
    MorphVertexTwice {
        /// The target.
        morph: usize,
        /// The vertex.
        vertex: u32,
    },
    /// A displacement is not a number or too large.
    BadDelta {
        /// The target.
        morph: usize,
        /// The vertex.
        vertex: u32,
        /// Its value.
        value: f64,
    },
    /// A pose, or a spherical body's list of joint places, has the wrong number of maps.
    MapCount {
        /// How many are needed.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// A pose or a driver has the wrong number of morph weights.
    MorphCount {
        /// How many are needed.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// A map has a number that is not finite.
    BadMap {
        /// The map.
        map: usize,
    },
    /// A morph weight is not finite.
    BadMorphWeight {
        /// The target.
        morph: usize,
        /// Its value.
        value: f64,
    },
    /// A map scales, shears or mirrors, and has no quaternion: spherical blending refuses it.
    NotRigid {
        /// The map.
        map: usize,
    },
    /// A place (of a joint, of a node) is not finite or too large.
    BadPlace {
        /// The one concerned.
        index: usize,
        /// Its value along the first offending axis.
        value: f64,
    },
    /// A meshless node has too few neighbours around it, or they lie in a plane: its moment matrix cannot be inverted.
    DegenerateNode {
        /// The node.
        node: usize,
        /// How many neighbours its kernel reaches.
        neighbours: usize,
    },
    /// A tetrahedron is flat, or names a node that does not exist.
    BadTetrahedron {
        /// The tetrahedron.
        tetrahedron: usize,
    },
    /// A matrix cannot be inverted.
    Singular {
        /// Which.
        index: usize,
    },
    /// The number of inverse bind matrices is not that of the joints.
    InverseBindCount {
        /// How many joints there are.
        joints: usize,
        /// How many matrices came.
        found: usize,
    },
    /// A track has no key.
    NoKeys {
        /// The track, in the order given.
        track: usize,
    },
    /// Key times of a track do not increase, or are not usable.
    BadKeyTime {
        /// The track, in the order given.
        track: usize,
        /// The key.
        key: usize,
        /// Its time.
        time: f64,
    },
    /// A track has the wrong number of values for its keys.
    ValueCount {
        /// The track, in the order given.
        track: usize,
        /// How many numbers are needed.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// A value of a track is not usable: not finite, too large, or a rotation of length zero.
    BadValue {
        /// The track, in the order given.
        track: usize,
        /// The key.
        key: usize,
        /// The value.
        value: f64,
    },
    /// Two tracks of a clip move the same property of one node.
    TrackTwice {
        /// The later track.
        track: usize,
        /// The node.
        node: usize,
    },
    /// Something names a node that does not exist.
    NoSuchNode {
        /// The node.
        node: usize,
        /// How many there are.
        count: usize,
    },
    /// Nodes are their own ancestors.
    NodeCycle {
        /// One of them.
        node: usize,
    },
    /// A node's rest transform is not usable.
    BadNode {
        /// The node.
        node: usize,
    },
    /// Something names a vertex that does not exist.
    NoSuchVertex {
        /// The vertex.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// Something names a clip that does not exist.
    NoSuchClip {
        /// The clip.
        clip: usize,
        /// How many there are.
        count: usize,
    },
    /// A motion has no duration but is to be looped, or its end comes before its begin.
    BadSpan {
        /// Its begin, seconds.
        begin: f64,
        /// Its end.
        end: f64,
    },
    /// Weights of blended clips do not sum to one, or one is negative.
    LayerWeights {
        /// When, seconds.
        time: f64,
        /// Their sum, or the negative weight.
        value: f64,
    },
    /// A speed factor of a layer is zero, negative or not a number.
    BadRate {
        /// The layer.
        layer: usize,
        /// Its value.
        value: f64,
    },
    /// No bound on how far vertices are from straight motion is known: a spline of rotations that passes through zero, or spherical
    /// blending.
    NoBound {
        /// When, seconds.
        time: f64,
    },
    /// Vertices get farther or faster than a world can hold.
    TooFar {
        /// A bound on their coordinates, metres.
        coordinate: f64,
        /// A bound on their speed, metres per second.
        speed: f64,
    },
    /// The motion jumps, and was to be stored as keyframes.
    Jump {
        /// When, seconds.
        time: f64,
    },
    /// A tolerance is not positive, or below what evaluation rounds.
    BadTolerance {
        /// Its value, metres.
        value: f64,
    },
    /// The tolerance asks for more pieces than [`limits::MAX_PIECES`].
    TooManyPieces {
        /// Where this was noticed, seconds.
        time: f64,
        /// The tolerance, metres.
        tolerance: f64,
    },
}

impl fmt::Display for ReducedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis_name = |axis: &usize| ["x", "y", "z"].get(*axis).copied().unwrap_or("?");
        match self {
            Self::TooLarge { what, count } => write!(f, "{count} {what} are more than can be indexed"),
            Self::RestCount { expected, found } => {
                write!(f, "{expected} vertices need as many rest positions, not {found}")
            }
            Self::BadRest { vertex, axis, value } => {
                write!(f, "vertex {vertex}: the rest position's {} is {value}, which is not usable", axis_name(axis))
            }
            Self::InfluenceCount { expected, found } => {
                write!(f, "{expected} vertices need as many lists of weights, not {found}")
            }
            Self::BadWeight { vertex, slot, value } => write!(f, "vertex {vertex}: weight {slot} is {value}"),
            Self::WeightSum { vertex, sum } => write!(f, "vertex {vertex}: weights sum to {sum}, not to 1"),
            Self::NoInfluence { vertex } => write!(f, "vertex {vertex}: nothing has a weight for it"),
            Self::InfluenceOutOfRange { vertex, index, count } => {
                write!(f, "vertex {vertex} names influence {index}, but there are {count}")
            }
            Self::DeltaCount { morph, expected, found } => {
                write!(f, "morph target {morph} names {expected} vertices but has {found} displacements")
            }
            Self::MorphVertex { morph, vertex, vertices } => {
                write!(f, "morph target {morph} names vertex {vertex}, but there are {vertices}")
            }
            Self::MorphVertexTwice { morph, vertex } => {
                write!(f, "morph target {morph} names vertex {vertex} twice")
            }
            Self::BadDelta { morph, vertex, value } => {
                write!(f, "morph target {morph}, vertex {vertex}: a displacement is {value}, which is not usable")
            }
            Self::MapCount { expected, found } => write!(f, "{expected} maps are needed, not {found}"),
            Self::MorphCount { expected, found } => write!(f, "{expected} morph weights are needed, not {found}"),
            Self::BadMap { map } => write!(f, "map {map} has a number that is not finite"),
            Self::BadMorphWeight { morph, value } => write!(f, "morph weight {morph} is {value}"),
            Self::NotRigid { map } => {
                write!(f, "map {map} scales, shears or mirrors; spherical blending needs turns and moves alone")
            }
            Self::BadPlace { index, value } => write!(f, "place {index}: a coordinate is {value}, which is not usable"),
            Self::DegenerateNode { node, neighbours } => write!(
                f,
                "node {node}: its {neighbours} neighbours do not span space, so its gradient is not defined; widen its kernel"
            ),
            Self::BadTetrahedron { tetrahedron } => {
                write!(f, "tetrahedron {tetrahedron} is flat or names a node that does not exist")
            }
            Self::Singular { index } => write!(f, "matrix {index} cannot be inverted"),
            Self::InverseBindCount { joints, found } => {
                write!(f, "{joints} joints need as many inverse bind matrices, not {found}")
            }
            Self::NoKeys { track } => write!(f, "track {track} has no keys"),
            Self::BadKeyTime { track, key, time } => {
                write!(
                    f,
                    "track {track}, key {key}: time {time} is not usable, or does not come after the key before it"
                )
            }
            Self::ValueCount { track, expected, found } => {
                write!(f, "track {track} needs {expected} numbers for its keys, not {found}")
            }
            Self::BadValue { track, key, value } => {
                write!(f, "track {track}, key {key}: {value} is not usable there")
            }
            Self::TrackTwice { track, node } => {
                write!(f, "track {track}: another track of the clip moves this property of node {node} already")
            }
            Self::NoSuchNode { node, count } => write!(f, "node {node} does not exist: there are {count} nodes"),
            Self::NodeCycle { node } => write!(f, "node {node} is its own ancestor"),
            Self::BadNode { node } => write!(f, "node {node}: its rest transform has numbers that are not usable"),
            Self::NoSuchVertex { vertex, vertices } => {
                write!(f, "vertex {vertex} does not exist: there are {vertices} vertices")
            }
            Self::NoSuchClip { clip, count } => write!(f, "clip {clip} does not exist: there are {count} clips"),
            Self::BadSpan { begin, end } => write!(f, "a motion from {begin} s to {end} s cannot be used so"),
            Self::LayerWeights { time, value } => {
                write!(f, "weights of blended clips must be positive and sum to 1, but at {time} s there is {value}")
            }
            Self::BadRate { layer, value } => write!(f, "layer {layer}: a speed factor of {value} is not usable"),
            Self::NoBound { time } => {
                write!(
                    f,
                    "around {time} s no bound on the deviation from straight motion is known; cut at a rate instead"
                )
            }
            Self::TooFar { coordinate, speed } => {
                write!(f, "vertices may get {coordinate} m far and {speed} m/s fast, which is more than can be held")
            }
            Self::Jump { time } => {
                write!(f, "the motion jumps at {time} s, which keyframes cannot; ask for a sampled plan instead")
            }
            Self::BadTolerance { value } => write!(f, "a motion tolerance of {value} m is not usable"),
            Self::TooManyPieces { time, tolerance } => write!(
                f,
                "a motion tolerance of {tolerance} m needs more than {} pieces (noticed at {time} s)",
                limits::MAX_PIECES
            ),
        }
    }
}

impl std::error::Error for ReducedError {}
