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
use crate::geometry::{Measure, Surface, extent, measure, measure_self};
use crate::math::Aabb;
use crate::math::vector::widened;
use crate::mesh::Mesh;

/// Most sampled times at which every incident is measured.
const FEW: usize = 6;
/// Most sampled times at which a severe incident is measured.
const MANY: usize = 12;
/// Incidents that are measured at many times, by severity at few times.
const MOST_REFINED: usize = 12;
/// Halvings of the stretches beside the worst time.
const REFINEMENTS: usize = 4;

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

/// The surfaces of bodies with contacts, each at the last time that it was needed at.
struct Surfaces<'a> {
    positions: &'a Positions<'a>,
    /// By body, with that time.
    placed: Vec<Option<(Surface, f64)>>,
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
        Ok(Self { positions, placed, cancel, stand_ins })
    }

    /// Puts a body where it is at a time.
    fn place(&mut self, body: u32, time: f64) -> Result<(), IncidentError> {
        if let Some((surface, at)) = &mut self.placed[body as usize]
            && *at != time
        {
            surface.refit(&(self.positions)(body, time))?;
            *at = time;
        }
        Ok(())
    }

    /// Whether the triangles of both bodies are all there is to measure.
    fn are_measurable(&self, bodies: [u32; 2]) -> bool {
        bodies.iter().all(|&body| !self.stand_ins[body as usize])
    }

    /// The surfaces of two bodies at a time. Every measurement begins here, so that it is refused
    /// here after a cancellation.
    fn at(&mut self, bodies: [u32; 2], time: f64) -> Result<Option<[&Surface; 2]>, IncidentError> {
        go_on(self.cancel)?;
        self.place(bodies[0], time)?;
        self.place(bodies[1], time)?;
        let surface = |body: u32| self.placed[body as usize].as_ref().map(|(surface, _)| surface);
        Ok(surface(bodies[0]).zip(surface(bodies[1])).map(|(first, second)| [first, second]))
    }
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

    /// Measures whether the incident is worse at a time than at those before.
    fn measure(&mut self, time: f64, coarse: bool, surfaces: &mut Surfaces<'_>) -> Result<(), IncidentError> {
        let pairs = self.pairs_at(time);
        let is_measurable = surfaces.are_measurable(self.bodies);
        let (Some(of), false) = (surfaces.at(self.bodies, time)?, pairs.is_empty()) else { return Ok(()) };
        if !is_measurable {
            let sample = Sample { time, pairs: pairs.len(), depth: None, length: 0.0 };
            if self.worst.as_ref().is_none_or(|worst| sample.badness(worst) == Ordering::Greater) {
                self.worst = Some(sample);
            }
            return Ok(());
        }
        let is_own = self.bodies[0] == self.bodies[1];
        let floor = self.worst.and_then(|worst| worst.depth).unwrap_or(0.0);
        let (depth, length) = extent(of, is_own, &pairs, floor, coarse)?
            .map_or_else(|| (no_depth(of, is_own, &pairs), 0.0), |extent| (extent.depth, extent.length));
        let sample = Sample { time, pairs: pairs.len(), depth, length };
        if self.worst.as_ref().is_none_or(|worst| sample.badness(worst) == Ordering::Greater) {
            self.worst = Some(sample);
        }
        Ok(())
    }

    /// Measures all that an incident shows at its worst time.
    fn measure_all(&self, surfaces: &mut Surfaces<'_>) -> Result<Option<(f64, Found)>, IncidentError> {
        let Some(Sample { time, .. }) = self.worst else { return Ok(None) };
        let is_stand_in = !surfaces.are_measurable(self.bodies);
        let Some([first, second]) = surfaces.at(self.bodies, time)? else { return Ok(None) };
        let (pairs, is_own) = (self.pairs_at(time), self.bodies[0] == self.bodies[1]);
        if is_stand_in {
            let found = Found { depth: None, ..Found::apart([first, second], is_own, &pairs) };
            return Ok(Some((time, found)));
        }
        let found = if is_own { measure_self(first, &pairs)? } else { measure(first, second, &pairs)? };
        Ok(Some((time, found.as_ref().map_or_else(|| Found::apart([first, second], is_own, &pairs), Found::new))))
    }

    /// Measures in the middle between the worst time and the times beside it, and again around the
    /// worst of these.
    fn refine(&mut self, surfaces: &mut Surfaces<'_>) -> Result<(), IncidentError> {
        // Fine depths are compared with a fine one.
        if let Some(coarse) = self.worst.take() {
            self.measure(coarse.time, false, surfaces)?;
        }
        for _ in 0..REFINEMENTS {
            let Some(worst) = &self.worst else { return Ok(()) };
            let worst = worst.time;
            let place = self.times.partition_point(|&time| time < worst);
            let beside = [place.checked_sub(1), Some(place + 1)].into_iter().flatten();
            let mut middles: Vec<f64> = beside
                .filter_map(|beside| self.times.get(beside).map(|time| 0.5 * time + 0.5 * worst))
                .filter(|middle| !self.times.contains(middle))
                .collect();
            for &middle in &middles {
                self.measure(middle, false, surfaces)?;
            }
            self.times.append(&mut middles);
            self.times.sort_unstable_by(f64::total_cmp);
        }
        Ok(())
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
    for (_, probe) in &mut probes[..severe] {
        probe.refine(&mut surfaces)?;
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

/// Measures incidents at some times of each. A surface is placed once for all incidents at the same
/// time.
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
    for (time, place) in visits {
        probes[place].1.measure(time, true, surfaces)?;
    }
    Ok(())
}
