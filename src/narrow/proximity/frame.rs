//! A pair scaled to coordinates of at most 1, and proofs in f64 over a stretch of the window.
//!
//! Points are relative to a corner of A, at the begin and at the end of the window: a common linear
//! motion changes no distance. Scaling is by a power of two. Each coordinate then has an error of
//! at most u = 2⁻⁵³ (plus the loss of scaling below the normal range), a position at a time inside
//! the window one of at most 6 u.

use super::bounded::{Bounded, ROUNDING};
use super::nearest::{blend, nearest};
use super::reach::Reach;
use super::sites::{POINTS, Parts};
use crate::math::vector::{Vector, cross, dot, minus};
use crate::narrow::intervals::MovingTriangle;

/// Generous bound on the rounding of a distance or projection of points of size 1 and of its
/// comparands: positions 6 u each, three products and sums, a square root.
const PROOF_ERROR: f64 = 128.0 * ROUNDING;

/// The scaled pair.
#[derive(Debug)]
pub(super) struct Frame {
    begin: [Vector; POINTS],
    end: [Vector; POINTS],
    /// The factor applied, a power of two.
    pub(super) scale: f64,
    /// The contact distance.
    pub(super) reach: Reach,
    /// The contact distance at both ends of the window, scaled; relative error below u unless it
    /// underflows.
    pub(super) distance: [f64; 2],
}

fn six(a: &[Vector; 3], b: &[Vector; 3]) -> [Vector; POINTS] {
    [a[0], a[1], a[2], b[0], b[1], b[2]]
}

/// `2^exponent` for exponents of normal numbers.
fn power(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Frame {
    /// Returns `None` if the sizes leave the range in which f64 is safe, or if all points coincide.
    pub(super) fn new(a: &MovingTriangle, b: &MovingTriangle, reach: Reach) -> Option<Self> {
        let relative = |points: [Vector; POINTS]| points.map(|p| minus(&p, &points[0]));
        let (begin, end) = (relative(six(&a.begin, &b.begin)), relative(six(&a.end, &b.end)));
        let mut largest = 0.0_f64;
        for x in begin.iter().chain(&end).flatten() {
            largest = if x.abs() > largest { x.abs() } else { largest };
        }
        let sums = reach.sums();
        if !reach.is_constant() {
            // A variable distance must be in scale at both ends.
            largest = largest.max(sums[0]).max(sums[1]);
        }
        let exponent = (largest.to_bits() >> 52).cast_signed() - 1023;
        if !(-900..=900).contains(&exponent) {
            return None;
        }
        let scale = power(-exponent - 1);
        let scaled = |points: [Vector; POINTS]| points.map(|p| p.map(|x| x * scale));
        Some(Self { begin: scaled(begin), end: scaled(end), scale, reach, distance: sums.map(|sum| sum * scale) })
    }

    /// Point p minus point q, from the given positions.
    #[inline(always)]
    pub(super) fn difference(&self, a: &MovingTriangle, b: &MovingTriangle, p: usize, q: usize) -> [Bounded; 3] {
        let of = |i: usize| if i < 3 { (&a.begin[i], &a.end[i]) } else { (&b.begin[i - 3], &b.end[i - 3]) };
        let ((p0, p1), (q0, q1)) = (of(p), of(q));
        std::array::from_fn(|k| Bounded::linear((p0[k] - q0[k]) * self.scale, (p1[k] - q1[k]) * self.scale))
    }

    /// The distance at a time, scaled.
    fn distance_at(&self, s: f64) -> f64 {
        let [begin, end] = self.distance;
        if begin == end { begin } else { (1.0 - s) * begin + s * end }
    }

    /// Whether the distance always exceeds that of any two points, which is at most 2√3 in a scaled
    /// pair.
    pub(super) fn is_always_within(&self) -> bool {
        self.distance[0].min(self.distance[1]) > 4.0
    }

    fn at(&self, s: f64) -> [Vector; POINTS] {
        let rest = 1.0 - s;
        std::array::from_fn(|i| std::array::from_fn(|k| rest * self.begin[i][k] + s * self.end[i][k]))
    }

    /// Returns `Some(true)` if the pair is within the distance throughout `lo ..= hi`,
    /// `Some(false)` if it never is, `None` without a proof.
    ///
    /// Within: two material points whose distance, convex in time, is small enough at both ends.
    /// Apart: a direction along which the gap, concave in time, is large enough at both ends.
    pub(super) fn prove(&self, lo: f64, hi: f64) -> Option<bool> {
        let halves = |points: &[Vector; POINTS]| ([points[0], points[1], points[2]], [points[3], points[4], points[5]]);
        let (a, b) = halves(&self.at(0.5 * (lo + hi)));
        let found = nearest(&a, &b);
        let ends = [self.at(lo), self.at(hi)];
        let distances = [lo, hi].map(|s| self.distance_at(s));
        let limits = distances.map(|distance| distance - PROOF_ERROR * if distance > 1.0 { distance } else { 1.0 });
        if limits[0] > 0.0 && limits[1] > 0.0 {
            let close = |points: &[Vector; POINTS], limit: f64| {
                let (a, b) = halves(points);
                let gap = minus(&blend(&b, &found.b), &blend(&a, &found.a));
                dot(&gap, &gap) <= limit * limit
            };
            if close(&ends[0], limits[0]) && close(&ends[1], limits[1]) {
                return Some(true);
            }
        }
        let largest = found.direction.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest < f64::MIN_POSITIVE {
            return None;
        }
        let n = found.direction.map(|x| x / largest);
        let length = dot(&n, &n).sqrt();
        let apart = |points: &[Vector; POINTS], distance: f64| {
            let enough = distance * length + PROOF_ERROR * (1.0 + distance) * 3.0;
            let p = points.map(|point| dot(&n, &point));
            p[3].min(p[4]).min(p[5]) - p[0].max(p[1]).max(p[2]) > enough
        };
        (apart(&ends[0], distances[0]) && apart(&ends[1], distances[1])).then_some(false)
    }

    /// Pairs of vertices (bit `3·i + j`) per direction and side: vertex j of B is more than the
    /// distance beyond vertex i of A over the whole window. A site is out of reach if one set
    /// contains all its pairs.
    pub(super) fn distant_pairs(&self) -> [u16; 8] {
        let middle = self.at(0.5);
        let found = nearest(&[middle[0], middle[1], middle[2]], &[middle[3], middle[4], middle[5]]);
        let largest = found.direction.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        let slanted = found.direction.map(|x| x / largest);
        let directions = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], slanted];
        let mut sets = [0; 8];
        for (k, n) in directions.iter().enumerate() {
            let enough = self.enough(dot(n, n).sqrt());
            let (p, q) = (self.begin.map(|x| dot(n, &x)), self.end.map(|x| dot(n, &x)));
            for i in 0..3 {
                for j in 0..3 {
                    let (begin, end) = (p[3 + j] - p[i], q[3 + j] - q[i]);
                    sets[2 * k] |= u16::from(begin > enough[0] && end > enough[1]) << (3 * i + j);
                    sets[2 * k + 1] |= u16::from(begin < -enough[0] && end < -enough[1]) << (3 * i + j);
                }
            }
        }
        sets
    }

    /// The gap along a direction of some length that proves more than the distance, at both ends of
    /// the window.
    fn enough(&self, length: f64) -> [f64; 2] {
        self.distance.map(|distance| distance * length + PROOF_ERROR * (1.0 + distance) * 3.0)
    }

    /// Whether the parts of a site stay more than the distance apart along the direction between
    /// them at the middle of the window. `false` proves nothing.
    pub(super) fn is_site_apart(&self, parts: Parts) -> bool {
        let way = |p: usize, q: usize| {
            [0, 1, 2].map(|k| (self.begin[q][k] + self.end[q][k]) - (self.begin[p][k] + self.end[p][k]))
        };
        let (p, q): (&[usize], &[usize]);
        let n = match &parts {
            Parts::Vertices(i, j) => {
                (p, q) = (std::slice::from_ref(i), std::slice::from_ref(j));
                way(*i, *j)
            }
            Parts::Edge(i, edge) => {
                (p, q) = (std::slice::from_ref(i), edge);
                let (w, e) = (way(*i, edge[0]), way(edge[0], edge[1]));
                let length = dot(&e, &e);
                let part = if length > 0.0 { dot(&w, &e) / length } else { 0.0 };
                // Towards the nearest point of the segment.
                let part = part.clamp(-1.0, 0.0);
                [0, 1, 2].map(|k| w[k] - part * e[k])
            }
            Parts::Face(i, face) => {
                (p, q) = (std::slice::from_ref(i), face);
                let (w, normal) = (way(*i, face[0]), cross(&way(face[0], face[1]), &way(face[0], face[2])));
                if dot(&w, &normal) < 0.0 { normal.map(|x| -x) } else { normal }
            }
            Parts::Edges(e, f) => {
                (p, q) = (e, f);
                let (w, normal) = (way(e[0], f[0]), cross(&way(e[0], e[1]), &way(f[0], f[1])));
                if dot(&w, &normal) < 0.0 { normal.map(|x| -x) } else { normal }
            }
        };
        let largest = n.iter().fold(0.0_f64, |m, x| if x.abs() > m { x.abs() } else { m });
        if largest < f64::MIN_POSITIVE {
            return false;
        }
        let n = n.map(|x| x / largest);
        let enough = self.enough(dot(&n, &n).sqrt());
        [(&self.begin, enough[0]), (&self.end, enough[1])].into_iter().all(|(points, enough)| {
            let low = q.iter().map(|&j| dot(&n, &points[j])).fold(f64::INFINITY, |m, x| if x < m { x } else { m });
            let high = p.iter().map(|&i| dot(&n, &points[i])).fold(f64::NEG_INFINITY, |m, x| if x > m { x } else { m });
            low - high > enough
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn still(points: [Vector; 3]) -> MovingTriangle {
        MovingTriangle { begin: points, end: points }
    }

    fn frame(a: [Vector; 3], b: [Vector; 3], distance: f64) -> Frame {
        Frame::new(&still(a), &still(b), Reach::constant(distance)).unwrap()
    }

    #[test]
    fn a_gap_that_is_small_beside_the_triangles_is_proved() {
        let gap = 1.0 / f64::from(1 << 20);
        let left = [[0.0, 0.0, 0.0], [-1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]];
        let right = [[gap, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0]];
        assert_eq!(frame(left, right, 0.5 * gap).prove(0.0, 1.0), Some(false));
        assert_eq!(frame(left, right, gap).prove(0.0, 1.0), None);
        assert_eq!(frame(left, right, 2.0 * gap).prove(0.0, 1.0), Some(true));
    }

    #[test]
    fn a_vertex_beside_the_middle_of_an_edge_is_apart_from_it() {
        let point = [[0.0; 3], [0.0, -1.0, 0.0], [0.25, -1.0, 0.0]];
        let above = [[-1.0, 0.5, 0.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.0]];
        for (distance, is_apart) in [(0.25, true), (0.75, false)] {
            assert_eq!(frame(point, above, distance).is_site_apart(Parts::Edge(0, [3, 4])), is_apart, "{distance}");
        }
    }
}
