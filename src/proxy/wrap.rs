//! A closed surface around triangles that are not one: open, not manifold, or without thickness.
//!
//! Maintains: a grid of distances from the triangles. A node is inside if it is nearer than the
//! offset, or if no path of nodes that are farther leads from it to the border of the grid. The
//! wrap is where this changes, by marching tetrahedra: six to a cell, equal in all cells, so
//! neighbours cut their common face in the same way. It is closed and faces outward; holes narrower
//! than twice the offset are closed, and a cavity behind them is filled.
//!
//! Cost: O(nodes · log triangles), shared by threads; 17 bytes per node, known before allocation.
//! Follows Treece, Prager and Gee, *Regularised marching tetrahedra* (1999) in the tetrahedra only.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::carried::Follower;
use super::error::ProxyError;
use super::field::{Grid, Resolution};
use super::solid::checked_positions;
use super::surface::Surface;
use crate::math::Aabb;
use crate::mesh::Mesh;
use crate::threads;

/// Corners of the six tetrahedra of a cell, as bits x, y, z: all lead from 0 to 7.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// Distance of a wrap, in cells, where none is given.
const USUAL_OFFSET: f64 = 1.5;

/// Smallest share of an edge that is cut off, so that no triangle degenerates.
const LEAST_SHARE: f64 = 0.02;

/// A closed surface around a mesh.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Wrap {
    /// Its triangles, which face outward.
    pub mesh: Mesh,
    /// Its vertices, metres.
    pub positions: Vec<[f64; 3]>,
    /// Largest distance of its vertices from the triangles it was made of, metres.
    pub farthest: f64,
    /// Mean of that distance, metres.
    pub mean: f64,
    /// Per vertex, how it follows the triangles that were wrapped.
    followers: Vec<Follower>,
    /// The number of vertices that were wrapped.
    vertices: usize,
}

impl Wrap {
    /// Wraps the triangles of a mesh at a distance of `offset` metres. Cells of the resolution must
    /// be smaller than the offset: a surface between two nodes would be missed.
    ///
    /// # Errors
    /// Positions that do not match or are not finite, a mesh without triangles, a cell that is not
    /// smaller than the offset, a grid that is too large.
    pub fn new(mesh: &Mesh, positions: &[[f64; 3]], offset: f64, resolution: Resolution) -> Result<Self, ProxyError> {
        let points = checked_positions(positions, mesh.vertex_count())?;
        let triangles: Vec<[u32; 3]> = mesh.present().map(|triangle| mesh.triangles()[triangle as usize]).collect();
        if triangles.is_empty() {
            return Err(ProxyError::NoVolume);
        }
        let surface = Surface::new(&points, &triangles);
        let grid = grid(&surface.bounds(), offset, resolution)?;
        let values = values(&grid, &surface, offset);
        let (places, cut) = Cut::of(&grid, &values);
        let rest = Follower::new(Vector3::zeros(), [1.0, 0.0, 0.0], triangles[0], &points);
        let mut moved: Vec<([f64; 3], f64, Follower)> = places.iter().map(|&place| (place, 0.0, rest)).collect();
        threads::for_each(&mut moved, |(place, distance, follower)| {
            let place = Vector3::from(*place);
            let (nearest, shares) = surface.foot(&place);
            *distance = nearest.distance;
            *follower = Follower::new(place, shares, triangles[nearest.triangle as usize], &points);
        });
        let farthest = moved.iter().map(|(_, distance, _)| *distance).fold(0.0, f64::max);
        let mean = moved.iter().map(|(_, distance, _)| distance).sum::<f64>() / moved.len().max(1) as f64;
        let followers = moved.into_iter().map(|(_, _, follower)| follower).collect();
        let mesh = Mesh::new(places.len(), cut)?;
        Ok(Self { mesh, positions: places, farthest, mean, followers, vertices: points.len() })
    }

    /// A distance for [`Wrap::new`] where none is known, metres: one and a half cells of the grid
    /// that the wrap is cut from, so as near to the mesh as its cells allow. With `n` cells along
    /// the longest side of a mesh (an odd `n` counts as one more) that is the side times
    /// 1.5 / (n − 3).
    ///
    /// # Errors
    /// Positions that do not match or are not finite, a mesh without extent.
    pub fn usual_offset(mesh: &Mesh, positions: &[[f64; 3]], resolution: Resolution) -> Result<f64, ProxyError> {
        let points = checked_positions(positions, mesh.vertex_count())?;
        let mut bounds = Aabb::EMPTY;
        for triangle in mesh.present() {
            let corners = mesh.triangles()[triangle as usize];
            corners.iter().for_each(|&vertex| bounds.include(&points[vertex as usize].into()));
        }
        let longest = bounds.longest_side();
        let cell = match resolution {
            Resolution::CellSize(cell) => cell,
            // Cells of the mesh grown by the offset; too few are refused with the wrap.
            Resolution::CellsAlongLongest(cells) => {
                let cells = 2.0 * f64::from(cells.div_ceil(2));
                longest / (cells - 2.0 * USUAL_OFFSET).max(1.0)
            }
        };
        if longest > 0.0 { Ok(USUAL_OFFSET * cell) } else { Err(ProxyError::NoVolume) }
    }

    /// The wrap's vertices in another pose of the mesh that was wrapped, metres: each moves with
    /// the nearest place of the mesh at rest, and turns with its triangle. Apart from rounding,
    /// none is farther from the posed mesh than it was at rest. O(vertices).
    ///
    /// # Errors
    /// Positions that do not match or are not finite.
    pub fn posed(&self, positions: &[[f64; 3]]) -> Result<Vec<[f64; 3]>, ProxyError> {
        let points = checked_positions(positions, self.vertices)?;
        Ok(self.followers.iter().map(|follower| follower.at(&points).into()).collect())
    }

    /// The vertices of the mesh that a vertex of the wrap follows, and their shares in it: not
    /// negative, with sum 1 up to rounding. `None` if there is no such vertex of the wrap.
    pub fn influences(&self, vertex: u32) -> Option<[(u32, f64); 3]> {
        self.followers.get(vertex as usize).map(Follower::influences)
    }
}

/// A grid whose border is farther from the surface than the offset.
fn grid(bounds: &Aabb, offset: f64, resolution: Resolution) -> Result<Grid, ProxyError> {
    if !(offset > 0.0 && offset.is_finite()) {
        return Err(ProxyError::Resolution { value: offset });
    }
    let grown = |by: f64| Aabb { min: bounds.min.map(|x| x - by), max: bounds.max.map(|x| x + by) };
    let cell = resolution.grid(&grown(offset))?.cell();
    if !(cell < offset) {
        return Err(ProxyError::WrapTooThin { offset, cell });
    }
    Resolution::CellSize(cell).grid(&grown(offset + 2.0 * cell))
}

/// Per node how deep it is inside, negative outside, metres.
fn values(grid: &Grid, surface: &Surface, offset: f64) -> Vec<f64> {
    let [columns, rows, layers] = grid.counts();
    let mut values = vec![0.0; grid.node_count()];
    let mut parts: Vec<(usize, &mut [f64])> = values.chunks_exact_mut(columns * rows).enumerate().collect();
    threads::for_each(&mut parts, |(layer, values)| {
        let mut place = 0;
        for (node, value) in values.iter_mut().enumerate() {
            let point = Vector3::from(grid.position(*layer * columns * rows + node));
            *value = offset - surface.nearest_from(&point, &mut place).distance;
        }
    });
    // Nodes that are reached from the border, which is outside.
    let mut is_outside = vec![false; values.len()];
    let mut stack = vec![0];
    is_outside[0] = true;
    let strides = [1, columns, columns * rows];
    while let Some(node) = stack.pop() {
        let at = [node % columns, node / columns % rows, node / (columns * rows)];
        for axis in 0..3 {
            let mut visit = |next: usize| {
                if values[next] < 0.0 && !is_outside[next] {
                    is_outside[next] = true;
                    stack.push(next);
                }
            };
            if at[axis] > 0 {
                visit(node - strides[axis]);
            }
            if at[axis] + 1 < [columns, rows, layers][axis] {
                visit(node + strides[axis]);
            }
        }
    }
    for (value, is_outside) in values.iter_mut().zip(is_outside) {
        if !is_outside {
            *value = value.abs();
        }
    }
    values
}

/// The surface where the values of a grid change their sign.
struct Cut<'a> {
    grid: &'a Grid,
    values: &'a [f64],
    /// Vertices on edges from an inner to an outer node.
    vertices: BTreeMap<(usize, usize), u32>,
    positions: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl<'a> Cut<'a> {
    fn of(grid: &'a Grid, values: &'a [f64]) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let mut cut = Self { grid, values, vertices: BTreeMap::new(), positions: Vec::new(), triangles: Vec::new() };
        let [columns, rows, layers] = grid.counts();
        for k in 0..layers - 1 {
            for j in 0..rows - 1 {
                for i in 0..columns - 1 {
                    let nodes: [usize; 8] = std::array::from_fn(|corner| {
                        grid.index([i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2)])
                    });
                    let inner = nodes.iter().filter(|&&node| values[node] >= 0.0).count();
                    if inner > 0 && inner < 8 {
                        TETRAHEDRA.iter().for_each(|corners| cut.tetrahedron(corners.map(|corner| nodes[corner])));
                    }
                }
            }
        }
        (cut.positions, cut.triangles)
    }

    /// The triangles in a tetrahedron of positive volume.
    fn tetrahedron(&mut self, nodes: [usize; 4]) {
        let is_inner = |node: &usize| self.values[*node] >= 0.0;
        let inner: Vec<usize> = (0..4).filter(|&corner| is_inner(&nodes[corner])).collect();
        let outer: Vec<usize> = (0..4).filter(|&corner| !is_inner(&nodes[corner])).collect();
        // The order of corners is that of an even permutation of the tetrahedron's, or the reverse.
        let order: Vec<usize> = inner.iter().chain(&outer).copied().collect();
        let swaps = (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b))).filter(|&(a, b)| order[a] > order[b]).count();
        let mut edge = |a: usize, b: usize| self.vertex(nodes[a], nodes[b]);
        let made: Vec<[u32; 3]> = match (&inner[..], &outer[..]) {
            (&[a], &[b, c, d]) => vec![[edge(a, b), edge(a, c), edge(a, d)]],
            (&[a, b], &[c, d]) => {
                let [ac, ad, bd, bc] = [edge(a, c), edge(a, d), edge(b, d), edge(b, c)];
                vec![[ac, ad, bd], [ac, bd, bc]]
            }
            (&[a, b, c], &[d]) => vec![[edge(a, d), edge(b, d), edge(c, d)]],
            _ => Vec::new(),
        };
        let is_even = swaps % 2 == 0;
        self.triangles.extend(made.into_iter().map(|[a, b, c]| if is_even { [a, b, c] } else { [a, c, b] }));
    }

    fn vertex(&mut self, inner: usize, outer: usize) -> u32 {
        let count = self.positions.len() as u32;
        let vertex = *self.vertices.entry((inner, outer)).or_insert(count);
        if vertex == count {
            let (depth, height) = (self.values[inner], -self.values[outer]);
            let share = (depth / (depth + height)).clamp(LEAST_SHARE, 1.0 - LEAST_SHARE);
            let (from, to) = (self.grid.position(inner), self.grid.position(outer));
            self.positions.push([0, 1, 2].map(|axis| from[axis] + share * (to[axis] - from[axis])));
        }
        vertex
    }
}
