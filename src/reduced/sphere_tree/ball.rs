//! The smallest ball around points.
//!
//! Keeps at most four points that span the ball. While a point lies outside, the farthest one is
//! added, and the smallest ball of these few is found by trying all their subsets. The radius grows
//! with every step, so the search terminates; each step visits all points once.
//!
//! Follows the pivoting of Gärtner 1999 ("Fast and robust smallest enclosing balls").

use nalgebra::{DMatrix, DVector, Vector3};

use super::sphere::Sphere;
use crate::limits;
use crate::math::vector::distance;
use crate::tuning;

/// Most points that span a ball in space.
const SPANNING: usize = 4;

/// The smallest ball around some points, rounded outward; a ball of radius zero at the origin for
/// none.
///
/// Some ten passes over the points as a rule, at most `tuning::MAX_BALL_STEPS`.
pub fn smallest_ball(points: &[[f64; 3]]) -> Sphere {
    let Some(&first) = points.first() else { return Sphere::default() };
    let mut spanning = vec![first];
    let mut ball = Sphere { centre: first, radius: 0.0 };
    for _ in 0..tuning::MAX_BALL_STEPS {
        let (farthest, far) = points.iter().fold((first, -1.0), |best, point| {
            let distance = distance(&ball.centre, point);
            if distance > best.1 { (*point, distance) } else { best }
        });
        if far <= ball.radius || spanning.contains(&farthest) {
            break;
        }
        spanning.push(farthest);
        let Some((next, subset)) = smallest_of_few(&spanning) else { break };
        // Rounding may stop the growth; the search then ends.
        if next.radius <= ball.radius {
            break;
        }
        (ball, spanning) = (next, subset);
    }
    let far = points.iter().map(|point| distance(&ball.centre, point)).fold(0.0, f64::max);
    Sphere { radius: (far * (1.0 + limits::ROUNDING)).next_up(), ..ball }
}

/// The smallest ball around few points, and the subset that spans it.
///
/// Its centre is that of the ball through a subset; of all these centres it is the one with the
/// least distance to its farthest point. For points nearly in a line or a plane, centres of balls
/// through them are arbitrary and lose against others. The result does not depend on a tolerance.
fn smallest_of_few(points: &[[f64; 3]]) -> Option<(Sphere, Vec<[f64; 3]>)> {
    let mut best: Option<(Sphere, Vec<[f64; 3]>)> = None;
    for choice in 1..1u32 << points.len() {
        let subset: Vec<[f64; 3]> =
            points.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1).map(|(_, point)| *point).collect();
        if subset.len() > SPANNING {
            continue;
        }
        let Some(centre) = centre_of_ball_through(&subset) else { continue };
        let radius = points.iter().map(|point| distance(&centre, point)).fold(0.0, f64::max);
        let is_better = |(least, fewest): &(Sphere, Vec<[f64; 3]>)| {
            radius < least.radius || (radius == least.radius && subset.len() < fewest.len())
        };
        if best.as_ref().is_none_or(is_better) {
            best = Some((Sphere { centre, radius }, subset));
        }
    }
    best
}

/// The centre of the smallest ball with all points on its surface; `None` if they are affinely
/// dependent.
fn centre_of_ball_through(points: &[[f64; 3]]) -> Option<[f64; 3]> {
    let first = Vector3::from(points[0]);
    let sides: Vec<Vector3<f64>> = points[1..].iter().map(|point| Vector3::from(*point) - first).collect();
    if sides.is_empty() {
        return Some(points[0]);
    }
    let gram = DMatrix::from_fn(sides.len(), sides.len(), |row, column| sides[row].dot(&sides[column]));
    let right = DVector::from_fn(sides.len(), |row, _| 0.5 * sides[row].norm_squared());
    let shares = gram.lu().solve(&right)?;
    let to_centre: Vector3<f64> = sides.iter().zip(shares.iter()).map(|(side, share)| side * *share).sum();
    to_centre.iter().all(|x| x.is_finite()).then(|| (first + to_centre).into())
}
