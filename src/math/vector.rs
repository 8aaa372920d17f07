//! Vectors of three numbers.

/// A point or a vector, metres.
pub(crate) type Vector = [f64; 3];

#[inline(always)]
pub(crate) fn minus(a: &Vector, b: &Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn plus(a: &Vector, b: &Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn times(a: &Vector, factor: f64) -> Vector {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

#[inline(always)]
pub(crate) fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(crate) fn length(a: &Vector) -> f64 {
    dot(a, a).sqrt()
}

#[inline(always)]
pub(crate) fn distance(a: &Vector, b: &Vector) -> f64 {
    length(&minus(a, b))
}

/// Stored positions as `f64`.
pub(crate) fn widened(positions: &[[f32; 3]]) -> Vec<Vector> {
    positions.iter().map(|position| position.map(f64::from)).collect()
}

/// `a` and a share of `b`.
#[inline(always)]
pub(crate) fn along(a: &Vector, b: &Vector, share: f64) -> Vector {
    [a[0] + share * b[0], a[1] + share * b[1], a[2] + share * b[2]]
}

/// A vector divided by its length; `None` if it has none.
pub(crate) fn unit(vector: &Vector) -> Option<Vector> {
    unit_above(vector, 0.0)
}

/// The same; `None` if no coordinate exceeds `floor`, or one is not finite.
pub(crate) fn unit_above(vector: &Vector, floor: f64) -> Option<Vector> {
    let largest = largest(&[*vector]);
    if !(largest > floor && largest.is_finite()) {
        return None;
    }
    // Squares of small numbers would vanish.
    let scaled = vector.map(|x| x / largest);
    let length = length(&scaled);
    Some(scaled.map(|x| x / length))
}

/// The point of the segment pq at parameter `t` in [0, 1], computed from the nearer end.
#[inline(always)]
pub(crate) fn between(p: &Vector, q: &Vector, t: f64) -> Vector {
    if t <= 0.5 { plus(p, &times(&minus(q, p), t)) } else { plus(q, &times(&minus(p, q), 1.0 - t)) }
}

/// Twice the area vector of a triangle, square metres.
#[inline(always)]
pub(crate) fn doubled_area([p, q, r]: &[Vector; 3]) -> Vector {
    cross(&minus(q, p), &minus(r, p))
}

/// The largest magnitude of a coordinate.
#[inline(always)]
pub(crate) fn largest(points: &[Vector]) -> f64 {
    points.iter().flatten().fold(0.0, |largest: f64, x| largest.max(x.abs()))
}
