//! Reasons why contacts cannot be grouped.

use crate::geometry::GeometryError;
use crate::mesh::MeshError;

/// Reason why contacts were refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IncidentError {
    /// A contact names a body that does not exist.
    #[error("contact {contact} names body {body}, but there are {bodies} bodies")]
    NoSuchBody {
        /// Number of the contact in the list.
        contact: usize,
        /// The body it names.
        body: u32,
        /// Number of bodies.
        bodies: usize,
    },
    /// The first body of a contact is greater than the second.
    #[error("contact {contact} names bodies {first} and {second}; the lower number goes first")]
    BodyOrder {
        /// Number of the contact in the list.
        contact: usize,
        /// Its first body.
        first: u32,
        /// Its second body.
        second: u32,
    },
    /// A contact names a triangle that its body does not have.
    #[error("contact {contact} names triangle {triangle} of body {body}, which has {triangles} triangles")]
    NoSuchTriangle {
        /// Number of the contact in the list.
        contact: usize,
        /// The body.
        body: u32,
        /// The triangle it names.
        triangle: u32,
        /// Number of triangles of the body.
        triangles: usize,
    },
    /// A contact ends before it begins, or one of its times is not finite.
    #[error("contact {contact} is from {begin} s to {end} s, which is no stretch of time")]
    Times {
        /// Number of the contact in the list.
        contact: usize,
        /// Its begin, seconds.
        begin: f64,
        /// Its end, seconds.
        end: f64,
    },
    /// A triangle names a vertex that its body does not have.
    #[error("triangle {triangle} of body {body} names vertex {vertex}, but there are {vertices} vertices")]
    NoSuchVertex {
        /// The body.
        body: u32,
        /// The triangle.
        triangle: u32,
        /// The vertex it names.
        vertex: u32,
        /// Number of vertices of the body.
        vertices: usize,
    },
    /// A mesh that is refused.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Positions that are refused.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// The caller cancelled the computation.
    #[error("cancelled before all incidents were found")]
    Cancelled,
    /// More contacts than their numbers can count.
    #[error("{count} contacts are more than the {} supported", u32::MAX / 2)]
    TooMany {
        /// Their number.
        count: usize,
    },
}
