//! Derivative bounds of the maps of joint tracks.
//!
//! A node's map from its own frame is a chain of scaled rotations `B_k` and translations `T_k`.
//! With bounds on each one's magnitude and derivatives ([`DerivativeBounds`]) the product rule
//! bounds the chain's: for the linear part `A_k = A_{k−1} B_k`, and for the position of the node
//! `o_k = o_{k−1} + A_{k−1} T_k`,
//!
//! ```text
//! |A''| ≤ |A''| |B| + 2 |A'| |B'| + |A| |B''|        |o''| ≤ |o''| + |A''| |T| + 2 |A'| |T'| + |A| |T''|
//! ```
//!
//! For joints that rotate at constant rates `ω_k` around links `d_k` this is
//! `Σ (ω₁ + … + ω_k)² |d_k|`. Adding the deviations of single joints instead would give too small a
//! bound.

use super::affine::stretch;
use super::driver::{DerivativeBounds, MapDerivativeBounds, PoseDerivativeBounds, zero_wins};
use super::joint_tracks::{JointTracks, Parts};
use super::mix::PlayedLayer;
use super::rig::{NodeTransform, Property, largest, length};
use super::spherical::dot;
use super::track::Stretch;
use super::turning::Turning;
use crate::limits;
use crate::time::{Moment, Span};

/// Derivative bounds of a node's parts during a stretch.
#[derive(Clone, Copy, Debug)]
struct PartsDerivatives {
    translation: DerivativeBounds,
    rotation: Turning,
    scale: DerivativeBounds,
}

impl JointTracks {
    /// See [`Driver::bends`](super::Driver::bends).
    pub(super) fn derivatives_of(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        let piece = Stretch { begin: piece.begin, end: piece.end };
        bends.reset(self.bindings.len(), self.morph_count);
        // Data shared by all nodes.
        let played: Vec<(Stretch, f64)> = self.played.layers.iter().map(|layer| layer.clip_stretch(piece)).collect();
        let mut near = 0;
        let mut worlds: Vec<MapDerivativeBounds> = Vec::with_capacity(self.needed.len());
        for &(node, parent) in &self.needed {
            let (local, place) = match self.rig.nodes()[node as usize].transform {
                NodeTransform::Matrix(map) => {
                    (DerivativeBounds::constant(stretch(&map.linear)), DerivativeBounds::constant(map.shift.norm()))
                }
                NodeTransform::Parts { .. } => {
                    let growth = self.local_growth(node, piece, &played, &mut near);
                    (growth.rotation.matrix.times(growth.scale), growth.translation)
                }
            };
            worlds.push(match parent {
                None => MapDerivativeBounds { linear: local, centre: place },
                Some(parent) => {
                    let above: MapDerivativeBounds = worlds[parent];
                    MapDerivativeBounds {
                        linear: above.linear.times(local),
                        centre: above.centre.plus(above.linear.times(place)),
                    }
                }
            });
        }
        for ((bend, &stretch), &place) in bends.maps.iter_mut().zip(&self.stretches).zip(&self.places) {
            let linear = worlds[place].linear.times(DerivativeBounds::constant(stretch));
            *bend = MapDerivativeBounds { linear, centre: worlds[place].centre };
        }
        self.morph_growth(piece, &mut bends.morphs);
    }

    /// Derivative bounds of a layer whose clip plays a stretch at a rate; `near` is a guess of the
    /// key.
    fn layer_growth(
        &self,
        layer: &PlayedLayer,
        node: u32,
        played: (Stretch, f64),
        near: &mut usize,
    ) -> PartsDerivatives {
        let rest = self.rest_parts(node);
        let (stretch, rate) = played;
        let paced = |growth: DerivativeBounds| growth.paced(rate);
        let clip = self.rig.clip(layer.clip);
        let curve = |property| clip.and_then(|clip| clip.curve(node, property));
        let rotation = curve(Property::Rotation).map_or(Turning::of(1.0, 0.0, 0.0), |curve| {
            let turning = curve.turning(stretch, near);
            Turning { quaternion: paced(turning.quaternion), matrix: paced(turning.matrix) }
        });
        let translation = match curve(Property::Translation) {
            Some(curve) => paced(curve.growth(stretch, near, length)),
            None => DerivativeBounds::constant(length(&rest.translation)),
        };
        let scale = match curve(Property::Scale) {
            Some(curve) => paced(curve.growth(stretch, near, largest)),
            None => DerivativeBounds::constant(largest(&rest.scale)),
        };
        PartsDerivatives { translation, rotation, scale }
    }

    /// Bounds on a blend `Σ w_c x_c` with linear weights:
    /// `Σ w_c' x_c = Σ w_c' (x_c − x_0) + (Σ w_c') x_0`.
    ///
    /// Per layer its weight, its value, and the largest distance of `x_c` from `x_0`. Weights sum
    /// to 1 up to `drift` per second.
    fn blended(layers: &[(DerivativeBounds, DerivativeBounds, f64)], drift: f64) -> DerivativeBounds {
        let mut blend = DerivativeBounds { size: 0.0, rate: zero_wins(drift, layers[0].1.size), bend: 0.0 };
        for &(weight, value, apart) in layers {
            blend.size += zero_wins(weight.size, value.size);
            blend.rate += zero_wins(weight.rate, apart) + zero_wins(weight.size, value.rate);
            blend.bend += 2.0 * zero_wins(weight.rate, value.rate) + zero_wins(weight.size, value.bend);
        }
        let largest = layers.iter().map(|(_, value, _)| value.size).fold(0.0, f64::max);
        blend.size = blend.size.min(largest * (1.0 + 2.0 * limits::WEIGHT_SUM_TOLERANCE));
        blend
    }

    /// The rate of change of the sum of the layers' weights, per second: only the host's rounding.
    fn weight_drift(&self, stretch: Stretch) -> f64 {
        let sum = |time| self.played.layers.iter().map(|layer| layer.weight_at(time, stretch)).sum::<f64>();
        let length = stretch.end - stretch.begin;
        if length > 0.0 { (sum(stretch.end) - sum(stretch.begin)).abs() / length } else { 0.0 }
    }

    fn local_growth(
        &self,
        node: u32,
        stretch: Stretch,
        played: &[(Stretch, f64)],
        near: &mut usize,
    ) -> PartsDerivatives {
        match self.played.layers.as_slice() {
            [] => {
                let rest = self.rest_parts(node);
                PartsDerivatives {
                    translation: DerivativeBounds::constant(length(&rest.translation)),
                    rotation: Turning::of(1.0, 0.0, 0.0),
                    scale: DerivativeBounds::constant(largest(&rest.scale)),
                }
            }
            [layer] => self.layer_growth(layer, node, played[0], near),
            layers => self.blended_growth(layers, node, stretch, played),
        }
    }

    fn blended_growth(
        &self,
        layers: &[PlayedLayer],
        node: u32,
        stretch: Stretch,
        played: &[(Stretch, f64)],
    ) -> PartsDerivatives {
        let middle = 0.5 * stretch.begin + 0.5 * stretch.end;
        let half = 0.5 * (stretch.end - stretch.begin);
        let drift = self.weight_drift(stretch);
        // Signs belong to the whole interval between breaks, not to a part of it.
        let (_, interval) = self.played.place(Moment::at(middle));
        let signs = self.signs(node, interval);
        let parts: Vec<Parts> = layers
            .iter()
            .zip(&signs)
            .map(|(layer, &faces)| {
                let parts = self.layer_parts(layer, node, middle, stretch);
                Parts { rotation: parts.rotation.map(|x| if faces { x } else { -x }), ..parts }
            })
            .collect();
        let growths: Vec<PartsDerivatives> =
            layers.iter().zip(played).map(|(layer, &played)| self.layer_growth(layer, node, played, &mut 0)).collect();
        let weights: Vec<DerivativeBounds> = layers.iter().map(|layer| layer.weight_growth(stretch)).collect();
        // Distance in the middle, plus the largest change of both until the ends.
        let apart = |in_middle: f64, a: DerivativeBounds, b: DerivativeBounds| in_middle + half * (a.rate + b.rate);
        let blend = |growth: fn(&PartsDerivatives) -> DerivativeBounds, distance: &dyn Fn(&Parts, &Parts) -> f64| {
            let layers: Vec<(DerivativeBounds, DerivativeBounds, f64)> = (0..layers.len())
                .map(|c| {
                    let in_middle = distance(&parts[c], &parts[0]);
                    (weights[c], growth(&growths[c]), apart(in_middle, growth(&growths[c]), growth(&growths[0])))
                })
                .collect();
            Self::blended(&layers, drift)
        };
        let difference = |a: &[f64; 3], b: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|i| a[i] - b[i]) };
        let translation =
            blend(|growth| growth.translation, &|a, b| length(&difference(&a.translation, &b.translation)));
        let scale = blend(|growth| growth.scale, &|a, b| largest(&difference(&a.scale, &b.scale)));
        let quaternion = blend(|growth| growth.rotation.quaternion, &|a, b| {
            let difference: [f64; 4] = std::array::from_fn(|i| a.rotation[i] - b.rotation[i]);
            dot(&difference, &difference).sqrt()
        });
        let mut sum = [0.0; 4];
        for (layer, parts) in layers.iter().zip(&parts) {
            let weight = layer.weight_at(middle, stretch);
            (0..4).for_each(|i| sum[i] += weight * parts.rotation[i]);
        }
        let least = dot(&sum, &sum).sqrt() - half * quaternion.rate - limits::SINGULAR_DETERMINANT;
        PartsDerivatives { translation, rotation: Turning::of(least, quaternion.rate, quaternion.bend), scale }
    }

    /// Derivative bounds of a node's scale.
    pub(super) fn scale_growth(&self, node: u32, stretch: Stretch) -> DerivativeBounds {
        let played: Vec<(Stretch, f64)> = self.played.layers.iter().map(|layer| layer.clip_stretch(stretch)).collect();
        self.local_growth(node, stretch, &played, &mut 0).scale
    }

    fn morph_growth(&self, stretch: Stretch, out: &mut [DerivativeBounds]) {
        let Some(node) = self.morphs else { return };
        let rest = &self.rig.nodes()[node as usize].weights;
        let layers = &self.played.layers;
        for (morph, out) in out.iter_mut().enumerate() {
            let growths: Vec<(DerivativeBounds, DerivativeBounds, f64)> = layers
                .iter()
                .map(|layer| {
                    let curve = self.rig.clip(layer.clip).and_then(|clip| clip.curve(node, Property::Weights));
                    let (clip_stretch, rate) = layer.clip_stretch(stretch);
                    let growth = curve.map_or(DerivativeBounds::constant(rest[morph].abs()), |curve| {
                        curve.growth(clip_stretch, &mut 0, |values| values[morph].abs()).paced(rate)
                    });
                    (layer.weight_growth(stretch), growth, growth.size)
                })
                .collect();
            *out = match growths.as_slice() {
                [] => DerivativeBounds::constant(rest[morph].abs()),
                [(_, only, _)] => *only,
                _ => {
                    // Weights of the first layer are bounded like the others': its distance from
                    // itself is not used.
                    let first = growths[0].1.size;
                    let apart = growths.iter().map(|&(weight, value, size)| (weight, value, size + first));
                    Self::blended(&apart.collect::<Vec<_>>(), self.weight_drift(stretch))
                }
            };
        }
    }
}
