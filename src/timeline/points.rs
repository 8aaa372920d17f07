//! Gathering the positions of one key into the order of points.

use super::track::Points;
use crate::limits;
use crate::motion::MotionError;

/// Bounds on what was gathered, for the slack.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    /// Largest coordinate, metres.
    pub(super) coordinate: f64,
    /// Largest difference to the points before, along an axis, metres.
    pub(super) step: f64,
}

/// Copies the positions of `vertices` into `out`; the fourth lane is 0. O(vertices).
///
/// # Errors
/// A coordinate that no flightplan may have.
pub(super) fn gather(positions: &[[f32; 3]], vertices: &[u32], out: &mut Points) -> Result<(), MotionError> {
    out.clear();
    out.extend(vertices.iter().map(|&vertex| {
        let [x, y, z] = positions[vertex as usize];
        [x, y, z, 0.0]
    }));
    let mut is_good = [true; 4];
    for point in &*out {
        for lane in 0..4 {
            is_good[lane] &= f64::from(point[lane].abs()) <= limits::MAX_COORDINATE;
        }
    }
    if is_good == [true; 4] {
        return Ok(());
    }
    let is_bad = |x: &f32| !(f64::from(x.abs()) <= limits::MAX_COORDINATE);
    let point = out.iter().position(|point| point.iter().any(is_bad)).unwrap_or(0);
    let axis = out[point].iter().position(is_bad).unwrap_or(0);
    Err(MotionError::BadCoordinate { key: 0, vertex: vertices[point], axis, value: f64::from(out[point][axis]) })
}

/// The largest coordinate, and the largest step from other positions of the same points.
pub(super) fn reach(before: &Points, after: &Points) -> Spread {
    let (mut largest, mut step) = ([0.0f32; 4], [0.0f32; 4]);
    for (p, q) in before.iter().zip(after) {
        for lane in 0..4 {
            let (size, way) = (q[lane].abs(), (q[lane] - p[lane]).abs());
            largest[lane] = if size > largest[lane] { size } else { largest[lane] };
            step[lane] = if way > step[lane] { way } else { step[lane] };
        }
    }
    let most = |lanes: [f32; 4]| f64::from(lanes.into_iter().fold(0.0, f32::max));
    Spread { coordinate: most(largest), step: most(step) }
}
