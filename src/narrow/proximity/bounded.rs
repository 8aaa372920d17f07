//! Forms over a stretch of the window in f64, each with a proven bound of its error.
//!
//! A form of degree n is stored by its coefficients `cᵢ` of `sⁱ (1−s)ⁿ⁻ⁱ`; its Bernstein
//! coefficients are `cᵢ / C(n, i)`. `size` bounds the computed Bernstein coefficients, `error`
//! their distance from the true ones. A product's Bernstein coefficients are weighted means of
//! products of its factors' (Vandermonde), so sizes multiply and no binomial enters a bound. With u
//! = 2⁻⁵³ and at most five terms per coefficient, rounding adds at most 8 u · size · size to a
//! product and 2 u · (size + size) to a sum.

use crate::narrow::exact::integer::Ring;

/// Unit of rounding.
pub(super) const ROUNDING: f64 = 0.5 * f64::EPSILON;
/// Largest degree.
pub(super) const DEGREE: usize = 6;
const LENGTH: usize = DEGREE + 1;

const BINOMIALS: [[f64; LENGTH]; LENGTH] = [
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 3.0, 3.0, 1.0, 0.0, 0.0, 0.0],
    [1.0, 4.0, 6.0, 4.0, 1.0, 0.0, 0.0],
    [1.0, 5.0, 10.0, 10.0, 5.0, 1.0, 0.0],
    [1.0, 6.0, 15.0, 20.0, 15.0, 6.0, 1.0],
];

/// A form with bounds; see the head of this file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounded {
    coefficients: [f64; LENGTH],
    degree: usize,
    size: f64,
    error: f64,
}

impl Bounded {
    /// A coordinate difference, already rounded and scaled to a magnitude of at most 2.
    pub(super) fn linear(begin: f64, end: f64) -> Self {
        let size = begin.abs().max(end.abs());
        // Covers also the loss of scaling below the normal range.
        let error = 2.0 * ROUNDING * size + f64::MIN_POSITIVE;
        Self { coefficients: [begin, end, 0.0, 0.0, 0.0, 0.0, 0.0], degree: 1, size, error }
    }

    /// A constant as a form of degree 2, given with a relative error of at most 4 u.
    pub(super) fn quadratic_constant(value: f64) -> Self {
        let coefficients = [value, 2.0 * value, value, 0.0, 0.0, 0.0, 0.0];
        Self { coefficients, degree: 2, size: value, error: 4.0 * ROUNDING * value + f64::MIN_POSITIVE }
    }

    fn convolved<const A: usize, const B: usize>(&self, other: &Self) -> [f64; LENGTH] {
        let mut out = [0.0; LENGTH];
        for i in 0..A {
            for j in 0..B {
                out[i + j] += self.coefficients[i] * other.coefficients[j];
            }
        }
        out
    }

    pub(super) fn bernstein(&self) -> Bernstein {
        let mut values = [0.0; LENGTH];
        for i in 0..=self.degree {
            values[i] = self.coefficients[i] / BINOMIALS[self.degree][i];
        }
        let error = self.error * (1.0 + 1e-6) + 4.0 * ROUNDING * self.size;
        Bernstein { values, degree: self.degree, size: self.size, error }
    }
}

impl Ring for Bounded {
    #[inline]
    fn plus(&self, other: &Self) -> Self {
        let mut sum = *self;
        for (x, y) in sum.coefficients.iter_mut().zip(other.coefficients) {
            *x += y;
        }
        sum.size = (self.size + other.size) * (1.0 + f64::EPSILON);
        sum.error = self.error + other.error + 2.0 * ROUNDING * sum.size;
        sum
    }

    #[inline]
    fn minus(&self, other: &Self) -> Self {
        let mut negated = *other;
        for x in &mut negated.coefficients {
            *x = -*x;
        }
        self.plus(&negated)
    }

    #[inline]
    fn times(&self, other: &Self) -> Self {
        let coefficients = match (self.degree, other.degree) {
            (1, 1) => self.convolved::<2, 2>(other),
            (2, 2) => self.convolved::<3, 3>(other),
            (2, 4) => self.convolved::<3, 5>(other),
            (4, 2) => self.convolved::<5, 3>(other),
            _ => self.convolved::<4, 4>(other),
        };
        let product = self.size * other.size;
        Self {
            coefficients,
            degree: self.degree + other.degree,
            size: product * (1.0 + 16.0 * f64::EPSILON),
            error: self.size * other.error
                + other.size * self.error
                + self.error * other.error
                + 10.0 * ROUNDING * product
                + f64::MIN_POSITIVE,
        }
    }
}

/// Bernstein coefficients over one stretch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bernstein {
    values: [f64; LENGTH],
    degree: usize,
    size: f64,
    error: f64,
}

/// The course of a condition over a closed stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// Positive throughout.
    Holds,
    /// Negative throughout.
    Fails,
    /// Strictly increasing.
    Rises,
    /// Strictly decreasing.
    Falls,
    /// Not yet known.
    Unknown,
    /// Not known, and not decidable in f64.
    Hopeless,
}

impl Bernstein {
    pub(super) fn course(&self) -> Course {
        let values = &self.values[..=self.degree];
        let (mut low, mut high) = (values[0], values[0]);
        for &value in &values[1..] {
            low = if value < low { value } else { low };
            high = if value > high { value } else { high };
        }
        if low > self.error {
            return Course::Holds;
        }
        if high < -self.error {
            return Course::Fails;
        }
        let steps = || values.windows(2).map(|pair| pair[1] - pair[0]);
        let step_error = 2.0 * self.error * (1.0 + 1e-6);
        if steps().all(|step| step > step_error) {
            return Course::Rises;
        }
        if steps().all(|step| step < -step_error) {
            return Course::Falls;
        }
        if high - low < 8.0 * self.error { Course::Hopeless } else { Course::Unknown }
    }

    /// Both halves: means of neighbours, each rounded once per level, six levels.
    pub(super) fn halves(&self) -> [Self; 2] {
        let mut row = self.values;
        let (mut left, mut right) = (*self, *self);
        for round in 0..=self.degree {
            let last = self.degree - round;
            left.values[round] = row[0];
            right.values[last] = row[last];
            for i in 0..last {
                row[i] = 0.5 * (row[i] + row[i + 1]);
            }
        }
        let error = self.error + 8.0 * ROUNDING * self.size;
        (left.error, right.error) = (error, error);
        [left, right]
    }

    fn at(&self, s: f64) -> f64 {
        let mut row = self.values;
        for last in (0..self.degree).rev() {
            for i in 0..=last {
                row[i] += s * (row[i + 1] - row[i]);
            }
        }
        row[0]
    }

    /// An estimate of the sign change of a monotone form, in `[0, 1]` of its stretch.
    pub(super) fn crossing(&self) -> f64 {
        let (mut lo, mut hi) = (0.0, 1.0);
        let (mut at_lo, mut at_hi) = (self.values[0], self.values[self.degree]);
        if (at_lo < 0.0) == (at_hi < 0.0) {
            return if at_lo.abs() < at_hi.abs() { 0.0 } else { 1.0 };
        }
        // False position; the value of an end kept twice is halved (Illinois).
        let mut kept = 0;
        for _ in 0..60 {
            let s: f64 = lo + (hi - lo) * (at_lo / (at_lo - at_hi));
            let value = self.at(s);
            if value == 0.0 || hi - lo < 1e-16 || s <= lo || s >= hi {
                return s.clamp(0.0, 1.0);
            }
            if (value < 0.0) == (at_lo < 0.0) {
                if (s - lo).abs() < 1e-17 {
                    return s;
                }
                (lo, at_lo) = (s, value);
                at_hi *= if kept == 1 { 0.5 } else { 1.0 };
                kept = 1;
            } else {
                (hi, at_hi) = (s, value);
                at_lo *= if kept == -1 { 0.5 } else { 1.0 };
                kept = -1;
            }
            if value.abs() < 0.01 * self.error {
                return s;
            }
        }
        0.5 * (lo + hi)
    }
}
