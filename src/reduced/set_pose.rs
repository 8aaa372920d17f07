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
//! Cost: O(joints²) per set; no vertex is evaluated.

use nalgebra::{Matrix3, Vector3};

use super::affine::rotation_matrix;
use super::driver::zero_wins;
use super::shortest::{MOST_JOINTS, shortest};
use super::spherical::{JointTurn, dot};
use super::{Affine, JointSets, Pose, ReducedMesh, SphericalFrame, SphericalJoint};
use crate::limits;

/// The joint sets of a body in a pose.
#[derive(Clone, Debug, Default)]
pub(super) struct PoseSets {
    turns: Vec<Option<PosedJoint>>,
    /// Per set; without quaternions where a map has none.
    frames: Vec<SphericalFrame>,
    distances: Vec<SetDistance>,
    /// The largest distance of any vertex from linear blending, metres.
    farthest: f64,
    /// Bound on the displacement of a vertex by morph targets, metres; and per target at weight
    /// one.
    displaced: f64,
    displacements: Vec<f64>,
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

/// The distance of a set's vertices from linear blending: metres, or metres per metre of their
/// distance from the rotation centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetDistance {
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
}

impl SetDistance {
    const UNKNOWN: Self = Self {
        blended: f64::INFINITY,
        steep: f64::INFINITY,
        form: [f64::INFINITY; 6],
        off: f64::INFINITY,
        besides: f64::INFINITY,
        whole: f64::INFINITY,
    };

    /// Of a set of `mesh` in a frame, by the turns of all joints. Morph targets displace vertices
    /// by at most `displaced` metres. O(joints² of the set).
    pub(super) fn of_set(
        mesh: &ReducedMesh,
        sets: &JointSets,
        set: u32,
        turns: &[Option<PosedJoint>],
        frame: &SphericalFrame,
        displaced: f64,
    ) -> Self {
        let (middle, radius) = sets.balls[set as usize];
        let measure = Measure { sets, turns, unsure: mesh.influences().residue() };
        measure.distance(set, frame, &Arm::new(frame, &middle, radius + displaced))
    }

    /// As [`PoseSets::distance`]; the ball has the displacements.
    #[inline]
    pub(super) fn in_ball(&self, part: f64, frame: &SphericalFrame, middle: &[f64; 3], radius: f64) -> f64 {
        self.of_part(part, &Arm::new(frame, middle, radius))
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
    fn new(frame: &SphericalFrame, middle: &[f64; 3], radius: f64) -> Self {
        let middle: [f64; 3] = std::array::from_fn(|axis| middle[axis] - frame.centre[axis]);
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
            frames: vec![SphericalFrame::default(); sets.count()],
            distances: vec![SetDistance::UNKNOWN; sets.count()],
            farthest: f64::INFINITY,
            displaced: 0.0,
            displacements,
        }
    }

    /// Changes to a checked pose. O(maps + Σ joints² of a set).
    pub(super) fn set(&mut self, mesh: &ReducedMesh, sets: &JointSets, pose: &Pose) {
        let Self { turns, frames, distances, farthest, displaced, displacements } = self;
        turns.clear();
        turns.extend(pose.maps.iter().map(PosedJoint::of));
        let weights = pose.morphs.iter().zip(&*displacements);
        let sum = weights.map(|(weight, length)| weight.abs() * length).sum::<f64>();
        *displaced = sum * (1.0 + limits::EVALUATION_ROUNDING);
        *farthest = 0.0;
        let measure = Measure { sets, turns, unsure: mesh.influences().residue() };
        for (set, (frame, distance)) in (0..).zip(frames.iter_mut().zip(distances)) {
            let turn = |joint: u32| turns[joint as usize].map(|joint| joint.turn).ok_or(());
            if sets.fill(set, pose, turn, frame).is_err() {
                frame.joints.clear();
                (*distance, *farthest) = (SetDistance::UNKNOWN, f64::INFINITY);
                continue;
            }
            let (middle, radius) = sets.balls[set as usize];
            let arm = Arm::new(frame, &middle, radius + *displaced);
            *distance = measure.distance(set, frame, &arm);
            *farthest = farthest.max(distance.of_part(1.0, &arm));
        }
    }

    /// The frame of a set; `None` if a map has no quaternion.
    #[inline]
    pub(super) fn frame(&self, set: u32) -> Option<&SphericalFrame> {
        let frame = &self.frames[set as usize];
        (!frame.joints.is_empty()).then_some(frame)
    }

    /// The largest distance from linear blending, metres, of those vertices of a set that are
    /// within a ball at rest and whose products of weights are at most a part of the largest one.
    #[inline]
    pub(super) fn distance(&self, set: u32, part: f64, middle: &[f64; 3], radius: f64) -> f64 {
        let arm = Arm::new(&self.frames[set as usize], middle, radius + self.displaced);
        self.distances[set as usize].of_part(part, &arm)
    }

    /// That of all vertices.
    pub(super) fn farthest(&self) -> f64 {
        self.farthest
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let of_frame = |frame: &SphericalFrame| frame.joints.capacity() * size_of::<SphericalJoint>();
        self.turns.capacity() * size_of::<Option<PosedJoint>>()
            + self.frames.capacity() * size_of::<SphericalFrame>()
            + self.frames.iter().map(of_frame).sum::<usize>()
            + self.distances.capacity() * size_of::<SetDistance>()
            + self.displacements.capacity() * size_of::<f64>()
    }
}

/// Input of the distances of all sets.
struct Measure<'a> {
    sets: &'a JointSets,
    turns: &'a [Option<PosedJoint>],
    /// The largest distance of a sum of weights from one.
    unsure: f64,
}

impl Measure<'_> {
    /// The distance of a set, whose vertices are in a ball.
    fn distance(&self, set: u32, frame: &SphericalFrame, arm: &Arm) -> SetDistance {
        let (mut scale, mut off, mut shift) = (0.0f64, 0.0f64, 0.0f64);
        for &joint in self.sets.joints_of(set) {
            let Some(joint) = self.turns[joint as usize] else { return SetDistance::UNKNOWN };
            scale = scale.max(joint.turn.scale);
            off = off.max(joint.off);
            shift = shift.max(joint.shift);
        }
        let centre = frame.centre.iter().fold(0.0f64, |far, x| far + x.abs());
        let rounding = limits::EVALUATION_ROUNDING * (shift + (scale + off) * 2.0 * (centre + arm.length + arm.radius));
        let sum = 1.0 + self.unsure + limits::EVALUATION_ROUNDING;
        let product = self.sets.products[set as usize];
        let (mut steep, mut blended, mut form) = (0.0, 0.0, [0.0; 6]);
        if frame.joints.len() > 1 && product > 0.0 {
            let pairs = self.pairs(set, frame);
            let length = pairs.length(product, self.unsure, frame);
            let per = sum / length;
            if length > 0.0 {
                (steep, blended) = (product * pairs.largest * per, rounding * per);
                form = pairs.form.map(|x| x * (product * per) * (product * per));
            } else {
                blended = f64::INFINITY;
            }
        }
        let whole = sum * (2.0 * scale + off);
        let distance = SetDistance { blended, steep, form, off: sum * off, besides: rounding, whole };
        if rounding.is_finite() && !blended.is_nan() && !steep.is_nan() { distance } else { SetDistance::UNKNOWN }
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

impl Measure<'_> {
    fn pairs(&self, set: u32, frame: &SphericalFrame) -> Pairs {
        let (mut largest, mut chord, mut least, mut form) = (0.0f64, 0.0f64, 1.0f64, [0.0; 6]);
        let turned = &frame.joints;
        let joints = self.sets.joints_of(set);
        let rotation =
            |place: usize| self.turns[joints[place] as usize].map_or_else(Matrix3::zeros, |own| own.rotation);
        for b in 0..joints.len() {
            let (q, s, own) = (&turned[b].quaternion, turned[b].scale, rotation(b));
            least = least.min(dot(&turned[0].quaternion, q));
            for a in 0..b {
                let (p, r, moved) = (&turned[a].quaternion, turned[a].scale, own - rotation(a));
                let (mut square, mut mixed) = (0.0, 0.0);
                for part in 0..4 {
                    square += (q[part] - p[part]) * (q[part] - p[part]);
                    mixed += (r * q[part] - s * p[part]) * (r * q[part] - s * p[part]);
                }
                let [x, y, z] = [0, 1, 2].map(|column: usize| moved.column(column).into_owned());
                let products = [x.dot(&x), y.dot(&y), z.dot(&z), x.dot(&y), x.dot(&z), y.dot(&z)];
                form.iter_mut().zip(products).for_each(|(sum, own)| *sum += mixed * own);
                largest = largest.max(square * (4.0 - square).max(0.0) * mixed);
                chord = chord.max(square);
            }
        }
        // Rounding of the form and of its values: relative to the trace.
        let lost = (form[0] + form[1] + form[2]) * limits::EVALUATION_ROUNDING;
        (0..3).for_each(|axis| form[axis] += lost);
        Pairs { largest: largest.sqrt() * (1.0 + limits::EVALUATION_ROUNDING), form, chord, least }
    }
}

impl Pairs {
    /// A lower bound of the length of blended quaternions; 0 if none is known.
    fn length(&self, product: f64, unsure: f64, frame: &SphericalFrame) -> f64 {
        let (low, count) = (1.0 - unsure, frame.joints.len());
        let square = low * low - product * self.chord;
        let mut least = square.max(0.0).sqrt().max(low * self.least);
        if least < 0.5 && count <= MOST_JOINTS {
            let products = std::array::from_fn(|a| {
                std::array::from_fn(|b| {
                    if a < count && b < count {
                        dot(&frame.joints[a].quaternion, &frame.joints[b].quaternion)
                    } else {
                        1.0
                    }
                })
            });
            least = least.max(low * shortest(&products, count));
        }
        (least - 4.0 * limits::EVALUATION_ROUNDING).max(0.0)
    }
}
