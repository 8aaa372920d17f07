//! Two balls at one time.

use super::{Exactly, SpherePiece, Unit, is_finite, numbers, thickness};
use crate::narrow::exact::integer::{Integer, Ring};

/// Bound on the error of the distance of two evaluated centres and of the sum of their radii, in
/// units of the largest numbers of both pieces: 128 u, of which the analysis needs 67 (16 per
/// evaluated number, three axes).
const ERROR: f64 = 64.0 * f64::EPSILON;

/// Bound on the loss by underflow: squares below the range of f64 are lost.
fn underflow() -> f64 {
    f64::MIN_POSITIVE.sqrt()
}

/// Whether two moving balls are within `distance` (metres) at a time (seconds); exact. Centres and
/// radii are the real interpolation of the pieces, not rounded. The pieces may begin and end at
/// different times; a time outside a piece is clamped.
///
/// Cost: some ten nanoseconds; a microsecond or two if f64 cannot decide.
#[must_use]
pub fn spheres_touch_at_time(a: &SpherePiece, b: &SpherePiece, distance: f64, time: f64) -> bool {
    let distance = thickness(distance);
    let all_finite = [a.at_begin, a.at_end, b.at_begin, b.at_end].iter().all(is_finite);
    if !all_finite || !distance.is_finite() || time.is_nan() {
        return true;
    }
    let (p, q) = (a.at(time), b.at(time));
    let square: f64 = (0..3).map(|axis| (p.centre[axis] - q.centre[axis]).powi(2)).sum();
    let (apart, together) = (square.sqrt(), p.radius + q.radius + distance);
    let margin = ERROR * (a.magnitude() + b.magnitude() + distance) + underflow();
    if apart + margin < together {
        return true;
    }
    if apart - margin > together {
        return false;
    }
    touch_exactly(a, b, distance, time)
}

/// Decides in integers.
#[cold]
fn touch_exactly(a: &SpherePiece, b: &SpherePiece, distance: f64, time: f64) -> bool {
    let spheres = [a.at_begin, a.at_end, b.at_begin, b.at_end];
    let unit = Unit::of(spheres.iter().flat_map(numbers).chain([distance]));
    let (a, b) = (Exactly::at(a, time, &unit), Exactly::at(b, time, &unit));
    let common = |x: &Integer, y: &Integer| (x.times(&b.whole), y.times(&a.whole));
    let gap: [Integer; 3] = std::array::from_fn(|axis| {
        let (x, y) = common(&a.centre[axis], &b.centre[axis]);
        x.minus(&y)
    });
    let (radius_a, radius_b) = common(&a.radius, &b.radius);
    let reach = radius_a.plus(&radius_b).plus(&unit.count(distance).times(&a.whole).times(&b.whole));
    reach.times(&reach).minus(&super::dot(&gap, &gap)).sign() >= 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::spheres::Sphere;

    /// The distance is rounded as well, and may be larger than all coordinates.
    #[test]
    fn a_distance_larger_than_all_coordinates_is_exact() {
        let point = |centre: [f64; 3]| {
            let ball = Sphere { centre, radius: 0.0 };
            SpherePiece { begin: 0.0, end: 1.0, at_begin: ball, at_end: ball }
        };
        // As far apart as 3.
        let (a, b) = (point([0.0; 3]), point([1.0, 2.0, 2.0]));
        for (distance, touches) in [(3.0, true), (3.0_f64.next_down(), false), (3.0_f64.next_up(), true)] {
            assert_eq!(spheres_touch_at_time(&a, &b, distance, 0.5), touches, "{distance:?}");
        }
    }
}
