//! Bodies that are not live: found at the times asked for, by windows or by refits.
//!
//! | way | what it keeps | what it costs |
//! |---|---|---|
//! | window | boxes at both ends of the linear stretch around now ([`IntervalBoxes`]) | a refit per key |
//! | refit | boxes now ([`RefitTree`]) | a refit per time asked for; of velocity fields one now and then |
//! | baked | the vertices that are outermost now (`Replay`) | the events since the time asked for before |
//!
//! A body may have both: a wall has a window for ever, and is refitted once for the sake of a partner that is looked at once per key. What
//! is there and up to date says who can be asked; the way says what is brought up to date when the clock moves.

use crate::bvh::{Hierarchy, Topology};
use crate::interval::{IntervalBoxes, IntervalError};
use crate::limits;
use crate::mesh::Mesh;
use crate::motion::{Motion, StretchKind};
use crate::refit::RefitTree;
use crate::time::Moment;
use crate::world::def::Engine;
use crate::world::tree::cost_model::CostModel;
use crate::world::tree::interval_length::{common_end, max_interval};
use crate::world::tree::mode::{Mode, Rate, Reason, decide};
use crate::world::tree::replay::{Replay, may_replay};

/// What a body has that is not live.
#[derive(Debug)]
pub(crate) struct Discrete {
    pub(crate) mode: Mode,
    pub(crate) boxes: Option<Box<IntervalBoxes>>,
    /// The window after this one, and which windows both are: by number.
    pub(crate) ahead: Option<Box<IntervalBoxes>>,
    pub(crate) ahead_of: Option<(u64, u64)>,
    pub(crate) refit: Option<RefitTree>,
    /// What a baked clip knows of the body.
    pub(crate) replay: Option<Box<Replay>>,
    /// Are the refitted boxes those of where the body is now?
    pub(crate) is_refitted: bool,
    /// Counts windows; the number of this one; and counts the shapes of the tree.
    pub(crate) windows: u64,
    pub(crate) revision: u64,
    pub(crate) shape: u64,
    /// How often the host looks.
    pub(crate) rate: Rate,
    /// What windows cost.
    pub(crate) cost_model: CostModel,
    /// Does it have a window and a refit until the host has gone on for the first time?
    pub(crate) has_both_modes: bool,
    /// Why it has no window although it may have one.
    pub(crate) reason: Option<Reason>,
    /// Windows entered, and those of them that were known before.
    pub(crate) entered: u64,
    pub(crate) foreseen: u64,
}

impl Discrete {
    /// A body's tree at a moment; a topology of width two.
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
            boxes: None,
            ahead: None,
            ahead_of: None,
            refit: None,
            replay: None,
            is_refitted: false,
            windows: 0,
            revision: 0,
            shape: 0,
            rate,
            cost_model: CostModel::default(),
            has_both_modes: false,
            reason: None,
            entered: 0,
            foreseen: 0,
        };
        discrete.build_tree(topology, mesh, motion, requested_engine, now, step);
        discrete
    }

    /// Another tree over what the body is made of now.
    pub(crate) fn build_tree(
        &mut self,
        topology: Topology,
        mesh: &Mesh,
        motion: &Motion,
        requested_engine: Engine,
        now: Moment,
        step: f64,
    ) {
        (self.boxes, self.ahead, self.refit, self.replay) = (None, None, None, None);
        self.begin_window();
        self.shape += 1;
        self.rate.longest = max_interval(&topology, motion, now);
        (self.mode, self.reason) = decide(requested_engine, motion, now, step, self.rate);
        self.has_both_modes = !(step > 0.0) && self.reason == Some(Reason::FewFrames);
        self.is_refitted = false;
        if (self.mode == Mode::Interval || self.has_both_modes)
            && let Ok(boxes) = IntervalBoxes::over(topology.clone(), motion, now.time())
        {
            self.boxes = Some(Box::new(boxes));
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

    /// The shape of its tree.
    pub(crate) fn topology(&self) -> &Topology {
        match (&self.boxes, &self.refit) {
            (Some(boxes), _) => boxes.topology(),
            (None, Some(tree)) => tree.topology(),
            (None, None) => unreachable!("a discrete body has one of them"),
        }
    }

    /// The boxes of its window, if they hold at a moment.
    pub(crate) fn boxes(&self, now: Moment) -> Option<&IntervalBoxes> {
        self.boxes.as_deref().filter(|boxes| covers(boxes, now.time()))
    }

    /// The boxes of its last window, whether they hold or not.
    pub(crate) fn window(&self) -> Option<&IntervalBoxes> {
        self.boxes.as_deref()
    }

    /// The refitted boxes, if they hold now.
    pub(crate) fn refitted(&self) -> Option<&RefitTree> {
        self.refit.as_ref().filter(|_| self.is_refitted)
    }

    /// Changes whenever the boxes are of another interval; the second number whenever the tree has another shape.
    pub(crate) fn version(&self) -> (u64, u64) {
        (self.revision, self.shape)
    }

    /// The motion is another one than before from a moment on.
    pub(crate) fn forget_motion(&mut self, motion: &Motion, now: Moment) {
        if let Some(boxes) = &mut self.boxes {
            boxes.forget();
        }
        self.forget_refit();
        self.begin_window();
        self.rate.break_off();
        self.rate.longest = max_interval(self.topology(), motion, now);
    }

    /// What refitted boxes and baked clips know of the motion.
    fn forget_refit(&mut self) {
        if let Some(tree) = &mut self.refit {
            tree.forget_motion();
        }
        self.replay = None;
    }

    /// The motion is another one than before from a time to come on, seconds, and the same until then.
    pub(crate) fn forget_from(&mut self, time: f64) {
        self.forget_refit();
        let Some(boxes) = &mut self.boxes else { return };
        if boxes.end() > time {
            boxes.forget();
            self.begin_window();
        } else if self.ahead.as_ref().is_some_and(|ahead| ahead.end() > time) {
            self.ahead_of = None;
        }
    }

    /// Up to when windows were found, seconds; −∞ for none.
    pub(crate) fn known_until(&self) -> f64 {
        let ahead = self.ahead.as_deref().filter(|_| self.ahead_of.is_some());
        [self.boxes.as_deref(), ahead].into_iter().flatten().map(IntervalBoxes::end).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The host looks at a body that may have moved: chooses the way, and brings what belongs to it up to date. `step` is
    /// how far the host goes at a time, seconds; 0 if that is not known.
    pub(crate) fn look(&mut self, mesh: &Mesh, motion: &Motion, requested_engine: Engine, now: Moment, step: f64) {
        self.rate.count();
        if self.boxes(now).is_none() {
            // Where a body was added its window is that time alone.
            let had_interval = requested_engine == Engine::Auto && self.may_leave();
            self.cost_model.end_interval(had_interval);
            (self.mode, self.reason) = decide(requested_engine, motion, now, step, self.rate);
            if requested_engine == Engine::Auto && self.mode == Mode::Interval && self.cost_model.is_left_out() {
                (self.mode, self.reason) = (Mode::Refit, Some(Reason::Expensive));
            }
            self.settle_way(step);
        }
        self.cost_model.count_look();
        if self.mode == Mode::Interval && self.follow(motion, now, step) {
            return;
        }
        if self.replay(motion, requested_engine, now) {
            self.mode = Mode::Baked;
        } else {
            self.mode = Mode::Refit;
            self.refit(mesh, motion, now);
        }
    }

    /// Does it go by a window of some length that it may leave for refits? What is tested against itself has no other way that is cheap.
    pub(crate) fn may_leave(&self) -> bool {
        let lasts = self.boxes.as_ref().is_some_and(|boxes| boxes.begin() < boxes.end() && boxes.end() < f64::INFINITY);
        self.mode == Mode::Interval && !self.has_both_modes && !self.rate.is_alone() && lasts
    }

    /// Gives up what is not needed once it is known how the host goes on.
    fn settle_way(&mut self, step: f64) {
        if !self.has_both_modes || !(step > 0.0) {
            return;
        }
        self.has_both_modes = false;
        if self.mode == Mode::Interval {
            (self.refit, self.is_refitted) = (None, false);
        } else {
            (self.boxes, self.ahead) = (None, None);
            self.begin_window();
        }
    }

    /// Until when a window may last that begins, or holds, at a time; seconds.
    pub(crate) fn reach(&self, from: f64, step: f64) -> f64 {
        let most = if step > 0.0 { limits::WINDOW_FRAMES * step } else { f64::INFINITY };
        // A look at least, whatever the rounding.
        let least = step * (1.0 + 1.0 / 1024.0);
        let length = self.rate.longest.min(most);
        let end = if self.rate.longest < f64::INFINITY { common_end(from, length) } else { from + length };
        end.max(from + least)
    }

    /// Brings the baked tree to a moment, if there is one for a body that wishes for an engine, and its clip knows the moment.
    pub(crate) fn replay(&mut self, motion: &Motion, requested_engine: Engine, now: Moment) -> bool {
        may_replay(requested_engine) && self.replay.as_mut().is_some_and(|replay| replay.seek(motion, now))
    }

    /// Brings the boxes of the window up to date; says whether they are.
    pub(crate) fn follow(&mut self, motion: &Motion, now: Moment, step: f64) -> bool {
        if self.boxes(now).is_some() {
            return true;
        }
        if self.boxes.is_none() {
            // Where the stretch begins half of the work for its window is done.
            let stretch = motion.stretch(now).filter(|stretch| stretch.kind == StretchKind::Keys);
            let begin = stretch.map_or(now.time(), |stretch| stretch.begin);
            if let Ok(boxes) = IntervalBoxes::over(self.topology().clone(), motion, begin) {
                self.boxes = Some(Box::new(boxes));
            }
        }
        self.entered += 1;
        if let (Some((of, number)), Some(ahead)) = (self.ahead_of, &mut self.ahead)
            && of == self.revision
            && covers(ahead, now.time())
        {
            self.foreseen += u64::from(ahead.is_prepared());
            ahead.prepare(motion, &mut usize::MAX.clone());
            std::mem::swap(&mut self.boxes, &mut self.ahead);
            (self.revision, self.ahead_of) = (number, None);
            return true;
        }
        self.begin_window();
        let until = self.reach(now.time(), step);
        let Some(boxes) = &mut self.boxes else { return false };
        follow(boxes, motion, now, until).is_ok() && self.boxes(now).is_some()
    }

    fn begin_window(&mut self) {
        self.windows += 1;
        (self.revision, self.ahead_of) = (self.windows, None);
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

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let ahead = match (&self.boxes, &self.ahead) {
            (Some(boxes), Some(ahead)) => ahead.bytes_beside(boxes),
            (None, Some(ahead)) => ahead.bytes(),
            (_, None) => 0,
        };
        self.boxes.as_ref().map_or(0, |boxes| boxes.bytes())
            + ahead
            + self.refit.as_ref().map_or(0, RefitTree::bytes)
            + self.replay.as_ref().map_or(0, |replay| replay.bytes())
    }
}

// The interval after the present one: begun early, and prepared a little in every step.
impl Discrete {
    /// Begins the window after this one, unless that was done or there is none; says what is left to be done for it. Loops are left
    /// out: where they wrap, bodies may jump.
    pub(crate) fn begin_next(&mut self, motion: &Motion, now: Moment, step: f64) -> usize {
        if self.mode != Mode::Interval || motion.first_of_loop().is_some() || !(step > 0.0) {
            return 0;
        }
        if let (Some(_), Some(ahead)) = (self.ahead_of, &self.ahead) {
            return ahead.work_left();
        }
        let Some(boxes) = self.boxes.as_deref().filter(|boxes| covers(boxes, now.time())) else { return 0 };
        let end = boxes.end();
        if !(boxes.begin() < end && end < limits::MAX_TIME) {
            return 0;
        }
        let until = self.reach(end, step);
        let mut ahead = self.ahead.take().unwrap_or_else(|| Box::new(boxes.clone()));
        let is_known = ahead.begin_after(boxes, motion, until).is_ok();
        self.windows += 1;
        self.ahead_of = is_known.then_some((self.revision, self.windows));
        let left = if is_known { ahead.work_left() } else { 0 };
        self.ahead = Some(ahead);
        left
    }

    /// Does some of what is left to be done for the window after this one, and takes it off the budget.
    pub(crate) fn prefetch(&mut self, motion: &Motion, budget: &mut usize) {
        if let (Some(_), Some(ahead)) = (self.ahead_of, &mut self.ahead) {
            ahead.prepare(motion, budget);
        }
    }

    /// Is the window to come being made?
    pub(crate) fn is_waited_for(&self) -> bool {
        self.ahead_of.is_some() && self.ahead.as_deref().is_some_and(|ahead| !ahead.is_prepared())
    }

    /// The boxes just after a time until which the present ones are needed, with their version, if they are known.
    pub(crate) fn after(&self, time: f64) -> Option<(&IntervalBoxes, (u64, u64))> {
        let holds = |boxes: &&IntervalBoxes| boxes.begin() <= time && time < boxes.end() && boxes.is_prepared();
        if let Some(boxes) = self.boxes.as_deref().filter(holds) {
            return Some((boxes, self.version()));
        }
        let (_, number) = self.ahead_of?;
        Some((self.ahead.as_deref().filter(holds)?, (number, self.shape)))
    }
}

fn refit_tree(topology: Topology, mesh: &Mesh, motion: &Motion, now: Moment) -> RefitTree {
    let mut positions = Vec::new();
    motion.positions(now, &mut positions);
    RefitTree::new(topology, mesh, &positions)
}

/// Do boxes hold *at* a time? At the begin of an interval those of the interval before do: the body may jump there.
pub(crate) fn covers(boxes: &IntervalBoxes, time: f64) -> bool {
    (boxes.begin() < time && time <= boxes.end()) || (boxes.begin() == time && boxes.end() == time)
}

/// The boxes of a window that holds a moment and lasts until a time at most, seconds.
fn follow(boxes: &mut IntervalBoxes, motion: &Motion, now: Moment, until: f64) -> Result<bool, IntervalError> {
    if let Some(stretch) = motion.stretch(now)
        && matches!(stretch.kind, StretchKind::Hold | StretchKind::LinesHeld { .. })
    {
        // As long as it rests, and from before now on: a partner's interval need not be cut for its sake.
        let begin = stretch.begin.max(now.time() - limits::REST_BEFORE).max(-limits::MAX_TIME);
        if begin < now.time() {
            return boxes.follow(motion, Moment::after(begin), f64::INFINITY);
        }
    }
    // Where the stretch around now begins at the end of the last interval, half of the work is done. In later rounds of a loop keys may
    // fall together, and vertices jump.
    let next = motion.stretch(now).filter(|stretch| stretch.begin <= boxes.end() && boxes.end() < now.time());
    let is_known = |begin: f64| boxes.begin() < boxes.end() || begin == boxes.end();
    let is_next = motion.first_of_loop().is_none() && next.is_some_and(|stretch| is_known(stretch.begin));
    let from = if is_next { Moment::after(boxes.end()) } else { now };
    boxes.follow(motion, from, until)?;
    if covers(boxes, now.time()) {
        return Ok(true);
    }
    boxes.follow(motion, now, until)
}
