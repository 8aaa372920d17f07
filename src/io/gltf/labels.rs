//! What the triangles of a node's mesh are called: material, node, and the joint that moves them
//! most.

use super::model::Model;
use crate::incident::{PartLabel, PartLabels};
use crate::io::labels::LabelBuilder;

impl Model {
    /// The names of the triangles of a node's mesh: materials of its primitives; the node as a
    /// group; for skinned meshes the joint with the largest sum of weights of the three corners,
    /// the first of equal ones. Morph targets do not count. Without materials or joints these lists
    /// are empty. O(triangles × influences).
    pub fn labels(&self, node: usize) -> PartLabels {
        let data = &self.nodes[node];
        let Some(mesh) = self.mesh_of(node) else { return PartLabels::default() };
        let mut materials = LabelBuilder::default();
        for (range, material) in mesh.primitives.iter().zip(&mesh.materials) {
            materials.add(material.as_deref().unwrap_or(""), range.start, range.end);
        }
        let all = 0..mesh.triangles.len() as u32;
        let groups = vec![PartLabel { name: data.name.clone(), triangles: vec![all] }];
        PartLabels { materials: materials.finish(), groups, joints: self.joint_labels(node) }
    }

    fn joint_labels(&self, node: usize) -> Vec<PartLabel> {
        let Some((mesh, skin)) = self.mesh_of(node).zip(self.nodes[node].skin) else { return Vec::new() };
        let (Some(influences), skin) = (&mesh.influences, &self.skins[skin as usize]) else { return Vec::new() };
        // The one that leads by a rounding is not the one that moves most: weights are compared as
        // they are, and the first joint wins.
        let mut sums = vec![0.0; skin.joints.len()];
        let mut joints = LabelBuilder::default();
        let mut of_joint: Vec<Vec<usize>> = vec![Vec::new(); skin.joints.len()];
        for (number, triangle) in mesh.triangles.iter().enumerate() {
            let mut named: Vec<usize> = Vec::with_capacity(12);
            for &corner in triangle {
                for (joint, weight) in influences.of(corner as usize) {
                    let joint = joint as usize;
                    if joint < sums.len() {
                        sums[joint] += weight;
                        named.push(joint);
                    }
                }
            }
            named.sort_unstable();
            let largest =
                named.iter().copied().reduce(|best, joint| if sums[joint] > sums[best] { joint } else { best });
            if let Some(joint) = largest {
                of_joint[joint].push(number);
            }
            named.iter().for_each(|&joint| sums[joint] = 0.0);
        }
        for (&joint, triangles) in skin.joints.iter().zip(&of_joint) {
            let name = &self.nodes[joint as usize].name;
            triangles.iter().for_each(|&triangle| joints.add(name, triangle, triangle + 1));
        }
        joints.finish()
    }
}
