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

#[cfg(test)]
mod tests {
    use super::*;

    fn next(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Random quaternions, near each other or anywhere: no blend is shorter than the bound, and the
    /// bound is near the shortest one found.
    #[test]
    fn no_blend_is_shorter() {
        let (mut state, mut near, mut positive) = (7, 0, 0);
        for round in 0..300 {
            let count = 2 + round % 3;
            let spread = [0.3, 1.0, 2.0][round % 7 % 3];
            let turns: Vec<[f64; 4]> = (0..count)
                .map(|_| {
                    let q: [f64; 4] = std::array::from_fn(|part| {
                        f64::from(u8::from(part == 3)) + spread * (2.0 * next(&mut state) - 1.0)
                    });
                    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                    q.map(|x| x / length)
                })
                .collect();
            let mut products = [[1.0; MOST_JOINTS]; MOST_JOINTS];
            for (a, row) in turns.iter().enumerate() {
                for (b, column) in turns.iter().enumerate() {
                    products[a][b] = (0..4).map(|part| row[part] * column[part]).sum();
                }
            }
            let bound = shortest(&products, count);
            let mut least = f64::INFINITY;
            for _ in 0..3000 {
                // Corners and edges are as likely as the inside.
                let raw: Vec<f64> = (0..count).map(|_| (2.0 * next(&mut state) - 0.8).max(0.0)).collect();
                let sum: f64 = raw.iter().sum();
                if sum > 0.0 {
                    let blend = |part: usize| (0..count).map(|a| raw[a] / sum * turns[a][part]).sum::<f64>();
                    least = least.min((0..4).map(|part| blend(part).powi(2)).sum::<f64>().sqrt());
                }
            }
            assert!(bound <= least, "round {round}: {bound} {least}");
            positive += usize::from(bound > 0.0);
            near += usize::from(bound > 0.9 * least);
        }
        assert!(positive > 250 && near > 200, "{positive} {near}");
    }
}
