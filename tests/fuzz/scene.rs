//! Scenes made of bytes: small bodies of whole coordinates and their motions, as the model and as
//! the library see them.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetree::Aabb;
use kinetree::bvh::{BoundedSampler, BuildParams, KeyedBoxes, Topology, Width};
use kinetree::kinetic::TreeKind;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, Sampler, VertexFlightplan};
use kinetree::time::{Side, Span};
use kinetree::world::{BodyDef, Engine, Filter, IgnoredContacts};

use super::model::{Body, weld};
use super::motion::{Beyond, Keys, Own, Plan, TICKS, Units};
use super::reduced::{Maker, Reduced};
use super::source::Source;

/// How units become metres: both exact in `f32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) scale: f64,
    /// Units.
    pub(crate) offset: i64,
}

impl Frame {
    pub(crate) fn length(self, units: i64) -> f64 {
        units as f64 * self.scale
    }

    pub(crate) fn point(self, units: Units) -> [f32; 3] {
        units.map(|x| self.length(x + self.offset) as f32)
    }

    pub(crate) fn wide(self, units: Units) -> [f64; 3] {
        self.point(units).map(f64::from)
    }

    fn velocity(self, units: Units) -> [f32; 3] {
        units.map(|x| self.length(x) as f32)
    }

    fn points(self, all: &[Units]) -> Vec<[f32; 3]> {
        all.iter().map(|&p| self.point(p)).collect()
    }
}

pub(crate) fn seconds(ticks: i64) -> f64 {
    ticks as f64 / TICKS as f64
}

pub(crate) fn outside(beyond: Beyond) -> Outside {
    match beyond {
        Beyond::Hold => Outside::Hold,
        Beyond::Loop => Outside::Loop,
    }
}

/// A host's sampler over whole keys.
#[derive(Debug)]
struct Host {
    keys: Keys,
    frame: Frame,
    times: Vec<f64>,
    jumps: Vec<bool>,
    rest: Vec<[f32; 3]>,
}

impl Host {
    fn new(keys: &Keys, frame: Frame) -> Self {
        let last = keys.times.len() - 1;
        let jumps = (0..=last).map(|key| {
            key > 0 && key < last && (0..keys.arrive[key].len()).any(|v| keys.leave(key, v) != keys.arrive[key][v])
        });
        Self {
            times: keys.times.iter().map(|&time| seconds(time)).collect(),
            jumps: jumps.collect(),
            rest: frame.points(&keys.arrive[0]),
            keys: keys.clone(),
            frame,
        }
    }

    fn units(&self, key: usize, side: Side, vertex: u32) -> Units {
        match side {
            Side::At => self.keys.arrive[key][vertex as usize],
            Side::After => self.keys.leave(key, vertex as usize),
        }
    }
}

impl Sampler for Host {
    fn vertex_count(&self) -> usize {
        self.rest.len()
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        &self.rest
    }

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn jumps(&self) -> &[bool] {
        &self.jumps
    }

    fn outside(&self) -> Outside {
        outside(self.keys.beyond)
    }

    fn largest_coordinate(&self) -> f64 {
        let all = self.keys.arrive.iter().chain(&self.keys.leave).flatten();
        all.flat_map(|&p| self.frame.wide(p)).fold(0.0, |most, x| most.max(x.abs()))
    }

    fn largest_speed(&self) -> f64 {
        let mut most = 0.0f64;
        for key in 1..self.times.len() {
            for vertex in 0..self.rest.len() as u32 {
                let (from, to) = (self.units(key - 1, Side::After, vertex), self.units(key, Side::At, vertex));
                for axis in 0..3 {
                    let way = self.frame.length((to[axis] - from[axis]).abs());
                    most = most.max(way / (self.times[key] - self.times[key - 1]));
                }
            }
        }
        most * (1.0 + 1e-9)
    }

    fn position(&self, key: usize, side: Side, vertex: u32) -> [f64; 3] {
        self.frame.wide(self.units(key, side, vertex))
    }
}

/// Boxes of a host's sampler: those of the vertices, grown by a unit.
#[derive(Debug)]
struct HostBoxes {
    host: Arc<Host>,
    topology: Topology,
    /// Per node, its vertices.
    below: Vec<Vec<u32>>,
}

impl BoundedSampler for Host {
    fn boxes_over(self: Arc<Self>, topology: Topology) -> Option<Box<dyn KeyedBoxes>> {
        let count = topology.nodes().len();
        let mut below = vec![Vec::new(); count];
        for vertex in 0..self.rest.len() as u32 {
            for &leaf in topology.leaves_of(vertex) {
                let mut node = Some(leaf);
                while let Some(number) = node {
                    below[number as usize].push(vertex);
                    node = topology.node(number).parent();
                }
            }
        }
        Some(Box::new(HostBoxes { host: self, topology, below }))
    }
}

impl KeyedBoxes for HostBoxes {
    fn topology(&self) -> &Topology {
        &self.topology
    }

    fn key_box(&self, key: usize, side: Side, node: u32) -> Aabb {
        let places: Vec<[f64; 3]> =
            self.below[node as usize].iter().map(|&vertex| self.host.position(key, side, vertex)).collect();
        Aabb::of_points(&places).inflated(self.host.frame.scale)
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Plan {
    /// What the library is given; a sampler with bounds beside it.
    pub(crate) fn flightplan(&self, frame: Frame) -> (Flightplan, Option<Arc<dyn BoundedSampler>>) {
        match self {
            Self::Fixed(places) => (Flightplan::fixed(frame.points(places)), None),
            Self::Keys(keys) => {
                let places = keys.arrive.iter().flat_map(|key| frame.points(key)).collect();
                let times = keys.times.iter().map(|&time| seconds(time)).collect();
                (Flightplan::keyframes(times, places).outside(outside(keys.beyond)), None)
            }
            Self::Velocities { begin, end, from, velocities, beyond } => {
                let velocities = velocities.iter().map(|&v| frame.velocity(v)).collect();
                let from = frame.points(from);
                let plan = match end {
                    None => Flightplan::velocities(seconds(*begin), from, velocities),
                    Some(end) => {
                        let span = Span { begin: seconds(*begin), end: seconds(*end) };
                        Flightplan::velocities_until(span, from, velocities).outside(outside(*beyond))
                    }
                };
                (plan, None)
            }
            Self::Sampled(keys, maker) => {
                let (sampler, is_bounded): (Arc<dyn BoundedSampler>, bool) = match maker {
                    Maker::Sampler => (Arc::new(Host::new(keys, frame)), false),
                    Maker::Bounded => (Arc::new(Host::new(keys, frame)), true),
                    Maker::Reduced(body) => (body.sampler(keys, frame), body.is_bounded),
                };
                let plain: Arc<dyn Sampler> = Arc::<dyn BoundedSampler>::clone(&sampler);
                (Flightplan::sampled(plain), is_bounded.then_some(sampler))
            }
        }
    }
}

impl Own {
    /// What the library is given; `is_here` says that a velocity starts where the vertex is.
    pub(crate) fn vertex_plan(&self, frame: Frame, is_here: bool) -> VertexFlightplan {
        match self {
            Self::Fixed(place) => VertexFlightplan::Fixed { position: frame.wide(*place) },
            Self::Velocity { from, velocity, .. } => {
                let place = from.numerators.map(|x| (x / from.denominator) as i64);
                let from = (!is_here).then(|| frame.wide(place));
                VertexFlightplan::Velocity { from, velocity: frame.velocity(*velocity).map(f64::from) }
            }
            Self::Keys { times, places } => VertexFlightplan::Keyframes {
                times: times.iter().map(|&time| seconds(time)).collect(),
                positions: frame.points(places),
                outside: Outside::Hold,
            },
        }
    }
}

pub(crate) fn point(source: &mut Source) -> Units {
    [0; 3].map(|_| source.between(-2, 3))
}

/// Triangles over few vertices, and their positions.
fn shape(source: &mut Source) -> (Vec<Units>, Vec<[u32; 3]>) {
    match source.below(7) {
        0 => ((0..3).map(|_| point(source)).collect(), vec![[0, 1, 2]]),
        1 => {
            // A soup; vertices at one place are welded.
            let count = 1 + source.below(4) as u32;
            let places = (0..3 * count).map(|_| point(source)).collect();
            (places, (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
        }
        2 => {
            // A tangle: corners repeat, edges have many triangles.
            let vertices = 3 + source.below(5);
            let places = (0..vertices).map(|_| point(source)).collect();
            let count = 1 + source.below(5);
            (places, (0..count).map(|_| [0; 3].map(|_| source.below(vertices) as u32)).collect())
        }
        3 => {
            // A grid in a plane.
            let (axis, height) = (source.below(3), source.between(-1, 2));
            let places = (0..9).map(|v| {
                let mut place = [v % 3, v / 3, height];
                place.rotate_left(axis);
                place
            });
            let cell = |x: u32, y: u32| 3 * y + x;
            let square = |x, y| {
                [[cell(x, y), cell(x + 1, y), cell(x + 1, y + 1)], [cell(x, y), cell(x + 1, y + 1), cell(x, y + 1)]]
            };
            let squares = [(0, 0), (1, 0), (0, 1), (1, 1)];
            (places.collect(), squares.into_iter().flat_map(|(x, y)| square(x, y)).collect())
        }
        4 => {
            // A cube.
            let (low, side) = (point(source), source.between(1, 2));
            let places = (0..8).map(|c| std::array::from_fn(|axis| low[axis] + side * (c >> axis & 1))).collect();
            let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
            (places, faces.iter().flat_map(|&[p, q, r, s]| [[p, q, r], [p, r, s]]).collect())
        }
        kind => {
            let count = 1 + source.below(4) as u32;
            if kind == 5 {
                ((0..count).map(|_| point(source)).collect(), (0..count).map(|p| [p; 3]).collect())
            } else {
                let places = (0..2 * count).map(|_| point(source)).collect();
                (places, (0..count).map(|s| [2 * s, 2 * s + 1, 2 * s + 1]).collect())
            }
        }
    }
}

/// Positions at a key: the shape, shifted, and some vertices elsewhere.
fn moved(source: &mut Source, rest: &[Units]) -> Vec<Units> {
    let shift = point(source);
    let bends = source.below(4) == 1;
    let place = |p: &Units| std::array::from_fn(|k| p[k] + shift[k] + if bends { source.between(-1, 1) } else { 0 });
    rest.iter().map(place).collect()
}

/// Times of keys, and what is beyond them.
pub(crate) fn times(source: &mut Source, now: i64) -> (Vec<i64>, Beyond) {
    let mut times = vec![now + source.pick(&[0, -16, 8, -64, 5])];
    for _ in 0..=source.below(4) {
        times.push(times[times.len() - 1] + source.pick(&[16, 8, 64, 1, 24, 7, 128]));
    }
    (times, source.pick(&[Beyond::Hold, Beyond::Loop]))
}

fn keys(source: &mut Source, rest: &[Units], now: i64, jumps: bool) -> Keys {
    let (times, beyond) = times(source, now);
    let mut arrive: Vec<Vec<Units>> = times.iter().map(|_| moved(source, rest)).collect();
    if source.percent(50) {
        arrive[0] = rest.to_vec();
    }
    let mut leave = if jumps { arrive.clone() } else { Vec::new() };
    for key in 1..leave.len().saturating_sub(1) {
        if source.percent(50) {
            leave[key] = moved(source, rest);
        }
    }
    Keys { times, arrive, leave, beyond }
}

/// What a plan is made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over<'a> {
    pub(crate) rest: &'a [Units],
    pub(crate) triangles: &'a [[u32; 3]],
    pub(crate) frame: Frame,
    /// The body's motion so far, if it is reduced.
    pub(crate) reduced: Option<&'a Reduced>,
}

pub(crate) fn plan(source: &mut Source, over: &Over, now: i64) -> Plan {
    let rest = over.rest;
    match source.below(if over.reduced.is_some() { 20 } else { 10 }) {
        0 => Plan::Fixed(moved(source, rest)),
        1 | 2 => {
            let common = point(source);
            let spreads = source.percent(50);
            let velocities = rest.iter().map(|_| if spreads { point(source) } else { common }).collect();
            let begin = now + source.pick(&[0, -16, 8]);
            let end = source.percent(40).then(|| begin + source.pick(&[32, 64, 17, 200]));
            let beyond = if end.is_some() { source.pick(&[Beyond::Hold, Beyond::Loop]) } else { Beyond::Hold };
            Plan::Velocities { begin, end, from: moved(source, rest), velocities, beyond }
        }
        3 => {
            let jumps = source.percent(50);
            let maker = if source.percent(60) { Maker::Bounded } else { Maker::Sampler };
            Plan::Sampled(keys(source, rest, now, jumps), maker)
        }
        8.. => {
            let (keys, body) = Reduced::new(source, over, now);
            Plan::Sampled(keys, Maker::Reduced(body))
        }
        _ => Plan::Keys(keys(source, rest, now, false)),
    }
}

/// A body as the model sees it and as the library does.
pub(crate) fn body(source: &mut Source, frame: Frame, now: i64) -> (Body, BodyDef, IgnoredContacts) {
    let (rest, triangles) = shape(source);
    let plan = plan(source, &Over { rest: &rest, triangles: &triangles, frame, reduced: None }, now);
    let vertices = rest.len();
    let body = Body {
        triangles: (0..).zip(triangles.iter().copied()).collect(),
        vertices,
        welded: weld(plan.rest()),
        own: BTreeMap::new(),
        self_contact: source.percent(40),
        neighbours: source.percent(30),
        thickness: if source.percent(30) { source.between(1, 2) } else { 0 },
        category: if source.percent(20) { 2 } else { 1 },
        mask: if source.percent(20) { 1 } else { 3 },
        plan,
    };
    let (motion, bounds) = body.plan.flightplan(frame);
    let mesh = Mesh::new(vertices, triangles).expect("a good mesh");
    let build = BuildParams {
        leaf_size: source.pick(&[4, 1, 2]),
        width: source.pick(&[Width::Two, Width::Four]),
        ..BuildParams::default()
    };
    let mut def = match bounds {
        Some(bounds) => BodyDef::bounded(mesh, bounds),
        None => BodyDef::new(mesh, motion).tree(source.pick(&[TreeKind::Aabb, TreeKind::Box])),
    };
    def = def.self_contact(body.self_contact).neighbours(body.neighbours).build(build);
    def = def.thickness(frame.length(body.thickness)).filter(Filter::new(body.category, body.mask));
    let engine =
        source.pick(&[Engine::Auto, Engine::Auto, Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit]);
    let ignored = if source.percent(10) { IgnoredContacts::AtStart } else { IgnoredContacts::None };
    (body, def.engine(engine).ignoring_contacts(ignored), ignored)
}
