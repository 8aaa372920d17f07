//! The window after the present one of a swept body: begun early, and made a little in every advance.

use crate::interval::IntervalBoxes;
use crate::limits;
use crate::motion::Motion;
use crate::time::Moment;
use crate::world::tree::discrete::{Discrete, covers};
use crate::world::tree::mode::Mode;

impl Discrete {
    /// Begins the window after this one, unless that was done or there is none; says what is left to be done for it. Loops are left
    /// out: where they wrap, bodies may jump.
    pub(crate) fn prefetch_step(&mut self, motion: &Motion, now: Moment, step: f64) -> usize {
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
