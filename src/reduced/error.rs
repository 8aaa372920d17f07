//! Errors of reduced bodies, their poses and motion.

use super::DriverFault;
use crate::limits;

/// Reason why a reduced body, its pose or its motion was refused; nothing was changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReducedError {
    /// More items than can be indexed.
    #[error("{count} {what} are more than can be indexed")]
    TooLarge {
        /// The kind of items.
        what: &'static str,
        /// Their number.
        count: usize,
    },
    /// The number of rest positions differs from that of the mesh's vertices.
    #[error("{expected} vertices need as many rest positions, not {found}")]
    RestCount {
        /// The number of vertices.
        expected: usize,
        /// The number of positions given.
        found: usize,
    },
    /// A rest coordinate is not a number or too large.
    #[error("vertex {vertex}: the rest position's {} is {value}, which is not usable", ["x", "y", "z"].get(*.axis).unwrap_or(&"?"))]
    BadRest {
        /// The vertex.
        vertex: u32,
        /// The axis, 0 to 2.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// The number of weight lists differs from that of the mesh's vertices.
    #[error("{expected} vertices need as many lists of weights, not {found}")]
    InfluenceCount {
        /// The number of vertices.
        expected: usize,
        /// The number of lists given.
        found: usize,
    },
    /// A weight is not a number, or negative where weights are convex.
    #[error("vertex {vertex}: weight {slot} is {value}")]
    BadWeight {
        /// The vertex.
        vertex: u32,
        /// The index of the weight.
        slot: usize,
        /// Its value.
        value: f64,
    },
    /// A vertex's weights do not sum to 1.
    #[error("vertex {vertex}: weights sum to {sum}, not to 1")]
    WeightSum {
        /// The vertex.
        vertex: u32,
        /// Their sum.
        sum: f64,
    },
    /// A vertex has no influence with a weight.
    #[error("vertex {vertex}: nothing has a weight for it")]
    NoInfluence {
        /// The vertex.
        vertex: u32,
    },
    /// A vertex has more joints than [`limits::MAX_JOINTS_PER_VERTEX`], under spherical blending.
    #[error(
        "vertex {vertex}: {joints} joints are more than the {} of spherical blending",
        limits::MAX_JOINTS_PER_VERTEX
    )]
    TooManyJoints {
        /// The vertex.
        vertex: u32,
        /// The number of its joints.
        joints: usize,
    },
    /// A vertex names an influence that does not exist.
    #[error("vertex {vertex} names influence {index}, but there are {count}")]
    InfluenceOutOfRange {
        /// The vertex.
        vertex: u32,
        /// The influence.
        index: u32,
        /// The number of influences.
        count: usize,
    },
    /// A morph target's lists differ in length.
    #[error("morph target {morph} names {expected} vertices but has {found} displacements")]
    DeltaCount {
        /// The target.
        morph: usize,
        /// The number of vertices that it names.
        expected: usize,
        /// The number of its displacements.
        found: usize,
    },
    /// A morph target names a vertex that does not exist.
    #[error("morph target {morph} names vertex {vertex}, but there are {vertices}")]
    MorphVertex {
        /// The target.
        morph: usize,
        /// The vertex.
        vertex: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// A morph target names a vertex twice.
    #[error("morph target {morph} names vertex {vertex} twice")]
    MorphVertexTwice {
        /// The target.
        morph: usize,
        /// The vertex.
        vertex: u32,
    },
    /// A displacement is not a number or too large.
    #[error("morph target {morph}, vertex {vertex}: a displacement is {value}, which is not usable")]
    BadDelta {
        /// The target.
        morph: usize,
        /// The vertex.
        vertex: u32,
        /// Its value.
        value: f64,
    },
    /// A pose, or a spherical body's list of joint places, has the wrong number of maps.
    #[error("{expected} maps are needed, not {found}")]
    MapCount {
        /// The number needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// A pose or a driver has the wrong number of morph weights.
    #[error("{expected} morph weights are needed, not {found}")]
    MorphCount {
        /// The number needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// A map has a number that is not finite.
    #[error("map {map} has a number that is not finite")]
    BadMap {
        /// The map.
        map: usize,
    },
    /// A morph weight is not finite.
    #[error("morph weight {morph} is {value}")]
    BadMorphWeight {
        /// The target.
        morph: usize,
        /// Its value.
        value: f64,
    },
    /// A map shears, mirrors, flattens or scales unevenly, and has no quaternion: spherical
    /// blending refuses it.
    #[error("map {map} shears, mirrors or scales unevenly; spherical blending needs one scale per map")]
    NotRigid {
        /// The map.
        map: usize,
    },
    /// A map flattens space: a scale is zero, or nearly so to the precision of `f64`.
    #[error("map {map} flattens space: a scale of it is zero")]
    ZeroScale {
        /// The map.
        map: usize,
    },
    /// The number of local transforms differs from that of the rig's nodes.
    #[error("{expected} nodes need as many local transforms, not {found}")]
    LocalCount {
        /// The number of nodes.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// A streamed pose does not come after the pose before it, or after the world's time; or a time
    /// is not usable.
    #[error("a pose at {time} s is not usable, or does not come after {previous} s")]
    BadPoseTime {
        /// Its time, seconds.
        time: f64,
        /// The time that it must come after.
        previous: f64,
    },
    /// A promised derivative bound is negative or NaN, or smaller than the poses themselves show.
    #[error("{quantity} {index}: a promised bound of {value} is not usable, or less than the poses show")]
    BadBound {
        /// The quantity: linear part or centre of a map, or morph weight.
        quantity: &'static str,
        /// The map or morph target.
        index: usize,
        /// The bound.
        value: f64,
    },
    /// A place (of a joint, of a node) is not finite or too large.
    #[error("place {index}: a coordinate is {value}, which is not usable")]
    BadPlace {
        /// The one concerned.
        index: usize,
        /// Its value along the first offending axis.
        value: f64,
    },
    /// A meshless node has too few neighbours around it, or they lie in a plane: its moment matrix
    /// cannot be inverted.
    #[error(
        "node {node}: its {neighbours} neighbours do not span space, so its gradient is not defined; widen its \
         kernel"
    )]
    DegenerateNode {
        /// The node.
        node: usize,
        /// The number of neighbours that its kernel reaches.
        neighbours: usize,
    },
    /// Nodes of radial basis functions repeat a place, lie in a plane, or are too few.
    #[error("{nodes} radial nodes repeat a place, nearly lie in a plane, or are fewer than 4")]
    DegenerateRadialNodes {
        /// The number of nodes.
        nodes: usize,
    },
    /// The weight below which weights are left out is not usable.
    #[error("the least weight is {value}; give a number from 0 to below 1")]
    BadLeastWeight {
        /// Its value.
        value: f64,
    },
    /// A tetrahedron is flat, or names a node that does not exist.
    #[error("tetrahedron {tetrahedron} is flat or names a node that does not exist")]
    BadTetrahedron {
        /// The tetrahedron.
        tetrahedron: usize,
    },
    /// A matrix cannot be inverted.
    #[error("matrix {index} cannot be inverted")]
    Singular {
        /// Its index.
        index: usize,
    },
    /// The number of inverse bind matrices is not that of the joints.
    #[error("{joints} joints need as many inverse bind matrices, not {found}")]
    InverseBindCount {
        /// The number of joints.
        joints: usize,
        /// The number of matrices given.
        found: usize,
    },
    /// A track has no key.
    #[error("track {track} has no keys")]
    NoKeys {
        /// The track, in the order given.
        track: usize,
    },
    /// Key times of a track do not increase, or are not usable.
    #[error("track {track}, key {key}: time {time} is not usable, or does not come after the key before it")]
    BadKeyTime {
        /// The track, in the order given.
        track: usize,
        /// The key.
        key: usize,
        /// Its time.
        time: f64,
    },
    /// A track has the wrong number of values for its keys.
    #[error("track {track} needs {expected} numbers for its keys, not {found}")]
    ValueCount {
        /// The track, in the order given.
        track: usize,
        /// The number needed.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// A value of a track is not usable: not finite, too large, or a rotation of length zero.
    #[error("track {track}, key {key}: {value} is not usable there")]
    BadValue {
        /// The track, in the order given.
        track: usize,
        /// The key.
        key: usize,
        /// The value.
        value: f64,
    },
    /// Two tracks of a clip move the same property of one node.
    #[error("track {track}: another track of the clip moves this property of node {node} already")]
    TrackTwice {
        /// The later track.
        track: usize,
        /// The node.
        node: usize,
    },
    /// An index names a node that does not exist.
    #[error("node {node} does not exist: there are {count} nodes")]
    NoSuchNode {
        /// The node.
        node: usize,
        /// The number of nodes.
        count: usize,
    },
    /// Nodes are their own ancestors.
    #[error("node {node} is its own ancestor")]
    NodeCycle {
        /// One of them.
        node: usize,
    },
    /// A node's rest transform, or a local transform given for it, is not usable.
    #[error("node {node}: its transform has numbers that are not usable")]
    BadNode {
        /// The node.
        node: usize,
    },
    /// Something names a vertex that does not exist.
    #[error("vertex {vertex} does not exist: there are {vertices} vertices")]
    NoSuchVertex {
        /// The vertex.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A joint set that does not exist.
    #[error("joint set {set} does not exist: there are {sets}")]
    NoSuchSet {
        /// The set.
        set: u32,
        /// How many there are.
        sets: usize,
    },
    /// A triangle that does not exist.
    #[error("triangle {triangle} does not exist: there are {triangles}")]
    NoSuchTriangle {
        /// The triangle.
        triangle: u32,
        /// How many there are.
        triangles: usize,
    },
    /// A tree with vertices that the mesh does not have.
    #[error("the tree has vertices that the mesh does not have")]
    ForeignTree,
    /// An index names a clip that does not exist.
    #[error("clip {clip} does not exist: there are {count} clips")]
    NoSuchClip {
        /// The clip.
        clip: usize,
        /// The number of clips.
        count: usize,
    },
    /// A motion to be looped has no duration, or a motion ends before it begins.
    #[error("a motion from {begin} s to {end} s is not usable")]
    BadSpan {
        /// Its begin, seconds.
        begin: f64,
        /// Its end.
        end: f64,
    },
    /// Weights of blended clips do not sum to one, or one is negative.
    #[error("weights of blended clips must be positive and sum to 1, but at {time} s there is {value}")]
    LayerWeights {
        /// Time, seconds.
        time: f64,
        /// Their sum, or the negative weight.
        value: f64,
    },
    /// A speed factor of a layer is zero, negative or not a number.
    #[error("layer {layer}: a speed factor of {value} is not usable")]
    BadRate {
        /// The layer.
        layer: usize,
        /// Its value.
        value: f64,
    },
    /// No bound on the deviation of vertices from linear motion is known: a spline of rotations
    /// that passes through zero, or spherical blending.
    #[error("around {time} s no bound on the deviation from straight motion is known; sample at a rate instead")]
    NoBound {
        /// Time, seconds.
        time: f64,
    },
    /// Vertices are farther or faster than a world can represent.
    #[error("vertices may be as far as {coordinate} m and as fast as {speed} m/s, which is more than supported")]
    TooFar {
        /// A bound on their coordinates, metres.
        coordinate: f64,
        /// A bound on their speed, metres per second.
        speed: f64,
    },
    /// The motion jumps, and cannot be stored as keyframes.
    #[error("the motion jumps at {time} s, which keyframes cannot represent; use a sampled plan instead")]
    Jump {
        /// Time, seconds.
        time: f64,
    },
    /// A tolerance is not positive, or below the rounding of evaluation.
    #[error("a motion tolerance of {value} m is not usable: it must be positive, and above the rounding of positions")]
    BadTolerance {
        /// Its value, metres.
        value: f64,
    },
    /// The tolerance needs more pieces than [`limits::MAX_PIECES`].
    #[error("a motion tolerance of {tolerance} m needs more than {} pieces (noticed at {time} s)", limits::MAX_PIECES)]
    TooManyPieces {
        /// Time of the detection, seconds.
        time: f64,
        /// The tolerance, metres.
        tolerance: f64,
    },
    /// A driver does not hold what it states: [`super::check_driver`].
    #[error(transparent)]
    Driver(Box<DriverFault>),
    /// More times than [`limits::MAX_PIECES`].
    #[error("motion at {count} times is more than {} pieces; a lower rate needs fewer", limits::MAX_PIECES)]
    TooManyTimes {
        /// How many times there are.
        count: usize,
    },
    /// A search for contacts cannot go on: the query's last one was decided, or there was none.
    #[error("the query has no search that was left undecided")]
    NothingUndecided,
    /// A search for contacts cannot go on with another body or pose.
    #[error("body {body} of the pair is another one, or in another pose, than in the search to go on with")]
    OtherPose {
        /// The body: 0 the first, 1 the second.
        body: usize,
    },
    /// A search for contacts cannot go on within another distance.
    #[error("the search to go on with is within {expected} m, not {found} m")]
    OtherDistance {
        /// The distance of the search, metres.
        expected: f64,
        /// The distance given.
        found: f64,
    },
    /// A view has no extent, or numbers that are not finite.
    #[error("the {what} of the view has no extent, or a number that is not finite")]
    BadView {
        /// The part concerned.
        what: &'static str,
    },
    /// The number of depths differs from that of a picture's pixels.
    #[error("{expected} pixels need as many depths, not {found}")]
    DepthCount {
        /// The number of pixels.
        expected: usize,
        /// The number of depths given.
        found: usize,
    },
    /// A depth is NaN or negative infinity.
    #[error("column {column}, row {row}: a depth of {value} is not usable")]
    BadDepth {
        /// The pixel's column.
        column: usize,
        /// Its row.
        row: usize,
        /// The depth.
        value: f32,
    },
}
