//! Distance of vertices under spherical blending from linear blending, during a piece.
//!
//! A vertex `x` of a joint set maps to `v = s_w Q (x − r) + Σ w_b C_b r` ([`super::JointSets`]),
//! with `C_b x = A_b x + t_b`, `R_b` the rotation of the joint's quaternion `q_b`, `s_b` its scale,
//! `|s_b R_b − A_b| ≤ η s_b`, `s_w = Σ w_b s_b`, and `Q` the rotation of `q = Σ w_b q_b`. Linear
//! blending maps it to `l = Σ w_b C_b x`. With `y = x − r` and products of quaternions,
//!
//! ```text
//! (Q − R_a) y = Σ_b w_b (R_b − R_a) y · q_b q̄ / |q|²                                              (1)
//! v − l = Σ_{a<b} w_a w_b (R_b − R_a) y · (s_a q_b − s_b q_a) q̄ / |q|² + Σ w_b (s_b R_b − A_b) y  (2)
//! ```
//!
//! (1): for unit `u`, `u y ū − q_a y q̄_a = q_a (q̄_a u y − y q̄_a u) ū`, which is linear in `u`;
//! take `u = q / |q|`. (2) is its sum with weights `w_a s_a`, pair by pair. The distance is of
//! second order: the turn between two joints times the distance that it moves the vertex. Lengths
//! of `y` scaled by `s_a` and `s_b` differ by at least `√(s_a s_b)` times the unscaled difference,
//! so
//!
//! ```text
//! |v − l| ≤ Σ_{a<b} w_a w_b |(A_b − A_a) y| δ_ab / |q| + …    δ² = |q_b − q_a|² + (s_a − s_b)² / (s_a s_b)
//! ```
//!
//! - `(A_b − A_a) y = (C_b − C_a) x − (C_b − C_a) r`: the rotation centre may be far away, but
//!   enters through its images. It minimises `F = Σ |C_b r − mean|² + λ s² |r − m|²`, so that
//!   `|(C_b − C_a) r| ≤ √2 F(p)^½` for every point `p`: here the centre at the piece's begin. Where
//!   it enters directly, times `η`, `|r − m| ≤ S(m) / (2√λ s)`, `S(m)² = Σ |C_b m − mean|²`.
//! - `|q|² = σ² − Σ_{a<b} w_a w_b |q_a − q_b|²`, `σ` the sum of weights; and
//!   `|q| ≥ Σ w_b q_b · q_f ≥ σ min cos(θ_b/2)`, `f` the set's first joint, whose hemisphere the
//!   others are brought to; `|R_b − R_f| = 2√2 sin(θ_b/2)` by the sum of squares.
//! - `|q|²` is at least the least value of `wᵀ G w` over the weights, `G` lower bounds of the
//!   products `q_a · q_b` ([`shortest`]): where quaternions other than the first may point apart.
//! - All of `(C_b − C_a) x`, `C_b p − mean`, `A_b − A_a` deviate from their chords by at most
//!   `h²/8` of second derivatives and `h/2` of first ones, which the driver bounds. On the chords
//!   their lengths are convex in time, and in `x`: ends of the piece and corners of the set's box
//!   at rest suffice.
//!
//! Of a vertex only `Σ_{a<b} w_a w_b` matters. Where one joint holds it alone, that is zero.
//!
//! **Whatever the quaternion** is, even where it may vanish, `Q` is a rotation, so that
//! `|v − l| = |s_w Q y − Σ w_b A_b y| ≤ 2 s (1 + η) |y|`. The distance is therefore finite wherever
//! maps are. `|y|` is at most the distance of `x` from the centre `r₀` at the piece's begin plus
//! `|r − r₀|`. `F` is a quadratic form with the rows `B̂ = (A_a − Ā; √λ s)`, so that
//! `|B̂ (r − r₀)|² = F(r₀) − F(r) ≤ F(r₀)`. No singular value of `B̂` is below `√λ s`, or below the
//! least one at either end less the length of the way of `A_a − Ā` from there.

use nalgebra::{Matrix3, Vector3};

use super::driver::zero_wins;
use super::shortest::{MOST_JOINTS, shortest};
use super::{DerivativeBounds, JointSets, MapDerivativeBounds, Pose, PoseDerivativeBounds, SimilarityBounds};
use crate::limits;

/// Factor of the distance of `quaternion_of(A / s)`'s rotation from `A / s`, relative to a bound of
/// the distance of `A` from a rotation times a scale (unitless).
///
/// The root mean square `s` of the singular values is within that bound `ε ≤ 1/100` of the scale,
/// so `A / s = R + E`, `|E| ≤ 2.1 ε`. Four times the quaternion's largest component times the
/// quaternion has a length of at least 1.95. `E` changes one of its numbers by `3 |E|` and three by
/// `2 |E|`, so the unit quaternion by `4.7 |E|` and the rotation by `9.4 |E|`, which is `10.4 |E|`
/// from `A / s`.
const NEAR_TURN: f64 = 22.0;

/// Distance of maps from rotations times scales up to which spherical blending is bounded, relative
/// to the scale.
pub(super) const MOST_OFF: f64 = 0.01;

/// Both ends of a piece, and the bounds in between.
pub(super) struct SetPiece<'a> {
    pub(super) poses: [&'a Pose; 2],
    pub(super) bends: &'a PoseDerivativeBounds,
    pub(super) similarity: SimilarityBounds,
    /// Reference points of the maps, metres.
    pub(super) centres: &'a [[f64; 3]],
    /// Derivative bounds of displacements by morph targets.
    pub(super) displaced: DerivativeBounds,
    /// Length of the piece, seconds.
    pub(super) length: f64,
    /// The largest distance of a sum of weights from one.
    pub(super) unsure: f64,
}

/// Bounds on a joint set's vertices during a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetBounds {
    /// The largest `|(A_b − A_a) y| δ_ab` of two joints, metres.
    apart: f64,
    /// The largest square of the distance of two quaternions.
    chord: f64,
    /// Least cosine of half the angle of a joint against the first.
    pub(super) least: f64,
    /// Least length of the blended quaternion for any weights with the sum 1; 0 if unknown.
    shortest: f64,
    /// The distance that does not depend on weights, metres.
    besides: f64,
    /// The rounding of blending, for quaternions of length 1, metres.
    rounding: f64,
    /// The distance whatever the blended quaternion is, metres.
    whole: f64,
    /// The largest distance of a sum of weights from one.
    unsure: f64,
}

impl SetBounds {
    /// Nothing is known.
    pub(super) const UNKNOWN: Self = Self {
        apart: f64::INFINITY,
        chord: f64::INFINITY,
        least: 0.0,
        shortest: 0.0,
        besides: f64::INFINITY,
        rounding: f64::INFINITY,
        whole: f64::INFINITY,
        unsure: 0.0,
    };

    /// A lower bound of the length of the blended quaternion of vertices with products of weights
    /// ([`super::spherical::product_of`]) up to `product`; 0 if none is known.
    pub(super) fn quaternion(&self, product: f64) -> f64 {
        let low = 1.0 - self.unsure;
        let square = low * low - zero_wins(product, self.chord);
        (square.max(0.0).sqrt().max(low * self.least.max(self.shortest)) - 4.0 * limits::EVALUATION_ROUNDING).max(0.0)
    }

    /// The largest distance of vertices with products of weights up to `product` from linear
    /// blending, metres. Finite unless nothing is known of the maps.
    pub(super) fn distance(&self, product: f64) -> f64 {
        if product == 0.0 {
            return self.besides;
        }
        let length = self.quaternion(product);
        // No bound of the blended rotation is known.
        if !(length > limits::SINGULAR_DETERMINANT) {
            return self.whole;
        }
        let moved = (product * self.apart + self.rounding) / length;
        let blended = (moved + self.besides) * (1.0 + limits::EVALUATION_ROUNDING);
        if blended < self.whole { blended } else { self.whole }
    }
}

/// Sizes of a set during a piece, from which its bounds follow.
pub(super) struct SetSizes<'a> {
    pub(super) piece: &'a SetPiece<'a>,
    pub(super) joints: &'a [u32],
    pub(super) mean: Vector3<f64>,
    pub(super) corners: [Vector3<f64>; 8],
    /// Per pair of joints, in the order of [`SetSizes::pairs`].
    pub(super) pairs: Vec<PairSizes>,
    /// Bound on `|(C_b − C_a) r|` of any two joints, metres.
    pub(super) slip: f64,
    /// Bound on the distance of the centre from the mean, and of a vertex from the centre, metres.
    pub(super) to_centre: f64,
    pub(super) arm: f64,
    pub(super) least: f64,
}

/// Sizes of two joints of a set during a piece.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairSizes {
    /// Bound on `|(C_b − C_a) x|`, metres.
    pub(super) images: f64,
    /// Bound on `|A_b − A_a|` by the sum of squares, and on `|R_b − R_a|` (unitless).
    pub(super) linear: f64,
    pub(super) turn: f64,
    /// Lower bound on `|R_b − R_a|` by the sum of squares (unitless).
    least_turn: f64,
    /// Bound on `|q_b − q_a|`.
    pub(super) chord: f64,
}

impl<'a> SetPiece<'a> {
    /// The sizes of a set; `None` if nothing is known of its maps. O(joints²).
    pub(super) fn sizes(&'a self, sets: &'a JointSets, set: u32) -> Option<SetSizes<'a>> {
        let joints = sets.joints_of(set);
        let SimilarityBounds { off, least: low, scale } = self.similarity;
        if !(off <= MOST_OFF && low > 0.0 && scale.size.is_finite()) {
            return None;
        }
        let (mean, rest) = (sets.means[set as usize], &sets.rests[set as usize]);
        let corners: [Vector3<f64>; 8] = std::array::from_fn(|corner| {
            Vector3::from_fn(|axis, _| if corner >> axis & 1 == 0 { rest.min[axis] } else { rest.max[axis] })
        });
        let mut sizes = SetSizes {
            piece: self,
            joints,
            mean,
            corners,
            pairs: Vec::new(),
            slip: 0.0,
            to_centre: 0.0,
            arm: 0.0,
            least: 1.0,
        };
        let away = sizes.spread(&mean);
        if joints.len() > 1 {
            let most = away / (2.0 * limits::SMALL_TURN * low * (1.0 - off));
            sizes.to_centre = most * (1.0 + limits::EVALUATION_ROUNDING);
            let near: Vector3<f64> = sets.frame(set, self.poses[0]).ok()?.centre.into();
            let ridge = limits::SMALL_TURN * scale.size * (1.0 + off) * (near - mean).norm();
            // The centre's own rounding: its system has a condition of at most 1/λ.
            let rounding = limits::EVALUATION_ROUNDING.sqrt() / 1024.0;
            let value = (sizes.spread(&near).powi(2) + ridge * ridge).sqrt();
            sizes.slip = 2.0f64.sqrt() * value + (away + low * sizes.to_centre) * rounding;
            let steep = sizes.steepness().max(limits::SMALL_TURN * low * (1.0 - off));
            let moves = value / steep * (1.0 + limits::EVALUATION_ROUNDING) + 2.0 * rounding * sizes.to_centre;
            sizes.arm = (sizes.far(&mean) + sizes.to_centre).min(sizes.far(&near) + moves);
            sizes.to_centre = sizes.to_centre.min((near - mean).norm() + moves);
        } else {
            sizes.arm = sizes.far(&mean);
        }
        sizes.measure_pairs();
        Some(sizes)
    }

    /// The bounds of a set.
    pub(super) fn bounds(&self, sets: &JointSets, set: u32) -> SetBounds {
        self.sizes(sets, set).map_or(SetBounds::UNKNOWN, |sizes| sizes.bounds())
    }

    fn bend(&self, joint: u32) -> &MapDerivativeBounds {
        &self.bends.maps[joint as usize]
    }

    /// Deviation from its chord of the image of a point at distance `far` from the joint's centre;
    /// rounded at both ends and in between.
    fn leaves(&self, joint: u32, far: f64) -> f64 {
        let MapDerivativeBounds { linear, centre } = self.bend(joint);
        let bends = self.off_chord(centre) + zero_wins(self.off_chord(linear), far);
        bends + 3.0 * limits::EVALUATION_ROUNDING * (centre.size + zero_wins(linear.size, far))
    }

    /// As [`SetPiece::leaves`], of the linear part alone, by operator norm.
    fn leaves_linear(&self, joint: u32) -> f64 {
        let linear = &self.bend(joint).linear;
        self.off_chord(linear) + 3.0 * limits::EVALUATION_ROUNDING * linear.size
    }

    /// Deviation of a quantity from its chord: at most `h²/8` of its second derivative. A part `s`
    /// of the piece after its begin it is at most `s h` of the first one from the value there, and
    /// `(1 − s) h` from that at the end: at most `2 s (1 − s) h ≤ h/2` of it from the chord.
    fn off_chord(&self, growth: &DerivativeBounds) -> f64 {
        let bent = zero_wins(self.length * self.length * 0.125, growth.bend);
        let straight = zero_wins(0.5 * self.length, growth.rate);
        (if bent < straight { bent } else { straight }) * (1.0 + limits::EVALUATION_ROUNDING)
    }
}

impl<'a> SetSizes<'a> {
    /// Pairs of joints of the set, in its order.
    pub(super) fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + use<'a> {
        let joints = self.joints;
        (0..joints.len()).flat_map(move |place| (0..place).map(move |before| [joints[before], joints[place]]))
    }

    /// The distance of a point from a joint's reference point.
    pub(super) fn from(&self, joint: u32, point: &Vector3<f64>) -> f64 {
        (point - Vector3::from(self.piece.centres[joint as usize])).norm()
    }

    /// The largest distance of a displaced vertex from a point.
    pub(super) fn far(&self, point: &Vector3<f64>) -> f64 {
        let corner = self.corners.iter().map(|x| (x - point).norm()).fold(0.0, f64::max);
        corner + self.piece.displaced.size
    }

    /// Bounds the root of the sum of squared distances of the images of a point from their mean.
    fn spread(&self, point: &Vector3<f64>) -> f64 {
        let at = |pose: &Pose| {
            let image = |&joint: &u32| pose.maps[joint as usize].apply(point);
            let mean = self.joints.iter().map(image).sum::<Vector3<f64>>() / self.joints.len() as f64;
            self.joints.iter().map(|joint| (image(joint) - mean).norm_squared()).sum::<f64>().sqrt()
        };
        let off = |&joint: &u32| self.piece.leaves(joint, self.from(joint, point)).powi(2);
        let off = self.joints.iter().map(off).sum::<f64>();
        let [begin, end] = self.piece.poses.map(at);
        begin.max(end) + off.sqrt()
    }

    /// A lower bound of the least singular value of the rows `A_a − Ā` at any time of the piece.
    fn steepness(&self) -> f64 {
        let share = 1.0 / self.joints.len() as f64;
        let rows = |pose: &Pose| -> Vec<Matrix3<f64>> {
            let linear = |&joint: &u32| pose.maps[joint as usize].linear;
            let mean: Matrix3<f64> = self.joints.iter().map(|joint| linear(joint) * share).sum();
            self.joints.iter().map(|joint| linear(joint) - mean).collect()
        };
        let [begin, end] = self.piece.poses.map(rows);
        let least = |rows: &[Matrix3<f64>]| {
            let square: Matrix3<f64> = rows.iter().map(|row| row.transpose() * row).sum();
            let lost = square.trace() * limits::EVALUATION_ROUNDING;
            (square.symmetric_eigenvalues().min() - lost).max(0.0).sqrt()
        };
        let way = begin.iter().zip(&end).map(|(a, b)| (b - a).norm_squared()).sum::<f64>().sqrt();
        let leaves = self.joints.iter().map(|&joint| 3.0 * self.piece.leaves_linear(joint).powi(2)).sum::<f64>();
        let steep = least(&begin).max(least(&end)) - (way + leaves.sqrt()) * (1.0 + limits::EVALUATION_ROUNDING);
        // Infinite derivatives give NaN or less.
        if steep > 0.0 { steep } else { 0.0 }
    }

    fn measure_pairs(&mut self) {
        let piece = self.piece;
        let SimilarityBounds { off, least: low, scale } = piece.similarity;
        let mut pairs = Vec::with_capacity(self.joints.len() * self.joints.len() / 2);
        for [a, b] in self.pairs() {
            let linear = |pose: &Pose| pose.maps[a as usize].linear - pose.maps[b as usize].linear;
            let at = |pose: &Pose| {
                let (linear, shift) = (linear(pose), pose.maps[a as usize].shift - pose.maps[b as usize].shift);
                let images = self.corners.iter().map(|x| (linear * x + shift).norm()).fold(0.0, f64::max);
                [images + linear.norm() * piece.displaced.size, linear.norm()]
            };
            let [begin, end] = piece.poses.map(at);
            let leaves = [a, b].map(|joint| piece.leaves(joint, self.far(&piece.centres[joint as usize].into())));
            let linear_leaves = 3.0f64.sqrt() * (piece.leaves_linear(a) + piece.leaves_linear(b));
            let most = begin[1].max(end[1]) + linear_leaves;
            let noise = 2.0 * 3.0f64.sqrt() * NEAR_TURN * off * scale.size;
            let way = (linear(piece.poses[1]) - linear(piece.poses[0])).norm() + linear_leaves;
            let uneven = 3.0f64.sqrt() * (scale.size - low);
            let least = (begin[1].max(end[1]) - way - noise - uneven) / scale.size;
            pairs.push(PairSizes {
                images: begin[0].max(end[0]) + leaves[0] + leaves[1],
                linear: most,
                turn: (most + noise) / low,
                least_turn: if least > 0.0 { least } else { 0.0 },
                chord: 0.0,
            });
        }
        self.measure_chords(&mut pairs);
        self.pairs = pairs;
    }

    /// Quaternions against the first by half angles. Of two others each has its own sign: their
    /// distance is that by their half angle or that of the one from the other's negative, and at
    /// most the sum of both distances from the first.
    fn measure_chords(&mut self, pairs: &mut [PairSizes]) {
        let count = self.joints.len();
        let mut from_first = vec![0.0f64; count];
        let places = (0..count).flat_map(|b| (0..b).map(move |a| (a, b)));
        for ((a, b), pair) in places.zip(pairs) {
            // Of the half angle, from `|R_b − R_a| = 2√2 sin`.
            let cosine = |turn: f64| {
                let sine = turn / 8.0f64.sqrt();
                (1.0 - sine * sine).max(0.0).sqrt()
            };
            let least = cosine(pair.turn * (1.0 + limits::EVALUATION_ROUNDING));
            let own = (2.0 - 2.0 * least).sqrt() + limits::EVALUATION_ROUNDING;
            if a == 0 {
                self.least = self.least.min(least);
                from_first[b] = own;
                pair.chord = own;
            } else {
                let both = from_first[a] + from_first[b];
                let most = cosine(pair.least_turn * (1.0 - limits::EVALUATION_ROUNDING));
                let other = (2.0 + 2.0 * most).sqrt() + limits::EVALUATION_ROUNDING;
                // The distance from the negative is at least √2.
                pair.chord = if both < 1.4 { own.min(both) } else { own.max(other).min(both).min(2.0) };
            }
        }
    }

    /// Bound on `δ_ab` of the head of this file, for two joints.
    pub(super) fn delta(&self, pair: &PairSizes) -> f64 {
        let SimilarityBounds { off, least: low, scale } = self.piece.similarity;
        // Scales are those of the maps, each within `off` of its smooth one.
        let scales = (scale.size - low) / low + 3.0 * off;
        (pair.chord * pair.chord + scales * scales).sqrt()
    }

    /// Bound on `|(s_b R_b − s_a R_a) y|` of two joints, metres.
    pub(super) fn moved(&self, pair: &PairSizes) -> f64 {
        let SimilarityBounds { off, scale, .. } = self.piece.similarity;
        pair.images + self.slip + 2.0 * NEAR_TURN * off * scale.size * self.arm
    }

    /// The part of the distance from ideal rotations times scales, metres, for blended quaternions
    /// of at least a length. It does not vary smoothly.
    pub(super) fn noise(&self, length: f64) -> f64 {
        let SimilarityBounds { off, scale, .. } = self.piece.similarity;
        scale.size * self.arm * NEAR_TURN * off * (1.0 + 4.0 / length)
    }

    /// The bounds of the set.
    pub(super) fn bounds(&self) -> SetBounds {
        let piece = self.piece;
        let SimilarityBounds { off, scale, .. } = piece.similarity;
        let apart = self.pairs.iter().map(|pair| self.moved(pair) * self.delta(pair)).fold(0.0, f64::max);
        let chord = self.pairs.iter().map(|pair| pair.chord * pair.chord).fold(0.0, f64::max);
        let sizes = self.joints.iter().map(|&joint| {
            let MapDerivativeBounds { linear, centre } = piece.bend(joint);
            centre.size + zero_wins(linear.size, self.arm + self.from(joint, &self.mean))
        });
        let rounding = limits::EVALUATION_ROUNDING * sizes.fold(scale.size * self.arm, f64::max);
        let besides = (1.0 + piece.unsure) * NEAR_TURN * off * scale.size * self.arm + rounding;
        let whole = 2.0 * (1.0 + piece.unsure) * (1.0 + off) * scale.size * self.arm + rounding;
        let shortest = if chord > 2.0 { self.shortest() } else { 0.0 };
        let bounds =
            SetBounds { apart, chord, least: self.least, shortest, besides, rounding, whole, unsure: piece.unsure };
        if apart.is_nan() || besides.is_nan() || whole.is_nan() { SetBounds::UNKNOWN } else { bounds }
    }

    /// A lower bound of the length of the blended quaternion for any weights with the sum 1.
    fn shortest(&self) -> f64 {
        let count = self.joints.len();
        if count > MOST_JOINTS {
            return 0.0;
        }
        let mut products = [[1.0; MOST_JOINTS]; MOST_JOINTS];
        let mut pairs = self.pairs.iter();
        for place in 0..count {
            for before in 0..place {
                let product = pairs.next().map_or(-1.0, |pair| 1.0 - 0.5 * pair.chord * pair.chord);
                (products[place][before], products[before][place]) = (product, product);
            }
        }
        shortest(&products, count)
    }
}
