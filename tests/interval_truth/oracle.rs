//! All pairs of triangles that share a point at a time: a sweep over boxes grown outward, signs with error bounds, and
//! integers where those do not decide.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use crate::exact::compare_points;
use crate::model::{Body, Rounded, exact_positions};

/// Two bodies by number, and a triangle of each.
pub(crate) type Pair = (usize, usize, u32, u32);

type Point = [f64; 3];

/// What the oracle did.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) boxes: u64,
    pub(crate) filtered: u64,
    pub(crate) exact: u64,
}

pub(crate) struct Oracle<'a> {
    pub(crate) bodies: &'a [Body],
    pub(crate) work: Work,
}

/// Sign of det(a − d, b − d, c − d) for coordinates off by at most `error`; 0 if not certain.
fn volume_sign(a: &Point, b: &Point, c: &Point, d: &Point, error: f64) -> i32 {
    let minus = |p: &Point| [p[0] - d[0], p[1] - d[1], p[2] - d[2]];
    let (u, v, w) = (minus(a), minus(b), minus(c));
    let size = |u: &Point| u[0].abs().max(u[1].abs()).max(u[2].abs());
    let (x, y, z) = (size(&u), size(&v), size(&w));
    let value =
        u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
    // Six triple products: each moves by the errors of its factors (2 · error each, and rounding), and is rounded.
    let moved = 3.0 * error;
    let bound = 6.0 * ((x + moved) * (y + moved) * (z + moved) - x * y * z) + 64.0 * f64::EPSILON * x * y * z;
    let bound = bound * 1.01 + 64.0 * f64::EPSILON * (x + moved) * (y + moved) * (z + moved);
    if value > bound {
        1
    } else if value < -bound {
        -1
    } else {
        0
    }
}

/// What certain signs say; `None` if they do not decide.
fn filtered(a: &[Point; 3], b: &[Point; 3], error: f64) -> Option<bool> {
    let sides = |t: &[Point; 3], p: &[Point; 3]| [0, 1, 2].map(|k| volume_sign(&t[0], &t[1], &t[2], &p[k], error));
    let (of_b, of_a) = (sides(a, b), sides(b, a));
    for side in [of_a, of_b] {
        if side[0] != 0 && side == [side[0]; 3] {
            return Some(false);
        }
    }
    // Signs of edge i of A (from vertex i) with edge j of B.
    let cross: [[i32; 3]; 3] = std::array::from_fn(|i| {
        std::array::from_fn(|j| volume_sign(&a[i], &a[(i + 1) % 3], &b[j], &b[(j + 1) % 3], error))
    });
    let mut all_miss = true;
    for i in 0..3 {
        let k = (i + 1) % 3;
        let row = cross[i];
        let column = [cross[0][i], cross[1][i], cross[2][i]];
        for (ends, signs) in [([of_a[i], of_a[k]], row), ([of_b[i], of_b[k]], column)] {
            let through = ends[0] * ends[1] < 0;
            if through && signs[0] != 0 && signs == [signs[0]; 3] {
                return Some(true);
            }
            let misses = ends[0] * ends[1] > 0 || (signs.contains(&1) && signs.contains(&-1));
            all_miss &= misses;
        }
    }
    all_miss.then_some(false)
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(bodies: &'a [Body]) -> Self {
        Self { bodies, work: Work::default() }
    }

    /// Whether a pair shares a point at a time.
    pub(crate) fn touch(&mut self, pair: Pair, time: f64, rounded: Option<&[Rounded]>) -> bool {
        let (a, b, first, second) = pair;
        if let Some(rounded) = rounded {
            let corners = |body: usize, triangle: u32| {
                self.bodies[body].triangles[triangle as usize].map(|vertex| rounded[body].points[vertex as usize])
            };
            let error = rounded[a].error.max(rounded[b].error);
            if let Some(answer) = filtered(&corners(a, first), &corners(b, second), error) {
                self.work.filtered += 1;
                return answer;
            }
        }
        self.work.exact += 1;
        let [p, q] = exact_positions([&self.bodies[a], &self.bodies[b]], [first, second], time);
        compare_points(&p, &q, &BigInt::from(0)).is_le()
    }

    /// All pairs that share a point at a time.
    pub(crate) fn touching(&mut self, time: f64) -> BTreeSet<Pair> {
        let rounded: Vec<Rounded> = self.bodies.iter().map(|body| body.rounded(time)).collect();
        // Boxes, grown by more than the rounding.
        let mut boxes: Vec<([f64; 3], [f64; 3], usize, u32)> = Vec::new();
        for (number, (body, at)) in self.bodies.iter().zip(&rounded).enumerate() {
            for (triangle, corners) in body.triangles.iter().enumerate() {
                let points = corners.map(|vertex| at.points[vertex as usize]);
                let fold = |pick: fn(f64, f64) -> f64, by: f64| {
                    [0, 1, 2].map(|k| pick(pick(points[0][k], points[1][k]), points[2][k]) + by)
                };
                boxes.push((fold(f64::min, -2.0 * at.error), fold(f64::max, 2.0 * at.error), number, triangle as u32));
            }
        }
        let spread = |k: usize| {
            let (low, high) = boxes.iter().fold((f64::MAX, f64::MIN), |(l, h), b| (l.min(b.0[k]), h.max(b.1[k])));
            high - low
        };
        let axis = (0..3).max_by(|&k, &l| spread(k).total_cmp(&spread(l))).expect("three axes");
        boxes.sort_by(|x, y| x.0[axis].total_cmp(&y.0[axis]));
        let mut found = BTreeSet::new();
        for (place, one) in boxes.iter().enumerate() {
            for two in boxes[place + 1..].iter().take_while(|two| two.0[axis] <= one.1[axis]) {
                self.work.boxes += 1;
                if (0..3).any(|k| one.0[k] > two.1[k] || two.0[k] > one.1[k]) {
                    continue;
                }
                let (first, second) = if (one.2, one.3) < (two.2, two.3) { (one, two) } else { (two, one) };
                let body = &self.bodies[first.2];
                if first.2 == second.2 && (!body.own || body.are_kin(first.3, second.3)) {
                    continue;
                }
                let pair = (first.2, second.2, first.3, second.3);
                if self.touch(pair, time, Some(&rounded)) {
                    found.insert(pair);
                }
            }
        }
        found
    }
}
