//! Polynomials over a window, with integer coefficients.
//!
//! A minor of linearly moving points is a homogeneous form `Σ cᵢ sⁱ (1−s)ᵈ⁻ⁱ`. Read in
//! `t = s / (1−s)` the same coefficients are an ordinary polynomial, and the open window
//! `0 < s < 1` is `0 < t < ∞`: Descartes' rule of signs, discriminants and remainder sequences
//! apply without any change of basis, and the sign is the same because `(1−s)ᵈ` is positive. A root
//! at `s = 0` is a vanishing lowest coefficient, one at `s = 1` a vanishing highest.
//!
//! Sign of one polynomial at a root of another (Sturm and Tarski): let `p` have exactly one root
//! `α` between `lo` and `hi`. The signed remainder sequence of `p` and `p′q` loses `sign q(α)`
//! variations from `lo` to `hi`, zero included. Follows Basu, Pollack, Roy, *Algorithms in Real
//! Algebraic Geometry*, chapter 2.

use std::cmp::Ordering;

use super::integer::{Integer, Ring};

/// Bits of the grid of reported times: all its points in `[0, 1]` are f64 values.
pub(crate) const GRID_BITS: usize = 53;

/// A number `numerator / 2^exponent` in `[0, 1]`.
#[derive(Clone, Debug)]
pub(crate) struct Dyadic {
    pub(crate) numerator: Integer,
    pub(crate) exponent: usize,
}

impl Dyadic {
    /// The value of an f64 in `[0, 1]`, exactly; other values are clamped.
    pub(crate) fn from_f64(value: f64) -> Self {
        let value = if value > 0.0 { value.min(1.0) } else { 0.0 };
        let bits = value.to_bits();
        let field = (bits >> 52) as usize;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, exponent) = if field == 0 { (fraction, 1074) } else { (fraction | (1 << 52), 1075 - field) };
        let spare = (mantissa.trailing_zeros() as usize).min(exponent);
        if mantissa == 0 {
            return Self { numerator: Integer::zero(), exponent: 0 };
        }
        Self { numerator: Integer::from_u64(mantissa >> spare), exponent: exponent - spare }
    }

    /// `cell / 2^53`.
    pub(crate) fn from_cell(cell: u64) -> Self {
        Self::from_f64(cell_to_f64(cell))
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let exponent = self.exponent.max(other.exponent);
        let a = self.numerator.shifted_left(exponent - self.exponent);
        let b = other.numerator.shifted_left(exponent - other.exponent);
        a.minus(&b).sign().cmp(&0)
    }

    /// The cell of the 2⁻⁵³ grid at or below the value, and whether the value lies on the grid.
    pub(crate) fn cell(&self) -> (u64, bool) {
        if self.exponent <= GRID_BITS {
            let numerator = self.numerator.shifted_left(GRID_BITS - self.exponent);
            return (numerator.magnitude_shifted_right(0), true);
        }
        let drop = self.exponent - GRID_BITS;
        (self.numerator.magnitude_shifted_right(drop), !self.numerator.has_low_bits(drop))
    }
}

/// `cell / 2^53`, exact for cells up to `2^53`.
pub(crate) fn cell_to_f64(cell: u64) -> f64 {
    cell as f64 * (0.5 * f64::EPSILON)
}

/// A polynomial over the window, lowest coefficient first; see the head of this file.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    coefficients: Vec<Integer>,
}

/// A form without its roots at the ends of the window.
pub(crate) struct Stripped {
    pub(crate) zero_at_begin: bool,
    pub(crate) zero_at_end: bool,
    pub(crate) core: Form,
}

impl Form {
    pub(crate) fn new(coefficients: Vec<Integer>) -> Self {
        Self { coefficients }
    }

    pub(crate) fn coefficients(&self) -> &[Integer] {
        &self.coefficients
    }

    pub(crate) fn degree(&self) -> usize {
        self.coefficients.len().saturating_sub(1)
    }

    /// Sign of the first coefficient: the sign at the begin of the window.
    pub(crate) fn first_sign(&self) -> i32 {
        self.coefficients.first().map_or(0, Integer::sign)
    }

    /// Sign at a point of the window.
    pub(crate) fn sign_at(&self, point: &Dyadic) -> i32 {
        let rest = Integer::power_of_two(point.exponent).minus(&point.numerator);
        self.sign_at_ratio(&point.numerator, &rest)
    }

    /// Sign at `s : 1−s = ahead : rest`.
    fn sign_at_ratio(&self, ahead: &Integer, rest: &Integer) -> i32 {
        let mut terms = self.coefficients.iter().rev();
        let Some(highest) = terms.next() else {
            return 0;
        };
        let mut sum = highest.clone();
        let mut power = rest.clone();
        for (i, coefficient) in terms.enumerate() {
            if i > 0 {
                power = power.times(rest);
            }
            sum = sum.times(ahead).plus(&coefficient.times(&power));
        }
        sum.sign()
    }

    /// Divides out the roots at both ends. The form must not be zero.
    pub(crate) fn strip(&self) -> Stripped {
        let all = &self.coefficients;
        let first = all.iter().position(|c| !c.is_zero()).unwrap_or(0);
        let last = all.iter().rposition(|c| !c.is_zero()).unwrap_or(0);
        Stripped {
            zero_at_begin: first > 0,
            zero_at_end: last + 1 < all.len(),
            core: Self::new(all[first..=last].to_vec()),
        }
    }

    /// Coefficients scaled by one power of two to at most 1, each with a relative error of at most
    /// `2^-52`.
    pub(crate) fn approximate(&self) -> [f64; 4] {
        let scale = self.coefficients.iter().map(Integer::bit_length).max().unwrap_or(0);
        let mut rounded = [0.0; 4];
        for (slot, coefficient) in rounded.iter_mut().zip(&self.coefficients) {
            *slot = coefficient.scaled_to_f64(scale);
        }
        rounded
    }

    /// Sign of `self` at the only root of `of` strictly between `lo` and `hi`, where `of` must not
    /// vanish at either.
    pub(crate) fn sign_at_root(&self, of: &Self, lo: &Dyadic, hi: &Dyadic) -> i32 {
        let divisor = trimmed(of.coefficients.clone());
        let product = remainder(multiply(&derivative(&divisor), &trimmed(self.coefficients.clone())), &divisor);
        let mut sequence = vec![divisor, product];
        while let [.., previous, last] = sequence.as_slice()
            && !last.is_empty()
        {
            let next = remainder(previous.clone(), last).into_iter().map(Integer::negated).collect();
            sequence.push(next);
        }
        let variations = |point: &Dyadic| {
            let rest = Integer::power_of_two(point.exponent).minus(&point.numerator);
            let signs =
                sequence.iter().map(|polynomial| Self::new(polynomial.clone()).sign_at_ratio(&point.numerator, &rest));
            sign_variations(signs)
        };
        variations(lo) - variations(hi)
    }
}

/// Number of sign changes along a sequence, zeros skipped.
pub(crate) fn sign_variations(signs: impl Iterator<Item = i32>) -> i32 {
    let mut last = 0;
    let mut count = 0;
    for sign in signs.filter(|&sign| sign != 0) {
        count += i32::from(last != 0 && sign != last);
        last = sign;
    }
    count
}

fn trimmed(mut polynomial: Vec<Integer>) -> Vec<Integer> {
    while polynomial.last().is_some_and(Integer::is_zero) {
        polynomial.pop();
    }
    polynomial
}

fn derivative(polynomial: &[Integer]) -> Vec<Integer> {
    let factors = polynomial.iter().enumerate().skip(1);
    factors.map(|(i, c)| c.times(&Integer::from_u64(i as u64))).collect()
}

fn multiply(a: &[Integer], b: &[Integer]) -> Vec<Integer> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mut product = vec![Integer::zero(); a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            product[i + j] = product[i + j].plus(&x.times(y));
        }
    }
    product
}

/// Remainder of `dividend` by a trimmed, non-empty `divisor`, up to a positive factor.
fn remainder(dividend: Vec<Integer>, divisor: &[Integer]) -> Vec<Integer> {
    let mut rest = trimmed(dividend);
    let Some(lead) = divisor.last() else {
        return rest;
    };
    let lead_negative = lead.sign() < 0;
    let scale = if lead_negative { lead.clone().negated() } else { lead.clone() };
    while rest.len() >= divisor.len() {
        let offset = rest.len() - divisor.len();
        let Some(top) = rest.pop() else { break };
        let factor = if lead_negative { top.negated() } else { top };
        for coefficient in &mut rest {
            *coefficient = coefficient.times(&scale);
        }
        for (slot, term) in rest[offset..].iter_mut().zip(divisor) {
            *slot = slot.minus(&factor.times(term));
        }
        rest = trimmed(rest);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::{Dyadic, Form, GRID_BITS};
    use crate::narrow::exact::integer::Integer;

    fn form(coefficients: &[i64]) -> Form {
        let integers = coefficients.iter().map(|&c| Integer::from_i128(c.into()));
        Form::new(integers.collect())
    }

    #[test]
    fn sign_of_one_polynomial_at_the_root_of_another() {
        let (zero, one) = (Dyadic::from_f64(0.0), Dyadic::from_f64(1.0));
        // t² = 2, so t = 1.4142…
        let root_of_two = form(&[-2, 0, 1]);
        let signs = [
            (form(&[-1, 1]), 1),
            (form(&[-3, 2]), -1),
            (form(&[-4, 0, 2]), 0),
            (form(&[2, 2, -1, -1]), 0),
            (form(&[-141_421_356, 100_000_000]), 1),
            (form(&[-141_421_357, 100_000_000]), -1),
            (form(&[7]), 1),
        ];
        for (other, sign) in signs {
            assert_eq!(other.sign_at_root(&root_of_two, &zero, &one), sign);
        }
    }

    #[test]
    fn dyadic_cells() {
        assert_eq!(Dyadic::from_f64(0.5).cell(), (1 << (GRID_BITS - 1), true));
        assert_eq!(Dyadic::from_f64(1.0).cell(), (1 << GRID_BITS, true));
        assert_eq!(Dyadic::from_f64(f64::MIN_POSITIVE).cell(), (0, false));
        assert_eq!(Dyadic::from_f64(0.0).cell(), (0, true));
    }

    #[test]
    fn ends_are_stripped() {
        let stripped = form(&[0, 0, 3, 0]).strip();
        assert!(stripped.zero_at_begin && stripped.zero_at_end);
        assert_eq!(stripped.core.degree(), 0);
        assert_eq!(form(&[0, 0, 3, 0]).sign_at(&Dyadic::from_f64(1.0)), 0);
        assert_eq!(form(&[0, 0, 3, 0]).sign_at(&Dyadic::from_f64(0.25)), 1);
    }
}
