//! Inside and winding numbers.

use super::{Point, cases, placed, positions, surface};
use kinetree::scenes::{self, Random, shapes};

fn solid_shapes() -> Vec<scenes::Mesh> {
    vec![shapes::icosphere(320, 1.0), shapes::cuboid(48, [1.0, 0.5, 0.75]), shapes::torus(600, 1.0, 0.4)]
}

/// The sum of signed crossings of a slanted ray, in f64; `None` if the ray passes near an edge.
fn crossings(triangles: &[[u32; 3]], points: &[Point], from: &Point) -> Option<i32> {
    let along = [0.312, -0.533, 0.787];
    let cross =
        |a: Point, b: Point| [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
    let dot = |a: Point, b: Point| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let mut sum = 0;
    for corners in triangles {
        let [p, q, r] = corners.map(|vertex| [0, 1, 2].map(|k| points[vertex as usize][k] - from[k]));
        // Moeller and Trumbore.
        let (e, f) = ([0, 1, 2].map(|k| q[k] - p[k]), [0, 1, 2].map(|k| r[k] - p[k]));
        let h = cross(along, f);
        let determinant = dot(e, h);
        let s = p.map(|x| -x);
        let u = dot(s, h) / determinant;
        let v = dot(along, cross(s, e)) / determinant;
        let t = dot(f, cross(s, e)) / determinant;
        if [u, v, 1.0 - u - v].iter().any(|x| x.abs() < 1e-9) || t.abs() < 1e-9 {
            return None;
        }
        if u > 0.0 && v > 0.0 && u + v < 1.0 && t > 0.0 {
            // Against the normal: the determinant is positive, the ray enters.
            sum += if determinant > 0.0 { -1 } else { 1 };
        }
    }
    Some(sum)
}

#[test]
fn inside_equals_counted_rays_and_winding_numbers() {
    let mut random = Random::new(8);
    let mut tested = 0;
    for shape in solid_shapes() {
        for (scale, offset) in [(1.0, [0.0; 3]), (1e-6, [1.0, 2.0, 3.0]), (1e6, [1e6, -5e6, 0.0]), (1e-6, [0.0; 3])] {
            let points = positions(&shape, scale, offset);
            let surface = surface(&shape.triangles, &points);
            assert!(surface.is_closed());
            for _ in 0..cases(2000) {
                let query = random.in_cube(1.4 * scale);
                let query = [0, 1, 2].map(|k| query[k] + offset[k]);
                // The oracle works near the origin.
                let moved: Vec<Point> = points.iter().map(|p| [0, 1, 2].map(|k| (p[k] - offset[k]) / scale)).collect();
                let local = [0, 1, 2].map(|k| (query[k] - offset[k]) / scale);
                let Some(count) = crossings(&shape.triangles, &moved, &local) else {
                    continue;
                };
                if surface.closest_point(query).unwrap().distance < 1e-8 * scale {
                    continue;
                }
                tested += 1;
                assert_eq!(surface.is_inside(query).unwrap(), count != 0, "{} at {query:?}", shape.name);
                let winding = surface.winding_number(query).unwrap();
                assert!((winding - f64::from(count)).abs() < 1e-6, "{} at {query:?}: {winding}", shape.name);
                for tolerance in [1e-2, 0.2] {
                    let rough = surface.winding_number_within(query, tolerance).unwrap();
                    assert!((rough - winding).abs() <= tolerance, "{rough} {winding}");
                }
            }
        }
    }
    assert!(tested > cases(20_000));
}

#[test]
fn points_above_edges_and_corners_are_decided() {
    // The ray of the implementation runs along the third axis: these points are below edges, corners and sides.
    let cube = placed(&shapes::cuboid(48, [1.0; 3]), 1.0, [0.0; 3]);
    for x in -4_i32..=4 {
        for y in -4_i32..=4 {
            for z in -4_i32..=4 {
                let point = [x, y, z].map(|k| f64::from(k) / 2.0);
                let largest = x.abs().max(y.abs()).max(z.abs());
                if largest != 2 {
                    assert_eq!(cube.is_inside(point).unwrap(), largest < 2, "{point:?}");
                }
                let distance = cube.signed_distance(point).unwrap();
                let outside = [x, y, z].map(|k| (f64::from(k).abs() / 2.0 - 1.0).max(0.0));
                let truth = outside.iter().map(|gap| gap * gap).sum::<f64>().sqrt();
                let truth = if largest <= 2 { f64::from(largest) / 2.0 - 1.0 } else { truth };
                assert!((distance - truth).abs() < 1e-15, "{point:?} {distance} {truth}");
            }
        }
    }
}

#[test]
fn open_surfaces_have_no_inside_but_a_winding_number() {
    let shape = shapes::icosphere(320, 1.0);
    let points = positions(&shape, 1.0, [0.0; 3]);
    let open = surface(&shape.triangles[1..], &points);
    assert!(!open.is_closed() && !open.has_closed_part() && !open.is_part_closed(0));
    assert!(!open.is_inside([0.0; 3]).unwrap());
    let winding = open.winding_number([0.0; 3]).unwrap();
    assert!(winding > 0.99 && winding < 1.0 - 1e-4, "{winding}");
    // A flipped triangle opens a surface as well.
    let mut flipped = shape.triangles.clone();
    flipped[0].swap(0, 1);
    assert!(!surface(&flipped, &points).is_closed());
    // Turned inside out, it is closed, and encloses the same points.
    let reversed: Vec<[u32; 3]> = shape.triangles.iter().map(|&[p, q, r]| [p, r, q]).collect();
    let reversed = surface(&reversed, &points);
    assert!(reversed.is_closed() && reversed.is_inside([0.0; 3]).unwrap());
    assert!((reversed.winding_number([0.0; 3]).unwrap() + 1.0).abs() < 1e-9);
}

#[test]
fn closed_parts_of_an_open_surface_enclose() {
    // A sphere, and beside it a lone triangle.
    let shape = shapes::icosphere(320, 1.0);
    let mut points = positions(&shape, 1.0, [0.0; 3]);
    let mut triangles = shape.triangles.clone();
    let first = points.len() as u32;
    points.extend([[0.0, 0.0, 5.0], [1.0, 0.0, 5.0], [0.0, 1.0, 5.0]]);
    triangles.push([first, first + 1, first + 2]);
    let both = surface(&triangles, &points);
    assert!(!both.is_closed() && both.has_closed_part());
    assert!(both.is_part_closed(0) && !both.is_part_closed(triangles.len() as u32 - 1));
    assert!(both.is_inside([0.1; 3]).unwrap() && !both.is_inside([0.1, 0.1, 4.0]).unwrap());
}

#[test]
fn seams_are_welded() {
    // Every triangle with vertices of its own, some coordinates -0.0.
    let shape = shapes::cuboid(48, [1.0; 3]);
    let points: Vec<Point> =
        shape.triangles.iter().flatten().map(|&vertex| shape.positions[vertex as usize].map(f64::from)).collect();
    let signed: Vec<Point> =
        points.iter().enumerate().map(|(k, p)| p.map(|x| if x == 0.0 && k % 2 == 0 { -0.0 } else { x })).collect();
    let triangles: Vec<[u32; 3]> = (0..shape.triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let mut cube = surface(&triangles, &signed);
    assert!(cube.is_closed() && cube.is_inside([0.3, 0.2, 0.1]).unwrap());
    // After a refit too.
    let moved: Vec<Point> = points.iter().map(|p| [p[0] + 5.0, p[1], p[2]]).collect();
    cube.refit(&moved).unwrap();
    assert!(!cube.is_inside([0.3, 0.2, 0.1]).unwrap() && cube.is_inside([5.3, 0.2, 0.1]).unwrap());
    assert!((cube.signed_distance([5.5, 0.2, 0.1]).unwrap() + 0.5).abs() < 1e-15);
    assert!((cube.winding_number_within([5.5, 0.2, 0.1], 1e-3).unwrap() - 1.0).abs() <= 1e-3);
}
