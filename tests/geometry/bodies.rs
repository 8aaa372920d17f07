//! Closed bodies that move through each other, with known depth.

use super::{Point, cases, placed, positions, surface};
use kinetree::geometry::{Measure, Separation, Surface, separation};
use kinetree::scenes::{Random, shapes};

fn penetrating(a: &Surface, b: &Surface) -> Measure {
    match separation(a, b) {
        Separation::Penetrating(measure) => *measure,
        Separation::Apart(gap) => panic!("apart: {gap:?}"),
    }
}

const SCALES: [(f64, Point); 4] = [(1.0, [0.0; 3]), (1e-6, [0.0; 3]), (1e6, [0.0; 3]), (1.0, [1000.0, -2000.0, 300.0])];

#[test]
fn cubes_have_exact_depths() {
    let cube = shapes::cuboid(12, [1.0; 3]);
    for (scale, offset) in SCALES {
        let tolerance = 1e-12 * (scale + offset.iter().map(|x| x.abs()).fold(0.0, f64::max));
        let at = |shift: Point| placed(&cube, scale, [0, 1, 2].map(|k| offset[k] + scale * shift[k]));
        let rest = at([0.0; 3]);
        for step in 1..16 {
            // Corner first: the depth is that of the corner below the nearest side, until the three sides of
            // the corner pass the middle.
            let shift = 2.0 - f64::from(step) / 8.0;
            let found = penetrating(&at([shift, shift, shift]), &rest);
            for depth in found.depths {
                let depth = depth.unwrap();
                let truth = scale * (2.0 - shift).min(shift);
                assert!(depth.lo <= truth + tolerance && truth <= depth.hi + tolerance, "{depth:?} {truth}");
                assert!(depth.hi - depth.lo <= truth / 1000.0 + tolerance, "{depth:?} {truth}");
            }
            assert_eq!(found.is_closed, [true; 2]);
            // Three quarter faces inside of each; the curve is a hexagon along six edges.
            let side = scale * (2.0 - shift);
            for inside in found.inside {
                assert!(
                    (inside.unwrap() - 3.0 * side * side).abs() <= 1e-9 * scale * scale + 8.0 * tolerance * scale,
                    "{found:?}"
                );
            }
            assert!((found.length - 6.0 * side).abs() <= 1e-9 * scale + 8.0 * tolerance, "{} {side}", found.length);
            assert!((found.area - 3.0 * side * side).abs() <= 1e-9 * scale * scale + 8.0 * tolerance * scale);
            let middle = scale * shift / 2.0;
            assert!(
                (0..3).all(|k| (found.centre[k] - middle - offset[k]).abs() < 1e-9 * scale + tolerance),
                "{found:?}"
            );
            for k in 0..3 {
                assert!((found.bounds.min[k] - offset[k] - scale * (shift - 1.0)).abs() <= tolerance);
                assert!((found.bounds.max[k] - offset[k] - scale).abs() <= tolerance);
            }
        }
    }
}

#[test]
fn a_small_cube_inside_is_recognised_without_any_crossing() {
    let (large, small) = (shapes::cuboid(12, [1.0; 3]), shapes::cuboid(12, [0.25; 3]));
    for (scale, offset) in SCALES {
        let outer = placed(&large, scale, offset);
        let inner = placed(&small, scale, [offset[0] + 0.5 * scale, offset[1], offset[2]]);
        let tolerance = 1e-12 * (scale + 3000.0 * f64::from(offset[0] != 0.0));
        for (found, side) in [(penetrating(&inner, &outer), 0), (penetrating(&outer, &inner), 1)] {
            assert_eq!((found.pairs, found.length), (0, 0.0));
            let depth = found.depth.unwrap();
            assert_eq!(depth.surface, side);
            // The left side of the small cube is at x = 0.25, and 0.75 below the nearest side everywhere.
            assert!((depth.lo - 0.75 * scale).abs() <= 0.001 * scale && depth.lo <= depth.hi, "{depth:?}");
            assert!(depth.lo <= 0.75 * scale + tolerance && depth.hi >= 0.75 * scale - tolerance);
            assert!(
                (found.inside[side].unwrap() - 1.5 * scale * scale).abs()
                    <= 1e-9 * scale * scale + 9.0 * tolerance * scale
            );
            assert_eq!(found.inside[1 - side], Some(0.0));
            assert_eq!(found.depths[1 - side].unwrap().hi.max(tolerance), tolerance);
            assert!((found.area - 1.5 * scale * scale).abs() <= 1e-9 * scale * scale + 9.0 * tolerance * scale);
        }
        // Beside the large one it is apart.
        let outside = placed(&small, scale, [offset[0] + 1.5 * scale, offset[1], offset[2]]);
        let Separation::Apart(gap) = separation(&outside, &outer) else { panic!("they are apart") };
        assert!((gap.distance - 0.25 * scale).abs() <= tolerance);
    }
}

#[test]
fn spheres_have_the_depth_of_their_radii() {
    let (radius, other) = (1.0, 0.5);
    let (large, small) = (shapes::icosphere(2000, radius), shapes::icosphere(1280, other));
    // Distance of the tessellation from the sphere, for the longer edges of both.
    let sag = 0.01;
    let mut random = Random::new(3);
    for _ in 0..cases(60) {
        let direction = random.direction();
        let apart = random.between(0.6, 1.7);
        let a = placed(&small, 1.0, direction.map(|x| x * apart));
        let b = placed(&large, 1.0, [0.0; 3]);
        let truth = radius + other - apart;
        match separation(&a, &b) {
            Separation::Apart(gap) => {
                assert!((gap.distance + truth).abs() < 2.0 * sag && truth < 2.0 * sag, "{gap:?} {truth}")
            }
            Separation::Penetrating(found) => {
                let [of_a, of_b] = found.depths.map(Option::unwrap);
                for depth in [of_a, of_b] {
                    assert!(depth.lo <= depth.hi && depth.hi - depth.lo <= depth.hi / 1000.0 + 1e-12, "{depth:?}");
                }
                assert!((of_a.lo - truth).abs() < 2.0 * sag, "{of_a:?} {truth}");
                // A cap deeper than its sphere's centre is nearest to other parts of the small sphere.
                let shallow = truth.min(other);
                assert!(of_b.lo < shallow + 2.0 * sag && (truth > other || of_b.lo > shallow - 2.0 * sag), "{of_b:?}");
                check_curve(&found, apart, radius, other);
            }
        }
    }
}

/// Length of the circle and areas of the caps of two spheres, up to their tessellation.
fn check_curve(found: &Measure, apart: f64, radius: f64, other: f64) {
    use std::f64::consts::PI;
    if apart < radius - other + 0.1 || apart > radius + other - 0.1 {
        return;
    }
    let along = (apart * apart + radius * radius - other * other) / (2.0 * apart);
    let circle = (radius * radius - along * along).sqrt();
    assert!((found.length / (2.0 * PI * circle) - 1.0).abs() < 0.06, "{} {circle} {apart}", found.length);
    let caps = [2.0 * PI * other * (other - (apart - along)), 2.0 * PI * radius * (radius - along)];
    for (inside, cap) in found.inside.iter().zip(caps) {
        assert!((inside.unwrap() - cap).abs() < 0.02 * 4.0 * PI * other, "{inside:?} {cap} {apart}");
    }
}

#[test]
fn depth_is_enclosed_by_dense_sampling() {
    // Torus through torus, cube through torus: no closed form; samples of the surface bound the depth from below,
    // and samples plus their spacing from above.
    let torus = shapes::torus(600, 1.0, 0.4);
    let cube = shapes::cuboid(48, [0.5, 0.6, 0.7]);
    let mut random = Random::new(12);
    for case in 0..cases(20) {
        let shape = if case % 2 == 0 { &torus } else { &cube };
        let shift = random.in_cube(1.2);
        let points = positions(shape, 1.0, shift);
        let (a, b) = (surface(&shape.triangles, &points), placed(&torus, 1.0, [0.0; 3]));
        let (mut deepest, mut spacing) = (0.0_f64, 0.0_f64);
        let parts = 12;
        for corners in &shape.triangles {
            let [p, q, r] = corners.map(|vertex| points[vertex as usize]);
            spacing = spacing.max(
                super::distance(&p, &q).max(super::distance(&q, &r)).max(super::distance(&r, &p)) / f64::from(parts),
            );
            for i in 0..=parts {
                for j in 0..=parts - i {
                    let (u, v) = (f64::from(i) / f64::from(parts), f64::from(j) / f64::from(parts));
                    let point = [0, 1, 2].map(|k| p[k] + u * (q[k] - p[k]) + v * (r[k] - p[k]));
                    deepest = deepest.max(-b.signed_distance(point).unwrap());
                }
            }
        }
        match separation(&a, &b) {
            Separation::Apart(_) => assert!(deepest <= 0.0),
            Separation::Penetrating(found) => {
                let depth = found.depths[0].unwrap();
                assert!(depth.hi >= deepest - 1e-12, "{depth:?} {deepest}");
                assert!(depth.lo <= deepest + spacing, "{depth:?} {deepest}");
                assert!(depth.hi - depth.lo <= depth.hi / 500.0 + 1e-9, "{depth:?}");
                // The witness is a point at this depth.
                assert!(depth.lo == 0.0 || (-b.signed_distance(depth.point).unwrap() - depth.lo).abs() < 1e-9);
                assert!((super::distance(&depth.point, &depth.nearest) - depth.lo).abs() < 1e-9 || depth.lo == 0.0);
            }
        }
    }
}

#[test]
fn a_sheet_in_a_body_has_the_depth_of_its_points() {
    // A horizontal sheet at height 0.2 through a cube: every point inside is at most 0.8 below the top.
    let sheet = shapes::grid(200, 6.0);
    let cube = shapes::cuboid(48, [1.0; 3]);
    let found = penetrating(&placed(&sheet, 1.0, [0.01, 0.2, 0.02]), &placed(&cube, 1.0, [0.0; 3]));
    assert_eq!((found.is_closed, found.depths[1], found.inside[1]), ([false, true], None, None));
    let depth = found.depth.unwrap();
    assert!(depth.lo <= 0.8 + 1e-12 && depth.hi >= 0.8 - 1e-12 && depth.hi - depth.lo < 0.001, "{depth:?}");
    assert!((found.length - 8.0).abs() < 1e-9, "{}", found.length);
    assert!((found.area - 4.0).abs() < 1e-9, "{}", found.area);
    // Two sheets: no depth, but a curve and the triangles that it passes.
    let wall: Vec<Point> =
        positions(&sheet, 1.0, [0.0; 3]).iter().map(|p| [p[1] + 0.05, p[0] + 0.0123, p[2]]).collect();
    let found = penetrating(&placed(&sheet, 1.0, [0.0; 3]), &surface(&sheet.triangles, &wall));
    assert_eq!((found.depth, found.inside), (None, [None; 2]));
    assert!((found.length - 6.0).abs() < 1e-9, "{}", found.length);
    // Half of a sheet each, up to the triangles on the curve.
    let [first, second] = found.cut_off.map(Option::unwrap);
    assert!((first - 18.0).abs() < 2.0 && (second - 18.0).abs() < 2.0, "{first} {second}");
    assert_eq!((found.area, found.overlap), (first.min(second), 0.0));
    // Coplanar sheets overlap.
    let found = penetrating(&placed(&sheet, 1.0, [0.0; 3]), &placed(&sheet, 1.0, [3.5, 0.0, 1.25]));
    assert!((found.overlap - 2.5 * 4.75).abs() < 1e-6 && found.area >= found.overlap, "{}", found.overlap);
}

#[test]
fn bodies_that_touch_have_no_depth() {
    let cube = shapes::cuboid(48, [1.0; 3]);
    let rest = placed(&cube, 1.0, [0.0; 3]);
    for shift in [[2.0, 0.0, 0.0], [2.0, 0.5, 0.25], [2.0, 2.0, 0.5], [2.0, 2.0, 2.0]] {
        let found = penetrating(&placed(&cube, 1.0, shift), &rest);
        assert!(found.depth.unwrap().hi < 1e-12, "{found:?}");
        assert!(found.area < 1e-9, "{shift:?} {}", found.area);
    }
    // Twice the same cube: all of it is on the boundary.
    let found = penetrating(&rest, &rest);
    assert!(found.depth.unwrap().hi < 1e-12 && (found.overlap - 24.0).abs() < 1e-9, "{found:?}");
    // Cubes that share the planes of some sides and overlap.
    let found = penetrating(&placed(&cube, 1.0, [0.5, 0.0, 0.0]), &rest);
    let depth = found.depth.unwrap();
    assert!((depth.lo - 0.5).abs() < 1e-12 && (depth.hi - 0.5).abs() < 1e-12, "{depth:?}");
    // One whole side, and the overlaps of four sides whose planes and normals are those of the other cube.
    assert!(found.inside.iter().all(|inside| (inside.unwrap() - 16.0).abs() < 1e-6), "{:?}", found.inside);
}
