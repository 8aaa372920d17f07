//! The boxes of two bodies at both ends of their common interval.

use super::part;
use crate::bvh::SharedVertices;
use crate::interval::layout::LANES;
use crate::interval::{IntervalBoxes, IntervalError};
use crate::math::{f32_above, f32_at_most};
use crate::motion::interpolate;
use crate::time::Span;

/// Two bodies whose boxes are known over an interval, or one of them twice.
#[derive(Clone, Copy, Debug)]
pub struct PairedBoxes<'a> {
    pub(super) a: &'a IntervalBoxes,
    pub(super) b: &'a IntervalBoxes,
    pub(super) shared_vertices: Option<&'a SharedVertices>,
}

impl<'a> PairedBoxes<'a> {
    /// Two bodies.
    pub fn between(a: &'a IntervalBoxes, b: &'a IntervalBoxes) -> Self {
        Self { a, b, shared_vertices: None }
    }

    /// A body and itself: leaves of which every pair of triangles is of no interest by
    /// `shared_vertices` are left out, those that share a corner are listed at all times.
    pub fn within(body: &'a IntervalBoxes, shared_vertices: &'a SharedVertices) -> Self {
        Self { a: body, b: body, shared_vertices: Some(shared_vertices) }
    }

    pub(super) fn sides(&self) -> [&'a IntervalBoxes; 2] {
        [self.a, self.b]
    }

    /// The time in which both are known, seconds.
    pub(super) fn interval(&self) -> Result<Span, IntervalError> {
        let (begin, end) = (self.a.begin().max(self.b.begin()), self.a.end().min(self.b.end()));
        if begin <= end { Ok(Span { begin, end }) } else { Err(IntervalError::NoCommonTime { begin, end }) }
    }

    /// How far evaluated positions of both may be off, metres.
    pub(super) fn slack(&self) -> f64 {
        self.a.slack() + self.b.slack()
    }

    /// What a rounded gap must exceed for evaluated positions to be farther apart than a distance,
    /// metres.
    pub(super) fn threshold(&self, distance: f64) -> f32 {
        let least = distance + self.slack();
        // Two roundings of the sums, and one to `f32`.
        f32_above(least * (1.0 + 4.0 * f64::EPSILON))
    }
}

/// Boxes at the ends of a part of a body's interval, where that is longer.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct CutBoxes {
    begin: Option<Vec<[f32; LANES]>>,
    end: Option<Vec<[f32; LANES]>>,
}

impl CutBoxes {
    /// Makes those that are not at the ends of the body's own interval.
    pub(super) fn follow(&mut self, boxes: &IntervalBoxes, interval: Span) {
        self.begin = cut(boxes, interval.begin, boxes.begin(), self.begin.take());
        self.end = cut(boxes, interval.end, boxes.end(), self.end.take());
    }

    /// The boxes at both ends.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn ends<'a>(&'a self, boxes: &'a IntervalBoxes) -> [&'a [[f32; LANES]]; 2] {
        let [before, after] = boxes.boxes_at_ends();
        [self.begin.as_deref().unwrap_or(before), self.end.as_deref().unwrap_or(after)]
    }

    pub(super) fn bytes(&self) -> usize {
        let held = [&self.begin, &self.end].into_iter().flatten();
        held.map(|boxes| boxes.capacity() * size_of::<[f32; LANES]>()).sum()
    }
}

/// The boxes at a time, rounded outward to `f32`; `None` at the body's own end.
fn cut(boxes: &IntervalBoxes, time: f64, own: f64, room: Option<Vec<[f32; LANES]>>) -> Option<Vec<[f32; LANES]>> {
    if time == own || boxes.rests() {
        return None;
    }
    let part = part(time, boxes.begin(), boxes.end());
    let mut cut = room.unwrap_or_default();
    cut.clear();
    let [before, after] = boxes.boxes_at_ends();
    cut.extend(before.iter().zip(after).map(|(before, after)| {
        let mut sides = [0.0; LANES];
        for lane in 0..LANES {
            // All sides are minima.
            sides[lane] = f32_at_most(interpolate(f64::from(before[lane]), f64::from(after[lane]), part));
        }
        sides
    }));
    Some(cut)
}
