//! Distance of the maps of joints from rotations times one scale, and bounds of that scale.
//!
//! A map is a chain of nodes and an inverse bind matrix. Scales along the chain multiply. Relative
//! distances `ε` from a rotation times a scale compose to `(1 + ε₁)(1 + ε₂) − 1`.

use super::JointTracks;
use crate::limits;
use crate::reduced::SimilarityBounds;
use crate::reduced::mix::PlayedLayer;
use crate::reduced::rig::{NodeTransform, Property, largest};
use crate::reduced::track::Stretch;
use crate::time::Span;

impl JointTracks {
    /// See [`Driver::similarity`](crate::reduced::Driver::similarity). Unknown where a scale of a
    /// needed node may vanish or mirror.
    pub(super) fn similarity_of(&self, piece: Span) -> SimilarityBounds {
        let stretch = Stretch { begin: piece.begin, end: piece.end };
        let mut worlds: Vec<SimilarityBounds> = Vec::with_capacity(self.needed.len());
        for &(node, parent) in &self.needed {
            let local = match self.rig.nodes()[node as usize].transform {
                NodeTransform::Matrix(map) => SimilarityBounds::of_map(&map),
                NodeTransform::Parts { .. } => self.local_similarity(node, stretch),
            };
            worlds.push(parent.map_or(local, |parent| worlds[parent].times(local)));
        }
        let maps = self.bindings.iter().zip(&self.places);
        SimilarityBounds::of_all(
            maps.map(|(binding, &place)| worlds[place].times(SimilarityBounds::of_map(&binding.inverse_bind))),
        )
    }

    /// The scale of a node with parts. Blends of scales are between those of the layers.
    fn local_similarity(&self, node: u32, stretch: Stretch) -> SimilarityBounds {
        let layers = self.played.layers.as_slice();
        let [least, spread] = match layers {
            [] => {
                let scale = self.rest_parts(node).scale;
                [least_of(&scale), spread_of(&scale)]
            }
            layers => layers.iter().fold([f64::INFINITY, 0.0], |[least, spread], layer| {
                let own = self.layer_scales(layer, node, stretch);
                [least.min(own[0]), spread.max(own[1])]
            }),
        };
        let scale = self.scale_growth(node, stretch);
        // Weights of layers sum to 1 up to rounding.
        let least = least * (1.0 - 2.0 * limits::WEIGHT_SUM_TOLERANCE);
        if !(least > 0.0) {
            return SimilarityBounds::UNKNOWN;
        }
        SimilarityBounds { off: spread / least + limits::EVALUATION_ROUNDING, least, scale }
    }

    /// The least scale of a layer during a stretch, and the largest difference of two components.
    fn layer_scales(&self, layer: &PlayedLayer, node: u32, stretch: Stretch) -> [f64; 2] {
        let curve = self.rig.clip(layer.clip).and_then(|clip| clip.curve(node, Property::Scale));
        let Some(curve) = curve else {
            let scale = self.rest_parts(node).scale;
            return [least_of(&scale), spread_of(&scale)];
        };
        let middle = 0.5 * stretch.begin + 0.5 * stretch.end;
        let (time, _) = layer.clip_time(middle, stretch);
        let (played, _) = layer.clip_stretch(stretch);
        let mut value = Vec::with_capacity(3);
        curve.evaluate(time, played, &mut value);
        let rate = curve.growth(played, &mut 0, largest).rate;
        let half = 0.5 * (played.end - played.begin).abs();
        let spread = curve.growth(played, &mut 0, spread_of).size;
        [least_of(&value) - half * rate - limits::EVALUATION_ROUNDING * largest(&value), spread]
    }
}

fn least_of(scale: &[f64]) -> f64 {
    scale.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The largest difference of two components: a seminorm.
fn spread_of(scale: &[f64]) -> f64 {
    scale.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least_of(scale)
}
