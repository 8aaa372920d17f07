//! Envelopes: the winner of a slot as a function of time between two keys; only for slots whose
//! winner differs at the two ends.
//!
//! The winner spans of a leaf slot follow from its points' lines; those of an inner slot follow
//! from its children's winner spans. Both repeat the steps of the kinetic engine
//! (`kinetic::aabb_tree`, `certificate::overtaking`), so event times are equal bit for bit:
//! - A challenger overtakes only if it is strictly beyond at the interval's end, at the crossing
//!   computed from the values at both ends.
//! - A parent whose winner was its child's follows that child at once.
//! - Otherwise the parent keeps its winner until the other child's winner overtakes.
//!
//! **Ties.** At one time a child's change comes before its parent's own; in the kinetic engine a
//! parent's certificate may come first. If the last winner found equals the sweep's winner in value
//! but is another vertex, the sweep's winner takes over at the interval's end. The winners at keys
//! therefore do not depend on steps in between.
//!
//! Cost: O(rivals) per step of a leaf slot, O(children's changes) of an inner one. Slots with one
//! rival, or with one step below, need no loop.

use crate::interval::layout::{LANES, Layout};
use crate::interval::sweep::{Change, MANY};
use crate::interval::track::Ends;
use crate::kinetic::certificate::crossing;

/// A slot's new winner, from a time on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) time: f64,
    pub(super) winner: u32,
    /// The slot, and the exclusive or of its winner with the previous one; set when all steps of
    /// the slot are known.
    pub(super) slot: u32,
    pub(super) toggle: u32,
}

impl Step {
    #[inline(always)]
    fn new(time: f64, winner: u32) -> Self {
        Self { time, winner, slot: 0, toggle: 0 }
    }
}

/// The changes of a place: those of its lanes are contiguous.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    first: u32,
    lanes: u32,
}

impl Mark {
    /// Writes the marks of all places. O(places + changes).
    pub(super) fn all(changes: &[Change], marks: &mut [Self]) {
        marks.iter_mut().for_each(|mark| mark.lanes = 0);
        for (number, change) in changes.iter().enumerate() {
            let mark = &mut marks[change.slot as usize / LANES];
            mark.first = if mark.lanes == 0 { number as u32 } else { mark.first };
            mark.lanes |= 1 << (change.slot as usize % LANES);
        }
    }

    /// The change of a lane.
    #[inline(always)]
    fn change(self, lane: usize) -> Option<usize> {
        let before = self.lanes & ((1 << lane) - 1);
        (self.lanes >> lane & 1 != 0).then(|| (self.first + before.count_ones()) as usize)
    }
}

/// All slots at one end of an interval, and the traced steps.
pub(super) struct Envelopes<'a, E> {
    pub(super) layout: &'a Layout,
    pub(super) ends: &'a E,
    pub(super) begin: f64,
    pub(super) end: f64,
    /// Bottom-up: children before parents, slots of a place together.
    pub(super) changes: &'a [Change],
    /// Winners of slots without changes.
    pub(super) winners: &'a [[u32; LANES]],
    /// Per place, the lanes that change, and its first change.
    pub(super) marks: &'a [Mark],
}

/// The winner spans of a child: its present winner, and the range of its further steps.
#[derive(Clone, Copy)]
struct WinnerSpans {
    winner: u32,
    next: usize,
    end: usize,
}

impl WinnerSpans {
    /// The time of the child's next winner.
    #[inline(always)]
    fn time(&self, steps: &[Step]) -> f64 {
        if self.next < self.end { steps[self.next].time } else { f64::INFINITY }
    }
}

impl<E: Ends> Envelopes<'_, E> {
    /// Appends the steps of one change. `starts` has one entry per traced change, and one more.
    #[inline(always)]
    pub(super) fn trace(&self, change: usize, steps: &mut Vec<Step>, starts: &mut Vec<u32>) {
        let Change { slot, old, new, rivals } = self.changes[change];
        let (place, lane) = (slot as usize / LANES, slot as usize % LANES);
        let first = steps.len();
        if place >= self.layout.inner_count() {
            self.trace_leaf(place - self.layout.inner_count(), lane, [old, new], rivals, steps);
        } else {
            let [left, right] = self.layout.children[place];
            let children = [left, right].map(|child| self.winner_spans(child, lane, starts));
            let goal = self.line(new, lane).1;
            match self.only_step(children, lane, old, goal, steps) {
                Some(step) => steps.push(step),
                None => self.trace_inner(children, lane, old, goal, steps),
            }
        }
        if steps[first..].last().map_or(old, |step| step.winner) != new {
            steps.push(Step::new(self.end, new));
        }
        let mut before = old;
        for step in &mut steps[first..] {
            (step.slot, step.toggle) = (slot, before ^ step.winner);
            before = step.winner;
        }
        starts.push(steps.len() as u32);
    }

    /// A point's coordinate at begin and end, with its sign flipped for minima so that beyond is
    /// greater.
    #[inline(always)]
    fn line(&self, point: u32, lane: usize) -> (f64, f64) {
        // Without a branch: the order of sides is unpredictable.
        let sign = [-1.0, 1.0][lane / 4 % 2];
        (sign * self.ends.from(point, lane % 4), sign * self.ends.to(point, lane % 4))
    }

    /// Returns when a challenger overtakes a winner, not before `from`; infinite if never.
    #[inline(always)]
    fn overtaking(&self, winner: (f64, f64), challenger: (f64, f64), from: f64) -> f64 {
        if !(challenger.1 > winner.1) {
            return f64::INFINITY;
        }
        if challenger.0 > winner.0 {
            return self.begin.max(from);
        }
        crossing(self.begin, self.end, winner.0 - challenger.0, winner.1 - challenger.1).max(from)
    }

    #[inline(always)]
    fn trace_leaf(&self, leaf: usize, lane: usize, [old, new]: [u32; 2], rivals: u32, steps: &mut Vec<Step>) {
        if rivals.is_power_of_two() && rivals != MANY {
            // The only rival that is ever beyond.
            let time = self.overtaking(self.line(old, lane), self.line(new, lane), self.begin);
            steps.push(Step::new(time, new));
            return;
        }
        self.wrap_leaf(self.layout.points_of(leaf), lane, [old, new], rivals, steps);
    }

    /// Traces several rivals: the first to overtake, then the next to overtake that one, and so on.
    fn wrap_leaf(&self, points: &[u32], lane: usize, [old, new]: [u32; 2], rivals: u32, steps: &mut Vec<Step>) {
        let goal = self.line(new, lane).1;
        // Times closer than this may order differently from the crossings; the rule of the kinetic
        // engine then decides.
        let margin = 64.0 * f64::EPSILON * (self.end - self.begin + self.begin.abs() + self.end.abs());
        let (mut winner, mut from) = (old, self.begin);
        loop {
            let line = self.line(winner, lane);
            if line.1 == goal {
                return;
            }
            let (mut time, mut second, mut heir) = (f64::INFINITY, f64::INFINITY, winner);
            for_each(rivals, points, |point| {
                let next = self.overtaking(line, self.line(point, lane), from);
                if next < time {
                    (time, second, heir) = (next, time, point);
                } else if next < second {
                    second = next;
                }
            });
            if !(second > time + margin) {
                heir = winner;
                for_each(rivals, points, |point| {
                    let next = self.overtaking(self.line(heir, lane), self.line(point, lane), time);
                    heir = if next <= time { point } else { heir };
                });
            }
            (winner, from) = (heir, time);
            steps.push(Step::new(from, winner));
        }
    }

    /// The winner of a child's slot at the begin, and the range of its steps.
    #[inline(always)]
    fn winner_spans(&self, child: u32, lane: usize, starts: &[u32]) -> WinnerSpans {
        match self.marks[child as usize].change(lane) {
            Some(change) => WinnerSpans {
                winner: self.changes[change].old,
                next: starts[change] as usize,
                end: starts[change + 1] as usize,
            },
            None => WinnerSpans { winner: self.winners[child as usize][lane], next: 0, end: 0 },
        }
    }

    /// The common case: at most one step below, and one of the slot itself, which leads to the
    /// winner at the end. Gives the result of `trace_inner`; `None` in all other cases.
    #[inline(always)]
    fn only_step(
        &self,
        [left, right]: [WinnerSpans; 2],
        lane: usize,
        old: u32,
        goal: f64,
        steps: &[Step],
    ) -> Option<Step> {
        let (own, other) = if left.winner == old { (left, right) } else { (right, left) };
        if own.winner != old || other.winner == old {
            return None;
        }
        let (line, challenger) = (self.line(old, lane), self.line(other.winner, lane));
        let step = match (own.end - own.next, other.end - other.next) {
            (0, 0) => Step::new(self.overtaking(line, challenger, self.begin), other.winner),
            (1, 0) => {
                let step = steps[own.next];
                (!(self.overtaking(line, challenger, self.begin) < step.time)).then_some(step)?
            }
            (0, 1) => {
                let Step { time, winner, .. } = steps[other.next];
                let is_first = !(self.overtaking(line, challenger, self.begin) < time);
                let time = self.overtaking(line, self.line(winner, lane), time);
                is_first.then_some(Step::new(time, winner))?
            }
            _ => return None,
        };
        (self.line(step.winner, lane).1 == goal).then_some(step)
    }

    fn trace_inner(
        &self,
        [mut left, mut right]: [WinnerSpans; 2],
        lane: usize,
        old: u32,
        goal: f64,
        steps: &mut Vec<Step>,
    ) {
        let (mut winner, mut from) = (old, self.begin);
        let mut line = self.line(winner, lane);
        while line.1 != goal {
            let times = [left.time(steps), right.time(steps)];
            let next = if times[1] < times[0] { times[1] } else { times[0] };
            let loser = if left.winner == winner { right.winner } else { left.winner };
            let challenger = self.line(loser, lane);
            let time = if loser == winner { f64::INFINITY } else { self.overtaking(line, challenger, from) };
            if time < next {
                (winner, line, from) = (loser, challenger, time);
                steps.push(Step::new(time, winner));
                continue;
            }
            if next == f64::INFINITY {
                return;
            }
            let changed = if times[1] < times[0] { &mut right } else { &mut left };
            changed.winner = steps[changed.next].winner;
            changed.next += 1;
            from = next;
            if winner != left.winner && winner != right.winner {
                winner = if times[1] < times[0] { right.winner } else { left.winner };
                line = self.line(winner, lane);
                steps.push(Step::new(next, winner));
            }
        }
    }
}

/// Calls a function with the rivals among a leaf's points, in their order.
#[inline(always)]
fn for_each(rivals: u32, points: &[u32], mut visit: impl FnMut(u32)) {
    if rivals == MANY {
        points.iter().for_each(|&point| visit(point));
        return;
    }
    let mut left = rivals;
    while left != 0 {
        visit(points[left.trailing_zeros() as usize]);
        left &= left - 1;
    }
}
