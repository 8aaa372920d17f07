//! What is raced on: two bodies that meet, or one that meets itself, with their positions at every key.

use std::path::Path;

use crate::common::data::shared;
use kinetree::bvh::{BuildParams, Builder, Topology};
use kinetree::interval::PairedBodies;
use kinetree::io::{read_obj, read_pc2};
use kinetree::mesh::{Mesh, Seams};
use kinetree::motion::{Flightplan, KeyLayout, Motion};
use kinetree::narrow::ContactRule;
use kinetree::scenes::{ExpandingSpheresDef, GeneratedBody, TableclothDef, WalkDef};
use kinetree::time::Moment;

/// One body.
pub struct Actor {
    pub mesh: Mesh,
    /// Positions by key; one entry where nothing moves.
    pub keys: Vec<Vec<[f32; 3]>>,
    pub plan: Flightplan,
    pub motion: Motion,
    /// 0, 1, 2, …
    pub vertices: Vec<u32>,
}

impl Actor {
    fn new(triangles: Vec<[u32; 3]>, keys: Vec<Vec<[f32; 3]>>, times: &[f64]) -> Self {
        let count = keys[0].len();
        let plan = match keys.len() {
            1 => Flightplan::fixed(keys[0].clone()),
            _ => Flightplan::keyframes(times.to_vec(), keys.concat()),
        };
        let mesh = Mesh::new(count, triangles).expect("a valid mesh");
        let motion = Motion::new(plan.clone(), count, KeyLayout::KeyMajor).expect("a valid plan");
        Self { mesh, keys, plan, motion, vertices: (0..count as u32).collect() }
    }

    pub fn is_fixed(&self) -> bool {
        self.keys.len() == 1
    }

    pub fn key(&self, key: usize) -> &[[f32; 3]] {
        &self.keys[key.min(self.keys.len() - 1)]
    }

    /// Positions at the first key, metres.
    pub fn start(&self) -> Vec<[f64; 3]> {
        self.keys[0].iter().map(|point| point.map(f64::from)).collect()
    }

    pub fn topology(&self, leaf_size: usize, builder: Builder) -> Topology {
        Topology::build(&self.mesh, &self.start(), BuildParams { leaf_size, builder, ..BuildParams::default() })
    }

    /// Where a vertex is at a frame, metres: what [`Motion::position`] says, without looking the key up.
    #[inline]
    pub fn position(&self, vertex: u32, frame: &Frame) -> [f64; 3] {
        let (x, y) = (self.key(frame.interval)[vertex as usize], self.key(frame.interval + 1)[vertex as usize]);
        let mut place = [0.0; 3];
        for axis in 0..3 {
            let (x, y) = (f64::from(x[axis]), f64::from(y[axis]));
            place[axis] = (x + (y - x) * frame.part).max(x.min(y)).min(x.max(y));
        }
        place
    }
}

/// A moment that is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub interval: usize,
    pub time: f64,
    /// From 0 to 1 within the interval.
    pub part: f64,
}

/// Two bodies that meet, or one that meets itself.
pub struct Scene {
    pub name: String,
    pub family: &'static str,
    /// Key times, seconds.
    pub times: Vec<f64>,
    /// Intervals of `l` frames from one key to the next: more than 1 where motion is known further ahead than it is looked at.
    pub per_key: usize,
    pub a: Actor,
    /// `None`: the body with itself.
    pub b: Option<Actor>,
    pub seams: Option<Seams>,
}

impl Scene {
    pub fn actors(&self) -> impl Iterator<Item = &Actor> {
        std::iter::once(&self.a).chain(&self.b)
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

    pub fn triangles(&self) -> usize {
        self.actors().map(|actor| actor.mesh.triangles().len()).sum()
    }

    /// The frames of an interval: its end included, its begin not.
    pub fn frames(&self, interval: usize, frames: usize) -> impl Iterator<Item = Frame> + use<> {
        let (begin, end) = (self.times[interval], self.times[interval + 1]);
        (1..=frames).map(move |frame| {
            let time = if frame == frames { end } else { begin + (end - begin) * (frame as f64 / frames as f64) };
            Frame { interval, time, part: if frame == frames { 1.0 } else { (time - begin) / (end - begin) } }
        })
    }

    pub fn rule(&self) -> Rule<'_> {
        Rule { surface: self.seams.as_ref().map(|seams| (self.a.mesh.triangles(), seams)) }
    }

    /// The race's own positions are the library's.
    fn check_positions(&self) {
        for actor in self.actors().filter(|actor| !actor.is_fixed()) {
            for frame in self.frames(self.intervals() / 2, 7) {
                for vertex in (0..actor.mesh.vertex_count() as u32).step_by(97) {
                    let expected = actor.motion.position(vertex, Moment::at(frame.time));
                    assert_eq!(actor.position(vertex, &frame), expected, "{} at {frame:?}", self.name);
                }
            }
        }
    }
}

/// Every pair is asked about, but of one body those that share no corner.
#[derive(Clone, Copy)]
pub struct Rule<'a> {
    surface: Option<(&'a [[u32; 3]], &'a Seams)>,
}

impl ContactRule for Rule<'_> {
    fn wants(&self, p: u32, q: u32) -> bool {
        self.surface
            .is_none_or(|(triangles, seams)| !seams.share_corner(&triangles[p as usize], &triangles[q as usize]))
    }
}

/// A part of a clip: so many intervals, beginning at this share of it.
#[derive(Clone, Copy)]
pub struct Part {
    pub intervals: usize,
    pub from: f64,
}

fn generated(name: &str, family: &'static str, bodies: &[GeneratedBody], part: Part) -> Scene {
    let keyed = bodies.iter().find_map(|body| match body {
        GeneratedBody::Keyed(clip) => Some(clip.times.clone()),
        _ => None,
    });
    // Constant velocities, known ten intervals of a thirtieth of a second ahead; spheres meet after 2 s.
    let per_key = if keyed.is_some() { 1 } else { AHEAD };
    let ahead = AHEAD as f64 / 30.0;
    let times = keyed.unwrap_or_else(|| (0..=6).map(|key| 1.5 + f64::from(key) * ahead).collect());
    let (first, last) = range(times.len() - 1, part);
    let times = times[first..=last].to_vec();
    let mut actors = bodies.iter().map(|body| {
        let keys = match body {
            GeneratedBody::Fixed(mesh) => vec![mesh.positions.clone()],
            GeneratedBody::Keyed(clip) => (first..=last).map(|key| clip.key(key).to_vec()).collect(),
            GeneratedBody::Moving(body) => {
                let at = |&time: &f64| {
                    let place = |(p, v): (&[f32; 3], &[f32; 3])| {
                        std::array::from_fn(|axis| (f64::from(p[axis]) + f64::from(v[axis]) * time) as f32)
                    };
                    body.positions.iter().zip(&body.velocities).map(place).collect()
                };
                times.iter().map(at).collect()
            }
        };
        Actor::new(body.triangles().to_vec(), keys, &times)
    });
    let (a, b) = (actors.next().expect("a body"), actors.next());
    drop(actors);
    let scene = Scene { name: name.into(), family, times, per_key, a, b, seams: None };
    scene.check_positions();
    scene
}

/// Intervals of `l` frames that constant velocities are known ahead.
const AHEAD: usize = 10;

fn range(intervals: usize, part: Part) -> (usize, usize) {
    let count = part.intervals.min(intervals);
    let first = ((intervals - count) as f64 * part.from) as usize;
    (first, first + count)
}

/// A recorded clip of cloth with itself.
fn recorded(name: &str, folder: &Path, part: Part) -> Scene {
    let mesh = read_obj(folder.join("cloth.obj")).expect("a readable mesh");
    let cache = read_pc2(folder.join("cloth.pc2")).expect("a readable cache");
    let (first, last) = range(cache.frames - 1, part);
    let points = cache.positions.as_chunks::<3>().0;
    let key = |key: usize| points[key * cache.vertices..(key + 1) * cache.vertices].to_vec();
    let times: Vec<f64> = (first..=last).map(|frame| frame as f64 / 24.0).collect();
    let a = Actor::new(mesh.triangles, (first..=last).map(key).collect(), &times);
    let seams = Some(a.mesh.weld(&a.keys[0]).unwrap());
    let scene = Scene { name: name.into(), family: "self", times, per_key: 1, a, b: None, seams };
    scene.check_positions();
    scene
}

/// Names of all scenes, and how many triangles they have about.
pub const SCENES: [(&str, usize); 10] = [
    ("A2k", 2_000),
    ("A16k", 16_000),
    ("A64k", 64_000),
    ("B32k", 32_000),
    ("B130k", 130_000),
    ("B500k", 500_000),
    ("C2k", 2_000),
    ("C40k", 40_000),
    ("cloth/ball", 12_800),
    ("cloth/twist", 20_000),
];

/// Makes a scene by its name; `None` where its data is absent.
pub fn scene(name: &str, triangles: usize, part: Part) -> Option<Scene> {
    match name.as_bytes()[0] {
        b'A' => {
            let scene = TableclothDef { triangles, ..TableclothDef::default() }.generate();
            Some(generated(name, "A", &scene.bodies, part))
        }
        b'B' => {
            let scene = WalkDef { triangles, ..WalkDef::default() }.generate();
            Some(generated(name, "B", &scene.bodies, part))
        }
        b'C' => {
            let scene = ExpandingSpheresDef { triangles, ..ExpandingSpheresDef::default() }.generate();
            Some(generated(name, "C", &scene.bodies, part))
        }
        _ if name == "cloth/ball" => {
            Some(recorded(name, Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/cloth_ball")), part))
        }
        _ => Some(recorded(name, &shared("cloth/twist")?, part)),
    }
}
