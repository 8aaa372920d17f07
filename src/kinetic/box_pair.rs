//! One certified pair of boxes: apart along a witness direction, or overlapping until a direction
//! opens.
//!
//! | state | certificate | searched |
//! |---|---|---|
//! | apart | the gap along the witness direction stays open | one direction |
//! | overlapping | no gap opens | all six directions, or the one whose bound changed |
//!
//! A pair has at most one scheduled event. Pairs of nodes (`separation_list`) and pairs of bodies
//! (`broad_phase`) differ in the source of their bounds, which is a [`BoundPair`], and in what
//! follows an event, which is theirs to do.

use super::EventContext;
use super::certificate::{Bound, closing, first_opening, is_apart, opening};
use super::event::{Event, EventKind, Ticket};
use crate::math::{Extent, GapDirection};
use crate::motion::{BoxTracks, Piece};
use crate::time::{Moment, NEVER};

/// Certificates searched where all directions are in question.
pub(super) const DIRECTIONS: u64 = GapDirection::ALL.len() as u64;

/// The bounds of two boxes, `a` and `b`, as functions of time.
pub(super) trait BoundPair {
    /// A bound of `a`.
    fn bound_a(&self, extent: Extent) -> impl Bound;

    /// A bound of `b`.
    fn bound_b(&self, extent: Extent) -> impl Bound;

    /// All bounds of `a` and of `b`, if they can be read side by side.
    fn tracks(&self) -> Option<[BoxTracks<'_>; 2]> {
        None
    }

    /// By how much the bounds of both together are moved outward, metres.
    fn slack(&self) -> f64;

    /// Until when both bounds are known, seconds.
    fn epoch_end(&self) -> f64;

    /// When the gap along a direction closes, from a moment on.
    fn closing(&self, direction: GapDirection, from: Moment) -> Moment {
        let (a, b) = (self.bound_a(direction.extent_of_a()), self.bound_b(direction.extent_of_b()));
        let (slack, until) = (self.slack(), self.epoch_end());
        if direction.a_is_below() { closing(&a, &b, slack, from, until) } else { closing(&b, &a, slack, from, until) }
    }

    /// When the gap along a direction opens, from a moment on; [`NEVER`] also where that is not
    /// before `until`.
    fn opening(&self, direction: GapDirection, from: Moment, until: f64) -> Moment {
        let (a, b) = (self.bound_a(direction.extent_of_a()), self.bound_b(direction.extent_of_b()));
        let (slack, until) = (self.slack(), self.epoch_end().min(until));
        if direction.a_is_below() { opening(&a, &b, slack, from, until) } else { opening(&b, &a, slack, from, until) }
    }

    /// When the first gap opens, from a moment on, and along which direction. The first of equals
    /// in [`GapDirection::ALL`].
    fn first_opening(&self, from: Moment) -> (Moment, GapDirection) {
        if let Some([a, b]) = self.tracks()
            && let Some(first) = first_opening(&a, &b, self.slack(), from, self.epoch_end())
        {
            return first;
        }
        let mut first = (Moment::at(NEVER), GapDirection::ALL[0]);
        for direction in GapDirection::ALL {
            let moment = self.opening(direction, from, first.0.time());
            if moment < first.0 {
                first = (moment, direction);
            }
        }
        first
    }
}

/// Which event a pair schedules.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventName {
    pub(super) kind: EventKind,
    pub(super) owner: u32,
    pub(super) slot: u32,
}

/// The certificate of a pair of boxes. Whether the boxes are apart is known to the owner.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxPair {
    /// Of boxes apart: the witness direction. Of overlapping boxes: the direction scheduled to open
    /// first.
    pub(super) direction: GapDirection,
    pub(super) ticket: Ticket,
}

const _: () = assert!(size_of::<BoxPair>() == 8);

impl BoxPair {
    /// A pair without a certificate.
    pub(super) const NEW: Self = Self { direction: GapDirection::ALL[0], ticket: Ticket::NONE };

    /// Schedules when the gap along the witness direction closes.
    pub(super) fn certify_apart(&mut self, name: EventName, boxes: &impl BoundPair, context: &mut EventContext<'_>) {
        self.schedule(name, boxes.closing(self.direction, context.now), context);
    }

    /// Schedules when the first of the six directions opens.
    pub(super) fn certify_opening(&mut self, name: EventName, boxes: &impl BoundPair, context: &mut EventContext<'_>) {
        let (moment, first) = boxes.first_opening(context.now);
        self.direction = first;
        self.schedule(name, moment, context);
    }

    /// Certifies overlapping boxes after a bound of one direction changed. Returns how many
    /// certificates were searched.
    pub(super) fn direction_changed(
        &mut self,
        changed: GapDirection,
        name: EventName,
        boxes: &impl BoundPair,
        context: &mut EventContext<'_>,
    ) -> u64 {
        if changed == self.direction && self.ticket.is_some() {
            // The first direction to open may open later now: all six are in question.
            self.certify_opening(name, boxes, context);
            return DIRECTIONS;
        }
        let is_scheduled = self.ticket.is_some();
        let scheduled = if is_scheduled { context.queue.get(self.ticket).moment } else { Moment::at(NEVER) };
        let moment = boxes.opening(changed, context.now, scheduled.time());
        if moment < scheduled {
            self.direction = changed;
            self.schedule(name, moment, context);
        }
        1
    }

    fn schedule(&mut self, EventName { kind, owner, slot }: EventName, moment: Moment, context: &mut EventContext<'_>) {
        context.queue.set(&mut self.ticket, Event { moment, kind, owner, slot }.if_ever());
    }

    /// Takes the pair's event out of the queue, if there is one.
    pub(super) fn retire(&mut self, context: &mut EventContext<'_>) {
        context.queue.set(&mut self.ticket, None);
    }
}

/// The direction in which two boxes are farthest apart at a moment, if they are apart. `slack` is
/// that of both.
pub(super) fn widest_gap([a, b]: [&[Piece; 6]; 2], slack: f64, at: Moment) -> Option<GapDirection> {
    let mut widest: Option<(f64, GapDirection)> = None;
    for direction in GapDirection::ALL {
        let (side_a, side_b) = (&a[direction.extent_of_a().index()], &b[direction.extent_of_b().index()]);
        let (lower, upper) = if direction.a_is_below() { (side_a, side_b) } else { (side_b, side_a) };
        if !is_apart(lower, upper, slack, at) {
            continue;
        }
        let width = upper.at(at.time()) - lower.at(at.time());
        if widest.is_none_or(|(most, _)| width > most) {
            widest = Some((width, direction));
        }
    }
    widest.map(|(_, direction)| direction)
}
