//! The kinetic separation list of two hierarchies.
//!
//! Maintains: the cut through the bounding volume test tree (all pairs of nodes a simultaneous
//! traversal could visit) at which the traversal stops: the lowest pairs that are apart while their
//! parents overlap, and the overlapping leaf pairs (the paper's Definition 2). The descent rule
//! does not depend on time: the children of a pair are all pairs of a child of one node with a
//! child of the other, a leaf standing for itself (four pairs below two binary inner nodes, two
//! below a leaf and one; up to sixteen and four in wide trees).
//!
//! ```text
//!                    (A, B)                  inner pairs: kept above the list
//!          .-----------+---------.---------.
//!       (a, b)      (a, b')   (a', b)   (a', b')
//!      .--+--.         #         #      .--+--.
//!   (1, 4) (1, 5) ...                (3, 6) (3, 7) ...
//!      #      o                         #      o
//!
//!   #  apart: one witness direction is certified        o  overlapping leaves: reported
//!   The cut is all # and o. When a # meets, the pair is opened up; when all pairs below an inner pair are #, the pair
//!   itself is certified, and becomes # once it parts.
//! ```
//!
//! | certificate | owner | event | what happens |
//! |---|---|---|---|
//! | the boxes stay apart along the witness direction | apart pair | [`EventKind::BoxesOverlap`] | another witness, or the pair is opened up |
//! | the boxes do not part | overlapping leaf pair | [`EventKind::LeavesSeparate`] | the pair becomes an apart pair |
//! | the boxes do not part | inner pair whose children are all apart | [`EventKind::ParentsSeparate`] | the pair takes the place of its children |
//!
//! A change of a slot makes the pairs compute again whose certificate uses it (the paper's
//! BV-change event, carried out at once). Boxes count as apart when their gap exceeds the slacks of
//! both bodies: pairs are listed a little early, never late.
//!
//! A body with itself: the cut starts at (root, root); a pair (n, n) has every pair of n's children
//! once, and each of them with itself. Leaves that share a corner count as never apart and have no
//! certificate; where all their primitives do, the pair is excluded and not listed
//! ([`SharedVertices`]). Corners that are welded and not one vertex may part. Such leaves stay
//! listed, and the pairs above them stay open: tests that find nothing, and no contact missed.
//!
//! Invariants (see `audit`): every certificate has exactly one scheduled event if it ever fails; a
//! pair with a certificate is linked from both its nodes; an inner pair with an overlapping child
//! needs none (its boxes hold the child's).
//!
//! Cost: an event touches at most the children of a pair; a slot change touches the pairs linked
//! from its node. One search per apart pair, six for a pair that overlaps.
//!
//! Follows Zachmann and Weller 2006, §7. Departures: one witness direction is certified instead of
//! all six extents, so most bound changes touch nothing; "parents part" is one certificate of the
//! parent instead of four of its children, and only once all of them are apart; the inner pairs
//! above the list are kept, so that a collapse finds its place in O(1).
//!
//! [`EventKind::BoxesOverlap`]: crate::kinetic::event::EventKind::BoxesOverlap
//! [`EventKind::LeavesSeparate`]: crate::kinetic::event::EventKind::LeavesSeparate
//! [`EventKind::ParentsSeparate`]: crate::kinetic::event::EventKind::ParentsSeparate

mod ahead;
mod audit;
mod build;
mod edit;
mod events;
mod query;
#[cfg(test)]
mod tests;

use crate::id::Slots;

use crate::bvh::Hierarchy;
use crate::bvh::{LeafRelation, SharedVertices};
use crate::kinetic::KineticHierarchy;
use crate::kinetic::box_pair::BoxPair;
use crate::stats::ListStats;

use ahead::PairsAhead;

const NONE: u32 = u32::MAX;

/// A kinetic separation list. The hierarchies are given to every call, always the same two.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct SeparationList {
    pairs: Slots<Pair>,
    /// Per node of the first and of the second hierarchy, the first pair linked to it.
    heads: [Vec<u32>; 2],
    /// Overlapping leaf pairs, in no useful order.
    overlapping: Vec<u32>,
    /// Leaf pairs that became overlapping since they were last taken, if the list records them.
    met: Option<Vec<(u32, u32)>>,
    owner: u32,
    inner: usize,
    excluded: usize,
    /// For the list of a body with itself, which of its leaves share a corner.
    shared_vertices: Option<SharedVertices>,
    stats: ListStats,
    /// What was found of the next epoch.
    #[cfg_attr(feature = "record", serde(skip))]
    ahead: PairsAhead,
    /// Memory for `met`, where that is not recorded yet; empty.
    #[cfg_attr(feature = "record", serde(skip))]
    met_room: Vec<(u32, u32)>,
}

/// A pair of nodes: a member of the list, or an inner pair above it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Pair {
    nodes: [u32; 2],
    parent: u32,
    /// The next child of its parent.
    sibling: u32,
    state: State,
    /// The certificate: while apart, of the gap; otherwise, of the overlap.
    boxes: BoxPair,
    /// Per side, the pairs before and after this one among those linked to the same node.
    links: [Link; 2],
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Link {
    previous: u32,
    next: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
enum State {
    /// In the list: apart along the witness direction.
    Apart,
    /// In the list: overlapping leaves; `place` in `overlapping`.
    Overlapping { place: u32 },
    /// Two leaves of one body in which every pair of primitives shares a corner: nothing to find,
    /// now or ever.
    Excluded,
    /// Above the list, with the first of its children, how many it has, and how many of them are
    /// apart.
    Inner { first: u32, count: u8, apart: u8 },
}

const _: () = assert!(size_of::<Pair>() == 48);

/// Two trees, or one twice.
pub trait Trees: Copy {
    /// The kind of the first tree.
    type A: KineticHierarchy;
    /// The kind of the second tree.
    type B: KineticHierarchy;

    /// Both trees.
    fn pair(&self) -> (&Self::A, &Self::B);

    /// The slack of both, metres.
    fn slack(&self) -> f64 {
        let (a, b) = self.pair();
        a.slack() + b.slack()
    }
}

impl<A: KineticHierarchy, B: KineticHierarchy> Trees for (&A, &B) {
    type A = A;
    type B = B;

    #[inline]
    fn pair(&self) -> (&A, &B) {
        *self
    }
}

impl SeparationList {
    /// How many pairs the list holds.
    pub fn len(&self) -> usize {
        self.pairs.len() - self.inner - self.excluded
    }

    /// Never: the list of two bodies holds at least one pair.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes held, scheduled events not included.
    pub fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>()
            + self.shared_vertices.as_ref().map_or(0, SharedVertices::bytes)
            + self.ahead.bytes()
            + (self.met.as_ref().map_or(0, Vec::capacity) + self.met_room.capacity()) * size_of::<(u32, u32)>()
            + (self.heads[0].capacity() + self.heads[1].capacity() + self.overlapping.capacity()) * size_of::<u32>()
    }

    /// Counters since the list was started.
    pub fn stats(&self) -> ListStats {
        ListStats { listed: self.len(), overlapping: self.overlapping.len(), inner: self.inner, ..self.stats }
    }
}

impl SeparationList {
    /// The relation of the nodes of a pair: disjoint unless this is the list of a body with itself
    /// and both are leaves.
    fn relation(&self, pair: u32, a: &impl Hierarchy) -> LeafRelation {
        let [x, y] = self.pairs[pair as usize].nodes;
        match &self.shared_vertices {
            Some(shared_vertices) if a.topology().node(x).is_leaf() && a.topology().node(y).is_leaf() => {
                shared_vertices.relation(x, y)
            }
            _ => LeafRelation::Disjoint,
        }
    }

    /// The children of a pair, in the order they were made in.
    fn children(&self, pair: u32) -> impl Iterator<Item = u32> {
        let first = match self.pairs[pair as usize].state {
            State::Inner { first, .. } => first,
            _ => NONE,
        };
        let named = |pair: u32| (pair != NONE).then_some(pair);
        std::iter::successors(named(first), move |&child| named(self.pairs[child as usize].sibling))
    }
}
