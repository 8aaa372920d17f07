//! Drivers one after the other: clips that are switched at stated times.

use std::sync::Arc;

use super::mix::within;
use super::pose_keys::linear_bends;
use super::{Break, Driver, Pose, PoseDerivativeBounds, ReducedError, SimilarityBounds};
use crate::limits;
use crate::motion::Outside;
use crate::time::{Moment, Side, Span};

/// A [`Driver`] that follows one driver after the other; each holds its first and last pose outside
/// its own span. Where the next one takes over, the pose jumps; for a transition see
/// [`Mix::crossfade`](super::Mix::crossfade).
#[derive(Clone, Debug)]
pub struct Sequence {
    /// Each with the time from which it drives, seconds.
    parts: Vec<(f64, Arc<dyn Driver>)>,
    breaks: Vec<Break>,
    span: Span,
    outside: Outside,
}

impl Sequence {
    /// Creates a driver from others, each with the time from which it drives the body, seconds, and
    /// the time at which the last one ends. Every driver runs at its own times. O(breaks).
    ///
    /// # Errors
    /// [`ReducedError::NoKeys`] without drivers; [`ReducedError::BadSpan`] for times that are not
    /// usable or do not increase, and for a driver that loops (a clip loops within its mix);
    /// [`ReducedError::MapCount`] and [`ReducedError::MorphCount`] unless all drive as many maps,
    /// around the same centres, and as many morph weights.
    pub fn new(parts: Vec<(f64, Arc<dyn Driver>)>, end: f64, outside: Outside) -> Result<Self, ReducedError> {
        let Some((begin, first)) = parts.first() else { return Err(ReducedError::NoKeys { track: 0 }) };
        let span = Span { begin: *begin, end };
        let ends: Vec<f64> = parts.iter().skip(1).map(|(start, _)| *start).chain([end]).collect();
        for ((start, driver), &end) in parts.iter().zip(&ends) {
            let is_last_instant = start == &end && parts.len() == 1;
            let is_usable = start.abs() <= limits::MAX_TIME && end.abs() <= limits::MAX_TIME;
            if !is_usable || !(*start < end || is_last_instant) || driver.outside() == Outside::Loop {
                return Err(ReducedError::BadSpan { begin: *start, end });
            }
            if driver.map_count() != first.map_count() || driver.centres() != first.centres() {
                return Err(ReducedError::MapCount { expected: first.map_count(), found: driver.map_count() });
            }
            if driver.morph_count() != first.morph_count() {
                return Err(ReducedError::MorphCount { expected: first.morph_count(), found: driver.morph_count() });
            }
        }
        if outside == Outside::Loop && !(span.end - span.begin >= limits::MIN_PERIOD) {
            return Err(ReducedError::BadSpan { begin: span.begin, end });
        }
        let mut breaks = Vec::new();
        for (place, ((start, driver), &end)) in parts.iter().zip(&ends).enumerate() {
            breaks.push(Break { time: *start, is_jump: place > 0 });
            breaks.extend(driver.breaks().iter().filter(|stop| *start < stop.time && stop.time < end));
        }
        if span.begin < end {
            breaks.push(Break { time: end, is_jump: false });
        }
        if breaks.len() > limits::MAX_PIECES {
            return Err(ReducedError::TooManyTimes { count: breaks.len() });
        }
        Ok(Self { parts, breaks, span, outside })
    }

    /// The driver at a moment of the span.
    fn part(&self, at: Moment) -> &dyn Driver {
        let next = match at.side() {
            Side::At => self.parts.partition_point(|(start, _)| *start < at.time()),
            Side::After => self.parts.partition_point(|(start, _)| *start <= at.time()),
        };
        &*self.parts[next.saturating_sub(1)].1
    }

    /// The driver of a piece, and the pose that it holds if the piece is outside its span. A driver
    /// knows bounds of its own span only.
    fn part_during(&self, piece: Span) -> (&dyn Driver, Option<Pose>) {
        let middle = Moment::at(0.5 * piece.begin + 0.5 * piece.end);
        let middle = within(self.span, self.outside, middle);
        let part = self.part(middle);
        let Span { begin, end } = part.span();
        let held = (!(begin < middle.time() && middle.time() < end)).then(|| {
            let mut pose = Pose::default();
            part.pose(middle, &mut pose);
            pose
        });
        (part, held)
    }
}

impl Driver for Sequence {
    fn map_count(&self) -> usize {
        self.parts[0].1.map_count()
    }

    fn morph_count(&self) -> usize {
        self.parts[0].1.morph_count()
    }

    fn span(&self) -> Span {
        self.span
    }

    fn outside(&self) -> Outside {
        self.outside
    }

    fn pose(&self, at: Moment, pose: &mut Pose) {
        let at = within(self.span, self.outside, at);
        self.part(at).pose(at, pose);
    }

    fn breaks(&self) -> &[Break] {
        &self.breaks
    }

    fn centres(&self) -> &[[f64; 3]] {
        self.parts[0].1.centres()
    }

    fn similarity(&self, piece: Span) -> SimilarityBounds {
        match self.part_during(piece) {
            (part, None) => part.similarity(piece),
            (_, Some(held)) => SimilarityBounds::of_maps(&held.maps),
        }
    }

    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        match self.part_during(piece) {
            (part, None) => part.bends(piece, bends),
            (part, Some(held)) => linear_bends([&held, &held], ([&held, &held], 1.0), part.centres(), bends),
        }
    }
}
