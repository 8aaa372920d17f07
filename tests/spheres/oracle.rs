//! The truth in rational numbers: where spheres and corners are between two keys, and how far a point is from a triangle. The distance is
//! the smallest of those to the three corners, to the three sides (foot clamped to them) and to the inside (foot by Cramer's rule).

use kinetree::motion::Sphere;
use num_rational::BigRational as Q;
use num_traits::{One, Signed, Zero};

pub(crate) type Point = [Q; 3];

pub(crate) fn exact(x: f64) -> Q {
    Q::from_float(x).expect("finite")
}

pub(crate) fn fraction(numerator: i64, denominator: i64) -> Q {
    Q::new(numerator.into(), denominator.into())
}

/// `s` of the way from one number to another.
pub(crate) fn between(from: f64, to: f64, s: &Q) -> Q {
    let from = exact(from);
    (exact(to) - &from) * s + from
}

pub(crate) fn point(from: [f64; 3], to: [f64; 3], s: &Q) -> Point {
    std::array::from_fn(|axis| between(from[axis], to[axis], s))
}

/// A ball in rational numbers.
#[derive(Clone, Debug)]
pub(crate) struct Ball {
    pub(crate) centre: Point,
    pub(crate) radius: Q,
}

impl Ball {
    pub(crate) fn new(from: &Sphere, to: &Sphere, s: &Q) -> Self {
        Self { centre: point(from.centre, to.centre, s), radius: between(from.radius, to.radius, s) }
    }
}

fn minus(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|axis| &a[axis] - &b[axis])
}

fn dot(a: &Point, b: &Point) -> Q {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn square_to(point: &Point, other: &Point) -> Q {
    let gap = minus(point, other);
    dot(&gap, &gap)
}

fn square_to_side(point: &Point, from: &Point, to: &Point) -> Q {
    let way = minus(to, from);
    let length = dot(&way, &way);
    if length.is_zero() {
        return square_to(point, from);
    }
    let part = (dot(&minus(point, from), &way) / length).max(Q::zero()).min(Q::one());
    let foot = std::array::from_fn(|axis| &from[axis] + &way[axis] * &part);
    square_to(point, &foot)
}

/// The square of the distance of a point from a triangle, a segment or a point.
pub(crate) fn square_to_triangle(point: &Point, [a, b, c]: &[Point; 3]) -> Q {
    let sides = [(a, b), (b, c), (c, a)].map(|(from, to)| square_to_side(point, from, to));
    let nearest = sides.into_iter().min().expect("three sides");
    let (e, f, w) = (minus(b, a), minus(c, a), minus(point, a));
    let (ee, ef, ff, we, wf) = (dot(&e, &e), dot(&e, &f), dot(&f, &f), dot(&w, &e), dot(&w, &f));
    let area = &ee * &ff - &ef * &ef;
    if area.is_zero() {
        return nearest;
    }
    let (x, y) = ((&we * &ff - &wf * &ef) / &area, (&wf * &ee - &we * &ef) / &area);
    if x.is_negative() || y.is_negative() || &x + &y > Q::one() {
        return nearest;
    }
    let foot = std::array::from_fn(|axis| &a[axis] + &e[axis] * &x + &f[axis] * &y);
    square_to(point, &foot)
}

/// How far inside touching two balls are: negative if they do not touch, 0 if only just.
pub(crate) fn balls(a: &Ball, b: &Ball, distance: f64) -> Q {
    let reach = &a.radius + &b.radius + exact(distance);
    &reach * &reach - square_to(&a.centre, &b.centre)
}

/// The same for a ball and a triangle.
pub(crate) fn ball_and_triangle(ball: &Ball, triangle: &[Point; 3], distance: f64) -> Q {
    let reach = &ball.radius + exact(distance);
    &reach * &reach - square_to_triangle(&ball.centre, triangle)
}

#[test]
fn the_oracle_knows_simple_cases() {
    let whole = |p: [i64; 3]| p.map(|x| fraction(x, 1));
    let floor = [[0, 0, 0], [4, 0, 0], [0, 4, 0]].map(whole);
    let cases = [([1, 1, 3], 9), ([2, 2, -1], 1), ([3, 3, 0], 2), ([-3, -4, 0], 25), ([2, -5, 0], 25), ([1, 1, 0], 0)];
    for (point, square) in cases {
        assert_eq!(square_to_triangle(&whole(point), &floor), fraction(square, 1), "{point:?}");
    }
    let segment = [[0, 0, 0], [4, 0, 0], [4, 0, 0]].map(whole);
    assert_eq!(square_to_triangle(&whole([2, 3, 0]), &segment), fraction(9, 1));
}
