//! Constraints from closest points: where a proposal ends within a margin of the body, or beyond its surface.
//!
//! Points of the cloth (vertices, middles of edges and of triangles) look for the body, and vertices of the body look for
//! the cloth. It is a heuristic that costs little. Trials find the contacts that it misses.

use crate::cloth::Cloth;
use crate::response::{BodyStep, Constraint, Scene, closest_pair};
use crate::vector::{V, blend, closest, dot, length, scale, sub};

type Failure = Box<dyn std::error::Error>;

/// How far beyond the surface a point may end and be brought back, metres.
const DEEPEST: f64 = 0.03;
/// Triangles with a corner this near to the body have their middles tested too, metres.
const NEAR: f64 = 0.04;
/// The cosine from which two gaps are on the same side, or on opposite sides.
const SAME_SIDE: f64 = 0.3;

/// Returns the constraints of a proposal; vertices that are inside of the body at the begin are pushed out.
pub(crate) fn near(
    scene: Scene,
    cloth: &Cloth,
    body: &mut BodyStep<'_>,
    proposed: &[V],
    is_inside: &[bool],
) -> Result<Vec<Constraint>, Failure> {
    let mut constraints = Vec::new();
    let of_cloth = OfCloth { scene, cloth, body, proposed, is_inside };
    let mut is_near = vec![false; proposed.len()];
    for vertex in 0..proposed.len() {
        is_near[vertex] = of_cloth.point([vertex; 3], [1.0, 0.0, 0.0], &mut constraints)? < NEAR;
    }
    for corners in &cloth.triangles {
        let [a, b, c] = corners.map(|vertex| vertex as usize);
        if !(is_near[a] || is_near[b] || is_near[c]) {
            continue;
        }
        of_cloth.point([a, b, c], [1.0 / 3.0; 3], &mut constraints)?;
        // An edge belongs to two triangles, which list its ends in opposite orders.
        for vertices in [[a, b, c], [b, c, a], [c, a, b]].into_iter().filter(|[i, j, _]| i < j) {
            of_cloth.point(vertices, [0.5, 0.5, 0.0], &mut constraints)?;
        }
    }
    of_body(scene, cloth, body, proposed, is_inside, &mut constraints)?;
    Ok(constraints)
}

/// The unit vector along which the gap must grow, if there is such: gaps before and after the step, from body to cloth.
fn side(margin: f64, before: V, after: V) -> Option<V> {
    let (short, long) = (length(before), length(after));
    let along = dot(before, after);
    if long <= 1e-6 {
        None
    } else if along < -SAME_SIDE * short * long {
        (short.max(long) < DEEPEST).then(|| scale(after, -1.0 / long))
    } else {
        (long < margin && along > SAME_SIDE * short * long).then(|| scale(after, 1.0 / long))
    }
}

struct OfCloth<'a> {
    scene: Scene,
    cloth: &'a Cloth,
    body: &'a BodyStep<'a>,
    proposed: &'a [V],
    is_inside: &'a [bool],
}

impl OfCloth<'_> {
    /// Appends the constraint of a point of the cloth; returns its distance to the body.
    fn point(&self, vertices: [usize; 3], at: V, constraints: &mut Vec<Constraint>) -> Result<f64, Failure> {
        let after = blend(vertices.map(|vertex| self.proposed[vertex]), at);
        if !self.body.ahead.bounds().grown(NEAR).contains(&after) {
            return Ok(f64::INFINITY);
        }
        let found = self.body.ahead.closest_point(after)?;
        let [from, target] = closest_pair(self.body, found.triangle, found.point);
        let before = blend(vertices.map(|vertex| self.cloth.positions[vertex]), at);
        let normal = if vertices.iter().any(|&vertex| self.is_inside[vertex]) {
            self.outward(after, target)?
        } else {
            side(self.scene.margin, sub(before, from), sub(after, target))
        };
        if let Some(normal) = normal {
            constraints.push(Constraint { vertices, weights: at, normal, target, way: sub(target, from) });
        }
        Ok(length(sub(found.point, after)))
    }

    /// The unit vector out of the body at its closest point, if the point is inside or within the margin.
    fn outward(&self, point: V, closest: V) -> Result<Option<V>, Failure> {
        let gap = sub(point, closest);
        let (long, is_inside) = (length(gap), self.body.ahead.is_inside(point)?);
        let is_near = long > 1e-6 && (is_inside || long < self.scene.margin);
        Ok(is_near.then(|| scale(gap, if is_inside { -1.0 } else { 1.0 } / long)))
    }
}

/// Appends the constraints of vertices of the body.
fn of_body(
    scene: Scene,
    cloth: &Cloth,
    body: &mut BodyStep<'_>,
    proposed: &[V],
    is_inside: &[bool],
    constraints: &mut Vec<Constraint>,
) -> Result<(), Failure> {
    body.sheet.refit(proposed)?;
    let reach = body.sheet.bounds().grown(DEEPEST);
    for (&from, &target) in body.begin.iter().zip(body.end).filter(|(_, target)| reach.contains(target)) {
        let found = body.sheet.closest_point(target)?;
        let vertices = cloth.triangles[found.triangle as usize].map(|vertex| vertex as usize);
        if vertices.iter().any(|&vertex| is_inside[vertex]) {
            continue;
        }
        let weights = closest(vertices.map(|vertex| proposed[vertex]), found.point);
        let before = blend(vertices.map(|vertex| cloth.positions[vertex]), weights);
        if let Some(normal) = side(scene.margin, sub(before, from), sub(found.point, target)) {
            constraints.push(Constraint { vertices, weights, normal, target, way: sub(target, from) });
        }
    }
    Ok(())
}
