//! Limited convex combinations: the largest weighted sum when every weight has a range and the sum
//! of weights is known.
//!
//! **Problem.** Influence `j` has a weight `w_j` in `[l_j, h_j]` and contributes a coordinate
//! anywhere in `[a_j, b_j]`. The weights sum to `S`, which lies in a stored range around 1. Find
//! the largest `Σ w_j x_j`.
//!
//! **Answer.** Let `φ_j(w)` be the most that influence `j` adds at weight `w`: `w b_j`, or `w a_j`
//! for negative `w`. It is convex, so `φ_j(w) − L w` is largest at an end of the range, for any
//! `L`. Summing over influences and adding `S L` back, every level `L` gives an upper bound:
//!
//! ```text
//! bound(L) = Σ base_j + R L + Σ spread_j max(0, value_j − L)
//! base_j = φ_j(l_j)     spread_j = h_j − l_j     value_j = (φ_j(h_j) − φ_j(l_j)) / spread_j     R = S − Σ l_j
//! ```
//!
//! With `l_j ≥ 0`, `value_j` is `b_j`, and the least bound over all `L` is the exact optimum:
//! distributing the rest `R` in order of falling `b_j` is a continuous knapsack, and this is its
//! dual. The best `L` is the value of the *pivot*, the influence at which the rest is used up
//! (weighted selection, O(n)). The second largest value gives the *corner* bound of the paper. A
//! corner with a weight outside its range needs no special case, since every level is valid.
//!
//! If weights sum to one, the bounds do not depend on the origin: adding `s` to all coordinates and
//! to `L` adds `S s`.
//!
//! Callers add the margin for rounding (see `limits`): sums are formed in the given order, in
//! `f64`, to nearest.
//!
//! Follows Steinemann, Otaduy and Gross 2008 ("Tight and efficient surface bounds in meshless
//! animation", §5.2-5.3, appendix A). Departs from it in the dual instead of the list of corners,
//! in weights of either sign, and in sums other than one.

/// One influence of a limited convex combination, in the form of the bounds. See the module
/// documentation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Term {
    /// Contribution at its least weight, metres.
    pub base: f64,
    /// Contribution per unit of further weight, metres.
    pub value: f64,
    /// Range of its weight above the least (unitless, not negative).
    pub spread: f64,
}

impl Term {
    /// Creates a term of an influence with a weight in `[low, high]` and a coordinate anywhere in
    /// `[least, most]` (metres).
    ///
    /// `low <= high` and `least <= most`.
    #[inline]
    pub fn new(low: f64, high: f64, least: f64, most: f64) -> Self {
        let spread = high - low;
        if low >= 0.0 {
            return Self { base: low * most, value: most, spread };
        }
        let at_low = low * least;
        let at_high = if high < 0.0 { high * least } else { high * most };
        let value = if spread > 0.0 { (at_high - at_low) / spread } else { 0.0 };
        Self { base: at_low, value, spread }
    }
}

/// The largest contribution of a rest anywhere in `rest` at a level.
#[inline(always)]
pub(super) fn rest_at(rest: [f64; 2], level: f64) -> f64 {
    (rest[0] * level).max(rest[1] * level)
}

/// The bound of a level. Valid for every level, metres. O(n).
pub fn bound_at(terms: &[Term], rest: [f64; 2], level: f64) -> f64 {
    let (mut base, mut above) = (0.0, 0.0);
    for term in terms {
        base += term.base;
        above += term.spread * (term.value - level).max(0.0);
    }
    base + rest_at(rest, level) + above
}

/// The bound of the paper's extreme corner: the level is the second largest value (the only value
/// of a single term). O(n).
///
/// 0 for no terms.
pub fn corner_bound(terms: &[Term], rest: [f64; 2]) -> f64 {
    let (mut first, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for term in terms {
        if term.value > first {
            (first, second) = (term.value, first);
        } else if term.value > second {
            second = term.value;
        }
    }
    let level = if second > f64::NEG_INFINITY { second } else { first };
    if level.is_finite() { bound_at(terms, rest, level) } else { bound_at(terms, rest, 0.0) }
}

/// The least bound over all levels: exact for weights that are not negative. O(n); reorders the
/// terms.
///
/// 0 for no terms.
pub fn best_bound(terms: &mut [Term], rest: [f64; 2]) -> f64 {
    // If the rest is a range, the level's sign selects its end: the least bound is at the pivot of
    // one of the ends, or at zero between them.
    let high = pivot(terms, rest[1]);
    let mut best = bound_at(terms, rest, high);
    if rest[0] < rest[1] && high <= 0.0 {
        let low = pivot(terms, rest[0]);
        best = best.min(bound_at(terms, rest, low)).min(bound_at(terms, rest, 0.0));
    }
    best
}

/// The value at which a rest is used up when it is distributed in order of falling value: weighted
/// selection. O(n) as a rule.
///
/// Returns the least value if the rest exceeds all spreads, 0 for no terms. Reorders the terms
/// deterministically. NaN values are treated as their comparisons give.
pub fn pivot(terms: &mut [Term], rest: f64) -> f64 {
    let Some(last) = terms.first() else { return 0.0 };
    let mut found = last.value;
    let (mut part, mut rest) = (terms, rest);
    while let Some(middle) = middle_value(part) {
        // Values above the middle value first, then equal ones.
        let mut above = 0;
        let mut above_spread = 0.0;
        for place in 0..part.len() {
            if part[place].value > middle {
                above_spread += part[place].spread;
                part.swap(above, place);
                above += 1;
            }
        }
        if above_spread > rest {
            part = &mut part[..above];
            continue;
        }
        let mut equal = above;
        let mut equal_spread = 0.0;
        for place in above..part.len() {
            if part[place].value == middle {
                equal_spread += part[place].spread;
                part.swap(equal, place);
                equal += 1;
            }
        }
        found = middle;
        rest -= above_spread + equal_spread;
        // A value not equal to itself is NaN: there is no order to continue with.
        if rest < 0.0 || equal == above {
            break;
        }
        part = &mut part[equal..];
    }
    found
}

/// The median of the first, the middle and the last value of a part, as pivot of the partition;
/// `None` for an empty part.
fn middle_value(part: &[Term]) -> Option<f64> {
    let (first, last) = (part.first()?.value, part.last()?.value);
    let middle = part[part.len() / 2].value;
    Some(first.min(middle).max(first.max(middle).min(last)))
}
