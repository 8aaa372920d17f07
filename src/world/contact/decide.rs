//! Deciding from when to when triangles touch, over the windows of their leaves.

use crate::kinetic::EventContext;
use crate::kinetic::event::Ticket;
use crate::narrow::ContactRule;
use crate::time::{Moment, Side};
use crate::world::body::Body;
use crate::world::contact::continuous::Continuous;
use crate::world::contact::enclosure_tests::{Course, Ends};
use crate::world::contact::linear_window::{Leaf, LeafCache, LinearWindow, Moving};
use crate::world::contact::span::{ContactSpan, IntervalTriangles, Partners, TimeEnclosure, Transition};
use crate::world::rule::Uncertainty;

/// Two leaves over their common window.
struct Meeting {
    /// What is decided is reported of this time.
    window: LinearWindow,
    /// What the motion is linear over; longer where one of them rests.
    decided_over: LinearWindow,
    doubt: Uncertainty,
}

impl Meeting {
    fn of(a: &Leaf, b: &Leaf) -> Self {
        let window = a.window.intersection(b.window);
        // Keys of leaves at rest do not cut the other's motion: what is decided over a longer time
        // is clipped to the window.
        let decided_over = match (a.is_still, b.is_still) {
            (true, false) => b.window,
            (false, true) => a.window,
            _ => window,
        };
        let (margin, blur) = (a.margin + b.margin, a.blur(decided_over) + b.blur(decided_over));
        let doubt = if margin > 0.0 {
            Uncertainty::Path((margin + blur).next_up())
        } else if blur > 0.0 {
            Uncertainty::Rounding(blur.next_up())
        } else {
            Uncertainty::None
        };
        Self { window, decided_over, doubt }
    }
}

impl Partners<'_> {
    /// How two triangles came to where they are at a time, if one of them jumps away from there;
    /// `None` if none does, or if where they are is rounded.
    fn before_jump(&self, (p, q): (u32, u32), time: f64) -> Option<Course> {
        let (arriving, leaving) = (Moment::at(time), Moment::after(time));
        let jumps = |body: &Body, triangle: u32| {
            let corners = body.shape.mesh.triangles()[triangle as usize];
            body.motion.epoch_end(arriving).time() == time
                && corners.iter().any(|&v| body.motion.position(v, arriving) != body.motion.position(v, leaving))
        };
        if !jumps(self.a, p) && !jumps(self.b, q) {
            return None;
        }
        let mut cache = LeafCache::default();
        let (leaf_a, leaf_b) = cache.leaves((self.a.leaf_of(p)?, self.b.leaf_of(q)?), [self.a, self.b], arriving);
        let Meeting { decided_over: window, doubt, .. } = Meeting::of(&leaf_a, &leaf_b);
        let (first, second) = (leaf_a.triangle_over(p, window)?, leaf_b.triangle_over(q, window)?);
        let common = self.rule.neighbours_at(p, q);
        let course =
            Course { first: first.motion, second: second.motion, window, distance: self.rule.distance(), common };
        (doubt == Uncertainty::None && window.begin.is_finite()).then_some(course)
    }
}

impl Continuous {
    /// Decides a leaf pair over its window around the clock's moment; returns when that ends.
    pub(crate) fn decide_pair(
        &mut self,
        pair: (u32, u32),
        partners: &Partners<'_>,
        scratch: &mut LeafCache,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) -> f64 {
        self.waiting.remove(&pair);
        let until = match partners.interval {
            Some(interval) => self.decide_interval(pair, interval, partners, scratch, transitions, clock),
            None => self.decide_leaves(pair, partners, scratch, transitions, clock),
        };
        self.decided.insert(pair, until);
        until
    }

    /// Decides all triangles of two leaves.
    fn decide_leaves(
        &mut self,
        pair: (u32, u32),
        partners: &Partners<'_>,
        scratch: &mut LeafCache,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) -> f64 {
        let (leaf_a, leaf_b) = scratch.leaves(pair, [partners.a, partners.b], clock.now);
        let meeting = Meeting::of(&leaf_a, &leaf_b);
        let (moving_a, moving_b) = (leaf_a.over(meeting.decided_over), leaf_b.over(meeting.decided_over));
        let reach = partners.rule.reach(meeting.doubt);
        let reach_b = leaf_b.discrete.grown(reach);
        for first in moving_a.iter().filter(|moving| moving.discrete.overlaps(&reach_b)) {
            let reach_a = first.discrete.grown(reach);
            for second in moving_b.iter().filter(|second| second.discrete.overlaps(&reach_a)) {
                // Two leaves of one body come in either order.
                let is_swapped = partners.rule.is_self && pair.0 != pair.1 && first.triangle > second.triangle;
                let (first, second) = if is_swapped { (second, first) } else { (first, second) };
                if partners.rule.wants(first.triangle, second.triangle) {
                    self.decide_triangles(pair, &meeting, (first, second), partners, transitions, clock);
                }
            }
        }
        meeting.window.end
    }

    /// Decides the triangles that may touch in an interval. The outcome is that of
    /// [`Continuous::decide_leaves`] of all leaf pairs.
    fn decide_interval(
        &mut self,
        pair: (u32, u32),
        interval: IntervalTriangles<'_>,
        partners: &Partners<'_>,
        scratch: &mut LeafCache,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) -> f64 {
        let until = interval.end;
        for &(p, q) in interval.triangles {
            let (Some(leaf_p), Some(leaf_q)) = (partners.a.leaf_of(p), partners.b.leaf_of(q)) else { continue };
            let (leaf_a, leaf_b) = scratch.leaves((leaf_p, leaf_q), [partners.a, partners.b], clock.now);
            let mut meeting = Meeting::of(&leaf_a, &leaf_b);
            meeting.window.end = meeting.window.end.min(until);
            let part = meeting.decided_over;
            if let (Some(first), Some(second)) = (leaf_a.triangle_over(p, part), leaf_b.triangle_over(q, part)) {
                self.decide_triangles(pair, &meeting, (&first, &second), partners, transitions, clock);
            }
        }
        until
    }

    /// Decides two triangles of two leaves over their window.
    fn decide_triangles(
        &mut self,
        pair: (u32, u32),
        meeting: &Meeting,
        (first, second): (&Moving, &Moving),
        partners: &Partners<'_>,
        transitions: &mut Vec<Transition>,
        clock: &mut EventContext<'_>,
    ) {
        let &Meeting { window, decided_over, doubt } = meeting;
        let triangles = (first.triangle, second.triangle);
        let pair_of = ((triangles.0, &first.motion), (triangles.1, &second.motion));
        self.found.clear();
        partners.rule.intervals(pair_of.0, pair_of.1, doubt, &mut self.found, &mut self.stats);
        for interval in std::mem::take(&mut self.found) {
            let begin = decided_over.enclosure(interval.begin.lo, interval.begin.hi);
            let end = decided_over.enclosure(interval.end.lo, interval.end.hi);
            if end.hi < window.begin || begin.lo > window.end {
                continue;
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
            let mut moment = Moment::at(begin.lo.max(window.begin));
            if moment.time() <= clock.now.time()
                && clock.now.side() == Side::After
                && let Some(before) = partners.before_jump(triangles, clock.now.time())
            {
                // What begins with a jump is not yet there at the jump's own time.
                moment = clock.now;
                ends.add(TimeEnclosure::exactly(moment.time()), before);
            }
            let span = ContactSpan {
                triangles,
                leaves: pair,
                window_end: window.end,
                begin: TimeEnclosure { lo: begin.lo.max(window.begin), hi: begin.hi.max(window.begin) },
                end: (!interval.at_window_end() && end.hi < window.end).then_some(end),
                ends,
                touch: Some(partners.rule.first_touch(&interval, pair_of.0, pair_of.1)),
                undecided: interval.undecided,
                is_on: false,
                ticket: Ticket::NONE,
            };
            self.enter(pair, moment, span, partners.owner, transitions, clock);
        }
    }
}
