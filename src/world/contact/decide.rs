//! Deciding from when to when triangles touch, over the windows of their leaves.

use crate::kinetic::event::Ticket;
use crate::narrow::ContactRule;
use crate::narrow::intervals::{ContactInterval, IntervalStats};
use crate::threads;
use crate::time::{Moment, NEVER, Side};
use crate::world::body::Body;
use crate::world::contact::continuous::Continuous;
use crate::world::contact::enclosure_tests::{Course, Ends};
use crate::world::contact::linear_window::{Leaf, LeafCache, LinearWindow, Moving};
use crate::world::contact::meeting::{Clip, Meeting, sure_time, uncertainty};
use crate::world::contact::span::{ContactSpan, IntervalTriangles, Partners, Room, StepContext, TimeEnclosure};
use crate::world::rule::Uncertainty;

/// Fewest pairs of triangles that a thread is given: about a tenth of a millisecond.
const PAIRS_OF_A_TASK: usize = 64;

/// Parts for each thread, as some pairs take a hundred times longer than others.
const TASKS_PER_THREAD: usize = 8;

/// A time of contact near `from`, seconds: on the way to `sure`, which is one, in strides that
/// double. O(log of the distance of both in `stride`) tests.
fn towards(from: f64, sure: f64, stride: f64, touch: impl Fn(f64) -> bool) -> f64 {
    let spacing = from.abs().next_up() - from.abs();
    let mut stride = stride.max(spacing).copysign(sure - from);
    loop {
        let time = from + stride;
        if (sure - time) * stride <= 0.0 || time == sure {
            return sure;
        }
        if touch(time) {
            return time;
        }
        stride *= 2.0;
    }
}

impl Partners<'_> {
    /// Whether two triangles are known to touch in an interval found where they are off by their
    /// rounding: they touch exactly at its middle, or where it begins or ends.
    ///
    /// Times before `from`, seconds, prove nothing. With `after`, nor does the window's begin: a
    /// jump leads there, and its own time is not part of the window.
    ///
    /// If so, the inner bounds of both ends are moved inward to times of exact contact. A rounded
    /// motion may touch a little earlier than the exact one, and part a little later.
    fn are_known_to_touch(
        &self,
        triangles: (u32, u32),
        (begin, end): (&mut TimeEnclosure, &mut TimeEnclosure),
        (window, from): (LinearWindow, f64),
        after: bool,
    ) -> bool {
        let inside = |time: f64| time.clamp(from, window.end);
        let touch = |time: f64| self.touch_at(triangles, time, window);
        let (from, to) = (inside(begin.hi), inside(end.lo));
        let proves = |time: f64| !(after && time <= window.begin) && touch(time);
        let Some(sure) = sure_time([from, to], proves) else { return false };
        if from < sure && !touch(from) {
            begin.hi = towards(from, sure, from - begin.lo, touch);
        }
        if sure < to && !touch(to) {
            end.lo = towards(to, sure, end.hi - to, touch);
        }
        true
    }

    /// Whether two triangles touch at a time of a window, exactly.
    pub(super) fn touch_at(&self, (p, q): (u32, u32), time: f64, window: LinearWindow) -> bool {
        // A window without length is the one time between two rounds, before either jumps.
        let is_at = time > window.begin || window.begin == window.end;
        let now = if is_at { Moment::at(time) } else { Moment::after(time) };
        let (a, b) = (self.a, self.b);
        let corners = |body: &Body, triangle: u32| {
            let corners = body.shape.mesh.triangles()[triangle as usize];
            corners.map(|vertex| body.motion.position(vertex, now))
        };
        let rule = self.rule.with_spheres([a.spheres_at(now), b.spheres_at(now)]).at([a.side(), b.side()], now);
        rule.touch((p, &corners(a, p)), (q, &corners(b, q)))
    }

    /// Whether two triangles are decided by rounded positions around a moment.
    pub(super) fn is_rounded(&self, (p, q): (u32, u32), now: Moment, cache: &mut LeafCache) -> bool {
        let Some(leaves) = self.leaves_of((p, q)) else { return false };
        let (a, b) = cache.leaves(leaves, [self.a, self.b], now);
        let (Some(place_p), Some(place_q)) = (a.place_of(p), b.place_of(q)) else { return false };
        matches!(Meeting::of((&a, place_p), (&b, place_q)).doubt, Uncertainty::Rounding(_))
    }

    /// The leaves of two triangles.
    fn leaves_of(&self, (p, q): (u32, u32)) -> Option<(u32, u32)> {
        Some((self.a.leaf_of(p)?, self.b.leaf_of(q)?))
    }

    /// Whether one of two triangles jumps away from where it is at a time.
    fn jump_after(&self, (p, q): (u32, u32), time: f64) -> bool {
        self.a.jumps(p, [Moment::at(time), Moment::after(time)], time)
            || self.b.jumps(q, [Moment::at(time), Moment::after(time)], time)
    }

    /// Whether one of two triangles jumped to where it is at a time.
    pub(crate) fn jump_before(&self, (p, q): (u32, u32), time: f64) -> bool {
        let before = Moment::after(time.next_down());
        self.a.jumps(p, [before, Moment::at(time)], time) || self.b.jumps(q, [before, Moment::at(time)], time)
    }
}

impl Body {
    /// Whether the way of a triangle that leads up to a time ends elsewhere than the triangle's
    /// next way begins; each is given by a moment on it.
    fn jumps(&self, triangle: u32, [arriving, leaving]: [Moment; 2], time: f64) -> bool {
        // Keys alone do not jump. A loop jumps at its wraps, and where two of its keys fall on one
        // time late in it.
        if self.motion.epoch_end(arriving).time() == NEVER {
            return false;
        }
        if let Some(keys) = self.motion.spheres() {
            // Corners are rounded: they may stay where they are while their spheres jump.
            let at = |moment: Moment| keys.piece(triangle, keys.place(moment)).at(time);
            return at(arriving) != at(leaving);
        }
        let place = |vertex: u32, at: Moment| [0, 1, 2].map(|axis| self.motion.piece(vertex, axis, at).at(time));
        self.shape.mesh.triangles()[triangle as usize]
            .iter()
            .any(|&vertex| place(vertex, arriving) != place(vertex, leaving))
    }
}

/// What is read to decide pairs of triangles.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) partners: &'a Partners<'a>,
    /// Whether the contact of two triangles that holds at `now` goes on: then it has begun before.
    pub(super) goes_on: &'a (dyn Fn((u32, u32)) -> bool + Sync),
    pub(super) room: &'a Room,
    pub(super) now: Moment,
}

/// Decided contacts that were not entered yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decider {
    /// Contacts of a leaf pair, each with the moment at which it begins.
    pub(super) spans: Vec<(Moment, ContactSpan)>,
    pub(super) stats: IntervalStats,
    /// Scratch.
    found: Vec<ContactInterval>,
    gaps: Vec<[f64; 2]>,
    /// Scratch: triangles of two leaves over their common window.
    moving: [Vec<Moving>; 2],
}

impl Decider {
    /// Becomes as a new one, in the memory that is there.
    pub(super) fn empty(&mut self) {
        self.spans.clear();
        self.stats = IntervalStats::default();
        self.found.clear();
        self.gaps.clear();
        self.moving.iter_mut().for_each(Vec::clear);
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.spans.capacity() * size_of::<(Moment, ContactSpan)>()
            + self.found.capacity() * size_of::<ContactInterval>()
            + self.gaps.capacity() * size_of::<[f64; 2]>()
            + self.moving.iter().map(Vec::capacity).sum::<usize>() * size_of::<Moving>()
    }
}

impl Continuous {
    /// Enters the contacts of a leaf pair over its window around the clock's moment; returns when
    /// that ends.
    pub(super) fn find_contacts_of_pair(&mut self, pair: (u32, u32), context: &mut StepContext<'_>) -> f64 {
        let (ahead, decided) = self.enter_decided_ahead(pair, context);
        if let Some(until) = decided {
            return until;
        }
        let mut decider = std::mem::take(&mut self.decider);
        let until = match context.partners.interval {
            Some(interval) => self.decide_interval(pair, interval.after(ahead), &mut decider, context),
            None => self.decide_leaves(pair, &mut decider, context),
        };
        self.decider = decider;
        until
    }

    /// Enters what was decided of a leaf pair.
    pub(super) fn enter_all(&mut self, decider: &mut Decider, context: &mut StepContext<'_>) {
        let stats = std::mem::take(&mut decider.stats);
        if context.room.is_overfull() {
            // All are decided again; which of them are known now depends on the threads.
            decider.spans = Vec::new();
            return;
        }
        self.stats += stats;
        for (moment, span) in decider.spans.drain(..) {
            self.enter(moment, span, context);
        }
    }

    /// Decides all triangles of two leaves.
    fn decide_leaves(&mut self, pair: (u32, u32), decider: &mut Decider, context: &mut StepContext<'_>) -> f64 {
        let (leaf_a, leaf_b) =
            context.scratch.leaves(pair, [context.partners.a, context.partners.b], context.clock.now);
        let goes_on = |triangles: (u32, u32)| self.on.contains_key(&triangles);
        let (partners, now) = (&context.partners, context.clock.now);
        let question = Question { partners, goes_on: &goes_on, room: &context.room, now };
        let until = decider.decide_leaves(pair, (&leaf_a, &leaf_b), question);
        self.enter_all(decider, context);
        until
    }

    /// Decides the triangles that may touch in an interval. The outcome is that of
    /// [`Continuous::decide_leaves`] of all leaf pairs. Where they are many, threads share them.
    fn decide_interval(
        &mut self,
        pair: (u32, u32),
        interval: IntervalTriangles<'_>,
        decider: &mut Decider,
        context: &mut StepContext<'_>,
    ) -> f64 {
        let (triangles, until) = (interval.triangles, interval.end);
        let goes_on = |triangles: (u32, u32)| self.on.contains_key(&triangles);
        let (partners, now) = (&context.partners, context.clock.now);
        let question = Question { partners, goes_on: &goes_on, room: &context.room, now };
        let tasks = (triangles.len() / PAIRS_OF_A_TASK).min(TASKS_PER_THREAD * threads::count());
        if tasks < 2 || threads::count() < 2 {
            let cache = &mut context.scratch;
            triangles.iter().for_each(|&two| decider.decide_two(pair, two, until, cache, question));
            self.enter_all(decider, context);
            return until;
        }
        let chunk = triangles.len().div_ceil(tasks);
        let mut parts: Vec<(&[(u32, u32)], Decider)> =
            triangles.chunks(chunk).map(|part| (part, Decider::default())).collect();
        let partners = &context.partners;
        let bodies = [partners.a, partners.b];
        context.scratch.gather(triangles.iter().filter_map(|&two| partners.leaves_of(two)), bodies, question.now);
        let cache = &context.scratch;
        threads::for_each(&mut parts, |(part, decider)| {
            for &two in *part {
                let leaves = partners.leaves_of(two).and_then(|leaves| cache.gathered(leaves, bodies));
                leaves.into_iter().for_each(|leaves| decider.decide_in(pair, two, until, leaves, question));
            }
        });
        // In the order of the triangles, as one thread enters them.
        parts.iter_mut().for_each(|(_, decider)| self.enter_all(decider, context));
        until
    }
}

impl Decider {
    /// Decides all triangles of two leaves; returns when their common window ends.
    pub(super) fn decide_leaves(
        &mut self,
        pair: (u32, u32),
        (leaf_a, leaf_b): (&Leaf, &Leaf),
        question: Question<'_>,
    ) -> f64 {
        let rule = &question.partners.rule;
        let common = Meeting::exact(leaf_a, leaf_b);
        let doubt = match &common {
            Some(_) => Uncertainty::None,
            None => uncertainty(leaf_a.margin + leaf_b.margin, leaf_a.largest_blur() + leaf_b.largest_blur()),
        };
        let reach = rule.reach(doubt);
        let window = leaf_a.window.intersection(leaf_b.window);
        let [mut room_a, mut room_b] = std::mem::take(&mut self.moving);
        let moving_a = leaf_a.against(leaf_b, window, &mut room_a);
        let moving_b = leaf_b.against(leaf_a, window, &mut room_b);
        let reach_b = leaf_b.discrete.grown(reach);
        let near_b = |moving: &&Moving| moving.discrete.overlaps(&reach_b);
        for (p, first) in moving_a.iter().enumerate().filter(|(_, moving)| near_b(moving)) {
            let reach_a = first.discrete.grown(reach);
            let near_first = |moving: &&Moving| moving.discrete.overlaps(&reach_a);
            for (q, second) in moving_b.iter().enumerate().filter(|(_, moving)| near_first(moving)) {
                // Two leaves of one body come in either order.
                let is_swapped = rule.is_self && pair.0 != pair.1 && first.triangle > second.triangle;
                let (one, two) = if is_swapped { (second, first) } else { (first, second) };
                if !rule.wants(one.triangle, two.triangle) {
                    continue;
                }
                if let Some(meeting) = &common {
                    self.decide_triangles(pair, meeting, (one, two), question);
                    continue;
                }
                let (one, two) = ((leaf_a, p), (leaf_b, q));
                let (one, two) = if is_swapped { (two, one) } else { (one, two) };
                self.decide_cut(pair, (one, two), question);
            }
        }
        self.moving = [room_a, room_b];
        window.end
    }

    /// Decides two triangles, each by its place in its leaf, whose leaves have different windows.
    fn decide_cut(&mut self, pair: (u32, u32), (one, two): ((&Leaf, usize), (&Leaf, usize)), question: Question<'_>) {
        let meeting = Meeting::of(one, two);
        let part = meeting.decided_over;
        let (first, second) = (one.0.over(one.1, part), two.0.over(two.1, part));
        if first.discrete.overlaps(&second.discrete.grown(question.partners.rule.reach(meeting.doubt))) {
            self.decide_triangles(pair, &meeting, (&first, &second), question);
        }
    }

    /// Decides two triangles that may touch in an interval.
    pub(super) fn decide_two(
        &mut self,
        pair: (u32, u32),
        (p, q): (u32, u32),
        until: f64,
        cache: &mut LeafCache,
        question: Question<'_>,
    ) {
        let bodies = [question.partners.a, question.partners.b];
        let Some(leaves) = question.partners.leaves_of((p, q)) else { return };
        let (leaf_a, leaf_b) = cache.leaves(leaves, bodies, question.now);
        self.decide_in(pair, (p, q), until, (&leaf_a, &leaf_b), question);
    }

    /// The same, with their leaves.
    fn decide_in(
        &mut self,
        pair: (u32, u32),
        (p, q): (u32, u32),
        until: f64,
        (leaf_a, leaf_b): (&Leaf, &Leaf),
        question: Question<'_>,
    ) {
        let (Some(place_p), Some(place_q)) = (leaf_a.place_of(p), leaf_b.place_of(q)) else { return };
        let mut meeting = Meeting::of((leaf_a, place_p), (leaf_b, place_q));
        meeting.window.end = meeting.window.end.min(until);
        let part = meeting.decided_over;
        let (first, second) = (leaf_a.over(place_p, part), leaf_b.over(place_q, part));
        self.decide_triangles(pair, &meeting, (&first, &second), question);
    }

    /// Decides two triangles of two leaves over their window.
    fn decide_triangles(
        &mut self,
        pair: (u32, u32),
        meeting: &Meeting,
        (first, second): (&Moving, &Moving),
        Question { partners, goes_on, room, now }: Question<'_>,
    ) {
        if room.is_overfull() {
            return;
        }
        let &Meeting { window, decided_over, doubt } = meeting;
        let triangles = (first.triangle, second.triangle);
        let pair_of = ((triangles.0, &first.motion), (triangles.1, &second.motion));
        self.found.clear();
        self.gaps.clear();
        partners.rule.intervals(pair_of.0, pair_of.1, doubt, (&mut self.found, &mut self.gaps), &mut self.stats);
        for mut interval in self.found.drain(..) {
            let mut begin = decided_over.enclosure(interval.begin.lo, interval.begin.hi);
            let mut end = decided_over.enclosure(interval.end.lo, interval.end.hi);
            let touch = |time: f64| partners.touch_at(triangles, time, window);
            let jumps = || partners.jump_before(triangles, window.end);
            // A contact that is not on yet, and has ended before now, is none.
            let is_on = || goes_on(triangles);
            let from = if window.begin < now.time() && !is_on() { now.time().min(window.end) } else { window.begin };
            match meeting.clip(&interval, [&begin, &end], from, touch, jumps) {
                Clip::Inside => {}
                Clip::Unsure => interval.undecided = true,
                Clip::Outside => continue,
            }
            if meeting.is_at_end(&begin) && jumps() {
                // A loop jumps there into its first round, and the new positions count.
                continue;
            }
            let mut moment = Moment::at(begin.lo.max(window.begin));
            let is_open =
                moment.time() <= now.time() && now.side() == Side::After && partners.jump_after(triangles, now.time());
            if let Uncertainty::Rounding(_) = doubt
                && !interval.undecided
            {
                let between = [begin.hi.max(from), end.lo.min(window.end)];
                let ends = (&mut begin, &mut end);
                interval.undecided = meeting.parts_in(&self.gaps, between, touch)
                    || !partners.are_known_to_touch(triangles, ends, (window, from), is_open);
            }
            let course = || Course {
                first: first.motion,
                second: second.motion,
                window: decided_over,
                distance: partners.rule.distance(),
                common: partners.rule.neighbours_at(triangles.0, triangles.1),
            };
            let is_exact = doubt == Uncertainty::None;
            let mut ends = if is_exact { Ends::of(&interval, (begin, end), window, course) } else { Ends::default() };
            if is_open && end.hi <= window.begin {
                // It would end where it begins, and there the old positions count.
                continue;
            }
            if is_open {
                // What begins with a jump is not yet there at the jump's own time.
                moment = now;
                ends.cut_until(moment.time());
            }
            // Rounded positions may touch at the window's end where the exact ones have parted, and
            // what is not confirmed may have ended as soon as it began.
            let reaches_end = interval.at_window_end() && !matches!(doubt, Uncertainty::Rounding(_));
            let may_end_from = if interval.undecided {
                begin.hi.max(window.begin).min(end.lo).min(window.end)
            } else if reaches_end {
                window.end
            } else {
                end.lo.min(window.end)
            };
            // Only a contact that begins tells where.
            let goes_on = moment <= now && is_on();
            let touch = || partners.rule.first_touch(&interval, pair_of.0, pair_of.1);
            let span = ContactSpan {
                triangles,
                leaves: pair,
                window,
                begin: TimeEnclosure { lo: begin.lo.max(window.begin), hi: begin.hi.max(window.begin), is_open },
                end: (!interval.at_window_end() && end.hi < window.end).then_some(end),
                may_end_from,
                ends,
                touch: (!goes_on).then(touch),
                undecided: interval.undecided,
                is_on: false,
                ticket: Ticket::NONE,
            };
            if !goes_on {
                room.take_one();
            }
            self.spans.push((moment, span));
        }
    }
}
