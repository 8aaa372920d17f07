//! Continuous tests of single features: when does a moving vertex first meet a moving face, an edge an edge?
//!
//! Both are the interval test of `intervals` with four points instead of six. Four points have one orientation cubic; the
//! features can only touch while it vanishes, and then the plane they share decides (or the line, if they are collinear).
//! The answers are exact for all finite input: no false negative, no false positive.
//!
//! Cost: 10 to 40 ns for features that stay apart, about 0.5 µs for a contact.

use super::intervals::Enclosure;
use super::intervals::minors::Points;
use super::intervals::pair::Pair;
use super::intervals::sweep::{self, Span};
use super::intervals::tables::{EDGE_EDGE, Shape, VERTEX_FACE};
use super::intervals::touch::{blend, closest_on_edge};

/// The first contact of two features over the window `0 ..= 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstContact {
    /// When; report `time.lo` as a time that is never late.
    pub time: Enclosure,
    /// Where, in f64 and rounded, metres.
    pub point: [f64; 3],
    /// Nothing is known and contact is assumed: only for positions that are not finite.
    pub undecided: bool,
}

/// First time in `[0, 1]` at which a vertex lies on a closed triangle, both moving linearly; metres.
///
/// `vertex[0]` and `face[0]` are positions at time 0, `vertex[1]` and `face[1]` at time 1. Degenerate faces are allowed.
///
/// ```
/// use kinetree::narrow::ccd::vertex_face_first_contact;
///
/// let face = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
/// let hit = vertex_face_first_contact([[0.0, 0.0, 1.0], [0.0, 0.0, -3.0]], [face, face]);
/// assert_eq!(hit.map(|hit| hit.time.lo), Some(0.25));
/// ```
pub fn vertex_face_first_contact(vertex: [[f64; 3]; 2], face: [[[f64; 3]; 3]; 2]) -> Option<FirstContact> {
    let at = |time: usize| [vertex[time], face[time][0], face[time][1], face[time][2]];
    let span = first_span(&VERTEX_FACE, &at(0), &at(1))?;
    Some(contact(span, |s, _| blend(vertex[0], vertex[1], s)))
}

/// First time in `[0, 1]` at which two closed edges share a point, both moving linearly; metres.
///
/// `a[0]` and `b[0]` are positions at time 0, `a[1]` and `b[1]` at time 1. Degenerate edges are allowed.
pub fn edge_edge_first_contact(a: [[[f64; 3]; 2]; 2], b: [[[f64; 3]; 2]; 2]) -> Option<FirstContact> {
    let at = |time: usize| [a[time][0], a[time][1], b[time][0], b[time][1]];
    let span = first_span(&EDGE_EDGE, &at(0), &at(1))?;
    Some(contact(span, |s, support| {
        let [p, q] = [0, 1].map(|k| blend(a[0][k], a[1][k], s));
        let [r, t] = [0, 1].map(|k| blend(b[0][k], b[1][k], s));
        match (support & 3, support >> 2) {
            (1, _) => p,
            (2, _) => q,
            (_, 1) => r,
            (_, 2) => t,
            _ => closest_on_edge([p, q, q], [r, t, t]),
        }
    }))
}

/// `None`: apart. `Some(None)`: not finite.
#[inline]
fn first_span(shape: &'static Shape, begin: &[[f64; 3]; 4], end: &[[f64; 3]; 4]) -> Option<Option<Span>> {
    let probe: f64 = begin.iter().chain(end).flatten().map(|x| 0.0 * x).sum();
    if probe != 0.0 {
        return Some(None);
    }
    if (0..3).any(|axis| apart_on_axis(shape.first, begin, end, axis)) {
        return None;
    }
    let six = |p: &[[f64; 3]; 4]| [p[0], p[1], p[2], p[3], p[0], p[0]];
    let points = Points::new(six(begin), six(end));
    let mut spans = Vec::new();
    sweep::spans(&Pair::new(shape, &points), true, &mut spans);
    spans.first().map(|&span| Some(span))
}

/// The first `first` points on one side of the others, at both ends of the window.
#[inline]
fn apart_on_axis(first: usize, begin: &[[f64; 3]; 4], end: &[[f64; 3]; 4], axis: usize) -> bool {
    let side = |points: &[[f64; 3]; 4]| {
        let (a, b) = points.split_at(first);
        let mut above = true;
        let mut below = true;
        for p in a {
            for q in b {
                above &= p[axis] > q[axis];
                below &= p[axis] < q[axis];
            }
        }
        [above, below]
    };
    let (at_begin, at_end) = (side(begin), side(end));
    (at_begin[0] && at_end[0]) || (at_begin[1] && at_end[1])
}

fn contact(span: Option<Span>, point: impl Fn(f64, u8) -> [f64; 3]) -> FirstContact {
    let (time, support) = span.map_or(([0.0; 2], 0), |span| (span.begin, span.support));
    FirstContact {
        time: Enclosure { lo: time[0], hi: time[1] },
        point: point(time[0], support),
        undecided: span.is_none(),
    }
}
