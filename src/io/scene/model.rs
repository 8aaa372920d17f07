//! Bodies of a scene that are nodes of a glTF file: `mesh = "hero.glb#Body@Walk"`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;

use toml::Spanned;

use super::super::error::ReadError;
use super::super::gltf::{
    ClipPart, GltfErrorKind, GltfOptions, GltfSceneOptions, OpenModel, Reference, Remedies, SkinBlend, read_with_files,
    take,
};
use super::load::{Context, named};
use super::text::{BodyText, ClipText, Metres};
use super::{SceneBody, SceneError};
use crate::limits;

/// Whether a `mesh` names a glTF file, perhaps with a node and a clip.
pub(super) fn is_model(mesh: &str) -> bool {
    Reference::parse(mesh).is_some()
}

/// The models that bodies of the scene have named: each file is read once. Bodies that follow each
/// other with the same clips are made together.
#[derive(Default)]
pub(super) struct Models {
    read: BTreeMap<PathBuf, OpenModel>,
}

impl Models {
    /// The body that `mesh` names, with the name of its node.
    pub(super) fn body(
        &mut self,
        context: &Context<'_>,
        body: &BodyText,
        mesh: &Spanned<String>,
        notes: &mut Vec<String>,
    ) -> Result<SceneBody, ReadError> {
        let place = context.place;
        refuse_needless(context, body)?;
        let Some(Reference { path, node, clip }) = Reference::parse(mesh.get_ref()) else {
            return Err(place.at(mesh, SceneError::MeshFormat { name: mesh.get_ref().clone() }));
        };
        let path = named(context, mesh, &path.to_string_lossy())?;
        self.read.iter_mut().filter(|(file, _)| **file != path).for_each(|(_, open)| open.forget());
        let open = match self.read.entry(path.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let read = if context.options.repair { GltfOptions::repairing() } else { GltfOptions::default() };
                let (model, files) = read_with_files(&path, read.allowing_outside(context.options.allow_outside))?;
                context.files.borrow_mut().extend(files);
                notes.extend(model.notes.iter().map(|note| format!("{}: {note}", path.display())));
                entry.insert(OpenModel::new(model))
            }
        };
        let clip = match (&body.clip, clip) {
            (Some(other), Some(_)) => return Err(place.at(other, SceneError::ClipTwice)),
            (Some(clip), None) => Some(clip.get_ref().clone()),
            (None, clip) => clip,
        };
        let clips = match &body.clips {
            Some(clips) if clip.is_some() => return Err(place.at(clips, SceneError::ClipTwice)),
            Some(clips) if clips.get_ref().is_empty() => return Err(place.at(clips, SceneError::NoClips)),
            Some(clips) => clips.get_ref().iter().map(part).collect(),
            None => Vec::new(),
        };
        let options = GltfSceneOptions {
            node,
            clip,
            clips,
            offset: offset(context, body)?,
            stored: body.stored.as_ref().map_or(context.options.stored, |stored| *stored.get_ref()),
            fps: body.fps.as_ref().or(context.fps).map(|fps| *fps.get_ref()),
            tolerance: tolerance(context, body)?,
            blend: body.blend.as_ref().map_or_else(SkinBlend::default, |blend| *blend.get_ref()),
            ..GltfSceneOptions::default()
        };
        let mut remarks = Vec::new();
        let taken = take(open, &path, &options, Remedies::Keys, &mut remarks).map_err(|error| {
            let is_of_clips = matches!(error.kind, GltfErrorKind::ClipPart { .. } | GltfErrorKind::NoClip { .. });
            let is_of_blend = matches!(error.kind, GltfErrorKind::NoSkin | GltfErrorKind::NotSpherical { .. });
            match (&body.clips, &body.blend) {
                (Some(clips), _) if is_of_clips => place.at(clips, *error),
                (_, Some(blend)) if is_of_blend => place.at(blend, *error),
                _ => place.at(mesh, *error),
            }
        })?;
        for remark in remarks {
            notes.push(format!("{} (body \"{}\"): {remark}", path.display(), body.name.get_ref()));
        }
        let names: Vec<String> = taken.bodies.iter().map(|(_, body)| body.name.clone()).collect();
        let mut bodies = taken.bodies.into_iter();
        match (bodies.next(), bodies.next()) {
            (Some((_, body)), None) => Ok(body),
            _ => Err(place.at(mesh, SceneError::SeveralNodes { names })),
        }
    }
}

/// One clip of several.
fn part(text: &ClipText) -> ClipPart {
    let ClipText { clip, start, blend, rate, repeats, weight } = text;
    ClipPart { clip: clip.clone(), start: *start, blend: *blend, rate: *rate, repeats: *repeats, weight: *weight }
}

/// How much later than its own times a motion is played, seconds.
pub(super) fn offset(context: &Context<'_>, body: &BodyText) -> Result<f64, ReadError> {
    let Some(offset) = &body.offset else { return Ok(0.0) };
    let value = *offset.get_ref();
    if !(value.abs() <= limits::MAX_TIME) {
        return Err(context.place.at(offset, SceneError::Offset { value }));
    }
    Ok(value)
}

fn tolerance(context: &Context<'_>, body: &BodyText) -> Result<Option<f64>, ReadError> {
    let Some(tolerance) = &body.tolerance else { return Ok(None) };
    let Metres(value) = *tolerance.get_ref();
    if !(value > 0.0 && value <= limits::MAX_COORDINATE) {
        return Err(context.place.at(tolerance, SceneError::Tolerance { value }));
    }
    Ok(Some(value))
}

/// Keys that say what a glTF file says by itself.
fn refuse_needless(context: &Context<'_>, body: &BodyText) -> Result<(), ReadError> {
    let place = context.place;
    let owned = |key| SceneError::ModelMoves { key };
    if let Some(motion) = &body.motion {
        return Err(place.at(motion, owned("motion")));
    }
    if let Some(velocity) = &body.velocity {
        return Err(place.at(velocity, owned("velocity")));
    }
    if let Some(plan) = &body.plan {
        return Err(place.at(plan, owned("plan")));
    }
    if let Some(times) = &body.times {
        return Err(place.at(times, owned("times")));
    }
    if let Some(check) = &body.check_order {
        return Err(place.at(check, SceneError::NeedlessOrder));
    }
    Ok(())
}
