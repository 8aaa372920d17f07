//! Nearest points of two triangles in f64: an estimate from which proofs are made, not a proof.

use crate::math::vector::{Vector, cross, dot, minus};

/// Square of the sine below which two edges count as nearly parallel. There differences of products
/// cancel: what they say is off by roundings divided by the sine, and cross products are not.
const NEARLY_PARALLEL: f64 = 1.0 / 1024.0;

/// The same of edges whose angle is no more than the rounding of their cross product: any place
/// along them is as near as any other one.
const PARALLEL: f64 = 1.0 / (1_u128 << 98) as f64;

/// How far outside of a face with a sharp corner, in parts of the face, a foot is computed again
/// before it counts as outside.
pub(crate) const ROOM: f64 = 1.0 + 1.0 / (1_u64 << 30) as f64;

/// How much too large the distance of guessed points may be, relative to the largest coordinate:
/// edges whose sine is below 10⁻⁷ count as parallel, and are at most √12 times as long.
pub(crate) const GUESS_ERROR: f64 = 1.0 / (1_u64 << 20) as f64;

/// Weights of the vertices of both triangles; they sum to 1 up to rounding, and zeros are exact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub(crate) a: [f64; 3],
    pub(crate) b: [f64; 3],
    pub(crate) square: f64,
    /// A direction from A to B along which they are expected to be apart; any length.
    pub(super) direction: Vector,
}

#[inline(always)]
fn clamp(x: f64) -> f64 {
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}

/// The point of a triangle with the given weights.
#[inline(always)]
pub(super) fn blend(points: &[Vector; 3], weights: &[f64; 3]) -> Vector {
    [0, 1, 2].map(|k| points[0][k] * weights[0] + points[1][k] * weights[1] + points[2][k] * weights[2])
}

/// Returns about the nearest points of two triangles, or of their borders if they intersect. They
/// may be farther apart than these by [`GUESS_ERROR`] times the largest coordinate: see
/// [`nearest_precisely`].
pub(crate) fn nearest(a: &[Vector; 3], b: &[Vector; 3]) -> Nearest {
    find::<false>(a, b)
}

/// As [`nearest`]; the distance of the points is too large by at most 2⁻⁴⁶ times the largest
/// coordinate, for triangles whose angles exceed 10⁻⁴ radians. It takes a quarter more time.
pub(crate) fn nearest_precisely(a: &[Vector; 3], b: &[Vector; 3]) -> Nearest {
    find::<true>(a, b)
}

#[inline(always)]
fn find<const PRECISELY: bool>(a: &[Vector; 3], b: &[Vector; 3]) -> Nearest {
    let mut best = Nearest { a: [1.0, 0.0, 0.0], b: [1.0, 0.0, 0.0], square: f64::INFINITY, direction: [0.0; 3] };
    for i in 0..3 {
        for j in 0..3 {
            edges::<PRECISELY>(a, i, b, j, &mut best);
        }
    }
    for vertex in 0..3 {
        if let Some((weights, normal, square)) = above_face::<PRECISELY>(&a[vertex], b)
            && square < best.square
        {
            let mut own = [0.0; 3];
            own[vertex] = 1.0;
            best = Nearest { a: own, b: weights, square, direction: normal.map(|x| -x) };
        }
        if let Some((weights, normal, square)) = above_face::<PRECISELY>(&b[vertex], a)
            && square < best.square
        {
            let mut own = [0.0; 3];
            own[vertex] = 1.0;
            best = Nearest { a: weights, b: own, square, direction: normal };
        }
    }
    best
}

/// The point of a closed triangle that is nearest to a point, and its distance, both rounded.
pub(crate) fn closest_on_triangle(point: &Vector, triangle: &[Vector; 3]) -> (Vector, f64) {
    let place = blend(triangle, &nearest(triangle, &[*point; 3]).a);
    let gap = minus(&place, point);
    (place, dot(&gap, &gap).sqrt())
}

/// Edge i of A against edge j of B (Ericson, *Real-Time Collision Detection*, 5.1.9).
#[inline(always)]
fn edges<const PRECISELY: bool>(a: &[Vector; 3], i: usize, b: &[Vector; 3], j: usize, best: &mut Nearest) {
    let (k, l) = ((i + 1) % 3, (j + 1) % 3);
    let (e, f, w) = (minus(&a[k], &a[i]), minus(&b[l], &b[j]), minus(&a[i], &b[j]));
    let (ee, ff, ef) = (dot(&e, &e), dot(&f, &f), dot(&e, &f));
    let (we, wf) = (dot(&w, &e), dot(&w, &f));
    let nn = ee * ff - ef * ef;
    let ratio = |x: f64, y: f64| if y > 0.0 { clamp(x / y) } else { 0.0 };
    let mut s = if PRECISELY && nn <= NEARLY_PARALLEL * (ee * ff) {
        along_nearly_parallel(&e, &f, &w, PARALLEL * (ee * ff))
    } else if nn > 1e-14 * ee * ff {
        clamp((ef * wf - we * ff) / nn)
    } else {
        0.0
    };
    let t = ratio(ef * s + wf, ff);
    s = ratio(ef * t - we, ee);
    let gap = [0, 1, 2].map(|x| w[x] + s * e[x] - t * f[x]);
    let square = dot(&gap, &gap);
    if square < best.square {
        let (mut weights_a, mut weights_b) = ([0.0; 3], [0.0; 3]);
        (weights_a[i], weights_a[k]) = (1.0 - s, s);
        (weights_b[j], weights_b[l]) = (1.0 - t, t);
        let inner = |x: f64| x > 0.0 && x < 1.0;
        let toward = gap.map(|x| -x);
        let direction = if inner(s) && inner(t) && nn > 1e-10 * ee * ff {
            let normal = cross(&e, &f);
            if dot(&normal, &toward) < 0.0 { normal.map(|x| -x) } else { normal }
        } else {
            toward
        };
        *best = Nearest { a: weights_a, b: weights_b, square, direction };
    }
}

/// The place on edge `e` that is nearest to the line of edge `f`: 0 at its begin, 1 at its end. 0
/// too where the square of the length of e × f is at most `least`.
fn along_nearly_parallel(e: &Vector, f: &Vector, w: &Vector, least: f64) -> f64 {
    let normal = cross(e, f);
    let nn = dot(&normal, &normal);
    if nn > least { clamp(dot(&cross(f, w), &normal) / nn) } else { 0.0 }
}

/// Weights of the foot of `point` on a face, the face's normal on the point's side, and the squared
/// distance; `None` if the foot lies outside.
#[inline(always)]
fn above_face<const PRECISELY: bool>(point: &Vector, face: &[Vector; 3]) -> Option<([f64; 3], Vector, f64)> {
    let (e, f, w) = (minus(&face[1], &face[0]), minus(&face[2], &face[0]), minus(point, &face[0]));
    let normal = cross(&e, &f);
    let nn = dot(&normal, &normal);
    let first = dot(&cross(&w, &f), &normal);
    let second = dot(&cross(&e, &w), &normal);
    let most = if PRECISELY { ROOM * nn } else { nn };
    if nn > 0.0 && first > 0.0 && second > 0.0 && first + second < most {
        let (x, y) = (first / nn, second / nn);
        if PRECISELY && nn <= NEARLY_PARALLEL * (dot(&e, &e) * dot(&f, &f)) {
            return above_sharp_corner([&e, &f, &w], &normal, [x, y]);
        }
        if PRECISELY && first + second >= nn {
            return None;
        }
        let height = dot(&w, &normal);
        let normal = if height < 0.0 { normal.map(|x| -x) } else { normal };
        return Some(([1.0 - x - y, x, y], normal, height * height / nn));
    }
    None
}

/// The same where edges `e` and `f` of the face are nearly parallel.
fn above_sharp_corner([e, f, w]: [&Vector; 3], normal: &Vector, [x, y]: [f64; 2]) -> Option<([f64; 3], Vector, f64)> {
    let [x, y] = refined_weights([e, f, w], normal, [x, y])?;
    let gap = left_of([e, f, w], [x, y]);
    let normal = if dot(w, normal) < 0.0 { normal.map(|x| -x) } else { *normal };
    Some(([1.0 - x - y, x, y], normal, dot(&gap, &gap)))
}

/// Weights x and y of the ends of two edges `e` and `f` of a face in the foot of a point at `w`
/// from their corner; `None` if it lies outside. Where the edges are nearly parallel, weights are
/// off by roundings divided by the sine: they are computed again from what they leave.
pub(crate) fn refined_weights([e, f, w]: [&Vector; 3], normal: &Vector, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
    let (nn, rest) = (dot(normal, normal), left_of([e, f, w], [x, y]));
    let (x, y) = (x + dot(&cross(&rest, f), normal) / nn, y + dot(&cross(e, &rest), normal) / nn);
    (x > 0.0 && y > 0.0 && x + y < 1.0).then_some([x, y])
}

/// What two edges with weights leave of `w`.
fn left_of([e, f, w]: [&Vector; 3], [x, y]: [f64; 2]) -> Vector {
    [0, 1, 2].map(|k| w[k] - x * e[k] - y * f[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The foot of a point beyond the short edge of a needle is not on the face, whatever the first
    /// weights say.
    #[test]
    fn a_foot_beyond_the_short_edge_of_a_needle_is_outside() {
        let (e, f) = ([1.0, 0.0, 0.0], [1.0, 1e-6, 0.0]);
        let normal = cross(&e, &f);
        for (way, is_inside) in [(0.5, true), (0.999, true), (1.001, false), (1.5, false)] {
            // Above the line between both edges.
            let w = [way, 0.5e-6 * way, 0.25];
            let found = refined_weights([&e, &f, &w], &normal, [0.5 * way, 0.5 * way]);
            assert_eq!(found.is_some(), is_inside, "{way}: {found:?}");
            let face = above_sharp_corner([&e, &f, &w], &normal, [0.5 * way, 0.5 * way]);
            assert_eq!(face.map(|(_, _, square)| square), is_inside.then_some(0.0625), "{way}");
        }
    }

    #[test]
    fn short_oblique_edges_are_nearest_where_they_cross() {
        let short = 1.0 / f64::from(1 << 14);
        let gap = 0.25 * short;
        let a = [[-short, 0.0, 0.0], [short, 0.0, 0.0], [0.0, 0.0, -short]];
        let b = [[-short, -short, gap], [short, short, gap], [0.0, 0.0, short + gap]];
        for found in [nearest(&a, &b), nearest_precisely(&a, &b)] {
            assert_eq!(found.square, gap * gap, "{found:?}");
            assert_eq!((found.a, found.b), ([0.5, 0.5, 0.0], [0.5, 0.5, 0.0]));
        }
    }

    #[test]
    fn a_foot_on_the_far_edge_of_a_face_is_left_to_the_edge() {
        let face = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        assert!(above_face::<false>(&[1.0, 1.0, 1.0], &face).is_none());
        assert!(above_face::<true>(&[1.0, 1.0, 1.0], &face).is_none());
        assert!(above_face::<false>(&[1.0, 0.875, 1.0], &face).is_some());
    }
}
