//! Numbers over time, per pair of bodies: the curves of the page's chart.
//!
//! Touching pairs of triangles are counted at every sample, from the intervals. Depth and length of
//! the crossing are measured where something touches, at as many times as a budget allows, and
//! always at the worst times of incidents.

use serde::Serialize;

use super::error::HtmlError;
use crate::check::CheckResult;
use crate::geometry::{Surface, measure, measure_self};
use crate::incident::Place;
use crate::io::{Scene, SceneShape};
use crate::mesh::Mesh;
use crate::motion::Motion;
use crate::time::Moment;

/// Points of a curve at most, besides worst times. More samples share a point, which has the
/// largest of their counts.
const MOST_POINTS: usize = 2_000;

/// Incidents whose worst times are points.
const MOST_WORST: usize = 100;

/// Triangles times measured times of a pair: a second or so at most.
const BUDGET: usize = 20_000_000;

/// Times measured of a pair, besides worst times: at least, and at most.
const MEASURED: [usize; 2] = [16, 400];

/// Pairs of bodies that have curves: those of the most severe incidents.
const MOST_PAIRS: usize = 32;

/// Curves over common times.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Series {
    /// Seconds, increasing.
    pub(super) times: Vec<f64>,
    /// One per pair of bodies that touches, in the order of their numbers; at most 32, those of the
    /// most severe incidents.
    pub(super) pairs: Vec<PairSeries>,
}

/// Curves of one pair of bodies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PairSeries {
    /// The bodies.
    pub(super) bodies: [u32; 2],
    /// Pairs of triangles that touch.
    pub(super) counts: Vec<u32>,
    /// Length of the crossing curve, metres; `None` where it was not measured, as between bodies
    /// that are not made of triangles.
    pub(super) lengths: Vec<Option<f64>>,
    /// Penetration depth, metres; `None` where it was not measured, or neither body is closed.
    pub(super) depths: Vec<Option<f64>>,
}

/// Counts and measures. O(contacts × log(contacts) + points × (contacts + triangles)).
pub(super) fn series(scene: &Scene, result: &CheckResult, motions: &[Motion]) -> Result<Series, HtmlError> {
    let stride = result.times.len().div_ceil(MOST_POINTS).max(1);
    let worst = result.incidents.iter().take(MOST_WORST).map(|incident| incident.worst_time);
    let mut times: Vec<f64> = result.times.iter().copied().step_by(stride).chain(worst).collect();
    times.sort_unstable_by(f64::total_cmp);
    times.dedup();

    let mut order: Vec<u32> = (0..result.contacts.len() as u32).collect();
    let bodies = |&contact: &u32| result.contacts[contact as usize].bodies;
    order.sort_by_key(bodies);
    let mut severe: Vec<[u32; 2]> = Vec::new();
    for incident in &result.incidents {
        if severe.len() < MOST_PAIRS && !severe.contains(&incident.bodies) {
            severe.push(incident.bodies);
        }
    }
    let mut pairs: Vec<PairSeries> = Vec::new();
    let of_pairs = order.chunk_by(|a, b| bodies(a) == bodies(b));
    for contacts in of_pairs.filter(|contacts| severe.contains(&bodies(&contacts[0]))) {
        let counts = counts(result, contacts, &times);
        let none = vec![None; times.len()];
        let mut pair = PairSeries { bodies: bodies(&contacts[0]), counts, lengths: none.clone(), depths: none };
        let is_measured = pair.bodies.iter().all(|&body| scene.bodies[body as usize].shape == SceneShape::Triangles);
        if is_measured {
            measured(scene, result, motions, contacts, &times, &mut pair)?;
        }
        pairs.push(pair);
    }
    Ok(Series { times, pairs })
}

/// Contacts at each time: at it, or at a sample from it to the next time, whichever are most.
fn counts(result: &CheckResult, contacts: &[u32], times: &[f64]) -> Vec<u32> {
    let sorted = |end: usize| {
        let mut places: Vec<Place> =
            contacts.iter().map(|&contact| result.contacts[contact as usize].places()[end]).collect();
        places.sort_unstable();
        places
    };
    let (begins, ends) = (sorted(0), sorted(1));
    let count = |time: f64| {
        let begun = begins.partition_point(|&begin| begin <= Place::at(time));
        (begun - ends.partition_point(|&end| end < Place::at(time))) as u32
    };
    let mut counts: Vec<u32> = times.iter().map(|&time| count(time)).collect();
    for &sample in &result.times {
        let place = times.partition_point(|&time| time <= sample);
        if let Some(most) = place.checked_sub(1).map(|place| &mut counts[place]) {
            *most = (*most).max(count(sample));
        }
    }
    counts
}

/// Measures a pair of bodies where it touches, and writes 0 where it does not.
fn measured(
    scene: &Scene,
    result: &CheckResult,
    motions: &[Motion],
    contacts: &[u32],
    times: &[f64],
    pair: &mut PairSeries,
) -> Result<(), HtmlError> {
    let [a, b] = pair.bodies.map(|body| body as usize);
    let triangles = scene.bodies[a].mesh.triangles.len() + scene.bodies[b].mesh.triangles.len();
    let most = (BUDGET / triangles.max(1)).clamp(MEASURED[0], MEASURED[1]);
    let touching: Vec<usize> = (0..times.len()).filter(|&place| pair.counts[place] > 0).collect();
    let stride = touching.len().div_ceil(most).max(1);
    let is_worst = |time: f64| {
        let own = result.incidents.iter().take(MOST_WORST).filter(|incident| incident.bodies == pair.bodies);
        own.into_iter().any(|incident| incident.worst_time == time)
    };
    let mut surfaces = [Placed::new(scene, a)?, Placed::new(scene, b)?];
    for place in 0..times.len() {
        if pair.counts[place] == 0 {
            pair.lengths[place] = Some(0.0);
            pair.depths[place] = Some(0.0);
        }
    }
    for (number, &place) in touching.iter().enumerate() {
        let time = times[place];
        if !number.is_multiple_of(stride) && !is_worst(time) {
            continue;
        }
        let at_time = |&&contact: &&u32| result.contacts[contact as usize].is_at(time);
        let pairs: Vec<[u32; 2]> =
            contacts.iter().filter(at_time).map(|&contact| result.contacts[contact as usize].triangles).collect();
        for (surface, body) in surfaces.iter_mut().zip([a, b]) {
            surface.place(scene, &motions[body], body, time)?;
        }
        let found = match &surfaces {
            [Placed { surface: Some(surface), .. }, _] if a == b => measure_self(surface, &pairs)?,
            [Placed { surface: Some(first), .. }, Placed { surface: Some(second), .. }] => {
                measure(first, second, &pairs)?
            }
            _ => None,
        };
        pair.lengths[place] = Some(found.as_ref().map_or(0.0, |found| found.length));
        // Triangles within a thickness of each other do not cross.
        pair.depths[place] = match &found {
            Some(found) => found.depth.map(|depth| depth.lo),
            None => Some(0.0),
        };
    }
    Ok(())
}

/// The surface of a body, made at its first time.
struct Placed {
    mesh: Mesh,
    surface: Option<Surface>,
    positions: Vec<[f64; 3]>,
}

impl Placed {
    fn new(scene: &Scene, body: usize) -> Result<Self, HtmlError> {
        let body = &scene.bodies[body];
        let mesh = Mesh::new(body.mesh.positions.len(), body.mesh.triangles.clone())
            .map_err(|error| HtmlError::Mesh { body: body.name.clone(), error })?;
        Ok(Self { mesh, surface: None, positions: Vec::new() })
    }

    fn place(&mut self, scene: &Scene, motion: &Motion, body: usize, time: f64) -> Result<(), HtmlError> {
        self.positions.clear();
        motion.positions(Moment::at(time), &mut self.positions);
        let placed = match &mut self.surface {
            Some(surface) => surface.refit(&self.positions),
            none => {
                // Vertices are welded where they are equal at rest, as incidents have it.
                let rest: Vec<[f64; 3]> =
                    scene.bodies[body].mesh.positions.iter().map(|point| point.map(f64::from)).collect();
                Surface::new(&self.mesh, &rest).and_then(|surface| none.insert(surface).refit(&self.positions))
            }
        };
        Ok(placed?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incident::TriangleContact;

    /// At the jump at 1 s one contact has ended, and another one has not begun.
    #[test]
    fn contacts_do_not_count_at_their_open_ends() {
        let of = |begin, end, is_open| {
            let (bodies, triangles) = ([0, 1], [0, 0]);
            let (is_clipped, is_undecided) = ([false; 2], false);
            TriangleContact { bodies, triangles, begin, end, is_open, is_clipped, is_undecided }
        };
        let contacts = vec![of(0.0, 1.0, [false, true]), of(1.0, 2.0, [true, false])];
        let result = CheckResult { contacts, ..CheckResult::default() };
        assert_eq!(counts(&result, &[0, 1], &[0.0, 1.0, 1.5, 2.0]), [1, 0, 1, 1]);
    }
}
