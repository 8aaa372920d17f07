//! Spheres in a glTF model: the extension [`SPHERES_EXTENSION`] of its nodes.
//!
//! The document is taken as JSON and written again with the extension at the nodes that carry
//! spheres. Everything else keeps its value; members of an object are written in alphabetical
//! order. Other chunks of a GLB are copied as they are.

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::buffers::has_scheme;
use super::container;
use super::error::{Checked, GltfErrorKind, at};
use crate::io::error::ReadError;
use crate::io::format::FileFormat;
use crate::io::source::read_bytes;
use crate::io::transforms::without_place;
use crate::io::{JointSphere, SphereSkin};
use crate::motion::Sphere;

/// The name of the extension: `nodes[n].extensions.KINETREE_spheres.spheres` is a list of
/// `[x, y, z, radius]` in the node's frame.
pub const SPHERES_EXTENSION: &str = "KINETREE_spheres";

/// A glTF model with spheres at its nodes, to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SphereModel {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// Whether they are a GLB, otherwise JSON; as the model was.
    pub is_binary: bool,
    /// Files of data and images that the document names by relative URIs, from the folder that the
    /// model is in.
    pub files: Vec<PathBuf>,
}

impl SphereModel {
    /// Reads a model, and sets the spheres at its nodes to those of a skin: each at the node of its
    /// joint. Spheres of the extension that were there before are removed. Linear in the file.
    ///
    /// # Errors
    /// A file that cannot be read or is no glTF document, and a joint whose node it does not have.
    ///
    /// ```no_run
    /// use kinetree::io::gltf::SphereModel;
    /// use kinetree::io::read_spheres;
    ///
    /// let packed = read_spheres("hero.json")?; // kinetree pack hero.glb --joints -o hero.json
    /// let skin = packed.skin.ok_or("packed without --joints")?;
    /// std::fs::write("hero_spheres.glb", SphereModel::read("hero.glb", &skin)?.bytes)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(path: impl AsRef<Path>, skin: &SphereSkin) -> Result<Self, ReadError> {
        let path = path.as_ref();
        let bytes = read_bytes(path, FileFormat::Gltf)?;
        with_spheres(&bytes, skin).map_err(|error| ReadError::new(path, *error))
    }
}

fn with_spheres(bytes: &[u8], skin: &SphereSkin) -> Checked<SphereModel> {
    let container = container::split(bytes)?;
    let mut root: Map<String, Value> = match serde_json::from_slice(container.json) {
        Ok(root) => root,
        Err(error) => return at("", GltfErrorKind::Json { message: without_place(&error.to_string()) }),
    };
    set_spheres(&mut root, skin)?;
    let files = files_of(&root);
    let json = Value::Object(root).to_string();
    let (bytes, is_binary) = match container.others {
        Some(others) => (container::join(&json, others)?, true),
        None => (json.into_bytes(), false),
    };
    Ok(SphereModel { bytes, is_binary, files })
}

fn set_spheres(root: &mut Map<String, Value>, skin: &SphereSkin) -> Checked<()> {
    let Some(nodes) = root.get_mut("nodes").and_then(Value::as_array_mut) else {
        return at("nodes", GltfErrorKind::Missing { what: "the list of nodes" });
    };
    let count = nodes.len();
    let mut of_nodes: Vec<Vec<Value>> = vec![Vec::new(); count];
    for &JointSphere { joint, sphere: Sphere { centre: [x, y, z], radius } } in &skin.spheres {
        let Some(joint) = skin.joints.get(joint as usize) else {
            let (index, count) = (joint as usize, skin.joints.len());
            return at("", GltfErrorKind::Index { kind: "joint", index, count });
        };
        let Some(spheres) = of_nodes.get_mut(joint.node as usize) else {
            let index = joint.node as usize;
            return at("nodes", GltfErrorKind::Index { kind: "node", index, count });
        };
        spheres.push(json!([x, y, z, radius]));
    }
    for (number, (node, spheres)) in nodes.iter_mut().zip(of_nodes).enumerate() {
        let place = || format!("nodes[{number}]");
        let Some(node) = node.as_object_mut() else {
            return at(place(), GltfErrorKind::Missing { what: "the object of a node" });
        };
        if spheres.is_empty() {
            remove_from(node);
            continue;
        }
        let extensions = node.entry("extensions").or_insert_with(|| json!({}));
        let Some(extensions) = extensions.as_object_mut() else {
            return at(place() + ".extensions", GltfErrorKind::Missing { what: "the object of extensions" });
        };
        extensions.insert(SPHERES_EXTENSION.to_owned(), json!({ "spheres": spheres }));
    }
    let used = root.entry("extensionsUsed").or_insert_with(|| json!([]));
    let Some(used) = used.as_array_mut() else {
        return at("extensionsUsed", GltfErrorKind::Missing { what: "the list of extensions" });
    };
    used.retain(|name| name != SPHERES_EXTENSION);
    if !skin.spheres.is_empty() {
        used.push(SPHERES_EXTENSION.into());
    }
    // The format has no empty lists.
    if used.is_empty() {
        root.remove("extensionsUsed");
    }
    Ok(())
}

/// Removes the extension from a node, and what would be left empty.
fn remove_from(node: &mut Map<String, Value>) {
    let Some(extensions) = node.get_mut("extensions").and_then(Value::as_object_mut) else { return };
    let had = extensions.remove(SPHERES_EXTENSION).is_some();
    if had && extensions.is_empty() {
        node.remove("extensions");
    }
}

/// Files that buffers and images name by relative URIs.
fn files_of(root: &Map<String, Value>) -> Vec<PathBuf> {
    let lists = ["buffers", "images"].into_iter().filter_map(|list| root.get(list)?.as_array());
    let uris = lists.flatten().filter_map(|entry| entry.get("uri")?.as_str());
    let names = uris.filter(|uri| !has_scheme(uri)).map(|uri| percent_decode_str(uri).decode_utf8_lossy());
    names.map(|name| PathBuf::from(&*name)).collect()
}
