//! Meshless bodies: surfaces that follow simulation nodes and the gradients of their displacements.
//!
//! A vertex maps to `Σ w_j (v + u_j + ∇u_jᵀ (v − x_j))`. Node `j`, at `x_j` at rest, is displaced
//! by `u_j`; its gradient is the least-squares fit to the displacements of the nodes around it,
//!
//! ```text
//! ∇u_jᵀ = Σ_i (u_i − u_j) gᵢᵀ,   g_i = k(|x_i − x_j|) M⁻¹ (x_i − x_j),   M = Σ_i k (x_i − x_j)(x_i − x_j)ᵀ
//! ```
//!
//! with the compact kernel `k(d) = (1 − d²/h²)³` inside the support radius `h`, 0 outside. The
//! vectors `g_i` depend only on rest positions. As gradients are linear in displacements, maps are
//! linear in time if displacements are.
//!
//! Follows Steinemann, Otaduy and Gross 2008, equation 1; gradients by moving least squares as in
//! its simulation source.

use nalgebra::{Matrix3, Vector3};

use super::pose::check_places;
use super::{Affine, Influences, Pose, PoseKeys, ReducedError, WeightPolicy};
use crate::limits;
use crate::motion::Outside;

/// Simulation nodes at rest and the data of their gradients.
#[derive(Clone, Debug)]
pub struct Meshless {
    places: Vec<[f64; 3]>,
    support: f64,
    offsets: Vec<u32>,
    /// Per node its neighbours and their vectors `g`.
    neighbours: Vec<(u32, Vector3<f64>)>,
    /// Node numbers by x coordinate.
    by_x: Vec<u32>,
}

impl Meshless {
    /// Creates nodes at rest, metres, with the radius of their kernel, metres. O(nodes × nodes
    /// within a slab of twice the radius).
    ///
    /// # Errors
    /// No nodes, positions or a radius that are not usable, a node whose neighbours do not span
    /// space.
    pub fn new(places: Vec<[f64; 3]>, support: f64) -> Result<Self, ReducedError> {
        if places.is_empty() {
            return Err(ReducedError::DegenerateNode { node: 0, neighbours: 0 });
        }
        if !(support > limits::FLUSH && support <= limits::MAX_COORDINATE) {
            return Err(ReducedError::BadPlace { index: 0, value: support });
        }
        check_places(&places)?;
        let mut by_x: Vec<u32> = (0..places.len() as u32).collect();
        by_x.sort_by(|&a, &b| places[a as usize][0].total_cmp(&places[b as usize][0]).then(a.cmp(&b)));
        let mut nodes = Self { places, support, offsets: vec![0], neighbours: Vec::new(), by_x };
        for node in 0..nodes.places.len() {
            let around = nodes.gradient_vectors(node)?;
            nodes.neighbours.extend(around);
            nodes.offsets.push(nodes.neighbours.len() as u32);
        }
        Ok(nodes)
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.places.len()
    }

    /// Nodes whose kernel reaches a point, ascending, with the kernel's value there.
    fn around(&self, point: &[f64; 3]) -> Vec<(u32, f64)> {
        let x = |&node: &u32| self.places[node as usize][0];
        let first = self.by_x.partition_point(|node| x(node) < point[0] - self.support);
        let last = self.by_x.partition_point(|node| x(node) <= point[0] + self.support);
        let mut around: Vec<(u32, f64)> = self.by_x[first..last]
            .iter()
            .filter_map(|&node| {
                let place = &self.places[node as usize];
                // In units of the radius: squares of tiny lengths would underflow.
                let square: f64 = (0..3).map(|axis| ((place[axis] - point[axis]) / self.support).powi(2)).sum();
                let left = 1.0 - square;
                (left > 0.0).then_some((node, left * left * left))
            })
            .collect();
        around.sort_by_key(|&(node, _)| node);
        around
    }

    fn gradient_vectors(&self, node: usize) -> Result<Vec<(u32, Vector3<f64>)>, ReducedError> {
        let place = Vector3::from(self.places[node]);
        let mut around = self.around(&self.places[node]);
        around.retain(|&(other, _)| other as usize != node);
        // In units of the radius, so that the moment matrix is unitless.
        let offset = |other: u32| (Vector3::from(self.places[other as usize]) - place) / self.support;
        let moment: Matrix3<f64> = around.iter().map(|&(other, k)| offset(other) * offset(other).transpose() * k).sum();
        let trace = moment.trace();
        let degenerate = ReducedError::DegenerateNode { node, neighbours: around.len() };
        if !(moment.determinant() > limits::SINGULAR_MOMENT * trace * trace * trace) {
            return Err(degenerate);
        }
        let inverse = moment.try_inverse().ok_or(degenerate)?;
        Ok(around.iter().map(|&(other, k)| (other, inverse * offset(other) * (k / self.support))).collect())
    }

    /// Convex weights of surface vertices, by the same kernel, for the [`super::ReducedMesh`] of
    /// this body.
    ///
    /// # Errors
    /// A vertex that no node reaches.
    pub fn influences(&self, rest: &[[f32; 3]]) -> Result<Influences, ReducedError> {
        let mut lists = Vec::with_capacity(rest.len());
        for (vertex, position) in rest.iter().enumerate() {
            let around = self.around(&position.map(f64::from));
            let sum: f64 = around.iter().map(|&(_, k)| k).sum();
            if !(sum > 0.0) {
                return Err(ReducedError::NoInfluence { vertex: vertex as u32 });
            }
            lists.push(around.into_iter().map(|(node, k)| (node, k / sum)).collect());
        }
        Influences::convex(self.places.len(), lists, WeightPolicy::Strict)
    }

    /// Computes the pose of displaced nodes; `displacements` are metres, one per node.
    ///
    /// # Errors
    /// Not one displacement per node, or one that is not usable.
    pub fn pose(&self, displacements: &[[f64; 3]], pose: &mut Pose) -> Result<(), ReducedError> {
        if displacements.len() != self.places.len() {
            return Err(ReducedError::MapCount { expected: self.places.len(), found: displacements.len() });
        }
        check_places(displacements)?;
        pose.maps.clear();
        pose.morphs.clear();
        for node in 0..self.places.len() {
            let here = Vector3::from(displacements[node]);
            let range = self.offsets[node] as usize..self.offsets[node + 1] as usize;
            let gradient: Matrix3<f64> = self.neighbours[range]
                .iter()
                .map(|(other, vector)| (Vector3::from(displacements[*other as usize]) - here) * vector.transpose())
                .sum();
            let shift = here - gradient * Vector3::from(self.places[node]);
            pose.maps.push(Affine { linear: gradient + Matrix3::identity(), shift });
        }
        Ok(())
    }

    /// Creates a driver of nodes that move linearly between keys: one list of displacements per key
    /// time.
    ///
    /// # Errors
    /// As [`Meshless::pose`] and [`PoseKeys::new`].
    pub fn driver(
        &self,
        times: &[f64],
        displacements: &[Vec<[f64; 3]>],
        outside: Outside,
    ) -> Result<PoseKeys, ReducedError> {
        PoseKeys::of_nodes(times, displacements, &self.places, outside, |key, pose| self.pose(key, pose))
    }
}
