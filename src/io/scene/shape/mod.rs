//! Primitives that are no mesh file: points, segments, triangles and patches as numbers or in JSON,
//! points of mesh files, spheres.

mod error;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

pub use error::ShapeError;

use super::super::MeshData;
use super::super::error::ReadError;
use super::super::format::FileFormat;
use super::super::labels::{MeshFile, read_mesh};
use super::super::obj::read_obj_points;
use super::super::source::read_first_bytes;
use super::super::spheres::{SphereFile, check_spheres, read_spheres, sphere_of};
use super::super::transforms::json_fault;
use super::SceneError;
use super::file_or::FileOr;
use super::load::{Context, mesh_file, named};
use super::text::BodyText;
use crate::incident::PartLabels;
use crate::mesh::{Mesh, MeshError, Patch, Patches, Primitives};
use crate::motion::Sphere;

/// The primitives of a body.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum SceneShape {
    /// The triangles of its mesh: segments and points too, as triangles that name a vertex twice or
    /// three times.
    #[default]
    Triangles,
    /// Patches, whose control points are the positions of the mesh. The triangles of the mesh stand
    /// for spans of patches: three of the control points of each.
    Patches(Vec<Patch>),
    /// Spheres, which the motion has. The mesh has the diagonals of their boxes, as segments.
    Spheres,
}

/// A patch as scene files write it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PatchText {
    degrees: [usize; 2],
    control: Vec<u32>,
    counts: Option<[usize; 2]>,
    knots: Option<[Vec<f64>; 2]>,
    weights: Option<Vec<f64>>,
}

/// A JSON file of positions and what joins them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShapeFile {
    positions: Vec<[f64; 3]>,
    segments: Option<Vec<[u32; 2]>>,
    patches: Option<Vec<PatchText>>,
}

/// What a body states of its primitives, apart from spheres.
pub(super) struct Stated {
    pub(super) file: MeshFile,
    /// The file of the numbers: the scene's own, or another.
    pub(super) path: PathBuf,
    pub(super) shape: SceneShape,
}

/// The spheres that a body states.
pub(super) struct StatedSpheres {
    /// By pose.
    pub(super) poses: Vec<Vec<Sphere>>,
    pub(super) path: PathBuf,
    pub(super) notes: Vec<String>,
}

/// Refuses bodies that state their primitives twice, or positions for nothing.
pub(super) fn check_keys(context: &Context<'_>, body: &BodyText) -> Result<(), ReadError> {
    let place = context.place;
    let all = [
        ("mesh", body.mesh.as_ref().map(Spanned::span)),
        ("points", body.points.as_ref().map(Spanned::span)),
        ("segments", body.segments.as_ref().map(Spanned::span)),
        ("triangles", body.triangles.as_ref().map(Spanned::span)),
        ("patches", body.patches.as_ref().map(Spanned::span)),
        ("spheres", body.spheres.as_ref().map(Spanned::span)),
    ];
    let mut given = all.into_iter().filter_map(|(key, span)| Some((key, span?)));
    if let (Some((first, _)), Some((second, span))) = (given.next(), given.next())
        // The mesh that spheres stand for may be named beside them.
        && (first, second) != ("mesh", "spheres")
    {
        return Err(place.at_offset(span.start, SceneError::from(ShapeError::Twice { first, second })));
    }
    let wants = is_here(body.segments.as_ref()) || is_here(body.patches.as_ref()) || body.triangles.is_some();
    match &body.positions {
        Some(positions) if !wants => Err(place.at(positions, SceneError::from(ShapeError::NeedlessPositions))),
        _ => Ok(()),
    }
}

fn is_here<T>(value: Option<&Spanned<FileOr<T>>>) -> bool {
    value.is_some_and(|value| matches!(value.get_ref(), FileOr::Here(_)))
}

/// Points, segments, triangles or patches that a body states; `None` for a mesh file or spheres.
pub(super) fn stated(context: &Context<'_>, body: &BodyText) -> Result<Option<Stated>, ReadError> {
    let scene = context.place.path;
    if let Some(points) = &body.points {
        return match points.get_ref() {
            FileOr::Here(points_here) => {
                let positions = narrow(points_here);
                made(cloud(positions), scene).map(Some).map_err(|error| context.place.at(points, error))
            }
            FileOr::File(name) => {
                let path = named(context, points, name)?;
                let positions = read_points(&path)?;
                made(cloud(positions), &path).map(Some).map_err(|error| ReadError::new(&path, error))
            }
        };
    }
    if let Some(segments) = &body.segments {
        return match segments.get_ref() {
            FileOr::Here(list) => {
                let mesh = segments_of(positions(context, body, "segments", segments)?, list);
                made(mesh, scene).map(Some).map_err(|error| context.place.at(segments, error))
            }
            FileOr::File(name) => {
                let path = named(context, segments, name)?;
                let file = read_shape(&path)?;
                let list = file.segments.ok_or_else(|| lacking(&path, "segments"))?;
                made(segments_of(narrow(&file.positions), &list), &path)
                    .map(Some)
                    .map_err(|error| ReadError::new(&path, error))
            }
        };
    }
    if let Some(triangles) = &body.triangles {
        let positions = positions(context, body, "triangles", triangles)?;
        let list = triangles.get_ref().clone();
        let mesh = Mesh::new(positions.len(), list.clone()).map(|_| MeshData { positions, triangles: list });
        let mesh = mesh.map_err(|error| ShapeError::Mesh { key: "triangles", error });
        return made(mesh, scene).map(Some).map_err(|error| context.place.at(triangles, error));
    }
    let Some(patches) = &body.patches else { return Ok(None) };
    match patches.get_ref() {
        FileOr::Here(list) => {
            let positions = positions(context, body, "patches", patches)?;
            patches_of(positions, list, scene).map(Some).map_err(|error| context.place.at(patches, error))
        }
        FileOr::File(name) => {
            let path = named(context, patches, name)?;
            let file = read_shape(&path)?;
            let list = file.patches.ok_or_else(|| lacking(&path, "patches"))?;
            let stated = patches_of(narrow(&file.positions), &list, &path);
            stated.map(Some).map_err(|error| ReadError::new(&path, error))
        }
    }
}

fn made(mesh: Result<MeshData, ShapeError>, path: &Path) -> Result<Stated, SceneError> {
    let file = MeshFile::new(mesh?, PartLabels::default());
    Ok(Stated { file, path: path.to_owned(), shape: SceneShape::Triangles })
}

/// The positions beside a list of primitives.
fn positions<T>(
    context: &Context<'_>,
    body: &BodyText,
    key: &'static str,
    list: &Spanned<T>,
) -> Result<Vec<[f32; 3]>, ReadError> {
    let missing = || context.place.at(list, SceneError::from(ShapeError::NoPositions { key }));
    body.positions.as_ref().map(|positions| narrow(positions.get_ref())).ok_or_else(missing)
}

fn narrow(points: &[[f64; 3]]) -> Vec<[f32; 3]> {
    points.iter().map(|point| point.map(|x| x as f32)).collect()
}

fn cloud(positions: Vec<[f32; 3]>) -> Result<MeshData, ShapeError> {
    let mesh = Mesh::points(positions.len()).map_err(|error| ShapeError::Mesh { key: "points", error })?;
    Ok(MeshData { triangles: mesh.triangles().to_vec(), positions })
}

fn segments_of(positions: Vec<[f32; 3]>, list: &[[u32; 2]]) -> Result<MeshData, ShapeError> {
    let mesh = Mesh::segments(positions.len(), list).map_err(|error| ShapeError::Mesh { key: "segments", error })?;
    Ok(MeshData { triangles: mesh.triangles().to_vec(), positions })
}

fn patches_of(positions: Vec<[f32; 3]>, list: &[PatchText], path: &Path) -> Result<Stated, SceneError> {
    let given: Vec<Patch> = list.iter().enumerate().map(patch).collect::<Result<_, ShapeError>>()?;
    let patches = Patches::new(positions.len(), given.clone()).map_err(ShapeError::Patches)?;
    let corners = |span: usize| {
        let net = patches.points_of(span);
        let columns = patches.span(span as u32).map_or(1, |at| given[at.patch as usize].degrees()[1] + 1);
        [net[0], net[columns - 1], net[net.len() - 1]]
    };
    let triangles = (0..patches.primitive_count()).map(corners).collect();
    let file = MeshFile::new(MeshData { positions, triangles }, PartLabels::default());
    Ok(Stated { file, path: path.to_owned(), shape: SceneShape::Patches(given) })
}

fn patch((number, text): (usize, &PatchText)) -> Result<Patch, ShapeError> {
    let patch = match (text.counts, &text.knots) {
        (None, None) => Patch::bezier(text.degrees, text.control.clone()),
        (Some(counts), Some(knots)) => Patch::nurbs(text.degrees, counts, text.control.clone(), knots.clone()),
        _ => return Err(ShapeError::KnotsAlone { patch: number }),
    };
    Ok(text.weights.iter().fold(patch, |patch, weights| patch.weights(weights.clone())))
}

/// The vertices of a mesh file, of which faces do not matter, or positions in JSON.
fn read_points(path: &Path) -> Result<Vec<[f32; 3]>, ReadError> {
    match FileFormat::of_ending(path) {
        Some(FileFormat::Obj) => read_obj_points(path),
        Some(FileFormat::Ply | FileFormat::Stl) => Ok(read_mesh(path)?.mesh.positions),
        _ => Ok(narrow(&read_shape(path)?.positions)),
    }
}

fn read_shape(path: &Path) -> Result<ShapeFile, ReadError> {
    let bytes = read_first_bytes(path, u64::MAX)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let refused = SceneError::from(ShapeError::Json { message: json_fault(&bytes, &error) });
        ReadError::new(path, refused).at_line(error.line()).at_column(error.column())
    })
}

fn lacking(path: &Path, key: &'static str) -> ReadError {
    ReadError::new(path, SceneError::from(ShapeError::Lacking { key }))
}

/// The spheres of a body; `None` if it has none.
pub(super) fn spheres(context: &Context<'_>, body: &BodyText) -> Result<Option<StatedSpheres>, ReadError> {
    let Some(spheres) = &body.spheres else { return Ok(None) };
    let place = context.place;
    match spheres.get_ref() {
        FileOr::Here(list) => {
            if let Some(mesh) = &body.mesh {
                return Err(place.at(mesh, SceneError::from(ShapeError::MeshOfNumbers)));
            }
            let list: Vec<Sphere> = list.iter().map(sphere_of).collect();
            if list.is_empty() {
                let error = ShapeError::Mesh { key: "spheres", error: MeshError::NoSpheres };
                return Err(place.at(spheres, SceneError::from(error)));
            }
            check_spheres(&list)
                .map_err(|(sphere, fault)| place.at(spheres, SceneError::from(ShapeError::Sphere { sphere, fault })))?;
            Ok(Some(StatedSpheres { poses: vec![list], path: place.path.to_owned(), notes: Vec::new() }))
        }
        FileOr::File(name) => {
            let path = named(context, spheres, name)?;
            let file = read_spheres(&path)?;
            let notes = check_mesh(context, body, &path, &file)?;
            let poses = file.poses.into_iter().map(|pose| pose.spheres).collect();
            Ok(Some(StatedSpheres { poses, path, notes }))
        }
    }
}

/// Compares the mesh that a body names beside its spheres with the one that they were packed for.
fn check_mesh(
    context: &Context<'_>,
    body: &BodyText,
    path: &Path,
    file: &SphereFile,
) -> Result<Vec<String>, ReadError> {
    let (Some(mesh), Some(mesh_path)) = (&body.mesh, mesh_file(context, body)?) else { return Ok(Vec::new()) };
    let Some(mark) = &file.mesh else {
        let name = body.name.get_ref();
        return Ok(vec![format!(
            "{} (body \"{name}\"): the file names no mesh, so it is not known whether its spheres are those of {}",
            path.display(),
            mesh_path.display()
        )]);
    };
    let found = read_mesh(&mesh_path)?.mesh;
    if mark.is_of(&found) {
        return Ok(Vec::new());
    }
    let (vertices, triangles) = (found.positions.len(), found.triangles.len());
    let error = ShapeError::OtherMesh {
        spheres: path.to_owned(),
        packed: mark.file.clone(),
        counts: [mark.vertices, mark.triangles],
        found: [vertices, triangles],
    };
    Err(context.place.at(mesh, SceneError::from(error)))
}
