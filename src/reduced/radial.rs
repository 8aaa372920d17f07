//! Radial basis functions: displacements of a few nodes, interpolated smoothly over all of space.
//!
//! The interpolant is `s(p) = Σ λ_i φ(|p − x_i|) + c + C p` with `s(x_j) = u_j`, `Σ λ_i = 0` and
//! `Σ λ_i x_i = 0`. It is linear in the displacements, so that a point `p` moves by
//! `Σ w_j(p) u_j` with weights that depend only on rest positions:
//!
//! ```text
//! ⎡ Φ  P ⎤ ⎡ w ⎤   ⎡ φ(|p − x|) ⎤
//! ⎣ Pᵀ 0 ⎦ ⎣ · ⎦ = ⎣ 1, p       ⎦
//! ```
//!
//! The lower rows say that weights sum to 1 and reproduce `p`: affine motions of the nodes move all
//! points alike. Weights may be negative.

use nalgebra::{DMatrix, DVector, Dyn, LU, Matrix3, Vector3};

use super::pose::check_places;
use super::{Affine, Influences, Pose, PoseKeys, ReducedError};
use crate::limits;
use crate::math::vector::distance;
use crate::motion::Outside;

/// Most nodes: the system is solved densely.
const MOST_NODES: usize = 2_048;
/// Weights that miss their point by more than this, in units of the nodes' size, come from nodes
/// that do not span space.
const MOST_RESIDUE: f64 = 1e-6;

/// Least determinant of the nodes' moments over the cube of their trace: nodes that are a millionth
/// as thick as they are wide.
const LEAST_MOMENT: f64 = 1e-12;

/// How the influence of a node depends on the distance from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum RadialKernel {
    /// `φ(d) = d`, biharmonic in space: the smoothest deformation, bends at nodes.
    #[default]
    Biharmonic,
    /// `φ(d) = d³`, triharmonic: smooth at nodes too, with larger weights of either sign.
    Triharmonic,
    /// `φ(d) = (1 − d/h)⁴ (4 d/h + 1)` within the radius `h`, 0 beyond (Wendland's C²): deformation
    /// stays near the nodes, and far points follow the affine part alone.
    Compact {
        /// The radius `h`, metres.
        support: f64,
    },
}

impl RadialKernel {
    /// Its value at a distance in units of `scale` metres.
    fn at(self, distance: f64, scale: f64) -> f64 {
        match self {
            Self::Biharmonic => distance,
            Self::Triharmonic => distance * distance * distance,
            Self::Compact { support } => {
                let share = distance * scale / support;
                let left = (1.0 - share).max(0.0);
                left * left * left * left * (4.0 * share + 1.0)
            }
        }
    }
}

/// Nodes at rest and the factors of their system.
///
/// Gives the weights of a [`super::ReducedMesh`] under [`super::Blend::Combination`] and the poses
/// of displaced nodes; or moves the simulation nodes of a [`super::Meshless`] body by fewer
/// handles.
///
/// ```
/// # use std::sync::Arc;
/// use kinetree::reduced::{Blend, RadialBasis, RadialKernel, ReducedBody, ReducedDef, ReducedMesh};
/// use kinetree::{Mesh, Outside};
///
/// // Four handles around a triangle, metres; the last one is pulled upward within a second.
/// let handles = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let basis = RadialBasis::new(handles, RadialKernel::Biharmonic)?;
/// let rest = vec![[0.1, 0.1, 0.1], [0.3, 0.1, 0.1], [0.1, 0.1, 0.9]];
/// let influences = basis.influences(&rest, 0.0)?;
/// let mesh = Mesh::new(3, vec![[0, 1, 2]])?;
/// let def = ReducedDef { mesh, rest, influences, morphs: Vec::new(), blend: Blend::Combination };
/// let (still, up) = ([0.0; 3], [0.0, 0.0, 0.5]);
/// let keys = vec![vec![still; 4], vec![still, still, still, up]];
/// let driver = basis.driver(&[0.0, 1.0], &keys, Outside::Hold)?;
/// let body = ReducedBody::new(Arc::new(ReducedMesh::new(def)?), Arc::new(driver))?;
/// # Ok::<(), kinetree::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RadialBasis {
    places: Vec<[f64; 3]>,
    kernel: RadialKernel,
    /// The middle of the nodes and the largest coordinate from there, metres.
    middle: [f64; 3],
    scale: f64,
    factors: LU<f64, Dyn, Dyn>,
}

impl RadialBasis {
    /// Creates nodes at rest, metres. O(nodes³) time, O(nodes²) memory.
    ///
    /// # Errors
    /// More than 2 048 nodes, positions or a support that are not usable, nodes that repeat a place
    /// or lie in a plane.
    pub fn new(places: Vec<[f64; 3]>, kernel: RadialKernel) -> Result<Self, ReducedError> {
        let nodes = places.len();
        if nodes > MOST_NODES {
            return Err(ReducedError::TooLarge { what: "radial nodes", count: nodes });
        }
        check_places(&places)?;
        if let RadialKernel::Compact { support } = kernel
            && !(support > limits::FLUSH && support <= limits::MAX_COORDINATE)
        {
            return Err(ReducedError::BadPlace { index: 0, value: support });
        }
        let degenerate = ReducedError::DegenerateRadialNodes { nodes };
        if nodes < 4 {
            return Err(degenerate);
        }
        let end = |pick: fn(f64, f64) -> f64, from: f64| {
            std::array::from_fn::<f64, 3, _>(|axis| places.iter().map(|place| place[axis]).fold(from, pick))
        };
        let (least, most) = (end(f64::min, f64::INFINITY), end(f64::max, f64::NEG_INFINITY));
        let middle = std::array::from_fn(|axis| 0.5 * (least[axis] + most[axis]));
        let scale = (0..3).map(|axis| 0.5 * (most[axis] - least[axis])).fold(0.0, f64::max);
        if !(scale > limits::FLUSH) {
            return Err(degenerate);
        }
        let local = |place: &[f64; 3]| std::array::from_fn(|axis| (place[axis] - middle[axis]) / scale);
        let own: Vec<[f64; 3]> = places.iter().map(local).collect();
        if !spans_space(&own) {
            return Err(degenerate);
        }
        let system = DMatrix::from_fn(nodes + 4, nodes + 4, |row, column| match (row < nodes, column < nodes) {
            (true, true) => kernel.at(distance(&own[row], &own[column]), scale),
            (true, false) => affine(&own[row])[column - nodes],
            (false, true) => affine(&own[column])[row - nodes],
            (false, false) => 0.0,
        });
        let basis = Self { places, kernel, middle, scale, factors: LU::new(system) };
        // Each node must follow itself.
        for (node, place) in basis.places.iter().enumerate() {
            let weights = basis.weights(place).ok_or_else(|| degenerate.clone())?;
            let is_own = |(other, &weight): (usize, &f64)| (weight - f64::from(other == node)).abs() <= MOST_RESIDUE;
            if !weights.iter().enumerate().all(is_own) {
                return Err(degenerate);
            }
        }
        Ok(basis)
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.places.len()
    }

    /// The weight of each node at a point, metres; `None` if the system has no usable solution.
    fn weights(&self, point: &[f64; 3]) -> Option<DVector<f64>> {
        let nodes = self.places.len();
        let local = |place: &[f64; 3]| std::array::from_fn(|axis| (place[axis] - self.middle[axis]) / self.scale);
        let own: [f64; 3] = local(point);
        let right = DVector::from_fn(nodes + 4, |row, _| match self.places.get(row) {
            Some(place) => self.kernel.at(distance(&local(place), &own), self.scale),
            None => affine(&own)[row - nodes],
        });
        let solution = self.factors.solve(&right)?;
        let weights = solution.rows(0, nodes).into_owned();
        let reach = own.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        let misses = (0..4).map(|column| {
            let sum: f64 = self.places.iter().zip(&weights).map(|(x, weight)| affine(&local(x))[column] * weight).sum();
            (sum - affine(&own)[column]).abs()
        });
        let is_usable =
            weights.iter().all(|weight| weight.is_finite()) && misses.fold(0.0, f64::max) <= MOST_RESIDUE * reach;
        is_usable.then_some(weights)
    }

    /// Weights of surface vertices, rest positions in metres, for a [`super::ReducedMesh`] under
    /// [`super::Blend::Combination`].
    ///
    /// Weights of at most `least` in magnitude are left out, and the others are divided by their
    /// sum; 0 keeps all. The body moves by the remaining weights. O(vertices × nodes²).
    ///
    /// # Errors
    /// `least` not from 0 to below 1, a position that is not usable, a vertex without weights.
    pub fn influences(&self, rest: &[[f32; 3]], least: f64) -> Result<Influences, ReducedError> {
        if !(0.0..1.0).contains(&least) {
            return Err(ReducedError::BadLeastWeight { value: least });
        }
        let mut lists = Vec::with_capacity(rest.len());
        for (vertex, position) in rest.iter().enumerate() {
            let vertex = vertex as u32;
            let point = position.map(f64::from);
            if let Some(axis) = point.iter().position(|x| !(x.abs() <= limits::MAX_COORDINATE)) {
                return Err(ReducedError::BadRest { vertex, axis, value: point[axis] });
            }
            let weights = self.weights(&point).ok_or(ReducedError::NoInfluence { vertex })?;
            let kept = || weights.iter().enumerate().filter(|(_, weight)| weight.abs() > least);
            let sum: f64 = kept().map(|(_, weight)| weight).sum();
            if !(sum > 0.0) {
                return Err(ReducedError::NoInfluence { vertex });
            }
            lists.push(kept().map(|(node, weight)| (node as u32, weight / sum)).collect());
        }
        Influences::combination(self.places.len(), lists)
    }

    /// Computes the pose of displaced nodes; `displacements` are metres, one per node.
    ///
    /// # Errors
    /// Not one displacement per node, or one that is not usable.
    pub fn pose(&self, displacements: &[[f64; 3]], pose: &mut Pose) -> Result<(), ReducedError> {
        self.check(displacements)?;
        pose.morphs.clear();
        pose.maps.clear();
        pose.maps.extend(displacements.iter().map(|&shift| Affine { shift: shift.into(), ..Affine::identity() }));
        Ok(())
    }

    /// Creates a driver of nodes that move linearly between keys: one list of displacements per key
    /// time.
    ///
    /// # Errors
    /// As [`RadialBasis::pose`] and [`PoseKeys::new`].
    pub fn driver(
        &self,
        times: &[f64],
        displacements: &[Vec<[f64; 3]>],
        outside: Outside,
    ) -> Result<PoseKeys, ReducedError> {
        PoseKeys::of_nodes(times, displacements, &self.places, outside, |key, pose| self.pose(key, pose))
    }

    /// Displacements of points, metres, that follow displaced nodes; `out` is emptied first. For
    /// the nodes of a [`super::Meshless`] body that few handles move, [`super::Meshless::driver`]
    /// takes the result. O(points × nodes²).
    ///
    /// # Errors
    /// As [`RadialBasis::pose`]; points that are not usable, or too far away for usable weights.
    pub fn interpolate(
        &self,
        displacements: &[[f64; 3]],
        points: &[[f64; 3]],
        out: &mut Vec<[f64; 3]>,
    ) -> Result<(), ReducedError> {
        self.check(displacements)?;
        check_places(points)?;
        let mut moved = Vec::with_capacity(points.len());
        for (index, point) in points.iter().enumerate() {
            let weights = self.weights(point).ok_or(ReducedError::BadPlace { index, value: point[0] })?;
            let along =
                |axis: usize| displacements.iter().zip(&weights).map(|(shift, weight)| shift[axis] * weight).sum();
            moved.push([along(0), along(1), along(2)]);
        }
        out.clear();
        out.append(&mut moved);
        Ok(())
    }

    fn check(&self, displacements: &[[f64; 3]]) -> Result<(), ReducedError> {
        if displacements.len() != self.places.len() {
            return Err(ReducedError::MapCount { expected: self.places.len(), found: displacements.len() });
        }
        check_places(displacements)
    }
}

/// Whether points are not all near one plane, by the moments about their mean.
fn spans_space(points: &[[f64; 3]]) -> bool {
    let sum: Vector3<f64> = points.iter().map(|&point| Vector3::from(point)).sum();
    let mean = sum / points.len() as f64;
    let square = |&point: &[f64; 3]| (Vector3::from(point) - mean) * (Vector3::from(point) - mean).transpose();
    let moment: Matrix3<f64> = points.iter().map(square).sum();
    let trace = moment.trace();
    moment.determinant() > LEAST_MOMENT * trace * trace * trace
}

/// The constant and the coordinates: the affine functions at a point.
fn affine(&[x, y, z]: &[f64; 3]) -> [f64; 4] {
    [1.0, x, y, z]
}
