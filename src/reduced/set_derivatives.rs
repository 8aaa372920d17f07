//! Derivative bounds of the distance of spherical from linear blending, during a piece.
//!
//! The distance is a sum of products ([`super::set_bounds`], (2)); derivatives follow by the
//! product rule. All factors are smooth but for the images of the rotation centre `r = m + ρ`. With
//! `f_a = C_a r − mean` and the rows `B̂ = (A_a − Ā; √λ s)`, `τ̂ = (C_a m − mean; 0)`, it has
//!
//! ```text
//! f̂ − B̂ ρ = τ̂      B̂ᵀ f̂ = 0                                        the least squares
//! f̂' − B̂ ρ' = α     B̂ᵀ f̂' = β      α = τ̂' + B̂' ρ    β = −B̂'ᵀ f̂
//! |f̂'| ≤ |α| + κ |β|       |ρ'| ≤ κ |α| + κ² |β|       κ = 1 / (√λ s)
//! ```
//!
//! as `f̂' = P α + B̂⁺ᵀ β` with an orthogonal projection `P`, and no singular value of `B̂` is
//! below `√λ s`; likewise `f̂''`, with `α = τ̂'' + B̂'' ρ + 2 B̂' ρ'` and
//! `β = −B̂''ᵀ f̂ − 2 B̂'ᵀ f̂'`.
//!
//! Joints move together, so their relative velocity counts. It differs from its mean over the
//! piece, which the ends show, by at most half the piece's length times the second derivative.
//!
//! Maps that are not quite rotations times scales add a distance that need not be smooth; it counts
//! twice. Where a quaternion may change its hemisphere nothing is smooth.

use nalgebra::Vector3;

use super::set_bounds::{PairSizes, SetPiece, SetSizes};
use super::{DerivativeBounds, JointSets, SimilarityBounds};
use crate::limits;

/// Bounds of the distance of a body's vertices from linear blending during a piece.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlendGrowth {
    /// The part that varies smoothly; infinite derivatives if unknown.
    pub(super) smooth: DerivativeBounds,
    /// The rest, metres.
    pub(super) noise: f64,
    /// Bound of the whole distance, metres.
    pub(super) distance: f64,
}

impl BlendGrowth {
    /// Nothing is known.
    pub(super) const UNKNOWN: Self =
        Self { smooth: DerivativeBounds::UNKNOWN, noise: f64::INFINITY, distance: f64::INFINITY };
}

impl SetPiece<'_> {
    /// The bounds over all joint sets. O(Σ joints² of a set).
    pub(super) fn growth(&self, sets: &JointSets) -> BlendGrowth {
        let mut all = BlendGrowth::default();
        for set in 0..sets.count() as u32 {
            let product = sets.products[set as usize];
            let own = self.sizes(sets, set).map(|sizes| {
                let bounds = sizes.bounds();
                let length = bounds.quaternion(product);
                // Strictly inside the hemisphere of the first joint: no sign changes.
                let is_smooth = bounds.least > 0.0 && length > limits::SINGULAR_DETERMINANT;
                let smooth = if product == 0.0 {
                    DerivativeBounds::default()
                } else if is_smooth {
                    sizes.derivatives(product, length)
                } else {
                    DerivativeBounds::UNKNOWN
                };
                let blended = if product == 0.0 { f64::INFINITY } else { length.max(limits::SINGULAR_DETERMINANT) };
                let noise = sizes.noise(blended);
                BlendGrowth { smooth, noise, distance: bounds.distance(product) }
            });
            let own = own.unwrap_or(BlendGrowth::UNKNOWN);
            all.smooth = all.smooth.max(own.smooth);
            all.noise = all.noise.max(own.noise);
            all.distance = all.distance.max(own.distance);
        }
        all
    }
}

/// A relative rate: at most the sum of both, and near the mean that the ends show.
fn relative(sum: f64, change: f64, bends: f64, length: f64, size: f64) -> f64 {
    let shown = (change + 4.0 * limits::EVALUATION_ROUNDING * size) / length + 0.5 * length * bends;
    if shown < sum { shown } else { sum }
}

/// `(x² + y² + …)^½`.
fn root(squares: impl Iterator<Item = f64>) -> f64 {
    squares.map(|x| x * x).sum::<f64>().sqrt()
}

impl SetSizes<'_> {
    /// Derivative bounds of the smooth part, for products of weights up to `product` and blended
    /// quaternions of at least a length.
    fn derivatives(&self, product: f64, length: f64) -> DerivativeBounds {
        let piece = self.piece;
        if !(piece.length > 0.0) {
            return DerivativeBounds::default();
        }
        let (low, scale, displaced) = (piece.similarity.least, piece.similarity.scale, piece.displaced);
        let inverse = DerivativeBounds {
            size: 1.0 / low,
            rate: scale.rate / (low * low),
            bend: (scale.bend + 2.0 * scale.rate * scale.rate / low) / (low * low),
        };
        // The linear part, the rotation and the quaternion of any joint.
        let linear = self
            .joints
            .iter()
            .fold(DerivativeBounds::default(), |all, &joint| all.max(piece.bends.maps[joint as usize].linear));
        let centres = self.joints.iter().map(|&joint| piece.bends.maps[joint as usize].centre);
        let given = [linear, scale, displaced].into_iter().chain(centres);
        if given.flat_map(|growth| [growth.size, growth.rate, growth.bend]).any(|bound| !bound.is_finite()) {
            return DerivativeBounds::UNKNOWN;
        }
        let turn = linear.times(inverse);
        let quaternion =
            DerivativeBounds { size: 1.0, rate: 0.5 * turn.rate, bend: 0.5 * turn.bend + 0.25 * turn.rate * turn.rate };
        let relative: Vec<Relative> = self.pairs().map(|[a, b]| self.relative(a, b)).collect();
        let (slips, centre) = self.centre(&relative);
        let arm = DerivativeBounds { size: self.arm, ..displaced.plus(centre) };
        // Constant where scales are.
        let uneven =
            DerivativeBounds { size: 1.0 / low - 1.0 / scale.size, rate: 2.0 * inverse.rate, bend: 2.0 * inverse.bend };
        let scales = DerivativeBounds { size: scale.size - low, rate: 2.0 * scale.rate, bend: 2.0 * scale.bend };
        let pairs: Vec<[DerivativeBounds; 2]> = self
            .pairs
            .iter()
            .zip(&relative)
            .map(|(pair, relative)| {
                let turned = uneven.times(linear).times(arm);
                let moved = relative.images(pair, &displaced).plus(slips).times(inverse).plus(turned);
                let turns = relative.linear / low
                    + 2.0 * linear.size * inverse.rate
                    + linear.rate * uneven.size
                    + turn.rate * pair.turn;
                let rate = (quaternion.rate * pair.chord + 0.5 * turns).min(2.0 * quaternion.rate);
                let chord = DerivativeBounds { size: pair.chord, rate, bend: 2.0 * quaternion.bend };
                [moved.times(scale.times(chord).plus(scales.times(quaternion))), chord]
            })
            .collect();
        // Of `|q|²` only the distances of quaternions vary.
        let square = pairs.iter().fold([0.0f64; 2], |[rate, bend], [_, chord]| {
            let own = [2.0 * chord.size * chord.rate, 2.0 * (chord.rate * chord.rate + chord.size * chord.bend)];
            [rate.max(own[0] * product), bend.max(own[1] * product)]
        });
        let least = length * length;
        let inverse_square = DerivativeBounds {
            size: 1.0 / least,
            rate: square[0] / (least * least),
            bend: (square[1] + 2.0 * square[0] * square[0] / least) / (least * least),
        };
        let divided = DerivativeBounds { size: 1.0 / length, ..quaternion.times(inverse_square) };
        let largest = pairs.iter().fold(DerivativeBounds::default(), |all, [part, _]| all.max(*part));
        let part = 1.0 + 4.0 * piece.unsure + limits::EVALUATION_ROUNDING;
        let growth = largest.times(divided).scaled(product * part);
        // Overflow.
        let is_known = pairs.iter().all(|[part, _]| part.rate.is_finite() && part.bend.is_finite());
        if is_known { growth } else { DerivativeBounds::UNKNOWN }
    }

    /// Relative motion of two joints.
    fn relative(&self, a: u32, b: u32) -> Relative {
        let piece = self.piece;
        let [one, other] = [a, b].map(|joint| &piece.bends.maps[joint as usize]);
        let maps = piece.poses.map(|pose| [a, b].map(|joint| &pose.maps[joint as usize]));
        let [begin, end] = maps.map(|[a, b]| (b.linear - a.linear, b.shift - a.shift));
        let (linear, shift) = (end.0 - begin.0, end.1 - begin.1);
        let at = |point: &Vector3<f64>, besides: f64| {
            let [near, far] = [a, b].map(|joint| self.from(joint, point) + besides);
            let rates = one.linear.rate * near + one.centre.rate + other.linear.rate * far + other.centre.rate;
            let bends = one.linear.bend * near + one.centre.bend + other.linear.bend * far + other.centre.bend;
            let sizes = one.linear.size * near + one.centre.size + other.linear.size * far + other.centre.size;
            let change = (linear * point + shift).norm();
            (relative(rates, change, bends, piece.length, sizes), bends)
        };
        let mut images = (0.0f64, 0.0f64);
        for corner in &self.corners {
            let (rate, bend) = at(corner, piece.displaced.size);
            images = (images.0.max(rate), images.1.max(bend));
        }
        let sizes = one.linear.size + other.linear.size;
        let bends = one.linear.bend + other.linear.bend;
        let rates = one.linear.rate + other.linear.rate;
        Relative {
            linear: relative(rates, linear.norm(), bends, piece.length, sizes),
            mean: at(&self.mean, 0.0).0,
            images,
        }
    }

    /// Derivative bounds of `(C_b − C_a) r` of any two joints, and of the centre; sizes in the
    /// first only.
    fn centre(&self, relative: &[Relative]) -> (DerivativeBounds, DerivativeBounds) {
        let piece = self.piece;
        let SimilarityBounds { off, least: low, scale } = piece.similarity;
        let steep = 1.0 / (limits::SMALL_TURN * low * (1.0 - off));
        let far = self.to_centre;
        let count = (self.joints.len() as f64).sqrt();
        // The scale of the ridge is that of the maps, which is within `off` of a smooth one.
        let fastest = self
            .joints
            .iter()
            .fold(DerivativeBounds::default(), |all, &joint| all.max(piece.bends.maps[joint as usize].linear));
        let rate = scale.rate + 4.0 * off * fastest.rate;
        let bend = scale.bend + 4.0 * off * fastest.bend + (rate + fastest.rate * off).powi(2) / low;
        let (scale_rate, scale_bend) = (limits::SMALL_TURN * rate, limits::SMALL_TURN * bend);
        let rows_rate = root(relative.iter().map(|pair| pair.linear)) / count + scale_rate;
        let maps =
            || self.joints.iter().map(|&joint| (&piece.bends.maps[joint as usize], self.from(joint, &self.mean)));
        let rows_bend = root(maps().map(|(map, _)| map.linear.bend)) + scale_bend;
        let away = self.slip / 2.0f64.sqrt();
        let alpha = root(relative.iter().map(|pair| pair.mean + pair.linear * far)) / count + scale_rate * far;
        let beta = rows_rate * away;
        let rate = alpha + steep * beta;
        let centre_rate = steep * alpha + steep * steep * beta;
        let frozen = root(maps().map(|(map, near)| map.linear.bend * (near + far) + map.centre.bend));
        let alpha = frozen + scale_bend * far + 2.0 * rows_rate * centre_rate;
        let beta = rows_bend * away + 2.0 * rows_rate * rate;
        let bend = alpha + steep * beta;
        let centre_bend = steep * alpha + steep * steep * beta;
        let both = 2.0f64.sqrt();
        (
            DerivativeBounds { size: self.slip, rate: both * rate, bend: both * bend },
            DerivativeBounds { size: 0.0, rate: centre_rate, bend: centre_bend },
        )
    }
}

/// Bounds on the relative motion of two joints.
struct Relative {
    /// Rate of `A_b − A_a`, by operator norm.
    linear: f64,
    /// Rate of `(C_b − C_a) m`, metres per second.
    mean: f64,
    /// Rate and bend of `(C_b − C_a) x`, for `x` that stay where they are.
    images: (f64, f64),
}

impl Relative {
    /// Derivative bounds of `(C_b − C_a) x` for displaced `x`.
    fn images(&self, pair: &PairSizes, displaced: &DerivativeBounds) -> DerivativeBounds {
        let (rate, bend) = self.images;
        DerivativeBounds {
            size: pair.images,
            rate: rate + pair.linear * displaced.rate,
            bend: bend + 2.0 * self.linear * displaced.rate + pair.linear * displaced.bend,
        }
    }
}
