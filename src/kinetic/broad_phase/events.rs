//! Events of the broad phase: a body left its fat box, bodies meet, bodies part; changes of root
//! slots, ends of epochs.

use super::{Bodies, BodyPairEvent, KineticBroadPhase, Pair};
use crate::kinetic::EventContext;
use crate::kinetic::box_pair::{BoundPair, DIRECTIONS, EventName, widest_gap};
use crate::kinetic::certificate::{Bound, closing};
use crate::kinetic::event::{Event, EventKind, LoggedEvent, Ticket};
use crate::math::{Extent, GapDirection};
use crate::motion::{KeyTrack, Piece};
use crate::time::{Moment, NEVER};

impl KineticBroadPhase {
    /// Processes an event of the broad phase that was just taken from the queue. Notes the body
    /// pair events that result. If there would be too many pairs, nothing is changed, the event is
    /// in the queue again, and the broad phase is full ([`KineticBroadPhase::is_full`]).
    pub fn process(&mut self, event: Event, bodies: &impl Bodies, context: &mut EventContext<'_>) {
        if event.kind == EventKind::FatBoxLeft {
            self.stats.fat_boxes_left += 1;
            let Some(member) = self.member_mut(event.owner) else { return };
            member.ticket = Ticket::NONE;
            // A fat box that was too popular shrinks; one that was left may grow again.
            let level = if member.is_overfull { member.level + 1 } else { member.level.saturating_sub(1) };
            if !self.relocate(event.owner, level, bodies, context) {
                self.stats.fat_boxes_left -= 1;
                let ticket = context.queue.push(event);
                if let Some(member) = self.member_mut(event.owner) {
                    member.ticket = ticket;
                }
            }
            return;
        }
        // Scheduled for a pair that is there.
        let Some(number) = self.pair_of(event) else { return };
        let pair = &mut self.pairs[number as usize];
        pair.boxes.ticket = Ticket::NONE;
        let (nodes, opened) = (pair.bounds(bodies), pair.boxes.direction);
        match (pair.is_meeting, nodes.widest_gap(context.now)) {
            (false, Some(witness)) => {
                self.stats.witnesses_replaced += 1;
                self.become_apart(number, witness, bodies, context);
            }
            (false, None) => self.become_meeting(number, bodies, context),
            (true, witness) => {
                self.meeting -= 1;
                self.stats.parted += 1;
                let [a, b] = nodes.pair;
                record(EventKind::BodiesSeparate, [a, b], context);
                self.changes.push(BodyPairEvent { a, b, met: false });
                self.become_apart(number, witness.unwrap_or(opened), bodies, context);
            }
        }
    }

    /// A root slot of a body got another bound. O(overlapping fat boxes).
    pub fn bound_changed(&mut self, body: u32, extent: Extent, bodies: &impl Bodies, context: &mut EventContext<'_>) {
        if !self.contains(body) {
            return;
        }
        self.stats.certificates_searched += 1;
        let leaves = self.leaving(body, extent, bodies, context.now);
        let Some(member) = self.member_mut(body) else { return };
        member.leaves[extent.index()] = leaves;
        self.schedule_fat_box(body, context);
        let mut last = None;
        while let Some((other, number)) = self.next_overlapping(body, last) {
            last = Some(other);
            let pair = &mut self.pairs[number as usize];
            let is_first = pair.bodies[0] == body;
            let direction = if is_first { GapDirection::facing_a(extent) } else { GapDirection::facing_b(extent) };
            if pair.is_meeting {
                self.stats.bound_changes += 1;
                let (name, bounds) = (pair.name(), pair.bounds(bodies));
                let searched = pair.boxes.direction_changed(direction, name, &bounds, context);
                self.stats.certificates_searched += searched;
            } else if pair.boxes.direction == direction {
                self.stats.bound_changes += 1;
                self.certify(number, bodies, context);
            }
        }
    }

    /// The pair that schedules an event of this name.
    pub(super) fn pair_of(&self, event: Event) -> Option<u32> {
        self.member(event.owner)?.overlapping.get(&event.slot).copied()
    }

    /// The body whose fat box overlaps that of a body, and their pair, after another such body.
    fn next_overlapping(&self, body: u32, last: Option<u32>) -> Option<(u32, u32)> {
        self.member(body)?.overlapping.after(last)
    }

    /// Computes again all certificates in which a body takes part: after its epoch ended or its
    /// flightplan was replaced. The failure of a certificate that does not hold any more is
    /// scheduled for now. O(overlapping fat boxes).
    pub fn certify_all(&mut self, body: u32, bodies: &impl Bodies, context: &mut EventContext<'_>) {
        if !self.contains(body) {
            return;
        }
        self.certify_fat_box(body, bodies, context);
        let mut last = None;
        while let Some((other, number)) = self.next_overlapping(body, last) {
            last = Some(other);
            self.certify(number, bodies, context);
        }
    }

    /// Gives a new pair its state.
    pub(super) fn settle(&mut self, number: u32, bodies: &impl Bodies, context: &mut EventContext<'_>) {
        match self.pairs[number as usize].bounds(bodies).widest_gap(context.now) {
            Some(witness) => self.become_apart(number, witness, bodies, context),
            None => self.become_meeting(number, bodies, context),
        }
    }

    fn become_apart(
        &mut self,
        number: u32,
        witness: GapDirection,
        bodies: &impl Bodies,
        context: &mut EventContext<'_>,
    ) {
        let pair = &mut self.pairs[number as usize];
        (pair.is_meeting, pair.boxes.direction) = (false, witness);
        self.certify(number, bodies, context);
    }

    fn become_meeting(&mut self, number: u32, bodies: &impl Bodies, context: &mut EventContext<'_>) {
        self.meeting += 1;
        self.stats.met += 1;
        let pair = &mut self.pairs[number as usize];
        pair.is_meeting = true;
        let [a, b] = pair.bodies;
        self.changes.push(BodyPairEvent { a, b, met: true });
        record(EventKind::BodiesMeet, [a, b], context);
        self.certify(number, bodies, context);
    }

    /// Searches when each side of a body leaves its fat box.
    pub(super) fn certify_fat_box(&mut self, body: u32, bodies: &impl Bodies, context: &mut EventContext<'_>) {
        self.stats.certificates_searched += 6;
        let leaves = Extent::ALL.map(|extent| self.leaving(body, extent, bodies, context.now));
        if let Some(member) = self.member_mut(body) {
            member.leaves = leaves;
            self.schedule_fat_box(body, context);
        }
    }

    /// When a side of a body's box leaves the fat box, not before `from`.
    pub(super) fn leaving(&self, body: u32, extent: Extent, bodies: &impl Bodies, from: Moment) -> Moment {
        self.member(body).map_or(Moment::at(NEVER), |member| {
            let (side, wall) = (Side { bodies, body, extent }, extent_of(&member.fat_box, extent));
            // Twice the slack: see the least margin of a fat box.
            let (slack, until) = (2.0 * bodies.slack(body), bodies.epoch_end(body));
            if extent.is_max() {
                closing(&side, &Wall(wall), slack, from, until)
            } else {
                closing(&Wall(wall), &side, slack, from, until)
            }
        })
    }

    /// Schedules when a body leaves its fat box, or now if it is to be chosen again.
    pub(super) fn schedule_fat_box(&mut self, body: u32, context: &mut EventContext<'_>) {
        let Some(member) = self.member_mut(body) else { return };
        let leaves = member.leaves.iter().copied().fold(Moment::at(NEVER), Moment::min);
        let moment = if member.is_overfull { context.now } else { leaves };
        let event = Event { moment, kind: EventKind::FatBoxLeft, owner: body, slot: 0 };
        context.queue.set(&mut member.ticket, event.if_ever());
    }

    /// Searches when a pair meets along its witness direction, or the first of six directions in
    /// which it parts.
    fn certify(&mut self, number: u32, bodies: &impl Bodies, context: &mut EventContext<'_>) {
        let pair = &mut self.pairs[number as usize];
        let (name, bounds) = (pair.name(), pair.bounds(bodies));
        if pair.is_meeting {
            self.stats.certificates_searched += DIRECTIONS;
            pair.boxes.certify_opening(name, &bounds, context);
        } else {
            self.stats.certificates_searched += 1;
            pair.boxes.certify_apart(name, &bounds, context);
        }
    }
}

impl Pair {
    /// The event that the pair schedules in its state, named by the bodies: the pair's number
    /// depends on the choice of fat boxes, and with it on how much of the motion was known, and
    /// must not decide about the order of events.
    pub(super) fn name(&self) -> EventName {
        let kind = if self.is_meeting { EventKind::BodiesSeparate } else { EventKind::BodiesMeet };
        EventName { kind, owner: self.bodies[0], slot: self.bodies[1] }
    }

    pub(super) fn bounds<'b, B>(&self, bodies: &'b B) -> BodyBounds<'b, B> {
        BodyBounds { bodies, pair: self.bodies }
    }
}

/// Logged under the first body.
pub(super) fn record(kind: EventKind, bodies: [u32; 2], context: &mut EventContext<'_>) {
    context.log.record(LoggedEvent::new(context.now, kind, bodies[0], bodies));
}

/// A side of a fat box.
fn extent_of(fat_box: &crate::math::Aabb, extent: Extent) -> f64 {
    if extent.is_max() { fat_box.max[extent.axis()] } else { fat_box.min[extent.axis()] }
}

/// A side of a body's box.
struct Side<'a, B> {
    bodies: &'a B,
    body: u32,
    extent: Extent,
}

impl<B: Bodies> Bound for Side<'_, B> {
    fn piece(&self, at: Moment) -> Piece {
        self.bodies.bound(self.body, self.extent, at)
    }

    fn row(&self) -> Option<KeyTrack<'_>> {
        self.bodies.bound_row(self.body, self.extent)
    }
}

/// A side of a fat box: it stands still.
struct Wall(f64);

impl Bound for Wall {
    fn piece(&self, _: Moment) -> Piece {
        Piece::constant(f64::NEG_INFINITY, f64::INFINITY, self.0)
    }

    fn row(&self) -> Option<KeyTrack<'_>> {
        Some(KeyTrack::Constant(self.0))
    }
}

/// The boxes of two bodies.
pub(super) struct BodyBounds<'b, B> {
    bodies: &'b B,
    pair: [u32; 2],
}

impl<B: Bodies> BodyBounds<'_, B> {
    fn widest_gap(&self, at: Moment) -> Option<GapDirection> {
        let pieces = self.pair.map(|body| Extent::ALL.map(|extent| self.bodies.bound(body, extent, at)));
        widest_gap(pieces.each_ref(), self.slack(), at)
    }
}

impl<B: Bodies> BoundPair for BodyBounds<'_, B> {
    fn bound_a(&self, extent: Extent) -> impl Bound {
        Side { bodies: self.bodies, body: self.pair[0], extent }
    }

    fn bound_b(&self, extent: Extent) -> impl Bound {
        Side { bodies: self.bodies, body: self.pair[1], extent }
    }

    fn slack(&self) -> f64 {
        self.bodies.slack(self.pair[0]) + self.bodies.slack(self.pair[1])
    }

    fn epoch_end(&self) -> f64 {
        self.bodies.epoch_end(self.pair[0]).min(self.bodies.epoch_end(self.pair[1]))
    }
}
