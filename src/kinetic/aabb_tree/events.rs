//! Events of a kinetic AABB tree: leaf events, tree events, flightplan changes.

use super::{KineticAabbTree, slot_number};
use crate::kinetic::certificate::{Ranking, first_overtaking};
use crate::kinetic::event::{Event, EventKind, LoggedEvent, Ticket};
use crate::kinetic::{EventContext, SlotChange, TreeContext};
use crate::math::Extent;
use crate::motion::Motion;
use crate::time::Moment;

impl KineticAabbTree {
    /// Processes a leaf or tree event of this tree that was just taken from the queue. Reports
    /// every changed slot.
    pub fn process(&mut self, event: Event, context: &mut TreeContext<'_, '_>) {
        let (node, extent) = (event.slot / 6, Extent::ALL[event.slot as usize % 6]);
        self.tickets[node as usize][extent.index()] = Ticket::NONE;
        match event.kind {
            EventKind::Leaf => self.stats.leaf_events += 1,
            _ => self.stats.tree_events += 1,
        }
        let winner = self.successor(node, extent, context);
        if winner == self.winner(node, extent) {
            // The challenger falls behind again in the next segment, or leads by a rounding: the
            // winner stays.
            self.certify(node, extent, context);
            return;
        }
        self.set_winner(node, extent, winner, context);
        self.propagate(node, extent, context);
    }

    /// Certifies again every slot in which one of `vertices` takes part, after their flightplans
    /// changed now. Reports every slot whose winner changed or is one of `vertices`. O(log m) slots
    /// per vertex and leaf it occurs in.
    pub fn replan(&mut self, vertices: &[u32], context: &mut TreeContext<'_, '_>) {
        for &vertex in vertices {
            for place in 0..self.topology.leaves_of(vertex).len() {
                let leaf = self.topology.leaves_of(vertex)[place];
                for extent in Extent::ALL {
                    self.replan_path(vertex, leaf, extent, context);
                }
            }
        }
    }

    /// Goes up from a leaf for as long as the slot below changed its winner, or has the changed
    /// vertex as its winner.
    fn replan_path(&mut self, vertex: u32, leaf: u32, extent: Extent, context: &mut TreeContext<'_, '_>) {
        let mut next = Some(leaf);
        while let Some(node) = next {
            self.stats.slots_replanned += 1;
            let old = self.winner(node, extent);
            let new = self.best_now(node, extent, context);
            if new != old {
                self.winners[node as usize][extent.index()] = new;
                self.record(node, extent, context.events);
            }
            self.certify(node, extent, context);
            if new == old && new != vertex {
                break;
            }
            context.changes.push(SlotChange { node, extent });
            next = self.topology.node(node).parent();
        }
    }

    /// Returns the new extremal vertex of a slot whose certificate failed: the one that no
    /// candidate overtakes now.
    fn successor(&self, node: u32, extent: Extent, context: &TreeContext<'_, '_>) -> u32 {
        let (now, until) = (context.events.now, context.epoch_end);
        let ranking = Ranking::new(context.motion, extent, now);
        let ranking = ranking.map(|ranking| ranking.with(self.candidates(node, extent)));
        let overtakes = |best: u32, next: u32| match &ranking {
            Some(ranking) => ranking.overtaking(best, next, until) <= now,
            None => context.overtaking([best, next], extent, until) <= now,
        };
        let winner = self.winner(node, extent);
        self.candidates(node, extent).fold(winner, |best, next| if overtakes(best, next) { next } else { best })
    }

    /// Gives a slot a new winner and certifies it.
    fn set_winner(&mut self, node: u32, extent: Extent, winner: u32, context: &mut TreeContext<'_, '_>) {
        self.winners[node as usize][extent.index()] = winner;
        self.stats.updates += 1;
        self.record(node, extent, context.events);
        self.certify(node, extent, context);
        context.changes.push(SlotChange { node, extent });
    }

    /// Carries a new winner upward: while it replaces the parent's winner, the parent changes too.
    fn propagate(&mut self, mut node: u32, extent: Extent, context: &mut TreeContext<'_, '_>) {
        while let Some(parent) = self.topology.node(node).parent() {
            let parent_winner = self.winner(parent, extent);
            if self.candidates(parent, extent).any(|candidate| candidate == parent_winner) {
                // The winner stays; one of its losers is another.
                self.certify(parent, extent, context);
                return;
            }
            let winner = self.winner(node, extent);
            self.set_winner(parent, extent, winner, context);
            node = parent;
        }
    }

    /// Searches the failure of a slot's certificate from now on and schedules it, or erases what
    /// was scheduled.
    pub(super) fn certify(&mut self, node: u32, extent: Extent, context: &mut TreeContext<'_, '_>) {
        let moment = self.failure(node, extent, context.motion, context.events.now, context.epoch_end);
        self.schedule(node, extent, moment, context);
    }

    /// Schedules the failure of a slot's certificate, or erases what was scheduled.
    pub(super) fn schedule(&mut self, node: u32, extent: Extent, moment: Moment, context: &mut TreeContext<'_, '_>) {
        self.stats.certificates_searched += 1;
        let kind = self.kind(node);
        let event = Event { moment, kind, owner: self.owner, slot: slot_number(node, extent) };
        context.events.queue.set(&mut self.tickets[node as usize][extent.index()], event.if_ever());
    }

    /// When a slot's certificate fails: the first time at which a candidate overtakes the winner.
    pub(super) fn failure(&self, node: u32, extent: Extent, motion: &Motion, from: Moment, until: f64) -> Moment {
        first_overtaking(motion, self.winner(node, extent), self.candidates(node, extent), extent, from, until)
    }

    pub(super) fn kind(&self, node: u32) -> EventKind {
        if self.topology.node(node).is_leaf() { EventKind::Leaf } else { EventKind::Tree }
    }

    pub(super) fn record(&mut self, node: u32, extent: Extent, events: &mut EventContext<'_>) {
        let what = [slot_number(node, extent), self.winner(node, extent)];
        events.log.record(LoggedEvent::new(events.now, self.kind(node), self.owner, what));
    }

    /// Takes all events of this tree out of the queue.
    pub fn retire(&mut self, events: &mut EventContext<'_>) {
        for ticket in self.tickets.iter_mut().flatten() {
            events.queue.set(ticket, None);
        }
    }
}
