//! Points of a patch by de Boor's recursion in homogeneous coordinates.
//!
//! All steps are convex combinations: with positive weights each has relative errors of a few
//! roundings. The result is off by at most about 3 (p + q) + 4 units in the last place of the
//! largest coordinate of the span's control points. It is then clamped to their box, which contains
//! the true point.

use super::{PatchError, Patches, Primitives};
use crate::limits;
use crate::math::Aabb;

/// x, y, z, each times the weight, and the weight.
type Homogeneous = [f64; 4];

impl Patches {
    /// The point of a span at parameters from 0 (where the span begins) to 1 (where it ends), along
    /// u and v; values outside are moved to the nearer end. `control` holds the places of the
    /// span's control points, in the order of `Primitives::points_of`. O(p q (p + q)).
    ///
    /// # Errors
    /// [`PatchError::NoSuchSpan`], [`PatchError::PlaceCount`].
    pub fn evaluate(&self, span: u32, [s, t]: [f64; 2], control: &[[f64; 3]]) -> Result<[f64; 3], PatchError> {
        let (number, [at_u, at_v]) = self.at(span)?;
        let patch = &self.given[number as usize];
        let expected = self.points_of(span as usize).len();
        if control.len() != expected {
            return Err(PatchError::PlaceCount { span, expected, found: control.len() });
        }
        let weighted: Vec<Homogeneous> = control
            .iter()
            .zip(self.weights_of(span)?)
            .map(|(&[x, y, z], weight)| [x * weight, y * weight, z * weight, weight])
            .collect();
        let [p, q] = patch.degrees;
        let around = |knots: &'_ [f64], at: u32, degree: usize| -> Knots {
            let mut row = [0.0; 2 * limits::MAX_DEGREE];
            let first = at as usize + 1 - degree;
            row[..2 * degree].copy_from_slice(&knots[first..first + 2 * degree]);
            row
        };
        let knots_v = around(&patch.knots[1], at_v, q);
        let mut column: [Homogeneous; limits::MAX_DEGREE + 1] = [[0.0; 4]; limits::MAX_DEGREE + 1];
        for (row, points) in weighted.chunks_exact(q + 1).enumerate() {
            let mut points_of_row = column;
            points_of_row[..=q].copy_from_slice(points);
            column[row] = de_boor(&mut points_of_row[..=q], &knots_v, q, t);
        }
        let [x, y, z, weight] = de_boor(&mut column[..=p], &around(&patch.knots[0], at_u, p), p, s);
        let bounds = Aabb::of_points(control);
        let point = [x / weight, y / weight, z / weight];
        Ok(std::array::from_fn(|axis| point[axis].max(bounds.min[axis]).min(bounds.max[axis])))
    }
}

/// The 2 × degree knots around a span: its ends are numbers degree − 1 and degree.
type Knots = [f64; 2 * limits::MAX_DEGREE];

/// Returns the point of a curve at a parameter of the span, 0 to 1, from the span's degree + 1
/// control points.
fn de_boor(points: &mut [Homogeneous], knots: &Knots, degree: usize, share: f64) -> Homogeneous {
    let (begin, end) = (knots[degree - 1], knots[degree]);
    let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
    let parameter = (begin + share * (end - begin)).min(end);
    for round in 1..=degree {
        for place in (round..=degree).rev() {
            let (low, high) = (knots[place - 1], knots[place + degree - round]);
            let part = (parameter - low) / (high - low);
            let before = points[place - 1];
            let here = &mut points[place];
            for k in 0..4 {
                here[k] = (1.0 - part) * before[k] + part * here[k];
            }
        }
    }
    points[degree]
}
