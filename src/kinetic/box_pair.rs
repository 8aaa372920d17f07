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
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
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

    /// Schedules when a certificate fails that was searched before.
    pub(super) fn enter(
        &mut self,
        name: EventName,
        direction: GapDirection,
        failure: Moment,
        context: &mut EventContext<'_>,
    ) {
        self.direction = direction;
        self.schedule(name, failure, context);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinetic::event::{EventLog, EventQueue};

    struct Side(Piece);

    impl Bound for Side {
        fn piece(&self, _: Moment) -> Piece {
            self.0
        }
    }

    /// Bounds of two boxes by index of their extents: `a` is the unit cube.
    struct Boxes([[Piece; 6]; 2]);

    impl BoundPair for Boxes {
        fn bound_a(&self, extent: Extent) -> impl Bound {
            Side(self.0[0][extent.index()])
        }

        fn bound_b(&self, extent: Extent) -> impl Bound {
            Side(self.0[1][extent.index()])
        }

        fn slack(&self) -> f64 {
            1e-9
        }

        fn epoch_end(&self) -> f64 {
            100.0
        }
    }

    impl Boxes {
        fn new() -> Self {
            let cube = Extent::ALL.map(|extent| Piece::constant(0.0, 100.0, if extent.is_max() { 1.0 } else { 0.0 }));
            Self([cube; 2])
        }

        /// Lets the lower side of `b` along an axis reach the upper one of `a` at a time.
        fn open_at(&mut self, axis: usize, time: f64) -> GapDirection {
            self.0[1][Extent::min(axis).index()] = Piece::linear(0.0, 100.0, 0.0, 100.0 / time);
            GapDirection::facing_a(Extent::max(axis))
        }
    }

    #[test]
    fn an_overlapping_pair_waits_for_the_first_direction_to_open() {
        let (mut queue, mut log, now) = (EventQueue::new(), EventLog::new(false), Moment::at(0.0));
        let mut context = EventContext { queue: &mut queue, log: &mut log, now };
        let name = EventName { kind: EventKind::LeavesSeparate, owner: 0, slot: 0 };
        let (mut boxes, mut pair) = (Boxes::new(), BoxPair::NEW);
        let event = |pair: &BoxPair, context: &EventContext<'_>| context.queue.get(pair.ticket).moment.time();
        // The first of equals.
        let [x, y, z] = [0, 1, 2].map(|axis| boxes.open_at(axis, 5.0));
        pair.certify_opening(name, &boxes, &mut context);
        assert_eq!(pair.direction, x);
        assert!((event(&pair, &context) - 5.0).abs() < 1e-6);
        // One that opens later changes nothing, one that opens earlier is scheduled.
        boxes.open_at(2, 8.0);
        assert_eq!(pair.direction_changed(z, name, &boxes, &mut context), 1);
        assert_eq!(pair.direction, x);
        boxes.open_at(1, 2.0);
        assert_eq!(pair.direction_changed(y, name, &boxes, &mut context), 1);
        assert_eq!(pair.direction, y);
        assert!((event(&pair, &context) - 2.0).abs() < 1e-6);
        // The scheduled one opens later: all directions are in question.
        boxes.open_at(1, 9.0);
        assert_eq!(pair.direction_changed(y, name, &boxes, &mut context), DIRECTIONS);
        assert_eq!((pair.direction, context.queue.len()), (x, 1));
        assert!((event(&pair, &context) - 5.0).abs() < 1e-6);
        pair.retire(&mut context);
        assert!(context.queue.is_empty() && !pair.ticket.is_some());
    }

    #[test]
    fn a_failure_that_was_found_before_is_scheduled() {
        let (mut queue, mut log, now) = (EventQueue::new(), EventLog::new(false), Moment::at(0.0));
        let mut context = EventContext { queue: &mut queue, log: &mut log, now };
        let name = EventName { kind: EventKind::BoxesOverlap, owner: 3, slot: 7 };
        let (mut pair, [_, y, z]) = (BoxPair::NEW, [0, 1, 2].map(|axis| GapDirection::facing_a(Extent::max(axis))));
        pair.enter(name, y, Moment::at(4.0), &mut context);
        let event = Event { moment: Moment::at(4.0), kind: EventKind::BoxesOverlap, owner: 3, slot: 7 };
        assert_eq!((pair.direction, context.queue.get(pair.ticket)), (y, event));
        // One that never fails takes the event out.
        pair.enter(name, z, Moment::at(NEVER), &mut context);
        assert!(pair.direction == z && context.queue.is_empty() && !pair.ticket.is_some());
    }

    #[test]
    fn boxes_apart_are_watched_along_the_widest_gap() {
        let mut boxes = Boxes::new();
        assert_eq!(widest_gap([&boxes.0[0], &boxes.0[1]], 1e-9, Moment::at(1.0)), None);
        let [_, y, _] = [(0, 2.0), (1, 0.5), (2, 4.0)].map(|(axis, time)| boxes.open_at(axis, time));
        assert_eq!(widest_gap([&boxes.0[0], &boxes.0[1]], 1e-9, Moment::at(6.0)), Some(y));
    }
}
