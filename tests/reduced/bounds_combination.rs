//! Limited convex combinations against brute force: a linear program is solved at a vertex of its polytope, where all weights but one
//! are at an end of their range. The oracle lists them all.

use crate::common::dice::Dice;
use crate::common::runner::cases;
use kinetree::reduced::bounds::combination::{Term, best_bound, bound_at, corner_bound, pivot};

/// Allowed difference between two ways of adding the same numbers, relative to their magnitudes.
const ROUNDING: f64 = 1e-12;

/// An instance: per influence the range of its weight and of its coordinate, and the sum of weights.
#[derive(Clone, Debug)]
struct Instance {
    weights: Vec<[f64; 2]>,
    coordinates: Vec<[f64; 2]>,
    sum: f64,
}

/// The rest of the sum of weights when every influence has its least weight.
fn rest_of(sum: [f64; 2], low: impl IntoIterator<Item = f64>) -> [f64; 2] {
    let taken: f64 = low.into_iter().sum();
    sum.map(|sum| sum - taken)
}

impl Instance {
    fn terms(&self) -> Vec<Term> {
        self.weights
            .iter()
            .zip(&self.coordinates)
            .map(|(&[low, high], &[least, most])| Term::new(low, high, least, most))
            .collect()
    }

    fn rest(&self) -> [f64; 2] {
        rest_of([self.sum; 2], self.weights.iter().map(|range| range[0]))
    }

    fn magnitude(&self) -> f64 {
        let terms = self.weights.iter().zip(&self.coordinates);
        terms.map(|(w, x)| (w[0].abs() + w[1].abs()) * (x[0].abs() + x[1].abs())).sum::<f64>() + 1.0
    }

    /// The largest weighted sum, by trying every vertex of the polytope; `None` if there is no such weighting.
    fn oracle(&self) -> Option<f64> {
        let n = self.weights.len();
        let mut best: Option<f64> = None;
        for free in 0..n {
            for ends in 0..1u32 << n {
                if ends >> free & 1 == 1 {
                    continue;
                }
                let mut weights: Vec<f64> = (0..n).map(|j| self.weights[j][(ends >> j & 1) as usize]).collect();
                weights[free] = 0.0;
                weights[free] = self.sum - weights.iter().sum::<f64>();
                let [low, high] = self.weights[free];
                if weights[free] < low - 1e-12 || weights[free] > high + 1e-12 {
                    continue;
                }
                let most = |(w, x): (&f64, &[f64; 2])| (w * x[0]).max(w * x[1]);
                let value: f64 = weights.iter().zip(&self.coordinates).map(most).sum();
                best = Some(best.map_or(value, |best| best.max(value)));
            }
        }
        best
    }
}

/// Weights of some points, and the ranges around them: so the instance has a solution.
fn instance(dice: &mut Dice, n: usize, negative: bool, scale: f64, ties: bool) -> Instance {
    let points = 1 + dice.below(5);
    let sum = if dice.percent(30) { 1.0 + dice.real(-1e-6, 1e-6) } else { 1.0 };
    let mut weights = vec![[f64::INFINITY, f64::NEG_INFINITY]; n];
    for _ in 0..points {
        let mut own: Vec<f64> = (0..n)
            .map(|_| {
                let zero = dice.percent(30);
                if zero { 0.0 } else { dice.real(if negative { -0.5 } else { 0.0 }, 1.0) }
            })
            .collect();
        let total: f64 = own.iter().sum();
        if total.abs() < 0.1 {
            own = vec![0.0; n];
            own[0] = sum;
        } else {
            own.iter_mut().for_each(|w| *w *= sum / total);
        }
        for (range, w) in weights.iter_mut().zip(own) {
            *range = [range[0].min(w), range[1].max(w)];
        }
    }
    let coordinates = (0..n)
        .map(|_| {
            let at = if ties { f64::from(dice.between(-2, 2)) } else { dice.real(-1.0, 1.0) };
            let size = if ties { f64::from(dice.between(0, 1)) } else { dice.real(0.0, 0.5) };
            [(at - size) * scale, (at + size) * scale]
        })
        .collect();
    Instance { weights, coordinates, sum }
}

#[test]
fn the_best_bound_is_the_optimum_and_every_level_is_valid() {
    let mut dice = Dice::new(7, &[]);
    let (mut gained, mut many) = (0, 0);
    for round in 0..cases(3000) {
        let n = 1 + dice.below(6);
        let scale = [1.0, 1e-9, 1e9][(round % 3) as usize];
        let instance = instance(&mut dice, n, false, scale, round % 4 == 0);
        let truth = instance.oracle().expect("made from weights");
        let tolerance = ROUNDING * instance.magnitude() * scale.max(1.0);
        let (mut terms, rest) = (instance.terms(), instance.rest());
        let corner = corner_bound(&terms, rest);
        let best = best_bound(&mut terms, rest);
        assert!((best - truth).abs() <= tolerance, "{best} is not {truth}: {instance:?}");
        assert!(corner >= best - tolerance, "{corner} < {best}: {instance:?}");
        for _ in 0..5 {
            let level = dice.real(-2.0, 2.0) * scale;
            let bound = bound_at(&terms, rest, level);
            assert!(bound >= truth - tolerance, "level {level}: {bound} < {truth}: {instance:?}");
        }
        many += usize::from(n > 2);
        gained += usize::from(corner > best + 100.0 * tolerance);
    }
    assert!(many > 100 && gained > 100, "{gained} of {many} gained by the optimum");
}

#[test]
fn weights_of_either_sign_are_bounded() {
    let mut dice = Dice::new(8, &[]);
    let (mut negative, mut tight) = (0, 0);
    let rounds = cases(3000);
    for round in 0..rounds {
        let n = 1 + dice.below(6);
        let instance = instance(&mut dice, n, true, 1.0, round % 4 == 0);
        let truth = instance.oracle().expect("made from weights");
        let tolerance = ROUNDING * instance.magnitude();
        let (mut terms, rest) = (instance.terms(), instance.rest());
        let corner = corner_bound(&terms, rest);
        let best = best_bound(&mut terms, rest);
        assert!(best >= truth - tolerance, "{best} < {truth}: {instance:?}");
        assert!(corner >= best - tolerance, "{corner} < {best}: {instance:?}");
        negative += usize::from(instance.weights.iter().any(|range| range[0] < 0.0));
        tight += usize::from(best <= truth + 1e-9);
    }
    assert!(negative > rounds as usize / 4 && tight > rounds as usize / 8, "{negative} negative, {tight} tight");
}

#[test]
fn bounds_with_a_range_of_sums_cover_every_sum() {
    let mut dice = Dice::new(9, &[]);
    for _ in 0..cases(1000) {
        let n = 1 + dice.below(5);
        let mut instance = instance(&mut dice, n, false, 1.0, false);
        let (mut terms, low) = (instance.terms(), instance.weights.iter().map(|range| range[0]).collect::<Vec<_>>());
        let middle = instance.sum;
        let width = dice.real(0.0, 0.2);
        let range = [middle - width, middle + width];
        let rest = rest_of(range, low);
        let best = best_bound(&mut terms, rest);
        let mut largest = f64::NEG_INFINITY;
        for step in 0..=20 {
            instance.sum = range[0] + (range[1] - range[0]) * f64::from(step) / 20.0;
            largest = largest.max(instance.oracle().unwrap_or(f64::NEG_INFINITY));
        }
        assert!(best >= largest - 1e-11, "{best} < {largest}: {instance:?} {range:?}");
    }
}

#[test]
fn one_influence_is_its_own_bound() {
    for (low, high, sum) in [(1.0, 1.0, [1.0, 1.0]), (1.0 - 1e-6, 1.0 + 1e-6, [1.0 - 1e-6, 1.0 + 1e-6])] {
        for most in [-3.0, 0.0, 5.0] {
            let mut terms = [Term::new(low, high, most - 1.0, most)];
            let rest = rest_of(sum, [low]);
            let expected = (low * most).max(high * most);
            assert!((best_bound(&mut terms, rest) - expected).abs() < 1e-15);
            assert!(corner_bound(&terms, rest) >= expected);
        }
    }
}

/// Weights (0.9, 0.1) and (0.5, 0.5) and (0.2, 0.2, 0.6): the paper's corner for the first influence asks the second for a negative
/// weight. Its value must not fall below what the points reach.
#[test]
fn an_infeasible_corner_stays_above() {
    let weights = [[0.2, 0.9], [0.1, 0.5], [0.0, 0.6]];
    let values = [3.0, 1.0, 0.0];
    let terms: Vec<Term> = weights.iter().zip(values).map(|(w, b)| Term::new(w[0], w[1], b, b)).collect();
    let rest = rest_of([1.0; 2], weights.map(|w| w[0]));
    let reached: f64 = 0.9 * 3.0 + 0.1;
    assert!(corner_bound(&terms, rest) >= reached - 1e-14);

    // Largest weight 0.95 beside two least weights of 0.1: the closed form gives the second 1 − 0.95 − 0.1 < 0.1.
    let weights = [[0.3, 0.95], [0.1, 0.4], [0.1, 0.4]];
    let values = [2.0, 1.0, 0.5];
    let terms: Vec<Term> = weights.iter().zip(values).map(|(w, b)| Term::new(w[0], w[1], b, b)).collect();
    let rest = rest_of([1.0; 2], weights.map(|w| w[0]));
    let largest = Instance { weights: weights.to_vec(), coordinates: values.map(|b| [b, b]).to_vec(), sum: 1.0 };
    let closed_form: f64 = 0.95 * 2.0 + (1.0 - 0.95 - 0.1) * 1.0 + 0.1 * 0.5;
    assert!((corner_bound(&terms, rest) - closed_form).abs() < 1e-15);
    assert!(closed_form >= largest.oracle().unwrap() - 1e-14);
}

#[test]
fn the_pivot_uses_up_the_rest() {
    let mut dice = Dice::new(10, &[]);
    for _ in 0..cases(1000) {
        let n = 1 + dice.below(40);
        let mut terms: Vec<Term> = (0..n)
            .map(|_| {
                let value = if dice.percent(50) { f64::from(dice.between(-3, 3)) } else { dice.real(-3.0, 3.0) };
                Term { base: 0.0, value, spread: f64::from(dice.between(0, 4)) / 4.0 }
            })
            .collect();
        let rest = f64::from(dice.between(0, 20)) / 4.0 + 0.125;
        let value = pivot(&mut terms, rest);
        let above: f64 = terms.iter().filter(|term| term.value > value).map(|term| term.spread).sum();
        let from: f64 = terms.iter().filter(|term| term.value >= value).map(|term| term.spread).sum();
        let least = terms.iter().map(|term| term.value).fold(f64::INFINITY, f64::min);
        assert!(above <= rest && (from > rest || value == least), "{value}: {above} {from} {rest} {terms:?}");
    }
}

#[test]
fn nothing_hangs_or_panics_on_nonsense() {
    assert_eq!(best_bound(&mut [], [1.0; 2]), 0.0);
    assert_eq!(corner_bound(&[], [1.0; 2]), 0.0);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut terms = vec![Term { base: 0.0, value: bad, spread: 0.5 }; 5];
        terms.push(Term { base: 0.0, value: 1.0, spread: bad });
        pivot(&mut terms, 0.7);
        pivot(&mut terms, bad);
        best_bound(&mut terms, [0.7, bad]);
        corner_bound(&terms, [bad, bad]);
    }
}

/// Ranges rounded outward ask a corner for less than a least weight. Whoever leaves such corners out loses the points near them.
#[test]
fn infeasible_corners_must_not_be_left_out() {
    let (low, high) = ([0.3, 0.1, 0.1], [0.85, 0.4, 0.4]);
    let values = [1.0, 0.0, 0.0];
    let reached = 0.8;
    let (mut feasible, mut left_out) = (f64::NEG_INFINITY, 0);
    for first in 0..3 {
        for second in (0..3).filter(|&second| second != first) {
            let third = 3 - first - second;
            let filled = 1.0 - high[first] - low[third];
            if filled < low[second] {
                left_out += 1;
                continue;
            }
            feasible =
                f64::max(feasible, high[first] * values[first] + filled * values[second] + low[third] * values[third]);
        }
    }
    assert!(left_out == 2 && feasible < reached, "{left_out} {feasible}");
    let mut terms: Vec<Term> = (0..3).map(|j| Term::new(low[j], high[j], values[j], values[j])).collect();
    let rest = rest_of([1.0; 2], low);
    assert!(corner_bound(&terms, rest) >= reached && best_bound(&mut terms, rest) >= reached);
}

/// Weights that sum to 1 but for a rounding, far from the origin: a bound that takes the sum to be 1 loses the point.
#[test]
fn the_sum_of_weights_must_be_the_one_that_is_used() {
    let (weights, place) = ([0.5, 0.5 + 1e-6], 1e3);
    let mut terms: Vec<Term> = weights.iter().map(|&w| Term::new(w - 1e-9, w + 1e-9, place, place)).collect();
    let reached: f64 = weights.iter().map(|w| w * place).sum();
    let low = weights.map(|w| w - 1e-9);
    assert!(best_bound(&mut terms, rest_of([1.0; 2], low)) < reached - 1e-4);
    assert!(best_bound(&mut terms, rest_of([1.0 + 1e-6; 2], low)) >= reached - 1e-9);
}
