//! The spheres of a tree in a pose, computed on demand.

use super::build::SphereTree;
use super::frame::SphereFrame;
use super::sphere::Sphere;
use crate::reduced::{Pose, ReducedError, ReducedMesh};

/// A sphere tree in a pose. Spheres, joint sets and vertices are computed at the first query and
/// kept until the pose changes.
#[derive(Clone, Debug)]
pub struct PosedSpheres<'a> {
    tree: &'a SphereTree,
    mesh: &'a ReducedMesh,
    frame: SphereFrame,
    spheres: Vec<Option<Sphere>>,
    positions: Vec<Option<[f64; 3]>>,
    refitted: u64,
    evaluated: u64,
}

impl<'a> PosedSpheres<'a> {
    /// Creates a pose of a tree over a mesh. O(nodes + vertices) memory, O(joints) time.
    ///
    /// # Errors
    /// A pose or tree of another body; under spherical blending, maps that shear, mirror or
    /// scale unevenly.
    pub fn new(tree: &'a SphereTree, mesh: &'a ReducedMesh, pose: &Pose) -> Result<Self, ReducedError> {
        if mesh.vertex_count() != tree.vertex_count {
            return Err(ReducedError::RestCount { expected: tree.vertex_count, found: mesh.vertex_count() });
        }
        let mut posed = Self {
            tree,
            mesh,
            frame: SphereFrame::default(),
            spheres: vec![None; tree.nodes.len()],
            positions: vec![None; mesh.vertex_count()],
            refitted: 0,
            evaluated: 0,
        };
        posed.set_pose(pose)?;
        Ok(posed)
    }

    /// Changes the pose.
    ///
    /// # Errors
    /// As [`PosedSpheres::new`]; the pose is then unchanged.
    pub fn set_pose(&mut self, pose: &Pose) -> Result<(), ReducedError> {
        self.frame.set_pose(self.tree, self.mesh, pose)?;
        self.spheres.iter_mut().for_each(|sphere| *sphere = None);
        self.positions.iter_mut().for_each(|position| *position = None);
        Ok(())
    }

    /// The tree.
    pub fn tree(&self) -> &'a SphereTree {
        self.tree
    }

    /// The number of spheres computed so far.
    pub fn refitted(&self) -> u64 {
        self.refitted
    }

    /// Whether the sphere of a node was computed in this pose.
    pub fn is_made(&self, node: u32) -> bool {
        self.spheres.get(node as usize).is_some_and(Option::is_some)
    }

    /// The number of vertices evaluated so far.
    pub fn evaluated(&self) -> u64 {
        self.evaluated
    }

    /// A sphere that contains all vertices of a node, rounded outward; [`Sphere::EVERYTHING`] for
    /// a node that does not exist. O(joints of the node); O(1) for repeated queries.
    pub fn sphere(&mut self, node: u32) -> Sphere {
        match self.spheres.get(node as usize) {
            None => return Sphere::EVERYTHING,
            Some(&Some(sphere)) => return sphere,
            Some(None) => {}
        }
        let sphere = self.refit(node);
        self.refitted += 1;
        self.spheres[node as usize] = Some(sphere);
        sphere
    }

    /// Computes the sphere of a node again; as [`PosedSpheres::sphere`].
    pub fn refit(&self, node: u32) -> Sphere {
        let is_known = (node as usize) < self.spheres.len();
        if is_known { self.frame.sphere(self.tree, self.mesh, node) } else { Sphere::EVERYTHING }
    }

    /// A bound on the distance of a node's vertices from where linear blending of the same weights
    /// puts them, metres; 0 under linear blending, infinite for a node that does not exist. The
    /// sphere of a node is no larger than that of a linear tree plus this distance, up to rounding.
    /// O(joints of the node).
    pub fn distance_from_linear(&self, node: u32) -> f64 {
        let is_known = (node as usize) < self.spheres.len();
        if is_known { self.frame.distance(self.tree, self.mesh, node) } else { f64::INFINITY }
    }

    /// The positions of a triangle's corners, metres.
    ///
    /// # Errors
    /// A triangle that does not exist.
    pub fn corners(&mut self, triangle: u32) -> Result<[[f64; 3]; 3], ReducedError> {
        let triangles = self.mesh.mesh().triangles();
        let missing = ReducedError::NoSuchTriangle { triangle, triangles: triangles.len() };
        let &vertices = triangles.get(triangle as usize).ok_or(missing)?;
        let mut corners = [[0.0; 3]; 3];
        for (corner, vertex) in corners.iter_mut().zip(vertices) {
            *corner = match self.positions[vertex as usize] {
                Some(position) => position,
                None => {
                    let position = self.frame.position(self.tree, self.mesh, vertex);
                    self.evaluated += 1;
                    self.positions[vertex as usize] = Some(position);
                    position
                }
            };
        }
        Ok(corners)
    }
}
