//! What windows cost a body, by counts, and what refits would: where most leaves meet something, or bodies move by the size of their triangles
//! within a window, much more is found out for an interval than the looks in it ask about, and refits are cheaper.
//!
//! Both are counted in pairs of nodes looked at. For a pair of bodies all leaf pairs of an interval and some of the triangles below them are
//! found first; what the rest will cost, and each look, with the window and without, is told from these ([`Costs`]). Bodies that meet, and those
//! that these meet, leave their windows together, before more is done for them, if all their pairs and boxes are dearer by
//! [`limits::EXPENSIVE_RATIO`] in two windows in turn, as one interval may be the exception, or by [`limits::FAR_EXPENSIVE_RATIO`] in one: who is refitted
//! for the sake of one partner is refitted for all. None leaves who meets one that goes by windows in any case. They are
//! refitted for as many looks as [`limits::INTERVALS_LEFT_OUT`] windows would have had; then they try a window again, and every time in vain
//! they wait twice as long.
//! Counts depend on who looks when, as windows do, and on nothing else: no time is measured.

use std::collections::{BTreeMap, BTreeSet};

use crate::id::{Arena, BodyId};
use crate::limits;
use crate::world::Body;

/// What the contacts of two bodies cost over a part of a window, in pairs of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Costs {
    /// Once, to find what may touch and what is certain of it.
    pub(crate) interval: f64,
    /// At every look, with that.
    pub(crate) look: f64,
    /// At every look, of refitted trees.
    pub(crate) refit_step: f64,
}

impl Costs {
    /// The share of a body of which so many bear the costs, where the interval is a part of its window.
    pub(crate) fn share(self, bearers: f64, part: f64) -> Self {
        let scaled = |cost: f64, part: f64| cost * part / bearers;
        Self {
            interval: scaled(self.interval, 1.0),
            look: scaled(self.look, part),
            refit_step: scaled(self.refit_step, part),
        }
    }
}

/// The counts of a window, and what follows from them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CostModel {
    /// Of all pairs in this window.
    costs: Costs,
    /// Is this window dear, and was the one before?
    expensive: [bool; 2],
    /// Looks for which windows are left out, and how often in turn that was so.
    left_out: u32,
    times: u32,
}

impl CostModel {
    /// The host looks.
    pub(crate) fn count_look(&mut self) {
        self.left_out = self.left_out.saturating_sub(1);
    }

    /// What an interval of a pair costs: this body's share.
    pub(crate) fn note(&mut self, costs: Costs) {
        self.costs.interval += costs.interval;
        self.costs.look += costs.look;
        self.costs.refit_step += costs.refit_step;
    }

    /// The window has ended, if the body had one.
    pub(crate) fn end_interval(&mut self, had_interval: bool) {
        if had_interval {
            self.times = 0;
        }
        self.expensive = [false, had_interval && self.expensive[0]];
        self.costs = Costs::default();
    }

    /// What a look costs with a window of so many looks, and with refits, of a body of so many triangles.
    pub(crate) fn per_look(&self, triangles: usize, looks: f64) -> [f64; 2] {
        let own = limits::NODE_PAIRS_PER_TRIANGLE * triangles as f64;
        let Costs { interval, look, refit_step } = self.costs;
        [(own + interval) / looks + look, own + refit_step]
    }

    /// The window is dear; was the one before, too?
    pub(crate) fn note_expensive(&mut self) -> bool {
        self.expensive[0] = true;
        self.expensive[1]
    }

    /// Windows of so many looks are left out for a while.
    pub(crate) fn leave_out(&mut self, looks: f64) {
        let windows = limits::INTERVALS_LEFT_OUT << self.times.min(4);
        self.left_out = (looks.ceil() * f64::from(windows)) as u32;
        self.expensive = [false; 2];
        self.times += 1;
    }

    /// Is the body refitted because windows were too dear?
    pub(crate) fn is_left_out(&self) -> bool {
        self.left_out > 0
    }
}

/// Two bodies that go by windows, or one with itself; if a new interval has begun, what it costs, and its length, seconds.
pub(crate) struct Weighed {
    pub(crate) pair: [u32; 2],
    pub(crate) costs: Option<(Costs, f64)>,
}

/// Tells bodies what their new intervals cost, and has those leave their windows for which they are too dear. O(pairs log bodies) where an
/// interval has begun, nothing otherwise.
pub(crate) fn fall_back_to_refit(weighed: &[Weighed], bodies: &mut Arena<BodyId, Body>, step: f64) {
    if weighed.iter().all(|it| it.costs.is_none()) {
        return;
    }
    // What rests for ever bears nothing, and joins nobody.
    let window =
        |bodies: &Arena<BodyId, Body>, body: u32| bodies.at(body).interval_length().filter(|it| it.is_finite());
    let mut heads: BTreeMap<u32, u32> = BTreeMap::new();
    for Weighed { pair, costs } in weighed {
        let bearers = pair.map(|body| window(bodies, body));
        if let Some((costs, length)) = costs {
            let count = bearers.iter().flatten().count() as f64;
            for (&body, window) in pair.iter().zip(bearers) {
                if let Some(window) = window {
                    bodies.at_mut(body).note_costs(costs.share(count, length / window));
                }
            }
        }
        if let [Some(_), Some(_)] = bearers {
            let [a, b] = pair.map(|body| head(&mut heads, body));
            heads.insert(a.max(b), a.min(b));
        }
    }
    let members: Vec<u32> =
        weighed.iter().flat_map(|it| it.pair).filter(|&body| window(bodies, body).is_some()).collect();
    let mut sums: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
    let mut is_bound: BTreeSet<u32> = BTreeSet::new();
    let mut groups: BTreeMap<u32, u32> = BTreeMap::new();
    for body in members {
        let group = head(&mut heads, body);
        if groups.insert(body, group).is_none() {
            let costs = bodies.at(body).costs_per_look(step);
            let sum = sums.entry(group).or_default();
            *sum = [sum[0] + costs[0], sum[1] + costs[1]];
            if !bodies.at(body).may_leave_intervals() {
                is_bound.insert(group);
            }
        }
    }
    // By so much that it matters.
    let is_dear = |group: &u32| {
        let [window, refits] = sums[group];
        window > limits::EXPENSIVE_RATIO * refits && window > refits + limits::LEAST_TOLL && !is_bound.contains(group)
    };
    let is_far_dearer = |group: &u32| sums[group][0] > limits::FAR_EXPENSIVE_RATIO * sums[group][1];
    let mut is_left: BTreeSet<u32> = groups.values().copied().filter(is_far_dearer).collect();
    for (&body, group) in groups.iter().filter(|(_, group)| is_dear(group)) {
        if bodies.at_mut(body).note_expensive() {
            is_left.insert(*group);
        }
    }
    for (&body, _) in groups.iter().filter(|(_, group)| is_dear(group) && is_left.contains(group)) {
        bodies.at_mut(body).leave_interval(step);
    }
}

/// The lowest number known of those whom a body meets, directly or not.
fn head(heads: &mut BTreeMap<u32, u32>, body: u32) -> u32 {
    let mut head = body;
    while let Some(&next) = heads.get(&head).filter(|&&next| next != head) {
        head = next;
    }
    heads.insert(body, head);
    head
}
