//! `ray_hits_triangle` against the oracle.

use kinetree::narrow::ray_hits_triangle;
use num_rational::BigRational;

use crate::Point;
use crate::oracle::{exact, ray_meets};
use crate::samples::{Random, dimension, grid_pair, minus, scaled};

#[test]
fn grid_rays_agree_with_the_oracle() {
    let mut random = Random::new(5);
    let (mut hits, mut edge_on, mut at_once) = (0, 0, 0);
    for case in 0..6_000 {
        let [triangle, mut ray] = grid_pair(&mut random);
        ray[1] = minus(ray[1], [1, 2, 1]);
        if case % 4 == 0 {
            let [u, v] = [minus(triangle[1], triangle[0]), minus(triangle[2], triangle[0])];
            let within = [(); 4].map(|()| random.below(4) - 1);
            ray[0] = std::array::from_fn(|k| triangle[0][k] + within[0] * u[k] + within[1] * v[k]);
            ray[1] = std::array::from_fn(|k| within[2] * u[k] + within[3] * v[k]);
        }
        let has_area = dimension(&triangle) == 2 && ray[1] != [0; 3];
        let tip = std::array::from_fn(|k| ray[0][k] + ray[1][k]);
        let flat = dimension(&[&triangle[..], &[ray[0], tip]].concat()) == 2;
        let triangle = scaled(triangle, 1.0, [0; 3]);
        let [origin, direction, _] = scaled(ray, 1.0, [0; 3]);
        let found = ray_hits_triangle(origin, direction, f64::INFINITY, &triangle);
        let line = exact(&[origin, direction]);
        let expected = has_area && ray_meets(&line, None, &exact(&triangle));
        assert_eq!(found.is_some(), expected, "{origin:?} {direction:?} {triangle:?}");
        let Some(t) = found else { continue };
        // The first common point lies at t, to twelve digits.
        let around = |factor: f64| BigRational::from_float(t * factor).expect("finite");
        assert!(ray_meets(&line, Some(&around(1.0 + 1e-12)), &exact(&triangle)));
        assert!(t == 0.0 || !ray_meets(&line, Some(&around(1.0 - 1e-12)), &exact(&triangle)));
        assert_eq!(ray_hits_triangle(origin, direction, t, &triangle), Some(t));
        assert!(t == 0.0 || ray_hits_triangle(origin, direction, t * 0.999, &triangle).is_none());
        hits += 1;
        edge_on += usize::from(flat);
        at_once += usize::from(t == 0.0);
    }
    assert!(hits >= 500 && edge_on >= 200 && at_once >= 100, "{hits} {edge_on} {at_once}");
}

/// f32 data near each other in magnitude: the decision is that of exact arithmetic, also for rays aimed at edges and
/// vertices.
#[test]
fn single_precision_rays_agree_with_the_oracle() {
    let mut random = Random::new(6);
    let mut hits = 0;
    for case in 0..3_000 {
        // Shifted away from zero, so that all magnitudes lie in [1, 3].
        let single = |x: f64| f64::from((x + 2.0) as f32);
        let triangle = random.triangle().map(|p| p.map(single));
        let origin = random.triangle()[0].map(single);
        let weight = if case % 2 == 0 { 0.0 } else { random.symmetric().abs() };
        let [p, q, r] = triangle;
        let direction =
            std::array::from_fn(|k| f64::from((0.5 * p[k] + 0.5 * (q[k] + weight * (r[k] - q[k])) - origin[k]) as f32));
        let expected = ray_meets(&exact(&[origin, direction]), None, &exact(&triangle));
        let found = ray_hits_triangle(origin, direction, f64::INFINITY, &triangle);
        assert_eq!(found.is_some(), expected, "{origin:?} {direction:?} {triangle:?}");
        hits += usize::from(expected);
    }
    assert!((1_500..3_000).contains(&hits), "{hits}");
}

/// Rays aimed at points of the inner edges and at the hub of a closed fan, in magnitudes where moving the vertices to
/// the ray does round.
#[test]
fn no_ray_slips_between_neighbours() {
    let mut random = Random::new(7);
    let mut several = 0;
    for case in 0..20_000 {
        let [hub, origin, offset] = random.triangle();
        let hub = std::array::from_fn(|k| hub[k] + 100.0 * offset[k]);
        let spokes = 3 + case % 5;
        let rim: Vec<Point> = (0..spokes)
            .map(|spoke| {
                let angle = (spoke as f64 + 0.2 * random.symmetric()) * std::f64::consts::TAU / spokes as f64;
                [hub[0] + libm::cos(angle), hub[1] + libm::sin(angle), hub[2] + 0.01 * random.symmetric()]
            })
            .collect();
        let origin: Point = [origin[0] * 1e3, origin[1] * 1e3, hub[2] + 1e3 * (1.0 + origin[2].abs())];
        let spoke = rim[random.below(spokes) as usize];
        let weight = if case % 2 == 0 { 0.0 } else { 0.4 * (1.0 + random.symmetric()) };
        let direction = std::array::from_fn(|k| hub[k] + weight * (spoke[k] - hub[k]) - origin[k]);
        let fan = (0..rim.len()).map(|i| [hub, rim[i], rim[(i + 1) % rim.len()]]);
        let found = fan.filter_map(|t| ray_hits_triangle(origin, direction, f64::INFINITY, &t)).count();
        assert!(found >= 1, "{origin:?} {direction:?} {hub:?} {rim:?}");
        several += usize::from(found > 1);
    }
    assert!(several > 0);
}

/// Rays almost within the plane, where numerator and denominator of the parameter are little more than rounding.
#[test]
fn grazing_rays_stop_at_the_triangle() {
    let mut random = Random::new(9);
    let mut hits = 0;
    for _ in 0..20_000 {
        let triangle = random.triangle();
        let mut in_plane = |reach: f64| -> Point {
            let (s, t) = (reach + random.symmetric().abs() / 2.0, reach + random.symmetric().abs() / 2.0);
            let [p, q, r] = triangle;
            std::array::from_fn(|k| p[k] + s * (q[k] - p[k]) + t * (r[k] - p[k]))
        };
        let (target, origin) = (in_plane(0.0), in_plane(3.0));
        let direction: Point = std::array::from_fn(|k| target[k] - origin[k]);
        let Some(t) = ray_hits_triangle(origin, direction, f64::INFINITY, &triangle) else { continue };
        hits += 1;
        let along = |p: Point| (0..3).map(|k| (p[k] - origin[k]) * direction[k]).sum::<f64>();
        let length: f64 = direction.iter().map(|x| x * x).sum();
        let low = triangle.map(along).into_iter().fold(f64::INFINITY, f64::min) / length;
        let high = triangle.map(along).into_iter().fold(0.0, f64::max) / length;
        assert!(t >= low - 1e-12 && t <= high + 1e-12, "{t} outside {low}..{high}");
    }
    assert!(hits >= 1_000, "{hits}");
}

/// Moving a triangle without area to the ray may give it one by rounding; it must not be hit even so.
#[test]
fn triangles_without_area_are_never_hit() {
    let mut random = Random::new(8);
    for _ in 0..5_000 {
        let [start, step, origin] = random.triangle().map(|p| p.map(|x| (x * 1024.0).round() / 1024.0));
        let at = |s: f64| std::array::from_fn(|k| start[k] + s * step[k]);
        let origin: Point = origin.map(|x| x / 3.0);
        let target: Point = at(1.5);
        let direction = std::array::from_fn(|k| target[k] - origin[k]);
        assert_eq!(ray_hits_triangle(origin, direction, f64::INFINITY, &[at(0.0), at(2.0), at(1.0)]), None);
    }
}

#[test]
fn rays_without_direction_length_or_target_miss() {
    let triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let down = [0.0, 0.0, -1.0];
    let above = [1.0, 1.0, 2.0];
    assert_eq!(ray_hits_triangle(above, down, 2.0, &triangle), Some(2.0));
    assert_eq!(ray_hits_triangle(above, down, -1.0, &triangle), None);
    assert_eq!(ray_hits_triangle(above, down, f64::NAN, &triangle), None);
    assert_eq!(ray_hits_triangle([1.0, 1.0, 0.0], [0.0; 3], 2.0, &triangle), None);
    assert_eq!(ray_hits_triangle([1.0, 1.0, 0.0], down, 0.0, &triangle), Some(0.0));
    assert_eq!(ray_hits_triangle(above, down, 9.0, &[triangle[0], triangle[1], triangle[0]]), None);
}

/// Two corners are opposite each other as seen from the origin, which lies on their side. The
/// rounded quotient of a ray from there is 4.9e-16.
#[test]
fn a_ray_from_a_slanted_side_hits_at_once() {
    let triangle = [[8.4, 4.9, 2.7], [-8.4, -4.9, -2.7], [-7.5, 2.5, -9.2]];
    for most in [0.0, 1.0] {
        assert_eq!(ray_hits_triangle([0.0; 3], [0.0, 0.0, 1.0], most, &triangle), Some(0.0));
    }
}
