//! Convex hulls of points, with a radius: their distance from a triangle, and when a moving one
//! meets it.
//!
//! Distances are found as by E. Gilbert, D. Johnson and S. Keerthi, "A fast procedure for computing
//! the distance between complex objects in three-dimensional space" (1988): the point nearest to
//! the origin of the differences *corner − point*, of which a simplex of at most four is kept. A
//! direction from the hull to the triangle bounds the distance from below.
//!
//! A moving hull is advanced by that bound (B. Mirtich, "Impulse-based dynamic simulation of rigid
//! body systems", 1996, section 2.3): the triangle is not met before, and the distance is a convex
//! function of the time, so the steps are those of Newton's method from the left.

use crate::math::Aabb;
use crate::math::vector::{Vector, cross, dot, largest, minus};
use crate::narrow::volume_sign;
use crate::world::query::spatial::shapes::foot_weights;

/// Share of the largest extent by which a hull and a triangle may be apart where they count as
/// touching (unitless).
const TOLERANCE: f64 = 1.0 / 68_719_476_736.0;
/// Steps of a moving hull, far more than are needed: a step at least halves the remainder.
const MOST_STEPS: usize = 256;

/// The convex hull of points, all within a radius of it included. Positions are relative to its
/// first point.
#[derive(Clone, Debug)]
pub(super) struct Hull {
    pub(super) origin: Vector,
    points: Vec<Vector>,
    pub(super) radius: f64,
    /// The bounds of the points.
    pub(super) bounds: Aabb,
    extent: f64,
}

/// A hull that touches a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// When, in lengths of the direction.
    pub(super) time: f64,
    /// The weights of the triangle's corners that give the nearest point.
    pub(super) weights: [f64; 3],
    /// The unit vector from the hull to the triangle; `None` where they overlap from the start.
    pub(super) towards: Option<Vector>,
}

/// How far a hull, without its radius, and a triangle are apart.
struct Separation {
    /// A bound from below, metres, 0 at least.
    lower: f64,
    /// The direction of that bound, from the hull to the triangle; `None` if they overlap.
    towards: Option<Vector>,
    weights: [f64; 3],
}

/// At most four differences, with the hull's points and the triangle's corners.
#[derive(Default)]
struct Simplex {
    vertices: Vec<(Vector, usize, usize)>,
    weights: [f64; 4],
}

impl Hull {
    /// The hull of at least one point. Positions are finite.
    pub(super) fn new(points: &[Vector], radius: f64) -> Option<Self> {
        let origin = *points.first()?;
        let points: Vec<Vector> = points.iter().map(|point| minus(point, &origin)).collect();
        let extent = radius.max(largest(&points));
        Some(Self { origin, bounds: Aabb::of_points(&points), points, radius, extent })
    }

    /// How far the hull may be from what it counts as touching, metres, given the largest extent
    /// of that.
    pub(super) fn tolerance(&self, extent: f64) -> f64 {
        TOLERANCE * self.extent.max(extent)
    }

    /// When the moving hull first touches a triangle, grown by `more` metres; at most at `limit`.
    pub(super) fn first_touch(
        &self,
        direction: &Vector,
        limit: f64,
        corners: &[Vector; 3],
        more: f64,
    ) -> Option<Touch> {
        let corners = corners.map(|corner| minus(&corner, &self.origin));
        let reach = self.radius + more;
        let tolerance = self.tolerance(more.max(largest(&corners)));
        let (mut time, mut plane) = (0.0, None);
        for _ in 0..MOST_STEPS {
            let near = self.separation(&direction.map(|x| x * time), &corners, tolerance);
            let gap = near.lower - reach;
            let Some(normal) = near.towards.filter(|_| gap > tolerance) else {
                // Where next to nothing is in between, the last plane tells the direction.
                let towards = near.towards.filter(|_| near.lower > 64.0 * tolerance).or(plane);
                return Some(Touch { time, weights: near.weights, towards });
            };
            let speed = dot(&normal, direction);
            let next = time + gap / speed;
            if !(speed > 0.0 && next <= limit) {
                return None;
            }
            if next == time {
                return Some(Touch { time, weights: near.weights, towards: Some(normal) });
            }
            (time, plane) = (next, Some(normal));
        }
        None
    }

    /// Whether the hull touches a triangle, grown by `more` metres.
    pub(super) fn touches(&self, corners: &[Vector; 3], more: f64) -> bool {
        self.first_touch(&[0.0; 3], 0.0, corners, more).is_some()
    }

    /// How far the moved hull and a triangle are apart, within an eighth of the tolerance.
    fn separation(&self, shift: &Vector, corners: &[Vector; 3], tolerance: f64) -> Separation {
        let difference =
            |corner: usize, point: usize| (minus(&minus(&corners[corner], &self.points[point]), shift), corner, point);
        let mut simplex = Simplex { vertices: vec![difference(0, 0)], ..Simplex::default() };
        let (mut lower, mut towards, mut last) = (0.0, None, f64::INFINITY);
        loop {
            let nearest = simplex.reduce();
            let distance = dot(&nearest, &nearest).sqrt();
            if !(distance > 0.125 * tolerance) {
                return Separation { lower: 0.0, towards: None, weights: simplex.corner_weights() };
            }
            let normal = nearest.map(|x| x / distance);
            let most = |values: &[Vector], sign: f64| {
                let along = |at: &usize| sign * dot(&normal, &values[*at]);
                (0..values.len()).max_by(|a, b| along(a).total_cmp(&along(b))).unwrap_or(0)
            };
            let vertex = difference(most(corners, -1.0), most(&self.points, 1.0));
            let bound = dot(&normal, &vertex.0);
            if bound > lower || towards.is_none() {
                (lower, towards) = (bound.max(0.0), Some(normal));
            }
            let is_known = simplex.vertices.iter().any(|known| (known.1, known.2) == (vertex.1, vertex.2));
            // Distances decrease up to rounding.
            if distance - bound <= 0.125 * tolerance || is_known || distance >= last {
                return Separation { lower, towards, weights: simplex.corner_weights() };
            }
            last = distance;
            simplex.vertices.push(vertex);
        }
    }
}

impl Simplex {
    /// The point nearest to the origin, which is zero if the origin is inside. Vertices without
    /// weight are dropped.
    fn reduce(&mut self) -> Vector {
        let at = |vertex: usize| self.vertices[vertex].0;
        let (nearest, weights) = match self.vertices.len() {
            1 => (at(0), [1.0, 0.0, 0.0, 0.0]),
            2 => with_weights(&[at(0), at(1), at(1)], [0, 1, 1]),
            3 => with_weights(&[at(0), at(1), at(2)], [0, 1, 2]),
            _ => {
                let corners = [at(0), at(1), at(2), at(3)];
                inside_weights(&corners).map_or_else(|| nearest_face(&corners), |weights| ([0.0; 3], weights))
            }
        };
        let kept: Vec<usize> = (0..self.vertices.len()).filter(|&vertex| weights[vertex] > 0.0).collect();
        self.vertices = kept.iter().map(|&vertex| self.vertices[vertex]).collect();
        self.weights = [0.0; 4];
        kept.iter().enumerate().for_each(|(place, &vertex)| self.weights[place] = weights[vertex]);
        nearest
    }

    /// The weights of the triangle's corners.
    fn corner_weights(&self) -> [f64; 3] {
        let mut sums = [0.0; 3];
        self.vertices.iter().zip(self.weights).for_each(|(vertex, weight)| sums[vertex.1] += weight);
        let sum: f64 = sums.iter().sum();
        sums.map(|weight| weight / sum)
    }
}

/// The point of a triangle nearest to the origin, and the weights of its corners at their places.
fn with_weights(corners: &[Vector; 3], places: [usize; 3]) -> (Vector, [f64; 4]) {
    let (foot, own) = foot_weights(&[0.0; 3], corners);
    let mut weights = [0.0; 4];
    places.iter().zip(own).for_each(|(&place, weight)| weights[place] += weight);
    (foot, weights)
}

/// The point of a tetrahedron's faces nearest to the origin.
fn nearest_face(corners: &[Vector; 4]) -> (Vector, [f64; 4]) {
    let faces = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];
    let feet = faces.map(|face| with_weights(&face.map(|corner| corners[corner]), face));
    let square = |foot: &(Vector, [f64; 4])| dot(&foot.0, &foot.0);
    feet.into_iter().min_by(|a, b| square(a).total_cmp(&square(b))).unwrap_or_default()
}

/// The weights of the corners that give the origin, if it lies in a tetrahedron with volume.
fn inside_weights(corners: &[Vector; 4]) -> Option<[f64; 4]> {
    let volume = |[a, b, c, d]: &[Vector; 4]| volume_sign(a, b, c, d);
    let whole = volume(corners);
    let mut weights = [0.0; 4];
    for corner in 0..4 {
        let mut part = *corners;
        part[corner] = [0.0; 3];
        let sign = volume(&part);
        if whole == 0 || (sign != 0 && sign != whole) {
            return None;
        }
        let [a, b, c] = [1, 2, 3].map(|step| corners[(corner + step) % 4]);
        weights[corner] = dot(&a, &cross(&b, &c)).abs();
    }
    let sum: f64 = weights.iter().sum();
    (sum > 0.0).then(|| weights.map(|weight| weight / sum))
}
