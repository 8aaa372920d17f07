//! The input of the spheres of all nodes in a pose, and the spheres.

use std::sync::OnceLock;

use super::blend::{Blended, across, spread_of_two, turned};
use super::build::{Group, Joint, SphereTree, reach};
use super::sphere::{Sphere, distance};
use crate::limits;
use crate::math::Aabb;
use crate::reduced::{JointSets, Pose, ReducedError, ReducedMesh, SphericalFrame};

/// The data of a joint set in a pose.
#[derive(Clone, Debug)]
struct PosedSet {
    frame: SphericalFrame,
    /// Least and largest scale of the joints.
    scales: [f64; 2],
    /// The largest distance of the rotation centre's images from the origin plus that of the
    /// centre, scaled, metres.
    reach: f64,
    /// For two joints, the distances of their quaternions and of their images.
    apart: [f64; 2],
}

/// Number of joint sets of a node up to which no allocation is needed.
const FEW_SETS: usize = 8;

/// A pose of a body. Joint sets are evaluated on demand.
#[derive(Clone, Debug, Default)]
pub(crate) struct SphereFrame {
    pose: Pose,
    /// Per map, an upper bound of its stretch (linear blending).
    stretches: Vec<f64>,
    sets: Vec<OnceLock<Option<PosedSet>>>,
}

impl SphereFrame {
    /// Bytes beyond itself.
    pub(in crate::reduced) fn bytes(&self) -> usize {
        let made = self.sets.iter().filter_map(|set| set.get()?.as_ref()).map(|set| set.frame.bytes());
        self.pose.bytes()
            + self.stretches.capacity() * size_of::<f64>()
            + self.sets.capacity() * size_of::<OnceLock<Option<PosedSet>>>()
            + made.sum::<usize>()
    }

    /// Changes the pose.
    ///
    /// # Errors
    /// A pose of another body; under spherical blending, maps that shear, mirror or scale unevenly.
    /// The pose is then unchanged.
    pub(crate) fn set_pose(&mut self, tree: &SphereTree, mesh: &ReducedMesh, pose: &Pose) -> Result<(), ReducedError> {
        pose.check(tree.map_count, tree.morph_count)?;
        mesh.check_pose(pose)?;
        self.pose.clone_from(pose);
        self.stretches.clear();
        if !tree.is_spherical {
            self.stretches.extend(pose.maps.iter().map(crate::reduced::Affine::stretch));
        }
        self.sets.clear();
        self.sets.resize_with(mesh.joint_sets().map_or(0, JointSets::count), OnceLock::new);
        Ok(())
    }

    /// The position of a vertex, metres; under spherical blending its joint set is kept for others.
    pub(crate) fn position(&self, mesh: &ReducedMesh, vertex: u32) -> [f64; 3] {
        let Some(sets) = mesh.joint_sets() else { return mesh.position(&self.pose, vertex) };
        let set = sets.set_of(vertex).unwrap_or(0);
        match self.sets.get(set as usize).and_then(|kept| kept.get_or_init(|| self.posed(mesh, set)).as_ref()) {
            Some(kept) => mesh.blend_spherically(&self.pose, &kept.frame, vertex),
            None => mesh.position(&self.pose, vertex),
        }
    }

    /// A sphere that contains all vertices of a node, rounded outward. O(joints of the node).
    pub(crate) fn sphere(&self, tree: &SphereTree, mesh: &ReducedMesh, node: u32) -> Sphere {
        let [begin, end] = tree.nodes[node as usize].groups;
        let (shift, growth) = self.morphing(tree, node);
        let one = |group: u32| self.group(tree, mesh, group, shift, growth);
        if end - begin == 1 {
            return one(begin);
        }
        let mut around = if (end - begin) as usize <= FEW_SETS {
            let mut spheres = [Sphere::default(); FEW_SETS];
            let count = (end - begin) as usize;
            spheres.iter_mut().zip(begin..end).for_each(|(sphere, group)| *sphere = one(group));
            Sphere::around(&spheres[..count])
        } else {
            Sphere::around(&(begin..end).map(one).collect::<Vec<Sphere>>())
        };
        around.radius += limits::ROUNDING * reach(&around);
        around
    }

    /// A box that contains all vertices of a node: around the spheres of its joint sets, rounded
    /// outward. O(joints of the node).
    pub(crate) fn bounds(&self, tree: &SphereTree, mesh: &ReducedMesh, node: u32) -> Aabb {
        let [begin, end] = tree.nodes[node as usize].groups;
        let (shift, growth) = self.morphing(tree, node);
        (begin..end).fold(Aabb::EMPTY, |bounds, group| {
            let Sphere { centre, radius } = self.group(tree, mesh, group, shift, growth);
            let radius = radius + limits::ROUNDING * (radius + centre.iter().fold(0.0f64, |far, x| far.max(x.abs())));
            bounds.union(&Aabb { min: centre.map(|x| x - radius), max: centre.map(|x| x + radius) })
        })
    }

    /// The sphere of those of a node's vertices that have a common blend.
    fn group(&self, tree: &SphereTree, mesh: &ReducedMesh, group: u32, shift: [f64; 3], growth: f64) -> Sphere {
        let group = &tree.groups[group as usize];
        let mut rest = group.rest;
        (0..3).for_each(|axis| rest.centre[axis] += shift[axis]);
        rest.radius += growth;
        let joints = &tree.joints[group.joints[0] as usize..group.joints[1] as usize];
        let sphere = if tree.is_spherical {
            match self.sets[group.set as usize].get_or_init(|| self.posed(mesh, group.set)) {
                Some(set) => spherical(joints, group, &rest, set),
                None => Sphere::EVERYTHING,
            }
        } else {
            self.linear(joints, group, &rest)
        };
        if sphere.radius.is_finite() { sphere } else { Sphere::EVERYTHING }
    }

    /// The effect of morph targets on rest positions: the shift of the ball's centre, and the
    /// growth of its radius.
    fn morphing(&self, tree: &SphereTree, node: u32) -> ([f64; 3], f64) {
        let [begin, end] = tree.nodes[node as usize].morphs;
        let (mut shift, mut growth, mut size) = ([0.0; 3], 0.0, 0.0);
        if begin == end {
            return (shift, growth);
        }
        for morph in &tree.morphs[begin as usize..end as usize] {
            let weight = self.pose.morphs[morph.target as usize];
            (0..3).for_each(|axis| shift[axis] += weight * morph.deltas.centre[axis]);
            growth += weight.abs() * morph.deltas.radius;
            size += weight.abs() * reach(&morph.deltas);
        }
        // One rounding per target, here and in the vertices.
        growth += f64::from(end - begin + limits::REDUCED_ROUNDING_STEPS as u32) * limits::REDUCED_ROUNDING * size;
        (shift, growth)
    }

    fn linear(&self, joints: &[Joint], group: &Group, rest: &Sphere) -> Sphere {
        let image = |joint: &Joint| self.pose.maps[joint.index as usize].point(rest.centre);
        if let [joint] = joints {
            // All follow one joint; its weight is 1 up to rounding.
            let centre = image(joint);
            let far = distance(&centre, &[0.0; 3]);
            let stretch = self.stretches[joint.index as usize];
            let slack = slack(joints.len(), far + self.size(joint, rest));
            return Sphere {
                centre,
                radius: rest.radius * stretch * (1.0 + limits::ROUNDING) + slack + (joint.low - 1.0).abs() * far,
            };
        }
        let (mut stretch, mut size) = (0.0f64, 0.0f64);
        for joint in joints {
            stretch = stretch.max(self.stretches[joint.index as usize]);
            size = size.max(self.size(joint, rest));
        }
        let blend = Blended::of(joints, group.rest_weight, image, size);
        let sum = 1.0 + limits::WEIGHT_SUM_TOLERANCE;
        Sphere { centre: blend.centre, radius: blend.radius + rest.radius * stretch * sum + slack(joints.len(), size) }
    }

    /// Computes quaternions and centre of a joint set.
    fn posed(&self, mesh: &ReducedMesh, set: u32) -> Option<PosedSet> {
        let sets = mesh.joint_sets()?;
        let frame = sets.frame(set, &self.pose).ok()?;
        let (mut farthest, mut scales) = (0.0f64, [f64::INFINITY, 0.0f64]);
        for joint in &frame.joints {
            farthest = farthest.max(distance(&joint.image, &[0.0; 3]));
            scales = [scales[0].min(joint.scale), scales[1].max(joint.scale)];
        }
        let reach = farthest + scales[1] * distance(&frame.centre, &[0.0; 3]);
        let apart = if let [a, b] = frame.joints.as_slice() {
            let (p, q) = (&a.quaternion, &b.quaternion);
            let chord = (0..4).map(|part| (p[part] - q[part]) * (p[part] - q[part])).sum::<f64>().sqrt();
            [chord, distance(&a.image, &b.image)]
        } else {
            [0.0; 2]
        };
        Some(PosedSet { frame, scales, reach, apart })
    }

    /// The largest number that enters a point's image, metres.
    fn size(&self, joint: &Joint, rest: &Sphere) -> f64 {
        let map = &self.pose.maps[joint.index as usize];
        map.shift.norm() + self.stretches[joint.index as usize] * reach(rest)
    }
}

/// The sphere around the image of the rest centre under the middle of the weights `w̄`. With
/// `y = p − r` and unit quaternions `u`,
///
/// ```text
/// |Q_w y − Q_w̄ y| = |Σ w_b κ_b| / |q_w|      κ_b = ū_w̄ q_b y − y ū_w̄ q_b      Σ w̄_b κ_b = 0
/// ```
///
/// so the ball of blends of the points `κ_b` bounds the rotation: by the turns of the joints across
/// `y`, not by all of `y`.
fn spherical(joints: &[Joint], group: &Group, rest: &Sphere, set: &PosedSet) -> Sphere {
    let (frame, [least, most]) = (&set.frame, set.scales);
    let arm: [f64; 3] = std::array::from_fn(|axis| rest.centre[axis] - frame.centre[axis]);
    let length = distance(&arm, &[0.0; 3]);
    // The rest centre is at most as far from the origin as the rotation centre plus the arm.
    let size = 2.0 * (set.reach + most * length) + most * rest.radius;
    let few = slack(joints.len(), 1.0);
    let radius = most * rest.radius * (1.0 + limits::ROUNDING) + few * size;
    if joints.len() == 1 {
        // A single rotation, up to rounding.
        let first = &frame.joints[0];
        let image = turned(&first.quaternion, &arm, first.scale);
        let centre = std::array::from_fn(|axis| first.image[axis] + image[axis]);
        let off = 3.0 * few + (joints[0].low - 1.0).abs();
        return Sphere { centre, radius: radius + off * most * length };
    }
    let place = |joint: &Joint| joint.index as usize;
    let (quaternion, moved) = if let [a, b] = joints {
        let two = [&frame.joints[0], &frame.joints[1]];
        let (quaternions, images) = (two.map(|own| own.quaternion), two.map(|own| own.image));
        let pair = [*a, *b];
        (
            Blended::of_two(&pair, group.rest_weight, &quaternions, set.apart[0], 1.0),
            Blended::of_two(&pair, group.rest_weight, &images, set.apart[1], set.reach),
        )
    } else {
        (
            Blended::of(joints, group.rest_weight, |joint| frame.joints[place(joint)].quaternion, 1.0),
            Blended::of(joints, group.rest_weight, |joint| frame.joints[place(joint)].image, set.reach),
        )
    };
    let middle = quaternion.length();
    let shortest = middle - quaternion.radius - few;
    let spread = if let [a, b] = joints {
        let (p, q) = (&frame.joints[0].quaternion, &frame.joints[1].quaternion);
        let apart = across(&quaternion.centre, &std::array::from_fn(|part| q[part] - p[part]), &arm);
        spread_of_two(&[*a, *b], group.rest_weight, distance(&apart, &[0.0; 3]), 2.0 * length)
    } else {
        let crossed = |joint: &Joint| across(&quaternion.centre, &frame.joints[place(joint)].quaternion, &arm);
        let ball = Blended::of(joints, group.rest_weight, crossed, 2.0 * length);
        ball.radius + ball.length()
    };
    // Scales are blended by weights, whose sum is 1 up to rounding.
    let low = joints.iter().map(|joint| joint.low).sum::<f64>() - 1.0;
    let off = group.rest_weight.iter().fold(0.0f64, |off, rest| off.max((low + rest).abs()));
    let slip = (3.0 * few + off) * most * length;
    let turn = most * (spread / (middle * shortest) * (1.0 + limits::ROUNDING) + few * length / shortest)
        + 0.5 * (most - least) * length;
    let mut sphere = Sphere { centre: moved.centre, radius: moved.radius + radius + slip };
    if shortest > 0.0 && turn < most * length {
        let turned = turned(&quaternion.centre, &arm, 0.5 * (least + most));
        (0..3).for_each(|axis| sphere.centre[axis] += turned[axis]);
        sphere.radius += turn;
    } else {
        sphere.radius += most * length;
    }
    sphere
}

/// The margin for roundings of numbers up to a size.
fn slack(joints: usize, size: f64) -> f64 {
    (2 * (joints + limits::REDUCED_ROUNDING_STEPS)) as f64 * limits::REDUCED_ROUNDING * size + limits::FLUSH
}
