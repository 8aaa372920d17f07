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

use crate::id::Slots;
use crate::kinetic::event::{Event, EventKind, LoggedEvent, Ticket};
use crate::narrow::intervals::IntervalStats;
use crate::time::{Moment, NEVER, Side};
use crate::world::body::are_between_rounds;
use crate::world::contact::decide::Decider;
use crate::world::contact::put_off::PutOff;
use crate::world::contact::span::{ContactSpan, Partners, StepContext, TimeEnclosure, Transition};
use crate::world::contact::{Hashed, hashed_bytes};

/// Until when a leaf pair is decided.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct DecidedPair {
    /// Seconds.
    pub(crate) until: f64,
    /// Begin and end of its numbers in [`Continuous::waiting`].
    waiting: [u32; 2],
}

/// The decided intervals of one pair of bodies.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Continuous {
    #[cfg_attr(feature = "record", serde(serialize_with = "crate::saved::sorted"))]
    pub(crate) decided: Hashed<(u32, u32), DecidedPair>,
    pub(crate) spans: Slots<ContactSpan>,
    /// Per pair of triangles, the contact that is on.
    #[cfg_attr(feature = "record", serde(serialize_with = "crate::saved::sorted"))]
    pub(crate) on: Hashed<(u32, u32), u32>,
    /// Contacts that are to come, by leaf pair. Holds also some that are not any more.
    waiting: Vec<u32>,
    pub(crate) window: Ticket,
    /// Earliest time inside an end of a contact that is on, of those that came since this was last
    /// taken, seconds.
    pub(crate) retest_at: f64,
    /// Earlier times are not asked about any more, seconds.
    pub(crate) needed_from: f64,
    /// What contacts were too many for.
    pub(crate) put_off: Option<Box<PutOff>>,
    pub(crate) stats: IntervalStats,
    /// Scratch.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) decider: Decider,
    /// Scratch.
    #[cfg_attr(feature = "record", serde(skip))]
    kept: Vec<([u32; 2], (u32, u32))>,
}

impl Default for Continuous {
    fn default() -> Self {
        Self {
            decided: Hashed::default(),
            spans: Slots::new(),
            on: Hashed::default(),
            waiting: Vec::new(),
            window: Ticket::NONE,
            retest_at: NEVER,
            needed_from: f64::NEG_INFINITY,
            put_off: None,
            stats: IntervalStats::default(),
            decider: Decider::default(),
            kept: Vec::new(),
        }
    }
}

impl Continuous {
    /// Becomes as a new one, in the memory that is there. All contacts must have ended.
    pub(crate) fn empty(&mut self) {
        let Self { mut decided, mut spans, mut on, mut waiting, mut decider, mut kept, .. } = std::mem::take(self);
        decided.clear();
        spans.clear();
        on.clear();
        waiting.clear();
        decider.empty();
        kept.clear();
        *self = Self { decided, spans, on, waiting, decider, kept, ..Self::default() };
    }

    /// Bytes held; of maps about. O(contacts that are on or to come).
    pub(crate) fn bytes(&self) -> usize {
        let ends: usize = self.spans.iter().map(|(_, span)| span.ends.bytes()).sum();
        hashed_bytes(&self.decided)
            + self.spans.capacity() * size_of::<Option<ContactSpan>>()
            + ends
            + self.put_off.as_ref().map_or(0, |put_off| put_off.bytes())
            + hashed_bytes(&self.on)
            + self.waiting.capacity() * size_of::<u32>()
            + self.kept.capacity() * size_of::<([u32; 2], (u32, u32))>()
            + self.decider.bytes()
    }

    /// Decides leaf pairs over the window around the clock's moment, unless that was done.
    pub(crate) fn decide(&mut self, leaves: &[(u32, u32)], context: &mut StepContext<'_>) {
        let mut earliest = NEVER;
        for &pair in leaves {
            if !self.is_decided(pair, context.clock.now) {
                earliest = earliest.min(self.decide_pair(pair, context));
            }
        }
        let scheduled = if self.window.is_some() { context.clock.queue.get(self.window).moment.time() } else { NEVER };
        if earliest < scheduled {
            self.schedule_window(earliest, context);
        }
    }

    /// The earliest windows ended: decides the leaf pairs that still overlap over their next
    /// windows, forgets the others.
    pub(crate) fn next_windows(&mut self, overlapping: &[(u32, u32)], context: &mut StepContext<'_>) {
        self.window = Ticket::NONE;
        if are_between_rounds(context.partners.a, context.partners.b, context.clock.now.time()) {
            // Where both are at this time, they are neither before nor after: a window without
            // length.
            self.decide_new(overlapping, context);
            if self.puts_off_window_ends() {
                return;
            }
            self.part_what_window_left(context);
        }
        self.begin_windows(overlapping, context);
    }

    /// Decides leaf pairs beyond the windows that end now.
    pub(super) fn begin_windows(&mut self, leaves: &[(u32, u32)], context: &mut StepContext<'_>) {
        let now = context.clock.now;
        // What lies beyond the window begins just after it.
        context.clock.now = Moment::after(now.time());
        let is_decided = self.decide_beyond(leaves, context);
        context.clock.now = now;
        if !is_decided {
            return;
        }
        self.decided.retain(|_, decided| decided.until > now.time());
        self.tidy_waiting();
        self.part_what_window_left(context);
        self.schedule_window(self.earliest_window(), context);
    }

    /// Whether a leaf pair is decided beyond a moment.
    fn is_decided(&self, pair: (u32, u32), now: Moment) -> bool {
        self.decided.get(&pair).is_some_and(|decided| decided.until > now.time())
    }

    /// Decides the leaf pairs, ascending, that are not decided.
    pub(super) fn decide_new(&mut self, overlapping: &[(u32, u32)], context: &mut StepContext<'_>) {
        for &pair in overlapping {
            if !self.is_decided(pair, context.clock.now) {
                self.decide_pair(pair, context);
            }
        }
    }

    /// Decides a leaf pair over its window around the clock's moment; returns when that ends.
    fn decide_pair(&mut self, pair: (u32, u32), context: &mut StepContext<'_>) -> f64 {
        let found = context.room.found();
        if context.room.is_overfull() {
            self.put_off(pair, found);
            return NEVER;
        }
        let begin = self.waiting.len() as u32;
        let until = self.find_contacts_of_pair(pair, context);
        if context.room.is_overfull() {
            self.put_off(pair, found);
            return NEVER;
        }
        let end = self.waiting.len() as u32;
        self.decided.insert(pair, DecidedPair { until, waiting: if begin < end { [begin, end] } else { [0; 2] } });
        until
    }

    /// The contacts that a leaf pair waits for. A forged file may name places that are not there.
    fn waiting_of(&self, [begin, end]: [u32; 2]) -> &[u32] {
        self.waiting.get(begin as usize..end as usize).unwrap_or_default()
    }

    /// Leaves out what no leaf pair waits for any more, once that is more than half.
    fn tidy_waiting(&mut self) {
        let live: usize = self.decided.values().map(|decided| self.waiting_of(decided.waiting).len()).sum();
        if self.waiting.len() <= 2 * live {
            return;
        }
        let mut kept = std::mem::take(&mut self.kept);
        let places = self.decided.iter().map(|(&pair, decided)| (decided.waiting, pair));
        kept.extend(places.filter(|(places, _)| !self.waiting_of(*places).is_empty()));
        kept.sort_unstable();
        let mut count = 0;
        for ([begin, end], pair) in kept.drain(..) {
            let length = end - begin;
            self.waiting.copy_within(begin as usize..end as usize, count as usize);
            if let Some(decided) = self.decided.get_mut(&pair) {
                decided.waiting = [count, count + length];
            }
            count += length;
        }
        self.waiting.truncate(count as usize);
        self.kept = kept;
    }

    /// Flightplans changed at the clock's moment: leaf pairs for which `is_affected` says so are
    /// decided again.
    pub(crate) fn plans_changed(
        &mut self,
        overlapping: &[(u32, u32)],
        is_affected: impl Fn((u32, u32)) -> bool,
        context: &mut StepContext<'_>,
    ) {
        self.invalidate(&is_affected, context);
        for &pair in overlapping.iter().filter(|&&pair| is_affected(pair)) {
            self.decide_pair(pair, context);
        }
        if self.puts_off_plans() {
            return;
        }
        // A window decided just now may end now; what reaches its end is for the window's own
        // event.
        self.end_what_window_left(context.clock.now.time().next_down(), context);
        self.schedule_window(self.earliest_window(), context);
    }

    /// What was decided for leaf pairs for which `is_affected` says so holds no longer from the
    /// clock's moment on: contacts to come are dropped, contacts that are on wait for what is
    /// decided next, or for [`Continuous::plans_changed`] to end them.
    pub(crate) fn invalidate(&mut self, is_affected: &dyn Fn((u32, u32)) -> bool, context: &mut StepContext<'_>) {
        let mut affected: Vec<(u32, u32)> = self.decided.keys().copied().filter(|&pair| is_affected(pair)).collect();
        affected.sort_unstable();
        self.forget_put_off(is_affected);
        for pair in affected {
            let Some(DecidedPair { waiting: [begin, end], .. }) = self.decided.remove(&pair) else { continue };
            for place in begin..end {
                let Some(&number) = self.waiting.get(place as usize) else { break };
                self.drop_waiting(number, pair, context);
            }
        }
        self.tidy_waiting();
        // Contacts that are on go on only if the new plans say so: their window ends now.
        for number in self.sorted_on(|span| is_affected(span.leaves)) {
            let span = &mut self.spans[number as usize];
            (span.end, span.window.end) = (None, f64::NEG_INFINITY);
            span.ends.cut_from(context.clock.now.time());
            context.clock.queue.set(&mut span.ticket, None);
        }
    }

    /// A touch or part event was taken from the queue.
    pub(crate) fn process(&mut self, event: Event, context: &mut StepContext<'_>) {
        let number = event.slot;
        self.spans[number as usize].ticket = Ticket::NONE;
        let present = self.on.get(&self.spans[number as usize].triangles).copied();
        if event.kind == EventKind::TrianglesTouch
            && let Some(present) = present
        {
            // The enclosures of one contact's end and the next one's begin overlap: they are one
            // contact.
            let mut next = self.spans.remove(number as usize);
            let span = &mut self.spans[present as usize];
            next.undecided |= span.may_part_before(&next, context);
            span.go_on(&next);
            self.retest_at = self.retest_at.min(next.ends.next_inside(context.clock.now.time()).unwrap_or(NEVER));
            span.ends.join(next.ends, self.needed_from);
            self.schedule_part(present, context);
        } else if event.kind == EventKind::TrianglesTouch {
            self.begin(number, context);
        } else {
            let end = self.spans[number as usize].end.unwrap_or(TimeEnclosure::exactly(context.clock.now.time()));
            self.finish(number, end, context);
        }
    }

    /// Ends everything that is on at the clock's moment, and takes all events out of the queue.
    pub(crate) fn retire(&mut self, context: &mut StepContext<'_>) {
        let now = context.clock.now.time();
        for number in self.sorted_on(|_| true) {
            // A loop may have jumped into its first round, and out of the other body's reach.
            let is_open = self.has_jumped(number, &context.partners, now);
            // Bodies may part while rounded positions still touch.
            let end = TimeEnclosure { is_open, ..self.spans[number as usize].left_by(now) };
            self.end_now(number, end, context);
        }
        for (_, span) in self.spans.iter_mut() {
            context.clock.queue.set(&mut span.ticket, None);
        }
        context.clock.queue.set(&mut self.window, None);
    }

    /// The earliest time inside an end of a contact that is on, of those that came since this was
    /// last asked, seconds.
    pub(crate) fn take_retests(&mut self) -> f64 {
        std::mem::replace(&mut self.retest_at, NEVER)
    }

    /// Contacts that are on, in no order.
    pub(crate) fn on(&self) -> impl Iterator<Item = &ContactSpan> {
        self.on.values().map(|&number| &self.spans[number as usize])
    }

    /// The numbers of contacts that are on and for which `is_meant` says so, by triangles.
    fn sorted_on(&self, is_meant: impl Fn(&ContactSpan) -> bool) -> Vec<u32> {
        let meant = |number: &u32| is_meant(&self.spans[*number as usize]);
        let mut numbers: Vec<u32> = self.on.values().copied().filter(meant).collect();
        numbers.sort_unstable_by_key(|&number| self.spans[number as usize].triangles);
        numbers
    }

    /// Takes a decided interval, which begins at a moment: past, present or to come.
    pub(crate) fn enter(&mut self, begin: Moment, mut span: ContactSpan, context: &mut StepContext<'_>) {
        let now = context.clock.now;
        if span.end.is_some_and(|end| Moment::after(end.hi) < now) {
            return;
        }
        if let Some(&number) = self.on.get(&span.triangles) {
            let present = &mut self.spans[number as usize];
            if begin <= now {
                // The contact that is on goes on.
                span.undecided |= present.may_part_before(&span, context);
                present.go_on(&span);
                self.retest_at = self.retest_at.min(span.ends.next_inside(now.time()).unwrap_or(NEVER));
                if span.begin.is_open {
                    // What begins with a jump says nothing about the jump's own time.
                    present.ends.join(span.ends, self.needed_from);
                } else if context.partners.jump_before(span.triangles, now.time()) {
                    // Nor does what led to a loop's first round.
                    present.ends.cut_from(now.time());
                    present.ends.join(span.ends, self.needed_from);
                } else {
                    present.ends.continue_with(span.ends, now.time(), self.needed_from);
                }
                self.schedule_part(number, context);
                return;
            }
        }
        if begin > now || (begin == now && now.side() == Side::After) {
            let number = self.spans.vacant_key() as u32;
            span.ticket = context.schedule(begin, EventKind::TrianglesTouch, number);
            self.spans.insert(span);
            self.waiting.push(number);
            return;
        }
        // It is on now, and was not known before: the world starts in contact, or a plan changed
        // into it.
        span.begin.lo = span.begin.lo.max(now.time());
        span.begin.hi = span.begin.hi.max(span.begin.lo);
        let number = self.spans.insert(span) as u32;
        self.begin(number, context);
    }

    fn begin(&mut self, number: u32, context: &mut StepContext<'_>) {
        let span = &mut self.spans[number as usize];
        span.is_on = true;
        self.retest_at = self.retest_at.min(span.ends.next_inside(context.clock.now.time()).unwrap_or(NEVER));
        self.on.insert(span.triangles, number);
        context.transitions.push(Transition { began: true, span: span.clone() });
        record(EventKind::TrianglesTouch, span.triangles, context);
        self.schedule_part(number, context);
    }

    fn schedule_part(&mut self, number: u32, context: &mut StepContext<'_>) {
        let span = &mut self.spans[number as usize];
        context.clock.queue.set(&mut span.ticket, None);
        if let Some(end) = span.end {
            let moment = Moment::after(end.hi).max(context.clock.now);
            span.ticket = context.schedule(moment, EventKind::TrianglesSeparate, number);
        }
    }

    fn finish(&mut self, number: u32, end: TimeEnclosure, context: &mut StepContext<'_>) {
        let mut span = self.spans.remove(number as usize);
        span.end = Some(end);
        self.on.remove(&span.triangles);
        record(EventKind::TrianglesSeparate, span.triangles, context);
        context.transitions.push(Transition { began: false, span });
    }

    fn end_now(&mut self, number: u32, end: TimeEnclosure, context: &mut StepContext<'_>) {
        context.clock.queue.set(&mut self.spans[number as usize].ticket, None);
        self.finish(number, end, context);
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
        self.sorted_on(|span| span.is_left(until))
    }

    /// Contacts that reached the end of their window and were not continued end with it: their
    /// leaves parted with it, or the motion jumped.
    pub(super) fn end_what_window_left(&mut self, until: f64, context: &mut StepContext<'_>) {
        for number in self.left(until) {
            let end = self.spans[number as usize].left_by(context.clock.now.time());
            self.end_now(number, end, context);
        }
    }

    /// The same where the window has come to its end by itself, at the clock's time: then such
    /// contacts are still on, and just after it they part. Where a loop has jumped into its first
    /// round at that time, they have ended just before.
    pub(super) fn part_what_window_left(&mut self, context: &mut StepContext<'_>) {
        let until = context.clock.now.time();
        for number in self.left(until) {
            if self.has_jumped(number, &context.partners, until) {
                let end = TimeEnclosure { is_open: true, ..self.spans[number as usize].left_by(until) };
                self.end_now(number, end, context);
            } else {
                let span = &mut self.spans[number as usize];
                span.end = Some(span.left_by(until));
                let now = std::mem::replace(&mut context.clock.now, Moment::after(until));
                self.schedule_part(number, context);
                context.clock.now = now;
            }
        }
    }

    /// Drops a contact to come. Its number may since have begun, ended, and been given to another.
    fn drop_waiting(&mut self, number: u32, leaves: (u32, u32), context: &mut StepContext<'_>) {
        let is_waiting = self.spans.get(number as usize).is_some_and(|span| !span.is_on && span.leaves == leaves);
        if is_waiting {
            let mut span = self.spans.remove(number as usize);
            context.clock.queue.set(&mut span.ticket, None);
        }
    }

    /// The earliest end of a decided window.
    pub(super) fn earliest_window(&self) -> f64 {
        self.decided.values().map(|decided| decided.until).fold(NEVER, f64::min)
    }

    pub(super) fn schedule_window(&mut self, end: f64, context: &mut StepContext<'_>) {
        context.clock.queue.set(&mut self.window, None);
        if end < NEVER {
            let moment = Moment::at(end).max(context.clock.now);
            self.window = context.schedule(moment, EventKind::Window, 0);
        }
    }
}

fn record(kind: EventKind, triangles: (u32, u32), context: &mut StepContext<'_>) {
    let StepContext { partners, clock, .. } = context;
    clock.log.record(LoggedEvent::new(clock.now, kind, partners.owner, triangles.into()));
}
