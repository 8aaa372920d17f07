//! Numbers of twice the precision of f64, with a proven error bound: a tenth of the cost of
//! integers.
//!
//! A number is an unevaluated sum of two f64. Sums and products are those of Dekker and Knuth,
//! without their last corrections. Their relative errors are below 2⁻¹⁰³ of the operands, taken
//! here as 2⁻⁹⁸. Where a product overflows, value and error are NaN or infinite; an absolute term
//! covers underflow.

use super::exact::integer::Ring;
use crate::math::{two_product, two_sum};

/// Rounding per operation, relative to the magnitudes of the operands (no unit).
const ROUNDING: f64 = 1.0 / (1_u128 << 98) as f64;

/// `high + low`, off by at most `error`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Twice {
    high: f64,
    low: f64,
    error: f64,
}

impl Twice {
    pub(crate) fn exactly(value: f64) -> Self {
        Self { high: value, low: 0.0, error: 0.0 }
    }

    /// The difference of two coordinates, times a power of two.
    pub(crate) fn difference(a: f64, b: f64, scale: f64) -> Self {
        let (high, low) = two_sum(a, -b);
        Self { high: high * scale, low: low * scale, error: f64::MIN_POSITIVE }
    }

    /// The sign, -1 or 1, if it is certain.
    pub(crate) fn sign(&self) -> Option<i32> {
        let certain = self.high.abs() * (1.0 - f64::EPSILON) > self.low.abs() + self.error * 1.01;
        certain.then_some(if self.high > 0.0 { 1 } else { -1 })
    }

    pub(crate) fn rounded(&self) -> f64 {
        self.high
    }

    /// By how much the number may be off, besides the rounding of [`Self::rounded`].
    pub(crate) fn error(&self) -> f64 {
        self.error
    }
}

impl Ring for Twice {
    #[inline]
    fn plus(&self, other: &Self) -> Self {
        let (high, low) = two_sum(self.high, other.high);
        let (high, low) = two_sum(high, low + (self.low + other.low));
        let error = self.error + other.error + ROUNDING * (self.high.abs() + other.high.abs());
        Self { high, low, error: error * (1.0 + f64::EPSILON) }
    }

    #[inline]
    fn minus(&self, other: &Self) -> Self {
        self.plus(&Self { high: -other.high, low: -other.low, error: other.error })
    }

    #[inline]
    fn times(&self, other: &Self) -> Self {
        let (high, low) = two_product(self.high, other.high);
        let (high, low) = two_sum(high, low + (self.high * other.low + self.low * other.high));
        let (x, y) = (self.high.abs(), other.high.abs());
        let error = x * other.error + y * self.error + self.error * other.error + ROUNDING * (x * y);
        Self { high, low, error: error * 1.01 + f64::MIN_POSITIVE }
    }
}

#[cfg(test)]
mod tests {
    use super::Twice;
    use crate::narrow::exact::integer::{Integer, Ring};
    use proptest::prelude::*;

    proptest! {
        /// Sums of products of integers that f64 represents: signs must be true, and certain far
        /// from ties.
        #[test]
        fn signs_agree_with_integers(all in prop::array::uniform6(-(1_i64 << 53)..(1_i64 << 53)), tie in any::<bool>()) {
            let [a, b, c, mut d, e, f] = all;
            if tie {
                d = b;
            }
            let scale = 1.0 / (1_i64 << 53) as f64;
            let twice = |x: i64| Twice::exactly(x as f64 * scale);
            let whole = |x: i64| Integer::from_i128(x.into());
            fn value<R: Ring>([a, b, c, d, e, f]: [R; 6]) -> R {
                let sum = a.times(&b).minus(&c.times(&d));
                sum.times(&sum).times(&e).minus(&a.minus(&c).times(&a.minus(&c)).times(&b).times(&b).times(&f))
            }
            let truth = value([a, b, c, d, e, f].map(whole)).sign();
            let found = value([a, b, c, d, e, f].map(twice));
            if let Some(sign) = found.sign() {
                prop_assert_eq!(sign, truth);
            } else {
                prop_assert!(found.rounded().abs() < 1e-25);
            }
        }
    }

    #[test]
    fn a_product_of_numbers_of_which_nothing_is_known_has_no_sign() {
        let square = Twice::exactly(0.1).times(&Twice::exactly(0.1));
        let lost = square.minus(&square);
        assert_eq!((lost.rounded(), lost.sign()), (0.0, None));
        assert_eq!(lost.times(&lost).sign(), None);
    }
}
