//! The nearest point of the bodies.

use std::cell::Cell;

use crate::id::BodyId;
use crate::math::vector::{along, length, minus, unit};
use crate::world::query::spatial::shapes::foot_weights;
use crate::world::query::spatial::{Query, usable};

/// The point of a body nearest to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NearestPoint {
    /// The body.
    pub body: BodyId,
    /// Its triangle, or its sphere.
    pub triangle: u32,
    /// Distance, metres; 0 inside of a ball.
    pub distance: f64,
    /// The nearest point, metres; inside of a ball, the queried point.
    pub point: [f64; 3],
    /// Unit vector from the nearest point to the queried one; `None` at distance 0.
    pub normal: Option<[f64; 3]>,
    /// The weights of the triangle's corners that give the point: at least 0, with sum 1. Zeros for
    /// a ball.
    pub barycentric: [f64; 3],
}

/// Share by which a box may be nearer than computed: three squares, two sums, rounded.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

impl Query<'_> {
    /// Returns the point of the bodies nearest to `point`, at most `reach` away; metres.
    ///
    /// Triangles without area, points and segments count. Balls are solid. Distances are rounded:
    /// the error is at most 2⁻⁴⁶ times the largest coordinate for triangles whose angles exceed
    /// 10⁻⁴ radians. Of equally near triangles the first by body and number is returned.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let near = world.query().nearest_point([0.25, 0.25, 0.125], f64::INFINITY).expect("there are bodies");
    /// assert_eq!((near.body, near.distance, near.point), (floor, 0.125, [0.25, 0.25, 0.0]));
    /// assert_eq!(near.normal, Some([0.0, 0.0, 1.0]));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn nearest_point(&self, point: impl Into<[f64; 3]>, reach: f64) -> Option<NearestPoint> {
        let point = usable(point.into())?;
        if !(reach >= 0.0) {
            return None;
        }
        let mut nearest: Option<NearestPoint> = None;
        for (id, body) in self.bodies() {
            let limit = Cell::new(nearest.map_or(reach, |hit| hit.distance));
            let is_near = |distance: f64| distance <= limit.get() * (1.0 + ROUNDING);
            self.visit(
                (id, body),
                |node| is_near(node.square_distance(&point).sqrt()),
                |triangle| {
                    let (foot, barycentric) = match self.ball(body, triangle) {
                        Some(ball) => {
                            let outward = minus(&point, &ball.centre);
                            let from_centre = length(&outward);
                            let share = ball.radius / from_centre;
                            // Inside, the queried point bit for bit.
                            let foot =
                                if from_centre > ball.radius { along(&ball.centre, &outward, share) } else { point };
                            (foot, [0.0; 3])
                        }
                        None => foot_weights(&point, &self.corners((id, body), triangle)),
                    };
                    let outward = minus(&point, &foot);
                    let distance = length(&outward);
                    let hit =
                        NearestPoint { body: id, triangle, distance, point: foot, normal: unit(&outward), barycentric };
                    let order = |hit: &NearestPoint| (hit.distance, hit.body, hit.triangle);
                    if distance <= reach && nearest.is_none_or(|best| order(&hit) < order(&best)) {
                        limit.set(distance);
                        nearest = Some(hit);
                    }
                },
            );
        }
        nearest
    }
}
