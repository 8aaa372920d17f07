//! Spans of contact between two triangles, and what is asked to find them.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::kinetic::EventContext;
use crate::kinetic::event::{Event, EventKind, Ticket};
use crate::narrow::intervals::FirstTouch;
use crate::time::Moment;
use crate::world::body::Body;
use crate::world::contact::ahead::DecidedAhead;
use crate::world::contact::enclosure_tests::Ends;
use crate::world::contact::linear_window::{LeafCache, LinearWindow};
use crate::world::rule::PairRule;

/// A time known up to `lo <= time <= hi`, seconds; rounded outward by a few units in the last
/// place.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimeEnclosure {
    /// At or before the true time.
    pub lo: f64,
    /// At or after it.
    pub hi: f64,
    /// Whether the outer end of the enclosure does not belong to the contact: `lo` of a begin, `hi`
    /// of an end.
    ///
    /// Set where a motion jumps, see [`crate::time::Side`]. A contact that a jump brings about
    /// begins just after `lo`; a contact that a loop leaves on its way into its first round ends
    /// just before `hi`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_open: bool,
}

/// Two are held per span of contact.
const _: () = assert!(size_of::<TimeEnclosure>() == 24);

impl TimeEnclosure {
    /// A closed enclosure.
    pub(crate) fn closed(lo: f64, hi: f64) -> Self {
        Self { lo, hi, is_open: false }
    }

    /// A time that is known exactly.
    pub(crate) fn exactly(time: f64) -> Self {
        Self::closed(time, time)
    }

    /// Whether a contact that begins within the enclosure may be on at a time, as far as its begin
    /// tells.
    pub(crate) fn begins_by(self, time: f64) -> bool {
        self.lo < time || (self.lo == time && !self.is_open)
    }

    /// Whether a contact that ends within the enclosure may be on at a time, as far as its end
    /// tells.
    pub(crate) fn ends_from(self, time: f64) -> bool {
        time < self.hi || (time == self.hi && !self.is_open)
    }
}

/// A contact that is on or will be: an interval of one pair of triangles.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ContactSpan {
    pub(crate) triangles: (u32, u32),
    /// The leaf pair it was found in, and when the window it was found in ends, seconds.
    pub(crate) leaves: (u32, u32),
    pub(crate) window: LinearWindow,
    pub(crate) begin: TimeEnclosure,
    /// `None` while it reaches the end of its window.
    pub(crate) end: Option<TimeEnclosure>,
    /// From when on it may have ended, seconds, if it is not found again at the end of its window.
    pub(crate) may_end_from: f64,
    /// What tells at times inside the enclosures.
    pub(crate) ends: Ends,
    pub(crate) touch: Option<FirstTouch>,
    pub(crate) undecided: bool,
    pub(crate) is_on: bool,
    pub(crate) ticket: Ticket,
}

impl ContactSpan {
    /// Whether the span reaches the end of its window, and that has come.
    pub(crate) fn is_left(&self, until: f64) -> bool {
        self.end.is_none() && self.window.end <= until
    }

    /// When it ended, if it was not found again at the end of its window, and that has come by
    /// `now`, seconds.
    pub(crate) fn left_by(&self, now: f64) -> TimeEnclosure {
        TimeEnclosure::closed(self.may_end_from.min(now), now)
    }

    /// Whether it may part by less than rounding before it goes on, now, as `next`: one of both
    /// does not reach the time for certain, and there the triangles are apart. Where all is exact,
    /// ends are kept, and these tell.
    pub(crate) fn may_part_before(&self, next: &Self, context: &mut StepContext<'_>) -> bool {
        let (now, triangles) = (context.clock.now, next.triangles);
        let time = now.time();
        let tells = |span: &Self| span.ends.contain(time);
        if self.undecided || next.undecided {
            return false;
        }
        if self.may_end_from < time && !tells(self) {
            // At a jump the time itself says nothing about the way to it.
            let has_jumped = context.partners.jump_before(triangles, time);
            let last = if has_jumped { time.next_down() } else { time };
            let up_to_now = LinearWindow { begin: f64::NEG_INFINITY, end: last };
            if !context.partners.touch_at(triangles, last, up_to_now) {
                return true;
            }
        }
        next.begin.hi > time
            && !tells(next)
            && !context.partners.touch_at(triangles, time, next.window)
            && context.partners.is_rounded(triangles, now, &mut context.scratch)
    }

    /// Takes what was found of the same contact in its next window, but for the ends.
    pub(crate) fn go_on(&mut self, next: &Self) {
        (self.end, self.window, self.leaves) = (next.end, next.window, next.leaves);
        self.may_end_from = next.may_end_from;
        self.undecided |= next.undecided;
    }
}

/// What came of an event: a contact began or ended.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) began: bool,
    pub(crate) span: ContactSpan,
}

/// Two bodies (or one twice) and what counts as contact between them.
pub(crate) struct Partners<'a> {
    pub(crate) a: &'a Body,
    pub(crate) b: &'a Body,
    pub(crate) rule: PairRule<'a>,
    pub(crate) owner: u32,
    /// Where triangles are found interval by interval; then all of them are decided as one leaf
    /// pair, that of the roots.
    pub(crate) interval: Option<IntervalTriangles<'a>>,
}

/// The triangles that may touch in a keyframe interval.
#[derive(Clone, Copy)]
pub(crate) struct IntervalTriangles<'a> {
    /// When the interval ends, seconds.
    pub(crate) end: f64,
    /// Triangles of the first and of the second body, sorted.
    pub(crate) triangles: &'a [(u32, u32)],
}

impl IntervalTriangles<'_> {
    /// Without the first of them.
    pub(crate) fn after(mut self, first: usize) -> Self {
        self.triangles = &self.triangles[first..];
        self
    }
}

/// What a step of a pair's continuous contacts reads and changes.
pub(crate) struct StepContext<'a> {
    pub(crate) partners: Partners<'a>,
    /// Leaves gathered so far.
    pub(crate) scratch: LeafCache,
    /// Begins and ends of contacts, in order.
    pub(crate) transitions: Vec<Transition>,
    /// What was decided ahead; `None` while it is read.
    pub(crate) ahead: Option<&'a mut DecidedAhead>,
    /// Counts contacts found, up to the most that a pair of bodies may have.
    pub(crate) room: Room,
    pub(crate) clock: EventContext<'a>,
}

/// Counts contacts that are found, side by side.
#[derive(Debug)]
pub(crate) struct Room {
    found: AtomicUsize,
    most: usize,
}

impl Room {
    /// Room for `most` contacts, of which some are there.
    pub(crate) fn new(most: usize, known: usize) -> Self {
        Self { found: AtomicUsize::new(known), most }
    }

    /// How many there are.
    pub(crate) fn found(&self) -> usize {
        self.found.load(Ordering::Relaxed)
    }

    /// Counts a contact.
    pub(crate) fn take_one(&self) {
        self.found.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether there would be more than the most with some more.
    pub(crate) fn may_become_overfull(&self, more: usize) -> bool {
        self.found.load(Ordering::Relaxed).saturating_add(more) > self.most
    }

    /// Whether there are more than the most. However the work is shared: they are in the end if
    /// they are at any time.
    pub(crate) fn is_overfull(&self) -> bool {
        self.found.load(Ordering::Relaxed) > self.most
    }
}

impl StepContext<'_> {
    /// Schedules an event of the pair.
    pub(crate) fn schedule(&mut self, moment: Moment, kind: EventKind, slot: u32) -> Ticket {
        self.clock.queue.push(Event { moment, kind, owner: self.partners.owner, slot })
    }
}

/// An event, or a change, that concerns the continuous contacts of a pair of bodies.
pub(crate) enum ContactStep<'a> {
    /// Leaves may have met.
    Met,
    /// The earliest window ends.
    WindowEnds,
    /// Triangles touch or separate.
    Event(Event),
    /// Flightplans changed, for leaf pairs for which the function returns true.
    PlansChanged(&'a dyn Fn((u32, u32)) -> bool),
    /// Leaves are others than before, in leaf pairs for which the function returns true.
    /// [`ContactStep::PlansChanged`] must follow at the same moment.
    Invalidate(&'a dyn Fn((u32, u32)) -> bool),
    /// What contacts were too many for is to be decided.
    Resume,
    /// The pair is no longer watched.
    Retire,
}
