//! An independent account of where every vertex should be: written from the documentation of flightplans, slow and plain.

use std::collections::{BTreeMap, BTreeSet};

use kinetree::motion::{Outside, VertexFlightplan};
use kinetree::time::Span;

use super::curved::{CurvedSpec, own_place};
use super::scene::{BodySpec, PlanSpec};
use super::script::{Change, Script};

/// How near to a wrap a rounded time may fall on either side of it, seconds.
const NEAR: f64 = 1e-9;

/// Allowed for rounding, metres; scenes are about ten metres large, and a rigid body's keys are rounded to f32.
pub const TOLERANCE: f64 = 2e-6;

/// A body as the model knows it.
#[derive(Clone, Debug)]
pub struct ModelBody {
    pub spec: BodySpec,
    /// Plans of single vertices, when they were given, and where the vertex was then.
    pub own: BTreeMap<u32, (VertexFlightplan, f64, [f64; 3])>,
}

/// All bodies there ever were, and which pairs are watched.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub bodies: Vec<Option<ModelBody>>,
    pub watched: BTreeSet<(usize, usize)>,
}

impl Model {
    /// The bodies at the start of a history.
    pub fn new(script: &Script) -> Self {
        let mut model = Self::default();
        for body in &script.bodies {
            model.add(body);
        }
        model
    }

    fn add(&mut self, spec: &BodySpec) {
        let place = self.bodies.len();
        for (other, body) in self.bodies.iter().enumerate() {
            let Some(body) = body else { continue };
            let (f, g) = (spec.filter, body.spec.filter);
            if f.category & g.mask != 0 && g.category & f.mask != 0 && !spec.ignored.contains(&other) {
                self.watched.insert((other, place));
            }
        }
        self.bodies.push(Some(ModelBody { spec: spec.clone(), own: BTreeMap::new() }));
    }

    /// Follows a change at a time. `whereabouts` says where a vertex was found: believed where rounding decides from where
    /// in between it is sent on.
    pub fn apply(&mut self, change: &Change, time: f64, whereabouts: impl Fn(usize, u32) -> [f64; 3]) {
        match change {
            Change::Add(body) => self.add(body),
            Change::Remove { body } => {
                self.bodies[*body] = None;
                self.watched.retain(|&(a, b)| a != *body && b != *body);
            }
            Change::Watch { a, b, watched } => {
                let pair = (*a.min(b), *a.max(b));
                if *watched {
                    self.watched.insert(pair);
                } else {
                    self.watched.remove(&pair);
                }
            }
            Change::Plan { body, plan } => {
                let body = self.bodies[*body].as_mut().expect("a body that is there");
                body.spec.plan = plan.clone();
                body.own.clear();
            }
            Change::Vertices { body, plans } => {
                let number = *body;
                let body = self.bodies[number].as_mut().expect("a body that is there");
                for (vertex, plan) in plans {
                    let (places, found) = (body.places(*vertex, time), whereabouts(number, *vertex));
                    let is_jump = places.len() > 1 || body.has_jumps();
                    let here = if is_jump && body.may_be(*vertex, time, &found) { found } else { places[0] };
                    body.own.insert(*vertex, (plan.clone(), time, here));
                }
            }
        }
    }
}

impl ModelBody {
    /// May a vertex be found there, give or take a rounding of the time?
    pub fn may_be(&self, vertex: u32, time: f64, found: &[f64; 3]) -> bool {
        let mut around = [-NEAR, 0.0, NEAR].map(|shift| self.places(vertex, time + shift)).concat();
        // Keys in the midst of that stretch are places on the way.
        let times = self.spec.plan.turns();
        let period = times.last().copied().unwrap_or(0.0) - times.first().copied().unwrap_or(0.0);
        for key in times {
            let rounds = if period > 0.0 { ((time - key) / period).round() } else { 0.0 };
            if (key + rounds * period - time).abs() < NEAR || (key - time).abs() < NEAR {
                around.extend(self.places(vertex, key));
            }
        }
        (0..3).all(|i| {
            let low = around.iter().map(|p| p[i]).fold(f64::INFINITY, f64::min);
            let high = around.iter().map(|p| p[i]).fold(f64::NEG_INFINITY, f64::max);
            low - TOLERANCE <= found[i] && found[i] <= high + TOLERANCE
        })
    }

    /// Do keys a rounding apart let the body jump?
    pub fn has_jumps(&self) -> bool {
        let own = self.own.values().filter_map(|(plan, ..)| match plan {
            VertexFlightplan::Keyframes { times, .. }
            | VertexFlightplan::Hermite { times, .. }
            | VertexFlightplan::Polynomials { times, .. } => Some(times),
            _ => None,
        });
        let shared = match &self.spec.plan {
            PlanSpec::Keys { times, .. } | PlanSpec::Rigid { times, .. } => Some(times),
            PlanSpec::Curved(CurvedSpec::Hermite { times, .. } | CurvedSpec::Polynomials { times, .. }, _) => {
                Some(times)
            }
            _ => None,
        };
        own.chain(shared).any(|times| times.windows(2).any(|pair| pair[1] - pair[0] < NEAR))
    }

    /// Where a vertex may be: one place, or two where rounding decides on which side of a wrap a time lies.
    pub fn places(&self, vertex: u32, time: f64) -> Vec<[f64; 3]> {
        if let Some((plan, since, here)) = self.own.get(&vertex) {
            if let Some(place) = own_place(plan, *since, *here, time) {
                return vec![place];
            }
            return vec![match plan {
                VertexFlightplan::Fixed { position } => *position,
                VertexFlightplan::Velocity { from, velocity } => {
                    let from = from.unwrap_or(*here);
                    std::array::from_fn(|i| from[i] + velocity[i] * (time - since))
                }
                VertexFlightplan::Keyframes { times, positions, .. } => {
                    between(times, |key| positions[key].map(f64::from), time)
                }
                _ => unreachable!("curved plans are dealt with above"),
            }];
        }
        let (vertex, count) = (vertex as usize, self.spec.vertex_count);
        match &self.spec.plan {
            PlanSpec::Fixed { positions } => vec![positions[vertex].map(f64::from)],
            PlanSpec::Keys { times, positions, outside } => {
                let span = Span { begin: times[0], end: times[times.len() - 1] };
                let key_position = |key: usize| positions[key * count + vertex].map(f64::from);
                let at = |time: f64| between(times, key_position, time);
                wrapped(span, *outside, time).into_iter().map(at).collect()
            }
            PlanSpec::Rigid { times, transforms, rest, outside } => {
                let span = Span { begin: times[0], end: times[times.len() - 1] };
                let key_position = |key: usize| transformed(&transforms[key], rest[vertex]);
                let at = |time: f64| between(times, key_position, time);
                wrapped(span, *outside, time).into_iter().map(at).collect()
            }
            PlanSpec::Velocities { span, positions, velocities, outside } => {
                let at = |time: f64| {
                    let elapsed = time.clamp(span.begin, span.end) - span.begin;
                    std::array::from_fn(|i| {
                        f64::from(positions[vertex][i]) + f64::from(velocities[vertex][i]) * elapsed
                    })
                };
                wrapped(*span, *outside, time).into_iter().map(at).collect()
            }
            PlanSpec::Curved(spec, outside) => {
                let at = |time: f64| spec.place(vertex, count, time);
                wrapped(spec.span(), *outside, time).into_iter().map(at).collect()
            }
        }
    }
}

/// The time inside the span that a time outside of a loop stands for; the end of a round rather than its begin, but for
/// the very first.
fn wrapped(span: Span, outside: Outside, time: f64) -> Vec<f64> {
    let period = span.end - span.begin;
    if outside != Outside::Loop || period == 0.0 || time == span.begin {
        return vec![time];
    }
    let phase = (time - span.begin).rem_euclid(period);
    let is_exact = [span.begin, span.end, time].iter().all(|x| (64.0 * x).fract() == 0.0);
    if phase == 0.0 && is_exact {
        return vec![span.end];
    }
    if phase < NEAR || period - phase < NEAR {
        return vec![span.end, span.begin, span.begin + phase];
    }
    vec![span.begin + phase]
}

fn between(times: &[f64], position: impl Fn(usize) -> [f64; 3], time: f64) -> [f64; 3] {
    let last = times.len() - 1;
    if time <= times[0] {
        return position(0);
    }
    for key in 0..last {
        if time <= times[key + 1] {
            let share = (time - times[key]) / (times[key + 1] - times[key]);
            let (p, q) = (position(key), position(key + 1));
            return std::array::from_fn(|i| (1.0 - share) * p[i] + share * q[i]);
        }
    }
    position(last)
}

fn transformed(matrix: &[f64; 16], point: [f32; 3]) -> [f64; 3] {
    let point = point.map(f64::from);
    std::array::from_fn(|row| {
        let m = &matrix[4 * row..4 * row + 4];
        f64::from((m[0] * point[0] + m[1] * point[1] + m[2] * point[2] + m[3]) as f32)
    })
}
