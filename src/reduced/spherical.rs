//! Joint sets of spherical blending: blended quaternions and their rotation centre.
//!
//! A vertex influenced by the joints of a set maps to `s_w Q_w (v − r) + Σ w_i C_i r`. Here `Q_w`
//! is the rotation of the normalised sum of weighted unit quaternions, `r` the set's rotation
//! centre, and `s_w = Σ w_i s_i` the blend of the scales: each `C_i` is a rotation times one
//! positive scale `s_i`, and a translation. Other maps have no quaternion and are refused.
//!
//! **Hemisphere.** A quaternion and its negative are one rotation, but blend differently. Every
//! quaternion of a set gets the sign that makes its dot product with that of the set's *first*
//! joint (the lowest number) nonnegative. The first keeps the sign of
//! [`super::affine::quaternion_of`]. A blend is then at least as long as the first joint's weight
//! times its quaternion. A bound of a set must take its quaternions from [`JointSets::frame`].
//!
//! **Centre.** `r` minimises `Σ_{a<b} |C_a r − C_b r|² + λ n s² |r − m|²`, with `m` the mean of the
//! set's joint positions at rest, `s²` the mean of the squared scales, and `λ` =
//! [`limits::SMALL_TURN`]². If the first term leaves a line or all of space free, the second
//! selects the point nearest to `m`, like a rank threshold. Unlike a threshold it is continuous,
//! and the centre moves at a bounded speed.
//!
//! Follows Kavan, O'Sullivan and Žára 2006, §3; departs from it in specifying signs and the choice
//! of a centre.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use nalgebra::{Matrix3, Vector3};

use super::affine::{quaternion_of, rotation_matrix};
use super::pose::check_places;
use super::{Affine, Influences, Pose, ReducedError};
use crate::limits;
use crate::math::Aabb;
use crate::mesh::range_of;

/// The distinct sets of joints that influence vertices together.
#[derive(Clone, Debug)]
pub struct JointSets {
    pub(super) set_of: Vec<u32>,
    offsets: Vec<u32>,
    joints: Vec<u32>,
    /// Mean of the joints' rest positions, per set.
    pub(super) means: Vec<Vector3<f64>>,
    /// The box of the set's vertices at rest, metres, per set.
    pub(super) rests: Vec<Aabb>,
    /// A ball around that box: middle and radius, metres, per set.
    pub(super) balls: Vec<([f64; 3], f64)>,
    /// The largest [`product_of`] of a vertex, per set.
    pub(super) products: Vec<f64>,
}

/// The joints of one set in one pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SphericalFrame {
    /// The set's joints, in the set's order.
    pub joints: Vec<SphericalJoint>,
    /// The rotation centre, a rest position, metres.
    pub centre: [f64; 3],
}

impl SphericalFrame {
    /// Bytes beyond itself.
    pub(super) fn bytes(&self) -> usize {
        self.joints.capacity() * size_of::<SphericalJoint>()
    }
}

/// A joint of a set in a pose: all that blending needs of its map, in one cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct SphericalJoint {
    /// Its unit quaternion (x, y, z, w), of the hemisphere of the set's first joint.
    pub quaternion: [f64; 4],
    /// Its scale, positive (unitless).
    pub scale: f64,
    /// Where its map brings the set's rotation centre, metres.
    pub image: [f64; 3],
}

/// A joint's scale and unit quaternion, of either sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointTurn {
    pub(super) scale: f64,
    pub(super) quaternion: [f64; 4],
}

impl SphericalFrame {
    /// The position of a vertex with these weights in the set's order, metres; `rest` is its rest
    /// position with displacements.
    #[inline]
    pub(super) fn blend(&self, weights: &[f64], rest: [f64; 3]) -> [f64; 3] {
        let (mut moved, mut scale, mut quaternion) = (Vector3::zeros(), 0.0, [0.0; 4]);
        for (weight, joint) in weights.iter().zip(&self.joints) {
            moved += Vector3::from(joint.image) * *weight;
            scale += weight * joint.scale;
            (0..4).for_each(|part| quaternion[part] += weight * joint.quaternion[part]);
        }
        // Of a sum that vanishes there is no rotation; that of the first joint is one.
        if !(dot(&quaternion, &quaternion) >= f64::MIN_POSITIVE) {
            quaternion = self.joints.first().map_or([0.0, 0.0, 0.0, 1.0], |first| first.quaternion);
        }
        let arm = Vector3::from(rest) - Vector3::from(self.centre);
        (rotation_matrix(quaternion) * arm * scale + moved).into()
    }
}

impl JointTurn {
    /// Those of a map; `None` if it shears, mirrors or scales unevenly.
    pub(super) fn of(map: &Affine) -> Option<Self> {
        let scale = map.uniform_scale()?;
        Some(Self { scale, quaternion: quaternion_of(&(map.linear / scale)) })
    }
}

impl JointSets {
    /// Groups vertices by their joints. `places` are the joints' rest positions, `rest` those of
    /// the vertices, metres. O(weights · log sets).
    pub(super) fn new(influences: &Influences, places: &[[f64; 3]], rest: &[[f32; 3]]) -> Result<Self, ReducedError> {
        if places.len() != influences.count() {
            return Err(ReducedError::MapCount { expected: influences.count(), found: places.len() });
        }
        check_places(places)?;
        let mut sets = Self {
            set_of: Vec::new(),
            offsets: vec![0],
            joints: Vec::new(),
            means: Vec::new(),
            rests: Vec::new(),
            balls: Vec::new(),
            products: Vec::new(),
        };
        let mut known: BTreeMap<&[u32], u32> = BTreeMap::new();
        for vertex in 0..influences.vertex_count() as u32 {
            let joints = influences.indices_of(vertex);
            let set = *known.entry(joints).or_insert_with(|| {
                let sum: Vector3<f64> = joints.iter().map(|&joint| Vector3::from(places[joint as usize])).sum();
                sets.means.push(sum / joints.len() as f64);
                sets.joints.extend_from_slice(joints);
                sets.offsets.push(sets.joints.len() as u32);
                sets.rests.push(Aabb::EMPTY);
                sets.products.push(0.0);
                sets.means.len() as u32 - 1
            });
            sets.rests[set as usize].include(&rest[vertex as usize].map(f64::from));
            let product = &mut sets.products[set as usize];
            *product = product.max(product_of(influences.weights_of(vertex)));
            sets.set_of.push(set);
        }
        sets.balls = sets.rests.iter().map(ball_around).collect();
        Ok(sets)
    }

    /// The number of sets.
    pub fn count(&self) -> usize {
        self.means.len()
    }

    /// The set of a vertex; `None` if the vertex does not exist.
    pub fn set_of(&self, vertex: u32) -> Option<u32> {
        self.set_of.get(vertex as usize).copied()
    }

    /// The joints of a set, ascending; none of a set that does not exist.
    pub fn joints_of(&self, set: u32) -> &[u32] {
        &self.joints[range_of(&self.offsets, set)]
    }

    /// The mean of the joints' rest positions, metres: the regularised target of the centre. `None`
    /// if the set does not exist.
    pub fn mean_of(&self, set: u32) -> Option<[f64; 3]> {
        self.means.get(set as usize).map(|&mean| mean.into())
    }

    /// Quaternions and centre of a set in a pose, as skinning and bounds use them. O(joints of the
    /// set).
    ///
    /// # Errors
    /// A set that does not exist; a map of the set that shears, mirrors or scales unevenly, or that
    /// is missing in the pose.
    pub fn frame(&self, set: u32, pose: &Pose) -> Result<SphericalFrame, ReducedError> {
        if set as usize >= self.count() {
            return Err(ReducedError::NoSuchSet { set, sets: self.count() });
        }
        let mut frame = SphericalFrame::default();
        let turn = |joint: u32| match pose.maps.get(joint as usize) {
            Some(map) => JointTurn::of(map).ok_or(ReducedError::NotRigid { map: joint as usize }),
            None => Err(ReducedError::MapCount { expected: joint as usize + 1, found: pose.maps.len() }),
        };
        self.fill(set, pose, turn, &mut frame)?;
        Ok(frame)
    }

    /// As [`JointSets::frame`], of a set that exists, from the turns of its joints; reuses memory.
    pub(super) fn fill<E>(
        &self,
        set: u32,
        pose: &Pose,
        turn: impl Fn(u32) -> Result<JointTurn, E>,
        frame: &mut SphericalFrame,
    ) -> Result<(), E> {
        frame.joints.clear();
        for &joint in self.joints_of(set) {
            let JointTurn { scale, quaternion } = turn(joint)?;
            let faces = frame.joints.first().is_none_or(|first| dot(&first.quaternion, &quaternion) >= 0.0);
            let quaternion = if faces { quaternion } else { quaternion.map(|x| -x) };
            frame.joints.push(SphericalJoint { quaternion, scale, image: [0.0; 3] });
        }
        let centre = self.centre(set, pose, &frame.joints);
        frame.centre = centre.into();
        for (own, &joint) in frame.joints.iter_mut().zip(self.joints_of(set)) {
            own.image = pose.maps[joint as usize].apply(&centre).into();
        }
        Ok(())
    }

    /// Solves `(G + λ s²) (r − m) = −(g + G m)` with `G = Σ (A_a − Ā)ᵀ (A_a − Ā)` and
    /// `g = Σ (A_a − Ā)ᵀ (t_a − t̄)`: the sum over pairs is `n` times the sum of squared distances
    /// from the mean.
    fn centre(&self, set: u32, pose: &Pose, turned: &[SphericalJoint]) -> Vector3<f64> {
        let joints = self.joints_of(set);
        let mean = self.means[set as usize];
        if joints.len() == 1 {
            return mean;
        }
        let maps = || joints.iter().map(|&joint| &pose.maps[joint as usize]);
        let share = 1.0 / joints.len() as f64;
        let linear: Matrix3<f64> = maps().map(|map| map.linear * share).sum();
        // Images of the mean position, not of the origin: differences stay small.
        let image: Vector3<f64> = maps().map(|map| map.apply(&mean) * share).sum();
        let scale: f64 = turned.iter().map(|own| own.scale * own.scale * share).sum();
        let mut square = Matrix3::identity() * (limits::SMALL_TURN * limits::SMALL_TURN * scale);
        let mut right = Vector3::zeros();
        for map in maps() {
            let difference = map.linear - linear;
            square += difference.transpose() * difference;
            right -= difference.transpose() * (map.apply(&mean) - image);
        }
        square.cholesky().map_or(mean, |factors| mean + factors.solve(&right))
    }
}

/// Middle and half diagonal of a box, rounded up.
pub(super) fn ball_around(bounds: &Aabb) -> ([f64; 3], f64) {
    let middle = [0, 1, 2].map(|axis: usize| 0.5 * (bounds.min[axis] + bounds.max[axis]));
    let corner = Vector3::from(bounds.max) - Vector3::from(middle);
    let rounding = limits::EVALUATION_ROUNDING * Vector3::from(middle).norm();
    (middle, corner.norm() * (1.0 + limits::EVALUATION_ROUNDING) + rounding)
}

pub(super) fn dot(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// The sum of the products of the weights of two different joints: at most 1/4 for two joints, 3/8
/// for four. Rounded up.
pub(super) fn product_of(weights: &[f64]) -> f64 {
    let (mut before, mut product) = (0.0, 0.0);
    for weight in weights {
        product += before * weight;
        before += weight;
    }
    product * (1.0 + limits::EVALUATION_ROUNDING)
}

/// The frames of a body's joint sets in one pose, computed on demand.
#[derive(Clone, Debug, Default)]
pub(super) struct SetFrames {
    frames: Vec<OnceLock<Option<SphericalFrame>>>,
}

impl SetFrames {
    /// No frame yet.
    pub(super) fn new(sets: &JointSets) -> Self {
        Self { frames: (0..sets.count()).map(|_| OnceLock::new()).collect() }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let made = self.frames.iter().filter_map(|frame| frame.get()?.as_ref()).map(SphericalFrame::bytes);
        self.frames.capacity() * size_of::<OnceLock<Option<SphericalFrame>>>() + made.sum::<usize>()
    }

    /// The frame of a set, always in the same pose; `None` if it has none.
    #[inline]
    pub(super) fn get(&self, sets: &JointSets, set: u32, pose: &Pose) -> Option<&SphericalFrame> {
        self.frames.get(set as usize)?.get_or_init(|| sets.frame(set, pose).ok()).as_ref()
    }
}
