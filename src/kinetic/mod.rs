//! Kinetic structures: any flightplan may change at any time. The definition of right for
//! every other engine.
//!
//! Each structure is a folder with the same files: `mod` (the structure), `build`, `events`,
//! `query`, `audit`. They know flightplans only through certificates, and each other only through
//! [`KineticHierarchy`].

pub mod aabb_tree;
pub mod bounded_tree;
mod box_pair;
pub mod box_tree;
pub mod broad_phase;
pub mod certificate;
mod context;
pub mod event;
mod hierarchy;
mod quality;
pub mod separation_list;
mod tree;

pub use aabb_tree::KineticAabbTree;
pub use bounded_tree::KineticBoundedTree;
pub use box_tree::KineticBoxTree;
pub use broad_phase::KineticBroadPhase;
pub use context::{EventContext, TreeContext};
pub use hierarchy::{KineticHierarchy, SlotChange};
pub use separation_list::SeparationList;
pub use tree::{KineticTree, KineticTreeView, TreeAudit, TreeKind};
