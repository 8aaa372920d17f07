//! Two triangles over a trial, window by window: from when to when they touch.
//!
//! Where one of them moves on by its own plan, the trial is cut at that plan's keys, and on curves
//! as [`crate::world::contact::linear_window`] cuts them. Positions at cuts are rounded; contacts
//! are then found with that rounding as doubt, so that none is missed.

use crate::mesh::Mesh;
use crate::motion::Motion;
use crate::narrow::ContactRule;
use crate::narrow::intervals::{ContactInterval, FirstTouch, IntervalStats};
use crate::time::{Moment, Span};
use crate::world::contact::linear_window::{Leaf, LinearWindow};
use crate::world::contact::meeting::{Clip, Meeting, sure_time};
use crate::world::contact::span::TimeEnclosure;
use crate::world::rule::instant::Side;
use crate::world::rule::spheres::{Solid, SpheresAt};
use crate::world::rule::{PairRule, Uncertainty};

/// A contact of two triangles during a trial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stay {
    pub(crate) begin: TimeEnclosure,
    /// `None` if it lasts at the end of the trial.
    pub(crate) end: Option<TimeEnclosure>,
    /// The part of the trial before it, rounded down.
    pub(crate) fraction: f64,
    pub(crate) touches_at_start: bool,
    pub(crate) undecided: bool,
    pub(crate) touch: FirstTouch,
    /// The end of the last window it was found in, seconds.
    decided_until: f64,
    /// Whether it reaches that end, and positions are rounded there.
    lasts_in_doubt: bool,
}

impl Stay {
    /// It does not go on from a time, although it lasts in the window that ends then. With
    /// `is_open` the triangles jumped there, so that it has ended just before.
    fn stop(&mut self, time: f64, is_open: bool) {
        // Where positions are rounded it may have ended at any time before.
        let earliest = if self.lasts_in_doubt { self.begin.hi } else { time };
        self.end = Some(TimeEnclosure { is_open, ..TimeEnclosure::closed(earliest, time) });
        self.undecided |= self.lasts_in_doubt;
    }
}

/// Two bodies, or one twice, over a trial.
#[derive(Debug)]
pub(crate) struct Windows<'a> {
    pub(crate) rule: PairRule<'a>,
    pub(crate) sides: [(&'a Mesh, &'a Motion); 2],
    pub(crate) trial: Span,
    pub(crate) stats: IntervalStats,
    found: Vec<ContactInterval>,
}

impl<'a> Windows<'a> {
    pub(crate) fn new(rule: PairRule<'a>, sides: [(&'a Mesh, &'a Motion); 2], trial: Span) -> Self {
        Self { rule, sides, trial, stats: IntervalStats::default(), found: Vec::new() }
    }

    /// The contacts of two triangles, or spheres, that move straight and exactly as stated from the
    /// begin of the trial to its end.
    pub(crate) fn straight(&mut self, (p, a): (u32, &Solid), (q, b): (u32, &Solid), stays: &mut Vec<Stay>) {
        let Self { rule, trial, stats, found, .. } = self;
        let window = LinearWindow { begin: trial.begin, end: trial.end };
        found.clear();
        rule.intervals((p, a), (q, b), Uncertainty::None, (found, &mut Vec::new()), stats);
        stays.extend(found.iter().map(|interval| Stay {
            begin: window.enclosure(interval.begin.lo, interval.begin.hi),
            end: (!interval.at_window_end()).then(|| window.enclosure(interval.end.lo, interval.end.hi)),
            fraction: interval.begin.lo,
            touches_at_start: interval.at_window_begin(),
            undecided: interval.undecided,
            touch: rule.first_touch(interval, (p, a), (q, b)),
            decided_until: trial.end,
            lasts_in_doubt: false,
        }));
    }

    /// The contacts of two triangles, or spheres, that move by their plans; returns the number of
    /// windows. Beyond `most` windows it stops, and the number is one more.
    pub(crate) fn by_plans(&mut self, p: u32, q: u32, most: u64, stays: &mut Vec<Stay>) -> u64 {
        let first = stays.len();
        let (mut from, mut count) = (self.trial.begin, 0);
        while from < self.trial.end {
            if count >= most {
                return count + 1;
            }
            let at = Moment::after(from);
            let leaf = |side: usize, triangle: u32| {
                let (mesh, motion) = self.sides[side];
                Leaf::of_triangle(Side { mesh, motion }, triangle, &motion.cursor(at))
            };
            let (leaf_a, leaf_b) = (leaf(0, p), leaf(1, q));
            let mut meeting = Meeting::of((&leaf_a, 0), (&leaf_b, 0));
            let until = meeting.window.end.min(self.trial.end).max(from.next_up());
            meeting.window = LinearWindow { begin: from, end: until };
            let [a, b] = [&leaf_a, &leaf_b].map(|leaf| leaf.over(0, meeting.decided_over));
            let before = stays.len();
            if a.discrete.overlaps(&b.discrete.grown(self.rule.reach(meeting.doubt))) {
                let over = |window: LinearWindow| [&leaf_a, &leaf_b].map(|leaf| leaf.over(0, window).motion);
                self.in_window((p, &a.motion), (q, &b.motion), &meeting, &over, first, stays);
            }
            let goes_on = |stay: &Stay| stay.end.is_some() || stay.decided_until == until;
            if let Some(last) = stays[first..before].last_mut().filter(|last| !goes_on(last)) {
                last.stop(from, self.lands_elsewhere(p, q, from));
            }
            (from, count) = (until, count + 1);
        }
        self.at_end(p, q, first, stays);
        count
    }

    /// Ends or begins a contact where the trial ends, as the positions there say.
    fn at_end(&self, p: u32, q: u32, first: usize, stays: &mut Vec<Stay>) {
        let end = self.trial.end;
        let lands_elsewhere = self.lands_elsewhere(p, q, end);
        let last = stays[first..].last_mut().filter(|last| last.end.is_none());
        if !lands_elsewhere && last.as_ref().is_none_or(|last| !last.lasts_in_doubt) {
            return;
        }
        let touches = self.touch_at(p, q, end);
        let goes_on = |last: &Stay| !last.lasts_in_doubt || self.touch_before(p, q, end);
        match last {
            Some(last) if touches && goes_on(last) => return,
            Some(last) => last.stop(end, lands_elsewhere),
            None => {}
        }
        if touches {
            stays.push(self.instant_at_end(p, q));
        }
    }

    /// A contact that begins at the end of the trial, where a loop jumps into its first round.
    fn instant_at_end(&self, p: u32, q: u32) -> Stay {
        let time = self.trial.end;
        let still = |side: usize, triangle: u32| {
            let (mesh, motion) = self.sides[side];
            let leaf = Leaf::of_triangle(Side { mesh, motion }, triangle, &motion.cursor(Moment::at(time)));
            leaf.over(0, LinearWindow { begin: time, end: time }).motion
        };
        let (a, b) = (still(0, p), still(1, q));
        let touch = self.touch_at_begin((p, q), [a, b]);
        let somewhere = || self.rule.first_touch(&ContactInterval::whole(false), (p, &a), (q, &b));
        Stay {
            begin: TimeEnclosure::exactly(time),
            end: None,
            fraction: 1.0,
            touches_at_start: false,
            undecided: false,
            touch: touch.unwrap_or_else(somewhere),
            decided_until: time,
            lasts_in_doubt: false,
        }
    }

    /// Appends the contacts in one window, or goes on with the last one.
    fn in_window(
        &mut self,
        (p, a): (u32, &Solid),
        (q, b): (u32, &Solid),
        meeting: &Meeting,
        over: &dyn Fn(LinearWindow) -> [Solid; 2],
        first: usize,
        stays: &mut Vec<Stay>,
    ) {
        let &Meeting { window, decided_over, doubt } = meeting;
        let is_in_doubt = doubt != Uncertainty::None;
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let mut gaps = Vec::new();
        self.rule.intervals((p, a), (q, b), doubt, (&mut found, &mut gaps), &mut self.stats);
        let touch = |time: f64| {
            let now = if time > window.begin { Moment::at(time) } else { Moment::after(time) };
            self.touch_at_moment(p, q, now)
        };
        for interval in &mut found {
            let begin = decided_over.enclosure(interval.begin.lo, interval.begin.hi);
            let end = decided_over.enclosure(interval.end.lo, interval.end.hi);
            let jumps = || self.lands_elsewhere(p, q, window.end);
            match meeting.clip(interval, [&begin, &end], window.begin, touch, jumps) {
                Clip::Inside => {}
                Clip::Unsure => interval.undecided = true,
                Clip::Outside => continue,
            }
            if meeting.is_at_end(&begin) && jumps() {
                // A loop jumps there into its first round, and the new positions count.
                continue;
            }
            if let Uncertainty::Rounding(_) = doubt {
                let between = [begin.hi, end.lo].map(|time| time.clamp(window.begin, window.end));
                interval.undecided |= sure_time(between, touch).is_none() || meeting.parts_in(&gaps, between, touch);
            }
            let lasts = interval.at_window_end() || end.lo >= window.end;
            let end = (!lasts).then(|| TimeEnclosure::closed(end.lo.max(window.begin), end.hi.min(window.end)));
            let is_at_begin = begin.lo <= window.begin;
            if is_at_begin
                && let Some(last) = stays[first..].last_mut()
                && last.end.is_none_or(|end| end.hi >= window.begin)
                && self.goes_on((p, q), last, (interval, begin.hi), meeting)
            {
                (last.end, last.decided_until) = (end, window.end);
                last.lasts_in_doubt = lasts && is_in_doubt;
                last.undecided |= interval.undecided;
                continue;
            }
            let touches_at_start = is_at_begin && window.begin == self.trial.begin && self.touch_at(p, q, window.begin);
            let jumps = |side, triangle| self.jumps(side, triangle, window.begin);
            let begins_after = is_at_begin && !touches_at_start && (jumps(0, p) || jumps(1, q));
            if begins_after && end.is_some_and(|end| end.hi <= window.begin) {
                // It would end where it begins, and there the old positions count.
                continue;
            }
            let first_touch = || {
                let is_before = begin.lo < window.begin && touches_at_start;
                is_before.then(|| self.touch_at_begin((p, q), over(window)))?
            };
            let touch = first_touch().unwrap_or_else(|| self.rule.first_touch(interval, (p, a), (q, b)));
            let begin = TimeEnclosure {
                lo: begin.lo.max(window.begin),
                hi: begin.hi.max(window.begin).min(window.end),
                is_open: begins_after,
            };
            stays.push(Stay {
                begin,
                end,
                fraction: self.fraction(begin.lo),
                touches_at_start,
                // Where positions are rounded, it may begin later than at the begin of the window.
                undecided: interval.undecided || (is_at_begin && is_in_doubt && !touches_at_start),
                touch,
                decided_until: window.end,
                lasts_in_doubt: lasts && is_in_doubt,
            });
        }
        self.found = found;
    }

    /// Whether a contact that may last until a window begins is one with what is found at its
    /// begin. Where one of both is not certain to reach that time, an exact test there decides; if
    /// they are two, the former one ends there.
    fn goes_on(
        &self,
        (p, q): (u32, u32),
        last: &mut Stay,
        (next, begin_hi): (&ContactInterval, f64),
        meeting: &Meeting,
    ) -> bool {
        let time = meeting.window.begin;
        if last.undecided || next.undecided {
            return true;
        }
        let lasts = last.end.is_none() && !last.lasts_in_doubt;
        let begins = meeting.doubt == Uncertainty::None && begin_hi <= time;
        let touches_before = lasts || self.touch_before(p, q, time);
        if touches_before && (begins || self.touch_at_moment(p, q, Moment::after(time))) {
            return true;
        }
        if last.end.is_none() {
            last.stop(time, self.lands_elsewhere(p, q, time));
        }
        false
    }

    /// Whether two triangles touch where their ways lead until a time: at it, or, if a loop jumps
    /// there into its first round, just before.
    fn touch_before(&self, p: u32, q: u32, time: f64) -> bool {
        self.touch_at(p, q, if self.lands_elsewhere(p, q, time) { time.next_down() } else { time })
    }

    /// Where two triangles touch at the begin of a window, over which they are given.
    fn touch_at_begin(&self, (p, q): (u32, u32), [a, b]: [Solid; 2]) -> Option<FirstTouch> {
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        self.rule.intervals((p, &a), (q, &b), Uncertainty::None, (&mut found, &mut Vec::new()), &mut stats);
        let at_begin = found.iter().find(|interval| interval.at_window_begin())?;
        Some(self.rule.first_touch(at_begin, (p, &a), (q, &b)))
    }

    /// Whether two triangles touch at a time, exactly.
    fn touch_at(&self, p: u32, q: u32, time: f64) -> bool {
        self.touch_at_moment(p, q, Moment::at(time))
    }

    fn touch_at_moment(&self, p: u32, q: u32, now: Moment) -> bool {
        let side = |side: usize| Side { mesh: self.sides[side].0, motion: self.sides[side].1 };
        let spheres = self.sides.map(|(_, motion)| {
            let keys = motion.spheres()?;
            Some(SpheresAt { keys, place: keys.place(now), time: now.time() })
        });
        let corners = |side: usize, triangle: u32| {
            let (mesh, motion) = self.sides[side];
            mesh.triangles()[triangle as usize].map(|vertex| motion.position(vertex, now))
        };
        let rule = self.rule.with_spheres(spheres).at([side(0), side(1)], now);
        rule.touch((p, &corners(0, p)), (q, &corners(1, q)))
    }

    /// Whether a triangle, or a sphere, is elsewhere just after a time than at it.
    fn jumps(&self, side: usize, triangle: u32, time: f64) -> bool {
        self.are_elsewhere(side, triangle, [Moment::at(time), Moment::after(time)], time)
    }

    /// Whether one of two triangles, or spheres, is elsewhere at a time than where its way there
    /// leads.
    fn lands_elsewhere(&self, p: u32, q: u32, time: f64) -> bool {
        let ways = [Moment::after(time.next_down()), Moment::at(time)];
        self.are_elsewhere(0, p, ways, time) || self.are_elsewhere(1, q, ways, time)
    }

    /// Whether the ways at two moments have a triangle, or a sphere, at different places at a time.
    fn are_elsewhere(&self, side: usize, triangle: u32, [at, after]: [Moment; 2], time: f64) -> bool {
        let (mesh, motion) = self.sides[side];
        if let Some(keys) = motion.spheres() {
            let place = |moment: Moment| keys.piece(triangle, keys.place(moment)).at(time);
            return place(at) != place(after);
        }
        let place = |vertex: u32, moment: Moment| [0, 1, 2].map(|axis| motion.piece(vertex, axis, moment).at(time));
        mesh.triangles()[triangle as usize].iter().any(|&vertex| place(vertex, at) != place(vertex, after))
    }

    /// The part of the trial before a time, rounded down.
    fn fraction(&self, time: f64) -> f64 {
        let Span { begin, end } = self.trial;
        if time >= end {
            return 1.0;
        }
        let part = (time - begin).next_down() / (end - begin).next_up();
        part.next_down().clamp(0.0, 1.0)
    }
}
