//! Operations on a discrete body, with the motion and the mesh that belong to it.

use crate::time::Moment;
use crate::world::body::{Body, Index};
use crate::world::engine::Engine;
use crate::world::tree::discrete::Discrete;

impl Body {
    /// The trees of the body, if it is discrete.
    pub(crate) fn discrete(&self) -> Option<&Discrete> {
        match &self.index {
            Index::Discrete(discrete) => Some(discrete),
            _ => None,
        }
    }

    pub(crate) fn discrete_mut(&mut self) -> Option<&mut Discrete> {
        match &mut self.index {
            Index::Discrete(discrete) => Some(discrete),
            _ => None,
        }
    }

    /// Brings the interval of a discrete body to a moment, if it is in interval mode; returns
    /// whether it is.
    pub(crate) fn update_interval(&mut self, now: Moment, step: f64) -> bool {
        let Index::Discrete(discrete) = &mut self.index else { return false };
        discrete.update_for_pair(&self.motion, self.requested_engine, now, step)
    }

    /// Whether the body may leave its intervals because of their costs.
    pub(crate) fn may_leave_intervals(&self) -> bool {
        self.requested_engine == Engine::Auto && self.discrete().is_some_and(Discrete::may_leave)
    }

    /// What a step costs in interval mode, and by refits, in pairs of nodes. `step` is the length
    /// of the host's steps, seconds.
    pub(crate) fn costs_per_step(&self, step: f64) -> [f64; 2] {
        let triangles = self.shape.mesh.triangles().len();
        self.discrete().map_or([0.0; 2], |discrete| discrete.costs_per_step(triangles, step))
    }

    /// Leaves the body's interval, which is too expensive, if it may.
    pub(crate) fn leave_interval(&mut self, step: f64) {
        if self.may_leave_intervals()
            && let Some(discrete) = self.discrete_mut()
        {
            discrete.leave_interval(step);
        }
    }

    /// Brings the refitted boxes of a discrete body up to date.
    pub(crate) fn refit(&mut self, now: Moment) {
        if let Index::Discrete(discrete) = &mut self.index {
            discrete.refit(&self.shape.mesh, &self.motion, now);
        }
    }

    /// Brings the baked clip to a moment, if the body has one, may use it, and the clip knows the
    /// moment.
    pub(crate) fn replay(&mut self, now: Moment) -> bool {
        let Index::Discrete(discrete) = &mut self.index else { return false };
        discrete.replay(&self.motion, self.requested_engine, now)
    }

    /// Whether the body has an interval and a refit, as the length of the host's steps is not
    /// known.
    pub(crate) fn has_both_modes(&self) -> bool {
        self.discrete().is_some_and(Discrete::has_both_modes)
    }

    /// Whether the body is in interval mode, by all that is known.
    pub(crate) fn is_settled_in_interval(&self) -> bool {
        self.discrete().is_some_and(Discrete::is_settled_in_interval)
    }

    /// The body may be elsewhere than in the last step.
    pub(crate) fn forget_place(&mut self) {
        if let Some(discrete) = self.discrete_mut() {
            discrete.forget_place();
        }
    }

    /// The clock jumps: boxes over an interval, or up to date at a time, hold no longer.
    pub(crate) fn forget_time(&mut self) {
        self.begin_step();
        self.forget_keys();
        if let Index::Discrete(discrete) = &mut self.index {
            discrete.forget_time();
        }
    }

    /// The motion of a discrete body is another one than before.
    pub(crate) fn forget_motion(&mut self, now: Moment) {
        if let Index::Discrete(discrete) = &mut self.index {
            discrete.forget_motion(&self.motion, now);
        }
    }

    /// Builds another tree for a discrete body, from where it is at a moment.
    pub(crate) fn build_tree(&mut self, now: Moment, step: f64) {
        let topology = self.binary_topology(now);
        if let Index::Discrete(discrete) = &mut self.index {
            discrete.build_tree(topology, &self.shape.mesh, &self.motion, self.requested_engine, now, step);
        }
    }
}
