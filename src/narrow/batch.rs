//! Pairs of triangles side by side: which of them are certainly apart.
//!
//! A direction along which two triangles are apart, on the same side, at the begin and at the end of a window in which their corners
//! move linearly proves them apart throughout (theory §9, §11), however the direction was found. Here many pairs are tried at
//! once, in `f32`, along directions of the triangles half-way: both normals and the way between the centres, then, for those that
//! are left, the nine products of edges. What is not proved is left to the exact tests, so nothing depends on this but the cost.
//!
//! **Rounding.** With `u = 2⁻²⁴`, a difference `d` of two coordinates is off by `u·|d|` and twice what the coordinates are off by; its
//! product with a component of the direction `n`, which is taken as exact, and two sums add three `u`. With `Mₖ` the largest
//! difference of a coordinate from the reference, a projection is off by at most `4.1 u Σ|nₖ|Mₖ + 2.1 blur Σ|nₖ|`, and a gap
//! of two by twice that and a rounding. The margin is `16 u Σ|nₖ|Mₖ + 8 blur Σ|nₖ|`, the distance times a bound of `n`'s length,
//! and the smallest normal number for what underflows. Overflow gives infinities or NaN, which prove nothing.
//!
//! Cost: about 5 ns per pair for the first three directions, 12 ns for the others (AVX2).

use crate::simd::{self, Kernel, LANES, Machine, Numbers};

/// Pairs in a batch: a multiple of every width of lanes.
pub const BATCH: usize = 32;

/// Relative error of a gap of projections: 16 u.
const GAP_ERROR: f32 = 8.0 * f32::EPSILON;

/// What coordinates being off adds to a gap.
const BLUR_SHARE: f32 = 8.0;

/// Numbers of one kind, one of each pair.
type Row = [f32; BATCH];

/// Corners of a triangle at the ends of a window, or at an instant, in `f32`.
pub type Corners<const ENDS: usize> = [[[f32; 3]; 3]; ENDS];

/// Per end, corner (those of the second triangle behind those of the first) and axis.
type Rows<const ENDS: usize> = [[[Row; 3]; 6]; ENDS];

/// Pairs of triangles to be tried together: over a window (two ends) or at an instant (one).
#[derive(Clone, Debug)]
pub struct PairBatch<const ENDS: usize> {
    rows: Rows<ENDS>,
    count: usize,
    distance: f32,
    blur: f32,
}

/// Which directions are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// Both normals and the way between the centres.
    Faces,
    /// Products of an edge of each.
    Edges,
}

impl<const ENDS: usize> PairBatch<ENDS> {
    /// Of triangles that count as touching at a distance, whose coordinates are off by at most `blur`, both in metres.
    pub fn new(distance: f64, blur: f64) -> Self {
        let up = |x: f64| (x as f32).next_up();
        Self {
            rows: [[[[0.0; BATCH]; 3]; 6]; ENDS],
            count: 0,
            distance: if distance > 0.0 { up(distance) } else { 0.0 },
            blur: if blur > 0.0 { up(blur) } else { 0.0 },
        }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Is there no pair?
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Is there no room?
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
    /// If there is no room.
    #[inline(always)]
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

    /// Per pair, a bit: is it proved to be apart by more than the distance throughout the window?
    pub fn apart(&self, directions: Directions) -> u32 {
        simd::run(Apart { batch: self, directions })
    }
}

/// The kernel.
#[derive(Clone, Copy)]
struct Apart<'a, const ENDS: usize> {
    batch: &'a PairBatch<ENDS>,
    directions: Directions,
}

impl<const ENDS: usize> Kernel for Apart<'_, ENDS> {
    type Output = u32;

    #[inline(always)]
    fn run<M: Machine>(self, machine: M) -> u32 {
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

/// Some pairs, each relative to the first corner of the first triangle at each end.
struct Lanes<M: Machine, const ENDS: usize> {
    machine: M,
    d: [[[M::Numbers; 3]; 6]; ENDS],
    /// Margin of a gap per component of the direction.
    margin: [M::Numbers; 3],
}

impl<M: Machine, const ENDS: usize> Lanes<M, ENDS> {
    #[inline(always)]
    fn new(machine: M, rows: &Rows<ENDS>, first: usize, distance: f32, blur: f32) -> Self {
        let zero = machine.splat(0.0);
        let mut pair = Self { machine, d: [[[zero; 3]; 6]; ENDS], margin: [zero; 3] };
        let load = |row: &Row| machine.load(row[first..].first_chunk().unwrap_or(&[0.0; LANES]));
        let flat = machine.splat(BLUR_SHARE * blur + distance * (1.0 + GAP_ERROR));
        for axis in 0..3 {
            let mut size = zero;
            for end in 0..ENDS {
                let origin = load(&rows[end][0][axis]);
                for corner in 1..6 {
                    let d = load(&rows[end][corner][axis]) - origin;
                    pair.d[end][corner][axis] = d;
                    size = size.more(d.size());
                }
            }
            pair.margin[axis] = size * machine.splat(GAP_ERROR) + flat;
        }
        pair
    }

    /// A corner half-way, twice as far.
    #[inline(always)]
    fn middle(&self, corner: usize) -> [M::Numbers; 3] {
        let (p, q) = (self.d[0][corner], self.d[ENDS - 1][corner]);
        [p[0] + q[0], p[1] + q[1], p[2] + q[2]]
    }

    /// The edges of a triangle half-way.
    #[inline(always)]
    fn edges(&self, first: usize) -> [[M::Numbers; 3]; 3] {
        let (p, q, r) = (self.middle(first), self.middle(first + 1), self.middle(first + 2));
        [minus(q, p), minus(r, p), minus(r, q)]
    }

    /// From the centre of the first triangle to that of the second.
    #[inline(always)]
    fn way(&self) -> [M::Numbers; 3] {
        let sum = |first: usize| {
            let (p, q, r) = (self.middle(first), self.middle(first + 1), self.middle(first + 2));
            [p[0] + q[0] + r[0], p[1] + q[1] + r[1], p[2] + q[2] + r[2]]
        };
        minus(sum(3), sum(0))
    }

    /// Greater than 0 where the triangles are certainly apart along a direction at both ends, on the same side.
    #[inline(always)]
    fn gap(&self, n: [M::Numbers; 3]) -> M::Numbers {
        let zero = self.machine.splat(0.0);
        let side = |end: usize| {
            let dot = |corner: usize| {
                let d = self.d[end][corner];
                n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
            };
            let (p, q) = (dot(1), dot(2));
            // The first corner is the origin.
            let (low_a, high_a) = (p.less(q).less(zero), p.more(q).more(zero));
            let (p, q, r) = (dot(3), dot(4), dot(5));
            [p.less(q).less(r) - high_a, low_a - p.more(q).more(r)]
        };
        let (begin, end) = (side(0), side(ENDS - 1));
        let margin = n[0].size() * self.margin[0]
            + n[1].size() * self.margin[1]
            + n[2].size() * self.margin[2]
            + self.machine.splat(f32::MIN_POSITIVE);
        begin[0].less(end[0]).more(begin[1].less(end[1])) - margin
    }
}

#[inline(always)]
fn minus<N: Numbers>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn cross<N: Numbers>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
