//! Hand-written cases with known times.

use kinetree::narrow::intervals::{ContactInterval, Feature, IntervalStats, MovingTriangle, contact_intervals};
use kinetree::narrow::proximity::{first_nearness, proximity_intervals, triangles_within};

type Points = [[f64; 3]; 3];

fn moving(begin: Points, end: Points) -> MovingTriangle {
    MovingTriangle { begin, end }
}

fn shifted(points: Points, by: [f64; 3]) -> Points {
    points.map(|p| [0, 1, 2].map(|k| p[k] + by[k]))
}

fn found(a: &MovingTriangle, b: &MovingTriangle, distance: f64) -> (Vec<ContactInterval>, IntervalStats) {
    let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
    proximity_intervals(a, b, distance, &mut found, &mut stats);
    (found, stats)
}

/// The intervals as pairs of exact times.
fn exact_times(a: &MovingTriangle, b: &MovingTriangle, distance: f64) -> Vec<(f64, f64)> {
    let times = |i: &ContactInterval| {
        assert!(!i.undecided && i.begin.lo == i.begin.hi && i.end.lo == i.end.hi, "{i:?}");
        (i.begin.lo, i.end.lo)
    };
    found(a, b, distance).0.iter().map(times).collect()
}

const FLOOR: Points = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
const SQUARE: [Points; 2] =
    [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]];

#[test]
fn parallel_squares_approach() {
    for lower in SQUARE {
        for upper in SQUARE {
            let falling = moving(shifted(upper, [0.0, 0.0, 2.0]), shifted(upper, [0.0, 0.0, -2.0]));
            let still = moving(lower, lower);
            // Height 2 − 4 s, within 0.5 from 3/8 to 5/8.
            assert_eq!(exact_times(&falling, &still, 0.5), [(0.375, 0.625)]);
            assert_eq!(exact_times(&still, &falling, 0.5), [(0.375, 0.625)]);
            let (intervals, _) = found(&still, &falling, 0.5);
            let touch = first_nearness(&intervals[0], &still, &falling);
            assert!((touch.normal[2] - 1.0).abs() < 1e-12, "{touch:?}");
            assert!((touch.point[2] - 0.25).abs() < 1e-12, "{touch:?}");
        }
    }
}

#[test]
fn squares_that_slide_at_exactly_the_distance() {
    for lower in SQUARE {
        for upper in SQUARE {
            // Over each other, in from the side and out again: the interval ends when the shadows part by nothing.
            let slide = |from: f64, to: f64| moving(shifted(upper, [from, 0.0, 0.5]), shifted(upper, [to, 0.0, 0.5]));
            let still = moving(lower, lower);
            // The shadows of equal triangles meet for shifts from -1 to 1, those of the two halves on one side only.
            let (from, to) = if lower == upper {
                (-1.0, 1.0)
            } else if lower == SQUARE[0] {
                (0.0, 1.0)
            } else {
                (-1.0, 0.0)
            };
            assert_eq!(exact_times(&still, &slide(from, to), 0.5), [(0.0, 1.0)]);
            assert_eq!(exact_times(&still, &slide(-3.0, 5.0), 0.5), [((3.0 + from) / 8.0, (3.0 + to) / 8.0)]);
            assert!(found(&still, &slide(-3.0, 5.0), 0.5_f64.next_down()).0.is_empty());
        }
    }
}

#[test]
fn a_vertex_grazes_at_exactly_the_distance() {
    // The vertex stays a quarter above the plane of a face that tips through the horizontal: nearest at s = 1/2 only.
    let tip = [[0.0, 0.0, 0.25], [0.0, 1.0, 3.0], [1.0, 0.0, 3.0]];
    let tilt = |z: f64| [[-4.0, -4.0, -z], [4.0, -4.0, z], [0.0, 4.0, 0.0]];
    let (face, tip) = (moving(tilt(1.0), tilt(-1.0)), moving(tip, tip));
    assert_eq!(found(&face, &tip, 0.25).0.len(), 1, "it is nearer than a quarter when the face is tilted");
    // Past a corner at distance exactly 5 (3-4-5), at s = 1/2.
    let pass = |x: f64| [[x, 4.0, 3.0], [x, 6.0, 9.0], [x + 1.0, 7.0, 9.0]];
    let corner = [[0.0, 0.0, 0.0], [-1.0, -2.0, -1.0], [1.0, -2.0, -1.0]];
    let (corner, passing) = (moving(corner, corner), moving(pass(-8.0), pass(8.0)));
    let (intervals, stats) = found(&corner, &passing, 5.0);
    assert_eq!(exact_times(&corner, &passing, 5.0), [(0.5, 0.5)]);
    assert!(intervals[0].instant && stats.undecided == 0);
    assert_eq!(intervals[0].feature, Feature::VertexVertex { a: 0, b: 0 });
    let touch = first_nearness(&intervals[0], &corner, &passing);
    assert!([0.0, 0.8, 0.6].iter().zip(touch.normal).all(|(x, y)| (x - y).abs() < 1e-12), "{touch:?}");
    assert!(found(&corner, &passing, 5.0_f64.next_down()).0.is_empty());
    // The same a third of the way: no grid point, so the instant is found but not decided.
    let passing = moving(pass(-1.0), pass(2.0));
    let (intervals, stats) = found(&corner, &passing, 5.0);
    assert_eq!((intervals.len(), stats.undecided), (1, 1));
    assert!(intervals[0].begin.lo <= 1.0 / 3.0 && intervals[0].end.hi >= 1.0 / 3.0);
}

/// A vertex falls towards a face and turns back within the window relative to it: the face's plane falls quadratically.
#[test]
fn a_vertex_over_a_face_at_exactly_the_distance() {
    // The face turns about the x axis; a point over it at height 1 is nearest when the face is horizontal... and exactly
    // at distance 1 then, but the face's far parts rise: within for the whole window.
    let over = [[0.0, 0.0, 1.0], [0.0, 0.5, 4.0], [0.5, 0.0, 4.0]];
    let over = moving(over, over);
    let floor = moving(FLOOR, FLOOR);
    assert_eq!(exact_times(&over, &floor, 1.0), [(0.0, 1.0)]);
    assert!(found(&over, &floor, 1.0_f64.next_down()).0.is_empty());
    // Down to exactly the distance at the end of the window, and up from it at the begin.
    let at = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
    assert_eq!(exact_times(&moving(at(3.0), at(1.0)), &floor, 1.0), [(1.0, 1.0)]);
    assert_eq!(exact_times(&moving(at(1.0), at(3.0)), &floor, 1.0), [(0.0, 0.0)]);
    assert!(found(&moving(at(3.0), at(1.0)), &floor, 1.0_f64.next_down()).0.is_empty());
    let (intervals, _) = found(&floor, &moving(at(3.0), at(0.5)), 1.0);
    assert_eq!(intervals[0].feature, Feature::FaceVertex { vertex: 0 });
    assert!((intervals[0].begin.lo - 0.8).abs() < 1e-15 && intervals[0].at_window_end());
}

#[test]
fn edges_at_exactly_the_distance() {
    // Two crossing edges, one rises away from the other.
    let low = [[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, -3.0]];
    let top = |z: f64| [[0.5, -2.0, z], [0.5, 2.0, z], [0.5, 0.0, z + 3.0]];
    let low = moving(low, low);
    assert_eq!(exact_times(&low, &moving(top(2.0), top(0.0)), 1.0), [(0.5, 1.0)]);
    assert_eq!(exact_times(&low, &moving(top(2.0), top(2.0)), 2.0), [(0.0, 1.0)]);
    assert!(found(&low, &moving(top(2.0), top(2.0)), 2.0_f64.next_down()).0.is_empty());
    let (intervals, _) = found(&low, &moving(top(2.0), top(0.5)), 1.0);
    assert_eq!(intervals[0].feature, Feature::EdgeEdge { a: [0, 1], b: [0, 1] });
}

#[test]
fn crossing_triangles_are_within_any_distance() {
    // Deep inside each other all the time: no vertex or edge is near another.
    let blade = [[0.0, 0.0, -9.0], [0.5, 0.0, -9.0], [0.25, 0.0, 90.0]];
    let (blade, floor) = (moving(blade, shifted(blade, [0.1, 0.2, 0.3])), moving(FLOOR, FLOOR));
    let (intervals, stats) = found(&blade, &floor, 1e-6);
    assert_eq!(intervals.len(), 1);
    assert!(intervals[0].at_window_begin() && intervals[0].at_window_end());
    assert_eq!(stats.undecided, 0);
    assert!(triangles_within(&blade.begin, &floor.begin, 1e-6));
    let touch = first_nearness(&intervals[0], &blade, &floor);
    assert!(matches!(touch.feature, Feature::EdgeFace { .. } | Feature::FaceEdge { .. }), "{touch:?}");
}

#[test]
fn no_distance_is_contact() {
    let at = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
    let (falling, floor) = (moving(at(1.0), at(-3.0)), moving(FLOOR, FLOOR));
    let (mut contact, mut stats) = (Vec::new(), IntervalStats::default());
    contact_intervals(&falling, &floor, &mut contact, &mut stats);
    assert_eq!(found(&falling, &floor, 0.0), (contact, stats));
}

#[test]
fn what_is_not_finite_is_assumed_in_contact() {
    let mut bad = FLOOR;
    bad[1][1] = f64::NAN;
    let (floor, bad) = (moving(FLOOR, FLOOR), moving(FLOOR, bad));
    for (b, distance) in [(&bad, 1.0), (&floor, f64::NAN)] {
        let (intervals, stats) = found(&floor, b, distance);
        assert!(intervals.len() == 1 && intervals[0].undecided && stats.undecided == 1);
    }
    assert!(triangles_within(&floor.begin, &bad.end, 1.0));
    assert!(!found(&floor, &floor, f64::INFINITY).0[0].undecided);
}

/// Sizes at which f64 proves nothing are decided in integers, where sites without extent tell nothing.
#[test]
fn a_point_and_a_face_of_tiny_size() {
    let scale = 2.0_f64.powi(-1000);
    let still = |points: Points| {
        let points = points.map(|p| p.map(|x| x * scale));
        moving(points, points)
    };
    // The corner of the face is nearest, at √18.
    let point = still([[0.0; 3]; 3]);
    let face = still([[3.0, 3.0, 0.0], [3.0, 4.0, 0.0], [4.0, 3.0, 0.0]]);
    for (a, b) in [(&point, &face), (&face, &point)] {
        assert!(found(a, b, 4.0 * scale).0.is_empty());
        assert_eq!(exact_times(a, b, 4.25 * scale), [(0.0, 1.0)]);
    }
}

/// Distances that are larger than all coordinates.
#[test]
fn corners_at_exactly_a_large_distance() {
    let low = [[0.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
    let high = shifted([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [6.0, 6.0, 7.0]);
    assert!(triangles_within(&low, &high, 11.0));
    assert!(!triangles_within(&low, &high, 11.0_f64.next_down()));
    assert_eq!(exact_times(&moving(low, low), &moving(high, high), 11.0), [(0.0, 1.0)]);
}

/// In units of the triangles the distance is infinite.
#[test]
fn tiny_triangles_are_always_within_a_huge_distance() {
    let tiny = FLOOR.map(|p| p.map(|x| x * 2.0_f64.powi(-800)));
    let (a, b) = (moving(tiny, tiny), moving(tiny, shifted(tiny, [0.0, 0.0, 2.0_f64.powi(-801)])));
    let (intervals, stats) = found(&a, &b, 2.0_f64.powi(300));
    assert_eq!((intervals.len(), stats.accepted_by_signs, stats.solved), (1, 1, 0));
    assert!(intervals[0].at_window_end() && intervals[0].begin.hi == 0.0 && !intervals[0].undecided);
}
