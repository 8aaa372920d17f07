//! Polynomials in rational numbers, and the exact number of their roots (Sturm's theorem). Shares no code with the library.

use kinetree::motion::Piece;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// Coefficients, constant term first; no leading zeros.
#[derive(Clone, Debug)]
pub(crate) struct Polynomial(Vec<BigRational>);

/// A finite number, exactly.
pub(crate) fn exactly(x: f64) -> BigRational {
    BigRational::from_float(x).expect("a finite number")
}

impl Polynomial {
    fn trimmed(mut coefficients: Vec<BigRational>) -> Self {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(crate) fn constant(x: BigRational) -> Self {
        Self::trimmed(vec![x])
    }

    /// The coordinate of a piece as a polynomial in time, as its documentation defines it.
    pub(crate) fn of_piece(piece: &Piece) -> Self {
        let at_begin = Self::constant(exactly(piece.at_begin));
        if piece.begin.is_infinite() || piece.end.is_infinite() || piece.begin >= piece.end {
            return at_begin;
        }
        let length = exactly(piece.end) - exactly(piece.begin);
        let s = Self::trimmed(vec![-exactly(piece.begin) / &length, BigRational::from_integer(1.into()) / &length]);
        let rest = Self::constant(BigRational::from_integer(1.into())).minus(&s);
        let step = Self::constant(exactly(piece.at_end) - exactly(piece.at_begin));
        let [k0, k1] = piece.bend.map(|k| Self::constant(exactly(k)));
        let bend = k0.plus(&k1.times(&s));
        at_begin.plus(&step.times(&s)).plus(&s.times(&rest).times(&bend))
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let (long, short) = if self.0.len() > other.0.len() { (self, other) } else { (other, self) };
        let mut sum = long.0.clone();
        for (x, y) in sum.iter_mut().zip(&short.0) {
            *x += y;
        }
        Self::trimmed(sum)
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&Self(other.0.iter().map(|x| -x).collect()))
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = vec![BigRational::zero(); (self.0.len() + other.0.len()).max(1) - 1 + 1];
        for (i, x) in self.0.iter().enumerate() {
            for (j, y) in other.0.iter().enumerate() {
                product[i + j] += x * y;
            }
        }
        Self::trimmed(product)
    }

    pub(crate) fn at(&self, time: &BigRational) -> BigRational {
        self.0.iter().rev().fold(BigRational::zero(), |sum, c| sum * time + c)
    }

    fn derivative(&self) -> Self {
        let terms = self.0.iter().enumerate().skip(1);
        Self::trimmed(terms.map(|(n, c)| c * BigRational::from_integer(BigInt::from(n))).collect())
    }

    fn remainder(&self, divisor: &Self) -> Self {
        let mut rest = self.0.clone();
        let lead = divisor.0.last().expect("not zero").clone();
        while rest.len() >= divisor.0.len() {
            let factor = rest.last().expect("not empty") / &lead;
            let shift = rest.len() - divisor.0.len();
            for (n, c) in divisor.0.iter().enumerate() {
                rest[n + shift] -= &factor * c;
            }
            rest.pop();
        }
        Self::trimmed(rest)
    }

    /// How many different roots lie in `(from, to]`; `from` must not be one.
    pub(crate) fn roots_within(&self, from: &BigRational, to: &BigRational) -> usize {
        if self.0.len() < 2 {
            return 0;
        }
        let mut chain = vec![self.clone(), self.derivative()];
        loop {
            let [.., before, last] = &chain[..] else { unreachable!() };
            let rest = before.remainder(last);
            if rest.0.is_empty() {
                break;
            }
            chain.push(Self::constant(BigRational::zero()).minus(&rest));
        }
        let changes = |time: &BigRational| {
            let signs: Vec<bool> =
                chain.iter().map(|p| p.at(time)).filter(|x| !x.is_zero()).map(|x| x.is_positive()).collect();
            signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
        };
        changes(from) - changes(to)
    }

    /// Is it positive throughout a closed interval?
    pub(crate) fn is_positive_on(&self, from: f64, to: f64) -> bool {
        let (from, to) = (exactly(from), exactly(to));
        self.at(&from).is_positive() && (from >= to || self.roots_within(&from, &to) == 0)
    }
}

#[test]
fn the_oracle_counts_roots() {
    let linear = |root: i64| {
        Polynomial::trimmed(vec![BigRational::from_integer((-root).into()), BigRational::from_integer(1.into())])
    };
    let cubic = linear(1).times(&linear(2)).times(&linear(2));
    let count = |a: f64, b: f64| cubic.roots_within(&exactly(a), &exactly(b));
    assert_eq!([count(0.0, 3.0), count(0.0, 1.0), count(1.5, 2.0), count(2.5, 9.0)], [2, 1, 1, 0]);
    assert!(cubic.is_positive_on(1.25, 1.75) && !cubic.is_positive_on(1.25, 2.0) && !cubic.is_positive_on(0.0, 0.5));
    let piece = Piece { begin: 1.0, end: 3.0, at_begin: 0.0, at_end: 2.0, bend: [4.0, 2.0] };
    let exact = Polynomial::of_piece(&piece);
    for time in [1.0, 1.5, 2.0, 2.25, 3.0] {
        assert_eq!(exact.at(&exactly(time)), exactly(piece.at(time)), "at {time}");
    }
}
