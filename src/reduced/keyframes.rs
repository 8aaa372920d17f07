//! Reduced bodies as stored keyframes, and their reach measured on all vertices.

use super::{Pieces, Pose, PoseTimes, ReducedBody, ReducedError};
use crate::limits;
use crate::motion::Flightplan;
use crate::time::Moment;

impl ReducedBody {
    /// Creates a plan of stored keyframes at the ends of pieces. O(pieces × vertices) memory and
    /// time. Positions are rounded to `f32`, which changes a coordinate by up to 2⁻²⁴ of itself.
    ///
    /// # Errors
    /// A jump, which keyframes cannot represent; coordinates beyond [`limits::MAX_COORDINATE`];
    /// more numbers than can be stored.
    pub fn keyframes(&self, pieces: &Pieces) -> Result<Flightplan, ReducedError> {
        if let Some(key) = pieces.jumps().iter().position(|&jump| jump) {
            return Err(ReducedError::Jump { time: pieces.times()[key] });
        }
        let count = pieces.times().len().saturating_mul(self.mesh().vertex_count());
        if count > limits::MAX_INDEX {
            return Err(ReducedError::TooLarge { what: "keyframed positions", count });
        }
        let mut positions: Vec<[f32; 3]> = Vec::with_capacity(count);
        let times = pieces.times();
        let at = |key: usize| if key == 0 { Moment::after(times[0]) } else { Moment::at(times[key]) };
        for key in 0..pieces.times().len() {
            for position in self.all_at(at(key))? {
                if let Some(&value) = position.iter().find(|x| !(x.abs() <= limits::MAX_COORDINATE)) {
                    return Err(ReducedError::TooFar { coordinate: value.abs(), speed: 0.0 });
                }
                positions.push(position.map(|x| x as f32));
            }
        }
        Ok(Flightplan::keyframes(pieces.times().to_vec(), positions).outside(self.driver().outside()))
    }

    /// Largest coordinate at keys and largest speed between them, measured on all vertices.
    pub(super) fn measured_reach(&self, keys: &PoseTimes) -> Result<(f64, f64), ReducedError> {
        let largest = |positions: &[[f64; 3]]| positions.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
        let (times, moments) = (keys.times(), keys.moments());
        let mut before = self.all_at(moments[0])?;
        let (mut coordinate, mut speed) = (largest(&before), 0.0f64);
        for key in 1..times.len() {
            let after = self.all_at(moments[key])?;
            let steps = before.iter().flatten().zip(after.iter().flatten());
            let step = steps.fold(0.0, |most: f64, (a, b)| most.max((b - a).abs()));
            speed = speed.max(step / (times[key] - times[key - 1]));
            coordinate = coordinate.max(largest(&after));
            before = if keys.jumps()[key] { self.all_at(Moment::after(times[key]))? } else { after };
            coordinate = coordinate.max(largest(&before));
        }
        Ok((coordinate, speed * (1.0 + limits::EVALUATION_ROUNDING)))
    }

    /// The positions of all vertices at a moment.
    fn all_at(&self, at: Moment) -> Result<Vec<[f64; 3]>, ReducedError> {
        let (mut pose, mut positions) = (Pose::default(), Vec::new());
        self.pose(at, &mut pose);
        self.mesh().evaluate_all(&pose, &mut positions)?;
        Ok(positions)
    }
}
