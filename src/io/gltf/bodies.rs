//! From a model to reduced bodies: one per node of the scene that has a mesh.
//!
//! | node | influences | maps |
//! |---|---|---|
//! | with a skin | the mesh's weights | joint × inverse bind matrix, one per joint |
//! | without | one | the node's own matrix |
//!
//! Morph targets come first in either case. Nodes and clips become one [`Rig`], which all bodies
//! share.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::error::{GltfError, GltfErrorKind};
use super::model::{self, Model};
use crate::limits;
use crate::mesh::Mesh;
use crate::motion::Outside;
use crate::reduced::{
    Affine, Binding, Blend, Channel, Clip, Influences, Interpolation, JointTracks, Layer, Mix, MorphTarget, Node,
    NodeTransform, Property, ReducedBody, ReducedDef, ReducedError, ReducedMesh, Rig, Track, WeightPolicy,
};
use crate::time::Span;

/// A node's mesh with what moves it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModelBody {
    /// The node's name, followed by ` (2)`, ` (3)`, … where others before it have the same.
    pub name: String,
    /// Place in [`Model::nodes`].
    pub node: usize,
    /// What is known about its motion.
    pub kind: BodyKind,
    /// Mesh and motion; vertices and triangles are numbered as in [`Model::meshes`].
    pub body: ReducedBody,
}

/// How a body can move under the clips it was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Not at all.
    Fixed,
    /// As a whole, by one affine map.
    Rigid,
    /// By skin or by morph targets.
    Deforming,
}

impl Model {
    /// All nodes and clips, as tracks. Linear in the keys.
    ///
    /// # Errors
    /// None for a model that was read; what the rig refuses for one that was changed since.
    pub fn rig(&self) -> Result<Arc<Rig>, GltfError> {
        let nodes: Vec<Node> = self.nodes.iter().map(rig_node).collect();
        let clips: Vec<Clip> = self.clips.iter().map(rig_clip).collect();
        Rig::new(nodes, &clips).map(Arc::new).map_err(|error| refused("", error))
    }

    /// One clip, played once at its own times, as the format has it: at the last key and after it
    /// the last key's values.
    ///
    /// A mix that ends with the clip shows what a STEP channel has *before* its last key; this one
    /// goes on for [`limits::GLTF_STEP_DURATION`] where that differs.
    ///
    /// A mix of a clip that does not exist is refused by [`Self::bodies`].
    pub fn once(&self, clip: usize) -> Mix {
        let [begin, end] = self.clips.get(clip).map_or([0.0; 2], |own| own.span);
        let is_step = |channel: &model::Channel| channel.interpolation == model::Interpolation::Step;
        let mut channels = self.clips.get(clip).into_iter().flat_map(|own| &own.channels);
        let jumps = channels.any(|channel| is_step(channel) && !channel.is_constant());
        let end = if jumps { end + limits::GLTF_STEP_DURATION } else { end };
        Mix { layers: vec![Layer::new(clip, begin)], span: Span { begin, end }, outside: Outside::Hold }
    }

    /// One body per node of the scene that has triangles, in file order, moved by a mix of the
    /// clips of [`Self::rig`].
    ///
    /// Nodes with the same mesh share it, if their skins have as many joints. O(bodies × keys +
    /// vertices).
    ///
    /// # Errors
    /// No triangles in the scene; inverse bind matrices that cannot be inverted; what the mix is
    /// refused for.
    pub fn bodies(&self, rig: &Arc<Rig>, mix: &Mix) -> Result<Vec<ModelBody>, GltfError> {
        let moved = self.moved_nodes(mix);
        let mut meshes: BTreeMap<(u32, Option<usize>), Arc<ReducedMesh>> = BTreeMap::new();
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let of_nodes: BTreeSet<&str> = self.nodes.iter().map(|node| node.name.as_str()).collect();
        let mut bodies = Vec::new();
        for node in self.mesh_nodes() {
            let data = &self.nodes[node];
            let Some(mesh) = data.mesh else { continue };
            let fail = |error| refused(&format!("nodes[{node}] ({})", data.name), error);
            let joints = data.skin.map(|skin| self.skins[skin as usize].joints.len());
            let reduced = match meshes.get(&(mesh, joints)) {
                Some(reduced) => Arc::clone(reduced),
                None => {
                    let reduced = Arc::new(self.reduced_mesh(mesh as usize, joints).map_err(fail)?);
                    meshes.insert((mesh, joints), Arc::clone(&reduced));
                    reduced
                }
            };
            let morphs = (!data.weights.is_empty()).then_some(node as u32);
            let tracks = JointTracks::new(Arc::clone(rig), mix, self.bindings(node), morphs).map_err(fail)?;
            let body = ReducedBody::new(reduced, Arc::new(tracks)).map_err(fail)?;
            let is_moved = self.bindings(node).iter().any(|binding| moved.maps[binding.node as usize]);
            let kind = match (is_moved, moved.weights[node], data.skin) {
                (false, false, _) => BodyKind::Fixed,
                (true, false, None) => BodyKind::Rigid,
                _ => BodyKind::Deforming,
            };
            let count = names.entry(&data.name).or_insert(0);
            *count += 1;
            let mut name = data.name.clone();
            while *count > 1 {
                name = format!("{} ({count})", data.name);
                // Another node may have this very name.
                if !of_nodes.contains(name.as_str()) {
                    break;
                }
                *count += 1;
            }
            bodies.push(ModelBody { name, node, kind, body });
        }
        if bodies.is_empty() {
            return Err(GltfError { place: String::new(), kind: GltfErrorKind::NoTriangles });
        }
        Ok(bodies)
    }

    /// The joints of a node's skin, or the node itself.
    pub fn bindings(&self, node: usize) -> Vec<Binding> {
        let Some(skin) = self.nodes[node].skin else {
            return vec![Binding { node: node as u32, inverse_bind: Affine::identity() }];
        };
        let skin = &self.skins[skin as usize];
        let joints = skin.joints.iter().zip(&skin.inverse_binds);
        joints.map(|(&node, matrix)| Binding { node, inverse_bind: affine(matrix) }).collect()
    }

    /// A mesh as a reduced mesh: with as many joints, or with one map for all of it.
    fn reduced_mesh(&self, mesh: usize, joints: Option<usize>) -> Result<ReducedMesh, ReducedError> {
        let data = &self.meshes[mesh];
        let count = data.positions.len();
        let mesh = Mesh::new(count, data.triangles.clone())
            .map_err(|_| ReducedError::TooLarge { what: "vertices or triangles", count })?;
        let morphs = data.targets.iter().map(|target| MorphTarget::dense(target)).collect();
        let rest = data.positions.clone();
        match (joints, &data.influences) {
            (Some(joints), Some(influences)) => {
                let lists = (0..count).map(|vertex| influences.of(vertex).collect());
                let influences = Influences::convex(joints, lists, WeightPolicy::Strict)?;
                ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs, blend: Blend::Linear })
            }
            _ => ReducedMesh::morphed(mesh, rest, morphs),
        }
    }

    /// Which nodes a mix may move, by themselves or with their ancestors, and which meshes it may
    /// morph.
    fn moved_nodes(&self, mix: &Mix) -> Moved {
        let mut moved = Moved { maps: vec![false; self.nodes.len()], weights: vec![false; self.nodes.len()] };
        let is_blend = mix.layers.len() > 1;
        for layer in &mix.layers {
            // Where several clips are blended even constant values may differ from clip to clip.
            let Some(clip) = self.clips.get(layer.clip) else { continue };
            for channel in clip.channels.iter().filter(|channel| is_blend || !channel.is_constant()) {
                let flags =
                    if channel.property == model::Property::Weights { &mut moved.weights } else { &mut moved.maps };
                flags[channel.node as usize] = true;
            }
        }
        for &node in &self.order {
            if let Some(parent) = self.nodes[node as usize].parent {
                moved.maps[node as usize] |= moved.maps[parent as usize];
            }
        }
        moved
    }
}

struct Moved {
    maps: Vec<bool>,
    weights: Vec<bool>,
}

fn refused(place: &str, error: ReducedError) -> GltfError {
    GltfError { place: place.to_owned(), kind: GltfErrorKind::Body(error) }
}

fn affine(matrix: &[f64; 16]) -> Affine {
    let (rows, _) = matrix.as_chunks::<4>();
    Affine::from_rows([rows[0], rows[1], rows[2]])
}

fn rig_node(node: &model::ModelNode) -> Node {
    let transform = match &node.rest {
        model::NodeTransform::Parts(parts) => {
            let model::Parts { translation, rotation, scale } = *parts;
            NodeTransform::Parts { translation, rotation, scale }
        }
        model::NodeTransform::Matrix(matrix) => NodeTransform::Matrix(affine(matrix)),
    };
    Node { parent: node.parent, transform, weights: node.weights.clone() }
}

fn rig_clip(clip: &model::Clip) -> Clip {
    let channel = |channel: &model::Channel| Channel {
        node: channel.node,
        property: match channel.property {
            model::Property::Translation => Property::Translation,
            model::Property::Rotation => Property::Rotation,
            model::Property::Scale => Property::Scale,
            model::Property::Weights => Property::Weights,
        },
        track: Track {
            interpolation: match channel.interpolation {
                model::Interpolation::Step => Interpolation::Step,
                model::Interpolation::Linear => Interpolation::Linear,
                model::Interpolation::CubicSpline => Interpolation::CubicSpline,
            },
            times: channel.times.clone(),
            values: channel.values.clone(),
        },
    };
    Clip { name: clip.name.clone(), channels: clip.channels.iter().map(channel).collect() }
}
