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
//! and the centre moves at a bounded speed. The terms of two joints are the same in every set with
//! both ([`PairTerms`]).
//!
//! Follows Kavan, O'Sullivan and Žára 2006, §3; departs from it in specifying signs and the choice
//! of a centre.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use nalgebra::Vector3;

use super::affine::{quaternion_of, rotation_matrix};
use super::pose::check_places;
use super::{Affine, Influences, Pose, ReducedError};
use crate::limits;
use crate::math::Aabb;
use crate::mesh::range_of;
use crate::simd::Number;

/// The distinct sets of joints that influence vertices together.
#[derive(Clone, Debug)]
pub struct JointSets {
    pub(super) set_of: Vec<u32>,
    offsets: Vec<u32>,
    joints: Vec<u32>,
    /// The pairs of joints that are together in a set, the lower number first.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Per set, its pairs: of its second joint with the first, of its third with the first and the
    /// second, and so on.
    pair_offsets: Vec<u32>,
    pairs_of: Vec<u32>,
    /// Mean of all joints' rest positions, metres.
    pub(super) middle: Vector3<f64>,
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
        let sum: Vector3<f64> = places.iter().map(|place| Vector3::from(*place)).sum();
        let mut sets = Self {
            set_of: Vec::new(),
            offsets: vec![0],
            joints: Vec::new(),
            pairs: Vec::new(),
            pair_offsets: Vec::new(),
            pairs_of: Vec::new(),
            middle: sum / places.len().max(1) as f64,
            means: Vec::new(),
            rests: Vec::new(),
            balls: Vec::new(),
            products: Vec::new(),
        };
        let mut known: BTreeMap<&[u32], u32> = BTreeMap::new();
        for vertex in 0..influences.vertex_count() as u32 {
            let joints = influences.indices_of(vertex);
            if joints.len() > limits::MAX_JOINTS_PER_VERTEX {
                return Err(ReducedError::TooManyJoints { vertex, joints: joints.len() });
            }
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
        sets.pair_up()?;
        Ok(sets)
    }

    /// Numbers the pairs of joints. O(Σ joints² of a set · log pairs).
    fn pair_up(&mut self) -> Result<(), ReducedError> {
        let of_set = |ends: &[u32]| (ends[1] - ends[0]) as usize * (ends[1] - ends[0]).saturating_sub(1) as usize / 2;
        let count = self.offsets.windows(2).map(of_set).sum();
        if count > limits::MAX_INDEX {
            return Err(ReducedError::TooLarge { what: "pairs of joints", count });
        }
        let mut known: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        self.pair_offsets.push(0);
        for set in 0..self.count() as u32 {
            let joints = range_of(&self.offsets, set);
            for b in joints.clone() {
                for a in joints.start..b {
                    let pair = [self.joints[a], self.joints[b]];
                    let pairs = &mut self.pairs;
                    self.pairs_of.push(*known.entry(pair).or_insert_with(|| {
                        pairs.push(pair);
                        pairs.len() as u32 - 1
                    }));
                }
            }
            self.pair_offsets.push(self.pairs_of.len() as u32);
        }
        Ok(())
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

    /// The pairs of a set, by their places among all pairs.
    #[inline]
    pub(super) fn pairs_of(&self, set: u32) -> &[u32] {
        &self.pairs_of[range_of(&self.pair_offsets, set)]
    }

    /// The number of joints of all sets before one, which may be the number of sets.
    pub(super) fn joints_before(&self, set: u32) -> u32 {
        self.offsets[set as usize]
    }

    /// The mean of the joints' rest positions, metres: the regularised target of the centre. `None`
    /// if the set does not exist.
    pub fn mean_of(&self, set: u32) -> Option<[f64; 3]> {
        self.means.get(set as usize).map(|&mean| mean.into())
    }

    /// Quaternions and centre of a set in a pose, as skinning and bounds use them. O(joints² of the
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
        let joints = self.joints_of(set);
        let mut square = 0.0;
        for &joint in joints {
            let scale = turn(joint)?.scale;
            square += scale * scale;
        }
        let maps = |pair: u32| self.pairs[pair as usize].map(|joint| &pose.maps[joint as usize]);
        let terms = self.pairs_of(set).iter().map(|&pair| PairTerms::of(maps(pair), &self.middle));
        self.fill_around(set, pose, self.centre(set, square, terms), turn, frame)
    }

    /// As [`JointSets::fill`], with the centre that [`JointSets::centre`] returns.
    pub(super) fn fill_around<E>(
        &self,
        set: u32,
        pose: &Pose,
        centre: Vector3<f64>,
        turn: impl Fn(u32) -> Result<JointTurn, E>,
        frame: &mut SphericalFrame,
    ) -> Result<(), E> {
        frame.joints.clear();
        frame.centre = centre.into();
        self.for_each_around(set, pose, centre, turn, &mut |joint| frame.joints.push(joint))
    }

    /// The joints of a set in a pose with its centre.
    #[inline]
    pub(super) fn for_each_around<E>(
        &self,
        set: u32,
        pose: &Pose,
        centre: Vector3<f64>,
        turn: impl Fn(u32) -> Result<JointTurn, E>,
        take: &mut impl FnMut(SphericalJoint),
    ) -> Result<(), E> {
        let mut first = None;
        for &joint in self.joints_of(set) {
            let JointTurn { scale, quaternion } = turn(joint)?;
            let faces = dot(first.get_or_insert(quaternion), &quaternion) >= 0.0;
            let quaternion = if faces { quaternion } else { quaternion.map(|x| -x) };
            let image = pose.maps[joint as usize].apply(&centre).into();
            take(SphericalJoint { quaternion, scale, image });
        }
        Ok(())
    }

    /// The rotation centre of a set: solves `(Σ DᵀD + λ Σ s²) (r − m) = −Σ Dᵀ (C_b m − C_a m)`, the
    /// sums over its pairs and its joints. `square` is the sum of squared scales; `terms` are those
    /// of its pairs.
    #[inline]
    pub(super) fn centre(
        &self,
        set: u32,
        square: f64,
        terms: impl Iterator<Item = impl Borrow<PairTerms>>,
    ) -> Vector3<f64> {
        let mean = self.means[set as usize];
        let away = mean - self.middle;
        let least = limits::SMALL_TURN * limits::SMALL_TURN * square;
        let (mut sum, mut is_free) = ([0.0; 12], true);
        for term in terms {
            let PairTerms(term) = term.borrow();
            is_free = false;
            (0..12).for_each(|entry| sum[entry] += term[entry]);
        }
        let [xx, yy, zz, xy, xz, yz, x, y, z, ..] = sum;
        let ([x, y, z], pivots) = offset(&[xx, yy, zz, xy, xz, yz, x, y, z], &away.into(), [least, 0.0]);
        if is_free || !are_positive(pivots) { mean } else { mean + Vector3::new(x, y, z) }
    }
}

/// What the rotation centre of a set needs of two of its joints: `DᵀD` as xx, yy, zz, xy, xz, yz,
/// with `D` the difference of the maps' linear parts; then `Dᵀ (C_b c − C_a c)`, `c` the mean of
/// all joints' rest positions (differences of images of the origin could be large); then zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub(super) struct PairTerms(pub(super) [f64; 12]);

impl PairTerms {
    pub(super) fn of([a, b]: [&Affine; 2], middle: &Vector3<f64>) -> Self {
        let difference = b.linear - a.linear;
        let apart = b.apply(middle) - a.apply(middle);
        let [x, y, z] = [0, 1, 2].map(|column: usize| difference.column(column).into_owned());
        let pairs = [[x, x], [y, y], [z, z], [x, y], [x, z], [y, z]];
        Self::new(pairs.map(|[a, b]| product(&a, &b)), [x, y, z].map(|column| product(&column, &apart)))
    }

    pub(super) const NONE: Self = Self([0.0; 12]);

    /// Its numbers by four.
    #[inline(always)]
    pub(super) fn parts(&self) -> [&[f64; 4]; 3] {
        let [a, b, c] = self.0.as_chunks::<4>().0 else { return [&[0.0; 4]; 3] };
        [a, b, c]
    }

    #[inline(always)]
    pub(super) fn new([a, b, c, d, e, f]: [f64; 6], [x, y, z]: [f64; 3]) -> Self {
        Self([a, b, c, d, e, f, x, y, z, 0.0, 0.0, 0.0])
    }
}

/// In the order in which all poses compute it.
fn product(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

/// The offset of a rotation centre from the mean of its joints, of [`PairTerms`] summed up, the
/// mean relative to that of all joints, and what is added to the diagonal; and the pivots of the
/// matrix. The offset counts only if [`are_positive`] says so. Takes zero, too.
#[inline(always)]
pub(super) fn offset<T: Number>(terms: &[T; 9], away: &[T; 3], [least, zero]: [T; 2]) -> ([T; 3], [T; 3]) {
    let (&[xx, yy, zz, xy, xz, yz, x, y, z], &[p, q, r]) = (terms, away);
    let (e, f, g) = (
        zero - (xx * p + xy * q + xz * r + x),
        zero - (xy * p + yy * q + yz * r + y),
        zero - (xz * p + yz * q + zz * r + z),
    );
    let (xx, yy, zz) = (xx + least, yy + least, zz + least);
    // L D Lᵀ.
    let (l, m) = (xy / xx, xz / xx);
    let second = yy - l * xy;
    let mixed = yz - l * xz;
    let n = mixed / second;
    let third = zz - m * xz - n * mixed;
    let b = f - l * e;
    let c = g - m * e - n * b;
    let z = c / third;
    let y = b / second - n * z;
    ([e / xx - l * y - m * z, y, z], [xx, second, third])
}

/// Whether a matrix with these pivots is positive definite to the precision of `f64`.
#[inline(always)]
pub(super) fn are_positive([first, second, third]: [f64; 3]) -> bool {
    first > 0.0 && second > 0.0 && third > 0.0
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
