//! Envelopes: who wins a slot when, between two keys; only of slots whose winner differs at the two ends.
//!
//! The reigns of a leaf slot are those of its points' lines, those of an inner slot come from its children's reigns. Both
//! follow the live engine step by step (`kds::aabb_tree`, `certificate::overtaking`): a challenger overtakes only if it is
//! strictly beyond at the interval's end, at the crossing computed from the values at both ends; a parent whose winner was
//! its child's follows the child at once, and otherwise keeps it until the other child's winner overtakes. So event times
//! are equal bit by bit.
//!
//! **Ties.** At one time a child's change comes before its parent's own; in the live engine a parent's certificate may come
//! first. Where the last winner found equals the sweep's in value but is another vertex, the sweep's takes over at the
//! interval's end; so the winners at keys do not depend on whether anybody looked in between.
//!
//! Cost: O(points) per change of a leaf slot, O(children's changes) of an inner one.

use super::layout::{LANES, Layout};
use super::sweep::Change;
use super::track::Ends;
use crate::certificate::crossing;

/// A new winner from a time on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) time: f64,
    pub(super) winner: u32,
}

/// What is known of all slots at one end of an interval, and the steps of those done.
pub(super) struct Envelopes<'a, E> {
    pub(super) layout: &'a Layout,
    pub(super) ends: &'a E,
    pub(super) begin: f64,
    pub(super) end: f64,
    /// Bottom-up: children before parents, slots of a place together.
    pub(super) changes: &'a [Change],
    /// Winners of slots without changes.
    pub(super) winners: &'a [[u32; LANES]],
    /// Per place, its first change; anything where it has none.
    pub(super) marks: &'a [u32],
}

/// The reigns of a child: its present winner, and where its further steps are.
#[derive(Clone, Copy)]
struct Reigns {
    winner: u32,
    next: usize,
    end: usize,
}

impl Reigns {
    /// When the child's winner changes next.
    #[inline(always)]
    fn time(&self, steps: &[Step]) -> f64 {
        if self.next < self.end { steps[self.next].time } else { f64::INFINITY }
    }
}

impl<E: Ends> Envelopes<'_, E> {
    /// Appends the steps of one change. `starts` has an entry per change done and one more.
    #[inline(always)]
    pub(super) fn trace(&self, change: usize, steps: &mut Vec<Step>, starts: &mut Vec<u32>) {
        let Change { slot, old, new } = self.changes[change];
        let (place, lane) = (slot as usize / LANES, slot as usize % LANES);
        let first = steps.len();
        if place >= self.layout.inner_count() {
            self.trace_leaf(place - self.layout.inner_count(), lane, old, new, steps);
        } else {
            let [left, right] = self.layout.children[place];
            let children = [left, right].map(|child| self.reigns(child, lane, starts));
            self.trace_inner(children, lane, old, new, steps);
        }
        if steps[first..].last().map_or(old, |step| step.winner) != new {
            steps.push(Step { time: self.end, winner: new });
        }
        starts.push(steps.len() as u32);
    }

    /// A point's coordinate at begin and end, turned so that beyond is greater.
    #[inline(always)]
    fn line(&self, point: u32, lane: usize) -> (f64, f64) {
        let turn = |x: f64| if lane < 4 { -x } else { x };
        (turn(self.ends.from(point, lane % 4)), turn(self.ends.to(point, lane % 4)))
    }

    /// When a challenger overtakes a winner, not before `from`; infinite if it does not.
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

    fn trace_leaf(&self, leaf: usize, lane: usize, old: u32, new: u32, steps: &mut Vec<Step>) {
        let points = self.layout.points_of(leaf);
        let goal = self.line(new, lane).1;
        let length = self.end - self.begin;
        let turn = |x: f64| if lane < 4 { -x } else { x };
        // Fractions closer than this may be in another order than the times; then the live engine's rule decides.
        let margin = 64.0 * f64::EPSILON * (1.0 + (self.begin.abs() + self.end.abs()) / length);
        let (mut winner, mut from) = (old, self.begin);
        loop {
            let line = self.line(winner, lane);
            if line.1 == goal {
                return;
            }
            let (mut first, mut second, mut heir) = (f64::INFINITY, f64::INFINITY, winner);
            for &point in points {
                let x1 = turn(self.ends.to(point, lane % 4));
                // Most points are ruled out by their ends; their begins are not read.
                if x1 > line.1 {
                    let x0 = turn(self.ends.from(point, lane % 4));
                    // The fraction of the interval at which the point overtakes; below 0 where it is ahead already.
                    let lead = line.0 - x0;
                    let part = if lead < 0.0 { -1.0 } else { lead / (lead - (line.1 - x1)) };
                    if part < first {
                        (first, second, heir) = (part, first, point);
                    } else if part < second {
                        second = part;
                    }
                }
            }
            let mut time = self.overtaking(line, self.line(heir, lane), from);
            if !(second > (time - self.begin) / length + margin) {
                let next = points.iter().map(|&point| self.overtaking(line, self.line(point, lane), from));
                time = next.fold(f64::INFINITY, f64::min);
                heir = points.iter().fold(winner, |best, &point| {
                    let next = self.overtaking(self.line(best, lane), self.line(point, lane), time);
                    if next <= time { point } else { best }
                });
            }
            (winner, from) = (heir, time);
            steps.push(Step { time: from, winner });
        }
    }

    /// The winner of a child's slot at the begin, and the range of its steps.
    #[inline(always)]
    fn reigns(&self, child: u32, lane: usize, starts: &[u32]) -> Reigns {
        let slot = (LANES * child as usize + lane) as u32;
        let mut change = self.marks[child as usize] as usize;
        while let Some(found) = self.changes.get(change)
            && found.slot / LANES as u32 == child
        {
            if found.slot == slot {
                return Reigns { winner: found.old, next: starts[change] as usize, end: starts[change + 1] as usize };
            }
            change += 1;
        }
        Reigns { winner: self.winners[child as usize][lane], next: 0, end: 0 }
    }

    fn trace_inner(&self, [mut left, mut right]: [Reigns; 2], lane: usize, old: u32, new: u32, steps: &mut Vec<Step>) {
        let goal = self.line(new, lane).1;
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
                steps.push(Step { time, winner });
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
                steps.push(Step { time: next, winner });
            }
        }
    }
}
