//! All joint sets of a body in one pose: their frames, and the distance of vertices from linear
//! blending.
//!
//! With the notation of [`super::set_bounds`], whose (2) holds for any centre `r`,
//!
//! ```text
//! v − l = Σ_{a<b} w_a w_b (R_b − R_a) y · (s_a q_b − s_b q_a) q̄ / |q|² + Σ w_b (s_b R_b − A_b) y
//! ```
//!
//! In a pose all of it is known but weights and vertices. A turn by `θ` has the operator norm
//! `2 sin(θ/2) = c √(4 − c²)`, as `c = |q_b − q_a|` is `2 sin(θ/4)` or `2 cos(θ/4)`. With
//! `κ` the largest `c √(4 − c²) |s_a q_b − s_b q_a|` of two joints, and `e` the largest length of
//! `s_b R_b − A_b` by the sum of squares,
//!
//! ```text
//! |v − l| ≤ Σ_{a<b} w_a w_b · κ |y| / |q| + e |y|
//! ```
//!
//! With `y = d + z`, `d` from the centre to the middle of the vertices at rest and `|z| ≤ ρ` their
//! radius and displacements, `|y| ≤ |d| + ρ`: small near the joint, where weights are even. Along
//! the axis of a turn nothing moves, so that instead of `κ |y|` also `√(dᵀ H d) + κ ρ` will do,
//! with `H = Σ_{a<b} |s_a q_b − s_b q_a|² (R_b − R_a)ᵀ (R_b − R_a)`. `|q|` is bounded as there.
//! Whatever `q` is, `|v − l| ≤ Σ w_b (2 s_b + e) |y|`.
//!
//! This is the bound of sphere trees, of sets with more than eight joints, and of sets whose
//! quaternions are not all of one hemisphere. Other sets have a tighter one, by products of weights
//! per pair of joints ([`super::pair_lanes`]).
//!
//! What depends on two joints alone is computed once for each pair of joints, not for each set that
//! has both. With `d = q_a · q_b` of unit quaternions, `c² = 2 − 2 d`, `c² (4 − c²) = 4 (1 − d²)`
//! and `|s_a q_b − s_b q_a|² = s_a² + s_b² − 2 s_a s_b d`, each rounded up.
//!
//! Cost: O(joints²) per set; no vertex is evaluated. Frames, which only vertices need, are made
//! when the first vertex of their set does.

use nalgebra::Vector3;

use super::affine::rotation_matrix;
use super::driver::zero_wins;
use super::pair_lanes::{PairLanes, PairSum};
use super::spherical::{JointTurn, PairTerms, dot};
use super::{Affine, JointSets, Pose, ReducedMesh, SphericalFrame, SphericalJoint};
use crate::simd::Simd;
use crate::{limits, tuning};

mod measure;

use measure::Measure;

/// The joint sets of a body in a pose.
#[derive(Clone, Debug, Default)]
pub(super) struct PoseSets {
    turns: Vec<Option<PosedJoint>>,
    pairs: Vec<PosedPair>,
    /// Per pair of joints.
    lanes: Vec<PairLanes>,
    /// Per set.
    distances: Vec<SetDistance>,
    frames: Vec<KeptFrame>,
    /// The number of the pose.
    stamp: u64,
    /// Bound on the displacement of a vertex by morph targets, metres; and per target at weight
    /// one.
    displaced: f64,
    displacements: Vec<f64>,
    /// Signs of a set's quaternions.
    signs: Vec<f64>,
}

/// A frame, and the number of its pose; without quaternions where a map has none.
#[derive(Clone, Debug, Default)]
struct KeptFrame {
    frame: SphericalFrame,
    stamp: u64,
}

/// A joint's turn, and the distance of its map from it: `|s R − A|` by the sum of squares.
#[derive(Clone, Copy, Debug)]
pub(super) struct PosedJoint {
    pub(super) turn: JointTurn,
    pub(super) off: f64,
    /// The distance of the image of the origin from there, metres.
    shift: f64,
}

impl PosedJoint {
    /// Of a map; `None` if it shears, mirrors or scales unevenly.
    pub(super) fn of(map: &Affine) -> Option<Self> {
        let turn = JointTurn::of(map)?;
        let off = (rotation_matrix(turn.quaternion) * turn.scale - map.linear).norm();
        let off = off + limits::EVALUATION_ROUNDING * turn.scale;
        Some(Self { turn, off, shift: map.shift.norm() })
    }
}

/// Two joints: what a rotation centre needs of them, `(R_b − R_a)ᵀ (R_b − R_a)`, and the dot
/// product of their quaternions, of any sign.
#[derive(Clone, Copy, Debug)]
struct PosedPair {
    terms: PairTerms,
    turned: [f64; 6],
    dot: f64,
}

impl PosedPair {
    fn of(sets: &JointSets, pair: u32, turns: &[Option<PosedJoint>], pose: &Pose) -> Self {
        let joints = sets.pairs[pair as usize];
        let terms = PairTerms::of(joints.map(|joint| &pose.maps[joint as usize]), &sets.middle);
        // Sets with a joint without a turn have no bound.
        let [Some(a), Some(b)] = joints.map(|joint| &turns[joint as usize]) else {
            return Self { terms, turned: [0.0; 6], dot: 0.0 };
        };
        let (p, q) = (&a.turn.quaternion, &b.turn.quaternion);
        // Twice the vector of the quaternion of the turn from one to the other: along its axis,
        // twice the sine of half its angle. `(R_b − R_a)ᵀ (R_b − R_a)` is the square of that length
        // across the axis.
        let [x, y, z] = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
            .map(|[i, j, k]: [usize; 3]| 2.0 * (p[3] * q[i] - q[3] * p[i] + p[k] * q[j] - p[j] * q[k]));
        let turned = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z];
        Self { terms, turned, dot: dot(p, q) }
    }

    fn lanes(&self, sets: &JointSets, pair: u32, turns: &[Option<PosedJoint>]) -> PairLanes {
        match sets.pairs[pair as usize].map(|joint| &turns[joint as usize]) {
            [Some(a), Some(b)] => PairLanes::of(&self.turned, [a.turn.scale, b.turn.scale], self.dot),
            _ => PairLanes::NONE,
        }
    }
}

/// The distance of a set's vertices from linear blending: metres, or metres per metre of their
/// distance from the rotation centre. What each node needs is in the first cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct SetDistance {
    centre: Vector3<f64>,
    /// The part that does not depend on weights.
    off: f64,
    besides: f64,
    /// The distance whatever the blended quaternion is, besides.
    whole: f64,
    /// The least sum of weights.
    low: f64,
    /// Whether products per pair of joints serve; `by_sum` is not known then.
    is_by_pairs: bool,
    by_sum: BySum,
    extent: Extent,
}

/// The part in proportion to the product of weights, for the largest one: the rounding, infinite if
/// the blended quaternion has no bound; per metre; and the square per metre in every direction, `H`
/// as xx, yy, zz, xy, xz, yz, rounded up.
#[derive(Clone, Copy, Debug, Default)]
struct BySum {
    blended: f64,
    steep: f64,
    form: [f64; 6],
}

impl BySum {
    const UNKNOWN: Self = Self { blended: f64::INFINITY, steep: f64::INFINITY, form: [f64::INFINITY; 6] };
}

/// The size of a set in a pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// A lower bound of the length of blended quaternions (unitless).
    pub(super) length: f64,
    /// The largest distance of a vertex from the rotation centre at rest, metres.
    pub(super) arm: f64,
    /// That of its position from where its blend brings the centre, metres.
    pub(super) far: f64,
}

impl SetDistance {
    const UNKNOWN: Self = Self {
        is_by_pairs: false,
        by_sum: BySum::UNKNOWN,
        off: f64::INFINITY,
        besides: f64::INFINITY,
        whole: f64::INFINITY,
        extent: Extent { length: 0.0, arm: f64::INFINITY, far: f64::INFINITY },
        low: 0.0,
        centre: Vector3::new(0.0, 0.0, 0.0),
    };

    /// Of a set of `mesh` in a pose, by the turns of all joints. Morph targets displace vertices by
    /// at most `displaced` metres. O(joints² of the set).
    pub(super) fn of_set(
        mesh: &ReducedMesh,
        sets: &JointSets,
        set: u32,
        turns: &[Option<PosedJoint>],
        pose: &Pose,
        displaced: f64,
    ) -> Self {
        let pairs: Vec<PosedPair> =
            sets.pairs_of(set).iter().map(|&pair| PosedPair::of(sets, pair, turns, pose)).collect();
        let measure = Measure { sets, turns, unsure: mesh.influences().residue(), displaced };
        measure.distance(set, pairs.iter(), true, &mut Vec::new()).unwrap_or(Self::UNKNOWN)
    }

    /// As [`PoseSets::distance`]; the ball has the displacements.
    #[inline]
    pub(super) fn in_ball(&self, part: f64, middle: &[f64; 3], radius: f64) -> f64 {
        self.by_sum(part, &Arm::new(&self.centre, middle, radius))
    }

    /// For products of weights up to a part of the largest one, and vertices in a ball around
    /// `arm.middle` from the centre. `|q|` is no less for smaller products, so that the distance
    /// shrinks at least in proportion.
    #[inline]
    fn by_sum(&self, part: f64, arm: &Arm) -> f64 {
        let [x, y, z] = arm.middle;
        let BySum { blended, steep, form: [xx, yy, zz, xy, xz, yz] } = self.by_sum;
        let square = xx * x * x + yy * y * y + zz * z * z + 2.0 * (xy * x * y + xz * x * z + yz * y * z);
        let turned = square.max(0.0).sqrt().min(steep * arm.length) + steep * arm.radius;
        let far = arm.length + arm.radius;
        self.least(zero_wins(turned * (1.0 + limits::EVALUATION_ROUNDING) + blended, part), far)
    }

    /// As [`SetDistance::by_sum`], for products per pair of joints.
    #[inline]
    fn by_pairs(&self, pairs: &PairSum, arm: &Arm) -> f64 {
        let own = pairs.length(self.low);
        let length = if own < tuning::SHORT_BLEND { own.max(self.extent.length) } else { own };
        let moved = pairs.moved(arm.middle, arm.length, arm.radius) + self.besides;
        // The largest sum of weights.
        let sum = 2.0 - self.low + 2.0 * limits::EVALUATION_ROUNDING;
        self.least(moved * sum / length, arm.length + arm.radius)
    }

    /// The smaller one of the distances by the blended quaternion and without it.
    #[inline]
    fn least(&self, blended: f64, far: f64) -> f64 {
        let (blended, whole) = (blended + self.off * far, self.whole * far);
        let distance = self.besides + if blended < whole { blended } else { whole };
        // Infinity times zero.
        if distance.is_nan() { f64::INFINITY } else { distance }
    }
}

/// The vertices of a set in a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Few<'a> {
    pub(super) set: u32,
    /// The largest sum of products of weights, as a part of the largest one of the set.
    pub(super) part: f64,
    /// The largest product of weights of each pair of joints, rounded up; none if these are not
    /// kept.
    pub(super) products: &'a [f32],
    /// A ball around them at rest, metres.
    pub(super) middle: &'a [f64; 3],
    pub(super) radius: f64,
}

/// A ball relative to the rotation centre: its middle with the distance, and its radius, metres.
#[derive(Clone, Copy, Debug)]
struct Arm {
    middle: [f64; 3],
    length: f64,
    radius: f64,
}

impl Arm {
    #[inline]
    fn new(centre: &Vector3<f64>, middle: &[f64; 3], radius: f64) -> Self {
        let middle: [f64; 3] = std::array::from_fn(|axis| middle[axis] - centre[axis]);
        let [x, y, z] = middle;
        let length = (x * x + y * y + z * z).sqrt() * (1.0 + limits::EVALUATION_ROUNDING);
        Self { middle, length, radius: radius * (1.0 + limits::EVALUATION_ROUNDING) }
    }
}

impl PoseSets {
    /// Room for the sets of a body. O(displacements).
    pub(super) fn new(mesh: &ReducedMesh, sets: &JointSets) -> Self {
        let mut displacements = vec![0.0f64; mesh.morph_count()];
        for vertex in 0..mesh.vertex_count() as u32 {
            for (morph, delta) in mesh.morphs_of(vertex) {
                let length = Vector3::from(delta.map(f64::from)).norm();
                displacements[morph as usize] = displacements[morph as usize].max(length);
            }
        }
        Self {
            turns: Vec::with_capacity(mesh.map_count()),
            pairs: Vec::with_capacity(sets.pairs.len()),
            lanes: Vec::with_capacity(sets.pairs.len()),
            distances: vec![SetDistance::UNKNOWN; sets.count()],
            frames: vec![KeptFrame::default(); sets.count()],
            stamp: 0,
            displaced: 0.0,
            displacements,
            signs: Vec::new(),
        }
    }

    /// Changes to a checked pose. O(maps + Σ joints² of a set).
    pub(super) fn set(&mut self, mesh: &ReducedMesh, sets: &JointSets, pose: &Pose) {
        self.stamp += 1;
        let Self { turns, pairs, lanes, distances, displaced, displacements, signs, .. } = self;
        turns.clear();
        turns.extend(pose.maps.iter().map(PosedJoint::of));
        pairs.clear();
        pairs.extend((0..sets.pairs.len() as u32).map(|pair| PosedPair::of(sets, pair, turns, pose)));
        lanes.clear();
        lanes.extend((0..).zip(&*pairs).map(|(pair, posed)| posed.lanes(sets, pair, turns)));
        let weights = pose.morphs.iter().zip(&*displacements);
        let sum = weights.map(|(weight, length)| weight.abs() * length).sum::<f64>();
        *displaced = sum * (1.0 + limits::EVALUATION_ROUNDING);
        let measure = Measure { sets, turns, unsure: mesh.influences().residue(), displaced: *displaced };
        for (set, distance) in (0..).zip(distances) {
            let pairs = sets.pairs_of(set).iter().map(|&pair| &pairs[pair as usize]);
            *distance = measure.distance(set, pairs, false, signs).unwrap_or(SetDistance::UNKNOWN);
        }
    }

    /// The frame of a set in this pose, which is that of [`PoseSets::set`]; `None` if a map has no
    /// quaternion.
    #[inline]
    pub(super) fn frame(&mut self, sets: &JointSets, set: u32, pose: &Pose) -> Option<&SphericalFrame> {
        let kept = &mut self.frames[set as usize];
        if kept.stamp != self.stamp {
            kept.stamp = self.stamp;
            let turn = |joint: u32| self.turns[joint as usize].map(|joint| joint.turn).ok_or(());
            let centre = self.distances[set as usize].centre;
            if sets.fill_around(set, pose, centre, turn, &mut kept.frame).is_err() {
                kept.frame.joints.clear();
            }
        }
        (!kept.frame.joints.is_empty()).then_some(&kept.frame)
    }

    /// The size of a set.
    pub(super) fn extent(&self, set: u32) -> Extent {
        self.distances[set as usize].extent
    }

    /// The largest distance of some vertices of a set from linear blending, metres.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn distance<M: Simd>(&self, machine: M, sets: &JointSets, few: &Few<'_>) -> f64 {
        let distance = &self.distances[few.set as usize];
        let arm = Arm::new(&distance.centre, few.middle, few.radius + self.displaced);
        if !distance.is_by_pairs {
            return distance.by_sum(few.part, &arm);
        }
        distance.by_pairs(&PairSum::of(machine, few.products, sets.pairs_of(few.set), &self.lanes), &arm)
    }

    /// Whether products per pair of joints bound the distances of a set.
    #[cfg(test)]
    pub(super) fn is_by_pairs(&self, set: u32) -> bool {
        self.distances[set as usize].is_by_pairs
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let of_frame = |kept: &KeptFrame| kept.frame.joints.capacity() * size_of::<SphericalJoint>();
        self.turns.capacity() * size_of::<Option<PosedJoint>>()
            + self.pairs.capacity() * size_of::<PosedPair>()
            + self.lanes.capacity() * size_of::<PairLanes>()
            + self.frames.capacity() * size_of::<KeptFrame>()
            + self.frames.iter().map(of_frame).sum::<usize>()
            + self.signs.capacity() * size_of::<f64>()
            + self.distances.capacity() * size_of::<SetDistance>()
            + self.displacements.capacity() * size_of::<f64>()
    }
}
