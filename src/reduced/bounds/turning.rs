//! Distance of vertices under spherical blending from linear blending, during a piece.
//!
//! A vertex `x` of a joint set maps to `v = Q (x − r) + Σ w_b C_b r`
//! ([`crate::reduced::JointSets`]), with `C_b x = A_b x + t_b`, `R_b` the rotation of the joint's
//! quaternion `q_b`, `|R_b − A_b| ≤ η`, and `Q` the rotation of `q = Σ w_b q_b`. Linear blending
//! maps it to `l = Σ w_b C_b x`. With `y = x − r`, `a` any joint of the set and `σ` the sum of
//! weights,
//!
//! ```text
//! v − l = (Q − Σ w_b A_b) y = (Q − R_a) y + (R_a − A_a) y + (1 − σ) A_a y − Σ w_b (A_b − A_a) y                    (1)
//! |(Q − R_a) y| ≤ Σ w_b |(R_b − R_a) y| / |q|                                                                     (2)
//! ```
//!
//! (2) holds for any signs of quaternions: for unit `u`, `|u y ū − y| = |u y − y u|`, which is
//! linear in `u`; take `u = q̄_a q / |q|`. Then
//!
//! - `|(A_b − A_a) y| ≤ |(C_b − C_a) x| + |(C_b − C_a) r|`: the rotation centre may be far away,
//!   and move fast, but enters only through its images. It minimises
//!   `F = Σ |C_b r − mean|² + λ |r − m|²`, so that `|(C_b − C_a) r| ≤ √2 F(p)^½` for every point
//!   `p`: here the centre at the piece's begin. Where it enters directly, times `η` or `1 − σ`,
//!   `|r − m| ≤ S(m) / 2√λ`, `S(m)² = Σ |C_b m − mean|²`, as `s / (s² + λ) ≤ 1 / 2√λ`.
//! - `|q| ≥ Σ w_b |q_b · q_f| ≥ σ min cos(θ_b/2)`, `f` the set's first joint, whose hemisphere the
//!   others are brought to; `|R_b − R_f| = 2√2 sin(θ_b/2)` by the sum of squares. Where this gives
//!   no bound, as at half turns, the result is infinite.
//! - All of `(C_b − C_a) x`, `C_b p − mean`, `A_b − A_f` deviate from their chords by at most
//!   `h²/8` of second derivatives, which the driver bounds. On the chords their lengths are convex
//!   in time, and in `x`: ends of the piece and corners of the set's box at rest suffice.
//!
//! With `a` the joint of a vertex's largest weight, `Σ w_b |(A_b − A_a) y|` is at most the sum of
//! its other weights, times the largest. Vertices of a single joint are therefore bounded as under
//! linear blending, except for `η`. There are no bounds of derivatives: short pieces do not reduce
//! this distance; small rotations between the joints do.

use std::collections::BTreeSet;

use nalgebra::{Matrix3, Vector3};

use super::BoundTree;
use crate::limits;
use crate::math::Aabb;
use crate::reduced::driver::zero_wins;
use crate::reduced::{MapDerivativeBounds, Pose, PoseDerivativeBounds, ReducedBody};

/// Factor of the distance of `quaternion_of(A)`'s rotation from `A`, relative to a bound of the
/// distance of `A` from a rotation (unitless).
///
/// For `A = R + E`, `|E| ≤ ε ≤ 1/100`: four times the quaternion's largest component times the
/// quaternion has a length of at least 1.95. `E` changes one of its numbers by `3ε` and three by
/// `2ε`, so the unit quaternion by `4.7ε` and the rotation by `9.4ε`, which is `10.4ε` from `A`.
const NEAR_TURN: f64 = 11.0;

/// Data of the joint sets of a body's nodes.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    sets: Vec<Set>,
    /// Per node, the begin of its joint sets; one more entry at the end.
    starts: Vec<u32>,
    sets_of: Vec<u32>,
    /// Per node, the largest sum of a vertex's weights without its largest one.
    parts: Vec<f64>,
    /// `η`, and the largest distance of a sum of weights from one.
    off: f64,
    unsure: f64,
}

#[derive(Clone, Debug)]
struct Set {
    joints: Vec<u32>,
    rest: Aabb,
    mean: Vector3<f64>,
}

/// Per joint set, bounds on the distance of a vertex from linear blending, metres: per unit of its
/// smaller weights, and a constant.
pub(super) type Offsets = Vec<[f64; 2]>;

/// Both ends of a piece, and the derivative bounds in between.
pub(super) struct Between<'a> {
    pub(super) poses: [&'a Pose; 2],
    pub(super) bends: &'a PoseDerivativeBounds,
    /// Length of the piece, seconds.
    pub(super) length: f64,
}

impl Turning {
    /// Creates the data; `None` for linear blending, or if the distance of the maps from rotations
    /// is unknown.
    pub(super) fn new(tree: &BoundTree, body: &ReducedBody) -> Option<Self> {
        let (mesh, topology) = (body.mesh(), tree.topology());
        let (sets, rigidity) = (mesh.joint_sets()?, body.driver().rigidity());
        let is_signed =
            (0..mesh.vertex_count() as u32).any(|v| mesh.influences().weights_of(v).iter().any(|w| *w < 0.0));
        if !(rigidity <= 0.01) || is_signed {
            return None;
        }
        let mut known: Vec<Set> = (0..sets.count() as u32)
            .map(|set| Set { joints: sets.joints_of(set).to_vec(), rest: Aabb::EMPTY, mean: sets.means[set as usize] })
            .collect();
        for (vertex, place) in mesh.rest_positions().iter().enumerate() {
            known[sets.set_of[vertex] as usize].rest.include(&place.map(f64::from));
        }
        let count = topology.nodes().len();
        let mut gathered: Vec<(BTreeSet<u32>, f64)> = vec![Default::default(); count];
        for node in topology.upward() {
            let mut own: (BTreeSet<u32>, f64) = Default::default();
            for &vertex in topology.leaf_points(node) {
                let weights = mesh.influences().weights_of(vertex);
                let largest = weights.iter().copied().fold(0.0, f64::max);
                own.0.insert(sets.set_of[vertex as usize]);
                own.1 = own.1.max(weights.iter().sum::<f64>() - largest);
            }
            for &child in topology.node(node).children() {
                let (below, parts) = &gathered[child as usize];
                own.0.extend(below);
                own.1 = own.1.max(*parts);
            }
            gathered[node as usize] = own;
        }
        let (mut starts, mut sets_of) = (vec![0], Vec::new());
        for (own, _) in &gathered {
            sets_of.extend(own);
            starts.push(sets_of.len() as u32);
        }
        let parts = gathered
            .iter()
            .map(|(_, parts)| parts * (1.0 + limits::EVALUATION_ROUNDING) + limits::EVALUATION_ROUNDING)
            .collect();
        Some(Self { sets: known, starts, sets_of, parts, off: NEAR_TURN * rigidity, unsure: tree.unsure })
    }

    /// The largest distance of any vertex of a node from linear blending, metres. O(joint sets of
    /// the node).
    pub(super) fn of(&self, node: u32, offsets: &Offsets) -> f64 {
        let own = &self.sets_of[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize];
        let parts = self.parts[node as usize];
        own.iter().fold(0.0, |far, &set| {
            let [per_part, besides] = offsets[set as usize];
            let own = zero_wins(parts, per_part) + besides;
            if own.is_nan() { f64::INFINITY } else { own.max(far) }
        })
    }

    /// Computes the bounds of all joint sets over a piece. O(Σ joints² of a set).
    pub(super) fn measure(&self, body: &ReducedBody, piece: &Between<'_>, out: &mut Offsets) {
        let displaced = body.displacement(piece.bends).size;
        let sets = body.mesh().joint_sets();
        out.clear();
        out.extend(self.sets.iter().enumerate().map(|(index, set)| {
            let near = sets.and_then(|sets| sets.frame(index as u32, piece.poses[0]).ok()).map(|frame| frame.centre);
            near.and_then(|near| self.offset(set, near.into(), displaced, body.driver().centres(), piece))
                .unwrap_or([f64::INFINITY; 2])
        }));
    }

    fn offset(
        &self,
        set: &Set,
        near: Vector3<f64>,
        displaced: f64,
        centres: &[[f64; 3]],
        piece: &Between<'_>,
    ) -> Option<[f64; 2]> {
        let sagitta = piece.length * piece.length * 0.125 * (1.0 + limits::EVALUATION_ROUNDING);
        let bend = |joint: u32| &piece.bends.maps[joint as usize];
        // Deviation from its chord of the image of a point at distance `far` from the joint's
        // centre; rounded at both ends and in between.
        let leaves = |MapDerivativeBounds { linear, centre }: &MapDerivativeBounds, far: f64| {
            let bends = zero_wins(sagitta, centre.bend) + zero_wins(zero_wins(sagitta, linear.bend), far);
            bends + 3.0 * limits::EVALUATION_ROUNDING * (centre.size + zero_wins(linear.size, far))
        };
        let from = |joint: u32, point: &Vector3<f64>| (point - Vector3::from(centres[joint as usize])).norm();
        let corners: Vec<Vector3<f64>> = (0..8)
            .map(|corner| {
                Vector3::from_fn(
                    |axis, _| if corner >> axis & 1 == 0 { set.rest.min[axis] } else { set.rest.max[axis] },
                )
            })
            .collect();
        // Distances of the images of a point from their mean.
        let spread = |point: &Vector3<f64>| {
            let at = |pose: &Pose| {
                let images: Vec<Vector3<f64>> =
                    set.joints.iter().map(|&joint| pose.maps[joint as usize].apply(point)).collect();
                let mean = images.iter().sum::<Vector3<f64>>() / images.len() as f64;
                images.iter().map(|image| (image - mean).norm_squared()).sum::<f64>().sqrt()
            };
            let off = set.joints.iter().map(|&joint| leaves(bend(joint), from(joint, point)).powi(2)).sum::<f64>();
            at(piece.poses[0]).max(at(piece.poses[1])) + off.sqrt()
        };
        let away = spread(&set.mean);
        let far = |point: &Vector3<f64>| corners.iter().map(|x| (x - point).norm()).fold(0.0, f64::max) + displaced;
        let is_self = set.joints.len() == 1;
        let to_centre =
            if is_self { 0.0 } else { away / (2.0 * limits::SMALL_TURN) * (1.0 + limits::EVALUATION_ROUNDING) };
        let arm = far(&set.mean) + to_centre;
        // The centre's own rounding: its system has a condition of at most 1/λ.
        let rounding = (away + arm) / f64::from(1 << 30);
        let slip = 2.0f64.sqrt() * (spread(&near) + limits::SMALL_TURN * (near - set.mean).norm()) + rounding;
        let (mut apart, mut least) = (0.0f64, 1.0f64);
        for (place, &b) in set.joints.iter().enumerate() {
            for &a in &set.joints[..place] {
                let at = |pose: &Pose| {
                    let [one, other] = [a, b].map(|joint| &pose.maps[joint as usize]);
                    let linear: Matrix3<f64> = one.linear - other.linear;
                    let images = corners.iter().map(|x| (linear * x + (one.shift - other.shift)).norm());
                    [images.fold(0.0, f64::max) + linear.norm() * displaced, linear.norm()]
                };
                let [begin, end] = piece.poses.map(at);
                let off = [a, b].map(|joint| {
                    let far = far(&centres[joint as usize].into());
                    leaves(bend(joint), far)
                });
                apart = apart.max(begin[0].max(end[0]) + off[0] + off[1] + slip);
                if a == set.joints[0] {
                    let bends = [a, b].map(|joint| {
                        leaves(
                            &MapDerivativeBounds { centre: bend(joint).linear, ..MapDerivativeBounds::default() },
                            0.0,
                        )
                    });
                    let chord = begin[1].max(end[1]) + 3.0f64.sqrt() * (bends[0] + bends[1] + 2.0 * self.off);
                    let sine = chord / 8.0f64.sqrt() * (1.0 + limits::EVALUATION_ROUNDING);
                    least = least.min((1.0 - sine * sine).max(0.0).sqrt());
                }
            }
        }
        let (low, high) = (1.0 - self.unsure, 1.0 + self.unsure);
        let length = (least * low - limits::EVALUATION_ROUNDING).min(1.0);
        // No bound of the blended rotation is known.
        if !(length > limits::SINGULAR_DETERMINANT) {
            return None;
        }
        let per_part = (1.0 + length.recip()) * apart;
        let sizes = set.joints.iter().map(|&joint| bend(joint).centre.size + bend(joint).linear.size * arm);
        let besides = ((1.0 + 2.0 * high / length) * self.off + self.unsure * (1.0 + self.off)) * arm
            + limits::EVALUATION_ROUNDING * (arm + sizes.fold(0.0, f64::max));
        Some([per_part, besides].map(|x| x * (1.0 + limits::EVALUATION_ROUNDING)))
    }
}
