//! Batches of triangle pairs: rejects pairs that are certainly apart, in SIMD.
//!
//! Let corners move linearly over a window. A direction along which two triangles are apart at its
//! begin and at its end, on the same side, proves them apart throughout (theory §9, §11). Any
//! choice of direction is valid. Here many pairs are tested at once, in `f32`, along directions of
//! the triangles at the middle of the window: both normals and the line between the centres, then,
//! for the remaining pairs, the nine products of edges. Pairs without a proof go to the exact
//! tests, so the filter affects only the cost.
//!
//! **Rounding.** With `u = 2⁻²⁴`, the error of a difference `d` of two coordinates is `u·|d|` plus
//! twice the error of the coordinates. Its product with a component of the direction `n`, which is
//! taken as exact, and two sums add three `u`. With `Mₖ` the largest difference of a coordinate
//! from the reference, the error of a projection is at most `4.1 u Σ|nₖ|Mₖ + 2.1 blur Σ|nₖ|`. That
//! of a gap of two projections is twice that and a rounding. The margin is
//! `16 u Σ|nₖ|Mₖ + 8 blur Σ|nₖ|`, plus the distance times a bound of `n`'s length, plus the
//! smallest normal number for underflow. If a product overflows, so does `|nₖ|Mₖ`: the margin is
//! infinite, and nothing is proved. The factors are therefore multiplied before they are scaled
//! down.
//!
//! Cost: some 250 instructions per eight pairs for the faces, 900 for the edges; see
//! docs/BENCHMARKS.md.

use crate::math::f32_above_or_zero;
use crate::simd::{self, F32x8, Kernel, LANES, Simd};

/// Pairs in a batch: a multiple of every width of lanes.
pub const BATCH: usize = 32;

/// Relative error of a gap of projections: 16 u.
const GAP_ERROR: f32 = 8.0 * f32::EPSILON;

/// Contribution of the coordinates' error to the error of a gap.
const BLUR_SHARE: f32 = 8.0;

/// One number of each pair.
type Row = [f32; BATCH];

/// Corners of a triangle at the ends of a window, or at an instant, in `f32`.
pub type Corners<const ENDS: usize> = [[[f32; 3]; 3]; ENDS];

/// Per end, corner (those of the second triangle after those of the first) and axis.
type Rows<const ENDS: usize> = [[[Row; 3]; 6]; ENDS];

/// Pairs of triangles tested together: over a window (two ends) or at an instant (one).
#[derive(Clone, Debug)]
pub struct PairBatch<const ENDS: usize> {
    rows: Rows<ENDS>,
    count: usize,
    distance: f32,
    blur: f32,
}

#[cfg(feature = "record")]
impl<const ENDS: usize> serde::Serialize for PairBatch<ENDS> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = if self.is_empty() { &[] } else { &self.rows[..] };
        (self.count, self.distance, self.blur, rows).serialize(serializer)
    }
}

#[cfg(feature = "record")]
impl<'de, const ENDS: usize> serde::Deserialize<'de> for PairBatch<ENDS> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (count, distance, blur, rows) = <(usize, f32, f32, Vec<[[Row; 3]; 6]>)>::deserialize(deserializer)?;
        let mut batch = Self { rows: [[[[0.0; BATCH]; 3]; 6]; ENDS], count, distance, blur };
        let is_whole = rows.len() == if batch.is_empty() { 0 } else { ENDS };
        if !is_whole || count > BATCH {
            return Err(serde::de::Error::custom("a batch of pairs has another number of ends, or too many pairs"));
        }
        batch.rows[..rows.len()].copy_from_slice(&rows);
        Ok(batch)
    }
}

/// The part of the margin per component of the direction that does not depend on the triangles'
/// size, metres.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn flat_margin(distance: f32, blur: f32) -> f32 {
    BLUR_SHARE * blur + distance * (1.0 + GAP_ERROR)
}

/// The margin of gaps along directions, if coordinates differ by at most `largest` from the
/// reference.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn margin<M: Simd>(machine: M, n: [M::F32x8; 3], largest: [M::F32x8; 3], flat: f32) -> M::F32x8 {
    let n = [n[0].size(), n[1].size(), n[2].size()];
    let reach = n[0] * largest[0] + n[1] * largest[1] + n[2] * largest[2];
    reach * machine.splat(GAP_ERROR) + (n[0] + n[1] + n[2]) * machine.splat(flat) + machine.splat(f32::MIN_POSITIVE)
}

/// The directions of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub enum Directions {
    /// Both normals and the line between the centres.
    Faces,
    /// Products of an edge of each triangle.
    Edges,
}

impl<const ENDS: usize> PairBatch<ENDS> {
    /// Creates an empty batch for triangles in contact within `distance`, with coordinates in error
    /// by at most `blur`, both in metres.
    pub fn new(distance: f64, blur: f64) -> Self {
        Self {
            rows: [[[[0.0; BATCH]; 3]; 6]; ENDS],
            count: 0,
            distance: f32_above_or_zero(distance),
            blur: f32_above_or_zero(blur),
        }
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether the batch is full.
    pub fn is_full(&self) -> bool {
        self.count == BATCH
    }

    /// Removes all pairs.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a pair; coordinates must be finite.
    ///
    /// # Panics
    /// If the batch is full, as indexing beyond a slice: callers ask [`Self::is_full`] per pair,
    /// and an error would be a second test.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn push(&mut self, a: &Corners<ENDS>, b: &Corners<ENDS>) {
        let lane = self.count;
        for end in 0..ENDS {
            for corner in 0..3 {
                for axis in 0..3 {
                    self.rows[end][corner][axis][lane] = a[end][corner][axis];
                    self.rows[end][corner + 3][axis][lane] = b[end][corner][axis];
                }
            }
        }
        self.count += 1;
    }

    /// One bit per pair: whether it is proved apart by more than the distance throughout the
    /// window.
    pub fn apart(&self, directions: Directions) -> u32 {
        simd::run(Apart { batch: self, directions })
    }
}

/// The SIMD kernel of the test.
#[derive(Clone, Copy)]
struct Apart<'a, const ENDS: usize> {
    batch: &'a PairBatch<ENDS>,
    directions: Directions,
}

impl<const ENDS: usize> Kernel for Apart<'_, ENDS> {
    type Output = u32;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) -> u32 {
        let PairBatch { rows, count, distance, blur } = self.batch;
        let mut bits = 0;
        for first in (0..*count).step_by(LANES) {
            let pair = Lanes::new(machine, rows, first, *distance, *blur);
            let (a, b) = (pair.edges(0), pair.edges(3));
            let gap = match self.directions {
                Directions::Faces => {
                    let faces = pair.gap(cross(a[0], a[1])).more(pair.gap(cross(b[0], b[1])));
                    faces.more(pair.gap(pair.way()))
                }
                Directions::Edges => {
                    let mut most = machine.splat(f32::NEG_INFINITY);
                    for edge in a {
                        for other in b {
                            most = pair.gap(cross(edge, other)).more(most);
                        }
                    }
                    most
                }
            };
            bits |= gap.above(machine.splat(0.0)) << first;
        }
        if *count < BATCH { bits & ((1 << count) - 1) } else { bits }
    }
}

/// Eight pairs, each relative to the first corner of the first triangle at each end.
struct Lanes<M: Simd, const ENDS: usize> {
    machine: M,
    d: [[[M::F32x8; 3]; 6]; ENDS],
    /// Per axis, the largest difference.
    largest: [M::F32x8; 3],
    flat: f32,
}

impl<M: Simd, const ENDS: usize> Lanes<M, ENDS> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(machine: M, rows: &Rows<ENDS>, first: usize, distance: f32, blur: f32) -> Self {
        let zero = machine.splat(0.0);
        let flat = flat_margin(distance, blur);
        let mut pair = Self { machine, d: [[[zero; 3]; 6]; ENDS], largest: [zero; 3], flat };
        for axis in 0..3 {
            let mut size = zero;
            for end in 0..ENDS {
                let origin = load(machine, &rows[end][0][axis], first);
                for corner in 1..6 {
                    let d = load(machine, &rows[end][corner][axis], first) - origin;
                    pair.d[end][corner][axis] = d;
                    size = size.more(d.size());
                }
            }
            pair.largest[axis] = size;
        }
        pair
    }

    /// A corner at the middle of the window, times two.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn middle(&self, corner: usize) -> [M::F32x8; 3] {
        let (p, q) = (self.d[0][corner], self.d[ENDS - 1][corner]);
        [p[0] + q[0], p[1] + q[1], p[2] + q[2]]
    }

    /// The edges of a triangle at the middle of the window.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn edges(&self, first: usize) -> [[M::F32x8; 3]; 3] {
        let (p, q, r) = (self.middle(first), self.middle(first + 1), self.middle(first + 2));
        [minus(q, p), minus(r, p), minus(r, q)]
    }

    /// From the centre of the first triangle to that of the second.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn way(&self) -> [M::F32x8; 3] {
        minus(self.sum(3), self.sum(0))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sum(&self, first: usize) -> [M::F32x8; 3] {
        let (p, q, r) = (self.middle(first), self.middle(first + 1), self.middle(first + 2));
        [p[0] + q[0] + r[0], p[1] + q[1] + r[1], p[2] + q[2] + r[2]]
    }

    /// Greater than 0 if the triangles are certainly apart along a direction at both ends, on the
    /// same side.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gap(&self, n: [M::F32x8; 3]) -> M::F32x8 {
        let (begin, end) = (self.sides(n, 0), self.sides(n, ENDS - 1));
        let margin = margin(self.machine, n, self.largest, self.flat);
        begin[0].less(end[0]).more(begin[1].less(end[1])) - margin
    }

    /// The gaps by which the second triangle is above the first one at an end, and below it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sides(&self, n: [M::F32x8; 3], end: usize) -> [M::F32x8; 2] {
        let zero = self.machine.splat(0.0);
        let d = &self.d[end];
        let (p, q) = (dot(n, d[1]), dot(n, d[2]));
        // The first corner is the origin.
        let (low_a, high_a) = (p.less(q).less(zero), p.more(q).more(zero));
        let (p, q, r) = (dot(n, d[3]), dot(n, d[4]), dot(n, d[5]));
        [p.less(q).less(r) - high_a, low_a - p.more(q).more(r)]
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn load<M: Simd>(machine: M, row: &Row, first: usize) -> M::F32x8 {
    machine.load(row[first..].first_chunk().unwrap_or(&[0.0; LANES]))
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn minus<N: F32x8>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn dot<N: F32x8>(n: [N; 3], d: [N; 3]) -> N {
    n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn cross<N: F32x8>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::intervals::{IntervalStats, MovingTriangle, contact_intervals};
    use crate::narrow::triangles_touch;
    use crate::simd::Plain;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;

    /// Numbers of all sizes: ordinary, few distinct values, tiny, huge, and overflowing when
    /// multiplied.
    fn numbers() -> impl Strategy<Value = (Vec<f32>, f32)> {
        let plain = prop::collection::vec(-1.0f32..1.0, 36);
        let lattice = prop::collection::vec((-2i8..3).prop_map(f32::from), 36);
        let scale = prop::sample::select(vec![1.0f32, 1e-3, 1e-30, 1e-44, 3e12, 1e13, 3e13, 1e30]);
        (prop_oneof![plain, lattice], scale)
    }

    fn pair(values: &[f32], scale: f32, spread: f32) -> (Corners<2>, Corners<2>) {
        let corner = |place: usize| {
            std::array::from_fn(|axis| {
                let offset = if place % 6 >= 3 && axis == 2 { spread } else { 0.0 };
                (values[3 * place + axis] + offset) * scale
            })
        };
        let triangle = |first: usize| std::array::from_fn(|k| corner(first + k));
        ([triangle(0), triangle(6)], [triangle(3), triangle(9)])
    }

    fn wide(corners: &[[f32; 3]; 3]) -> [[f64; 3]; 3] {
        corners.map(|corner| corner.map(f64::from))
    }

    #[test]
    fn what_is_proved_apart_is_apart_and_the_plain_machine_agrees() {
        let (mut proved, mut touching) = (0, 0);
        // Counts of ordinary pairs at rest that are apart, and of those proved apart.
        let (mut apart_at_rest, mut proved_at_rest) = (0, 0);
        let cases = prop::collection::vec((numbers(), 0.0f32..3.0), 1..40);
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        for _ in 0..300 {
            let drawn: Vec<_> = cases.new_tree(&mut runner).unwrap().current();
            let is_plain = |values: &[f32], scale: f32| (1e-3..=1.0).contains(&scale) && values[0].fract() != 0.0;
            let pairs: Vec<_> = drawn
                .iter()
                .map(|((values, scale), spread)| (pair(values, *scale, *spread), is_plain(values, *scale)))
                .collect();
            for chunk in pairs.chunks(BATCH) {
                let (mut over, mut at) = (PairBatch::<2>::new(0.0, 0.0), PairBatch::<1>::new(0.0, 0.0));
                for ((a, b), _) in chunk {
                    over.push(a, b);
                    at.push(&[a[0]], &[b[0]]);
                }
                let at_rest = at.apart(Directions::Faces) | at.apart(Directions::Edges);
                for (place, ((a, b), is_plain)) in chunk.iter().enumerate() {
                    if *is_plain && !triangles_touch(&wide(&a[0]), &wide(&b[0])) {
                        apart_at_rest += 1;
                        proved_at_rest += at_rest >> place & 1;
                    }
                }
                for directions in [Directions::Faces, Directions::Edges] {
                    let (apart, apart_now) = (over.apart(directions), at.apart(directions));
                    assert_eq!(Apart { batch: &over, directions }.run(Plain), apart);
                    assert_eq!(Apart { batch: &at, directions }.run(Plain), apart_now);
                    for (place, ((a, b), _)) in chunk.iter().enumerate() {
                        let (p, q) = ([wide(&a[0]), wide(&a[1])], [wide(&b[0]), wide(&b[1])]);
                        let touches = triangles_touch(&p[0], &q[0]);
                        assert!(apart_now >> place & 1 == 0 || !touches, "{a:?} {b:?}");
                        let moving = |[begin, end]: [[[f64; 3]; 3]; 2]| MovingTriangle { begin, end };
                        let mut found = Vec::new();
                        contact_intervals(&moving(p), &moving(q), &mut found, &mut IntervalStats::default());
                        assert!(apart >> place & 1 == 0 || found.is_empty(), "{a:?} {b:?}");
                        proved += apart >> place & 1;
                        touching += u32::from(!found.is_empty());
                    }
                }
            }
        }
        assert!(proved > 2_000 && touching > 2_000, "{proved} {touching}");
        // Triangles at rest are apart along a normal or a product of edges, unless they are
        // coplanar.
        assert!(apart_at_rest > 300 && 100 * proved_at_rest >= 99 * apart_at_rest, "{proved_at_rest} {apart_at_rest}");
    }

    #[test]
    fn distance_and_blur_are_heeded() {
        let floor = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let at = |z: f32| floor.map(|[x, y, _]: [f32; 3]| [x, y, z]);
        for (distance, blur, height, apart) in [
            (0.0, 0.0, 1e-3, true),
            (0.0, 0.0, 0.0, false),
            (0.5, 0.0, 0.499, false),
            (0.5, 0.0, 0.501, true),
            (0.0, 1e-3, 1e-3, false),
            (0.0, 1e-3, 1e-2, true),
        ] {
            let mut batch = PairBatch::<2>::new(distance, blur);
            batch.push(&[floor, floor], &[at(height), at(2.0 * height)]);
            assert_eq!(batch.apart(Directions::Faces) == 1, apart, "{distance} {blur} {height}");
        }
    }
}
