//! Closest points of surfaces.

use super::crossing::Site;
use super::error::GeometryError;
use super::surface::{Surface, checked_point};
use crate::math::vector::{Vector, cross, distance, dot, minus, plus, times};
use crate::narrow::proximity::{ROOM, refined_weights};

/// The point of a surface that is closest to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestPoint {
    /// Where it is, metres.
    pub point: [f64; 3],
    /// Distance, metres.
    pub distance: f64,
    /// The triangle; of triangles at equal distance, one of them.
    pub triangle: u32,
    /// The part of the triangle on which the point lies, up to rounding.
    pub site: Site,
}

impl Surface {
    /// Returns the point of the surface closest to `point`, metres.
    ///
    /// The error of the distance is at most 2⁻⁴⁶ times the largest coordinate of the surface and
    /// the point, for triangles whose angles exceed 10⁻⁴ radians; up to 2⁻²⁶ for thinner ones. The
    /// result is a point of the surface up to rounding, so the distance is never too small.
    /// O(log n) for points near the surface.
    ///
    /// # Errors
    /// [`GeometryError::Point`].
    pub fn closest_point(&self, point: [f64; 3]) -> Result<ClosestPoint, GeometryError> {
        Ok(self.closest(&checked_point(point)?, false))
    }

    /// Returns the distance to the surface, negative for points inside of it; metres. A surface
    /// without closed parts has no inside. Error and cost: [`Surface::closest_point`].
    ///
    /// # Errors
    /// [`GeometryError::Point`].
    pub fn signed_distance(&self, point: [f64; 3]) -> Result<f64, GeometryError> {
        let point = checked_point(point)?;
        let distance = self.closest(&point, false).distance;
        Ok(if self.encloses(&point) { -distance } else { distance })
    }

    /// The closest point, on closed parts only if `solid` is set (there must be one).
    pub(super) fn closest(&self, point: &Vector, solid: bool) -> ClosestPoint {
        let mut best = Best { square: f64::INFINITY, found: None };
        self.improve_closest(point, solid, -1.0, &mut best);
        let (triangle, (foot, site)) = best.found.unwrap_or((0, (self.positions[0], Site::Vertex(0))));
        ClosestPoint { point: foot, distance: distance(point, &foot), triangle, site }
    }

    /// The closest point on closed parts, or any point of them at most `enough` metres away. Tests
    /// a triangle before the traversal: a good guess prunes most nodes.
    pub(super) fn closest_or_near(&self, point: &Vector, guess: Option<u32>, enough: f64) -> ClosestPoint {
        let mut best = Best { square: f64::INFINITY, found: None };
        if let Some(triangle) = guess {
            best.test(self, point, triangle);
        }
        let enough = if enough > 0.0 { enough * enough } else { -1.0 };
        self.improve_closest(point, true, enough, &mut best);
        let (triangle, (foot, site)) = best.found.unwrap_or((0, (self.positions[0], Site::Vertex(0))));
        ClosestPoint { point: foot, distance: distance(point, &foot), triangle, site }
    }

    /// Searches a closer point until the square of the distance is at most `enough`.
    fn improve_closest(&self, point: &Vector, solid: bool, enough: f64, best: &mut Best) {
        if best.square <= enough {
            return;
        }
        let (topology, boxes, has_solid) = (self.fixed.topology(), self.boxes(), self.fixed.has_solid());
        let mut stack: Vec<(f64, u32)> = Vec::with_capacity(64);
        stack.push((boxes[0].square_distance(point), 0));
        while let Some((square, node)) = stack.pop() {
            if square >= best.square || (solid && !has_solid[node as usize]) {
                continue;
            }
            let children = topology.node(node).children();
            if let &[left, right] = children {
                let nodes = [left, right].map(|child| (boxes[child as usize].square_distance(point), child));
                let far_first = nodes[0].0 > nodes[1].0;
                stack.push(nodes[usize::from(!far_first)]);
                stack.push(nodes[usize::from(far_first)]);
                continue;
            }
            for &triangle in topology.primitives(node) {
                if !solid || self.is_solid(triangle) {
                    best.test(self, point, triangle);
                }
            }
            if best.square <= enough {
                return;
            }
        }
    }
}

/// The best point so far.
struct Best {
    square: f64,
    found: Option<(u32, (Vector, Site))>,
}

impl Best {
    #[inline]
    fn test(&mut self, surface: &Surface, point: &Vector, triangle: u32) {
        let (foot, site) = closest_on_triangle(point, &surface.triangle(triangle));
        let gap = minus(&foot, point);
        let square = dot(&gap, &gap);
        if square < self.square || self.found.is_none() {
            *self = Self { square, found: Some((triangle, (foot, site))) };
        }
    }
}

/// Square of the sine of a corner's angle below which a triangle is a sliver (unitless). Weights of
/// a foot on a sliver have large errors, so its edges are tried too.
const SLIVER: f64 = 1e-8;

/// The same below which a corner is sharp, and weights of a foot are refined.
const SHARP: f64 = 1.0 / 256.0;

/// The point of a triangle closest to a point, and its site. The triangle may have no area.
///
/// Vertex and edge regions as in C. Ericson, *Real-Time Collision Detection* (2005), section 5.1.5;
/// here the foot on the face is accepted only if its weights are positive, and the nearest of the
/// three edges decides otherwise.
pub(crate) fn closest_on_triangle(point: &Vector, triangle: &[Vector; 3]) -> (Vector, Site) {
    let [p, q, r] = triangle;
    let (u, v, w) = (minus(q, p), minus(r, p), minus(point, p));
    let normal = cross(&u, &v);
    let square = dot(&normal, &normal);
    let second = dot(&cross(&w, &v), &normal);
    let third = dot(&cross(&u, &w), &normal);
    if square > 0.0 && second > 0.0 && third > 0.0 && second + third < ROOM * square {
        let edges = dot(&u, &u) * dot(&v, &v);
        let foot = if square > SHARP * edges {
            let offset = plus(&times(&u, second / square), &times(&v, third / square));
            (second + third < square).then_some(offset)
        } else {
            let weights = refined_weights([&u, &v, &w], &normal, [second / square, third / square]);
            weights.map(|[x, y]| plus(&times(&u, x), &times(&v, y)))
        };
        if let Some(offset) = foot {
            let foot = plus(p, &offset);
            // Slivers: weights with large errors may miss a nearer point of an edge.
            if square > SLIVER * edges {
                return (foot, Site::Face);
            }
            let (edge, site) = closest_on_edges(point, triangle);
            return if distance(point, &edge) < distance(point, &foot) { (edge, site) } else { (foot, Site::Face) };
        }
    }
    closest_on_edges(point, triangle)
}

fn closest_on_edges(point: &Vector, triangle: &[Vector; 3]) -> (Vector, Site) {
    let mut best = (f64::INFINITY, triangle[0], Site::Vertex(0));
    for from in 0..3 {
        let to = (from + 1) % 3;
        let (p, q) = (&triangle[from], &triangle[to]);
        let (along, w) = (minus(q, p), minus(point, p));
        let (share, square) = (dot(&w, &along), dot(&along, &along));
        let (foot, site) = if share <= 0.0 {
            (*p, Site::Vertex(from as u8))
        } else if share >= square {
            (*q, Site::Vertex(to as u8))
        } else {
            (plus(p, &times(&along, share / square)), Site::Edge(from as u8))
        };
        let gap = minus(point, &foot);
        let square = dot(&gap, &gap);
        if square < best.0 {
            best = (square, foot, site);
        }
    }
    (best.1, best.2)
}
