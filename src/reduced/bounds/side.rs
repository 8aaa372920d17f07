//! One side of a body's box straight from its pose: the extremal certificate of a query whose bodies are far apart.

use super::BoundTree;
use super::combination::rest_at;
use crate::limits;
use crate::reduced::Pose;

impl BoundTree {
    /// A number that no vertex of a node is above along an axis (0, 1, 2) or, for 4, 5, 6, against it: lane by lane what
    /// [`Sides`](super::direct::Sides) are. Rounded outward. O(influences), and a sixth of what a box takes; parameters need not be laid out.
    ///
    /// `None` where that takes more than a row of each map: displaced, oriented or signed nodes.
    pub(super) fn side_of_pose(&self, node: u32, pose: &Pose, lane: usize) -> Option<f64> {
        let place = node as usize;
        if self.signed[place] || !self.turns.is_empty() || self.morph_starts[place] != self.morph_starts[place + 1] {
            return None;
        }
        let axis = lane & 3;
        let sign = if lane < 4 { 1.0 } else { -1.0 };
        let (mut base, mut size) = (0.0, 0.0f64);
        let (mut first, mut second, mut spread) = (f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0);
        let influences = self.influences_of(node);
        for influence in influences {
            let map = &pose.maps[influence.influence as usize];
            let columns = map.linear.as_slice();
            let (x, y, z) = (columns[axis], columns[axis + 3], columns[axis + 6]);
            let shift = map.shift.as_slice()[axis];
            let [a, b, c] = influence.rest.centre.map(f64::from);
            let [d, e, f] = influence.rest.half.map(f64::from);
            let middle = sign * (x * a + y * b + z * c + shift);
            let value = middle + (x.abs() * d + y.abs() * e + z.abs() * f);
            size = size.max((x.abs() + y.abs() + z.abs()) * self.reach + shift.abs());
            base += influence.low * value;
            // As in `sides_at_corner`: the second largest value is the level.
            let is_first = value > first;
            let loser = if is_first { first } else { value };
            second = if loser > second { loser } else { second };
            spread = if is_first { influence.spread } else { spread };
            first = if is_first { value } else { first };
        }
        if influences.len() == 1 {
            second = first;
        }
        let bound = base + rest_at(self.rests[place], second) + spread * (first - second);
        // As `slack`: numbers along other axes do not enter.
        let count = influences.len() + limits::REDUCED_STEPS;
        let slack = count as f64 * limits::REDUCED_ROUNDING * self.loads[place] * size + limits::FLUSH;
        let side = bound + slack;
        Some(if side.is_nan() { f64::INFINITY } else { side })
    }
}
