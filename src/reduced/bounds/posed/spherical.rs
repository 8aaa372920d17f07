//! Poses under spherical blending: boxes are those of linear blending moved outward by the distance
//! from it ([`crate::reduced::set_pose`]); vertices are evaluated in `f64` and rounded.

use std::sync::Arc;

use super::PosedBounds;
use crate::reduced::bounds::BoundTree;
use crate::reduced::bounds::layout::Layout;
use crate::reduced::bounds::turning::Turning;
use crate::reduced::set_pose::PoseSets;
use crate::reduced::{JointSets, Pose, ReducedError, ReducedMesh};
use crate::refit::Bounds;

/// The joint sets of a body in a pose, and those of its nodes.
#[derive(Clone, Debug)]
pub(super) struct Spherical {
    turning: Arc<Turning>,
    sets: PoseSets,
    points: Arc<Points>,
}

/// What blending needs of a mesh, in the order of points: a block reads it front to back.
#[derive(Clone, Debug)]
struct Points {
    each: Vec<Point>,
    weights: Vec<f64>,
    has_morphs: bool,
}

/// A point: its joint set, and the begin of its weights, as many as the set has joints.
#[derive(Clone, Copy, Debug)]
struct Point {
    rest: [f32; 3],
    vertex: u32,
    set: u32,
    start: u32,
}

impl Points {
    fn new(mesh: &ReducedMesh, sets: &JointSets, vertices: &[u32]) -> Self {
        let mut weights = Vec::new();
        let each = vertices.iter().map(|&vertex| {
            let start = weights.len() as u32;
            weights.extend_from_slice(mesh.influences().weights_of(vertex));
            let rest = mesh.rest_positions()[vertex as usize];
            Point { rest, vertex, set: sets.set_of[vertex as usize], start }
        });
        Self { each: each.collect(), weights, has_morphs: mesh.morph_count() > 0 }
    }
}

impl Spherical {
    /// Room for a body; `None` for linear blending.
    ///
    /// # Errors
    /// A tree over another body.
    pub(super) fn new(tree: &BoundTree, mesh: &ReducedMesh, layout: &Layout) -> Result<Option<Self>, ReducedError> {
        let Some(sets) = mesh.joint_sets() else { return Ok(None) };
        if !tree.topology().fits(mesh.vertex_count()) {
            return Err(ReducedError::ForeignTree);
        }
        let points = Arc::new(Points::new(mesh, sets, &layout.vertices));
        let sets = PoseSets::new(mesh, sets);
        Ok(Turning::new(tree, mesh).map(|turning| Self { turning: Arc::new(turning), sets, points }))
    }

    /// Changes to a checked pose; returns the largest distance of a vertex from linear blending,
    /// metres.
    pub(super) fn set(&mut self, mesh: &ReducedMesh, pose: &Pose) -> f64 {
        let Some(sets) = mesh.joint_sets() else { return 0.0 };
        self.sets.set(mesh, sets, pose);
        self.sets.farthest()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.turning.bytes()
            + self.sets.bytes()
            + self.points.each.capacity() * size_of::<Point>()
            + self.points.weights.capacity() * size_of::<f64>()
    }

    /// The position of a point, metres: that of [`ReducedMesh::evaluate`].
    #[inline]
    pub(super) fn position(&self, mesh: &ReducedMesh, pose: &Pose, point: u32) -> [f64; 3] {
        let Points { each, weights, has_morphs } = &*self.points;
        let Point { rest, vertex, set, start } = each[point as usize];
        let Some(frame) = self.sets.frame(set) else { return mesh.position(pose, vertex) };
        let rest = if *has_morphs { mesh.morphed_rest(pose, vertex) } else { rest.map(f64::from) };
        frame.blend(&weights[start as usize..start as usize + frame.joints.len()], rest)
    }
}

impl PosedBounds<'_> {
    /// Bounds a place from parameters, unless it is bounded in this pose.
    pub(super) fn bound_spherically(&mut self, place: u32) {
        if self.nodes[place as usize].stamp == self.stamp {
            return;
        }
        self.bound_linearly(place..place + 1);
        let node = self.layout.nodes[place as usize];
        let off = self.spherical.as_ref().map_or(0.0, |own| own.turning.in_pose(node, &own.sets));
        let off = (off as f32).next_up();
        let bounds = &mut self.nodes[place as usize].bounds;
        *bounds = Bounds(bounds.0.map(|side| (side - off).next_down()));
    }

    /// Evaluates points exactly, and rounds them.
    pub(super) fn evaluate_points(&mut self, points: impl Iterator<Item = u32>) {
        let Some(spherical) = &self.spherical else { return };
        for point in points {
            let position = spherical.position(self.mesh, &self.pose, point);
            let exact = &mut self.exact[point as usize];
            (exact.position, exact.stamp) = (position, self.stamp);
            let [x, y, z] = position.map(|x| x as f32);
            self.points[point as usize] = [x, y, z, 0.0];
        }
    }
}
