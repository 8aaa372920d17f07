//! Gathering the positions of one key into the order of points.

use super::track::Points;
use crate::limits;
use crate::motion::MotionError;

/// Bounds on what was gathered, for the slack.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spread {
    /// Largest coordinate, metres.
    pub(crate) coordinate: f64,
    /// Largest difference to the points before, along an axis, metres.
    pub(crate) step: f64,
}

/// What a pass over points finds, lane by lane.
#[derive(Clone, Copy)]
struct Sizes {
    largest: [f32; 4],
    step: [f32; 4],
    /// 0, or not a number once a coordinate is not finite.
    poison: [f32; 4],
}

impl Sizes {
    const NONE: Self = Self { largest: [0.0; 4], step: [0.0; 4], poison: [0.0; 4] };

    /// Plain loops over lanes become single instructions; `from_fn` does not.
    #[inline(always)]
    fn note(&mut self, before: &[f32; 4], after: &[f32; 4]) {
        for lane in 0..4 {
            let size = after[lane].abs();
            self.largest[lane] = if size > self.largest[lane] { size } else { self.largest[lane] };
        }
        for lane in 0..4 {
            let way = (after[lane] - before[lane]).abs();
            self.step[lane] = if way > self.step[lane] { way } else { self.step[lane] };
        }
        for lane in 0..4 {
            self.poison[lane] += after[lane] * 0.0;
        }
    }

    fn spread(&self) -> Spread {
        let most = |lanes: [f32; 4]| f64::from(lanes.into_iter().fold(0.0, f32::max));
        Spread { coordinate: most(self.largest), step: most(self.step) }
    }
}

/// Points that are measured together.
const BLOCK: usize = 512;

/// Copies the positions of `vertices` into `out`; the fourth lane is 0. `before` are the same
/// points at another time, or none. O(vertices).
///
/// # Errors
/// A coordinate that no flightplan may have.
pub(crate) fn gather(
    positions: &[[f32; 3]],
    vertices: &[u32],
    before: &[[f32; 4]],
    out: &mut Points,
) -> Result<Spread, MotionError> {
    let mut sizes = Sizes::NONE;
    out.resize(vertices.len(), [0.0; 4]);
    // Block by block, so that what was read out of order and from far away is still near when it is
    // measured.
    for (block, (out, vertices)) in out.chunks_mut(BLOCK).zip(vertices.chunks(BLOCK)).enumerate() {
        for (out, &vertex) in out.iter_mut().zip(vertices) {
            let [x, y, z] = positions[vertex as usize];
            *out = [x, y, z, 0.0];
        }
        match before.get(block * BLOCK..block * BLOCK + out.len()) {
            Some(before) => out.iter().zip(before).for_each(|(point, before)| sizes.note(before, point)),
            None => out.iter().for_each(|point| sizes.note(point, point)),
        }
    }
    let spread = sizes.spread();
    if sizes.poison == [0.0; 4] && spread.coordinate <= limits::MAX_COORDINATE {
        return Ok(spread);
    }
    let is_bad = |x: &f32| !(f64::from(x.abs()) <= limits::MAX_COORDINATE);
    let point = out.iter().position(|point| point.iter().any(is_bad)).unwrap_or(0);
    let axis = out[point].iter().position(is_bad).unwrap_or(0);
    Err(MotionError::BadCoordinate { key: 0, vertex: vertices[point], axis, value: f64::from(out[point][axis]) })
}

/// The largest coordinate, and the largest step from other positions of the same points.
pub(crate) fn reach(before: &[[f32; 4]], after: &[[f32; 4]]) -> Spread {
    let mut sizes = Sizes::NONE;
    after.iter().zip(before).for_each(|(after, before)| sizes.note(before, after));
    sizes.spread()
}
