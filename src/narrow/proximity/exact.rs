//! The pair in integers: conditions of a site at grid instants, and as polynomials over a stretch
//! of the window.

use super::reach::Reach;
use super::sites::{CONDITIONS, POINTS, Parts};
use crate::narrow::exact::form::GRID_BITS;
use crate::narrow::exact::grid::{decompose, multiple};
use crate::narrow::exact::integer::{Integer, Ring};
use crate::narrow::exact::ratio::Ratio;
use crate::narrow::intervals::MovingTriangle;

type Position<R> = [R; 3];

/// Positions and the distance at both ends of the window as integers, in units of one power of two.
#[derive(Debug)]
pub(super) struct Whole {
    begin: [Position<Integer>; POINTS],
    end: [Position<Integer>; POINTS],
    reach: [Integer; 2],
}

impl Whole {
    /// Everything must be finite.
    pub(super) fn new(a: &MovingTriangle, b: &MovingTriangle, reach: Reach) -> Self {
        let mut lowest = reach.lowest_bit(i32::MAX);
        let coordinates = [a, b].into_iter().flat_map(|t| t.begin.iter().chain(&t.end)).flatten();
        for &value in coordinates {
            let (mantissa, exponent) = decompose(value);
            lowest = if mantissa != 0 { lowest.min(exponent) } else { lowest };
        }
        let scaled = |value: f64| multiple(value, lowest);
        let six =
            |a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]| [a[0], a[1], a[2], b[0], b[1], b[2]].map(|point| point.map(scaled));
        let reach = [reach.begin, reach.end].map(|[p, q]| scaled(p).plus(&scaled(q)));
        Self { begin: six(&a.begin, &b.begin), end: six(&a.end, &b.end), reach }
    }

    /// Positions at `s : 1 − s = ahead : rest`, times the sum of the two.
    fn between(&self, Ratio { ahead, rest }: &Ratio) -> [Position<Integer>; POINTS] {
        std::array::from_fn(|i| {
            std::array::from_fn(|k| self.begin[i][k].times(rest).plus(&self.end[i][k].times(ahead)))
        })
    }

    /// The distance there, times the same.
    fn reach_between(&self, Ratio { ahead, rest }: &Ratio) -> Integer {
        self.reach[0].times(rest).plus(&self.reach[1].times(ahead))
    }

    /// Where an instant of the grid is, in units of `2^spare` cells.
    fn place(cell: u64, spare: u32) -> Ratio {
        let ahead = Integer::from_u64(cell >> spare);
        Ratio { ahead, rest: Integer::from_u64(((1 << GRID_BITS) - cell) >> spare) }
    }

    /// The pair at an instant of the grid.
    pub(super) fn instant(&self, cell: u64) -> Instant {
        let spare = cell.trailing_zeros().min(GRID_BITS as u32);
        self.instant_at(&Self::place(cell, spare))
    }

    /// The pair at any place inside the window.
    pub(super) fn instant_at(&self, place: &Ratio) -> Instant {
        Instant::of(self.between(place), &self.reach_between(place))
    }

    /// The conditions of a site over the stretch between two grid instants.
    pub(super) fn stretch(&self, lo: u64, hi: u64) -> Stretch {
        let spare = lo.trailing_zeros().min(hi.trailing_zeros()).min(GRID_BITS as u32);
        let ends = [lo, hi].map(|cell| Self::place(cell, spare));
        let reach = ends.each_ref().map(|place| self.reach_between(place));
        let [begin, end] = ends.map(|place| self.between(&place));
        Stretch { begin, end, reach }
    }
}

/// The pair at one instant.
pub(super) struct Instant {
    points: [Position<Integer>; POINTS],
    square: Integer,
}

impl Instant {
    /// Of points and a distance in units of one positive number.
    pub(super) fn of(points: [Position<Integer>; POINTS], reach: &Integer) -> Self {
        Self { points, square: reach.times(reach) }
    }

    fn conditions(&self, parts: Parts) -> super::sites::Conditions<Integer> {
        parts.conditions(&self.square, |p, q| std::array::from_fn(|k| self.points[p][k].minus(&self.points[q][k])))
    }

    /// Sign of one condition.
    pub(super) fn sign(&self, parts: Parts, condition: usize) -> i32 {
        self.conditions(parts).values[condition].as_ref().map_or(0, Integer::sign)
    }

    /// Whether the nearest points of a site lie inside it and within the distance.
    pub(super) fn reaches(&self, parts: Parts) -> bool {
        let conditions = self.conditions(parts);
        conditions.values.iter().flatten().all(|value| value.sign() >= 0)
            && conditions.guard.is_none_or(|guard| guard.sign() > 0)
    }
}

/// The pair over a stretch of the window.
pub(super) struct Stretch {
    begin: [Position<Integer>; POINTS],
    end: [Position<Integer>; POINTS],
    reach: [Integer; 2],
}

/// A form: coefficients of `sⁱ (1−s)ⁿ⁻ⁱ`.
#[derive(Clone)]
struct Form(Vec<Integer>);

impl Ring for Form {
    fn plus(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a.plus(b)).collect())
    }

    fn minus(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a.minus(b)).collect())
    }

    fn times(&self, other: &Self) -> Self {
        let mut out = vec![Integer::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                out[i + j] = out[i + j].plus(&a.times(b));
            }
        }
        Self(out)
    }
}

/// What is known of a condition inside an open stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// At least zero throughout.
    Holds,
    /// Negative throughout.
    Fails,
    Rises,
    Falls,
    Unknown,
}

/// Bernstein coefficients up to a positive factor.
#[derive(Clone, Debug)]
pub(super) struct Bernstein(Vec<Integer>);

impl Bernstein {
    fn new(form: &Form) -> Self {
        // Multiples of 1 / C(n, i) for degrees 2, 4 and 6.
        let factors: &[u64] = match form.0.len() {
            3 => &[2, 1, 2],
            5 => &[12, 3, 2, 3, 12],
            _ => &[60, 10, 4, 3, 4, 10, 60],
        };
        Self(form.0.iter().zip(factors).map(|(c, &factor)| c.times(&Integer::from_u64(factor))).collect())
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.iter().all(Integer::is_zero)
    }

    /// Signs at both ends.
    pub(super) fn end_signs(&self) -> [i32; 2] {
        [self.0.first(), self.0.last()].map(|value| value.map_or(0, Integer::sign))
    }

    pub(super) fn course(&self) -> Course {
        let (mut positive, mut negative) = (false, false);
        for value in &self.0 {
            positive |= value.sign() > 0;
            negative |= value.sign() < 0;
        }
        if !negative {
            return Course::Holds;
        }
        if !positive {
            return Course::Fails;
        }
        let (mut up, mut down) = (false, false);
        for pair in self.0.windows(2) {
            let step = pair[1].minus(&pair[0]).sign();
            up |= step > 0;
            down |= step < 0;
        }
        match (up, down) {
            (true, false) => Course::Rises,
            (false, true) => Course::Falls,
            _ => Course::Unknown,
        }
    }

    /// Both halves, scaled by `2^degree`.
    pub(super) fn halves(self) -> [Self; 2] {
        let degree = self.0.len() - 1;
        let mut row = self.0;
        let (mut left, mut right) = (Vec::with_capacity(degree + 1), Vec::with_capacity(degree + 1));
        for round in 0..=degree {
            left.push(row[0].shifted_left(degree - round));
            right.push(row[degree - round].shifted_left(degree - round));
            for i in 0..degree - round {
                row[i] = row[i].plus(&row[i + 1]);
            }
        }
        right.reverse();
        [Self(left), Self(right)]
    }
}

/// A site over a stretch: its conditions by number, and its determinant.
pub(super) struct ExactSite {
    pub(super) parts: Parts,
    pub(super) values: Vec<(usize, Bernstein)>,
    pub(super) guard: Option<Bernstein>,
}

impl Stretch {
    fn conditions(&self, parts: Parts) -> super::sites::Conditions<Form> {
        let reach = Form(self.reach.to_vec());
        let square = reach.times(&reach);
        parts.conditions(&square, |p, q| {
            std::array::from_fn(|k| {
                Form(vec![self.begin[p][k].minus(&self.begin[q][k]), self.end[p][k].minus(&self.end[q][k])])
            })
        })
    }

    /// Whether the determinant of a site vanishes for all time.
    pub(super) fn is_degenerate(&self, parts: Parts) -> bool {
        self.conditions(parts).guard.is_some_and(|guard| guard.0.iter().all(Integer::is_zero))
    }

    /// `None` if the site is degenerate for all time.
    pub(super) fn site(&self, parts: Parts) -> Option<ExactSite> {
        let conditions = self.conditions(parts);
        let guard = conditions.guard.as_ref().map(Bernstein::new);
        if guard.as_ref().is_some_and(Bernstein::is_zero) {
            return None;
        }
        let values: Vec<_> =
            conditions.values.iter().flatten().map(Bernstein::new).enumerate().take(CONDITIONS).collect();
        Some(ExactSite { parts, values, guard })
    }
}
