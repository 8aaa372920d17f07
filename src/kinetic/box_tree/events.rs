//! Events of a kinetic BoxTree: a plane's winner is overtaken; flightplan changes.

use std::collections::BTreeSet;

use super::{KineticBoxTree, NONE, Plane, Seen};
use crate::kinetic::certificate::overtaking;
use crate::kinetic::event::{Event, EventKind, LoggedEvent, Ticket};
use crate::kinetic::{EventContext, SlotChange};
use crate::motion::Motion;
use crate::time::{Moment, NEVER};

/// A candidate of a plane is another, or moves otherwise (then both are the same vertex).
type CandidateChange = (u32, u32);

impl KineticBoxTree {
    /// Processes a tree event of this tree that was just taken from the queue. Reports every changed slot.
    pub fn process(
        &mut self,
        event: Event,
        motion: &Motion,
        until: f64,
        clock: &mut EventContext<'_>,
        changes: &mut Vec<SlotChange>,
    ) {
        let mut plane = event.slot;
        self.stats.tree_events += 1;
        self.stats.root_events += u64::from(self.is_of_root(plane));
        let Plane { winner: old, challenger, .. } = self.planes[plane as usize];
        self.planes[plane as usize].ticket = Ticket::NONE;
        let (_, extent) = self.bounded_by(plane);
        if overtaking(motion, old, challenger, extent, clock.now, until) > clock.now {
            // Whoever was due fell behind again in the segment that begins now.
            self.certify(plane, motion, until, clock);
            return;
        }
        self.set_winner(plane, challenger, motion, until, clock, changes);
        while let Some(above) = self.above(plane) {
            let winner = self.planes[plane as usize].winner;
            if self.planes[above as usize].winner != old {
                self.challenged(above, &[(old, winner)], motion, until, clock);
                return;
            }
            self.set_winner(above, winner, motion, until, clock, changes);
            plane = above;
        }
    }

    /// Certifies anew every plane in which one of `vertices` takes part, after their flightplans changed now. Reports every
    /// slot whose winner changed or is one of `vertices`. O(log m) planes per vertex and leaf it occurs in.
    pub fn replan(
        &mut self,
        vertices: &[u32],
        motion: &Motion,
        until: f64,
        clock: &mut EventContext<'_>,
        changes: &mut Vec<SlotChange>,
    ) {
        let mut tasks: BTreeSet<(u32, CandidateChange)> = BTreeSet::new();
        for &vertex in vertices {
            for &leaf in self.topology.leaves_of(vertex) {
                tasks.extend(self.sources(leaf).map(|plane| (plane, (vertex, vertex))));
            }
        }
        // The last plane first: those at a fringe come before the plane above them.
        let mut of_plane = Vec::new();
        while let Some((plane, change)) = tasks.pop_last() {
            of_plane.clear();
            of_plane.push(change);
            while let Some(&(next, change)) = tasks.last()
                && next == plane
            {
                of_plane.push(change);
                tasks.pop_last();
            }
            if let Some(change) = self.replan_plane(plane, &of_plane, motion, until, clock, changes)
                && let Some(above) = self.above(plane)
            {
                tasks.insert((above, change));
            }
        }
    }

    /// Some candidates of a plane changed now. Returns what that means for the plane above: nothing, or a new winner, or the
    /// old one with another plan.
    fn replan_plane(
        &mut self,
        plane: u32,
        replaced: &[CandidateChange],
        motion: &Motion,
        until: f64,
        clock: &mut EventContext<'_>,
        changes: &mut Vec<SlotChange>,
    ) -> Option<CandidateChange> {
        self.stats.slots_replanned += 1;
        let (_, extent) = self.bounded_by(plane);
        let old = self.planes[plane as usize].winner;
        let new = if replaced.iter().any(|&(before, _)| before == old) {
            self.best_now(plane, motion, clock)
        } else {
            let place = |vertex: u32| motion.coordinate(vertex, extent.axis(), clock.now);
            replaced
                .iter()
                .fold(old, |best, &(_, next)| if extent.beyond(place(next), place(best)) { next } else { best })
        };
        if new == old && !replaced.contains(&(old, old)) {
            self.challenged(plane, replaced, motion, until, clock);
            return None;
        }
        if new != old {
            self.planes[plane as usize].winner = new;
            self.record(plane, clock);
        }
        self.certify(plane, motion, until, clock);
        self.report(plane, changes);
        Some((old, new))
    }

    /// Some candidates of a plane changed, its winner did not: searches the new ones, or all if the next to overtake is gone.
    fn challenged(
        &mut self,
        plane: u32,
        replaced: &[CandidateChange],
        motion: &Motion,
        until: f64,
        clock: &mut EventContext<'_>,
    ) {
        let Plane { winner, challenger, ticket, .. } = self.planes[plane as usize];
        if replaced.iter().any(|&(before, _)| before == challenger) {
            self.certify(plane, motion, until, clock);
            return;
        }
        let (_, extent) = self.bounded_by(plane);
        let scheduled = if ticket.is_some() { clock.queue.get(ticket).moment } else { Moment::at(NEVER) };
        let mut first = (scheduled, challenger);
        for &(_, next) in replaced {
            self.stats.candidates_searched += 1;
            let moment = overtaking(motion, winner, next, extent, clock.now, until_before(first.0, until));
            if moment < first.0 {
                first = (moment, next);
            }
        }
        if first.0 < scheduled {
            self.schedule(plane, first, clock);
        }
    }

    /// Gives a plane a new winner and certifies it. If somebody overtakes that one at this very moment, so be it.
    fn set_winner(
        &mut self,
        plane: u32,
        winner: u32,
        motion: &Motion,
        until: f64,
        clock: &mut EventContext<'_>,
        changes: &mut Vec<SlotChange>,
    ) {
        self.stats.updates += 1;
        self.planes[plane as usize].winner = winner;
        let mut first = self.first_to_overtake(plane, motion, until, clock.now);
        // Each is ahead of the one before just after now; more than that many can only be roundings that run in a circle, which
        // the events after this one untangle.
        let mut left = self.topology.nodes().len();
        while first.0 <= clock.now && left > 0 {
            self.planes[plane as usize].winner = first.1;
            first = self.first_to_overtake(plane, motion, until, clock.now);
            left -= 1;
        }
        self.schedule(plane, first, clock);
        self.record(plane, clock);
        self.report(plane, changes);
    }

    /// Reports the slots that have a plane as their source.
    fn report(&self, plane: u32, changes: &mut Vec<SlotChange>) {
        let (_, extent) = self.bounded_by(plane);
        self.visit_group(plane, |node| changes.push(SlotChange { node, extent }), |_| {});
    }

    /// Searches the failure of a plane's certificate from now on and schedules it, or erases what was scheduled.
    pub(super) fn certify(&mut self, plane: u32, motion: &Motion, until: f64, clock: &mut EventContext<'_>) {
        let first = self.first_to_overtake(plane, motion, until, clock.now);
        self.schedule(plane, first, clock);
    }

    /// When a plane's winner is overtaken, not before `from`, and by whom.
    fn first_to_overtake(&mut self, plane: u32, motion: &Motion, until: f64, from: Moment) -> (Moment, u32) {
        let (_, extent) = self.bounded_by(plane);
        let winner = self.planes[plane as usize].winner;
        let mut first = (Moment::at(NEVER), NONE);
        let mut searched = 0;
        let mut seen = std::mem::replace(&mut self.seen, Seen::new(0));
        seen.clear();
        self.visit_candidates(plane, |vertex| {
            if !seen.insert(vertex) {
                return;
            }
            searched += 1;
            let moment = overtaking(motion, winner, vertex, extent, from, until_before(first.0, until));
            if moment < first.0 {
                first = (moment, vertex);
            }
        });
        self.seen = seen;
        self.stats.certificates_searched += 1;
        self.stats.candidates_searched += searched;
        first
    }

    fn schedule(&mut self, plane: u32, (moment, challenger): (Moment, u32), clock: &mut EventContext<'_>) {
        let Plane { challenger: next, ticket, .. } = &mut self.planes[plane as usize];
        *next = challenger;
        if moment.time() == NEVER {
            if ticket.is_some() {
                clock.queue.erase(*ticket);
                *ticket = Ticket::NONE;
            }
        } else if ticket.is_some() {
            clock.queue.reschedule(*ticket, moment);
        } else {
            *ticket = clock.queue.push(Event { moment, kind: EventKind::Tree, owner: self.owner, slot: plane });
        }
    }

    pub(super) fn record(&self, plane: u32, clock: &mut EventContext<'_>) {
        clock.log.record(LoggedEvent {
            moment: clock.now,
            kind: EventKind::Tree,
            owner: self.owner,
            first: plane,
            second: self.planes[plane as usize].winner,
        });
    }

    /// Takes all events of this tree out of the queue.
    pub fn retire(&mut self, clock: &mut EventContext<'_>) {
        for plane in &mut self.planes {
            if plane.ticket.is_some() {
                clock.queue.erase(plane.ticket);
                plane.ticket = Ticket::NONE;
            }
        }
    }
}

/// How far to search for something earlier than `first`.
fn until_before(first: Moment, until: f64) -> f64 {
    // A moment *at* the time of `first` may still be earlier.
    until.min(first.time().next_up())
}
