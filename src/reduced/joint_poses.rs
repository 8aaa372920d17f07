//! Poses from what an animation system has: matrices of joints, or local transforms of nodes.

use super::{Affine, Binding, NodeTransform, Pose, ReducedError, Rig};
use crate::limits;

impl Pose {
    /// The pose of a skin from the matrices of its joints, which take a joint's frame to the
    /// world's: one per binding, in the order of the bindings. O(joints).
    ///
    /// # Errors
    /// [`ReducedError::MapCount`] unless there is one matrix per binding;
    /// [`ReducedError::BadMap`] and [`ReducedError::BadMorphWeight`] for numbers that are not
    /// finite; [`ReducedError::ZeroScale`].
    ///
    /// ```
    /// use kinetree::reduced::{Affine, Binding, Pose};
    ///
    /// // One joint, bound 1 m above the origin and now 2 m above it.
    /// let up = |height| Affine::from_parts([0.0, height, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
    /// let bindings = Binding::skin(&[0], Some(&[up(-1.0)]))?;
    /// let pose = Pose::of_joints(&bindings, &[up(2.0)], &[])?;
    /// assert_eq!(pose.maps[0].point([0.0, 1.0, 0.0]), [0.0, 2.0, 0.0]);
    /// assert!(Pose::of_joints(&bindings, &[], &[]).is_err());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn of_joints(bindings: &[Binding], joints: &[Affine], morphs: &[f64]) -> Result<Self, ReducedError> {
        if joints.len() != bindings.len() {
            return Err(ReducedError::MapCount { expected: bindings.len(), found: joints.len() });
        }
        let maps = joints.iter().zip(bindings).map(|(joint, binding)| joint.after(&binding.inverse_bind)).collect();
        let pose = Self { maps, morphs: morphs.to_vec() };
        pose.check(bindings.len(), morphs.len())?;
        match pose.maps.iter().position(Affine::is_flat) {
            Some(map) => Err(ReducedError::ZeroScale { map }),
            None => Ok(pose),
        }
    }
}

impl Rig {
    /// The pose of a skin from local transforms, one per node of the rig. Rotations need not be
    /// normalised. O(nodes).
    ///
    /// # Errors
    /// [`ReducedError::LocalCount`]; [`ReducedError::BadNode`] for a transform with numbers that
    /// are not usable or a rotation of length zero; [`ReducedError::NoSuchNode`] for a binding;
    /// otherwise as [`Pose::of_joints`].
    ///
    /// ```
    /// use kinetree::reduced::{Binding, Node, NodeTransform, Rig};
    ///
    /// let at = |translation| NodeTransform::Parts { translation, rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };
    /// let node = |parent| Node { parent, transform: at([0.0; 3]), weights: vec![] };
    /// let rig = Rig::new(vec![node(None), node(Some(0))], &[])?; // A hip and a knee.
    /// let locals = [at([0.0, 1.0, 0.0]), at([0.5, 0.0, 0.0])]; // Metres.
    /// let pose = rig.pose_of(&Binding::skin(&[0, 1], None)?, &locals, &[])?;
    /// assert_eq!(pose.maps[1].point([0.0; 3]), [0.5, 1.0, 0.0]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn pose_of(
        &self,
        bindings: &[Binding],
        locals: &[NodeTransform],
        morphs: &[f64],
    ) -> Result<Pose, ReducedError> {
        let count = self.node_count();
        if locals.len() != count {
            return Err(ReducedError::LocalCount { expected: count, found: locals.len() });
        }
        if let Some(binding) = bindings.iter().find(|binding| binding.node as usize >= count) {
            return Err(ReducedError::NoSuchNode { node: binding.node as usize, count });
        }
        let mut worlds = vec![Affine::identity(); count];
        for &node in self.order() {
            let local = local_map(node as usize, &locals[node as usize])?;
            let parent = self.nodes()[node as usize].parent;
            worlds[node as usize] = parent.map_or(local, |parent| worlds[parent as usize].after(&local));
        }
        let joints: Vec<Affine> = bindings.iter().map(|binding| worlds[binding.node as usize]).collect();
        Pose::of_joints(bindings, &joints, morphs)
    }
}

/// The map of a node into its parent's frame.
fn local_map(node: usize, transform: &NodeTransform) -> Result<Affine, ReducedError> {
    let usable = |values: &[f64]| values.iter().all(|x| x.abs() <= limits::MAX_COORDINATE);
    let map = match transform {
        NodeTransform::Parts { translation, rotation, scale } => {
            let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
            let is_usable = usable(translation) && usable(scale) && usable(rotation);
            (is_usable && length > limits::SINGULAR_DETERMINANT)
                .then(|| Affine::from_parts(*translation, *rotation, *scale))
        }
        NodeTransform::Matrix(map) => (usable(map.linear.as_slice()) && usable(map.shift.as_slice())).then_some(*map),
    };
    map.ok_or(ReducedError::BadNode { node })
}
