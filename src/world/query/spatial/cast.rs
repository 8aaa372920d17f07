//! Rays and moving spheres: the first triangle or ball they meet.

use std::cell::Cell;

use crate::bvh::Visits;
use crate::id::BodyId;
use crate::limits;
use crate::math::vector::{along, minus, unit};
use crate::narrow::ray_hits_triangle;
use crate::world::query::spatial::shapes::{
    foot_weights, line_weights, normal_towards, sphere_hits_ball, sphere_hits_triangle,
};
use crate::world::query::spatial::{Query, usable};

/// Where a ray, or a sphere that moves along one, first meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RayHit {
    /// The body.
    pub body: BodyId,
    /// Its triangle, or its sphere.
    pub triangle: u32,
    /// How far along the ray, in lengths of its direction (rounded).
    pub distance: f64,
    /// The point of the body that is met, metres.
    pub point: [f64; 3],
    /// Unit normal at that point. Of a ray: that of the triangle, on the side from which the ray
    /// comes. Of a moving sphere: towards its centre. `None` where there is none: a ball met from
    /// inside, a centre on the surface.
    pub normal: Option<[f64; 3]>,
    /// The weights of the triangle's corners that give the point: at least 0, with sum 1. Zeros for
    /// a ball.
    pub barycentric: [f64; 3],
}

impl Query<'_> {
    /// Returns the first triangle or ball that a ray meets, at most `reach` lengths of `direction`
    /// from `origin`.
    ///
    /// Both sides of a triangle count; balls are solid, and met at once by a ray that begins
    /// inside. Hit or miss is decided as by [`ray_hits_triangle`]: no ray passes between two
    /// triangles at their common edge. Triangles without area are not met, nor are points and
    /// segments. Of equally near triangles the first by body and number is returned. A ray that is
    /// not finite meets nothing, nor does one whose direction is shorter than 10⁻¹⁵⁰ or longer than
    /// 10¹⁵⁰.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let hit = world.query().cast_ray([0.25, 0.5, 3.0], [0.0, 0.0, -2.0], 10.0).expect("the ball is above the floor");
    /// assert_eq!((hit.body, hit.distance, hit.barycentric), (ball, 1.0, [0.25, 0.25, 0.5]));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn cast_ray(&self, origin: impl Into<[f64; 3]>, direction: impl Into<[f64; 3]>, reach: f64) -> Option<RayHit> {
        self.ray(origin.into(), direction.into(), reach).0
    }

    /// Returns the first triangle or ball that a sphere meets whose centre moves from `origin`
    /// along `direction`, at most `reach` lengths of it. Metres.
    ///
    /// A sphere that overlaps a body at its start meets it at distance 0, at the nearest point.
    /// Triangles without area, points and segments are met too. Distances are rounded: at a hit,
    /// the sphere and the triangle are apart, or overlap, by about 2⁻⁴⁰ times the largest
    /// coordinate at most, more for triangles with angles below 10⁻⁴ radians. Of equally near
    /// triangles the first by body and number is returned. A radius that is not a number of at
    /// least 0 finds nothing.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let hit = world.query().cast_sphere([0.25, 0.25, 3.0], 0.5, [0.0, 0.0, -1.0], 10.0).expect("the ball is below");
    /// assert_eq!((hit.body, hit.distance, hit.point), (ball, 1.5, [0.25, 0.25, 1.0]));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn cast_sphere(
        &self,
        origin: impl Into<[f64; 3]>,
        radius: f64,
        direction: impl Into<[f64; 3]>,
        reach: f64,
    ) -> Option<RayHit> {
        let (origin, direction) = (usable(origin.into())?, usable(direction.into())?);
        if !(radius >= 0.0 && radius.is_finite() && reach >= 0.0) {
            return None;
        }
        let mut nearest: Option<RayHit> = None;
        for (id, body) in self.bodies() {
            let limit = Cell::new(nearest.map_or(reach, |hit| hit.distance));
            self.visit(
                (id, body),
                |node| node.grown(radius).entry(origin, direction, limit.get()).is_some(),
                |triangle| {
                    let hit = if let Some(ball) = self.ball(body, triangle) {
                        sphere_hits_ball(origin, radius, direction, limit.get(), &ball).map(|distance| {
                            let centre = along(&origin, &direction, distance);
                            let normal = unit(&minus(&centre, &ball.centre));
                            let point = normal.map_or(ball.centre, |normal| along(&ball.centre, &normal, ball.radius));
                            RayHit { body: id, triangle, distance, point, normal, barycentric: [0.0; 3] }
                        })
                    } else {
                        let corners = self.corners((id, body), triangle);
                        sphere_hits_triangle(origin, radius, direction, limit.get(), &corners).map(|distance| {
                            let centre = along(&origin, &direction, distance);
                            let (point, barycentric) = foot_weights(&centre, &corners);
                            let normal = unit(&minus(&centre, &point));
                            RayHit { body: id, triangle, distance, point, normal, barycentric }
                        })
                    };
                    keep_first(&mut nearest, &limit, hit);
                },
            );
        }
        nearest
    }

    /// The first hit of a ray, and the cost.
    pub(crate) fn ray(&self, origin: [f64; 3], direction: [f64; 3], reach: f64) -> (Option<RayHit>, Visits) {
        let mut nearest: Option<RayHit> = None;
        let mut visits = Visits::default();
        // Lengths are counted in the direction's own.
        let square: f64 = direction.iter().map(|x| x * x).sum();
        if !origin.iter().all(|x| x.abs() <= limits::MAX_COORDINATE) || !square.is_normal() || !(reach >= 0.0) {
            return (None, visits);
        }
        for (id, body) in self.bodies() {
            let limit = Cell::new(nearest.map_or(reach, |hit| hit.distance));
            let cost = self.visit(
                (id, body),
                |node| node.entry(origin, direction, limit.get()).is_some(),
                |triangle| {
                    let hit = if let Some(ball) = self.ball(body, triangle) {
                        body.ray_hits_sphere(triangle, (origin, direction), limit.get(), self.at).map(|distance| {
                            let point = along(&origin, &direction, distance);
                            let normal = if distance > 0.0 { unit(&minus(&point, &ball.centre)) } else { None };
                            RayHit { body: id, triangle, distance, point, normal, barycentric: [0.0; 3] }
                        })
                    } else {
                        let corners = self.corners((id, body), triangle);
                        ray_hits_triangle(origin, direction, limit.get(), &corners).map(|distance| {
                            let (point, barycentric) = line_weights(&along(&origin, &direction, distance), &corners);
                            let normal = normal_towards(&corners, &direction.map(|x| -x));
                            RayHit { body: id, triangle, distance, point, normal, barycentric }
                        })
                    };
                    keep_first(&mut nearest, &limit, hit);
                },
            );
            visits.nodes += cost.nodes;
            visits.leaves += cost.leaves;
        }
        (nearest, visits)
    }
}

/// Keeps the first hit; of equally near ones the first by body and number.
pub(super) fn keep_first(nearest: &mut Option<RayHit>, limit: &Cell<f64>, hit: Option<RayHit>) {
    let Some(hit) = hit else { return };
    let order = |hit: &RayHit| (hit.distance, hit.body, hit.triangle);
    if nearest.is_none_or(|best| order(&hit) < order(&best)) {
        limit.set(hit.distance);
        *nearest = Some(hit);
    }
}
