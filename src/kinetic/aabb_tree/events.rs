//! Events of a kinetic AABB tree: leaf events, tree events, flightplan changes.

use super::{KineticAabbTree, slot_number};
use crate::kinetic::certificate::overtaking;
use crate::kinetic::event::{Event, EventKind, LoggedEvent, Ticket};
use crate::kinetic::{EventContext, SlotChange};
use crate::math::Extent;
use crate::motion::Motion;
use crate::time::{Moment, NEVER};

impl KineticAabbTree {
    /// Processes a leaf or tree event of this tree that was just taken from the queue. Reports every changed slot.
    pub fn process(
        &mut self,
        event: Event,
        motion: &Motion,
        until: f64,
        clock: &mut EventContext<'_>,
        changes: &mut Vec<SlotChange>,
    ) {
        let (node, extent) = (event.slot / 6, Extent::ALL[event.slot as usize % 6]);
        self.tickets[node as usize][extent.index()] = Ticket::NONE;
        match event.kind {
            EventKind::Leaf => self.stats.leaf_events += 1,
            _ => self.stats.tree_events += 1,
        }
        let winner = self.successor(node, extent, motion, until, clock);
        if winner == self.winner(node, extent) {
            // Whoever was due fell behind again in the segment that begins now.
            self.certify(node, extent, motion, until, clock);
            return;
        }
        self.set_winner(node, extent, winner, motion, until, clock, changes);
        self.propagate(node, extent, motion, until, clock, changes);
    }

    /// Certifies anew every slot in which one of `vertices` takes part, after their flightplans changed now. Reports every
    /// slot whose winner changed or is one of `vertices`. O(log m) slots per vertex and leaf it occurs in.
    pub fn replan(
        &mut self,
        vertices: &[u32],
        motion: &Motion,
        until: f64,
        clock: &mut EventContext<'_>,
        changes: &mut Vec<SlotChange>,
    ) {
        for &vertex in vertices {
            for place in 0..self.topology.leaves_of(vertex).len() {
                let leaf = self.topology.leaves_of(vertex)[place];
                for extent in Extent::ALL {
                    self.replan_path(vertex, leaf, extent, motion, until, clock, changes);
                }
            }
        }
    }

    /// Goes up from a leaf for as long as the slot below changed its winner, or has the changed vertex as its winner.
    fn replan_path(
        &mut self,
        vertex: u32,
        leaf: u32,
        extent: Extent,
        motion: &Motion,
        until: f64,
        clock: &mut EventContext<'_>,
        changes: &mut Vec<SlotChange>,
    ) {
        let mut next = Some(leaf);
        while let Some(node) = next {
            self.stats.slots_replanned += 1;
            let old = self.winner(node, extent);
            let new = self.best_now(node, extent, motion, clock);
            if new != old {
                self.winners[node as usize][extent.index()] = new;
                self.record(node, extent, clock);
            }
            self.certify(node, extent, motion, until, clock);
            if new == old && new != vertex {
                break;
            }
            changes.push(SlotChange { node, extent });
            next = self.topology.node(node).parent();
        }
    }

    /// Who wins a slot whose certificate failed now: whoever nobody overtakes at this moment.
    fn successor(&self, node: u32, extent: Extent, motion: &Motion, until: f64, clock: &EventContext<'_>) -> u32 {
        let winner = self.winner(node, extent);
        let better = |best: u32, next: u32| {
            if overtaking(motion, best, next, extent, clock.now, until) <= clock.now { next } else { best }
        };
        self.candidates(node, extent).fold(winner, better)
    }

    /// Gives a slot a new winner and certifies it.
    fn set_winner(
        &mut self,
        node: u32,
        extent: Extent,
        winner: u32,
        motion: &Motion,
        until: f64,
        clock: &mut EventContext<'_>,
        changes: &mut Vec<SlotChange>,
    ) {
        self.winners[node as usize][extent.index()] = winner;
        self.stats.updates += 1;
        self.record(node, extent, clock);
        self.certify(node, extent, motion, until, clock);
        changes.push(SlotChange { node, extent });
    }

    /// Carries a new winner upward: while it replaces the parent's winner, the parent changes too.
    fn propagate(
        &mut self,
        mut node: u32,
        extent: Extent,
        motion: &Motion,
        until: f64,
        clock: &mut EventContext<'_>,
        changes: &mut Vec<SlotChange>,
    ) {
        while let Some(parent) = self.topology.node(node).parent() {
            let parent_winner = self.winner(parent, extent);
            if self.candidates(parent, extent).any(|candidate| candidate == parent_winner) {
                // The winner stays; one of its losers is another.
                self.certify(parent, extent, motion, until, clock);
                return;
            }
            let winner = self.winner(node, extent);
            self.set_winner(parent, extent, winner, motion, until, clock, changes);
            node = parent;
        }
    }

    /// Searches the failure of a slot's certificate from now on and schedules it, or erases what was scheduled.
    pub(super) fn certify(
        &mut self,
        node: u32,
        extent: Extent,
        motion: &Motion,
        until: f64,
        clock: &mut EventContext<'_>,
    ) {
        self.stats.certificates_searched += 1;
        let (kind, moment) = self.failure(node, extent, motion, until, clock.now);
        let ticket = &mut self.tickets[node as usize][extent.index()];
        if moment.time() == NEVER {
            if ticket.is_some() {
                clock.queue.erase(*ticket);
                *ticket = Ticket::NONE;
            }
        } else if ticket.is_some() {
            clock.queue.reschedule(*ticket, moment);
        } else {
            *ticket = clock.queue.push(Event { moment, kind, owner: self.owner, slot: slot_number(node, extent) });
        }
    }

    /// When a slot's certificate fails, not before `from`.
    pub(super) fn failure(
        &self,
        node: u32,
        extent: Extent,
        motion: &Motion,
        until: f64,
        from: Moment,
    ) -> (EventKind, Moment) {
        let winner = self.winner(node, extent);
        let kind = if self.topology.node(node).is_leaf() { EventKind::Leaf } else { EventKind::Tree };
        let moment = self
            .candidates(node, extent)
            .filter(|&candidate| candidate != winner)
            .map(|candidate| overtaking(motion, winner, candidate, extent, from, until))
            .fold(Moment::at(NEVER), Moment::min);
        (kind, moment)
    }

    pub(super) fn record(&mut self, node: u32, extent: Extent, clock: &mut EventContext<'_>) {
        let is_leaf = self.topology.node(node).is_leaf();
        clock.log.record(LoggedEvent {
            moment: clock.now,
            kind: if is_leaf { EventKind::Leaf } else { EventKind::Tree },
            owner: self.owner,
            first: slot_number(node, extent),
            second: self.winner(node, extent),
        });
    }

    /// Takes all events of this tree out of the queue.
    pub fn retire(&mut self, clock: &mut EventContext<'_>) {
        for tickets in &mut self.tickets {
            for ticket in tickets {
                if ticket.is_some() {
                    clock.queue.erase(*ticket);
                    *ticket = Ticket::NONE;
                }
            }
        }
    }
}
