//! A tree over the triangles of a surface, for queries of distance and inside.
//!
//! **Distance** descends into the nearer box first and skips boxes farther than the best distance
//! so far. Ties between equally near triangles are broken by number, so the answer does not depend
//! on the tree. The result is rounded *down* by the error bound of the computation: a ball of that
//! radius about the point does not cross the surface.
//!
//! **Inside** is a generalised winding number: the solid angle of the surface seen from the point,
//! over 4π. It counts how often the surface winds around the point. For closed surfaces it is an
//! integer off their triangles. Near gaps it changes smoothly, where a parity of ray crossings
//! would flip. A distant cluster of triangles is approximated by one dipole (area-weighted normal
//! at the area-weighted centre).
//!
//! Cost: O(log triangles) per query, usually; O(triangles) storage. Follows Barill, Dickson,
//! Schmidt, Levin and Jacobson, *Fast winding numbers for soups and clouds* (2018). Departs from it
//! in using only the first term of their expansion, from a larger distance
//! (`tuning::DIPOLE_DISTANCE`).

use core::f64::consts::PI;

use nalgebra::Vector3;

use super::closest::Facet;
use crate::limits;
use crate::math::Aabb;
use crate::tuning;

/// Triangles per leaf.
const LEAF: usize = 4;

/// One node; the left child of an inner node follows it, the right child is at `right`.
#[derive(Clone, Debug)]
struct Node {
    bounds: Aabb,
    /// Range of triangles in tree order.
    first: u32,
    last: u32,
    /// The right child; 0 in leaves.
    right: u32,
    /// Sum of the area-weighted normals.
    dipole: Vector3<f64>,
    /// Area-weighted centre.
    centre: Vector3<f64>,
    /// Largest distance of a corner from the centre.
    reach: f64,
}

/// Triangles prepared for queries of distance and inside.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    nodes: Vec<Node>,
    /// Triangle numbers in tree order.
    order: Vec<u32>,
    /// Facets in tree order.
    facets: Vec<Facet>,
    /// Largest uncertainty of a facet, metres.
    uncertainty: f64,
}

/// The nearest point of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// Distance, metres, rounded down: never more than the true one.
    pub(super) distance: f64,
    /// The triangle; the first of equally near ones.
    pub(super) triangle: u32,
}

impl Surface {
    /// Builds the tree: halves by the median centre along the longest side of the centres' box. O(n
    /// log² n).
    pub(super) fn new(positions: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Self {
        let corners = |triangle: u32| triangles[triangle as usize].map(|vertex| positions[vertex as usize]);
        let vertices = triangles.as_flattened().iter().map(|&vertex| &positions[vertex as usize]);
        let reach = vertices.map(Vector3::amax).fold(0.0, f64::max);
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let centres: Vec<Vector3<f64>> =
            order.iter().map(|&triangle| corners(triangle).iter().sum::<Vector3<f64>>() / 3.0).collect();
        let mut nodes = Vec::with_capacity(triangles.len());
        let count = order.len();
        divide(&mut nodes, &mut order, 0, count, &centres, &corners);
        let facets: Vec<Facet> = order.iter().map(|&triangle| Facet::new(corners(triangle), reach)).collect();
        let uncertainty = facets.iter().map(|facet| facet.uncertainty).fold(0.0, f64::max);
        Self { nodes, order, facets, uncertainty }
    }

    /// The box of the surface.
    pub(super) fn bounds(&self) -> Aabb {
        self.nodes[0].bounds
    }

    /// The nearest triangle. O(log n) usually.
    pub(super) fn nearest(&self, point: &Vector3<f64>) -> Nearest {
        self.nearest_from(point, &mut 0)
    }

    /// [`Surface::nearest`], starting from the place found by the previous query; updates `place`.
    pub(super) fn nearest_from(&self, point: &Vector3<f64>, place: &mut usize) -> Nearest {
        let mut best = (self.distance_to(*place, point), self.order[*place]);
        // Skipped triangles are farther than the best even within their uncertainty: the answer
        // does not depend on the path.
        let slack = 2.0 * self.uncertainty + limits::ROUNDING * point.amax();
        let mut stack = [(0u32, 0.0f64); 64];
        stack[0] = (0, self.nodes[0].distance(point));
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (index, gap) = stack[height];
            if gap > best.0 + slack {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.right == 0 {
                for candidate in node.first as usize..node.last as usize {
                    let found = (self.distance_to(candidate, point), self.order[candidate]);
                    if found.0 < best.0 || (found.0 == best.0 && found.1 < best.1) {
                        best = found;
                        *place = candidate;
                    }
                }
                continue;
            }
            let [left, right] =
                [index + 1, node.right].map(|child| (child, self.nodes[child as usize].distance(point)));
            let (near, far) = if right.1 < left.1 { (right, left) } else { (left, right) };
            stack[height] = far;
            stack[height + 1] = near;
            height += 2;
        }
        let rounding = limits::ROUNDING * (best.0 + point.amax());
        Nearest { distance: (best.0 - rounding).max(0.0), triangle: best.1 }
    }

    /// The nearest triangle, and the shares of its corners in the point of it that is nearest.
    /// O(log n) usually.
    pub(super) fn foot(&self, point: &Vector3<f64>) -> (Nearest, [f64; 3]) {
        let mut place = 0;
        let nearest = self.nearest_from(point, &mut place);
        (nearest, self.facets[place].shares(point))
    }

    fn distance_to(&self, place: usize, point: &Vector3<f64>) -> f64 {
        let facet = &self.facets[place];
        (facet.closest(point).0.sqrt() - facet.uncertainty).max(0.0)
    }

    /// The number of times the surface winds around the point, counter-clockwise seen from outside.
    /// O(log n) usually.
    pub(super) fn winding_number(&self, point: &Vector3<f64>) -> f64 {
        let mut angle = 0.0;
        let mut stack = [0u32; 64];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let index = stack[height];
            let node = &self.nodes[index as usize];
            let away = node.centre - point;
            let squared = away.norm_squared();
            let far = tuning::DIPOLE_DISTANCE * node.reach;
            if squared > far * far {
                angle += node.dipole.dot(&away) / (squared * squared.sqrt());
            } else if node.right == 0 {
                for facet in &self.facets[node.first as usize..node.last as usize] {
                    angle += solid_angle(&facet.corners, point);
                }
            } else {
                stack[height] = node.right;
                stack[height + 1] = index + 1;
                height += 2;
            }
        }
        angle / (4.0 * PI)
    }

    /// Whether the surface winds around the point.
    pub(super) fn contains(&self, point: &Vector3<f64>) -> bool {
        self.bounds().contains(&(*point).into()) && self.winding_number(point) > limits::INSIDE_WINDING
    }

    /// The depth of a point inside, metres, rounded down; 0 outside.
    pub(super) fn depth(&self, point: &Vector3<f64>) -> f64 {
        if self.contains(point) { self.nearest(point).distance } else { 0.0 }
    }
}

impl Node {
    fn distance(&self, point: &Vector3<f64>) -> f64 {
        self.bounds.square_distance(&(*point).into()).sqrt()
    }
}

fn divide(
    nodes: &mut Vec<Node>,
    order: &mut [u32],
    first: usize,
    last: usize,
    centres: &[Vector3<f64>],
    corners: &impl Fn(u32) -> [Vector3<f64>; 3],
) {
    let own = &mut order[first..last];
    let index = nodes.len();
    nodes.push(summary(own, first, corners));
    if own.len() <= LEAF {
        return;
    }
    let mut spread = Aabb::EMPTY;
    own.iter().for_each(|&triangle| spread.include(&centres[triangle as usize].into()));
    let axis = spread.longest_axis();
    own.sort_unstable_by(|&a, &b| centres[a as usize][axis].total_cmp(&centres[b as usize][axis]).then(a.cmp(&b)));
    let middle = first + own.len() / 2;
    divide(nodes, order, first, middle, centres, corners);
    nodes[index].right = nodes.len() as u32;
    divide(nodes, order, middle, last, centres, corners);
}

fn summary(own: &[u32], first: usize, corners: &impl Fn(u32) -> [Vector3<f64>; 3]) -> Node {
    let mut bounds = Aabb::EMPTY;
    let (mut dipole, mut centre, mut plain, mut weight) = (Vector3::zeros(), Vector3::zeros(), Vector3::zeros(), 0.0);
    for &triangle in own {
        let [a, b, c] = corners(triangle);
        let normal = (b - a).cross(&(c - a)) * 0.5;
        let (area, middle) = (normal.norm(), (a + b + c) / 3.0);
        dipole += normal;
        centre += middle * area;
        plain += middle;
        weight += area;
        [a, b, c].iter().for_each(|corner| bounds.include(&(*corner).into()));
    }
    let centre = if weight > 0.0 { centre / weight } else { plain / own.len() as f64 };
    let reach =
        own.iter().flat_map(|&triangle| corners(triangle)).map(|corner| (corner - centre).norm()).fold(0.0, f64::max);
    Node { bounds, first: first as u32, last: (first + own.len()) as u32, right: 0, dipole, centre, reach }
}

/// Solid angle of a triangle seen from a point, positive from behind (van Oosterom and Strackee
/// 1983).
fn solid_angle(corners: &[Vector3<f64>; 3], point: &Vector3<f64>) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - point);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let volume = a.dot(&b.cross(&c));
    let base = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    // On a side or corner both are zero: return the angle 0 rather than NaN.
    if volume == 0.0 && base == 0.0 { 0.0 } else { 2.0 * libm::atan2(volume, base) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
        let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vector3::from);
        (positions.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    }

    #[test]
    fn winding_numbers_of_a_tetrahedron() {
        let (positions, triangles) = tetrahedron();
        let surface = Surface::new(&positions, &triangles);
        assert!((surface.winding_number(&Vector3::new(0.1, 0.2, 0.3)) - 1.0).abs() < 1e-12);
        assert!(surface.winding_number(&Vector3::new(0.5, 0.5, 0.5)).abs() < 1e-12);
        let turned: Vec<[u32; 3]> = triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
        let turned = Surface::new(&positions, &turned);
        assert!((turned.winding_number(&Vector3::new(0.1, 0.2, 0.3)) + 1.0).abs() < 1e-12);
    }

    #[test]
    fn equally_near_triangles_are_told_apart_by_number() {
        let (positions, triangles) = tetrahedron();
        let surface = Surface::new(&positions, &triangles);
        let nearest = surface.nearest(&Vector3::new(-1.0, -1.0, -1.0));
        assert_eq!(nearest.triangle, 0);
        assert!(nearest.distance <= 3.0_f64.sqrt() && nearest.distance > 1.732_050_8);
    }
}
