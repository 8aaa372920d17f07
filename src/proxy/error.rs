//! Errors of proxies.

use crate::limits;
use crate::mesh::MeshError;

/// A fault in the input of a proxy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProxyError {
    /// The triangles are not a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// There is not one position per vertex.
    #[error("{positions} positions were given for {vertices} vertices")]
    PositionCount {
        /// Positions given.
        positions: usize,
        /// The number of vertices.
        vertices: usize,
    },
    /// A number is not finite, or beyond [`limits::MAX_COORDINATE`].
    #[error("{what} {index} is {value}")]
    Number {
        /// The kind of input.
        what: &'static str,
        /// Its index.
        index: usize,
        /// The number.
        value: f64,
    },
    /// A triangle names one point of the surface twice.
    #[error("triangle {triangle} names the same point of the surface twice")]
    DegenerateTriangle {
        /// The triangle.
        triangle: usize,
    },
    /// Two triangles have the same corners.
    #[error("triangle {triangle} has the corners of triangle {of}")]
    RepeatedTriangle {
        /// The later one.
        triangle: usize,
        /// The earlier one.
        of: usize,
    },
    /// The surface has a border.
    #[error(
        "the surface is open: {edges} edges have one triangle, the first from vertex {p} to {q}",
        p = .first[0],
        q = .first[1]
    )]
    Open {
        /// The number of edges with one triangle.
        edges: usize,
        /// The first of them, as vertices.
        first: [u32; 2],
    },
    /// More than two triangles meet at an edge, with different numbers in its two directions.
    #[error(
        "{triangles} triangles meet at the edge from vertex {p} to {q} and do not cancel",
        p = .edge[0],
        q = .edge[1]
    )]
    NotManifold {
        /// The edge.
        edge: [u32; 2],
        /// The number of triangles at the edge.
        triangles: usize,
    },
    /// Neighbouring triangles disagree about which side is outside.
    #[error(
        "triangles at {edges} edges disagree about which side is outside, first from vertex {p} to {q}",
        p = .first[0],
        q = .first[1]
    )]
    Misoriented {
        /// The number of such edges.
        edges: usize,
        /// The first of them, as vertices.
        first: [u32; 2],
    },
    /// A connected part of the surface has no inside and outside (a Klein bottle).
    #[error("the part of the surface with triangle {triangle} has no inside and outside")]
    NotOrientable {
        /// A triangle of it.
        triangle: usize,
    },
    /// A connected part of the surface faces inwards and is not a cavity.
    #[error("the part of the surface with triangle {triangle} faces inwards (volume {volume} m³)")]
    InsideOut {
        /// A triangle of it.
        triangle: usize,
        /// Its signed volume, cubic metres.
        volume: f64,
    },
    /// A boundary loop has more sides than the limit.
    #[error("the boundary loop at vertex {vertex} has {sides} sides, more than the {limit} to be filled")]
    LongLoop {
        /// Sides of the loop.
        sides: usize,
        /// The most that are filled.
        limit: usize,
        /// A vertex of it.
        vertex: u32,
    },
    /// The surface encloses no volume.
    #[error("the surface encloses nothing")]
    NoVolume,
    /// A resolution is not a positive number.
    #[error("a resolution of {value} is not a positive number")]
    Resolution {
        /// The value given.
        value: f64,
    },
    /// A distance field would be larger than [`limits::MAX_FIELD_BYTES`].
    #[error("the distance field would take {bytes} bytes, more than the {} supported", limits::MAX_FIELD_BYTES)]
    FieldTooLarge {
        /// Its size; `u64::MAX` if it is larger.
        bytes: u64,
    },
    /// Radii that are not finite or negative, or a smallest radius larger than the largest.
    #[error("radii from {r_min} to {r_max} m are not a range of positive numbers")]
    Radii {
        /// Smallest radius, metres.
        r_min: f64,
        /// Largest radius, metres.
        r_max: f64,
    },
    /// The number of spheres to pack is 0.
    #[error("no sphere was to be packed")]
    NoCount,
    /// No sphere of the smallest radius fits.
    #[error("no sphere of radius {r_min} m fits: the deepest point lies {depth} m inside")]
    NothingFits {
        /// Depth of the deepest point of the field, metres.
        depth: f64,
        /// Smallest radius, metres.
        r_min: f64,
    },
    /// A cage's tetrahedron names a vertex that does not exist.
    #[error("tetrahedron {tetrahedron} names vertex {index}, but the cage has {vertices} vertices")]
    CageIndex {
        /// The tetrahedron.
        tetrahedron: usize,
        /// The vertex it names.
        index: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// A cage's tetrahedron has no volume.
    #[error("tetrahedron {tetrahedron} has no volume")]
    FlatTetrahedron {
        /// The tetrahedron.
        tetrahedron: usize,
    },
    /// A cage's vertex is in no tetrahedron.
    #[error("cage vertex {vertex} is in no tetrahedron")]
    LooseCageVertex {
        /// The vertex.
        vertex: usize,
    },
    /// A generated cage would have more than [`limits::MAX_CAGE_CELLS`] cells.
    #[error("a cage of {cells} cells is larger than the {} supported", limits::MAX_CAGE_CELLS)]
    CageTooLarge {
        /// The number of cells.
        cells: f64,
    },
    /// There is no handle.
    #[error("there is no handle")]
    NoHandle,
    /// A handle has no vertex.
    #[error("handle {handle} sits on no vertex")]
    EmptyHandle {
        /// The handle.
        handle: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but there are {vertices}")]
    TriangleVertex {
        /// The triangle.
        triangle: usize,
        /// The vertex.
        vertex: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// A handle names a cage vertex that does not exist.
    #[error("handle {handle} sits on cage vertex {vertex}, which does not exist")]
    HandleVertex {
        /// The handle.
        handle: usize,
        /// The vertex.
        vertex: u32,
    },
    /// Two handles have one cage vertex in common.
    #[error("handles {a} and {b} both sit on cage vertex {vertex}", a = .handles[0], b = .handles[1])]
    HandlesMeet {
        /// The vertex.
        vertex: u32,
        /// The handles.
        handles: [usize; 2],
    },
    /// There is not one map per handle.
    #[error("{maps} maps were given for {handles} handles")]
    MapCount {
        /// Maps given.
        maps: usize,
        /// The number of handles.
        handles: usize,
    },
    /// An example pose has other triangles than the rest pose.
    #[error("pose {pose} differs from the rest pose in triangle {triangle}")]
    PoseTriangles {
        /// The pose, from 1.
        pose: usize,
        /// The first triangle that differs, or is missing on one side.
        triangle: usize,
    },
    /// A pose has another number of vertices than the rest pose.
    #[error("pose {pose} has {found} vertices, the rest pose {wanted}")]
    PoseVertices {
        /// The pose.
        pose: usize,
        /// Its vertices.
        found: usize,
        /// The rest pose's.
        wanted: usize,
    },
    /// A cage was not given for every example pose.
    #[error("the cage was given in {found} poses, but there are {wanted} example poses")]
    CagePoses {
        /// The number given.
        found: usize,
        /// The number of example poses.
        wanted: usize,
    },
    /// Gaps were to be filled in a pose that does not exist or was not given.
    #[error("there is no pose {pose} among {poses} example poses")]
    NoSuchPose {
        /// The pose.
        pose: usize,
        /// The number of example poses, which are numbered from 1.
        poses: usize,
    },
    /// A track has no key.
    #[error("the track has no key")]
    NoKeys,
    /// A key is not later than the previous one.
    #[error("key {key} is not later than the one before")]
    TimeOrder {
        /// The key.
        key: usize,
    },
    /// There are not as many entries as keys.
    #[error("{found} {what} were given for {wanted} keys")]
    KeyCount {
        /// The kind of entries.
        what: &'static str,
        /// The number given.
        found: usize,
        /// The number of keys.
        wanted: usize,
    },
    /// A key has another number of spheres than the first.
    #[error("key {key} has {found} spheres, the first {wanted}")]
    SphereCount {
        /// The key.
        key: usize,
        /// Its spheres.
        found: usize,
        /// The first key's.
        wanted: usize,
    },
    /// Pose weights do not match the keys, sites and poses.
    #[error("{found} weights were given where {wanted} are wanted")]
    WeightCount {
        /// The number given.
        found: usize,
        /// The number needed.
        wanted: usize,
    },
    /// A pose weight is negative or not a number.
    #[error("the weight of pose {pose} at key {key} and place {site} is {value}")]
    Weight {
        /// The key.
        key: usize,
        /// The site.
        site: usize,
        /// The pose.
        pose: usize,
        /// The weight.
        value: f64,
    },
    /// Pose weights do not sum to 1.
    #[error("the weights at key {key} and place {site} sum to {sum}, not to 1")]
    WeightSum {
        /// The key.
        key: usize,
        /// The site.
        site: usize,
        /// Their sum.
        sum: f64,
    },
    /// A track blends another number of poses than the proxy has.
    #[error("the track blends {found} poses, but there are {wanted}")]
    TrackPoses {
        /// The track's.
        found: usize,
        /// The proxy's.
        wanted: usize,
    },
    /// A track has weights for another number of sites than the proxy has.
    #[error("the track has weights for {found} places, but there are {wanted}")]
    TrackSites {
        /// The track's.
        found: usize,
        /// The proxy's.
        wanted: usize,
    },
    /// A rotation quaternion is not of length 1.
    #[error("the quaternion of key {key} has length {length}")]
    Turn {
        /// The key.
        key: usize,
        /// Length of its quaternion.
        length: f64,
    },
    /// A tolerance needs more than [`limits::MAX_PIECES`] pieces between two keys.
    #[error("the tolerance needs {pieces} pieces after {time} s, more than the {} supported", limits::MAX_PIECES)]
    TooManyPieces {
        /// Time of the first key, seconds.
        time: f64,
        /// The number of pieces.
        pieces: f64,
    },
    /// A vertex has a weight for a joint that does not exist.
    #[error("vertex {vertex} names joint {joint}, but there are {joints}")]
    NoSuchJoint {
        /// The vertex.
        vertex: u32,
        /// The joint it names.
        joint: u32,
        /// The number of joints.
        joints: usize,
    },
    /// No vertex near a sphere has a positive weight.
    #[error("no joint moves the surface near sphere {sphere}")]
    Unbound {
        /// The sphere.
        sphere: usize,
    },
    /// The cells of a wrap's grid are not smaller than its distance from the mesh.
    #[error("a wrap {offset} m from the mesh needs cells smaller than that; they are {cell} m")]
    WrapTooThin {
        /// Distance of the wrap, metres.
        offset: f64,
        /// Edge of a cell, metres.
        cell: f64,
    },
    /// Stored bytes are not a distance field of the solid and resolution.
    #[error("the stored distance field is not usable: {what}")]
    StoredField {
        /// What is wrong with it.
        what: &'static str,
    },
}
