//! The mesh to be packed and its poses.

use std::path::PathBuf;

use super::super::Failure;
use super::super::inputs::refused;
use super::super::when::digits;
use super::PackOptions;
use super::skin::Skin;
use crate::io::gltf::{GltfOptions, GltfSceneOptions, is_gltf, read_jointed_meshes};
use crate::io::{Input, InputOptions, MeshData, Scene, SceneShape, read_inputs_with, read_mesh};
use crate::math::vector::widened;
use crate::mesh::Mesh;

/// The name of a pose, and its positions in metres.
type Pose = (String, Vec<[f64; 3]>);

/// A mesh at rest and in other poses.
pub(super) struct Body {
    /// The name of its file, without folders.
    pub(super) name: String,
    pub(super) data: MeshData,
    pub(super) mesh: Mesh,
    /// Metres.
    pub(super) rest: Vec<[f64; 3]>,
    pub(super) poses: Vec<Pose>,
    /// What was read.
    pub(super) files: Vec<PathBuf>,
    /// With `--joints`.
    pub(super) skin: Option<Skin>,
}

pub(super) fn read(options: &PackOptions) -> Result<Body, Failure> {
    let input: Input = options.mesh.parse()?;
    if options.mesh.to_ascii_lowercase().contains(".toml#") {
        let reason = "a scene file has no nodes; give the body's own mesh file, which `kinetree info` names";
        return Err(Failure::Input(format!("{}: {reason}", options.mesh)));
    }
    if options.joints {
        return jointed(options, input);
    }
    let mut files = vec![input.path.clone()];
    files.extend(input.motion.clone());
    files.extend_from_slice(&options.poses);
    let reading = InputOptions::default().at_fps(options.fps).allowing_outside(options.allow_outside);
    let scene = read_inputs_with(&[input], &reading, &mut |_| {}).map_err(|error| refused(&error))?;
    let [body] = &scene.bodies[..] else {
        return Err(several(options, scene.bodies.iter().map(|body| body.name.as_str())));
    };
    if body.shape != SceneShape::Triangles {
        return Err(Failure::Input(format!("{}: this is no mesh of triangles", options.mesh)));
    }
    let data = body.mesh.clone();
    let mesh = Mesh::new(data.positions.len(), data.triangles.clone())
        .map_err(|error| Failure::Input(format!("{}: {error}", options.mesh)))?;
    let name = body.mesh_file.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let mut poses = files_of(options, &data)?;
    poses.extend(clip(options, &scene)?);
    Ok(Body { name, rest: widened(&data.positions), data, mesh, poses, files, skin: None })
}

fn several<'a>(options: &PackOptions, names: impl Iterator<Item = &'a str>) -> Failure {
    let names: Vec<&str> = names.collect();
    let is_model = options.mesh.parse().is_ok_and(|input: Input| is_gltf(&input.path));
    let remedy = if is_model {
        "name a node after #, or pack all with --joints"
    } else {
        "give the body's own mesh file, which `kinetree info` names"
    };
    Failure::Input(format!(
        "{}: this has {} bodies, and one is packed at a time: {}; {remedy}",
        options.mesh,
        names.len(),
        names.join(", ")
    ))
}

/// All meshes of a model as one, at rest and in poses of its clip.
fn jointed(options: &PackOptions, input: Input) -> Result<Body, Failure> {
    if !is_gltf(&input.path) {
        return Err(Failure::Input(format!(
            "--joints: {} is no glTF model (.glb, .gltf), so it has no joints; leave it out",
            options.mesh
        )));
    }
    let read = GltfOptions::default().allowing_outside(options.allow_outside);
    let reading = GltfSceneOptions { read, node: input.node, clip: input.clip, ..GltfSceneOptions::default() };
    let meshes = read_jointed_meshes(&input.path, &reading).map_err(|error| refused(&error))?;
    let times: Vec<f64> = match meshes.first().and_then(|mesh| mesh.span) {
        Some(span) => times(options.clip_poses, span).collect(),
        None if options.clip_poses == 0 => Vec::new(),
        None => return Err(still(options)),
    };
    let skin = Skin::new(meshes, &times)?;
    let data = skin.mesh();
    let mesh = Mesh::new(data.positions.len(), data.triangles.clone())
        .map_err(|error| Failure::Input(format!("{}: {error}", options.mesh)))?;
    let name = input.path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let mut positions = skin.poses.iter().map(|pose| pose.positions.clone());
    let rest = positions.next().unwrap_or_default();
    let poses = times.iter().map(|&time| format!("{} s", digits(time))).zip(positions).collect();
    Ok(Body { name, data, mesh, rest, poses, files: vec![input.path], skin: Some(skin) })
}

/// Poses that are meshes of their own.
fn files_of(options: &PackOptions, rest: &MeshData) -> Result<Vec<Pose>, Failure> {
    let mut poses = Vec::with_capacity(options.poses.len());
    for path in &options.poses {
        let pose = read_mesh(path)?.mesh;
        if pose.positions.len() != rest.positions.len() || pose.triangles != rest.triangles {
            return Err(Failure::Input(format!(
                "{}: {} vertices and {} triangles, or other triangles than the {} and {} of {}; export all poses from the \
                 same object, with the same modifiers",
                path.display(),
                pose.positions.len(),
                pose.triangles.len(),
                rest.positions.len(),
                rest.triangles.len(),
                options.mesh
            )));
        }
        let name = path.file_stem().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        poses.push((name, widened(&pose.positions)));
    }
    Ok(poses)
}

/// Poses of the mesh's motion.
fn clip(options: &PackOptions, scene: &Scene) -> Result<Vec<Pose>, Failure> {
    let count = options.clip_poses;
    if count == 0 {
        return Ok(Vec::new());
    }
    let Some(span) = scene.default_span() else { return Err(still(options)) };
    times(count, span).map(|time| Ok((format!("{} s", digits(time)), scene.positions_at(0, time)?))).collect()
}

fn still(options: &PackOptions) -> Failure {
    Failure::Input(format!("--clip-poses: {} does not move; leave it out", options.mesh))
}

/// Times from the first to the last of a span, evenly, seconds.
fn times(count: u32, [begin, end]: [f64; 2]) -> impl Iterator<Item = f64> {
    let last = f64::from(count.max(2) - 1);
    (0..count).map(move |pose| begin + (end - begin) * f64::from(pose) / last)
}
