//! Incidents of a list of contacts.

use super::contact::Place;
use super::group::group_until;
use super::measure::measure_all;
use super::peak::Peak;
use super::{Baseline, Incident, IncidentBody, IncidentError, PartNames, TriangleContact};
use crate::cancel::Cancel;
use crate::math::Aabb;

/// Positions of all vertices of a body, metres, by its number and the time in seconds.
pub type Positions<'a> = dyn Fn(u32, f64) -> Vec<[f64; 3]> + 'a;

/// How incidents are found.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct IncidentOptions<'a> {
    /// What was there before; without it all incidents are new.
    pub baseline: Option<&'a Baseline>,
    /// Where the bodies are. Without it nothing is measured, and the worst time is that of most
    /// pairs.
    pub positions: Option<&'a Positions<'a>>,
    /// Times at which incidents are measured besides their ends, such as frames or keys: seconds,
    /// increasing.
    pub times: &'a [f64],
    /// Ends the computation with [`IncidentError::Cancelled`]. It is read for each pair of bodies,
    /// for each incident and for each measurement.
    pub cancel: Option<&'a Cancel>,
}

impl<'a> IncidentOptions<'a> {
    /// The same options with a baseline, made for the same bodies.
    #[must_use]
    pub fn with_baseline(mut self, baseline: &'a Baseline) -> Self {
        self.baseline = Some(baseline);
        self
    }

    /// The same options with positions to measure.
    #[must_use]
    pub fn with_positions(mut self, positions: &'a Positions<'a>) -> Self {
        self.positions = Some(positions);
        self
    }

    /// The same options with times to measure at, seconds, increasing.
    #[must_use]
    pub fn with_times(mut self, times: &'a [f64]) -> Self {
        self.times = times;
        self
    }

    /// The same options with a flag that ends the computation.
    #[must_use]
    pub fn with_cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }
}

/// The incidents of contacts, the most severe first ([`Incident::by_severity`]).
///
/// Numbers of bodies in `contacts` are places in `bodies`. The result depends on nothing but the
/// arguments. O(n log n) for n contacts, besides the names. With positions, each incident is also
/// measured, at up to 9 times, and the 12 most severe at up to 29: each costs O(triangles) to place
/// its bodies and what [`measure`](crate::geometry::measure) costs.
///
/// # Errors
/// A contact that names what does not exist or has no stretch of time; a mesh that names a vertex
/// that does not exist; [`IncidentError::Cancelled`].
pub fn find_incidents(
    contacts: &[TriangleContact],
    bodies: &[IncidentBody<'_>],
    options: &IncidentOptions<'_>,
) -> Result<Vec<Incident>, IncidentError> {
    let groups = group_until(contacts, bodies, options.cancel)?;
    let mut incidents = Vec::with_capacity(groups.len());
    for group in groups {
        go_on(options.cancel)?;
        incidents.push(incident(group, contacts, bodies, options));
    }
    if let Some(positions) = options.positions {
        measure_all(&mut incidents, contacts, bodies, positions, options)?;
    }
    incidents.sort_by(Incident::by_severity);
    Ok(incidents)
}

/// Refuses to go on after a cancellation.
pub(super) fn go_on(cancel: Option<&Cancel>) -> Result<(), IncidentError> {
    if cancel.is_some_and(Cancel::is_cancelled) { Err(IncidentError::Cancelled) } else { Ok(()) }
}

/// The incident of a group of contacts, as far as it is known without positions.
fn incident(
    group: Vec<u32>,
    contacts: &[TriangleContact],
    bodies: &[IncidentBody<'_>],
    options: &IncidentOptions<'_>,
) -> Incident {
    let members: Vec<TriangleContact> = group.iter().map(|&contact| contacts[contact as usize]).collect();
    let of = members[0].bodies;
    let is_own = of[0] == of[1];
    let begin = members.iter().map(|contact| contact.places()[0]).min().unwrap_or(Place::at(0.0));
    let end = members.iter().map(|contact| contact.places()[1]).max().unwrap_or(Place::at(0.0));
    let triangles = triangles(&members, is_own);
    let names = [0, 1].map(|side| {
        let labels = bodies[of[side] as usize].labels;
        labels.map_or_else(PartNames::default, |labels| labels.names_of(&triangles[side]))
    });
    let peak = Peak::of(&members);
    let all_pairs = pairs(&members, is_own);
    let (new_pairs, is_new) = options.baseline.map_or((all_pairs, true), |known| {
        let is_unknown = |contact: &&TriangleContact| !known.knows(contact, bodies);
        let unknown: Vec<TriangleContact> = members.iter().filter(is_unknown).copied().collect();
        (pairs(&unknown, is_own), unknown.len() == members.len())
    });
    Incident {
        bodies: of,
        begin: begin.time,
        end: end.time,
        is_open: [begin.is_open(), end.is_open()],
        is_clipped: [0, 1].map(|end| members.iter().any(|contact| contact.is_clipped[end])),
        worst_time: peak.middle(),
        contacts: group,
        undecided: members.iter().filter(|contact| contact.is_undecided).count(),
        pairs: all_pairs,
        most_pairs: peak.contacts,
        triangles,
        is_measured: false,
        depth: None,
        length: 0.0,
        area: 0.0,
        centre: [0.0; 3],
        bounds: Aabb::EMPTY,
        names,
        new_pairs,
        is_new,
    }
}

/// Different triangles of each body, increasing.
fn triangles(members: &[TriangleContact], is_own: bool) -> [Vec<u32>; 2] {
    let sorted = |mut all: Vec<u32>| {
        all.sort_unstable();
        all.dedup();
        all
    };
    if is_own {
        let both = sorted(members.iter().flat_map(|contact| contact.triangles).collect());
        return [both.clone(), both];
    }
    [0, 1].map(|side| sorted(members.iter().map(|contact| contact.triangles[side]).collect()))
}

/// The number of different pairs of triangles.
fn pairs(members: &[TriangleContact], is_own: bool) -> usize {
    let unordered = |[p, q]: [u32; 2]| if is_own { [p.min(q), p.max(q)] } else { [p, q] };
    let mut pairs: Vec<[u32; 2]> = members.iter().map(|contact| unordered(contact.triangles)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.len()
}
