//! Convex shapes against all triangles one by one: distances of every triangle of the hull's points, axes that separate.

use kinetree::{BodyDef, ContactMode, Engine, Flightplan, Query, Sphere, Spheres, World, WorldDef};

use crate::dice::Dice;
use crate::oracle::{Point, Triangle, along, cross, dot, length, minus, to_triangle};
use crate::queries::{each_case, point};

fn of_segments([p, q]: [Point; 2], [r, s]: [Point; 2]) -> f64 {
    // The nearest points of two segments: of an end, or of the lines.
    let ends = [(p, [r, s, s]), (q, [r, s, s]), (r, [p, q, q]), (s, [p, q, q])];
    let mut least = ends.into_iter().map(|(end, edge)| to_triangle(end, edge)).fold(f64::INFINITY, f64::min);
    let (u, v, w) = (minus(q, p), minus(s, r), minus(p, r));
    let (a, b, c, d, e) = (dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w));
    let below = a * c - b * b;
    if below > 1e-14 * a * c {
        let (x, y) = ((b * e - c * d) / below, (a * e - b * d) / below);
        if (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y) {
            least = least.min(length(minus(along(p, u, x), along(r, v, y))));
        }
    }
    least
}

fn edges(corners: Triangle) -> [[Point; 2]; 3] {
    [0, 1, 2].map(|k| [corners[k], corners[(k + 1) % 3]])
}

/// The distance of two triangles that do not cross.
fn of_triangles(a: Triangle, b: Triangle) -> f64 {
    let corners = a.into_iter().map(|p| to_triangle(p, b)).chain(b.into_iter().map(|p| to_triangle(p, a)));
    let sides = edges(a).into_iter().flat_map(|e| edges(b).into_iter().map(move |f| of_segments(e, f)));
    corners.chain(sides).fold(f64::INFINITY, f64::min)
}

/// Whether an axis separates the hull of points and a triangle: that of a plane of either, or across two edges.
fn are_separated(points: &[Point], corners: Triangle) -> bool {
    let pairs = |points: &[Point]| -> Vec<Point> {
        let all = (0..points.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        all.map(|(i, j)| minus(points[i], points[j])).collect()
    };
    let (own, others) = (pairs(points), pairs(&corners));
    let mut axes: Vec<Point> = own.iter().flat_map(|&u| own.iter().chain(&others).map(move |&v| cross(u, v))).collect();
    axes.extend(others.iter().flat_map(|&u| others.iter().map(move |&v| cross(u, v))));
    // Of a hull without volume: axes in its plane, across its line, from its point.
    if points.len() < 4 {
        axes.extend(own.iter().chain(&others).copied());
        let normals: Vec<Point> = axes.iter().take(40).copied().collect();
        axes.extend(own.iter().chain(&others).flat_map(|&u| normals.iter().map(move |&n| cross(u, n))));
        for gap in points.iter().flat_map(|&p| corners.map(|q| minus(q, p))) {
            axes.push(gap);
            axes.extend(own.iter().chain(&others).take(40).map(|&u| cross(u, cross(u, gap))));
        }
    }
    axes.iter().filter(|axis| length(**axis) > 1e-9).any(|&axis| {
        let ends = |points: &[Point]| {
            let along = points.iter().map(|&p| dot(p, axis) / length(axis));
            along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
        };
        let ([a, b], [c, d]) = (ends(points), ends(&corners));
        a > d + 1e-12 || c > b + 1e-12
    })
}

/// The distance of a hull from a triangle; 0 if they overlap.
fn to_hull(points: &[Point], corners: Triangle) -> f64 {
    if !are_separated(points, corners) {
        return 0.0;
    }
    parts(points).into_iter().map(|part| of_triangles(part, corners)).fold(f64::INFINITY, f64::min)
}

/// All triangles of a hull's points, its surface among them.
fn parts(points: &[Point]) -> Vec<Triangle> {
    let last = points.len() - 1;
    let all = (0..=last).flat_map(|i| (i..=last).flat_map(move |j| (j..=last).map(move |k| [i, j, k])));
    let triples = all.filter(|[i, j, k]| last < 2 || (i < j && j < k));
    triples.map(|triple| triple.map(|at| points[at])).collect()
}

/// When a hull that moves comes within a distance of a triangle: the distance is a convex function of time.
fn enters(points: &[Point], direction: Point, reach: f64, radius: f64, corners: Triangle) -> Option<f64> {
    let distance = |time: f64| {
        let moved: Vec<Point> = points.iter().map(|&p| along(p, direction, time)).collect();
        to_hull(&moved, corners)
    };
    if distance(0.0) <= radius {
        return Some(0.0);
    }
    let (mut low, mut high) = (0.0, reach);
    for _ in 0..60 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        let (at_a, at_b) = (distance(a), distance(b));
        if at_a <= radius || at_b <= radius {
            high = if at_a <= radius { a } else { b };
            break;
        }
        if at_a < at_b { high = b } else { low = a }
    }
    let (mut outside, mut inside) = (0.0, high);
    if distance(inside) > radius {
        return None;
    }
    for _ in 0..40 {
        let middle = 0.5 * (outside + inside);
        if distance(middle) > radius { outside = middle } else { inside = middle }
    }
    Some(inside)
}

/// A point, a segment, a triangle, a tetrahedron, or a turned box; and a radius, often 0.
fn shape(dice: &mut Dice) -> (Vec<Point>, f64) {
    let centre = point(dice, 3.0);
    let radius = if dice.percent(40) { 0.0 } else { dice.real(0.01, 0.5) };
    let count = dice.pick(&[1, 2, 3, 4, 8]);
    let axes: [Point; 3] = std::array::from_fn(|_| point(dice, 0.5));
    let corner = |bits: usize| -> Point {
        (0..3).fold(centre, |corner, axis| along(corner, axes[axis], if bits >> axis & 1 == 1 { 1.0 } else { -1.0 }))
    };
    (
        if count == 8 {
            (0..8).map(corner).collect()
        } else {
            (0..count).map(|_| along(centre, point(dice, 0.6), 1.0)).collect()
        },
        radius,
    )
}

#[test]
fn hulls_overlap_and_meet_the_first_of_all_triangles() {
    let (mut overlapping, mut count) = ([0; 2], [0; 3]);
    let mut number = 0;
    each_case(|query, soup, dice| {
        number += 1;
        let (points, radius) = shape(dice);
        let found = query.overlap_hull(&points, radius);
        assert!(found.is_sorted());
        for &(body, triangle, corners) in soup {
            let distance = to_hull(&points, corners);
            let is_found = found.contains(&(body, triangle));
            assert!(is_found || distance > radius - 1e-9, "missed at {distance}: {points:?} {radius} {corners:?}");
            assert!(!is_found || distance <= radius + 1e-9, "found at {distance}: {points:?} {radius} {corners:?}");
            overlapping[usize::from(is_found)] += 1;
        }
        if number % 3 != 0 {
            return;
        }
        let direction = minus(dice.pick(soup).2[0], points[0]);
        let reach = dice.real(0.1, 2.0);
        let found = query.cast_hull(&points, radius, direction, reach);
        let first =
            |radius: f64| soup.iter().filter_map(|it| enters(&points, direction, reach, radius, it.2)).reduce(f64::min);
        let Some(found) = found else {
            assert_eq!(first(radius), None, "missed: {points:?} {radius} {direction:?}");
            count[0] += 1;
            return;
        };
        let (early, late) = (first(radius + 1e-9).expect("a hit of nothing"), first(radius).unwrap_or(f64::INFINITY));
        assert!(early <= found.distance + 1e-8 && found.distance <= late + 1e-8, "{early} {found:?} {late}");
        let corners = soup.iter().find(|it| (it.0, it.1) == (found.body, found.triangle)).unwrap().2;
        assert!(found.barycentric.iter().all(|&weight| weight >= 0.0));
        let blend = (0..3).fold([0.0; 3], |sum, k| along(sum, corners[k], found.barycentric[k]));
        assert!(length(minus(blend, found.point)) < 1e-9);
        let moved: Vec<Point> = points.iter().map(|&p| along(p, direction, found.distance)).collect();
        if found.distance > 0.0 {
            let gaps = parts(&moved).into_iter().map(|part| to_triangle(found.point, part));
            let gap = gaps.fold(f64::INFINITY, f64::min);
            assert!((gap - radius).abs() < 1e-8, "{gap}, not {radius}: {found:?}");
            // The shape lies on the side of the normal, the triangle on the other.
            let normal = found.normal.unwrap();
            assert!((length(normal) - 1.0).abs() < 1e-12);
            let above = |p: Point| dot(minus(p, found.point), normal);
            assert!(moved.iter().all(|&p| above(p) >= radius - 1e-6), "{found:?}");
            assert!(corners.iter().all(|&p| above(p) <= 1e-6), "{found:?}");
        }
        count[1 + usize::from(found.distance > 0.0)] += 1;
    });
    assert!(overlapping.iter().all(|&n| n > 20) && count.iter().all(|&n| n > 4), "{overlapping:?} {count:?}");
}

fn one_ball() -> World {
    let mut world = World::new(WorldDef::new()).unwrap();
    let ball = Sphere { centre: [0.0, 0.0, 1.0], radius: 0.5 };
    world.add_body(BodyDef::new(Spheres::new(1).unwrap(), Flightplan::spheres(vec![0.0], vec![ball]))).unwrap();
    world
}

#[test]
fn boxes_and_capsules_meet_balls_and_bad_numbers_nothing() {
    let world = one_ball();
    let query: Query<'_> = world.query();
    let axes = [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.25]];
    let hit = query.cast_box([0.25, 0.0, -2.0], &axes, [0.0, 0.0, 2.0], 4.0).unwrap();
    assert!((hit.distance - 1.125).abs() < 1e-9 && length(minus(hit.point, [0.0, 0.0, 0.5])) < 1e-9, "{hit:?}");
    assert!(length(minus(hit.normal.unwrap(), [0.0, 0.0, -1.0])) < 1e-9);
    assert!(query.cast_box([0.25, 0.0, -2.0], &axes, [0.0, 0.0, 2.0], 1.0).is_none());
    assert!(query.cast_box([0.25, 0.0, -2.0], &axes, [0.0, 0.0, -2.0], f64::INFINITY).is_none());
    let capsule = [[-1.0, 1.0, 1.0], [1.0, 1.0, 1.0]];
    assert_eq!(query.overlap_hull(&capsule, 0.5).len(), 1);
    assert_eq!(query.overlap_hull(&capsule, 0.49), []);
    assert_eq!(query.cast_hull(&capsule, 0.5, [1.0, 0.0, 0.0], 1.0).unwrap().distance, 0.0);
    let inside = query.cast_hull(&[[0.0, 0.0, 1.0]], 0.0, [1.0, 0.0, 0.0], 1.0).unwrap();
    assert_eq!((inside.distance, inside.normal), (0.0, None));
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(
            query.overlap_hull(&capsule, bad).is_empty() && query.cast_hull(&capsule, bad, [1.0; 3], 1.0).is_none()
        );
    }
    assert!(query.overlap_hull(&[], 1.0).is_empty() && query.overlap_hull(&[[f64::NAN; 3]], 1.0).is_empty());
    assert!(query.cast_hull(&capsule, 0.5, [f64::NAN; 3], 1.0).is_none());
    assert!(query.cast_hull(&capsule, 0.5, [1.0; 3], f64::NAN).is_none());
    assert!(query.cast_hull(&[[9.0; 3]], 0.5, [0.0; 3], f64::INFINITY).is_none());
}

#[test]
fn shapes_that_graze_are_not_missed() {
    let floor = kinetree::Mesh::new(4, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let corners = vec![[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [9.0, 9.0, 0.0], [-9.0, 9.0, 0.0]];
    let mut world = World::new(WorldDef::new().engine(Engine::Auto).contacts(ContactMode::AtTimes)).unwrap();
    world.add_body(BodyDef::new(floor, Flightplan::fixed(corners))).unwrap();
    let half = 0.1;
    let axes = [[half, 0.0, 0.0], [0.0, half, 0.0], [0.0, 0.0, half]];
    // It slides in from outside of the edge, its side in the plane of the floor.
    let hit = world.query().cast_box([-11.0, 0.3, half], &axes, [1.0, 0.0, 0.0], 9.0).unwrap();
    assert!((hit.distance - 1.9).abs() < 1e-9, "{hit:?}");
    let hit = world.query().cast_hull(&[[-11.0, 0.3, 0.25]], 0.25, [1.0, 0.0, 0.0], 9.0).unwrap();
    assert!((hit.distance - 2.0).abs() < 1e-4, "{hit:?}");
    assert!(world.query().cast_box([-11.0, 0.3, half + 1e-6], &axes, [1.0, 0.0, 0.0], 9.0).is_none());
    // Turned about, an edge of the box comes first.
    let turned = [[0.07, 0.0, 0.07], [0.0, 0.1, 0.0], [-0.07, 0.0, 0.07]];
    let hit = world.query().cast_box([1.0, 2.0, 3.0], &turned, [0.0, 0.0, -1.0], 9.0).unwrap();
    assert!(
        (hit.distance - 2.86).abs() < 1e-9 && length(minus(hit.normal.unwrap(), [0.0, 0.0, 1.0])) < 1e-9,
        "{hit:?}"
    );
}
