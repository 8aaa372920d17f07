//! Instants and intervals of single pairs, with the signs on both sides of every end.

use kinetree::motion::{Sphere, SpherePiece};
use kinetree::narrow::intervals::{ContactInterval, IntervalStats, MovingTriangle};
use kinetree::narrow::spheres::{
    MovingSphere, first_touch_of_spheres, first_touch_with_triangle, moving_sphere_touches_triangle_at_time,
    ray_hits_sphere, sphere_intervals, sphere_touches_triangle_at_time, sphere_triangle_intervals,
    spheres_touch_at_time,
};
use num_rational::BigRational as Q;
use num_traits::{One, Signed, Zero};

use super::common::dice::{Dice, Grain};
use super::oracle::{self, Ball, exact, fraction};
use super::{resting, sphere, spheres_touch, torture};

#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    intervals: usize,
    instants: usize,
    undecided: usize,
    ties: usize,
    ends: usize,
}

/// Compares intervals with the truth: how far inside touching the pair is at a time.
fn check(found: &[ContactInterval], truth: impl Fn(&Q) -> Q, farey: i64, tally: &mut Tally) {
    tally.pairs += 1;
    tally.intervals += found.len();
    let tiny = Q::new(1.into(), num_bigint::BigInt::from(1) << 90);
    let mut expect = |s: Q, within: bool, what: &str| {
        tally.ends += 1;
        if !s.is_negative() && s <= Q::one() {
            assert_eq!(!truth(&s).is_negative(), within, "{what} at {s}: {found:?}");
        }
    };
    for (place, interval) in found.iter().enumerate() {
        let [b0, b1, e0, e1] = [interval.begin.lo, interval.begin.hi, interval.end.lo, interval.end.hi].map(exact);
        assert!(b0 <= b1 && e0 <= e1 && b0 <= e0 && b1 <= e1, "{interval:?}");
        assert!(interval.begin.hi - interval.begin.lo <= 0.5 * f64::EPSILON);
        assert!(interval.end.hi - interval.end.lo <= 0.5 * f64::EPSILON);
        let shares_cell = |other: Option<&ContactInterval>| {
            other.is_some_and(|other| other.begin.lo <= interval.end.hi && interval.begin.lo <= other.end.hi)
        };
        let overfull = shares_cell(found.get(place + 1)) || (place > 0 && shares_cell(found.get(place - 1)));
        tally.instants += usize::from(interval.instant);
        tally.undecided += usize::from(interval.undecided);
        if interval.undecided {
            assert!(interval.instant && b0 < b1 && b0 == e0);
            expect(b0, false, "before an undecided instant");
            expect(b1, false, "behind an undecided instant");
            continue;
        }
        // An interval inside one cell, or two with ends in one, say no more than that.
        if overfull || (b0 == e0 && b0 < b1) {
            continue;
        }
        let before = if b0 == b1 { b0 - &tiny } else { b0 };
        let behind = if e0 == e1 { e1 + &tiny } else { e1 };
        expect(before, false, "before the begin");
        expect(b1, true, "at the begin");
        expect(e0, true, "at the end");
        expect(behind, false, "behind the end");
    }
    for denominator in 1..=farey {
        for s in (0..=denominator).map(|n| fraction(n, denominator)) {
            let value = truth(&s);
            tally.ties += usize::from(value.is_zero());
            let (mut may, mut must) = (false, false);
            for interval in found {
                may |= exact(interval.begin.lo) <= s && s <= exact(interval.end.hi);
                must |= !interval.undecided && exact(interval.begin.hi) <= s && s <= exact(interval.end.lo);
            }
            assert!(may || value.is_negative(), "missed at {s}: {found:?}");
            assert!(!must || !value.is_negative(), "false contact at {s}: {found:?}");
        }
    }
}

fn moving(dice: &mut Dice, grain: Grain, range: i32) -> MovingSphere {
    let begin = sphere(dice, grain, range);
    let end = match dice.below(4) {
        0 => begin,
        1 => Sphere { radius: begin.radius, ..sphere(dice, grain, range) },
        _ => sphere(dice, grain, range),
    };
    MovingSphere { begin, end }
}

/// Steps between lattice points of whole length, up to order and signs.
const WHOLE: [([f64; 3], f64); 5] = [
    ([3.0, 4.0, 0.0], 5.0),
    ([1.0, 2.0, 2.0], 3.0),
    ([2.0, 3.0, 6.0], 7.0),
    ([4.0, 0.0, 0.0], 4.0),
    ([1.0, 0.0, 0.0], 1.0),
];

/// A step of whole length, and that.
fn whole_step(dice: &mut Dice) -> ([f64; 3], f64) {
    let (mut step, length) = dice.pick(&WHOLE);
    step.rotate_left(dice.below(3));
    (step.map(|x| if dice.percent(50) { -x } else { x }), length)
}

/// A ball that often only just touches one of some radius at a place.
fn neighbour(dice: &mut Dice, centre: [f64; 3], radius: f64) -> Sphere {
    let (step, length) = whole_step(dice);
    let spare = if dice.percent(60) { 0.0 } else { f64::from(dice.between(-1, 1)) * 0.5 };
    Sphere { centre: std::array::from_fn(|k| centre[k] + step[k]), radius: (length - radius + spare).max(0.0) }
}

/// Two balls of a lattice: anywhere, touching at keys, or the one past the other.
fn two_balls(dice: &mut Dice, grain: Grain, range: i32) -> [MovingSphere; 2] {
    let (a, b) = (moving(dice, grain, range), moving(dice, grain, range));
    if grain != Grain::Lattice {
        return [a, b];
    }
    match dice.below(3) {
        0 => [a, b],
        1 => {
            let near = |dice: &mut Dice, ball: &Sphere| neighbour(dice, ball.centre, ball.radius);
            let begin = near(dice, &a.begin);
            [a, MovingSphere { begin, end: near(dice, &a.end) }]
        }
        _ => {
            // Along x, and beside it at a distance of 5 or 4: the middle of the way, or a third.
            let still = MovingSphere { begin: a.begin, end: a.begin };
            let beside = dice.pick(&[[0.0, 3.0, 4.0], [0.0, 0.0, -4.0]]);
            let (before, behind) = (f64::from(dice.between(1, 2)), f64::from(dice.between(1, 4)));
            let radius = if beside[1] == 0.0 { 4.0 } else { 5.0 } - a.begin.radius;
            let at = |x: f64| Sphere {
                centre: [a.begin.centre[0] + x, a.begin.centre[1] + beside[1], a.begin.centre[2] + beside[2]],
                radius,
            };
            [still, MovingSphere { begin: at(-before), end: at(behind) }]
        }
    }
}

fn scaled(ball: MovingSphere, by: f64) -> MovingSphere {
    let of = |ball: Sphere| Sphere { centre: ball.centre.map(|x| x * by), radius: ball.radius * by };
    MovingSphere { begin: of(ball.begin), end: of(ball.end) }
}

fn corners(dice: &mut Dice, grain: Grain, range: i32) -> [[f64; 3]; 3] {
    let mut corners: [[f64; 3]; 3] =
        std::array::from_fn(|_| std::array::from_fn(|_| f64::from(grain.coordinate(dice, range))));
    // Segments and points, too.
    if dice.percent(15) {
        corners[2] = corners[1];
        if dice.percent(50) {
            corners[0] = corners[1];
        }
    }
    corners
}

const GRAINS: [(Grain, i32); 3] = [(Grain::Lattice, 3), (Grain::Lattice, 6), (Grain::Real, 2)];
const DISTANCES: [f64; 4] = [0.0, 0.0, 0.5, 0.1];

/// A power of two leaves lattices lattices; at the ends of the range squares leave the range of f64.
const SCALES: [f64; 4] = [1.0, 1.0, 1.0 / (1u128 << 100) as f64, (1u128 << 97) as f64];

#[test]
fn two_balls_over_a_window() {
    let mut tally = Tally::default();
    let mut stats = IntervalStats::default();
    for seed in 0..if torture() { 8_000 } else { 700 } {
        let mut dice = Dice::new(seed, &[1]);
        let (grain, range) = GRAINS[seed as usize % 3];
        let (scale, distance) = (SCALES[seed as usize % 4], dice.pick(&DISTANCES));
        let [a, b] = two_balls(&mut dice, grain, range);
        let (a, b, distance) = (scaled(a, scale), scaled(b, scale), distance * scale);
        let at = |s: &Q| oracle::balls(&Ball::new(&a.begin, &a.end, s), &Ball::new(&b.begin, &b.end, s), distance);
        let mut found = Vec::new();
        sphere_intervals(&a, &b, distance, &mut found, &mut stats);
        assert!(found.len() <= 1, "{found:?}");
        check(&found, at, 6, &mut tally);
        for interval in &found {
            let touch = first_touch_of_spheres(interval, &a, &b);
            assert!((touch.normal.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-9, "{touch:?}");
        }
        assert_eq!(spheres_touch(&a.begin, &b.begin, distance), !at(&Q::zero()).is_negative());
        // At times of a window that is no power of two, the second ball over another window.
        let (piece, other) =
            (a.over((0.3, 1.7)), SpherePiece { begin: -1.0, end: 2.0, at_begin: b.begin, at_end: b.end });
        for time in [0.3, 1.0, dice.real(0.3, 1.7), 1.7] {
            let part =
                |piece: &SpherePiece| (exact(time) - exact(piece.begin)) / (exact(piece.end) - exact(piece.begin));
            let p = Ball::new(&a.begin, &a.end, &part(&piece));
            let q = Ball::new(&b.begin, &b.end, &part(&other));
            let truth = !oracle::balls(&p, &q, distance).is_negative();
            assert_eq!(spheres_touch_at_time(&piece, &other, distance, time), truth, "{a:?} {b:?} {time}");
        }
    }
    assert!(tally.undecided == 0 && tally.ties > 150 && tally.instants > 20 && tally.intervals > 150, "{tally:?}");
    assert!(stats.rejected_by_planes > 50 && stats.accepted_by_signs > 20 && stats.solved > 100, "{stats:?}");
}

#[test]
fn a_ball_and_a_triangle_over_a_window() {
    let mut tally = Tally::default();
    let mut stats = IntervalStats::default();
    for seed in 0..if torture() { 4_000 } else { 200 } {
        let mut dice = Dice::new(seed, &[2]);
        let (grain, range) = GRAINS[seed as usize % 3];
        let (scale, distance) = (SCALES[seed as usize % 4], dice.pick(&DISTANCES));
        let mut ball = moving(&mut dice, grain, range);
        let mut triangle =
            MovingTriangle { begin: corners(&mut dice, grain, range), end: corners(&mut dice, grain, range) };
        if dice.percent(40) {
            triangle.end = triangle.begin;
        }
        if grain == Grain::Lattice && dice.percent(60) {
            // Often only just touching a corner, or the face of a level triangle, at either end or throughout.
            if dice.percent(35) {
                // Past a peak, level and at its radius above it.
                triangle.begin[0][2] = 7.0;
                triangle.end = triangle.begin;
                let (before, behind) = dice.pick(&[(1.0, 1.0), (1.0, 3.0), (3.0, 1.0), (2.0, 2.0), (1.0, 2.0)]);
                let [x, y, z] = triangle.begin[0];
                let at = |by: f64, radius: f64| Sphere { centre: [x + by, y, z + radius], radius };
                ball = MovingSphere { begin: at(-before, ball.begin.radius), end: at(behind, ball.begin.radius) };
            } else if dice.percent(50) {
                ball.begin = neighbour(&mut dice, triangle.begin[0], 0.0);
                ball.end = neighbour(&mut dice, triangle.end[0], 0.0);
            } else {
                let (low, high) = (f64::from(dice.between(-2, 2)), f64::from(dice.between(-2, 2)));
                triangle.begin.iter_mut().for_each(|p| p[2] = low);
                triangle.end.iter_mut().for_each(|p| p[2] = high);
                ball.begin.centre[2] = low + ball.begin.radius;
                ball.end.centre[2] = high + if dice.percent(50) { ball.end.radius } else { 6.0 };
            }
        }
        let ball = scaled(ball, scale);
        let wide = |corners: [[f64; 3]; 3]| corners.map(|p| p.map(|x| x * scale));
        let (triangle, distance) =
            (MovingTriangle { begin: wide(triangle.begin), end: wide(triangle.end) }, distance * scale);
        let at = |s: &Q| {
            let corners: [oracle::Point; 3] =
                std::array::from_fn(|k| oracle::point(triangle.begin[k], triangle.end[k], s));
            oracle::ball_and_triangle(&Ball::new(&ball.begin, &ball.end, s), &corners, distance)
        };
        let mut found = Vec::new();
        sphere_triangle_intervals(&ball, &triangle, distance, &mut found, &mut stats);
        check(&found, at, 6, &mut tally);
        for interval in &found {
            let touch = first_touch_with_triangle(interval, &ball, &triangle);
            assert!((touch.normal.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-9, "{touch:?}");
        }
        assert_eq!(
            sphere_touches_triangle_at_time(&resting(&ball.begin), &triangle.begin, distance, 0.0),
            !at(&Q::zero()).is_negative(),
            "{ball:?} {triangle:?} {distance}"
        );
        let window = (0.3, 1.7);
        for time in [0.3, 1.0, dice.real(0.3, 1.7), 1.7] {
            let part = (exact(time) - exact(window.0)) / (exact(window.1) - exact(window.0));
            let truth = !at(&part).is_negative();
            let found = moving_sphere_touches_triangle_at_time(&ball, &triangle, distance, window, time);
            assert_eq!(found, truth, "{ball:?} {triangle:?} {distance} {time}");
            // The triangle as it begins.
            let still: [oracle::Point; 3] =
                std::array::from_fn(|k| oracle::point(triangle.begin[k], triangle.begin[k], &part));
            let here = Ball::new(&ball.begin, &ball.end, &part);
            let truth = !oracle::ball_and_triangle(&here, &still, distance).is_negative();
            let found = sphere_touches_triangle_at_time(&ball.over(window), &triangle.begin, distance, time);
            assert_eq!(found, truth, "{ball:?} {triangle:?} {distance} {time}");
        }
    }
    assert!(tally.ties > 50 && tally.instants > 10 && tally.intervals > 80, "{tally:?}");
    assert!(tally.undecided * 8 < tally.intervals, "{tally:?}");
}

/// Hits and misses are exact, parameters are close.
#[test]
fn rays_against_balls() {
    let (mut hits, mut grazes, mut insides) = (0, 0, 0);
    for seed in 0..if torture() { 50_000 } else { 3_000 } {
        let mut dice = Dice::new(seed, &[3]);
        let (grain, range) = GRAINS[seed as usize % 3];
        let (ball, scale) = (moving(&mut dice, grain, range), SCALES[seed as usize % 4]);
        let piece = scaled(ball, scale).over((0.0, 3.0));
        let vector =
            |dice: &mut Dice| -> [f64; 3] { std::array::from_fn(|_| f64::from(grain.coordinate(dice, range))) };
        let (mut origin, mut direction) = (vector(&mut dice), vector(&mut dice));
        if grain == Grain::Lattice && dice.percent(60) {
            // Beside the ball at its begin, along an axis.
            direction = [0.0, f64::from(dice.between(1, 3)), 0.0];
            let Sphere { centre, radius } = ball.begin;
            origin = [centre[0] + radius, centre[1] - f64::from(dice.between(0, 9)), centre[2]];
        } else if dice.percent(50) {
            direction =
                std::array::from_fn(|k| ball.begin.centre[k] - origin[k] + if k == 2 { direction[k] } else { 0.0 });
        }
        let origin = origin.map(|x| x * scale);
        let time = dice.pick(&[0.0, 1.0, 1.5, 3.0]);
        let here = Ball::new(&piece.at_begin, &piece.at_end, &(exact(time) / exact(3.0)));
        let way: oracle::Point = std::array::from_fn(|k| &here.centre[k] - exact(origin[k]));
        let step = direction.map(exact);
        let product = |a: &oracle::Point, b: &oracle::Point| (0..3).fold(Q::zero(), |sum, k| sum + &a[k] * &b[k]);
        let outside = product(&way, &way) - &here.radius * &here.radius;
        let along = product(&way, &step);
        let spare = &along * &along - product(&step, &step) * &outside;
        let is_inside = !outside.is_positive();
        let is_hit = is_inside || (along.is_positive() && !spare.is_negative());
        let found = ray_hits_sphere(origin, direction, f64::INFINITY, &piece, time);
        assert_eq!(found.is_some(), is_hit, "{piece:?} {origin:?} {direction:?} {time}");
        hits += usize::from(is_hit);
        insides += usize::from(is_inside);
        grazes += usize::from(is_hit && !is_inside && spare.is_zero());
        if let Some(parameter) = found {
            assert_eq!(parameter == 0.0 && is_inside, is_inside);
            let sphere = piece.at(time);
            let place: [f64; 3] = std::array::from_fn(|k| origin[k] + parameter * direction[k] - sphere.centre[k]);
            let gap = place.iter().map(|x| (x / scale).powi(2)).sum::<f64>().sqrt() - sphere.radius / scale;
            assert!(is_inside || gap.abs() < 1e-6, "{gap} {piece:?} {origin:?} {direction:?} {time}");
            assert!(is_inside || ray_hits_sphere(origin, direction, 0.999 * parameter, &piece, time).is_none());
        }
    }
    assert!(hits > 500 && grazes > 50 && insides > 50, "{hits} {grazes} {insides}");
}
