//! Events: certificate failures and renewals, their total order, the queue and the log. Free of
//! geometry.

mod log;
mod named;
mod queue;
#[cfg(test)]
mod tests;

pub use log::{EventLog, LoggedEvent};
pub use named::NamedEvent;
pub use queue::{EventQueue, QueueOperation, Ticket};

use crate::time::{Moment, NEVER};

/// The kind of an event. At one moment, kinds are processed in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum EventKind {
    /// A body's epoch ends: all its certificates are rebuilt. Owner: a body.
    Renewal = 0,
    /// Another vertex of a leaf overtakes the winner of a slot. Owner: a body's tree.
    Leaf = 1,
    /// The other child's winner overtakes the winner of a slot. Owner: a body's tree.
    Tree = 2,
    /// A body leaves its fat box in the broad phase, or gets another one. Owner: a body.
    FatBoxLeft = 3,
    /// The root boxes of two bodies meet along their witness direction. Owner: a pair of the broad
    /// phase.
    BodiesMeet = 4,
    /// The root boxes of two bodies part. Owner: a pair of the broad phase.
    BodiesSeparate = 5,
    /// Two boxes of the separation list meet along their witness direction. Owner: a pair of
    /// bodies.
    BoxesOverlap = 6,
    /// Two overlapping leaves part. Owner: a pair of bodies.
    LeavesSeparate = 7,
    /// Two inner boxes part; all pairs of their children are apart. Owner: a pair of bodies.
    ParentsSeparate = 8,
    /// Two triangles touch. Owner: a pair of bodies.
    TrianglesTouch = 9,
    /// Two triangles part. Owner: a pair of bodies.
    TrianglesSeparate = 10,
    /// The linear window of some overlapping leaves ends: their triangles are decided over the next
    /// window. Owner: a pair.
    Window = 11,
}

impl EventKind {
    /// Whether it is a certificate of a kinetic tree.
    pub fn is_of_tree(self) -> bool {
        matches!(self, Self::Leaf | Self::Tree)
    }

    const ALL: [Self; 12] = [
        Self::Renewal,
        Self::Leaf,
        Self::Tree,
        Self::FatBoxLeft,
        Self::BodiesMeet,
        Self::BodiesSeparate,
        Self::BoxesOverlap,
        Self::LeavesSeparate,
        Self::ParentsSeparate,
        Self::TrianglesTouch,
        Self::TrianglesSeparate,
        Self::Window,
    ];
}

/// A scheduled event. Its order is total: time, side, kind, owner, slot.
///
/// An owner has at most one event per kind and slot at a time, so no sequence number is needed to
/// break ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// Moment of the event.
    pub moment: Moment,
    /// Kind of the event.
    pub kind: EventKind,
    /// The body or the pair of bodies that owns it; below 2²⁴.
    pub owner: u32,
    /// Its place in the owner's structure.
    pub slot: u32,
}

const _: () = assert!(size_of::<Event>() == 32);

impl Event {
    /// The event, or none if its moment is never reached.
    pub fn if_ever(self) -> Option<Self> {
        (self.moment.time() != NEVER).then_some(self)
    }
}
