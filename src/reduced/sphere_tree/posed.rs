//! The spheres of a tree in a pose, made on demand.

use nalgebra::Vector3;

use super::build::{Group, Joint, SphereTree, reach};
use super::sphere::{Sphere, distance};
use crate::limits;
use crate::reduced::affine::rotation_matrix;
use crate::reduced::{Pose, ReducedError, ReducedMesh};

/// What a joint set needs of a pose.
#[derive(Clone, Debug)]
struct PosedSet {
    quaternions: Vec<[f64; 4]>,
    centre: [f64; 3],
    /// Where each joint takes the rotation centre.
    images: Vec<[f64; 3]>,
    /// How far the farthest of these is from the origin, and the rotation centre, together, metres: for rounding.
    reach: f64,
}

/// So many joint sets of a node need no memory of their own.
const FEW_SETS: usize = 8;

/// A sphere tree in a pose. Spheres, joint sets and vertices are computed when first asked for and kept until the pose changes.
#[derive(Clone, Debug)]
pub struct PosedSpheres<'a> {
    tree: &'a SphereTree,
    mesh: &'a ReducedMesh,
    pose: Pose,
    /// Per map, by how much it stretches at most (linear blending).
    stretches: Vec<f64>,
    sets: Vec<Option<PosedSet>>,
    spheres: Vec<Option<Sphere>>,
    positions: Vec<Option<[f64; 3]>>,
    refitted: u64,
    evaluated: u64,
}

impl<'a> PosedSpheres<'a> {
    /// Poses a tree over a mesh. O(nodes + vertices) of memory, O(joints) of work.
    ///
    /// # Errors
    /// A pose or tree of another body; under spherical blending, maps that are not rigid.
    pub fn new(tree: &'a SphereTree, mesh: &'a ReducedMesh, pose: &Pose) -> Result<Self, ReducedError> {
        if mesh.vertex_count() != tree.vertex_count {
            return Err(ReducedError::RestCount { expected: tree.vertex_count, found: mesh.vertex_count() });
        }
        let mut posed = Self {
            tree,
            mesh,
            pose: Pose::default(),
            stretches: Vec::new(),
            sets: vec![None; mesh.joint_sets().map_or(0, super::super::JointSets::count)],
            spheres: vec![None; tree.nodes.len()],
            positions: vec![None; mesh.vertex_count()],
            refitted: 0,
            evaluated: 0,
        };
        posed.set_pose(pose)?;
        Ok(posed)
    }

    /// Takes another pose.
    ///
    /// # Errors
    /// As [`PosedSpheres::new`]; the old pose stays.
    pub fn set_pose(&mut self, pose: &Pose) -> Result<(), ReducedError> {
        pose.check(self.tree.map_count, self.tree.morph_count)?;
        self.mesh.check_pose(pose)?;
        self.pose.clone_from(pose);
        self.stretches.clear();
        if !self.tree.is_spherical {
            self.stretches.extend(pose.maps.iter().map(super::super::Affine::stretch));
        }
        self.sets.iter_mut().for_each(|set| *set = None);
        self.spheres.iter_mut().for_each(|sphere| *sphere = None);
        self.positions.iter_mut().for_each(|position| *position = None);
        Ok(())
    }

    /// The tree.
    pub fn tree(&self) -> &'a SphereTree {
        self.tree
    }

    /// How many spheres were computed so far.
    pub fn refitted(&self) -> u64 {
        self.refitted
    }

    /// Was the sphere of a node asked for in this pose?
    pub fn is_made(&self, node: u32) -> bool {
        self.spheres[node as usize].is_some()
    }

    /// How many vertices were evaluated so far.
    pub fn evaluated(&self) -> u64 {
        self.evaluated
    }

    /// A sphere that holds all vertices of a node, rounded outward. O(joints of the node), O(1) when asked again.
    pub fn sphere(&mut self, node: u32) -> Sphere {
        if let Some(sphere) = self.spheres[node as usize] {
            return sphere;
        }
        let sphere = self.refit(node);
        self.refitted += 1;
        self.spheres[node as usize] = Some(sphere);
        sphere
    }

    /// The same, computed anew.
    pub fn refit(&mut self, node: u32) -> Sphere {
        let [begin, end] = self.tree.nodes[node as usize].groups;
        if self.tree.is_spherical {
            for group in begin..end {
                self.prepare(self.tree.groups[group as usize].set);
            }
        }
        let (shift, growth) = self.morphing(node);
        let one = |group: u32| {
            let group = &self.tree.groups[group as usize];
            let mut rest = group.rest;
            (0..3).for_each(|axis| rest.centre[axis] += shift[axis]);
            rest.radius += growth;
            let sphere = if self.tree.is_spherical { self.spherical(group, &rest) } else { self.linear(group, &rest) };
            if sphere.radius.is_finite() { sphere } else { Sphere::EVERYTHING }
        };
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

    /// The triangle's corners where they are, metres.
    ///
    /// # Errors
    /// As [`ReducedMesh::evaluate`].
    pub fn corners(&mut self, triangle: u32) -> Result<[[f64; 3]; 3], ReducedError> {
        let vertices = self.mesh.mesh().triangles()[triangle as usize];
        let mut corners = [[0.0; 3]; 3];
        let mut out = Vec::new();
        for (corner, vertex) in corners.iter_mut().zip(vertices) {
            *corner = match self.positions[vertex as usize] {
                Some(position) => position,
                None => {
                    self.mesh.evaluate(&self.pose, &[vertex], &mut out)?;
                    self.evaluated += 1;
                    self.positions[vertex as usize] = Some(out[0]);
                    out[0]
                }
            };
        }
        Ok(corners)
    }

    fn joints_of(&self, group: &Group) -> &[Joint] {
        &self.tree.joints[group.joints[0] as usize..group.joints[1] as usize]
    }

    /// What morph targets add to rest positions: by how much the ball's centre moves, and its radius grows.
    fn morphing(&self, node: u32) -> ([f64; 3], f64) {
        let [begin, end] = self.tree.nodes[node as usize].morphs;
        let (mut shift, mut growth, mut size) = ([0.0; 3], 0.0, 0.0);
        for morph in &self.tree.morphs[begin as usize..end as usize] {
            let weight = self.pose.morphs[morph.target as usize];
            (0..3).for_each(|axis| shift[axis] += weight * morph.deltas.centre[axis]);
            growth += weight.abs() * morph.deltas.radius;
            size += weight.abs() * reach(&morph.deltas);
        }
        if begin < end {
            // As many roundings as targets, here and in the vertices.
            growth += f64::from(end - begin + limits::REDUCED_STEPS as u32) * limits::REDUCED_ROUNDING * size;
        }
        (shift, growth)
    }

    fn linear(&self, group: &Group, rest: &Sphere) -> Sphere {
        let joints = self.joints_of(group);
        let image = |joint: &Joint| self.pose.maps[joint.index as usize].point(rest.centre);
        if let [joint] = joints {
            // All follow one joint; its weight is 1 up to rounding.
            let centre = image(joint);
            let far = distance(&centre, &[0.0; 3]);
            let stretch = self.stretches[joint.index as usize];
            let slack = Self::slack(joints.len(), far + self.size(joint, rest));
            return Sphere {
                centre,
                radius: rest.radius * stretch * (1.0 + limits::ROUNDING) + slack + (joint.low - 1.0).abs() * far,
            };
        }
        let (blend, mut stretch, mut size) = (Blended::of(joints, group.rest_weight, image), 0.0f64, 0.0f64);
        for joint in joints {
            stretch = stretch.max(self.stretches[joint.index as usize]);
            size = size.max(self.size(joint, rest));
        }
        let sum = 1.0 + limits::WEIGHT_SUM;
        Sphere {
            centre: blend.centre,
            radius: blend.radius + rest.radius * stretch * sum + Self::slack(joints.len(), size),
        }
    }

    fn spherical(&self, group: &Group, rest: &Sphere) -> Sphere {
        let joints = self.joints_of(group);
        let Some(set) = &self.sets[group.set as usize] else { return Sphere::EVERYTHING };
        let arm = Vector3::from(rest.centre) - Vector3::from(set.centre);
        let length = arm.norm();
        let turned = Blended::of(joints, group.rest_weight, |joint| set.quaternions[joint.index as usize]);
        let moved = Blended::of(joints, group.rest_weight, |joint| set.images[joint.index as usize]);
        let size = set.reach + length + reach(rest);
        let cap = cap(&turned.centre, turned.radius + Self::slack(joints.len(), 1.0));
        let mut sphere =
            Sphere { centre: moved.centre, radius: moved.radius + rest.radius + Self::slack(joints.len(), size) };
        sphere.radius += cap.radius * length;
        if cap.along > 0.0 {
            let turned = rotation_matrix(turned.centre) * arm * cap.along;
            (0..3).for_each(|axis| sphere.centre[axis] += turned[axis]);
        }
        sphere
    }

    /// Quaternions and centre of a joint set, if they are not there.
    fn prepare(&mut self, set: u32) {
        if self.sets[set as usize].is_some() {
            return;
        }
        let Some(sets) = self.mesh.joint_sets() else { return };
        let Ok(frame) = sets.frame(set, &self.pose) else { return };
        let maps = sets.joints_of(set).iter().map(|&joint| &self.pose.maps[joint as usize]);
        let images: Vec<[f64; 3]> = maps.map(|map| map.point(frame.centre)).collect();
        let farthest = images.iter().map(|image| distance(image, &[0.0; 3])).fold(0.0, f64::max);
        let reach = farthest + distance(&frame.centre, &[0.0; 3]);
        self.sets[set as usize] =
            Some(PosedSet { quaternions: frame.quaternions, centre: frame.centre, images, reach });
    }

    /// The largest number that enters a point's image, metres.
    fn size(&self, joint: &Joint, rest: &Sphere) -> f64 {
        let map = &self.pose.maps[joint.index as usize];
        map.shift.norm() + self.stretches[joint.index as usize] * reach(rest)
    }

    fn slack(joints: usize, size: f64) -> f64 {
        (2 * (joints + limits::REDUCED_STEPS)) as f64 * limits::REDUCED_ROUNDING * size + limits::FLUSH
    }
}

/// A ball that holds every blend of some things, points or quaternions.
struct Blended<const N: usize> {
    centre: [f64; N],
    radius: f64,
}

impl<const N: usize> Blended<N> {
    fn of(joints: &[Joint], rest: [f64; 2], thing: impl Fn(&Joint) -> [f64; N]) -> Self {
        if let [joint] = joints {
            return Self { centre: thing(joint), radius: 0.0 };
        }
        let (mut centre, mut middle, mut spreads) = ([0.0; N], [0.0; N], 0.0);
        for joint in joints {
            let x = thing(joint);
            for part in 0..N {
                centre[part] += joint.low * x[part];
                middle[part] += joint.spread * x[part];
            }
            spreads += joint.spread;
        }
        if spreads == 0.0 {
            // All weights are known; what rounding leaves of their sum is paid for with the slack.
            return Self { centre, radius: 0.0 };
        }
        let share = 0.5 * (rest[0] + rest[1]);
        for part in 0..N {
            middle[part] /= spreads;
            centre[part] += share * middle[part];
        }
        // The knapsack of distances from the middle, with the second largest as level.
        let (mut first, mut second, mut spread, mut reach) = (0.0f64, 0.0f64, 0.0, 0.0);
        for joint in joints {
            let x = thing(joint);
            let far = (0..N).map(|part| (x[part] - middle[part]) * (x[part] - middle[part])).sum::<f64>().sqrt();
            if far > first {
                (first, second, spread) = (far, first, joint.spread);
            } else {
                second = second.max(far);
            }
        }
        for part in 0..N {
            reach += middle[part] * middle[part];
        }
        // Where the sum of weights is a range, its middle was taken.
        let unsure = 0.5 * (rest[1] - rest[0]) * reach.sqrt();
        Self { centre, radius: rest[1].max(0.0) * second + spread * (first - second) + unsure }
    }
}

/// The smallest ball around what a cap of rotations makes of a unit vector: `along` is where its centre lies on the middle rotation's
/// image, `radius` its radius (both unitless).
struct Cap {
    along: f64,
    radius: f64,
}

/// The cap of the rotations whose quaternions lie in a ball of R⁴.
fn cap(centre: &[f64; 4], radius: f64) -> Cap {
    let length = centre.iter().map(|x| x * x).sum::<f64>().sqrt() * (1.0 - limits::ROUNDING);
    if !(radius < length) {
        return Cap { along: 0.0, radius: 1.0 };
    }
    let sine = radius / length;
    let cosine = (1.0 - sine * sine).max(0.0).sqrt();
    // Of twice the angle.
    let along = 1.0 - 2.0 * sine * sine;
    if along <= 0.0 {
        // Beyond a right angle the cap holds a great circle.
        return Cap { along: 0.0, radius: 1.0 };
    }
    Cap { along, radius: 2.0 * sine * cosine }
}
