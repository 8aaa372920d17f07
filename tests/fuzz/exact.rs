//! Triangles at an instant, decided in whole numbers: `i128` where they suffice, big ones
//! otherwise. Shares nothing with the library.
//!
//! Two closed triangles, also degenerate ones, have no common point exactly if some plane has one
//! strictly on each side. Their difference is a convex polytope. Its faces are parallel to two
//! edges; if it is flat, its edges decide in its plane; if it is straight, its ends do.

use std::ops::Neg;

use num_traits::Signed;

/// A whole number that does not overflow.
pub(crate) trait Whole: Clone + Ord + Signed + From<i64> + Neg<Output = Self> {}

impl<T: Clone + Ord + Signed + From<i64> + Neg<Output = T>> Whole for T {}

pub(crate) type Vector<T> = [T; 3];
pub(crate) type Triangle<T> = [Vector<T>; 3];

fn minus<T: Whole>(a: &Vector<T>, b: &Vector<T>) -> Vector<T> {
    std::array::from_fn(|k| a[k].clone() - b[k].clone())
}

fn cross<T: Whole>(a: &Vector<T>, b: &Vector<T>) -> Vector<T> {
    let part = |i: usize, j: usize| a[i].clone() * b[j].clone() - a[j].clone() * b[i].clone();
    [part(1, 2), part(2, 0), part(0, 1)]
}

fn dot<T: Whole>(a: &Vector<T>, b: &Vector<T>) -> T {
    a[0].clone() * b[0].clone() + a[1].clone() * b[1].clone() + a[2].clone() * b[2].clone()
}

fn is_zero<T: Whole>(v: &Vector<T>) -> bool {
    v.iter().all(T::is_zero)
}

/// Whether all points of the one lie beyond all points of the other along a direction.
fn are_parted<T: Whole>(along: &Vector<T>, a: &Triangle<T>, b: &Triangle<T>) -> bool {
    let range = |t: &Triangle<T>| {
        let [x, y, z] = [dot(along, &t[0]), dot(along, &t[1]), dot(along, &t[2])];
        let low = x.clone().min(y.clone()).min(z.clone());
        (low, x.max(y).max(z))
    };
    let (a, b) = (range(a), range(b));
    a.1 < b.0 || b.1 < a.0
}

/// Whether the boxes of two triangles are farther apart than `distance` along an axis.
pub(crate) fn are_boxes_parted<T: Whole>(a: &Triangle<T>, b: &Triangle<T>, distance: &T) -> bool {
    (0..3).any(|k| {
        let range = |t: &Triangle<T>| {
            let low = t[0][k].clone().min(t[1][k].clone()).min(t[2][k].clone());
            (low, t[0][k].clone().max(t[1][k].clone()).max(t[2][k].clone()))
        };
        let (a, b) = (range(a), range(b));
        b.0 - a.1 > *distance || a.0 - b.1 > *distance
    })
}

fn edges<T: Whole>(t: &Triangle<T>) -> [Vector<T>; 3] {
    std::array::from_fn(|k| minus(&t[(k + 1) % 3], &t[k]))
}

/// Whether two closed triangles share a point.
pub(crate) fn touch<T: Whole>(a: &Triangle<T>, b: &Triangle<T>) -> bool {
    if are_boxes_parted(a, b, &T::from(0)) {
        return false;
    }
    // Small numbers: everything is seen from one corner.
    let origin = a[0].clone();
    let (a, b) = (a.each_ref().map(|p| minus(p, &origin)), b.each_ref().map(|p| minus(p, &origin)));
    let all: Vec<Vector<T>> = edges(&a).into_iter().chain(edges(&b)).filter(|e| !is_zero(e)).collect();
    let Some(way) = all.first() else { return a[0] == b[0] };
    let mut normals: Vec<Vector<T>> = Vec::new();
    for (place, u) in all.iter().enumerate() {
        normals.extend(all[place + 1..].iter().map(|v| cross(u, v)).filter(|n| !is_zero(n)));
    }
    let Some(normal) = normals.first() else {
        // All on parallel lines.
        let is_one_line = is_zero(&cross(&minus(&b[0], &a[0]), way));
        return is_one_line && !are_parted(way, &a, &b);
    };
    if normals.iter().any(|n| are_parted(n, &a, &b)) {
        return false;
    }
    let is_flat = normals.iter().all(|n| is_zero(&cross(n, normal)));
    !is_flat || !all.iter().any(|edge| are_parted(&cross(normal, edge), &a, &b))
}

/// Whether a point and a segment are at most `square` apart, squared.
fn near_segment<T: Whole>(p: &Vector<T>, [a, b]: [&Vector<T>; 2], square: &T) -> bool {
    let (way, to) = (minus(b, a), minus(p, a));
    let (along, whole) = (dot(&to, &way), dot(&way, &way));
    if !along.is_positive() {
        return dot(&to, &to) <= *square;
    }
    if along >= whole {
        let to = minus(p, b);
        return dot(&to, &to) <= *square;
    }
    dot(&to, &to) * whole.clone() - along.clone() * along <= square.clone() * whole
}

/// The same for a point over the inside of a triangle; points beside it are nearer to an edge.
fn near_face<T: Whole>(p: &Vector<T>, t: &Triangle<T>, square: &T) -> bool {
    let normal = cross(&minus(&t[1], &t[0]), &minus(&t[2], &t[0]));
    let inside = |k: usize| {
        let side = dot(&cross(&minus(&t[(k + 1) % 3], &t[k]), &minus(p, &t[k])), &normal);
        !side.is_negative()
    };
    if is_zero(&normal) || !(0..3).all(inside) {
        return false;
    }
    let height = dot(&normal, &minus(p, &t[0]));
    height.clone() * height <= square.clone() * dot(&normal, &normal)
}

/// The same for the common normal of two edges, where both its feet lie inside of them.
fn near_edges<T: Whole>([a, b]: [&Vector<T>; 2], [c, d]: [&Vector<T>; 2], square: &T) -> bool {
    let (u, v, w) = (minus(b, a), minus(d, c), minus(c, a));
    let normal = cross(&u, &v);
    if is_zero(&normal) {
        return false;
    }
    let whole = dot(&normal, &normal);
    let (s, t) = (dot(&cross(&w, &v), &normal), dot(&cross(&w, &u), &normal));
    let inside = |x: &T| !x.is_negative() && *x <= whole;
    let height = dot(&normal, &w);
    inside(&s) && inside(&t) && height.clone() * height <= square.clone() * whole
}

/// Whether two closed triangles are at most `distance` (not negative) apart.
pub(crate) fn are_within<T: Whole>(a: &Triangle<T>, b: &Triangle<T>, distance: &T) -> bool {
    if are_boxes_parted(a, b, distance) {
        return false;
    }
    if touch(a, b) {
        return true;
    }
    let square = &(distance.clone() * distance.clone());
    let sides = |t: &'_ Triangle<T>| [0, 1, 2].map(|k| [t[k].clone(), t[(k + 1) % 3].clone()]);
    let (of_a, of_b) = (sides(a), sides(b));
    a.iter().any(|p| near_face(p, b, square) || of_b.iter().any(|[q, r]| near_segment(p, [q, r], square)))
        || b.iter().any(|p| near_face(p, a, square) || of_a.iter().any(|[q, r]| near_segment(p, [q, r], square)))
        || of_a.iter().any(|[p, q]| of_b.iter().any(|[r, s]| near_edges([p, q], [r, s], square)))
}
