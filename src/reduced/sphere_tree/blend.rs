//! Balls around blends of points, and of quaternions with their rotations.

use super::build::Joint;

/// A ball that contains every blend of some points or quaternions.
pub(super) struct Blended<const N: usize> {
    pub(super) centre: [f64; N],
    pub(super) radius: f64,
}

impl<const N: usize> Blended<N> {
    /// The ball of blends of points within `reach` of the origin.
    #[inline]
    pub(super) fn of(joints: &[Joint], rest: [f64; 2], thing: impl Fn(&Joint) -> [f64; N], reach: f64) -> Self {
        if let [joint] = joints {
            return Self { centre: thing(joint), radius: 0.0 };
        }
        let (mut centre, mut middle, mut spreads) = ([0.0; N], [0.0; N], 0.0);
        for joint in joints {
            let x = thing(joint);
            for part in 0..N {
                centre[part] += joint.low * x[part];
                middle[part] += joint.spread * x[part];
            }
            spreads += joint.spread;
        }
        if spreads == 0.0 {
            // All weights are known; the slack covers the rounding of their sum.
            return Self { centre, radius: 0.0 };
        }
        let (share, each) = (0.5 * (rest[0] + rest[1]), 1.0 / spreads);
        for part in 0..N {
            middle[part] *= each;
            centre[part] += share * middle[part];
        }
        // The knapsack of distances from the centre, with the second largest as level. Squares have
        // the same order.
        let (mut first, mut second, mut spread) = (0.0f64, 0.0f64, 0.0);
        for joint in joints {
            let x = thing(joint);
            let far: f64 = (0..N).map(|part| (x[part] - middle[part]) * (x[part] - middle[part])).sum();
            if far > first {
                (first, second, spread) = (far, first, joint.spread);
            } else {
                second = if far > second { far } else { second };
            }
        }
        Self { centre, radius: knapsack(rest, [first.sqrt(), second.sqrt()], spread, reach) }
    }

    /// The ball of blends of two points at distance `apart`: their distances from the centre are
    /// fractions of it.
    #[inline]
    pub(super) fn of_two(joints: &[Joint; 2], rest: [f64; 2], things: &[[f64; N]; 2], apart: f64, reach: f64) -> Self {
        let [a, b] = joints;
        let spreads = a.spread + b.spread;
        let known: [f64; N] = std::array::from_fn(|part| a.low * things[0][part] + b.low * things[1][part]);
        if spreads == 0.0 {
            return Self { centre: known, radius: 0.0 };
        }
        let share = 0.5 * (rest[0] + rest[1]);
        let each = 1.0 / spreads;
        let parts = [a.spread * each, b.spread * each];
        let centre =
            std::array::from_fn(|part| known[part] + share * (parts[0] * things[0][part] + parts[1] * things[1][part]));
        Self { centre, radius: spread_of_two(joints, rest, apart, reach) }
    }

    /// The distance of the centre from the origin.
    pub(super) fn length(&self) -> f64 {
        self.centre.iter().map(|x| x * x).sum::<f64>().sqrt()
    }
}

/// The radius of the ball of blends of two points at distance `apart`.
#[inline]
pub(super) fn spread_of_two([a, b]: &[Joint; 2], rest: [f64; 2], apart: f64, reach: f64) -> f64 {
    let spreads = a.spread + b.spread;
    if spreads == 0.0 {
        return 0.0;
    }
    let far = [b.spread / spreads * apart, a.spread / spreads * apart];
    let (first, second, spread) = if far[0] > far[1] { (far[0], far[1], a.spread) } else { (far[1], far[0], b.spread) };
    knapsack(rest, [first, second], spread, reach)
}

/// The commutator of `q̄ p` with a vector, `2 Im(q̄ p) × v`: for unit `q` and `p` as long as the
/// difference of their rotations of `v`.
pub(super) fn across([x, y, z, w]: &[f64; 4], [a, b, c, d]: &[f64; 4], v: &[f64; 3]) -> [f64; 3] {
    let axis = [w * a - x * d - (y * c - z * b), w * b - y * d - (z * a - x * c), w * c - z * d - (x * b - y * a)];
    [
        2.0 * (axis[1] * v[2] - axis[2] * v[1]),
        2.0 * (axis[2] * v[0] - axis[0] * v[2]),
        2.0 * (axis[0] * v[1] - axis[1] * v[0]),
    ]
}

/// The largest contribution of a rest of weights; if the sum of weights is a range, its middle was
/// used for the centre.
fn knapsack(rest: [f64; 2], [first, second]: [f64; 2], spread: f64, reach: f64) -> f64 {
    rest[1].max(0.0) * second + spread * (first - second) + 0.5 * (rest[1] - rest[0]) * reach
}

/// Rotates a vector by a quaternion of any nonzero length, times a factor.
pub(super) fn turned([x, y, z, w]: &[f64; 4], v: &[f64; 3], factor: f64) -> [f64; 3] {
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    let cross = |a: [f64; 3]| [y * a[2] - z * a[1], z * a[0] - x * a[2], x * a[1] - y * a[0]];
    let once = cross(*v);
    let twice = cross(once);
    std::array::from_fn(|axis| factor * (v[axis] + s * (w * once[axis] + twice[axis])))
}
