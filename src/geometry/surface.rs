//! A surface of triangles at one instant, with a tree of boxes.

use std::sync::{Arc, OnceLock};

use super::error::GeometryError;
use super::winding::Dipole;
use crate::bvh::{BuildParams, Builder, Topology, Width, tight_boxes};
use crate::limits;
use crate::math::Aabb;
use crate::math::vector::Vector;
use crate::mesh::{Lists, Mesh, Primitives, weld};

/// Most triangles in a leaf.
const LEAF_SIZE: usize = 4;

/// Triangles at one instant, for queries of distance, inside and penetration.
///
/// Built once for a mesh; [`Surface::refit`] gives it new positions. A clone shares all data that
/// does not depend on positions.
///
/// Vertices with equal positions at construction are welded. A *part* is a maximal set of triangles
/// connected by welded vertices. A part is *closed* if each of its edges is passed equally often in
/// both directions by its triangles, and at least one triangle has three different corners. Closed
/// parts bound a volume: its points have a winding number other than zero with respect to the
/// closed parts. Open parts bound nothing.
#[derive(Clone, Debug)]
pub struct Surface {
    pub(super) fixed: Arc<Fixed>,
    pub(super) positions: Vec<Vector>,
    /// Of all nodes; made at the first query that needs them.
    boxes: OnceLock<Vec<Aabb>>,
    /// Made at the first query of a winding number within a tolerance.
    pub(super) dipoles: OnceLock<Vec<Dipole>>,
}

/// Data that does not depend on positions.
#[derive(Debug)]
pub(super) struct Fixed {
    pub(super) triangles: Vec<[u32; 3]>,
    /// The same with the representatives of welded vertices.
    pub(super) welded: Vec<[u32; 3]>,
    /// The triangles around each representative.
    pub(super) around: Lists,
    /// Part of each triangle, numbered by first triangle; `u32::MAX` of removed triangles.
    pub(super) part: Vec<u32>,
    /// Per part: whether it is closed, and its triangles.
    pub(super) is_part_closed: Vec<bool>,
    pub(super) of_part: Lists,
    /// Made at the first query that needs it, but of the first positions: clones share it.
    tree: OnceLock<Tree>,
    first_positions: Vec<Vector>,
}

#[derive(Debug)]
struct Tree {
    topology: Topology,
    /// Per node: whether a triangle of a closed part is below.
    has_solid: Vec<bool>,
}

/// Triangles of which some may not be in use.
struct Used<'a> {
    /// `u32::MAX` of those that are not.
    part: &'a [u32],
    /// Corners of each triangle, then their representatives: boxes hold both.
    points: Vec<[u32; 6]>,
}

impl Primitives for Used<'_> {
    fn primitive_count(&self) -> usize {
        self.points.len()
    }

    fn points_of(&self, index: usize) -> &[u32] {
        &self.points[index]
    }

    fn is_used(&self, index: usize) -> bool {
        self.part[index] != u32::MAX
    }
}

impl Surface {
    /// Builds a surface of the triangles of a mesh, with one position per vertex, metres.
    /// Coordinates below 2⁻²⁰⁰ in magnitude count as 0. Points and segments of the mesh are
    /// triangles without area.
    ///
    /// O(n log n); the tree is built by the first query that needs it.
    ///
    /// # Errors
    /// [`GeometryError::Empty`], [`GeometryError::PositionCount`], [`GeometryError::Position`].
    ///
    /// ```
    /// use kinetree::Mesh;
    /// use kinetree::geometry::Surface;
    ///
    /// let tetrahedron = Mesh::new(4, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// let corners = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]];
    /// let surface = Surface::new(&tetrahedron, &corners)?;
    /// assert!(surface.is_closed());
    /// assert!(surface.is_inside([0.5, 0.5, 0.5])?);
    /// assert_eq!(surface.signed_distance([0.5, 0.5, 0.25])?, -0.25);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(mesh: &Mesh, positions: &[[f64; 3]]) -> Result<Self, GeometryError> {
        if mesh.triangle_count() == 0 {
            return Err(GeometryError::Empty);
        }
        let positions = checked(positions, mesh.vertex_count())?;
        let fixed = Arc::new(Fixed::new(mesh, &positions));
        Ok(Self { fixed, positions, boxes: OnceLock::new(), dipoles: OnceLock::new() })
    }

    /// Gives all vertices new positions. Triangles, welded vertices and parts remain. Nothing
    /// changes if an error is returned. O(n), as is the next query that needs the tree.
    ///
    /// If welded vertices separate, the inside of closed parts is bounded by the vertex of lowest
    /// number of each such group. Distances refer to the triangles as they are.
    ///
    /// # Errors
    /// [`GeometryError::PositionCount`], [`GeometryError::Position`].
    pub fn refit(&mut self, positions: &[[f64; 3]]) -> Result<(), GeometryError> {
        self.positions = checked(positions, self.positions.len())?;
        (self.boxes, self.dipoles) = (OnceLock::new(), OnceLock::new());
        Ok(())
    }

    /// Whether every part is closed.
    pub fn is_closed(&self) -> bool {
        self.fixed.is_part_closed.iter().all(|&is_closed| is_closed)
    }

    /// Whether some part is closed, hence whether the surface has an inside.
    pub fn has_closed_part(&self) -> bool {
        self.fixed.is_part_closed.contains(&true)
    }

    /// Whether a triangle belongs to a closed part; not, if it does not exist.
    pub fn is_part_closed(&self, triangle: u32) -> bool {
        let part = self.fixed.part.get(triangle as usize);
        part.is_some_and(|&part| part != u32::MAX && self.fixed.is_part_closed[part as usize])
    }

    /// Corners of a triangle, metres; `None` if it does not exist or was removed.
    pub fn corners(&self, triangle: u32) -> Option<[[f64; 3]; 3]> {
        self.has_triangle(triangle).then(|| self.triangle(triangle))
    }

    /// The box of all triangles.
    pub fn bounds(&self) -> Aabb {
        self.boxes()[0]
    }

    /// The boxes of all nodes of the tree.
    pub(super) fn boxes(&self) -> &[Aabb] {
        self.boxes.get_or_init(|| tight_boxes(self.fixed.topology(), &self.positions))
    }

    pub(super) fn has_triangle(&self, triangle: u32) -> bool {
        self.fixed.part.get(triangle as usize).is_some_and(|&part| part != u32::MAX)
    }

    pub(super) fn triangle(&self, triangle: u32) -> [Vector; 3] {
        self.fixed.triangles[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }

    /// The corners by welded vertices.
    pub(super) fn welded_triangle(&self, triangle: u32) -> [Vector; 3] {
        self.fixed.welded[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }

    pub(super) fn is_solid(&self, triangle: u32) -> bool {
        self.fixed.is_part_closed[self.fixed.part[triangle as usize] as usize]
    }
}

/// One coordinate within the range of the exact tests; `None` if it is not finite or too large.
pub(super) fn checked_coordinate(value: f64) -> Option<f64> {
    if !(value.abs() <= limits::MAX_COORDINATE) {
        return None;
    }
    Some(flushed(value))
}

fn flushed(value: f64) -> f64 {
    if value.abs() < limits::FLUSH { 0.0 } else { value }
}

fn checked(positions: &[Vector], expected: usize) -> Result<Vec<Vector>, GeometryError> {
    if positions.len() != expected {
        return Err(GeometryError::PositionCount { expected, found: positions.len() });
    }
    let values = positions.as_flattened();
    // All are looked at side by side, and the first bad one is searched only if there is one.
    if !values.iter().fold(true, |are_good, value| are_good & (value.abs() <= limits::MAX_COORDINATE))
        && let Some(place) = values.iter().position(|&value| checked_coordinate(value).is_none())
    {
        return Err(GeometryError::Position { vertex: place / 3, axis: place % 3, value: values[place] });
    }
    Ok(positions.iter().map(|point| point.map(flushed)).collect())
}

/// A queried point within the range of the exact tests.
pub(super) fn checked_point(mut point: Vector) -> Result<Vector, GeometryError> {
    for (axis, value) in point.iter_mut().enumerate() {
        *value = checked_coordinate(*value).ok_or(GeometryError::Point { axis, value: *value })?;
    }
    Ok(point)
}

impl Fixed {
    fn new(mesh: &Mesh, positions: &[Vector]) -> Self {
        let triangles = mesh.triangles().to_vec();
        let representative = weld(positions.len(), |vertex| positions[vertex]);
        let welded: Vec<[u32; 3]> =
            triangles.iter().map(|corners| corners.map(|vertex| representative[vertex as usize])).collect();
        let used: Vec<u32> = mesh.present().collect();
        let corners = used.iter().flat_map(|&triangle| {
            let corners = welded[triangle as usize];
            (0..3).filter(move |&k| !corners[..k].contains(&corners[k])).map(move |k| (corners[k], triangle))
        });
        let around = Lists::gather(positions.len(), corners);
        let (part, parts) = parts(&welded, &used, &around);
        let of_part = Lists::gather(parts, used.iter().map(|&triangle| (part[triangle as usize], triangle)));
        let is_part_closed = closed_parts(&welded, &used, &part, parts);
        let (tree, first_positions) = (OnceLock::new(), positions.to_vec());
        Self { triangles, welded, around, part, is_part_closed, of_part, tree, first_positions }
    }

    fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| {
            let params = BuildParams { builder: Builder::BinnedSurfaceArea, leaf_size: LEAF_SIZE, width: Width::Two };
            let points = self.triangles.iter().zip(&self.welded).map(|(own, other)| {
                let ([p, q, r], [s, t, u]) = (*own, *other);
                [p, q, r, s, t, u]
            });
            let used = Used { part: &self.part, points: points.collect() };
            let topology = Topology::build(&used, &self.first_positions, params);
            let mut has_solid = vec![false; topology.nodes().len()];
            for node in topology.upward() {
                let below = topology.children(node).any(|child| has_solid[child as usize]);
                let own =
                    topology.primitives(node).iter().any(|&t| self.is_part_closed[self.part[t as usize] as usize]);
                has_solid[node as usize] = below || own;
            }
            Tree { topology, has_solid }
        })
    }

    /// The tree over all triangles.
    pub(super) fn topology(&self) -> &Topology {
        &self.tree().topology
    }

    /// Per node of the tree: whether a triangle of a closed part is below.
    pub(super) fn has_solid(&self) -> &[bool] {
        &self.tree().has_solid
    }
}

/// The part of each triangle, and the number of parts.
fn parts(welded: &[[u32; 3]], used: &[u32], around: &Lists) -> (Vec<u32>, usize) {
    let mut part = vec![u32::MAX; welded.len()];
    let mut parts = 0;
    let mut stack = Vec::new();
    for &first in used {
        if part[first as usize] != u32::MAX {
            continue;
        }
        part[first as usize] = parts;
        stack.push(first);
        while let Some(triangle) = stack.pop() {
            for &other in welded[triangle as usize].iter().flat_map(|&vertex| around.of(vertex)) {
                if part[other as usize] == u32::MAX {
                    part[other as usize] = parts;
                    stack.push(other);
                }
            }
        }
        parts += 1;
    }
    (part, parts as usize)
}

/// Whether each part is closed.
fn closed_parts(welded: &[[u32; 3]], used: &[u32], part: &[u32], parts: usize) -> Vec<bool> {
    let mut is_closed = vec![false; parts];
    // Ends in ascending order, the sense in which the triangle passes the edge, and the part.
    let mut edges: Vec<([u32; 2], i32, u32)> = Vec::with_capacity(3 * used.len());
    for &triangle in used {
        let corners = welded[triangle as usize];
        let owner = part[triangle as usize];
        if corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0] {
            is_closed[owner as usize] = true;
        }
        for side in 0..3 {
            let (p, q) = (corners[side], corners[(side + 1) % 3]);
            if p != q {
                edges.push(([p.min(q), p.max(q)], if p < q { 1 } else { -1 }, owner));
            }
        }
    }
    edges.sort_unstable();
    for passes in edges.chunk_by(|a, b| a.0 == b.0) {
        if passes.iter().map(|pass| pass.1).sum::<i32>() != 0 {
            is_closed[passes[0].2 as usize] = false;
        }
    }
    is_closed
}
