//! Single facts that no random test guards: exact ties, large numbers, the names and normals of
//! contacts.

use kinetree::narrow::batch::{Directions, PairBatch};
use kinetree::narrow::spheres::{
    MovingSphere, Sphere, SpherePiece, first_touch_of_spheres, first_touch_with_triangle,
    moving_sphere_touches_triangle_at_time, ray_hits_sphere, sphere_intervals, sphere_triangle_intervals,
};
use kinetree::narrow::{
    ContactInterval, Feature, IntervalStats, MovingTriangle, contact_intervals, neighbour_intervals,
    proximity_intervals,
};

use crate::Triangle;
use crate::samples::Random;

fn still(at: Triangle) -> MovingTriangle {
    MovingTriangle { begin: at, end: at }
}

fn moved(at: Triangle, way: [f64; 3]) -> MovingTriangle {
    MovingTriangle { begin: at, end: at.map(|p| [0, 1, 2].map(|k| p[k] + way[k])) }
}

fn contacts(a: &MovingTriangle, b: &MovingTriangle) -> Vec<ContactInterval> {
    let mut found = Vec::new();
    contact_intervals(a, b, &mut found, &mut IntervalStats::default());
    found
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// A line that touches a ball in one point, over integers: with (3, 4) for its direction, (3p + 4q,
/// 4p − 3q) is 5q from it. The products have up to 110 bits.
#[test]
fn long_rays_that_graze_a_ball_hit_it() {
    let mut random = Random::new(90);
    for case in 0..200 {
        let [p, q] = [12, 10].map(|shift| ((random.below(1 << 28) + 1) << shift) as f64);
        let ball = |radius: f64| {
            let sphere = Sphere { centre: [3.0 * p + 4.0 * q, 4.0 * p - 3.0 * q, 0.0], radius };
            SpherePiece { begin: 0.0, end: 0.0, at_begin: sphere, at_end: sphere }
        };
        // The square of the second step is not a normal number.
        for step in [1024.0, (1.0 + f64::EPSILON.sqrt()) * 2.0f64.powi(-530)] {
            let direction = [3.0 * step, 4.0 * step, 0.0];
            let hits = |radius: f64| ray_hits_sphere([0.0; 3], direction, f64::INFINITY, &ball(radius), 0.0).is_some();
            assert!(hits(5.0 * q), "case {case}: {p} {q} {step}");
            assert!(!hits((5.0 * q).next_down()), "case {case}: {p} {q} {step}");
        }
    }
}

/// The ball of no size is at a third of its way, just beyond the number at which the ray begins.
#[test]
fn a_ray_that_begins_a_rounding_before_a_point_hits_it_at_once() {
    let at = |x: f64| Sphere { centre: [x, 0.0, 0.0], radius: 0.0 };
    let point = SpherePiece { begin: 0.0, end: 3.0, at_begin: at(0.0), at_end: at(1.0) };
    let third = 1.0 / 3.0; // A little less than a third.
    let ray = |direction: f64| ray_hits_sphere([third, 0.0, 0.0], [direction, 0.0, 0.0], f64::INFINITY, &point, 1.0);
    assert_eq!(ray(1.0), Some(0.0));
    assert_eq!(ray(-1.0), None);
}

/// A corner lies in a large slanted triangle, near its farthest corner, and leaves it. The plane's
/// equation is computed from the other corner: its rounding is many times what the small triangle's
/// size would suggest.
#[test]
fn a_small_triangle_that_begins_on_a_large_one_touches_it() {
    let mut random = Random::new(91);
    for case in 0..400 {
        let mut integer = |low: i64, high: i64| random.below(high - low) + low;
        // Edges are multiples of 64, so that the foot is of integers.
        let corner: [i64; 3] = [(); 3].map(|()| integer(-(1 << 26), 1 << 20));
        let long: [i64; 3] = [(); 3].map(|()| integer(1 << 19, 1 << 20));
        let short: [i64; 3] = [(); 3].map(|()| integer(1 << 14, 1 << 17));
        let point = |i: i64, j: i64| [0, 1, 2].map(|k| corner[k] + long[k] * i + short[k] * j);
        let foot = point(62, 1);
        let [u, v] = [long, short].map(|edge| edge.map(i128::from));
        let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let side = |w: &[i64; 3]| (0..3).map(|k| normal[k] * i128::from(w[k])).sum::<i128>().signum() as i64;
        // Two steps to the same side of the plane; the whole triangle then moves on to that side.
        let mut step = || loop {
            let w: [i64; 3] = [(); 3].map(|()| integer(-9, 10));
            if side(&w) != 0 {
                return w.map(|x| x * side(&w));
            }
        };
        let (w, other) = (step(), step());
        let wide = |p: [i64; 3]| p.map(|x| x as f64);
        let beyond = |w: [i64; 3]| wide([0, 1, 2].map(|k| foot[k] + w[k]));
        let large = still([wide(corner), wide(point(64, 0)), wide(point(0, 64))]);
        let small = moved([beyond([0; 3]), beyond(w), beyond(other)], wide(w));
        for (a, b) in [(&large, &small), (&small, &large)] {
            let found = contacts(a, b);
            assert_eq!(found.len(), 1, "case {case}: {large:?} {small:?}");
            assert!(found[0].at_window_begin() && found[0].instant, "case {case}: {found:?}");
        }
    }
}

/// A corner meets the middle of a side. Across the side there is one direction only against the
/// approach.
#[test]
fn where_a_corner_meets_a_side_the_normal_is_across_the_side_against_the_approach() {
    let base = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, -4.0, 0.0]];
    let tip = [[0.5, 0.0, 1.0], [0.75, 1.0, 2.0], [0.25, 1.0, 2.0]];
    let (base, tip) = (still(base), moved(tip, [2.0, 0.0, -2.0]));
    let found = contacts(&tip, &base);
    assert_eq!(found[0].feature, Feature::VertexEdge { vertex: 0, edge: [0, 1] });
    let touch = found[0].first_touch(&tip, &base);
    assert!((0..3).all(|k| (touch.normal[k] - [0.0, 0.0, -1.0][k]).abs() < 1e-12), "{touch:?}");
    assert!((0..3).all(|k| (touch.point[k] - [1.5, 0.0, 0.0][k]).abs() < 1e-12), "{touch:?}");
    let back = contacts(&base, &tip)[0].first_touch(&base, &tip);
    assert!((0..3).all(|k| (back.normal[k] - [0.0, 0.0, 1.0][k]).abs() < 1e-12), "{back:?}");
}

/// Two triangles with a common corner; another corner of the first pierces the second.
#[test]
fn features_of_neighbours_have_the_corners_of_whole_triangles() {
    let base = still([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    let flap = |z: f64| [[0.0, 0.0, 0.0], [1.0, 1.0, 2.0], [1.5, 1.0, z]];
    let flap = MovingTriangle { begin: flap(1.0), end: flap(-1.0) };
    for (a, b, expected) in
        [(&flap, &base, Feature::VertexFace { vertex: 2 }), (&base, &flap, Feature::FaceVertex { vertex: 2 })]
    {
        let mut found = Vec::new();
        neighbour_intervals(a, b, &[(0, 0)], 0.0, &mut found, &mut IntervalStats::default());
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].begin.lo, found[0].begin.hi, found[0].at_window_end()), (0.5, 0.5, true));
        assert_eq!(found[0].feature, expected);
    }
}

/// A point meets a face at a slant: there is no way from its centre to the face.
#[test]
fn a_ball_of_no_size_meets_a_face_along_the_normal_of_the_face() {
    let face = still([[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]]);
    let at = |x: f64, z: f64| Sphere { centre: [x, 0.25, z], radius: 0.0 };
    for side in [1.0, -1.0] {
        let ball = MovingSphere { begin: at(-0.5, side), end: at(1.5, -side) };
        let mut found = Vec::new();
        sphere_triangle_intervals(&ball, &face, 0.0, &mut found, &mut IntervalStats::default());
        assert_eq!((found.len(), found[0].begin.lo, found[0].instant), (1, 0.5, true));
        let touch = first_touch_with_triangle(&found[0], &ball, &face);
        assert_eq!((touch.normal, touch.point), ([0.0, 0.0, -side], [0.5, 0.25, 0.0]));
    }
}

/// A triangle over a larger one, parallel to it, at exactly the distance that counts as touching.
#[test]
fn no_triangle_at_exactly_the_distance_is_rejected_in_single_precision() {
    let mut random = Random::new(92);
    for case in 0..40_000 {
        // Multiples of 2⁻²²: their differences are exact, in f64.
        let mut single = |low: f32, high: f32| low + (high - low) * random.below(1 << 22) as f32 / 4_194_304.0;
        let (low, high) = (single(-2.0, 2.0), single(-2.0, 2.0));
        let (x, y, width, depth) = (single(-1.0, 1.0), single(-1.0, 1.0), single(0.5, 2.0), single(0.5, 2.0));
        let flat = |z: f32, part: f32| [[[x, y, z], [x + part * width, y, z], [x, y + part * depth, z]]];
        let distance = f64::from(high) - f64::from(low);
        if distance == 0.0 {
            continue;
        }
        let mut batch = PairBatch::<1>::new(distance.abs(), 0.0);
        batch.push(&flat(low, 1.0), &flat(high, 0.5));
        for directions in [Directions::Faces, Directions::Edges] {
            assert_eq!(batch.apart(directions), 0, "case {case}: {low} {high}, {directions:?}");
        }
    }
}

/// The squared distance of a point and a triangle.
fn to_triangle(point: &[f64; 3], [p, q, r]: &Triangle) -> f64 {
    let (u, v, w) = (minus(q, p), minus(r, p), minus(point, p));
    let (uu, uv, vv, wu, wv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&w, &u), dot(&w, &v));
    let whole = uu * vv - uv * uv;
    let (s, t) = ((vv * wu - uv * wv) / whole, (uu * wv - uv * wu) / whole);
    let on_face = (s >= 0.0 && t >= 0.0 && s + t <= 1.0).then(|| {
        let gap = [0, 1, 2].map(|k| w[k] - s * u[k] - t * v[k]);
        dot(&gap, &gap)
    });
    let on_sides = [(p, q), (q, r), (r, p)].map(|(from, to)| segments(&[*point; 2], &[*from, *to]));
    on_sides.into_iter().chain(on_face).fold(f64::INFINITY, f64::min)
}

/// The squared distance of two segments: where their lines are nearest, or at an end of one of
/// them.
fn segments([p, q]: &[[f64; 3]; 2], [r, t]: &[[f64; 3]; 2]) -> f64 {
    let at = |from: &[f64; 3], to: &[f64; 3], part: f64| [0, 1, 2].map(|k| from[k] + part * (to[k] - from[k]));
    let nearest = |point: &[f64; 3], from: &[f64; 3], to: &[f64; 3]| {
        let (way, gap) = (minus(to, from), minus(point, from));
        let length = dot(&way, &way);
        let part = if length > 0.0 { (dot(&gap, &way) / length).clamp(0.0, 1.0) } else { 0.0 };
        let gap = minus(point, &at(from, to, part));
        dot(&gap, &gap)
    };
    let ends = [nearest(p, r, t), nearest(q, r, t), nearest(r, p, q), nearest(t, p, q)];
    let (u, v, w) = (minus(q, p), minus(t, r), minus(p, r));
    let (uu, uv, vv, uw, vw) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&u, &w), dot(&v, &w));
    let whole = uu * vv - uv * uv;
    let (x, y) = ((uv * vw - vv * uw) / whole, (uu * vw - uv * uw) / whole);
    let inside = ((0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y)).then(|| {
        let gap = minus(&at(p, q, x), &at(r, t, y));
        dot(&gap, &gap)
    });
    ends.into_iter().chain(inside).fold(f64::INFINITY, f64::min)
}

/// Distances of parts are computed one by one at some times; triangles do not cross each other, as
/// one flies past.
#[test]
fn triangles_are_near_when_one_of_their_parts_is() {
    let mut random = Random::new(93);
    let (mut near, mut far, mut ends) = (0, 0, 0);
    for case in 0..1500 {
        let distance = 0.5 + 0.25 * (random.symmetric() + 1.0);
        let scaled = |t: Triangle, size: f64, z: f64| t.map(|[x, y, h]| [size * x, size * y, 0.25 * h + z]);
        let sizes = [[1.0, 1.0], [4.0, 0.5], [0.5, 4.0]][case % 3];
        let a = MovingTriangle {
            begin: scaled(random.triangle(), sizes[0], 0.0),
            end: scaled(random.triangle(), sizes[0], 0.0),
        };
        // Always above the first one; near it at the begin, in the midst, or at the end.
        let heights = [[0.75, 4.0], [4.0, 0.75], [0.75, 1.0], [2.0, 0.625]][case % 4];
        let mut b = MovingTriangle {
            begin: scaled(random.triangle(), sizes[1], heights[0]),
            end: scaled(random.triangle(), sizes[1], heights[1]),
        };
        let aside = [3.0 * random.symmetric(), 3.0 * random.symmetric()];
        b.end.iter_mut().for_each(|p| (p[0], p[1]) = (p[0] + aside[0], p[1] + aside[1]));
        let mut found = Vec::new();
        proximity_intervals(&a, &b, distance, &mut found, &mut IntervalStats::default());
        ends += found.len();
        for step in 0..=32 {
            let s = f64::from(step) / 32.0;
            let at = |t: &MovingTriangle| -> Triangle {
                [0, 1, 2].map(|i| [0, 1, 2].map(|k| (1.0 - s) * t.begin[i][k] + s * t.end[i][k]))
            };
            let (p, q) = (at(&a), at(&b));
            let of_points = (0..3).map(|i| to_triangle(&p[i], &q).min(to_triangle(&q[i], &p)));
            let side = |t: &Triangle, i: usize| [t[i], t[(i + 1) % 3]];
            let of_sides = (0..9).map(|both| segments(&side(&p, both / 3), &side(&q, both % 3)));
            let gap = of_points.chain(of_sides).fold(f64::INFINITY, f64::min).sqrt();
            let is_told = found.iter().any(|interval| interval.begin.lo <= s && s <= interval.end.hi);
            if gap < distance - 1e-9 {
                near += 1;
                assert!(is_told, "case {case} at {s}: {gap} < {distance}, {a:?} {b:?}");
            } else if gap > distance + 1e-9 {
                far += 1;
                assert!(!is_told, "case {case} at {s}: {gap} > {distance}, {a:?} {b:?}");
            }
        }
    }
    assert!(near > 1000 && far > 10_000 && ends > 250, "{near} near, {far} far, {ends} intervals");
}

/// Two sides cross in the origin, and both triangles lie on their own side of a plane through it.
/// Along the line between the centres the projections of the sides, exactly equal, come out 448
/// apart; the bound of their rounding is 67093.
#[test]
fn sides_that_cross_are_not_apart_by_the_rounding_of_their_projections() {
    let below = [
        [737_085_988.0, 589_174_359.0, -3_021_063_688.0],
        [-737_085_988.0, -589_174_359.0, 3_021_063_688.0],
        [350_992_656.0, -1_531_844_088.0, -213_107_553.0],
    ];
    let above = [
        [-4_595_532_264.0, -555_727_011.0, -3_574_302_872.0],
        [4_595_532_264.0, 555_727_011.0, 3_574_302_872.0],
        [-350_992_656.0, 1_531_844_088.0, 213_107_553.0],
    ];
    let found = contacts(&still(below), &still(above));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].at_window_begin() && found[0].at_window_end(), "{found:?}");
}

/// The surface goes through the ray's origin: (3k, 4k) is 5k away. The squares are rounded, by 256
/// in sum.
#[test]
fn a_ray_that_begins_on_a_large_ball_hits_it_at_once() {
    let k = f64::from((1 << 28) + 3);
    let sphere = Sphere { centre: [3.0 * k, 4.0 * k, 0.0], radius: 5.0 * k };
    let ball = SpherePiece { begin: 0.0, end: 0.0, at_begin: sphere, at_end: sphere };
    for direction in [1.0, -1.0] {
        assert_eq!(ray_hits_sphere([0.0; 3], [direction, 0.0, 0.0], f64::INFINITY, &ball, 0.0), Some(0.0));
    }
}

/// The point is at 0 exactly; evaluated it is at 2⁻⁴⁹, and the ray begins in between.
#[test]
fn a_long_direction_away_from_a_point_misses_it_however_the_point_is_rounded() {
    let at = |x: f64| Sphere { centre: [x, 0.0, 0.0], radius: 0.0 };
    let point = SpherePiece { begin: 0.0, end: 29.0, at_begin: at(-15.0), at_end: at(14.0) };
    let origin = [2.0_f64.powi(-50), 0.0, 0.0];
    assert!(point.at(15.0).centre[0] > origin[0]);
    let ray = |direction: f64| ray_hits_sphere(origin, [direction, 0.0, 0.0], f64::INFINITY, &point, 15.0);
    assert_eq!(ray(1024.0), None);
    assert!(ray(-1024.0).is_some());
}

#[test]
fn rays_of_numbers_that_are_none_hit_no_ball() {
    let sphere = Sphere { centre: [0.0; 3], radius: 2.0 };
    let ball = SpherePiece { begin: 0.0, end: 0.0, at_begin: sphere, at_end: sphere };
    let ray = |origin: f64, direction: f64, most: f64, time: f64| {
        ray_hits_sphere([origin, 0.0, 0.0], [direction, 0.0, 0.0], most, &ball, time)
    };
    // It begins inside.
    assert_eq!(ray(1.0, 1.0, 0.0, 0.0), Some(0.0));
    assert_eq!(ray(1.0, 1.0, -1.0, 0.0), None);
    assert_eq!(ray(1.0, 1.0, f64::NAN, 0.0), None);
    assert_eq!(ray(1.0, 1.0, f64::INFINITY, f64::NAN), None);
    assert_eq!(ray(1.0, f64::NAN, f64::INFINITY, 0.0), None);
    assert_eq!(ray(1.0, f64::INFINITY, f64::INFINITY, 0.0), None);
}

/// Where a time is not a number, nothing is known to be apart.
#[test]
fn at_no_time_a_ball_may_touch() {
    let face = still([[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]]);
    let at = |z: f64| Sphere { centre: [0.0, 0.0, z], radius: 1.0 };
    let ball = MovingSphere { begin: at(8.0), end: at(9.0) };
    let touches = |distance: f64, end: f64, time: f64| {
        moving_sphere_touches_triangle_at_time(&ball, &face, distance, (0.0, end), time)
    };
    assert!(!touches(0.0, 1.0, 0.5));
    assert!(touches(0.0, 1.0, f64::NAN));
    assert!(touches(0.0, f64::NAN, 0.5));
    assert!(touches(f64::INFINITY, 1.0, 0.5));
}

/// The way between the centres is but a rounding of them: the approach says where the other is.
#[test]
fn balls_of_nearly_one_centre_touch_along_their_approach() {
    let at = |x: f64, y: f64| Sphere { centre: [x, y, 0.0], radius: 1.0 };
    let passing = MovingSphere { begin: at(0.0, 0.0), end: at(1.0, 0.0) };
    let resting = MovingSphere { begin: at(0.0, 1e-14), end: at(0.0, 1e-14) };
    let mut found = Vec::new();
    sphere_intervals(&passing, &resting, 0.0, &mut found, &mut IntervalStats::default());
    assert!(found.len() == 1 && found[0].at_window_begin(), "{found:?}");
    assert_eq!(first_touch_of_spheres(&found[0], &passing, &resting).normal, [1.0, 0.0, 0.0]);
}

/// A side of the first goes through the second throughout; the common corner is not a number, so
/// what else they share is not known.
#[test]
fn neighbours_that_touch_for_certain_and_perhaps_touch_perhaps() {
    let base = still([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    for (corner, is_undecided) in [(0.0, false), (f64::NAN, true)] {
        let flap = still([[corner, 0.0, 0.0], [1.0, 1.0, -1.0], [1.0, 1.0, 1.0]]);
        let mut found = Vec::new();
        neighbour_intervals(&flap, &base, &[(0, 0)], 0.0, &mut found, &mut IntervalStats::default());
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].at_window_begin() && found[0].at_window_end());
        assert_eq!(found[0].undecided, is_undecided);
    }
}
