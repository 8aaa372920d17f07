//! Clip trees over a [`Motion`]: intervals are taken from it on demand.

use super::ClipTree;
use crate::bvh::Topology;
use crate::interval::IntervalError;
use crate::interval::check_time;
use crate::interval::layout::Layout;
use crate::interval::track::{Points, Shape, Track};
use crate::motion::{Motion, Stretch, StretchKind};
use crate::time::Moment;
use std::sync::Arc;

impl ClipTree {
    /// Creates a tree over a motion, with the motion's slack. The tree begins at the linear stretch
    /// that contains a time, or at the time itself if the motion has not begun. O(vertices +
    /// nodes).
    ///
    /// # Errors
    /// Curves or vertices with plans of their own, a loop before its first key, a time that no
    /// flightplan may have.
    pub fn over(topology: Topology, motion: &Motion, time: f64) -> Result<Self, IntervalError> {
        check_time(0, time)?;
        let mut stretch = motion.stretch(Moment::after(time)).ok_or(IntervalError::NotLinear)?;
        if stretch.after_jump && stretch.begin == time {
            // At the time of a jump the old positions hold.
            stretch = motion.stretch(Moment::at(time)).ok_or(IntervalError::NotLinear)?;
        }
        let begin = if stretch.begin.is_finite() { stretch.begin } else { time };
        if motion.first_of_loop().is_some_and(|first| time < first || stretch.begin < first) {
            return Err(IntervalError::BeforeLoop { time });
        }
        let layout = Layout::new(topology)?;
        let last = Arc::new(points_at(motion, Moment::after(begin), &layout, Points::new()));
        let track = match line_shape(stretch.kind) {
            // Positions where lines begin are not representable in `f32`.
            Some(shape) => {
                let (a, b) = motion.lines_of(&layout.vertices);
                Track { shape, begin, end: begin, a: Arc::new(a), b: Arc::new(b) }
            }
            None => Track { shape: Shape::Keys, begin, end: begin, a: Arc::clone(&last), b: Arc::clone(&last) },
        };
        let mut tree = Self::at_end(layout, &track, last);
        tree.extend_by(motion, stretch);
        tree.seek(time.max(begin))?;
        Ok(tree)
    }

    /// Extends the window until it holds a time. O(intervals × vertices).
    ///
    /// # Errors
    /// Curves, or vertices with plans of their own.
    pub fn extend_to(&mut self, motion: &Motion, time: f64) -> Result<(), IntervalError> {
        check_time(0, time)?;
        while self.end < time {
            let stretch = motion.stretch(Moment::after(self.end)).ok_or(IntervalError::NotLinear)?;
            self.extend_by(motion, stretch);
        }
        Ok(())
    }

    /// Extends the window as needed, moves to a time, and drops the past.
    ///
    /// # Errors
    /// As [`ClipTree::extend_to`] and [`ClipTree::advance`].
    pub fn follow(&mut self, motion: &Motion, time: f64) -> Result<(), IntervalError> {
        self.extend_to(motion, time)?;
        self.advance(time)?;
        self.set_slack(motion.slack(Moment::at(time)));
        self.forget_past();
        Ok(())
    }

    fn extend_by(&mut self, motion: &Motion, stretch: Stretch) {
        let slack = motion.slack(Moment::after(self.end));
        self.set_slack(if self.intervals.is_empty() { slack } else { slack.max(self.slack()) });
        if motion.first_of_loop().is_some() && !self.intervals.is_empty() {
            // At a wrap, and where keys of a later round are closer than the resolution of time.
            let buffer = self.buffer();
            let next = points_at(motion, Moment::after(self.end), &self.layout, buffer);
            // Positions of velocity fields are rounded here.
            if next != *self.last || line_shape(stretch.kind).is_some() {
                self.push_jump(next);
            }
        }
        match stretch.kind {
            StretchKind::Hold => self.push_rest_until(stretch.end),
            StretchKind::Keys => {
                let buffer = self.buffer();
                let next = points_at(motion, Moment::at(stretch.end), &self.layout, buffer);
                self.push_points(stretch.end, next);
            }
            StretchKind::Lines { start } => self.push_lines(motion, stretch, Shape::Lines { start }),
            StretchKind::LinesHeld { elapsed } => self.push_lines(motion, stretch, Shape::Held { elapsed }),
        }
    }

    fn push_lines(&mut self, motion: &Motion, stretch: Stretch, shape: Shape) {
        let (positions, velocities) = motion.lines_of(&self.layout.vertices);
        let at = if stretch.end.is_finite() { Moment::at(stretch.end) } else { Moment::after(self.end) };
        self.last = Arc::new(points_at(motion, at, &self.layout, Points::new()));
        let (begin, end) = (self.end, stretch.end);
        self.push_track(Track { shape, begin, end, a: Arc::new(positions), b: Arc::new(velocities) });
    }
}

/// The shape of a velocity field's track; `None` for keys.
fn line_shape(kind: StretchKind) -> Option<Shape> {
    match kind {
        StretchKind::Hold | StretchKind::Keys => None,
        StretchKind::Lines { start } => Some(Shape::Lines { start }),
        StretchKind::LinesHeld { elapsed } => Some(Shape::Held { elapsed }),
    }
}

/// The positions of all points: exact at keys, rounded to `f32` elsewhere.
fn points_at(motion: &Motion, at: Moment, layout: &Layout, mut out: Points) -> Points {
    out.clear();
    out.resize(layout.vertices.len(), [0.0; 4]);
    motion.rounded_positions(at, &layout.vertices, &mut out);
    out
}
