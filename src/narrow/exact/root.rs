//! Exact real roots of a form inside the open window, and their order.
//!
//! Isolation: at most one sign change means at most one root (Descartes). Otherwise multiple roots
//! are found first: a cubic or quadratic with a vanishing discriminant has rational roots in closed
//! form, and each becomes a linear form. The remaining forms have simple roots, and bisection of
//! the window in the Bernstein basis separates them. Every root then has a defining form that
//! changes sign exactly once between two dyadic numbers, or is a dyadic number.

use std::cmp::Ordering;

use super::form::{Dyadic, Form, sign_variations};
use super::integer::{Integer, Ring};

/// One real root, exactly.
#[derive(Clone, Debug)]
pub(crate) enum ExactRoot {
    /// The root is this number.
    Point(Dyadic),
    /// The only root of `form` strictly between `lo` and `hi`; the form has opposite, non-zero
    /// signs there.
    Between { form: Form, lo: Dyadic, hi: Dyadic },
}

/// A root of a form and whether the form changes sign there.
pub(crate) struct FormRoot {
    pub(crate) root: ExactRoot,
    pub(crate) odd: bool,
}

impl ExactRoot {
    /// Sign of a form at the root.
    pub(crate) fn sign_of(&self, form: &Form) -> i32 {
        match self {
            Self::Point(point) => form.sign_at(point),
            Self::Between { form: of, lo, hi } => form.sign_at_root(of, lo, hi),
        }
    }

    /// Exact order of two roots.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Point(a), Self::Point(b)) => a.compare(b),
            (Self::Point(a), Self::Between { form, lo, hi }) => side_of(a, form, lo, hi),
            (Self::Between { form, lo, hi }, Self::Point(b)) => side_of(b, form, lo, hi).reverse(),
            (Self::Between { .. }, Self::Between { form, lo, hi }) => {
                if self.is_at_or_below(lo) {
                    return Ordering::Less;
                }
                if self.is_at_or_above(hi) {
                    return Ordering::Greater;
                }
                match self.sign_of(form) {
                    0 => Ordering::Equal,
                    sign if sign == form.sign_at(lo) => Ordering::Less,
                    _ => Ordering::Greater,
                }
            }
        }
    }

    fn is_at_or_below(&self, point: &Dyadic) -> bool {
        match self {
            Self::Point(a) => a.compare(point).is_le(),
            Self::Between { form, lo, hi } => side_of(point, form, lo, hi).is_ge(),
        }
    }

    fn is_at_or_above(&self, point: &Dyadic) -> bool {
        match self {
            Self::Point(a) => a.compare(point).is_ge(),
            Self::Between { form, lo, hi } => side_of(point, form, lo, hi).is_le(),
        }
    }
}

/// The position of `point` relative to the root of `form` between `lo` and `hi`.
fn side_of(point: &Dyadic, form: &Form, lo: &Dyadic, hi: &Dyadic) -> Ordering {
    if point.compare(lo).is_le() {
        return Ordering::Less;
    }
    if point.compare(hi).is_ge() {
        return Ordering::Greater;
    }
    match form.sign_at(point) {
        0 => Ordering::Equal,
        sign if sign == form.sign_at(lo) => Ordering::Less,
        _ => Ordering::Greater,
    }
}

/// All roots strictly inside the window, ascending, of a form that vanishes at neither end.
pub(crate) fn isolate(form: &Form) -> Vec<FormRoot> {
    let coefficients = form.coefficients();
    let changes = sign_variations(coefficients.iter().map(Integer::sign));
    if changes == 0 {
        return Vec::new();
    }
    if changes > 1
        && let Some(roots) = multiple_roots(coefficients)
    {
        return roots;
    }
    separate(form)
}

/// The roots of a form with a multiple root, `None` when all roots are simple.
fn multiple_roots(coefficients: &[Integer]) -> Option<Vec<FormRoot>> {
    let number = |value: u64| Integer::from_u64(value);
    match coefficients {
        [c, b, a] => {
            let discriminant = b.times(b).minus(&number(4).times(a).times(c));
            if !discriminant.is_zero() {
                return None;
            }
            let double = rational_root(b.clone().negated(), &number(2).times(a), false);
            Some(double.into_iter().collect())
        }
        [d, c, b, a] => {
            let (ac, bd, ad, bc) = (a.times(c), b.times(d), a.times(d), b.times(c));
            let discriminant = number(18)
                .times(&ad)
                .times(&bc)
                .minus(&number(4).times(b).times(b).times(&bd))
                .plus(&bc.times(&bc))
                .minus(&number(4).times(&ac).times(c).times(c))
                .minus(&number(27).times(&ad).times(&ad));
            if !discriminant.is_zero() {
                return None;
            }
            let spread = b.times(b).minus(&number(3).times(&ac));
            if spread.is_zero() {
                let triple = rational_root(b.clone().negated(), &number(3).times(a), true);
                return Some(triple.into_iter().collect());
            }
            let double = rational_root(number(9).times(&ad).minus(&bc), &number(2).times(&spread), false);
            let simple = rational_root(
                number(4).times(&ac).times(b).minus(&number(9).times(a).times(&ad)).minus(&b.times(b).times(b)),
                &a.times(&spread),
                true,
            );
            let mut roots: Vec<FormRoot> = double.into_iter().chain(simple).collect();
            roots.sort_by(|x, y| x.root.compare(&y.root));
            Some(roots)
        }
        _ => None,
    }
}

/// The root `t = numerator / denominator` as a linear form, if it lies inside the window.
fn rational_root(numerator: Integer, denominator: &Integer, odd: bool) -> Option<FormRoot> {
    if numerator.sign() * denominator.sign() <= 0 {
        return None;
    }
    let form = Form::new(vec![numerator.negated(), denominator.clone()]);
    Some(FormRoot { root: ExactRoot::Between { form, lo: Dyadic::from_f64(0.0), hi: Dyadic::from_f64(1.0) }, odd })
}

/// One piece `cell / 2^depth ..= (cell + 1) / 2^depth` of the window, in Bernstein coefficients up
/// to a factor. A piece without coefficients stands for its begin, which is a root.
struct Piece {
    bernstein: Vec<Integer>,
    cell: Integer,
    depth: usize,
}

/// Bisects the window until each piece holds one root of a form whose roots are all simple.
fn separate(form: &Form) -> Vec<FormRoot> {
    let mut roots = Vec::new();
    let mut stack = vec![Piece { bernstein: bernstein(form.coefficients()), cell: Integer::zero(), depth: 0 }];
    while let Some(piece) = stack.pop() {
        let point = |cell: &Integer| Dyadic { numerator: cell.clone(), exponent: piece.depth };
        let (Some(first), Some(last)) = (piece.bernstein.first(), piece.bernstein.last()) else {
            roots.push(FormRoot { root: ExactRoot::Point(point(&piece.cell)), odd: true });
            continue;
        };
        let changes = sign_variations(piece.bernstein.iter().map(Integer::sign));
        if changes == 0 {
            continue;
        }
        if changes == 1 && first.sign() != 0 && last.sign() != 0 {
            roots.push(FormRoot {
                root: ExactRoot::Between {
                    form: form.clone(),
                    lo: point(&piece.cell),
                    hi: point(&piece.cell.plus(&Integer::from_u64(1))),
                },
                odd: true,
            });
            continue;
        }
        let (left, right) = halves(piece.bernstein);
        let left_cell = piece.cell.shifted_left(1);
        let right_cell = left_cell.plus(&Integer::from_u64(1));
        let depth = piece.depth + 1;
        let middle_is_root = right.first().is_some_and(Integer::is_zero);
        stack.push(Piece { bernstein: right, cell: right_cell.clone(), depth });
        if middle_is_root {
            stack.push(Piece { bernstein: Vec::new(), cell: right_cell, depth });
        }
        stack.push(Piece { bernstein: left, cell: left_cell, depth });
    }
    roots
}

/// Bernstein coefficients of a form, all scaled by the largest binomial coefficient.
fn bernstein(coefficients: &[Integer]) -> Vec<Integer> {
    let last = coefficients.len() - 1;
    let factor = Integer::from_u64(last.max(1) as u64);
    let ends_scaled =
        coefficients.iter().enumerate().map(|(i, c)| if i == 0 || i == last { c.times(&factor) } else { c.clone() });
    ends_scaled.collect()
}

/// De Casteljau at the middle, without division: both halves scaled by `2^degree`.
fn halves(mut row: Vec<Integer>) -> (Vec<Integer>, Vec<Integer>) {
    let degree = row.len() - 1;
    let mut left = Vec::with_capacity(degree + 1);
    let mut right = Vec::with_capacity(degree + 1);
    for round in 0..=degree {
        left.push(row[0].shifted_left(degree - round));
        right.push(row[row.len() - 1].shifted_left(degree - round));
        row = row.windows(2).map(|pair| pair[0].plus(&pair[1])).collect();
    }
    right.reverse();
    (left, right)
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::{ExactRoot, isolate};
    use crate::narrow::exact::form::{Dyadic, Form};
    use crate::narrow::exact::integer::{Integer, Ring};

    fn product(factors: &[&[i64]]) -> Form {
        let mut all = vec![Integer::from_u64(1)];
        for factor in factors {
            let mut next = vec![Integer::zero(); all.len() + factor.len() - 1];
            for (i, a) in all.iter().enumerate() {
                for (j, &b) in factor.iter().enumerate() {
                    next[i + j] = next[i + j].plus(&a.times(&Integer::from_i128(b.into())));
                }
            }
            all = next;
        }
        Form::new(all)
    }

    /// Compares each root with its expected rational `t = numerator / denominator`.
    fn check(form: &Form, expected: &[(i64, i64, bool)]) {
        let roots = isolate(form);
        assert_eq!(roots.len(), expected.len(), "{form:?}");
        for (found, &(numerator, denominator, odd)) in roots.iter().zip(expected) {
            assert_eq!(found.odd, odd);
            let truth = ExactRoot::Between {
                form: product(&[&[-numerator, denominator]]),
                lo: Dyadic::from_f64(0.0),
                hi: Dyadic::from_f64(1.0),
            };
            assert_eq!(found.root.compare(&truth), Ordering::Equal);
            assert_eq!(truth.compare(&found.root), Ordering::Equal);
        }
    }

    #[test]
    fn simple_double_and_triple_roots() {
        check(&product(&[&[-1, 3], &[-1, 1], &[-5, 2]]), &[(1, 3, true), (1, 1, true), (5, 2, true)]);
        check(&product(&[&[-1, 3], &[-1, 3], &[-5, 2]]), &[(1, 3, false), (5, 2, true)]);
        check(&product(&[&[-5, 2], &[-1, 3], &[-5, 2]]), &[(1, 3, true), (5, 2, false)]);
        check(&product(&[&[-5, 2], &[-5, 2], &[5, -2]]), &[(5, 2, true)]);
        check(&product(&[&[-5, 2], &[5, -2]]), &[(5, 2, false)]);
        check(&product(&[&[-5, 2], &[1, 0, 1]]), &[(5, 2, true)]);
        check(&product(&[&[5, 2], &[-1, 1], &[-1, 1]]), &[(1, 1, false)]);
        check(&product(&[&[2, -1], &[-2, 1], &[3, 1]]), &[(2, 1, false)]);
        check(&product(&[&[1, 1], &[1, -1, 3]]), &[]);
    }

    #[test]
    fn close_roots_are_told_apart() {
        let big = 1_i64 << 40;
        check(
            &product(&[&[-big, big + 1], &[-1, 1], &[-big, big - 1]]),
            &[(big, big + 1, true), (1, 1, true), (big, big - 1, true)],
        );
        let roots = isolate(&product(&[&[-big, big + 1], &[-big - 1, big + 2]]));
        assert_eq!(roots[0].root.compare(&roots[1].root), Ordering::Less);
        assert_eq!(roots[1].root.compare(&roots[0].root), Ordering::Greater);
    }
}
