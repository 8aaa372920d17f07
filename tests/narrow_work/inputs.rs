//! Random inputs of many families: triangles that move, distances, times and windows.

use kinetree::narrow::{ContactInterval, MovingTriangle};

use crate::dice::Dice;

pub(crate) type Point = [f64; 3];
pub(crate) type Triangle = [Point; 3];

/// What coordinates are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// -1, 0 and 1: nearly everything is degenerate.
    Corners,
    /// Integers up to 3.
    Lattice,
    /// Multiples of 1/8 up to 1.
    Eighths,
    /// Tenths in `f32`.
    Crooked,
    /// Any `f32` numbers.
    Real,
    /// Any `f64` numbers.
    Double,
    /// Integers times 2⁻⁶⁰.
    Tiny,
    /// Integers times the smallest number of `f32`.
    Subnormal,
    /// About 2¹²⁰.
    Huge,
    /// About a million, in steps of 1/8.
    Far,
    /// About a million, rounded to `f32`.
    FarReal,
    /// Integers times powers of two from 2⁻²⁰ to 2²⁰.
    Mixed,
    /// Integers, some of them a rounding off.
    Nearly,
    /// Integers in one plane.
    Flat,
    /// Tenths in one coordinate plane.
    FlatCrooked,
    /// Integers along one line.
    Line,
    /// Tenths in a plane that no axis is normal to: a rounding off it.
    Tilted,
    /// Integers times 2⁴⁰.
    Large,
    /// Integers times powers of two from 2⁻¹⁰⁰ to 2⁶⁰.
    Wide,
    /// About 2³⁰⁰: products of three overflow nearly.
    Vast,
    /// About 2⁻¹⁰⁷⁰, below the smallest normal number of `f64`.
    Vanishing,
}

/// All families; the last two are beyond the range of `f32`.
pub(crate) const ALL: &[Family] = &[
    Family::Corners,
    Family::Lattice,
    Family::Eighths,
    Family::Crooked,
    Family::Real,
    Family::Double,
    Family::Tiny,
    Family::Subnormal,
    Family::Huge,
    Family::Far,
    Family::FarReal,
    Family::Mixed,
    Family::Nearly,
    Family::Flat,
    Family::FlatCrooked,
    Family::Line,
    Family::Tilted,
    Family::Large,
    Family::Wide,
    Family::Vast,
    Family::Vanishing,
];

/// All families whose coordinates every function takes.
pub(crate) const IN_RANGE: &[Family] = ALL.split_at(ALL.len() - 2).0;

/// Families whose coordinates are `f32` numbers.
pub(crate) const NARROW: &[Family] = &[
    Family::Corners,
    Family::Lattice,
    Family::Eighths,
    Family::Crooked,
    Family::Real,
    Family::Tiny,
    Family::Subnormal,
    Family::Huge,
    Family::Far,
    Family::FarReal,
    Family::Mixed,
    Family::Flat,
    Family::FlatCrooked,
    Family::Line,
    Family::Tilted,
    Family::Large,
];

/// A power of two of a normal number.
pub(crate) fn two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// A number, or one a rounding above or below.
pub(crate) fn nudged(dice: &mut Dice, number: f64) -> f64 {
    match dice.below(3) {
        0 => number.next_up(),
        1 => number.next_down(),
        _ => number,
    }
}

/// Coordinates of one case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) family: Family,
    /// Where a plane or a line lies.
    place: usize,
    axis: usize,
}

impl Source {
    pub(crate) fn new(family: Family, dice: &mut Dice) -> Self {
        Self { family, place: dice.below(4), axis: dice.below(3) }
    }

    /// The size of coordinates.
    pub(crate) fn unit(&self) -> f64 {
        match self.family {
            Family::Tiny => two(-60),
            Family::Subnormal => two(-149),
            Family::Huge => two(120),
            Family::Large => two(40),
            Family::Vast => two(300),
            Family::Vanishing => f64::from_bits(1 << 4),
            Family::Eighths | Family::Far => 0.125,
            Family::Crooked | Family::FlatCrooked | Family::Tilted => f64::from(0.1f32),
            _ => 1.0,
        }
    }

    pub(crate) fn number(&self, dice: &mut Dice) -> f64 {
        match self.family {
            Family::Corners => f64::from(dice.between(-1, 1)),
            Family::Crooked | Family::FlatCrooked | Family::Tilted => f64::from(0.1f32 * dice.between(-20, 20) as f32),
            Family::Real => f64::from(dice.real(-2.0, 2.0) as f32),
            Family::Double => dice.real(-2.0, 2.0),
            Family::Huge => f64::from(dice.real(-2.0, 2.0) as f32) * two(120),
            Family::Eighths => f64::from(dice.between(-8, 8)) * 0.125,
            Family::Far => 1e6 + 0.125 * f64::from(dice.between(-6, 6)),
            Family::FarReal => f64::from((1e6 + dice.real(-2.0, 2.0)) as f32),
            Family::Mixed => f64::from(dice.between(-3, 3)) * two(dice.between(-20, 20)),
            Family::Wide => f64::from(dice.between(-3, 3)) * two(dice.pick(&[-100, -1, 0, 0, 0, 0, 1, 60])),
            Family::Nearly => {
                let number = f64::from(dice.between(-2, 2));
                if dice.percent(15) { nudged(dice, number).clamp(-2.0, 2.0) } else { number }
            }
            Family::Vast | Family::Tiny | Family::Subnormal | Family::Vanishing | Family::Large => {
                f64::from(dice.between(-3, 3)) * self.unit()
            }
            Family::Lattice | Family::Flat | Family::Line => f64::from(dice.between(-3, 3)),
        }
    }

    /// Without numbers below the range of exact tests: a rounding above 0 is.
    fn in_range(&self, number: f64) -> f64 {
        if self.family != Family::Vanishing && number.abs() < two(-200) { 0.0 } else { number }
    }

    pub(crate) fn point(&self, dice: &mut Dice) -> Point {
        let mut point: Point = match self.family {
            Family::Flat | Family::FlatCrooked => {
                let (u, v) = (self.number(dice), self.number(dice));
                match self.place {
                    0 if self.family == Family::Flat => [u, u + v, v],
                    1 if self.family == Family::Flat => [u, v, 2.0 * u - v + 1.0],
                    2 => [u, v, 0.0],
                    _ => [u, v, 1.0],
                }
            }
            Family::Tilted => {
                let (u, v) = (self.number(dice), self.number(dice));
                [u, v, f64::from((0.3 * u + 0.7 * v + 0.1 * self.place as f64) as f32)]
            }
            Family::Line => {
                let k = self.number(dice);
                match self.place {
                    0 => [k, 2.0 * k, -k],
                    1 => [k, k, 1.0],
                    2 => [k, 0.0, 0.0],
                    _ => [k, 1.0, -2.0],
                }
            }
            _ => std::array::from_fn(|_| self.in_range(self.number(dice))),
        };
        point.rotate_right(self.axis);
        point
    }

    /// A difference of points; less than them where these are far away.
    pub(crate) fn way(&self, dice: &mut Dice) -> Point {
        let (p, q) = (self.point(dice), self.point(dice));
        [0, 1, 2].map(|k| self.in_range(p[k] - q[k]))
    }

    /// A triangle of any shape, some of them with parts of another one.
    pub(crate) fn triangle(&self, dice: &mut Dice, near: Option<&Triangle>) -> Triangle {
        let mut triangle: Triangle = std::array::from_fn(|_| self.point(dice));
        let corner = dice.below(3);
        match (dice.below(16), near) {
            (0, _) => triangle[corner] = triangle[(corner + 1) % 3],
            (1, _) => {
                let part = dice.pick(&[0.5, 2.0, -1.0]);
                let [p, q] = [triangle[corner], triangle[(corner + 1) % 3]];
                triangle[(corner + 2) % 3] = [0, 1, 2].map(|k| self.in_range(p[k] + (q[k] - p[k]) * part));
            }
            (2, _) => triangle = [triangle[0]; 3],
            (3 | 4, Some(near)) => triangle[corner] = near[dice.below(3)],
            (5, Some(near)) => {
                let other = dice.below(3);
                (triangle[corner], triangle[(corner + 1) % 3]) = (near[other], near[(other + 1) % 3]);
            }
            (6, Some(near)) => {
                triangle = *near;
                triangle.rotate_left(corner);
                if dice.percent(50) {
                    triangle.swap(0, 1);
                }
            }
            (7, Some(near)) => {
                // A corner in the middle of an edge.
                let [p, q] = [near[corner], near[(corner + 1) % 3]];
                triangle[0] = [0, 1, 2].map(|k| self.in_range(0.5 * p[k] + 0.5 * q[k]));
            }
            (8, _) if self.family != Family::Far && self.family != Family::FarReal => {
                triangle = triangle.map(|p| p.map(|x| self.in_range(4.0 * x)));
            }
            _ => {}
        }
        triangle
    }

    /// A triangle that moves in one of many ways.
    pub(crate) fn moving(&self, dice: &mut Dice, near: Option<&MovingTriangle>) -> MovingTriangle {
        let begin = self.triangle(dice, near.map(|near| &near.begin));
        let corner = dice.below(3);
        let mut end = begin;
        match dice.below(12) {
            0 => {}
            8 => {
                // By a rounding.
                let axis = dice.below(3);
                end[corner][axis] = self.in_range(nudged(dice, end[corner][axis]));
            }
            1 | 2 => {
                let way = self.way(dice);
                end = begin.map(|p| [0, 1, 2].map(|k| self.in_range(p[k] + way[k])));
            }
            3 => end[corner] = self.point(dice),
            4 => {
                end.swap(corner, (corner + 1) % 3);
            }
            5 => end = [self.point(dice); 3],
            6 => end = begin.map(|[x, y, z]| [-y, x, z]),
            7 => {
                // Along one axis only.
                let (axis, way) = (dice.below(3), self.way(dice));
                end.iter_mut().for_each(|p| p[axis] = self.in_range(p[axis] + way[axis]));
            }
            _ => end = self.triangle(dice, near.map(|near| &near.end)),
        }
        if dice.percent(50) { MovingTriangle { begin, end } } else { MovingTriangle { begin: end, end: begin } }
    }

    pub(crate) fn pair(&self, dice: &mut Dice) -> (MovingTriangle, MovingTriangle) {
        let a = self.moving(dice, None);
        let mut b = self.moving(dice, Some(&a));
        if dice.percent(30) {
            // Away from it by whole units, along an axis or not.
            let along =
                dice.pick(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 1.0, 1.0], [1.0, -1.0, 0.0]]);
            let ways = [dice.between(0, 8), dice.between(0, 8)].map(|way| f64::from(way) * self.unit());
            let ways = if dice.percent(60) { [ways[0]; 2] } else { ways };
            for (end, way) in [&mut b.begin, &mut b.end].into_iter().zip(ways) {
                *end = end.map(|p| [0, 1, 2].map(|k| self.in_range(p[k] + way * along[k])));
            }
        }
        if dice.percent(2) {
            // Both are one point.
            let still = dice.percent(50);
            b = MovingTriangle { begin: [a.begin[0]; 3], end: [if still { a.begin[0] } else { a.end[0] }; 3] };
            return (b, b);
        }
        if dice.percent(50) { (a, b) } else { (b, a) }
    }

    /// Distances that are often attained exactly.
    pub(crate) fn distance(&self, dice: &mut Dice) -> f64 {
        let factor = match dice.below(14) {
            0 => 0.0,
            1 => -1.0,
            2 => 0.5,
            3 | 4 => 1.0,
            5 => 2.0,
            6 => 3.0,
            7 => f64::from(0.1f32),
            8 => 1.0f64.next_up(),
            9 => 1.0f64.next_down(),
            // The root of two, rounded.
            10 => nudged(dice, std::f64::consts::SQRT_2),
            11 => two(-20),
            12 => dice.pick(&[0.25, 8.0]),
            _ => dice.real(0.0, 3.0),
        };
        factor * self.unit()
    }
}

/// Windows of time.
pub(crate) const WINDOWS: [(f64, f64); 7] =
    [(0.0, 1.0), (0.0, 3.0), (1.0, 4.0), (-0.3, 0.7), (1e6, 1_000_000.25), (0.1, 1e9), (2.0, 2.0)];

/// Parameters at which contact begins or ends, beside these, and elsewhere.
pub(crate) fn parameters(dice: &mut Dice, found: &[ContactInterval]) -> Vec<f64> {
    let mut parameters = vec![dice.pick(&[0.0, 1.0, 0.5, 0.25]), dice.unit()];
    for interval in found.iter().take(2) {
        let (begin, end) = (interval.begin, interval.end);
        parameters.extend([begin.lo, begin.hi, end.lo, end.hi]);
        parameters.push(begin.lo.next_down().clamp(0.0, 1.0));
        parameters.push(end.hi.next_up().min(1.0));
        parameters.push(0.5 * (begin.hi + end.lo));
    }
    parameters
}

/// A time of a window near a parameter.
pub(crate) fn time_in(dice: &mut Dice, (begin, end): (f64, f64), s: f64) -> f64 {
    let time = begin + s * (end - begin);
    if dice.percent(30) { nudged(dice, time) } else { time }
}

/// The motion from one parameter to another, rounded.
pub(crate) fn cut(moving: &MovingTriangle, from: f64, to: f64) -> MovingTriangle {
    let at = |s: f64| -> Triangle {
        [0, 1, 2].map(|corner| {
            [0, 1, 2].map(|k| {
                let (x, y) = (moving.begin[corner][k], moving.end[corner][k]);
                if s == 1.0 { y } else { x + (y - x) * s }
            })
        })
    };
    MovingTriangle { begin: at(from), end: at(to) }
}
