//! Cases that random numbers do not find.

use kinetree::motion::Sphere;
use kinetree::narrow::intervals::{ContactInterval, Enclosure, IntervalStats, MovingTriangle};
use kinetree::narrow::spheres::{MovingSphere, sphere_intervals, sphere_triangle_intervals};

use super::spheres_touch;

fn ball(x: f64, y: f64, z: f64, radius: f64) -> Sphere {
    Sphere { centre: [x, y, z], radius }
}

fn pair(a: MovingSphere, b: MovingSphere, distance: f64) -> Vec<ContactInterval> {
    let mut found = Vec::new();
    sphere_intervals(&a, &b, distance, &mut found, &mut IntervalStats::default());
    found
}

fn still(sphere: Sphere) -> MovingSphere {
    MovingSphere { begin: sphere, end: sphere }
}

fn point(s: f64) -> Enclosure {
    Enclosure { lo: s, hi: s }
}

#[test]
fn grazing_between_grid_points() {
    // From −1 to 2 past a ball, exactly as far away as both radii: at one third.
    let found = pair(
        MovingSphere { begin: ball(-1.0, 2.0, 0.0, 1.5), end: ball(2.0, 2.0, 0.0, 1.5) },
        still(ball(0.0, 0.0, 0.0, 0.5)),
        0.0,
    );
    assert_eq!(found.len(), 1);
    assert!(found[0].instant && !found[0].undecided);
    let (lo, hi) = (found[0].begin.lo, found[0].begin.hi);
    assert!(lo < hi && hi - lo <= f64::EPSILON / 2.0 && 3.0 * lo <= 1.0 && 3.0 * hi >= 1.0);
    // A little less of a radius: none; a little more: an interval of its own.
    let past = |radius| {
        pair(
            MovingSphere { begin: ball(-1.0, 2.0, 0.0, radius), end: ball(2.0, 2.0, 0.0, radius) },
            still(ball(0.0, 0.0, 0.0, 0.5)),
            0.0,
        )
    };
    assert!(past(1.5_f64.next_down()).is_empty());
    let wider = past(1.5_f64.next_up());
    assert!(wider.len() == 1 && !wider[0].instant && wider[0].begin.hi < wider[0].end.lo);
}

#[test]
fn touching_at_the_ends_of_the_window_only() {
    let begin = pair(
        MovingSphere { begin: ball(2.0, 0.0, 0.0, 1.0), end: ball(5.0, 0.0, 0.0, 1.0) },
        still(ball(0.0, 0.0, 0.0, 1.0)),
        0.0,
    );
    assert_eq!((begin.len(), begin[0].begin, begin[0].end, begin[0].instant), (1, point(0.0), point(0.0), true));
    let end = pair(
        MovingSphere { begin: ball(5.0, 0.0, 0.0, 1.0), end: ball(2.0, 0.0, 0.0, 1.0) },
        still(ball(0.0, 0.0, 0.0, 1.0)),
        0.0,
    );
    assert_eq!((end.len(), end[0].begin, end[0].end, end[0].instant), (1, point(1.0), point(1.0), true));
}

#[test]
fn balls_that_only_change_their_size() {
    // Shrinks away and grows back in two windows' worth: here apart from 1/4 on.
    let shrinking = MovingSphere { begin: ball(0.0, 0.0, 0.0, 4.0), end: ball(0.0, 0.0, 0.0, 0.0) };
    let found = pair(shrinking, still(ball(4.0, 0.0, 0.0, 1.0)), 0.0);
    assert_eq!((found.len(), found[0].begin, found[0].end), (1, point(0.0), point(0.25)));
    // Both touch at all times: one grows as the other shrinks.
    let growing = MovingSphere { begin: ball(4.0, 0.0, 0.0, 0.0), end: ball(4.0, 0.0, 0.0, 4.0) };
    let found = pair(shrinking, growing, 0.0);
    assert_eq!((found.len(), found[0].begin, found[0].end, found[0].instant), (1, point(0.0), point(1.0), false));
    // A thickness alone: points that pass at exactly that distance.
    let points = pair(
        MovingSphere { begin: ball(-2.0, 1.0, 0.0, 0.0), end: ball(2.0, 1.0, 0.0, 0.0) },
        still(ball(0.0, 0.0, 0.0, 0.0)),
        1.0,
    );
    assert_eq!((points.len(), points[0].begin, points[0].instant), (1, point(0.5), true));
}

#[test]
fn radii_that_change_faster_than_balls_move() {
    // √(1 + (6 s − 3)²) against 1 + 7 s.
    let a = MovingSphere { begin: ball(-3.0, 1.0, 0.0, 1.0), end: ball(3.0, 1.0, 0.0, 8.0) };
    let found = pair(a, still(ball(0.0, 0.0, 0.0, 0.0)), 0.0);
    assert!(found.len() == 1 && found[0].end == point(1.0) && !found[0].undecided);
    // (4 + 2 s)² − 16 − s² = 16 s + 3 s²: convex, 0 at the begin, and negative before it.
    let c = MovingSphere { begin: ball(0.0, 0.0, 0.0, 0.0), end: ball(1.0, 0.0, 0.0, 2.0) };
    let found = pair(still(ball(0.0, 4.0, 0.0, 4.0)), c, 0.0);
    assert_eq!((found.len(), found[0].begin, found[0].end), (1, point(0.0), point(1.0)));
}

#[test]
fn coincident_and_contained_balls() {
    let inside = pair(still(ball(0.1, 0.0, 0.0, 0.1)), still(ball(0.0, 0.0, 0.0, 5.0)), 0.0);
    assert_eq!((inside.len(), inside[0].begin, inside[0].end), (1, point(0.0), point(1.0)));
    let same = pair(still(ball(0.3, 0.1, 0.7, 0.0)), still(ball(0.3, 0.1, 0.7, 0.0)), 0.0);
    assert_eq!((same.len(), same[0].begin, same[0].end), (1, point(0.0), point(1.0)));
    assert!(!spheres_touch(&ball(0.3, 0.0, 0.0, 0.0), &ball(0.3_f64.next_up(), 0.0, 0.0, 0.0), 0.0));
    // Through each other as points: an instant.
    let through = pair(
        MovingSphere { begin: ball(-1.0, 0.0, 0.0, 0.0), end: ball(1.0, 0.0, 0.0, 0.0) },
        still(ball(0.0, 0.0, 0.0, 0.0)),
        0.0,
    );
    assert_eq!((through.len(), through[0].begin, through[0].instant), (1, point(0.5), true));
}

#[test]
fn numbers_far_apart_in_size() {
    // 2⁻¹⁰⁷⁴ is the least there is.
    let least = f64::from_bits(1);
    assert!(spheres_touch(&ball(least, 0.0, 0.0, 0.0), &ball(0.0, 0.0, 0.0, least), 0.0));
    assert!(!spheres_touch(&ball(2.0 * least, 0.0, 0.0, 0.0), &ball(0.0, 0.0, 0.0, least), 0.0));
    assert!(spheres_touch(&ball(1e30, 0.0, 0.0, 1e30), &ball(-least, 0.0, 0.0, least), 0.0));
    assert!(!spheres_touch(&ball(1e30, 0.0, 0.0, 1e30), &ball(-2.0 * least, 0.0, 0.0, least), 0.0));
}

#[test]
fn what_is_not_finite_counts_as_contact() {
    let found = pair(still(ball(f64::NAN, 0.0, 0.0, 1.0)), still(ball(9.0, 0.0, 0.0, 1.0)), 0.0);
    assert!(found.len() == 1 && found[0].undecided);
    assert!(spheres_touch(&ball(0.0, 0.0, 0.0, f64::INFINITY), &ball(9.0, 0.0, 0.0, 1.0), 0.0));
}

#[test]
fn a_ball_on_a_face_a_side_and_a_corner() {
    let floor = MovingTriangle {
        begin: [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]],
        end: [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]],
    };
    let with = |begin, end| {
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        sphere_triangle_intervals(&MovingSphere { begin, end }, &floor, 0.0, &mut found, &mut stats);
        found
    };
    // Falls while it shrinks: 4 − 3 s against 1 − s / 2: from s = 6/5, never; against 2 − s / 2 from s = 4/5.
    assert!(with(ball(0.0, 0.0, 4.0, 1.0), ball(0.0, 0.0, 1.0, 0.5)).is_empty());
    let found = with(ball(0.0, 0.0, 4.0, 2.0), ball(0.0, 0.0, 1.0, 1.5));
    assert!(found.len() == 1 && found[0].begin.lo <= 0.8 && 0.8 <= found[0].begin.hi && found[0].end == point(1.0));
    // Rises exactly as fast as it grows: rests on the floor throughout.
    let found = with(ball(0.0, 0.0, 1.0, 1.0), ball(0.5, 0.0, 3.0, 3.0));
    assert_eq!((found.len(), found[0].begin, found[0].end, found[0].undecided), (1, point(0.0), point(1.0), false));
    // Grows from nothing on the floor and shrinks to nothing above it.
    let found = with(ball(0.0, 0.0, 0.0, 0.0), ball(0.0, 0.0, 2.0, 1.0));
    assert_eq!((found.len(), found[0].begin, found[0].end, found[0].instant), (1, point(0.0), point(0.0), true));
    let found = with(ball(0.0, 0.0, 2.0, 1.0), ball(0.0, 0.0, 0.0, 0.0));
    assert_eq!((found.len(), found[0].begin, found[0].end, found[0].instant), (1, point(1.0), point(1.0), true));
    // Past the corner (0, 4, 0), 3-4-5 away from it at the middle of the way.
    let found = with(ball(-1.0, 7.0, 4.0, 5.0), ball(1.0, 7.0, 4.0, 5.0));
    assert_eq!((found.len(), found[0].begin, found[0].end, found[0].instant), (1, point(0.5), point(0.5), true));
    // Along the side y = −4 at its radius from it: touches from the place where the corner ends to be nearer.
    let found = with(ball(-8.0, -7.0, 4.0, 5.0), ball(8.0, -7.0, 4.0, 5.0));
    assert_eq!((found.len(), found[0].begin, found[0].end), (1, point(0.25), point(0.75)));
    // A point through the floor.
    let found = with(ball(0.0, 0.0, 1.0, 0.0), ball(0.0, 0.0, -3.0, 0.0));
    assert_eq!((found.len(), found[0].begin, found[0].end, found[0].instant), (1, point(0.25), point(0.25), true));
    // In the opposite order nothing changes: the ball was always inside of what it holds.
    let found = with(ball(0.0, 0.0, 0.0, 100.0), ball(9.0, 9.0, 9.0, 90.0));
    assert_eq!((found.len(), found[0].begin, found[0].end), (1, point(0.0), point(1.0)));
}
