//! The crossing curve of two surfaces: the common points of pairs of triangles.

use super::crossing::{CrossingShape, Site, common_points};
use super::measure::unordered;
use super::resting::{Touch, edges_of};
use super::sides::turn;
use super::surface::Surface;
use crate::math::Aabb;
use crate::math::vector::{Vector, distance, plus, times};
use crate::threads;

/// A part of a surface that names a segment: a triangle, or an edge by its welded vertices.
type Support = [u32; 2];

/// A segment that two triangles have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) pair: [u32; 2],
    /// From begin to end in the direction of n₀ × n₁.
    pub(super) ends: [Vector; 2],
    /// Per end, its sites on both triangles.
    pub(super) sites: [[Site; 2]; 2],
    /// See `crossing::Oriented`.
    pub(super) rests_above: [bool; 2],
    /// Whether the triangles do not cross there: they are coplanar and meet at edges, or one of
    /// them is a segment in the plane of the other.
    pub(super) is_flat: bool,
    /// Whether another piece is the same segment, seen from the other triangle of an edge.
    is_repeated: bool,
    /// Whether the segment lies on an edge of each of its triangles.
    pub(super) is_along_edge: [bool; 2],
    /// What equal segments have in common; of one surface in either order, hence sorted.
    supports: [Support; 2],
}

/// What pairs of triangles have in common.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// Segments, by pair.
    pub(super) segments: Vec<Piece>,
    /// Pairs that touch, each once; ascending, of one surface before they are turned.
    pub(super) touching: Vec<[u32; 2]>,
    /// How each triangle of these pairs touches the other one.
    pub(super) touches: Vec<[Touch; 2]>,
    /// Pairs that are coplanar and overlap.
    pub(super) coplanar: Vec<[u32; 2]>,
    /// Length of the crossing curve, metres.
    pub(super) length: f64,
    /// Total area of coplanar overlaps, square metres.
    pub(super) overlap: f64,
    pub(super) centre: Vector,
    pub(super) bounds: Option<Aabb>,
}

/// A weighted mean of points.
#[derive(Default)]
struct Mean {
    sum: Vector,
    weight: f64,
}

impl Mean {
    fn add(&mut self, point: &Vector, weight: f64) {
        self.sum = plus(&self.sum, &times(point, weight));
        self.weight += weight;
    }

    fn get(&self) -> Option<Vector> {
        (self.weight > 0.0).then(|| times(&self.sum, 1.0 / self.weight))
    }
}

impl Piece {
    /// Whether it is part of the crossing curve, which has each segment once.
    pub(super) fn is_of_curve(&self) -> bool {
        !self.is_flat && !self.is_repeated
    }
}

impl Pieces {
    /// Intersects pairs of existing triangles; pairs that do not touch are left out. Threads of the
    /// pool share the pairs.
    pub(super) fn new(a: &Surface, b: &Surface, pairs: &[[u32; 2]]) -> Self {
        Self::of([a, b], pairs.to_vec(), false)
    }

    /// The same for pairs of one surface, turned as by [`turn`]. A triangle with itself is left
    /// out.
    pub(super) fn of_self(surface: &Surface, pairs: &[[u32; 2]]) -> Self {
        Self::of([surface; 2], unordered(pairs), true)
    }

    fn of([a, b]: [&Surface; 2], mut pairs: Vec<[u32; 2]>, is_self: bool) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        if is_self {
            turn(a, &mut pairs);
        }
        let mut found = Self::default();
        let mut bounds = Aabb::EMPTY;
        let (mut along, mut over, mut points) = (Mean::default(), Mean::default(), Mean::default());
        let of_pair = |pair: &[u32; 2]| common_points(&a.triangle(pair[0]), &b.triangle(pair[1]));
        threads::map_in_order(&pairs, of_pair, |&pair, oriented| {
            let crossing = &oriented.crossing;
            let Some(point) = crossing.point() else {
                return;
            };
            found.touching.push(pair);
            found.touches.push(Touch::of(&oriented));
            points.add(&point, 1.0);
            let corners = crossing.corners();
            corners.iter().for_each(|corner| bounds.include(&corner.point));
            match crossing.shape() {
                CrossingShape::Segment => {
                    let mut supports = [(a, 0), (b, 1)].map(|(surface, side)| {
                        support(surface, pair[side], [corners[0].sites[side], corners[1].sites[side]])
                    });
                    let is_along_edge = supports.map(|support| support[1] != u32::MAX);
                    // The triangles around an edge may have lower and higher numbers than the one
                    // that it lies in.
                    if is_self {
                        supports.sort_unstable();
                    }
                    let ends = [corners[0].point, corners[1].point];
                    let sites = [corners[0].sites, corners[1].sites];
                    let rests_above = oriented.rests_above;
                    let (is_flat, is_repeated) = (oriented.is_flat, false);
                    let piece = Piece { pair, ends, sites, rests_above, is_flat, is_repeated, is_along_edge, supports };
                    found.segments.push(piece);
                }
                CrossingShape::Polygon => {
                    found.coplanar.push(pair);
                    found.overlap += crossing.area();
                    over.add(&point, crossing.area());
                }
                CrossingShape::Nothing | CrossingShape::Point => {}
            }
        });
        found.mark_repeated();
        for piece in found.segments.iter().filter(|piece| piece.is_of_curve()) {
            let length = distance(&piece.ends[0], &piece.ends[1]);
            found.length += length;
            along.add(&times(&plus(&piece.ends[0], &piece.ends[1]), 0.5), length);
        }
        found.centre = along.get().or(over.get()).or(points.get()).unwrap_or_default();
        found.bounds = (!found.touching.is_empty()).then_some(bounds);
        found
    }

    /// Triangles of one side that the crossing curve passes, several times each.
    pub(super) fn crossing_triangles(&self, side: usize) -> impl Iterator<Item = u32> {
        self.segments.iter().filter(|piece| !piece.is_flat).map(move |piece| piece.pair[side])
    }

    /// Marks all but one of the segments that lie on the same edges and triangles; the one is the
    /// first in which triangles cross, if there is any.
    fn mark_repeated(&mut self) {
        let mut order: Vec<usize> = (0..self.segments.len()).collect();
        order.sort_by_key(|&place| (self.segments[place].supports, self.segments[place].is_flat, place));
        for pair in order.windows(2) {
            self.segments[pair[1]].is_repeated = self.segments[pair[0]].supports == self.segments[pair[1]].supports;
        }
    }
}

/// The edge on which both ends of a segment lie, or else the triangle.
fn support(surface: &Surface, triangle: u32, sites: [Site; 2]) -> Support {
    let common = edges_of(sites[0]) & edges_of(sites[1]);
    if common == 0 {
        return [triangle, u32::MAX];
    }
    let edge = common.trailing_zeros() as usize;
    let corners = surface.fixed.welded[triangle as usize];
    let (p, q) = (corners[edge], corners[(edge + 1) % 3]);
    [p.min(q), p.max(q)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;

    /// A sheet of 24 × 24 cells of 1 m, which waves.
    fn sheet(phase: f64) -> Surface {
        let at = |x: u32, y: u32| 25 * y + x;
        let cells = (0..24).flat_map(|y| (0..24).map(move |x| (x, y)));
        let triangles: Vec<[u32; 3]> = cells
            .flat_map(|(x, y)| [[at(x, y), at(x + 1, y), at(x, y + 1)], [at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]])
            .collect();
        let vertex = |number: u32| {
            let [x, y] = [number % 25, number / 25].map(f64::from);
            [x + 0.3 * phase, y, libm::sin(1.7 * x + 0.9 * y + phase)]
        };
        let positions: Vec<[f64; 3]> = (0..625).map(vertex).collect();
        Surface::new(&Mesh::new(625, triangles).unwrap(), &positions).unwrap()
    }

    #[test]
    fn pieces_are_those_of_one_thread() {
        let (a, b) = (sheet(0.0), sheet(1.0));
        let pairs = crate::geometry::touching_pairs(&a, &b);
        let one = Pieces::new(&a, &b, &pairs);
        // More than two tasks of work.
        assert!(one.segments.len() > 300, "{}", one.segments.len());
        for count in [2, 3] {
            let several = threads::on(count, || Pieces::new(&a, &b, &pairs));
            assert_eq!(format!("{several:?}"), format!("{one:?}"), "{count} threads");
        }
    }
}
