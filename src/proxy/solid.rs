//! A closed triangle mesh with an inside, into which spheres are packed.
//!
//! A surface is *closed* if every edge has equal numbers of triangles in both directions; then
//! winding numbers are integers. Vertices at equal rest positions are one point of the surface
//! (texture seams). Solids may touch or intersect themselves; the winding number determines the
//! inside.

use core::fmt;

use nalgebra::Vector3;

use super::error::ProxyError;
use super::repair::{self, Repair};
use super::surface::{Nearest, Surface};
use crate::limits;
use crate::math::Aabb;
use crate::mesh::Mesh;
use crate::motion::Sphere;

/// Handling of a mesh that is not a closed, outward-facing surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Faults {
    /// Refuse it with an error that names the fault.
    Refuse,
    /// Drop degenerate and repeated triangles, join parts at walls that both have, flip parts that
    /// face the wrong way, fill boundary loops. Loops have at most `longest_loop` sides (at most
    /// [`limits::MAX_LOOP_SIDES`]) and are filled over their own vertices. Refuse the mesh if
    /// faults remain.
    Repair {
        /// Most sides of a filled loop.
        longest_loop: usize,
    },
}

/// A closed surface and its inside.
#[derive(Clone)]
pub struct Solid {
    /// Triangles as given, before any repair: poses must have the same triangles.
    source: Vec<[u32; 3]>,
    triangles: Vec<[u32; 3]>,
    positions: Vec<Vector3<f64>>,
    surface: Surface,
}

impl fmt::Debug for Solid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solid")
            .field("vertices", &self.positions.len())
            .field("triangles", &self.triangles.len())
            .finish_non_exhaustive()
    }
}

impl Solid {
    /// Checks a mesh, repairs it on request, and prepares it for queries of distance and inside.
    ///
    /// `positions` are metres, one per vertex. Returns the solid and the repairs in order; empty
    /// for a mesh without faults. O(triangles log² triangles), and cubic in the sides of every
    /// filled loop.
    ///
    /// # Errors
    /// A mesh that is open, not orientable, inside out, or without volume; positions that do not
    /// match or are not finite.
    pub fn new(mesh: &Mesh, positions: &[[f64; 3]], faults: Faults) -> Result<(Self, Vec<Repair>), ProxyError> {
        let positions = checked_positions(positions, mesh.vertex_count())?;
        let source: Vec<[u32; 3]> = mesh.present().map(|triangle| mesh.triangles()[triangle as usize]).collect();
        let (triangles, repairs) = repair::close(&source, &positions, faults)?;
        let surface = Surface::new(&positions, &triangles);
        Ok((Self { source, triangles, positions, surface }, repairs))
    }

    /// Creates the same surface in another pose. O(triangles log² triangles).
    ///
    /// # Errors
    /// Positions that do not match or are not finite.
    pub fn posed(&self, positions: &[[f64; 3]]) -> Result<Self, ProxyError> {
        let positions = checked_positions(positions, self.positions.len())?;
        let surface = Surface::new(&positions, &self.triangles);
        Ok(Self { source: self.source.clone(), triangles: self.triangles.clone(), positions, surface })
    }

    /// Triangles of the closed surface: kept ones, with flips applied, then those that fill holes.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Triangles as given.
    pub(super) fn source(&self) -> &[[u32; 3]] {
        &self.source
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// The position of a vertex, metres; `None` if there is no such vertex.
    pub fn position(&self, vertex: u32) -> Option<[f64; 3]> {
        self.positions.get(vertex as usize).map(|&place| place.into())
    }

    /// The positions of all vertices.
    pub(super) fn points(&self) -> &[Vector3<f64>] {
        &self.positions
    }

    /// The smallest box of the surface, metres.
    pub fn bounds(&self) -> Aabb {
        self.surface.bounds()
    }

    /// Signed volume, cubic metres: negative if the surface is inside out, as in a mirrored pose.
    pub(crate) fn volume(&self) -> f64 {
        let centre = Vector3::from(self.bounds().centre());
        let signed = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|vertex| self.positions[vertex as usize] - centre);
            a.dot(&b.cross(&c)) / 6.0
        };
        self.triangles.iter().map(signed).sum()
    }

    /// Whether a point is inside. Either answer is possible for points on the surface. O(log
    /// triangles) usually.
    pub fn contains(&self, point: [f64; 3]) -> bool {
        self.surface.contains(&point.into())
    }

    /// Distance of a point from the surface, metres, rounded down: the ball of this radius does not
    /// cross the surface.
    pub fn distance(&self, point: [f64; 3]) -> f64 {
        self.surface.nearest(&point.into()).distance
    }

    /// The depth of a point inside, metres, rounded down; 0 outside.
    pub fn depth(&self, point: [f64; 3]) -> f64 {
        self.surface.depth(&point.into())
    }

    /// How far a sphere extends beyond the surface, metres, from inside or outside of it; negative
    /// for one that lies deeper.
    pub(super) fn protrusion(&self, sphere: &Sphere) -> f64 {
        let distance = self.distance(sphere.centre);
        if self.contains(sphere.centre) { sphere.radius - distance } else { sphere.radius + distance }
    }

    /// The triangle nearest to a point; the first of equally near ones.
    pub fn nearest_triangle(&self, point: [f64; 3]) -> u32 {
        self.surface.nearest(&point.into()).triangle
    }

    pub(super) fn nearest_from(&self, point: &Vector3<f64>, place: &mut usize) -> Nearest {
        self.surface.nearest_from(point, place)
    }
}

/// Converts positions to vectors after checking them: one per vertex, finite and not too large.
pub(super) fn checked_positions(positions: &[[f64; 3]], vertices: usize) -> Result<Vec<Vector3<f64>>, ProxyError> {
    if positions.len() != vertices {
        return Err(ProxyError::PositionCount { positions: positions.len(), vertices });
    }
    for (index, &value) in positions.as_flattened().iter().enumerate() {
        if !(value.abs() <= limits::MAX_COORDINATE) {
            return Err(ProxyError::Number { what: "vertex", index: index / 3, value });
        }
    }
    Ok(positions.iter().copied().map(Vector3::from).collect())
}
