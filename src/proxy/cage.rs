//! A tetrahedral cage around a solid: maps points from the rest pose into example poses.
//!
//! A point is mapped by the barycentric coordinates of the tetrahedron that contains it. A point
//! outside the cage uses the tetrahedron with the largest smallest coordinate, extrapolated
//! linearly. Cages are supplied, or made of the cells of a lattice that the solid reaches, each cut
//! into six tetrahedra along its main diagonal.
//!
//! Cost: O(tetrahedra) per point located, once per point.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};

use super::error::ProxyError;
use super::solid::{Solid, checked_positions};
use super::sparse::Sparse;
use crate::limits;
use crate::mesh::MeshError;

/// Tetrahedra over vertices in the rest pose.
#[derive(Clone, Debug)]
pub struct Cage {
    vertices: Vec<Vector3<f64>>,
    tetrahedra: Vec<[u32; 4]>,
}

/// The place of a point in a cage: a tetrahedron and the coordinates in it, which sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Located {
    pub(super) tetrahedron: u32,
    pub(super) weights: [f64; 4],
}

/// The six tetrahedra of a cell, as paths from corner 0 to corner 7 (bits: x, y, z).
const WAYS: [[usize; 2]; 6] = [[1, 3], [1, 5], [2, 3], [2, 6], [4, 5], [4, 6]];

impl Cage {
    /// Creates a cage from supplied vertices, metres, in the rest pose.
    ///
    /// # Errors
    /// No tetrahedron, indices out of range, positions that are not finite, flat tetrahedra,
    /// vertices in no tetrahedron.
    pub fn new(vertices: &[[f64; 3]], tetrahedra: Vec<[u32; 4]>) -> Result<Self, ProxyError> {
        let vertices = checked_positions(vertices, vertices.len())?;
        if tetrahedra.is_empty() {
            return Err(MeshError::Empty.into());
        }
        for (tetrahedron, corners) in tetrahedra.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&corner| corner as usize >= vertices.len()) {
                return Err(ProxyError::CageIndex { tetrahedron, index, vertices: vertices.len() });
            }
            if corner_matrix(corners, &vertices).try_inverse().is_none() {
                return Err(ProxyError::FlatTetrahedron { tetrahedron });
            }
        }
        let mut is_used = vec![false; vertices.len()];
        tetrahedra.as_flattened().iter().for_each(|&corner| is_used[corner as usize] = true);
        match is_used.iter().position(|is_used| !is_used) {
            Some(vertex) => Err(ProxyError::LooseCageVertex { vertex }),
            None => Ok(Self { vertices, tetrahedra }),
        }
    }

    /// Creates a cage from the cells of a lattice that a solid reaches, with `cells` (at least 1)
    /// along the longest side of its box.
    ///
    /// The cage contains every point of the solid. 6 tetrahedra per cell. O(cells³ log triangles).
    ///
    /// # Errors
    /// A number of cells that is 0 or gives more than [`limits::MAX_CAGE_CELLS`].
    pub fn around(solid: &Solid, cells: u32) -> Result<Self, ProxyError> {
        let bounds = solid.bounds();
        let (sides, cell) = (bounds.sides(), bounds.longest_side() / f64::from(cells));
        if !(cell > 0.0 && cell.is_finite()) {
            return Err(ProxyError::Resolution { value: f64::from(cells) });
        }
        let counts = sides.map(|side| (side / cell * (1.0 - limits::ROUNDING)).ceil().max(1.0));
        let total: f64 = counts.iter().product();
        if total > limits::MAX_CAGE_CELLS {
            return Err(ProxyError::CageTooLarge { cells: total });
        }
        let centre = bounds.centre();
        let corner = |node: [usize; 3]| -> [f64; 3] {
            [0, 1, 2].map(|axis| centre[axis] + (node[axis] as f64 - 0.5 * counts[axis]) * cell)
        };
        let mut cage = Self { vertices: Vec::new(), tetrahedra: Vec::new() };
        let mut names: BTreeMap<[usize; 3], u32> = BTreeMap::new();
        let counts = counts.map(|count| count as usize);
        for k in 0..counts[2] {
            for j in 0..counts[1] {
                for i in 0..counts[0] {
                    // A cell is reached if the surface is as near to the centre as a corner, or the
                    // centre is inside.
                    let middle = std::array::from_fn(|axis| corner([i, j, k])[axis] + 0.5 * cell);
                    let is_reached = solid.distance(middle) <= cell || solid.contains(middle);
                    if !is_reached {
                        continue;
                    }
                    let corners: [u32; 8] = std::array::from_fn(|bits| {
                        let name = [i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2)];
                        *names.entry(name).or_insert_with(|| {
                            cage.vertices.push(corner(name).into());
                            cage.vertices.len() as u32 - 1
                        })
                    });
                    cage.tetrahedra.extend(WAYS.map(|[one, two]| [corners[0], corners[one], corners[two], corners[7]]));
                }
            }
        }
        Ok(cage)
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// The rest position of a vertex, metres; `None` if there is no such vertex.
    pub fn vertex(&self, vertex: u32) -> Option<[f64; 3]> {
        self.vertices.get(vertex as usize).map(|&place| place.into())
    }

    /// Vertices of every tetrahedron.
    pub fn tetrahedra(&self) -> &[[u32; 4]] {
        &self.tetrahedra
    }

    pub(super) fn points(&self) -> &[Vector3<f64>] {
        &self.vertices
    }

    /// Returns the vertex nearest to a point in the rest pose, the first of equally near ones.
    /// O(vertices).
    pub fn nearest_vertex(&self, point: [f64; 3]) -> u32 {
        nearest(&self.vertices, &point.into())
    }

    /// Returns all vertices within `radius` of a point in the rest pose, and the nearest one in any
    /// case: the vertices of a handle.
    pub fn vertices_near(&self, point: [f64; 3], radius: f64) -> Vec<u32> {
        let (centre, nearest) = (Vector3::from(point), self.nearest_vertex(point));
        let is_near = |vertex: &u32| {
            *vertex == nearest || (self.vertices[*vertex as usize] - centre).norm_squared() <= radius * radius
        };
        (0..self.vertices.len() as u32).filter(is_near).collect()
    }

    /// Maps points from the rest pose into the pose in which the cage has these vertices.
    /// O(tetrahedra) per point.
    ///
    /// # Errors
    /// Positions that do not match the cage or are not finite.
    pub fn carry(&self, points: &[[f64; 3]], posed: &[[f64; 3]]) -> Result<Vec<[f64; 3]>, ProxyError> {
        let posed = checked_positions(posed, self.vertices.len())?;
        let located = self.locate_all(&self.vertices, points.iter().map(|&point| point.into()));
        Ok(located.iter().map(|place| self.at(place, &posed).into()).collect())
    }

    /// Locates points in a cage with the given vertices (rest or posed).
    pub(super) fn locate_all(
        &self,
        vertices: &[Vector3<f64>],
        points: impl Iterator<Item = Vector3<f64>>,
    ) -> Vec<Located> {
        // Per tetrahedron its first corner, and the matrix that gives the coordinates of the other
        // three; flat ones contain nothing.
        let prepared: Vec<Option<(Vector3<f64>, Matrix3<f64>)>> = self
            .tetrahedra
            .iter()
            .map(|corners| {
                let inverse = corner_matrix(corners, vertices).try_inverse()?;
                Some((vertices[corners[0] as usize], inverse))
            })
            .collect();
        points
            .map(|point| {
                let mut best = (f64::NEG_INFINITY, Located { tetrahedron: 0, weights: [0.25; 4] });
                for (tetrahedron, prepared) in prepared.iter().enumerate() {
                    let Some((first, inverse)) = prepared else { continue };
                    let [u, v, w] = <[f64; 3]>::from(inverse * (point - first));
                    let weights = [1.0 - u - v - w, u, v, w];
                    let least = weights.into_iter().fold(f64::INFINITY, f64::min);
                    if least > best.0 {
                        best = (least, Located { tetrahedron: tetrahedron as u32, weights });
                    }
                }
                best.1
            })
            .collect()
    }

    /// The position of a located point in a cage with the given vertices.
    pub(super) fn at(&self, place: &Located, vertices: &[Vector3<f64>]) -> Vector3<f64> {
        let corners = self.tetrahedra[place.tetrahedron as usize];
        (0..4).map(|corner| vertices[corners[corner] as usize] * place.weights[corner]).sum()
    }

    /// The cage's edges as springs: each vertex pulls its neighbours with the inverse square of the
    /// rest length.
    pub(super) fn springs(&self) -> Vec<(u32, u32, f64)> {
        let mut edges: Vec<[u32; 2]> = Vec::with_capacity(6 * self.tetrahedra.len());
        for corners in &self.tetrahedra {
            for i in 0..4 {
                for j in i + 1..4 {
                    edges.push([corners[i].min(corners[j]), corners[i].max(corners[j])]);
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let pull = |&[p, q]: &[u32; 2]| {
            let squared = (self.vertices[p as usize] - self.vertices[q as usize]).norm_squared();
            (p, q, 1.0 / squared.max(limits::FLUSH))
        };
        edges.iter().map(pull).collect()
    }

    /// The matrix of the springs: positive semidefinite, no positive entry off the diagonal.
    pub(super) fn laplacian(&self) -> Sparse {
        let entries: Vec<(u32, u32, f64)> = self
            .springs()
            .into_iter()
            .flat_map(|(p, q, pull)| [(p, p, pull), (q, q, pull), (p, q, -pull), (q, p, -pull)])
            .collect();
        Sparse::gather(self.vertices.len(), &entries)
    }
}

/// The edge vectors from a tetrahedron's first corner, as columns.
fn corner_matrix(corners: &[u32; 4], vertices: &[Vector3<f64>]) -> Matrix3<f64> {
    let [a, b, c, d] = corners.map(|corner| vertices[corner as usize]);
    Matrix3::from_columns(&[b - a, c - a, d - a])
}

/// The nearest of some points, the first of equally near ones; 0 if there are none.
pub(super) fn nearest(points: &[Vector3<f64>], to: &Vector3<f64>) -> u32 {
    let mut best = (f64::INFINITY, 0);
    for (index, point) in points.iter().enumerate() {
        let squared = (point - to).norm_squared();
        if squared < best.0 {
            best = (squared, index as u32);
        }
    }
    best.1
}
