//! Poses under spherical blending: boxes are those of linear blending moved outward by the distance
//! from it ([`crate::reduced::set_pose`]); vertices are blended in `f32`.
//!
//! A joint of a set is eight numbers: its quaternion, its scale, and the image of the set's
//! rotation centre. Up to eight vertices of one set and one block are blended at once
//! ([`super::groups`]).
//!
//! **Error.** With `u = 2⁻²⁴`, `n` joints, and `L` the sum of the weights: an entry of a blend has
//! the error `(n + 2) u L` of the largest of its terms. So the quaternion is off by `(n + 2) u L`,
//! and its rotation by four times that over its length `|q|`. Rotating a vector `y` by it adds at
//! most `40 u |y|`; the vector itself, a sum of two, `4 u` of the set's arm, which is at least
//! `|y|`; the scale `(n + 2) u L |y|`. With `E` at least the largest scale times the arm, plus the
//! largest coordinate of an image, a coordinate is off by at most
//! `((4/|q| + 1) (n + 2) + 52) u L² E`, up to terms in `u²`. The margin of a pose grows with the
//! sets that are blended; boxes made before have the margin of theirs.
//!
//! Sets whose `E` is larger than the size of the pose's numbers, which happens where the rotation
//! centre is far away, and those whose quaternions may be shorter than [`tuning::SHORT_BLEND`], are
//! blended in `f64` and rounded.

use std::sync::Arc;

use super::PosedBounds;
use super::groups::Groups;
use super::outward::{NodeSets, Outward};
use crate::limits;
use crate::reduced::bounds::BoundTree;
use crate::reduced::bounds::layout::{Layout, Range};
use crate::reduced::bounds::rounded::RoundedPose;
use crate::reduced::set_pose::{Extent, PoseSets};
use crate::reduced::{Pose, ReducedError, ReducedMesh};
use crate::simd::{self, Kernel, LANES, Simd};
use crate::tuning;

/// The joint sets of a body in a pose, and those of its nodes.
#[derive(Clone, Debug)]
pub(super) struct Spherical {
    nodes: Arc<NodeSets>,
    sets: PoseSets,
    groups: Arc<Groups>,
    /// Per set.
    narrow: Vec<NarrowSet>,
    /// Per joint of each set.
    lanes: Vec<[f32; LANES]>,
    /// See [`Outward`].
    most: Vec<f32>,
    /// The number of the pose.
    stamp: u64,
}

/// A set whose joints are rounded, in the pose of its stamp.
#[derive(Clone, Copy, Debug, Default)]
struct NarrowSet {
    stamp: u64,
    /// From the rotation centre to the middle of the set's vertices at rest, metres.
    to_middle: [f32; 3],
    /// The place of its first joint among those of all sets.
    begin: u32,
    /// Whether its vertices are blended in `f32`.
    is_narrow: bool,
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
        let groups = Arc::new(Groups::new(mesh, sets, layout));
        let begins = (0..sets.count() as u32).map(|set| sets.joints_before(set));
        let narrow = begins.map(|begin| NarrowSet { begin, ..NarrowSet::default() }).collect();
        let lanes = vec![[0.0; LANES]; sets.joints_before(sets.count() as u32) as usize];
        let sets = PoseSets::new(mesh, sets);
        Ok(NodeSets::new(tree, mesh, &layout.nodes).map(|nodes| Self {
            nodes: Arc::new(nodes),
            sets,
            groups,
            narrow,
            lanes,
            most: Vec::new(),
            stamp: 0,
        }))
    }

    /// Checks the maps of a pose.
    ///
    /// # Errors
    /// The first one that shears, mirrors or scales unevenly.
    pub(super) fn check(&mut self, pose: &Pose) -> Result<(), ReducedError> {
        self.sets.check(pose)
    }

    /// Takes the pose that was checked last.
    pub(super) fn take(&mut self) {
        self.sets.take();
    }

    /// Changes to the pose that was taken.
    pub(super) fn set(&mut self, mesh: &ReducedMesh, pose: &Pose) {
        let Some(sets) = mesh.joint_sets() else { return };
        self.stamp += 1;
        self.sets.set(sets, pose);
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.bytes()
            + self.sets.bytes()
            + self.groups.bytes()
            + self.narrow.capacity() * size_of::<NarrowSet>()
            + self.lanes.capacity() * size_of::<[f32; LANES]>()
            + self.most.capacity() * size_of::<f32>()
    }

    /// The position of a vertex, metres: that of [`ReducedMesh::evaluate`].
    #[inline]
    pub(super) fn position(&mut self, mesh: &ReducedMesh, pose: &Pose, vertex: u32) -> [f64; 3] {
        let frame = mesh.joint_sets().and_then(|sets| self.sets.frame(sets, sets.set_of[vertex as usize], pose));
        match frame {
            Some(frame) => mesh.blend_spherically(pose, frame, vertex),
            None => mesh.position(pose, vertex),
        }
    }

    /// Rounds the joints of a set, unless it was done in this pose; returns whether its vertices
    /// are blended in `f32`.
    #[inline]
    fn is_narrow(&mut self, mesh: &ReducedMesh, pose: &Pose, rounded: &mut RoundedPose, load: f64, set: u32) -> bool {
        let own = &self.narrow[set as usize];
        if own.stamp == self.stamp { own.is_narrow } else { self.round(mesh, pose, rounded, load, set) }
    }

    #[inline(never)]
    fn round(&mut self, mesh: &ReducedMesh, pose: &Pose, rounded: &mut RoundedPose, load: f64, set: u32) -> bool {
        let Some(joints) = mesh.joint_sets() else { return false };
        let Extent { length, arm, far } = self.sets.extent(joints, set);
        let own = &mut self.narrow[set as usize];
        (own.stamp, own.is_narrow) = (self.stamp, false);
        let Some(size) = rounded.scale().map(|scale| f64::from(scale.size)) else { return false };
        if !(length >= tuning::SHORT_BLEND && far <= size && arm <= limits::F32_BLEND_RANGE) {
            return false;
        }
        let (mut most, mut count) = (0.0f64, 0);
        let lanes = &mut self.lanes[own.begin as usize..];
        let centre = self.sets.joints(joints, set, pose, |joint| {
            let ([a, b, c, d], [x, y, z]) = (joint.quaternion, joint.image);
            lanes[count] = [a as f32, b as f32, c as f32, d as f32, x as f32, y as f32, z as f32, joint.scale as f32];
            most = joint.image.iter().fold(most, |most, x| most.max(x.abs()));
            count += 1;
        });
        let Some(centre) = centre else { return false };
        let middle = &joints.balls[set as usize].0;
        own.to_middle = std::array::from_fn(|axis| (middle[axis] - centre[axis]) as f32);
        own.is_narrow = far + most <= size;
        if own.is_narrow {
            let steps = (4.0 / length + 1.0) * (count + 2) as f64 + 52.0;
            rounded.turn(steps * 0.5 * f64::from(f32::EPSILON) * load * load * (far + most));
        }
        own.is_narrow
    }
}

/// The kernel that blends points in `f32`.
struct Blend<'a> {
    spherical: &'a Spherical,
    mesh: &'a ReducedMesh,
    pose: &'a Pose,
    groups: Range,
    into: &'a mut [[f32; 4]],
}

impl Kernel for Blend<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        let Self { spherical, mesh, pose, groups, into } = self;
        for group in spherical.groups.among(groups) {
            if let Some((own, joints)) = spherical.narrow(group.set) {
                spherical.groups.blend(machine, (mesh, pose), group, own.to_middle, joints, into);
            }
        }
    }
}

impl Spherical {
    /// A set whose vertices are blended in `f32`, and its joints with those of later sets.
    #[inline(always)]
    fn narrow(&self, set: u32) -> Option<(&NarrowSet, &[[f32; LANES]])> {
        let own = &self.narrow[set as usize];
        own.is_narrow.then(|| (own, &self.lanes[own.begin as usize..]))
    }
}

impl PosedBounds<'_> {
    /// Computes the joint sets of blocks: four at once.
    pub(super) fn know_blocks(&mut self, blocks: &[u32]) {
        if let Some(spherical) = &mut self.spherical
            && let Some(joints) = self.mesh.joint_sets()
        {
            let Spherical { sets, groups, .. } = spherical;
            let all = blocks.iter().flat_map(|&block| groups.among(groups.of_block(block)));
            sets.know_all(joints, all.map(|group| group.set));
        }
    }

    /// Moves the boxes of `self.fresh`, which are those of linear blending, outward.
    pub(super) fn move_outward(&mut self) {
        if let Some(spherical) = &mut self.spherical
            && let Some(joints) = self.mesh.joint_sets()
            && !self.fresh.is_empty()
        {
            let Spherical { nodes: own, sets, most, .. } = spherical;
            let (places, nodes) = (&self.fresh, &mut self.nodes);
            sets.know_all(joints, own.sets_of(places));
            simd::run(Outward { own, sets, places, most, nodes });
        }
    }

    /// Blends the points that a block uses: in `f32`, or exactly and then rounded.
    pub(super) fn blend_block(&mut self, block: u32) {
        let Some(spherical) = &mut self.spherical else { return };
        let (mesh, pose, load) = (self.mesh, &self.pose, self.skin.load());
        let (groups, mut wide) = (spherical.groups.of_block(block), std::mem::take(&mut self.wide));
        for group in groups.clone() {
            let set = spherical.groups.group(group).set;
            if !spherical.is_narrow(mesh, pose, &mut self.rounded, load, set) {
                wide.extend_from_slice(&spherical.groups.group(group).points);
            }
        }
        // Unused lanes.
        wide.dedup();
        simd::run(Blend { spherical, mesh, pose, groups, into: &mut self.points });
        self.blend_exactly(wide.drain(..));
        self.wide = wide;
    }

    /// Blends points exactly, and rounds them.
    pub(super) fn blend_exactly(&mut self, points: impl Iterator<Item = u32>) {
        let Some(spherical) = &mut self.spherical else { return };
        let mut far = 0.0f64;
        for point in points {
            let position = spherical.position(self.mesh, &self.pose, self.layout.vertices[point as usize]);
            far = position.iter().fold(far, |far, x| far.max(x.abs()));
            let exact = &mut self.exact[point as usize];
            (exact.position, exact.stamp) = (position, self.stamp);
            let [x, y, z] = position.map(|x| x as f32);
            self.points[point as usize] = [x, y, z, 0.0];
        }
        self.rounded.reach(far);
    }
}
