//! Boxes of keys of a body that is bounded from few parameters: its vertices are blended once per
//! key, in `f32`, with a proven margin, and boxes are refitted from them.
//!
//! Positions are those of the sampler within half of the margin, which is the blur of the boxes.
//! Where no margin is known, positions are evaluated in `f64` and rounded.

use super::leaves::place_leaves;
use super::{End, IntervalBoxes, another, read_kept};
use crate::bvh::{AuditReport, KeyedBoxes, Topology};
use crate::interval::IntervalError;
use crate::interval::error::check_time;
use crate::interval::sweep::unite;
use crate::limits;
use crate::math::f32_above;
use crate::motion::{KeysAround, Motion, StretchKind};
use crate::time::{Moment, Side};
use std::sync::Arc;

use super::ahead::{Stage, largest_coordinate};

/// A key as it is left or arrived at, and the bound on coordinates there, metres.
#[derive(Clone, Copy)]
struct Key {
    key: (usize, Side),
    most: f64,
}

impl IntervalBoxes {
    /// Room for the boxes of a reduced body, which hold nowhere until they follow its motion
    /// ([`IntervalBoxes::follow_bounded`]). O(nodes).
    ///
    /// # Errors
    /// [`IntervalError::WideTree`].
    pub(crate) fn unplaced(topology: Topology) -> Result<Self, IntervalError> {
        let mut boxes = Self::empty(topology, 0.0)?;
        boxes.forget();
        Ok(boxes)
    }

    /// As [`IntervalBoxes::follow`], for the motion of a sampler and the boxes at keys that are of
    /// it: moves on to the piece around a moment. Each key is evaluated once where pieces are
    /// followed one by one. O(vertices + nodes).
    ///
    /// # Errors
    /// Motion of another kind, a loop before its first key, times no flightplan may have.
    pub(crate) fn follow_bounded(
        &mut self,
        motion: &Motion,
        known: &dyn KeyedBoxes,
        at: Moment,
    ) -> Result<bool, IntervalError> {
        check_time(0, at.time())?;
        let (Some(around), Some(stretch)) = (motion.keys_around(at), motion.stretch_of_keys(at)) else {
            return Err(IntervalError::NotLinear);
        };
        if motion.first_of_loop().is_some_and(|first| at.time() < first) {
            return Err(IntervalError::BeforeLoop { time: at.time() });
        }
        if Moment::after(self.begin) <= at && at <= Moment::at(self.end) {
            return Ok(false);
        }
        let KeysAround { first, last, span, most, .. } = around;
        self.rests = stretch.kind == StretchKind::Hold;
        let begin = if self.rests { at.time() } else { span.begin };
        let is_jump = stretch.after_jump && stretch.begin == begin;
        let meets = self.end == begin && self.key == Some(first.0) && !is_jump;
        // What a motion evaluates may be rounded at a larger size than that of its outcome.
        self.coordinate = self.coordinate.max(motion.slack(at) / limits::ROUNDING);
        if !meets {
            self.place_key(motion, known, Key { key: first, most });
        }
        if self.girths.is_empty() {
            self.measure();
        }
        std::mem::swap(&mut self.before, &mut self.after);
        self.generation = another();
        self.blur[0] = self.blur[1];
        if self.rests {
            self.after = Arc::clone(&self.before);
        } else {
            self.place_key(motion, known, Key { key: last, most });
        }
        (self.begin, self.end, self.key) = (begin, span.end, Some(last.0));
        Ok(true)
    }

    /// The boxes at a key become those of the end.
    fn place_key(&mut self, motion: &Motion, known: &dyn KeyedBoxes, key: Key) {
        // Its points are kept; nothing is read at the moment.
        self.begin_end(true, Moment::at(0.0));
        let Self { layout, vertices, after, .. } = self;
        let End { boxes, points, .. } = Arc::make_mut(after);
        let margin = blended(known, key, vertices, points).unwrap_or_else(|| rounded(motion, key, vertices, points));
        self.blur[1] = margin;
        self.coordinate = self.coordinate.max(largest_coordinate(points));
        place_leaves(layout, 0..layout.leaf_count(), boxes, |of, out| read_kept(points, vertices, of, out));
        unite(layout, 0..layout.inner_count(), boxes);
        self.stage = Stage::Done;
    }

    /// Checks the points at both ends against the vertices, and the boxes against the points.
    /// O(vertices + nodes).
    pub(crate) fn audit_bounded(&self, motion: &Motion) -> AuditReport {
        let mut report = AuditReport::default();
        if !(self.begin <= self.end) {
            return report;
        }
        let inside = if self.begin < self.end { Moment::after(self.begin) } else { Moment::at(self.end) };
        let Some(around) = motion.keys_around(inside) else {
            report.check(false, || "the motion is not that of its sampler".into());
            return report;
        };
        for (end, (key, side), blur) in
            [(&self.before, around.first, self.blur[0]), (&self.after, around.last, self.blur[1])]
        {
            let positions = motion.key_positions(key, side, &self.vertices);
            for ((point, position), vertex) in end.points.iter().zip(&positions).zip(&*self.vertices) {
                let is_near = (0..3).all(|k| (f64::from(point[k]) - position[k]).abs() <= f64::from(blur));
                report.check(is_near, || {
                    format!("vertex {vertex} at key {key}, {side:?}: {point:?} is not within {blur} of {position:?}")
                });
            }
            self.audit_end(motion, end, &format!("key {key}, {side:?}"), &mut report);
        }
        report
    }

    /// Checks that the boxes at both ends hold the points there, as candidates read them: those of
    /// the motion, or those that are kept. At the end of the interval alone where the clock, in
    /// seconds, is there: another plan from then on need not know what was before. Nothing where
    /// the boxes hold at no time. O(vertices of leaves + nodes).
    pub(crate) fn audit(&self, motion: &Motion, clock: f64) -> AuditReport {
        let mut report = AuditReport::default();
        if self.begin <= self.end {
            let ends = [&self.before, &self.after];
            for end in &ends[usize::from(clock >= self.end)..] {
                self.audit_end(motion, end, &format!("{:?}", end.at), &mut report);
            }
        }
        report
    }

    /// Checks the boxes of leaves against their points, and those of inner nodes against the boxes
    /// below.
    fn audit_end(&self, motion: &Motion, end: &End, at: &str, report: &mut AuditReport) {
        for leaf in 0..self.layout.leaf_count() {
            let sides = end.boxes[self.layout.inner_count() + leaf];
            let vertices = self.layout.vertices_of(leaf);
            let mut points = vec![[0.0; 4]; vertices.len()];
            end.read(motion, &self.vertices, vertices, &mut points);
            let is_held = points.iter().all(|point| (0..3).all(|k| sides[k] <= point[k] && point[k] <= -sides[k + 4]));
            report.check(is_held, || format!("at {at}: leaf {leaf} does not hold its points"));
        }
        for (place, children) in self.layout.children.iter().enumerate() {
            let outer = end.boxes[place];
            let is_held = children.iter().all(|&child| {
                let inner = end.boxes[child as usize];
                (0..inner.len()).all(|lane| outer[lane] <= inner[lane])
            });
            report.check(is_held, || format!("at {at}: place {place} does not hold its children"));
        }
    }
}

/// Writes blended positions, cut off at the bound on coordinates; returns their margin, metres, if
/// one is known.
fn blended(known: &dyn KeyedBoxes, Key { key, most }: Key, vertices: &[u32], out: &mut [[f32; 4]]) -> Option<f32> {
    let margin = known.rounded_positions([key; 2], 0.0, vertices, out).filter(|margin| margin.is_finite())?;
    // Cutting off moves nothing farther apart; the bound is rounded upward by less than a spacing.
    let most = f32_above(most);
    let is_number = out.iter_mut().fold(true, |all, place| {
        for x in &mut place[..3] {
            *x = x.clamp(-most, most);
        }
        all && place.iter().all(|x| !x.is_nan())
    });
    is_number.then_some(margin)
}

/// Writes evaluated positions, rounded to nearest; returns their margin, metres.
fn rounded(motion: &Motion, Key { key: (key, side), .. }: Key, vertices: &[u32], out: &mut [[f32; 4]]) -> f32 {
    let mut largest = 0.0f32;
    for (out, position) in out.iter_mut().zip(motion.key_positions(key, side, vertices)) {
        let [x, y, z] = position.map(|x| x as f32);
        *out = [x, y, z, 0.0];
        largest = [x, y, z].into_iter().fold(largest, |largest, x| largest.max(x.abs()));
    }
    largest * limits::F32_NEAREST_ROUNDING + f32::MIN_POSITIVE
}
