//! The contenders: one interface over all methods.

use super::body::Body;
use super::kinetic::Kinetic;
use super::refit::BottomUp;
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
}

impl Method {
    pub(super) const ALL: [Self; 5] = [
        Self::Tree(TreeKind::Aabb),
        Self::Tree(TreeKind::Box),
        Self::Incremental(TreeKind::Aabb),
        Self::Incremental(TreeKind::Box),
        Self::BottomUp,
    ];

    /// For tables and legends.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Tree(TreeKind::Aabb) => "kinetic AABB tree",
            Self::Tree(TreeKind::Box) => "kinetic BoxTree",
            Self::Incremental(TreeKind::Aabb) => "incremental, AABB trees",
            Self::Incremental(TreeKind::Box) => "incremental, BoxTrees",
            Self::BottomUp => "bottom-up refit",
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
        }
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
        })
    }
}

/// What a method did since it was started. Counts, not times: the same in every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Work {
    /// Events of the trees.
    pub(super) tree_events: u64,
    /// Bounds of nodes replaced by events: slots of an AABB tree, planes of a BoxTree.
    pub(super) updates: u64,
    /// Bounds certified again because flightplans changed.
    pub(super) replanned: u64,
    /// Events of the separation list.
    pub(super) list_events: u64,
    /// Members of the separation list, and most of them that one node takes part in, now.
    pub(super) listed: usize,
    pub(super) most_per_node: usize,
    /// Nodes of the trees of bodies that move.
    pub(super) nodes: usize,
    /// The event log in 64 bits.
    pub(super) log: u64,
}

/// A method at work on two bodies.
pub(super) trait Contender {
    /// Carries the boxes to a time, seconds, not before the last.
    fn advance_to(&mut self, time: f64);

    /// Appends the pairs of triangles that touch at that time, in no useful order.
    fn check(&mut self, found: &mut Vec<(u32, u32)>);

    /// Gives vertices of one of the bodies plans of their own from that time on.
    fn replan(&mut self, body: usize, plans: &[(u32, VertexFlightplan)]) -> Result<(), Failure>;

    /// Whether a frame depends on the one before. If not, frames may be left out.
    fn is_incremental(&self) -> bool;

    fn work(&self) -> Work;
}
