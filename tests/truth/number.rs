//! Numbers at an algebraic time: polynomials of it, whose signs are decided at a root. The exact
//! test of triangles runs on them as it does on whole numbers.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use num_bigint::BigInt;
use num_traits::{Num, One, Signed, Zero};

use super::algebra::{Poly, Root, add, mul, negated, sub, trim};

thread_local! {
    static TIME: RefCell<Root> = RefCell::new(Root::whole(0));
}

/// Carries out a test in which [`Number`]s have their values at a root.
pub(crate) fn at<T>(root: &Root, test: impl FnOnce() -> T) -> T {
    TIME.with(|time| *time.borrow_mut() = root.clone());
    test()
}

/// The value of a polynomial at the root that [`at`] sets.
#[derive(Clone, Debug)]
pub(crate) struct Number(pub(crate) Poly);

impl Number {
    fn sign(&self) -> i32 {
        TIME.with(|time| time.borrow_mut().sign_of(&self.0))
    }
}

impl From<i64> for Number {
    fn from(x: i64) -> Self {
        Self(trim(vec![BigInt::from(x)]))
    }
}

impl Add for Number {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(add(&self.0, &other.0))
    }
}

impl Sub for Number {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(sub(&self.0, &other.0))
    }
}

impl Mul for Number {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(mul(&self.0, &other.0))
    }
}

impl Neg for Number {
    type Output = Self;
    fn neg(self) -> Self {
        Self(negated(&self.0))
    }
}

impl Div for Number {
    type Output = Self;
    fn div(self, _: Self) -> Self {
        unreachable!("exact tests do not divide")
    }
}

impl Rem for Number {
    type Output = Self;
    fn rem(self, _: Self) -> Self {
        unreachable!("exact tests do not divide")
    }
}

impl Zero for Number {
    fn zero() -> Self {
        Self(Poly::new())
    }

    fn is_zero(&self) -> bool {
        self.sign() == 0
    }
}

impl One for Number {
    fn one() -> Self {
        Self::from(1)
    }
}

impl Num for Number {
    type FromStrRadixErr = ();
    fn from_str_radix(_: &str, _: u32) -> Result<Self, ()> {
        Err(())
    }
}

impl Signed for Number {
    fn abs(&self) -> Self {
        if self.sign() < 0 { Self(negated(&self.0)) } else { self.clone() }
    }

    fn abs_sub(&self, other: &Self) -> Self {
        if self > other { self.clone() - other.clone() } else { Self::zero() }
    }

    fn signum(&self) -> Self {
        Self::from(i64::from(self.sign()))
    }

    fn is_positive(&self) -> bool {
        self.sign() > 0
    }

    fn is_negative(&self) -> bool {
        self.sign() < 0
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        Self(sub(&self.0, &other.0)).sign().cmp(&0)
    }
}
