//! Preparation of the intervals of a window, at once or incrementally per frame.

use super::ClipTree;
use super::envelope::{Envelopes, Mark, Step};
use super::interval::{Interval, Stage};
use crate::interval::Prepared;
use crate::interval::layout::{LANES, Layout};
use crate::interval::sweep::{Change, Part, Sweep};
use crate::interval::track::{Ends, KeyEnds, LineEnds, Shape, Track, with_ends};

/// Buffers for sweeps and for the tracing of envelopes, reused for every interval.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    /// Extreme values of every place at the swept key.
    values: Vec<[f32; LANES]>,
    /// Extreme values as `f64`, for velocities; empty otherwise.
    wide_values: Vec<[f64; LANES]>,
    /// Per place, its changes in the traced interval.
    marks: Vec<Mark>,
    steps: Vec<Step>,
    starts: Vec<u32>,
}

impl Scratch {
    pub(super) fn new(places: usize) -> Self {
        Self {
            values: vec![[0.0; LANES]; places],
            wide_values: Vec::new(),
            marks: vec![Mark::default(); places],
            steps: Vec::new(),
            starts: Vec::new(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<[f32; LANES]>()
            + self.wide_values.capacity() * size_of::<[f64; LANES]>()
            + self.marks.capacity() * size_of::<Mark>()
            + self.starts.capacity() * size_of::<u32>()
            + self.steps.capacity() * size_of::<Step>()
    }
}

/// Room for the values of all places in the number type of a sweep.
trait ValuesFor<E: Ends> {
    fn values(&mut self, places: usize) -> &mut [[E::Number; LANES]];
}

impl ValuesFor<KeyEnds<'_>> for Scratch {
    fn values(&mut self, _places: usize) -> &mut [[f32; LANES]] {
        &mut self.values
    }
}

impl ValuesFor<LineEnds<'_>> for Scratch {
    fn values(&mut self, places: usize) -> &mut [[f64; LANES]] {
        self.wide_values.resize(places, [0.0; LANES]);
        &mut self.wide_values
    }
}

fn sweep<E: Ends>(
    part: Part,
    layout: &Layout,
    ends: &E,
    scratch: &mut impl ValuesFor<E>,
    winners: &mut [[u32; LANES]],
    changes: &mut Vec<Change>,
    all: bool,
) {
    let values = scratch.values(layout.place_count());
    Sweep { layout, ends, values, winners, changes, all }.run(part);
}

/// Budget of a leaf, in slots; a traced change counts [`CHANGE_COST`], an inner node one.
const LEAF_COST: usize = 4;
const CHANGE_COST: usize = 8;

impl ClipTree {
    /// Finds all winners at the end of a track, which is the begin of the window.
    pub(super) fn find_first_winners(&mut self, track: &Track) {
        let (leaves, inner) = (self.layout.leaf_count(), self.layout.inner_count());
        for part in [Part::Leaves(0..leaves), Part::Inner(0..inner)] {
            let (scratch, head) = (&mut self.scratch, &mut self.head);
            with_ends!(track, ends => sweep(part, &self.layout, ends, scratch, head, &mut Vec::new(), true));
        }
        self.winners.clone_from(&self.head);
    }

    /// Does part of the preparation of pushed intervals. A `budget` of 1 is worth about 5 ns; the
    /// work done may exceed it by one node. Only the last step, sorting an interval's events (about
    /// 3 ns each), is not divided.
    ///
    /// Results do not depend on the division: an interval that is not prepared when it is needed is
    /// prepared then.
    pub fn prepare(&mut self, budget: usize) -> Prepared {
        let mut left = budget;
        let Some(last) = self.intervals.len().checked_sub(1) else { return Prepared::All };
        self.sweep_some(last, &mut left);
        if self.intervals[last].stage.is_swept() {
            self.trace_some(last, &mut left);
        }
        if self.intervals[last].stage == Stage::Ready { Prepared::All } else { Prepared::Partly }
    }

    /// Finds the winners at the window's end, if they are unknown: the first half of
    /// [`ClipTree::prepare`].
    pub fn sweep(&mut self) {
        if let Some(last) = self.intervals.len().checked_sub(1) {
            self.sweep_all(last);
        }
    }

    /// Prepares the last interval for another one to follow it.
    pub(super) fn settle_last(&mut self) {
        let Some(last) = self.intervals.len().checked_sub(1) else { return };
        self.sweep_all(last);
        // A past interval can be traced when the tree is at one of its ends again. For an interval
        // ahead, the winners needed for that would be lost.
        if self.now < self.intervals[last].track.end {
            self.trace_all(last);
        } else if let Stage::Traced(done) = &mut self.intervals[last].stage {
            *done = 0;
        }
    }

    /// Finds the winners at the end of an interval. Only the last interval may need a sweep.
    pub(super) fn sweep_all(&mut self, index: usize) {
        let mut budget = usize::MAX;
        self.sweep_some(index, &mut budget);
    }

    fn sweep_some(&mut self, index: usize, left: &mut usize) {
        let layout = &*self.layout;
        let Interval { track, stage, changes, .. } = &mut self.intervals[index];
        while !stage.is_swept() && *left > 0 {
            let (part, next) = match *stage {
                Stage::Leaves(from) => {
                    let count = (layout.leaf_count() - from).min(left.div_ceil(LEAF_COST));
                    *left = left.saturating_sub(LEAF_COST * count);
                    let next = if from + count == layout.leaf_count() {
                        Stage::Inner(layout.inner_count())
                    } else {
                        Stage::Leaves(from + count)
                    };
                    (Part::Leaves(from..from + count), next)
                }
                Stage::Inner(from) => {
                    let count = from.min(*left);
                    *left -= count;
                    let next = if from == count { Stage::Traced(0) } else { Stage::Inner(from - count) };
                    (Part::Inner(from - count..from), next)
                }
                Stage::Traced(_) | Stage::Ready => return,
            };
            let (scratch, head) = (&mut self.scratch, &mut self.head);
            with_ends!(&*track, ends => sweep(part, layout, ends, scratch, head, changes, false));
            *stage = next;
        }
    }

    /// Finds the events of an interval. It must be the last one, or the tree must be at one of its
    /// ends.
    pub(super) fn trace_all(&mut self, index: usize) {
        let (mut budget, last) = (usize::MAX, self.intervals.len() - 1);
        if index != last && matches!(self.intervals[last].stage, Stage::Traced(done) if done > 0) {
            // Both would write to the same scratch memory.
            self.trace_some(last, &mut budget);
        }
        self.trace_some(index, &mut budget);
    }

    fn trace_some(&mut self, index: usize, left: &mut usize) {
        let is_last = index + 1 == self.intervals.len();
        let interval = &mut self.intervals[index];
        let Stage::Traced(done) = interval.stage else { return };
        if interval.is_jump() {
            return;
        }
        let Scratch { marks, steps, starts, .. } = &mut self.scratch;
        if done == 0 {
            steps.clear();
            starts.clear();
            starts.push(0);
            Mark::all(&interval.changes, marks);
        }
        let count = (interval.changes.len() - done).min(left.div_ceil(CHANGE_COST));
        *left = left.saturating_sub(CHANGE_COST * count);
        let track = &interval.track;
        with_ends!(track, ends => {
            let winners = if is_last { &self.head } else { &self.winners };
            let changes = &interval.changes;
            let (begin, end) = (track.begin, track.end);
            let envelopes = Envelopes { layout: &self.layout, ends, begin, end, changes, winners, marks };
            for change in done..done + count {
                envelopes.trace(change, steps, starts);
            }
        });
        interval.stage = Stage::Traced(done + count);
        if done + count == interval.changes.len() {
            interval.fill_buckets(steps);
        }
    }
}
