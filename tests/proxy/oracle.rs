//! Distances and insides once more, sharing nothing with the library: the nearest point of a triangle by minimising over its
//! barycentric coordinates (face, then each side as a clamped quadratic), insides by exact crossings of a ray.

use num_rational::BigRational;
use num_traits::{FromPrimitive, Signed, Zero};

pub(crate) type Triangle = [[f64; 3]; 3];

/// Squared distance of a point from a triangle in exact arithmetic.
pub(crate) fn exact_squared_distance(point: [f64; 3], triangle: &Triangle) -> BigRational {
    let exact = |x: f64| BigRational::from_f64(x).unwrap();
    let p = point.map(exact);
    let [a, b, c] = triangle.map(|corner| corner.map(exact));
    let minus =
        |x: &[BigRational; 3], y: &[BigRational; 3]| -> [BigRational; 3] { std::array::from_fn(|k| &x[k] - &y[k]) };
    let dot = |x: &[BigRational; 3], y: &[BigRational; 3]| -> BigRational {
        (0..3).map(|k| &x[k] * &y[k]).fold(BigRational::zero(), |sum, term| sum + term)
    };
    let (u, v, w) = (minus(&b, &a), minus(&c, &a), minus(&p, &a));
    let (uu, uv, vv, uw, vw) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&u, &w), dot(&v, &w));
    let determinant = &uu * &vv - &uv * &uv;
    if !determinant.is_zero() {
        // Gram's equations for the foot of the perpendicular.
        let s = (&vv * &uw - &uv * &vw) / &determinant;
        let t = (&uu * &vw - &uv * &uw) / &determinant;
        let one = BigRational::from_i32(1).unwrap();
        if !s.is_negative() && !t.is_negative() && &s + &t <= one {
            let rest: [BigRational; 3] = std::array::from_fn(|k| &w[k] - &s * &u[k] - &t * &v[k]);
            return dot(&rest, &rest);
        }
    }
    let side = |from: &[BigRational; 3], to: &[BigRational; 3]| {
        let (along, away) = (minus(to, from), minus(&p, from));
        let squared = dot(&along, &along);
        let share = if squared.is_zero() { BigRational::zero() } else { dot(&along, &away) / squared };
        let share = share.max(BigRational::zero()).min(BigRational::from_i32(1).unwrap());
        let rest: [BigRational; 3] = std::array::from_fn(|k| &away[k] - &share * &along[k]);
        dot(&rest, &rest)
    };
    side(&a, &b).min(side(&b, &c)).min(side(&c, &a))
}

/// The same in floating point, off by a few roundings.
pub(crate) fn squared_distance(point: [f64; 3], triangle: &Triangle) -> f64 {
    let [a, b, c] = triangle;
    let minus = |x: &[f64; 3], y: &[f64; 3]| [x[0] - y[0], x[1] - y[1], x[2] - y[2]];
    let dot = |x: &[f64; 3], y: &[f64; 3]| x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    let (u, v, w) = (minus(b, a), minus(c, a), minus(&point, a));
    let (uu, uv, vv, uw, vw) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&u, &w), dot(&v, &w));
    let determinant = uu * vv - uv * uv;
    let (s, t) = ((vv * uw - uv * vw) / determinant, (uu * vw - uv * uw) / determinant);
    if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
        let rest = [0, 1, 2].map(|k| w[k] - s * u[k] - t * v[k]);
        return dot(&rest, &rest);
    }
    let side = |from: &[f64; 3], to: &[f64; 3]| {
        let (along, away) = (minus(to, from), minus(&point, from));
        let squared = dot(&along, &along);
        let share = if squared > 0.0 { (dot(&along, &away) / squared).clamp(0.0, 1.0) } else { 0.0 };
        let rest = [0, 1, 2].map(|k| away[k] - share * along[k]);
        dot(&rest, &rest)
    };
    side(a, b).min(side(b, c)).min(side(c, a))
}

/// Does the ball reach across the surface? Exact: triangles that are near to doing so are decided in rational numbers.
pub(crate) fn ball_crosses(centre: [f64; 3], radius: f64, triangles: &[Triangle]) -> bool {
    let squared = radius * radius;
    let exact = |x: f64| BigRational::from_f64(x).unwrap();
    triangles.iter().any(|triangle| {
        squared_distance(centre, triangle) < squared * 1.000_01
            && exact_squared_distance(centre, triangle) < exact(radius) * exact(radius)
    })
}

/// Distance from the surface, off by a few roundings, metres.
pub(crate) fn distance(point: [f64; 3], triangles: &[Triangle]) -> f64 {
    triangles.iter().map(|triangle| squared_distance(point, triangle)).fold(f64::INFINITY, f64::min).sqrt()
}

/// Crossings of a slanted ray, counted with their direction; none may pass within a rounding of an edge.
pub(crate) fn is_inside(point: [f64; 3], triangles: &[Triangle]) -> bool {
    let directions = [[0.567, 0.731, 0.3797], [-0.4321, 0.6173, 0.6573], [0.3371, -0.8123, 0.4757]];
    for direction in directions {
        let far: [f64; 3] = std::array::from_fn(|k| point[k] + 1e3 * direction[k]);
        let mut count = Some(0);
        for [a, b, c] in triangles {
            let coord = |p: &[f64; 3]| robust::Coord3D { x: p[0], y: p[1], z: p[2] };
            let sign = |p: &[f64; 3], q: &[f64; 3], r: &[f64; 3], s: &[f64; 3]| {
                robust::orient3d(coord(p), coord(q), coord(r), coord(s))
            };
            let (near_side, far_side) = (sign(a, b, c, &point), sign(a, b, c, &far));
            if near_side * far_side > 0.0 {
                continue;
            }
            let turns = [sign(&point, &far, a, b), sign(&point, &far, b, c), sign(&point, &far, c, a)];
            let is_left = turns.iter().all(|turn| *turn > 0.0);
            let is_right = turns.iter().all(|turn| *turn < 0.0);
            if is_left || is_right {
                count = count.map(|count| count + if is_left { 1 } else { -1 });
            } else if turns.contains(&0.0) {
                count = None;
            }
        }
        if let Some(count) = count {
            return count != 0;
        }
    }
    panic!("every ray meets an edge");
}
