//! What moves a model that is packed: the joints of its skins, and the nodes of meshes without one.

use std::collections::BTreeMap;

use super::super::Failure;
use crate::io::gltf::{JointedMesh, JointedPose};
use crate::io::{MeshData, SphereJoint};
use crate::motion::Sphere;
use crate::proxy::{ProxyError, Solid, choose_over_poses};
use crate::tuning;

/// Meshes of a model as one, and what moves them.
pub(super) struct Skin {
    meshes: Vec<JointedMesh>,
    /// The first vertex of each mesh.
    first: Vec<u32>,
    /// Of each mesh, the places of its joints in `joints`.
    places: Vec<Vec<u32>>,
    /// The names of all skins.
    pub(super) name: String,
    /// All joints and nodes, each once.
    pub(super) joints: Vec<SphereJoint>,
    /// Maps of `joints` and positions of all vertices, the rest pose first.
    pub(super) poses: Vec<JointedPose>,
}

impl Skin {
    /// Joins meshes, and poses them: at rest and at some times of their clip, seconds.
    pub(super) fn new(meshes: Vec<JointedMesh>, times: &[f64]) -> Result<Self, Failure> {
        let (mut joints, mut names): (Vec<SphereJoint>, Vec<&str>) = (Vec::new(), Vec::new());
        let (mut first, mut places, mut vertices) = (Vec::new(), Vec::new(), 0);
        // Places in `joints` by node.
        let mut of_nodes: BTreeMap<u32, u32> = BTreeMap::new();
        for mesh in &meshes {
            first.push(vertices);
            vertices += mesh.mesh.positions.len() as u32;
            let place = |joint: &SphereJoint| {
                *of_nodes.entry(joint.node).or_insert_with(|| {
                    joints.push(joint.clone());
                    joints.len() as u32 - 1
                })
            };
            places.push(mesh.joints.iter().map(place).collect());
            if !mesh.skin.is_empty() && !names.contains(&mesh.skin.as_str()) {
                names.push(&mesh.skin);
            }
        }
        let name = names.join(", ");
        let mut skin = Self { meshes, first, places, name, joints, poses: Vec::new() };
        let rest = skin.joined(JointedMesh::rest)?;
        skin.poses.push(rest);
        for &time in times {
            let pose = skin.joined(|mesh| mesh.at(time))?;
            skin.poses.push(pose);
        }
        Ok(skin)
    }

    /// All meshes in a pose.
    fn joined<E: Into<Failure>>(
        &self,
        pose: impl Fn(&JointedMesh) -> Result<JointedPose, E>,
    ) -> Result<JointedPose, Failure> {
        let mut all = JointedPose::default();
        for (mesh, places) in self.meshes.iter().zip(&self.places) {
            let posed = pose(mesh).map_err(Into::into)?;
            for (&place, map) in places.iter().zip(posed.joints) {
                // Joints are numbered in this order; those of meshes before are there.
                if place as usize == all.joints.len() {
                    all.joints.push(map);
                }
            }
            all.positions.extend(posed.positions);
        }
        Ok(all)
    }

    /// All triangles, and positions at rest.
    pub(super) fn mesh(&self) -> MeshData {
        let mut all = MeshData::default();
        for (JointedMesh { mesh, .. }, &first) in self.meshes.iter().zip(&self.first) {
            all.positions.extend_from_slice(&mesh.positions);
            all.triangles.extend(mesh.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
        }
        all
    }

    /// Places in `joints` and weights of a vertex.
    pub(super) fn weights(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let mesh = self.first.partition_point(|&first| first <= vertex) - 1;
        let places = &self.places[mesh];
        self.meshes[mesh].weights(vertex - self.first[mesh]).map(|(joint, weight)| (places[joint as usize], weight))
    }

    /// Spheres and their joints, chosen over all poses from some in the rest pose.
    pub(super) fn chosen<W: IntoIterator<Item = (u32, f64)>>(
        &self,
        solids: &[Solid],
        spheres: &[Sphere],
        weights: impl Fn(u32) -> W,
        count: usize,
    ) -> Result<Vec<(Sphere, u32)>, ProxyError> {
        // At least as many as are wanted; a longer choice begins with the shorter one up to there.
        let spheres = &spheres[..spheres.len().min(tuning::CHOICE_SPHERES.max(count))];
        let carry = |pose: usize, joint, sphere| self.poses[pose].carried(self.poses.first()?, joint, sphere);
        let chosen = choose_over_poses(solids, spheres, self.joints.len(), weights, carry, count)?;
        Ok(chosen.into_iter().map(|choice| (spheres[choice.sphere as usize], choice.joint)).collect())
    }
}
