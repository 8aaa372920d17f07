//! Handles that move a cage, and fits of cages to posed meshes.
//!
//! **Weights.** A handle has some vertices of the cage; its weight is 1 there, and every other
//! handle's is 0. In between, weights are harmonic: each vertex has the mean of its neighbours,
//! weighted by the inverse square of the edges' rest lengths. All these means have positive
//! coefficients. By the maximum principle weights therefore stay between 0 and 1, sum to 1
//! everywhere and have no peaks off the handles, for any cage.
//!
//! Departs from the paper, which uses bounded biharmonic weights (Jacobson et al. 2011). These are
//! smoother at the handles, but need a quadratic program with inequalities; on the centres of some
//! hundred spheres the difference is not visible. A harmonic weight falls steeply at a handle of a
//! single vertex: give handles some radius ([`Cage::vertices_near`]).
//!
//! **Skinning** is linear: a vertex moves to the weighted mean of its images under the handles'
//! affine maps.
//!
//! **Fitting** computes the cage of a pose that is known only as a mesh. It finds displacements of
//! cage vertices that map the mesh's vertices to their posed positions by least squares,
//! regularised by the springs between vertices.
//!
//! Cost: one conjugate gradient solution per handle; three per fit.

use nalgebra::Vector3;

use super::cage::Cage;
use super::error::ProxyError;
use super::solid::Solid;
use super::sparse::Sparse;
use crate::limits;
use crate::sets::DisjointSets;
use crate::tuning;

/// Weights of handles at the vertices of a cage.
#[derive(Clone, Debug, PartialEq)]
pub struct HandleWeights {
    handles: usize,
    /// By vertex, then by handle.
    weights: Vec<f64>,
}

/// A row-major 3 × 4 matrix: linear part and translation (metres).
pub type Affine = [f64; 12];

impl HandleWeights {
    /// Computes harmonic weights of handles with the given vertices of a cage.
    ///
    /// A part of the cage without any handle moves with equal weights of all handles.
    ///
    /// # Errors
    /// No handle, a handle without a vertex or with one that does not exist, a vertex of two
    /// handles.
    pub fn new(cage: &Cage, handles: &[Vec<u32>]) -> Result<Self, ProxyError> {
        let count = cage.vertex_count();
        let mut seat: Vec<Option<usize>> = vec![None; count];
        if handles.is_empty() {
            return Err(ProxyError::NoHandle);
        }
        for (handle, vertices) in handles.iter().enumerate() {
            if vertices.is_empty() {
                return Err(ProxyError::EmptyHandle { handle });
            }
            for &vertex in vertices {
                match seat.get_mut(vertex as usize) {
                    None => return Err(ProxyError::HandleVertex { handle, vertex }),
                    Some(Some(other)) if *other != handle => {
                        return Err(ProxyError::HandlesMeet { vertex, handles: [*other, handle] });
                    }
                    Some(seat) => *seat = Some(handle),
                }
            }
        }
        // Parts of the cage without a handle keep the weights they start from: nothing determines
        // them.
        let mut parts = DisjointSets::new(count);
        for corners in cage.tetrahedra() {
            corners[1..].iter().for_each(|&corner| parts.join(corners[0], corner));
        }
        let mut has_handle = vec![false; count];
        (0..count).filter(|&vertex| seat[vertex].is_some()).for_each(|vertex| {
            has_handle[parts.root(vertex as u32) as usize] = true;
        });
        let held: Vec<bool> = (0..count)
            .map(|vertex| seat[vertex].is_some() || !has_handle[parts.root(vertex as u32) as usize])
            .collect();
        let laplacian = cage.laplacian();
        let none = vec![0.0; count];
        let mut weights = vec![0.0; count * handles.len()];
        let even = 1.0 / handles.len() as f64;
        for handle in 0..handles.len() {
            let start = |seat: &Option<usize>| seat.map_or(even, |seat| f64::from(u8::from(seat == handle)));
            let mut values: Vec<f64> = seat.iter().map(start).collect();
            laplacian.solve(&none, &held, &mut values);
            for (vertex, value) in values.into_iter().enumerate() {
                weights[vertex * handles.len() + handle] = value.clamp(0.0, 1.0);
            }
        }
        // The error of the solution, a relative 10⁻¹², is removed by scaling each sum to 1.
        for row in weights.chunks_exact_mut(handles.len()) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|weight| *weight /= sum);
        }
        Ok(Self { handles: handles.len(), weights })
    }

    /// The number of handles.
    pub fn handle_count(&self) -> usize {
        self.handles
    }

    /// The handles' weights at a cage vertex: between 0 and 1, with sum 1; `None` if there is no
    /// such vertex.
    pub fn at(&self, vertex: u32) -> Option<&[f64]> {
        self.weights.chunks_exact(self.handles).nth(vertex as usize)
    }

    /// The positions of the cage's vertices under these maps of the handles, metres.
    ///
    /// # Errors
    /// Not one map per handle, or numbers that are not finite.
    pub fn skin(&self, cage: &Cage, maps: &[Affine]) -> Result<Vec<[f64; 3]>, ProxyError> {
        if maps.len() != self.handles || cage.vertex_count() * self.handles != self.weights.len() {
            return Err(ProxyError::MapCount { maps: maps.len(), handles: self.handles });
        }
        for (handle, map) in maps.iter().enumerate() {
            if let Some(&value) = map.iter().find(|value| !(value.abs() <= limits::MAX_COORDINATE)) {
                return Err(ProxyError::Number { what: "map of handle", index: handle, value });
            }
        }
        let skinned = |(vertex, rest): (usize, &Vector3<f64>)| {
            let mut sum = [0.0; 3];
            let weights = &self.weights[vertex * self.handles..][..self.handles];
            for (weight, map) in weights.iter().zip(maps) {
                for axis in 0..3 {
                    let row = &map[4 * axis..4 * axis + 4];
                    sum[axis] += weight * (row[0] * rest.x + row[1] * rest.y + row[2] * rest.z + row[3]);
                }
            }
            sum
        };
        Ok(cage.points().iter().enumerate().map(skinned).collect())
    }
}

impl Cage {
    /// Fits this cage's vertices to the pose of a mesh. O(vertices · tetrahedra), and three
    /// solutions.
    ///
    /// Least squares: Σ |mapped − posed|² over the mesh's vertices, plus the springs of the cage
    /// with a small weight (`tuning::CAGE_STIFFNESS`). [`Cage::carry`] of the mesh's vertices
    /// gives the residual.
    ///
    /// # Errors
    /// A pose with another number of vertices.
    pub fn fit(&self, rest: &Solid, posed: &Solid) -> Result<Vec<[f64; 3]>, ProxyError> {
        if rest.vertex_count() != posed.vertex_count() {
            return Err(ProxyError::PositionCount { positions: posed.vertex_count(), vertices: rest.vertex_count() });
        }
        let count = self.vertex_count();
        let located = self.locate_all(self.points(), rest.points().iter().copied());
        let springs = self.springs();
        let strongest = springs.iter().map(|spring| spring.2).fold(0.0, f64::max);
        let mut entries: Vec<(u32, u32, f64)> = Vec::new();
        for (p, q, pull) in springs {
            let pull = tuning::CAGE_STIFFNESS * pull / strongest;
            entries.extend([(p, p, pull), (q, q, pull), (p, q, -pull), (q, p, -pull)]);
        }
        let mut right = [vec![0.0; count], vec![0.0; count], vec![0.0; count]];
        for (vertex, place) in located.iter().enumerate() {
            let corners = self.tetrahedra()[place.tetrahedron as usize];
            let wanted = posed.points()[vertex] - rest.points()[vertex];
            for i in 0..4 {
                for j in 0..4 {
                    entries.push((corners[i], corners[j], place.weights[i] * place.weights[j]));
                }
                for axis in 0..3 {
                    right[axis][corners[i] as usize] += place.weights[i] * wanted[axis];
                }
            }
        }
        let matrix = Sparse::gather(count, &entries);
        let held = vec![false; count];
        let moved = right.map(|right| {
            let mut values = vec![0.0; count];
            matrix.solve(&right, &held, &mut values);
            values
        });
        let place = |(vertex, rest): (usize, &Vector3<f64>)| [0, 1, 2].map(|axis| rest[axis] + moved[axis][vertex]);
        Ok(self.points().iter().enumerate().map(place).collect())
    }
}
