//! Events of a kinetic BoxTree: a plane's winner is overtaken; flightplan changes.

use std::collections::BTreeSet;

use super::{KineticBoxTree, NONE, Plane, Seen};
use crate::kinetic::certificate::Ranking;
use crate::kinetic::event::{Event, EventKind, LoggedEvent, Ticket};
use crate::kinetic::{EventContext, SlotChange, TreeContext};
use crate::time::{Moment, NEVER};

/// A candidate of a plane is another, or moves otherwise (then both are the same vertex).
type CandidateChange = (u32, u32);

impl KineticBoxTree {
    /// Processes a tree event of this tree that was just taken from the queue. Reports every
    /// changed slot.
    pub fn process(&mut self, event: Event, context: &mut TreeContext<'_, '_>) {
        let mut plane = event.slot;
        self.stats.tree_events += 1;
        self.stats.root_events += u64::from(self.is_of_root(plane));
        let Plane { winner: old, challenger, .. } = self.planes[plane as usize];
        self.planes[plane as usize].ticket = Ticket::NONE;
        if !self.overtakes(plane, old, challenger, context) {
            // The challenger falls behind again in the next segment, or leads by a rounding: the
            // winner stays.
            self.certify(plane, context);
            return;
        }
        self.set_winner(plane, challenger, context);
        while let Some(above) = self.above(plane) {
            let winner = self.planes[plane as usize].winner;
            if self.planes[above as usize].winner != old {
                self.challenged(above, &[(old, winner)], context);
                return;
            }
            self.set_winner(above, winner, context);
            plane = above;
        }
    }

    /// Certifies again every plane in which one of `vertices` takes part, after their flightplans
    /// changed now. Reports every slot whose winner changed or is one of `vertices`. O(log m)
    /// planes per vertex and leaf it occurs in.
    pub fn replan(&mut self, vertices: &[u32], context: &mut TreeContext<'_, '_>) {
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
            if let Some(change) = self.replan_plane(plane, &of_plane, context)
                && let Some(above) = self.above(plane)
            {
                tasks.insert((above, change));
            }
        }
    }

    /// Some candidates of a plane changed now. Returns what that means for the plane above:
    /// nothing, or a new winner, or the old one with another plan.
    fn replan_plane(
        &mut self,
        plane: u32,
        replaced: &[CandidateChange],
        context: &mut TreeContext<'_, '_>,
    ) -> Option<CandidateChange> {
        self.stats.slots_replanned += 1;
        let (_, extent) = self.bounded_by(plane);
        let old = self.planes[plane as usize].winner;
        let new = if replaced.iter().any(|&(before, _)| before == old) {
            self.best_now(plane, context)
        } else {
            let place = |vertex: u32| context.motion.coordinate(vertex, extent.axis(), context.events.now);
            replaced
                .iter()
                .fold(old, |best, &(_, next)| if extent.beyond(place(next), place(best)) { next } else { best })
        };
        if new == old && !replaced.contains(&(old, old)) {
            self.challenged(plane, replaced, context);
            return None;
        }
        if new != old {
            self.planes[plane as usize].winner = new;
            self.record(plane, context.events);
        }
        self.certify(plane, context);
        self.report(plane, context.changes);
        Some((old, new))
    }

    /// Some candidates of a plane changed, its winner did not: searches the new ones, or all if the
    /// next to overtake is gone.
    fn challenged(&mut self, plane: u32, replaced: &[CandidateChange], context: &mut TreeContext<'_, '_>) {
        let Plane { winner, challenger, ticket, .. } = self.planes[plane as usize];
        if replaced.iter().any(|&(before, _)| before == challenger) {
            self.certify(plane, context);
            return;
        }
        let (_, extent) = self.bounded_by(plane);
        let scheduled = if ticket.is_some() { context.events.queue.get(ticket).moment } else { Moment::at(NEVER) };
        let mut first = (scheduled, challenger);
        for &(_, next) in replaced {
            self.stats.candidates_searched += 1;
            let moment = context.overtaking([winner, next], extent, until_before(first.0, context.epoch_end));
            if moment < first.0 {
                first = (moment, next);
            }
        }
        if first.0 < scheduled {
            self.schedule(plane, first, context.events);
        }
    }

    /// Gives a plane a new winner and certifies it. A vertex that overtakes that one at this moment
    /// wins instead.
    fn set_winner(&mut self, plane: u32, winner: u32, context: &mut TreeContext<'_, '_>) {
        self.stats.updates += 1;
        self.planes[plane as usize].winner = winner;
        let mut first = self.first_to_overtake(plane, context);
        // Each is beyond the one before in the same ranking, so this ends.
        while first.0 <= context.events.now {
            self.planes[plane as usize].winner = first.1;
            first = self.first_to_overtake(plane, context);
        }
        self.schedule(plane, first, context.events);
        self.record(plane, context.events);
        self.report(plane, context.changes);
    }

    /// Reports the slots that have a plane as their source.
    fn report(&self, plane: u32, changes: &mut Vec<SlotChange>) {
        let (_, extent) = self.bounded_by(plane);
        self.visit_group(plane, |node| changes.push(SlotChange { node, extent }), |_| {});
    }

    /// Searches the failure of a plane's certificate from now on and schedules it, or erases what
    /// was scheduled.
    pub(super) fn certify(&mut self, plane: u32, context: &mut TreeContext<'_, '_>) {
        let first = self.first_to_overtake(plane, context);
        self.schedule(plane, first, context.events);
    }

    /// When a plane's winner is overtaken, not before now, and by which vertex.
    fn first_to_overtake(&mut self, plane: u32, context: &TreeContext<'_, '_>) -> (Moment, u32) {
        self.stats.certificates_searched += 1;
        let (_, extent) = self.bounded_by(plane);
        let winner = self.planes[plane as usize].winner;
        let overtaking = |vertex: u32, until: f64| context.overtaking([winner, vertex], extent, until);
        let first = self.first_by(plane, context.epoch_end, overtaking);
        if first.0 > context.events.now {
            return first;
        }
        match self.ranking(plane, context) {
            Some(ranking) => {
                let overtaking = |vertex: u32, until: f64| ranking.overtaking(winner, vertex, until);
                self.first_by(plane, context.epoch_end, overtaking)
            }
            None => first,
        }
    }

    /// The first of a plane's candidates by the moments at which they overtake.
    fn first_by(&mut self, plane: u32, until: f64, overtaking: impl Fn(u32, f64) -> Moment) -> (Moment, u32) {
        let mut first = (Moment::at(NEVER), NONE);
        let mut searched = 0;
        let mut seen = std::mem::replace(&mut self.seen, Seen::new(0));
        seen.clear();
        self.visit_candidates(plane, |vertex| {
            if !seen.insert(vertex) {
                return;
            }
            searched += 1;
            let moment = overtaking(vertex, until_before(first.0, until));
            if moment < first.0 {
                first = (moment, vertex);
            }
        });
        self.seen = seen;
        self.stats.candidates_searched += searched;
        first
    }

    /// Whether a candidate of a plane overtakes the winner now.
    fn overtakes(&self, plane: u32, winner: u32, challenger: u32, context: &TreeContext<'_, '_>) -> bool {
        let (_, extent) = self.bounded_by(plane);
        let is_now = |moment: Moment| moment <= context.events.now;
        is_now(context.overtaking([winner, challenger], extent, context.epoch_end))
            && self
                .ranking(plane, context)
                .is_none_or(|ranking| is_now(ranking.overtaking(winner, challenger, context.epoch_end)))
    }

    /// The ranking of a plane's candidates now, if pairs alone make no order.
    fn ranking<'a>(&self, plane: u32, context: &TreeContext<'a, '_>) -> Option<Ranking<'a>> {
        let (_, extent) = self.bounded_by(plane);
        let mut ranking = Ranking::new(context.motion, extent, context.events.now)?;
        self.visit_candidates(plane, |vertex| ranking.add(vertex));
        Some(ranking)
    }

    fn schedule(&mut self, plane: u32, (moment, challenger): (Moment, u32), events: &mut EventContext<'_>) {
        let Plane { challenger: next, ticket, .. } = &mut self.planes[plane as usize];
        *next = challenger;
        let event = Event { moment, kind: EventKind::Tree, owner: self.owner, slot: plane };
        events.queue.set(ticket, event.if_ever());
    }

    pub(super) fn record(&self, plane: u32, events: &mut EventContext<'_>) {
        let (node, extent) = self.bounded_by(plane);
        let what = [plane, self.planes[plane as usize].winner];
        events.log.record(LoggedEvent::new(events.now, EventKind::Tree, self.owner, what).of_plane(node, extent));
    }

    /// Takes all events of this tree out of the queue.
    pub fn retire(&mut self, events: &mut EventContext<'_>) {
        for plane in &mut self.planes {
            events.queue.set(&mut plane.ticket, None);
        }
    }
}

/// How far to search for something earlier than `first`.
fn until_before(first: Moment, until: f64) -> f64 {
    // A moment *at* the time of `first` may still be earlier.
    until.min(first.time().next_up())
}
