//! What the incidents of a check are compared with.

use std::path::Path;

use serde::Deserialize;

use super::CheckError;
use crate::incident::{Baseline, IncidentBody, TriangleContact};
use crate::io::{MotionData, Outside, Scene};
use crate::world::{ContactMode, Engine, IgnoredContacts, WorldDef};

/// What the incidents of a check are compared with.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum BaselineChoice {
    /// Nothing: all incidents are new.
    #[default]
    None,
    /// Triangles that touch where the check begins.
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
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The file cannot be read.
    #[error("{0}")]
    Read(#[from] std::io::Error),
    /// The file is no result of a check.
    #[error("it is no JSON result of a check: {0}")]
    Json(#[from] serde_json::Error),
    /// The file is a JSON file of another kind.
    #[error("its format is '{found}', but a baseline is kinetree-contacts/1, as --json writes it")]
    Format {
        /// The format it states.
        found: String,
    },
    /// A body had another mesh then.
    #[error("body '{body}' has {now} triangles, but had {then} in it; a baseline must be of the same meshes")]
    OtherMesh {
        /// The body.
        body: String,
        /// Triangles in the scene.
        now: usize,
        /// Triangles in the file.
        then: usize,
    },
    /// A contact of a body that the file does not list, or of a triangle that the body does not have.
    #[error("contact {number} names triangle {triangle} of body '{body}', which is not in it")]
    Contact {
        /// Number of the contact in the file, from 0.
        number: usize,
        /// The body it names.
        body: String,
        /// The triangle it names.
        triangle: u32,
    },
}

#[derive(Deserialize)]
struct File {
    format: String,
    #[serde(default)]
    bodies: Vec<FileBody>,
    #[serde(default)]
    intervals: Vec<Pair>,
    #[serde(default)]
    samples: Vec<Sample>,
}

#[derive(Deserialize)]
struct FileBody {
    name: String,
    triangles: usize,
}

#[derive(Deserialize)]
struct Sample {
    pairs: Vec<Pair>,
}

#[derive(Deserialize)]
struct Pair {
    a: String,
    triangle_a: u32,
    b: String,
    triangle_b: u32,
}

/// Reads the contacts of an earlier result, `kinetree-contacts/1`, as a baseline for a scene: those
/// over time and those of the samples.
///
/// Bodies are the same if their names are. Contacts of bodies that the scene does not have are left
/// out.
///
/// # Errors
/// A file that cannot be read or is no result; a body that had another number of triangles.
pub fn read_baseline(path: &Path, scene: &Scene) -> Result<BaselineChoice, BaselineError> {
    let file: File = serde_json::from_slice(&std::fs::read(path)?)?;
    if file.format != "kinetree-contacts/1" {
        return Err(BaselineError::Format { found: file.format });
    }
    for then in &file.bodies {
        let now = scene.bodies.iter().find(|body| body.name == then.name);
        if let Some(now) = now.filter(|body| body.mesh.triangles.len() != then.triangles) {
            let (body, now) = (then.name.clone(), now.mesh.triangles.len());
            return Err(BaselineError::OtherMesh { body, now, then: then.triangles });
        }
    }
    let mut contacts = Vec::new();
    let pairs = file.intervals.iter().chain(file.samples.iter().flat_map(|sample| &sample.pairs));
    for (number, pair) in pairs.enumerate() {
        let sides = [(&pair.a, pair.triangle_a), (&pair.b, pair.triangle_b)];
        for (body, triangle) in sides {
            let is_in = file.bodies.iter().any(|other| other.name == *body && (triangle as usize) < other.triangles);
            if !is_in {
                return Err(BaselineError::Contact { number, body: body.clone(), triangle });
            }
        }
        let place = |name: &str| scene.bodies.iter().position(|body| body.name == name);
        if let (Some(a), Some(b)) = (place(&pair.a), place(&pair.b)) {
            let mut sides = sides.map(|(_, triangle)| triangle);
            if a > b {
                sides.reverse();
            }
            contacts.push(TriangleContact::new([a.min(b) as u32, a.max(b) as u32], sides, 0.0, 0.0));
        }
    }
    contacts.sort_unstable_by_key(|contact| (contact.bodies, contact.triangles));
    contacts.dedup();
    Ok(BaselineChoice::Contacts(contacts))
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
    let (mut world, ids) = scene.world(def, IgnoredContacts::None)?;
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
        body.motion = MotionData::Fixed;
        body.outside = Outside::Hold;
    }
    still
}
