//! What interval traversal costs a body, and what refits would cost it.
//!
//! Costs are counted in pairs of nodes visited. For a pair of bodies all leaf pairs of an interval and some of the triangles below
//! them are found first; from these follow the cost of the rest, and of each step, with the interval and without ([`Costs`]).
//! A body whose intervals are too expensive ([`crate::world::pair::engine_choice`]) is refitted for as many steps as
//! [`limits::INTERVALS_LEFT_OUT`] intervals would have had, and then tries an interval again. Every attempt in vain doubles the
//! wait. No time is measured: costs depend on when the host steps, and on nothing else.

use crate::limits;

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
