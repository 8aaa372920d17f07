//! The contenders: one interface over all methods.

use super::body::Body;
use super::kinetic::Kinetic;
use super::refit::BottomUp;
use super::world::DefaultWorld;
use crate::bvh::BuildParams;
use crate::cli::Failure;
use crate::kinetic::TreeKind;
use crate::motion::{KeyLayout, VertexFlightplan};
use crate::scenes::GeneratedBody;

/// How boxes are kept and pairs are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// A kinetic tree per body, and a traversal of both for every check (the paper's Algorithms 1
    /// and 2).
    Tree(TreeKind),
    /// The same trees and a kinetic separation list over them: a check tests the listed leaves.
    Incremental(TreeKind),
    /// Boxes refitted for every frame, and a traversal of both trees.
    BottomUp,
    /// A world with default settings, which finds contacts in every step. Its leaves are its own.
    World,
}

impl Method {
    pub(super) const ALL: [Self; 6] = [
        Self::Tree(TreeKind::Aabb),
        Self::Tree(TreeKind::Box),
        Self::Incremental(TreeKind::Aabb),
        Self::Incremental(TreeKind::Box),
        Self::BottomUp,
        Self::World,
    ];

    /// For tables and legends.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Tree(TreeKind::Aabb) => "kinetic AABB tree",
            Self::Tree(TreeKind::Box) => "kinetic BoxTree",
            Self::Incremental(TreeKind::Aabb) => "incremental, AABB trees",
            Self::Incremental(TreeKind::Box) => "incremental, BoxTrees",
            Self::BottomUp => "bottom-up refit",
            Self::World => "default world",
        }
    }

    /// For CSV.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tree(TreeKind::Aabb) => "aabb",
            Self::Tree(TreeKind::Box) => "box",
            Self::Incremental(TreeKind::Aabb) => "incremental-aabb",
            Self::Incremental(TreeKind::Box) => "incremental-box",
            Self::BottomUp => "bottom-up",
            Self::World => "world",
        }
    }

    /// The method of this name in CSV.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Whether every step finds contacts: update and check are one.
    pub(super) fn checks_every_step(self) -> bool {
        self == Self::World
    }

    /// Prepares it at time 0.
    pub(super) fn start(self, bodies: &[GeneratedBody; 2], build: BuildParams) -> Result<Box<dyn Contender>, Failure> {
        let made = |layout| -> Result<[Body; 2], Failure> {
            Ok([Body::new(&bodies[0], layout)?, Body::new(&bodies[1], layout)?])
        };
        Ok(match self {
            Self::Tree(kind) => Box::new(Kinetic::new(made(KeyLayout::VertexMajor)?, kind, false, build)),
            Self::Incremental(kind) => Box::new(Kinetic::new(made(KeyLayout::VertexMajor)?, kind, true, build)),
            Self::BottomUp => Box::new(BottomUp::new(made(KeyLayout::KeyMajor)?, build)),
            Self::World => Box::new(DefaultWorld::new(bodies)?),
        })
    }
}

/// What a method did since it was started. Counts, not times: the same in every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Work {
    /// Events of the trees: of leaves and of inner nodes.
    pub(super) tree_events: u64,
    /// Those of leaves.
    pub(super) leaf_events: u64,
    /// Bounds of nodes replaced by events: slots of an AABB tree, planes of a BoxTree.
    pub(super) updates: u64,
    /// Bounds certified again because flightplans changed.
    pub(super) replanned: u64,
    /// Events of the separation list, by kind.
    pub(super) list: ListEvents,
    /// Most members of the separation list that one node takes part in, now.
    pub(super) most_per_node: usize,
    /// Nodes of the trees of bodies that move.
    pub(super) nodes: usize,
    /// The event log in 64 bits.
    pub(super) log: u64,
}

/// Events of a separation list by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ListEvents {
    /// The paper's BV-overlap events: pairs that met.
    pub(super) met: u64,
    /// Overlapping leaf pairs that parted.
    pub(super) leaves_parted: u64,
    /// Inner pairs that parted and replaced their children.
    pub(super) parents_parted: u64,
    /// Failures of a separating direction that another replaced; the list stays the same.
    pub(super) witnesses: u64,
}

impl ListEvents {
    pub(super) fn all(self) -> u64 {
        self.met + self.leaves_parted + self.parents_parted + self.witnesses
    }
}

/// What a method holds at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// Members of the separation list.
    pub(super) listed: usize,
    /// Bytes of trees, list and queue; without meshes and keys.
    pub(super) bytes: usize,
}

impl Held {
    /// The larger of each.
    pub(super) fn max(self, other: Self) -> Self {
        Self { listed: self.listed.max(other.listed), bytes: self.bytes.max(other.bytes) }
    }
}

/// A method at work on two bodies.
pub(super) trait Contender {
    /// Carries the boxes to a time, seconds, not before the last.
    fn advance_to(&mut self, time: f64) -> Result<(), Failure>;

    /// Appends the pairs of triangles that touch at that time, in no useful order.
    fn check(&mut self, found: &mut Vec<(u32, u32)>);

    /// Gives vertices of one of the bodies plans of their own from that time on.
    fn replan(&mut self, body: usize, plans: &[(u32, VertexFlightplan)]) -> Result<(), Failure>;

    /// Whether a frame depends on the one before. If not, frames may be left out.
    fn is_incremental(&self) -> bool;

    fn work(&self) -> Work;

    fn held(&self) -> Held;
}
