//! All joint sets of a body in one pose: their frames, and the distance of vertices from linear
//! blending.
//!
//! With the notation of [`super::set_bounds`], whose (2) holds for any centre `r`,
//!
//! ```text
//! v − l = Σ_{a<b} w_a w_b (R_b − R_a) y · (s_a q_b − s_b q_a) q̄ / |q|² + Σ w_b (s_b R_b − A_b) y
//! ```
//!
//! In a pose all of it is known but weights and vertices. With `y = d + z`, `d` from `r` to the
//! middle of the set's box at rest and `|z| ≤ ρ` its half diagonal plus displacements,
//!
//! ```text
//! |(R_b − R_a) y| ≤ |A_b d / s_b − A_a d / s_a| + (e_a / s_a + e_b / s_b) |d| + c √(4 − c²) ρ
//! ```
//!
//! where `e_b` is the length of `s_b R_b − A_b` by the sum of squares and `c = |q_b − q_a|`: a turn
//! by `θ` has the operator norm `2 sin(θ/2)`, and `c` is `2 sin(θ/4)` or `2 cos(θ/4)`. The sum over
//! pairs is at most the largest product of two lengths times `Σ_{a<b} w_a w_b`; `|q|` is bounded as
//! there. Whatever `q` is, `|v − l| ≤ Σ w_b (2 s_b + e_b) |y|`.
//!
//! Cost: O(joints²) per set; no vertex is evaluated.

use nalgebra::Vector3;

use super::affine::rotation_matrix;
use super::driver::zero_wins;
use super::shortest::{MOST_JOINTS, shortest};
use super::spherical::{JointTurn, dot};
use super::{JointSets, Pose, ReducedMesh, SphericalFrame};
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
    /// Per morph target, its largest displacement, metres.
    displacements: Vec<f64>,
}

/// A joint's turn, and the distance of its map from it: `|s R − A|` by the sum of squares.
#[derive(Clone, Copy, Debug)]
struct PosedJoint {
    turn: JointTurn,
    off: f64,
}

/// The distance of a set's vertices from linear blending, metres.
#[derive(Clone, Copy, Debug)]
struct SetDistance {
    /// The part in proportion to the product of weights, for the largest one; infinite if the
    /// blended quaternion has no bound.
    blended: f64,
    /// The part that does not depend on weights.
    besides: f64,
    /// The distance whatever the blended quaternion is.
    whole: f64,
}

impl SetDistance {
    const UNKNOWN: Self = Self { blended: f64::INFINITY, besides: f64::INFINITY, whole: f64::INFINITY };

    /// For products of weights up to a part of the largest one. `|q|` is no less for smaller
    /// products, so that the distance shrinks at least in proportion.
    fn of_part(&self, part: f64) -> f64 {
        let blended = zero_wins(self.blended, part) + self.besides;
        if blended < self.whole { blended } else { self.whole }
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
            displacements,
        }
    }

    /// Changes to a checked pose. O(maps + Σ joints² of a set).
    pub(super) fn set(&mut self, mesh: &ReducedMesh, sets: &JointSets, pose: &Pose) {
        let Self { turns, frames, distances, farthest, displacements } = self;
        turns.clear();
        turns.extend(pose.maps.iter().map(|map| {
            let turn = JointTurn::of(map)?;
            let off = (rotation_matrix(turn.quaternion) * turn.scale - map.linear).norm();
            Some(PosedJoint { turn, off: off + limits::EVALUATION_ROUNDING * turn.scale })
        }));
        let weights = pose.morphs.iter().zip(&*displacements);
        let displaced = weights.map(|(weight, length)| weight.abs() * length).sum::<f64>();
        let measure = Measure {
            sets,
            pose,
            turns,
            displaced: displaced * (1.0 + limits::EVALUATION_ROUNDING),
            unsure: mesh.influences().residue(),
        };
        *farthest = 0.0;
        for (set, (frame, distance)) in (0..).zip(frames.iter_mut().zip(distances)) {
            let turn = |joint: u32| measure.turns[joint as usize].map(|joint| joint.turn).ok_or(());
            if sets.fill(set, pose, turn, frame).is_ok() {
                *distance = measure.distance(set, frame);
            } else {
                frame.quaternions.clear();
                *distance = SetDistance::UNKNOWN;
            }
            *farthest = farthest.max(distance.of_part(1.0));
        }
    }

    /// The frame of a set; `None` if a map has no quaternion.
    #[inline]
    pub(super) fn frame(&self, set: u32) -> Option<&SphericalFrame> {
        let frame = &self.frames[set as usize];
        (!frame.quaternions.is_empty()).then_some(frame)
    }

    /// The largest distance from linear blending, metres, of those vertices of a set whose products
    /// of weights are at most a part of the largest one.
    #[inline]
    pub(super) fn distance(&self, set: u32, part: f64) -> f64 {
        self.distances[set as usize].of_part(part)
    }

    /// That of all vertices.
    pub(super) fn farthest(&self) -> f64 {
        self.farthest
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let of_frame = |frame: &SphericalFrame| 8 * (4 * frame.quaternions.capacity() + frame.scales.capacity());
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
    pose: &'a Pose,
    turns: &'a [Option<PosedJoint>],
    /// Bound on the displacement of a vertex by morph targets, metres.
    displaced: f64,
    /// The largest distance of a sum of weights from one.
    unsure: f64,
}

/// The part of a pair's length that is known of a joint: its map of `d` over its scale.
type Images = [Vector3<f64>; MOST_JOINTS];

impl Measure<'_> {
    fn distance(&self, set: u32, frame: &SphericalFrame) -> SetDistance {
        let (joints, rest) = (self.sets.joints_of(set), &self.sets.rests[set as usize]);
        let (low, high) = (Vector3::from(rest.min), Vector3::from(rest.max));
        let centre = Vector3::from(frame.centre);
        let (middle, radius) = (0.5 * (low + high), 0.5 * (high - low).norm() + self.displaced);
        let (from_centre, off) = (middle - centre, joints.iter().fold(0.0f64, |off, &joint| off.max(self.off(joint))));
        let radius = radius + limits::EVALUATION_ROUNDING * (middle.norm() + radius);
        let arm = from_centre.norm() * (1.0 + limits::EVALUATION_ROUNDING) + radius;
        let scale = frame.scales.iter().fold(0.0f64, |most, &scale| most.max(scale));
        let shift = joints.iter().fold(0.0f64, |far, &joint| far.max(self.pose.maps[joint as usize].shift.norm()));
        let size = shift + (scale + off) * (centre.norm() + 2.0 * arm + middle.norm());
        let rounding = limits::EVALUATION_ROUNDING * size;
        let part = 1.0 + self.unsure + limits::EVALUATION_ROUNDING;
        let besides = part * off * arm + rounding;
        let whole = part * (2.0 * scale + off) * arm + rounding;
        let product = self.sets.products[set as usize];
        let pairs = Pairs::of(self, joints, frame, &from_centre, radius);
        let length = pairs.length(product, self.unsure, frame);
        let blended = if joints.len() == 1 || product == 0.0 {
            0.0
        } else if length > 0.0 {
            part * (product * pairs.largest + rounding) / length
        } else {
            f64::INFINITY
        };
        let distance = SetDistance { blended, besides, whole };
        let is_known = besides.is_finite() && whole.is_finite() && !blended.is_nan();
        if is_known { distance } else { SetDistance::UNKNOWN }
    }

    fn off(&self, joint: u32) -> f64 {
        self.turns[joint as usize].map_or(f64::INFINITY, |joint| joint.off)
    }
}

/// Sizes of a set's pairs of joints.
struct Pairs {
    /// The largest `|(R_b − R_a) y| |s_a q_b − s_b q_a|`, metres.
    largest: f64,
    /// The largest `|q_b − q_a|²`.
    chord: f64,
    /// The least `q_b · q_f`, `f` the first joint.
    least: f64,
}

impl Pairs {
    fn of(measure: &Measure<'_>, joints: &[u32], frame: &SphericalFrame, arm: &Vector3<f64>, radius: f64) -> Self {
        let (mut largest, mut chord, mut least) = (0.0f64, 0.0f64, 1.0f64);
        let mut known: Images = [Vector3::zeros(); MOST_JOINTS];
        let image = |place: usize| measure.pose.maps[joints[place] as usize].linear * arm / frame.scales[place];
        let loose = |place: usize| measure.off(joints[place]) / frame.scales[place];
        let length = arm.norm();
        for b in 0..joints.len() {
            let own = image(b);
            if let Some(kept) = known.get_mut(b) {
                *kept = own;
            }
            let (q, s) = (&frame.quaternions[b], frame.scales[b]);
            least = least.min(dot(&frame.quaternions[0], q));
            for a in 0..b {
                let (p, r) = (&frame.quaternions[a], frame.scales[a]);
                let (mut square, mut mixed) = (0.0, 0.0);
                for part in 0..4 {
                    square += (q[part] - p[part]) * (q[part] - p[part]);
                    mixed += (r * q[part] - s * p[part]) * (r * q[part] - s * p[part]);
                }
                let other = known.get(a).copied().unwrap_or_else(|| image(a));
                let across = (square * (4.0 - square).max(0.0)).sqrt();
                let moved = (own - other).norm() + (loose(a) + loose(b)) * length + across * radius;
                largest = largest.max(moved * mixed.sqrt());
                chord = chord.max(square);
            }
        }
        Self { largest: largest * (1.0 + limits::EVALUATION_ROUNDING), chord, least }
    }

    /// A lower bound of the length of blended quaternions; 0 if none is known.
    fn length(&self, product: f64, unsure: f64, frame: &SphericalFrame) -> f64 {
        let (low, count) = (1.0 - unsure, frame.quaternions.len());
        let square = low * low - product * self.chord;
        let mut least = square.max(0.0).sqrt().max(low * self.least);
        if least < 0.5 && count <= MOST_JOINTS {
            let products = std::array::from_fn(|a| {
                std::array::from_fn(|b| {
                    if a < count && b < count { dot(&frame.quaternions[a], &frame.quaternions[b]) } else { 1.0 }
                })
            });
            least = least.max(low * shortest(&products, count));
        }
        (least - 4.0 * limits::EVALUATION_ROUNDING).max(0.0)
    }
}
