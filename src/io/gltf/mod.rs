//! glTF 2.0: meshes, node hierarchies, skins, morph targets and clips, as one [`Model`] of plain,
//! checked arrays.
//!
//! Reads `.gltf` and `.glb` with data in the file, in data URIs or in files beside it; sparse,
//! zero-filled and quantised accessors. Of materials only the names are read; images, cameras and
//! lights are passed over unseen. Draco and meshopt are refused with a word on how to convert.
//!
//! | file | does |
//! |---|---|
//! | `container`, `buffers` | the bytes: GLB chunks, data URIs, external files |
//! | `document` | the JSON, as far as it moves geometry |
//! | `accessor` | bytes to numbers |
//! | `meshes`, `weights` | triangles, morph targets, joints and weights |
//! | `nodes`, `clips` | hierarchy and skins, animations |
//! | `model` | what is handed out |
//! | `bodies` | reduced bodies and their rig |
//! | `moved` | all bodies under some clips |
//! | `rate`, `sampled`, `scene` | frames; their motion as keys; a file as a scene |
//! | `jointed` | meshes with the maps of what moves them |
//! | `spheres` | a model with spheres at its nodes, written |
//! | `labels` | names of triangles |
//! | `reference` | `hero.glb#Body@Walk` |
//! | `error` | what can be wrong, and where |
//!
//! Where the format leaves room: the scene is the file's default one, else its first, else all
//! nodes. Weights of a vertex are divided by their sum; where that is not nearly one, with a note.
//! A skinned mesh on a node without skin moves with the node. Points and lines are passed over.
//! Both leave a note.
//!
//! ```no_run
//! use kinetree::io::gltf::{GltfOptions, read_gltf};
//! use kinetree::reduced::Mix;
//! use kinetree::{BodyDef, Outside, World, WorldDef};
//!
//! let model = read_gltf("character.glb", GltfOptions::default())?;
//! let rig = model.rig()?;
//! let names: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
//! let clip = model.clip("Walk").ok_or_else(|| format!("no such clip; there are {names:?}"))?;
//! let mut world = World::new(WorldDef::new())?;
//! for part in model.bodies(&rig, &Mix::clip(&rig, clip, Outside::Loop)?)? {
//!     let sampler = part.body.sampler(part.body.pieces(0.002)?)?; // Within 2 mm of the clip.
//!     world.add_body(BodyDef::bounded(part.body.mesh().mesh().clone(), sampler).named(part.name))?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accessor;
mod bodies;
mod buffers;
mod clips;
mod container;
mod document;
mod error;
mod jointed;
mod labels;
mod meshes;
mod model;
mod moved;
mod nodes;
mod parts;
mod rate;
mod reference;
mod sampled;
mod scene;
mod spheres;
mod weights;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub use bodies::{BodyKind, ModelBody};
pub use error::{GltfError, GltfErrorKind};
pub use jointed::{JointedMesh, JointedPose, read_jointed_meshes};
pub use model::{
    Channel, Clip, Influences, Interpolation, Model, ModelMesh, ModelNode, ModelSkin, NodeTransform, Parts, Property,
};
pub(in crate::io) use moved::OpenModel;
pub use parts::{ClipPart, ClipPartError};
pub(in crate::io) use rate::frames_around;
pub(super) use reference::{Reference, end_of_file_name};
pub use sampled::SampledMotion;
pub use scene::{GltfSceneOptions, SkinBlend, is_gltf, read_gltf_scene};
pub(super) use scene::{Remedies, take};
pub use spheres::{SPHERES_EXTENSION, SphereModel};
pub use weights::BadWeights;

use self::accessor::Accessors;
use self::document::Document;
use self::error::{Checked, at};
use super::error::ReadError;
use super::folder::Folder;
use super::format::FileFormat;
use super::source::read_bytes;

/// What the reader may do about a file that is not as it should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GltfOptions {
    /// Weights that are no numbers, negative, or all zero.
    pub bad_weights: BadWeights,
    /// Whether the document may name data outside its own folder: by absolute paths, by `..`, or by
    /// links that lead out.
    pub allow_outside: bool,
}

impl GltfOptions {
    /// Repairs what can be repaired, with a note.
    #[must_use]
    pub fn repairing() -> Self {
        Self { bad_weights: BadWeights::Repair, ..Self::default() }
    }

    /// Sets whether the document may name data outside its own folder.
    #[must_use]
    pub fn allowing_outside(self, allow_outside: bool) -> Self {
        Self { allow_outside, ..self }
    }
}

/// Reads a `.gltf` or `.glb` file and the files of data it names.
///
/// Time and memory are linear in the files; memory is bounded by
/// [`crate::limits::MAX_GLTF_EXPANSION`].
///
/// # Errors
/// When a file cannot be read or is not glTF 2.0, or holds an index, offset, type or number that is
/// not usable; the problem is [`super::ReadErrorKind::Gltf`], and names the place in the document
/// and the value.
pub fn read_gltf(path: impl AsRef<Path>, options: GltfOptions) -> Result<Model, ReadError> {
    read_with_files(path.as_ref(), options).map(|(model, _)| model)
}

/// As [`read_gltf`]; with the files of data and images that the document names.
pub(super) fn read_with_files(path: &Path, options: GltfOptions) -> Result<(Model, Vec<PathBuf>), ReadError> {
    parse_with_files(&read_bytes(path, FileFormat::Gltf)?, path, options)
}

/// Reads the bytes of a `.gltf` or `.glb` file; `file` is named in errors, and the data files it
/// names are beside it.
///
/// # Errors
/// As [`read_gltf`], apart from reading the file.
pub fn parse_gltf(bytes: &[u8], file: &Path, options: GltfOptions) -> Result<Model, ReadError> {
    parse_with_files(bytes, file, options).map(|(model, _)| model)
}

fn parse_with_files(bytes: &[u8], file: &Path, options: GltfOptions) -> Result<(Model, Vec<PathBuf>), ReadError> {
    let container = container::split(bytes).map_err(|error| ReadError::new(file, *error))?;
    let document: Document = serde_json::from_slice(container.json).map_err(|error| {
        let message = super::transforms::without_place(&error.to_string());
        let refused = GltfError { place: String::new(), kind: GltfErrorKind::Json { message } };
        ReadError::new(file, refused).at_line(error.line()).at_column(error.column())
    })?;
    let folder = Folder::of(file, options.allow_outside);
    let mut model = assemble(&document, &container, &folder, bytes.len() as u64, options)
        .map_err(|error| ReadError::new(file, *error))?;
    if container.trailing > 0 {
        model.notes.push(format!("{} bytes after the end that the GLB header states are not used", container.trailing));
    }
    Ok((model, buffers::files(&document, &folder)))
}

fn assemble(
    document: &Document,
    container: &container::Container<'_>,
    folder: &Folder,
    file_bytes: u64,
    options: GltfOptions,
) -> Checked<Model> {
    check_version(document)?;
    check_extensions(document)?;
    let mut notes = Vec::new();
    let data = buffers::read(&document.buffers, folder)?;
    let buffers = data.of_buffers(&document.buffers, container.binary)?;
    let mut accessors = Accessors::new(document, &buffers, file_bytes.saturating_add(data.bytes()));
    let hierarchy = nodes::hierarchy(document)?;
    let mut meshes = Vec::with_capacity(document.meshes.len());
    for (number, mesh) in document.meshes.iter().enumerate() {
        let mut mesh_data = meshes::read(number, mesh, &mut accessors, options.bad_weights, &mut notes)?;
        // A small file can repeat a long name; each is held with what points to it.
        let held = size_of::<Option<String>>() as u64;
        let names = document.materials_of(mesh).flatten().map(|name| name.len() as u64 + held).sum();
        accessors.charge(&format!("meshes[{number}]"), 1, names)?;
        mesh_data.materials = document.materials_of(mesh).map(|name| name.map(Cow::into_owned)).collect();
        meshes.push(mesh_data);
    }
    let declared = |name: &str| document.extensions_used.iter().any(|used| used == name);
    if accessors.quantised && !declared("KHR_mesh_quantization") {
        notes.push("positions are integers, though the file does not declare KHR_mesh_quantization".into());
    }
    let skins: Vec<ModelSkin> = document
        .skins
        .iter()
        .enumerate()
        .map(|(number, skin)| nodes::read_skin(number, skin, document.nodes.len(), &mut accessors))
        .collect::<Checked<_>>()?;
    let mesh_weights: Vec<Option<Vec<f64>>> = document.meshes.iter().map(|mesh| mesh.weights.clone()).collect();
    let mut nodes = Vec::with_capacity(document.nodes.len());
    for (number, node) in document.nodes.iter().enumerate() {
        let targets = node.mesh.and_then(|mesh| meshes.get(mesh)).map_or(0, |mesh| mesh.targets.len());
        // Weights, here, in the rig and at rest.
        accessors.charge(&format!("nodes[{number}].weights"), targets as u64, 3 * size_of::<f64>() as u64)?;
        nodes.push(nodes::read(number, node, &hierarchy, &meshes, &mesh_weights, &skins, &mut notes)?);
    }
    let mut clips = Vec::with_capacity(document.animations.len());
    for (number, animation) in document.animations.iter().enumerate() {
        clips.push(clips::read(number, animation, &nodes, &mut accessors, &mut notes)?);
    }
    Ok(Model { nodes, order: hierarchy.order, meshes, skins, clips, notes })
}

fn check_version(document: &Document) -> Checked<()> {
    let asset = &document.asset;
    for version in [Some(&asset.version), asset.min_version.as_ref()].into_iter().flatten() {
        let major = version.split('.').next().unwrap_or("");
        if major != "2" {
            return at("asset", GltfErrorKind::Version { found: super::error::quote(version.as_bytes()) });
        }
    }
    Ok(())
}

/// Extensions without which a file's triangles and their motion are the same.
fn is_harmless(extension: &str) -> bool {
    let prefixes = ["KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_", "KHR_lights_", "EXT_lights_"];
    let names =
        ["KHR_mesh_quantization", "KHR_xmp_json_ld", "KHR_xmp", "KHR_node_visibility", "KHR_node_selectability"];
    prefixes.iter().any(|prefix| extension.starts_with(prefix)) || names.contains(&extension)
}

fn check_extensions(document: &Document) -> Checked<()> {
    for (index, extension) in document.extensions_required.iter().enumerate() {
        let place = || format!("extensionsRequired[{index}]");
        if extension == "KHR_draco_mesh_compression" || extension.ends_with("_meshopt_compression") {
            return at(place(), GltfErrorKind::Compressed { extension: extension.clone() });
        }
        if !is_harmless(extension) {
            let extension = super::error::quote(extension.as_bytes());
            return at(place(), GltfErrorKind::Extension { extension });
        }
    }
    Ok(())
}
