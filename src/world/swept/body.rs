//! What a world asks of a swept body, with the motion and the mesh that belong to it.

use super::{Swept, Way};
use crate::kds::Topology;
use crate::time::Moment;
use crate::world::choice::{Reason, decide};
use crate::world::toll::Costs;
use crate::world::{Body, Engine, Index};

impl Body {
    /// Brings what finds a swept body up to date after the clock has moved.
    pub(in crate::world) fn look(&mut self, now: Moment, step: f64) {
        if let Index::Swept(swept) = &mut self.index {
            swept.look(&self.mesh, &self.motion, self.wish, now, step);
        }
    }

    /// Brings the boxes of a swept body's window up to date, if it goes that way; says whether they are.
    pub(in crate::world) fn follow(&mut self, now: Moment, step: f64) -> bool {
        match &mut self.index {
            Index::Swept(swept) => {
                if swept.way != Way::Window && !swept.toll.is_left_out() {
                    // A sleeper knows nothing of how often the host looks.
                    let (way, reason) = decide(self.wish, &self.motion, now, step, swept.rate);
                    swept.reason = reason;
                    if way == Way::Window {
                        swept.way = way;
                    }
                }
                swept.way == Way::Window && swept.follow(&self.motion, now, step)
            }
            _ => false,
        }
    }

    /// May it leave its windows because of what they cost?
    pub(in crate::world) fn may_leave_windows(&self) -> bool {
        self.wish == Engine::Auto && self.swept().is_some_and(Swept::may_leave)
    }

    /// How long its window lasts, seconds; `None` without one.
    pub(in crate::world) fn window_length(&self) -> Option<f64> {
        self.swept()?.window().map(|boxes| boxes.end() - boxes.begin())
    }

    /// What an interval of a pair costs: this body's share.
    pub(in crate::world) fn note_costs(&mut self, costs: Costs) {
        if let Index::Swept(swept) = &mut self.index {
            swept.toll.note(costs);
        }
    }

    /// Its window is dear; was the one before, too?
    pub(in crate::world) fn note_dear(&mut self) -> bool {
        match &mut self.index {
            Index::Swept(swept) => swept.toll.note_dear(),
            _ => false,
        }
    }

    /// What a look costs by its window, and by refits, of a host that goes so far at a time, seconds; by counts (`toll`).
    pub(in crate::world) fn costs_per_look(&self, step: f64) -> [f64; 2] {
        let (Some(swept), Some(length)) = (self.swept(), self.window_length()) else { return [0.0; 2] };
        swept.toll.per_look(self.mesh.triangles().len(), (length / step).max(1.0))
    }

    /// Leaves its window, which is too dear, if it may.
    pub(in crate::world) fn leave_window(&mut self, step: f64) {
        let (true, Some(length)) = (self.may_leave_windows(), self.window_length()) else { return };
        if let Index::Swept(swept) = &mut self.index {
            (swept.way, swept.reason) = (Way::Refit, Some(Reason::Dear));
            swept.toll.leave_out(length / step);
        }
    }

    /// Has it left its windows because of what they cost?
    pub(in crate::world) fn has_left_windows(&self) -> bool {
        self.swept().is_some_and(|swept| swept.way != Way::Window && swept.toll.is_left_out())
    }

    /// Brings the refitted boxes of a swept body up to date.
    pub(in crate::world) fn refit(&mut self, now: Moment) {
        if let Index::Swept(swept) = &mut self.index {
            swept.refit(&self.mesh, &self.motion, now);
        }
    }

    /// Is it not known yet how often the host looks, so that it has a window and a refit?
    pub(in crate::world) fn is_undecided(&self) -> bool {
        self.swept().is_some_and(|swept| swept.is_undecided)
    }

    /// Does it go by windows, for all that is known?
    pub(in crate::world) fn is_settled_window(&self) -> bool {
        self.swept().is_some_and(|swept| !swept.is_undecided && swept.way == Way::Window)
    }

    /// Gives up the refitted boxes of a body that goes by windows.
    pub(in crate::world) fn drop_refit(&mut self) {
        if let Index::Swept(swept) = &mut self.index {
            (swept.refit, swept.is_refitted) = (None, false);
        }
    }

    /// What it has if it is swept.
    pub(in crate::world) fn swept(&self) -> Option<&Swept> {
        match &self.index {
            Index::Swept(swept) => Some(swept),
            _ => None,
        }
    }

    /// It may be elsewhere than when it was last looked at.
    pub(in crate::world) fn forget_place(&mut self) {
        if let Index::Swept(swept) = &mut self.index {
            swept.is_refitted = false;
            if let Some(replay) = &mut swept.replay {
                replay.forget_place();
            }
        }
    }

    /// The motion is another one than before.
    pub(in crate::world) fn forget_motion(&mut self, now: Moment) {
        if let Index::Swept(swept) = &mut self.index {
            swept.forget_motion(&self.motion, now);
        }
    }

    /// Builds the tree of a swept body anew from where it is at a moment.
    pub(in crate::world) fn plant(&mut self, now: Moment, step: f64) {
        let topology = self.binary_topology(now);
        if let Index::Swept(swept) = &mut self.index {
            swept.plant(topology, &self.mesh, &self.motion, self.wish, now, step);
        }
    }

    pub(in crate::world) fn binary_topology(&self, now: Moment) -> Topology {
        let mut positions = Vec::new();
        self.motion.positions(now, &mut positions);
        Topology::build(&self.parts(), &positions, self.build.binary())
    }
}
