//! Watertight ray–triangle test.
//!
//! Vertices are translated so that the ray starts at the origin, which rounds each coordinate once;
//! all later decisions are exact. A translated vertex depends only on the vertex and the ray, so
//! triangles that share a vertex still share it. The ray is thus tested exactly against a mesh of
//! the same connectivity whose vertices moved by at most half a unit in the last place. No ray
//! passes between two translated triangles at their common edge, nor through a closed fan around a
//! vertex.
//!
//! At the border of the mesh, or next to a triangle without area, a ray within that rounding may
//! fall on either side. A triangle without area is never hit, so it cannot close the slit that the
//! translation may open. If origin and vertices are f32 values whose nonzero magnitudes lie within
//! a factor 2²⁷, the translation is exact, and so is the decision.
//!
//! Side tests: with p, q, r relative to the origin, det(d, p, q), det(d, q, r), det(d, r, p) are
//! proportional to the barycentric coordinates of the point where the ray's line crosses the plane;
//! the line meets the closed triangle if and only if no two have opposite signs. All three vanish
//! only for a ray within the plane; it is then cut with the triangle in 2D.
//!
//! The parameter is a rounded quotient, clamped to the range of the vertices' own parameters, which
//! bounds its error for grazing rays.
//!
//! Cost: constant; two or three exact orientations if the ray misses, four and up to three in 2D on
//! a hit. Follows S. Woop, C. Benthin and I. Wald, "Watertight Ray/Triangle Intersection" (2013),
//! in sharing the translated vertex. Departs from it in using no shear, as the predicates are exact
//! in 3D.

use super::{Point, area_sign, faithful_projection, sign, volume_sign};
use crate::math::vector::{cross, dot, minus};

const START: Point = [0.0; 3];

/// Returns the first hit of a ray on a closed triangle, from either side, as a multiple of
/// `direction`.
///
/// Origin and triangle in metres, `direction` in any unit and of any length but zero; the point is
/// `origin + t * direction` with `0 <= t <= max_distance`. All components must be zero or have a
/// magnitude in [2⁻²⁰⁰, 2¹³⁰].
///
/// Edges and vertices belong to the triangle. A ray in the triangle's plane hits at its entry; an
/// origin in the triangle gives exactly 0. Triangles without area never hit.
///
/// Hit or miss follows from exact signs, after one rounding of each vertex relative to the origin.
/// That rounding is the same for all triangles that share the vertex, so no ray passes between two
/// triangles at their common edge. The returned parameter is rounded: more so the flatter the ray
/// meets the plane, but never beyond the triangle's own extent along the ray. The comparison with
/// `max_distance` uses the rounded value.
///
/// Returns `None` for a zero `direction` and for a `max_distance` that is negative or NaN; infinity
/// means no limit. Does not panic; NaN or infinite coordinates give a meaningless answer.
///
/// ```
/// use kinetree::narrow::ray_hits_triangle;
///
/// let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
/// let down = [0.0, 0.0, -2.0];
/// assert_eq!(ray_hits_triangle([1.0, 1.0, 3.0], down, f64::INFINITY, &floor), Some(1.5));
/// assert_eq!(ray_hits_triangle([1.0, 1.0, 3.0], down, 1.0, &floor), None);
/// ```
#[must_use]
pub fn ray_hits_triangle(
    origin: [f64; 3],
    direction: [f64; 3],
    max_distance: f64,
    triangle: &[[f64; 3]; 3],
) -> Option<f64> {
    if max_distance.is_nan() || max_distance < 0.0 {
        return None;
    }
    let [p, q, r] = triangle.map(|vertex| minus(&vertex, &origin));
    let turn = |from: &Point, to: &Point| volume_sign(&direction, from, to, &START);
    let pq = turn(&p, &q);
    let qr = turn(&q, &r);
    if pq * qr < 0 {
        return None;
    }
    let rp = turn(&r, &p);
    if rp * (pq + qr) < 0 {
        return None;
    }
    faithful_projection(&triangle[0], &triangle[1], &triangle[2])?;
    // The sum of the three determinants is direction · normal, so this is its sign.
    let facing = (pq + qr + rp).signum();
    if facing == 0 {
        let parameter = enter_edge_on(&direction, &[p, q, r])?;
        return (parameter <= max_distance).then_some(parameter);
    }
    let height = facing * volume_sign(&p, &q, &r, &START);
    if height <= 0 {
        return (height == 0).then_some(0.0);
    }
    let normal = cross(&minus(&triangle[1], &triangle[0]), &minus(&triangle[2], &triangle[0]));
    let length = dot(&direction, &direction);
    let along = [&p, &q, &r].map(|vertex| dot(vertex, &direction) / length);
    let parameter = clamp_to(&along, dot(&normal, &p) / dot(&normal, &direction));
    (parameter <= max_distance).then_some(parameter)
}

/// First parameter at which a ray from the origin is in an origin-relative triangle coplanar with
/// it.
///
/// The line meets an edge pq at t = (p × q) / (d × (q − p)), in 2D; its sign is known exactly.
#[cold]
#[inline(never)]
fn enter_edge_on(direction: &Point, triangle: &[Point; 3]) -> Option<f64> {
    if *direction == START {
        return None;
    }
    let [p, q, r] = triangle;
    let projection = faithful_projection(p, q, r)?;
    let length = dot(direction, direction);
    let mut behind = false;
    let mut ahead: Option<f64> = None;
    for (from, to) in [(p, q), (q, r), (r, p)] {
        let side_from = area_sign(projection, direction, from, &START);
        let side_to = area_sign(projection, direction, to, &START);
        // An edge within the line is skipped: the other two edges begin where it ends.
        if side_from == side_to {
            continue;
        }
        match area_sign(projection, from, to, &START) * (side_to - side_from).signum() {
            0 => return Some(0.0),
            1 => {
                let wedge = |a: &Point, b: &Point| {
                    let (i, j) = projection;
                    a[i] * b[j] - a[j] * b[i]
                };
                let step = minus(to, from);
                let along = [from, to].map(|end| dot(end, direction) / length);
                let parameter = clamp_to(&along, wedge(from, &step) / wedge(direction, &step));
                if ahead.is_none_or(|nearest| parameter < nearest) {
                    ahead = Some(parameter);
                }
            }
            _ => behind = true,
        }
    }
    // Crossings on both sides: the origin is inside.
    if behind { ahead.map(|_| 0.0) } else { ahead }
}

/// The value moved into the range of `bounds` and not below zero; NaN becomes the lower end.
fn clamp_to(bounds: &[f64], value: f64) -> f64 {
    let low = bounds.iter().copied().fold(f64::INFINITY, f64::min);
    let high = bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let value = if value > low { value } else { low };
    let value = if value < high { value } else { high };
    if sign(value) > 0 { value } else { 0.0 }
}
