//! Contact intervals of one pair of bodies: from when to when each pair of triangles touches.
//!
//! Overlapping leaf pairs are decided window by window. A window is a stretch of time in which all vertices of both leaves
//! move linearly; in it the exact narrow phase gives every interval in which two triangles share a point. The intervals'
//! ends become events, so touch and part happen in the world's order of events, at their own times.
//!
//! | event | when | what happens |
//! |---|---|---|
//! | [`EventKind::Window`] | the earliest window ends | its leaf pairs are decided over their next window |
//! | [`EventKind::TrianglesTouch`] | at an interval's begin | the contact begins |
//! | [`EventKind::TrianglesSeparate`] | just after an interval's end | the contact ends |
//!
//! Invariants: a leaf pair that overlaps now is decided at least until the end of the window around now; a contact that is
//! on has a part event, or its interval reaches the end of its window.
//!
//! Motion along curves is cut into windows in which every vertex stays near its chord ([`crate::limits::MOTION_TOLERANCE`]); what
//! comes closer to each other than both deviations counts as contact, and is marked undecided.
//!
//! Exactness: window ends at keys are stored positions, and between them the narrow phase is exact. Where windows are cut by
//! the keys of others, the positions at the cut are evaluated in `f64`, and may be off by a rounding. There what comes closer
//! than that counts as contact: it is the contact that the rounded positions show, with its ends moved outward; where they show
//! none, it is marked undecided. Times are enclosures rounded outward; at a time inside one [`super::ends`] tells.

mod decide;

use std::collections::BTreeMap;

use slab::Slab;

use super::Body;
use super::enclosure_tests::Ends;
use super::intervals::{PairInterval, are_between_rounds};
use super::linear_window::{LeafCache, LinearWindow};
use super::rule::PairRule;
use crate::kinetic::EventContext;
use crate::kinetic::event::{Event, EventKind, LoggedEvent, Ticket};
use crate::narrow::intervals::{ContactInterval, FirstTouch, IntervalStats};
use crate::time::{Moment, NEVER, Side};

/// A time known up to `lo <= time <= hi`, seconds; rounded outward by a few units in the last place.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimeEnclosure {
    /// At or before the true time.
    pub lo: f64,
    /// At or after it.
    pub hi: f64,
    /// Whether the outer end of the enclosure does not belong to the contact: `lo` of a begin, `hi` of an end.
    ///
    /// Set where a motion jumps, see [`crate::time::Side`]. A contact that a jump brings about begins just after `lo`; a
    /// contact that a loop leaves on its way into its first round ends just before `hi`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_open: bool,
}

impl TimeEnclosure {
    /// A closed enclosure.
    pub(super) fn closed(lo: f64, hi: f64) -> Self {
        Self { lo, hi, is_open: false }
    }

    /// A time that is known exactly.
    pub(super) fn exactly(time: f64) -> Self {
        Self::closed(time, time)
    }

    /// Whether a contact that begins within the enclosure may be on at a time, as far as its begin tells.
    pub(super) fn begins_by(self, time: f64) -> bool {
        self.lo < time || (self.lo == time && !self.is_open)
    }

    /// Whether a contact that ends within the enclosure may be on at a time, as far as its end tells.
    pub(super) fn ends_from(self, time: f64) -> bool {
        time < self.hi || (time == self.hi && !self.is_open)
    }
}

/// A contact that is on or will be: an interval of one pair of triangles.
#[derive(Clone, Debug)]
pub(super) struct ContactSpan {
    pub(super) triangles: (u32, u32),
    /// The leaf pair it was found in, and the window.
    leaves: (u32, u32),
    window: LinearWindow,
    pub(super) begin: TimeEnclosure,
    /// `None` while it reaches the end of its window.
    pub(super) end: Option<TimeEnclosure>,
    /// What tells at times inside the enclosures.
    pub(super) ends: Ends,
    pub(super) touch: Option<FirstTouch>,
    pub(super) undecided: bool,
    is_on: bool,
    ticket: Ticket,
}

impl ContactSpan {
    /// Whether it reaches the end of its window, and that has come.
    fn is_left(&self, until: f64) -> bool {
        self.end.is_none() && self.window.end <= until
    }

    /// Takes what was found of the same contact in its next window, but for the ends.
    fn go_on(&mut self, next: &Self) {
        (self.end, self.window, self.leaves) = (next.end, next.window, next.leaves);
        self.undecided |= next.undecided;
    }
}

/// What came of an event: a contact began or ended.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    pub(super) began: bool,
    pub(super) stretch: ContactSpan,
}

/// The decided intervals of one pair of bodies.
#[derive(Debug)]
pub(super) struct Continuous {
    /// Leaf pairs decided, and until when, seconds.
    decided: BTreeMap<(u32, u32), f64>,
    stretches: Slab<ContactSpan>,
    /// Per pair of triangles, the contact that is on.
    on: BTreeMap<(u32, u32), u32>,
    /// Per leaf pair, contacts that are to come.
    waiting: BTreeMap<(u32, u32), Vec<u32>>,
    window: Ticket,
    /// Earliest time inside an end of a contact that is on, of those that came since this was last taken, seconds.
    retest_at: f64,
    /// Nobody asks about earlier times any more, seconds.
    pub(super) needed_from: f64,
    pub(super) stats: IntervalStats,
    /// Scratch.
    found: Vec<ContactInterval>,
}

/// Two bodies (or one twice) and what counts as contact between them.
pub(super) struct Partners<'a> {
    pub(super) a: &'a Body,
    pub(super) b: &'a Body,
    pub(super) rule: PairRule<'a>,
    pub(super) owner: u32,
    /// Which triangles may touch, where that is found interval by interval; then all is decided as one leaf pair, that of the roots.
    pub(super) interval: Option<&'a PairInterval>,
}

impl Default for Continuous {
    fn default() -> Self {
        Self {
            decided: BTreeMap::new(),
            stretches: Slab::new(),
            on: BTreeMap::new(),
            waiting: BTreeMap::new(),
            window: Ticket::NONE,
            retest_at: NEVER,
            needed_from: f64::NEG_INFINITY,
            stats: IntervalStats::default(),
            found: Vec::new(),
        }
    }
}

impl Continuous {
    /// Decides leaf pairs over the window around the clock's moment, unless that was done.
    pub(super) fn decide(
        &mut self,
        leaves: &[(u32, u32)],
        partners: &Partners<'_>,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) {
        let mut scratch = LeafCache::default();
        let mut earliest = NEVER;
        for &pair in leaves {
            let is_decided = |&until: &f64| until > clock.now.time();
            if !self.decided.get(&pair).is_some_and(is_decided) {
                earliest = earliest.min(self.decide_pair(pair, partners, &mut scratch, transitions, clock));
            }
        }
        let scheduled = if self.window.is_some() { clock.queue.get(self.window).moment.time() } else { NEVER };
        if earliest < scheduled {
            self.schedule_window(earliest, partners.owner, clock);
        }
    }

    /// The earliest windows ended: decides the leaf pairs that still overlap over their next windows, forgets the others.
    pub(super) fn next_windows(
        &mut self,
        overlapping: &[(u32, u32)],
        partners: &Partners<'_>,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) {
        self.window = Ticket::NONE;
        let now = clock.now;
        self.decided.retain(|_, until| *until > now.time());
        let mut scratch = LeafCache::default();
        if are_between_rounds(partners.a, partners.b, now.time()) {
            // Where both are at this time, they are neither before nor after: a window without length.
            for &pair in overlapping {
                if !self.decided.contains_key(&pair) {
                    self.decide_pair(pair, partners, &mut scratch, transitions, clock);
                }
            }
            self.part_what_window_left(partners, transitions, clock);
            self.decided.retain(|_, until| *until > now.time());
        }
        // What lies beyond the window begins just after it.
        let mut after = EventContext { queue: clock.queue, log: clock.log, now: Moment::after(now.time()) };
        for &pair in overlapping {
            if !self.decided.contains_key(&pair) {
                self.decide_pair(pair, partners, &mut scratch, transitions, &mut after);
            }
        }
        self.part_what_window_left(partners, transitions, clock);
        self.schedule_window(self.earliest_window(), partners.owner, clock);
    }

    /// Flightplans changed at the clock's moment: leaf pairs for which `is_affected` says so are decided again.
    pub(super) fn plans_changed(
        &mut self,
        overlapping: &[(u32, u32)],
        is_affected: impl Fn((u32, u32)) -> bool,
        partners: &Partners<'_>,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) {
        self.invalidate(&is_affected, clock);
        let mut scratch = LeafCache::default();
        for &pair in overlapping.iter().filter(|&&pair| is_affected(pair)) {
            self.decide_pair(pair, partners, &mut scratch, transitions, clock);
        }
        // A window decided just now may end now; what reaches its end is for the window's own event.
        self.end_what_window_left(clock.now.time().next_down(), transitions, partners.owner, clock);
        self.schedule_window(self.earliest_window(), partners.owner, clock);
    }

    /// What was decided for leaf pairs for which `is_affected` says so holds no longer from the clock's moment on: contacts to come
    /// are dropped, contacts that are on wait for what is decided next, or for [`Continuous::plans_changed`] to end them.
    pub(super) fn invalidate(&mut self, is_affected: &dyn Fn((u32, u32)) -> bool, clock: &mut EventContext<'_>) {
        let affected: Vec<(u32, u32)> = self.decided.keys().copied().filter(|&pair| is_affected(pair)).collect();
        for pair in affected {
            self.decided.remove(&pair);
            for number in self.waiting.remove(&pair).unwrap_or_default() {
                self.drop_waiting(number, pair, clock);
            }
        }
        // Contacts that are on go on only if the new plans say so: their window ends now.
        for &number in self.on.values() {
            let stretch = &mut self.stretches[number as usize];
            if is_affected(stretch.leaves) {
                (stretch.end, stretch.window.end) = (None, f64::NEG_INFINITY);
                stretch.ends.cut_from(clock.now.time());
                take_event(&mut stretch.ticket, clock);
            }
        }
    }

    /// A touch or part event was taken from the queue.
    pub(super) fn process(
        &mut self,
        event: Event,
        owner: u32,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) {
        let number = event.slot;
        self.stretches[number as usize].ticket = Ticket::NONE;
        let present = self.on.get(&self.stretches[number as usize].triangles).copied();
        if event.kind == EventKind::TrianglesTouch
            && let Some(present) = present
        {
            // The enclosures of one contact's end and the next one's begin overlap: they are one contact.
            let next = self.stretches.remove(number as usize);
            let stretch = &mut self.stretches[present as usize];
            stretch.go_on(&next);
            self.retest_at = self.retest_at.min(next.ends.next_inside(clock.now.time()).unwrap_or(NEVER));
            stretch.ends.join(next.ends, self.needed_from);
            self.schedule_part(present, owner, clock);
        } else if event.kind == EventKind::TrianglesTouch {
            self.begin(number, transitions, owner, clock);
        } else {
            let end = self.stretches[number as usize].end.unwrap_or(TimeEnclosure::exactly(clock.now.time()));
            self.finish(number, end, transitions, owner, clock);
        }
    }

    /// Ends everything that is on at the clock's moment, and takes all events out of the queue.
    pub(super) fn retire(
        &mut self,
        partners: &Partners<'_>,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) {
        let (now, owner) = (clock.now.time(), partners.owner);
        let on: Vec<u32> = self.on.values().copied().collect();
        for number in on {
            // A loop may have jumped into its first round, and out of the other body's reach.
            let is_open = self.has_jumped(number, partners, now);
            self.end_now(number, TimeEnclosure { is_open, ..TimeEnclosure::exactly(now) }, transitions, owner, clock);
        }
        for (_, stretch) in &mut self.stretches {
            take_event(&mut stretch.ticket, clock);
        }
        take_event(&mut self.window, clock);
    }

    /// The earliest time inside an end of a contact that is on, of those that came since this was last asked, seconds.
    pub(super) fn take_retests(&mut self) -> f64 {
        std::mem::replace(&mut self.retest_at, NEVER)
    }

    /// Contacts that are on, by triangles.
    pub(super) fn on(&self) -> impl Iterator<Item = &ContactSpan> {
        self.on.values().map(|&number| &self.stretches[number as usize])
    }

    /// Takes a decided interval, which begins at a moment: past, present or to come.
    fn enter(
        &mut self,
        pair: (u32, u32),
        begin: Moment,
        mut stretch: ContactSpan,
        owner: u32,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) {
        let now = clock.now;
        if stretch.end.is_some_and(|end| Moment::after(end.hi) < now) {
            return;
        }
        if let Some(&number) = self.on.get(&stretch.triangles) {
            let present = &mut self.stretches[number as usize];
            if begin <= now {
                // The contact that is on goes on.
                present.go_on(&stretch);
                self.retest_at = self.retest_at.min(stretch.ends.next_inside(now.time()).unwrap_or(NEVER));
                if stretch.begin.is_open {
                    // What begins with a jump says nothing about the jump's own time.
                    present.ends.join(stretch.ends, self.needed_from);
                } else {
                    present.ends.continue_with(stretch.ends, now.time(), self.needed_from);
                }
                self.schedule_part(number, owner, clock);
                return;
            }
        }
        if begin > now || (begin == now && now.side() == Side::After) {
            let number = self.stretches.vacant_key() as u32;
            let event = Event { moment: begin, kind: EventKind::TrianglesTouch, owner, slot: number };
            stretch.ticket = clock.queue.push(event);
            self.stretches.insert(stretch);
            self.waiting.entry(pair).or_default().push(number);
            return;
        }
        // It is on now, and was not known before: the world starts in contact, or a plan changed into it.
        stretch.begin.lo = stretch.begin.lo.max(now.time());
        stretch.begin.hi = stretch.begin.hi.max(stretch.begin.lo);
        let number = self.stretches.insert(stretch) as u32;
        self.begin(number, transitions, owner, clock);
    }

    fn begin(&mut self, number: u32, transitions: &mut Vec<Transition>, owner: u32, clock: &mut EventContext<'_>) {
        let stretch = &mut self.stretches[number as usize];
        stretch.is_on = true;
        self.retest_at = self.retest_at.min(stretch.ends.next_inside(clock.now.time()).unwrap_or(NEVER));
        self.on.insert(stretch.triangles, number);
        transitions.push(Transition { began: true, stretch: stretch.clone() });
        record(EventKind::TrianglesTouch, stretch.triangles, owner, clock);
        self.schedule_part(number, owner, clock);
    }

    fn schedule_part(&mut self, number: u32, owner: u32, clock: &mut EventContext<'_>) {
        let stretch = &mut self.stretches[number as usize];
        take_event(&mut stretch.ticket, clock);
        if let Some(end) = stretch.end {
            let moment = Moment::after(end.hi).max(clock.now);
            let event = Event { moment, kind: EventKind::TrianglesSeparate, owner, slot: number };
            stretch.ticket = clock.queue.push(event);
        }
    }

    fn finish(
        &mut self,
        number: u32,
        end: TimeEnclosure,
        transitions: &mut Vec<Transition>,
        owner: u32,
        clock: &mut EventContext<'_>,
    ) {
        let mut stretch = self.stretches.remove(number as usize);
        stretch.end = Some(end);
        self.on.remove(&stretch.triangles);
        record(EventKind::TrianglesSeparate, stretch.triangles, owner, clock);
        transitions.push(Transition { began: false, stretch });
    }

    fn end_now(
        &mut self,
        number: u32,
        end: TimeEnclosure,
        transitions: &mut Vec<Transition>,
        owner: u32,
        clock: &mut EventContext<'_>,
    ) {
        take_event(&mut self.stretches[number as usize].ticket, clock);
        self.finish(number, end, transitions, owner, clock);
    }

    /// Whether a contact that is on reached a time by a way that does not lead to where its triangles are then.
    fn has_jumped(&self, number: u32, partners: &Partners<'_>, time: f64) -> bool {
        let stretch = &self.stretches[number as usize];
        stretch.is_left(time) && stretch.window.begin < time && partners.jump_before(stretch.triangles, time)
    }

    /// Contacts that are on, reach the end of their window at a time or before, and were not continued.
    fn left(&self, until: f64) -> Vec<u32> {
        let is_left = |number: &u32| self.stretches[*number as usize].is_left(until);
        self.on.values().copied().filter(is_left).collect()
    }

    /// Contacts that reached the end of their window and were not continued end with it: their leaves parted with it, or the
    /// motion jumped.
    fn end_what_window_left(
        &mut self,
        until: f64,
        transitions: &mut Vec<Transition>,
        owner: u32,
        clock: &mut EventContext<'_>,
    ) {
        for number in self.left(until) {
            self.end_now(number, TimeEnclosure::exactly(clock.now.time()), transitions, owner, clock);
        }
    }

    /// The same where the window has come to its end by itself, at the clock's time: then such contacts are still on, and
    /// just after it they part. Where a loop has jumped into its first round at that time, they have ended just before.
    fn part_what_window_left(
        &mut self,
        partners: &Partners<'_>,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) {
        let until = clock.now.time();
        for number in self.left(until) {
            if self.has_jumped(number, partners, until) {
                let end = TimeEnclosure { is_open: true, ..TimeEnclosure::exactly(until) };
                self.end_now(number, end, transitions, partners.owner, clock);
            } else {
                self.stretches[number as usize].end = Some(TimeEnclosure::exactly(until));
                let mut after = EventContext { queue: clock.queue, log: clock.log, now: Moment::after(until) };
                self.schedule_part(number, partners.owner, &mut after);
            }
        }
    }

    /// Drops a contact to come. Its number may since have begun, ended, and been given to another.
    fn drop_waiting(&mut self, number: u32, leaves: (u32, u32), clock: &mut EventContext<'_>) {
        let is_waiting =
            self.stretches.get(number as usize).is_some_and(|stretch| !stretch.is_on && stretch.leaves == leaves);
        if is_waiting {
            let mut stretch = self.stretches.remove(number as usize);
            take_event(&mut stretch.ticket, clock);
        }
    }

    /// The earliest end of a decided window.
    fn earliest_window(&self) -> f64 {
        self.decided.values().copied().fold(NEVER, f64::min)
    }

    fn schedule_window(&mut self, end: f64, owner: u32, clock: &mut EventContext<'_>) {
        take_event(&mut self.window, clock);
        if end < NEVER {
            let moment = Moment::at(end).max(clock.now);
            self.window = clock.queue.push(Event { moment, kind: EventKind::Window, owner, slot: 0 });
        }
    }
}

fn take_event(ticket: &mut Ticket, clock: &mut EventContext<'_>) {
    if ticket.is_some() {
        clock.queue.erase(*ticket);
        *ticket = Ticket::NONE;
    }
}

fn record(kind: EventKind, triangles: (u32, u32), owner: u32, clock: &mut EventContext<'_>) {
    clock.log.record(LoggedEvent { moment: clock.now, kind, owner, first: triangles.0, second: triangles.1 });
}
