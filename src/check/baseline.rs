//! What the incidents of a check are compared with.

use std::path::Path;

use super::{CheckError, ResultFile, ResultFileError, read_result};
use crate::incident::{Baseline, IncidentBody, TriangleContact};
use crate::io::{MotionData, Outside, Part, Scene};
use crate::world::{ContactMode, Engine, IgnoredContacts, WorldDef};

/// What the incidents of a check are compared with.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum BaselineChoice {
    /// Nothing: all incidents are new.
    #[default]
    None,
    /// Triangles that touch where the scene begins, or its check, if that is earlier.
    Start,
    /// Triangles that touch at this time, seconds: at frame 0, for example.
    Time(f64),
    /// Triangles that touch in the rest pose: each body as its mesh has it, a rigid one placed by
    /// its first key.
    Rest,
    /// These contacts, as of an earlier result ([`read_baseline`]). Their times do not matter.
    Contacts(Vec<TriangleContact>),
}

/// Why an earlier result cannot be the baseline of a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The file is refused.
    #[error(transparent)]
    File(#[from] ResultFileError),
    /// A body had another mesh then.
    #[error("body '{body}' has {now} triangles, but had {then} then; a baseline must be of the same meshes")]
    OtherMesh {
        /// The body.
        body: String,
        /// Triangles in the scene.
        now: usize,
        /// Triangles in the file.
        then: usize,
    },
    /// A result of another scene.
    #[error("none of its bodies is in this scene; give a result of this scene")]
    OtherScene,
}

/// Reads the contacts of an earlier result as a baseline for a scene: those over time and those of
/// the samples.
///
/// Bodies are the same if their names are. Contacts of bodies that the scene does not have are left
/// out.
///
/// # Errors
/// A file that is refused ([`read_result`]); a body that had another number of triangles; a result
/// that has none of the scene's bodies.
pub fn read_baseline(path: impl AsRef<Path>, scene: &Scene) -> Result<BaselineChoice, BaselineError> {
    let ResultFile { result, samples, .. } = read_result(path)?;
    let mut places = Vec::with_capacity(result.bodies.len());
    for then in &result.bodies {
        let place = scene.bodies.iter().position(|body| body.name == then.name);
        if let Some(place) = place {
            let now = scene.bodies[place].mesh.triangles.len();
            if now != then.triangles {
                return Err(BaselineError::OtherMesh { body: then.name.clone(), now, then: then.triangles });
            }
        }
        places.push(place);
    }
    if places.iter().all(Option::is_none) {
        return Err(BaselineError::OtherScene);
    }
    let over_time = result.contacts.iter().map(|contact| (contact.bodies, contact.triangles));
    let sampled = samples.iter().flat_map(|sample| &sample.contacts);
    let mut known = Vec::new();
    for (bodies, mut triangles) in over_time.chain(sampled.map(|contact| (contact.bodies, contact.triangles))) {
        if let [Some(a), Some(b)] = bodies.map(|body| places[body as usize]) {
            if a > b {
                triangles.reverse();
            }
            known.push(([a.min(b) as u32, a.max(b) as u32], triangles));
        }
    }
    known.sort_unstable();
    known.dedup();
    let contact = |(bodies, triangles)| TriangleContact::new(bodies, triangles, 0.0, 0.0);
    Ok(BaselineChoice::Contacts(known.into_iter().map(contact).collect()))
}

/// The pairs of triangles that a baseline knows; `None` without a baseline.
pub(super) fn known_pairs(
    scene: &Scene,
    bodies: &[IncidentBody<'_>],
    begin: f64,
    choice: &BaselineChoice,
) -> Result<Option<Baseline>, CheckError> {
    let contacts = match choice {
        BaselineChoice::None => return Ok(None),
        BaselineChoice::Start => contacts_at(scene, begin)?,
        BaselineChoice::Time(time) => contacts_at(scene, *time)?,
        BaselineChoice::Rest => contacts_at(&at_rest(scene), 0.0)?,
        BaselineChoice::Contacts(contacts) => contacts.clone(),
    };
    Ok(Some(Baseline::new(&contacts, bodies)?))
}

/// The contacts of a scene at one time, seconds.
fn contacts_at(scene: &Scene, time: f64) -> Result<Vec<TriangleContact>, CheckError> {
    let def = WorldDef { start: time, engine: Engine::Refit, contacts: ContactMode::AtTimes, ..WorldDef::default() };
    let part = Part { exact: &[time], span: Some([time; 2]), ..Part::default() };
    let (mut world, ids) = scene.world_of_pairs(def, IgnoredContacts::None, part, |_, _| true)?;
    world.advance_to(time)?;
    let places = super::source::Places::new(&ids);
    let contact = |contact: &crate::world::Contact| {
        let bodies = [places.of(contact.a), places.of(contact.b)];
        TriangleContact::new(bodies, [contact.triangle_a, contact.triangle_b], time, time)
    };
    Ok(world.contacts().iter().map(contact).collect())
}

/// The same bodies, each held as its mesh has it, or as its first key places it.
fn at_rest(scene: &Scene) -> Scene {
    let mut still = scene.clone();
    for body in &mut still.bodies {
        if matches!(body.motion, MotionData::Rigid { .. })
            && let Some(placed) = body.vertices_at_key(0)
        {
            body.mesh.positions = placed;
        }
        body.motion = body.motion.at_first_key();
        body.outside = Outside::Hold;
    }
    still
}
