//! Reduced motion as keys: times at which positions are exact, close enough together for straight
//! lines in between.

use super::bodies::{BodyKind, ModelBody};
use super::error::{GltfError, GltfErrorKind};
use crate::io::{MotionData, ReducedMotion, transform_point};
use crate::limits;
use crate::motion::Flightplan;
use crate::reduced::{Pieces, Pose, ReducedError};
use crate::time::Moment;

/// Pieces of a reduced motion whose deviation is measured.
const MEASURED_PIECES: usize = 64;

/// A body's motion between keys, and what that costs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SampledMotion {
    /// Keys, transforms, parameters, or nothing for a fixed body.
    pub motion: MotionData,
    /// Positions at the first key, in the scene's frame, metres; for [`MotionData::Rigid`] in the
    /// mesh's own frame.
    pub rest: Vec<[f32; 3]>,
    /// How far any vertex is from its true path at most, metres, rounding to `f32` not counted;
    /// infinite where no bound is known.
    pub deviation: f64,
    /// How far any vertex is from its true path in the middle between two keys at most, metres:
    /// measured there with positions in `f32`, so usually near the largest distance there is. Above
    /// [`Self::deviation`] by the rounding of positions at most. 0 for a jump. Of a
    /// [`MotionData::Reduced`] only the 64 pieces with the largest proven deviation are measured.
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
            MotionData::Reduced(motion) => motion.flightplan(),
            MotionData::Planned(motion) => motion.flightplan(&self.rest),
            // A model's motion is in no cache.
            MotionData::Fixed | MotionData::Velocity { .. } | MotionData::Cached { .. } => Flightplan::fixed(self.rest),
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

    /// The motion by its parameters, without stored positions, with keys at the given times as
    /// [`Self::sampled_at`] has them. O(keys × joints + vertices).
    ///
    /// # Errors
    /// Motion without a known bound of its speed; positions beyond
    /// [`limits::MAX_COORDINATE`].
    pub fn reduced_at(&self, times: &[f64]) -> Result<SampledMotion, GltfError> {
        if self.kind == BodyKind::Fixed {
            return self.at_rest();
        }
        let pieces = self.body.pieces_at(times).map_err(|error| self.failed(error))?;
        let keys = self.body.travelling(&pieces, limits::GLTF_STEP_DURATION);
        let jumps = pieces.count() + 1 < keys.times().len();
        let deviation = pieces.largest_deviation();
        let measured = self.measured_in(&pieces)?;
        let motion = ReducedMotion::new(self.body.clone(), keys).map_err(|error| self.failed(error))?;
        let mut rest = Vec::new();
        append(&motion.positions_at_key(0), &mut rest).map_err(|kind| self.refused(kind))?;
        Ok(SampledMotion { motion: MotionData::Reduced(motion), rest, deviation, measured, jumps })
    }

    /// The largest distance from the true motion in the middle of the pieces whose proven
    /// deviations are the largest, metres. O(vertices).
    fn measured_in(&self, pieces: &Pieces) -> Result<f64, GltfError> {
        let deviations = pieces.deviations();
        let mut largest: Vec<usize> = (0..deviations.len()).collect();
        largest.sort_by(|&a, &b| deviations[b].total_cmp(&deviations[a]).then(a.cmp(&b)));
        largest.truncate(MEASURED_PIECES);
        let positions = |at: Moment| {
            let (mut pose, mut points) = (Pose::default(), Vec::new());
            self.body.pose(at, &mut pose);
            self.body.mesh().evaluate_all(&pose, &mut points).map_err(|error| self.failed(error))?;
            Ok(points)
        };
        let mut most = 0.0f64;
        for piece in largest {
            let [begin, end] = [pieces.times()[piece], pieces.times()[piece + 1]];
            let ends = [positions(Moment::after(begin))?, positions(Moment::at(end))?];
            for (vertex, point) in positions(Moment::at(0.5 * begin + 0.5 * end))?.into_iter().enumerate() {
                let apart = |axis: usize| 0.5 * (ends[0][vertex][axis] + ends[1][vertex][axis]) - point[axis];
                most = most.max((0..3).map(|axis| apart(axis).powi(2)).sum::<f64>().sqrt());
            }
        }
        Ok(most)
    }

    fn keys_of(&self, pieces: &Pieces) -> Result<SampledMotion, GltfError> {
        let (mut pose, mut points) = (Pose::default(), Vec::new());
        // A driver marks the jumps of all its clip's nodes; this body may not follow them.
        let keys = self.body.travelling(pieces, limits::GLTF_STEP_DURATION);
        let jumps = pieces.count() + 1 < keys.times().len();
        let moments = keys.moments();
        let vertices = self.body.mesh().vertex_count();
        if moments.len().saturating_mul(vertices) > limits::MAX_GLTF_POSITIONS {
            return Err(self.refused(GltfErrorKind::TooManyKeys { allowed: limits::MAX_GLTF_POSITIONS }));
        }
        let times = keys.times().to_vec();
        let deviation = pieces.largest_deviation();
        if self.kind == BodyKind::Rigid {
            let matrix = |&moment: &Moment| {
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
        for &moment in moments {
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
                    _ => return Ok(0.0),
                };
                let apart = |axis: usize| 0.5 * (f64::from(ends[0][axis]) + f64::from(ends[1][axis])) - point[axis];
                largest = largest.max((0..3).map(|axis| apart(axis).powi(2)).sum::<f64>().sqrt());
            }
        }
        Ok(largest)
    }
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
