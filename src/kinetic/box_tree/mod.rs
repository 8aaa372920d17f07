//! The kinetic BoxTree: a box hierarchy that keeps two *planes* per inner node, and for each plane
//! *which vertex* realises it.
//!
//! An inner node is divided along one axis into a lower and an upper child. Its two planes are the
//! maximum of the lower child and the minimum of the upper child along that axis. Six more planes
//! are the extents of the root. The box of a node is implied: each of its extents is the nearest
//! plane on the way up that bounds it (its *source*), or the root's. So a box is larger than the
//! box of the vertices below it; boxes on a way down are nested.
//!
//! **Gates.** The root's extents are no planes of a division, and one along whose axis little is
//! divided would be a contest of all vertices. So each is a small tournament of a few rounds: some
//! nodes below, the *gates*, have a plane of their own for it. A gate is a source like any other,
//! and its boxes are the tighter for it. Root planes and gates are counted apart.
//!
//! Maintains: at every moment reached, the winner of a plane is extreme among all vertices of the
//! child that it bounds.
//!
//! **Candidates.** The nodes whose extent has one source are its *group*: the bounded child, and
//! downward until a node divided along the same axis hands one of its children to a plane of its
//! own. The candidates that can overtake a plane's winner are the vertices of the leaves in its
//! group, and the winners of the planes at the group's fringe: any other vertex below such a plane
//! overtakes that plane's winner first. The six groups of a leaf and the parents of planes so
//! defined make a tree of tournaments per extent, of unequal and sometimes large order; every
//! vertex of a leaf is a candidate of six planes.
//!
//! | certificate of a plane | event | what happens |
//! |---|---|---|
//! | the winner stays beyond all candidates | [`EventKind::Tree`] | the overtaking candidate wins |
//!
//! After a plane's winner changes, the plane that has it at its fringe is certified again: with the
//! new winner if its winner was the old one; otherwise only the new candidate is searched, unless
//! the old one was the next to overtake.
//!
//! Invariants (see `audit`): a winner is one of the plane's candidates; a plane has a scheduled
//! event exactly if one of its candidates ever overtakes, and remembers which.
//!
//! Cost, for m leaves of bounded size: at most two certificates per inner node, six for the root,
//! and gates: for an extent along which nothing is divided at most one per two leaves, for others
//! few. Groups of one extent do not overlap, so certifying everything takes O(m) searches per
//! extent. An event searches all candidates of each plane that changes: O(√m) for a sheet divided
//! along two axes in turn and for the root, O(m) for a plane below which its axis never comes
//! again, as Theorem 5 of the paper says of the worst case. A change of a plane changes the boxes
//! of its group and is reported once per node of the group: the cost of the search that it follows.
//! A vertex takes part in one plane per level and leaf; a change of its plan searches the
//! candidates of planes that it wins or is next to win, elsewhere only itself. Bounds of a node are
//! found on the way up: O(log m). A motion that moves all vertices alike causes no event.
//!
//! Follows Zachmann and Weller 2006, §6. Departures: the axis, and which child is the lower one,
//! are chosen by the area of the implied boxes, whatever built the tree; the root's extents are
//! planes, with gates; leaves of any size; where an axis is shared, the paper searches only the
//! children without a plane of their own; so does this tree, but for the fringe's winners at any
//! depth, not only on the next level.
//!
//! [`EventKind::Tree`]: crate::kinetic::event::EventKind::Tree

mod audit;
mod build;
mod events;
mod query;
#[cfg(test)]
mod tests;

use crate::bvh::Topology;
use crate::kinetic::event::Ticket;
use crate::math::{Aabb, Extent};
use crate::stats::TreeStats;

pub use query::View;

/// The implied boxes of a BoxTree freshly made over a topology at some positions; as the part of a
/// larger tree if the box of its root is given.
pub(super) fn fresh_boxes(topology: &Topology, positions: &[[f64; 3]], root: Option<&Aabb>) -> Vec<Aabb> {
    let splits = build::divide(topology, positions, root);
    build::implied_boxes(topology, &splits, positions, root)
}

/// No vertex.
const NONE: u32 = u32::MAX;

/// Planes of the root come first.
const ROOT_PLANES: u32 = 6;

/// A kinetic BoxTree over one body. See the module's text.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct KineticBoxTree {
    topology: Topology,
    splits: Vec<Split>,
    /// Nodes with a plane of their own for an extent of the root, ascending.
    gates: Vec<(u32, Extent)>,
    /// The six extents of the root; then the gates; then per inner node, in the order of nodes, the
    /// lower child's maximum and the upper child's minimum. So a plane comes before those it
    /// bounds.
    planes: Vec<Plane>,
    /// Owner of the tree's events in the queue.
    pub(super) owner: u32,
    /// Scratch: candidates already searched.
    seen: Seen,
    stats: TreeStats,
}

/// How a node is divided; but for the gates of no meaning for leaves.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Split {
    /// The first of its two planes.
    plane: u32,
    axis: u8,
    /// Bit i: the node, which may be a leaf, is a gate for extent i.
    gates: u8,
    lower_is_left: bool,
}

/// A bound, and the vertex that realises it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Plane {
    /// The node that is divided; for gates the gate, for the planes of the root 0.
    node: u32,
    winner: u32,
    /// The vertex that is scheduled to overtake.
    challenger: u32,
    ticket: Ticket,
}

/// A set of vertices that is emptied in O(1): vertices of several leaves of a group are candidates
/// once.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Seen {
    /// Per vertex, the last round in which it was added.
    rounds: Vec<u32>,
    round: u32,
}

impl Seen {
    fn new(vertices: usize) -> Self {
        Self { rounds: vec![0; vertices], round: 0 }
    }

    fn clear(&mut self) {
        if self.round == u32::MAX {
            self.rounds.fill(0);
            self.round = 0;
        }
        self.round += 1;
    }

    /// Adds a vertex; returns whether it was missing.
    fn insert(&mut self, vertex: u32) -> bool {
        std::mem::replace(&mut self.rounds[vertex as usize], self.round) != self.round
    }
}

impl KineticBoxTree {
    /// The shape of the tree.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The axis an inner node is divided along, and its children, the lower one first; `None` for a
    /// leaf.
    pub fn division(&self, node: u32) -> Option<(usize, [u32; 2])> {
        let (left, right) = self.topology.node(node).left_and_right()?;
        let Split { axis, lower_is_left, .. } = self.splits[node as usize];
        Some((usize::from(axis), if lower_is_left { [left, right] } else { [right, left] }))
    }

    /// The vertex that realises an extent of a node's implied box now. O(log m).
    pub fn winner(&self, node: u32, extent: Extent) -> u32 {
        self.planes[self.source(node, extent) as usize].winner
    }

    /// The vertices that realise a node's implied box now, in the order of [`Extent::ALL`]. O(log
    /// m).
    pub fn winners(&self, node: u32) -> [u32; 6] {
        self.sources(node).map(|plane| self.planes[plane as usize].winner)
    }

    /// Counters since the tree was built.
    pub fn stats(&self) -> TreeStats {
        self.stats
    }

    /// Most planes one vertex can take part in: per leaf one on every level and
    /// six gates, and the root's six.
    pub fn most_slots_per_vertex(&self) -> usize {
        self.topology.most_leaves_per_vertex() * (self.topology.depth() + 5) + ROOT_PLANES as usize
    }

    /// Bytes held, scheduled events not included.
    pub fn bytes(&self) -> usize {
        self.topology.bytes()
            + self.splits.capacity() * size_of::<Split>()
            + self.planes.capacity() * size_of::<Plane>()
            + self.gates.capacity() * size_of::<(u32, Extent)>()
            + self.seen.rounds.capacity() * size_of::<u32>()
    }

    /// The plane that bounds a child of an inner node, and in which extent.
    fn plane_of_child(&self, parent: u32, child: u32) -> (u32, Extent) {
        let Split { plane, axis, lower_is_left, .. } = self.splits[parent as usize];
        let is_left = self.topology.node(parent).left_and_right().is_some_and(|(left, _)| left == child);
        if is_left == lower_is_left {
            (plane, Extent::max(usize::from(axis)))
        } else {
            (plane + 1, Extent::min(usize::from(axis)))
        }
    }

    /// The plane that an extent of a node comes from.
    fn source(&self, node: u32, extent: Extent) -> u32 {
        let mut child = node;
        loop {
            if let Some(gate) = self.gate_at(child, extent) {
                return gate;
            }
            let Some(parent) = self.topology.node(child).parent() else { return extent.index() as u32 };
            if usize::from(self.splits[parent as usize].axis) == extent.axis() {
                let (plane, bounded) = self.plane_of_child(parent, child);
                if bounded == extent {
                    return plane;
                }
            }
            child = parent;
        }
    }

    /// The planes that the extents of a node come from.
    fn sources(&self, node: u32) -> [u32; 6] {
        let mut sources = [NONE; 6];
        let mut missing = 6;
        let mut child = node;
        loop {
            for (gate, extent) in self.gates_at(child) {
                let source = &mut sources[extent.index()];
                if *source == NONE {
                    *source = gate;
                    missing -= 1;
                }
            }
            let Some(parent) = self.topology.node(child).parent() else { break };
            let (plane, extent) = self.plane_of_child(parent, child);
            let source = &mut sources[extent.index()];
            if *source == NONE {
                *source = plane;
                missing -= 1;
            }
            if missing == 0 {
                return sources;
            }
            child = parent;
        }
        for extent in Extent::ALL {
            let source = &mut sources[extent.index()];
            if *source == NONE {
                *source = extent.index() as u32;
            }
        }
        sources
    }

    /// The gate at a node for an extent, as a plane.
    fn gate_at(&self, node: u32, extent: Extent) -> Option<u32> {
        if self.splits[node as usize].gates & (1 << extent.index()) == 0 {
            return None;
        }
        let place = self.gates.binary_search(&(node, extent)).expect("marked gates are listed");
        Some(ROOT_PLANES + place as u32)
    }

    /// The gates at a node, as planes.
    fn gates_at(&self, node: u32) -> impl Iterator<Item = (u32, Extent)> {
        let is_gate = self.splits[node as usize].gates != 0;
        let extents: &[Extent] = if is_gate { &Extent::ALL } else { &[] };
        extents.iter().filter_map(move |&extent| Some((self.gate_at(node, extent)?, extent)))
    }

    /// Whether the plane is an extent of the root, or a gate of one.
    fn is_of_root(&self, plane: u32) -> bool {
        ((plane - plane.min(ROOT_PLANES)) as usize) < self.gates.len() || plane < ROOT_PLANES
    }

    /// What a plane bounds: a node, and one of its extents.
    fn bounded_by(&self, plane: u32) -> (u32, Extent) {
        if plane < ROOT_PLANES {
            return (0, Extent::ALL[plane as usize]);
        }
        if let Some(&gate) = self.gates.get((plane - ROOT_PLANES) as usize) {
            return gate;
        }
        let node = self.planes[plane as usize].node;
        let (axis, [lower, upper]) = self.division(node).expect("planes divide inner nodes");
        if self.splits[node as usize].plane == plane { (lower, Extent::max(axis)) } else { (upper, Extent::min(axis)) }
    }

    /// The plane that has this one at its fringe; `None` for those of the root.
    fn above(&self, plane: u32) -> Option<u32> {
        if plane < ROOT_PLANES {
            return None;
        }
        let (_, extent) = self.bounded_by(plane);
        let node = self.planes[plane as usize].node;
        let from = if self.is_of_root(plane) { self.topology.node(node).parent()? } else { node };
        Some(self.source(from, extent))
    }

    /// Visits the nodes of a plane's group, parents before children, the left child first; `fringe`
    /// is told the planes at its fringe.
    fn visit_group(&self, plane: u32, mut visit: impl FnMut(u32), mut fringe: impl FnMut(u32)) {
        let (top, extent) = self.bounded_by(plane);
        self.visit_from(top, extent, &mut visit, &mut fringe);
    }

    fn visit_below(&self, node: u32, extent: Extent, visit: &mut impl FnMut(u32), fringe: &mut impl FnMut(u32)) {
        match self.gate_at(node, extent) {
            Some(gate) => fringe(gate),
            None => self.visit_from(node, extent, visit, fringe),
        }
    }

    fn visit_from(&self, node: u32, extent: Extent, visit: &mut impl FnMut(u32), fringe: &mut impl FnMut(u32)) {
        visit(node);
        let Some((left, right)) = self.topology.node(node).left_and_right() else { return };
        let Split { plane, axis, lower_is_left, .. } = self.splits[node as usize];
        if usize::from(axis) != extent.axis() {
            self.visit_below(left, extent, visit, fringe);
            self.visit_below(right, extent, visit, fringe);
            return;
        }
        // One child has a plane of its own for this extent.
        fringe(if extent.is_max() { plane } else { plane + 1 });
        self.visit_below(if extent.is_max() == lower_is_left { right } else { left }, extent, visit, fringe);
    }

    /// Visits the candidates of a plane, some of them repeatedly.
    fn visit_candidates(&self, plane: u32, candidate: impl FnMut(u32)) {
        let candidate = std::cell::RefCell::new(candidate);
        self.visit_group(
            plane,
            |node| {
                if self.topology.node(node).is_leaf() {
                    self.topology.leaf_points(node).iter().for_each(|&vertex| candidate.borrow_mut()(vertex));
                }
            },
            |below| candidate.borrow_mut()(self.planes[below as usize].winner),
        );
    }
}
