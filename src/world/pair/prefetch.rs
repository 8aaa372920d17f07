//! Windows to come: a little of them is prepared in every advance, so that none is the one that pays for all.
//!
//! After an advance, what is left to be done for the windows and intervals to come is counted, and divided by the looks that are left: that is
//! the budget of this advance. Bodies come first, those whose windows end first before the others; a pair waits until both of its bodies
//! are done, and its share goes to the bodies until then. How much there is to be done for a pair is known from its last intervals. What is
//! not done in time is done when it is needed: contacts do not depend on any of this.

use crate::threads::for_each;
use crate::world::pair::interval::{IntervalFinder, looks_left};
use crate::world::rule::PairRule;
use crate::world::tree::mode::Mode;
use crate::world::{Index, World};

/// A pair with an interval to come.
struct Prefetch {
    number: u32,
    interval_finder: IntervalFinder,
    budget: f64,
    /// Are the windows of both bodies known?
    is_ready: bool,
}

impl World {
    /// Prepares some of what comes next for bodies that have moved and their pairs.
    pub(crate) fn prefetch(&mut self, moved: &[u32], pairs: &[u32]) {
        let (now, step) = (self.now, self.step);
        if !(step > 0.0) {
            return;
        }
        // Bodies with something left to be done, and how many looks are left for that.
        let mut bodies: Vec<(f64, u32, usize)> = Vec::new();
        for &index in moved {
            let body = self.bodies.at_mut(index);
            let Index::Discrete(discrete) = &mut body.index else { continue };
            if !body.pairs.is_empty() {
                let work = discrete.prefetch_step(&body.motion, now, step);
                let left = discrete.boxes(now).map_or(1.0, |boxes| looks_left(now, boxes.end(), step));
                bodies.extend((work > 0).then_some((left.max(1.0), index, work)));
            }
        }
        let mut ahead = self.pairs_ahead(pairs);
        let mut pot: f64 = bodies.iter().map(|&(left, _, work)| work as f64 / left).sum();
        pot += ahead.iter().filter(|pair| !pair.is_ready).map(|pair| pair.budget).sum::<f64>();
        bodies.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, index, work) in bodies {
            if pot < 1.0 {
                break;
            }
            let mut budget = pot.ceil() as usize;
            let body = self.bodies.at_mut(index);
            if let Index::Discrete(discrete) = &mut body.index {
                discrete.prefetch(&body.motion, &mut budget);
            }
            pot -= work.min(pot.ceil() as usize) as f64;
        }
        // What is left is for the pairs whose bodies were finished just now.
        let is_known = |number: u32| {
            let (pair, discrete) = (&self.pairs[number as usize], |body: u32| self.bodies.at(body).discrete());
            [pair.a, pair.b].into_iter().all(|body| discrete(body).is_some_and(|discrete| !discrete.is_waited_for()))
        };
        let waited = ahead.iter().filter(|pair| !pair.is_ready && is_known(pair.number));
        let sum: f64 = waited.map(|pair| pair.budget).sum();
        for pair in ahead.iter_mut().filter(|pair| !pair.is_ready) {
            pair.budget = if sum > 0.0 { pair.budget * (pot.max(0.0) / sum) } else { 0.0 };
        }
        let (bodies, pairs) = (&self.bodies, &self.pairs);
        for_each(&mut ahead, |Prefetch { number, interval_finder, budget, .. }| {
            let pair = &pairs[*number as usize];
            let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
            interval_finder.prefetch(a, b, &PairRule::new(pair, a), *budget, step);
        });
        for Prefetch { number, interval_finder, .. } in ahead {
            self.pairs[number as usize].interval_finder = Some(interval_finder);
        }
    }

    /// Takes out what some pairs know that go by windows, with their budgets.
    fn pairs_ahead(&mut self, pairs: &[u32]) -> Vec<Prefetch> {
        let (now, step) = (self.now, self.step);
        let mut ahead = Vec::new();
        for &number in pairs {
            let Some(pair) = self.pairs.get_mut(number as usize) else { continue };
            let [a, b] = [pair.a, pair.b].map(|body| self.bodies.at(body).discrete());
            let (Some(a), Some(b)) = (a, b) else { continue };
            if a.mode == Mode::Interval
                && b.mode == Mode::Interval
                && let Some(interval_finder) = pair.interval_finder.take()
            {
                let budget = interval_finder.share(a, b, now, step);
                let is_ready = !a.is_waited_for() && !b.is_waited_for();
                ahead.push(Prefetch { number, interval_finder, budget, is_ready });
            }
        }
        ahead
    }
}
