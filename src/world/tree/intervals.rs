//! The boxes of a discrete body in interval mode: of the keyframe interval around now, and of the
//! next one.
//!
//! ```text
//!   key k                       key k+1                      key k+2
//!     ├──────── present ───────────┼────────── next ────────────┤
//!     ▲ boxes at both ends,        ▲ begun early, prepared a little in every step,
//!     │ interpolated in between    │ and exchanged for the present one when the clock passes the key
//! ```

use crate::bvh::Topology;
use crate::interval::{IntervalBoxes, IntervalError};
use crate::limits;
use crate::motion::{Motion, StretchKind};
use crate::time::Moment;
use crate::tuning;

/// The present interval, and the next one.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Intervals {
    boxes: Option<Box<IntervalBoxes>>,
    next: Option<Box<IntervalBoxes>>,
    /// The numbers of the present interval and of the next one, if the next one has begun.
    next_of: Option<(u64, u64)>,
    /// Intervals so far, and the number of the present one.
    count: u64,
    revision: u64,
    /// Intervals entered, and those of them that were prepared before.
    pub(crate) entered: u64,
    pub(crate) prefetched: u64,
}

impl Intervals {
    /// Makes boxes at a moment alone; returns whether that was possible.
    pub(crate) fn build(&mut self, topology: Topology, motion: &Motion, now: Moment) -> bool {
        if let Ok(boxes) = IntervalBoxes::over(topology, motion, now.time()) {
            self.boxes = Some(Box::new(boxes));
        }
        self.boxes.is_some()
    }

    /// Drops all boxes.
    pub(crate) fn clear(&mut self) {
        (self.boxes, self.next) = (None, None);
        self.begin();
    }

    /// Begins another interval.
    fn begin(&mut self) {
        self.count += 1;
        (self.revision, self.next_of) = (self.count, None);
    }

    /// The boxes at a moment, if they hold there.
    pub(crate) fn at(&self, now: Moment) -> Option<&IntervalBoxes> {
        self.boxes.as_deref().filter(|boxes| covers(boxes, now.time()))
    }

    /// The boxes of the last interval, whether they hold or not.
    pub(crate) fn last(&self) -> Option<&IntervalBoxes> {
        self.boxes.as_deref()
    }

    /// The number of the present interval.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether the present interval has a length and an end.
    pub(crate) fn lasts(&self) -> bool {
        self.boxes.as_ref().is_some_and(|boxes| boxes.begin() < boxes.end() && boxes.end() < f64::INFINITY)
    }

    /// The motion is another one than before from now on.
    pub(crate) fn forget(&mut self) {
        if let Some(boxes) = &mut self.boxes {
            boxes.forget();
        }
        self.begin();
    }

    /// The motion is another one than before from a time to come on, seconds, and the same from now
    /// until then. Where now is the end of the present boxes, the motion may not have what was
    /// before: candidates that are found then are right at their end, and are asked about there
    /// alone.
    pub(crate) fn forget_from(&mut self, time: f64) {
        let Some(boxes) = &mut self.boxes else { return };
        if boxes.end() > time {
            boxes.forget();
            self.begin();
        } else if self.next.as_ref().is_some_and(|next| next.end() > time) {
            self.next_of = None;
        }
    }

    /// The time up to which intervals were found, seconds; −∞ for none.
    pub(crate) fn known_until(&self) -> f64 {
        let next = self.next.as_deref().filter(|_| self.next_of.is_some());
        [self.boxes.as_deref(), next].into_iter().flatten().map(IntervalBoxes::end).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Brings the boxes to a moment; returns whether they hold there. `until` gives the latest end
    /// of a new interval, seconds, and `topology` the shape of the tree where there are no boxes
    /// yet.
    pub(crate) fn update(
        &mut self,
        motion: &Motion,
        now: Moment,
        until: impl FnOnce() -> f64,
        topology: impl FnOnce() -> Option<Topology>,
    ) -> bool {
        if self.at(now).is_some() {
            return true;
        }
        if self.boxes.is_none() {
            // Where the stretch begins half of the work for its interval is done.
            let stretch = motion.stretch(now).filter(|stretch| stretch.kind == StretchKind::Keys);
            let begin = stretch.map_or(now.time(), |stretch| stretch.begin);
            let boxes = topology().and_then(|topology| IntervalBoxes::over(topology, motion, begin).ok());
            self.boxes = boxes.map(Box::new);
        }
        self.entered += 1;
        if self.enter_next(motion, now) {
            return true;
        }
        self.begin();
        let Some(boxes) = &mut self.boxes else { return false };
        refill(boxes, motion, now, until()).is_ok() && self.at(now).is_some()
    }

    /// Exchanges the next interval for the present one, if it holds at a moment; returns whether it
    /// does.
    fn enter_next(&mut self, motion: &Motion, now: Moment) -> bool {
        let (Some((of, number)), Some(next)) = (self.next_of, &mut self.next) else { return false };
        if of != self.revision || !covers(next, now.time()) {
            return false;
        }
        self.prefetched += u64::from(next.is_prepared());
        next.prepare(motion, &mut usize::MAX.clone());
        std::mem::swap(&mut self.boxes, &mut self.next);
        (self.revision, self.next_of) = (number, None);
        true
    }

    /// Begins the next interval, unless that was done or there is none; returns the work that is
    /// left for it. `until` gives the latest end of an interval that begins at a time, seconds.
    pub(crate) fn begin_next(&mut self, motion: &Motion, now: Moment, until: impl FnOnce(f64) -> f64) -> usize {
        if let (Some(_), Some(next)) = (self.next_of, &self.next) {
            return next.work_left(motion);
        }
        let Some(boxes) = self.boxes.as_deref_mut().filter(|boxes| covers(boxes, now.time())) else { return 0 };
        let end = boxes.end();
        if !(boxes.begin() < end && end < limits::MAX_TIME) {
            return 0;
        }
        let mut next = self.next.take().unwrap_or_else(|| Box::new(boxes.clone()));
        let is_known = next.begin_after(boxes, motion, until(end)).is_ok();
        self.count += 1;
        self.next_of = is_known.then_some((self.revision, self.count));
        let left = if is_known { next.work_left(motion) } else { 0 };
        self.next = Some(next);
        left
    }

    /// Does some of the work left for the next interval, and takes it off the budget.
    pub(crate) fn prefetch(&mut self, motion: &Motion, budget: &mut usize) {
        if let (Some(_), Some(next)) = (self.next_of, &mut self.next) {
            next.prepare(motion, budget);
        }
    }

    /// Whether the next interval has begun and is not finished.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.next_of.is_some() && self.next.as_deref().is_some_and(|next| !next.is_prepared())
    }

    /// The boxes just after a time until which the present ones are needed, with the number of
    /// their interval, if they are known.
    pub(crate) fn after(&self, time: f64) -> Option<(&IntervalBoxes, u64)> {
        let holds = |boxes: &&IntervalBoxes| boxes.begin() <= time && time < boxes.end() && boxes.is_prepared();
        if let Some(boxes) = self.boxes.as_deref().filter(holds) {
            return Some((boxes, self.revision));
        }
        let (_, number) = self.next_of?;
        Some((self.next.as_deref().filter(holds)?, number))
    }

    /// Bytes of its parts, as [`crate::World::bytes_by_part`] names them.
    pub(super) fn add_parts(&self, add: &mut dyn FnMut(&'static str, usize)) {
        match (&self.boxes, &self.next) {
            (Some(boxes), next) => boxes.add_parts(next.as_deref(), add),
            (None, next) => next.iter().for_each(|next| next.add_parts(None, add)),
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let next = match (&self.boxes, &self.next) {
            (Some(boxes), Some(next)) => next.bytes_beside(boxes),
            (None, Some(next)) => next.bytes(),
            (_, None) => 0,
        };
        self.boxes.as_ref().map_or(0, |boxes| boxes.bytes()) + next
    }
}

/// Whether boxes hold *at* a time. At the begin of an interval those of the interval before do: the
/// body may jump there.
fn covers(boxes: &IntervalBoxes, time: f64) -> bool {
    (boxes.begin() < time && time <= boxes.end()) || (boxes.begin() == time && boxes.end() == time)
}

/// Makes the boxes of an interval that holds a moment and lasts until a time at most, seconds.
fn refill(boxes: &mut IntervalBoxes, motion: &Motion, now: Moment, until: f64) -> Result<bool, IntervalError> {
    if let Some(stretch) = motion.stretch(now)
        && matches!(stretch.kind, StretchKind::Hold | StretchKind::LinesHeld { .. })
    {
        // As long as the body rests, and from before now on, so that a partner's interval need not
        // be cut for its sake.
        let begin = stretch.begin.max(now.time() - tuning::MAX_REST_BEFORE_STEP).max(-limits::MAX_TIME);
        if begin < now.time() {
            return boxes.follow(motion, Moment::after(begin), f64::INFINITY);
        }
    }
    // Where the stretch around now begins at the end of the last interval, half of the work is
    // done. In later rounds of a loop keys may fall together, and vertices jump.
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
