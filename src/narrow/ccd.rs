//! Continuous tests of single features: the first contact of a moving vertex and face, or of two
//! moving edges.
//!
//! Both are the interval test of `intervals` with four points instead of six. Four points have one
//! orientation cubic, and the features can touch only while it vanishes. Then the test in their
//! common plane decides (or on their common line). The answers are exact for all finite input: no
//! false negative, no false positive.
//!
//! Cost: 0.1 to 0.3 µs on average for features near each other, 1 µs if they meet. Degenerate
//! features with noise in the last bits need big integers, 20 to 40 µs.

use super::intervals::Enclosure;
use super::intervals::minors::Points;
use super::intervals::pair::Pair;
use super::intervals::sweep;
use super::intervals::tables::{EDGE_EDGE, Shape, VERTEX_FACE};
use super::intervals::touch::{blend, closest_on_edge};

/// The first contact of two features over the window `0 ..= 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstContact {
    /// Time of contact; `time.lo` is never late.
    pub time: Enclosure,
    /// Point of contact, in f64 and rounded, metres.
    pub point: [f64; 3],
    /// Undecided, assumed in contact: only for positions that are not finite.
    pub undecided: bool,
}

/// Returns the first time in `[0, 1]` at which a vertex lies on a closed triangle, both moving
/// linearly; metres.
///
/// `vertex[0]` and `face[0]` are positions at time 0, `vertex[1]` and `face[1]` at time 1.
/// Degenerate faces are allowed.
///
/// ```
/// use kinetree::narrow::ccd::vertex_face_first_contact;
///
/// let face = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
/// let hit = vertex_face_first_contact([[0.0, 0.0, 1.0], [0.0, 0.0, -3.0]], [face, face]);
/// assert_eq!(hit.map(|hit| hit.time.lo), Some(0.25));
/// ```
pub fn vertex_face_first_contact(vertex: [[f64; 3]; 2], face: [[[f64; 3]; 3]; 2]) -> Option<FirstContact> {
    let at = |time: usize| {
        let [p, q, r] = &face[time];
        [&vertex[time], p, q, r]
    };
    let point = |s, _| blend(vertex[0], vertex[1], s);
    first_contact::<1>(&VERTEX_FACE, at(0), at(1), point)
}

/// Returns the first time in `[0, 1]` at which two closed edges share a point, both moving
/// linearly; metres.
///
/// `a[0]` and `b[0]` are positions at time 0, `a[1]` and `b[1]` at time 1. Degenerate edges are
/// allowed.
pub fn edge_edge_first_contact(a: [[[f64; 3]; 2]; 2], b: [[[f64; 3]; 2]; 2]) -> Option<FirstContact> {
    let at = |time: usize| {
        let ([p, q], [r, t]) = (&a[time], &b[time]);
        [p, q, r, t]
    };
    let point = |s, support: u8| {
        let [p, q] = [0, 1].map(|k| blend(a[0][k], a[1][k], s));
        let [r, t] = [0, 1].map(|k| blend(b[0][k], b[1][k], s));
        match (support & 3, support >> 2) {
            (1, _) => p,
            (2, _) => q,
            (_, 1) => r,
            (_, 2) => t,
            _ => closest_on_edge([p, q, q], [r, t, t]),
        }
    };
    first_contact::<2>(&EDGE_EDGE, at(0), at(1), point)
}

type Position = [f64; 3];

/// Returns the begin of the first span of contact; `point` computes the point from the time and the
/// touching vertices.
#[inline]
fn first_contact<const FIRST: usize>(
    shape: &'static Shape,
    begin: [&Position; 4],
    end: [&Position; 4],
    point: impl Fn(f64, u8) -> Position,
) -> Option<FirstContact> {
    if (0..3).any(|axis| apart_on_axis::<FIRST>(begin, end, axis)) {
        return None;
    }
    let mut all = begin.iter().chain(&end).copied().flatten();
    if !all.all(|x| x.is_finite()) {
        return Some(FirstContact { time: Enclosure { lo: 0.0, hi: 0.0 }, point: point(0.0, 0), undecided: true });
    }
    let ([p, q, r, t], [x, y, z, w]) = (begin, end);
    let points = Points::new([p, q, r, t, p, p], [x, y, z, w, x, x]);
    let mut first = None;
    sweep::spans(&Pair::new(shape, &points), |span| {
        let [lo, hi] = span.begin;
        first = Some(FirstContact { time: Enclosure { lo, hi }, point: point(lo, span.support), undecided: false });
        false
    });
    first
}

/// Whether the first `FIRST` points are on one side of the others, at both ends of the window.
#[inline(always)]
fn apart_on_axis<const FIRST: usize>(begin: [&Position; 4], end: [&Position; 4], axis: usize) -> bool {
    let mut above = true;
    let mut below = true;
    for points in [begin, end] {
        for p in &points[..FIRST] {
            for q in &points[FIRST..] {
                above &= p[axis] > q[axis];
                below &= p[axis] < q[axis];
            }
        }
    }
    above || below
}
