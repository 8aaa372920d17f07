//! Latency: single steps of a world of a walking figure in a dress: median, longest, and where the
//! longest lies.
//!
//! A step is [`World::advance_to`] together with all calls since the step before.
//!
//! | keys | |
//! |---|---|
//! | known | the whole clip is the bodies' plan |
//! | streamed | at every key both bodies are told another one ([`World::extend_flightplan`]), so that one interval is known beyond the present one |
//! | looped | the clip is one gait cycle, repeated; the run passes its end |
//! | replaced | at every key a plan of that key and the two after it ([`World::set_flightplan`]): unannounced, shown apart |
//!
//! `cargo bench --bench latency --features simd` measures all cells. Words select some of them:
//! `-- kinetic streamed 10000 4 times runs=5`. Numbers of at least 1000 are triangles, smaller ones
//! are steps per key. The word `steps` shows the cost of every step, key by key.
//!
//! Each cell runs several times. The work of a step is the same in each run, so the figure of a
//! step is the least of all runs: processor time of the thread, and wall time beside it. The first
//! two keys are shown apart (`first`).
//!
//! Not by criterion: single steps are wanted, the longest among them, and criterion reports means
//! of many.

mod common;

use std::time::Instant;

use common::{clock, heading};
use kinetree::BodyId;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::scenes::{GeneratedBody, WalkDef};
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

/// Keys of one gait cycle, the first again at its end.
const CYCLE: usize = 31;

/// The first interval of a run that passes the end of the cycle.
const FIRST_OF_LOOPED: usize = 24;

/// Keys of a plan where they are streamed.
const STREAMED: usize = 3;

/// Keys passed before anything is measured.
const FIRST_KEYS: usize = 2;

const ENGINES: [(&str, Engine); 4] =
    [("auto", Engine::Auto), ("kinetic", Engine::Kinetic), ("interval", Engine::Interval), ("refit", Engine::Refit)];
const CONTACTS: [(&str, ContactMode); 2] = [("times", ContactMode::AtTimes), ("continuous", ContactMode::Continuous)];
const WAYS: [&str; 4] = ["known", "streamed", "looped", "replaced"];

/// What the command line selects.
struct Selection {
    words: Vec<String>,
    triangles: Vec<usize>,
    frames: Vec<usize>,
    runs: usize,
    intervals: usize,
}

impl Selection {
    fn from_args() -> Self {
        let (mut words, mut triangles, mut frames) = (Vec::new(), Vec::new(), Vec::new());
        let (mut runs, mut intervals) = (3, 12);
        for word in std::env::args().skip(1).filter(|word| !word.starts_with("--")) {
            match (word.parse::<usize>(), word.split_once('=')) {
                (Ok(number @ 1000..), _) => triangles.push(number),
                (Ok(number), _) => frames.push(number.max(1)),
                (_, Some(("runs", number))) => runs = number.parse().expect("runs=NUMBER"),
                (_, Some(("keys", number))) => intervals = number.parse().expect("keys=NUMBER"),
                _ => words.push(word),
            }
        }
        let or = |given: Vec<usize>, usual: [usize; 2]| if given.is_empty() { usual.to_vec() } else { given };
        let intervals = intervals.clamp(FIRST_KEYS + 1, CYCLE - 1);
        Self { words, triangles: or(triangles, [10_000, 130_000]), frames: or(frames, [4, 10]), runs, intervals }
    }

    /// Whether one of some names is selected: all are if none was given.
    fn has<'a>(&self, name: &str, mut all: impl Iterator<Item = &'a str>) -> bool {
        !all.any(|other| self.words.iter().any(|word| word == other)) || self.words.iter().any(|word| word == name)
    }
}

/// The scene: meshes, key times, and all positions of each body.
struct Scene {
    times: Vec<f64>,
    meshes: Vec<Mesh>,
    keys: Vec<Vec<[f32; 3]>>,
}

impl Scene {
    fn new(triangles: usize) -> Self {
        let scene = WalkDef { triangles, keys: CYCLE, ..WalkDef::default() }.generate();
        let (mut times, mut meshes, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        for body in &scene.bodies {
            let GeneratedBody::Keyed(clip) = body else { panic!("a walker moves by keys") };
            times.clone_from(&clip.times);
            keys.push(clip.positions.as_chunks::<3>().0.to_vec());
            meshes.push(Mesh::new(clip.vertex_count, clip.triangles.clone()).expect("a valid mesh"));
        }
        Self { times, meshes, keys }
    }

    /// The positions of a body at a key.
    fn key(&self, body: usize, key: usize) -> &[[f32; 3]] {
        let size = self.meshes[body].vertex_count();
        &self.keys[body][key * size..(key + 1) * size]
    }

    /// The plan of a body from one key on.
    fn plan(&self, body: usize, first: usize, count: usize) -> Flightplan {
        let last = first.saturating_add(count).min(self.times.len());
        let size = self.meshes[body].vertex_count();
        Flightplan::keyframes(self.times[first..last].to_vec(), self.keys[body][first * size..last * size].to_vec())
    }

    /// The time of a key, counted on through the rounds of the loop.
    fn time(&self, key: usize) -> f64 {
        let period = self.times[CYCLE - 1] - self.times[0];
        self.times[key % (CYCLE - 1)] + (key / (CYCLE - 1)) as f64 * period
    }
}

/// One cell of the table.
struct Cell<'a> {
    scene: &'a Scene,
    engine: Engine,
    contacts: ContactMode,
    way: &'a str,
    frames: usize,
    intervals: usize,
}

/// Nanoseconds of one step.
#[derive(Clone, Copy)]
struct Cost {
    processor: f64,
    wall: f64,
}

impl Cell<'_> {
    /// Runs the cell; returns the cost of each step, and the contacts found in all.
    fn run(&self) -> (Vec<Cost>, usize) {
        let scene = self.scene;
        let first = if self.way == "looped" { FIRST_OF_LOOPED } else { 0 };
        let known = if matches!(self.way, "streamed" | "replaced") { STREAMED } else { usize::MAX };
        let def = WorldDef::default().engine(self.engine).contacts(self.contacts).start(scene.time(first));
        let mut world = World::new(def).expect("a start");
        let mut add = |body: usize| {
            let plan = scene.plan(body, 0, known);
            let plan = if self.way == "looped" { plan.outside(Outside::Loop) } else { plan };
            world.add_body(BodyDef::new(scene.meshes[body].clone(), plan)).expect("a good body")
        };
        let bodies: Vec<BodyId> = (0..scene.meshes.len()).map(&mut add).collect();
        let (mut costs, mut contacts) = (Vec::new(), 0);
        for key in first..first + self.intervals {
            // Plans are copied before the clock runs: the host has its keys anyway.
            let changed = if self.way == "replaced" && key > first { bodies.len() } else { 0 };
            let plans: Vec<Flightplan> = (0..changed).map(|body| scene.plan(body, key, STREAMED)).collect();
            let mut begin = (clock::now(), Instant::now());
            for (&body, plan) in bodies.iter().zip(plans) {
                world.set_flightplan(body, plan).expect("a good plan");
            }
            let told = key + STREAMED - 1;
            if self.way == "streamed" && key > first && told < scene.times.len() {
                for (body, &id) in bodies.iter().enumerate() {
                    world.extend_flightplan(id, scene.times[told], scene.key(body, told)).expect("a good key");
                }
            }
            let interval = [scene.time(key), scene.time(key + 1)];
            for frame in 1..=self.frames {
                let part = frame as f64 / self.frames as f64;
                let between = interval[0] + (interval[1] - interval[0]) * part;
                let time = if frame == self.frames { interval[1] } else { between };
                world.advance_to(time).expect("the clip reaches its own keys");
                let wall = begin.1.elapsed().as_nanos() as f64;
                costs.push(Cost { processor: clock::now() - begin.0, wall });
                contacts += world.contacts().len();
                begin = (clock::now(), Instant::now());
            }
        }
        (costs, contacts)
    }

    /// The least cost of each step over some runs, milliseconds.
    fn measure(&self, runs: usize) -> (Vec<Cost>, usize) {
        let (mut least, contacts) = self.run();
        for _ in 1..runs {
            let (again, same) = self.run();
            assert_eq!(contacts, same, "a run is deterministic");
            for (least, again) in least.iter_mut().zip(again) {
                least.processor = least.processor.min(again.processor);
                least.wall = least.wall.min(again.wall);
            }
        }
        for cost in &mut least {
            (cost.processor, cost.wall) = (cost.processor / 1e6, cost.wall / 1e6);
        }
        (least, contacts)
    }

    fn print(&self, names: (&str, &str), (runs, shows_steps): (usize, bool)) {
        let (costs, contacts) = self.measure(runs);
        for (key, steps) in costs.chunks(self.frames).enumerate().filter(|_| shows_steps) {
            let steps: Vec<String> = steps.iter().map(|step| format!("{:.2}", step.processor)).collect();
            println!("{key:>9}: {}", steps.join(" "));
        }
        let (first, rest) = costs.split_at(FIRST_KEYS * self.frames);
        let most = |costs: &[Cost], of: fn(&Cost) -> f64| costs.iter().map(of).fold(0.0, f64::max);
        let median = |costs: &[Cost], of: fn(&Cost) -> f64| {
            let mut sorted: Vec<f64> = costs.iter().map(of).collect();
            sorted.sort_by(f64::total_cmp);
            sorted[sorted.len() / 2]
        };
        let processor: fn(&Cost) -> f64 = |cost| cost.processor;
        let wall: fn(&Cost) -> f64 = |cost| cost.wall;
        let (middle, longest) = (median(rest, processor), most(rest, processor));
        let place = rest.iter().position(|cost| cost.processor == longest).unwrap_or(0);
        let triangles: usize = self.scene.meshes.iter().map(Mesh::triangle_count).sum();
        // What a replacement takes beyond a step: the median of the steps after one.
        let after: Vec<Cost> = rest.iter().copied().step_by(self.frames).collect();
        let replaced = (median(&after, processor) - middle).max(0.0) * 1e6 / triangles as f64;
        let replaced = if self.way == "replaced" { format!("{replaced:.0}") } else { String::new() };
        println!(
            "{:>9}  {:>7}  {:>8}  {:>10}  {:>8}  {:8.2}  {middle:8.2}  {longest:8.2}  {:5.2}  {:>6}  {:8.2}  {:8.2}  {replaced:>8}  {contacts:>9}",
            triangles,
            self.frames,
            names.0,
            names.1,
            self.way,
            most(first, processor),
            longest / middle,
            format!("{}/{}", place / self.frames, place % self.frames),
            rest.iter().map(processor).sum::<f64>() / rest.len() as f64,
            most(rest, wall),
        );
    }
}

fn main() {
    let selection = Selection::from_args();
    heading(
        "walker: ms per step; place of the longest step as key/step of that key",
        &[
            ("triangles", 9),
            ("steps", 7),
            ("engine", 8),
            ("contacts", 10),
            ("keys", 8),
            ("first", 8),
            ("median", 8),
            ("longest", 8),
            ("ratio", 5),
            ("place", 6),
            ("mean", 8),
            ("wall max", 8),
            ("ns/tri", 8),
            ("contacts", 9),
        ],
    );
    for &triangles in &selection.triangles {
        let scene = Scene::new(triangles);
        for &frames in &selection.frames {
            for (engine_name, engine) in ENGINES {
                for (contacts_name, contacts) in CONTACTS {
                    let is_possible =
                        contacts == ContactMode::AtTimes || matches!(engine, Engine::Auto | Engine::Kinetic);
                    let is_selected = selection.has(engine_name, ENGINES.iter().map(|(name, _)| *name))
                        && selection.has(contacts_name, CONTACTS.iter().map(|(name, _)| *name));
                    for way in WAYS
                        .into_iter()
                        .filter(|way| is_possible && is_selected && selection.has(way, WAYS.into_iter()))
                    {
                        let cell =
                            Cell { scene: &scene, engine, contacts, way, frames, intervals: selection.intervals };
                        let shows_steps = selection.words.iter().any(|word| word == "steps");
                        cell.print((engine_name, contacts_name), (selection.runs, shows_steps));
                    }
                }
            }
        }
    }
}
