//! A body's boxes and vertices in a pose, made on demand, with what the last query looked at as a start for the next.
//!
//! Keeps: per node the box of this pose, if it was asked for; per leaf its vertices, if they were evaluated (then its box is exact); and
//! the *front* of the last query: the lowest nodes it reached. When the pose changes, the front is bounded first, and boxes above it
//! are united from below, which is cheaper and tighter than bounding them by themselves. Below the front boxes are made when visited.
//!
//! Cost per pose: O(influences + front); per visited node O(its influences); per evaluated leaf its vertices' weights.
//!
//! Follows Steinemann, Otaduy and Gross 2008, §4.2. Departs from it at leaves: they hold several triangles, are bounded first, and
//! evaluated only when what they overlap asks for it.

use super::{BoundTree, Frame, Level};
use crate::kds::Topology;
use crate::math::Aabb;
use crate::reduced::{Blend, Pose, ReducedError, ReducedMesh};

/// A reduced body in a pose, for [`PairQuery`](super::PairQuery).
#[derive(Clone, Debug)]
pub struct PosedBounds<'a> {
    tree: &'a BoundTree,
    mesh: &'a ReducedMesh,
    level: Level,
    pose: Pose,
    frame: Frame,
    /// The number of this pose; marks with it are of this pose.
    stamp: u64,
    /// Per node, of which pose its box is, and of which its leaf's vertices are.
    bounded: Vec<u64>,
    evaluated: Vec<u64>,
    boxes: Vec<Aabb>,
    /// Per node, when a query opened it last.
    opened: Vec<u64>,
    /// Nodes opened in this pose.
    upper: Vec<u32>,
    /// Per node, where the vertices of a leaf lie in `positions`.
    point_starts: Vec<u32>,
    /// Per triangle in leaf order, the places of its corners in `positions`; per node, where a leaf's triangles begin.
    corners: Vec<[u32; 3]>,
    corner_starts: Vec<u32>,
    positions: Vec<[f64; 3]>,
    scratch: Vec<[f64; 3]>,
    counts: Counts,
}

/// What was done in a pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Boxes bounded from parameters.
    pub bounded: u64,
    /// Vertices evaluated.
    pub evaluated: u64,
}

impl<'a> PosedBounds<'a> {
    /// A body in its first pose. O(triangles) once, for the layout of leaves.
    ///
    /// # Errors
    /// A tree or pose of another body; spherical blending, which needs [spheres](crate::reduced::sphere_tree).
    pub fn new(tree: &'a BoundTree, mesh: &'a ReducedMesh, level: Level, pose: &Pose) -> Result<Self, ReducedError> {
        if let Blend::Spherical { .. } = mesh.blend() {
            return Err(ReducedError::NoBound { time: 0.0 });
        }
        let topology = tree.topology();
        let nodes = topology.nodes().len();
        let (mut point_starts, mut corner_starts, mut corners) = (vec![0; nodes], vec![0; nodes], Vec::new());
        let mut points = 0;
        for leaf in (0..nodes).filter(|&node| topology.nodes()[node].is_leaf()) {
            let own = topology.leaf_points(leaf as u32);
            (point_starts[leaf], corner_starts[leaf]) = (points, corners.len() as u32);
            for &triangle in topology.primitives(leaf as u32) {
                let Some(vertices) = mesh.mesh().triangles().get(triangle as usize) else {
                    return Err(ReducedError::RestCount {
                        expected: topology.order().len(),
                        found: mesh.mesh().triangles().len(),
                    });
                };
                corners.push(vertices.map(|vertex| points + own.partition_point(|&point| point < vertex) as u32));
            }
            points += own.len() as u32;
        }
        let mut posed = Self {
            tree,
            mesh,
            level,
            pose: Pose::default(),
            frame: Frame::default(),
            stamp: 0,
            bounded: vec![0; nodes],
            evaluated: vec![0; nodes],
            boxes: vec![Aabb::EMPTY; nodes],
            opened: vec![0; nodes],
            upper: Vec::new(),
            point_starts,
            corners,
            corner_starts,
            positions: vec![[0.0; 3]; points as usize],
            scratch: Vec::new(),
            counts: Counts::default(),
        };
        posed.set_pose(pose)?;
        Ok(posed)
    }

    /// Takes another pose, and bounds what the last query reached.
    ///
    /// # Errors
    /// A pose of another body, or with numbers that are not finite; the old pose stays.
    pub fn set_pose(&mut self, pose: &Pose) -> Result<(), ReducedError> {
        self.frame.set_pose(self.tree, pose)?;
        self.pose.maps.clone_from(&pose.maps);
        self.pose.morphs.clone_from(&pose.morphs);
        self.stamp += 1;
        self.counts = Counts::default();
        let mut upper = std::mem::take(&mut self.upper);
        // As built, children have higher numbers than their parents: from the highest number down, children come first.
        upper.sort_unstable_by(|a, b| b.cmp(a));
        for &node in &upper {
            let mut united = Aabb::EMPTY;
            for &child in self.topology().node(node).children() {
                united = united.union(&self.node_box(child));
            }
            self.boxes[node as usize] = united;
            self.bounded[node as usize] = self.stamp;
        }
        upper.clear();
        self.upper = upper;
        Ok(())
    }

    /// The shape of the tree.
    pub fn topology(&self) -> &'a Topology {
        self.tree.topology()
    }

    /// The mesh.
    pub fn mesh(&self) -> &'a ReducedMesh {
        self.mesh
    }

    /// The pose.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// What was done in this pose.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// A box that holds all vertices of a node, rounded outward; exact for leaves that were evaluated.
    pub fn node_box(&mut self, node: u32) -> Aabb {
        if self.bounded[node as usize] != self.stamp {
            self.counts.bounded += 1;
            self.bounded[node as usize] = self.stamp;
            self.boxes[node as usize] = self.tree.node_box(node, &self.frame, self.level);
        }
        self.boxes[node as usize]
    }

    /// Notes that a query went below a node; its children then belong to what is bounded first in the next pose.
    pub(super) fn open(&mut self, node: u32) {
        if self.opened[node as usize] != self.stamp {
            self.opened[node as usize] = self.stamp;
            self.upper.push(node);
        }
    }

    /// Evaluates the vertices of a leaf, if that was not done in this pose; its exact box.
    pub(super) fn evaluate_leaf(&mut self, leaf: u32) -> Result<Aabb, ReducedError> {
        if self.evaluated[leaf as usize] != self.stamp {
            let points = self.tree.topology().leaf_points(leaf);
            self.mesh.evaluate(&self.pose, points, &mut self.scratch)?;
            self.counts.evaluated += points.len() as u64;
            self.evaluated[leaf as usize] = self.stamp;
            let start = self.point_starts[leaf as usize] as usize;
            self.positions[start..start + points.len()].copy_from_slice(&self.scratch);
            self.boxes[leaf as usize] = Aabb::of_points(&self.scratch);
            self.bounded[leaf as usize] = self.stamp;
        }
        Ok(self.boxes[leaf as usize])
    }

    /// Triangles of an evaluated leaf and where their corners are.
    pub(super) fn leaf_triangles(&self, leaf: u32) -> impl Iterator<Item = (u32, [[f64; 3]; 3])> + '_ {
        let triangles = self.tree.topology().primitives(leaf);
        let start = self.corner_starts[leaf as usize] as usize;
        let corners = &self.corners[start..start + triangles.len()];
        triangles
            .iter()
            .zip(corners)
            .map(|(&triangle, corners)| (triangle, corners.map(|place| self.positions[place as usize])))
    }
}
