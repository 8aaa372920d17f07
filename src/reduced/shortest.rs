//! The shortest blend of unit quaternions over all weights: a quadratic form over a simplex,
//! bounded from below.

use crate::limits;
use crate::tuning;

/// Most joints of a set of which [`shortest`] is computed; sets of files have four at most.
pub(super) const MOST_JOINTS: usize = 8;

/// Corners of a simplex of weights.
pub(super) type Weights = [[f64; MOST_JOINTS]; MOST_JOINTS];

/// A lower bound of the root of `wᵀ G w` over `w ≥ 0` of the sum 1, for `count` weights; 0 if it is
/// not positive.
///
/// With `w = Σ β_i v_i` over the corners `v_i` of a simplex, `wᵀ G w = Σ β_i β_j v_iᵀ G v_j` is at
/// least the least `v_iᵀ G v_j`. The simplex with the least one is divided at the middle of that
/// edge, [`tuning::SIMPLEX_CUTS`] times.
pub(super) fn shortest(products: &Weights, count: usize) -> f64 {
    let least = |corners: &Weights| {
        let mut least = (f64::INFINITY, 0, 0);
        for i in 0..count {
            for j in 0..=i {
                let row = |a: usize| (0..count).map(|b| products[a][b] * corners[j][b]).sum::<f64>();
                let value: f64 = (0..count).map(|a| corners[i][a] * row(a)).sum();
                least = if value < least.0 { (value, i, j) } else { least };
            }
        }
        least
    };
    let whole: Weights = std::array::from_fn(|i| std::array::from_fn(|a| if a == i { 1.0 } else { 0.0 }));
    let mut parts = vec![(least(&whole), whole)];
    for _ in 0..tuning::SIMPLEX_CUTS {
        let lowest = (0..parts.len()).fold(0, |low, own| if parts[own].0.0 < parts[low].0.0 { own } else { low });
        let ((_, i, j), corners) = parts[lowest];
        // Attained at a corner.
        if i == j {
            break;
        }
        let middle = std::array::from_fn(|a| 0.5 * (corners[i][a] + corners[j][a]));
        let halves = [i, j].map(|gone| {
            let mut half = corners;
            half[gone] = middle;
            (least(&half), half)
        });
        parts[lowest] = halves[0];
        parts.push(halves[1]);
    }
    let value = parts.iter().fold(f64::INFINITY, |low, part| low.min(part.0.0)) - 64.0 * limits::EVALUATION_ROUNDING;
    if value > 0.0 { value.sqrt() } else { 0.0 }
}
