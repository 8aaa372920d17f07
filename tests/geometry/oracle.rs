//! Exact answers in rational numbers.

use num_bigint::BigInt;
use num_rational::{BigRational, Ratio};
use num_traits::{Num, Signed, ToPrimitive};

/// Rational numbers: of `i128` for small integers, of big integers for any f64.
pub trait Exact: Clone + Ord + Num + Signed {
    fn of(value: f64) -> Self;
    fn rounded(&self) -> f64;
}

impl Exact for Ratio<i128> {
    fn of(value: f64) -> Self {
        assert_eq!(value, value.trunc(), "small rationals are for integers");
        Self::from_integer(value as i128)
    }
    fn rounded(&self) -> f64 {
        *self.numer() as f64 / *self.denom() as f64
    }
}

impl Exact for BigRational {
    fn of(value: f64) -> Self {
        Self::from_float(value).expect("finite")
    }
    fn rounded(&self) -> f64 {
        // `to_f64` of a ratio of huge integers may overflow; shift the quotient into an integer first.
        let scaled: BigInt = (self.numer() << 1200_u32) / self.denom();
        let shift = scaled.bits().saturating_sub(64);
        let top = (scaled >> shift).to_f64().unwrap();
        let (half, rest) = ((shift as i32 - 1200) / 2, (shift as i32 - 1200) - (shift as i32 - 1200) / 2);
        top * 2.0_f64.powi(half) * 2.0_f64.powi(rest)
    }
}

pub type P<T> = [T; 3];

pub fn lift<T: Exact>(point: &[f64; 3]) -> P<T> {
    point.map(T::of)
}

fn sub<T: Exact>(a: &P<T>, b: &P<T>) -> P<T> {
    std::array::from_fn(|k| a[k].clone() - b[k].clone())
}

pub fn dot<T: Exact>(a: &P<T>, b: &P<T>) -> T {
    (0..3).fold(T::zero(), |sum, k| sum + a[k].clone() * b[k].clone())
}

pub fn cross<T: Exact>(a: &P<T>, b: &P<T>) -> P<T> {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].clone() * b[j].clone() - a[j].clone() * b[i].clone()
    })
}

fn is_zero<T: Exact>(a: &P<T>) -> bool {
    a.iter().all(T::is_zero)
}

/// A half-space: all x with normal · (x − origin) >= 0.
struct Half<T> {
    normal: P<T>,
    origin: P<T>,
}

impl<T: Exact> Half<T> {
    fn value(&self, point: &P<T>) -> T {
        dot(&self.normal, &sub(point, &self.origin))
    }
}

/// The triangle, segment or point as an intersection of half-spaces.
fn halves<T: Exact>(corners: &[P<T>; 3]) -> Vec<Half<T>> {
    let [p, q, r] = corners;
    let normal = cross(&sub(q, p), &sub(r, p));
    let neg = |a: &P<T>| a.clone().map(|x| -x);
    let both = |normal: P<T>, origin: &P<T>| {
        [Half { normal: neg(&normal), origin: origin.clone() }, Half { normal, origin: origin.clone() }]
    };
    let mut found = Vec::new();
    if !is_zero(&normal) {
        found.extend(both(normal.clone(), p));
        for (from, to) in [(p, q), (q, r), (r, p)] {
            found.push(Half { normal: cross(&normal, &sub(to, from)), origin: from.clone() });
        }
        return found;
    }
    // The two corners that are farthest apart.
    let square = |a: &P<T>, b: &P<T>| dot(&sub(a, b), &sub(a, b));
    let mut ends = (p, q);
    for (a, b) in [(q, r), (r, p)] {
        if square(a, b) > square(ends.0, ends.1) {
            ends = (a, b);
        }
    }
    let along = sub(ends.1, ends.0);
    for axis in 0..3 {
        let mut unit: P<T> = std::array::from_fn(|_| T::zero());
        unit[axis] = T::one();
        found.extend(both(if is_zero(&along) { unit } else { cross(&along, &unit) }, p));
    }
    found.push(Half { normal: along.clone(), origin: ends.0.clone() });
    found.push(Half { normal: neg(&along), origin: ends.1.clone() });
    found
}

/// The part of a convex polygon in a half-space.
fn clipped<T: Exact>(polygon: &[P<T>], half: &Half<T>) -> Vec<P<T>> {
    let mut kept = Vec::new();
    for (place, p) in polygon.iter().enumerate() {
        let q = &polygon[(place + 1) % polygon.len()];
        let (at_p, at_q) = (half.value(p), half.value(q));
        if !at_p.is_negative() {
            kept.push(p.clone());
        }
        if (at_p.is_positive() && at_q.is_negative()) || (at_p.is_negative() && at_q.is_positive()) {
            let share = at_p.clone() / (at_p - at_q);
            kept.push(std::array::from_fn(|k| p[k].clone() + share.clone() * (q[k].clone() - p[k].clone())));
        }
    }
    kept
}

/// The extreme points of the common points of two triangles: none, one, two, or three and more.
pub fn common_points<T: Exact>(a: &[P<T>; 3], b: &[P<T>; 3]) -> Vec<P<T>> {
    let mut polygon = a.to_vec();
    for half in halves(b) {
        polygon = clipped(&polygon, &half);
    }
    polygon.sort();
    polygon.dedup();
    // A point between two others is not extreme.
    let between = |x: &P<T>, p: &P<T>, q: &P<T>| {
        x != p && x != q && is_zero(&cross(&sub(x, p), &sub(q, p))) && !dot(&sub(x, p), &sub(q, x)).is_negative()
    };
    let all = polygon.clone();
    polygon.retain(|x| !all.iter().any(|p| all.iter().any(|q| p != q && between(x, p, q))));
    polygon
}

/// Which corners, and which edges a point of a triangle with area lies on.
pub fn edges_through<T: Exact>(corners: &[P<T>; 3], point: &P<T>) -> [bool; 3] {
    std::array::from_fn(|k| {
        let (p, q) = (&corners[k], &corners[(k + 1) % 3]);
        is_zero(&cross(&sub(q, p), &sub(point, p)))
    })
}

/// Twice the area of a planar polygon given by its extreme points in any order, squared: the hull's
/// fan is the sum over the triangles of a triangulation by pairs.
pub fn has_area<T: Exact>(corners: &[P<T>; 3]) -> bool {
    !is_zero(&cross(&sub(&corners[1], &corners[0]), &sub(&corners[2], &corners[0])))
}

/// The squared distance of two segments: the least over interior, ends, and both.
pub fn square_segments<T: Exact>(p: &P<T>, q: &P<T>, r: &P<T>, s: &P<T>) -> T {
    let (e, f, w) = (sub(q, p), sub(s, r), sub(p, r));
    let (ee, ff, ef) = (dot(&e, &e), dot(&f, &f), dot(&e, &f));
    let (we, wf) = (dot(&w, &e), dot(&w, &f));
    let ends = [
        square_to_segment(p, r, s),
        square_to_segment(q, r, s),
        square_to_segment(r, p, q),
        square_to_segment(s, p, q),
    ];
    let mut best = ends.into_iter().min().unwrap();
    let determinant = ee.clone() * ff.clone() - ef.clone() * ef.clone();
    if !determinant.is_zero() {
        let x = (ef.clone() * wf.clone() - ff * we.clone()) / determinant.clone();
        let y = (ee * wf - ef * we) / determinant;
        let is_inner = |x: &T| !x.is_negative() && *x <= T::one();
        if is_inner(&x) && is_inner(&y) {
            let gap: P<T> = std::array::from_fn(|k| w[k].clone() + x.clone() * e[k].clone() - y.clone() * f[k].clone());
            best = best.min(dot(&gap, &gap));
        }
    }
    best
}

fn square_to_segment<T: Exact>(x: &P<T>, p: &P<T>, q: &P<T>) -> T {
    let (along, w) = (sub(q, p), sub(x, p));
    let length = dot(&along, &along);
    let mut foot = p.clone();
    if !length.is_zero() {
        let share = (dot(&w, &along) / length).max(T::zero()).min(T::one());
        foot = std::array::from_fn(|k| p[k].clone() + share.clone() * along[k].clone());
    }
    let gap = sub(x, &foot);
    dot(&gap, &gap)
}

/// The squared distance of a point from a closed triangle.
pub fn square_to_triangle<T: Exact>(x: &P<T>, corners: &[P<T>; 3]) -> T {
    let [p, q, r] = corners;
    let normal = cross(&sub(q, p), &sub(r, p));
    let on_edges = [(p, q), (q, r), (r, p)].map(|(p, q)| square_to_segment(x, p, q)).into_iter().min().unwrap();
    if is_zero(&normal) {
        return on_edges;
    }
    let is_above =
        [(p, q), (q, r), (r, p)].iter().all(|(p, q)| !dot(&cross(&normal, &sub(q, p)), &sub(x, p)).is_negative());
    if is_above {
        let height = dot(&normal, &sub(x, p));
        return height.clone() * height / dot(&normal, &normal);
    }
    on_edges
}

/// The squared distance of two triangles that do not touch.
pub fn square_between<T: Exact>(a: &[P<T>; 3], b: &[P<T>; 3]) -> T {
    let mut best = square_to_triangle(&a[0], b);
    for k in 0..3 {
        best = best.min(square_to_triangle(&a[k], b)).min(square_to_triangle(&b[k], a));
        for l in 0..3 {
            best = best.min(square_segments(&a[k], &a[(k + 1) % 3], &b[l], &b[(l + 1) % 3]));
        }
    }
    best
}
