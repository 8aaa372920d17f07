//! First touch of balls: point and normal.

use super::{MovingSphere, Sphere};
use crate::math::vector::{Vector, cross, dot, minus, unit, unit_above};
use crate::narrow::intervals::touch::blend;
use crate::narrow::intervals::{ContactInterval, FirstTouch, MovingTriangle};
use crate::narrow::proximity::nearest;

/// Gaps shorter than this fraction of the largest coordinate or radius give no usable direction (no
/// unit).
const DIRECTION_FLOOR: f64 = 1e-12;

fn size(sphere: &Sphere) -> f64 {
    sphere.centre.iter().fold(sphere.radius, |most, x| most.max(x.abs()))
}

/// The displacement of a centre over the window.
fn motion(ball: &MovingSphere) -> Vector {
    minus(&ball.end.centre, &ball.begin.centre)
}

/// The middle between another point and the point at `radius` from the centre along a direction.
fn middle(centre: Vector, along: Vector, radius: f64, other: Vector) -> Vector {
    [0, 1, 2].map(|axis| 0.5 * (centre[axis] + along[axis] * radius) + 0.5 * other[axis])
}

/// Point and normal of the first touch in an interval of two balls; `a` and `b` must be the balls
/// of its computation.
///
/// The point is the middle between the nearest points of the two surfaces. The normal points from
/// the centre of `a` to that of `b`; if these coincide, against the approach. Rounded.
pub fn first_touch_of_spheres(interval: &ContactInterval, a: &MovingSphere, b: &MovingSphere) -> FirstTouch {
    let s = interval.begin.lo;
    let (p, q) = (a.at(s), b.at(s));
    let floor = DIRECTION_FLOOR * size(&p).max(size(&q));
    let normal = unit_above(&minus(&q.centre, &p.centre), floor)
        .or_else(|| unit(&minus(&motion(a), &motion(b))))
        .unwrap_or([0.0, 0.0, 1.0]);
    let far = [0, 1, 2].map(|axis| q.centre[axis] - normal[axis] * q.radius);
    FirstTouch { feature: interval.feature, point: middle(p.centre, normal, p.radius, far), normal }
}

/// Point and normal of the first touch of a ball `a` and a triangle; the normal points from the
/// ball to the triangle.
pub fn first_touch_with_triangle(
    interval: &ContactInterval,
    ball: &MovingSphere,
    triangle: &MovingTriangle,
) -> FirstTouch {
    let s = interval.begin.lo;
    let sphere = ball.at(s);
    let corners = [0, 1, 2].map(|corner| blend(triangle.begin[corner], triangle.end[corner], s));
    let weights = nearest(&[sphere.centre; 3], &corners).b;
    let foot: Vector = [0, 1, 2].map(|axis| (0..3).map(|k| weights[k] * corners[k][axis]).sum());
    let floor = DIRECTION_FLOOR * corners.iter().flatten().fold(size(&sphere), |most, x| most.max(x.abs()));
    let approach = minus(&motion(ball), &minus(&triangle.end[0], &triangle.begin[0]));
    let normal = unit_above(&minus(&foot, &sphere.centre), floor)
        .or_else(|| face_normal(&corners, approach))
        .or_else(|| unit(&approach))
        .unwrap_or([0.0, 0.0, 1.0]);
    FirstTouch { feature: interval.feature, point: middle(sphere.centre, normal, sphere.radius, foot), normal }
}

/// The normal of a triangle, on the side of the direction `towards`.
fn face_normal(corners: &[Vector; 3], towards: Vector) -> Option<Vector> {
    let (e, f) = (unit(&minus(&corners[1], &corners[0]))?, unit(&minus(&corners[2], &corners[0]))?);
    let normal = unit_above(&cross(&e, &f), DIRECTION_FLOOR)?;
    Some(if dot(&normal, &towards) < 0.0 { normal.map(|x| -x) } else { normal })
}
