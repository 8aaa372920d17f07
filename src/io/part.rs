//! Parts of the motions of a scene: of long clips only the keys around a span of time are held.

use std::cell::RefCell;
use std::ops::Range;

use super::world::SceneWorldError;
use super::{MotionData, Outside, Scene, SceneBody};
use crate::bvh::Topology;
use crate::id::BodyId;
use crate::motion::{FingerprintWalk, Motion};
use crate::time::{Moment, Span};
use crate::tuning;
use crate::world::World;

/// Fewest keys of a body that [`ScenePositions`] and fingerprints hold at once.
const FEWEST_KEYS: usize = 8;

/// Which part of the motions of a scene is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part<'a> {
    /// Times at which reduced bodies have their true positions too, seconds.
    pub(crate) exact: &'a [f64],
    /// First and last second; all keys without. Motion outside of it is another, except where the
    /// plan begins.
    pub(crate) span: Option<[f64; 2]>,
    /// The shapes of idle trees, as far as they are known.
    pub(crate) trees: Option<&'a TreeShapes>,
}

/// By body of a scene, the shape of its tree, if that is idle.
#[derive(Debug, Default)]
pub(crate) struct TreeShapes(Vec<Option<Topology>>);

impl TreeShapes {
    /// Those of a world of the scene, by the bodies' ids in it.
    pub(crate) fn of_world(world: &World, ids: impl Iterator<Item = BodyId>) -> Self {
        Self(ids.map(|id| world.idle_shape(id)).collect())
    }

    pub(super) fn of(&self, body: usize) -> Option<Topology> {
        self.0.get(body).cloned().flatten()
    }
}

impl Part<'_> {
    /// Key times and positions of a body that has keys, in seconds and metres.
    pub(super) fn keys(&self, body: &SceneBody) -> Result<(Vec<f64>, Vec<[f32; 3]>), SceneWorldError> {
        let times = body.motion.times();
        let around = self.span.filter(|_| is_divisible(body)).map_or(0..times.len(), |span| keys_around(times, span));
        let row = 3 * body.mesh.positions.len();
        let mut positions = Vec::new();
        // The first key is where the body is at rest.
        for keys in [0..usize::from(around.start > 0), around.clone()] {
            match &body.motion {
                MotionData::Keyframes { positions: all, .. } => {
                    let end = if keys.end == times.len() { all.len() } else { (keys.end * row).min(all.len()) };
                    let points = &all[(keys.start * row).min(end)..end];
                    positions.extend_from_slice(points.as_chunks::<3>().0);
                }
                MotionData::Cached { frames, .. } => {
                    frames.append(keys, &mut positions)?;
                }
                _ => {}
            }
        }
        let first = times.first().copied().filter(|_| around.start > 0);
        Ok((first.into_iter().chain(times[around].iter().copied()).collect(), positions))
    }
}

/// Whether a part of the keys is enough to know a part of the motion.
fn is_divisible(body: &SceneBody) -> bool {
    // Rounds of a loop need all keys.
    matches!(body.motion, MotionData::Keyframes { .. } | MotionData::Cached { .. }) && body.outside != Outside::Loop
}

/// Bytes of the positions of one key.
fn key_bytes(body: &SceneBody) -> usize {
    match &body.motion {
        MotionData::Cached { frames, .. } => frames.frame_bytes(),
        _ => body.mesh.positions.len().saturating_mul(12),
    }
    .max(1)
}

/// The keys between which a span lies, and one more before it: at its begin, the interval that ends
/// there counts.
fn keys_around(times: &[f64], [begin, end]: [f64; 2]) -> Range<usize> {
    let first = times.partition_point(|&key| key <= begin).saturating_sub(2);
    let last = times.partition_point(|&key| key < end).saturating_add(1).min(times.len());
    first.min(last.saturating_sub(1))..last
}

/// Keys of a body that are held at once, at least `fewest`.
fn keys_at_once(body: &SceneBody, fewest: usize) -> usize {
    (tuning::KEY_BYTES_AT_ONCE / key_bytes(body)).max(fewest)
}

impl Scene {
    /// Into how many parts a span is divided, so that the keys of each are few.
    pub(crate) fn parts(&self, span: [f64; 2]) -> usize {
        let parts = |body: &SceneBody| {
            let keys = keys_around(body.motion.times(), span).len();
            keys.div_ceil(keys_at_once(body, tuning::FEWEST_KEYS_OF_A_PART))
        };
        self.bodies.iter().filter(|body| is_divisible(body)).map(parts).max().unwrap_or(1).max(1)
    }

    /// Whether a world of a part of the time, seconds, has a part of the keys of a body only;
    /// whether worlds of any part may, if none is named.
    pub(crate) fn is_divided(&self, body: usize, part: Option<[f64; 2]>) -> bool {
        let body = &self.bodies[body];
        let times = body.motion.times();
        is_divisible(body) && part.is_none_or(|part| keys_around(times, part) != (0..times.len()))
    }

    /// Fingerprints of the motion of a body over spans, as [`Motion::fingerprint`] has them, with
    /// few keys held at once; `None` for a body that is never divided. O(keys × vertices).
    pub(crate) fn fingerprints(&self, body: usize, spans: &[[f64; 2]]) -> Result<Option<Vec<u64>>, SceneWorldError> {
        let found = &self.bodies[body];
        if !is_divisible(found) {
            return Ok(None);
        }
        let mut walks: Vec<FingerprintWalk> =
            spans.iter().map(|&[begin, end]| FingerprintWalk::new(begin, end)).collect();
        let times = found.motion.times();
        let step = keys_at_once(found, FEWEST_KEYS);
        let inner = times.iter().copied().skip(step).step_by(step);
        let cuts: Vec<f64> = [f64::NEG_INFINITY].into_iter().chain(inner).chain([f64::INFINITY]).collect();
        for ends in cuts.windows(2) {
            let mut wanted: Vec<&mut FingerprintWalk> =
                walks.iter_mut().filter(|walk| walk.needs(ends[0], ends[1])).collect();
            if wanted.is_empty() {
                continue;
            }
            let span = Some([ends[0], ends[1]]);
            let motion = self.motion(body, times.first().copied().unwrap_or(0.0), Part { span, ..Part::default() })?;
            FingerprintWalk::follow_all(&mut wanted, &motion, ends[1]);
        }
        Ok(Some(walks.iter().map(FingerprintWalk::value).collect()))
    }
}

/// Where the vertices of a scene's bodies are, at any time; of long clips few keys are held.
pub(crate) struct ScenePositions<'a> {
    scene: &'a Scene,
    start: f64,
    exact: &'a [f64],
    held: Vec<RefCell<Held>>,
    error: RefCell<Option<SceneWorldError>>,
}

/// What is held of a body.
struct Held {
    motion: Motion,
    /// Where the motion is that of the body, seconds.
    span: Span,
}

impl<'a> ScenePositions<'a> {
    /// Of bodies as a world started at `start` has them, seconds; reduced bodies have their true
    /// positions at the times of `exact` too.
    pub(crate) fn new(scene: &'a Scene, start: f64, exact: &'a [f64]) -> Result<Self, SceneWorldError> {
        let mut positions =
            Self { scene, start, exact, held: Vec::with_capacity(scene.bodies.len()), error: RefCell::default() };
        for body in 0..scene.bodies.len() {
            let held = positions.hold(body, start)?;
            positions.held.push(RefCell::new(held));
        }
        Ok(positions)
    }

    /// Positions of all vertices of a body at a time (seconds), metres. Of a file that can no
    /// longer be read those held are used, and [`Self::finish`] tells.
    pub(crate) fn at(&self, body: usize, time: f64) -> Vec<[f64; 3]> {
        let mut held = self.held[body].borrow_mut();
        if !held.span.contains(time) {
            match self.hold(body, time) {
                Ok(other) => *held = other,
                Err(error) => {
                    self.error.borrow_mut().get_or_insert(error);
                }
            }
        }
        let mut positions = Vec::new();
        held.motion.positions(Moment::at(time), &mut positions);
        positions
    }

    /// Whether all positions were those of the scene.
    ///
    /// # Errors
    /// The first file that could not be read.
    pub(crate) fn finish(self) -> Result<(), SceneWorldError> {
        self.error.into_inner().map_or(Ok(()), Err)
    }

    fn hold(&self, body: usize, time: f64) -> Result<Held, SceneWorldError> {
        let found = &self.scene.bodies[body];
        let times = found.motion.times();
        if !is_divisible(found) || times.is_empty() {
            let motion = self.scene.motion(body, self.start, Part { exact: self.exact, ..Part::default() })?;
            return Ok(Held { motion, span: Span { begin: f64::NEG_INFINITY, end: f64::INFINITY } });
        }
        // Blocks of keys that do not depend on the time, so that neighbouring times share one.
        let count = keys_at_once(found, FEWEST_KEYS);
        let block = times.partition_point(|&key| key <= time).saturating_sub(1) / count;
        let begin = if block == 0 { f64::NEG_INFINITY } else { times[block * count] };
        let end = times.get((block + 1) * count).copied().unwrap_or(f64::INFINITY);
        let motion = self.scene.motion(body, self.start, Part { span: Some([begin, end]), ..Part::default() })?;
        Ok(Held { motion, span: Span { begin, end } })
    }
}
