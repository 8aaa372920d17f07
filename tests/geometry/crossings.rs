//! Common points of two triangles.

use super::oracle::{Exact, P, common_points, edges_through, has_area, lift};
use super::{Point, Triangle, cases};
use kinetree::geometry::{Crossing, CrossingShape, Site, crossing};
use kinetree::narrow::triangles_touch;
use kinetree::scenes::Random;
use num_rational::{BigRational, Ratio};

/// Bound of the error stated by [`crossing`], relative to the largest coordinate.
const ERROR: f64 = 1.0 / (1_u64 << 46) as f64;

fn largest(a: &Triangle, b: &Triangle) -> f64 {
    a.iter().chain(b).flatten().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// Compares a crossing with the oracle's; returns how many extreme points there are.
fn check<T: Exact>(a: &Triangle, b: &Triangle) -> usize {
    let (exact_a, exact_b): ([P<T>; 3], [P<T>; 3]) = (a.each_ref().map(lift), b.each_ref().map(lift));
    let truth = common_points(&exact_a, &exact_b);
    let found = crossing(a, b);
    assert_eq!(found.is_empty(), !triangles_touch(a, b), "{a:?} {b:?}");
    assert_eq!(found.corners().len(), truth.len(), "{a:?} {b:?} {:?}", found.corners());
    let areas = [has_area(&exact_a), has_area(&exact_b)];
    assert_eq!(found.normals().map(|normal| normal.is_some()), areas.map(|has| has && !truth.is_empty()));
    // Each exact point is met by one of ours.
    let bound = ERROR * largest(a, b);
    let mut taken = vec![false; truth.len()];
    for point in &truth {
        let rounded = point.each_ref().map(T::rounded);
        let miss = |other: &Point| (0..3).map(|k| (other[k] - rounded[k]).abs()).fold(0.0, f64::max);
        let best = (0..truth.len())
            .filter(|&k| !taken[k])
            .min_by(|&k, &l| miss(&found.corners()[k].point).total_cmp(&miss(&found.corners()[l].point)));
        let best = best.unwrap();
        taken[best] = true;
        let corner = &found.corners()[best];
        assert!(miss(&corner.point) <= bound, "{a:?} {b:?} {corner:?} {rounded:?}");
        // Points nearer to each other than the bound could be taken for one another.
        let is_alone = truth.iter().all(|other| {
            other == point || {
                let other = other.each_ref().map(T::rounded);
                (0..3).any(|k| (other[k] - rounded[k]).abs() > 4.0 * bound)
            }
        });
        for (side, triangle) in [(0, &exact_a), (1, &exact_b)] {
            if is_alone && areas[side] {
                assert_eq!(edges(corner.sites[side]), edges_through(triangle, point), "{a:?} {b:?} {corner:?}");
            }
        }
    }
    check_order(a, b, &found);
    truth.len()
}

/// The edges that a site lies on.
fn edges(site: Site) -> [bool; 3] {
    let mut found = [false; 3];
    match site {
        Site::Vertex(corner) => {
            found[corner as usize] = true;
            found[(corner as usize + 2) % 3] = true;
        }
        Site::Edge(edge) => found[edge as usize] = true,
        Site::Face => {}
    }
    found
}

fn minus(p: &Point, q: &Point) -> Point {
    [0, 1, 2].map(|k| p[k] - q[k])
}

fn cross(p: &Point, q: &Point) -> Point {
    [0, 1, 2].map(|k| p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3])
}

fn dot(p: &Point, q: &Point) -> f64 {
    (0..3).map(|k| p[k] * q[k]).sum()
}

/// Segments run along n × m, polygons are convex and counter-clockwise.
fn check_order(a: &Triangle, b: &Triangle, found: &Crossing) {
    let corners: Vec<Point> = found.corners().iter().map(|corner| corner.point).collect();
    let [Some(n), Some(m)] = found.normals() else {
        return;
    };
    assert!((dot(&n, &n) - 1.0).abs() < 1e-12 && (dot(&m, &m) - 1.0).abs() < 1e-12);
    let size = largest(a, b);
    if found.shape() == CrossingShape::Segment && dot(&cross(&n, &m), &cross(&n, &m)) > 1e-6 {
        let along = minus(&corners[1], &corners[0]);
        assert!(dot(&along, &cross(&n, &m)) >= -1e-12 * size, "{a:?} {b:?}");
        assert!((found.length() - dot(&along, &along).sqrt()).abs() <= 1e-12 * size);
    }
    if found.shape() == CrossingShape::Polygon {
        for k in 0..corners.len() {
            let [p, q, r] = [0, 1, 2].map(|step| corners[(k + step) % corners.len()]);
            assert!(dot(&cross(&minus(&q, &p), &minus(&r, &q)), &n) >= -1e-10 * size * size, "{a:?} {b:?}");
        }
    }
}

/// Triangles on an integer grid of few points: degenerate, coplanar and touching ones are frequent.
fn on_grid(random: &mut Random, size: u64) -> Triangle {
    std::array::from_fn(|_| std::array::from_fn(|_| random.below(size) as f64))
}

fn flat(random: &mut Random, size: u64) -> Triangle {
    std::array::from_fn(|_| {
        let [x, y] = [random.below(size) as f64, random.below(size) as f64];
        [x, y, x + y]
    })
}

#[test]
fn crossings_on_integer_grids_equal_rational_clipping() {
    let mut random = Random::new(16);
    let mut shapes = [0; 7];
    for case in 0..cases(100_000) {
        let size = [3, 4, 6, 40, 1000][case % 5];
        let (a, b) = match case % 7 {
            0 => (flat(&mut random, size), flat(&mut random, size)),
            1 => (flat(&mut random, size), on_grid(&mut random, size)),
            2 => {
                let (a, mut b) = (on_grid(&mut random, size), on_grid(&mut random, size));
                b[random.below(3) as usize] = a[random.below(3) as usize];
                (a, b)
            }
            3 => {
                // A segment or a point.
                let (mut a, b) = (on_grid(&mut random, size), on_grid(&mut random, size));
                a[1] = a[random.below(3) as usize];
                (a, b)
            }
            _ => (on_grid(&mut random, size), on_grid(&mut random, size)),
        };
        shapes[check::<Ratio<i128>>(&a, &b)] += 1;
    }
    let least = cases(100_000) / 10_000;
    assert!(shapes.iter().all(|&count| count >= least), "few cases of some kind: {shapes:?}");
}

#[test]
fn crossings_of_random_f64_triangles_equal_rational_clipping() {
    let mut random = Random::new(17);
    let mut crossed = 0;
    for case in 0..cases(3_000) {
        let scale = 10.0_f64.powi((case % 13) as i32 - 6);
        let offset: Point = if case % 3 == 0 { random.in_cube(1000.0 * scale) } else { [0.0; 3] };
        let mut point = || {
            let place = random.in_cube(scale);
            [0, 1, 2].map(|k| place[k] + offset[k])
        };
        let a: Triangle = std::array::from_fn(|_| point());
        let mut b: Triangle = std::array::from_fn(|_| point());
        if case % 5 == 0 {
            // Nearly coplanar: the corners of B are near points of A's plane.
            for corner in &mut b {
                let (s, t) = (random.unit(), random.unit());
                let lift = scale * 2.0_f64.powi(-30 - random.below(30) as i32) * random.between(-1.0, 1.0);
                *corner = [0, 1, 2].map(|k| a[0][k] + s * (a[1][k] - a[0][k]) + t * (a[2][k] - a[0][k]) + lift);
            }
        }
        crossed += usize::from(check::<BigRational>(&a, &b) > 0);
    }
    assert!(crossed > cases(3_000) / 20);
}

#[test]
fn known_crossings() {
    let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    // A tip on the face.
    let found = crossing(&floor, &[[1.0, 1.0, 0.0], [1.0, 1.0, 2.0], [2.0, 1.0, 2.0]]);
    assert_eq!((found.shape(), found.point()), (CrossingShape::Point, Some([1.0, 1.0, 0.0])));
    assert_eq!(found.corners()[0].sites, [Site::Face, Site::Vertex(0)]);
    assert_eq!(found.normals(), [Some([0.0, 0.0, 1.0]), Some([0.0, 1.0, 0.0])]);
    // A common edge.
    let found = crossing(&floor, &[[4.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!((found.shape(), found.length()), (CrossingShape::Segment, 4.0));
    // The same triangle: the polygon is the triangle.
    let found = crossing(&floor, &floor);
    assert_eq!((found.shape(), found.area(), found.corners().len()), (CrossingShape::Polygon, 8.0, 3));
    // A hexagon.
    let star = [[-1.0, 2.0, 0.0], [2.0, -1.0, 0.0], [3.0, 3.0, 0.0]];
    assert_eq!(crossing(&floor, &star).corners().len(), 6);
    // A point in a face has no normal.
    let found = crossing(&floor, &[[1.0, 1.0, 0.0]; 3]);
    assert_eq!((found.shape(), found.normals()[1]), (CrossingShape::Point, None));
    assert!(crossing(&floor, &[[1.0, 1.0, 0.5]; 3]).is_empty());
    assert_eq!(crossing(&floor, &[[1.0, 1.0, 0.5]; 3]).point(), None);
}

#[test]
fn coordinates_that_are_not_numbers_do_not_panic() {
    let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    for bad in [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE] {
        for place in 0..9 {
            let mut other = [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, 9.0, 0.0]];
            other[place / 3][place % 3] = bad;
            let _ = crossing(&floor, &other);
            let _ = crossing(&other, &floor);
            let _ = crossing(&other, &other);
        }
    }
}
