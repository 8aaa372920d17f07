//! Roots of a form inside the open window in f64, each inside a proven sign change.
//!
//! Descartes' rule on Bernstein coefficients, with splits at critical points, gives the number of
//! roots of a piece; Newton steps only *guess* the position. A bracket is accepted because the form
//! certainly has opposite signs at its ends, never because a step was small. If a sign is within
//! its error bound the answer is [`Unclear`], and the exact path takes over.
//!
//! Cost: 50 to 100 ns per root.

/// Error of evaluating a form, in units of its largest coefficient: 16 u.
pub(crate) const EVALUATION_ERROR: f64 = 8.0 * f64::EPSILON;
/// Splits before a form is unclear: two roots are close together.
const MAX_SPLITS: usize = 5;
/// Most steps of a guess; a bad guess costs width or time, never correctness.
const MAX_STEPS: usize = 10;
/// Rounding slack of subdivided Bernstein coefficients, in units of the largest: 256 u, twice the
/// sum over `MAX_SPLITS` levels of de Casteljau and of the rounding of the split position.
const SUBDIVISION_ERROR: f64 = 128.0 * f64::EPSILON;
/// Split positions nearer to an end than this are replaced by the middle.
const SPLIT_MARGIN: f64 = 1.0 / 1024.0;
/// Resolution, in window time, at which f64 guesses are as good as possible (2⁻⁵⁰).
pub(crate) const FINE: f64 = 4.0 * f64::EPSILON;
/// Resolution sufficient to order most roots (2⁻⁸; Newton's next error is about its square).
pub(crate) const COARSE: f64 = 1.0 / 256.0;

const THIRD: f64 = 1.0 / 3.0;
/// Fraction of the last Newton step used as the first half-width of a bracket: the remaining error
/// is about its square.
const STEP_SHARE: f64 = 1.0 / 16.0;

/// No certain sign in f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unclear;

/// An open interval with exactly one root, a simple one; the form is certainly not zero at its
/// ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bracket {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
    /// From negative to positive.
    pub(crate) rising: bool,
}

/// Up to three brackets, ascending.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Brackets {
    all: [Bracket; 3],
    count: usize,
}

impl Brackets {
    pub(crate) fn as_slice(&self) -> &[Bracket] {
        &self.all[..self.count]
    }
}

/// A form in f64 with an error bound on its coefficients.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Approximate {
    pub(crate) coefficients: [f64; 4],
    pub(crate) degree: usize,
    pub(crate) error: f64,
}

/// An estimate of a root, the length of the last step towards it, and the slope before that step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guess {
    pub(crate) at: f64,
    step: f64,
    slope: f64,
}

/// Bounds of one isolation.
struct Search {
    /// Bernstein coefficients above this have a certain sign.
    tolerance: f64,
    /// Values above this have a certain sign.
    noise: f64,
    resolution: f64,
}

/// Bernstein coefficients on `from ..= to`.
struct Piece {
    bernstein: [f64; 4],
    from: f64,
    to: f64,
}

impl Approximate {
    /// Largest coefficient; unused ones are zero.
    #[inline(always)]
    pub(crate) fn largest(&self) -> f64 {
        let [a, b, c, d] = self.coefficients;
        let larger = |x: f64, y: f64| if x > y { x } else { y };
        larger(larger(a.abs(), b.abs()), larger(c.abs(), d.abs()))
    }

    /// Returns all roots strictly inside the window, if the form certainly vanishes at neither end.
    /// The brackets are about as wide as `resolution`, or as rounding requires.
    pub(crate) fn isolate(&self, resolution: f64) -> Result<Brackets, Unclear> {
        let c = self.coefficients;
        let bernstein = match self.degree {
            3 => [c[0], c[1] * THIRD, c[2] * THIRD, c[3]],
            2 => [c[0], 0.5 * c[1], c[2], 0.0],
            _ => c,
        };
        let mut found = Brackets::default();
        let piece = Piece { bernstein, from: 0.0, to: 1.0 };
        let largest = self.largest();
        let search = Search {
            tolerance: self.error + SUBDIVISION_ERROR * largest,
            noise: self.error + EVALUATION_ERROR * largest,
            resolution,
        };
        self.search(&piece, &search, MAX_SPLITS, &mut found)?;
        Ok(found)
    }

    fn search(&self, piece: &Piece, search: &Search, splits: usize, found: &mut Brackets) -> Result<(), Unclear> {
        let b = &piece.bernstein;
        let degree = self.degree;
        let tolerance = search.tolerance;
        let (first, last) = (b[0], b[degree]);
        if !(first.abs() > tolerance && last.abs() > tolerance) {
            return Err(Unclear);
        }
        let rising = first < 0.0;
        // Oriented so that the piece starts positive; interior coefficients inside the tolerance
        // have either sign.
        let oriented = |i: usize| if rising { -b[i] } else { b[i] };
        let inner = 1..degree.max(1);
        if (first > 0.0) == (last > 0.0) {
            if inner.clone().all(|i| oriented(i) > tolerance) {
                return Ok(());
            }
        } else {
            let dips_then_rises = degree == 3 && oriented(1) <= tolerance && oriented(2) >= -tolerance;
            if !dips_then_rises {
                if found.count == found.all.len() {
                    return Err(Unclear);
                }
                found.all[found.count] = self.bracket(piece.from, piece.to, rising, search);
                found.count += 1;
                return Ok(());
            }
        }
        if splits == 0 {
            return Err(Unclear);
        }
        let at = split_position(b, degree);
        let (left, right) = subdivide(b, degree, at);
        let middle = piece.from + at * (piece.to - piece.from);
        let left = Piece { bernstein: left, from: piece.from, to: middle };
        self.search(&left, search, splits - 1, found)?;
        let right = Piece { bernstein: right, from: middle, to: piece.to };
        self.search(&right, search, splits - 1, found)
    }

    /// Narrows `from ..= to`, which contains one root and has certain signs at its ends.
    fn bracket(&self, from: f64, to: f64, rising: bool, search: &Search) -> Bracket {
        let Guess { at, step, slope } = self.guess(from, to, rising, search.resolution);
        let noise = search.noise;
        let signed = |s: f64| {
            let value = self.evaluate(s);
            if rising { value } else { -value }
        };
        let width = 2.0 * noise / slope.abs().max(f64::MIN_POSITIVE) + STEP_SHARE * step + f64::EPSILON;
        let mut bracket = Bracket { lo: from, hi: to, rising };
        let mut reach = width;
        while at - reach > from {
            if signed(at - reach) < -noise {
                bracket.lo = at - reach;
                break;
            }
            reach *= 4.0;
        }
        reach = width;
        while at + reach < to {
            if signed(at + reach) > noise {
                bracket.hi = at + reach;
                break;
            }
            reach *= 4.0;
        }
        bracket
    }

    /// Returns a value near the root in `from ..= to`: Newton steps, kept inside a shrinking
    /// interval, until a step is below `resolution`.
    pub(crate) fn guess(&self, from: f64, to: f64, rising: bool, resolution: f64) -> Guess {
        let (mut low, mut high) = (from, to);
        let [at_from, at_to] = [self.evaluate(from), self.evaluate(to)];
        let secant = from + (to - from) * (at_from / (at_from - at_to));
        let mut guess = Guess {
            at: if secant > low && secant < high { secant } else { 0.5 * (low + high) },
            step: 0.0,
            slope: 0.0,
        };
        for _ in 0..MAX_STEPS {
            let value = self.evaluate(guess.at);
            guess.slope = self.slope(guess.at);
            if (value < 0.0) == rising {
                low = guess.at;
            } else {
                high = guess.at;
            }
            let newton = guess.at - value / guess.slope;
            let next = if newton >= low && newton <= high { newton } else { 0.5 * (low + high) };
            guess.step = (next - guess.at).abs();
            guess.at = next;
            if guess.step < resolution {
                break;
            }
        }
        guess
    }

    /// Value at `s`.
    #[inline(always)]
    pub(crate) fn evaluate(&self, s: f64) -> f64 {
        let c = &self.coefficients;
        let rest = 1.0 - s;
        match self.degree {
            0 => c[0],
            1 => c[0] * rest + c[1] * s,
            2 => (c[0] * rest + c[1] * s) * rest + c[2] * (s * s),
            _ => {
                let (ahead, behind) = (s * s, rest * rest);
                (c[0] * rest + c[1] * s) * behind + (c[2] * rest + c[3] * s) * ahead
            }
        }
    }

    #[inline(always)]
    fn slope(&self, s: f64) -> f64 {
        let c = &self.coefficients;
        let rest = 1.0 - s;
        match self.degree {
            0 => 0.0,
            1 => c[1] - c[0],
            2 => (c[1] - 2.0 * c[0]) * rest + (2.0 * c[2] - c[1]) * s,
            _ => ((c[1] - 3.0 * c[0]) * rest + 2.0 * (c[2] - c[1]) * s) * rest + (3.0 * c[3] - c[2]) * (s * s),
        }
    }
}

/// The split position of a piece: a critical point if it has one, else the middle.
fn split_position(b: &[f64; 4], degree: usize) -> f64 {
    let inside = |x: f64| x > SPLIT_MARGIN && x < 1.0 - SPLIT_MARGIN;
    let first = b[1] - b[0];
    if degree == 2 {
        let turn = first / (first - (b[2] - b[1]));
        return if inside(turn) { turn } else { 0.5 };
    }
    let (second, third) = (b[2] - b[1], b[3] - b[2]);
    // (1−x)² first + 2 x (1−x) second + x² third = 0
    let (square, half) = (first - 2.0 * second + third, second - first);
    let discriminant = half * half - square * first;
    if discriminant > 0.0 {
        let q = -(half + discriminant.sqrt().copysign(half));
        for turn in [q / square, first / q] {
            if inside(turn) {
                return turn;
            }
        }
    }
    0.5
}

/// Subdivision by de Casteljau.
fn subdivide(b: &[f64; 4], degree: usize, at: f64) -> ([f64; 4], [f64; 4]) {
    let mut row = *b;
    let mut left = [0.0; 4];
    let mut right = [0.0; 4];
    for round in 0..=degree {
        left[round] = row[0];
        right[degree - round] = row[degree - round];
        for i in 0..degree - round {
            row[i] += at * (row[i + 1] - row[i]);
        }
    }
    (left, right)
}

#[cfg(test)]
mod tests {
    use super::{Approximate, FINE};

    fn roots(coefficients: [f64; 4], degree: usize) -> Vec<f64> {
        let form = Approximate { coefficients, degree, error: 1e-15 };
        let found = form.isolate(FINE).expect("clear");
        let brackets = found.as_slice().iter();
        brackets.inspect(|b| assert!(b.hi - b.lo < 1e-12, "{b:?}")).map(|b| 0.5 * (b.lo + b.hi)).collect()
    }

    #[test]
    fn three_roots() {
        // (s − ¼)(s − ½)(s − ¾) in t: (3t − 1)(t − 1)(t − 3)
        let found = roots([-3.0, 13.0, -13.0, 3.0], 3);
        for (s, expected) in found.iter().zip([0.25, 0.5, 0.75]) {
            assert!((s - expected).abs() < 1e-12, "{found:?}");
        }
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn two_roots_and_none() {
        assert_eq!(roots([3.0, -4.0, 1.0, 0.0], 2).len(), 2);
        assert_eq!(roots([3.0, 3.0, 3.0, 3.0], 3).len(), 0);
        assert_eq!(roots([1.0, -0.9, -0.9, 1.0], 3).len(), 0);
    }

    #[test]
    fn double_roots_are_unclear() {
        let form = Approximate { coefficients: [1.0, -2.0, 1.0, 0.0], degree: 2, error: 1e-16 };
        assert!(form.isolate(FINE).is_err());
    }

    /// Every bound of a rounding is a share of it.
    #[test]
    fn the_largest_coefficient_is_that_of_largest_size() {
        for place in 0..4 {
            for value in [13.0, -13.0] {
                let mut coefficients = [3.0, -2.0, 1.0, 0.0];
                coefficients[place] = value;
                assert_eq!(Approximate { coefficients, degree: 3, error: 0.0 }.largest(), 13.0);
            }
        }
    }
}
