//! The shipped tests of points and segments against triangles.

use kinetree::narrow::{triangles_touch, triangles_within};

use super::common::dice::{Dice, Grain};
use super::oracle::{self, Q, exact, point_triangle, segment_triangle};

/// The test of degenerate triangles, as worlds use it for elements.
fn within(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3], radius: f64) -> bool {
    if radius > 0.0 { triangles_within(a, b, radius) } else { triangles_touch(a, b) }
}

fn point_within(point: &[f64; 3], triangle: &[[f64; 3]; 3], radius: f64) -> bool {
    within(&[*point; 3], triangle, radius)
}

fn segment_within(segment: &[[f64; 3]; 2], triangle: &[[f64; 3]; 3], radius: f64) -> bool {
    within(&[segment[0], segment[1], segment[1]], triangle, radius)
}

fn place(dice: &mut Dice, grain: Grain) -> [f64; 3] {
    std::array::from_fn(|_| f64::from(grain.coordinate(dice, 4)))
}

#[test]
fn points_within_a_radius_of_triangles() {
    let mut dice = Dice::new(1, &[]);
    let (mut within, mut ties, mut shrunk) = (0, 0, 0);
    for round in 0..6_000 {
        let grain = [Grain::Lattice, Grain::Lattice, Grain::Real, Grain::Crooked][round % 4];
        let mut triangle: [[f64; 3]; 3] = std::array::from_fn(|_| place(&mut dice, grain));
        if dice.percent(20) {
            triangle[2] = triangle[dice.below(2)];
            shrunk += 1;
        }
        let point = place(&mut dice, grain);
        let truth = point_triangle(&exact(&point), &triangle.map(|p| exact(&p)));
        for radius in [0.0, 0.125, 1.0, 2.0, 3.0, 5.0] {
            let limit = Q::from_float(radius * radius).unwrap();
            ties += usize::from(truth == limit);
            within += usize::from(truth <= limit);
            assert_eq!(point_within(&point, &triangle, radius), truth <= limit, "{point:?} {triangle:?} {radius}");
        }
    }
    assert!(within > 5_000 && ties > 100 && shrunk > 800, "{within} {ties} {shrunk}");
}

#[test]
fn a_radius_that_is_the_distance_in_every_bit() {
    let mut dice = Dice::new(2, &[]);
    for _ in 0..500 {
        // Above the inside of a triangle in a plane z = const: the distance is a difference that is exact.
        let height = dice.real(0.5, 1.0);
        let triangle = [[-8.0, -8.0, 1.0], [8.0, -8.0, 1.0], [0.0, 8.0, 1.0]];
        let point = [dice.real(-1.0, 1.0), dice.real(-1.0, 1.0), 1.0 + height];
        let radius = point[2] - 1.0;
        assert!(point_within(&point, &triangle, radius) && !point_within(&point, &triangle, radius.next_down()));
        let segment = [point, [point[0] + 1.0, point[1], point[2] + 1.0]];
        assert!(
            segment_within(&segment, &triangle, radius) && !segment_within(&segment, &triangle, radius.next_down())
        );
    }
}

#[test]
fn segments_against_triangles() {
    let mut dice = Dice::new(3, &[]);
    let (mut touching, mut ties, mut coplanar) = (0, 0, 0);
    for round in 0..4_000 {
        let grain = [Grain::Lattice, Grain::Lattice, Grain::Real, Grain::Crooked][round % 4];
        let flat = grain == Grain::Lattice && dice.percent(40);
        let mut points: [[f64; 3]; 5] = std::array::from_fn(|_| place(&mut dice, grain));
        if flat {
            points.iter_mut().for_each(|p| p[2] = 0.0);
        }
        let (segment, triangle) = ([points[0], points[1]], [points[2], points[3], points[4]]);
        let [a, b] = segment.map(|p| exact(&p));
        let truth = segment_triangle([&a, &b], &triangle.map(|p| exact(&p)));
        for radius in [0.0, 0.25, 1.0, 2.0] {
            let limit = Q::from_float(radius * radius).unwrap();
            ties += usize::from(truth == limit && radius > 0.0);
            let expected = truth <= limit;
            assert_eq!(segment_within(&segment, &triangle, radius), expected, "{segment:?} {triangle:?} {radius}");
            assert_eq!(segment_within(&[segment[1], segment[0]], &triangle, radius), expected);
        }
        let is_touching = truth == Q::from_float(0.0).unwrap();
        touching += usize::from(is_touching);
        coplanar += usize::from(is_touching && flat);
        assert_eq!(triangles_touch(&[segment[0], segment[1], segment[1]], &triangle), is_touching);
    }
    assert!(touching > 400 && ties > 60 && coplanar > 200, "{touching} {ties} {coplanar}");
}

#[test]
fn the_oracle_knows_a_few_distances() {
    let t = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(|p| exact(&p));
    let is = |d: &Q, value: f64| *d == Q::from_float(value).unwrap();
    assert!(is(&point_triangle(&exact(&[1.0, 1.0, 3.0]), &t), 9.0));
    assert!(is(&point_triangle(&exact(&[-3.0, -4.0, 0.0]), &t), 25.0));
    assert!(is(&point_triangle(&exact(&[4.0, 4.0, 0.0]), &t), 8.0));
    let (a, b) = (exact(&[1.0, 1.0, -1.0]), exact(&[1.0, 1.0, 1.0]));
    assert!(is(&segment_triangle([&a, &b], &t), 0.0));
    let far = [[0.0, 0.0, 2.0], [0.0, 0.0, 3.0], [0.0, 0.0, 2.0]].map(|p| exact(&p));
    assert!(is(&oracle::triangles(&far, &t), 4.0));
}
