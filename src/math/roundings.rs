//! Sums and products of `f64` with their rounding errors, after Dekker and Knuth.

/// Veltkamp's factor, 2²⁷ + 1.
const SPLITTER: f64 = 134_217_729.0;

/// Sum and its rounding error, exactly.
#[inline(always)]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let shadow = sum - a;
    (sum, (a - (sum - shadow)) + (b - shadow))
}

#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    let wide = SPLITTER * a;
    let high = wide - (wide - a);
    (high, a - high)
}

/// Product and its rounding error, exactly unless it underflows. Both are NaN or infinite where it
/// overflows.
#[inline(always)]
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a, x), (b, y)) = (split(a), split(b));
    (product, x * y - (((product - a * b) - x * b) - a * y))
}
