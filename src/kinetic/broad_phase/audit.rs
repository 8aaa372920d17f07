//! Audit of the kinetic broad phase: meeting pairs against boxes, pairs against fat boxes,
//! certificates against the queue.

use super::{Bodies, KineticBroadPhase};
use crate::bvh::AuditReport;
use crate::kinetic::box_pair::BoundPair;
use crate::kinetic::event::{Event, EventKind, EventQueue, Ticket};
use crate::math::{Aabb, Extent};
use crate::time::{Moment, NEVER};

impl KineticBroadPhase {
    /// Compares the broad phase with a test of every pair of bodies on the given boxes (one per
    /// member, already moved outward by the slack), both ways; fat boxes with boxes; every
    /// scheduled event with a new search from `now`, both ways; the tree.
    ///
    /// The boxes must belong to a time strictly between two events. O(n²).
    pub fn audit(&self, bodies: &impl Bodies, boxes: &[(u32, Aabb)], queue: &EventQueue, now: Moment) -> AuditReport {
        let mut report = AuditReport::default();
        let mut faults = Vec::new();
        report.checks += self.tree.check(|body| self.fat_box(body), |fault| faults.push(fault));
        for fault in faults {
            report.check(false, || fault);
        }
        report.check(boxes.len() == self.tree.len() && boxes.iter().all(|&(body, _)| self.contains(body)), || {
            format!("{} members, not the {} bodies given", self.tree.len(), boxes.len())
        });
        for (place, (a, box_a)) in boxes.iter().enumerate() {
            let Some(member) = self.member(*a) else { continue };
            report.check(member.fat_box.contains(&box_a.min) && member.fat_box.contains(&box_a.max), || {
                format!("body {a}: {box_a:?} has left its fat_box {:?}", member.fat_box)
            });
            report.check(!member.is_overfull, || format!("body {a}: its fat_box has still to be chosen again"));
            self.audit_fat_box(*a, bodies, queue, now, &mut report);
            for (b, box_b) in &boxes[place + 1..] {
                let Some(other) = self.member(*b) else { continue };
                let may_meet = bodies.may_meet(*a, *b);
                let known = member.overlapping.get(b);
                report.check(known.is_some() == (may_meet && member.fat_box.overlaps(&other.fat_box)), || {
                    format!("bodies {a} and {b}: overlapping {}, not as their fat_boxes say", known.is_some())
                });
                report.check(known == other.overlapping.get(a), || format!("bodies {a} and {b}: do not agree"));
                let pair = known.and_then(|&number| self.pairs.get(number as usize));
                let meets = pair.is_some_and(|pair| pair.is_meeting);
                // A time between two events may lie within a rounding of one: what is that close
                // may be listed either way.
                let gap = gap_between(box_a, box_b);
                let is_close = gap.abs() < 0.5 * (bodies.slack(*a) + bodies.slack(*b));
                report.check((is_close && may_meet) || meets == (may_meet && gap <= 0.0), || {
                    format!("bodies {a} and {b}: meeting {meets}, not as their boxes say, which are {gap:e} m apart")
                });
            }
        }
        self.audit_pairs(bodies, queue, now, &mut report);
        report
    }

    fn audit_fat_box(
        &self,
        body: u32,
        bodies: &impl Bodies,
        queue: &EventQueue,
        now: Moment,
        report: &mut AuditReport,
    ) {
        let Some(member) = self.member(body) else { return };
        let leaves = Extent::ALL.map(|extent| self.leaving(body, extent, bodies, now));
        report.check(leaves == member.leaves, || {
            format!("body {body}: leaves its fat_box at {leaves:?}, noted are {:?}", member.leaves)
        });
        let first = leaves.into_iter().fold(Moment::at(NEVER), Moment::min);
        let event = Event { moment: first, kind: EventKind::FatBoxLeft, owner: body, slot: 0 };
        check_event(format_args!("body {body}"), member.ticket, event, queue, report);
    }

    fn audit_pairs(&self, bodies: &impl Bodies, queue: &EventQueue, now: Moment, report: &mut AuditReport) {
        let mut meeting = 0;
        for (number, pair) in self.pairs.iter() {
            meeting += usize::from(pair.is_meeting);
            let bounds = pair.bounds(bodies);
            let (kind, moment) = if pair.is_meeting {
                (EventKind::BodiesSeparate, bounds.first_opening(now).0)
            } else {
                (EventKind::BodiesMeet, bounds.closing(pair.boxes.direction, now))
            };
            let [a, b] = pair.bodies;
            report.check(
                a < b && self.member(a).is_some_and(|member| member.overlapping.get(&b) == Some(&(number as u32))),
                || format!("pair {number}: bodies {a} and {b} do not know it"),
            );
            let event = Event { moment, kind, owner: a, slot: b };
            check_event(format_args!("pair {number}"), pair.boxes.ticket, event, queue, report);
        }
        report.check(meeting == self.meeting, || format!("{meeting} pairs meet, counted are {}", self.meeting));
        let of_fat_box = |kind| kind == EventKind::FatBoxLeft;
        let of_pair = |kind| matches!(kind, EventKind::BodiesMeet | EventKind::BodiesSeparate);
        for (_, event) in queue.iter().filter(|(_, event)| of_fat_box(event.kind) || of_pair(event.kind)) {
            let is_known = if of_fat_box(event.kind) {
                self.member(event.owner).is_some_and(|member| member.ticket.is_some())
            } else {
                self.pair_of(event).is_some_and(|number| self.pairs[number as usize].boxes.ticket.is_some())
            };
            report.check(is_known, || format!("{event:?} is in the queue, its owner does not know it"));
        }
    }
}

/// How far two boxes are apart along the axis that separates them best; negative where they
/// overlap.
fn gap_between(a: &Aabb, b: &Aabb) -> f64 {
    (0..3).map(|axis| (b.min[axis] - a.max[axis]).max(a.min[axis] - b.max[axis])).fold(f64::NEG_INFINITY, f64::max)
}

/// Checks that what a ticket stands for is an event, or none if its moment is never reached.
fn check_event(
    place: std::fmt::Arguments<'_>,
    ticket: Ticket,
    expected: Event,
    queue: &EventQueue,
    report: &mut AuditReport,
) {
    let event = (ticket.is_some() && queue.contains(ticket)).then(|| queue.get(ticket));
    let holds = match event {
        None => !ticket.is_some() && expected.moment.time() == NEVER,
        Some(event) => event == expected,
    };
    let Event { moment, kind, .. } = expected;
    report.check(holds, || format!("{place}: {kind:?} is due at {moment:?}, scheduled is {event:?}"));
}
