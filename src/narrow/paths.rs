//! Triangles whose corners follow paths, at a time: decided in integers, as real numbers.
//!
//! Every path puts its corner at a rational place: a stored number, a blend of two with the ratio
//! of two differences of times, or a number and a velocity times such a difference. All numbers are
//! `f64`, hence multiples of powers of two; times the denominators of all paths and one power of
//! two they are integers. Multiplying by a positive number changes no sign, so the signs of minors
//! tell what they tell of the places themselves (`intervals::tables`), and so do the conditions of
//! sites at a distance (`proximity`).
//!
//! The corners may follow paths of different kinds, with keys at different times: nothing needs a
//! common window. Nothing is rounded, whatever the numbers are, and nothing can overflow.
//!
//! Cost: 2 to 10 µs, at a distance some tens. Used only for pairs that are not certain in `f64`
//! (`certain`).

use super::exact::grid::decompose;
use super::exact::integer::{Integer, Ring};
use super::exact::ratio::Ratio;
use super::intervals::pair::LEVELS;
use super::intervals::tables::{Signs, Status, TRIANGLES};
use super::neighbours;
use super::proximity::reach_exactly;
use crate::motion::{Sphere, SpherePiece, VertexPath};

/// The paths of a triangle's corners.
pub(crate) type Paths = [VertexPath; 3];

/// Six points in units of one positive number: those of the first triangle, then those of the
/// second.
pub(super) type WholePoints = [[Integer; 3]; 6];

/// Whether two closed triangles share a point at a time. Exact.
pub(crate) fn paths_touch(a: &Paths, b: &Paths, time: f64) -> bool {
    touch(&at_time(&[a[0], a[1], a[2], b[0], b[1], b[2]], time))
}

/// Whether they share a point besides their common corners and edge, as
/// [`neighbours::neighbours_touch`]. Exact.
pub(crate) fn neighbour_paths_touch(a: &Paths, b: &Paths, common: &[(usize, usize)], time: f64) -> bool {
    neighbours::any_parts(common, |of_a, of_b| {
        paths_touch(&of_a.map(|corner| a[corner]), &of_b.map(|corner| b[corner]), time)
    })
}

/// Whether they are within a distance of each other, metres; not negative. Exact.
pub(crate) fn paths_within(a: &Paths, b: &Paths, distance: f64, time: f64) -> bool {
    let distance = VertexPath::At([distance, 0.0, 0.0]);
    let [points @ .., reach] = at_time(&[a[0], a[1], a[2], b[0], b[1], b[2], distance], time);
    touch(&points) || reach_exactly(points, &reach[0], false)
}

/// Whether a closed ball is within a distance of a closed triangle, metres; not negative. Exact.
pub(crate) fn sphere_touches_paths(ball: &SpherePiece, triangle: &Paths, distance: f64, time: f64) -> bool {
    let path = |of: fn(&Sphere) -> [f64; 3]| {
        let (begin, end) = (of(&ball.at_begin), of(&ball.at_end));
        if begin == end || time <= ball.begin {
            VertexPath::At(begin)
        } else if time >= ball.end {
            VertexPath::At(end)
        } else {
            VertexPath::Between { begin, end, from: ball.begin, to: ball.end }
        }
    };
    let (centre, radius) = (path(|ball| ball.centre), path(|ball| [ball.radius, 0.0, 0.0]));
    let [p, q, r] = *triangle;
    let distance = VertexPath::At([distance, 0.0, 0.0]);
    let [points @ .., radius, distance] = at_time(&[centre, centre, centre, p, q, r, radius, distance], time);
    reach_exactly(points, &radius[0].plus(&distance[0]), true)
}

/// By the signs of all minors of the highest rank that the points have.
fn touch(points: &WholePoints) -> bool {
    for level in LEVELS {
        let table = match level.degree() {
            3 => &TRIANGLES.space,
            2 => &TRIANGLES.plane,
            _ => &TRIANGLES.line,
        };
        let mut signs = Signs::default();
        for (k, minor) in table.minors[..table.minor_count].iter().enumerate() {
            signs.settle(k, minor_of(points, &minor[..table.rank], level.axes()).sign());
        }
        match table.status(signs) {
            Status::Touching => return true,
            Status::LowerRank => {}
            Status::Apart | Status::Unknown => return false,
        }
    }
    // All points coincide.
    true
}

/// The determinant of the differences of some points from the first of them.
fn minor_of(points: &WholePoints, indices: &[usize], axes: &[usize]) -> Integer {
    let difference = |row: usize, axis: usize| points[indices[row]][axis].minus(&points[indices[0]][axis]);
    let planar = |[p, q]: [usize; 2], [x, y]: [usize; 2]| {
        difference(p, x).times(&difference(q, y)).minus(&difference(p, y).times(&difference(q, x)))
    };
    match *axes {
        [x] => difference(1, x),
        [x, y] => planar([1, 2], [x, y]),
        _ => {
            let term = |axis: usize, others: [usize; 2]| difference(1, axis).times(&planar([2, 3], others));
            term(0, [1, 2]).plus(&term(1, [2, 0])).plus(&term(2, [0, 1]))
        }
    }
}

/// An integer times a power of two.
struct Dyadic {
    mantissa: Integer,
    exponent: i32,
}

impl Dyadic {
    fn of(value: f64) -> Self {
        let (mantissa, exponent) = decompose(value);
        Self { mantissa: Integer::from_i128(mantissa.into()), exponent }
    }

    /// The integer in units of a power of two that is no higher than the own one.
    fn in_units(&self, exponent: i32) -> Integer {
        if self.mantissa.is_zero() {
            Integer::zero()
        } else {
            self.mantissa.shifted_left((self.exponent - exponent) as usize)
        }
    }

    fn plus(&self, other: &Self) -> Self {
        if self.mantissa.is_zero() || other.mantissa.is_zero() {
            let sum = if self.mantissa.is_zero() { other } else { self };
            return Self { mantissa: sum.mantissa.clone(), exponent: sum.exponent };
        }
        let exponent = self.exponent.min(other.exponent);
        Self { mantissa: self.in_units(exponent).plus(&other.in_units(exponent)), exponent }
    }

    fn times(&self, other: &Self) -> Self {
        Self { mantissa: self.mantissa.times(&other.mantissa), exponent: self.exponent + other.exponent }
    }

    fn times_whole(&self, factor: &Integer) -> Self {
        Self { mantissa: self.mantissa.times(factor), exponent: self.exponent }
    }
}

/// Keys around a time, where the time is between them, and the sum of both parts: the denominator.
struct Stretch {
    keys: (f64, f64),
    ratio: Ratio,
    whole: Integer,
}

/// Where paths are at a time, in units of one positive number.
fn at_time<const COUNT: usize>(paths: &[VertexPath; COUNT], time: f64) -> [[Integer; 3]; COUNT] {
    let mut stretches: Vec<Stretch> = Vec::new();
    for path in paths {
        if let &VertexPath::Between { from, to, .. } = path
            && !stretches.iter().any(|stretch| stretch.keys == (from, to))
        {
            let ratio = Ratio::new(time, (from, to));
            let whole = ratio.ahead.plus(&ratio.rest);
            stretches.push(Stretch { keys: (from, to), ratio, whole });
        }
    }
    // The denominators of all stretches but one.
    let others = |keys: (f64, f64)| {
        let others = stretches.iter().filter(|stretch| stretch.keys != keys);
        others.fold(Integer::from_u64(1), |product, stretch| product.times(&stretch.whole))
    };
    let places: [[Dyadic; 3]; COUNT] = std::array::from_fn(|number| match &paths[number] {
        VertexPath::At(place) => {
            let factor = others((f64::NAN, f64::NAN));
            place.map(|x| Dyadic::of(x).times_whole(&factor))
        }
        VertexPath::Between { begin, end, from, to } => {
            let own = stretches.iter().find(|stretch| stretch.keys == (*from, *to));
            let Some(Stretch { ratio, .. }) = own else { unreachable!("every path's stretch is listed") };
            let factor = others((*from, *to));
            std::array::from_fn(|axis| {
                let (x, y) = (Dyadic::of(begin[axis]), Dyadic::of(end[axis]));
                x.times_whole(&ratio.rest).plus(&y.times_whole(&ratio.ahead)).times_whole(&factor)
            })
        }
        VertexPath::Line { start, velocity, since, until } => {
            let factor = others((f64::NAN, f64::NAN));
            let elapsed = Dyadic::of(time.min(*until)).plus(&Dyadic::of(-since));
            std::array::from_fn(|axis| {
                let way = Dyadic::of(velocity[axis]).times(&elapsed);
                Dyadic::of(start[axis]).plus(&way).times_whole(&factor)
            })
        }
    });
    let used = places.iter().flatten().filter(|place| !place.mantissa.is_zero());
    let lowest = used.map(|place| place.exponent).min().unwrap_or(0);
    places.map(|place| place.map(|x| x.in_units(lowest)))
}
