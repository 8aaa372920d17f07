//! Bodies that are not kinetic: their boxes are brought up to date at the times asked for.
//!
//! | mode | state | cost |
//! |---|---|---|
//! | interval | boxes at both ends of the keyframe interval around now ([`Intervals`]) | a refit per key |
//! | refit | boxes now ([`RefitTree`]) | a refit per step; of velocity fields one now and then |
//! | baked | the vertices that are outermost now ([`Replay`]) | the events since the step before |
//!
//! A body may have boxes of several modes. A wall has one interval for all times, and is refitted
//! once for a partner that is refitted at every step. The mode says which boxes are brought up to
//! date when the clock moves.

use crate::bvh::{Hierarchy, Topology};
use crate::interval::IntervalBoxes;
use crate::mesh::Mesh;
use crate::motion::Motion;
use crate::refit::RefitTree;
use crate::time::Moment;
use crate::tuning;
use crate::world::engine::Engine;
use crate::world::tree::cost_model::CostModel;
use crate::world::tree::interval_length::{common_end, max_interval};
use crate::world::tree::intervals::Intervals;
use crate::world::tree::mode::{Mode, Rate, Reason, decide};
use crate::world::tree::replay::{Replay, may_replay};

/// The trees of a body that is not kinetic.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Discrete {
    pub(crate) mode: Mode,
    /// Why the body is not in interval mode although it might be.
    pub(crate) reason: Option<Reason>,
    pub(crate) intervals: Intervals,
    refit: Option<RefitTree>,
    /// Whether the refitted boxes are those of where the body is now.
    is_refitted: bool,
    pub(crate) replay: Option<Box<Replay>>,
    /// Counts the shapes of the tree, for as long as the body is discrete.
    shape: u64,
    /// Steps of the host per plan.
    rate: Rate,
    pub(crate) cost_model: CostModel,
    /// Whether the body has an interval and a refit, as the length of the host's steps is not
    /// known.
    has_both_modes: bool,
}

impl Discrete {
    /// A body's tree at a moment; the topology has width two. `step` is the length of the host's
    /// steps, seconds; 0 if unknown.
    pub(crate) fn new(
        topology: Topology,
        mesh: &Mesh,
        motion: &Motion,
        requested_engine: Engine,
        rate: Rate,
        now: Moment,
        step: f64,
    ) -> Self {
        let mut discrete = Self {
            mode: Mode::Refit,
            reason: None,
            intervals: Intervals::default(),
            refit: None,
            is_refitted: false,
            replay: None,
            shape: 0,
            rate,
            cost_model: CostModel::default(),
            has_both_modes: false,
        };
        discrete.build_tree(topology, mesh, motion, requested_engine, now, step);
        discrete
    }

    /// Builds another tree over what the body is made of now.
    pub(crate) fn build_tree(
        &mut self,
        topology: Topology,
        mesh: &Mesh,
        motion: &Motion,
        requested_engine: Engine,
        now: Moment,
        step: f64,
    ) {
        self.intervals.clear();
        (self.refit, self.replay) = (None, None);
        self.shape += 1;
        self.rate.longest = max_interval(&topology, motion, now);
        (self.mode, self.reason) = decide(requested_engine, motion, now, step, self.rate);
        self.has_both_modes = !(step > 0.0) && self.reason == Some(Reason::FewFrames);
        self.is_refitted = false;
        let wants_interval = self.mode == Mode::Interval || self.has_both_modes;
        if wants_interval && self.intervals.build(topology.clone(), motion, now) {
            self.mode = Mode::Interval;
            if !self.has_both_modes {
                return;
            }
        } else {
            self.mode = Mode::Refit;
        }
        self.refit = Some(refit_tree(topology, mesh, motion, now));
        self.is_refitted = true;
    }

    /// The shape of the tree.
    pub(crate) fn topology(&self) -> &Topology {
        match (self.intervals.last(), &self.refit) {
            (Some(boxes), _) => boxes.topology(),
            (None, Some(tree)) => tree.topology(),
            (None, None) => unreachable!("a discrete body has one of them"),
        }
    }

    /// The boxes of the interval, if they hold at a moment.
    pub(crate) fn boxes(&self, now: Moment) -> Option<&IntervalBoxes> {
        self.intervals.at(now)
    }

    /// The refitted boxes, if they hold now.
    pub(crate) fn refitted(&self) -> Option<&RefitTree> {
        self.refit.as_ref().filter(|_| self.is_refitted)
    }

    /// The number of the interval, and that of the tree's shape.
    pub(crate) fn version(&self) -> (u64, u64) {
        (self.intervals.revision(), self.shape)
    }

    /// The boxes just after a time until which the present ones are needed, with their version, if
    /// they are known.
    pub(crate) fn after(&self, time: f64) -> Option<(&IntervalBoxes, (u64, u64))> {
        self.intervals.after(time).map(|(boxes, revision)| (boxes, (revision, self.shape)))
    }

    /// The motion is another one than before from a moment on.
    pub(crate) fn forget_motion(&mut self, motion: &Motion, now: Moment) {
        self.intervals.forget();
        self.forget_refit();
        self.rate.break_off();
        self.rate.longest = max_interval(self.topology(), motion, now);
    }

    /// The clock jumps: forgets the boxes of intervals, and what refitted boxes know of the time.
    pub(crate) fn forget_time(&mut self) {
        self.intervals.forget();
        if let Some(tree) = &mut self.refit {
            tree.forget_motion();
        }
    }

    /// Forgets what refitted boxes and baked clips know of the motion.
    fn forget_refit(&mut self) {
        if let Some(tree) = &mut self.refit {
            tree.forget_motion();
        }
        self.replay = None;
    }

    /// The motion is another one than before from a time to come on, seconds, and the same until
    /// then.
    pub(crate) fn forget_from(&mut self, time: f64) {
        self.forget_refit();
        self.intervals.forget_from(time);
    }

    /// The body may be elsewhere than in the last step.
    pub(crate) fn forget_place(&mut self) {
        self.is_refitted = false;
        if let Some(replay) = &mut self.replay {
            replay.forget_place();
        }
    }

    /// Brings a body that may have moved to a step: chooses the mode, and brings its boxes up to
    /// date. `step` is the length of the host's steps, seconds; 0 if unknown.
    pub(crate) fn update(&mut self, mesh: &Mesh, motion: &Motion, requested_engine: Engine, now: Moment, step: f64) {
        self.rate.count();
        if self.boxes(now).is_none() {
            // Where a body was added its interval is that time alone.
            let had_interval = requested_engine == Engine::Auto && self.may_leave();
            self.cost_model.end_interval(had_interval);
            (self.mode, self.reason) = decide(requested_engine, motion, now, step, self.rate);
            if requested_engine == Engine::Auto && self.mode == Mode::Interval && self.cost_model.is_left_out() {
                (self.mode, self.reason) = (Mode::Refit, Some(Reason::Expensive));
            }
            self.settle_mode(step);
        }
        self.cost_model.count_step();
        if self.mode == Mode::Interval && self.update_interval(motion, now, step) {
            return;
        }
        if self.replay(motion, requested_engine, now) {
            self.mode = Mode::Baked;
        } else {
            self.mode = Mode::Refit;
            self.refit(mesh, motion, now);
        }
    }

    /// Brings the interval of a body to a moment, if the body is in interval mode, alone or with a
    /// partner; returns whether it is.
    pub(crate) fn update_for_pair(
        &mut self,
        motion: &Motion,
        requested_engine: Engine,
        now: Moment,
        step: f64,
    ) -> bool {
        if self.mode != Mode::Interval && !self.cost_model.is_left_out() {
            // A body that slept knows nothing of the length of the host's steps.
            let (mode, reason) = decide(requested_engine, motion, now, step, self.rate);
            self.reason = reason;
            if mode == Mode::Interval {
                self.mode = mode;
            }
        }
        self.mode == Mode::Interval && self.update_interval(motion, now, step)
    }

    /// Brings the boxes of the interval to a moment; returns whether they hold there.
    fn update_interval(&mut self, motion: &Motion, now: Moment, step: f64) -> bool {
        let Self { intervals, refit, rate, .. } = self;
        let until = || latest_end(now.time(), step, *rate);
        intervals.update(motion, now, until, || refit.as_ref().map(|tree| tree.topology().clone()))
    }

    /// Whether the body is in an interval of some length that it may leave for refits. A body
    /// tested against itself has no other mode that is cheap.
    pub(crate) fn may_leave(&self) -> bool {
        self.mode == Mode::Interval && !self.has_both_modes && !self.rate.is_self() && self.intervals.lasts()
    }

    /// Drops the boxes that are not needed once the length of the host's steps is known.
    fn settle_mode(&mut self, step: f64) {
        if !self.has_both_modes || !(step > 0.0) {
            return;
        }
        self.has_both_modes = false;
        if self.mode == Mode::Interval {
            self.drop_refit();
        } else {
            self.intervals.clear();
        }
    }

    /// Whether the body has an interval and a refit, as the length of the host's steps is not
    /// known.
    pub(crate) fn has_both_modes(&self) -> bool {
        self.has_both_modes
    }

    /// Whether the body is in interval mode, by all that is known.
    pub(crate) fn is_settled_in_interval(&self) -> bool {
        !self.has_both_modes && self.mode == Mode::Interval
    }

    /// Brings the baked clip to a moment, if the body has one, may use it, and the clip knows the
    /// moment.
    pub(crate) fn replay(&mut self, motion: &Motion, requested_engine: Engine, now: Moment) -> bool {
        may_replay(requested_engine) && self.replay.as_mut().is_some_and(|replay| replay.seek(motion, now))
    }

    /// Brings the refitted boxes up to date.
    pub(crate) fn refit(&mut self, mesh: &Mesh, motion: &Motion, now: Moment) {
        if self.is_refitted {
            return;
        }
        match &mut self.refit {
            Some(tree) => tree.follow(motion, now),
            None => self.refit = Some(refit_tree(self.topology().clone(), mesh, motion, now)),
        }
        self.is_refitted = true;
    }

    /// Drops the refitted boxes of a body in interval mode.
    pub(crate) fn drop_refit(&mut self) {
        (self.refit, self.is_refitted) = (None, false);
    }

    /// Begins the next interval; returns the work that is left for it.
    pub(crate) fn begin_next(&mut self, motion: &Motion, now: Moment, step: f64) -> usize {
        // Loops of velocities jump where they wrap, and are not prepared.
        let is_loop_of_velocities = motion.first_of_loop().is_some() && motion.key_times().is_empty();
        if self.mode != Mode::Interval || is_loop_of_velocities || !(step > 0.0) {
            return 0;
        }
        let rate = self.rate;
        self.intervals.begin_next(motion, now, |end| latest_end(end, step, rate))
    }

    /// What a step costs in interval mode, and by refits, of a body of `triangles` triangles, in
    /// pairs of nodes.
    pub(crate) fn costs_per_step(&self, triangles: usize, step: f64) -> [f64; 2] {
        let Some(length) = self.interval_length() else { return [0.0; 2] };
        self.cost_model.per_step(triangles, (length / step).max(1.0))
    }

    /// The length of the last interval, seconds; `None` without one.
    pub(crate) fn interval_length(&self) -> Option<f64> {
        self.intervals.last().map(|boxes| boxes.end() - boxes.begin())
    }

    /// Leaves interval mode because of its costs.
    pub(crate) fn leave_interval(&mut self, step: f64) {
        let Some(length) = self.interval_length() else { return };
        (self.mode, self.reason) = (Mode::Refit, Some(Reason::Expensive));
        self.cost_model.leave_out(length / step);
    }

    /// Whether the body left interval mode because of its costs.
    pub(crate) fn has_left_intervals(&self) -> bool {
        self.mode != Mode::Interval && self.cost_model.is_left_out()
    }

    /// Bytes of its parts, as [`crate::World::bytes_by_part`] names them.
    pub(crate) fn add_parts(&self, add: &mut dyn FnMut(&'static str, usize)) {
        self.intervals.add_parts(add);
        add("refitted trees", self.bytes() - self.intervals.bytes());
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.intervals.bytes()
            + self.refit.as_ref().map_or(0, RefitTree::bytes)
            + self.replay.as_ref().map_or(0, |replay| replay.bytes())
    }
}

/// The latest end of an interval that begins, or holds, at a time; seconds.
fn latest_end(from: f64, step: f64, rate: Rate) -> f64 {
    let most = if step > 0.0 { tuning::MAX_STEPS_PER_INTERVAL * step } else { f64::INFINITY };
    // A step at least, whatever the rounding.
    let least = step * (1.0 + 1.0 / 1024.0);
    let length = rate.longest.min(most);
    let end = if rate.longest < f64::INFINITY { common_end(from, length) } else { from + length };
    end.max(from + least)
}

fn refit_tree(topology: Topology, mesh: &Mesh, motion: &Motion, now: Moment) -> RefitTree {
    let mut positions = Vec::new();
    motion.positions(now, &mut positions);
    let mut tree = RefitTree::new(topology, mesh, &positions);
    let blur = motion.blur(now);
    if blur > 0.0 {
        tree.refit_within(&positions, blur);
    }
    tree
}
