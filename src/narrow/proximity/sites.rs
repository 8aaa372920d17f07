//! The sites at which two triangles can be nearest, as polynomial conditions over one ring.
//!
//! Points 0 to 2 are the vertices of A, 3 to 5 those of B. A *site* is a vertex and a vertex, a
//! vertex and an edge, a vertex and a face, or two edges. Its conditions are `value >= 0`: first
//! the *reach*, `d² − (distance of the lines or planes that the site spans)²` times a square, then
//! that the nearest points lie inside the site. Every condition is homogeneous in the coordinate
//! differences if `d²` counts as two of them. The same code therefore serves integers (an instant),
//! integer forms and bounded f64 forms (a stretch of the window).
//!
//! With `e`, `f` the directions of a site, `w` an offset between its parts and products read as dot
//! products, the nearest points solve a 2 × 2 linear system with determinant `ee·ff − ef²`, and the
//! squared distance is a Gram quotient.
//!
//! The search rests on two facts:
//! 1. *No contact is missed.* Triangles at distance `0 < r <= d` satisfy all conditions of some
//!    site. A site whose determinant vanishes satisfies them vacuously, so it never gives a false
//!    "no". A site whose determinant vanishes for all time may be left out: the nearest points lie
//!    on one of its parts, which is a site of its own.
//! 2. *Sites overlap.* If the distance is positive and strictly below `d`, some site satisfies all
//!    its conditions strictly: take the parts of lowest dimension that contain the nearest points.
//!    Passing from one site to the next therefore never looks like an end of contact. If triangles
//!    intersect, the touch that began it is at distance 0 < d.

use crate::narrow::exact::integer::Ring;

/// Points of both triangles.
pub(super) const POINTS: usize = 6;
/// Most conditions of a site.
pub(super) const CONDITIONS: usize = 5;
/// 9 pairs of vertices, 18 of vertex and edge, 6 of vertex and face, 9 of edges.
pub(super) const SITES: usize = 42;

/// The parts of a site, by point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    Vertices(usize, usize),
    Edge(usize, [usize; 2]),
    Face(usize, [usize; 3]),
    Edges([usize; 2], [usize; 2]),
}

/// A site and the pairs of vertices (bit `3·i + j` for vertex i of A and j of B) between its parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) parts: Parts,
    pub(super) pairs: u16,
}

pub(super) static ALL: [Site; SITES] = all();

const fn all() -> [Site; SITES] {
    let mut sites = [Site { parts: Parts::Vertices(0, 3), pairs: 1 }; SITES];
    let mut count = 0;
    let mut i = 0;
    while i < 3 {
        sites[count] = Site { parts: Parts::Face(i, [3, 4, 5]), pairs: 0b111 << (3 * i) };
        sites[count + 1] = Site { parts: Parts::Face(3 + i, [0, 1, 2]), pairs: 0b1_001_001 << i };
        count += 2;
        let mut j = 0;
        while j < 3 {
            let (k, l) = ((i + 1) % 3, (j + 1) % 3);
            let (row, column) = ((1 << j) | (1 << l), (1 << (3 * i)) | (1 << (3 * k)));
            sites[count] = Site { parts: Parts::Edges([i, k], [3 + j, 3 + l]), pairs: row * column };
            sites[count + 1] = Site { parts: Parts::Edge(i, [3 + j, 3 + l]), pairs: row << (3 * i) };
            sites[count + 2] = Site { parts: Parts::Edge(3 + j, [i, k]), pairs: column << j };
            sites[count + 3] = Site { parts: Parts::Vertices(i, 3 + j), pairs: 1 << (3 * i + j) };
            count += 4;
            j += 1;
        }
        i += 1;
    }
    sites
}

/// Conditions of a site; the reach comes first. `guard`, a square, is positive if the site is not
/// degenerate.
pub(super) struct Conditions<R> {
    pub(super) values: [Option<R>; CONDITIONS],
    pub(super) guard: Option<R>,
}

fn dot<R: Ring>(a: &[R; 3], b: &[R; 3]) -> R {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

impl Parts {
    /// Whether it is a site of the first point and B: the only relevant ones if A is that point
    /// three times.
    pub(super) fn is_of_point(self) -> bool {
        matches!(self, Self::Vertices(0, _) | Self::Edge(0, _) | Self::Face(0, _))
    }

    /// The conditions; `difference(p, q)` is point p minus point q, `square` the squared contact
    /// distance.
    pub(super) fn conditions<R: Ring>(self, square: &R, difference: impl Fn(usize, usize) -> [R; 3]) -> Conditions<R> {
        match self {
            Self::Vertices(p, q) => {
                let w = difference(p, q);
                Conditions { values: [Some(square.minus(&dot(&w, &w))), None, None, None, None], guard: None }
            }
            Self::Edge(p, [q, r]) => {
                let (w, e) = (difference(p, q), difference(r, q));
                let (ee, we) = (dot(&e, &e), dot(&w, &e));
                let reach = ee.times(&square.minus(&dot(&w, &w))).plus(&we.times(&we));
                let rest = dot(&difference(r, p), &e);
                Conditions { values: [Some(reach), Some(we), Some(rest), None, None], guard: Some(ee) }
            }
            Self::Face(p, [q, r, t]) => {
                let (w, e, f) = (difference(p, q), difference(r, q), difference(t, q));
                let (ee, ef, ff) = (dot(&e, &e), dot(&e, &f), dot(&f, &f));
                let (we, wf) = (dot(&w, &e), dot(&w, &f));
                let nn = ee.times(&ff).minus(&ef.times(&ef));
                let along_e = we.times(&ff).minus(&wf.times(&ef));
                let along_f = wf.times(&ee).minus(&we.times(&ef));
                let rest = nn.minus(&along_e).minus(&along_f);
                let reach = square.minus(&dot(&w, &w)).times(&nn);
                let reach = reach.plus(&we.times(&along_e)).plus(&wf.times(&along_f));
                Conditions { values: [Some(reach), Some(along_e), Some(along_f), Some(rest), None], guard: Some(nn) }
            }
            Self::Edges([p, q], [r, t]) => {
                let (w, e, f) = (difference(p, r), difference(q, p), difference(t, r));
                let (ee, ef, ff) = (dot(&e, &e), dot(&e, &f), dot(&f, &f));
                let (we, wf) = (dot(&w, &e), dot(&w, &f));
                let nn = ee.times(&ff).minus(&ef.times(&ef));
                let on_first = ef.times(&wf).minus(&ff.times(&we));
                let on_second = ee.times(&wf).minus(&ef.times(&we));
                let reach = square.minus(&dot(&w, &w)).times(&nn);
                let reach = reach.minus(&on_first.times(&we)).plus(&on_second.times(&wf));
                let (rest_first, rest_second) = (nn.minus(&on_first), nn.minus(&on_second));
                let values = [Some(reach), Some(on_first), Some(rest_first), Some(on_second), Some(rest_second)];
                Conditions { values, guard: Some(nn) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, Parts};

    #[test]
    fn sites_are_all_different_and_know_their_pairs() {
        for (k, site) in ALL.iter().enumerate() {
            assert!(ALL[..k].iter().all(|other| other.parts != site.parts));
            let (first, second): (Vec<usize>, Vec<usize>) = match site.parts {
                Parts::Vertices(p, q) => (vec![p], vec![q]),
                Parts::Edge(p, e) => (vec![p], e.to_vec()),
                Parts::Face(p, f) => (vec![p], f.to_vec()),
                Parts::Edges(e, f) => (e.to_vec(), f.to_vec()),
            };
            let mut pairs = 0;
            for &p in &first {
                for &q in &second {
                    assert!((p < 3) != (q < 3));
                    pairs |= 1 << (3 * p.min(q) + p.max(q) - 3);
                }
            }
            assert_eq!(site.pairs, pairs, "{site:?}");
        }
    }
}
