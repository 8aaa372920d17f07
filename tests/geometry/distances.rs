//! Closest points and distances of surfaces.

use super::oracle::{Exact, P, lift, square_between, square_to_triangle};
use super::{Point, Triangle, cases, distance, surface};
use kinetree::geometry::{GeometryError, Separation, Site, manifolds, separation, touching_pairs};
use kinetree::narrow::triangles_touch;
use kinetree::scenes::Random;
use num_rational::{BigRational, Ratio};

type Small = Ratio<i128>;

/// Random triangles on an integer grid, some without area.
fn soup(random: &mut Random, count: usize, size: u64, corner: Point) -> (Vec<[u32; 3]>, Vec<Point>) {
    let mut points = Vec::new();
    for _ in 0..count {
        let middle: Point = std::array::from_fn(|k| random.below(size) as f64 + corner[k]);
        for k in 0..3 {
            let near = std::array::from_fn(|k| middle[k] + random.below(5) as f64);
            points.push(if k == 2 && random.below(8) == 0 { points[points.len() - 1] } else { near });
        }
    }
    ((0..count as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect(), points)
}

fn corners(triangles: &[[u32; 3]], points: &[Point]) -> Vec<Triangle> {
    triangles.iter().map(|corners| corners.map(|vertex| points[vertex as usize])).collect()
}

#[test]
fn closest_points_equal_exact_distances() {
    let mut random = Random::new(5);
    for _ in 0..cases(100) {
        let (triangles, points) = soup(&mut random, 40, 30, [0.0; 3]);
        let surface = surface(&triangles, &points);
        let exact: Vec<[P<Small>; 3]> =
            corners(&triangles, &points).iter().map(|corners| corners.each_ref().map(lift)).collect();
        for _ in 0..20 {
            let query: Point = std::array::from_fn(|_| random.below(50) as f64 - 5.0);
            let square = exact.iter().map(|corners| square_to_triangle(&lift(&query), corners)).min().unwrap();
            let truth = (*square.numer() as f64 / *square.denom() as f64).sqrt();
            let found = surface.closest_point(query).unwrap();
            assert!((found.distance - truth).abs() < 1e-12, "{found:?} {truth}");
            assert!((distance(&query, &found.point) - found.distance).abs() < 1e-12);
            assert_eq!(surface.signed_distance(query).unwrap(), found.distance);
            // The point lies on the triangle, on the part that is named.
            let triangle = surface.corners(found.triangle).unwrap();
            match found.site {
                Site::Vertex(corner) => assert_eq!(triangle[corner as usize], found.point),
                Site::Edge(edge) => {
                    let (p, q) = (&triangle[edge as usize], &triangle[(edge as usize + 1) % 3]);
                    let detour = distance(p, &found.point) + distance(&found.point, q) - distance(p, q);
                    assert!(detour.abs() < 1e-12);
                }
                Site::Face => {}
            }
        }
    }
}

#[test]
fn distances_from_thin_triangles_are_as_exact_as_stated() {
    let mut random = Random::new(7);
    let big = |point: &Point| -> P<BigRational> { lift(point) };
    let check = |triangle: &Triangle, point: Point| {
        let corners = triangle.each_ref().map(big);
        let largest = triangle.as_flattened().iter().chain(&point).fold(0.0, |most: f64, x| most.max(x.abs()));
        let found = BigRational::of(surface_of(triangle).closest_point(point).unwrap().distance);
        let square = square_to_triangle(&big(&point), &corners);
        let bound = BigRational::of(largest * 0.5_f64.powi(46));
        let low = found.clone() - bound.clone();
        let is_low = low <= BigRational::of(0.0) || low.clone() * low <= square;
        assert!(
            is_low && (found.clone() + bound.clone()) * (found.clone() + bound) >= square,
            "{triangle:?} {point:?}"
        );
    };
    let needle = [
        [-0.353_598_433_261_822_7, 0.275_333_633_601_349, 0.157_431_058_570_864_48],
        [0.353_598_433_261_822_7, -0.275_333_633_601_349, -0.157_431_058_570_864_48],
        [0.353_684_425_950_632_43, -0.275_245_515_651_249_66, -0.157_392_025_328_363_16],
    ];
    check(&needle, [0.176_842_212_975_316_22, -0.137_627_757_825_624_83, -0.078_696_012_664_181_58]);
    let mut real = |low: f64, high: f64| low + (high - low) * random.below(1 << 40) as f64 / (1_u64 << 40) as f64;
    for case in 0..cases(2_000) {
        // A needle, or a cap with two small angles.
        let angle = 10_f64.powf(real(-3.9, -0.7));
        let [along, side]: [Point; 2] = std::array::from_fn(|_| std::array::from_fn(|_| real(-1.0, 1.0)));
        let far = if case % 2 == 0 { real(0.999, 1.001) } else { real(0.4, 0.6) };
        let first: Point = std::array::from_fn(|_| real(-0.1, 0.1));
        let unit = |vector: Point| vector.map(|x| x / distance(&vector, &[0.0; 3]));
        let (along, side) = (unit(along), unit(side));
        let across = [0, 1, 2].map(|k| side[k] - (0..3).map(|j| side[j] * along[j]).sum::<f64>() * along[k]);
        if distance(&across, &[0.0; 3]) < 0.3 {
            continue;
        }
        let across = unit(across);
        let over = [1, 2, 0].map(|k| along[k] * across[(k + 1) % 3] - along[(k + 1) % 3] * across[k]);
        let at = |x: f64, y: f64, z: f64| [0, 1, 2].map(|k| first[k] + x * along[k] + y * across[k] + z * over[k]);
        let mut triangle = [at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(far, angle, 0.0)];
        triangle.rotate_left(case % 3);
        let [x, y] = [real(0.0, 1.0), real(0.0, 1.0)];
        let height = [0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-6, 0.1][case % 7];
        check(&triangle, at(x, y * angle, height));
    }
}

#[test]
fn separations_of_soups_equal_brute_force() {
    let mut random = Random::new(6);
    let mut apart = 0;
    for case in 0..cases(300) {
        let (first, points_a) = soup(&mut random, 12, 12, [0.0; 3]);
        let shift = random.below(20) as f64;
        let (second, points_b) = soup(&mut random, 12, 12, [shift, if case % 2 == 0 { 0.0 } else { 7.0 }, 0.0]);
        let (of_a, of_b) = (corners(&first, &points_a), corners(&second, &points_b));
        let mut pairs = Vec::new();
        for (s, a) in of_a.iter().enumerate() {
            pairs.extend((0..of_b.len()).filter(|&t| triangles_touch(a, &of_b[t])).map(|t| [s as u32, t as u32]));
        }
        let (a, b) = (surface(&first, &points_a), surface(&second, &points_b));
        assert_eq!(touching_pairs(&a, &b), pairs);
        match separation(&a, &b) {
            Separation::Penetrating(measure) => assert_eq!(measure.pairs, pairs.len()),
            Separation::Apart(gap) => {
                apart += 1;
                assert!(pairs.is_empty());
                let exact = |corners: &Triangle| -> [P<Small>; 3] { corners.each_ref().map(lift) };
                let squares = of_a.iter().flat_map(|a| of_b.iter().map(move |b| square_between(&exact(a), &exact(b))));
                let square = squares.min().unwrap();
                let truth = (*square.numer() as f64 / *square.denom() as f64).sqrt();
                assert!((gap.distance - truth).abs() < 1e-12, "{gap:?} {truth}");
                assert!((distance(&gap.points[0], &gap.points[1]) - truth).abs() < 1e-12);
                let on_a = surface_of(&of_a[gap.triangles[0] as usize]).closest_point(gap.points[0]).unwrap();
                let on_b = surface_of(&of_b[gap.triangles[1] as usize]).closest_point(gap.points[1]).unwrap();
                assert!(on_a.distance < 1e-12 && on_b.distance < 1e-12);
            }
        }
    }
    assert!(apart > cases(300) / 10, "{apart}");
}

fn surface_of(triangle: &Triangle) -> kinetree::geometry::Surface {
    surface(&[[0, 1, 2]], triangle)
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    use kinetree::Mesh;
    use kinetree::geometry::Surface;
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let good = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut surface = Surface::new(&mesh, &good).unwrap();
    assert_eq!(surface.refit(&good[..2]), Err(GeometryError::PositionCount { expected: 3, found: 2 }));
    for (bad, vertex, axis) in [(f64::NAN, 1, 2), (f64::NEG_INFINITY, 0, 0), (1e31, 2, 1)] {
        let mut positions = good;
        positions[vertex][axis] = bad;
        let refused = Surface::new(&mesh, &positions).unwrap_err();
        assert!(refused.to_string().contains(&format!("coordinate {axis} of vertex {vertex} is")), "{refused}");
        assert!(surface.refit(&positions).is_err());
        let mut query = [0.0; 3];
        query[axis] = bad;
        assert!(matches!(surface.closest_point(query), Err(GeometryError::Point { axis: found, .. }) if found == axis));
        assert!(surface.signed_distance(query).is_err() && surface.is_inside(query).is_err());
        assert!(surface.winding_number(query).is_err() && surface.winding_number_within(query, 0.1).is_err());
    }
    assert!(matches!(surface.winding_number_within([0.0; 3], f64::NAN), Err(GeometryError::Tolerance { .. })));
    assert_eq!(surface.corners(0), Some(good));
    assert_eq!(surface.corners(1), None);
    let pairs = [[0, 0], [0, 1]];
    let refused = kinetree::geometry::measure(&surface, &surface, &pairs).unwrap_err();
    assert_eq!(refused, GeometryError::NoSuchTriangle { pair: 1, surface: 1, triangle: 1 });
    assert!(kinetree::geometry::measure_self(&surface, &pairs).is_err());
    let none: Result<_, GeometryError> = kinetree::geometry::deepest_time(&[], 3, |_| Ok(None));
    assert_eq!(none, Err(GeometryError::NoTimes));
    let back: Result<_, GeometryError> = kinetree::geometry::deepest_time(&[1.0, 1.0], 3, |_| Ok(None));
    assert_eq!(back, Err(GeometryError::Time { index: 1, value: 1.0 }));
}

/// The stated error of distances: relative to the largest coordinate, where angles of triangles exceed 10⁻⁴.
const ERROR: f64 = 1.0 / (1_u64 << 46) as f64;

/// Checks the distance of two triangles that are apart, and that of the near point of their manifold.
fn check_gap(a: &Triangle, b: &Triangle, truth: f64) {
    let size = a.iter().chain(b).flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
    let (of_a, of_b) = (surface_of(a), surface_of(b));
    let Separation::Apart(gap) = separation(&of_a, &of_b) else { panic!("{a:?} {b:?}") };
    let [near] = &manifolds(&of_a, &of_b, &[[0, 0]]).unwrap()[0].points[..] else { panic!("{a:?} {b:?}") };
    for found in [gap.distance, near.distance] {
        assert!((found - truth).abs() <= ERROR * size, "{found:e} {truth:e} {a:?} {b:?}");
    }
}

#[test]
fn distances_of_nearly_parallel_edges_have_the_stated_error() {
    // Two upright triangles, one above the other; their edges cross at a small angle.
    for angle in [0.1, 1e-3, 1e-5, 1e-6, 2e-7, 9e-8, 5e-8, 1e-8, 1e-12, 1e-15, 0.0] {
        for gap in [1e-12, 1e-6, 0.25] {
            let a = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -2.0]];
            let b = [[-1.0, -angle, gap], [1.0, angle, gap], [0.0, 0.0, 2.0]];
            for (turn_a, turn_b) in [(0, 0), (1, 2), (2, 1)] {
                let turned = |mut triangle: Triangle, by: usize| {
                    triangle.rotate_right(by);
                    triangle
                };
                check_gap(&turned(a, turn_a), &turned(b, turn_b), gap);
            }
        }
    }
}

#[test]
fn distances_of_nearly_parallel_edges_equal_exact_ones() {
    let mut random = Random::new(19);
    for _ in 0..cases(500) {
        // Two edges around a common direction, and third corners away from the other triangle.
        let direction = random.in_cube(1.0);
        let (angle, gap) = (10.0_f64.powf(random.between(-9.0, -1.0)), 10.0_f64.powf(random.between(-14.0, -2.0)));
        let mut triangle = |height: f64, away: f64| -> Triangle {
            let (middle, bend) = (random.in_cube(0.25), random.in_cube(angle));
            let ends = [-1.0, 1.0].map(|side| -> Point {
                std::array::from_fn(|k| {
                    side * (direction[k] + bend[k]) + middle[0] * direction[k] + if k == 2 { height } else { 0.0 }
                })
            });
            [ends[0], ends[1], [middle[1], middle[2], height + away]]
        };
        let (a, b) = (triangle(0.0, -2.0), triangle(gap, 2.0));
        let exact = |corners: &Triangle| -> [P<BigRational>; 3] { corners.each_ref().map(lift) };
        if !triangles_touch(&a, &b) {
            check_gap(&a, &b, square_between(&exact(&a), &exact(&b)).rounded().sqrt());
        }
    }
}

#[test]
fn distances_over_a_sharp_corner_have_the_stated_error() {
    // A face whose angles exceed 1.3e-4, and a tip above it.
    let face = [
        [0.625, -0.875, -0.875],
        [1.625, -0.375, -0.125],
        [1.874_877_929_687_5, -0.250_122_070_312_5, 0.062_133_789_062_5],
    ];
    let tip = [1.499_938_964_843_719_1, -0.437_561_035_156_157_2, -0.218_933_105_468_770_62];
    let spike = [
        tip,
        [1.499_938_964_843_719_1, 1.312_438_964_843_842_8, -0.718_933_105_468_770_7],
        [0.999_938_964_843_719_1, 1.812_438_964_843_842_8, -0.718_933_105_468_770_7],
    ];
    let exact = |corners: &Triangle| -> [P<BigRational>; 3] { corners.each_ref().map(lift) };
    // The scale is a power of two, so that figures are the same.
    for scale in [1.0, 1024.0, 1.0 / 1024.0] {
        let scaled = |corners: &Triangle| -> Triangle { corners.map(|p| p.map(|x| x * scale)) };
        let (face, spike) = (scaled(&face), scaled(&spike));
        let truth = square_between(&exact(&face), &exact(&spike)).rounded().sqrt();
        assert!((truth / scale - 1e-13).abs() < 1e-15, "{truth:e}");
        check_gap(&face, &spike, truth);
        check_gap(&spike, &face, truth);
    }
}

/// Near the short edge of a needle, where weights are rounded to outside of it.
#[test]
fn distances_at_the_far_end_of_a_needle_have_the_stated_error() {
    let needle = [[0.125, 0.25, 0.0], [0.125, -0.5, 1.0], [0.125, -0.500_244_140_625, 0.999_877_929_687_5]];
    let spike = [
        [0.125_000_000_000_019_32, -0.500_057_361_114_261_4, 0.999_971_319_442_504_6],
        [1.125_000_000_000_019_3, -0.900_057_361_114_261_4, 0.699_971_319_442_504_6],
        [1.125_000_000_000_019_3, -0.100_057_361_114_261_33, 1.299_971_319_442_504_7],
    ];
    let exact = |corners: &Triangle| -> [P<BigRational>; 3] { corners.each_ref().map(lift) };
    let truth = square_between(&exact(&needle), &exact(&spike)).rounded().sqrt();
    assert!((truth - 1.93e-14).abs() < 1e-16, "{truth:e}");
    check_gap(&needle, &spike, truth);
    check_gap(&spike, &needle, truth);
}
