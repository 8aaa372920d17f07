//! Preparation of the next intervals: a little of them in every step, so that no step pays for all.
//!
//! After a step, the work left for the next intervals of bodies and pairs is counted and divided by
//! the steps left: that is the budget of this step. Bodies come first, those with the fewest steps
//! left before the others; a pair waits until both of its bodies are done, and its share goes to
//! the bodies until then. The work of a pair is estimated from its last intervals. Work
//! not done in time is done when it is needed, and that step prepares so much less: contacts do not
//! depend on any of this.

use crate::threads::for_each;
use crate::time::Moment;
use crate::tuning;
use crate::world::body::Index;
use crate::world::body::bodies::Bodies;
use crate::world::pair::Pairs;
use crate::world::pair::finder::PairFinder;
use crate::world::pair::interval::{IntervalFinder, steps_left};
use crate::world::tree::mode::Mode;

/// A pair whose next interval is prepared.
pub(crate) struct Prefetch {
    number: u32,
    finder: Box<IntervalFinder>,
    budget: f64,
    /// Whether the next intervals of both bodies are known.
    is_ready: bool,
}

impl Pairs {
    /// Prepares a part of the next intervals of bodies that have moved and of their pairs. `step`
    /// is the length of the host's steps, seconds; 0 if unknown.
    pub(crate) fn prefetch(&mut self, moved: &[u32], numbers: &[u32], bodies: &mut Bodies, now: Moment, step: f64) {
        if !(step > 0.0) {
            return;
        }
        let mut work = std::mem::take(&mut self.scratch.0.body_work);
        begin_next_intervals(moved, bodies, now, step, &mut work);
        let mut waiting = std::mem::take(&mut self.scratch.0.waiting);
        let late = self.take_intervals(numbers, bodies, now, step, &mut waiting);
        let mut budget: f64 = work.iter().map(|&(left, _, work)| work as f64 / left).sum();
        budget += waiting.iter().filter(|pair| !pair.is_ready).map(|pair| pair.budget).sum::<f64>();
        // Small bodies are ready in time, whatever the step has spent.
        let budget = (budget - late).max(budget.min(tuning::MIN_PREFETCH_BUDGET as f64));
        let budget = prefetch_bodies(&mut work, budget, bodies);
        self.scratch.0.body_work = work;
        self.share_rest(&mut waiting, budget, bodies);
        let (bodies, pairs) = (&*bodies, &*self);
        for_each(&mut waiting, |Prefetch { number, finder, budget, .. }| {
            let pair = &pairs[*number];
            let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
            finder.prefetch(a, b, &pair.rule(a), *budget, step);
        });
        for Prefetch { number, finder, .. } in waiting.drain(..) {
            self[number].finder = PairFinder::Interval(finder);
        }
        self.scratch.0.waiting = waiting;
    }

    /// Takes the finders of some pairs in interval mode, with the work per step that is left for
    /// their next intervals. Returns what this step has spent on intervals that were not ready, of
    /// those pairs whose bodies have work left.
    fn take_intervals(
        &mut self,
        numbers: &[u32],
        bodies: &Bodies,
        now: Moment,
        step: f64,
        waiting: &mut Vec<Prefetch>,
    ) -> f64 {
        let mut late = 0.0;
        for &number in numbers {
            let Some(pair) = self.table.get_mut(number) else { continue };
            let [a, b] = [pair.a, pair.b].map(|body| bodies.at(body).discrete());
            let (Some(a), Some(b)) = (a, b) else { continue };
            if a.mode != Mode::Interval || b.mode != Mode::Interval {
                continue;
            }
            match std::mem::take(&mut pair.finder) {
                PairFinder::Interval(mut finder) => {
                    let mut budget = finder.work_per_step(a, b, now, step);
                    let own = finder.take_late() as f64;
                    let is_ready = !a.intervals.is_waited_for() && !b.intervals.is_waited_for();
                    if is_ready {
                        budget = (budget - own).max(0.0);
                    } else {
                        late += own;
                    }
                    waiting.push(Prefetch { number, finder, budget, is_ready });
                }
                other => pair.finder = other,
            }
        }
        late
    }

    /// Divides the rest of a budget among the pairs whose bodies were finished just now.
    fn share_rest(&self, waiting: &mut [Prefetch], budget: f64, bodies: &Bodies) {
        let is_known = |number: u32| {
            let (pair, discrete) = (&self[number], |body: u32| bodies.at(body).discrete());
            [pair.a, pair.b]
                .into_iter()
                .all(|body| discrete(body).is_some_and(|discrete| !discrete.intervals.is_waited_for()))
        };
        let finished = waiting.iter().filter(|pair| !pair.is_ready && is_known(pair.number));
        let sum: f64 = finished.map(|pair| pair.budget).sum();
        for pair in waiting.iter_mut().filter(|pair| !pair.is_ready) {
            pair.budget = if sum > 0.0 { pair.budget * (budget.max(0.0) / sum) } else { 0.0 };
        }
    }
}

/// Begins the next intervals of bodies that moved. Finds the steps left, the index and the work
/// left of each body that has work.
fn begin_next_intervals(
    moved: &[u32],
    bodies: &mut Bodies,
    now: Moment,
    step: f64,
    begun: &mut Vec<(f64, u32, usize)>,
) {
    begun.clear();
    for &index in moved {
        let body = bodies.at_mut(index);
        let Index::Discrete(discrete) = &mut body.index else { continue };
        if !body.pairs.is_empty() {
            let work = discrete.begin_next(&body.motion, now, step);
            let left = discrete.boxes(now).map_or(1.0, |boxes| steps_left(now, boxes.end(), step));
            begun.extend((work > 0).then_some((left.max(1.0), index, work)));
        }
    }
}

/// Works on the next intervals of bodies until a budget is spent, those with the fewest steps left
/// first; returns the rest.
fn prefetch_bodies(work: &mut [(f64, u32, usize)], mut budget: f64, bodies: &mut Bodies) -> f64 {
    work.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for &mut (_, index, work) in work {
        if budget < 1.0 {
            break;
        }
        let mut own = budget.ceil() as usize;
        let body = bodies.at_mut(index);
        if let Index::Discrete(discrete) = &mut body.index {
            discrete.intervals.prefetch(&body.motion, &mut own);
        }
        budget -= work.min(budget.ceil() as usize) as f64;
    }
    budget
}
