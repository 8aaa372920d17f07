//! Starting a separation list, opening pairs up, and certifying a whole list again.

use std::ops::Range;

use super::ahead::PairsAhead;
use super::{Link, NONE, Pair, SeparationList, State, Trees};
use crate::bvh::builders::MOST_CHILDREN;
use crate::bvh::{Hierarchy, LeafRelation, SharedVertices};
use crate::kinetic::box_pair::{BoxPair, widest_gap};
use crate::kinetic::{EventContext, KineticHierarchy};
use crate::math::Extent;
use crate::motion::Piece;
use crate::stats::ListStats;

use crate::id::Slots;

impl SeparationList {
    /// Starts at the roots and descends as far as boxes overlap at the clock's moment.
    pub fn new(trees: impl Trees, owner: u32, context: &mut EventContext<'_>) -> Self {
        let mut list = Self::unstarted();
        list.start(trees, None, owner, context);
        list
    }

    /// Becomes the list of other hierarchies, as [`SeparationList::new`] starts it, in the memory
    /// of this one, which was emptied.
    pub(crate) fn restart(&mut self, trees: impl Trees, owner: u32, context: &mut EventContext<'_>) {
        self.start(trees, None, owner, context);
    }

    /// The list of a hierarchy with itself; leaves that share a corner are kept out as
    /// `shared_vertices` says.
    pub fn of_one(
        a: &impl KineticHierarchy,
        shared_vertices: SharedVertices,
        owner: u32,
        context: &mut EventContext<'_>,
    ) -> Self {
        let mut list = Self::unstarted();
        list.start((a, a), Some(shared_vertices), owner, context);
        list
    }

    /// The list of no hierarchies.
    fn unstarted() -> Self {
        Self {
            pairs: Slots::new(),
            heads: [Vec::new(), Vec::new()],
            overlapping: Vec::new(),
            met: None,
            owner: 0,
            inner: 0,
            excluded: 0,
            shared_vertices: None,
            stats: ListStats::default(),
            ahead: PairsAhead::default(),
            met_room: Vec::new(),
        }
    }

    /// Becomes the list of no hierarchies, and keeps its memory. All its events must have been
    /// retired.
    pub(crate) fn empty(&mut self) {
        self.pairs.clear();
        self.heads.iter_mut().for_each(Vec::clear);
        self.overlapping.clear();
        if let Some(mut met) = self.met.take() {
            met.clear();
            self.met_room = met;
        }
        (self.inner, self.excluded, self.stats) = (0, 0, ListStats::default());
        self.shared_vertices = None;
        self.forget_ahead();
    }

    /// Becomes the list of two hierarchies, from that of none.
    fn start(
        &mut self,
        trees: impl Trees,
        shared_vertices: Option<SharedVertices>,
        owner: u32,
        context: &mut EventContext<'_>,
    ) {
        let (a, b) = trees.pair();
        for (heads, topology) in self.heads.iter_mut().zip([a.topology(), b.topology()]) {
            heads.resize(topology.nodes().len(), NONE);
        }
        (self.owner, self.shared_vertices) = (owner, shared_vertices);
        let root = self.insert(0, 0, NONE);
        self.settle(root, trees, context);
    }

    /// Certifies every pair again at the clock's moment, whatever changed in the hierarchies: after
    /// a jump, or when a body's epoch ended. The failure of a certificate that does not hold any
    /// more is scheduled for now. O(list).
    pub fn certify_all(&mut self, trees: impl Trees, context: &mut EventContext<'_>) {
        self.certify_all_as_found(|_, _, _| false, trees, context);
    }

    /// The same, where some of it was found ahead. `is_as_found` says of a side, 0 or 1, a node and
    /// an extent whether the bound there is the one that was assumed. Returns how many certificates
    /// were entered as found.
    pub(crate) fn certify_all_as_found(
        &mut self,
        is_as_found: impl Fn(usize, u32, Extent) -> bool,
        trees: impl Trees,
        context: &mut EventContext<'_>,
    ) -> u64 {
        let (ahead, mut entered) = (self.take_ahead(trees, context.now), 0);
        for pair in 0..self.place_count() {
            let is_linked = match self.pairs.get(pair as usize).map(|pair| pair.state) {
                Some(State::Apart) => true,
                // Leaves that share a corner are not linked, and stay listed.
                Some(State::Overlapping { .. }) => self.is_linked(pair),
                Some(State::Inner { .. }) => self.link_if_all_apart(pair, context),
                Some(State::Excluded) | None => false,
            };
            if is_linked {
                if self.certify_as_found(pair, &ahead, &is_as_found, context) {
                    entered += 1;
                } else {
                    self.certify_linked(pair, trees, context);
                }
            }
        }
        self.keep_ahead(ahead);
        entered
    }

    /// Certifies a pair that is linked.
    fn certify_linked(&mut self, pair: u32, trees: impl Trees, context: &mut EventContext<'_>) {
        match self.pairs[pair as usize].state {
            State::Apart => self.certify_apart(pair, trees, context),
            _ => self.certify_opening(pair, trees, context),
        }
    }

    /// Certifies some pairs again, by their places, whose certificates were not found to fail
    /// before a time, seconds: from that time on, the motion of one of the bodies is another one
    /// than was known, and the same until then. To be done for all places before that time.
    pub fn extend(&mut self, places: Range<u32>, since: f64, trees: impl Trees, context: &mut EventContext<'_>) {
        for pair in places.start..places.end.min(self.place_count()) {
            let Some(Pair { boxes, .. }) = self.pairs.get(pair as usize) else { continue };
            let ticket = boxes.ticket;
            let is_earlier = ticket.is_some() && context.queue.get(ticket).moment.time() < since;
            if !is_earlier && self.is_linked(pair) {
                self.certify_linked(pair, trees, context);
            }
        }
    }

    /// The number of places up to the last pair, free ones included.
    pub fn place_count(&self) -> u32 {
        self.pairs.iter().next_back().map_or(0, |(last, _)| last as u32 + 1)
    }

    pub(super) fn insert(&mut self, node_a: u32, node_b: u32, parent: u32) -> u32 {
        let unlinked = Link { previous: NONE, next: NONE };
        self.pairs.insert(Pair {
            nodes: [node_a, node_b],
            parent,
            sibling: NONE,
            // Until it is settled; no pair is left in this state.
            state: State::Apart,
            boxes: BoxPair::NEW,
            links: [unlinked; 2],
        }) as u32
    }

    /// Gives a new pair its place: apart, overlapping, or opened up until its descendants are one
    /// of the two.
    ///
    /// Returns whether the pair itself is apart; the caller counts it at the parent.
    pub(super) fn settle(&mut self, pair: u32, trees: impl Trees, context: &mut EventContext<'_>) -> bool {
        let [x, y] = self.pairs[pair as usize].nodes;
        let (a, b) = trees.pair();
        let bounds = [&a.bounds(x, context.now), &b.bounds(y, context.now)];
        self.settle_with(pair, bounds, trees, context)
    }

    /// The same with the bounds of the two nodes at hand.
    fn settle_with(
        &mut self,
        pair: u32,
        bounds: [&[Piece; 6]; 2],
        trees: impl Trees,
        context: &mut EventContext<'_>,
    ) -> bool {
        // A box is never apart from itself.
        if let Some(witness) = widest_gap(bounds, trees.slack(), context.now) {
            self.become_apart(pair, witness, trees, context);
            return true;
        }
        self.descend(pair, trees, context);
        false
    }

    /// Opens up a pair whose boxes overlap; a pair of leaves joins the overlapping.
    pub(super) fn descend(&mut self, pair: u32, trees: impl Trees, context: &mut EventContext<'_>) {
        let [node_a, node_b] = self.pairs[pair as usize].nodes;
        let (a, b) = trees.pair();
        let (below_a, below_b) = (a.topology().node(node_a).children(), b.topology().node(node_b).children());
        if below_a.is_empty() && below_b.is_empty() {
            match self.relation(pair, a) {
                LeafRelation::Disjoint => self.become_overlapping(pair, trees, context),
                LeafRelation::Touching => self.list_overlapping(pair),
                LeafRelation::Excluded => {
                    self.excluded += 1;
                    self.pairs[pair as usize].state = State::Excluded;
                }
            }
            return;
        }
        // Every child of one node with every child of the other, a leaf standing for itself; below
        // a node paired with itself, every two of its children once. Every node's bounds are read
        // once.
        let is_self = self.shared_vertices.is_some() && node_a == node_b;
        let nodes_a = if below_a.is_empty() { &[node_a] } else { below_a };
        let nodes_b = if below_b.is_empty() { &[node_b] } else { below_b };
        let first_of = |place: usize| if is_self { place } else { 0 };
        let (mut children, mut count) = ([NONE; MOST_CHILDREN * MOST_CHILDREN], 0);
        for (place, &x) in nodes_a.iter().enumerate() {
            for &y in &nodes_b[first_of(place)..] {
                children[count] = self.insert(x, y, pair);
                count += 1;
            }
        }
        let children = &children[..count];
        for two in children.windows(2) {
            self.pairs[two[0] as usize].sibling = two[1];
        }
        self.inner += 1;
        self.pairs[pair as usize].state = State::Inner { first: children[0], count: count as u8, apart: 0 };
        let bounds_a: [_; MOST_CHILDREN] = std::array::from_fn(|x| nodes_a.get(x).map(|&x| a.bounds(x, context.now)));
        let bounds_b: [_; MOST_CHILDREN] = std::array::from_fn(|y| nodes_b.get(y).map(|&y| b.bounds(y, context.now)));
        let mut next = children.iter();
        for (place, x) in bounds_a.iter().flatten().enumerate() {
            for y in bounds_b.iter().flatten().skip(first_of(place)) {
                if let Some(&child) = next.next()
                    && self.settle_with(child, [x, y], trees, context)
                {
                    self.count_apart(pair, 1);
                }
            }
        }
        self.certify_parent(pair, trees, context);
    }

    /// Adds to the number of children of an inner pair that are apart.
    pub(super) fn count_apart(&mut self, pair: u32, change: i8) {
        if let State::Inner { apart, .. } = &mut self.pairs[pair as usize].state {
            *apart = apart.wrapping_add_signed(change);
        }
    }
}
