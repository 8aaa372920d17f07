//! Incidents: contacts of neighbouring triangles that overlap in time, as one finding.
//!
//! A clip of cloth has tens of thousands of contact intervals; a person wants to know of the few
//! places where bodies meet. Two contacts of the same pair of bodies belong to one incident if they
//! overlap in time and their triangles are equal or neighbours in the mesh, on both sides.

use crate::math::Aabb;

/// From when to when one pair of triangles touches; plain numbers.
///
/// Times are seconds, rounded outward, clipped to the span of the check.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TriangleContact {
    /// The two bodies, by their number in the scene; the first is not greater than the second.
    pub bodies: [u32; 2],
    /// A triangle of each body.
    pub triangles: [u32; 2],
    /// Begin and end, seconds.
    pub begin: f64,
    /// See `begin`.
    pub end: f64,
    /// Whether `begin`, and whether `end`, is not part of the contact: a jump is there.
    pub is_open: [bool; 2],
    /// Whether the contact existed when the span began, and whether it did when the span ended.
    pub is_clipped: [bool; 2],
    /// Contact is assumed, because it could not be decided.
    pub is_undecided: bool,
}

/// What an incident's triangles are called in the files they come from; each list without
/// duplicates, in the order of the mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartNames {
    /// Materials.
    pub materials: Vec<String>,
    /// Groups of an OBJ file, nodes of a glTF file.
    pub groups: Vec<String>,
    /// Joints that move the triangles' vertices most.
    pub joints: Vec<String>,
}

/// One finding: triangles that touch around one place, over one stretch of time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Incident {
    /// The two bodies, by their number in the scene; equal for contact of a body with itself.
    pub bodies: [u32; 2],
    /// First begin of its contacts, seconds.
    pub begin: f64,
    /// Last end of its contacts, seconds.
    pub end: f64,
    /// Whether it existed when the span began, and whether it did when the span ended.
    pub is_clipped: [bool; 2],
    /// When it is worst, seconds.
    pub worst_time: f64,
    /// Its contacts, by their number in the list they were found in, increasing.
    pub contacts: Vec<u32>,
    /// Different pairs of triangles.
    pub pairs: usize,
    /// Different triangles of each body, increasing. For a body with itself both lists are equal.
    pub triangles: [Vec<u32>; 2],
    /// Greatest penetration depth, metres; `None` where neither body is closed.
    pub depth: Option<f64>,
    /// Length of the crossing curve at the worst time, metres.
    pub length: f64,
    /// Area that the crossing curve cuts off at the worst time, square metres.
    pub area: f64,
    /// Middle of the crossing curve at the worst time, metres.
    pub centre: [f64; 3],
    /// Box around the crossing curve at the worst time, metres.
    pub bounds: Aabb,
    /// Names of the triangles of each body.
    pub names: [PartNames; 2],
    /// Whether a baseline does not have it.
    pub is_new: bool,
}
