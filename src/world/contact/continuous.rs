//! Contact intervals of one pair of bodies: from when to when each pair of triangles touches.
//!
//! Overlapping leaf pairs are decided window by window. A window is a span of time in which all
//! vertices of both leaves move linearly; in it the exact narrow phase gives every interval in
//! which two triangles share a point. The intervals' ends become events, so touch and part happen
//! in the world's order of events, at their own times.
//!
//! | event | when | what happens |
//! |---|---|---|
//! | [`EventKind::Window`] | the earliest window ends | its leaf pairs are decided over their next window |
//! | [`EventKind::TrianglesTouch`] | at an interval's begin | the contact begins |
//! | [`EventKind::TrianglesSeparate`] | just after an interval's end | the contact ends |
//!
//! Invariants: a leaf pair that overlaps now is decided at least until the end of the window around
//! now; a contact that is on has a part event, or its interval reaches the end of its window.
//!
//! Motion along curves is cut into windows in which every vertex stays near its chord
//! ([`crate::limits::MOTION_TOLERANCE`]); what comes closer to each other than both deviations
//! counts as contact, and is marked undecided.
//!
//! Exactness: window ends at keys are stored positions, and between them the narrow phase is exact.
//! Where windows are cut by the keys of others, the positions at the cut are evaluated in `f64`,
//! and may be off by a rounding. There what comes closer than that counts as contact: it is the
//! contact that the rounded positions show, with its ends moved outward; where they show none, it
//! is marked undecided. Times are enclosures rounded outward; at a time inside one
//! [`crate::world::contact::enclosure_tests`] decide.

use std::collections::BTreeMap;

use slab::Slab;

use crate::kinetic::EventContext;
use crate::kinetic::event::{Event, EventKind, LoggedEvent, Ticket};
use crate::narrow::intervals::{ContactInterval, IntervalStats};
use crate::time::{Moment, NEVER, Side};
use crate::world::body::are_between_rounds;
use crate::world::contact::linear_window::LeafCache;
use crate::world::contact::span::{ContactSpan, Partners, TimeEnclosure, Transition};

/// The decided intervals of one pair of bodies.
#[derive(Clone, Debug)]
pub(crate) struct Continuous {
    /// Leaf pairs decided, and until when, seconds.
    pub(crate) decided: BTreeMap<(u32, u32), f64>,
    pub(crate) spans: Slab<ContactSpan>,
    /// Per pair of triangles, the contact that is on.
    pub(crate) on: BTreeMap<(u32, u32), u32>,
    /// Per leaf pair, contacts that are to come.
    pub(crate) waiting: BTreeMap<(u32, u32), Vec<u32>>,
    pub(crate) window: Ticket,
    /// Earliest time inside an end of a contact that is on, of those that came since this was last
    /// taken, seconds.
    pub(crate) retest_at: f64,
    /// Earlier times are not asked about any more, seconds.
    pub(crate) needed_from: f64,
    pub(crate) stats: IntervalStats,
    /// Scratch.
    pub(crate) found: Vec<ContactInterval>,
}

impl Default for Continuous {
    fn default() -> Self {
        Self {
            decided: BTreeMap::new(),
            spans: Slab::new(),
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
    pub(crate) fn decide(
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

    /// The earliest windows ended: decides the leaf pairs that still overlap over their next
    /// windows, forgets the others.
    pub(crate) fn next_windows(
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
            // Where both are at this time, they are neither before nor after: a window without
            // length.
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

    /// Flightplans changed at the clock's moment: leaf pairs for which `is_affected` says so are
    /// decided again.
    pub(crate) fn plans_changed(
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
        // A window decided just now may end now; what reaches its end is for the window's own
        // event.
        self.end_what_window_left(clock.now.time().next_down(), transitions, partners.owner, clock);
        self.schedule_window(self.earliest_window(), partners.owner, clock);
    }

    /// What was decided for leaf pairs for which `is_affected` says so holds no longer from the
    /// clock's moment on: contacts to come are dropped, contacts that are on wait for what is
    /// decided next, or for [`Continuous::plans_changed`] to end them.
    pub(crate) fn invalidate(&mut self, is_affected: &dyn Fn((u32, u32)) -> bool, clock: &mut EventContext<'_>) {
        let affected: Vec<(u32, u32)> = self.decided.keys().copied().filter(|&pair| is_affected(pair)).collect();
        for pair in affected {
            self.decided.remove(&pair);
            for number in self.waiting.remove(&pair).unwrap_or_default() {
                self.drop_waiting(number, pair, clock);
            }
        }
        // Contacts that are on go on only if the new plans say so: their window ends now.
        for &number in self.on.values() {
            let span = &mut self.spans[number as usize];
            if is_affected(span.leaves) {
                (span.end, span.window.end) = (None, f64::NEG_INFINITY);
                span.ends.cut_from(clock.now.time());
                take_event(&mut span.ticket, clock);
            }
        }
    }

    /// A touch or part event was taken from the queue.
    pub(crate) fn process(
        &mut self,
        event: Event,
        owner: u32,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) {
        let number = event.slot;
        self.spans[number as usize].ticket = Ticket::NONE;
        let present = self.on.get(&self.spans[number as usize].triangles).copied();
        if event.kind == EventKind::TrianglesTouch
            && let Some(present) = present
        {
            // The enclosures of one contact's end and the next one's begin overlap: they are one
            // contact.
            let next = self.spans.remove(number as usize);
            let span = &mut self.spans[present as usize];
            span.go_on(&next);
            self.retest_at = self.retest_at.min(next.ends.next_inside(clock.now.time()).unwrap_or(NEVER));
            span.ends.join(next.ends, self.needed_from);
            self.schedule_part(present, owner, clock);
        } else if event.kind == EventKind::TrianglesTouch {
            self.begin(number, transitions, owner, clock);
        } else {
            let end = self.spans[number as usize].end.unwrap_or(TimeEnclosure::exactly(clock.now.time()));
            self.finish(number, end, transitions, owner, clock);
        }
    }

    /// Ends everything that is on at the clock's moment, and takes all events out of the queue.
    pub(crate) fn retire(
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
        for (_, span) in &mut self.spans {
            take_event(&mut span.ticket, clock);
        }
        take_event(&mut self.window, clock);
    }

    /// The earliest time inside an end of a contact that is on, of those that came since this was
    /// last asked, seconds.
    pub(crate) fn take_retests(&mut self) -> f64 {
        std::mem::replace(&mut self.retest_at, NEVER)
    }

    /// Contacts that are on, by triangles.
    pub(crate) fn on(&self) -> impl Iterator<Item = &ContactSpan> {
        self.on.values().map(|&number| &self.spans[number as usize])
    }

    /// Takes a decided interval, which begins at a moment: past, present or to come.
    pub(crate) fn enter(
        &mut self,
        pair: (u32, u32),
        begin: Moment,
        mut span: ContactSpan,
        owner: u32,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) {
        let now = clock.now;
        if span.end.is_some_and(|end| Moment::after(end.hi) < now) {
            return;
        }
        if let Some(&number) = self.on.get(&span.triangles) {
            let present = &mut self.spans[number as usize];
            if begin <= now {
                // The contact that is on goes on.
                present.go_on(&span);
                self.retest_at = self.retest_at.min(span.ends.next_inside(now.time()).unwrap_or(NEVER));
                if span.begin.is_open {
                    // What begins with a jump says nothing about the jump's own time.
                    present.ends.join(span.ends, self.needed_from);
                } else {
                    present.ends.continue_with(span.ends, now.time(), self.needed_from);
                }
                self.schedule_part(number, owner, clock);
                return;
            }
        }
        if begin > now || (begin == now && now.side() == Side::After) {
            let number = self.spans.vacant_key() as u32;
            let event = Event { moment: begin, kind: EventKind::TrianglesTouch, owner, slot: number };
            span.ticket = clock.queue.push(event);
            self.spans.insert(span);
            self.waiting.entry(pair).or_default().push(number);
            return;
        }
        // It is on now, and was not known before: the world starts in contact, or a plan changed
        // into it.
        span.begin.lo = span.begin.lo.max(now.time());
        span.begin.hi = span.begin.hi.max(span.begin.lo);
        let number = self.spans.insert(span) as u32;
        self.begin(number, transitions, owner, clock);
    }

    fn begin(&mut self, number: u32, transitions: &mut Vec<Transition>, owner: u32, clock: &mut EventContext<'_>) {
        let span = &mut self.spans[number as usize];
        span.is_on = true;
        self.retest_at = self.retest_at.min(span.ends.next_inside(clock.now.time()).unwrap_or(NEVER));
        self.on.insert(span.triangles, number);
        transitions.push(Transition { began: true, span: span.clone() });
        record(EventKind::TrianglesTouch, span.triangles, owner, clock);
        self.schedule_part(number, owner, clock);
    }

    fn schedule_part(&mut self, number: u32, owner: u32, clock: &mut EventContext<'_>) {
        let span = &mut self.spans[number as usize];
        take_event(&mut span.ticket, clock);
        if let Some(end) = span.end {
            let moment = Moment::after(end.hi).max(clock.now);
            let event = Event { moment, kind: EventKind::TrianglesSeparate, owner, slot: number };
            span.ticket = clock.queue.push(event);
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
        let mut span = self.spans.remove(number as usize);
        span.end = Some(end);
        self.on.remove(&span.triangles);
        record(EventKind::TrianglesSeparate, span.triangles, owner, clock);
        transitions.push(Transition { began: false, span });
    }

    fn end_now(
        &mut self,
        number: u32,
        end: TimeEnclosure,
        transitions: &mut Vec<Transition>,
        owner: u32,
        clock: &mut EventContext<'_>,
    ) {
        take_event(&mut self.spans[number as usize].ticket, clock);
        self.finish(number, end, transitions, owner, clock);
    }

    /// Whether a contact that is on reached a time by a way that does not lead to where its
    /// triangles are then.
    fn has_jumped(&self, number: u32, partners: &Partners<'_>, time: f64) -> bool {
        let span = &self.spans[number as usize];
        span.is_left(time) && span.window.begin < time && partners.jump_before(span.triangles, time)
    }

    /// Contacts that are on, reach the end of their window at a time or before, and were not
    /// continued.
    fn left(&self, until: f64) -> Vec<u32> {
        let is_left = |number: &u32| self.spans[*number as usize].is_left(until);
        self.on.values().copied().filter(is_left).collect()
    }

    /// Contacts that reached the end of their window and were not continued end with it: their
    /// leaves parted with it, or the motion jumped.
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

    /// The same where the window has come to its end by itself, at the clock's time: then such
    /// contacts are still on, and just after it they part. Where a loop has jumped into its first
    /// round at that time, they have ended just before.
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
                self.spans[number as usize].end = Some(TimeEnclosure::exactly(until));
                let mut after = EventContext { queue: clock.queue, log: clock.log, now: Moment::after(until) };
                self.schedule_part(number, partners.owner, &mut after);
            }
        }
    }

    /// Drops a contact to come. Its number may since have begun, ended, and been given to another.
    fn drop_waiting(&mut self, number: u32, leaves: (u32, u32), clock: &mut EventContext<'_>) {
        let is_waiting = self.spans.get(number as usize).is_some_and(|span| !span.is_on && span.leaves == leaves);
        if is_waiting {
            let mut span = self.spans.remove(number as usize);
            take_event(&mut span.ticket, clock);
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
