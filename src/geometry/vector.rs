//! Vectors of three numbers.

/// A point or a vector, metres.
pub(super) type Vector = [f64; 3];

#[inline(always)]
pub(super) fn minus(a: &Vector, b: &Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(super) fn plus(a: &Vector, b: &Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn times(a: &Vector, factor: f64) -> Vector {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

#[inline(always)]
pub(super) fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(super) fn length(a: &Vector) -> f64 {
    dot(a, a).sqrt()
}

#[inline(always)]
pub(super) fn distance(a: &Vector, b: &Vector) -> f64 {
    length(&minus(a, b))
}

/// The point of the segment pq at parameter `t` in [0, 1], computed from the nearer end.
#[inline(always)]
pub(super) fn between(p: &Vector, q: &Vector, t: f64) -> Vector {
    if t <= 0.5 { plus(p, &times(&minus(q, p), t)) } else { plus(q, &times(&minus(p, q), 1.0 - t)) }
}

/// Twice the area vector of a triangle, square metres.
#[inline(always)]
pub(super) fn doubled_area([p, q, r]: &[Vector; 3]) -> Vector {
    cross(&minus(q, p), &minus(r, p))
}

/// The largest magnitude of a coordinate.
#[inline(always)]
pub(super) fn largest(points: &[Vector]) -> f64 {
    points.iter().flatten().fold(0.0, |largest: f64, x| largest.max(x.abs()))
}
