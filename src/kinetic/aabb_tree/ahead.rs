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

use super::{KineticAabbTree, View, slot_number};
use crate::kinetic::TreeContext;
use crate::kinetic::certificate::{first_overtaking, is_ahead};
use crate::kinetic::event::Event;
use crate::math::Extent;
use crate::motion::{Cursor, Motion};
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
    /// Scratch.
    stack: Vec<u32>,
    /// How many of them were passed.
    done: usize,
    /// Per node and extent, the vertex that wins.
    winners: Vec<[u32; 6]>,
    /// Slots in which the present winner matters, and which was assumed; in the order of passing.
    assumed: Vec<(u32, u32)>,
    /// Slots whose certificates fail, and when; in the order of passing.
    failures: Vec<(u32, Moment)>,
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
        self.winners.capacity() * size_of::<[u32; 6]>()
            + self.assumed.capacity() * size_of::<(u32, u32)>()
            + self.failures.capacity() * size_of::<(u32, Moment)>()
            + (self.order.capacity() + self.stack.capacity()) * size_of::<u32>()
    }
}

impl KineticAabbTree {
    /// Begins an epoch from a moment until a time, seconds. O(nodes).
    pub(crate) fn begin_ahead(&self, ahead: &mut SlotsAhead, at: Moment, until: f64) {
        (ahead.at, ahead.until, ahead.done) = (Some(at), until, 0);
        self.topology.list_upward(&mut ahead.order, &mut ahead.stack);
        ahead.winners.clear();
        ahead.winners.resize(self.winners.len(), [NONE; 6]);
        ahead.assumed.clear();
        ahead.failures.clear();
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
        let cursor = motion.cursor(at);
        let end = ahead.order.len().min(ahead.done.saturating_add(count));
        for place in ahead.done..end {
            let node = ahead.order[place];
            for extent in Extent::ALL {
                let (winner, assumed) = self.winner_at(&ahead.winners, node, extent, (motion, &cursor));
                let candidates = self.candidates_in(&ahead.winners, node, extent);
                let failure = first_overtaking(motion, winner, candidates, extent, at, ahead.until);
                ahead.winners[node as usize][extent.index()] = winner;
                let slot = slot_number(node, extent);
                if assumed != NONE {
                    ahead.assumed.push((slot, assumed));
                }
                if failure.time() != NEVER {
                    ahead.failures.push((slot, failure));
                }
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
        (motion, at): (&Motion, &Cursor),
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

    /// The next slot, if what was found of it holds: its winner, and when its certificate fails.
    pub(super) fn found_ahead(&self, reader: &mut Reader<'_>, node: u32, extent: Extent) -> Option<(u32, Moment)> {
        if reader.left == 0 {
            return None;
        }
        let (slot, index) = (slot_number(node, extent), extent.index());
        let present = self.winner(node, extent);
        let is_as_assumed = next_of(&mut reader.assumed, slot).is_none_or(|assumed| assumed == present);
        let failure = next_of(&mut reader.failures, slot).unwrap_or(Moment::at(NEVER));
        if index + 1 == Extent::ALL.len() {
            reader.left -= 1;
        }
        let found = &reader.ahead.winners;
        // While every slot is as it was found, so are all children.
        let is_same = |&child: &u32| self.winner(child, extent) == found[child as usize][index];
        let are_same = || self.topology.node(node).children().iter().all(is_same);
        let holds = is_as_assumed && (reader.is_as_found || are_same());
        reader.is_as_found &= holds;
        holds.then(|| (found[node as usize][index], failure))
    }

    /// Takes what was found of the epoch that begins now, if all slots were passed; returns whether
    /// they were. A slot of which it does not hold is certified; slots are not reported one by one.
    pub(super) fn enter_ahead(&mut self, ahead: &SlotsAhead, context: &mut TreeContext<'_, '_>) -> bool {
        if !ahead.is_complete(context.events.now) || ahead.until != context.epoch_end {
            return false;
        }
        // Certificates of an epoch fail before its end, so mostly none is left.
        self.retire(context.events);
        let (mut assumed, mut failures) = (&ahead.assumed[..], &ahead.failures[..]);
        let mut is_as_found = true;
        for &node in &ahead.order {
            let assumed = entries_of(&mut assumed, node);
            let failures = entries_of(&mut failures, node);
            let (before, found) = (self.winners[node as usize], ahead.winners[node as usize]);
            // While every slot is as it was found, so are all children.
            let may_differ = !is_as_found || assumed.iter().any(|&entry| !self.is_present(entry));
            if may_differ && !Extent::ALL.into_iter().all(|extent| self.holds(ahead, node, extent, assumed)) {
                is_as_found &= self.certify_where_other(ahead, node, assumed, failures, context);
                continue;
            }
            if before != found {
                Extent::ALL.into_iter().for_each(|extent| self.enter(node, extent, found[extent.index()], context));
            }
            self.stats.certificates_searched += Extent::ALL.len() as u64;
            for &(slot, moment) in failures {
                let event = Event { moment, kind: self.kind(node), owner: self.owner, slot };
                self.tickets[node as usize][slot as usize % 6] = context.events.queue.push(event);
            }
        }
        true
    }

    /// Certifies the slots of a node of which what was found does not hold, and enters the others,
    /// given what was assumed, and which certificates fail. Returns whether all winners are those
    /// that were found.
    fn certify_where_other(
        &mut self,
        ahead: &SlotsAhead,
        node: u32,
        assumed: &[(u32, u32)],
        failures: &[(u32, Moment)],
        context: &mut TreeContext<'_, '_>,
    ) -> bool {
        let cursor = context.motion.cursor(context.events.now);
        for extent in Extent::ALL {
            if self.holds(ahead, node, extent, assumed) {
                self.enter(node, extent, ahead.winners[node as usize][extent.index()], context);
                let failure = failures.iter().find(|&&(slot, _)| slot == slot_number(node, extent));
                self.schedule(node, extent, failure.map_or(Moment::at(NEVER), |&(_, moment)| moment), context);
            } else {
                let winner = self.best_at(node, extent, context.motion, &cursor);
                self.enter(node, extent, winner, context);
                self.certify(node, extent, context);
            }
        }
        self.winners[node as usize] == ahead.winners[node as usize]
    }

    /// Whether a vertex that was assumed to win a slot at present does.
    fn is_present(&self, (slot, winner): (u32, u32)) -> bool {
        self.winners[slot as usize / 6][slot as usize % 6] == winner
    }

    /// Whether what was found of a slot holds: its present winner is that which was assumed, if it
    /// matters, and the children's winners are those that were found.
    fn holds(&self, ahead: &SlotsAhead, node: u32, extent: Extent, assumed: &[(u32, u32)]) -> bool {
        let index = extent.index();
        let is_same = |&child: &u32| self.winners[child as usize][index] == ahead.winners[child as usize][index];
        assumed.iter().all(|&entry| entry.0 != slot_number(node, extent) || self.is_present(entry))
            && self.topology.node(node).children().iter().all(is_same)
    }

    /// Has a vertex win a slot, and logs it if that is another one than before.
    fn enter(&mut self, node: u32, extent: Extent, winner: u32, context: &mut TreeContext<'_, '_>) {
        let slot = &mut self.winners[node as usize][extent.index()];
        if std::mem::replace(slot, winner) != winner {
            self.record(node, extent, context.events);
        }
    }
}

/// Where the reading of what was found is.
pub(super) struct Reader<'a> {
    ahead: &'a SlotsAhead,
    /// What comes after the slots that were read.
    assumed: &'a [(u32, u32)],
    failures: &'a [(u32, Moment)],
    /// How many nodes are to be read that were passed.
    left: usize,
    /// Whether all slots read so far are as they were found.
    is_as_found: bool,
}

impl<'a> Reader<'a> {
    /// Reads what was found of the epoch that begins now, slot by slot in the order of passing.
    pub(super) fn of(ahead: &'a SlotsAhead, context: &TreeContext<'_, '_>) -> Self {
        let holds = ahead.at == Some(context.events.now) && ahead.until == context.epoch_end;
        let known = if holds { &ahead.order[..ahead.done] } else { &[] };
        Self { ahead, assumed: &ahead.assumed, failures: &ahead.failures, left: known.len(), is_as_found: true }
    }
}

/// Takes the first of some entries if it is that of a slot.
fn next_of<T: Copy>(entries: &mut &[(u32, T)], slot: u32) -> Option<T> {
    let &(first, value) = entries.first()?;
    (first == slot).then(|| {
        *entries = &entries[1..];
        value
    })
}

/// Takes the first of some entries, those of a node.
fn entries_of<'a, T>(entries: &mut &'a [(u32, T)], node: u32) -> &'a [(u32, T)] {
    let count = entries.iter().take_while(|&&(slot, _)| slot / 6 == node).count();
    let (own, rest) = entries.split_at(count);
    *entries = rest;
    own
}
