//! Joint tracks: a rig and a mix of its clips drive the maps of a skin, of rigid parts and of morph weights.
//!
//! # How far from straight
//! A node's map from its own frame is a chain of scaled turns `B_k` and moves `T_k`. With bounds on each one's magnitude and
//! derivatives ([`Growth`]) the product rule bounds the chain's: for the linear part `A_k = A_{k−1} B_k`, and for the place of
//! the node `o_k = o_{k−1} + A_{k−1} T_k`,
//!
//! ```text
//! |A''| ≤ |A''| |B| + 2 |A'| |B'| + |A| |B''|        |o''| ≤ |o''| + |A''| |T| + 2 |A'| |T'| + |A| |T''|
//! ```
//!
//! For joints that turn at constant rates `ω_k` around links `d_k` this is `Σ (ω₁ + … + ω_k)² |d_k|`; deviations of single joints
//! must not be added instead, they are too small together.
//!
//! # Several clips
//! Translations, scales and morph weights are blended linearly; so are unit quaternions, which are then normalised. Signs of
//! quaternions are chosen once per interval between breaks: each layer's is brought to the hemisphere of the first layer's *in the middle of
//! the interval*. So a flip happens at a break, which then is a jump, and never inside a piece.

mod rigidity;

use std::sync::Arc;

use super::affine::stretch;
use super::driver::{Bends, Break, Driver, Growth, MapBend, zero_wins};
use super::mix::{Mix, Played, PlayedLayer};
use super::rig::{NodeTransform, Property, Rig, largest, length};
use super::spherical::dot;
use super::track::{Stretch, Turning};
use super::{Affine, Pose, ReducedError};
use crate::limits;
use crate::motion::Outside;
use crate::time::{Moment, Span};

/// One influence: a node, and what brings rest positions into its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Binding {
    /// The node.
    pub node: u32,
    /// The inverse bind matrix; the identity for a rigid part given in the node's own frame.
    pub inverse_bind: Affine,
}

impl Binding {
    /// The bindings of a skin; without matrices all are the identity, as glTF has it.
    ///
    /// # Errors
    /// Not one matrix per joint.
    pub fn skin(joints: &[u32], inverse_bind: Option<&[Affine]>) -> Result<Vec<Self>, ReducedError> {
        if let Some(matrices) = inverse_bind.filter(|matrices| matrices.len() != joints.len()) {
            return Err(ReducedError::InverseBindCount { joints: joints.len(), found: matrices.len() });
        }
        let matrix = |joint: usize| inverse_bind.map_or(Affine::identity(), |matrices| matrices[joint]);
        Ok(joints.iter().enumerate().map(|(joint, &node)| Self { node, inverse_bind: matrix(joint) }).collect())
    }
}

/// A [`Driver`] by a rig, a mix of its clips, and bindings.
#[derive(Clone, Debug)]
pub struct JointTracks {
    rig: Arc<Rig>,
    played: Played,
    bindings: Vec<Binding>,
    /// The node whose morph weights are the body's.
    morphs: Option<u32>,
    morph_count: usize,
    centres: Vec<[f64; 3]>,
    /// Nodes that bindings need, parents before children, each with its parent's place among them.
    needed: Vec<(u32, Option<usize>)>,
    /// Per binding, its node's place in `needed`.
    places: Vec<usize>,
}

/// A node's parts at one time.
#[derive(Clone, Copy, Debug)]
struct Parts {
    translation: [f64; 3],
    rotation: [f64; 4],
    scale: [f64; 3],
}

/// How a node's parts move during a stretch.
#[derive(Clone, Copy, Debug)]
struct PartsGrowth {
    translation: Growth,
    rotation: Turning,
    scale: Growth,
}

impl JointTracks {
    /// Checks everything and lays out the time line. O(keys + breaks); with several layers O(breaks × nodes × layers).
    ///
    /// `morphs` names the node whose weights are the body's morph weights.
    ///
    /// # Errors
    /// Nodes or clips that do not exist, inverse bind matrices that are not finite or cannot be inverted, spans and rates that
    /// cannot be played, layer weights that are negative or do not sum to 1.
    pub fn new(rig: Arc<Rig>, mix: &Mix, bindings: Vec<Binding>, morphs: Option<u32>) -> Result<Self, ReducedError> {
        let count = rig.node_count();
        let named = bindings.iter().map(|binding| binding.node).chain(morphs);
        if let Some(node) = named.into_iter().find(|&node| node as usize >= count) {
            return Err(ReducedError::NoSuchNode { node: node as usize, count });
        }
        let mut centres = Vec::with_capacity(bindings.len());
        for (index, binding) in bindings.iter().enumerate() {
            if !binding.inverse_bind.is_finite() {
                return Err(ReducedError::BadMap { map: index });
            }
            let Some(bind) = binding.inverse_bind.inverse() else {
                return Err(ReducedError::Singular { index });
            };
            centres.push(bind.shift.into());
        }
        let mut is_needed = vec![false; count];
        for binding in &bindings {
            let mut node = Some(binding.node);
            while let Some(index) = node.filter(|&index| !is_needed[index as usize]) {
                is_needed[index as usize] = true;
                node = rig.nodes()[index as usize].parent;
            }
        }
        let mut place = vec![usize::MAX; count];
        let mut needed: Vec<(u32, Option<usize>)> = Vec::new();
        for &node in rig.order().iter().filter(|&&node| is_needed[node as usize]) {
            place[node as usize] = needed.len();
            let parent = rig.nodes()[node as usize].parent.map(|parent| place[parent as usize]);
            needed.push((node, parent));
        }
        let places = bindings.iter().map(|binding| place[binding.node as usize]).collect();
        let morph_count = morphs.map_or(0, |node| rig.nodes()[node as usize].weights.len());
        let played = Played::new(mix, &rig, &is_needed, morphs)?;
        let mut tracks = Self { rig, played, bindings, morphs, morph_count, centres, needed, places };
        tracks.mark_flips();
        Ok(tracks)
    }

    /// The rig.
    pub fn rig(&self) -> &Arc<Rig> {
        &self.rig
    }

    /// The influences' nodes and inverse bind matrices.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// Finds the breaks at which a blended quaternion changes its hemisphere.
    fn mark_flips(&mut self) {
        if self.played.layers.len() < 2 {
            return;
        }
        let mut before: Option<Vec<bool>> = None;
        for index in 1..self.played.breaks.len() {
            let stretch = Stretch { begin: self.played.breaks[index - 1].time, end: self.played.breaks[index].time };
            let signs: Vec<bool> = self.needed.iter().flat_map(|&(node, _)| self.signs(node, stretch)).collect();
            if before.is_some_and(|before| before != signs) {
                self.played.breaks[index - 1].is_jump = true;
            }
            before = Some(signs);
        }
    }

    /// Per layer, whether its quaternion is taken as it is during a stretch (or negated).
    fn signs(&self, node: u32, stretch: Stretch) -> Vec<bool> {
        let middle = 0.5 * stretch.begin + 0.5 * stretch.end;
        let layers = &self.played.layers;
        let first = self.layer_parts(&layers[0], node, middle, stretch).rotation;
        let faces = |layer| dot(&first, &self.layer_parts(layer, node, middle, stretch).rotation) >= 0.0;
        layers.iter().map(faces).collect()
    }

    /// A layer's value of a property, appended to `out`; `false` where its clip does not move it.
    fn layer_value(
        &self,
        layer: &PlayedLayer,
        node: u32,
        property: Property,
        (time, stretch): (f64, Stretch),
        out: &mut Vec<f64>,
    ) -> bool {
        let curve = self.rig.clip(layer.clip).and_then(|clip| clip.curve(node, property));
        if let Some(curve) = curve {
            let (time, stretch) = layer.clip_time(time, stretch);
            curve.evaluate(time, stretch, out);
        }
        curve.is_some()
    }

    fn rest_parts(&self, node: u32) -> Parts {
        match self.rig.nodes()[node as usize].transform {
            NodeTransform::Parts { translation, rotation, scale } => Parts { translation, rotation, scale },
            NodeTransform::Matrix(_) => {
                Parts { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
            }
        }
    }

    fn layer_parts(&self, layer: &PlayedLayer, node: u32, time: f64, stretch: Stretch) -> Parts {
        let mut parts = self.rest_parts(node);
        let mut value = Vec::with_capacity(4);
        let at = (time, stretch);
        if self.layer_value(layer, node, Property::Translation, at, &mut value) {
            parts.translation.copy_from_slice(&value);
        }
        value.clear();
        if self.layer_value(layer, node, Property::Rotation, at, &mut value) {
            parts.rotation.copy_from_slice(&value);
        }
        value.clear();
        if self.layer_value(layer, node, Property::Scale, at, &mut value) {
            parts.scale.copy_from_slice(&value);
        }
        parts
    }

    /// A node's map into its parent's frame.
    fn local(&self, node: u32, time: f64, stretch: Stretch) -> Affine {
        if let NodeTransform::Matrix(map) = self.rig.nodes()[node as usize].transform {
            return map;
        }
        let parts = match self.played.layers.as_slice() {
            [] => self.rest_parts(node),
            [layer] => self.layer_parts(layer, node, time, stretch),
            layers => {
                let signs = self.signs(node, stretch);
                let mut blend = Parts { translation: [0.0; 3], rotation: [0.0; 4], scale: [0.0; 3] };
                for (layer, faces) in layers.iter().zip(signs) {
                    let weight = layer.weight_at(time, stretch);
                    let parts = self.layer_parts(layer, node, time, stretch);
                    for axis in 0..3 {
                        blend.translation[axis] += weight * parts.translation[axis];
                        blend.scale[axis] += weight * parts.scale[axis];
                    }
                    let signed = if faces { weight } else { -weight };
                    (0..4).for_each(|i| blend.rotation[i] += signed * parts.rotation[i]);
                }
                blend
            }
        };
        Affine::from_parts(parts.translation, parts.rotation, parts.scale)
    }

    /// Morph weights at a time, written over `out`.
    fn morph_weights(&self, time: f64, stretch: Stretch, out: &mut [f64]) {
        let Some(node) = self.morphs else { return };
        let rest = &self.rig.nodes()[node as usize].weights;
        let layers = &self.played.layers;
        if layers.is_empty() {
            out.copy_from_slice(rest);
            return;
        }
        let mut value = Vec::with_capacity(rest.len());
        for layer in layers {
            value.clear();
            if !self.layer_value(layer, node, Property::Weights, (time, stretch), &mut value) {
                value.extend_from_slice(rest);
            }
            let weight = layer.weight_at(time, stretch);
            out.iter_mut().zip(&value).for_each(|(out, value)| *out += weight * value);
        }
    }

    fn layer_growth(&self, layer: &PlayedLayer, node: u32, stretch: Stretch) -> PartsGrowth {
        let rest = self.rest_parts(node);
        let (stretch, rate) = layer.clip_stretch(stretch);
        let paced = |growth: Growth| growth.paced(rate);
        let clip = self.rig.clip(layer.clip);
        let curve = |property| clip.and_then(|clip| clip.curve(node, property));
        let vector = |property, rest: [f64; 3], norm: fn(&[f64]) -> f64| {
            curve(property).map_or(Growth::constant(norm(&rest)), |curve| paced(curve.growth(stretch, norm)))
        };
        let rotation = curve(Property::Rotation).map_or(Turning::of(1.0, 0.0, 0.0), |curve| {
            let turning = curve.turning(stretch);
            Turning { quaternion: paced(turning.quaternion), matrix: paced(turning.matrix) }
        });
        PartsGrowth {
            translation: vector(Property::Translation, rest.translation, length),
            rotation,
            scale: vector(Property::Scale, rest.scale, largest),
        }
    }

    /// Bounds on a blend `Σ w_c x_c` with linear weights: `Σ w_c' x_c = Σ w_c' (x_c − x_0) + (Σ w_c') x_0`.
    ///
    /// Per layer its weight, its value, and how far `x_c` is from `x_0` at most. Weights sum to 1 but for `drift` per second.
    fn blended(layers: &[(Growth, Growth, f64)], drift: f64) -> Growth {
        let mut blend = Growth { size: 0.0, rate: zero_wins(drift, layers[0].1.size), bend: 0.0 };
        for &(weight, value, apart) in layers {
            blend.size += zero_wins(weight.size, value.size);
            blend.rate += zero_wins(weight.rate, apart) + zero_wins(weight.size, value.rate);
            blend.bend += 2.0 * zero_wins(weight.rate, value.rate) + zero_wins(weight.size, value.bend);
        }
        let largest = layers.iter().map(|(_, value, _)| value.size).fold(0.0, f64::max);
        blend.size = blend.size.min(largest * (1.0 + 2.0 * limits::WEIGHT_SUM));
        blend
    }

    /// How fast the sum of the layers' weights changes, per second: nothing but what the host's rounding leaves.
    fn weight_drift(&self, stretch: Stretch) -> f64 {
        let sum = |time| self.played.layers.iter().map(|layer| layer.weight_at(time, stretch)).sum::<f64>();
        let length = stretch.end - stretch.begin;
        if length > 0.0 { (sum(stretch.end) - sum(stretch.begin)).abs() / length } else { 0.0 }
    }

    fn local_growth(&self, node: u32, stretch: Stretch) -> PartsGrowth {
        match self.played.layers.as_slice() {
            [] => {
                let rest = self.rest_parts(node);
                PartsGrowth {
                    translation: Growth::constant(length(&rest.translation)),
                    rotation: Turning::of(1.0, 0.0, 0.0),
                    scale: Growth::constant(largest(&rest.scale)),
                }
            }
            [layer] => self.layer_growth(layer, node, stretch),
            layers => self.blended_growth(layers, node, stretch),
        }
    }

    fn blended_growth(&self, layers: &[PlayedLayer], node: u32, stretch: Stretch) -> PartsGrowth {
        let middle = 0.5 * stretch.begin + 0.5 * stretch.end;
        let half = 0.5 * (stretch.end - stretch.begin);
        let drift = self.weight_drift(stretch);
        // Signs belong to the whole interval between breaks, not to its part.
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
        let growths: Vec<PartsGrowth> = layers.iter().map(|layer| self.layer_growth(layer, node, stretch)).collect();
        let weights: Vec<Growth> = layers.iter().map(|layer| layer.weight_growth(stretch)).collect();
        // Distance in the middle, and what both can add until the ends.
        let apart = |in_middle: f64, a: Growth, b: Growth| in_middle + half * (a.rate + b.rate);
        let blend = |growth: fn(&PartsGrowth) -> Growth, distance: &dyn Fn(&Parts, &Parts) -> f64| {
            let layers: Vec<(Growth, Growth, f64)> = (0..layers.len())
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
        let least = dot(&sum, &sum).sqrt() - half * quaternion.rate - limits::SINGULAR;
        PartsGrowth { translation, rotation: Turning::of(least, quaternion.rate, quaternion.bend), scale }
    }

    fn morph_growth(&self, stretch: Stretch, out: &mut [Growth]) {
        let Some(node) = self.morphs else { return };
        let rest = &self.rig.nodes()[node as usize].weights;
        let layers = &self.played.layers;
        for (morph, out) in out.iter_mut().enumerate() {
            let growths: Vec<(Growth, Growth, f64)> = layers
                .iter()
                .map(|layer| {
                    let curve = self.rig.clip(layer.clip).and_then(|clip| clip.curve(node, Property::Weights));
                    let (clip_stretch, rate) = layer.clip_stretch(stretch);
                    let growth = curve.map_or(Growth::constant(rest[morph].abs()), |curve| {
                        curve.growth(clip_stretch, |values| values[morph].abs()).paced(rate)
                    });
                    (layer.weight_growth(stretch), growth, growth.size)
                })
                .collect();
            *out = match growths.as_slice() {
                [] => Growth::constant(rest[morph].abs()),
                [(_, only, _)] => *only,
                _ => {
                    // Weights of the first layer are bounded like the others': its distance from itself is not used.
                    let first = growths[0].1.size;
                    let apart = growths.iter().map(|&(weight, value, size)| (weight, value, size + first));
                    Self::blended(&apart.collect::<Vec<_>>(), self.weight_drift(stretch))
                }
            };
        }
    }
}

impl Driver for JointTracks {
    fn map_count(&self) -> usize {
        self.bindings.len()
    }

    fn morph_count(&self) -> usize {
        self.morph_count
    }

    fn span(&self) -> Span {
        self.played.span
    }

    fn outside(&self) -> Outside {
        self.played.outside
    }

    fn pose(&self, at: Moment, pose: &mut Pose) {
        let (time, stretch) = self.played.place(at);
        let mut worlds: Vec<Affine> = Vec::with_capacity(self.needed.len());
        for &(node, parent) in &self.needed {
            let local = self.local(node, time, stretch);
            worlds.push(parent.map_or(local, |parent| worlds[parent].after(&local)));
        }
        let maps = self.bindings.iter().zip(&self.places);
        pose.maps.clear();
        pose.maps.extend(maps.map(|(binding, &place)| worlds[place].after(&binding.inverse_bind)));
        pose.morphs.clear();
        pose.morphs.resize(self.morph_count, 0.0);
        self.morph_weights(time, stretch, &mut pose.morphs);
    }

    fn breaks(&self) -> &[Break] {
        &self.played.breaks
    }

    fn centres(&self) -> &[[f64; 3]] {
        &self.centres
    }

    fn rigidity(&self) -> f64 {
        self.distance_from_turns()
    }

    fn bends(&self, piece: Span, bends: &mut Bends) {
        let piece = Stretch { begin: piece.begin, end: piece.end };
        bends.reset(self.bindings.len(), self.morph_count);
        let mut worlds: Vec<MapBend> = Vec::with_capacity(self.needed.len());
        for &(node, parent) in &self.needed {
            let (local, place) = match self.rig.nodes()[node as usize].transform {
                NodeTransform::Matrix(map) => {
                    (Growth::constant(stretch(&map.linear)), Growth::constant(map.shift.norm()))
                }
                NodeTransform::Parts { .. } => {
                    let growth = self.local_growth(node, piece);
                    (growth.rotation.matrix.times(growth.scale), growth.translation)
                }
            };
            worlds.push(match parent {
                None => MapBend { linear: local, centre: place },
                Some(parent) => {
                    let above: MapBend = worlds[parent];
                    MapBend { linear: above.linear.times(local), centre: above.centre.plus(above.linear.times(place)) }
                }
            });
        }
        for ((bend, binding), &place) in bends.maps.iter_mut().zip(&self.bindings).zip(&self.places) {
            let linear = worlds[place].linear.times(Growth::constant(stretch(&binding.inverse_bind.linear)));
            *bend = MapBend { linear, centre: worlds[place].centre };
        }
        self.morph_growth(piece, &mut bends.morphs);
    }
}
