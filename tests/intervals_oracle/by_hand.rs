//! Cases whose intervals are known without computing.

use kinetree::narrow::intervals::{Enclosure, Feature, IntervalStats, MovingTriangle, contact_intervals, touch_at};

use super::pairs::{Points, moved, moving};

fn still(points: Points) -> MovingTriangle {
    moving(points, points)
}

/// Begin and end of all intervals, which must lie on the time grid.
fn times(a: &MovingTriangle, b: &MovingTriangle) -> Vec<[f64; 2]> {
    let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
    contact_intervals(a, b, &mut found, &mut stats);
    let exact = |e: Enclosure| {
        assert_eq!(e.lo, e.hi);
        e.lo
    };
    found.iter().map(|i| [exact(i.begin), exact(i.end)]).collect()
}

const FLOOR: Points = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];

fn leaf(z: [f64; 3]) -> Points {
    [[0.0, -1.0, z[0]], [1.0, 1.0, z[1]], [-1.0, 1.0, z[2]]]
}

#[test]
fn cloth_comes_down_on_a_plane_and_lifts() {
    let floor = still(FLOOR);
    let down = moving(leaf([2.0; 3]), leaf([0.0, 0.0, 1.0]));
    let up = moving(leaf([0.0, 0.0, 1.0]), leaf([2.0, 1.0, 2.0]));
    assert_eq!(times(&floor, &down), [[1.0, 1.0]]);
    assert_eq!(times(&floor, &up), [[0.0, 0.0]]);
    assert_eq!(times(&down, &floor), [[1.0, 1.0]]);
    // It rests with one edge on the plane for the whole window.
    let rest = moving(leaf([0.0, 0.0, 1.0]), leaf([0.0, 0.0, 3.0]));
    assert_eq!(times(&rest, &floor), [[0.0, 1.0]]);
    // And it lies flat, sliding.
    let flat = moving(leaf([0.0; 3]), moved(leaf([0.0; 3]), [0.5, 0.0, 0.0]));
    assert_eq!(times(&flat, &floor), [[0.0, 1.0]]);
}

#[test]
fn coplanar_triangles_slide_past() {
    let at = |x: f64| [[x, 0.0, 1.0], [x + 1.0, 0.0, 1.0], [x, 1.0, 1.0]];
    // Touches from x = -1 on (vertex on edge) until x = 1 (vertex on vertex).
    let (a, b) = (still(at(0.0)), moving(at(-2.0), at(2.0)));
    assert_eq!(times(&a, &b), [[0.25, 0.75]]);
    assert_eq!(times(&b, &a), [[0.25, 0.75]]);
    // Ends exactly with the window, begins exactly with it.
    assert_eq!(times(&a, &moving(at(0.5), at(1.0))), [[0.0, 1.0]]);
    assert_eq!(times(&a, &moving(at(3.0), at(1.0))), [[1.0, 1.0]]);
    assert_eq!(times(&a, &moving(at(1.0), at(3.0))), [[0.0, 0.0]]);
    assert_eq!(times(&a, &moving(at(-3.0), at(1.0))), [[0.5, 1.0]]);
}

#[test]
fn parallel_planes_cross_in_one_instant() {
    let at = |z: f64| leaf([z; 3]);
    let (floor, sheet) = (still(FLOOR), moving(at(1.0), at(-1.0)));
    assert_eq!(times(&floor, &sheet), [[0.5, 0.5]]);
    let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
    contact_intervals(&floor, &sheet, &mut found, &mut stats);
    assert!(found[0].instant && !found[0].at_window_begin() && !found[0].at_window_end());
    // Beside each other in that instant: nothing.
    let beside = moving(moved(at(1.0), [20.0, 0.0, 0.0]), moved(at(-1.0), [20.0, 0.0, 0.0]));
    assert_eq!(times(&floor, &beside), [[0.0; 2]; 0]);
}

#[test]
fn an_edge_grazes_an_edge() {
    // The lower edge of B crosses above that of A at height u², u = 2 s − 1.
    let a = still([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -5.0]]);
    let at = |u: f64| [[0.0, -1.0 - u, -u], [0.0, 1.0 - u, u], [0.0, 0.0, 10.0]];
    let b = moving(at(-1.0), at(1.0));
    assert_eq!(times(&a, &b), [[0.5, 0.5]]);
    let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
    contact_intervals(&a, &b, &mut found, &mut stats);
    let touch = found[0].first_touch(&a, &b);
    assert_eq!(touch.feature, Feature::EdgeEdge { a: [0, 1], b: [0, 1] });
    assert_eq!(touch.point, [0.0; 3]);
    assert_eq!(touch.normal, [0.0, 0.0, 1.0]);
    // A hair higher it misses, a hair lower it cuts for a moment that is not on the grid.
    let lifted = |z: f64| {
        let lift = |p: Points| p.map(|[x, y, h]| [x, y, h + z]);
        moving(lift(b.begin), lift(b.end))
    };
    assert_eq!(times(&a, &lifted(f64::EPSILON)), [[0.0; 2]; 0]);
    found.clear();
    contact_intervals(&a, &lifted(-f64::EPSILON), &mut found, &mut stats);
    assert!(found.len() == 1 && found[0].begin.hi < 0.5 && found[0].end.lo > 0.5);
}

#[test]
fn first_touch_names_the_feature() {
    let floor = still(FLOOR);
    let fall = moving(leaf([1.0, 2.0, 2.0]), leaf([-1.0, 0.5, 0.5]));
    let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
    contact_intervals(&fall, &floor, &mut found, &mut stats);
    let touch = found[0].first_touch(&fall, &floor);
    assert_eq!(touch.feature, Feature::VertexFace { vertex: 0 });
    assert_eq!((touch.point, touch.normal), ([0.0, -1.0, 0.0], [0.0, 0.0, -1.0]));
    found.clear();
    contact_intervals(&floor, &fall, &mut found, &mut stats);
    let touch = found[0].first_touch(&floor, &fall);
    assert_eq!(touch.feature, Feature::FaceVertex { vertex: 0 });
    assert_eq!(touch.normal, [0.0, 0.0, 1.0]);
    assert!(found[0].at_window_end() && !found[0].at_window_begin());
    // In contact from the start: an edge through the face.
    let through = moving(leaf([-1.0, 1.0, 1.0]), leaf([-1.0, 2.0, 1.0]));
    found.clear();
    contact_intervals(&through, &floor, &mut found, &mut stats);
    assert!(found[0].at_window_begin() && found[0].at_window_end());
    assert!(matches!(found[0].feature, Feature::EdgeFace { edge: [0, 1 | 2] }));
}

#[test]
fn a_shared_vertex_always_touches() {
    let a = moving(leaf([1.0, 2.0, 2.0]), leaf([-1.0, 0.5, 0.5]));
    let mut b = moving(FLOOR, leaf([3.0, 1.0, 7.0]));
    (b.begin[2], b.end[2]) = (a.begin[1], a.end[1]);
    assert_eq!(times(&a, &b), [[0.0, 1.0]]);
}

#[test]
fn what_is_not_finite_is_undecided() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for vertex in 0..3 {
            let mut a = still(leaf([5.0; 3]));
            a.end[vertex][2] = bad;
            for (x, y) in [(&a, &still(FLOOR)), (&still(FLOOR), &a)] {
                let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
                contact_intervals(x, y, &mut found, &mut stats);
                assert!(found.len() == 1 && found[0].undecided && stats.undecided == 1);
                assert!(found[0].may_contain(0.3) && touch_at(x, y, 0.3));
            }
        }
    }
    assert!(touch_at(&still(FLOOR), &still(leaf([5.0; 3])), f64::NAN));
    assert!(!touch_at(&still(FLOOR), &still(leaf([5.0; 3])), 7.0));
}

#[test]
fn triangles_of_one_line_touch_at_an_instant_where_they_overlap() {
    let at = |x: f64| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x + 2.0, 0.0, 0.0]];
    let (resting, sliding) = (still(at(0.0)), moving(at(4.0), at(0.0)));
    // It comes within 2 half-way.
    for (s, touches) in [(0.0, false), (0.25, false), (0.5, true), (0.75, true), (1.0, true)] {
        assert_eq!(touch_at(&resting, &sliding, s), touches, "{s}");
        assert_eq!(touch_at(&sliding, &resting, s), touches, "{s}");
    }
}
