//! How two bodies that are not both kinetic find their contacts in a step.
//!
//! ```text
//!            the body's engine, its motion, steps per keyframe interval (`tree::mode`)
//!                                      │
//!                    ┌─────────────────┴───────────────┐
//!             interval mode                        refit mode ─────────────► boxes refitted at every step
//!                    │                                                               ▲
//!   1. EngineSelector::choose                                                        │
//!      both bodies in interval mode? ── no ──► both refitted: Front, otherwise Mixed │
//!                    │ yes                                                           │
//!      all leaf pairs of the interval, and some triangles below them                 │
//!                    │                                                               │
//!   2. EngineSelector::fall_back                                                     │
//!      cost of interval > cost of refits, for all bodies that meet? ── yes ──────────┘
//!                    │ no
//!      the rest of the triangles: Interval
//! ```
//!
//! The second phase compares counts of node pairs
//! ([`CostModel`](crate::world::tree::cost_model::CostModel)). Interval traversal wastes work where
//! most leaves overlap, or where bodies move farther within an interval than their triangles are
//! long. Bodies that meet, directly or not, change together: a body that is refitted for one
//! partner is refitted for all. They change if the interval costs more by `tuning::EXPENSIVE_RATIO`
//! in two intervals in turn, as one may be an exception, or by
//! `tuning::EXPENSIVE_RATIO_OF_ONE_INTERVAL` in one. A group with a body that may not leave its
//! intervals never changes. Counts depend on when the host steps and on nothing else; contacts do
//! not depend on them.

use crate::time::Moment;
use crate::world::body::bodies::Bodies;
use crate::world::pair::BodyPair;
use crate::world::pair::cost_groups::CostGroups;
use crate::world::pair::front::Front;
use crate::world::tree::cost_model::Costs;
use crate::world::tree::discrete::Discrete;

/// The finder of a pair in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairMode {
    Interval,
    Front,
    Mixed,
}

/// Two bodies in interval mode, or one with itself; if a new interval has begun, its costs, and its
/// length, seconds.
pub(crate) struct PairCosts {
    pub(crate) pair: [u32; 2],
    pub(crate) costs: Option<(Costs, f64)>,
}

/// Chooses how pairs find their contacts, and brings the bodies up to date for it.
pub(crate) struct EngineSelector<'a> {
    pub(crate) bodies: &'a mut Bodies,
    pub(crate) now: Moment,
    /// The length of the host's steps, seconds; 0 if unknown.
    pub(crate) step: f64,
}

impl EngineSelector<'_> {
    /// Chooses the finder of a pair, and brings the boxes it reads up to date. A body that slept
    /// may have slept through the end of its interval, and one that is in interval mode alone may
    /// have to be refitted for a partner.
    pub(crate) fn choose(&mut self, pair: &BodyPair) -> PairMode {
        let (now, step) = (self.now, self.step);
        let sides = [pair.a, pair.b];
        let in_interval = sides.map(|body| self.bodies.at_mut(body).update_interval(now, step));
        if in_interval == [true, true] {
            if self.has_both_modes(pair) {
                self.refit(pair);
            }
            return PairMode::Interval;
        }
        let in_clip = [0, 1].map(|side| !in_interval[side] && self.bodies.at_mut(sides[side]).replay(now));
        let are_discrete = sides.iter().all(|&body| self.bodies.at(body).discrete().is_some());
        let all_refitted = are_discrete && in_clip == [false, false];
        for (side, body) in sides.into_iter().enumerate() {
            if all_refitted || !(in_interval[side] || in_clip[side]) {
                self.bodies.at_mut(body).refit(now);
            }
        }
        let (a, b) = (self.bodies.at(pair.a), self.bodies.at(pair.b));
        let is_on_demand_whole =
            || (a.is_on_demand() || b.is_on_demand()) && a.refitted().is_some() && b.refitted().is_some();
        if all_refitted || (is_on_demand_whole() && Front::suits(pair, (a, b))) {
            PairMode::Front
        } else {
            PairMode::Mixed
        }
    }

    /// Whether a body of a pair has an interval and a refit, as the length of the host's steps is
    /// not known.
    pub(crate) fn has_both_modes(&self, pair: &BodyPair) -> bool {
        [pair.a, pair.b].iter().any(|&body| self.bodies.at(body).has_both_modes())
    }

    /// Whether a body of a pair left its intervals because of their costs.
    pub(crate) fn has_fallen_back(&self, pair: &BodyPair) -> bool {
        [pair.a, pair.b].iter().any(|&body| self.bodies.at(body).discrete().is_some_and(Discrete::has_left_intervals))
    }

    /// Brings the refitted boxes of both bodies up to date.
    pub(crate) fn refit(&mut self, pair: &BodyPair) {
        [pair.a, pair.b].iter().for_each(|&body| self.bodies.at_mut(body).refit(self.now));
    }

    /// Adds the costs of new intervals to their bodies; bodies whose intervals are too expensive
    /// leave them. O(pairs log bodies) where an interval has begun, nothing otherwise.
    pub(crate) fn fall_back(&mut self, pairs: &[PairCosts], groups: &mut CostGroups) {
        if pairs.iter().all(|it| it.costs.is_none()) {
            return;
        }
        self.add_costs(pairs, groups);
        groups.weigh(|body| {
            let body = self.bodies.at(body);
            (body.costs_per_step(self.step), body.may_leave_intervals())
        });
        groups.ask(|body| {
            let discrete = self.bodies.at_mut(body).discrete_mut();
            discrete.is_some_and(|discrete| discrete.cost_model.note_expensive())
        });
        for body in groups.leaving() {
            self.bodies.at_mut(body).leave_interval(self.step);
        }
    }

    /// Adds the costs of new intervals to the bodies that bear them, and groups the bodies that
    /// meet, directly or not.
    fn add_costs(&mut self, pairs: &[PairCosts], groups: &mut CostGroups) {
        // A body that rests for all times bears nothing, and connects no others.
        let length =
            |bodies: &Bodies, body: u32| bodies.at(body).discrete()?.interval_length().filter(|it| it.is_finite());
        let bodies = pairs.iter().flat_map(|it| it.pair);
        groups.begin(bodies.filter(|&body| length(self.bodies, body).is_some()));
        for PairCosts { pair, costs } in pairs {
            let lengths = pair.map(|body| length(self.bodies, body));
            if let Some((costs, part)) = costs {
                let bearers = lengths.iter().flatten().count() as f64;
                for (&body, length) in pair.iter().zip(lengths) {
                    if let (Some(length), Some(discrete)) = (length, self.bodies.at_mut(body).discrete_mut()) {
                        discrete.cost_model.add(costs.share(bearers, part / length));
                    }
                }
            }
            if let [Some(_), Some(_)] = lengths {
                groups.connect(*pair);
            }
        }
    }
}
