//! One side of a body's box directly from its pose: the extremal certificate of a query between
//! distant bodies.

use super::BoundTree;
use super::combination::rest_at;
use super::tree::NodeInfluence;
use crate::limits;
use crate::reduced::{Pose, ReducedError};

/// All data of a side of a whole body, contiguous: other data may have replaced them in the caches
/// since the last pose.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Root<'a> {
    influences: &'a [NodeInfluence],
    rest: [f64; 2],
    /// The reference point of rest boxes, metres.
    middle: [f64; 3],
    load: f64,
    reach: f64,
    maps: usize,
    morphs: usize,
    /// Whether one row of each map suffices. False for displaced, oriented, signed and spherically
    /// blended bodies.
    is_plain: bool,
}

impl<'a> Root<'a> {
    pub(super) fn new(tree: &'a BoundTree, is_spherical: bool) -> Self {
        Self {
            influences: tree.influences_of(0),
            rest: tree.rests[0],
            middle: tree.middle,
            load: tree.loads[0],
            reach: tree.reach,
            maps: tree.map_count,
            morphs: tree.morph_reach.len(),
            is_plain: !is_spherical && !tree.signed[0] && tree.turns.is_empty() && tree.morphs_of(0).is_empty(),
        }
    }

    /// Prefetches every cache line that the check of a pose and a side of it read. Without it each
    /// line would be awaited in turn when other data fill the caches.
    #[inline]
    pub(super) fn fetch(&self, pose: &Pose) {
        let mut sum = 0.0;
        for map in &pose.maps {
            sum += map.linear[0] + map.linear[6];
        }
        let low = self.influences.iter().fold(0.0, |sum, influence| sum + influence.low);
        std::hint::black_box((sum, low));
    }

    /// Checks that it is a pose of this body, with finite numbers.
    ///
    /// # Errors
    /// The fault of the pose.
    #[inline]
    pub(super) fn check(&self, pose: &Pose) -> Result<(), ReducedError> {
        pose.check(self.maps, self.morphs)
    }

    /// An upper bound of all vertices along an axis (0, 1, 2) or, for 4, 5, 6, against it: the lane
    /// of [`Sides`](super::direct::Sides). Rounded outward. O(influences), a sixth of the cost of a
    /// box; lays out nothing.
    ///
    /// Returns `None` if that needs more than a row of each map. The pose must have been checked.
    pub(super) fn side(&self, pose: &Pose, lane: usize) -> Option<f64> {
        if !self.is_plain {
            return None;
        }
        let axis = lane & 3;
        let sign = if lane < 4 { 1.0 } else { -1.0 };
        let (mut base, mut size) = (0.0, 0.0f64);
        let (mut first, mut second, mut spread) = (f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0);
        for influence in self.influences {
            let map = &pose.maps[influence.influence as usize];
            let columns = map.linear.as_slice();
            let (x, y, z) = (columns[axis], columns[axis + 3], columns[axis + 6]);
            let shift = map.shift.as_slice()[axis];
            let [a, b, c]: [f64; 3] = std::array::from_fn(|at| self.middle[at] + f64::from(influence.rest.centre[at]));
            let [d, e, f] = influence.rest.half.map(f64::from);
            let middle = sign * (x * a + y * b + z * c + shift);
            let value = middle + (x.abs() * d + y.abs() * e + z.abs() * f);
            let most = (x.abs() + y.abs() + z.abs()) * self.reach + shift.abs();
            size = if most > size { most } else { size };
            base += f64::from(influence.low) * value;
            // As in `sides_at_corner`: the second largest value is the level.
            let is_first = value > first;
            let loser = if is_first { first } else { value };
            second = if loser > second { loser } else { second };
            spread = if is_first { f64::from(influence.spread) } else { spread };
            first = if is_first { value } else { first };
        }
        if self.influences.len() == 1 {
            second = first;
        }
        let bound = base + rest_at(self.rest, second) + spread * (first - second);
        // Like the slack of boxes: numbers along other axes do not contribute.
        let count = self.influences.len() + limits::REDUCED_ROUNDING_STEPS;
        let side = bound + (count as f64 * limits::REDUCED_ROUNDING * self.load * size + limits::FLUSH);
        Some(if side.is_nan() { f64::INFINITY } else { side })
    }
}
