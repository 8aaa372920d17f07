//! A time as an exact ratio within a window.
//!
//! The times are f64 numbers, but their quotient need not be one. It is kept as a ratio of
//! integers, which suffices for signs.

use std::cmp::Ordering;

use super::form::{Dyadic, Form};
use super::grid::decompose;
use super::integer::{Integer, Ring};
use super::root::ExactRoot;

/// Twice the roundings of a quotient of two differences, relative: 8 u.
const QUOTIENT_ERROR: f64 = 4.0 * f64::EPSILON;

/// A parameter `s` strictly inside a window, exactly: `s : 1 − s = ahead : rest`, both positive.
#[derive(Clone, Debug)]
pub(crate) struct Ratio {
    pub(crate) ahead: Integer,
    pub(crate) rest: Integer,
}

/// The place of a time in a window of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// At the begin, or before it.
    Begin,
    /// At the end, or after it.
    End,
    /// Strictly inside; the parameter is strictly between these two numbers, `0 <= lo < hi <= 1`.
    Inside { lo: f64, hi: f64 },
}

impl Place {
    /// The place of a time that is not NaN in a window of positive length.
    pub(crate) fn of(time: f64, (begin, end): (f64, f64)) -> Self {
        if time <= begin {
            return Self::Begin;
        }
        if time >= end {
            return Self::End;
        }
        let length = end - begin;
        if length == f64::INFINITY {
            return Self::Inside { lo: 0.0, hi: 1.0 };
        }
        // Differences are rounded once and never underflow; a quotient may underflow.
        let s = (time - begin) / length;
        let lo = s * (1.0 - QUOTIENT_ERROR) - f64::MIN_POSITIVE;
        let hi = s * (1.0 + QUOTIENT_ERROR) + f64::MIN_POSITIVE;
        Self::Inside { lo: lo.max(0.0), hi: hi.min(1.0) }
    }
}

/// How a parameter, 0 to 1, and the place of a time in a window of finite positive length lie to
/// each other, exactly. Times outside of the window are taken for its ends.
pub(crate) fn compare_with_time(s: f64, time: f64, window: (f64, f64)) -> Ordering {
    match Place::of(time, window) {
        Place::Begin => s.total_cmp(&0.0),
        Place::End => s.total_cmp(&1.0),
        Place::Inside { lo, .. } if s <= lo => Ordering::Less,
        Place::Inside { hi, .. } if s >= hi => Ordering::Greater,
        Place::Inside { .. } => ExactRoot::Point(Dyadic::from_f64(s)).compare(&Ratio::new(time, window).root()),
    }
}

impl Ratio {
    /// The ratio of finite numbers `begin < time < end`.
    pub(crate) fn new(time: f64, (begin, end): (f64, f64)) -> Self {
        let parts = [time, begin, end].map(decompose);
        let exponents = parts.iter().filter(|part| part.0 != 0).map(|part| part.1);
        let lowest = exponents.min().unwrap_or(0);
        let [time, begin, end] = parts.map(|(mantissa, exponent)| match mantissa {
            0 => Integer::zero(),
            _ => Integer::from_i128(mantissa.into()).shifted_left((exponent - lowest) as usize),
        });
        Self { ahead: time.minus(&begin), rest: end.minus(&time) }
    }

    /// The ratio as a root: of `rest · s − ahead · (1 − s)`.
    pub(crate) fn root(&self) -> ExactRoot {
        ExactRoot::Between {
            form: Form::new(vec![self.ahead.clone().negated(), self.rest.clone()]),
            lo: Dyadic::from_f64(0.0),
            hi: Dyadic::from_f64(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Ratio, compare_with_time};
    use crate::narrow::exact::form::{Dyadic, Form};
    use crate::narrow::exact::integer::{Integer, Ring};
    use crate::narrow::exact::root::ExactRoot;
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn exact(x: f64) -> BigRational {
        BigRational::from_float(x).expect("finite")
    }

    /// The ratio as a rational number.
    fn truth(time: f64, (begin, end): (f64, f64)) -> BigRational {
        (exact(time) - exact(begin)) / (exact(end) - exact(begin))
    }

    fn number() -> impl Strategy<Value = f64> {
        let any = any::<f64>().prop_filter("finite", |x| x.is_finite());
        prop_oneof![any, -1e3..1e3_f64, Just(0.0), (-9..9).prop_map(f64::from), 1e9..1.001e9_f64]
    }

    proptest! {
        #[test]
        fn brackets_hold_and_roots_are_equal(
            mut sorted in prop::array::uniform3(number()),
            steps in 0..4_u32,
            coefficients in prop::array::uniform3(-9..9_i64),
        ) {
            sorted.sort_by(f64::total_cmp);
            let [begin, mut time, end] = sorted;
            // Also next to an end.
            if steps > 0 {
                time = (0..steps).fold(begin, |time, _| time.next_up());
            }
            prop_assume!(begin < time && time < end);
            let place = truth(time, (begin, end));
            let Place::Inside { lo, hi } = Place::of(time, (begin, end)) else { panic!("inside") };
            prop_assert!(exact(lo) < place && place < exact(hi) && lo >= 0.0 && hi <= 1.0);
            let root = Ratio::new(time, (begin, end)).root();
            for other in [lo, hi, 0.5] {
                let side = root.compare(&ExactRoot::Point(Dyadic::from_f64(other)));
                prop_assert_eq!(side, place.cmp(&exact(other)));
                prop_assert_eq!(compare_with_time(other, time, (begin, end)), side.reverse());
            }
            // A quadratic form at the ratio.
            let form = Form::new(coefficients.iter().map(|&c| Integer::from_i128(c.into())).collect());
            let whole = |x: i64| BigRational::from(BigInt::from(x));
            let rest = whole(1) - &place;
            let powers = [&rest * &rest, &place * &rest, &place * &place];
            let terms = coefficients.iter().zip(powers).map(|(&c, power)| whole(c) * power);
            let value = terms.sum::<BigRational>();
            prop_assert_eq!(root.sign_of(&form).cmp(&0), value.cmp(&whole(0)));
        }
    }

    /// The length is infinite in `f64`, and its share of any time 0.
    #[test]
    fn in_a_window_longer_than_any_number_times_are_compared_exactly() {
        let window = (-1.5 * 2.0_f64.powi(1023), 1.5 * 2.0_f64.powi(1023));
        assert_eq!(window.1 - window.0, f64::INFINITY);
        assert_eq!(Place::of(0.0, window), Place::Inside { lo: 0.0, hi: 1.0 });
        let to = |time: f64| [0.0, 0.25, 0.5, 0.75, 1.0].map(|s| compare_with_time(s, time, window));
        use Ordering::{Equal, Greater, Less};
        assert_eq!(to(0.0), [Less, Less, Equal, Greater, Greater]);
        assert_eq!(to(0.5 * window.1), [Less, Less, Less, Equal, Greater]);
        // Other windows are decided without integers, but next to the time.
        let Place::Inside { lo, hi } = Place::of(1.0, (0.0, 3.0)) else { panic!("inside") };
        assert!(lo < 1.0 / 3.0 && 1.0 / 3.0 < hi && hi - lo < 1e-14, "{lo} {hi}");
    }

    #[test]
    fn ends_and_thirds() {
        assert_eq!(Place::of(1.0, (1.0, 2.0)), Place::Begin);
        assert_eq!(Place::of(0.0, (1.0, 2.0)), Place::Begin);
        assert_eq!(Place::of(2.0, (1.0, 2.0)), Place::End);
        assert_eq!(Place::of(3.0, (1.0, 2.0)), Place::End);
        let to = |time: f64| [0.0, 0.5, 1.0].map(|s| compare_with_time(s, time, (1.0, 3.0)));
        use Ordering::{Equal, Greater, Less};
        assert_eq!(
            [to(1.0), to(2.0), to(3.0)],
            [[Equal, Greater, Greater], [Less, Equal, Greater], [Less, Less, Equal]]
        );
        assert_eq!([to(2.0f64.next_down())[1], to(2.0f64.next_up())[1]], [Greater, Less]);
        let Ratio { ahead, rest } = Ratio::new(1.0, (0.0, 3.0));
        assert_eq!(ahead.plus(&ahead).minus(&rest).sign(), 0);
        let third = ExactRoot::Point(Dyadic::from_f64(1.0 / 3.0));
        assert_eq!(Ratio::new(1.0, (0.0, 3.0)).root().compare(&third), Ordering::Greater);
    }
}
