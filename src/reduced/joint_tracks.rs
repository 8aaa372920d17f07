//! Joint tracks: a rig and a mix of its clips drive the maps of a skin, of rigid parts and of morph
//! weights.
//!
//! # Several clips
//! Translations, scales and morph weights are blended linearly; so are unit quaternions, which are
//! then normalised. Signs of quaternions are chosen once per interval between breaks. Each layer's
//! quaternion is brought to the hemisphere of the first layer's *in the middle of the interval*. A
//! flip therefore happens at a break, which then is a jump, and never inside a piece.

mod similarity;

use std::sync::Arc;

use super::affine::stretch;
use super::driver::{Break, Driver, PoseDerivativeBounds, SimilarityBounds};
use super::mix::{Mix, Played, PlayedLayer};
use super::rig::{NodeTransform, Property, Rig};
use super::spherical::dot;
use super::track::Stretch;
use super::{Affine, Pose, ReducedError};
use crate::motion::Outside;
use crate::time::{Moment, Span};

/// One influence: a node, and the map of rest positions into its frame.
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
    pub(super) rig: Arc<Rig>,
    pub(super) played: Played,
    pub(super) bindings: Vec<Binding>,
    /// The node whose morph weights are the body's.
    pub(super) morphs: Option<u32>,
    pub(super) morph_count: usize,
    centres: Vec<[f64; 3]>,
    /// Per binding, an upper bound of the stretch of its inverse bind matrix.
    pub(super) stretches: Vec<f64>,
    /// Nodes that bindings need, parents before children, each with its parent's index among them.
    pub(super) needed: Vec<(u32, Option<usize>)>,
    /// Per binding, its node's index in `needed`.
    pub(super) places: Vec<usize>,
}

/// A node's parts at one time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) translation: [f64; 3],
    pub(super) rotation: [f64; 4],
    pub(super) scale: [f64; 3],
}

impl JointTracks {
    /// Creates a driver after checking its input, and lays out the time line. O(keys + breaks);
    /// with several layers O(breaks × nodes × layers).
    ///
    /// `morphs` names the node whose weights are the body's morph weights.
    ///
    /// # Errors
    /// Nodes or clips that do not exist, inverse bind matrices that are not finite or not
    /// invertible, spans and rates that cannot be played, layer weights that are negative or do not
    /// sum to 1.
    pub fn new(rig: Arc<Rig>, mix: &Mix, bindings: Vec<Binding>, morphs: Option<u32>) -> Result<Self, ReducedError> {
        let count = rig.node_count();
        let named = bindings.iter().map(|binding| binding.node).chain(morphs);
        if let Some(node) = named.into_iter().find(|&node| node as usize >= count) {
            return Err(ReducedError::NoSuchNode { node: node as usize, count });
        }
        let stretches = bindings.iter().map(|binding| stretch(&binding.inverse_bind.linear)).collect();
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
        let mut tracks = Self { rig, played, bindings, morphs, morph_count, centres, stretches, needed, places };
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

    /// Per layer, whether its quaternion is used unchanged during a stretch (otherwise negated).
    pub(super) fn signs(&self, node: u32, stretch: Stretch) -> Vec<bool> {
        let middle = 0.5 * stretch.begin + 0.5 * stretch.end;
        let layers = &self.played.layers;
        let first = self.layer_parts(&layers[0], node, middle, stretch).rotation;
        let faces = |layer| dot(&first, &self.layer_parts(layer, node, middle, stretch).rotation) >= 0.0;
        layers.iter().map(faces).collect()
    }

    /// Appends a layer's value of a property to `out`; `false` if its clip does not move it.
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

    pub(super) fn rest_parts(&self, node: u32) -> Parts {
        match self.rig.nodes()[node as usize].transform {
            NodeTransform::Parts { translation, rotation, scale } => Parts { translation, rotation, scale },
            NodeTransform::Matrix(_) => {
                Parts { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
            }
        }
    }

    pub(super) fn layer_parts(&self, layer: &PlayedLayer, node: u32, time: f64, stretch: Stretch) -> Parts {
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
            // A single layer counts fully, as in transforms: its weight is 1 up to rounding.
            let weight = if layers.len() == 1 { 1.0 } else { layer.weight_at(time, stretch) };
            out.iter_mut().zip(&value).for_each(|(out, value)| *out += weight * value);
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

    fn similarity(&self, piece: Span) -> SimilarityBounds {
        self.similarity_of(piece)
    }

    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        self.derivatives_of(piece, bends);
    }
}
