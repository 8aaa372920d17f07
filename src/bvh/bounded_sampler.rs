//! Sampled motion whose sets of vertices are bounded at keys without evaluating them. A world can
//! so test a body of few parameters without evaluating its vertices.

use std::fmt::Debug;
use std::sync::Arc;

use super::Topology;
use crate::math::Aabb;
use crate::motion::Sampler;
use crate::time::Side;

/// A sampler that knows more of a body than where its vertices are.
pub trait BoundedSampler: Sampler {
    /// Boxes of the nodes of a tree over the body's triangles; `None` if this motion has none, and
    /// everything is to be evaluated.
    fn boxes_over(self: Arc<Self>, topology: Topology) -> Option<Box<dyn KeyedBoxes>>;
}

/// Boxes of a tree's nodes at the keys of a [`BoundedSampler`]. The same question must have the
/// same answer, always.
///
/// A world asks from several threads, and holds locks meanwhile: an answer must not wait for other
/// work of the thread pool that the world runs in (with the feature `rayon`, no `par_iter` and no
/// `join` in the same pool). It could wait for itself.
pub trait KeyedBoxes: Debug + Send + Sync {
    /// The tree the boxes are of.
    fn topology(&self) -> &Topology;

    /// A box that holds every vertex of a node where [`Sampler::position`] puts it at a key,
    /// metres. Sides may be infinite. The key and the node are such as exist.
    fn key_box(&self, key: usize, side: Side, node: u32) -> Aabb;

    /// Writes where vertices are that move linearly from one key to another, part of the way (0 to
    /// 1), rounded: metres, the fourth lane is 0. Each key is as it is left or arrived at, and both
    /// are the same where nothing moves. Returns a margin, metres, which depends on the keys and
    /// the part only: half of it is at least what any coordinate differs from that of the line
    /// between [`Sampler::position`] at both keys, evaluated in `f64`; the other half is at least
    /// the spacing of `f32` there. `None` if this is not known, and nothing is said of what was
    /// written. Keys and vertices are such as exist.
    fn rounded_positions(
        &self,
        _keys: [(usize, Side); 2],
        _part: f64,
        _vertices: &[u32],
        _out: &mut [[f32; 4]],
    ) -> Option<f32> {
        None
    }

    /// Boxes over the same tree at the keys of another motion of the same mesh; the data that do
    /// not depend on the motion are shared. `None` if the motion is not known to be of this mesh.
    ///
    /// A world calls it when a body gets another plan, and for every streamed key: it should take
    /// O(keys) at most, and return the topology of these boxes.
    fn for_motion(&self, _sampler: &Arc<dyn Sampler>) -> Option<Box<dyn KeyedBoxes>> {
        None
    }

    /// Bytes held, the sampler's own not included.
    fn bytes(&self) -> usize;
}
