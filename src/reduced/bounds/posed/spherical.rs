//! Poses under spherical blending: boxes are those of linear blending moved outward by the distance
//! from it ([`crate::reduced::set_pose`]); vertices are blended in `f32`.
//!
//! A joint of a set is eight numbers: its quaternion, its scale, and the image of the set's
//! rotation centre. Eight lanes are blended at once; the rest is scalar.
//!
//! **Error.** With `u = 2⁻²⁴`, `n` joints, and `L` the sum of the weights: an entry of a blend has
//! the error `(n + 2) u L` of the largest of its terms. So the quaternion is off by `(n + 2) u L`,
//! and its rotation by four times that over its length `|q|`. Rotating a vector `y` by it adds at
//! most `40 u |y|`, the vector itself and the scale `2 u |y|` and `(n + 2) u L |y|`. With `E` at
//! least the largest scale times the largest `|y|`, plus the largest coordinate of an image, a
//! coordinate is off by at most `((4/|q| + 1) (n + 2) + 48) u L² E`, up to terms in `u²`. The
//! margin of a pose grows with the sets that are blended; boxes made before have the margin of
//! theirs.
//!
//! Sets whose `E` is larger than the size of the pose's numbers, which happens where the rotation
//! centre is far away, and those whose quaternions may be shorter than [`tuning::SHORT_BLEND`], are
//! blended in `f64` and rounded.

use std::sync::Arc;

use super::{Node, PosedBounds};
use crate::limits;
use crate::reduced::bounds::BoundTree;
use crate::reduced::bounds::layout::{Layout, Range, indices};
use crate::reduced::bounds::rounded::RoundedPose;
use crate::reduced::bounds::turning::Turning;
use crate::reduced::set_pose::{Extent, PoseSets};
use crate::reduced::{JointSets, Pose, ReducedError, ReducedMesh};
use crate::refit::Bounds;
use crate::simd::{self, F32x8, Kernel, LANES, Simd};
use crate::tuning::{self, MAX_QUERY_CHILDREN};

/// The joint sets of a body in a pose, and those of its nodes.
#[derive(Clone, Debug)]
pub(super) struct Spherical {
    turning: Arc<Turning>,
    sets: PoseSets,
    points: Arc<Points>,
    /// Per set.
    narrow: Vec<NarrowSet>,
    /// Per joint of each set.
    lanes: Vec<[f32; LANES]>,
    /// The number of the pose.
    stamp: u64,
}

/// A set whose joints are rounded, in the pose of its stamp.
#[derive(Clone, Copy, Debug, Default)]
struct NarrowSet {
    stamp: u64,
    centre: [f64; 3],
    /// The place of its first joint among those of all sets.
    begin: u32,
    /// Whether its vertices are blended in `f32`.
    is_narrow: bool,
}

/// What blending needs of a mesh, in the order of points: a block reads it front to back.
#[derive(Clone, Debug)]
struct Points {
    each: Vec<Point>,
    weights: Vec<f32>,
    has_morphs: bool,
}

/// A point: its joint set, and the begin of its weights, as many as the set has joints; they end at
/// the begin of the next point's.
#[derive(Clone, Copy, Debug)]
struct Point {
    rest: [f32; 3],
    vertex: u32,
    set: u32,
    start: u32,
    end: u32,
}

impl Points {
    fn new(mesh: &ReducedMesh, sets: &JointSets, vertices: &[u32]) -> Self {
        let mut weights: Vec<f32> = Vec::new();
        let each = vertices.iter().map(|&vertex| {
            let start = weights.len() as u32;
            weights.extend(mesh.influences().weights_of(vertex).iter().map(|&weight| weight as f32));
            let (rest, end) = (mesh.rest_positions()[vertex as usize], weights.len() as u32);
            Point { rest, vertex, set: sets.set_of[vertex as usize], start, end }
        });
        let each = each.collect();
        Self { each, weights, has_morphs: mesh.morph_count() > 0 }
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
        let begins = (0..sets.count() as u32).map(|set| sets.joints_before(set));
        let narrow = begins.map(|begin| NarrowSet { begin, ..NarrowSet::default() }).collect();
        let lanes = vec![[0.0; LANES]; sets.joints_before(sets.count() as u32) as usize];
        let sets = PoseSets::new(mesh, sets);
        Ok(Turning::new(tree, mesh).map(|turning| Self {
            turning: Arc::new(turning),
            sets,
            points,
            narrow,
            lanes,
            stamp: 0,
        }))
    }

    /// Changes to a checked pose.
    pub(super) fn set(&mut self, mesh: &ReducedMesh, pose: &Pose) {
        let Some(sets) = mesh.joint_sets() else { return };
        self.stamp += 1;
        self.sets.set(mesh, sets, pose);
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.turning.bytes()
            + self.sets.bytes()
            + self.points.each.capacity() * size_of::<Point>()
            + self.points.weights.capacity() * size_of::<f32>()
            + self.narrow.capacity() * size_of::<NarrowSet>()
            + self.lanes.capacity() * size_of::<[f32; LANES]>()
    }

    /// The position of a point, metres: that of [`ReducedMesh::evaluate`].
    #[inline]
    pub(super) fn position(&mut self, mesh: &ReducedMesh, pose: &Pose, point: u32) -> [f64; 3] {
        let Point { vertex, set, .. } = self.points.each[point as usize];
        match mesh.joint_sets().and_then(|sets| self.sets.frame(sets, set, pose)) {
            Some(frame) => mesh.blend_spherically(pose, frame, vertex),
            None => mesh.position(pose, vertex),
        }
    }

    /// Rounds the joints of a point's set, unless it was done in this pose; returns whether its
    /// points are blended in `f32`.
    #[inline]
    fn is_narrow(&mut self, mesh: &ReducedMesh, pose: &Pose, rounded: &mut RoundedPose, load: f64, point: u32) -> bool {
        let set = self.points.each[point as usize].set;
        let own = &self.narrow[set as usize];
        if own.stamp == self.stamp { own.is_narrow } else { self.round(mesh, pose, rounded, load, set) }
    }

    #[inline(never)]
    fn round(&mut self, mesh: &ReducedMesh, pose: &Pose, rounded: &mut RoundedPose, load: f64, set: u32) -> bool {
        let Extent { length, arm, far } = self.sets.extent(set);
        let own = &mut self.narrow[set as usize];
        (own.stamp, own.is_narrow) = (self.stamp, false);
        let Some(size) = rounded.scale().map(|scale| f64::from(scale.size)) else { return false };
        if !(length >= tuning::SHORT_BLEND && far <= size && arm <= limits::F32_BLEND_RANGE) {
            return false;
        }
        let frame = mesh.joint_sets().and_then(|sets| self.sets.frame(sets, set, pose));
        let Some(frame) = frame else { return false };
        own.centre = frame.centre;
        let mut most = 0.0f64;
        for (lanes, joint) in self.lanes[own.begin as usize..].iter_mut().zip(&frame.joints) {
            let ([a, b, c, d], [x, y, z]) = (joint.quaternion, joint.image);
            *lanes = [a, b, c, d, x, y, z, joint.scale].map(|x| x as f32);
            most = joint.image.iter().fold(most, |most, x| most.max(x.abs()));
        }
        own.is_narrow = far + most <= size;
        if own.is_narrow {
            let steps = (4.0 / length + 1.0) * (frame.joints.len() + 2) as f64 + 48.0;
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
    /// Points to blend: a range, and further ones.
    range: Range,
    more: &'a [u32],
    into: &'a mut [[f32; 4]],
}

impl Kernel for Blend<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        for point in indices(&self.range) {
            self.spherical.blend(machine, self.mesh, self.pose, point, &mut self.into[point]);
        }
        for &point in self.more {
            self.spherical.blend(machine, self.mesh, self.pose, point as usize, &mut self.into[point as usize]);
        }
    }
}

/// The kernel that moves boxes of linear blending outward.
struct Outward<'a> {
    spherical: &'a Spherical,
    joints: &'a JointSets,
    /// Nodes of the tree, whether they are known, and their boxes.
    places: &'a [u32],
    known: [bool; MAX_QUERY_CHILDREN],
    nodes: &'a mut [Node],
}

impl Kernel for Outward<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        let Self { spherical, joints, places, known, nodes } = self;
        for ((&place, node), is_known) in places.iter().zip(nodes).zip(known) {
            if !is_known {
                let off = spherical.turning.in_pose(machine, joints, &spherical.sets, place);
                let off = (off as f32).next_up();
                node.bounds = Bounds(node.bounds.0.map(|side| (side - off).next_down()));
            }
        }
    }
}

impl Spherical {
    /// Blends a point, unless its set is blended in `f64`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn blend<M: Simd>(&self, machine: M, mesh: &ReducedMesh, pose: &Pose, point: usize, into: &mut [f32; 4]) {
        let Points { each, weights, has_morphs, .. } = &*self.points;
        let Point { rest, vertex, set, start, end } = each[point];
        let own = &self.narrow[set as usize];
        if !own.is_narrow {
            return;
        }
        let weights = &weights[start as usize..end as usize];
        let mut sum = machine.splat(0.0);
        for (&weight, lanes) in weights.iter().zip(&self.lanes[own.begin as usize..]) {
            sum = sum + machine.splat(weight) * machine.load(lanes);
        }
        let [a, b, c, d, x, y, z, scale] = sum.lanes();
        let rest = if *has_morphs { mesh.morphed_rest(pose, vertex) } else { rest.map(f64::from) };
        let [p, q, r] = [0, 1, 2].map(|axis: usize| (rest[axis] - own.centre[axis]) as f32);
        // y + 2/|q|² (d (v × y) + v × (v × y)), with v the vector of the quaternion.
        let (e, f, g) = (b * r - c * q, c * p - a * r, a * q - b * p);
        let (h, i, j) = (d * e + (b * g - c * f), d * f + (c * e - a * g), d * g + (a * f - b * e));
        let twice = 2.0 / (a * a + b * b + c * c + d * d);
        *into = [x + scale * (p + twice * h), y + scale * (q + twice * i), z + scale * (r + twice * j), 0.0];
    }
}

impl PosedBounds<'_> {
    /// Bounds places from parameters, unless they are bounded in this pose.
    pub(super) fn bound_spherically(&mut self, places: Range) {
        let stamp = self.stamp;
        for first in places.clone().step_by(MAX_QUERY_CHILDREN) {
            let own = first..places.end.min(first + MAX_QUERY_CHILDREN as u32);
            let known: [bool; MAX_QUERY_CHILDREN] =
                std::array::from_fn(|at| self.nodes.get(first as usize + at).is_none_or(|node| node.stamp == stamp));
            if known[..own.len()].iter().all(|known| *known) {
                continue;
            }
            self.bound_linearly(own.clone());
            if let Some(spherical) = &self.spherical
                && let Some(joints) = self.mesh.joint_sets()
            {
                let (places, nodes) = (&self.layout.nodes[indices(&own)], &mut self.nodes[indices(&own)]);
                simd::run(Outward { spherical, joints, places, known, nodes });
            }
        }
    }

    /// Blends a range of points and those of `more`: in `f32`, or exactly and then rounded. All
    /// exactly if asked to.
    pub(super) fn blend_points(&mut self, range: Range, exactly: bool) {
        let Some(spherical) = &mut self.spherical else { return };
        let (mesh, pose, load) = (self.mesh, &self.pose, self.skin.load());
        let mut far = 0.0f64;
        for point in range.clone().chain(self.more.iter().copied()) {
            if exactly || !spherical.is_narrow(mesh, pose, &mut self.rounded, load, point) {
                let position = spherical.position(mesh, pose, point);
                far = position.iter().fold(far, |far, x| far.max(x.abs()));
                let exact = &mut self.exact[point as usize];
                (exact.position, exact.stamp) = (position, self.stamp);
                let [x, y, z] = position.map(|x| x as f32);
                self.points[point as usize] = [x, y, z, 0.0];
            }
        }
        self.rounded.reach(far);
        if !exactly {
            simd::run(Blend { spherical, mesh, pose, range, more: &self.more, into: &mut self.points });
        }
    }
}
