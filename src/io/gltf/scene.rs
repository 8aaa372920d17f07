//! One glTF file as a scene: its bodies under one clip, their motion as keys.

use std::path::Path;

use super::super::scene::{Outside, Scene, SceneBody};
use super::super::{MeshData, ReadError};
use super::bodies::ModelBody;
use super::error::{GltfError, GltfErrorKind};
use super::model::Model;
use super::{GltfOptions, read_gltf};
use crate::limits;
use crate::reduced::{Mix, Pose};
use crate::time::Moment;

/// How a glTF file is made a scene.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GltfSceneOptions {
    /// What the reader may repair.
    pub read: GltfOptions,
    /// The clip, as [`Model::clip`] takes it; without, the first.
    pub clip: Option<String>,
    /// How far a vertex may be from its true path, metres; without, [`limits::GLTF_TOLERANCE`] of
    /// the model's size.
    pub tolerance: Option<f64>,
}

/// Whether a path is that of a glTF file, by its ending.
pub fn is_gltf(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    ending.eq_ignore_ascii_case("gltf") || ending.eq_ignore_ascii_case("glb")
}

/// Reads a glTF file as a scene: one body per node with a mesh, moved by one clip, over the clip's
/// span.
///
/// Memory is the positions of all keys, at most [`limits::MAX_GLTF_POSITIONS`] a body.
///
/// # Errors
/// As [`read_gltf`]; a clip that does not exist; a scene without triangles; a tolerance that is not
/// positive or asks for too many keys.
pub fn read_gltf_scene(path: impl AsRef<Path>, options: &GltfSceneOptions) -> Result<Scene, ReadError> {
    let path = path.as_ref();
    let model = read_gltf(path, options.read)?;
    scene(&model, path, options).map_err(|error| ReadError::new(path, *error))
}

fn scene(model: &Model, file: &Path, options: &GltfSceneOptions) -> Result<Scene, Box<GltfError>> {
    let mut notes = model.notes.clone();
    check_size(model)?;
    let rig = model.rig()?;
    let clip = choose(model, options.clip.as_deref(), &mut notes)?;
    let mix = clip.map_or_else(Mix::rest, |clip| model.once(clip));
    let end = clip.map_or(0.0, |clip| model.clips[clip].span[1]);
    let bodies = model.bodies(&rig, &mix)?;
    let size = extent(&bodies)?;
    let tolerance = options.tolerance.unwrap_or(limits::GLTF_TOLERANCE * size);
    let mut out = Vec::with_capacity(bodies.len());
    let (mut keys, mut jumps, mut stored) = (0, false, 0usize);
    for body in &bodies {
        let sampled = body.sampled(tolerance)?;
        let mesh = body.body.mesh();
        let positions = sampled.motion.key_count().max(1).saturating_mul(mesh.vertex_count());
        stored = stored.saturating_add(positions).saturating_add(mesh.mesh().triangles().len());
        if stored > limits::MAX_GLTF_POSITIONS {
            let kind = GltfErrorKind::TooManyKeys { allowed: limits::MAX_GLTF_POSITIONS };
            return Err(Box::new(GltfError { place: format!("nodes[{}] ({})", body.node, body.name), kind }));
        }
        keys = keys.max(sampled.motion.key_count());
        jumps |= sampled.jumps;
        let triangles = body.body.mesh().mesh().triangles().to_vec();
        out.push(SceneBody {
            name: body.name.clone(),
            mesh: MeshData { positions: sampled.rest, triangles },
            motion: sampled.motion,
            outside: Outside::Hold,
            self_contact: false,
            neighbours: false,
            thickness: 0.0,
            tree: crate::kinetic::TreeKind::default(),
            group: None,
            mesh_file: file.to_owned(),
            motion_file: clip.map(|_| file.to_owned()),
        });
    }
    if keys > 1 {
        notes.push(format!(
            "vertices are within {tolerance} m of their true paths, by straight motion between {keys} keys; \
             a smaller --tolerance brings them nearer"
        ));
    }
    if jumps {
        let time = limits::GLTF_STEP_DURATION;
        notes.push(format!("STEP channels make vertices jump; they travel for {time} s, and touch what is on the way"));
    }
    let span = Some([mix.span.begin, end]);
    Ok(Scene { bodies: out, excluded: Vec::new(), span, fps: None, notes })
}

/// A small file can name one large mesh very often: what even a scene at rest would need.
fn check_size(model: &Model) -> Result<(), GltfError> {
    let meshes = model.mesh_nodes().into_iter().filter_map(|node| model.mesh_of(node));
    let sizes = meshes.map(|mesh| mesh.positions.len().saturating_add(mesh.triangles.len()));
    if sizes.fold(0, usize::saturating_add) > limits::MAX_GLTF_POSITIONS {
        let kind = GltfErrorKind::TooManyKeys { allowed: limits::MAX_GLTF_POSITIONS };
        return Err(GltfError { place: "nodes".into(), kind });
    }
    Ok(())
}

fn choose(model: &Model, wanted: Option<&str>, notes: &mut Vec<String>) -> Result<Option<usize>, Box<GltfError>> {
    let names = || model.clips.iter().map(|clip| clip.name.clone()).collect::<Vec<_>>();
    let Some(word) = wanted else {
        if model.clips.len() > 1 {
            notes.push(format!("the first of {} clips is used: \"{}\"", model.clips.len(), names().join("\", \"")));
        }
        return Ok((!model.clips.is_empty()).then_some(0));
    };
    model.clip(word).map(Some).ok_or_else(|| {
        let kind = GltfErrorKind::NoClip { wanted: word.to_owned(), known: names() };
        Box::new(GltfError { place: "animations".into(), kind })
    })
}

/// The largest side of the box around all bodies when the motion begins, metres.
fn extent(bodies: &[ModelBody]) -> Result<f64, GltfError> {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let (mut pose, mut points) = (Pose::default(), Vec::new());
    for body in bodies {
        body.body.pose(Moment::at(body.body.driver().span().begin), &mut pose);
        body.body
            .mesh()
            .evaluate_all(&pose, &mut points)
            .map_err(|error| GltfError { place: format!("nodes[{}]", body.node), kind: GltfErrorKind::Body(error) })?;
        for point in &points {
            for axis in 0..3 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
    }
    let size = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
    // A model of one point moves exactly or not at all; any scale will do.
    Ok(if size > 0.0 { size } else { 1.0 })
}
