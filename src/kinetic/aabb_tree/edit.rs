//! Local changes of a kinetic AABB tree: primitives are inserted and removed, subtrees are rebuilt,
//! all at the clock's moment.
//!
//! After each change of the shape, the events of nodes that went are erased, nodes that came get
//! winners and certificates from the bottom up, and the slots above are certified again as far as
//! winners below them changed. A slot above whose winner stays while the winner of its child
//! changed has another loser: it is certified too, and the way ends there.
//!
//! Cost of one primitive: the slots of the nodes that came (a few, amortised) and six slots per
//! level at most.

use std::collections::BTreeSet;

use super::KineticAabbTree;
use crate::bvh::Hierarchy;
use crate::bvh::Reshaped;
use crate::kinetic::event::Ticket;
use crate::kinetic::{EventContext, SlotChange, TreeContext};
use crate::math::{Aabb, Extent};
use crate::mesh::Primitives;
use crate::motion::Motion;
use crate::time::Moment;

/// The effect of local changes of a tree, for structures that keep data by node number.
#[derive(Clone, Debug, Default)]
pub struct TreeChange {
    /// Nodes that existed before and still exist, with other children or primitives.
    pub altered: BTreeSet<u32>,
    /// Numbers of all nodes that were removed, added, or altered.
    pub touched: BTreeSet<u32>,
    /// Numbers among them that name nodes which were not there before.
    created: BTreeSet<u32>,
}

impl TreeChange {
    fn note(&mut self, reshaped: &Reshaped) {
        for &node in &reshaped.dropped {
            self.altered.remove(&node);
            self.created.remove(&node);
        }
        self.created.extend(&reshaped.created);
        if !self.created.contains(&reshaped.node) {
            self.altered.insert(reshaped.node);
        }
        self.touched.extend(reshaped.dropped.iter().chain(&reshaped.created).chain([&reshaped.node]));
    }
}

/// What a local change works with.
#[derive(Debug)]
pub struct Ground<'a, 'c, P> {
    /// What the tree is built over.
    pub primitives: &'a P,
    /// Motion, events and changed slots.
    pub context: TreeContext<'a, 'c>,
    /// What happened to the nodes.
    pub tree_change: &'a mut TreeChange,
}

impl<'a, P> Ground<'a, '_, P> {
    /// Where a vertex is now.
    fn position(&self) -> impl Fn(u32) -> [f64; 3] + use<'a, P> {
        let (motion, now) = (self.context.motion, self.context.events.now);
        move |vertex| motion.position(vertex, now)
    }
}

impl KineticAabbTree {
    /// Makes room for vertices up to a number, exclusive.
    pub fn grow_vertices(&mut self, count: usize) {
        self.topology.grow_vertices(count);
    }

    /// Enters a primitive: into the leaf that is reached by always going where the box grows least.
    pub fn insert<P: Primitives>(&mut self, primitive: u32, ground: &mut Ground<'_, '_, P>) {
        let position = ground.position();
        let corners: Vec<[f64; 3]> =
            ground.primitives.points_of(primitive as usize).iter().map(|&v| position(v)).collect();
        let leaf = self.leaf_for(&Aabb::of_points(&corners), ground.context.motion, ground.context.events.now);
        let reshaped = self.topology.insert(leaf, primitive, ground.primitives, position);
        self.tree_changed(&reshaped, ground);
        self.rebalance(ground);
    }

    /// Takes a primitive out, unless it is the only one or not in the tree; `ground.primitives`
    /// still knows it.
    pub fn remove<P: Primitives>(&mut self, primitive: u32, ground: &mut Ground<'_, '_, P>) {
        let vertex = ground.primitives.points_of(primitive as usize)[0];
        let Some(leaf) = self.topology.leaf_of(primitive, vertex) else { return };
        let reshaped = self.topology.remove(leaf, primitive, ground.primitives, ground.position());
        self.tree_changed(&reshaped, ground);
        self.rebalance(ground);
    }

    /// Rebuilds the subtree below a node from the positions of the clock's moment.
    pub fn rebuild<P: Primitives>(&mut self, node: u32, ground: &mut Ground<'_, '_, P>) {
        let reshaped = self.topology.rebuild(node, ground.primitives, ground.position());
        self.stats.subtrees_rebuilt += 1;
        self.tree_changed(&reshaped, ground);
        self.rebalance(ground);
    }

    /// Rebuilds the whole tree over all its primitives, after a change of most of them.
    pub fn rebuild_all<P: Primitives>(&mut self, ground: &mut Ground<'_, '_, P>) {
        let reshaped = self.topology.rebuild_all(ground.primitives, ground.position());
        self.stats.subtrees_rebuilt += 1;
        self.tree_changed(&reshaped, ground);
        self.rebalance(ground);
    }

    fn rebalance<P: Primitives>(&mut self, ground: &mut Ground<'_, '_, P>) {
        while let Some(reshaped) = self.topology.rebalance(ground.primitives, ground.position()) {
            self.stats.subtrees_balanced += 1;
            self.tree_changed(&reshaped, ground);
        }
    }

    fn leaf_for(&self, bounds: &Aabb, motion: &Motion, now: Moment) -> u32 {
        let view = self.kinetic_view(motion, 0.0, now.time(), now);
        let mut node = 0;
        while !self.topology.node(node).is_leaf() {
            let growth = |child: u32| {
                let old = view.node_box(child, now);
                let (before, after) = (old.half_area(), old.union(bounds).half_area());
                (after - before, after, self.topology.node(child).count())
            };
            let children = self.topology.node(node).children().iter().map(|&child| (child, growth(child)));
            let least =
                children.min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
            node = least.expect("an inner node has children").0;
        }
        node
    }

    /// Winners and certificates after a change of the shape.
    fn tree_changed<P: Primitives>(&mut self, reshaped: &Reshaped, ground: &mut Ground<'_, '_, P>) {
        ground.tree_change.note(reshaped);
        let count = self.topology.nodes().len();
        self.winners.resize(count, [u32::MAX; 6]);
        self.tickets.resize(count, [Ticket::NONE; 6]);
        for &node in &reshaped.dropped {
            self.erase_events(node, ground.context.events);
            self.winners[node as usize] = [u32::MAX; 6];
        }
        // The node may have been a leaf and be none now: its events are of another kind.
        self.erase_events(reshaped.node, ground.context.events);
        for &node in reshaped.created.iter().rev() {
            for extent in Extent::ALL {
                self.seat(node, extent, ground);
            }
        }
        for extent in Extent::ALL {
            let mut next = Some(reshaped.node);
            while let Some(node) = next
                && self.seat(node, extent, ground)
            {
                next = self.topology.node(node).parent();
            }
        }
    }

    /// Finds the winner of a slot and certifies it; returns whether it is another than before.
    fn seat<P: Primitives>(&mut self, node: u32, extent: Extent, ground: &mut Ground<'_, '_, P>) -> bool {
        self.stats.slots_rebuilt += 1;
        let old = self.winner(node, extent);
        let new = self.best_now(node, extent, &ground.context);
        if new != old {
            self.winners[node as usize][extent.index()] = new;
            self.record(node, extent, ground.context.events);
            ground.context.changes.push(SlotChange { node, extent });
        }
        self.certify(node, extent, &mut ground.context);
        new != old
    }

    fn erase_events(&mut self, node: u32, events: &mut EventContext<'_>) {
        for ticket in &mut self.tickets[node as usize] {
            events.queue.set(ticket, None);
        }
    }
}
