//! First touch: the feature, the point and the normal of a contact.

use super::{Feature, FirstTouch, MovingTriangle};
use crate::math::vector::{Vector, cross, dot, minus};

/// Squared lengths below this, relative to the largest squared edge, give no usable direction
/// (1e-24: 1e-12 of an edge).
const DIRECTION_FLOOR: f64 = 1e-24;

pub(crate) fn blend(a: Vector, b: Vector, s: f64) -> Vector {
    [0, 1, 2].map(|k| (1.0 - s) * a[k] + s * b[k])
}

/// The vertices in `bits`, ascending.
fn members(bits: u8) -> ([u8; 3], usize) {
    let mut found = [0; 3];
    let mut count = 0;
    for vertex in 0..3 {
        if bits >> vertex & 1 == 1 {
            found[count] = vertex;
            count += 1;
        }
    }
    (found, count)
}

impl Feature {
    /// The feature of the vertices of both simplices that carry the contact.
    pub(crate) fn from_supports(a: u8, b: u8) -> Self {
        let ([p, q, _], of_a) = members(a);
        let ([r, t, _], of_b) = members(b);
        match (of_a, of_b) {
            (1, 3) => Self::VertexFace { vertex: p },
            (3, 1) => Self::FaceVertex { vertex: r },
            (2, 2) => Self::EdgeEdge { a: [p, q], b: [r, t] },
            (1, 2) => Self::VertexEdge { vertex: p, edge: [r, t] },
            (2, 1) => Self::EdgeVertex { edge: [p, q], vertex: r },
            (2, _) => Self::EdgeFace { edge: [p, q] },
            (3, _) => Self::FaceEdge { edge: [r, t] },
            _ => Self::VertexVertex { a: p, b: r },
        }
    }

    /// Vertices of both triangles, as bits.
    pub(crate) fn supports(self) -> (u8, u8) {
        let edge = |[p, q]: [u8; 2]| 1 << p | 1 << q;
        match self {
            Self::VertexFace { vertex } => (1 << vertex, 7),
            Self::FaceVertex { vertex } => (7, 1 << vertex),
            Self::EdgeEdge { a, b } => (edge(a), edge(b)),
            Self::VertexEdge { vertex, edge: e } => (1 << vertex, edge(e)),
            Self::EdgeVertex { edge: e, vertex } => (edge(e), 1 << vertex),
            Self::VertexVertex { a, b } => (1 << a, 1 << b),
            Self::EdgeFace { edge: e } => (edge(e), 7),
            Self::FaceEdge { edge: e } => (7, edge(e)),
        }
    }
}

/// Point and normal at time `s`, for two triangles and the feature in contact then.
pub(crate) fn first_touch(a: &MovingTriangle, b: &MovingTriangle, feature: Feature, s: f64) -> FirstTouch {
    let at = |triangle: &MovingTriangle| [0, 1, 2].map(|k| blend(triangle.begin[k], triangle.end[k], s));
    let (pa, pb) = (at(a), at(b));
    let (bits_a, bits_b) = feature.supports();
    let ((ia, na), (ib, nb)) = (members(bits_a), members(bits_b));
    let pick = |p: &[Vector; 3], (index, count): ([u8; 3], usize)| {
        let mut chosen = [p[usize::from(index[0])]; 3];
        for k in 0..count {
            chosen[k] = p[usize::from(index[k])];
        }
        chosen
    };
    let (fa, fb) = (pick(&pa, (ia, na)), pick(&pb, (ib, nb)));
    let point = match (na, nb) {
        (1, _) => fa[0],
        (_, 1) => fb[0],
        (2, 2) => closest_on_edge(fa, fb),
        (2, _) => pierce(fa, fb),
        _ => pierce(fb, fa),
    };
    let velocity = |triangle: &MovingTriangle, p: &[Vector; 3]| {
        let weights = barycentric(p, point);
        let moved = [0, 1, 2].map(|k| minus(&triangle.end[k], &triangle.begin[k]));
        [0, 1, 2].map(|k| (0..3).map(|i| weights[i] * moved[i][k]).sum::<f64>())
    };
    let approach = minus(&velocity(b, &pb), &velocity(a, &pa));
    let centre = |p: &[Vector; 3]| [0, 1, 2].map(|k| (p[0][k] + p[1][k] + p[2][k]) / 3.0);
    let between = minus(&centre(&pb), &centre(&pa));
    let scale = [&pa, &pb].into_iter().flat_map(|p| (0..3).map(|k| minus(&p[k], &p[(k + 1) % 3])));
    let scale = scale.map(|e| dot(&e, &e)).fold(f64::MIN_POSITIVE, f64::max);
    let (da, db) = (minus(&fa[1], &fa[0]), minus(&fb[1], &fb[0]));
    let direct = match (na, nb) {
        (3, 1 | 2) | (1 | 2, 3) => {
            let face = if na == 3 { &pa } else { &pb };
            unit(cross(&minus(&face[1], &face[0]), &minus(&face[2], &face[0])), scale * scale)
        }
        (2, 2) => unit(cross(&da, &db), scale * scale),
        _ => None,
    };
    // In fewer dimensions there is a choice: against the approach, across the edge if there is one.
    let edge = if na == 2 { da } else { db };
    let across = |v: Vector| {
        let length = dot(&edge, &edge);
        let along = if length > 0.0 && na.max(nb) == 2 { dot(&v, &edge) / length } else { 0.0 };
        minus(&v, &edge.map(|x| x * along))
    };
    let normal = direct
        .or_else(|| unit(across(approach), dot(&approach, &approach)))
        .or_else(|| unit(across(between), scale))
        .or_else(|| unit(across([1.0, 0.0, 0.0]), 1.0))
        .or_else(|| unit(across([0.0, 1.0, 0.0]), 1.0))
        .unwrap_or([0.0, 0.0, 1.0]);
    // Before the touch B was on the side from which it comes; at rest, on the side of its centre.
    let speed = dot(&normal, &approach);
    let slow = DIRECTION_FLOOR.sqrt() * dot(&approach, &approach).sqrt();
    let side = if speed.abs() > slow { -speed } else { dot(&normal, &between) };
    FirstTouch { feature, point, normal: if side < 0.0 { normal.map(|x| -x) } else { normal } }
}

/// Normalises `v`; `None` if it is tiny against the squared length `scale`.
fn unit(v: Vector, scale: f64) -> Option<Vector> {
    let square = dot(&v, &v);
    (square > DIRECTION_FLOOR * scale && square.is_normal()).then(|| {
        let length = square.sqrt();
        v.map(|x| x / length)
    })
}

/// The point of an edge nearest to the line of another.
pub(crate) fn closest_on_edge(a: [Vector; 3], b: [Vector; 3]) -> Vector {
    let (da, db, offset) = (minus(&a[1], &a[0]), minus(&b[1], &b[0]), minus(&b[0], &a[0]));
    let normal = cross(&da, &db);
    let square = dot(&normal, &normal);
    let t = if square > 0.0 {
        dot(&cross(&offset, &db), &normal) / square
    } else {
        let length = dot(&da, &da);
        if length > 0.0 { dot(&offset, &da) / length } else { 0.0 }
    };
    blend(a[0], a[1], t.clamp(0.0, 1.0))
}

/// The intersection of an edge with the plane of a face.
fn pierce(edge: [Vector; 3], face: [Vector; 3]) -> Vector {
    let normal = cross(&minus(&face[1], &face[0]), &minus(&face[2], &face[0]));
    let (from, to) = (dot(&normal, &minus(&edge[0], &face[0])), dot(&normal, &minus(&edge[1], &face[0])));
    let t = if from == to { 0.0 } else { from / (from - to) };
    blend(edge[0], edge[1], t.clamp(0.0, 1.0))
}

/// Barycentric weights of a point near a triangle; equal weights if the triangle has no area.
fn barycentric(p: &[Vector; 3], point: Vector) -> Vector {
    let normal = cross(&minus(&p[1], &p[0]), &minus(&p[2], &p[0]));
    let square = dot(&normal, &normal);
    if !square.is_normal() {
        return [1.0 / 3.0; 3];
    }
    [0, 1, 2].map(|k| {
        let (q, r) = (p[(k + 1) % 3], p[(k + 2) % 3]);
        dot(&normal, &cross(&minus(&q, &point), &minus(&r, &point))) / square
    })
}
