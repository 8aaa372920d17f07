//! Why a proxy was not made.

use std::fmt;

use crate::limits;
use crate::mesh::MeshError;

/// What was wrong with the input of a proxy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ProxyError {
    /// The triangles are no mesh.
    Mesh(MeshError),
    /// There is not one position per vertex.
    PositionCount {
        /// Positions given.
        positions: usize,
        /// Vertices there are.
        vertices: usize,
    },
    /// A number is not finite, or beyond [`limits::MAX_COORDINATE`].
    Number {
        /// What it belongs to.
        what: &'static str,
        /// Which one of these.
        index: usize,
        /// The number.
        value: f64,
    },
    /// A triangle names one point of the surface twice.
    DegenerateTriangle {
        /// The triangle.
        triangle: usize,
    },
    /// Two triangles have the same corners.
    RepeatedTriangle {
        /// The later one.
        triangle: usize,
        /// The earlier one.
        of: usize,
    },
    /// The surface has a border.
    Open {
        /// How many edges have one triangle.
        edges: usize,
        /// The first of them, as vertices.
        first: [u32; 2],
    },
    /// More than two triangles meet at an edge, and not as many run along it one way as the other.
    NotManifold {
        /// The edge.
        edge: [u32; 2],
        /// How many triangles have it.
        triangles: usize,
    },
    /// Neighbouring triangles disagree about which side is outside.
    Misoriented {
        /// How many edges have triangles that disagree.
        edges: usize,
        /// The first of them, as vertices.
        first: [u32; 2],
    },
    /// A connected part of the surface has no inside and outside (a Klein bottle).
    NotOrientable {
        /// A triangle of it.
        triangle: usize,
    },
    /// A connected part of the surface faces inwards and is not a cavity.
    InsideOut {
        /// A triangle of it.
        triangle: usize,
        /// Its signed volume, cubic metres.
        volume: f64,
    },
    /// A boundary loop has more sides than were to be filled.
    LongLoop {
        /// Sides of the loop.
        sides: usize,
        /// The most that are filled.
        limit: usize,
        /// A vertex of it.
        vertex: u32,
    },
    /// The surface encloses nothing.
    NoVolume,
    /// A resolution is not a positive number.
    Resolution {
        /// What was asked for.
        value: f64,
    },
    /// A distance field would be larger than [`limits::MAX_FIELD_BYTES`].
    FieldTooLarge {
        /// Its size; the largest number there is if it is beyond.
        bytes: u64,
    },
    /// Radii that are not finite, negative, or the smallest of which is larger than the largest.
    Radii {
        /// Smallest radius, metres.
        r_min: f64,
        /// Largest radius, metres.
        r_max: f64,
    },
    /// No sphere was to be packed.
    NoCount,
    /// Not a single sphere of the smallest radius fits.
    NothingFits {
        /// Depth of the deepest point of the field, metres.
        depth: f64,
        /// Smallest radius, metres.
        r_min: f64,
    },
    /// A cage's tetrahedron names a vertex that does not exist.
    CageIndex {
        /// The tetrahedron.
        tetrahedron: usize,
        /// The vertex it names.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A cage's tetrahedron has no volume.
    FlatTetrahedron {
        /// The tetrahedron.
        tetrahedron: usize,
    },
    /// A cage's vertex is in no tetrahedron.
    LooseCageVertex {
        /// The vertex.
        vertex: usize,
    },
    /// A generated cage would have more than [`limits::MAX_CAGE_CELLS`] cells.
    CageTooLarge {
        /// How many.
        cells: f64,
    },
    /// There is no handle.
    NoHandle,
    /// A handle sits on no vertex.
    EmptyHandle {
        /// The handle.
        handle: usize,
    },
    /// A handle sits on a cage vertex that does not exist.
    HandleVertex {
        /// The handle.
        handle: usize,
        /// The vertex.
        vertex: u32,
    },
    /// Two handles sit on one cage vertex.
    HandlesMeet {
        /// The vertex.
        vertex: u32,
        /// The handles.
        handles: [usize; 2],
    },
    /// There is not one map per handle.
    MapCount {
        /// Maps given.
        maps: usize,
        /// Handles there are.
        handles: usize,
    },
    /// An example pose has other triangles than the rest pose.
    PoseTriangles {
        /// The pose, from 1.
        pose: usize,
        /// The first triangle that differs, or is missing on one side.
        triangle: usize,
    },
    /// A pose has another number of vertices than the rest pose.
    PoseVertices {
        /// The pose.
        pose: usize,
        /// Its vertices.
        found: usize,
        /// The rest pose's.
        wanted: usize,
    },
    /// A cage was not given for every example pose.
    CagePoses {
        /// Given.
        found: usize,
        /// Example poses there are.
        wanted: usize,
    },
    /// Gaps were to be filled in a pose that does not exist, or that was not handed over.
    NoSuchPose {
        /// The pose.
        pose: usize,
        /// Example poses there are, numbered from 1.
        poses: usize,
    },
    /// A track has no key.
    NoKeys,
    /// A key is not later than the one before.
    TimeOrder {
        /// The key.
        key: usize,
    },
    /// There are not as many entries as keys.
    KeyCount {
        /// Of what.
        what: &'static str,
        /// Given.
        found: usize,
        /// Keys there are.
        wanted: usize,
    },
    /// A key has another number of spheres than the first.
    SphereCount {
        /// The key.
        key: usize,
        /// Its spheres.
        found: usize,
        /// The first key's.
        wanted: usize,
    },
    /// Pose weights do not fit the keys, places and poses.
    WeightCount {
        /// Given.
        found: usize,
        /// Wanted.
        wanted: usize,
    },
    /// A pose weight is negative or no number.
    Weight {
        /// The key.
        key: usize,
        /// The place.
        site: usize,
        /// The pose.
        pose: usize,
        /// The weight.
        value: f64,
    },
    /// Pose weights do not sum to 1.
    WeightSum {
        /// The key.
        key: usize,
        /// The place.
        site: usize,
        /// Their sum.
        sum: f64,
    },
    /// A track blends another number of poses than there are.
    TrackPoses {
        /// The track's.
        found: usize,
        /// The proxy's.
        wanted: usize,
    },
    /// A track has weights for another number of places than there are.
    TrackSites {
        /// The track's.
        found: usize,
        /// The proxy's.
        wanted: usize,
    },
    /// A turn is not of length 1.
    Turn {
        /// The key.
        key: usize,
        /// Length of its quaternion.
        length: f64,
    },
    /// A tolerance needs more than [`limits::MAX_PIECES`] pieces between two keys.
    TooManyPieces {
        /// Time of the first key, seconds.
        time: f64,
        /// How many pieces.
        pieces: f64,
    },
}

impl fmt::Display for ProxyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mesh(error) => error.fmt(f),
            Self::PositionCount { positions, vertices } => {
                write!(f, "{positions} positions were given for {vertices} vertices")
            }
            Self::Number { what, index, value } => write!(f, "{what} {index} is {value}"),
            Self::DegenerateTriangle { triangle } => {
                write!(f, "triangle {triangle} names one point of the surface twice")
            }
            Self::RepeatedTriangle { triangle, of } => {
                write!(f, "triangle {triangle} has the corners of triangle {of}")
            }
            Self::Open { edges, first: [p, q] } => {
                write!(f, "the surface is open: {edges} edges have one triangle, the first from vertex {p} to {q}")
            }
            Self::NotManifold { edge: [p, q], triangles } => {
                write!(f, "{triangles} triangles meet at the edge from vertex {p} to {q} and do not cancel")
            }
            Self::Misoriented { edges, first: [p, q] } => write!(
                f,
                "triangles at {edges} edges disagree about which side is outside, first from vertex {p} to {q}"
            ),
            Self::NotOrientable { triangle } => {
                write!(f, "the part of the surface with triangle {triangle} has no inside and outside")
            }
            Self::InsideOut { triangle, volume } => {
                write!(f, "the part of the surface with triangle {triangle} faces inwards (volume {volume} m³)")
            }
            Self::LongLoop { sides, limit, vertex } => {
                write!(f, "the boundary loop at vertex {vertex} has {sides} sides, more than the {limit} to be filled")
            }
            Self::NoVolume => write!(f, "the surface encloses nothing"),
            Self::Resolution { value } => write!(f, "a resolution of {value} is not a positive number"),
            Self::FieldTooLarge { bytes } => write!(
                f,
                "the distance field would take {bytes} bytes, more than the {} supported",
                limits::MAX_FIELD_BYTES
            ),
            Self::Radii { r_min, r_max } => {
                write!(f, "radii from {r_min} to {r_max} m are not a range of positive numbers")
            }
            Self::NoCount => write!(f, "no sphere was to be packed"),
            Self::NothingFits { depth, r_min } => {
                write!(f, "no sphere of radius {r_min} m fits: the deepest point lies {depth} m inside")
            }
            Self::CageIndex { tetrahedron, index, vertices } => {
                write!(f, "tetrahedron {tetrahedron} names vertex {index}, but the cage has {vertices} vertices")
            }
            Self::FlatTetrahedron { tetrahedron } => write!(f, "tetrahedron {tetrahedron} has no volume"),
            Self::LooseCageVertex { vertex } => write!(f, "cage vertex {vertex} is in no tetrahedron"),
            Self::CageTooLarge { cells } => {
                write!(f, "a cage of {cells} cells is larger than the {} supported", limits::MAX_CAGE_CELLS)
            }
            Self::NoHandle => write!(f, "there is no handle"),
            Self::EmptyHandle { handle } => write!(f, "handle {handle} sits on no vertex"),
            Self::HandleVertex { handle, vertex } => {
                write!(f, "handle {handle} sits on cage vertex {vertex}, which does not exist")
            }
            Self::HandlesMeet { vertex, handles: [a, b] } => {
                write!(f, "handles {a} and {b} both sit on cage vertex {vertex}")
            }
            Self::MapCount { maps, handles } => write!(f, "{maps} maps were given for {handles} handles"),
            Self::PoseTriangles { pose, triangle } => {
                write!(f, "pose {pose} differs from the rest pose in triangle {triangle}")
            }
            Self::PoseVertices { pose, found, wanted } => {
                write!(f, "pose {pose} has {found} vertices, the rest pose {wanted}")
            }
            Self::CagePoses { found, wanted } => {
                write!(f, "the cage was given in {found} poses, but there are {wanted} example poses")
            }
            Self::NoSuchPose { pose, poses } => write!(f, "there is no pose {pose} among {poses} example poses"),
            Self::NoKeys => write!(f, "the track has no key"),
            Self::TimeOrder { key } => write!(f, "key {key} is not later than the one before"),
            Self::KeyCount { what, found, wanted } => write!(f, "{found} {what} were given for {wanted} keys"),
            Self::SphereCount { key, found, wanted } => write!(f, "key {key} has {found} spheres, the first {wanted}"),
            Self::WeightCount { found, wanted } => write!(f, "{found} weights were given where {wanted} are wanted"),
            Self::Weight { key, site, pose, value } => {
                write!(f, "the weight of pose {pose} at key {key} and place {site} is {value}")
            }
            Self::WeightSum { key, site, sum } => {
                write!(f, "the weights at key {key} and place {site} sum to {sum}, not to 1")
            }
            Self::TrackPoses { found, wanted } => write!(f, "the track blends {found} poses, but there are {wanted}"),
            Self::TrackSites { found, wanted } => {
                write!(f, "the track has weights for {found} places, but there are {wanted}")
            }
            Self::Turn { key, length } => write!(f, "the quaternion of key {key} has length {length}"),
            Self::TooManyPieces { time, pieces } => write!(
                f,
                "the tolerance needs {pieces} pieces after {time} s, more than the {} supported",
                limits::MAX_PIECES
            ),
        }
    }
}

impl std::error::Error for ProxyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Mesh(error) => Some(error),
            _ => None,
        }
    }
}

impl From<MeshError> for ProxyError {
    fn from(error: MeshError) -> Self {
        Self::Mesh(error)
    }
}
