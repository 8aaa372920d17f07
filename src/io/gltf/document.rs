//! The part of a glTF document that moves geometry, as its JSON has it.
//!
//! Own structures, not the `gltf-json` crate: its validation (1.4.1) indexes `accessors` with an
//! unchecked number and panics, it cuts indices down to 32 bits, and it refuses
//! `KHR_mesh_quantization`, attributes of the exporter's own and every fault in materials and
//! images, which are of no concern here. Nothing in these structures is believed before it was
//! checked.

#![expect(
    clippy::zero_sized_map_values,
    reason = "of extensions only the names matter, and serde reads an object as a map"
)]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use super::buffers::has_scheme;

/// Extensions of an object, by name; only whether one is there matters.
pub(super) type Extensions = BTreeMap<String, IgnoredAny>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) asset: Asset,
    pub(super) scene: Option<usize>,
    #[serde(default)]
    pub(super) scenes: Vec<SceneText>,
    #[serde(default)]
    pub(super) nodes: Vec<NodeText>,
    #[serde(default)]
    pub(super) meshes: Vec<MeshText>,
    /// Only names matter: faults in materials are of no concern.
    #[serde(default)]
    materials: serde_json::Value,
    /// URIs of images, as far as they are no data; faults in images are of no concern.
    #[serde(default, deserialize_with = "image_uris")]
    images: Vec<String>,
    #[serde(default)]
    pub(super) skins: Vec<SkinText>,
    #[serde(default)]
    pub(super) animations: Vec<AnimationText>,
    #[serde(default)]
    pub(super) accessors: Vec<AccessorText>,
    #[serde(default)]
    pub(super) buffer_views: Vec<BufferViewText>,
    #[serde(default)]
    pub(super) buffers: Vec<BufferText>,
    #[serde(default)]
    pub(super) extensions_used: Vec<String>,
    #[serde(default)]
    pub(super) extensions_required: Vec<String>,
}

impl Document {
    /// Per primitive of a mesh the name of its material, or `material 3` where that has none.
    pub(super) fn materials_of<'a>(&'a self, mesh: &'a MeshText) -> impl Iterator<Item = Option<Cow<'a, str>>> {
        mesh.primitives.iter().map(|primitive| {
            let number = primitive.material.as_u64()?;
            let material = self.materials.get(usize::try_from(number).ok()?)?;
            let name = material.get("name").and_then(|name| name.as_str());
            Some(name.map_or_else(|| Cow::Owned(format!("material {number}")), Cow::Borrowed))
        })
    }

    /// URIs of buffers and images, each once, without those that have a scheme: names of files.
    pub(super) fn file_uris(&self) -> BTreeSet<&str> {
        let buffers = self.buffers.iter().filter_map(|buffer| buffer.uri.as_deref());
        buffers.chain(self.images.iter().map(String::as_str)).filter(|uri| !has_scheme(uri)).collect()
    }
}

/// Reads a list of images; data in them is not kept.
fn image_uris<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<String>, D::Error> {
    let images = serde_json::Value::deserialize(source)?;
    let uris = images.as_array().into_iter().flatten().filter_map(|image| image.get("uri")?.as_str());
    Ok(uris.filter(|uri| !has_scheme(uri)).map(str::to_owned).collect())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset {
    pub(super) version: String,
    pub(super) min_version: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct SceneText {
    #[serde(default)]
    pub(super) nodes: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct NodeText {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) children: Vec<usize>,
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    pub(super) weights: Option<Vec<f64>>,
    #[serde(default)]
    pub(super) extensions: Extensions,
}

#[derive(Deserialize)]
pub(super) struct MeshText {
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<PrimitiveText>,
    pub(super) weights: Option<Vec<f64>>,
}

#[derive(Deserialize)]
pub(super) struct PrimitiveText {
    pub(super) attributes: BTreeMap<String, usize>,
    pub(super) indices: Option<usize>,
    #[serde(default)]
    material: serde_json::Value,
    #[serde(default = "triangles")]
    pub(super) mode: u64,
    #[serde(default)]
    pub(super) targets: Vec<BTreeMap<String, usize>>,
    #[serde(default)]
    pub(super) extensions: Extensions,
}

fn triangles() -> u64 {
    4
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SkinText {
    pub(super) name: Option<String>,
    pub(super) joints: Vec<usize>,
    pub(super) inverse_bind_matrices: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct AnimationText {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) channels: Vec<ChannelText>,
    #[serde(default)]
    pub(super) samplers: Vec<SamplerText>,
}

#[derive(Deserialize)]
pub(super) struct ChannelText {
    pub(super) sampler: usize,
    pub(super) target: TargetText,
}

#[derive(Deserialize)]
pub(super) struct TargetText {
    pub(super) node: Option<usize>,
    pub(super) path: String,
    #[serde(default)]
    pub(super) extensions: TargetExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct TargetExtensions {
    #[serde(rename = "KHR_animation_pointer")]
    pub(super) pointer: Option<PointerText>,
}

#[derive(Deserialize)]
pub(super) struct PointerText {
    pub(super) pointer: String,
}

impl TargetText {
    /// The node that is moved, and what of it, if this is said: also by a pointer.
    pub(super) fn node_and_path(&self) -> Option<(usize, &str)> {
        if self.path != "pointer" {
            return Some((self.node?, &self.path));
        }
        let (node, path) = self.pointer()?.strip_prefix("/nodes/")?.split_once('/')?;
        let is_number = node == "0" || (!node.starts_with('0') && node.bytes().all(|byte| byte.is_ascii_digit()));
        let is_read = matches!(path, "translation" | "rotation" | "scale" | "weights");
        Some((node.parse().ok().filter(|_| is_number && is_read)?, path))
    }

    /// A pointer to what this library does not move, but that changes shapes or their places.
    pub(super) fn unread_pointer(&self) -> Option<&str> {
        let is_shape = |pointer: &&str| {
            (pointer.starts_with("/nodes/") || pointer.starts_with("/meshes/")) && !pointer.contains("/extensions/")
        };
        self.pointer().filter(|_| self.node_and_path().is_none()).filter(is_shape)
    }

    fn pointer(&self) -> Option<&str> {
        let pointer = self.extensions.pointer.as_ref().filter(|_| self.path == "pointer");
        pointer.map(|pointer| &*pointer.pointer)
    }
}

#[derive(Deserialize)]
pub(super) struct SamplerText {
    pub(super) input: usize,
    pub(super) output: usize,
    pub(super) interpolation: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AccessorText {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u64,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) shape: String,
    pub(super) sparse: Option<SparseText>,
}

#[derive(Deserialize)]
pub(super) struct SparseText {
    pub(super) count: u64,
    pub(super) indices: SparseIndicesText,
    pub(super) values: SparseValuesText,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndicesText {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValuesText {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferViewText {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
    #[serde(default)]
    pub(super) extensions: Extensions,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferText {
    pub(super) uri: Option<String>,
    pub(super) byte_length: u64,
    #[serde(default)]
    pub(super) extensions: Extensions,
}
