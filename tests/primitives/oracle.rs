//! Squared distances in rational numbers: slow, plain, sharing nothing with the library.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

pub(super) type Q = BigRational;
pub(super) type Place = [Q; 3];

pub(super) fn exact(p: &[f64; 3]) -> Place {
    p.map(|x| Q::from_float(x).expect("a finite coordinate"))
}

fn minus(a: &Place, b: &Place) -> Place {
    std::array::from_fn(|k| &a[k] - &b[k])
}

fn dot(a: &Place, b: &Place) -> Q {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Place, b: &Place) -> Place {
    let minor = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

fn along(a: &Place, d: &Place, share: &Q) -> Place {
    std::array::from_fn(|k| &a[k] + &d[k] * share)
}

fn squared(a: &Place, b: &Place) -> Q {
    let d = minus(a, b);
    dot(&d, &d)
}

fn clamped(share: Q) -> Q {
    share.max(Q::zero()).min(Q::one())
}

fn point_segment(p: &Place, [a, b]: [&Place; 2]) -> Q {
    let d = minus(b, a);
    let length = dot(&d, &d);
    let share = if length.is_zero() { Q::zero() } else { clamped(dot(&minus(p, a), &d) / length) };
    squared(p, &along(a, &d, &share))
}

/// Is a point of the triangle's plane in the triangle? Only for triangles with an area.
fn is_inside(p: &Place, t: &[Place; 3], normal: &Place) -> bool {
    (0..3).all(|i| {
        let (from, to) = (&t[i], &t[(i + 1) % 3]);
        !dot(&cross(&minus(to, from), &minus(p, from)), normal).is_negative()
    })
}

pub(super) fn point_triangle(p: &Place, t: &[Place; 3]) -> Q {
    let normal = cross(&minus(&t[1], &t[0]), &minus(&t[2], &t[0]));
    let size = dot(&normal, &normal);
    if !size.is_zero() {
        let share = dot(&minus(&t[0], p), &normal) / &size;
        let foot = along(p, &normal, &share);
        if is_inside(&foot, t, &normal) {
            return squared(p, &foot);
        }
    }
    (0..3).map(|i| point_segment(p, [&t[i], &t[(i + 1) % 3]])).min().expect("three sides")
}

fn segment_segment([a, b]: [&Place; 2], [c, d]: [&Place; 2]) -> Q {
    let ends = [(a, [c, d]), (b, [c, d]), (c, [a, b]), (d, [a, b])];
    let mut least = ends.into_iter().map(|(end, other)| point_segment(end, other)).min().expect("four ends");
    // Where both derivatives vanish.
    let (u, v, w) = (minus(b, a), minus(d, c), minus(a, c));
    let (uu, uv, vv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v));
    let det = &uu * &vv - &uv * &uv;
    if !det.is_zero() {
        let s = (&uv * dot(&v, &w) - &vv * dot(&u, &w)) / &det;
        let t = (&uu * dot(&v, &w) - &uv * dot(&u, &w)) / &det;
        let is_share = |x: &Q| !x.is_negative() && *x <= Q::one();
        if is_share(&s) && is_share(&t) {
            least = least.min(squared(&along(a, &u, &s), &along(c, &v, &t)));
        }
    }
    least
}

pub(super) fn segment_triangle([a, b]: [&Place; 2], t: &[Place; 3]) -> Q {
    let normal = cross(&minus(&t[1], &t[0]), &minus(&t[2], &t[0]));
    let (height_a, height_b) = (dot(&minus(a, &t[0]), &normal), dot(&minus(b, &t[0]), &normal));
    if (&height_a * &height_b).is_negative() {
        let through = along(a, &minus(b, a), &(&height_a / (&height_a - &height_b)));
        if is_inside(&through, t, &normal) {
            return Q::zero();
        }
    }
    let sides = (0..3).map(|i| segment_segment([a, b], [&t[i], &t[(i + 1) % 3]]));
    sides.chain([point_triangle(a, t), point_triangle(b, t)]).min().expect("some")
}

/// Squared distance of two triangles, which may have shrunk.
pub(super) fn triangles(a: &[Place; 3], b: &[Place; 3]) -> Q {
    let of_a = (0..3).map(|i| segment_triangle([&a[i], &a[(i + 1) % 3]], b));
    let of_b = (0..3).map(|i| segment_triangle([&b[i], &b[(i + 1) % 3]], a));
    of_a.chain(of_b).min().expect("six sides")
}
