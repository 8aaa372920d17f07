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
//! Cost: O(joints²) per set that is asked for; no vertex is evaluated. Frames, which only vertices
//! need, are made when the first vertex of their set does.

use nalgebra::Vector3;

use super::affine::rotation_matrix;
use super::driver::zero_wins;
use super::pair_lanes::{Ball, Batch, PairLanes, SetLanes};
use super::spherical::JointTurn;
use super::{Affine, JointSets, Pose, ReducedError, ReducedMesh, SphericalFrame, SphericalJoint};
use crate::limits;
use crate::simd::{self, Simd};

mod four;
mod measure;
mod pairs;

use four::Fours;
use measure::Measure;
use pairs::{JointRow, PosedPair, fill};

/// The joint sets of a body in a pose.
#[derive(Clone, Debug, Default)]
pub(super) struct PoseSets {
    /// Turns of joints, and those of the pose that was checked last.
    turns: Vec<Option<PosedJoint>>,
    next: Vec<Option<PosedJoint>>,
    joints: Vec<JointRow>,
    pairs: Vec<PosedPair>,
    /// Per pair of joints.
    lanes: Vec<PairLanes>,
    /// Per set, if it is known in this pose.
    rows: Vec<Row>,
    sizes: Vec<SetSizes>,
    /// If products per pair of joints do not serve.
    by_sums: Vec<BySum>,
    frames: Vec<KeptFrame>,
    /// The number of the pose.
    stamp: u64,
    /// Bound on the displacement of a vertex by morph targets, metres; and per target at weight
    /// one.
    displaced: f64,
    displacements: Vec<f64>,
    /// The largest distance of a sum of weights from one.
    unsure: f64,
    /// Signs of a set's quaternions; sets to compute.
    signs: Vec<f64>,
    missing: Vec<u32>,
}

/// A set for products per pair of joints, whether they serve, and the number of its pose.
#[derive(Clone, Copy, Debug)]
struct Row {
    lanes: SetLanes,
    stamp: u64,
    is_by_pairs: bool,
}

impl Row {
    const UNKNOWN: Self = Self { lanes: SetLanes::UNKNOWN, stamp: 0, is_by_pairs: false };
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

/// The distance of a set's vertices from linear blending: metres, or metres per metre of their
/// distance from the rotation centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetDistance {
    sizes: SetSizes,
    by_sum: BySum,
}

/// What is common to products per pair of joints and sums of products.
#[derive(Clone, Copy, Debug)]
struct SetSizes {
    centre: Vector3<f64>,
    /// The part that does not depend on weights.
    off: f64,
    besides: f64,
    /// The distance whatever the blended quaternion is, besides.
    whole: f64,
    extent: Extent,
    /// Whether products per pair of joints serve.
    is_by_pairs: bool,
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

impl SetSizes {
    const UNKNOWN: Self = Self {
        is_by_pairs: false,
        off: f64::INFINITY,
        besides: f64::INFINITY,
        whole: f64::INFINITY,
        extent: Extent { length: 0.0, arm: f64::INFINITY, far: f64::INFINITY },
        centre: Vector3::new(0.0, 0.0, 0.0),
    };

    fn row(&self, displaced: f64, stamp: u64) -> Row {
        let Self { centre, off, besides, whole, is_by_pairs, .. } = *self;
        let lanes = SetLanes::new(centre.into(), displaced, [off, besides, whole], self.extent.length);
        Row { lanes, stamp, is_by_pairs }
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

impl SetDistance {
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
        let (mut signs, mut by_sum) = (Vec::new(), BySum::default());
        match measure.sizes(set, pairs.iter(), true, (&mut signs, &mut by_sum)) {
            Some(sizes) => Self { sizes, by_sum },
            None => Self { sizes: SetSizes::UNKNOWN, by_sum: BySum::UNKNOWN },
        }
    }

    /// The largest distance of vertices in a ball, which has their displacements.
    #[inline]
    pub(super) fn in_ball(&self, part: f64, middle: &[f64; 3], radius: f64) -> f64 {
        self.by_sum.distance(&self.sizes, part, &Arm::new(&self.sizes.centre, middle, radius))
    }
}

impl BySum {
    /// For products of weights up to a part of the largest one, and vertices in a ball around
    /// `arm.middle` from the centre. `|q|` is no less for smaller products, so that the distance
    /// shrinks at least in proportion.
    #[inline]
    fn distance(&self, sizes: &SetSizes, part: f64, arm: &Arm) -> f64 {
        let [x, y, z] = arm.middle;
        let &Self { blended, steep, form: [xx, yy, zz, xy, xz, yz] } = self;
        let square = xx * x * x + yy * y * y + zz * z * z + 2.0 * (xy * x * y + xz * x * z + yz * y * z);
        let turned = square.max(0.0).sqrt().min(steep * arm.length) + steep * arm.radius;
        let far = arm.length + arm.radius;
        sizes.least(zero_wins(turned * (1.0 + limits::EVALUATION_ROUNDING) + blended, part), far)
    }
}

/// The vertices of a set in a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Few<'a> {
    pub(super) set: u32,
    /// The largest sum of products of weights, as a part of the largest one of the set.
    pub(super) part: f32,
    /// The largest product of weights of each pair of joints, rounded up, and the pair; none if
    /// these are not kept.
    pub(super) products: &'a [(f32, u32)],
    /// A ball around them at rest.
    pub(super) ball: &'a Ball,
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
            next: Vec::with_capacity(mesh.map_count()),
            joints: Vec::with_capacity(mesh.map_count()),
            pairs: vec![PosedPair::NONE; sets.pairs.len()],
            lanes: vec![PairLanes::NONE; sets.pairs.len()],
            rows: vec![Row::UNKNOWN; sets.count()],
            sizes: vec![SetSizes::UNKNOWN; sets.count()],
            by_sums: vec![BySum::UNKNOWN; sets.count()],
            frames: vec![KeptFrame::default(); sets.count()],
            stamp: 0,
            displaced: 0.0,
            displacements,
            unsure: mesh.influences().residue(),
            signs: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// Checks the maps of a pose.
    ///
    /// # Errors
    /// The first one that shears, mirrors or scales unevenly.
    pub(super) fn check(&mut self, pose: &Pose) -> Result<(), ReducedError> {
        self.next.clear();
        for map in &pose.maps {
            let joint = PosedJoint::of(map).ok_or(ReducedError::NotRigid { map: self.next.len() })?;
            self.next.push(Some(joint));
        }
        Ok(())
    }

    /// Takes the pose that was checked last.
    pub(super) fn take(&mut self) {
        std::mem::swap(&mut self.turns, &mut self.next);
    }

    /// Changes to the pose that was taken. O(maps + pairs of joints); sets are computed on demand.
    pub(super) fn set(&mut self, sets: &JointSets, pose: &Pose) {
        self.stamp += 1;
        self.joints.clear();
        let rows = pose.maps.iter().zip(&self.turns);
        self.joints.extend(rows.map(|(map, turn)| JointRow::new(map, turn.as_ref(), &sets.middle)));
        fill(&self.joints, &sets.pairs, &mut self.pairs, &mut self.lanes);
        let weights = pose.morphs.iter().zip(&self.displacements);
        let sum = weights.map(|(weight, length)| weight.abs() * length).sum::<f64>();
        self.displaced = sum * (1.0 + limits::EVALUATION_ROUNDING);
    }

    /// Computes a set, unless it is known in this pose. O(joints²) of the set.
    #[inline(always)]
    fn know(&mut self, sets: &JointSets, set: u32) {
        if self.rows[set as usize].stamp != self.stamp {
            self.make(sets, set);
        }
    }

    /// Computes some sets, unless they are known in this pose: four at once.
    pub(super) fn know_all(&mut self, sets: &JointSets, which: impl Iterator<Item = u32>) {
        self.missing.clear();
        for set in which {
            let row = &mut self.rows[set as usize];
            if row.stamp != self.stamp {
                row.stamp = self.stamp;
                self.missing.push(set);
            }
        }
        if self.missing.is_empty() {
            return;
        }
        let Self { turns, pairs, unsure, displaced, .. } = self;
        let measure = Measure { sets, turns, unsure: *unsure, displaced: *displaced };
        let (rows, sizes, stamp) = (&mut self.rows, &mut self.sizes, self.stamp);
        simd::run(Fours { measure, pairs, which: &mut self.missing, rows, sizes, stamp });
        // Those that need more.
        for at in 0..self.missing.len() {
            self.make(sets, self.missing[at]);
        }
    }

    #[inline(never)]
    fn make(&mut self, sets: &JointSets, set: u32) {
        let Self { turns, pairs, unsure, displaced, signs, .. } = self;
        let measure = Measure { sets, turns, unsure: *unsure, displaced: *displaced };
        let pairs = sets.pairs_of(set).iter().map(|&pair| &pairs[pair as usize]);
        let by_sum = &mut self.by_sums[set as usize];
        let sizes = measure.sizes(set, pairs, false, (signs, by_sum)).unwrap_or_else(|| {
            *by_sum = BySum::UNKNOWN;
            SetSizes::UNKNOWN
        });
        self.rows[set as usize] = sizes.row(self.displaced, self.stamp);
        self.sizes[set as usize] = sizes;
    }

    /// The frame of a set in this pose, which is that of [`PoseSets::set`]; `None` if a map has no
    /// quaternion.
    #[inline]
    pub(super) fn frame(&mut self, sets: &JointSets, set: u32, pose: &Pose) -> Option<&SphericalFrame> {
        self.know(sets, set);
        let kept = &mut self.frames[set as usize];
        if kept.stamp != self.stamp {
            kept.stamp = self.stamp;
            let turn = |joint: u32| self.turns[joint as usize].map(|joint| joint.turn).ok_or(());
            let centre = self.sizes[set as usize].centre;
            if sets.fill_around(set, pose, centre, turn, &mut kept.frame).is_err() {
                kept.frame.joints.clear();
            }
        }
        (!kept.frame.joints.is_empty()).then_some(&kept.frame)
    }

    /// The joints of a set as in its frame; none of one whose map has no quaternion.
    #[inline]
    pub(super) fn joints(
        &mut self,
        sets: &JointSets,
        set: u32,
        pose: &Pose,
        mut take: impl FnMut(SphericalJoint),
    ) -> Option<[f64; 3]> {
        self.know(sets, set);
        let centre = self.sizes[set as usize].centre;
        let turn = |joint: u32| self.turns[joint as usize].map(|joint| joint.turn).ok_or(());
        let are_all = sets.for_each_around(set, pose, centre, turn, &mut take).is_ok();
        are_all.then(|| centre.into())
    }

    /// The size of a set.
    pub(super) fn extent(&mut self, sets: &JointSets, set: u32) -> Extent {
        self.know(sets, set);
        self.sizes[set as usize].extent
    }

    /// Adds vertices of a set to those whose distances are computed together, or returns their
    /// largest distance from linear blending, metres, if products per pair of joints do not serve:
    /// infinite for a set that is not known in this pose.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add<M: Simd>(&self, machine: M, few: &Few<'_>, batch: &mut Batch) -> Option<f64> {
        let row = &self.rows[few.set as usize];
        if !row.is_by_pairs || row.stamp != self.stamp {
            return Some(self.by_sum(few));
        }
        batch.add(machine, few.ball, &row.lanes, few.products, &self.lanes);
        None
    }

    #[inline(never)]
    fn by_sum(&self, few: &Few<'_>) -> f64 {
        debug_assert_eq!(self.rows[few.set as usize].stamp, self.stamp, "sets are computed before they are asked");
        if self.rows[few.set as usize].stamp != self.stamp {
            return f64::INFINITY;
        }
        let (middle, radius) = few.ball.parts();
        let sizes = &self.sizes[few.set as usize];
        let arm = Arm::new(&sizes.centre, &middle, radius + self.displaced);
        self.by_sums[few.set as usize].distance(sizes, f64::from(few.part), &arm)
    }

    /// The largest distance of a sum of weights from one.
    #[inline]
    pub(super) fn unsure(&self) -> f64 {
        self.unsure
    }

    /// Whether products per pair of joints bound the distances of a set.
    #[cfg(test)]
    pub(super) fn is_by_pairs(&mut self, sets: &JointSets, set: u32) -> bool {
        self.know(sets, set);
        self.rows[set as usize].is_by_pairs
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let of_frame = |kept: &KeptFrame| kept.frame.joints.capacity() * size_of::<SphericalJoint>();
        (self.turns.capacity() + self.next.capacity()) * size_of::<Option<PosedJoint>>()
            + self.joints.capacity() * size_of::<JointRow>()
            + self.pairs.capacity() * size_of::<PosedPair>()
            + self.lanes.capacity() * size_of::<PairLanes>()
            + self.frames.capacity() * size_of::<KeptFrame>()
            + self.frames.iter().map(of_frame).sum::<usize>()
            + self.signs.capacity() * size_of::<f64>()
            + self.sizes.capacity() * size_of::<SetSizes>()
            + self.by_sums.capacity() * size_of::<BySum>()
            + self.rows.capacity() * size_of::<Row>()
            + self.displacements.capacity() * size_of::<f64>()
    }
}
