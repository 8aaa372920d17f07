//! The input of the spheres of all nodes in a pose, and the spheres.
//!
//! Under spherical blending there are two spheres of a joint set, and the smaller one is taken:
//! that of [`spherical`], and that of linear blending, grown by the distance of the set's vertices
//! from linear blending ([`SetDistance`]). The same is done for a node of several sets, so that its
//! radius is at most the linear one plus the largest distance. The linear sphere is not computed
//! where it is larger for sure.

use std::ops::Range;
use std::sync::OnceLock;

use super::blend::{Blended, across, spread_of_two, turned};
use super::build::{Group, Joint, SphereTree, reach};
use super::sphere::Sphere;
use crate::limits;
use crate::math::Aabb;
use crate::math::vector::distance;
use crate::reduced::set_pose::{PosedJoint, SetDistance};
use crate::reduced::{Affine, JointSets, Pose, ReducedError, ReducedMesh, SphericalFrame};

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
    /// The distance of its vertices from linear blending.
    distance: SetDistance,
}

/// The sphere of those of a node's vertices that have a common blend.
struct GroupSphere {
    sphere: Sphere,
    /// The largest distance of a vertex from linear blending, metres.
    distance: f64,
    /// No linear sphere has a smaller radius, up to rounding.
    least: f64,
}

/// Number of joint sets of a node up to which no allocation is needed.
const FEW_SETS: usize = 8;

/// A pose of a body. Joint sets are evaluated on demand.
#[derive(Clone, Debug, Default)]
pub(crate) struct SphereFrame {
    pose: Pose,
    /// Per map, an upper bound of its stretch.
    stretches: Vec<f64>,
    /// Per map, the distance of the image of the origin from there, metres.
    shifts: Vec<f64>,
    /// Per map, its turn (spherical blending).
    turns: Vec<Option<PosedJoint>>,
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
        self.stretches.extend(pose.maps.iter().map(Affine::stretch));
        self.shifts.clear();
        self.shifts.extend(pose.maps.iter().map(|map| map.shift.norm()));
        self.turns.clear();
        if tree.is_spherical {
            self.turns.extend(pose.maps.iter().map(PosedJoint::of));
        }
        self.sets.clear();
        self.sets.resize_with(mesh.joint_sets().map_or(0, JointSets::count), OnceLock::new);
        Ok(())
    }

    /// The position of a vertex, metres; under spherical blending its joint set is kept for others.
    pub(crate) fn position(&self, tree: &SphereTree, mesh: &ReducedMesh, vertex: u32) -> [f64; 3] {
        let Some(sets) = mesh.joint_sets() else { return mesh.position(&self.pose, vertex) };
        let set = sets.set_of(vertex).unwrap_or(0);
        match self.sets.get(set as usize).and_then(|kept| kept.get_or_init(|| self.posed(tree, mesh, set)).as_ref()) {
            Some(kept) => mesh.blend_spherically(&self.pose, &kept.frame, vertex),
            None => mesh.position(&self.pose, vertex),
        }
    }

    /// A sphere that contains all vertices of a node, rounded outward. O(joints of the node).
    pub(crate) fn sphere(&self, tree: &SphereTree, mesh: &ReducedMesh, node: u32) -> Sphere {
        let [begin, end] = tree.nodes[node as usize].groups;
        let (shift, growth) = self.morphing(tree, node);
        if end - begin == 1 {
            return self.group(tree, mesh, begin, shift, growth).sphere;
        }
        let (mut distance, mut least) = (0.0f64, 0.0f64);
        let mut around = enclose(begin..end, |group| {
            let own = self.group(tree, mesh, group, shift, growth);
            (distance, least) = (distance.max(own.distance), least.max(own.least));
            own.sphere
        });
        if tree.is_spherical && around.radius > least + distance {
            let linear = enclose(begin..end, |group| {
                let group = &tree.groups[group as usize];
                self.linear_of_set(tree, mesh, group, &moved(group, shift, growth))
            });
            let grown = grown(linear, distance);
            if grown.radius < around.radius {
                around = grown;
            }
        }
        around.radius += limits::ROUNDING * reach(&around);
        around
    }

    /// The largest distance of a node's vertices from linear blending, metres; 0 under linear
    /// blending. O(joint sets of the node).
    pub(crate) fn distance(&self, tree: &SphereTree, mesh: &ReducedMesh, node: u32) -> f64 {
        let [begin, end] = tree.nodes[node as usize].groups;
        let (shift, growth) = self.morphing(tree, node);
        if !tree.is_spherical {
            return 0.0;
        }
        let one = |group: u32| self.group(tree, mesh, group, shift, growth).distance;
        (begin..end).map(one).fold(0.0, f64::max)
    }

    /// A box that contains all vertices of a node: around the spheres of its joint sets, rounded
    /// outward. O(joints of the node).
    pub(crate) fn bounds(&self, tree: &SphereTree, mesh: &ReducedMesh, node: u32) -> Aabb {
        let [begin, end] = tree.nodes[node as usize].groups;
        let (shift, growth) = self.morphing(tree, node);
        (begin..end).fold(Aabb::EMPTY, |bounds, group| {
            let Sphere { centre, radius } = self.group(tree, mesh, group, shift, growth).sphere;
            let radius = radius + limits::ROUNDING * (radius + centre.iter().fold(0.0f64, |far, x| far.max(x.abs())));
            bounds.union(&Aabb { min: centre.map(|x| x - radius), max: centre.map(|x| x + radius) })
        })
    }

    /// The sphere of those of a node's vertices that have a common blend.
    fn group(&self, tree: &SphereTree, mesh: &ReducedMesh, group: u32, shift: [f64; 3], growth: f64) -> GroupSphere {
        let group = &tree.groups[group as usize];
        let rest = moved(group, shift, growth);
        let joints = &tree.joints[group.joints[0] as usize..group.joints[1] as usize];
        let known = |sphere: Sphere| if sphere.radius.is_finite() { sphere } else { Sphere::EVERYTHING };
        if !tree.is_spherical {
            let sphere = self.linear(joints, group, &rest, |joint| joint.index as usize);
            return GroupSphere { sphere: known(sphere), distance: 0.0, least: 0.0 };
        }
        let Some(set) = self.sets[group.set as usize].get_or_init(|| self.posed(tree, mesh, group.set)) else {
            return GroupSphere { sphere: Sphere::EVERYTHING, distance: f64::INFINITY, least: 0.0 };
        };
        let (sphere, rounding) = spherical(joints, group, &rest, set);
        let mut sphere = known(sphere);
        let distance = set.distance.in_ball(group.part, &rest.centre, rest.radius);
        let least = set.scales[1] * rest.radius + rounding;
        if joints.len() > 1 && sphere.radius > least + distance {
            let linear = grown(self.linear_of_set(tree, mesh, group, &rest), distance);
            if linear.radius < sphere.radius {
                sphere = linear;
            }
        }
        GroupSphere { sphere, distance, least }
    }

    /// The sphere of a group of a spherical tree under linear blending.
    fn linear_of_set(&self, tree: &SphereTree, mesh: &ReducedMesh, group: &Group, rest: &Sphere) -> Sphere {
        let joints = &tree.joints[group.joints[0] as usize..group.joints[1] as usize];
        let Some(maps) = mesh.joint_sets().map(|sets| sets.joints_of(group.set)) else { return Sphere::EVERYTHING };
        let sphere = self.linear(joints, group, rest, |joint| maps[joint.index as usize] as usize);
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

    /// The sphere under linear blending; `map` is the number of a joint's map.
    fn linear(&self, joints: &[Joint], group: &Group, rest: &Sphere, map: impl Fn(&Joint) -> usize) -> Sphere {
        let image = |joint: &Joint| self.pose.maps[map(joint)].point(rest.centre);
        let reach = reach(rest);
        // The largest number that enters a point's image, metres.
        let size = |map: usize| self.shifts[map] + self.stretches[map] * reach;
        if let [joint] = joints {
            // All follow one joint, with weights of 1 or nearly.
            let centre = image(joint);
            let far = distance(&centre, &[0.0; 3]);
            let (stretch, off) = (self.stretches[map(joint)], (joint.low - 1.0).abs());
            let slack = slack(joints.len(), far + size(map(joint)));
            let radius = rest.radius * stretch * (1.0 + off + limits::ROUNDING) + slack + off * far;
            return Sphere { centre, radius };
        }
        let (mut stretch, mut largest) = (0.0f64, 0.0f64);
        for joint in joints {
            stretch = stretch.max(self.stretches[map(joint)]);
            largest = largest.max(size(map(joint)));
        }
        let blend = Blended::of(joints, group.rest_weight, image, largest);
        let sum = 1.0 + limits::WEIGHT_SUM_TOLERANCE;
        let radius = blend.radius + rest.radius * stretch * sum + slack(joints.len(), largest);
        Sphere { centre: blend.centre, radius }
    }

    /// Computes quaternions and centre of a joint set.
    fn posed(&self, tree: &SphereTree, mesh: &ReducedMesh, set: u32) -> Option<PosedSet> {
        let sets = mesh.joint_sets()?;
        let mut frame = SphericalFrame::default();
        let turn = |joint: u32| self.turns[joint as usize].map(|joint| joint.turn).ok_or(());
        sets.fill(set, &self.pose, turn, &mut frame).ok()?;
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
        let distance = SetDistance::of_set(mesh, sets, set, &self.turns, &self.pose, self.displaced(tree));
        Some(PosedSet { frame, scales, reach, apart, distance })
    }

    /// A bound on the displacement of a vertex by morph targets, metres, from the root's.
    fn displaced(&self, tree: &SphereTree) -> f64 {
        let [begin, end] = tree.nodes[0].morphs;
        let targets = &tree.morphs[begin as usize..end as usize];
        let sum: f64 = targets.iter().map(|it| self.pose.morphs[it.target as usize].abs() * reach(&it.deltas)).sum();
        sum * (1.0 + limits::EVALUATION_ROUNDING)
    }
}

/// The rest ball of a group with displacements.
fn moved(group: &Group, shift: [f64; 3], growth: f64) -> Sphere {
    let Sphere { centre, radius } = group.rest;
    Sphere { centre: std::array::from_fn(|axis| centre[axis] + shift[axis]), radius: radius + growth }
}

/// A sphere with a larger radius.
fn grown(Sphere { centre, radius }: Sphere, distance: f64) -> Sphere {
    Sphere { centre, radius: (radius + distance) * (1.0 + limits::ROUNDING) }
}

/// A sphere around the spheres of several groups.
fn enclose(groups: Range<u32>, mut one: impl FnMut(u32) -> Sphere) -> Sphere {
    if groups.len() <= FEW_SETS {
        let (mut spheres, count) = ([Sphere::default(); FEW_SETS], groups.len());
        spheres.iter_mut().zip(groups).for_each(|(sphere, group)| *sphere = one(group));
        Sphere::around(&spheres[..count])
    } else {
        Sphere::around(&groups.map(one).collect::<Vec<Sphere>>())
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
///
/// Also returns what the radius has for rounding.
fn spherical(joints: &[Joint], group: &Group, rest: &Sphere, set: &PosedSet) -> (Sphere, f64) {
    let (frame, [least, most]) = (&set.frame, set.scales);
    let arm: [f64; 3] = std::array::from_fn(|axis| rest.centre[axis] - frame.centre[axis]);
    let length = distance(&arm, &[0.0; 3]);
    // The rest centre is at most as far from the origin as the rotation centre plus the arm.
    let size = 2.0 * (set.reach + most * length) + most * rest.radius;
    let few = slack(joints.len(), 1.0);
    let radius = most * rest.radius * (1.0 + limits::ROUNDING) + few * size;
    if joints.len() == 1 {
        // A single rotation. A weight `w` moves a vertex by `w − 1` times its distance from the
        // origin.
        let first = &frame.joints[0];
        let image = turned(&first.quaternion, &arm, first.scale);
        let centre = std::array::from_fn(|axis| first.image[axis] + image[axis]);
        let off = (joints[0].low - 1.0).abs() * (1.0 + limits::ROUNDING);
        let slip = (3.0 * few + off) * most * (length + rest.radius) + off * distance(&first.image, &[0.0; 3]);
        return (Sphere { centre, radius: radius + slip }, few * size + slip);
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
    // Scales are blended by weights, whose sum is nearly 1: in the radius, the turn and the length.
    let low = joints.iter().map(|joint| joint.low).sum::<f64>() - 1.0;
    let off = group.rest_weight.iter().fold(0.0f64, |off, rest| off.max((low + rest).abs()));
    let slip = (3.0 * few + 2.0 * off) * most * (length + rest.radius);
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
    (sphere, few * size + slip)
}

/// The margin for roundings of numbers up to a size.
fn slack(joints: usize, size: f64) -> f64 {
    (2 * (joints + limits::REDUCED_ROUNDING_STEPS)) as f64 * limits::REDUCED_ROUNDING * size + limits::FLUSH
}
