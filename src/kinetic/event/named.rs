//! Logged events in the names of a world.

use std::fmt;

use super::EventKind;
use crate::id::BodyId;

/// What a logged event changed, with bodies, nodes and triangles as the world names them:
/// [`super::LoggedEvent::describe`]. [`fmt::Display`] says it in words.
///
/// Nodes are those of [`crate::BodyView::boxes`] and [`crate::PairView::cut`]; triangles those of
/// [`crate::Contact`]. Of two bodies the first has the lower index; both are the same where a body
/// is tested against itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum NamedEvent {
    /// Another vertex realises a side of a node's box, in an AABB tree.
    Bound {
        /// The body.
        body: BodyId,
        /// The node of its tree.
        node: u32,
        /// The axis across which the side lies: 0, 1, 2 for x, y, z.
        axis: usize,
        /// Whether it is the side with the largest coordinate.
        is_upper: bool,
        /// The vertex that is extreme from now on.
        vertex: u32,
    },
    /// Another vertex realises a plane of a BoxTree.
    Plane {
        /// The body.
        body: BodyId,
        /// The highest node that the plane bounds; it may bound nodes below on the same side.
        node: u32,
        /// The axis across which the plane lies: 0, 1, 2 for x, y, z.
        axis: usize,
        /// Whether the plane bounds the largest coordinate of the node.
        is_upper: bool,
        /// The vertex that is extreme from now on.
        vertex: u32,
    },
    /// The boxes of two bodies met.
    BodiesMeet {
        /// The bodies.
        bodies: [BodyId; 2],
    },
    /// The boxes of two bodies parted.
    BodiesSeparate {
        /// The bodies.
        bodies: [BodyId; 2],
    },
    /// Two boxes of the separation list met.
    BoxesOverlap {
        /// The bodies.
        bodies: [BodyId; 2],
        /// A node of each body's tree.
        nodes: [u32; 2],
    },
    /// Two leaves whose boxes overlapped parted.
    LeavesSeparate {
        /// The bodies.
        bodies: [BodyId; 2],
        /// A leaf of each body's tree.
        nodes: [u32; 2],
    },
    /// Two inner boxes parted, all pairs of whose children were apart.
    ParentsSeparate {
        /// The bodies.
        bodies: [BodyId; 2],
        /// A node of each body's tree.
        nodes: [u32; 2],
    },
    /// Two triangles touched; only with continuous contacts.
    TrianglesTouch {
        /// The bodies.
        bodies: [BodyId; 2],
        /// A triangle of each body.
        triangles: [u32; 2],
    },
    /// Two triangles parted; only with continuous contacts.
    TrianglesSeparate {
        /// The bodies.
        bodies: [BodyId; 2],
        /// A triangle of each body.
        triangles: [u32; 2],
    },
}

impl NamedEvent {
    /// The event of a kind that is logged. `plane` is the slot that a plane bounds.
    pub(super) fn new(
        kind: EventKind,
        bodies: [BodyId; 2],
        [first, second]: [u32; 2],
        plane: Option<u32>,
    ) -> Option<Self> {
        let slot = plane.unwrap_or(first);
        let (body, node, axis, is_upper) = (bodies[0], slot / 6, (slot % 6 / 2) as usize, slot % 2 == 1);
        Some(match kind {
            EventKind::Leaf | EventKind::Tree if plane.is_some() => {
                Self::Plane { body, node, axis, is_upper, vertex: second }
            }
            EventKind::Leaf | EventKind::Tree => Self::Bound { body, node, axis, is_upper, vertex: second },
            EventKind::BodiesMeet => Self::BodiesMeet { bodies },
            EventKind::BodiesSeparate => Self::BodiesSeparate { bodies },
            EventKind::BoxesOverlap => Self::BoxesOverlap { bodies, nodes: [first, second] },
            EventKind::LeavesSeparate => Self::LeavesSeparate { bodies, nodes: [first, second] },
            EventKind::ParentsSeparate => Self::ParentsSeparate { bodies, nodes: [first, second] },
            EventKind::TrianglesTouch => Self::TrianglesTouch { bodies, triangles: [first, second] },
            EventKind::TrianglesSeparate => Self::TrianglesSeparate { bodies, triangles: [first, second] },
            EventKind::Renewal | EventKind::FatBoxLeft | EventKind::Window => return None,
        })
    }

    /// The bodies, the one with the lower index first; one body twice where only one is concerned.
    pub fn bodies(&self) -> [BodyId; 2] {
        match *self {
            Self::Bound { body, .. } | Self::Plane { body, .. } => [body; 2],
            Self::BodiesMeet { bodies }
            | Self::BodiesSeparate { bodies }
            | Self::BoxesOverlap { bodies, .. }
            | Self::LeavesSeparate { bodies, .. }
            | Self::ParentsSeparate { bodies, .. }
            | Self::TrianglesTouch { bodies, .. }
            | Self::TrianglesSeparate { bodies, .. } => bodies,
        }
    }
}

impl fmt::Display for NamedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |axis: usize, is_upper: bool| {
            let axis = ["x", "y", "z"].get(axis).copied().unwrap_or("?");
            format!("{} {axis}", if is_upper { "largest" } else { "smallest" })
        };
        let both =
            |[a, b]: [BodyId; 2], what: &str, [i, j]: [u32; 2]| format!("{what} {i} of {a} and {what} {j} of {b}");
        match *self {
            Self::Bound { body, node, axis, is_upper, vertex } => {
                write!(f, "vertex {vertex} has the {} of node {node} of {body}", side(axis, is_upper))
            }
            Self::Plane { body, node, axis, is_upper, vertex } => {
                write!(f, "vertex {vertex} has the {} of the plane at node {node} of {body}", side(axis, is_upper))
            }
            Self::BodiesMeet { bodies: [a, b] } => write!(f, "the boxes of {a} and {b} meet"),
            Self::BodiesSeparate { bodies: [a, b] } => write!(f, "the boxes of {a} and {b} part"),
            Self::BoxesOverlap { bodies, nodes } => write!(f, "the boxes of {} meet", both(bodies, "node", nodes)),
            Self::LeavesSeparate { bodies, nodes } => write!(f, "the boxes of {} part", both(bodies, "leaf", nodes)),
            Self::ParentsSeparate { bodies, nodes } => {
                write!(f, "the boxes of {} part, and so did those below", both(bodies, "node", nodes))
            }
            Self::TrianglesTouch { bodies, triangles } => write!(f, "{} touch", both(bodies, "triangle", triangles)),
            Self::TrianglesSeparate { bodies, triangles } => write!(f, "{} part", both(bodies, "triangle", triangles)),
        }
    }
}
