//! First touch of balls: point and normal.

use super::{MovingSphere, Sphere};
use crate::narrow::intervals::touch::blend;
use crate::narrow::intervals::{ContactInterval, FirstTouch, MovingTriangle};
use crate::narrow::proximity::nearest;

/// Gaps shorter than this fraction of the largest coordinate or radius give no usable direction (no
/// unit).
const DIRECTION_FLOOR: f64 = 1e-12;

type Vector = [f64; 3];

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Normalises `v`; `None` if it is not longer than `floor`.
fn unit(v: Vector, floor: f64) -> Option<Vector> {
    let largest = v.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    if !(largest > floor && largest.is_finite()) {
        return None;
    }
    let v = v.map(|x| x / largest);
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    Some(v.map(|x| x / length))
}

fn size(sphere: &Sphere) -> f64 {
    sphere.centre.iter().fold(sphere.radius, |most, x| most.max(x.abs()))
}

/// The displacement of a centre over the window.
fn motion(ball: &MovingSphere) -> Vector {
    minus(ball.end.centre, ball.begin.centre)
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
    let normal = unit(minus(q.centre, p.centre), floor)
        .or_else(|| unit(minus(motion(a), motion(b)), 0.0))
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
    let approach = minus(motion(ball), minus(triangle.end[0], triangle.begin[0]));
    let normal = unit(minus(foot, sphere.centre), floor)
        .or_else(|| face_normal(&corners, approach))
        .or_else(|| unit(approach, 0.0))
        .unwrap_or([0.0, 0.0, 1.0]);
    FirstTouch { feature: interval.feature, point: middle(sphere.centre, normal, sphere.radius, foot), normal }
}

/// The normal of a triangle, on the side of the direction `towards`.
fn face_normal(corners: &[Vector; 3], towards: Vector) -> Option<Vector> {
    let scaled = |v: Vector| unit(v, 0.0);
    let (e, f) = (scaled(minus(corners[1], corners[0]))?, scaled(minus(corners[2], corners[0]))?);
    let normal = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    let normal = unit(normal, DIRECTION_FLOOR)?;
    let side = (0..3).map(|axis| normal[axis] * towards[axis]).sum::<f64>();
    Some(if side < 0.0 { normal.map(|x| -x) } else { normal })
}
