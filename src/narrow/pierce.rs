//! Parameters of points where a segment crosses a plane or a line, for coordinates of crossings.
//!
//! Both functions compute in f64 with a bound of the error, and again in integers where the bound
//! is too large. The error of the parameter is therefore bounded for every input, slivers and
//! nearly parallel figures included.

use super::exact::grid::decompose;
use super::exact::integer::{Integer, Ring};
use super::{Point, Projection};

/// Accepted error of a parameter before its last roundings.
const ACCEPTED: f64 = 1.0 / (1_u64 << 50) as f64;

/// Relative error of a determinant of rounded differences, per sum of magnitudes; above Shewchuk's
/// first-stage bounds of both `orient2d` and `orient3d`.
const DETERMINANT_ERROR: f64 = 4.0 * f64::EPSILON;

/// Returns the parameter in [0, 1] at which the segment pq crosses the plane of a triangle with
/// area. The ends must not lie strictly on one side, nor both in the plane. Error at most 2⁻⁴⁹.
pub(crate) fn plane_parameter(p: &Point, q: &Point, [r, s, t]: &[Point; 3]) -> f64 {
    let (u, v) = (minus(s, r), minus(t, r));
    let products = [(u[1] * v[2], u[2] * v[1]), (u[2] * v[0], u[0] * v[2]), (u[0] * v[1], u[1] * v[0])];
    let height = |point: &Point| {
        let d = minus(point, r);
        let (mut volume, mut permanent) = (0.0, 0.0);
        for axis in 0..3 {
            let (plus, less) = products[axis];
            volume += d[axis] * (plus - less);
            permanent += d[axis].abs() * (plus.abs() + less.abs());
        }
        [volume.abs(), permanent]
    };
    let (at_p, at_q) = (height(p), height(q));
    quotient(at_p, at_q).unwrap_or_else(|| {
        let [p, q, r, s, t] = on_grid([p, q, r, s, t]);
        let (u, v) = (between(&r, &s), between(&r, &t));
        let normal: [Integer; 3] = std::array::from_fn(|axis| {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            u[i].times(&v[j]).minus(&u[j].times(&v[i]))
        });
        let height = |point: &[Integer; 3]| {
            let d = between(&r, point);
            d[0].times(&normal[0]).plus(&d[1].times(&normal[1])).plus(&d[2].times(&normal[2]))
        };
        exact_quotient(&height(&p), &height(&q))
    })
}

/// Returns the parameter in [0, 1] at which the segment pq crosses the line rs, all of one plane,
/// given in a projection that keeps them apart. The ends must not lie strictly on one side, nor
/// both on the line. Error at most 2⁻⁴⁹.
pub(crate) fn line_parameter((i, j): Projection, p: &Point, q: &Point, r: &Point, s: &Point) -> f64 {
    let e = minus(s, r);
    let height = |point: &Point| {
        let d = minus(point, r);
        let (plus, less) = (e[i] * d[j], e[j] * d[i]);
        [(plus - less).abs(), plus.abs() + less.abs()]
    };
    let (at_p, at_q) = (height(p), height(q));
    quotient(at_p, at_q).unwrap_or_else(|| {
        let [p, q, r, s, _] = on_grid([p, q, r, s, s]);
        let e = between(&r, &s);
        let height = |point: &[Integer; 3]| {
            let d = between(&r, point);
            e[i].times(&d[j]).minus(&e[j].times(&d[i]))
        };
        exact_quotient(&height(&p), &height(&q))
    })
}

fn minus(a: &Point, b: &Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn between(from: &[Integer; 3], to: &[Integer; 3]) -> [Integer; 3] {
    std::array::from_fn(|axis| to[axis].minus(&from[axis]))
}

/// The share of the first height in both, if it is accurate. Heights come with their permanents.
fn quotient([p, permanent_p]: [f64; 2], [q, permanent_q]: [f64; 2]) -> Option<f64> {
    let total = p + q;
    (DETERMINANT_ERROR * (permanent_p + permanent_q) <= ACCEPTED * total).then(|| (p / total).clamp(0.0, 1.0))
}

/// The same of exact heights; 0 if both are zero.
fn exact_quotient(p: &Integer, q: &Integer) -> f64 {
    let scale = p.bit_length().max(q.bit_length());
    let (p, q) = (p.scaled_to_f64(scale).abs(), q.scaled_to_f64(scale).abs());
    if p + q > 0.0 { (p / (p + q)).clamp(0.0, 1.0) } else { 0.0 }
}

/// Finite coordinates as integers, multiplied by one power of two.
fn on_grid(points: [&Point; 5]) -> [[Integer; 3]; 5] {
    let parts = points.map(|point| point.map(|value| if value.is_finite() { decompose(value) } else { (0, 0) }));
    let lowest = parts.iter().flatten().filter(|part| part.0 != 0).map(|part| part.1).min().unwrap_or(0);
    parts.map(|point| {
        point.map(|(mantissa, exponent)| match mantissa {
            0 => Integer::zero(),
            _ => Integer::from_i128(mantissa.into()).shifted_left((exponent - lowest) as usize),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_parallel_segments_are_cut_where_they_cross() {
        // The plane z = 0, lifted at one corner by 2⁻⁶⁰; a segment that rises from −2⁻⁷⁰ to 3 · 2⁻⁷⁰.
        let far = 1.0 + f64::EPSILON;
        let tiny = 2.0_f64.powi(-70);
        let plane = [[0.0, 0.0, 0.0], [1.0, far, 0.0], [far, 1.0 + 2.0 * f64::EPSILON, 0.0]];
        let t = plane_parameter(&[1.0 / 3.0, 0.3, -tiny], &[0.7, 0.9, 3.0 * tiny], &plane);
        assert!((t - 0.25).abs() < 1e-15, "{t}");
        let line = [[0.1, 0.1, 0.0], [0.7, 0.7, 0.0]];
        let t = line_parameter((0, 1), &[0.3, 0.3 - tiny, 0.0], &[0.5, 0.5 + f64::EPSILON, 0.0], &line[0], &line[1]);
        assert!((0.0..=1.0).contains(&t));
    }
}
