//! The boxes of the next interval, made in small parts. The budget counts work, so the result does
//! not depend on how the work is divided.

use super::leaves::place_leaves;
use super::{End, IntervalBoxes, another, read_kept, writable};
use crate::interval::sweep::unite;
use crate::interval::{IntervalError, Prepared};
use crate::limits;
use crate::motion::{Motion, StretchKind};
use crate::time::Moment;
use crate::tuning;
use std::sync::Arc;

/// How far the boxes of the end are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Stage {
    /// Points before this one are placed.
    Points(usize),
    /// Leaves before this one have their boxes.
    Leaves(usize),
    /// Inner places from this one on have theirs.
    Inner(usize),
    Done,
}

impl IntervalBoxes {
    /// Begins the interval after that of other boxes over the same tree, at most until a time. The
    /// boxes hold nowhere until [`IntervalBoxes::prepare`] is done. O(1) where vertices move by
    /// keys or go on without a jump; of a loop O(vertices + nodes) where it takes memory for its
    /// wraps, once. Takes the memory that the others have to spare.
    ///
    /// # Errors
    /// As [`IntervalBoxes::follow`].
    pub(crate) fn begin_after(&mut self, other: &mut Self, motion: &Motion, until: f64) -> Result<(), IntervalError> {
        let at = Moment::after(other.end);
        let stretch = motion.stretch(at).ok_or(IntervalError::NotLinear)?;
        let is_loop = motion.first_of_loop().is_some();
        let jumps =
            stretch.begin == other.end && (stretch.after_jump || (is_loop && !motion.meets_next_key(other.end)));
        let has_keys = stretch.kind == StretchKind::Keys;
        if stretch.begin > other.end || (is_loop && !has_keys) {
            self.start_from(other);
            self.follow(motion, at, until)?;
            return Ok(());
        }
        let end = stretch.end.min(if until > other.end { until } else { stretch.end });
        // Clones of a world share theirs, which neither can use.
        let is_own = |spare: &Arc<End>| Arc::strong_count(spare) == 1;
        self.spare = [self.spare.take(), other.spare.take()].into_iter().flatten().find(is_own);
        if jumps {
            // Both ends are made, one after the other, the first in what lies farthest back, which
            // no other boxes share any more.
            std::mem::swap(&mut self.before, &mut self.after);
            (self.begin, self.end) = (other.end, end);
            (self.coordinate, self.rests, self.places_begin) = (other.coordinate, false, true);
            self.begin_place(motion, at);
            return Ok(());
        }
        self.places_begin = false;
        // Written next is what lies farthest back, which no other boxes share any more.
        let last = std::mem::replace(&mut self.before, Arc::clone(&other.after));
        self.vertices = Arc::clone(&other.vertices);
        let more = std::mem::replace(&mut self.after, last);
        if is_loop && self.spare.is_none() {
            let mut spare = if Arc::strong_count(&more) == 1 { more } else { Arc::default() };
            Arc::make_mut(&mut spare).resize([self.layout.place_count(), self.vertices.len()]);
            self.spare = Some(spare);
        }
        (self.begin, self.end) = (other.end, end);
        (self.coordinate, self.blur[0]) = (other.coordinate, other.blur[1]);
        self.generation = another();
        self.rests = matches!(stretch.kind, StretchKind::Hold | StretchKind::LinesHeld { .. });
        if self.rests {
            self.after = Arc::clone(&self.before);
            self.blur[1] = self.blur[0];
            self.stage = Stage::Done;
        } else {
            self.begin_place(motion, Moment::at(end));
        }
        Ok(())
    }

    /// Does some of what [`IntervalBoxes::begin_after`] began; a `budget` of 1 is about 15 ns, see
    /// [`IntervalBoxes::work_left`]. Takes what it did off the budget. The motion must be the same
    /// up to the end of the interval.
    pub(crate) fn prepare(&mut self, motion: &Motion, budget: &mut usize) -> Prepared {
        if self.places_begin {
            if self.place_some(motion, Moment::after(self.begin), budget) == Prepared::Partly {
                return Prepared::Partly;
            }
            self.places_begin = false;
            std::mem::swap(&mut self.before, &mut self.after);
            self.blur[0] = self.blur[1];
            self.begin_place(motion, Moment::at(self.end));
        }
        self.place_some(motion, Moment::at(self.end), budget)
    }

    /// Whether all boxes are made.
    pub(crate) fn is_prepared(&self) -> bool {
        self.stage == Stage::Done && !self.places_begin
    }

    /// The work that remains, in pairs of nodes.
    pub(crate) fn work_left(&self, motion: &Motion) -> usize {
        let (leaves, inner) = (self.layout.leaf_count(), self.layout.inner_count());
        let of_inner = |count: usize| count.div_ceil(tuning::BOXES_PER_NODE_PAIR);
        let kept = self.vertices.len();
        let of_points = |from: usize| cost_of(kept - from, points_for_two(motion, kept));
        let read = if kept == 0 { self.layout.topology.leaf_point_count() } else { 0 };
        let of_leaves = |from: usize| {
            let left = leaves - from;
            cost_of(left, LEAVES_FOR_TWO) + cost_of((read as f64 * left as f64 / leaves as f64) as usize, READ_FOR_TWO)
        };
        let of_stage = match self.stage {
            Stage::Points(from) => of_points(from) + of_leaves(0) + of_inner(inner),
            Stage::Leaves(from) => of_leaves(from) + of_inner(inner),
            Stage::Inner(from) => of_inner(from),
            Stage::Done => 0,
        };
        // Those of the end follow.
        of_stage + if self.places_begin { of_points(0) + of_leaves(0) + of_inner(inner) } else { 0 }
    }

    /// Begins to make the boxes of the end those of a moment.
    pub(super) fn begin_place(&mut self, motion: &Motion, at: Moment) {
        self.begin_end(!motion.is_read_cheaply(), at);
        self.blur[1] = 0.0;
        // What a motion evaluates may be rounded at a larger size than that of its outcome.
        self.coordinate = self.coordinate.max(motion.slack(at) / limits::ROUNDING);
        self.stage = if self.vertices.is_empty() { Stage::Leaves(0) } else { Stage::Points(0) };
    }

    /// Makes room for the boxes of another end, and for its points where they are kept.
    pub(super) fn begin_end(&mut self, keeps_points: bool, at: Moment) {
        self.generation = another();
        if self.vertices.is_empty() == keeps_points {
            self.vertices = if keeps_points { self.layout.used_vertices().into() } else { Arc::default() };
        }
        let counts = [self.layout.place_count(), self.vertices.len()];
        writable(&mut self.after, &mut self.spare, counts).at = at;
    }

    /// Goes on with it.
    pub(super) fn place_some(&mut self, motion: &Motion, at: Moment, budget: &mut usize) -> Prepared {
        if self.stage == Stage::Done {
            return Prepared::All;
        }
        let Self { layout, vertices, after, coordinate, blur: [_, blur], stage, .. } = self;
        let End { boxes, points, .. } = Arc::make_mut(after);
        // At keys, and where vertices rest at one, positions are those `f32` numbers.
        let is_exact = motion.is_at_key(at);
        let mut place = |vertices: &[u32], out: &mut [[f32; 4]]| {
            let margin = motion.rounded_positions(at, vertices, out);
            *blur = if is_exact { *blur } else { blur.max(margin) };
            *coordinate = coordinate.max(largest_coordinate(out));
        };
        if let Stage::Points(from) = *stage {
            let for_two = points_for_two(motion, vertices.len());
            let end = from.saturating_add(count_for(*budget, for_two)).min(vertices.len());
            place(&vertices[from..end], &mut points[from..end]);
            *budget = budget.saturating_sub(cost_of(end - from, for_two));
            *stage = if end < vertices.len() { Stage::Points(end) } else { Stage::Leaves(0) };
        }
        let (leaves, inner) = (layout.leaf_count(), layout.inner_count());
        if let Stage::Leaves(from) = *stage
            && *budget > 0
        {
            let (mut end, mut read, mut cost) = (from, 0, 0);
            while end < leaves && cost < *budget {
                read += if vertices.is_empty() { layout.vertices_of(end).len() } else { 0 };
                end += 1;
                cost = cost_of(end - from, LEAVES_FOR_TWO) + cost_of(read, READ_FOR_TWO);
            }
            place_leaves(layout, from..end, boxes, |of, out| {
                if vertices.is_empty() {
                    place(of, out);
                } else {
                    read_kept(points, vertices, of, out);
                }
            });
            *budget = budget.saturating_sub(cost);
            *stage = match (end < leaves, inner) {
                (true, _) => Stage::Leaves(end),
                (false, 0) => Stage::Done,
                (false, _) => Stage::Inner(inner),
            };
        }
        if let Stage::Inner(from) = *stage
            && *budget > 0
        {
            let end = from.saturating_sub(budget.saturating_mul(tuning::BOXES_PER_NODE_PAIR));
            unite(layout, end..from, boxes);
            *budget = budget.saturating_sub((from - end).div_ceil(tuning::BOXES_PER_NODE_PAIR));
            *stage = if end > 0 { Stage::Inner(end) } else { Stage::Done };
        }
        if *stage == Stage::Done { Prepared::All } else { Prepared::Partly }
    }
}

/// Leaves whose boxes are made for the cost of two pairs of nodes.
const LEAVES_FOR_TWO: usize = tuning::POINTS_PER_TWO_NODE_PAIRS;

/// Vertices of leaves that are read for the cost of two pairs of nodes: neighbouring leaves have
/// half of them in common.
const READ_FOR_TWO: usize = 2 * tuning::POINTS_PER_TWO_NODE_PAIRS;

/// Points that are placed for the cost of two pairs of nodes, of a body with a number of vertices.
fn points_for_two(motion: &Motion, vertices: usize) -> usize {
    match (motion.has_rows(), vertices < tuning::VERTICES_OF_FAST_ROWS) {
        (false, _) => tuning::POINTS_PER_TWO_NODE_PAIRS,
        (true, true) => tuning::ROWS_PER_TWO_NODE_PAIRS,
        (true, false) => 1,
    }
}

/// What some points, or boxes of leaves, cost, in pairs of nodes.
fn cost_of(count: usize, for_two: usize) -> usize {
    (2 * count).div_ceil(for_two)
}

/// How many of them a budget is for.
fn count_for(budget: usize, for_two: usize) -> usize {
    budget.saturating_mul(for_two) / 2
}

/// The largest coordinate of points, metres.
pub(super) fn largest_coordinate(points: &[[f32; 4]]) -> f64 {
    let mut largest = [0.0f32; 4];
    for point in points {
        // A plain loop over lanes becomes a single instruction.
        for lane in 0..4 {
            let size = point[lane].abs();
            largest[lane] = if size > largest[lane] { size } else { largest[lane] };
        }
    }
    f64::from(largest.into_iter().fold(0.0, f32::max))
}
