//! Boxes, capsules and convex hulls: what they overlap, and the first triangle or ball they meet.

use std::cell::Cell;

use crate::id::BodyId;
use crate::math::Aabb;
use crate::math::vector::{along, largest, minus};
use crate::world::query::spatial::cast::{RayHit, keep_first};
use crate::world::query::spatial::convex::Hull;
use crate::world::query::spatial::{Query, usable};

impl Query<'_> {
    /// Returns the first triangle or ball that a box meets whose centre moves from `centre` along
    /// `direction`, at most `reach` lengths of it. Metres.
    ///
    /// The box may be turned: `half_axes` are three vectors from its centre to the centres of its
    /// sides. Tolerance and cost are those of [`Query::cast_hull`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let half_axes = [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.5]];
    /// let hit = world.query().cast_box([0.25, 0.25, 3.0], &half_axes, [0.0, 0.0, -1.0], 10.0).expect("the ball is below");
    /// assert!(hit.body == ball && (hit.distance - 1.5).abs() < 1e-9);
    /// assert!(hit.normal.is_some_and(|normal| normal[2] > 0.999_999)); // Upwards, to the box.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn cast_box(
        &self,
        centre: impl Into<[f64; 3]>,
        half_axes: &[[f64; 3]; 3],
        direction: impl Into<[f64; 3]>,
        reach: f64,
    ) -> Option<RayHit> {
        self.cast_hull(&box_corners(centre.into(), half_axes), 0.0, direction, reach)
    }

    /// Returns the first triangle or ball that a convex shape meets that moves along `direction`,
    /// at most `reach` lengths of it. Metres.
    ///
    /// The shape is the convex hull of `points`, and all within `radius` of it: one point gives a
    /// sphere, two a capsule, eight a box. Order and repetition of points do not matter; no point
    /// finds nothing.
    ///
    /// A shape that touches a body at its start meets it at distance 0, without a normal where
    /// they overlap. Otherwise `normal` points from the body towards the shape. Triangles without
    /// area, points and segments are met too; balls are solid. No hit is missed: a shape counts as
    /// touching where it is at most 2⁻³⁶ away, times its largest extent or the largest coordinate
    /// of the triangle, both seen from the first point. So a shape that slides along a surface
    /// meets it. Of equally near triangles the first by body and number is returned.
    ///
    /// O(points) per step of the search for each triangle whose box is met, mostly 2 to 6 steps.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// // A capsule 1 m long, 0.25 m thick on each side.
    /// let capsule = [[0.25, 0.25, 2.0], [0.25, 0.25, 3.0]];
    /// let hit = world.query().cast_hull(&capsule, 0.25, [0.0, 0.0, -1.0], 10.0).expect("the ball is below");
    /// assert!(hit.body == ball && (hit.distance - 0.75).abs() < 1e-9);
    /// assert!((hit.point[2] - 1.0).abs() < 1e-9); // Metres.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn cast_hull(
        &self,
        points: &[[f64; 3]],
        radius: f64,
        direction: impl Into<[f64; 3]>,
        reach: f64,
    ) -> Option<RayHit> {
        let (hull, direction) = (usable_hull(points, radius)?, usable(direction.into())?);
        if !(reach >= 0.0) {
            return None;
        }
        let mut nearest: Option<RayHit> = None;
        for (id, body) in self.bodies() {
            let limit = Cell::new(nearest.map_or(reach, |hit| hit.distance));
            self.visit(
                (id, body),
                |node| reachable(&hull, node).entry([0.0; 3], direction, limit.get()).is_some(),
                |triangle| {
                    let ball = self.ball(body, triangle);
                    let corners = ball.map_or_else(|| self.corners((id, body), triangle), |ball| [ball.centre; 3]);
                    let more = ball.map_or(0.0, |ball| ball.radius);
                    let hit = hull.first_touch(&direction, limit.get(), &corners, more).map(|touch| {
                        let middle =
                            |axis: usize| (0..3).map(|corner| touch.weights[corner] * corners[corner][axis]).sum();
                        let normal = touch.towards.map(|towards| towards.map(|x| -x));
                        let (point, barycentric) = match ball {
                            Some(ball) => (normal.map_or(ball.centre, |n| along(&ball.centre, &n, more)), [0.0; 3]),
                            None => (std::array::from_fn(middle), touch.weights),
                        };
                        RayHit { body: id, triangle, distance: touch.time, point, normal, barycentric }
                    });
                    keep_first(&mut nearest, &limit, hit);
                },
            );
        }
        nearest
    }

    /// Returns all triangles and balls that touch a convex shape, metres; sorted by body and
    /// number.
    ///
    /// The shape is that of [`Query::cast_hull`], with the same tolerance: none that touches it is
    /// missed. A turned box is the hull of its eight corners ([`Query::overlap_box`] is exact for
    /// boxes along the axes).
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let stick = [[0.25, 0.25, 0.25], [0.25, 0.25, 0.75]];
    /// assert_eq!(world.query().overlap_hull(&stick, 0.2), []);
    /// assert_eq!(world.query().overlap_hull(&stick, 0.25), [(floor, 0), (ball, 0)]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn overlap_hull(&self, points: &[[f64; 3]], radius: f64) -> Vec<(BodyId, u32)> {
        let Some(hull) = usable_hull(points, radius) else { return Vec::new() };
        let mut found = Vec::new();
        for (id, body) in self.bodies() {
            self.visit(
                (id, body),
                |node| reachable(&hull, node).contains(&[0.0; 3]),
                |triangle| {
                    let is_met = match self.ball(body, triangle) {
                        Some(ball) => hull.touches(&[ball.centre; 3], ball.radius),
                        None => hull.touches(&self.corners((id, body), triangle), 0.0),
                    };
                    if is_met {
                        found.push((id, triangle));
                    }
                },
            );
        }
        found.sort_unstable();
        found
    }
}

/// The corners of a box.
fn box_corners(centre: [f64; 3], half_axes: &[[f64; 3]; 3]) -> [[f64; 3]; 8] {
    std::array::from_fn(|bits| {
        let sign = |bit: usize| if bits >> bit & 1 == 1 { 1.0 } else { -1.0 };
        (0..3).fold(centre, |corner, axis| along(&corner, &half_axes[axis], sign(axis)))
    })
}

/// The hull of points within the range of the tests; `None` if there are none.
fn usable_hull(points: &[[f64; 3]], radius: f64) -> Option<Hull> {
    let points: Option<Vec<[f64; 3]>> = points.iter().map(|&point| usable(point)).collect();
    Hull::new(&points?, radius).filter(|_| radius >= 0.0 && radius.is_finite())
}

/// Where the first point of a hull may be, relative to where it is, if the hull is to touch what a
/// box holds.
fn reachable(hull: &Hull, node: &Aabb) -> Aabb {
    let [min, max] = [&node.min, &node.max].map(|side| minus(side, &hull.origin));
    let extent = largest(&[min, max]);
    Aabb { min: minus(&min, &hull.bounds.max), max: minus(&max, &hull.bounds.min) }
        .grown(hull.radius + 2.0 * hull.tolerance(extent))
}
