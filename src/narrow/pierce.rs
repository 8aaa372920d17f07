//! Parameters of points where a segment crosses a plane or a line, for coordinates of crossings.
//!
//! Both functions compute in twice the precision of f64 with a bound of the error, and again in
//! integers where the bound is too large. The error of the parameter is therefore bounded for every
//! input, slivers and nearly parallel figures included.

use super::exact::grid::decompose;
use super::exact::integer::{Integer, Ring};
use super::twice::Twice;
use super::{Point, Projection};

/// Accepted error of a parameter before its last roundings.
const ACCEPTED: f64 = 1.0 / (1_u64 << 50) as f64;

/// Returns the parameter in [0, 1] at which the segment pq crosses the plane of a triangle with
/// area. The ends must not lie strictly on one side, nor both in the plane. Error at most 2⁻⁴⁹.
pub(crate) fn plane_parameter(p: &Point, q: &Point, [r, s, t]: &[Point; 3]) -> f64 {
    let from_r = |point: &Point| twice_between(r, point);
    let [p_height, q_height] = above_plane([p, q, s, t].map(from_r));
    quotient(&p_height, &q_height).unwrap_or_else(|| {
        let [p, q, r, s, t] = on_grid([p, q, r, s, t]);
        let [p_height, q_height] = above_plane([p, q, s, t].map(|point| between(&r, &point)));
        exact_quotient(&p_height, &q_height)
    })
}

/// Returns the parameter in [0, 1] at which the segment pq crosses the line rs, all of one plane,
/// given in a projection that keeps them apart. The ends must not lie strictly on one side, nor
/// both on the line. Error at most 2⁻⁴⁹.
pub(crate) fn line_parameter(axes: Projection, p: &Point, q: &Point, r: &Point, s: &Point) -> f64 {
    let from_r = |point: &Point| twice_between(r, point);
    let [p_height, q_height] = above_line(axes, [p, q, s].map(from_r));
    quotient(&p_height, &q_height).unwrap_or_else(|| {
        let [p, q, r, s, _] = on_grid([p, q, r, s, s]);
        let [p_height, q_height] = above_line(axes, [p, q, s].map(|point| between(&r, &point)));
        exact_quotient(&p_height, &q_height)
    })
}

/// Six times the volumes of p and of q over the triangle of the origin, s and t.
fn above_plane<R: Ring>([p, q, s, t]: [[R; 3]; 4]) -> [R; 2] {
    let normal: [R; 3] = std::array::from_fn(|axis| {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        s[i].times(&t[j]).minus(&s[j].times(&t[i]))
    });
    [p, q].map(|d| d[0].times(&normal[0]).plus(&d[1].times(&normal[1])).plus(&d[2].times(&normal[2])))
}

/// Twice the areas of p and of q over the segment from the origin to s.
fn above_line<R: Ring>((i, j): Projection, [p, q, s]: [[R; 3]; 3]) -> [R; 2] {
    [p, q].map(|d| s[i].times(&d[j]).minus(&s[j].times(&d[i])))
}

fn twice_between(from: &Point, to: &Point) -> [Twice; 3] {
    std::array::from_fn(|axis| Twice::difference(to[axis], from[axis], 1.0))
}

fn between(from: &[Integer; 3], to: &[Integer; 3]) -> [Integer; 3] {
    std::array::from_fn(|axis| to[axis].minus(&from[axis]))
}

/// The share of the first height in both, if it is accurate.
fn quotient(p: &Twice, q: &Twice) -> Option<f64> {
    let (height, total) = (p.rounded().abs(), p.rounded().abs() + q.rounded().abs());
    (p.error() + q.error() <= ACCEPTED * total).then(|| (height / total).clamp(0.0, 1.0))
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
    use proptest::prelude::*;

    proptest! {
        /// Whatever the first way says is what integers say, but for the accepted error; on slivers
        /// and nearly flat figures, too.
        #[test]
        fn both_ways_agree(
            points in prop::array::uniform5(prop::array::uniform3(-1.0f64..1.0)),
            flatness in prop::sample::select(vec![1.0, 1e-3, 1e-9, 1e-15, 1e-30]),
            on_line in any::<bool>(),
            scale in prop::sample::select(vec![1.0, 1e-20, 1e20]),
        ) {
            // Nearly on one line, or nearly in one plane.
            let place = |[x, y, z]: Point| {
                let point = if on_line { [x, 0.7 * x + 0.1, 0.3 - 0.9 * x] } else { [x, y, x + 0.3 * y + flatness * z] };
                point.map(|coordinate| coordinate * scale)
            };
            let [p, mut q, r, s, t] = points.map(place);
            let heights = |p: &Point, q: &Point| {
                let [p, q, r, s, t] = on_grid([p, q, &r, &s, &t]);
                above_plane([p, q, s, t].map(|point| between(&r, &point)))
            };
            let [p_height, q_height] = heights(&p, &q);
            if p_height.sign() == q_height.sign() {
                q = std::array::from_fn(|axis| r[axis] + s[axis] - q[axis]);
            }
            let [p_height, q_height] = heights(&p, &q);
            prop_assume!(p_height.sign() * q_height.sign() < 0);
            let exact = exact_quotient(&p_height, &q_height);
            let found = plane_parameter(&p, &q, &[r, s, t]);
            prop_assert!((found - exact).abs() <= 2.0 * ACCEPTED, "{found} {exact}");
        }
    }

    #[test]
    fn nearly_parallel_segments_are_cut_where_they_cross() {
        // The plane z = 0, lifted at one corner by 2⁻⁶⁰; a segment that rises from −2⁻⁷⁰ to 3 ·
        // 2⁻⁷⁰.
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
