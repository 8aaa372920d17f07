//! Forms with `i128` coefficients, evaluated exactly on the time grid without allocation.
//!
//! A few exact signs pin interval ends to cells of the 2⁻⁵³ grid. In the power basis of
//! `s = m / 2⁵³` Horner's rule is three multiplications by a 53-bit number. A cubic's value stays
//! below 2²⁸⁷, so arithmetic modulo 2³²⁰ in two's complement is exact. About 10 ns per sign.

use super::form::GRID_BITS;

/// Limbs of a value: 320 bits.
const LIMBS: usize = 5;
type Wide = [u64; LIMBS];

/// A form of degree 1 to 3 whose coefficients sum at most 18 products of three 40-bit numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmallForm {
    coefficients: [i128; 4],
    degree: usize,
}

impl SmallForm {
    /// Creates a form from at most four coefficients, lowest first.
    pub(crate) fn new(coefficients: &[i128]) -> Self {
        let mut all = [0; 4];
        for (slot, &coefficient) in all.iter_mut().zip(coefficients) {
            *slot = coefficient;
        }
        Self { coefficients: all, degree: coefficients.len().clamp(1, 4) - 1 }
    }

    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    /// Rounded coefficients, each with a relative error of at most `2^-53`.
    pub(crate) fn approximate(&self) -> [f64; 4] {
        let [a, b, c, d] = self.coefficients;
        [a as f64, b as f64, c as f64, d as f64]
    }

    /// Coefficients of `1, s, s², s³`: at most 72 products each, below 2¹²⁷.
    pub(crate) fn power_basis(&self) -> PowerBasis {
        let [a, b, c, d] = self.coefficients;
        let power = match self.degree {
            3 => [a, b - 3 * a, c - 2 * b + 3 * a, d - c + b - a],
            2 => [a, b - 2 * a, c - b + a, 0],
            1 => [a, b - a, 0, 0],
            _ => [a, 0, 0, 0],
        };
        let mut scaled = [[0; LIMBS]; 4];
        for (i, slot) in scaled.iter_mut().enumerate().take(self.degree + 1) {
            *slot = shifted(power[i], (self.degree - i) * GRID_BITS);
        }
        PowerBasis { scaled, degree: self.degree }
    }
}

/// The form times `2^(53·degree)` as a polynomial of the cell number.
pub(crate) struct PowerBasis {
    scaled: [Wide; 4],
    degree: usize,
}

impl PowerBasis {
    /// Sign at `cell / 2^53`, for cells up to `2^53`.
    pub(crate) fn sign_at(&self, cell: u64) -> i32 {
        let mut sum = self.scaled[self.degree];
        for term in self.scaled[..self.degree].iter().rev() {
            let mut carry = 0_u128;
            for (limb, &other) in sum.iter_mut().zip(term) {
                let value = u128::from(*limb) * u128::from(cell) + u128::from(other) + carry;
                *limb = value as u64;
                carry = value >> 64;
            }
        }
        if sum == [0; LIMBS] {
            0
        } else if sum[LIMBS - 1] >> 63 == 1 {
            -1
        } else {
            1
        }
    }
}

/// `value · 2^bits` modulo 2³²⁰.
fn shifted(value: i128, bits: usize) -> Wide {
    let extension = (value >> 127) as u64;
    let source = [value as u64, (value >> 64) as u64, extension, extension, extension];
    let (whole, part) = (bits / 64, bits % 64);
    let mut out = [0; LIMBS];
    for i in whole..LIMBS {
        let low = source[i - whole];
        out[i] = low << part;
        if part > 0 && i > whole {
            out[i] |= source[i - whole - 1] >> (64 - part);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::SmallForm;
    use crate::narrow::exact::form::{Dyadic, Form};
    use crate::narrow::exact::integer::Integer;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_big_integers(
            all in prop::array::uniform4(-(18_i128 << 119)..(18_i128 << 119)),
            length in 1..5_usize,
            shift in 0..110,
            cell in prop_oneof![Just(0_u64), Just(1 << 53), 0..(1_u64 << 53)],
        ) {
            let all = &all.map(|x| x >> shift)[..length];
            let small = SmallForm::new(all).power_basis();
            let big = Form::new(all.iter().map(|&x| Integer::from_i128(x)).collect());
            prop_assert_eq!(small.sign_at(cell), big.sign_at(&Dyadic::from_cell(cell)));
        }
    }
}
