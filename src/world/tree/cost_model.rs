//! What interval traversal costs a body, and what refits would cost it.
//!
//! Costs are counted in pairs of nodes visited. For a pair of bodies all leaf pairs of an interval
//! and some of the triangles below them are found first; from these follow the cost of the rest,
//! and of each step, with the interval and without ([`Costs`]). A body whose intervals are too
//! expensive ([`crate::world::pair::engine_choice`]) is refitted for this one interval and then
//! tries the next. If that is too expensive as well, it is refitted for as many steps as
//! `tuning::INTERVALS_AFTER_FALLBACK` intervals would have had. Every further attempt without
//! effect doubles the wait. No time is measured: costs depend on when the host steps, and on
//! nothing else.

use crate::tuning;

/// What the contacts of two bodies cost over a part of an interval, in pairs of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Costs {
    /// Once, to find what may touch and what is certain of it.
    pub(crate) interval: f64,
    /// At every step in interval mode.
    pub(crate) step: f64,
    /// At every step of refitted trees.
    pub(crate) refit_step: f64,
}

impl Costs {
    /// The share of one of the bodies that bear the costs, where they are those of a part of its
    /// interval.
    pub(crate) fn share(self, bearers: f64, part: f64) -> Self {
        let scaled = |cost: f64, part: f64| cost * part / bearers;
        Self {
            interval: scaled(self.interval, 1.0),
            step: scaled(self.step, part),
            refit_step: scaled(self.refit_step, part),
        }
    }
}

/// The costs of a body's interval, and what follows from them.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct CostModel {
    /// Of all pairs in this interval.
    costs: Costs,
    /// Whether this interval is too expensive, and whether the one before was.
    expensive: [bool; 2],
    /// Steps for which intervals are left out.
    left_out: u32,
    /// How often in turn intervals were left out.
    times: u32,
}

impl CostModel {
    /// Counts a step of the host.
    pub(crate) fn count_step(&mut self) {
        self.left_out = self.left_out.saturating_sub(1);
    }

    /// Adds this body's share of what an interval of a pair costs.
    pub(crate) fn add(&mut self, costs: Costs) {
        self.costs.interval += costs.interval;
        self.costs.step += costs.step;
        self.costs.refit_step += costs.refit_step;
    }

    /// Ends the interval, if the body had one.
    pub(crate) fn end_interval(&mut self, had_interval: bool) {
        if had_interval {
            self.times = 0;
        }
        self.expensive = [false, had_interval && self.expensive[0]];
        self.costs = Costs::default();
    }

    /// What a step costs in an interval of `steps` steps, and by refits, of a body of `triangles`
    /// triangles.
    pub(crate) fn per_step(&self, triangles: usize, steps: f64) -> [f64; 2] {
        let own = tuning::NODE_PAIRS_PER_REFITTED_TRIANGLE * triangles as f64;
        let Costs { interval, step, refit_step } = self.costs;
        [(own + interval) / steps + step, own + refit_step]
    }

    /// Notes that the interval is too expensive; returns whether the one before was, too.
    pub(crate) fn note_expensive(&mut self) -> bool {
        self.expensive[0] = true;
        self.expensive[1]
    }

    /// Leaves intervals of `steps` steps out for a while.
    pub(crate) fn leave_out(&mut self, steps: f64) {
        let intervals = match self.times {
            0 => 1,
            before => tuning::INTERVALS_AFTER_FALLBACK << (before - 1).min(4),
        };
        self.left_out = (steps.ceil() * f64::from(intervals)) as u32;
        self.expensive = [false; 2];
        self.times += 1;
    }

    /// Whether the body is refitted because its intervals were too expensive.
    pub(crate) fn is_left_out(&self) -> bool {
        self.left_out > 0
    }
}

#[cfg(test)]
mod tests {
    use super::CostModel;

    /// How long intervals of three steps are left out, in steps, when they prove too expensive in
    /// turn.
    #[test]
    fn one_interval_is_left_out_first() {
        let mut model = CostModel::default();
        let mut waits = |times: usize| {
            let wait = |_| {
                model.leave_out(2.5);
                model.left_out
            };
            let found: Vec<u32> = (0..times).map(wait).collect();
            model.end_interval(true);
            found
        };
        assert_eq!(waits(7), [3, 48, 96, 192, 384, 768, 768]);
        // An interval that was cheap enough.
        assert_eq!(waits(2), [3, 48]);
    }
}
