//! Polynomials of whole coefficients and their real roots in (0, 1): isolated by Descartes' rule of
//! signs and bisection, compared exactly. Shares nothing with the library.

use std::cmp::Ordering;
use std::rc::Rc;

use num_bigint::BigInt;
use num_rational::BigRational as Q;
use num_traits::{One, Signed, Zero};

/// Coefficients, the lowest first, without zeros at the end; 0 is empty.
pub(crate) type Poly = Vec<BigInt>;

pub(crate) fn trim(mut p: Poly) -> Poly {
    while p.last().is_some_and(Zero::is_zero) {
        p.pop();
    }
    p
}

pub(crate) fn add(p: &[BigInt], q: &[BigInt]) -> Poly {
    let (long, short) = if p.len() < q.len() { (q, p) } else { (p, q) };
    let mut sum = long.to_vec();
    sum.iter_mut().zip(short).for_each(|(x, y)| *x += y);
    trim(sum)
}

pub(crate) fn negated(p: &[BigInt]) -> Poly {
    p.iter().map(|x| -x).collect()
}

pub(crate) fn sub(p: &[BigInt], q: &[BigInt]) -> Poly {
    add(p, &negated(q))
}

pub(crate) fn mul(p: &[BigInt], q: &[BigInt]) -> Poly {
    if p.is_empty() || q.is_empty() {
        return Poly::new();
    }
    let mut product = vec![BigInt::zero(); p.len() + q.len() - 1];
    for (i, x) in p.iter().enumerate() {
        q.iter().enumerate().for_each(|(j, y)| product[i + j] += x * y);
    }
    product
}

fn common(mut a: BigInt, mut b: BigInt) -> BigInt {
    while !b.is_zero() {
        (a, b) = (b.clone(), a % b);
    }
    a.abs()
}

/// The polynomial divided by the greatest common divisor of its coefficients, the highest positive.
pub(crate) fn primitive(p: Poly) -> Poly {
    let mut content = p.iter().fold(BigInt::zero(), |all, x| common(all, x.clone()));
    if content.is_zero() {
        return p;
    }
    if p[p.len() - 1].is_negative() {
        content = -content;
    }
    p.into_iter().map(|x| x / &content).collect()
}

/// The remainder of a division, up to a factor.
fn remainder(mut p: Poly, q: &[BigInt]) -> Poly {
    let lead = &q[q.len() - 1];
    while p.len() >= q.len() {
        let (top, shift) = (p[p.len() - 1].clone(), p.len() - q.len());
        p.iter_mut().for_each(|x| *x *= lead);
        q.iter().enumerate().for_each(|(k, y)| p[k + shift] -= &top * y);
        p = trim(p);
    }
    primitive(p)
}

fn gcd(p: &Poly, q: &Poly) -> Poly {
    let (mut p, mut q) = (p.clone(), q.clone());
    while !q.is_empty() {
        (p, q) = (q.clone(), remainder(p, &q));
    }
    primitive(p)
}

/// `p / q`, which leaves no remainder, up to a factor.
fn quotient(mut p: Poly, q: &[BigInt]) -> Poly {
    let mut parts = vec![BigInt::zero(); p.len() + 1 - q.len()];
    while p.len() >= q.len() {
        let (top, shift) = (p[p.len() - 1].clone(), p.len() - q.len());
        let lead = &q[q.len() - 1];
        p.iter_mut().for_each(|x| *x *= lead);
        parts.iter_mut().for_each(|x| *x *= lead);
        parts[shift] += &top;
        q.iter().enumerate().for_each(|(k, y)| p[k + shift] -= &top * y);
        p = trim(p);
    }
    primitive(trim(parts))
}

/// The same roots, each once.
fn square_free(p: Poly) -> Poly {
    let derivative = (1_i64..).zip(p.iter().skip(1)).map(|(k, x)| x * k).collect();
    let common = gcd(&p, &derivative);
    if common.len() < 2 { primitive(p) } else { quotient(p, &common) }
}

pub(crate) fn sign(x: &BigInt) -> i32 {
    if x.is_zero() {
        0
    } else if x.is_negative() {
        -1
    } else {
        1
    }
}

/// The sign at `numerator / denominator`, whose denominator is positive.
fn sign_at(p: &[BigInt], numerator: &BigInt, denominator: &BigInt) -> i32 {
    let (mut sum, mut scale) = (BigInt::zero(), BigInt::one());
    for x in p.iter().rev() {
        sum = sum * numerator + x * &scale;
        scale *= denominator;
    }
    sign(&sum)
}

/// The sign just above a root.
fn sign_after(p: &[BigInt], numerator: &BigInt, denominator: &BigInt) -> i32 {
    let mut derivative = p.to_vec();
    while !derivative.is_empty() {
        derivative = (1_i64..).zip(derivative.iter().skip(1)).map(|(k, x)| x * k).collect();
        let sign = sign_at(&derivative, numerator, denominator);
        if sign != 0 {
            return sign;
        }
    }
    0
}

/// `p(x + by)`.
fn shifted(mut p: Poly, by: &BigInt) -> Poly {
    for first in 0..p.len() {
        for k in (first..p.len() - 1).rev() {
            let above = &p[k + 1] * by;
            p[k] += above;
        }
    }
    p
}

/// The changes of sign that bound the number of roots in the open (0, 1).
fn variations(p: &[BigInt]) -> usize {
    let reversed: Poly = p.iter().rev().cloned().collect();
    let signs = shifted(reversed, &BigInt::one()).iter().map(sign).filter(|&sign| sign != 0).collect::<Vec<_>>();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// `p((n + x) / 2^k)`, up to a factor.
fn within(p: &[BigInt], n: &BigInt, k: usize) -> Poly {
    let degree = p.len().saturating_sub(1);
    let scaled = p.iter().enumerate().map(|(power, x)| x << (k * (degree - power))).collect();
    shifted(scaled, n)
}

/// A real root of a polynomial, and a simple one: the only one between `n / 2^k` and
/// `(n + 1) / 2^k`, or `n / 2^k` itself.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    poly: Rc<Poly>,
    n: BigInt,
    k: usize,
    is_exact: bool,
    /// The sign between `n / 2^k` and the root.
    left: i32,
}

impl Root {
    pub(crate) fn whole(n: i64) -> Self {
        Self { poly: Rc::default(), n: BigInt::from(n), k: 0, is_exact: true, left: 0 }
    }

    fn dyadic(n: BigInt, k: usize) -> Self {
        Self { poly: Rc::default(), n, k, is_exact: true, left: 0 }
    }

    fn between(poly: &Rc<Poly>, n: BigInt, k: usize) -> Self {
        let denominator = BigInt::one() << k;
        let at = sign_at(poly, &n, &denominator);
        let left = if at != 0 { at } else { sign_after(poly, &n, &denominator) };
        Self { poly: poly.clone(), n, k, is_exact: false, left }
    }

    /// Halves the enclosure.
    pub(crate) fn refine(&mut self) {
        if self.is_exact {
            return;
        }
        let middle: BigInt = (&self.n << 1) + 1;
        self.k += 1;
        match sign_at(&self.poly, &middle, &(BigInt::one() << self.k)) {
            0 => *self = Self::dyadic(middle, self.k),
            sign if sign == self.left => self.n = middle,
            _ => self.n = middle - 1,
        }
    }

    fn low(&self) -> Q {
        Q::new(self.n.clone(), BigInt::one() << self.k)
    }

    fn high(&self) -> Q {
        if self.is_exact { self.low() } else { Q::new(&self.n + 1, BigInt::one() << self.k) }
    }

    /// A dyadic number near the root.
    pub(crate) fn about(&mut self, bits: usize) -> Q {
        while !self.is_exact && self.k < bits {
            self.refine();
        }
        self.low()
    }

    pub(crate) fn compare(&self, x: &Q) -> Ordering {
        if self.is_exact {
            return self.low().cmp(x);
        }
        if *x <= self.low() {
            return Ordering::Greater;
        }
        if *x >= self.high() {
            return Ordering::Less;
        }
        match sign_at(&self.poly, x.numer(), x.denom()) {
            0 => Ordering::Equal,
            sign if sign == self.left => Ordering::Greater,
            _ => Ordering::Less,
        }
    }

    /// The sign of a polynomial at the root.
    pub(crate) fn sign_of(&mut self, p: &Poly) -> i32 {
        if p.len() < 2 {
            return p.first().map_or(0, sign);
        }
        let mut is_zero = None;
        for round in 0.. {
            if self.is_exact {
                return sign_at(p, &self.n, &(BigInt::one() << self.k));
            }
            let here = within(p, &self.n, self.k);
            if variations(&here) == 0 {
                // No root inside: the sign at the middle holds throughout.
                return sign_at(&here, &BigInt::one(), &BigInt::from(2));
            }
            if round >= 4 && is_zero.is_none() {
                is_zero = Some(self.is_root_of(p));
            }
            if is_zero == Some(true) {
                return 0;
            }
            self.refine();
        }
        unreachable!()
    }

    fn is_root_of(&self, p: &Poly) -> bool {
        let common = gcd(&self.poly, p);
        if common.len() < 2 {
            return false;
        }
        // A factor has at most one root inside, a simple one, where it changes sign.
        variations(&within(&common, &self.n, self.k)) % 2 == 1
    }

    /// Compares two roots; enclosures of different ones do not overlap afterwards.
    pub(crate) fn order(&mut self, other: &mut Self) -> Ordering {
        let mut is_equal = None;
        for round in 0.. {
            match (self.is_exact, other.is_exact) {
                (true, _) => return other.compare(&self.low()).reverse(),
                (_, true) => return self.compare(&other.low()),
                _ => {}
            }
            if self.high() <= other.low() {
                return Ordering::Less;
            }
            if other.high() <= self.low() {
                return Ordering::Greater;
            }
            if round >= 6 && is_equal.is_none() {
                is_equal = Some(self.is_same(other));
            }
            if is_equal == Some(true) {
                return Ordering::Equal;
            }
            if self.k <= other.k {
                self.refine();
            } else {
                other.refine();
            }
        }
        unreachable!()
    }

    /// Whether two roots, whose enclosures overlap, are one.
    fn is_same(&self, other: &Self) -> bool {
        let common = gcd(&self.poly, &other.poly);
        // Of two dyadic cells that overlap one lies in the other.
        let inner = if self.k >= other.k { self } else { other };
        common.len() > 1 && variations(&within(&common, &inner.n, inner.k)) % 2 == 1
    }
}

/// A number strictly between two roots, the lower one first: `n / 2^k`.
pub(crate) fn between(low: &mut Root, high: &mut Root) -> (BigInt, usize) {
    loop {
        let (from, to) = (low.high(), high.low());
        if from < to {
            return simplest(&from, &to);
        }
        if from == to && !low.is_exact && !high.is_exact {
            return (from.numer().clone(), from.denom().bits() as usize - 1);
        }
        low.refine();
        high.refine();
    }
}

/// The dyadic number of the smallest denominator in the open interval.
fn simplest(from: &Q, to: &Q) -> (BigInt, usize) {
    for k in 0.. {
        let scale = Q::from_integer(BigInt::one() << k);
        let n: BigInt = (from * &scale).floor().to_integer() + 1;
        if Q::from_integer(n.clone()) < to * &scale {
            return (n, k);
        }
    }
    unreachable!()
}

/// All real roots in the open (0, 1), ascending, each once.
pub(crate) fn roots(poly: Poly) -> Vec<Root> {
    match variations(&poly) {
        0 => Vec::new(),
        // Exactly one, and it is simple.
        1 => vec![Root::between(&Rc::new(poly), BigInt::zero(), 0)],
        _ => {
            let mut found = Vec::new();
            isolate(&Rc::new(square_free(poly)), BigInt::zero(), 0, &mut found);
            found
        }
    }
}

fn isolate(poly: &Rc<Poly>, n: BigInt, k: usize, found: &mut Vec<Root>) {
    let here = within(poly, &n, k);
    match variations(&here) {
        0 => {}
        1 => found.push(Root::between(poly, n, k)),
        _ => {
            let left: BigInt = n << 1;
            let middle: BigInt = &left + 1;
            isolate(poly, left, k + 1, found);
            if sign_at(&here, &BigInt::one(), &BigInt::from(2)) == 0 {
                found.push(Root::dyadic(middle.clone(), k + 1));
            }
            isolate(poly, middle, k + 1, found);
        }
    }
}
