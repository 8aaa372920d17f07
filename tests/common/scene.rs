//! Random bodies and flightplans, as plain data that can be replayed in any world.

use kinetree::bvh::{BuildParams, Builder};
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, VertexFlightplan};
use kinetree::time::Span;
use kinetree::world::{BodyDef, Filter};

use super::curved::{CurvedSpec, random_curved_plan, random_curved_vertex_plan};
use super::dice::{Dice, Grain};
use super::kinds::{own_engine, tree_kind, width};
use super::shapes::random_shape;

/// A flightplan as plain data.
#[derive(Clone, Debug)]
pub enum PlanSpec {
    Fixed { positions: Vec<[f32; 3]> },
    Keys { times: Vec<f64>, positions: Vec<[f32; 3]>, outside: Outside },
    Velocities { span: Span, positions: Vec<[f32; 3]>, velocities: Vec<[f32; 3]>, outside: Outside },
    Rigid { times: Vec<f64>, transforms: Vec<[f64; 16]>, rest: Vec<[f32; 3]>, outside: Outside },
    Curved(CurvedSpec, Outside),
}

impl PlanSpec {
    /// What the library is given.
    pub fn flightplan(&self) -> Flightplan {
        match self.clone() {
            Self::Fixed { positions } => Flightplan::fixed(positions),
            Self::Keys { times, positions, outside } => Flightplan::keyframes(times, positions).outside(outside),
            Self::Velocities { span, positions, velocities, outside } if span.end == f64::INFINITY => {
                Flightplan::velocities(span.begin, positions, velocities).outside(outside)
            }
            Self::Velocities { span, positions, velocities, outside } => {
                Flightplan::velocities_until(span, positions, velocities).outside(outside)
            }
            Self::Rigid { times, transforms, rest, outside } => {
                Flightplan::rigid(times, transforms, rest).outside(outside)
            }
            Self::Curved(spec, outside) => spec.flightplan().outside(outside),
        }
    }

    /// Times at which the motion may turn.
    pub fn turns(&self) -> Vec<f64> {
        match self {
            Self::Fixed { .. } => Vec::new(),
            Self::Keys { times, .. } | Self::Rigid { times, .. } => times.clone(),
            Self::Velocities { span, .. } => vec![span.begin, span.end],
            Self::Curved(spec, _) => spec.turns(),
        }
    }
}

/// A body as plain data; `ignored` are places in the roster of all bodies there ever were.
#[derive(Clone, Debug)]
pub struct BodySpec {
    pub triangles: Vec<[u32; 3]>,
    pub vertex_count: usize,
    pub plan: PlanSpec,
    pub build: BuildParams,
    pub filter: Filter,
    pub ignored: Vec<usize>,
}

impl BodySpec {
    /// A plain body.
    pub fn new((positions, triangles): (Vec<[f32; 3]>, Vec<[u32; 3]>), plan: PlanSpec) -> Self {
        Self {
            triangles,
            vertex_count: positions.len(),
            plan,
            build: BuildParams { width: width(), ..BuildParams::default() },
            filter: Filter::default(),
            ignored: Vec::new(),
        }
    }

    /// What the library is given, but for the ignored bodies.
    pub fn definition(&self, name: &str) -> BodyDef {
        let mesh = Mesh::new(self.vertex_count, self.triangles.clone()).expect("a valid mesh");
        let (tree, engine) = (tree_kind(self.triangles.len()), own_engine(self.triangles.len()));
        let def = BodyDef::new(mesh, self.plan.flightplan()).named(name).filter(self.filter).build(self.build);
        def.tree(tree).engine(engine)
    }
}

/// What all parts of a random scene have in common.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub grain: Grain,
    /// Slow motion over hundreds of seconds instead of quick motion over a few.
    pub long: bool,
    /// Most triangles of a body.
    pub triangles: usize,
    /// Most keys of a plan.
    pub keys: usize,
    /// How many plans of a hundred are curved.
    pub curved: usize,
}

impl Style {
    /// How long a scene runs, seconds.
    pub fn length(self) -> f64 {
        if self.long { 300.0 } else { 6.0 }
    }

    pub fn slowness(self) -> f64 {
        if self.long { 32.0 } else { 1.0 }
    }

    pub fn point(self, dice: &mut Dice, range: i32) -> [f32; 3] {
        std::array::from_fn(|_| self.grain.coordinate(dice, range))
    }

    pub fn speed(self, dice: &mut Dice) -> f32 {
        (self.grain.speed(dice) / self.slowness()) as f32
    }

    pub fn later(self, dice: &mut Dice, from: f64, low: f64, high: f64) -> f64 {
        self.grain.later(dice, from, low * self.slowness(), high * self.slowness())
    }
}

/// A random body whose plan is good for `window`.
pub fn random_body(dice: &mut Dice, style: Style, window: Span, roster: usize) -> BodySpec {
    let (positions, triangles) = random_shape(dice, style.triangles, style.grain);
    let plan = random_plan(dice, &positions, style, window);
    let builder = dice.pick(&[Builder::MedianSplit, Builder::BinnedSurfaceArea]);
    let mut body = BodySpec::new((positions, triangles), plan);
    body.build = BuildParams { builder, leaf_size: 1 + dice.below(16), width: width() };
    if dice.percent(10) {
        body.filter = Filter::new(2, 1);
    }
    if roster > 0 && dice.percent(10) {
        body.ignored.push(dice.below(roster));
    }
    body
}

/// A random plan for vertices that rest at `rest`; one that ends with an error does so after `window`.
pub fn random_plan(dice: &mut Dice, rest: &[[f32; 3]], style: Style, window: Span) -> PlanSpec {
    if style.curved > 0 && dice.percent(style.curved) {
        return random_curved_plan(dice, rest, style, window);
    }
    let kind = dice.below(100);
    if kind < 10 {
        return PlanSpec::Fixed { positions: rest.to_vec() };
    }
    if kind < 35 {
        return random_velocities(dice, rest, style, window);
    }
    let keys = 1 + dice.below(style.keys);
    let outside = random_outside(dice);
    let (times, outside) = random_times(dice, keys, outside, style, window);
    if kind < 55 {
        let transforms = times.iter().map(|_| random_transform(dice, style)).collect();
        return PlanSpec::Rigid { times, transforms, rest: rest.to_vec(), outside };
    }
    let mut positions = Vec::with_capacity(times.len() * rest.len());
    let manner = dice.below(4);
    for _ in &times {
        let shift = style.point(dice, 2);
        let flip: [f32; 3] = std::array::from_fn(|_| dice.pick(&[-1.0, 1.0]));
        for &p in rest {
            let jitter = match manner {
                0 => style.point(dice, 3),
                1 if dice.percent(20) => style.point(dice, 1),
                _ => [0.0; 3],
            };
            positions.push(std::array::from_fn(|i| {
                let x = if manner == 3 { flip[i] * p[i] } else { p[i] };
                x + shift[i] + jitter[i]
            }));
        }
    }
    PlanSpec::Keys { times, positions, outside }
}

pub fn random_outside(dice: &mut Dice) -> Outside {
    dice.pick(&[Outside::Hold, Outside::Hold, Outside::Loop, Outside::Loop, Outside::Error])
}

pub fn random_times(dice: &mut Dice, keys: usize, outside: Outside, style: Style, window: Span) -> (Vec<f64>, Outside) {
    let even = dice.percent(50);
    let mut time = style.later(dice, window.begin, -2.5, 1.0);
    if dice.percent(20) {
        time = window.begin;
    }
    let mut times = Vec::new();
    for _ in 0..keys {
        times.push(time);
        let next = if even { time + style.slowness() } else { style.later(dice, time, 0.5, 1.5) };
        // Now and then two keys only a rounding apart.
        time = if style.grain == Grain::Crooked && dice.percent(10) { time.next_up() } else { next };
    }
    /// Loops this short are refused, seconds.
    const SHORT: f64 = 0.01;
    match outside {
        Outside::Loop if times[keys - 1] - times[0] < SHORT => return (times, Outside::Hold),
        Outside::Error if keys == 1 => return (times, Outside::Hold),
        Outside::Error => {}
        _ => return (times, outside),
    }
    times[0] = times[0].min(window.begin);
    times[keys - 1] = time.max(window.end);
    (times, outside)
}

fn random_velocities(dice: &mut Dice, rest: &[[f32; 3]], style: Style, window: Span) -> PlanSpec {
    let shared: [f32; 3] = std::array::from_fn(|_| style.speed(dice));
    let together = dice.percent(30);
    let velocities =
        rest.iter().map(|_| if together { shared } else { std::array::from_fn(|_| style.speed(dice)) }).collect();
    let mut span = Span { begin: style.grain.later(dice, window.begin, -2.0, 1.0), end: f64::INFINITY };
    let mut outside = random_outside(dice);
    if dice.percent(50) {
        span.end = style.later(dice, span.begin, 0.5, 4.0);
    } else if outside == Outside::Loop {
        outside = Outside::Hold;
    }
    if outside == Outside::Error {
        span = Span { begin: span.begin.min(window.begin), end: span.end.max(window.end) };
    }
    PlanSpec::Velocities { span, positions: rest.to_vec(), velocities, outside }
}

fn random_transform(dice: &mut Dice, style: Style) -> [f64; 16] {
    let shift = style.point(dice, 2).map(f64::from);
    let mut rows = [[0.0; 3]; 3];
    if style.grain != Grain::Real {
        let turn = dice.below(3);
        for (i, row) in rows.iter_mut().enumerate() {
            row[(i + turn) % 3] = dice.pick(&[-1.0, 1.0]);
        }
    } else {
        let q: [f64; 4] = std::array::from_fn(|_| dice.real(-1.0, 1.0));
        let norm = q.iter().map(|x| x * x).sum::<f64>().max(1e-3);
        let [w, x, y, z] = q;
        rows = [
            [1.0 - 2.0 * (y * y + z * z) / norm, 2.0 * (x * y - w * z) / norm, 2.0 * (x * z + w * y) / norm],
            [2.0 * (x * y + w * z) / norm, 1.0 - 2.0 * (x * x + z * z) / norm, 2.0 * (y * z - w * x) / norm],
            [2.0 * (x * z - w * y) / norm, 2.0 * (y * z + w * x) / norm, 1.0 - 2.0 * (x * x + y * y) / norm],
        ];
    }
    let [a, b, c] = rows;
    [a[0], a[1], a[2], shift[0], b[0], b[1], b[2], shift[1], c[0], c[1], c[2], shift[2], 0.0, 0.0, 0.0, 1.0]
}

/// A random plan of a single vertex, good for `window`.
pub fn random_vertex_plan(dice: &mut Dice, style: Style, window: Span) -> VertexFlightplan {
    if style.curved > 0 && dice.percent(style.curved) {
        return random_curved_vertex_plan(dice, style, window);
    }
    let wide = |p: [f32; 3]| p.map(f64::from);
    match dice.below(4) {
        0 => VertexFlightplan::Fixed { position: wide(style.point(dice, 3)) },
        1 => {
            let from = dice.percent(50).then(|| wide(style.point(dice, 3)));
            VertexFlightplan::Velocity { from, velocity: std::array::from_fn(|_| f64::from(style.speed(dice))) }
        }
        _ => {
            let outside = dice.pick(&[Outside::Hold, Outside::Error]);
            let keys = 1 + dice.below(style.keys);
            let (times, outside) = random_times(dice, keys, outside, style, window);
            let positions = times.iter().map(|_| style.point(dice, 3)).collect();
            VertexFlightplan::Keyframes { times, positions, outside }
        }
    }
}
