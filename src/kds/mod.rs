//! Kinetic structures, live: any flightplan may change at any time. The definition of right for every other engine.
//!
//! Each structure is a folder with the same files: `mod` (the structure), `build`, `events`, `query`, `audit`. They know
//! flightplans only through certificates, and each other only through [`KineticHierarchy`].

pub mod aabb_tree;
mod audit;
pub mod box_tree;
mod builders;
pub mod crowd;
mod drift;
mod hierarchy;
mod keyed_boxes;
mod kinship;
pub mod separation_list;
mod topology;
mod tree;

pub use aabb_tree::KineticAabbTree;
pub use audit::{AuditReport, Fault};
pub use box_tree::KineticBoxTree;
pub use builders::{BuildParams, Builder, Width};
pub use crowd::Crowd;
pub use hierarchy::{Hierarchy, KineticHierarchy, SlotChange, Visits};
pub use keyed_boxes::{BoundedSampler, KeyedBoxes};
pub use kinship::{Kinship, Relation};
pub use separation_list::SeparationList;
pub use topology::{Node, Reshaped, Topology};
use tree::tight_boxes;
pub use tree::{KineticTree, LiveTree, TreeKind};

use crate::event::{EventLog, EventQueue};
use crate::time::Moment;

/// What a structure may touch while it processes an event: the queue and the log of its world, and the clock.
#[derive(Debug)]
pub struct Clockwork<'a> {
    /// Scheduled events.
    pub queue: &'a mut EventQueue,
    /// Changes so far.
    pub log: &'a mut EventLog,
    /// The moment of the event being processed.
    pub now: Moment,
}
