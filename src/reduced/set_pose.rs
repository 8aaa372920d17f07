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
//! What depends on two joints alone is computed once for each pair of joints, not for each set that
//! has both. With `d = q_a · q_b` of unit quaternions, `c² = 2 − 2 d`, `c² (4 − c²) = 4 (1 − d²)`
//! and `|s_a q_b − s_b q_a|² = s_a² + s_b² − 2 s_a s_b d`, each rounded up.
//!
//! Cost: O(joints²) per set; no vertex is evaluated. Frames, which only vertices need, are made
//! when the first vertex of their set does.

use nalgebra::{Matrix3, Vector3};

use super::affine::rotation_matrix;
use super::driver::zero_wins;
use super::shortest::{MOST_JOINTS, Weights, shortest};
use super::spherical::{JointTurn, PairTerms, dot, square_of};
use super::{Affine, JointSets, Pose, ReducedMesh, SphericalFrame, SphericalJoint};
use crate::limits;

/// The joint sets of a body in a pose.
#[derive(Clone, Debug, Default)]
pub(super) struct PoseSets {
    turns: Vec<Option<PosedJoint>>,
    pairs: Vec<PosedPair>,
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
    rotation: Matrix3<f64>,
    pub(super) off: f64,
    /// The distance of the image of the origin from there, metres.
    shift: f64,
}

impl PosedJoint {
    /// Of a map; `None` if it shears, mirrors or scales unevenly.
    pub(super) fn of(map: &Affine) -> Option<Self> {
        let turn = JointTurn::of(map)?;
        let rotation = rotation_matrix(turn.quaternion);
        let off = (rotation * turn.scale - map.linear).norm() + limits::EVALUATION_ROUNDING * turn.scale;
        Some(Self { turn, rotation, off, shift: map.shift.norm() })
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
        let turned = square_of(&(b.rotation - a.rotation));
        Self { terms, turned, dot: dot(&a.turn.quaternion, &b.turn.quaternion) }
    }
}

/// The distance of a set's vertices from linear blending: metres, or metres per metre of their
/// distance from the rotation centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetDistance {
    centre: Vector3<f64>,
    /// The part in proportion to the product of weights, for the largest one: the rounding,
    /// infinite if the blended quaternion has no bound; per metre; and the square per metre in
    /// every direction, `H` as xx, yy, zz, xy, xz, yz, rounded up.
    blended: f64,
    steep: f64,
    form: [f64; 6],
    /// The part that does not depend on weights.
    off: f64,
    besides: f64,
    /// The distance whatever the blended quaternion is, besides.
    whole: f64,
    extent: Extent,
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
        blended: f64::INFINITY,
        steep: f64::INFINITY,
        form: [f64::INFINITY; 6],
        off: f64::INFINITY,
        besides: f64::INFINITY,
        whole: f64::INFINITY,
        extent: Extent { length: 0.0, arm: f64::INFINITY, far: f64::INFINITY },
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
        let pair = |pair: u32| PosedPair::of(sets, pair, turns, pose);
        let measure = Measure { sets, turns, pair, unsure: mesh.influences().residue(), displaced };
        measure.distance(set, &mut Vec::new()).unwrap_or(Self::UNKNOWN)
    }

    /// As [`PoseSets::distance`]; the ball has the displacements.
    #[inline]
    pub(super) fn in_ball(&self, part: f64, middle: &[f64; 3], radius: f64) -> f64 {
        self.of_part(part, &Arm::new(&self.centre, middle, radius))
    }

    /// For products of weights up to a part of the largest one, and vertices in a ball around
    /// `arm.middle` from the centre. `|q|` is no less for smaller products, so that the distance
    /// shrinks at least in proportion.
    #[inline]
    fn of_part(&self, part: f64, arm: &Arm) -> f64 {
        let [x, y, z] = arm.middle;
        let [xx, yy, zz, xy, xz, yz] = self.form;
        let square = xx * x * x + yy * y * y + zz * z * z + 2.0 * (xy * x * y + xz * x * z + yz * y * z);
        let turned = square.max(0.0).sqrt().min(self.steep * arm.length) + self.steep * arm.radius;
        let far = arm.length + arm.radius;
        let blended = zero_wins(turned * (1.0 + limits::EVALUATION_ROUNDING) + self.blended, part) + self.off * far;
        let whole = self.whole * far;
        let distance = self.besides + if blended < whole { blended } else { whole };
        // Infinity times zero.
        if distance.is_nan() { f64::INFINITY } else { distance }
    }
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
        let Self { turns, pairs, distances, displaced, displacements, signs, .. } = self;
        turns.clear();
        turns.extend(pose.maps.iter().map(PosedJoint::of));
        pairs.clear();
        pairs.extend((0..sets.pairs.len() as u32).map(|pair| PosedPair::of(sets, pair, turns, pose)));
        let weights = pose.morphs.iter().zip(&*displacements);
        let sum = weights.map(|(weight, length)| weight.abs() * length).sum::<f64>();
        *displaced = sum * (1.0 + limits::EVALUATION_ROUNDING);
        let pair = |pair: u32| pairs[pair as usize];
        let measure = Measure { sets, turns, pair, unsure: mesh.influences().residue(), displaced: *displaced };
        for (set, distance) in (0..).zip(distances) {
            *distance = measure.distance(set, signs).unwrap_or(SetDistance::UNKNOWN);
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

    /// The largest distance from linear blending, metres, of those vertices of a set that are
    /// within a ball at rest and whose products of weights are at most a part of the largest one.
    #[inline]
    pub(super) fn distance(&self, set: u32, part: f64, middle: &[f64; 3], radius: f64) -> f64 {
        let distance = &self.distances[set as usize];
        distance.of_part(part, &Arm::new(&distance.centre, middle, radius + self.displaced))
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let of_frame = |kept: &KeptFrame| kept.frame.joints.capacity() * size_of::<SphericalJoint>();
        self.turns.capacity() * size_of::<Option<PosedJoint>>()
            + self.pairs.capacity() * size_of::<PosedPair>()
            + self.frames.capacity() * size_of::<KeptFrame>()
            + self.frames.iter().map(of_frame).sum::<usize>()
            + self.signs.capacity() * size_of::<f64>()
            + self.distances.capacity() * size_of::<SetDistance>()
            + self.displacements.capacity() * size_of::<f64>()
    }
}

/// Input of the distances of all sets.
struct Measure<'a, P: Fn(u32) -> PosedPair> {
    sets: &'a JointSets,
    turns: &'a [Option<PosedJoint>],
    /// A pair by its place.
    pair: P,
    /// The largest distance of a sum of weights from one.
    unsure: f64,
    displaced: f64,
}

impl<P: Fn(u32) -> PosedPair> Measure<'_, P> {
    /// The distance of a set; `None` if it has no bound, and then no centre that is needed.
    fn distance(&self, set: u32, signs: &mut Vec<f64>) -> Option<SetDistance> {
        let (mut scale, mut off, mut shift, mut square) = (0.0f64, 0.0f64, 0.0f64, 0.0);
        for &joint in self.sets.joints_of(set) {
            let joint = self.turns[joint as usize]?;
            scale = scale.max(joint.turn.scale);
            off = off.max(joint.off);
            shift = shift.max(joint.shift);
            square += joint.turn.scale * joint.turn.scale;
        }
        let pairs = self.sets.pairs_of(set);
        let terms = pairs.iter().map(|&pair| (self.pair)(pair).terms);
        let own = self.sets.centre(set, square, terms);
        let (middle, radius) = self.sets.balls[set as usize];
        let arm = Arm::new(&own, &middle, radius + self.displaced);
        let centre = own.iter().fold(0.0f64, |far, x| far + x.abs());
        let far = arm.length + arm.radius;
        let rounding = limits::EVALUATION_ROUNDING * (shift + (scale + off) * 2.0 * (centre + far));
        let sum = 1.0 + self.unsure + limits::EVALUATION_ROUNDING;
        let product = self.sets.products[set as usize];
        let (mut steep, mut blended, mut form, mut length) = (0.0, 0.0, [0.0; 6], 1.0);
        if !pairs.is_empty() && product > 0.0 {
            let pairs = self.pairs(set, signs);
            length = self.length(set, signs, &pairs);
            let per = sum / length;
            if length > 0.0 {
                (steep, blended) = (product * pairs.largest * per, rounding * per);
                form = pairs.form.map(|x| x * (product * per) * (product * per));
            } else {
                blended = f64::INFINITY;
            }
        }
        let whole = sum * (2.0 * scale + off);
        let besides = rounding;
        let known = rounding.is_finite() && !blended.is_nan() && !steep.is_nan();
        let [blended, steep, whole] = [blended, steep, whole].map(|x| if known { x } else { f64::INFINITY });
        let extent = Extent { length, arm: far, far: sum * scale * far * (1.0 + limits::EVALUATION_ROUNDING) };
        Some(SetDistance { centre: own, blended, steep, form, off: sum * off, besides, whole, extent })
    }
}

/// Sizes of a set's pairs of joints.
struct Pairs {
    /// The largest `|R_b − R_a| |s_a q_b − s_b q_a|`, by operator norm, and the sum `H`.
    largest: f64,
    form: [f64; 6],
    /// The largest `|q_b − q_a|²`.
    chord: f64,
    /// The least `q_b · q_f`, `f` the first joint.
    least: f64,
}

impl<P: Fn(u32) -> PosedPair> Measure<'_, P> {
    /// Also computes the signs of the set's quaternions.
    fn pairs(&self, set: u32, signs: &mut Vec<f64>) -> Pairs {
        let (mut largest, mut chord, mut least, mut form) = (0.0f64, 0.0f64, 1.0f64, [0.0; 6]);
        let joints = self.sets.joints_of(set);
        let scale = |place: usize| self.turns[joints[place] as usize].map_or(0.0, |own| own.turn.scale);
        let mut pairs = self.sets.pairs_of(set).iter().map(|&pair| (self.pair)(pair));
        signs.clear();
        signs.push(1.0);
        for b in 1..joints.len() {
            let s = scale(b);
            for a in 0..b {
                let Some(pair) = pairs.next() else { break };
                if a == 0 {
                    // The hemisphere of the first.
                    signs.push(if pair.dot >= 0.0 { 1.0 } else { -1.0 });
                    least = least.min(pair.dot.abs());
                }
                let (r, near) = (scale(a), signs[a] * signs[b] * pair.dot);
                let mixed = r * r + s * s - 2.0 * r * s * near + limits::EVALUATION_ROUNDING * (r * r + s * s);
                form.iter_mut().zip(pair.turned).for_each(|(sum, own)| *sum += mixed * own);
                largest = largest.max((4.0 * (1.0 - near * near) + limits::EVALUATION_ROUNDING) * mixed);
                chord = chord.max(2.0 - 2.0 * near + limits::EVALUATION_ROUNDING);
            }
        }
        // Rounding of the form and of its values: relative to the trace.
        let lost = (form[0] + form[1] + form[2]) * limits::EVALUATION_ROUNDING;
        (0..3).for_each(|axis| form[axis] += lost);
        Pairs { largest: largest.max(0.0).sqrt() * (1.0 + limits::EVALUATION_ROUNDING), form, chord, least }
    }

    /// A lower bound of the length of a set's blended quaternions; 0 if none is known.
    fn length(&self, set: u32, signs: &[f64], pairs: &Pairs) -> f64 {
        let (low, count) = (1.0 - self.unsure, signs.len());
        let square = low * low - self.sets.products[set as usize] * pairs.chord;
        let mut least = square.max(0.0).sqrt().max(low * pairs.least);
        if least < 0.5 && count <= MOST_JOINTS {
            let mut products: Weights = [[1.0; MOST_JOINTS]; MOST_JOINTS];
            let mut dots = self.sets.pairs_of(set).iter().map(|&pair| (self.pair)(pair).dot);
            for b in 1..count {
                for (a, dot) in (0..b).zip(&mut dots) {
                    let near = signs[a] * signs[b] * dot;
                    (products[a][b], products[b][a]) = (near, near);
                }
            }
            least = least.max(low * shortest(&products, count));
        }
        (least - 4.0 * limits::EVALUATION_ROUNDING).max(0.0)
    }
}
