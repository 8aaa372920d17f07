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
