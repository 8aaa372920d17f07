//! Starting a separation list, opening pairs up, and certifying all of a list anew.

use super::events::widest_gap;
use super::{Link, NONE, Pair, SeparationList, State};
use crate::event::Ticket;
use crate::kds::{Clockwork, KineticHierarchy, Kinship, Relation, Topology};
use crate::math::GapDirection;
use crate::motion::Piece;
use crate::stats::ListStats;

use slab::Slab;

impl SeparationList {
    /// Starts at the roots and descends as far as boxes overlap at the clock's moment.
    pub fn new(a: &impl KineticHierarchy, b: &impl KineticHierarchy, owner: u32, clock: &mut Clockwork<'_>) -> Self {
        Self::start(a, b, None, owner, clock)
    }

    /// The list of a hierarchy with itself; leaves that share a corner are kept out as `kinship` says.
    pub fn of_one(a: &impl KineticHierarchy, kinship: Kinship, owner: u32, clock: &mut Clockwork<'_>) -> Self {
        Self::start(a, a, Some(kinship), owner, clock)
    }

    fn start(
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        kinship: Option<Kinship>,
        owner: u32,
        clock: &mut Clockwork<'_>,
    ) -> Self {
        let heads = |hierarchy: &Topology| vec![NONE; hierarchy.nodes().len()];
        let mut list = Self {
            pairs: Slab::new(),
            heads: [heads(a.topology()), heads(b.topology())],
            overlapping: Vec::new(),
            met: None,
            owner,
            inner: 0,
            sealed: 0,
            kinship,
            stats: ListStats::default(),
        };
        let root = list.insert(0, 0, NONE);
        list.settle(root, [&a.bounds(0, clock.now), &b.bounds(0, clock.now)], a, b, clock);
        list
    }

    /// Certifies every pair anew at the clock's moment, whatever happened to the hierarchies: after a jump, or when a
    /// body's epoch ended. What is no longer true is scheduled for now. O(list).
    pub fn certify_all(&mut self, a: &impl KineticHierarchy, b: &impl KineticHierarchy, clock: &mut Clockwork<'_>) {
        for pair in 0..self.pairs.capacity() as u32 {
            match self.pairs.get(pair as usize).map(|pair| pair.state) {
                Some(State::Apart { .. }) => self.certify_apart(pair, a, b, clock),
                // Leaves that share a corner are not linked, and overlap for ever.
                Some(State::Overlapping { .. }) if self.is_linked(pair) => self.certify_opening(pair, a, b, clock),
                Some(State::Inner { .. }) => self.certify_father(pair, a, b, clock),
                Some(State::Overlapping { .. } | State::Sealed) | None => {}
            }
        }
    }

    pub(super) fn insert(&mut self, node_a: u32, node_b: u32, father: u32) -> u32 {
        let unlinked = Link { previous: NONE, next: NONE };
        self.pairs.insert(Pair {
            nodes: [node_a, node_b],
            father,
            // Until it is settled; no pair is left in this state.
            state: State::Apart { witness: GapDirection::ALL[0] },
            ticket: Ticket::NONE,
            links: [unlinked; 2],
        }) as u32
    }

    /// Gives a new pair its place: apart, overlapping, or opened up until its descendants are one of the two.
    ///
    /// `bounds` are those of its two nodes. Returns whether the pair itself is apart; the father's count is the caller's
    /// business.
    pub(super) fn settle(
        &mut self,
        pair: u32,
        bounds: [&[Piece; 6]; 2],
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut Clockwork<'_>,
    ) -> bool {
        // A box is never apart from itself.
        if let Some(witness) = widest_gap(bounds, a.slack() + b.slack(), clock.now) {
            self.become_apart(pair, witness, a, b, clock);
            return true;
        }
        self.descend(pair, a, b, clock);
        false
    }

    /// Opens up a pair whose boxes overlap; a pair of leaves joins the overlapping.
    pub(super) fn descend(
        &mut self,
        pair: u32,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut Clockwork<'_>,
    ) {
        let [node_a, node_b] = self.pairs[pair as usize].nodes;
        let (below_a, below_b) = (a.topology().node(node_a).children(), b.topology().node(node_b).children());
        if below_a.is_none() && below_b.is_none() {
            match self.relation(pair, a) {
                Relation::Strangers => self.become_overlapping(pair, a, b, clock),
                Relation::Touching => self.list_overlapping(pair),
                Relation::Sealed => {
                    self.sealed += 1;
                    self.pairs[pair as usize].state = State::Sealed;
                }
            }
            return;
        }
        // Four pairs below two inner nodes, two below a leaf and an inner node, three below a node paired with itself. Every
        // node's bounds are read once.
        let is_one = self.kinship.is_some() && node_a == node_b;
        let nodes_a = below_a.map_or([node_a, NONE], |(left, right)| [left, right]);
        let nodes_b = below_b.map_or([node_b, NONE], |(left, right)| [left, right]);
        let mut children = [NONE; 4];
        for (place, child) in children.iter_mut().enumerate() {
            let (x, y) = (nodes_a[place / 2], nodes_b[place % 2]);
            let is_twin = is_one && place == 2;
            if x != NONE && y != NONE && !is_twin {
                *child = self.insert(x, y, pair);
            }
        }
        self.inner += 1;
        self.pairs[pair as usize].state = State::Inner { children, apart: 0, opens: GapDirection::ALL[0] };
        let bounds_a = nodes_a.map(|node| (node != NONE).then(|| a.bounds(node, clock.now)));
        let bounds_b = nodes_b.map(|node| (node != NONE).then(|| b.bounds(node, clock.now)));
        for (place, child) in children.into_iter().enumerate() {
            if let (Some(x), Some(y)) = (&bounds_a[place / 2], &bounds_b[place % 2])
                && child != NONE
                && self.settle(child, [x, y], a, b, clock)
            {
                self.count_apart(pair, 1);
            }
        }
        self.certify_father(pair, a, b, clock);
    }

    /// Adds to the number of children of an inner pair that are apart.
    pub(super) fn count_apart(&mut self, pair: u32, change: i8) {
        if let State::Inner { apart, .. } = &mut self.pairs[pair as usize].state {
            *apart = apart.wrapping_add_signed(change);
        }
    }
}
