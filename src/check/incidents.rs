//! Incidents of a check: its contacts, with the meshes, motions and names of the scene.

use super::baseline::{self, BaselineChoice};
use super::{CheckError, SampledContact};
use crate::cancel::Cancel;
use crate::incident::{Incident, IncidentBody, IncidentOptions, TriangleContact, find_incidents};
use crate::io::{Scene, ScenePositions, SceneShape};

/// The incidents of contacts of a scene, the most severe first.
///
/// `times` are sampled times, seconds, increasing: incidents are measured there. `begin` is where
/// the scene or its check begins, seconds: [`BaselineChoice::Start`] is what touches then.
///
/// # Errors
/// Contacts of other bodies or meshes than the scene's; a baseline of other meshes; a scene that
/// cannot be run.
pub fn incidents_of(
    scene: &Scene,
    contacts: &[TriangleContact],
    times: &[f64],
    begin: f64,
    baseline: &BaselineChoice,
) -> Result<Vec<Incident>, CheckError> {
    incidents_until(scene, contacts, times, begin, baseline, None)
}

/// As [`incidents_of`]; also refuses to go on after a cancellation.
pub(super) fn incidents_until(
    scene: &Scene,
    contacts: &[TriangleContact],
    times: &[f64],
    begin: f64,
    baseline: &BaselineChoice,
    cancel: Option<&Cancel>,
) -> Result<Vec<Incident>, CheckError> {
    let positions = ScenePositions::new(scene, begin, times)?;
    let bodies: Vec<IncidentBody<'_>> = scene
        .bodies
        .iter()
        .map(|body| {
            let mesh = IncidentBody::new(&body.mesh.triangles, &body.mesh.positions).with_labels(&body.labels);
            mesh.standing_in(body.shape != SceneShape::Triangles)
        })
        .collect();
    let positions_at = |body: u32, time: f64| positions.at(body as usize, time);
    let known = baseline::known_pairs(scene, &bodies, begin, baseline)?;
    let mut options = IncidentOptions::default().with_positions(&positions_at).with_times(times);
    (options.baseline, options.cancel) = (known.as_ref(), cancel);
    let found = find_incidents(contacts, &bodies, &options)?;
    positions.finish()?;
    Ok(found)
}

/// Contacts of the only sample, where nothing moves, as contacts over the whole span.
pub(super) fn still_contacts(sampled: &[SampledContact], [begin, end]: [f64; 2]) -> Vec<TriangleContact> {
    let contact = |&SampledContact { bodies, triangles }: &SampledContact| {
        let mut contact = TriangleContact::new(bodies, triangles, begin, end);
        contact.is_clipped = [true; 2];
        contact
    };
    sampled.iter().map(contact).collect()
}
