//! Winners and certificates of the next epoch, found a part at a time before it begins.
//!
//! Where an epoch begins, all winners are found and all certificates searched: a loop jumps, or
//! pieces are cut. Both follow from the motion from then on, and from the winners of the children.
//! So the slots are passed upward before, and the renewal of the epoch enters what was found. A
//! slot is certified as without this where it was not passed, where a child won otherwise, or where
//! vertices are level and the present winner, which keeps its place, is another one than was
//! assumed.
//!
//! Once all slots are passed, the boxes of the next epoch are known, and separation lists are
//! prepared from them ([`KineticAabbTree::view_ahead`]).

use super::{KineticAabbTree, View};
use crate::kinetic::TreeContext;
use crate::kinetic::certificate::{is_ahead, overtaking};
use crate::math::Extent;
use crate::motion::Motion;
use crate::time::{Moment, NEVER};

/// No vertex.
const NONE: u32 = u32::MAX;

/// What was found of the slots of a tree.
#[derive(Debug, Default)]
pub(crate) struct SlotsAhead {
    /// When the epoch begins; `None` where nothing was begun.
    at: Option<Moment>,
    /// When it ends, seconds.
    until: f64,
    /// All nodes, children before their parents.
    order: Vec<u32>,
    /// How many of them were passed.
    done: usize,
    /// Per node and extent, the vertex that wins.
    winners: Vec<[u32; 6]>,
    /// The present winner that was assumed, where that matters.
    assumed: Vec<[u32; 6]>,
    /// When the certificate fails.
    failures: Vec<[Moment; 6]>,
}

impl SlotsAhead {
    /// Forgets what was found.
    pub(crate) fn forget(&mut self) {
        self.at = None;
    }

    /// Whether an epoch was begun that begins at a moment.
    pub(crate) fn is_begun(&self, at: Moment) -> bool {
        self.at == Some(at)
    }

    /// How many nodes are not passed.
    pub(crate) fn left(&self) -> usize {
        self.order.len() - self.done
    }

    /// Whether all nodes were passed for an epoch that begins at a moment.
    pub(crate) fn is_complete(&self, at: Moment) -> bool {
        self.is_begun(at) && self.left() == 0
    }

    /// Whether a vertex was found to win a slot, or nothing was begun.
    pub(crate) fn agrees(&self, node: u32, extent: Extent, winner: u32) -> bool {
        self.at.is_none() || self.winners[node as usize][extent.index()] == winner
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        (self.winners.capacity() + self.assumed.capacity()) * size_of::<[u32; 6]>()
            + self.failures.capacity() * size_of::<[Moment; 6]>()
            + self.order.capacity() * size_of::<u32>()
    }

    /// Whether it holds for an epoch.
    fn holds(&self, context: &TreeContext<'_, '_>) -> bool {
        self.at == Some(context.events.now) && self.until == context.epoch_end
    }
}

impl KineticAabbTree {
    /// Begins an epoch from a moment until a time, seconds. O(nodes).
    pub(crate) fn begin_ahead(&self, ahead: &mut SlotsAhead, at: Moment, until: f64) {
        (ahead.at, ahead.until, ahead.done) = (Some(at), until, 0);
        ahead.order.clear();
        ahead.order.extend(self.topology.upward());
        let nodes = self.winners.len();
        for vertices in [&mut ahead.winners, &mut ahead.assumed] {
            vertices.clear();
            vertices.resize(nodes, [NONE; 6]);
        }
        ahead.failures.clear();
        ahead.failures.resize(nodes, [Moment::at(NEVER); 6]);
    }

    /// The tree as it was found for an epoch, if all of it was. The motion must be that of the
    /// epoch.
    pub(crate) fn view_ahead<'a>(
        &'a self,
        ahead: &'a SlotsAhead,
        motion: &'a Motion,
        slack: f64,
        at: Moment,
    ) -> Option<View<'a>> {
        let SlotsAhead { winners, until, .. } = ahead;
        ahead.is_complete(at).then(|| View {
            topology: &self.topology,
            winners,
            motion,
            slack,
            epoch_end: *until,
            cursor: motion.cursor(at),
        })
    }

    /// Passes some nodes. The motion must be that of the epoch that was begun.
    pub(crate) fn prepare_ahead(&self, ahead: &mut SlotsAhead, count: usize, motion: &Motion) {
        let Some(at) = ahead.at else { return };
        let end = ahead.order.len().min(ahead.done.saturating_add(count));
        for place in ahead.done..end {
            let node = ahead.order[place];
            for extent in Extent::ALL {
                let (winner, assumed) = self.winner_at(&ahead.winners, node, extent, (motion, at));
                let others = self.candidates_in(&ahead.winners, node, extent).filter(|&other| other != winner);
                let failure = others
                    .map(|other| overtaking(motion, winner, other, extent, at, ahead.until))
                    .fold(Moment::at(NEVER), Moment::min);
                let slot = (node as usize, extent.index());
                ahead.winners[slot.0][slot.1] = winner;
                ahead.assumed[slot.0][slot.1] = assumed;
                ahead.failures[slot.0][slot.1] = failure;
            }
        }
        ahead.done = end;
    }

    /// The vertex that wins a slot, and the present winner if it matters, as
    /// [`KineticAabbTree::best_now`] finds it.
    fn winner_at(
        &self,
        winners: &[[u32; 6]],
        node: u32,
        extent: Extent,
        (motion, at): (&Motion, Moment),
    ) -> (u32, u32) {
        let present = self.winner(node, extent);
        let is_ahead = |x: u32, y: u32| is_ahead(motion, x, y, extent, at);
        let mut candidates = self.candidates_in(winners, node, extent);
        let (mut best, mut assumed) = (candidates.next().unwrap_or(NONE), NONE);
        for next in candidates {
            if is_ahead(next, best) {
                best = next;
            } else if next != best && !is_ahead(best, next) {
                assumed = present;
                if next == present {
                    best = present;
                }
            }
        }
        (best, assumed)
    }

    /// What was found of a slot, if it holds: the winner, and when its certificate fails. It may be
    /// known that the winners of all children are as found.
    pub(super) fn found_ahead(
        &self,
        ahead: &SlotsAhead,
        node: u32,
        extent: Extent,
        are_children_as_found: bool,
        context: &TreeContext<'_, '_>,
    ) -> Option<(u32, Moment)> {
        let place = |table: &[[u32; 6]], node: u32| table[node as usize][extent.index()];
        if !ahead.holds(context) || place(&ahead.winners, node) == NONE {
            return None;
        }
        let assumed = place(&ahead.assumed, node);
        let is_as_assumed = assumed == NONE || assumed == self.winner(node, extent);
        let is_same = |&child: &u32| self.winner(child, extent) == place(&ahead.winners, child);
        let are_same = || self.topology.node(node).children().iter().all(is_same);
        let holds = is_as_assumed && (are_children_as_found || are_same());
        holds.then(|| (place(&ahead.winners, node), ahead.failures[node as usize][extent.index()]))
    }
}
