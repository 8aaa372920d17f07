//! Starting a separation list, opening pairs up, and certifying all of a list anew.

use super::{Link, NONE, Pair, SeparationList, State};
use crate::event::Ticket;
use crate::kds::{Clockwork, Hierarchy, KineticHierarchy, Kinship, Relation, Topology};
use crate::math::GapDirection;
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
        list.settle(root, a, b, clock);
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
    /// Returns whether the pair itself is apart. The father's count is the caller's business.
    pub(super) fn settle(
        &mut self,
        pair: u32,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut Clockwork<'_>,
    ) -> bool {
        let [node_a, node_b] = self.pairs[pair as usize].nodes;
        let is_one = self.kinship.is_some() && node_a == node_b;
        if !is_one && let Some(witness) = self.widest_gap(pair, a, b, clock.now) {
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
        let children = child_pairs(a, b, node_a, node_b, self.kinship.is_some());
        if children[0] == (NONE, NONE) {
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
        let ids = children.map(|(x, y)| if x == NONE { NONE } else { self.insert(x, y, pair) });
        self.inner += 1;
        self.pairs[pair as usize].state = State::Inner { children: ids, apart: 0, opens: GapDirection::ALL[0] };
        for child in ids.into_iter().filter(|&child| child != NONE) {
            if self.settle(child, a, b, clock) {
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

/// The pairs below a pair: four below two inner nodes, two below a leaf and an inner node, none (all `NONE`) below leaves.
/// Three below an inner node paired with itself.
pub(super) fn child_pairs(
    a: &impl Hierarchy,
    b: &impl Hierarchy,
    node_a: u32,
    node_b: u32,
    is_self: bool,
) -> [(u32, u32); 4] {
    const EMPTY: (u32, u32) = (NONE, NONE);
    if is_self && node_a == node_b {
        let children = a.topology().node(node_a).children();
        return children.map_or([EMPTY; 4], |(l, r)| [(l, l), (l, r), (r, r), EMPTY]);
    }
    match (a.topology().node(node_a).children(), b.topology().node(node_b).children()) {
        (Some((la, ra)), Some((lb, rb))) => [(la, lb), (la, rb), (ra, lb), (ra, rb)],
        (Some((la, ra)), None) => [(la, node_b), (ra, node_b), EMPTY, EMPTY],
        (None, Some((lb, rb))) => [(node_a, lb), (node_a, rb), EMPTY, EMPTY],
        (None, None) => [EMPTY; 4],
    }
}
