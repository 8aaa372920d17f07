//! What the trees of a body are built over: triangles of a mesh, or spans of patches.

use crate::math::Aabb;
use crate::mesh::{Mesh, Patches, Primitives};
use crate::time::Moment;
use crate::world::body::{Body, Shape};

/// What the trees of a body are built over.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parts<'a> {
    Mesh(&'a Mesh),
    Patches(&'a Patches),
}

impl<'a> Parts<'a> {
    pub(crate) fn of(mesh: &'a Mesh, patches: Option<&'a Patches>) -> Self {
        patches.map_or(Self::Mesh(mesh), Self::Patches)
    }
}

impl Primitives for Parts<'_> {
    fn primitive_count(&self) -> usize {
        match self {
            Self::Mesh(mesh) => mesh.primitive_count(),
            Self::Patches(patches) => patches.primitive_count(),
        }
    }

    fn points_of(&self, index: usize) -> &[u32] {
        match self {
            Self::Mesh(mesh) => mesh.points_of(index),
            Self::Patches(patches) => patches.points_of(index),
        }
    }

    fn is_used(&self, index: usize) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_used(index),
            Self::Patches(patches) => patches.is_used(index),
        }
    }
}

impl Body {
    pub(crate) fn primitive_count(&self) -> usize {
        self.parts().primitive_count()
    }

    pub(crate) fn parts(&self) -> Parts<'_> {
        self.shape.parts()
    }

    /// Whether a primitive is there: edits take triangles out and leave their numbers behind.
    pub(crate) fn has_primitive(&self, primitive: u32) -> bool {
        self.shape.patches.is_some() || self.shape.mesh.has_triangle(primitive)
    }

    /// The vertices whose hull holds a primitive.
    pub(crate) fn points_of(&self, primitive: u32) -> &[u32] {
        match &self.shape.patches {
            Some(patches) => patches.points_of(primitive as usize),
            None => self.shape.mesh.points_of(primitive as usize),
        }
    }

    /// The box of a primitive's points at a moment, not rounded; that of a sphere is rounded
    /// outward.
    pub(crate) fn primitive_box(&self, primitive: u32, at: Moment) -> Aabb {
        if let Some(bounds) = self.sphere_box(primitive, at) {
            return bounds;
        }
        let mut bounds = Aabb::EMPTY;
        for &vertex in self.points_of(primitive) {
            bounds.include(&self.motion.position(vertex, at));
        }
        bounds
    }

    /// Whether two primitives have a point in common.
    pub(crate) fn share_point(&self, p: u32, q: u32) -> bool {
        self.shape.seams.as_ref().is_some_and(|seams| seams.share_point(self.points_of(p), self.points_of(q)))
    }
}

impl Shape {
    /// What trees over the shape are built over.
    pub(crate) fn parts(&self) -> Parts<'_> {
        Parts::of(&self.mesh, self.patches.as_ref())
    }
}
