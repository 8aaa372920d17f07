//! Rest boxes along the directions of largest variance of a node's vertices.

use nalgebra::Matrix3;

use super::BoundTree;
use super::tree::round_up;
use crate::bvh::Topology;
use crate::limits;
use crate::math::Aabb;
use crate::reduced::ReducedMesh;

/// Per node, orthogonal columns along which its vertices vary most and least: the eigenvectors of
/// their covariance.
pub(super) fn principal_turns(mesh: &ReducedMesh, topology: &Topology) -> Vec<Matrix3<f64>> {
    let place = |vertex: u32| nalgebra::Vector3::from(mesh.rest_positions()[vertex as usize].map(f64::from));
    let turn = |node: usize| {
        let vertices = topology.vertices_below(node as u32);
        let share = 1.0 / vertices.len().max(1) as f64;
        let mean: nalgebra::Vector3<f64> = vertices.iter().map(|&vertex| place(vertex) * share).sum();
        let mut covariance = Matrix3::zeros();
        for &vertex in &vertices {
            let difference = place(vertex) - mean;
            covariance += difference * difference.transpose() * share;
        }
        covariance.symmetric_eigen().eigenvectors
    };
    (0..topology.nodes().len()).map(turn).collect()
}

impl BoundTree {
    /// Gives all influences boxes along the columns of their node's rotation: centres in space,
    /// half lengths along the columns.
    pub(super) fn turn_boxes(&mut self, mesh: &ReducedMesh) {
        for (node, turn) in self.turns.iter().enumerate() {
            let vertices = self.topology.vertices_below(node as u32);
            for place in self.starts[node]..self.starts[node + 1] {
                let influence = &mut self.influences[place as usize];
                let moved = vertices
                    .iter()
                    .filter(|&&vertex| mesh.influences().indices_of(vertex).contains(&influence.influence));
                let local: Vec<[f64; 3]> = moved
                    .map(|&vertex| {
                        let place = mesh.rest_positions()[vertex as usize].map(f64::from);
                        (turn.transpose() * nalgebra::Vector3::from(place)).into()
                    })
                    .collect();
                let bounds = Aabb::of_points(&local);
                let reach = local.iter().flatten().fold(0.0, |reach: f64, x| reach.max(x.abs()));
                let centre = turn * nalgebra::Vector3::from(bounds.centre());
                let from_middle: [f64; 3] = std::array::from_fn(|axis| centre[axis] - self.middle[axis]);
                // The columns are orthogonal up to a few roundings, and the offset from the body's
                // centre is rounded to `f32`.
                let off = limits::REDUCED_ROUNDING_STEPS as f64 * limits::REDUCED_ROUNDING * reach
                    + 2.0 * f64::from(f32::EPSILON) * from_middle.iter().fold(reach, |far, x| far.max(x.abs()));
                influence.rest.centre = from_middle.map(|x| x as f32);
                influence.rest.half =
                    std::array::from_fn(|axis| round_up(0.5 * (bounds.max[axis] - bounds.min[axis]) + off));
            }
        }
    }
}
