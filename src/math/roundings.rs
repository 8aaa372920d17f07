//! Sums and products of `f64` with their rounding errors, after Dekker and Knuth; numbers rounded
//! to `f32` in one direction.

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

/// The least `f32` at or above a number.
#[inline(always)]
pub(crate) fn f32_at_least(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) < x { near.next_up() } else { near }
}

/// The greatest `f32` at or below a number.
#[inline(always)]
pub(crate) fn f32_at_most(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

/// An `f32` above a number, one or two steps.
#[inline(always)]
pub(crate) fn f32_above(x: f64) -> f32 {
    (x as f32).next_up()
}

/// The same for a positive number; 0 for others.
#[inline(always)]
pub(crate) fn f32_above_or_zero(x: f64) -> f32 {
    if x > 0.0 { f32_above(x) } else { 0.0 }
}
