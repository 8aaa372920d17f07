//! One glTF file as bodies of a scene: its nodes with meshes under one clip, their motion as keys.

use std::path::Path;

use super::super::ReadError;
use super::super::scene::{Scene, SceneBody};
use super::bodies::{BodyKind, ModelBody};
use super::error::{GltfError, GltfErrorKind};
use super::model::Model;
use super::moved::{Moved, OpenModel};
use super::parts::ClipPart;
use super::rate::frames_around;
use super::{GltfOptions, read_with_files};
use crate::io::{MeshData, MotionData};
use crate::limits;
use crate::reduced::ReducedError;

/// How a glTF file is made a scene.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GltfSceneOptions {
    /// What the reader may repair.
    pub read: GltfOptions,
    /// The node whose mesh is read, or the meshes below it, as [`Model::bodies_of`] takes it;
    /// without, all of them.
    pub node: Option<String>,
    /// The clip, as [`Model::clip`] takes it; without, the first.
    pub clip: Option<String>,
    /// Several clips instead of one: in the order in which they take over, or with weights. Takes
    /// precedence over `clip`.
    pub clips: Vec<ClipPart>,
    /// Frames a second at which the clip is sampled; without, [`super::Clip::frame_rate`], or
    /// [`limits::GLTF_FPS`] where the keys show none.
    pub fps: Option<f64>,
    /// How far a vertex may be from its true path between frames, metres; more keys are made where
    /// that needs them. Without, [`limits::GLTF_TOLERANCE`] of the model's size, where that can be
    /// proven; [`SceneBody::deviation`] says how far vertices may be from their paths.
    pub tolerance: Option<f64>,
    /// How much later than the clip's own times it is played, seconds; 0 by default.
    pub offset: f64,
    /// Whether every vertex of every key is stored, rather than the parameters that move them.
    pub stored: bool,
    /// How skins blend the matrices of their joints.
    pub blend: SkinBlend,
}

/// How a skin blends the matrices of its joints.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum SkinBlend {
    /// Linearly, as glTF has it.
    #[default]
    Linear,
    /// By rotations, around the rest positions of joints, so that limbs keep their thickness where
    /// they turn:
    /// [`ReducedBody::blended_spherically`](crate::reduced::ReducedBody::blended_spherically).
    Spherical,
}

/// Whether a path is that of a glTF file, by its ending.
pub fn is_gltf(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    ending.eq_ignore_ascii_case("gltf") || ending.eq_ignore_ascii_case("glb")
}

/// Reads a glTF file as a scene: one body per node with a mesh, moved by one clip, over the clip's
/// span. The scene's `fps` is the rate at which the clip was sampled.
///
/// Bodies that move have a [`MotionData::Reduced`](crate::io::MotionData::Reduced); memory is that
/// of the file. Stored, it is the positions of all keys, at most [`limits::MAX_GLTF_POSITIONS`] a
/// body.
///
/// # Errors
/// As [`read_gltf`](super::read_gltf); a node or clip that does not exist; a scene without
/// triangles; a rate or tolerance that is not positive or asks for too many keys; an offset that is
/// no usable time; under [`SkinBlend::Spherical`], a body without a skin, or whose joints shear or
/// scale unevenly.
pub fn read_gltf_scene(path: impl AsRef<Path>, options: &GltfSceneOptions) -> Result<Scene, ReadError> {
    let path = path.as_ref();
    let (model, named) = read_with_files(path, options.read)?;
    let mut notes = model.notes.clone();
    let taken = take(&mut OpenModel::new(model), path, options, Remedies::Options, &mut notes)
        .map_err(|error| ReadError::new(path, *error))?;
    let bodies = taken.bodies.into_iter().map(|(_, body)| body).collect();
    let files = [path.to_owned()].into_iter().chain(named).collect();
    Ok(Scene { bodies, excluded: Vec::new(), span: Some(taken.span), fps: taken.fps, notes, files })
}

/// What notes name as remedies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io) enum Remedies {
    /// Options of the command line.
    Options,
    /// Keys of a body in a scene file.
    Keys,
}

impl Remedies {
    fn rate(self) -> &'static str {
        match self {
            Self::Options => "--fps sets another rate",
            Self::Keys => "`fps` of the body sets another rate",
        }
    }

    fn tolerance(self) -> &'static str {
        match self {
            Self::Options => "--tolerance brings them nearer",
            Self::Keys => "`tolerance` of the body brings them nearer",
        }
    }
}

/// Bodies of a model under a clip.
pub(in crate::io) struct Taken {
    /// With their nodes.
    pub(in crate::io) bodies: Vec<(usize, SceneBody)>,
    pub(in crate::io) clip: Option<usize>,
    /// Seconds; the clip's, its ends moved to frames that they are a rounding away from.
    pub(in crate::io) span: [f64; 2],
    /// The rate at which the clip was sampled; `None` without a clip.
    pub(in crate::io) fps: Option<f64>,
}

pub(in crate::io) fn take(
    open: &mut OpenModel,
    file: &Path,
    options: &GltfSceneOptions,
    remedies: Remedies,
    notes: &mut Vec<String>,
) -> Result<Taken, Box<GltfError>> {
    let (model, moved) = open.moved(&options.clips, options.clip.as_deref(), options.offset)?;
    notes.extend(moved.notes.iter().cloned());
    let tolerance = match options.tolerance {
        Some(tolerance) => tolerance,
        // Of the whole model, so that a node by itself moves as among the others.
        None => limits::GLTF_TOLERANCE * moved.extent()?,
    };
    let bodies = match &options.node {
        Some(word) => chosen(model, &moved.bodies, word)?,
        None => moved.bodies.clone(),
    };
    let bodies = match options.blend {
        SkinBlend::Linear => bodies,
        SkinBlend::Spherical => {
            bodies.into_iter().map(|body| spherical(model, body)).collect::<Result<_, Box<GltfError>>>()?
        }
    };
    let rate = moved.rate(model, options.fps)?;
    let times = moved.times(model, rate)?;
    let Moved { clip, span, .. } = *moved;
    let timeline = &moved.timeline;
    let mut out = Vec::with_capacity(bodies.len());
    let (mut jumps, mut stored, mut moves) = (false, 0usize, false);
    let (mut deviation, mut measured) = (0.0f64, 0.0f64);
    for body in &bodies {
        let mut times = times.clone();
        if body.kind != BodyKind::Fixed {
            match body.body.pieces(tolerance) {
                Ok(pieces) => times.extend(pieces.times()),
                Err(error) if options.tolerance.is_some() => {
                    let kind = GltfErrorKind::Body(error);
                    return Err(Box::new(GltfError { place: format!("nodes[{}] ({})", body.node, body.name), kind }));
                }
                // The note says what is proven without more keys.
                Err(_) => {}
            }
        }
        let reduced = if options.stored { None } else { Some(body.reduced_at(&times)) };
        let sampled = match reduced {
            Some(Ok(reduced)) => reduced,
            // Keys need no bound of the speed between them.
            Some(Err(GltfError { kind: GltfErrorKind::Body(ReducedError::TooFar { .. }), .. })) => {
                notes.push(format!("{}: its keys are stored, because no bound of its speed is known", body.name));
                body.sampled_at(&times)?
            }
            Some(Err(error)) => return Err(Box::new(error)),
            None => body.sampled_at(&times)?,
        };
        let mesh = body.body.mesh();
        let keys = if matches!(sampled.motion, MotionData::Reduced(_)) { 1 } else { sampled.motion.key_count().max(1) };
        let positions = keys.saturating_mul(mesh.vertex_count());
        stored = stored.saturating_add(positions).saturating_add(mesh.mesh().triangles().len());
        if stored > limits::MAX_GLTF_POSITIONS {
            return Err(Box::new(too_many(format!("nodes[{}] ({})", body.node, body.name))));
        }
        moves |= sampled.motion.key_count() > 1;
        jumps |= sampled.jumps;
        deviation = deviation.max(sampled.deviation);
        measured = measured.max(sampled.measured);
        let triangles = body.body.mesh().mesh().triangles().to_vec();
        let mesh = MeshData { positions: sampled.rest, triangles };
        out.push((
            body.node,
            SceneBody {
                labels: model.labels(body.node),
                deviation: sampled.deviation.is_finite().then_some(sampled.deviation),
                measured_deviation: sampled.measured,
                motion_file: clip.map(|_| file.to_owned()),
                clip: match timeline {
                    Some(timeline) => Some(timeline.name.clone()),
                    None => clip.map(|clip| model.clips[clip].name.clone()),
                },
                mesh_file: file.to_owned(),
                ..SceneBody::new(&body.name, mesh, sampled.motion)
            },
        ));
    }
    if let Some(fps) = rate.filter(|_| moves) {
        notes.push(accuracy(fps, options, remedies, [deviation, measured]));
    }
    if jumps {
        let time = limits::GLTF_STEP_DURATION;
        notes.push(format!(
            "STEP channels make vertices jump; they travel for {time:.1e} s, and touch what is on the way"
        ));
    }
    let span = rate.map_or(span, |fps| frames_around(span, fps));
    Ok(Taken { bodies: out, clip, span, fps: rate })
}

/// A skin under spherical blending.
fn spherical(model: &Model, body: ModelBody) -> Result<ModelBody, Box<GltfError>> {
    let refused = |kind| Box::new(GltfError { place: format!("nodes[{}] ({})", body.node, body.name), kind });
    let has_weights = model.mesh_of(body.node).is_some_and(|mesh| mesh.influences.is_some());
    if model.nodes[body.node].skin.is_none() || !has_weights {
        return Err(refused(GltfErrorKind::NoSkin));
    }
    let blended = body.body.blended_spherically();
    let blended = blended.map_err(|error| refused(GltfErrorKind::NotSpherical { error }))?;
    Ok(ModelBody { body: blended, ..body })
}

fn accuracy(fps: f64, options: &GltfSceneOptions, remedies: Remedies, [deviation, measured]: [f64; 2]) -> String {
    let (another, nearer) = (remedies.rate(), remedies.tolerance());
    let source = if options.fps.is_some() { String::new() } else { format!(", as its keys suggest ({another})") };
    let rate = format!("the clip is sampled at {fps} frames a second{source}");
    // Only the measurement has the rounding of positions.
    let rounding = if deviation < measured { ", their rounding not counted" } else { "" };
    match options.tolerance {
        Some(tolerance) => format!("{rate}; between keys, vertices are within {tolerance} m of their true paths"),
        None if deviation.is_finite() => format!(
            "{rate}; between keys, vertices are within {deviation:.1e} m of their true paths, as proven{rounding}, \
             and within {measured:.1e} m as measured half-way ({nearer})"
        ),
        None => format!(
            "{rate}; between frames, vertices are within {measured:.1e} m of their true paths as measured half-way; \
             nothing is proven ({nearer})"
        ),
    }
}

pub(super) fn too_many(place: String) -> GltfError {
    GltfError { place, kind: GltfErrorKind::TooManyKeys { allowed: limits::MAX_GLTF_POSITIONS } }
}

/// A joint of a skin takes about as much memory as this many positions.
const POSITIONS_PER_JOINT: usize = 16;

/// A small file can name one large mesh or skin very often: what even a scene at rest would need.
pub(super) fn check_size(model: &Model) -> Result<(), GltfError> {
    let sizes = model.mesh_nodes().into_iter().filter_map(|node| {
        let mesh = model.mesh_of(node)?;
        let skin = model.nodes[node].skin.map(|skin| &model.skins[skin as usize]);
        let joints = skin.map_or(0, |skin| skin.joints.len());
        Some(
            mesh.positions
                .len()
                .saturating_add(mesh.triangles.len())
                .saturating_add(joints.saturating_mul(POSITIONS_PER_JOINT)),
        )
    });
    if sizes.fold(0, usize::saturating_add) > limits::MAX_GLTF_POSITIONS {
        return Err(too_many("nodes".into()));
    }
    Ok(())
}

pub(super) fn choose(
    model: &Model,
    wanted: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<Option<usize>, Box<GltfError>> {
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

pub(super) fn chosen(model: &Model, bodies: &[ModelBody], word: &str) -> Result<Vec<ModelBody>, Box<GltfError>> {
    let wanted = model.bodies_of(bodies, word);
    if wanted.is_empty() {
        let known = bodies.iter().map(|body| body.name.clone()).collect();
        let kind = GltfErrorKind::NoNode { wanted: word.to_owned(), known };
        return Err(Box::new(GltfError { place: "nodes".into(), kind }));
    }
    Ok(wanted.into_iter().map(|place| bodies[place].clone()).collect())
}

impl Model {
    /// The bodies, by their places in a list of [`Model::bodies`], that are meant by a word.
    ///
    /// In this order of precedence: the name of one body; the name of a node, for its mesh and the
    /// meshes of all nodes below it; either in another letter case; the number of a node. Empty
    /// where nothing is meant.
    pub fn bodies_of(&self, bodies: &[ModelBody], word: &str) -> Vec<usize> {
        if let Some(place) = bodies.iter().position(|body| body.name == word) {
            return vec![place];
        }
        let below = |top: &dyn Fn(usize) -> bool| -> Vec<usize> {
            let is_below = |&place: &usize| {
                let mut node = Some(bodies[place].node as u32);
                std::iter::from_fn(|| {
                    let this = node?;
                    node = self.nodes[this as usize].parent;
                    Some(this as usize)
                })
                .any(top)
            };
            (0..bodies.len()).filter(is_below).collect()
        };
        let named = below(&|node| self.nodes[node].name == word);
        if !named.is_empty() {
            return named;
        }
        let folded = word.to_lowercase();
        let named = below(&|node| self.nodes[node].name.to_lowercase() == folded);
        if !named.is_empty() {
            return named;
        }
        let number: Option<usize> = word.parse().ok();
        bodies.iter().position(|body| Some(body.node) == number).into_iter().collect()
    }
}
