//! Key boxes over a [`Motion`]: those of the linear stretch around a time.
//!
//! Cost: two refits when a stretch is entered, one where it begins where the last one ended, none while the time stays inside.

use super::error::check_time;
use super::layout::{LANES, Layout};
use super::track::Points;
use super::{KeyBoxes, WindowError};
use crate::kds::Topology;
use crate::limits;
use crate::motion::{Motion, Stretch, StretchKind};
use crate::time::Moment;

impl KeyBoxes {
    /// The boxes of the linear stretch of a motion around a time. O(vertices + nodes).
    ///
    /// # Errors
    /// A topology that is not of width two; curves or vertices with plans of their own; a loop before its first key; a time no
    /// flightplan may have.
    pub fn over(topology: Topology, motion: &Motion, time: f64) -> Result<Self, WindowError> {
        let stretch = stretch_around(motion, time)?;
        let layout = Layout::new(topology)?;
        let empty = || vec![[0.0; LANES]; layout.place_count()];
        let mut boxes = Self {
            before: empty(),
            after: empty(),
            layout,
            begin: f64::NAN,
            end: f64::NAN,
            points: Points::new(),
            coordinate: 0.0,
            after_jump: false,
        };
        boxes.enter(motion, stretch);
        Ok(boxes)
    }

    /// Do the boxes hold at a time, seconds, under the motion they were made of?
    pub fn covers(&self, time: f64) -> bool {
        (self.begin < time || (self.begin == time && !self.after_jump)) && time <= self.end
    }

    /// Could boxes follow a motion at a time, seconds?
    ///
    /// # Errors
    /// As [`KeyBoxes::over`], but for the topology.
    pub fn check(motion: &Motion, time: f64) -> Result<(), WindowError> {
        stretch_around(motion, time).map(|_| ())
    }

    /// The motion is another one than before: the boxes hold nowhere until they follow it.
    pub fn forget(&mut self) {
        (self.begin, self.end) = (f64::NAN, f64::NAN);
    }

    /// Goes to the stretch around a time, seconds; says whether that is another one than before.
    ///
    /// # Errors
    /// As [`KeyBoxes::over`]; the boxes stay as they are.
    pub fn follow(&mut self, motion: &Motion, time: f64) -> Result<bool, WindowError> {
        if self.covers(time) {
            return Ok(false);
        }
        let stretch = stretch_around(motion, time)?;
        self.enter(motion, stretch);
        Ok(true)
    }

    fn enter(&mut self, motion: &Motion, stretch: Stretch) {
        // Where nothing moves a stretch may last for ever; numbers that can be divided will do.
        let begin = stretch.begin.max(-limits::MAX_TIME);
        let end = stretch.end.min(limits::MAX_TIME);
        self.coordinate = self.coordinate.max(motion.slack(Moment::after(begin)) / limits::ROUNDING);
        let is_exact = matches!(stretch.kind, StretchKind::Hold | StretchKind::Keys);
        // In a later round of a loop keys may be closer than times can tell apart: then vertices jump.
        if self.end != begin || motion.first_of_loop().is_some() {
            self.read(motion, Moment::after(begin), is_exact);
        }
        match stretch.kind {
            StretchKind::Hold | StretchKind::LinesHeld { .. } => self.before.clone_from(&self.after),
            StretchKind::Keys | StretchKind::Lines { .. } => {
                std::mem::swap(&mut self.before, &mut self.after);
                self.read(motion, Moment::at(end), is_exact);
            }
        }
        (self.begin, self.end, self.after_jump) = (begin, end, stretch.after_jump);
    }

    /// Writes `after` for a moment. Positions of velocity fields are rounded to `f32`, and boxes are widened by that.
    fn read(&mut self, motion: &Motion, at: Moment, is_exact: bool) {
        self.points.resize(self.layout.vertices.len(), [0.0; 4]);
        let margin = motion.rounded_positions(at, &self.layout.vertices, &mut self.points);
        self.write_boxes(if is_exact { 0.0 } else { margin });
    }
}

/// The stretch whose boxes hold at a time.
fn stretch_around(motion: &Motion, time: f64) -> Result<Stretch, WindowError> {
    check_time(0, time)?;
    let mut stretch = motion.stretch(Moment::after(time)).ok_or(WindowError::NotLinear)?;
    if stretch.after_jump && stretch.begin == time {
        // At the time of a jump the old positions hold.
        stretch = motion.stretch(Moment::at(time)).ok_or(WindowError::NotLinear)?;
    }
    if motion.first_of_loop().is_some_and(|first| time < first || stretch.begin < first) {
        return Err(WindowError::BeforeLoop { time });
    }
    Ok(stretch)
}
