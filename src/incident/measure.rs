//! When an incident is worst, and how bad it is then.
//!
//! Every incident is measured at its begin and end, in the middle of the stretch with the most
//! pairs, and at up to `FEW` sampled times, spread evenly over it. The `MOST_REFINED` most severe
//! are then measured at up to `MANY` sampled times, and between the worst time and the times beside
//! it.
//!
//! The result is at least as bad as at each measured time. Between measured times nothing is
//! guaranteed. The number of measurements is linear in that of incidents, however long these are.

use std::cmp::Ordering;

use super::find::Positions;
use super::{Incident, IncidentBody, IncidentError, TriangleContact};
use crate::geometry::{Measure, Surface, measure, measure_self};
use crate::math::Aabb;
use crate::mesh::Mesh;

/// Most sampled times at which every incident is measured.
const FEW: usize = 4;
/// Most sampled times at which a severe incident is measured.
const MANY: usize = 16;
/// Incidents that are measured at many times, by severity at few times.
const MOST_REFINED: usize = 40;
/// Halvings of the stretches beside the worst time.
const REFINEMENTS: usize = 4;

/// How bad an incident is at a time.
#[derive(Clone, Debug)]
struct Sample {
    time: f64,
    /// Pairs of triangles that touch, by the contacts.
    pairs: usize,
    found: Found,
}

/// What geometry says of an incident at a time.
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
        let depth = |sample: &Self| sample.found.depth.unwrap_or(0.0);
        (depth(self).total_cmp(&depth(other)))
            .then(self.found.length.total_cmp(&other.found.length))
            .then(self.pairs.cmp(&other.pairs))
            .then(other.time.total_cmp(&self.time))
    }
}

/// The surfaces of bodies with contacts, each at the last time that it was needed at.
struct Surfaces<'a> {
    positions: &'a Positions<'a>,
    surfaces: Vec<Option<(Surface, f64)>>,
}

impl<'a> Surfaces<'a> {
    /// Surfaces of the bodies of some incidents.
    fn new(
        incidents: &[Incident],
        bodies: &[IncidentBody<'_>],
        positions: &'a Positions<'a>,
    ) -> Result<Self, IncidentError> {
        let mut surfaces = vec![None; bodies.len()];
        for body in incidents.iter().flat_map(|incident| incident.bodies) {
            let place = &mut surfaces[body as usize];
            if place.is_none() {
                let body = &bodies[body as usize];
                let mesh = Mesh::new(body.rest.len(), body.triangles.to_vec())?;
                let rest: Vec<[f64; 3]> = body.rest.iter().map(|point| point.map(f64::from)).collect();
                *place = Some((Surface::new(&mesh, &rest)?, f64::NAN));
            }
        }
        Ok(Self { positions, surfaces })
    }

    /// Puts a body where it is at a time.
    fn place(&mut self, body: u32, time: f64) -> Result<(), IncidentError> {
        if let Some((surface, at)) = &mut self.surfaces[body as usize]
            && *at != time
        {
            surface.refit(&(self.positions)(body, time))?;
            *at = time;
        }
        Ok(())
    }

    fn of(&self, body: u32) -> Option<&Surface> {
        self.surfaces[body as usize].as_ref().map(|(surface, _)| surface)
    }

    /// Measures pairs of triangles of two bodies at a time.
    fn measure(&mut self, bodies: [u32; 2], pairs: &[[u32; 2]], time: f64) -> Result<Option<Found>, IncidentError> {
        let [a, b] = bodies;
        self.place(a, time)?;
        self.place(b, time)?;
        let (Some(first), Some(second)) = (self.of(a), self.of(b)) else { return Ok(None) };
        let found = if a == b { measure_self(first, pairs)? } else { measure(first, second, pairs)? };
        Ok(Some(found.as_ref().map_or_else(|| Found::apart([first, second], a == b, pairs), Found::new)))
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
        let has_inside = !is_own && surfaces.iter().any(|surface| surface.has_closed_part());
        Self { depth: has_inside.then_some(0.0), length: 0.0, area: 0.0, centre, bounds }
    }
}

/// An incident while it is measured.
struct Probe {
    bodies: [u32; 2],
    contacts: Vec<TriangleContact>,
    /// The times it was measured at, or will be, increasing.
    times: Vec<f64>,
    worst: Option<Sample>,
}

impl Probe {
    /// A probe of an incident whose worst time so far is that of most pairs.
    fn new(incident: &Incident, contacts: &[TriangleContact]) -> Self {
        let mut times = vec![incident.begin, incident.end, incident.worst_time];
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        let contacts = incident.contacts.iter().map(|&contact| contacts[contact as usize]).collect();
        Self { bodies: incident.bodies, contacts, times, worst: None }
    }

    /// Adds up to `most` times of `samples` within the incident; returns those that are new.
    fn add_times(&mut self, incident: &Incident, samples: &[f64], most: usize) -> Vec<f64> {
        let from = samples.partition_point(|&time| time < incident.begin);
        let to = samples.partition_point(|&time| time <= incident.end);
        let within = &samples[from..to.max(from)];
        let mut new = if within.len() <= most {
            within.to_vec()
        } else {
            (0..most).map(|place| within[place * (within.len() - 1) / (most - 1)]).collect()
        };
        new.retain(|time| !self.times.contains(time));
        self.times.extend(&new);
        self.times.sort_unstable_by(f64::total_cmp);
        new
    }

    fn measure(&mut self, time: f64, surfaces: &mut Surfaces<'_>) -> Result<(), IncidentError> {
        let touching = self.contacts.iter().filter(|contact| contact.is_at(time));
        let pairs: Vec<[u32; 2]> = touching.map(|contact| contact.triangles).collect();
        if pairs.is_empty() {
            return Ok(());
        }
        let Some(found) = surfaces.measure(self.bodies, &pairs, time)? else { return Ok(()) };
        let sample = Sample { time, pairs: pairs.len(), found };
        if self.worst.as_ref().is_none_or(|worst| sample.badness(worst) == Ordering::Greater) {
            self.worst = Some(sample);
        }
        Ok(())
    }

    /// Measures in the middle between the worst time and the times beside it, and again around the
    /// worst of these.
    fn refine(&mut self, surfaces: &mut Surfaces<'_>) -> Result<(), IncidentError> {
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
                self.measure(middle, surfaces)?;
            }
            self.times.append(&mut middles);
            self.times.sort_unstable_by(f64::total_cmp);
        }
        Ok(())
    }

    fn write_to(&self, incident: &mut Incident) {
        let Some(Sample { time, found, .. }) = &self.worst else { return };
        incident.worst_time = *time;
        (incident.depth, incident.length, incident.area) = (found.depth, found.length, found.area);
        (incident.centre, incident.bounds) = (found.centre, found.bounds);
    }
}

/// Measures incidents, whose worst times are those of most pairs, and orders them by severity.
pub(super) fn measure_all(
    incidents: &mut Vec<Incident>,
    contacts: &[TriangleContact],
    bodies: &[IncidentBody<'_>],
    samples: &[f64],
    positions: &Positions<'_>,
) -> Result<(), IncidentError> {
    let mut surfaces = Surfaces::new(incidents, bodies, positions)?;
    let probe = |incident: Incident| {
        let probe = Probe::new(&incident, contacts);
        (incident, probe)
    };
    let mut probes: Vec<(Incident, Probe)> = std::mem::take(incidents).into_iter().map(probe).collect();
    let mut visits = Vec::new();
    for (place, (incident, probe)) in probes.iter_mut().enumerate() {
        probe.add_times(incident, samples, FEW);
        visits.extend(probe.times.iter().map(|&time| (time, place)));
    }
    visit(&mut probes, visits, &mut surfaces)?;
    probes.sort_by(|x, y| x.0.by_severity(&y.0));
    let severe = probes.len().min(MOST_REFINED);
    let mut visits = Vec::new();
    for (place, (incident, probe)) in probes[..severe].iter_mut().enumerate() {
        visits.extend(probe.add_times(incident, samples, MANY).into_iter().map(|time| (time, place)));
    }
    visit(&mut probes, visits, &mut surfaces)?;
    for (incident, probe) in &mut probes[..severe] {
        probe.refine(&mut surfaces)?;
        probe.write_to(incident);
    }
    incidents.extend(probes.into_iter().map(|(incident, _)| incident));
    Ok(())
}

/// Measures incidents at times. A surface is placed once for all incidents at the same time.
fn visit(
    probes: &mut [(Incident, Probe)],
    mut visits: Vec<(f64, usize)>,
    surfaces: &mut Surfaces<'_>,
) -> Result<(), IncidentError> {
    visits.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    for (time, place) in visits {
        probes[place].1.measure(time, surfaces)?;
    }
    probes.iter_mut().for_each(|(incident, probe)| probe.write_to(incident));
    Ok(())
}
