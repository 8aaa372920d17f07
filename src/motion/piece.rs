//! Pieces of trajectories: linear, or polynomials of degree 2 and 3.

use super::{flush, interpolate};
use crate::math::turning_points;

/// A part of a trajectory on which one coordinate is linear, or one polynomial of degree at most 3.
///
/// Either end may be infinite; then the coordinate is constant. `begin <= end`.
///
/// A curved piece is its chord and a bend: with `s = (t − begin) / (end − begin)`,
///
/// ```text
/// x(s) = at_begin + (at_end − at_begin) s + s (1 − s) (bend[0] + bend[1] s)
/// ```
///
/// Every polynomial of degree 3 has exactly one such form. Ends are exact, so neighbouring pieces
/// agree at their common time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The begin, seconds.
    pub begin: f64,
    /// The end, seconds.
    pub end: f64,
    /// The coordinate at the begin, metres.
    pub at_begin: f64,
    /// The coordinate at the end, metres.
    pub at_end: f64,
    /// The deviation from its chord, metres; zero for linear motion.
    pub bend: [f64; 2],
}

impl Piece {
    /// A constant coordinate from `begin` to `end`.
    pub fn constant(begin: f64, end: f64, x: f64) -> Self {
        Self::linear(begin, end, x, x)
    }

    /// A coordinate that moves linearly.
    pub fn linear(begin: f64, end: f64, at_begin: f64, at_end: f64) -> Self {
        Self { begin, end, at_begin, at_end, bend: [0.0; 2] }
    }

    /// Whether the piece is of degree 2 or 3.
    #[inline]
    pub fn is_curved(&self) -> bool {
        self.bend[0] != 0.0 || self.bend[1] != 0.0
    }

    /// Whether the coordinate is constant.
    pub fn is_still(&self) -> bool {
        self.at_begin == self.at_end && !self.is_curved()
    }

    /// The coordinate at `time`; exact at both ends, and constant beyond them. On curved pieces
    /// every bound and every contact refers to this evaluation; its error is at most 2⁻⁵⁰ of
    /// [`Piece::magnitude`].
    #[inline]
    pub fn at(&self, time: f64) -> f64 {
        if time <= self.begin {
            self.at_begin
        } else if time >= self.end {
            self.at_end
        } else if self.is_curved() {
            let s = (time - self.begin) / (self.end - self.begin);
            let chord = self.at_begin + (self.at_end - self.at_begin) * s;
            flush(chord + s * (1.0 - s) * (self.bend[0] + self.bend[1] * s))
        } else if self.at_begin == self.at_end {
            self.at_begin
        } else {
            interpolate(self.at_begin, self.at_end, (time - self.begin) / (self.end - self.begin))
        }
    }

    /// The sum of the magnitudes of its four numbers, metres: bounds the coordinate, and every step
    /// of its evaluation.
    pub fn magnitude(&self) -> f64 {
        self.at_begin.abs() + self.at_end.abs() + self.bend[0].abs() + self.bend[1].abs()
    }

    /// A bound on the distance of the piece from its chord, metres.
    pub fn deviation(&self) -> f64 {
        0.25 * self.bend[0].abs().max((self.bend[0] + self.bend[1]).abs())
    }

    /// The largest magnitude of the second derivative with respect to `s`, metres. A part of length
    /// `h` (in `s`) is within `h² / 8` times this of its chord.
    pub fn curvature(&self) -> f64 {
        let [k0, k1] = self.bend;
        2.0 * (k1 - k0).abs().max((k0 + 2.0 * k1).abs())
    }

    /// A bound on the speed anywhere in the piece, metres per second; 0 for a piece without length.
    pub fn speed(&self) -> f64 {
        let way = (self.at_end - self.at_begin).abs() + self.bend[0].abs() + self.bend[1].abs();
        if self.begin < self.end { way / (self.end - self.begin) } else { 0.0 }
    }

    /// The coefficients `c₁, c₂, c₃` of the part from `begin` to `end` as a polynomial in that
    /// part's own parameter, 0 to 1. `begin < end`, both within the piece.
    pub(crate) fn slopes(&self, begin: f64, end: f64) -> [f64; 3] {
        let step = self.at_end - self.at_begin;
        if !self.is_curved() {
            let share = if step == 0.0 { 0.0 } else { (end - begin) / (self.end - self.begin) };
            return [step * share, 0.0, 0.0];
        }
        let [k0, k1] = self.bend;
        let (a1, a2, a3) = (step + k0, k1 - k0, -k1);
        if begin == self.begin && end == self.end {
            return [a1, a2, a3];
        }
        let length = self.end - self.begin;
        let (from, share) = ((begin - self.begin) / length, (end - begin) / length);
        let (c1, c2) = (a1 + from * (2.0 * a2 + from * (3.0 * a3)), a2 + from * (3.0 * a3));
        [c1 * share, c2 * share * share, a3 * share * share * share]
    }

    /// The smallest and the largest coordinate from `begin` to `end`, metres, up to the roundings
    /// of the evaluation.
    pub fn range(&self, begin: f64, end: f64) -> (f64, f64) {
        let (x, y) = (self.at(begin), self.at(end));
        let mut range = (x.min(y), x.max(y));
        if self.is_curved() && begin < end {
            let (begin, end) = (begin.max(self.begin), end.min(self.end));
            for s in turning_points(self.slopes(begin, end)).into_iter().flatten() {
                let x = self.at(begin + s * (end - begin));
                range = (range.0.min(x), range.1.max(x));
            }
        }
        range
    }
}
