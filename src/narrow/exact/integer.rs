//! Signed integers of any size; small ones need no heap allocation.
//!
//! Every coordinate is a dyadic rational. After one common scaling by a power of two all
//! polynomials of the narrow phase have integer coefficients; exact signs need only addition,
//! subtraction, multiplication and shifts. Representation: sign and magnitude, 64-bit limbs, least
//! significant first, without leading zero limbs; zero has no limbs and is not negative. Magnitudes
//! up to 384 bits (a cubic in f32 data evaluated at an f64 time) are stored inline.
//!
//! Cost: schoolbook, a few nanoseconds while inline.

use std::cmp::Ordering;

/// Limbs held without allocation.
const INLINE: usize = 6;

/// Operations on numbers that determinants need.
pub(crate) trait Ring: Clone {
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
}

/// Only for callers that have proved that no result exceeds 127 bits.
impl Ring for i128 {
    #[inline]
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    #[inline]
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    #[inline]
    fn times(&self, other: &Self) -> Self {
        self * other
    }
}

#[derive(Clone, Debug)]
enum Limbs {
    Inline([u64; INLINE]),
    Heap(Vec<u64>),
}

/// A signed integer of any size.
#[derive(Clone, Debug)]
pub(crate) struct Integer {
    negative: bool,
    length: usize,
    limbs: Limbs,
}

impl Integer {
    pub(crate) const fn zero() -> Self {
        Self { negative: false, length: 0, limbs: Limbs::Inline([0; INLINE]) }
    }

    pub(crate) fn from_i128(value: i128) -> Self {
        let magnitude = value.unsigned_abs();
        let mut words = [0; INLINE];
        words[0] = magnitude as u64;
        words[1] = (magnitude >> 64) as u64;
        let length = if words[1] != 0 { 2 } else { usize::from(words[0] != 0) };
        Self { negative: value < 0, length, limbs: Limbs::Inline(words) }
    }

    pub(crate) fn from_u64(value: u64) -> Self {
        Self::from_i128(i128::from(value))
    }

    /// Two to the power `exponent`.
    pub(crate) fn power_of_two(exponent: usize) -> Self {
        Self::from_u64(1).shifted_left(exponent)
    }

    /// Lets `fill` write the magnitude into `capacity` zeroed limbs, then trims.
    fn build(negative: bool, capacity: usize, fill: impl FnOnce(&mut [u64])) -> Self {
        let (limbs, mut length) = if capacity <= INLINE {
            let mut words = [0; INLINE];
            fill(&mut words[..capacity]);
            (Limbs::Inline(words), capacity)
        } else {
            let mut words = vec![0; capacity];
            fill(&mut words);
            (Limbs::Heap(words), capacity)
        };
        let mut result = Self { negative: false, length, limbs };
        while length > 0 && result.magnitude()[length - 1] == 0 {
            length -= 1;
            result.length = length;
        }
        result.negative = negative && length > 0;
        result
    }

    fn magnitude(&self) -> &[u64] {
        match &self.limbs {
            Limbs::Inline(words) => &words[..self.length],
            Limbs::Heap(words) => &words[..self.length],
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.length == 0
    }

    /// -1, 0 or 1.
    pub(crate) fn sign(&self) -> i32 {
        match (self.length, self.negative) {
            (0, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }

    pub(crate) fn negated(mut self) -> Self {
        self.negative = self.length > 0 && !self.negative;
        self
    }

    /// Position of the highest set bit plus one; 0 for zero.
    pub(crate) fn bit_length(&self) -> usize {
        self.magnitude().last().map_or(0, |top| self.length * 64 - top.leading_zeros() as usize)
    }

    pub(crate) fn shifted_left(&self, bits: usize) -> Self {
        if self.is_zero() {
            return Self::zero();
        }
        let (whole, part) = (bits / 64, bits % 64);
        let source = self.magnitude();
        Self::build(self.negative, self.length + whole + 1, |out| {
            for (i, &word) in source.iter().enumerate() {
                out[i + whole] |= word << part;
                if part > 0 {
                    out[i + whole + 1] |= word >> (64 - part);
                }
            }
        })
    }

    /// Quotient by `2^bits`, rounded towards zero, of a magnitude known to fit 64 bits after the
    /// shift.
    pub(crate) fn magnitude_shifted_right(&self, bits: usize) -> u64 {
        let (whole, part) = (bits / 64, bits % 64);
        let source = self.magnitude();
        let low = source.get(whole).map_or(0, |word| word >> part);
        let high = source.get(whole + 1).map_or(0, |word| if part > 0 { word << (64 - part) } else { 0 });
        low | high
    }

    /// Whether any of the lowest `bits` bits of the magnitude is set.
    pub(crate) fn has_low_bits(&self, bits: usize) -> bool {
        let (whole, part) = (bits / 64, bits % 64);
        let source = self.magnitude();
        source.iter().take(whole).any(|&word| word != 0)
            || source.get(whole).is_some_and(|word| word & ((1_u64 << part) - 1) != 0)
    }

    /// `self / 2^scale` with a relative error of at most `2^-52` (and an underflow to zero far
    /// below 1).
    pub(crate) fn scaled_to_f64(&self, scale: usize) -> f64 {
        let bits = self.bit_length();
        if bits == 0 {
            return 0.0;
        }
        let source = self.magnitude();
        let top = source[self.length - 1];
        let lead = top.leading_zeros();
        let next = if self.length > 1 && lead > 0 { source[self.length - 2] >> (64 - lead) } else { 0 };
        let mantissa = ((top << lead) | next) as f64;
        let exponent = bits.cast_signed() - 64 - scale.cast_signed();
        let value = mantissa * power(exponent);
        if self.negative { -value } else { value }
    }
}

/// `2^exponent`; 0 below the normal range, the largest power above it.
fn power(exponent: isize) -> f64 {
    if exponent < -1022 {
        return 0.0;
    }
    f64::from_bits(((exponent.min(1023) + 1023) as u64) << 52)
}

impl Ring for Integer {
    fn plus(&self, other: &Self) -> Self {
        signed_sum(self, other, other.negative)
    }

    fn minus(&self, other: &Self) -> Self {
        signed_sum(self, other, !other.negative)
    }

    fn times(&self, other: &Self) -> Self {
        let (a, b) = (self.magnitude(), other.magnitude());
        if a.is_empty() || b.is_empty() {
            return Self::zero();
        }
        Self::build(self.negative != other.negative, a.len() + b.len(), |out| {
            for (i, &x) in a.iter().enumerate() {
                let mut carry = 0_u128;
                for (j, &y) in b.iter().enumerate() {
                    let sum = u128::from(x) * u128::from(y) + u128::from(out[i + j]) + carry;
                    out[i + j] = sum as u64;
                    carry = sum >> 64;
                }
                out[i + b.len()] = carry as u64;
            }
        })
    }
}

/// `a + b`, where `b` is taken with the sign `b_negative`.
fn signed_sum(a: &Integer, b: &Integer, b_negative: bool) -> Integer {
    if a.negative == b_negative {
        let (long, short) =
            if a.length >= b.length { (a.magnitude(), b.magnitude()) } else { (b.magnitude(), a.magnitude()) };
        return Integer::build(a.negative, long.len() + 1, |out| {
            let mut carry = false;
            for (i, &x) in long.iter().enumerate() {
                let y = short.get(i).copied().unwrap_or(0);
                let (partial, over) = x.overflowing_add(y);
                let (sum, over_again) = partial.overflowing_add(u64::from(carry));
                out[i] = sum;
                carry = over || over_again;
            }
            out[long.len()] = u64::from(carry);
        });
    }
    let (large, small, negative) = match compare(a.magnitude(), b.magnitude()) {
        Ordering::Equal => return Integer::zero(),
        Ordering::Greater => (a.magnitude(), b.magnitude(), a.negative),
        Ordering::Less => (b.magnitude(), a.magnitude(), b_negative),
    };
    Integer::build(negative, large.len(), |out| {
        let mut borrow = false;
        for (i, &x) in large.iter().enumerate() {
            let y = small.get(i).copied().unwrap_or(0);
            let (partial, under) = x.overflowing_sub(y);
            let (difference, under_again) = partial.overflowing_sub(u64::from(borrow));
            out[i] = difference;
            borrow = under || under_again;
        }
    })
}

fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

#[cfg(test)]
mod tests {
    use super::{Integer, Ring};
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn reference(value: &Integer) -> BigInt {
        let mut sum = BigInt::from(0);
        for &word in value.magnitude().iter().rev() {
            sum = (sum << 64_u32) + BigInt::from(word);
        }
        if value.negative { -sum } else { sum }
    }

    fn number() -> impl Strategy<Value = Integer> {
        let word = prop_oneof![Just(0_i128), Just(1), Just(-1), Just(i128::MAX), any::<i128>()];
        (word.clone(), word, 0..300_usize)
            .prop_map(|(a, b, shift)| Integer::from_i128(a).shifted_left(shift).plus(&Integer::from_i128(b)))
    }

    proptest! {
        #[test]
        fn agrees_with_a_reference(a in number(), b in number(), shift in 0..200_usize) {
            let (x, y) = (reference(&a), reference(&b));
            prop_assert_eq!(reference(&a.plus(&b)), &x + &y);
            prop_assert_eq!(reference(&a.minus(&b)), &x - &y);
            prop_assert_eq!(reference(&a.times(&b)), &x * &y);
            prop_assert_eq!(reference(&a.shifted_left(shift)), &x << shift);
            prop_assert_eq!(a.bit_length() as u64, x.bits());
            prop_assert_eq!(a.minus(&a).sign(), 0);
            let low = &x - ((&x >> shift) << shift);
            prop_assert_eq!(a.has_low_bits(shift), low != BigInt::from(0));
        }

        #[test]
        fn approximation_is_close(a in any::<i128>()) {
            let exact = a as f64;
            let found = Integer::from_i128(a).scaled_to_f64(0);
            prop_assert!((found - exact).abs() <= exact.abs() * f64::EPSILON);
            prop_assert_eq!(Integer::from_i128(a).scaled_to_f64(7), found / 128.0);
        }
    }

    #[test]
    fn bits_of_two_limbs_are_shifted_into_one() {
        let word = 0xfedc_ba98_7654_3210_u64;
        for shift in [0, 1, 24, 40, 63, 64, 65, 100, 128] {
            let shifted = Integer::from_u64(word).shifted_left(shift);
            assert_eq!(shifted.magnitude_shifted_right(shift), word, "{shift}");
            assert_eq!(shifted.magnitude_shifted_right(shift + 4), word >> 4, "{shift}");
        }
    }
}
