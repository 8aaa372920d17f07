//! The kinetic AABB tree: a box hierarchy that keeps, for every extent of every node, *which
//! vertex* realises it.
//!
//! Maintains: at every moment reached, the winner of slot (node, extent) is extreme among all
//! vertices below the node.
//!
//! | certificate of a slot | event | what happens |
//! |---|---|---|
//! | leaf: the winner stays beyond the leaf's other vertices | [`EventKind::Leaf`] | the overtaking vertex wins |
//! | inner: the winner stays beyond the other children's winners | [`EventKind::Tree`] | the overtaking winner wins |
//!
//! After a slot's winner changes, its parent's slot is certified again: with the new winner if the
//! parent's winner was the old one, against the new losers otherwise. In the first case the
//! parent's winner changed too, and so on upward.
//!
//! Invariants (see `audit`): the winner of a leaf slot is a vertex of the leaf; the winner of an
//! inner slot is the winner of one of its children in the same extent; a slot has a scheduled event
//! exactly if its certificate ever fails.
//!
//! Cost, for m leaves of bounded size: at most six certificates per node; an event moves O(log m)
//! slots, each O(log m) queue work plus the search of one certificate; a vertex takes part in O(log
//! m) slots per leaf it occurs in. A motion that moves all vertices alike causes no event.
//!
//! Nodes have two children, or up to four ([`Width`](crate::bvh::Width)). A slot has one
//! certificate in either case: the first of up to three losers to overtake is scheduled. So a wide
//! tree has fewer slots and fewer levels to go up, and each search compares more pairs.
//!
//! Follows Zachmann and Weller 2006, §4. Departures: one certificate per slot is kept at any leaf
//! size, not only for single polygons; an equal vertex in several children needs no certificate;
//! nodes may have four children (the paper's future work); a slot whose child changed is certified
//! again even if its winner stays (its loser changed), which the paper's text leaves out.
//!
//! [`EventKind::Leaf`]: crate::kinetic::event::EventKind::Leaf
//! [`EventKind::Tree`]: crate::kinetic::event::EventKind::Tree

mod ahead;
#[cfg(test)]
mod ahead_tests;
mod audit;
mod build;
mod edit;
#[cfg(test)]
mod edit_tests;
#[cfg(test)]
mod event_tests;
mod events;
mod extend;
mod query;
#[cfg(test)]
mod tests;

use crate::bvh::Topology;
use crate::kinetic::event::Ticket;
use crate::math::Extent;
use crate::motion::Motion;
use crate::stats::TreeStats;
use crate::time::Moment;

pub(crate) use ahead::SlotsAhead;
pub use edit::{Ground, TreeChange};
pub use query::View;

/// A kinetic AABB tree over one body. See the module's text.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct KineticAabbTree {
    topology: Topology,
    /// Per node and extent, the vertex that realises it. Empty while the tree is idle, as are its
    /// tickets.
    winners: Vec<[u32; 6]>,
    /// Per node and extent, the scheduled failure of its certificate.
    tickets: Vec<[Ticket; 6]>,
    /// Owner of the tree's events in the queue.
    pub(super) owner: u32,
    stats: TreeStats,
}

impl KineticAabbTree {
    /// The shape of the tree.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The vertex that realises an extent of a node now.
    pub fn winner(&self, node: u32, extent: Extent) -> u32 {
        self.winners[node as usize][extent.index()]
    }

    /// The tree with its motion, as a hierarchy with boxes. Questions about `now` are answered
    /// fastest.
    pub fn kinetic_view<'a>(&'a self, motion: &'a Motion, slack: f64, epoch_end: f64, now: Moment) -> View<'a> {
        View { topology: &self.topology, winners: &self.winners, motion, slack, epoch_end, cursor: motion.cursor(now) }
    }

    /// Whether the tree has a shape only: no winners, no boxes, no events. Certifying all of it
    /// ends that.
    pub(crate) fn is_idle(&self) -> bool {
        self.winners.is_empty()
    }

    /// Counters since the tree was built.
    pub fn stats(&self) -> TreeStats {
        self.stats
    }

    /// Most slots one vertex can take part in: six per node on the ways from its leaves to the
    /// root.
    pub fn most_slots_per_vertex(&self) -> usize {
        6 * self.topology.most_leaves_per_vertex() * self.topology.depth()
    }

    /// Bytes held, scheduled events not included.
    pub fn bytes(&self) -> usize {
        self.topology.bytes()
            + self.winners.capacity() * size_of::<[u32; 6]>()
            + self.tickets.capacity() * size_of::<[Ticket; 6]>()
    }

    /// Vertices that may win a slot: the winners of the children, or the vertices of a leaf.
    #[inline]
    fn candidates(&self, node: u32, extent: Extent) -> impl Iterator<Item = u32> + Clone {
        self.candidates_in(&self.winners, node, extent)
    }

    /// The same with winners given.
    #[inline]
    fn candidates_in<'a>(
        &'a self,
        winners: &'a [[u32; 6]],
        node: u32,
        extent: Extent,
    ) -> impl Iterator<Item = u32> + Clone + use<'a> {
        let children = self.topology.node(node).children();
        let points = if children.is_empty() { self.topology.leaf_points(node) } else { &[] };
        let winner = move |&child: &u32| winners[child as usize][extent.index()];
        children.iter().map(winner).chain(points.iter().copied())
    }
}

fn slot_number(node: u32, extent: Extent) -> u32 {
    6 * node + extent.index() as u32
}
