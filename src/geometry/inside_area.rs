//! The area of the part of a triangle that lies inside of closed surfaces.
//!
//! Let w(x) be the winding number at a point x of the triangle T. It changes by 1 across each
//! segment in which a triangle of the body cuts T: a segment in the direction of n × m, the
//! product of the normals of T and of the cutting triangle, has the inside on its left. From an
//! inner point o of T,
//!
//! ∫ w dA = w(o) |T| − Σ (sector(s, e) − area(o, s, e)),
//!
//! summed over segments s → e. sector is the signed area of T between the rays from o through s and
//! e, and area that of the triangle. Segments in any order and with rounded ends will do.
//!
//! A plane of T that holds an edge of the body counts as moved by next to nothing against its
//! normal (`rests_above` in `crossing`), and o is moved likewise if T is coplanar with a triangle
//! of the body.

use super::crossing::{Triangle, unit_normal};
use super::resting::below;
use super::surface::Surface;
use crate::math::vector::{Vector, cross, dot, doubled_area, length, minus, plus, times};

/// Weights of the inner point. No simple ratio: edges of regular meshes do not pass through it.
const INNER: Vector = [0.407_531, 0.318_927, 0.273_542];

/// Returns the area of the part of `triangle` inside of the closed parts of `body`, square metres.
/// `segments` are all segments in which triangles of the body cut it, the inside on the left.
pub(super) fn area_inside(triangle: &Triangle, segments: &[[Vector; 2]], is_coplanar: bool, body: &Surface) -> f64 {
    let area = 0.5 * length(&doubled_area(triangle));
    let Some(normal) = unit_normal(triangle) else {
        return 0.0;
    };
    let origin = (0..3).fold([0.0; 3], |sum, corner| plus(&sum, &times(&triangle[corner], INNER[corner])));
    let turns = body.turns(&if is_coplanar { below(&origin, &normal, triangle) } else { origin });
    let corners = triangle.map(|corner| minus(&corner, &origin));
    let turn = |p: &Vector, q: &Vector| dot(&cross(p, q), &normal);
    let mut sum = f64::from(turns) * area;
    for segment in segments {
        let [s, e] = segment.map(|end| minus(&end, &origin));
        let swept = turn(&s, &e);
        let sector = if swept > 0.0 { sector(&corners, &s, &e, turn) } else { -sector(&corners, &e, &s, turn) };
        sum -= sector - 0.5 * swept;
    }
    sum.abs().min(area)
}

/// The area of a triangle around the origin within the cone from `s` counter-clockwise to `e`.
fn sector(corners: &Triangle, s: &Vector, e: &Vector, turn: impl Fn(&Vector, &Vector) -> f64) -> f64 {
    let is_in = |d: &Vector, from: &Vector, to: &Vector| turn(from, d) >= 0.0 && turn(d, to) >= 0.0;
    let mut sum = 0.0;
    for side in 0..3 {
        let (p, q) = (&corners[side], &corners[(side + 1) % 3]);
        let later = |first: &Vector, second: &Vector, in_first: bool, in_second: bool| {
            if in_first { Some(*first) } else { in_second.then_some(*second) }
        };
        let begin = later(p, s, is_in(p, s, e), is_in(s, p, q));
        let end = later(q, e, is_in(q, s, e), is_in(e, p, q));
        if let (Some(begin), Some(end)) = (begin, end) {
            let place = |d: &Vector| {
                let (ahead, rest) = (turn(p, d), turn(d, q));
                if ahead + rest > 0.0 { ahead / (ahead + rest) } else { 0.0 }
            };
            sum += 0.5 * turn(p, q) * (place(&end) - place(&begin)).max(0.0);
        }
    }
    sum
}
