//! What a world asks of a swept body, with the motion and the mesh that belong to it.

use crate::time::Moment;
use crate::world::body::{Body, Index};
use crate::world::def::Engine;
use crate::world::tree::cost_model::Costs;
use crate::world::tree::discrete::Discrete;
use crate::world::tree::mode::{Mode, Reason, decide};

impl Body {
    /// Brings what finds a swept body up to date after the clock has moved.
    pub(crate) fn update_discrete(&mut self, now: Moment, step: f64) {
        if let Index::Discrete(discrete) = &mut self.index {
            discrete.look(&self.shape.mesh, &self.motion, self.requested_engine, now, step);
        }
    }

    /// Brings the boxes of a swept body's window up to date, if it goes that way; says whether they are.
    pub(crate) fn update_interval(&mut self, now: Moment, step: f64) -> bool {
        match &mut self.index {
            Index::Discrete(discrete) => {
                if discrete.mode != Mode::Interval && !discrete.cost_model.is_left_out() {
                    // A sleeper knows nothing of how often the host looks.
                    let (mode, reason) = decide(self.requested_engine, &self.motion, now, step, discrete.rate);
                    discrete.reason = reason;
                    if mode == Mode::Interval {
                        discrete.mode = mode;
                    }
                }
                discrete.mode == Mode::Interval && discrete.follow(&self.motion, now, step)
            }
            _ => false,
        }
    }

    /// May it leave its windows because of what they cost?
    pub(crate) fn may_leave_intervals(&self) -> bool {
        self.requested_engine == Engine::Auto && self.discrete().is_some_and(Discrete::may_leave)
    }

    /// How long its window lasts, seconds; `None` without one.
    pub(crate) fn interval_length(&self) -> Option<f64> {
        self.discrete()?.window().map(|boxes| boxes.end() - boxes.begin())
    }

    /// What an interval of a pair costs: this body's share.
    pub(crate) fn add_costs(&mut self, costs: Costs) {
        if let Index::Discrete(discrete) = &mut self.index {
            discrete.cost_model.note(costs);
        }
    }

    /// Its window is dear; was the one before, too?
    pub(crate) fn note_expensive(&mut self) -> bool {
        match &mut self.index {
            Index::Discrete(discrete) => discrete.cost_model.note_expensive(),
            _ => false,
        }
    }

    /// What a look costs by its window, and by refits, of a host that goes so far at a time, seconds; by counts (`cost_model`).
    pub(crate) fn costs_per_step(&self, step: f64) -> [f64; 2] {
        let (Some(discrete), Some(length)) = (self.discrete(), self.interval_length()) else { return [0.0; 2] };
        discrete.cost_model.per_look(self.shape.mesh.triangles().len(), (length / step).max(1.0))
    }

    /// Leaves its window, which is too dear, if it may.
    pub(crate) fn leave_interval(&mut self, step: f64) {
        let (true, Some(length)) = (self.may_leave_intervals(), self.interval_length()) else { return };
        if let Index::Discrete(discrete) = &mut self.index {
            (discrete.mode, discrete.reason) = (Mode::Refit, Some(Reason::Expensive));
            discrete.cost_model.leave_out(length / step);
        }
    }

    /// Has it left its windows because of what they cost?
    pub(crate) fn has_left_intervals(&self) -> bool {
        self.discrete().is_some_and(|discrete| discrete.mode != Mode::Interval && discrete.cost_model.is_left_out())
    }

    /// Brings the refitted boxes of a swept body up to date.
    pub(crate) fn refit(&mut self, now: Moment) {
        if let Index::Discrete(discrete) = &mut self.index {
            discrete.refit(&self.shape.mesh, &self.motion, now);
        }
    }

    /// Is it not known yet how often the host looks, so that it has a window and a refit?
    pub(crate) fn has_both_modes(&self) -> bool {
        self.discrete().is_some_and(|discrete| discrete.has_both_modes)
    }

    /// Does it go by windows, for all that is known?
    pub(crate) fn is_settled_in_interval(&self) -> bool {
        self.discrete().is_some_and(|discrete| !discrete.has_both_modes && discrete.mode == Mode::Interval)
    }

    /// Gives up the refitted boxes of a body that goes by windows.
    pub(crate) fn drop_refit(&mut self) {
        if let Index::Discrete(discrete) = &mut self.index {
            (discrete.refit, discrete.is_refitted) = (None, false);
        }
    }

    /// What it has if it is swept.
    pub(crate) fn discrete(&self) -> Option<&Discrete> {
        match &self.index {
            Index::Discrete(discrete) => Some(discrete),
            _ => None,
        }
    }

    /// It may be elsewhere than when it was last looked at.
    pub(crate) fn forget_place(&mut self) {
        if let Index::Discrete(discrete) = &mut self.index {
            discrete.is_refitted = false;
            if let Some(replay) = &mut discrete.replay {
                replay.forget_place();
            }
        }
    }

    /// The motion is another one than before.
    pub(crate) fn forget_motion(&mut self, now: Moment) {
        if let Index::Discrete(discrete) = &mut self.index {
            discrete.forget_motion(&self.motion, now);
        }
    }

    /// Builds the tree of a swept body anew from where it is at a moment.
    pub(crate) fn build_tree(&mut self, now: Moment, step: f64) {
        let topology = self.binary_topology(now);
        if let Index::Discrete(discrete) = &mut self.index {
            discrete.build_tree(topology, &self.shape.mesh, &self.motion, self.requested_engine, now, step);
        }
    }

    /// Brings the baked clip to a moment, if the body has one, may use it, and the clip knows the moment.
    pub(crate) fn replay(&mut self, now: Moment) -> bool {
        let Index::Discrete(discrete) = &mut self.index else { return false };
        discrete.replay(&self.motion, self.requested_engine, now)
    }
}
