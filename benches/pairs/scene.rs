//! The bodies and scenes of the table, and which triangles are asked about.

use kinetree::bvh::{BuildParams, Builder, Topology};
use kinetree::interval::PairedBodies;
use kinetree::mesh::{Mesh, Seams};
use kinetree::motion::{Flightplan, KeyLayout, Motion, StretchKind};
use kinetree::narrow::ContactRule;
use kinetree::scenes::{ExpandingSpheresDef, GeneratedBody, TableclothDef, WalkDef};
use kinetree::time::Moment;

/// Positions at time 0, and velocities.
pub type Lines = (Vec<[f32; 3]>, Vec<[f32; 3]>);

/// One body of a scene, its positions at every key.
pub struct Actor {
    pub mesh: Mesh,
    pub rest: Vec<[f32; 3]>,
    /// Positions by key; one entry where nothing moves; none for velocities.
    pub keys: Vec<Vec<[f32; 3]>>,
    /// Of velocities.
    pub lines: Option<Lines>,
    pub motion: Motion,
}

/// Keyframe intervals of constant velocities that are prepared together: nothing there turns at a key.
pub const TOGETHER: usize = 10;

impl Actor {
    pub fn new(mesh: Mesh, plan: Flightplan, times: &[f64]) -> Self {
        let rest = plan.rest_positions(mesh.vertex_count()).to_vec();
        let motion = Motion::new(plan, mesh.vertex_count(), KeyLayout::KeyMajor).expect("a valid plan");
        let kind = motion.stretch(Moment::after(times[0])).map(|stretch| stretch.kind);
        let is_fixed = kind == Some(StretchKind::Hold);
        let is_velocity = matches!(kind, Some(StretchKind::Lines { .. }));
        let count = if is_fixed { 1 } else { times.len() };
        let key = |&time: &f64| -> Vec<[f32; 3]> {
            let mut positions = Vec::new();
            motion.positions(Moment::at(time), &mut positions);
            positions.iter().map(|point| point.map(|x| x as f32)).collect()
        };
        let keys = if is_velocity { Vec::new() } else { times[..count].iter().map(key).collect() };
        Self { mesh, rest, keys, lines: None, motion }
    }

    /// Where velocities have taken a vertex.
    pub fn on_line(&self, vertex: u32, time: f64) -> [f64; 3] {
        let (positions, velocities) = self.lines.as_ref().expect("velocities");
        let (x, v) = (positions[vertex as usize], velocities[vertex as usize]);
        std::array::from_fn(|axis| f64::from(x[axis]) + f64::from(v[axis]) * time)
    }

    pub fn key(&self, key: usize) -> &[[f32; 3]] {
        &self.keys[key.min(self.keys.len() - 1)]
    }

    pub fn start(&self) -> Vec<[f64; 3]> {
        let mut positions = Vec::new();
        self.motion.positions(Moment::at(0.0), &mut positions);
        positions
    }

    pub fn topology(&self, leaf_size: usize, builder: Builder) -> Topology {
        Topology::build(&self.mesh, &self.start(), BuildParams { leaf_size, builder, ..BuildParams::default() })
    }

    pub fn is_fixed(&self) -> bool {
        self.keys.len() == 1
    }
}

/// Two bodies that meet, or one that meets itself.
pub struct Scene {
    pub name: String,
    pub times: Vec<f64>,
    pub a: Actor,
    /// `None`: the body with itself.
    pub b: Option<Actor>,
    pub seams: Option<Seams>,
}

impl Scene {
    pub fn of_two(name: &str, times: &[f64], a: Actor, b: Actor) -> Self {
        Self { name: name.into(), times: times.to_vec(), a, b: Some(b), seams: None }
    }

    pub fn of_one(name: &str, times: &[f64], a: Actor) -> Self {
        let seams = a.mesh.weld(&a.rest).unwrap();
        Self { name: name.into(), times: times.to_vec(), a, b: None, seams: Some(seams) }
    }

    /// Meshes and motions of both bodies, or of the one with itself.
    pub fn paired_bodies(&self) -> PairedBodies<'_> {
        match &self.b {
            Some(b) => PairedBodies::between((&self.a.mesh, &self.a.motion), (&b.mesh, &b.motion)),
            None => PairedBodies::within((&self.a.mesh, &self.a.motion), self.seams.as_ref()),
        }
    }

    pub fn second(&self) -> &Actor {
        self.b.as_ref().unwrap_or(&self.a)
    }

    pub fn intervals(&self) -> usize {
        self.times.len() - 1
    }

    /// The frames of an interval: its end included, its begin not.
    pub fn frames(&self, interval: usize, frames: usize) -> impl Iterator<Item = f64> + use<> {
        let (begin, end) = (self.times[interval], self.times[interval + 1]);
        (1..=frames).map(
            move |frame| {
                if frame == frames { end } else { begin + (end - begin) * (frame as f64 / frames as f64) }
            },
        )
    }

    pub fn rule(&self) -> Rule<'_> {
        Rule { surface: self.seams.as_ref().map(|seams| (self.a.mesh.triangles(), seams)) }
    }
}

/// Triangles that share a corner are not asked about.
pub struct Rule<'a> {
    pub surface: Option<(&'a [[u32; 3]], &'a Seams)>,
}

impl ContactRule for Rule<'_> {
    fn wants(&self, p: u32, q: u32) -> bool {
        self.surface
            .is_none_or(|(triangles, seams)| !seams.share_corner(&triangles[p as usize], &triangles[q as usize]))
    }
}

fn actors(bodies: &[GeneratedBody], times: &[f64]) -> Vec<Actor> {
    let actor = |body: &GeneratedBody| {
        let mesh = Mesh::new(body.start_positions().len(), body.triangles().to_vec()).expect("a valid mesh");
        let plan = match body {
            GeneratedBody::Fixed(mesh) => Flightplan::fixed(mesh.positions.clone()),
            GeneratedBody::Keyed(clip) => {
                Flightplan::keyframes(clip.times.clone(), clip.positions.as_chunks::<3>().0.to_vec())
            }
            GeneratedBody::Moving(body) => Flightplan::velocities(0.0, body.positions.clone(), body.velocities.clone()),
        };
        let lines = match body {
            GeneratedBody::Moving(body) => Some((body.positions.clone(), body.velocities.clone())),
            _ => None,
        };
        Actor { lines, ..Actor::new(mesh, plan, times) }
    };
    bodies.iter().map(actor).collect()
}

fn key_times(bodies: &[GeneratedBody]) -> Vec<f64> {
    let keyed = bodies.iter().find_map(|body| match body {
        GeneratedBody::Keyed(clip) => Some(clip.times.clone()),
        _ => None,
    });
    // Expanding spheres touch at 2 s.
    keyed.unwrap_or_else(|| (0..=30).map(|key| 1.5 + f64::from(key) / 30.0).collect())
}

/// The scenes that are asked for.
pub fn scenes(wanted: &[String]) -> Vec<Scene> {
    let quick = wanted.iter().any(|word| word == "quick");
    let options = ["quick", "parts"];
    let chosen = |name: &str| {
        wanted.iter().all(|word| options.contains(&word.as_str())) || wanted.iter().any(|word| name == word)
    };
    let mut scenes = Vec::new();
    let mut add = |name: &str, bodies: &[GeneratedBody]| {
        let times = key_times(bodies);
        let mut actors = actors(bodies, &times);
        let b = actors.remove(1);
        scenes.push(Scene::of_two(name, &times, actors.remove(0), b));
    };
    for (name, triangles) in [("A2k", 2_000), ("A16k", 16_000), ("A64k", 64_000)] {
        if chosen(name) && !(quick && triangles > 20_000) {
            add(name, &TableclothDef { triangles, ..TableclothDef::default() }.generate().bodies);
        }
    }
    for (name, triangles) in [("B32k", 32_000), ("B130k", 130_000)] {
        if chosen(name) && !(quick && triangles > 50_000) {
            add(name, &WalkDef { triangles, ..WalkDef::default() }.generate().bodies);
        }
    }
    for (name, triangles) in [("C2k", 2_000), ("C40k", 40_000)] {
        if chosen(name) {
            add(name, &ExpandingSpheresDef { triangles, ..ExpandingSpheresDef::default() }.generate().bodies);
        }
    }
    for name in ["ball", "twist"].into_iter().filter(|name| chosen(name)) {
        if let Some((mesh, times, positions)) = super::common::scenes::cloth(name) {
            let plan = Flightplan::keyframes(times.clone(), positions);
            scenes.push(Scene::of_one(name, &times, Actor::new(mesh, plan, &times)));
        }
    }
    scenes
}
