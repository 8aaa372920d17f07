//! The choice of engine: whole worlds, contacts at every frame, under each fixed engine and under
//! `Engine::Auto`; what the choice loses against the best fixed one (regret), and against the
//! refit.
//!
//! All worlds take turns, interval by interval, and find the same contacts, which is checked.
//! Figures are processor time of one thread. What a world costs before its first advance (trees) is
//! not counted, what a choice costs afterwards is.
//!
//! The word `kept` adds a world of `Engine::Auto` that keeps its events (`WorldDef::keep_events`):
//! its bodies are kinetic, and what that costs is the last column.
//!
//! `cargo bench --bench choice -- quick` leaves the largest scenes out; a word chooses scenes by
//! name, a number frames per interval.
//!
//! Not by criterion: worlds take turns interval by interval and change with every advance, so that
//! no step can be repeated.

mod common;

use common::balls::{SIDE, ball};
use common::clock;
use common::{heading, scenes};
use kinetree::id::BodyId;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::scenes::{ExpandingSpheresDef, GeneratedBody, GeneratedScene, TableclothDef, WalkDef};
use kinetree::world::{BodyDef, Engine, World, WorldDef};

/// Frames per keyframe interval.
const FRAMES: [usize; 4] = [1, 10, 30, 100];

/// Intervals measured, from one on in which there is contact.
const INTERVALS: usize = 12;

/// Runs of every world; the fastest counts, so that what else the machine does counts little.
const RUNS: usize = 3;

/// An engine, and whether events are kept.
type Way = (Engine, bool);

const KEPT: Way = (Engine::Auto, true);
const WAYS: [Way; 5] =
    [KEPT, (Engine::Kinetic, false), (Engine::Interval, false), (Engine::Refit, false), (Engine::Auto, false)];

struct Cell {
    name: &'static str,
    bodies: Vec<BodyDef>,
    /// Of those that have some.
    keys: Vec<Option<Keys>>,
    times: Vec<f64>,
    /// Is the kinetic engine measured too? With keyframes that takes minutes, and it is never the
    /// best.
    with_kinetic: bool,
    /// What becomes different in the middle of every interval.
    change: Change,
}

/// Keys of a body: times, seconds, and positions.
struct Keys {
    times: Vec<f64>,
    points: Vec<[f32; 3]>,
}

/// What the host changes in the middle of an interval.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    Nothing,
    /// The keys to come, of all bodies that move.
    Plans,
    /// Where one vertex is to stay from then on.
    Vertex,
}

fn definition(body: &GeneratedBody) -> BodyDef {
    let start = body.start_positions();
    let mesh = Mesh::new(start.len(), body.triangles().to_vec()).expect("a valid mesh");
    let plan = match body {
        GeneratedBody::Keyed(clip) => {
            let (points, _) = clip.positions.as_chunks::<3>();
            Flightplan::keyframes(clip.times.clone(), points.to_vec())
        }
        GeneratedBody::Moving(body) => Flightplan::velocities(0.0, body.positions.clone(), body.velocities.clone()),
        GeneratedBody::Fixed(mesh) => Flightplan::fixed(mesh.positions.clone()),
    };
    BodyDef::new(mesh, plan)
}

fn cell(name: &'static str, scene: &GeneratedScene, first: f64, period: f64, with_kinetic: bool) -> Cell {
    let times = (0..=INTERVALS).map(|key| first + period * key as f64).collect();
    let bodies = scene.bodies.iter().map(definition).collect();
    let keys = scene.bodies.iter().map(|body| match body {
        GeneratedBody::Keyed(clip) => {
            Some(Keys { times: clip.times.clone(), points: clip.positions.as_chunks::<3>().0.to_vec() })
        }
        _ => None,
    });
    Cell { name, bodies, keys: keys.collect(), times, with_kinetic, change: Change::Nothing }
}

fn cells(wanted: &[String]) -> Vec<Cell> {
    let is_quick = wanted.iter().any(|word| word == "quick");
    let is_switch = |word: &str| ["quick", "kept"].contains(&word);
    let names: Vec<&String> = wanted.iter().filter(|word| !is_switch(word) && word.parse::<usize>().is_err()).collect();
    let chosen = |name: &str, is_large: bool| {
        (names.is_empty() && !(is_quick && is_large)) || names.iter().any(|word| *word == name)
    };
    let mut cells = Vec::new();
    for (name, triangles) in [("A2k", 2_000), ("A16k", 16_000), ("A64k", 64_000)] {
        if chosen(name, triangles > 20_000) {
            let scene = TableclothDef { triangles, ..TableclothDef::default() }.generate();
            let times = key_times(&scene);
            cells.push(cell(name, &scene, times[30], times[1] - times[0], false));
        }
    }
    for (name, triangles) in [("B32k", 32_000), ("B130k", 130_000), ("B500k", 500_000)] {
        if chosen(name, triangles > 50_000) {
            let scene = WalkDef { triangles, ..WalkDef::default() }.generate();
            let times = key_times(&scene);
            cells.push(cell(name, &scene, times[12], times[1] - times[0], false));
        }
    }
    for (name, triangles) in [("C2k", 2_000), ("C40k", 40_000)] {
        if chosen(name, false) {
            let def = ExpandingSpheresDef { triangles, ..ExpandingSpheresDef::default() };
            let meeting = 0.5 * def.gap / def.speed;
            cells.push(cell(name, &def.generate(), meeting, 1.0 / 30.0, true));
        }
    }
    for (name, change) in [("plans", Change::Plans), ("vertex", Change::Vertex)] {
        if chosen(name, false) {
            let scene = TableclothDef { triangles: 16_000, ..TableclothDef::default() }.generate();
            let times = key_times(&scene);
            cells.push(Cell { change, ..cell(name, &scene, times[30], times[1] - times[0], true) });
        }
    }
    if chosen("balls", false) {
        let bodies = (0..SIDE * SIDE * SIDE).map(|number| ball(number, INTERVALS + 1)).collect();
        let times = (0..=INTERVALS).map(|key| key as f64 / 30.0).collect();
        cells.push(Cell {
            name: "balls",
            bodies,
            keys: Vec::new(),
            times,
            with_kinetic: false,
            change: Change::Nothing,
        });
    }
    if chosen("self", false)
        && let Some(scene) = scenes::cloth_ball()
    {
        let bodies = scene.bodies.into_iter().map(|body| {
            let is_cloth = body.name == "cloth";
            BodyDef::new(body.mesh, body.plan).self_contact(is_cloth)
        });
        let times = scene.times[40..=40 + INTERVALS].to_vec();
        cells.push(Cell {
            name: "self",
            bodies: bodies.collect(),
            keys: Vec::new(),
            times,
            with_kinetic: false,
            change: Change::Nothing,
        });
    }
    cells
}

fn key_times(scene: &GeneratedScene) -> Vec<f64> {
    let keyed = scene.bodies.iter().find_map(|body| match body {
        GeneratedBody::Keyed(clip) => Some(clip.times.clone()),
        _ => None,
    });
    keyed.expect("a scene of keys")
}

/// Tells a world what is different from now on; returns nanoseconds.
fn change(cell: &Cell, world: &mut World, number: usize) -> f64 {
    let now = world.time();
    let ids: Vec<BodyId> = world.bodies().collect();
    let mut cost = 0.0;
    for (id, keys) in ids.into_iter().zip(&cell.keys) {
        let Some(Keys { times, points }) = keys else { continue };
        let here = world.positions(id).expect("a body");
        match cell.change {
            Change::Nothing => {}
            Change::Plans => {
                // From where it is, by a tenth of a millimetre elsewhere than was said.
                let next = times.partition_point(|&time| time <= now);
                let told = times[next..].iter().take(3).copied();
                let off = if number.is_multiple_of(2) { 1e-4 } else { -1e-4 };
                let mut keys: Vec<[f32; 3]> = here.iter().map(|place| place.map(|x| x as f32)).collect();
                let ahead = points[next * here.len()..].iter().take(here.len() * told.len());
                keys.extend(ahead.map(|&[x, y, z]| [x + off, y, z]));
                let plan = Flightplan::keyframes(std::iter::once(now).chain(told).collect(), keys);
                cost += clock::time(|| world.set_flightplan(id, plan).expect("a good plan")).1;
            }
            Change::Vertex => {
                let vertex = number * here.len() / INTERVALS;
                let plans = [(vertex as u32, VertexFlightplan::Fixed { position: here[vertex] })];
                cost += clock::time(|| world.set_vertex_flightplans(id, &plans).expect("a good plan")).1;
            }
        }
    }
    cost
}

/// Nanoseconds of a run per engine, and contacts seen.
fn run(cell: &Cell, engines: &[Way], frames: usize) -> (Vec<f64>, usize) {
    let mut worlds: Vec<World> = engines
        .iter()
        .map(|&(engine, kept)| {
            let def = WorldDef::default().engine(engine).keep_events(kept).start(cell.times[0]);
            let mut world = World::new(def).expect("a start");
            for body in &cell.bodies {
                world.add_body(body.clone()).expect("a good body");
            }
            world
        })
        .collect();
    let mut costs = vec![0.0; engines.len()];
    let mut seen = 0;
    for (number, interval) in cell.times.windows(2).enumerate() {
        let mut contacts = vec![0; engines.len()];
        for (place, world) in worlds.iter_mut().enumerate() {
            let mut go = |world: &mut World, from: usize, to: usize| {
                clock::time(|| {
                    for frame in from..=to {
                        let part = frame as f64 / frames as f64;
                        let way = (interval[1] - interval[0]) * part;
                        world.advance_to(if frame == frames { interval[1] } else { interval[0] + way }).expect("a key");
                        contacts[place] += world.contacts().len();
                    }
                })
                .1
            };
            if cell.change == Change::Nothing {
                costs[place] += go(world, 1, frames);
            } else {
                let half = frames / 2;
                costs[place] += go(world, 1, half);
                costs[place] += change(cell, world, number);
                costs[place] += go(world, half + 1, frames);
            }
        }
        assert!(contacts.iter().all(|&count| count == contacts[0]), "{}: {contacts:?} under {engines:?}", cell.name);
        seen += contacts[0];
    }
    (costs, seen)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut chosen: Vec<usize> =
        wanted.iter().filter_map(|word| word.parse().ok()).filter(|&frames| frames > 0).collect();
    if chosen.is_empty() {
        chosen.extend(FRAMES);
    }
    let with_kept = wanted.iter().any(|word| word == "kept");
    let (mut regrets, mut at_once) = (Vec::new(), Vec::new());
    heading(
        "whole advance, ms per frame; the fastest of some interleaved runs",
        &[
            ("scene", 6),
            ("l", 3),
            ("kinetic", 9),
            ("window", 9),
            ("refit", 9),
            ("auto", 9),
            ("regret", 7),
            ("refit/auto", 10),
            ("contacts", 8),
            ("kept", 9),
            ("kept/auto", 9),
        ],
    );
    for cell in cells(&wanted) {
        let is_wanted = |way: &Way| match *way {
            KEPT => with_kept,
            (Engine::Kinetic, _) => cell.with_kinetic,
            _ => true,
        };
        let engines: Vec<Way> = WAYS.into_iter().filter(is_wanted).collect();
        for &frames in &chosen {
            let mut best = vec![f64::INFINITY; engines.len()];
            let mut seen = 0;
            for _ in 0..RUNS {
                let (costs, contacts) = run(&cell, &engines, frames);
                best.iter_mut().zip(costs).for_each(|(best, cost)| *best = best.min(cost));
                seen = contacts;
            }
            let looks = (frames * INTERVALS) as f64;
            let cost_of = |way: Way| engines.iter().position(|&other| other == way).map(|place| best[place]);
            let of = |engine: Engine| cost_of((engine, false));
            let show_cost = |cost: Option<f64>| cost.map_or("-".into(), |cost| format!("{:.3}", cost / looks / 1e6));
            let show = |engine: Engine| show_cost(of(engine));
            let auto = of(Engine::Auto).expect("it is measured");
            let fixed = [Engine::Kinetic, Engine::Interval, Engine::Refit];
            let fixed = fixed.into_iter().filter_map(of).fold(f64::INFINITY, f64::min);
            let against_refit = of(Engine::Refit).expect("it is measured") / auto;
            let kept = cost_of(KEPT);
            regrets.push(auto / fixed - 1.0);
            if frames == 1 {
                at_once.push(against_refit);
            }
            println!(
                "{:>6}  {frames:3}  {:>9}  {:>9}  {:>9}  {:>9}  {:6.1}%  {against_refit:10.2}  {:8}  {:>9}  {:>9}",
                cell.name,
                show(Engine::Kinetic),
                show(Engine::Interval),
                show(Engine::Refit),
                show(Engine::Auto),
                100.0 * (auto / fixed - 1.0),
                seen / (frames * INTERVALS),
                show_cost(kept),
                kept.map_or("-".into(), |kept| format!("{:.1}", kept / auto)),
            );
        }
    }
    let worst = regrets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mean = regrets.iter().sum::<f64>() / regrets.len().max(1) as f64;
    let least = at_once.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "\nregret: {:.1} % on average, {:.1} % at worst; least refit/auto at l = 1: {least:.2}",
        100.0 * mean,
        100.0 * worst
    );
}
