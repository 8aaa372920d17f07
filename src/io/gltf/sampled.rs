//! Reduced motion as keys: times at which positions are exact, close enough together for straight
//! lines in between.

use super::bodies::{BodyKind, ModelBody};
use super::error::{GltfError, GltfErrorKind};
use crate::io::{MotionData, transform_point};
use crate::limits;
use crate::motion::Flightplan;
use crate::reduced::{Pieces, Pose, ReducedError};
use crate::time::Moment;

/// A body's motion between keys, and what that costs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SampledMotion {
    /// Keys, transforms, or nothing for a fixed body.
    pub motion: MotionData,
    /// Positions at the first key, in the scene's frame, metres; for [`MotionData::Rigid`] in the
    /// mesh's own frame.
    pub rest: Vec<[f32; 3]>,
    /// How far any vertex is from its true path at most, metres, rounding to `f32` not counted;
    /// infinite where no bound is known.
    pub deviation: f64,
    /// How far any vertex is from its true path in the middle between two keys at most, metres:
    /// measured there with positions in `f32`, so usually near the largest distance there is. Above
    /// [`Self::deviation`] by the rounding of positions at most. 0 for a jump.
    pub measured: f64,
    /// Whether a STEP channel makes the body jump.
    pub jumps: bool,
}

impl SampledMotion {
    /// The keys as a flightplan, which holds before the first and after the last.
    pub fn flightplan(self) -> Flightplan {
        match self.motion {
            MotionData::Keyframes { times, positions } => {
                let (points, _) = positions.as_chunks::<3>();
                Flightplan::keyframes(times, points.to_vec())
            }
            MotionData::Rigid { times, transforms } => Flightplan::rigid(times, transforms, self.rest),
            MotionData::Fixed | MotionData::Velocity { .. } => Flightplan::fixed(self.rest),
        }
    }
}

impl ModelBody {
    /// The motion as keys, from which no vertex deviates by more than `tolerance` metres in
    /// between.
    ///
    /// Where the pose jumps, at the keys of STEP channels, the new pose is that of the key's time,
    /// as the format has it, and the vertices travel there in the [`limits::GLTF_STEP_DURATION`]
    /// before it.
    ///
    /// # Errors
    /// A tolerance that is not positive, or that asks for more than [`limits::MAX_GLTF_POSITIONS`]
    /// positions; positions beyond `f32`.
    pub fn sampled(&self, tolerance: f64) -> Result<SampledMotion, GltfError> {
        if self.kind == BodyKind::Fixed {
            return self.at_rest();
        }
        let pieces = self.body.pieces(tolerance).map_err(|error| self.failed(error))?;
        self.keys_of(&pieces)
    }

    /// The motion as keys at the given times, seconds, in any order, and where the clip has keys of
    /// its own, for any deviation. Jumps are as for [`Self::sampled`].
    ///
    /// # Errors
    /// More than [`limits::MAX_GLTF_POSITIONS`] positions; positions beyond `f32`.
    pub fn sampled_at(&self, times: &[f64]) -> Result<SampledMotion, GltfError> {
        if self.kind == BodyKind::Fixed {
            return self.at_rest();
        }
        let pieces = self.body.pieces_at(times).map_err(|error| self.failed(error))?;
        self.keys_of(&pieces)
    }

    fn refused(&self, kind: GltfErrorKind) -> GltfError {
        GltfError { place: format!("nodes[{}] ({})", self.node, self.name), kind }
    }

    fn failed(&self, error: ReducedError) -> GltfError {
        self.refused(GltfErrorKind::Body(error))
    }

    fn at_rest(&self) -> Result<SampledMotion, GltfError> {
        let (mut pose, mut points) = (Pose::default(), Vec::new());
        self.body.pose(Moment::at(self.body.driver().span().begin), &mut pose);
        self.body.mesh().evaluate_all(&pose, &mut points).map_err(|error| self.failed(error))?;
        let mut rest = Vec::new();
        append(&points, &mut rest).map_err(|kind| self.refused(kind))?;
        Ok(SampledMotion { motion: MotionData::Fixed, rest, deviation: 0.0, measured: 0.0, jumps: false })
    }

    fn keys_of(&self, pieces: &Pieces) -> Result<SampledMotion, GltfError> {
        let (mut pose, mut points) = (Pose::default(), Vec::new());
        // A driver marks the jumps of all its clip's nodes; this body may not follow them.
        let mut after = Pose::default();
        let mut is_jump = |(&time, &is_marked): (&f64, &bool)| {
            if !is_marked {
                return false;
            }
            self.body.pose(Moment::at(time), &mut pose);
            self.body.pose(Moment::after(time), &mut after);
            pose != after
        };
        let jumps: Vec<bool> = pieces.times().iter().zip(pieces.jumps()).map(&mut is_jump).collect();
        let moments = moments(pieces.times(), &jumps);
        let jumps = jumps.contains(&true);
        let vertices = self.body.mesh().vertex_count();
        if moments.len().saturating_mul(vertices) > limits::MAX_GLTF_POSITIONS {
            return Err(self.refused(GltfErrorKind::TooManyKeys { allowed: limits::MAX_GLTF_POSITIONS }));
        }
        let times = moments.iter().map(|&(time, _)| time).collect();
        let deviation = pieces.largest_deviation();
        if self.kind == BodyKind::Rigid {
            let matrix = |&(_, moment): &(f64, Moment)| {
                self.body.pose(moment, &mut pose);
                let [x, y, z] = pose.maps[0].rows();
                let mut matrix = [0.0; 16];
                matrix[..12].copy_from_slice(&[x, y, z].concat());
                matrix[15] = 1.0;
                matrix
            };
            let transforms = moments.iter().map(matrix).collect();
            self.body.pose(Moment::at(self.body.driver().span().begin), &mut pose);
            // Morph weights that stay as they are still shape the body.
            let morphed = (0..vertices as u32).map(|vertex| self.body.mesh().morphed_rest(&pose, vertex));
            points.extend(morphed);
            let mut rest = Vec::new();
            append(&points, &mut rest).map_err(|kind| self.refused(kind))?;
            let motion = MotionData::Rigid { times, transforms };
            let measured = self.measured(&motion, &rest)?;
            return Ok(SampledMotion { motion, rest, deviation, measured, jumps });
        }
        let mut positions: Vec<[f32; 3]> = Vec::with_capacity(moments.len() * vertices);
        for &(_, moment) in &moments {
            self.body.pose(moment, &mut pose);
            self.body.mesh().evaluate_all(&pose, &mut points).map_err(|error| self.failed(error))?;
            append(&points, &mut positions).map_err(|kind| self.refused(kind))?;
        }
        let rest = positions[..vertices].to_vec();
        let positions = positions.into_flattened();
        let motion = MotionData::Keyframes { times, positions };
        let measured = self.measured(&motion, &rest)?;
        Ok(SampledMotion { motion, rest, deviation, measured, jumps })
    }

    /// The largest distance from the true motion in the middle between two keys, metres.
    /// O(keys × vertices).
    fn measured(&self, motion: &MotionData, rest: &[[f32; 3]]) -> Result<f64, GltfError> {
        let (mut pose, mut points, mut largest) = (Pose::default(), Vec::new(), 0.0f64);
        for (key, pair) in motion.times().windows(2).enumerate() {
            // Vertices that travel to where they jump are where nothing else is.
            if pair[1] - pair[0] <= 2.0 * limits::GLTF_STEP_DURATION {
                continue;
            }
            self.body.pose(Moment::at(0.5 * pair[0] + 0.5 * pair[1]), &mut pose);
            self.body.mesh().evaluate_all(&pose, &mut points).map_err(|error| self.failed(error))?;
            for (vertex, point) in points.iter().enumerate() {
                let ends = match motion {
                    MotionData::Keyframes { positions, .. } => {
                        let (positions, _) = positions.as_chunks::<3>();
                        [key, key + 1].map(|key| positions[key * rest.len() + vertex])
                    }
                    MotionData::Rigid { transforms, .. } => {
                        [key, key + 1].map(|key| transform_point(&transforms[key], rest[vertex]))
                    }
                    MotionData::Fixed | MotionData::Velocity { .. } => return Ok(0.0),
                };
                let apart = |axis: usize| 0.5 * (f64::from(ends[0][axis]) + f64::from(ends[1][axis])) - point[axis];
                largest = largest.max((0..3).map(|axis| apart(axis).powi(2)).sum::<f64>().sqrt());
            }
        }
        Ok(largest)
    }
}

/// Key times, increasing, each with the moment whose pose is shown then.
fn moments(times: &[f64], jumps: &[bool]) -> Vec<(f64, Moment)> {
    let mut moments: Vec<(f64, Moment)> = Vec::with_capacity(times.len());
    for (&time, &is_jump) in times.iter().zip(jumps) {
        if !is_jump {
            moments.push((time, Moment::at(time)));
            continue;
        }
        let last = moments.last().map_or(f64::NEG_INFINITY, |&(last, _)| last);
        let before = (time - limits::GLTF_STEP_DURATION).max(0.5 * last + 0.5 * time);
        // Two keys a rounding apart leave no time to travel in; then the old pose is left out.
        if last < before && before < time {
            moments.push((before, Moment::at(time)));
        }
        moments.push((time, Moment::after(time)));
    }
    moments
}

fn append(points: &[[f64; 3]], out: &mut Vec<[f32; 3]>) -> Result<(), GltfErrorKind> {
    for (element, point) in points.iter().enumerate() {
        if let Some(component) = point.iter().position(|value| !(value.abs() <= limits::MAX_COORDINATE)) {
            return Err(GltfErrorKind::TooLarge { element, component, value: point[component] });
        }
        out.push(point.map(|value| value as f32));
    }
    Ok(())
}
