//! Stretches: the linear motion of all vertices at once, as the interval engine reads it.

use super::key_times::Place;
use super::sampled::KeysAround;
use super::trajectories::Trajectories;
use super::{Motion, linear};
use crate::time::Moment;

/// The motion of all vertices during a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StretchKind {
    /// Constant positions.
    Hold,
    /// Linearly from key to key.
    Keys,
    /// Constant velocities from `start` on, seconds.
    Lines {
        /// The start, seconds; not after the stretch's begin.
        start: f64,
    },
    /// Constant positions after motion with constant velocities.
    LinesHeld {
        /// The duration of that motion, seconds.
        elapsed: f64,
    },
}

/// A stretch of time in which every vertex moves linearly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// The begin, seconds; may be −∞ during rest.
    pub begin: f64,
    /// The end, seconds; may be ∞ during rest.
    pub end: f64,
    /// The kind of motion.
    pub kind: StretchKind,
    /// Whether the vertices jump at its begin (the wrap of a loop).
    pub after_jump: bool,
}

impl Motion {
    /// The stretch around a moment; `None` if some vertices move on curves, have plans of their
    /// own, or are sampled. O(log keys).
    ///
    /// Endless motion is cut at the horizons 64 s, 128 s, 256 s, …
    pub fn stretch(&self, at: Moment) -> Option<Stretch> {
        if self.is_curved || !self.own_plans.is_empty() {
            return None;
        }
        let (begin, end, kind) = match &self.shared {
            Trajectories::Keys(table) => match table.timeline.place(at) {
                Place::Hold { begin, end, .. } => (begin, end, StretchKind::Hold),
                Place::Between { begin, end, .. } => (begin, end, StretchKind::Keys),
            },
            Trajectories::LinearMotion(lines) => match lines.stretch(at) {
                Some((start, stop)) => {
                    // Cut like `LinearMotion::piece`, so that both find the same crossings.
                    let (begin, end) = linear::moving_part(at, start, stop);
                    (begin, end, StretchKind::Lines { start })
                }
                None => {
                    let held = lines.piece(0, 0, at);
                    (held.begin, held.end, StretchKind::LinesHeld { elapsed: lines.held_after(at) })
                }
            },
            Trajectories::Curves(_) | Trajectories::Sampled(_) => return None,
        };
        let after_jump = begin.is_finite() && self.wraps_at(begin);
        Some(Stretch { begin, end, kind, after_jump })
    }

    /// The stretch from key to key around a moment: of keyframes, and of a sampled plan, which may
    /// jump at keys. `None` for motion of other kinds. O(log keys).
    pub(crate) fn stretch_of_keys(&self, at: Moment) -> Option<Stretch> {
        let Some(KeysAround { first, last, span, .. }) = self.keys_around(at) else {
            let is_keyed = |stretch: &Stretch| matches!(stretch.kind, StretchKind::Keys | StretchKind::Hold);
            return self.stretch(at).filter(is_keyed);
        };
        let kind = if first == last { StretchKind::Hold } else { StretchKind::Keys };
        let after_jump = span.begin.is_finite() && self.wraps_at(span.begin);
        Some(Stretch { begin: span.begin, end: span.end, kind, after_jump })
    }

    /// The begin of a loop's first round, seconds; `None` without a loop.
    pub fn first_of_loop(&self) -> Option<f64> {
        match &self.shared {
            Trajectories::Keys(table) => table.first_of_loop(),
            Trajectories::LinearMotion(lines) => lines.first_of_loop(),
            Trajectories::Sampled(sampled) => sampled.first_of_loop(),
            Trajectories::Curves(_) => None,
        }
    }

    /// Whether the keys of each vertex lie together.
    pub(crate) fn has_rows(&self) -> bool {
        matches!(&self.shared, Trajectories::Keys(table) if table.has_rows())
    }

    /// Whether reading positions costs no more than reading a copy of them: keys lie key by key, or
    /// vertices keep their velocities. Not of loops, whose keys are elsewhere in every round.
    pub(crate) fn is_read_cheaply(&self) -> bool {
        let is_plain = match &self.shared {
            Trajectories::Keys(table) => !table.has_rows(),
            Trajectories::LinearMotion(_) => !self.is_curved,
            Trajectories::Sampled(_) | Trajectories::Curves(_) => false,
        };
        is_plain && self.own.is_empty() && self.first_of_loop().is_none()
    }

    /// Whether vertices that move by keys are, at a moment, at positions of one key: the moment is
    /// the time of a key in its round, or they rest. O(log keys).
    pub(crate) fn is_at_key(&self, at: Moment) -> bool {
        match &self.shared {
            Trajectories::Keys(table) => match table.timeline.place(at) {
                Place::Hold { .. } => true,
                Place::Between { begin, end, .. } => at.time() <= begin || at.time() >= end,
            },
            _ => false,
        }
    }

    /// Whether the stretch of keys that ends at a time, seconds, is followed by that of the next
    /// key. In late rounds of a loop, keys may fall together; then some are skipped. O(log keys).
    pub(crate) fn meets_next_key(&self, time: f64) -> bool {
        let Trajectories::Keys(table) = &self.shared else { return false };
        let place = |at: Moment| match table.timeline.place(at) {
            Place::Between { key, .. } => Some(key),
            Place::Hold { .. } => None,
        };
        let (before, after) = (place(Moment::at(time)), place(Moment::after(time)));
        before.is_some_and(|before| after == Some(before + 1))
    }

    /// Whether a round of a loop ends at a time, or a sampled plan jumps.
    fn wraps_at(&self, time: f64) -> bool {
        self.shared.next_wrap(Moment::at(time)).time() == time
    }

    /// Starts and velocities of vertices, the fourth lanes 0; only of a velocity field.
    pub(crate) fn lines_of(&self, vertices: &[u32]) -> (Vec<[f32; 4]>, Vec<[f32; 4]>) {
        let Trajectories::LinearMotion(lines) = &self.shared else { panic!("not a velocity field") };
        // Both were given as `f32`.
        let narrow = |[x, y, z]: [f64; 3]| [x as f32, y as f32, z as f32, 0.0];
        let line = |&vertex: &u32| {
            let (position, velocity) = lines.line(vertex);
            (narrow(position), narrow(velocity))
        };
        vertices.iter().map(line).unzip()
    }
}
