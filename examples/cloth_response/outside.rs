//! Keeps points outside of a closed body that moves: closest points, the inside test, and motion
//! with the surface.

use kinetree::geometry::Surface;

use crate::MARGIN;
use crate::vector::{V, add, blend, closest, cross, dot, length, lerp, narrow, scale, sub, unit, wide};

/// Parts of a step at whose ends the surface of the body is known.
pub(crate) const SUBSTEPS: usize = 10;

type Failure = Box<dyn std::error::Error>;

/// The point of the surface that is closest to a point, and how far it is, metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) triangle: u32,
    pub(crate) weights: V,
    pub(crate) distance: f64,
}

/// The body over a step: it moves straight, and its surface is known at the end of each substep.
pub(crate) struct BodyStep<'a> {
    pub(crate) triangles: &'a [[u32; 3]],
    pub(crate) begin: &'a [V],
    pub(crate) end: &'a [V],
    /// At the begin, and at the end of each substep.
    pub(crate) surfaces: &'a [Surface],
}

impl BodyStep<'_> {
    /// The corners of a triangle after a part of the step.
    pub(crate) fn corners(&self, triangle: u32, s: f64) -> [V; 3] {
        self.triangles[triangle as usize].map(|vertex| lerp(self.begin[vertex as usize], self.end[vertex as usize], s))
    }

    /// A point of the surface after a part of the step.
    pub(crate) fn place(&self, touch: &Touch, s: f64) -> V {
        blend(self.corners(touch.triangle, s), touch.weights)
    }

    /// How a point of the surface moves in a substep.
    pub(crate) fn way(&self, touch: &Touch, substep: usize) -> V {
        sub(self.place(touch, part(substep)), self.place(touch, part(substep - 1)))
    }

    /// The longest way of a vertex in the step, metres.
    pub(crate) fn longest_way(&self) -> f64 {
        self.begin.iter().zip(self.end).map(|(&a, &b)| length(sub(b, a))).fold(0.0, f64::max)
    }

    /// The closest point at the end of a substep.
    pub(crate) fn touch(&self, substep: usize, point: V) -> Result<Touch, Failure> {
        let found = self.surfaces[substep].closest_point(point)?;
        let weights = closest(self.corners(found.triangle, part(substep)), found.point);
        Ok(Touch { triangle: found.triangle, weights, distance: found.distance })
    }

    /// How far a point is inside the body at the end of a substep, metres; 0 outside.
    pub(crate) fn depth(&self, substep: usize, point: V) -> Result<f64, Failure> {
        let surface = &self.surfaces[substep];
        Ok(if surface.is_inside(point)? { surface.closest_point(point)?.distance } else { 0.0 })
    }

    /// The unit vector from its closest point to a point outside, or from a point inside to its
    /// closest point.
    pub(crate) fn outward(&self, substep: usize, touch: &Touch, point: V, is_inside: bool) -> V {
        let gap = sub(point, self.place(touch, part(substep)));
        if length(gap) > 1e-6 {
            scale(gap, if is_inside { -1.0 } else { 1.0 } / length(gap))
        } else {
            self.axes(touch.triangle, part(substep))[2]
        }
    }

    /// The point outside above a surface point at the end of a substep, and its closest point: a
    /// margin away, or less where the body leaves no more room. `None` where it leaves none.
    pub(crate) fn above(&self, substep: usize, foot: V, normal: V) -> Result<Option<(V, Touch)>, Failure> {
        let mut height = MARGIN;
        while height > 1e-5 {
            let point = add(foot, scale(normal, height));
            if !self.surfaces[substep].is_inside(point)? {
                let touch = self.touch(substep, point)?;
                if touch.distance > 0.9 * height {
                    return Ok(Some((point, touch)));
                }
            }
            height *= 0.5;
        }
        Ok(None)
    }

    /// Where a point would be at the end of a span if it moved with the surface point closest to
    /// it.
    pub(crate) fn carried(&self, span: Span, point: V) -> Result<V, Failure> {
        let touch = self.touch(span.begin, point)?;
        let [before, after] = [span.begin, span.end].map(|substep| self.axes(touch.triangle, part(substep)));
        let gap = sub(point, self.place(&touch, part(span.begin)));
        let turned = (0..3).fold([0.0; 3], |sum, k| add(sum, scale(after[k], dot(before[k], gap))));
        Ok(add(self.place(&touch, part(span.end)), turned))
    }

    /// At how many ends of substeps a straight way is inside the body; the last one counts most.
    pub(crate) fn times_inside(&self, span: Span, from: V, to: V) -> Result<usize, Failure> {
        let mut count = 0;
        for substep in (span.begin + 1..=span.end).rev() {
            let weight = if substep == span.end { SUBSTEPS } else { 1 };
            let at = lerp(from, to, span.fraction(substep));
            count += weight * usize::from(self.surfaces[substep].is_inside(at)?);
        }
        Ok(count)
    }

    /// The end of a way that is outside of the body at the ends of all substeps: as proposed, or
    /// nearer to motion with the surface. If there is none, the way that is inside least often;
    /// `other` is one to choose from. Also whether the way found is outside.
    pub(crate) fn clear_way(&self, span: Span, from: V, to: V, other: Option<V>) -> Result<(V, bool), Failure> {
        let mut best = (self.times_inside(span, from, to)?, to);
        if best.0 > 0 {
            let carried = self.carried(span, from)?;
            let nearer = [0.75, 0.5, 0.25, 0.0].map(|s| wide(narrow(lerp(carried, to, s))));
            for nearer in nearer.into_iter().chain(other) {
                let count = self.times_inside(span, from, nearer)?;
                if count < best.0 {
                    best = (count, nearer);
                }
            }
        }
        Ok((best.1, best.0 == 0))
    }

    /// Two unit vectors along a triangle, and its normal, after a part of the step.
    fn axes(&self, triangle: u32, s: f64) -> [V; 3] {
        let [a, b, c] = self.corners(triangle, s);
        let normal = unit(cross(sub(b, a), sub(c, a)));
        let along = unit(sub(b, a));
        [along, cross(normal, along), normal]
    }
}

/// A part of a step, from the end of one substep to that of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) begin: usize,
    pub(crate) end: usize,
}

impl Span {
    /// Which part of the span the end of a substep is.
    pub(crate) fn fraction(self, substep: usize) -> f64 {
        (substep - self.begin) as f64 / (self.end - self.begin) as f64
    }

    /// The part of the step that a part of the span is.
    pub(crate) fn of_step(self, fraction: f64) -> f64 {
        part(self.begin) + fraction * (part(self.end) - part(self.begin))
    }
}

/// The part of a step up to the end of a substep.
pub(crate) fn part(substep: usize) -> f64 {
    substep as f64 / SUBSTEPS as f64
}

/// Points that keep their place in the axes of one triangle of the body.
pub(crate) struct Sewn {
    triangle: u32,
    /// Vertices, and where they are in these axes.
    points: Vec<(usize, V)>,
}

impl Sewn {
    /// Sews vertices to the triangle closest to their middle.
    pub(crate) fn new(body: &BodyStep<'_>, positions: &[V], vertices: Vec<usize>) -> Result<Self, Failure> {
        let middle = vertices.iter().fold([0.0; 3], |sum, &v| add(sum, positions[v]));
        let triangle = body.touch(0, scale(middle, 1.0 / vertices.len().max(1) as f64))?.triangle;
        let (axes, origin) = (body.axes(triangle, 0.0), body.corners(triangle, 0.0)[0]);
        let local = |v: usize| axes.map(|axis| dot(axis, sub(positions[v], origin)));
        Ok(Self { triangle, points: vertices.into_iter().map(|v| (v, local(v))).collect() })
    }

    /// Places the vertices after a part of the step.
    pub(crate) fn place(&self, body: &BodyStep<'_>, s: f64, positions: &mut [V]) {
        let (axes, origin) = (body.axes(self.triangle, s), body.corners(self.triangle, s)[0]);
        for &(vertex, local) in &self.points {
            positions[vertex] = (0..3).fold(origin, |sum, k| add(sum, scale(axes[k], local[k])));
        }
    }
}
