//! Spheres that move and change their size: exact predicates and intervals, and worlds of every engine, against rational numbers.

mod by_hand;
#[path = "../common/mod.rs"]
mod common;
mod intervals;
mod oracle;
mod refusals;
mod worlds;

use common::dice::{Dice, Grain};
use kinetree::motion::{Sphere, SpherePiece};
use kinetree::narrow::spheres::spheres_touch_at_time;

/// A ball that rests.
fn resting(ball: &Sphere) -> SpherePiece {
    SpherePiece { begin: 0.0, end: 0.0, at_begin: *ball, at_end: *ball }
}

/// Whether two balls at rest are within a distance.
fn spheres_touch(a: &Sphere, b: &Sphere, distance: f64) -> bool {
    spheres_touch_at_time(&resting(a), &resting(b), distance, 0.0)
}

/// More of everything.
fn torture() -> bool {
    std::env::var_os("KINETREE_TORTURE").is_some()
}

/// A sphere whose numbers are integers and halves, or any.
fn sphere(dice: &mut Dice, grain: Grain, range: i32) -> Sphere {
    match grain {
        Grain::Lattice => Sphere {
            centre: std::array::from_fn(|_| f64::from(dice.between(-range, range))),
            radius: f64::from(dice.between(0, 5)) / 2.0,
        },
        _ => {
            let reach = f64::from(range);
            let radius = if dice.percent(10) { 0.0 } else { dice.real(0.0, 0.4 * reach) };
            Sphere { centre: std::array::from_fn(|_| dice.real(-reach, reach)), radius }
        }
    }
}

/// What cannot be decided counts as touching: it is never missed.
#[test]
fn what_is_not_finite_touches() {
    let ball = |x: f64| Sphere { centre: [x, 0.0, 0.0], radius: 1.0 };
    assert!(!spheres_touch(&ball(0.0), &ball(9.0), 1.0));
    for x in [f64::NAN, f64::INFINITY] {
        assert!(spheres_touch(&ball(0.0), &ball(x), 1.0) && spheres_touch(&ball(x), &ball(0.0), 1.0));
    }
    assert!(spheres_touch(&ball(0.0), &ball(9.0), f64::INFINITY));
    assert!(spheres_touch_at_time(&resting(&ball(0.0)), &resting(&ball(9.0)), 1.0, f64::NAN));
}
