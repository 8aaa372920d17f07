//! A pose: all nodes at one time, and the vertices that follow.
//!
//! Source: glTF 2.0 specification, sections 3.5.3 (transformations), 3.7.2.2 (morph targets) and 3.7.3 (skins). Everything is
//! evaluated in `f64`, straight from the formulas; what bounds are checked against comes from here.

use super::super::matrix::compose;
use super::model::{Model, ModelMesh, NodeTransform, Parts};

/// Where all nodes of a [`Model`] are relative to their parents, and how far its meshes are morphed.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelPose {
    /// One per node.
    pub transforms: Vec<NodeTransform>,
    /// Per node the weights of its mesh's morph targets, unitless.
    pub weights: Vec<Vec<f64>>,
}

impl Parts {
    /// Translation · rotation · scale as a row-major matrix for column vectors.
    pub fn matrix(&self) -> [f64; 16] {
        let [x, y, z, w] = self.rotation;
        let rotation = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let mut matrix = [0.0; 16];
        for row in 0..3 {
            for column in 0..3 {
                matrix[4 * row + column] = rotation[row][column] * self.scale[column];
            }
            matrix[4 * row + 3] = self.translation[row];
        }
        matrix[15] = 1.0;
        matrix
    }
}

impl NodeTransform {
    /// The transform as a row-major matrix for column vectors.
    pub fn matrix(&self) -> [f64; 16] {
        match self {
            Self::Parts(parts) => parts.matrix(),
            Self::Matrix(matrix) => **matrix,
        }
    }
}

impl Model {
    /// Nodes of the scene that have a mesh with triangles, in file order: what becomes bodies.
    pub fn mesh_nodes(&self) -> Vec<usize> {
        let shows = |&node: &usize| {
            self.nodes[node].in_scene && self.mesh_of(node).is_some_and(|mesh| !mesh.triangles.is_empty())
        };
        (0..self.nodes.len()).filter(shows).collect()
    }

    /// The mesh of a node.
    pub fn mesh_of(&self, node: usize) -> Option<&ModelMesh> {
        self.nodes[node].mesh.map(|mesh| &self.meshes[mesh as usize])
    }

    /// Per node the matrix to the scene's frame, row-major for column vectors. Linear in the nodes.
    pub fn global_matrices(&self, pose: &ModelPose) -> Vec<[f64; 16]> {
        let mut matrices = vec![[0.0; 16]; self.nodes.len()];
        for &node in &self.order {
            let node = node as usize;
            let local = pose.transforms[node].matrix();
            matrices[node] = match self.nodes[node].parent {
                Some(parent) => compose(&matrices[parent as usize], &local),
                None => local,
            };
        }
        matrices
    }

    /// Per joint of a skin the matrix from the mesh's frame at rest to the scene's frame, given [`Self::global_matrices`].
    pub fn joint_matrices(&self, skin: usize, globals: &[[f64; 16]]) -> Vec<[f64; 16]> {
        let skin = &self.skins[skin];
        let joints = skin.joints.iter().zip(&skin.inverse_binds);
        joints.map(|(&joint, inverse_bind)| compose(&globals[joint as usize], inverse_bind)).collect()
    }

    /// The vertices of a node's mesh in the scene's frame, metres: morphed, then skinned or moved with the node. Empty for a node
    /// without mesh.
    ///
    /// Linear in vertices × (influences + morph targets of weight other than zero).
    pub fn vertices(&self, node: usize, pose: &ModelPose) -> Vec<[f64; 3]> {
        let Some(mesh) = self.mesh_of(node) else { return Vec::new() };
        let globals = self.global_matrices(pose);
        let morphed = morphed(mesh, &pose.weights[node]);
        let influences = mesh.influences.as_ref();
        let (Some(skin), Some(influences)) = (self.nodes[node].skin, influences) else {
            return morphed.into_iter().map(|point| apply(&globals[node], point)).collect();
        };
        let joints = self.joint_matrices(skin as usize, &globals);
        let skinned = morphed.into_iter().enumerate().map(|(vertex, point)| {
            let mut sum = [0.0; 3];
            for (joint, weight) in influences.of(vertex) {
                let moved = apply(&joints[joint as usize], point);
                (0..3).for_each(|axis| sum[axis] += weight * moved[axis]);
            }
            sum
        });
        skinned.collect()
    }
}

fn morphed(mesh: &ModelMesh, weights: &[f64]) -> Vec<[f64; 3]> {
    let mut points: Vec<[f64; 3]> = mesh.positions.iter().map(|point| point.map(f64::from)).collect();
    for (target, &weight) in mesh.targets.iter().zip(weights) {
        if weight == 0.0 {
            continue;
        }
        for (point, displacement) in points.iter_mut().zip(target) {
            (0..3).for_each(|axis| point[axis] += weight * f64::from(displacement[axis]));
        }
    }
    points
}

pub(super) fn apply(matrix: &[f64; 16], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [0, 4, 8].map(|row| matrix[row] * x + matrix[row + 1] * y + matrix[row + 2] * z + matrix[row + 3])
}
