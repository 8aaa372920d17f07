//! The signed distance field of a solid on a regular grid: negative inside, metres.
//!
//! The grid is centred on the solid's box and has an odd number of nodes along every axis.
//! Symmetric solids therefore have symmetric nodes, one of them in the centre. Every node holds the
//! distance to the nearest triangle, rounded towards zero.
//!
//! **Sign.** By winding number ([`super::surface`]). A node has the sign of its neighbour in the
//! same layer if that is farther from the surface than from the node; the winding number is
//! computed only near the surface.
//!
//! Cost: O(nodes · log triangles), usually, shared by the threads of the pool by layers; eight
//! bytes per node, known before allocation ([`Resolution::bytes`]).

use nalgebra::Vector3;

use super::error::ProxyError;
use super::solid::Solid;
use crate::limits;
use crate::math::Aabb;
use crate::threads;

/// The resolution of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Resolution {
    /// Edge of a cell, metres.
    CellSize(f64),
    /// Number of cells along the longest side of the solid's box, at least 1. Odd numbers give one
    /// more.
    CellsAlongLongest(u32),
}

/// A regular grid of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    origin: [f64; 3],
    cell: f64,
    counts: [usize; 3],
}

impl Resolution {
    /// The grid over a box.
    ///
    /// # Errors
    /// A cell size that is not a positive number; a field beyond [`limits::MAX_FIELD_BYTES`].
    pub fn grid(self, bounds: &Aabb) -> Result<Grid, ProxyError> {
        let (sides, longest) = (bounds.sides(), bounds.longest_side());
        let cell = match self {
            Self::CellSize(size) => size,
            Self::CellsAlongLongest(0) => return Err(ProxyError::Resolution { value: 0.0 }),
            Self::CellsAlongLongest(cells) => longest / (2.0 * f64::from(cells.div_ceil(2))),
        };
        if !(cell > 0.0 && cell.is_finite()) {
            return Err(ProxyError::Resolution { value: cell });
        }
        // An even number of cells, up to a rounding, so that the centre is a node.
        let halves = sides.map(|side| (side / (2.0 * cell) * (1.0 - limits::ROUNDING)).ceil().max(1.0));
        let bytes = halves.iter().map(|half| 2.0 * half + 1.0).product::<f64>() * 8.0;
        if !(bytes <= limits::MAX_FIELD_BYTES as f64) {
            return Err(ProxyError::FieldTooLarge { bytes: bytes as u64 });
        }
        let centre = bounds.centre();
        Ok(Grid {
            origin: [0, 1, 2].map(|axis| centre[axis] - halves[axis] * cell),
            cell,
            counts: halves.map(|half| 2 * half as usize + 1),
        })
    }

    /// Bytes of a distance field over a box. Allocates nothing.
    ///
    /// # Errors
    /// As [`Resolution::grid`].
    pub fn bytes(self, bounds: &Aabb) -> Result<u64, ProxyError> {
        self.grid(bounds).map(|grid| grid.node_count() as u64 * 8)
    }
}

impl Grid {
    /// Edge of a cell, metres.
    pub fn cell(&self) -> f64 {
        self.cell
    }

    /// The position of the first node, metres.
    pub(super) fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// Nodes along x, y and z.
    pub fn counts(&self) -> [usize; 3] {
        self.counts
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.counts.iter().product()
    }

    /// The index of a node, x running fastest.
    pub fn index(&self, node: [usize; 3]) -> usize {
        (node[2] * self.counts[1] + node[1]) * self.counts[0] + node[0]
    }

    /// The position of a node by its index, metres.
    pub fn position(&self, index: usize) -> [f64; 3] {
        let row = index / self.counts[0];
        let node = [index % self.counts[0], row % self.counts[1], row / self.counts[1]];
        [0, 1, 2].map(|axis| self.coordinate(axis, node[axis]))
    }

    fn coordinate(&self, axis: usize, node: usize) -> f64 {
        self.origin[axis] + node as f64 * self.cell
    }

    /// First and last node along an axis within `radius` of a coordinate, one more on either side
    /// against rounding.
    fn range(&self, axis: usize, centre: f64, radius: f64) -> (usize, usize) {
        let last = self.counts[axis] - 1;
        let place = |x: f64| (x - self.origin[axis]) / self.cell;
        let low = (place(centre - radius).floor() - 1.0).clamp(0.0, last as f64);
        let high = (place(centre + radius).ceil() + 1.0).clamp(0.0, last as f64);
        (low as usize, high as usize)
    }

    /// Calls `visit` with every node within `radius` of `centre`, plus a rounding.
    pub(super) fn nodes_within(&self, centre: [f64; 3], radius: f64, mut visit: impl FnMut(usize)) {
        let limit = radius * radius * (1.0 + limits::ROUNDING);
        let ranges = [0, 1, 2].map(|axis| self.range(axis, centre[axis], radius));
        for k in ranges[2].0..=ranges[2].1 {
            for j in ranges[1].0..=ranges[1].1 {
                for i in ranges[0].0..=ranges[0].1 {
                    let node = [i, j, k];
                    let away = [0, 1, 2].map(|axis| self.coordinate(axis, node[axis]) - centre[axis]);
                    if away.iter().map(|x| x * x).sum::<f64>() <= limit {
                        visit(self.index(node));
                    }
                }
            }
        }
    }
}

impl Grid {
    /// Computes the signed distances of the nodes of a layer, without those of other layers: the
    /// result does not depend on the order of layers.
    fn measure_layer(&self, solid: &Solid, layer: usize, values: &mut [f64]) {
        let [columns, rows, _] = self.counts;
        let strides = [1, columns];
        let mut place = 0;
        for j in 0..rows {
            for i in 0..columns {
                let node = [i, j, layer];
                let point = Vector3::from([0, 1, 2].map(|axis| self.coordinate(axis, node[axis])));
                let distance = solid.nearest_from(&point, &mut place).distance;
                // If the surface is farther than one cell, the segment to the neighbouring node
                // does not cross it.
                let index = j * columns + i;
                let known = (0..2)
                    .filter(|&axis| node[axis] > 0)
                    .map(|axis| values[index - strides[axis]])
                    .find(|before: &f64| before.abs() > self.cell * (1.0 + limits::ROUNDING));
                let is_inside = match known {
                    Some(before) => before < 0.0,
                    None => solid.contains(point.into()),
                };
                values[index] = if is_inside { -distance } else { distance };
            }
        }
    }
}

/// Signed distances at the nodes of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceField {
    grid: Grid,
    values: Vec<f64>,
}

impl DistanceField {
    /// Computes the field of a solid. O(nodes · log triangles) usually.
    ///
    /// # Errors
    /// As [`Resolution::grid`].
    pub fn new(solid: &Solid, resolution: Resolution) -> Result<Self, ProxyError> {
        let grid = resolution.grid(&solid.bounds())?;
        let mut values = vec![0.0; grid.node_count()];
        let mut layers: Vec<(usize, &mut [f64])> =
            values.chunks_exact_mut(grid.counts[0] * grid.counts[1]).enumerate().collect();
        threads::for_each(&mut layers, |(layer, values)| grid.measure_layer(solid, *layer, values));
        Ok(Self { grid, values })
    }

    /// A field of known values, one per node.
    pub(super) fn of(grid: Grid, values: Vec<f64>) -> Self {
        Self { grid, values }
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Signed distance at every node, metres, x running fastest; negative inside.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The depth of a node inside the solid, metres; 0 outside. `None` if there is no such node.
    pub fn depth(&self, index: usize) -> Option<f64> {
        self.values.get(index).map(|value| (-value).max(0.0))
    }

    /// The same of a node that exists.
    pub(super) fn node_depth(&self, index: usize) -> f64 {
        (-self.values[index]).max(0.0)
    }

    /// Depth of the deepest node, metres.
    pub fn deepest(&self) -> f64 {
        self.values.iter().fold(0.0, |deepest, value| f64::max(deepest, -value))
    }
}
