//! A separation list follows local changes of its hierarchies.
//!
//! A node whose children (or primitives) are others than before makes every pair above the list
//! that it is in outdated: what hangs below is taken out, and the pair is opened up again as far as
//! its boxes overlap now. All pairs with nodes that are no more hang below such pairs. They are
//! found from the root pair downward, along the ways to the altered nodes.
//!
//! Cost: the inner pairs on the ways to the altered nodes, and what hung and hangs below them.

use std::collections::BTreeSet;

use super::{NONE, SeparationList, State, Trees};
use crate::bvh::{Hierarchy, SharedVertices, Topology};
use crate::kinetic::EventContext;

/// The first pair of a list: both roots.
const ROOT: u32 = 0;

impl SeparationList {
    /// Opens up again every pair with an altered node (per side, as numbers; of a list of one body
    /// both sides are the same). Slots that changed must be reported with
    /// [`SeparationList::bound_changed`] afterwards.
    pub fn tree_changed(&mut self, altered: [&BTreeSet<u32>; 2], trees: impl Trees, context: &mut EventContext<'_>) {
        let (a, b) = trees.pair();
        let topologies = [a.topology(), b.topology()];
        for (heads, topology) in self.heads.iter_mut().zip(topologies) {
            heads.resize(topology.nodes().len(), NONE);
        }
        let outdated = self.outdated(altered, topologies);
        // Numbers of nodes may have been given again, so that all old pairs go before any new one
        // comes.
        for &pair in &outdated {
            self.cut_off(pair, context);
            self.release(pair, context);
            self.stats.pairs_rebuilt += 1;
        }
        for &pair in &outdated {
            let parent = self.pairs[pair as usize].parent;
            if self.settle(pair, trees, context) && parent != NONE {
                self.count_apart(parent, 1);
                self.certify_parent(parent, trees, context);
            }
        }
    }

    /// How leaves of one body are related.
    pub fn shared_vertices(&self) -> Option<&SharedVertices> {
        self.shared_vertices.as_ref()
    }

    /// How leaves of one body are related; may be changed before [`SeparationList::tree_changed`].
    pub fn shared_vertices_mut(&mut self) -> Option<&mut SharedVertices> {
        self.shared_vertices.as_mut()
    }

    /// The highest pairs that overlap and have an altered node, in the order of a traversal.
    fn outdated(&self, altered: [&BTreeSet<u32>; 2], topologies: [&Topology; 2]) -> Vec<u32> {
        let ways = [0, 1].map(|side| ways_to(altered[side], topologies[side]));
        let mut outdated = Vec::new();
        let mut stack = vec![ROOT];
        while let Some(number) = stack.pop() {
            let pair = &self.pairs[number as usize];
            let [x, y] = pair.nodes;
            if !ways[0].contains(&x) && !ways[1].contains(&y) {
                continue;
            }
            if !altered[0].contains(&x) && !altered[1].contains(&y) {
                stack.extend(self.children(number));
            } else if pair.state != State::Apart {
                outdated.push(number);
            }
        }
        outdated
    }

    /// Takes everything out that hangs below a pair.
    fn cut_off(&mut self, pair: u32, context: &mut EventContext<'_>) {
        let mut stack: Vec<u32> = self.children(pair).collect();
        self.uncount(pair);
        while let Some(number) = stack.pop() {
            stack.extend(self.children(number));
            self.release(number, context);
            self.uncount(number);
            self.pairs.remove(number as usize);
        }
    }

    /// A pair is about to lose its state.
    fn uncount(&mut self, pair: u32) {
        match self.pairs[pair as usize].state {
            State::Inner { .. } => self.inner -= 1,
            State::Excluded => self.excluded -= 1,
            State::Apart | State::Overlapping { .. } => {}
        }
    }
}

/// Some nodes and all nodes above them.
fn ways_to(nodes: &BTreeSet<u32>, topology: &Topology) -> BTreeSet<u32> {
    let mut ways = BTreeSet::new();
    for &node in nodes {
        let mut next = Some(node);
        while let Some(node) = next
            && ways.insert(node)
        {
            next = topology.node(node).parent();
        }
    }
    ways
}
