//! Geometry of one triangle or ball, in `f64`: weights, normals, and when a moving sphere meets it.
//!
//! The points within a radius of a triangle are a prism over its face, and a capsule around each
//! edge: a cylinder and two balls. A sphere that begins apart first meets the triangle where its
//! centre enters one of these.

use crate::geometry::{Site, closest_on_triangle};
use crate::limits;
use crate::math::vector::{Vector, along, cross, dot, largest, length, minus, unit};
use crate::motion::Sphere;

/// The unit normal of a triangle on the side of a direction.
pub(super) fn normal_towards([p, q, r]: &[Vector; 3], direction: &Vector) -> Option<Vector> {
    let normal = unit(&cross(&minus(q, p), &minus(r, p)))?;
    Some(if dot(&normal, direction) < 0.0 { normal.map(|x| -x) } else { normal })
}

/// The point of a triangle nearest to a point, and its weights.
pub(super) fn foot_weights(point: &Vector, corners: &[Vector; 3]) -> (Vector, [f64; 3]) {
    let (foot, site) = closest_on_triangle(point, corners);
    let mut weights = [0.0; 3];
    match site {
        Site::Vertex(corner) => weights[corner as usize] = 1.0,
        Site::Edge(edge) => {
            let (from, to) = (edge as usize, (edge as usize + 1) % 3);
            let edge = minus(&corners[to], &corners[from]);
            let share = (dot(&minus(&foot, &corners[from]), &edge) / dot(&edge, &edge)).clamp(0.0, 1.0);
            (weights[from], weights[to]) = (1.0 - share, share);
        }
        Site::Face => weights = face_weights(&foot, corners),
    }
    (foot, weights)
}

/// A point near the plane of a triangle with area, moved onto the triangle, and its weights.
pub(super) fn line_weights(point: &Vector, corners: &[Vector; 3]) -> (Vector, [f64; 3]) {
    let weights = face_weights(point, corners);
    let sum = |axis: usize| (0..3).map(|corner| weights[corner] * corners[corner][axis]).sum();
    (std::array::from_fn(sum), weights)
}

/// Weights of the corners, at least 0 and with sum 1, of a point near the plane of a triangle with
/// area.
fn face_weights(point: &Vector, [p, q, r]: &[Vector; 3]) -> [f64; 3] {
    let (u, v, w) = (minus(q, p), minus(r, p), minus(point, p));
    let normal = cross(&u, &v);
    let square = dot(&normal, &normal);
    if !(square > 0.0) {
        return [1.0, 0.0, 0.0];
    }
    let second = (dot(&cross(&w, &v), &normal) / square).clamp(0.0, 1.0);
    let third = (dot(&cross(&u, &w), &normal) / square).clamp(0.0, 1.0 - second);
    [1.0 - second - third, second, third]
}

/// How far a way may pass an edge or a corner and still graze it, metres: less could let a thin
/// sphere slip through two triangles at their common edge.
fn graze(vectors: &[Vector]) -> f64 {
    limits::DISTANCE_ROUNDING * largest(vectors)
}

/// When a sphere that moves meets a ball, in lengths of its direction, at most `limit`.
pub(super) fn sphere_hits_ball(
    origin: Vector,
    radius: f64,
    direction: Vector,
    limit: f64,
    ball: &Sphere,
) -> Option<f64> {
    let slack = graze(&[origin, ball.centre]);
    enters_ball(&minus(&origin, &ball.centre), &direction, radius + ball.radius, slack).filter(|&time| time <= limit)
}

/// When a sphere that moves meets a triangle, in lengths of its direction, at most `limit`.
pub(super) fn sphere_hits_triangle(
    origin: Vector,
    radius: f64,
    direction: Vector,
    limit: f64,
    corners: &[Vector; 3],
) -> Option<f64> {
    let (foot, _) = closest_on_triangle(&origin, corners);
    if length(&minus(&origin, &foot)) <= radius {
        return Some(0.0);
    }
    let slack = graze(&[origin]).max(graze(corners));
    let edges = [[0, 1], [1, 2], [2, 0]].map(|ends| ends.map(|corner| corners[corner]));
    let on_edges = edges.iter().filter_map(|[p, q]| enters_cylinder(&origin, &direction, p, q, radius, slack));
    let at_corners =
        corners.iter().filter_map(|corner| enters_ball(&minus(&origin, corner), &direction, radius, slack));
    let on_face = enters_prism(&origin, &direction, corners, radius, slack);
    on_edges.chain(at_corners).chain(on_face).reduce(f64::min).filter(|&time| time <= limit)
}

/// When a point enters the ball of a radius around the origin; 0 if it begins there.
fn enters_ball(start: &Vector, direction: &Vector, radius: f64, slack: f64) -> Option<f64> {
    let distance = length(start);
    if distance <= radius {
        return Some(0.0);
    }
    let (square, ahead) = (dot(direction, direction), -dot(start, direction));
    if !(square > 0.0 && ahead > 0.0) {
        return None;
    }
    // Distances along the way, and of the way from the origin: a cross product, since the
    // discriminant of the quadratic equation would have half of its digits.
    let speed = square.sqrt();
    let (ahead, pass) = (ahead / speed, length(&cross(start, direction)) / speed);
    if pass >= radius {
        return (pass <= radius + slack).then_some(ahead / speed);
    }
    let half = ((radius - pass) * (radius + pass)).sqrt();
    // As the product of both roots over the larger one: nothing cancels.
    Some((distance - radius) * (distance + radius) / (ahead + half) / speed)
}

/// When a point enters the cylinder around a segment, between its ends; 0 if it begins there.
fn enters_cylinder(start: &Vector, direction: &Vector, p: &Vector, q: &Vector, radius: f64, slack: f64) -> Option<f64> {
    let (axis, from) = (minus(q, p), minus(start, p));
    let square = dot(&axis, &axis);
    if !(square > 0.0) {
        return None;
    }
    let across = |vector: &Vector| along(vector, &axis, -dot(vector, &axis) / square);
    let time = enters_ball(&across(&from), &across(direction), radius, slack)?;
    let share = dot(&along(&from, direction, time), &axis);
    // It may enter through an end.
    (0.0..=square).contains(&share).then_some(time)
}

/// When a point enters the prism over a triangle's face, through its upper or its lower side; 0 if
/// it begins on one up to rounding.
fn enters_prism(start: &Vector, direction: &Vector, corners: &[Vector; 3], radius: f64, slack: f64) -> Option<f64> {
    let [p, q, r] = corners;
    let normal = unit(&cross(&minus(q, p), &minus(r, p)))?;
    let height = dot(&minus(start, p), &normal);
    let side = if height < 0.0 { -1.0 } else { 1.0 };
    let speed = side * dot(direction, &normal);
    let above = height.abs() - radius;
    if above < -slack || !(speed < 0.0) {
        return None;
    }
    let time = above.max(0.0) / -speed;
    let foot = along(&along(start, direction, time), &normal, -side * radius);
    let is_within = |from: &Vector, to: &Vector| dot(&cross(&minus(to, from), &minus(&foot, from)), &normal) >= 0.0;
    (is_within(p, q) && is_within(q, r) && is_within(r, p)).then_some(time)
}
