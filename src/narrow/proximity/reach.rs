//! The contact distance of a pair, linear over the window: a thickness, a variable radius, or their
//! sum.

use crate::narrow::exact::grid::decompose;

/// A distance over the window, metres: the exact sum of two numbers at either end, linear in
/// between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    pub(super) begin: [f64; 2],
    pub(super) end: [f64; 2],
}

impl Reach {
    /// A constant distance.
    pub(crate) const fn constant(distance: f64) -> Self {
        Self { begin: [distance, 0.0], end: [distance, 0.0] }
    }

    /// A radius at both ends of the window, and a distance.
    pub(crate) const fn of_radius([begin, end]: [f64; 2], distance: f64) -> Self {
        Self { begin: [begin, distance], end: [end, distance] }
    }

    /// The distance at the window's begin, constant over time.
    pub(super) fn at_begin(self) -> Self {
        Self { end: self.begin, ..self }
    }

    pub(super) fn at_end(self) -> Self {
        Self { begin: self.end, ..self }
    }

    pub(super) fn is_constant(self) -> bool {
        self.begin == self.end
    }

    /// The sums at both ends, each rounded once.
    pub(super) fn sums(self) -> [f64; 2] {
        [self.begin[0] + self.begin[1], self.end[0] + self.end[1]]
    }

    /// The sums at both ends, rounded upward.
    pub(super) fn upper_sums(self) -> [f64; 2] {
        let above = |[p, q]: [f64; 2]| if p == 0.0 || q == 0.0 { p + q } else { (p + q).next_up() };
        [above(self.begin), above(self.end)]
    }

    /// The exponent of the lowest set bit of its numbers, at most the given one.
    pub(super) fn lowest_bit(self, mut lowest: i32) -> i32 {
        for value in [self.begin, self.end].concat() {
            let (mantissa, exponent) = decompose(value);
            lowest = if mantissa != 0 { lowest.min(exponent) } else { lowest };
        }
        lowest
    }

    pub(super) fn is_nan(self) -> bool {
        self.sums().iter().any(|sum| sum.is_nan())
    }

    /// Whether the distance is at most 0 at both ends.
    pub(super) fn is_nothing(self) -> bool {
        self.sums().iter().all(|&sum| sum <= 0.0)
    }
}
