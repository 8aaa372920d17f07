//! When an incident is worst, and how bad it is then.
//!
//! Every incident is measured in the middle of the stretch with the most pairs, at its begin and
//! end, and at up to `FEW` sampled times, spread evenly over it. The `MOST_REFINED` most severe are
//! then measured at up to `MANY` sampled times, and between the worst time and the times beside it.
//!
//! A measurement that seeks the worst time ends as soon as the incident is shown to be no deeper
//! than at an earlier one. What an incident shows besides depth and length is measured once.
//!
//! At no measured time the depth exceeds the result by more than 1 %, unless a search spends its
//! budget; without depths, the result is at least as bad as at each measured time. Between measured
//! times nothing is guaranteed. The number of measurements is linear in that of incidents, however
//! long these are.

use std::cmp::Ordering;

use super::find::{IncidentOptions, Positions, go_on};
use super::{Incident, IncidentBody, IncidentError, TriangleContact};
use crate::cancel::Cancel;
use crate::geometry::{Common, Measure, Surface, measure, measure_self};
use crate::math::Aabb;
use crate::math::vector::widened;
use crate::mesh::Mesh;
use crate::threads;

/// Most sampled times at which every incident is measured.
const FEW: usize = 6;
/// Most sampled times at which a severe incident is measured.
const MANY: usize = 12;
/// Incidents that are measured at many times, by severity at few times.
const MOST_REFINED: usize = 12;
/// Halvings of the stretches beside the worst time.
const REFINEMENTS: usize = 4;
/// Most instants that are measured at once: each has surfaces of its own.
const MOST_AT_ONCE: usize = 4;

/// How bad an incident is at a time.
#[derive(Clone, Copy, Debug)]
struct Sample {
    time: f64,
    /// Pairs of triangles that touch, by the contacts.
    pairs: usize,
    depth: Option<f64>,
    length: f64,
}

/// What an incident shows of a time besides depth and length.
#[derive(Clone, Debug)]
struct Found {
    depth: Option<f64>,
    length: f64,
    area: f64,
    centre: [f64; 3],
    bounds: Aabb,
}

impl Sample {
    /// Worse is greater: depth, then length, then pairs, then the earlier time.
    fn badness(&self, other: &Self) -> Ordering {
        let depth = |sample: &Self| sample.depth.unwrap_or(0.0);
        (depth(self).total_cmp(&depth(other)))
            .then(self.length.total_cmp(&other.length))
            .then(self.pairs.cmp(&other.pairs))
            .then(other.time.total_cmp(&self.time))
    }
}

/// By body, the surfaces of those with contacts, each with the last time that it was needed at.
type Placed = Vec<Option<(Surface, f64)>>;

/// The surfaces of bodies with contacts, several times for several instants at once.
struct Surfaces<'a> {
    positions: &'a Positions<'a>,
    placed: Vec<Placed>,
    cancel: Option<&'a Cancel>,
    /// Whether triangles of a body only stand for something else.
    stand_ins: Vec<bool>,
}

impl<'a> Surfaces<'a> {
    /// Surfaces of the bodies of some incidents.
    fn new(
        incidents: &[Incident],
        bodies: &[IncidentBody<'_>],
        positions: &'a Positions<'a>,
        cancel: Option<&'a Cancel>,
    ) -> Result<Self, IncidentError> {
        let mut placed = vec![None; bodies.len()];
        for body in incidents.iter().flat_map(|incident| incident.bodies) {
            let place = &mut placed[body as usize];
            if place.is_none() {
                go_on(cancel)?;
                let body = &bodies[body as usize];
                let mesh = Mesh::new(body.rest.len(), body.triangles.to_vec())?;
                let rest = widened(body.rest);
                *place = Some((Surface::new(&mesh, &rest)?, f64::NAN));
            }
        }
        let stand_ins = bodies.iter().map(|body| body.is_stand_in).collect();
        let placed = vec![placed; threads::count().clamp(1, MOST_AT_ONCE)];
        Ok(Self { positions, placed, cancel, stand_ins })
    }

    /// Whether the triangles of both bodies are all there is to measure.
    fn are_measurable(&self, bodies: [u32; 2]) -> bool {
        bodies.iter().all(|&body| !self.stand_ins[body as usize])
    }

    /// The surfaces of two bodies at a time.
    fn at(&mut self, bodies: [u32; 2], time: f64) -> Result<Option<[&Surface; 2]>, IncidentError> {
        go_on(self.cancel)?;
        let moved = moved(&self.placed[0], bodies, time, self.positions);
        place(&mut self.placed[0], moved, time)?;
        Ok(surfaces_of(&self.placed[0], bodies))
    }
}

/// Which of some bodies are not where they are at a time, with the positions of their vertices
/// then.
fn moved(
    placed: &Placed,
    bodies: impl IntoIterator<Item = u32>,
    time: f64,
    positions: &Positions<'_>,
) -> Vec<(u32, Vec<[f64; 3]>)> {
    let mut moved: Vec<u32> = bodies.into_iter().collect();
    moved.sort_unstable();
    moved.dedup();
    moved.retain(|&body| placed[body as usize].as_ref().is_some_and(|(_, at)| *at != time));
    moved.into_iter().map(|body| (body, positions(body, time))).collect()
}

/// Puts bodies where they are at a time.
fn place(placed: &mut Placed, moved: Vec<(u32, Vec<[f64; 3]>)>, time: f64) -> Result<(), IncidentError> {
    for (body, positions) in moved {
        if let Some((surface, at)) = &mut placed[body as usize] {
            surface.refit(&positions)?;
            *at = time;
        }
    }
    Ok(())
}

fn surfaces_of(placed: &Placed, bodies: [u32; 2]) -> Option<[&Surface; 2]> {
    let [first, second] = bodies.map(|body| placed[body as usize].as_ref().map(|(surface, _)| surface));
    first.zip(second).map(|(first, second)| [first, second])
}

impl Found {
    fn new(measure: &Measure) -> Self {
        Self {
            depth: measure.depth.map(|depth| depth.lo),
            length: measure.length,
            area: measure.area,
            centre: measure.centre,
            bounds: measure.bounds,
        }
    }

    /// Triangles that touch by thickness or rounding only: where their boxes meet, or between them.
    fn apart(surfaces: [&Surface; 2], is_own: bool, pairs: &[[u32; 2]]) -> Self {
        let mut bounds = Aabb::EMPTY;
        for pair in pairs {
            let boxes = [0, 1].map(|side| Aabb::of_points(&surfaces[side].corners(pair[side]).unwrap_or_default()));
            for axis in 0..3 {
                // Of two ranges, the part in both, or the gap between them.
                let low = boxes[0].min[axis].max(boxes[1].min[axis]);
                let high = boxes[0].max[axis].min(boxes[1].max[axis]);
                bounds.min[axis] = bounds.min[axis].min(low.min(high));
                bounds.max[axis] = bounds.max[axis].max(low.max(high));
            }
        }
        let centre = std::array::from_fn(|axis| 0.5 * bounds.min[axis] + 0.5 * bounds.max[axis]);
        Self { depth: no_depth(surfaces, is_own, pairs), length: 0.0, area: 0.0, centre, bounds }
    }
}

/// The depth of triangles that do not cross: 0, or nothing where none is of a closed part.
fn no_depth(surfaces: [&Surface; 2], is_own: bool, pairs: &[[u32; 2]]) -> Option<f64> {
    let is_closed = |pair: &[u32; 2]| (0..2).any(|side| surfaces[side].is_part_closed(pair[side]));
    (!is_own && pairs.iter().any(is_closed)).then_some(0.0)
}

/// An incident while it is measured.
struct Probe<'a> {
    bodies: [u32; 2],
    /// All contacts, and the numbers of its own.
    contacts: &'a [TriangleContact],
    own: Vec<u32>,
    /// The times it was measured at, or will be, increasing.
    times: Vec<f64>,
    worst: Option<Sample>,
}

impl<'a> Probe<'a> {
    fn new(incident: &Incident, contacts: &'a [TriangleContact]) -> Self {
        let (bodies, own) = (incident.bodies, incident.contacts.clone());
        Self { bodies, contacts, own, times: vec![incident.worst_time], worst: None }
    }

    /// Adds its begin and end; returns those that are new.
    fn add_ends(&mut self, incident: &Incident) -> Vec<f64> {
        self.add_new(vec![incident.begin, incident.end])
    }

    fn add_new(&mut self, mut new: Vec<f64>) -> Vec<f64> {
        new.dedup();
        new.retain(|time| !self.times.contains(time));
        self.times.extend(&new);
        self.times.sort_unstable_by(f64::total_cmp);
        new
    }

    /// Adds up to `most` times of `samples` within the incident; returns those that are new.
    fn add_times(&mut self, incident: &Incident, samples: &[f64], most: usize) -> Vec<f64> {
        let from = samples.partition_point(|&time| time < incident.begin);
        let to = samples.partition_point(|&time| time <= incident.end);
        let within = &samples[from..to.max(from)];
        let new = if within.len() <= most {
            within.to_vec()
        } else {
            (0..most).map(|place| within[place * (within.len() - 1) / (most - 1)]).collect()
        };
        self.add_new(new)
    }

    /// Pairs of triangles that touch at a time, by the contacts.
    fn pairs_at(&self, time: f64) -> Vec<[u32; 2]> {
        let own = self.own.iter().map(|&contact| &self.contacts[contact as usize]);
        let touching = own.filter(|contact| contact.is_at(time));
        touching.map(|contact| contact.triangles).collect()
    }

    /// Whether the two bodies are the same.
    fn is_own(&self) -> bool {
        self.bodies[0] == self.bodies[1]
    }

    /// What its pairs have in common where surfaces are, and how many they are; nothing without
    /// pairs. Of bodies that are only stood in for there is nothing to measure.
    fn look(&self, time: f64, placed: &Placed, is_measurable: bool) -> Result<Option<Look>, IncidentError> {
        let pairs = self.pairs_at(time);
        let (Some(of), false) = (surfaces_of(placed, self.bodies), pairs.is_empty()) else { return Ok(None) };
        let common = if is_measurable { Some(Common::new(of, self.is_own(), &pairs)?) } else { None };
        Ok(Some(Look { pairs, common }))
    }

    /// Compares the incident with how bad it was at the times before.
    fn compare(&mut self, time: f64, coarse: bool, placed: &Placed, look: Look) {
        let Some(of) = surfaces_of(placed, self.bodies) else { return };
        let Look { pairs, common } = look;
        let floor = self.worst.and_then(|worst| worst.depth).unwrap_or(0.0);
        let (depth, length) = common.map_or((None, 0.0), |common| {
            let extent = common.extent(of, self.is_own(), floor, coarse);
            extent.map_or_else(|| (no_depth(of, self.is_own(), &pairs), 0.0), |extent| (extent.depth, extent.length))
        });
        let sample = Sample { time, pairs: pairs.len(), depth, length };
        if self.worst.as_ref().is_none_or(|worst| sample.badness(worst) == Ordering::Greater) {
            self.worst = Some(sample);
        }
    }

    /// Measures all that an incident shows at its worst time.
    fn measure_all(&self, surfaces: &mut Surfaces<'_>) -> Result<Option<(f64, Found)>, IncidentError> {
        let Some(Sample { time, .. }) = self.worst else { return Ok(None) };
        let is_stand_in = !surfaces.are_measurable(self.bodies);
        let Some([first, second]) = surfaces.at(self.bodies, time)? else { return Ok(None) };
        let (pairs, is_own) = (self.pairs_at(time), self.is_own());
        if is_stand_in {
            let found = Found { depth: None, ..Found::apart([first, second], is_own, &pairs) };
            return Ok(Some((time, found)));
        }
        let found = if is_own { measure_self(first, &pairs)? } else { measure(first, second, &pairs)? };
        Ok(Some((time, found.as_ref().map_or_else(|| Found::apart([first, second], is_own, &pairs), Found::new))))
    }

    /// The times in the middle between the worst time and the times beside it, which are added.
    fn add_middles(&mut self) -> Vec<f64> {
        let Some(Sample { time: worst, .. }) = self.worst else { return Vec::new() };
        let place = self.times.partition_point(|&time| time < worst);
        let beside = [place.checked_sub(1), Some(place + 1)].into_iter().flatten();
        let middles = beside.filter_map(|beside| self.times.get(beside).map(|time| 0.5 * time + 0.5 * worst));
        let middles = middles.collect();
        self.add_new(middles)
    }

    /// Writes what decides the order of incidents.
    fn write_to(&self, incident: &mut Incident) {
        if let Some(Sample { depth, length, .. }) = self.worst {
            (incident.depth, incident.length) = (depth, length);
        }
    }
}

/// Measures incidents, whose worst times so far are those of most pairs.
pub(super) fn measure_all(
    incidents: &mut Vec<Incident>,
    contacts: &[TriangleContact],
    bodies: &[IncidentBody<'_>],
    positions: &Positions<'_>,
    options: &IncidentOptions<'_>,
) -> Result<(), IncidentError> {
    let samples = options.times;
    let mut surfaces = Surfaces::new(incidents, bodies, positions, options.cancel)?;
    let probe = |incident: Incident| {
        let probe = Probe::new(&incident, contacts);
        (incident, probe)
    };
    let mut probes: Vec<(Incident, Probe<'_>)> = std::mem::take(incidents).into_iter().map(probe).collect();
    // What is likely the worst time goes first: the others are then decided soon.
    visit(&mut probes, |_, probe| probe.times.clone(), &mut surfaces)?;
    visit(&mut probes, |incident, probe| probe.add_ends(incident), &mut surfaces)?;
    visit(&mut probes, |incident, probe| probe.add_times(incident, samples, FEW), &mut surfaces)?;
    probes.iter_mut().for_each(|(incident, probe)| probe.write_to(incident));
    probes.sort_by(|x, y| x.0.by_severity(&y.0));
    let severe = probes.len().min(MOST_REFINED);
    visit(&mut probes[..severe], |incident, probe| probe.add_times(incident, samples, MANY), &mut surfaces)?;
    for probe in probes[..severe].chunks_mut(1) {
        refine(probe, &mut surfaces)?;
    }
    let time = |probe: &Probe<'_>| probe.worst.map_or(f64::INFINITY, |worst| worst.time);
    probes.sort_by(|x, y| time(&x.1).total_cmp(&time(&y.1)));
    for (mut incident, probe) in probes {
        if let Some((time, found)) = probe.measure_all(&mut surfaces)? {
            incident.worst_time = time;
            incident.is_measured = surfaces.are_measurable(incident.bodies);
            (incident.depth, incident.length, incident.area) = (found.depth, found.length, found.area);
            (incident.centre, incident.bounds) = (found.centre, found.bounds);
        }
        incidents.push(incident);
    }
    Ok(())
}

/// What an incident shows where surfaces are, as far as it does not depend on other times.
struct Look {
    pairs: Vec<[u32; 2]>,
    common: Option<Common>,
}

/// Measures an incident in the middle between its worst time and the times beside it, and again
/// around the worst of these.
fn refine(probe: &mut [(Incident, Probe<'_>)], surfaces: &mut Surfaces<'_>) -> Result<(), IncidentError> {
    // Fine depths are compared with a fine one.
    let coarse = probe[0].1.worst.take();
    measure_at(probe, coarse.map(|coarse| (coarse.time, 0)).as_slice(), false, surfaces)?;
    for _ in 0..REFINEMENTS {
        let middles = probe[0].1.add_middles();
        measure_at(probe, &middles.into_iter().map(|time| (time, 0)).collect::<Vec<_>>(), false, surfaces)?;
    }
    Ok(())
}

/// Measures incidents at some times of each.
fn visit(
    probes: &mut [(Incident, Probe<'_>)],
    times: impl Fn(&Incident, &mut Probe<'_>) -> Vec<f64>,
    surfaces: &mut Surfaces<'_>,
) -> Result<(), IncidentError> {
    let mut visits = Vec::new();
    for (place, (incident, probe)) in probes.iter_mut().enumerate() {
        visits.extend(times(incident, probe).into_iter().map(|time| (time, place)));
    }
    visits.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    measure_at(probes, &visits, true, surfaces)
}

/// Measures incidents, by their places, at times: in order, with the same outcome for any number of
/// threads. A surface is placed once for all incidents at the same time; several times are looked
/// at at once.
fn measure_at(
    probes: &mut [(Incident, Probe<'_>)],
    visits: &[(f64, usize)],
    coarse: bool,
    surfaces: &mut Surfaces<'_>,
) -> Result<(), IncidentError> {
    struct Instant<'v, 's> {
        placed: &'s mut Placed,
        moved: Vec<(u32, Vec<[f64; 3]>)>,
        visits: &'v [(f64, usize)],
        looks: Result<Vec<Option<Look>>, IncidentError>,
    }
    let cancel = surfaces.cancel;
    // On one thread, what was seen of one incident is not held while others are looked at.
    let is_alone = surfaces.placed.len() == 1;
    let instants: Vec<&[(f64, usize)]> = visits.chunk_by(|x, y| !is_alone && x.0 == y.0).collect();
    for instants in instants.chunks(surfaces.placed.len()) {
        let is_measurable: Vec<bool> = probes.iter().map(|(_, probe)| surfaces.are_measurable(probe.bodies)).collect();
        let mut tasks = Vec::with_capacity(instants.len());
        for (placed, &visits) in surfaces.placed.iter_mut().zip(instants) {
            go_on(surfaces.cancel)?;
            let bodies = visits.iter().flat_map(|&(_, place)| probes[place].1.bodies);
            let moved = moved(placed, bodies, visits[0].0, surfaces.positions);
            tasks.push(Instant { placed, moved, visits, looks: Ok(Vec::new()) });
        }
        threads::for_each(&mut tasks, |Instant { placed, moved, visits, looks }| {
            *looks = place(placed, std::mem::take(moved), visits[0].0).and_then(|()| {
                let look = |&(time, place): &(f64, usize)| {
                    go_on(cancel)?;
                    probes[place].1.look(time, placed, is_measurable[place])
                };
                visits.iter().map(look).collect()
            });
        });
        for Instant { placed, visits, looks, .. } in tasks {
            for (&(time, place), look) in visits.iter().zip(looks?) {
                if let Some(look) = look {
                    go_on(surfaces.cancel)?;
                    probes[place].1.compare(time, coarse, placed, look);
                }
            }
        }
    }
    Ok(())
}
