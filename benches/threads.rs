//! A world in pools of one and more threads: wall time. The runs take turns, and find the same
//! contacts, which is checked.
//!
//! `cargo bench --bench threads --features rayon,io [-- many] [-- one] [-- times]`
//!
//! | word | what |
//! |---|---|
//! | `many` | an advance of many bodies, under engine interval and under refit |
//! | `one` | contacts over time of one pair, and of one body with itself: adding them, and a step |
//! | `times` | contacts at times of one pair, and of one body with itself, at 1, 10 and 30 frames a key |
//!
//! Beside wall time, for one pair: processor time of one thread over that of the busiest of two,
//! the gain that a machine with nothing else to do cannot exceed.
//!
//! Not by criterion: worlds in different pools take turns advance by advance; wall time, because
//! processor time adds up all threads.

mod common;

use std::path::Path;
use std::time::Instant;

use common::balls::{SIDE, ball};
use common::data::shared;
use common::{clock, heading};
use kinetree::ContactMode;
use kinetree::io::{read_obj, read_pc2};
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::material::jittered_grid_cloth;
use kinetree::scenes::{GeneratedBody, WalkDef};
use kinetree::world::{BodyDef, Engine, World, WorldDef};
use rayon::ThreadPool;

/// Keys, 1/30 s apart, and frames per key.
const KEYS: usize = 8;
const FRAMES: usize = 10;

/// Milliseconds of a whole run per frame, contacts and triangle tests.
fn run(bodies: &[BodyDef], engine: Engine) -> (f64, u64, u64) {
    let mut world = World::new(WorldDef::default().engine(engine)).expect("a start");
    for body in bodies {
        world.add_body(body.clone()).expect("a good body");
    }
    let frames = (KEYS - 1) * FRAMES;
    let mut contacts = 0;
    let begin = Instant::now();
    for frame in 1..=frames {
        world.advance_to(frame as f64 / (30.0 * FRAMES as f64)).expect("a time of the clip");
        contacts += world.contacts().len() as u64;
    }
    (begin.elapsed().as_secs_f64() * 1e3 / frames as f64, contacts, world.stats().triangle_tests)
}

/// Cells along an edge of a sheet of one pair, and of the sheet that touches itself.
const CELLS: [usize; 2] = [300, 200];

/// A jittered sheet over two keys, `height` metres up.
fn sheet(seed: u64, cells: usize, height: f32) -> (Mesh, Flightplan) {
    let clip = jittered_grid_cloth(seed, cells, cells, 2);
    let (points, _) = clip.positions.as_chunks::<3>();
    let raised = points.iter().map(|&[x, y, z]| [x, y + height, z]).collect();
    (Mesh::new(clip.vertex_count, clip.triangles).expect("a sheet"), Flightplan::keyframes(clip.times, raised))
}

/// What adding bodies takes, and one step, with contacts over time: wall time, and the processor
/// time of the busiest thread, milliseconds; with the number of changes and of exact tests.
fn step(pool: &ThreadPool, bodies: &[BodyDef], end: f64) -> ([[f64; 2]; 2], (usize, u64)) {
    let timed = |work: &mut (dyn FnMut() + Send)| {
        let before = pool.broadcast(|_| clock::now());
        let begin = Instant::now();
        pool.install(work);
        let wall = begin.elapsed().as_secs_f64() * 1e3;
        let after = pool.broadcast(|_| clock::now());
        [wall, before.iter().zip(&after).map(|(before, after)| (after - before) * 1e-6).fold(0.0, f64::max)]
    };
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).expect("a start");
    let added = timed(&mut || {
        for body in bodies {
            world.add_body(body.clone()).expect("a good body");
        }
    });
    let advanced = timed(&mut || world.advance_to(end).expect("a time of the clip"));
    ([added, advanced], (world.contact_changes().len(), world.interval_stats().pairs))
}

fn one_pair(pools: &[ThreadPool]) {
    heading(
        "contacts over time, ms; the fastest of five interleaved runs",
        &[
            ("scene", 14),
            ("what", 8),
            ("1 thread", 9),
            ("2 threads", 9),
            ("gain", 6),
            ("busiest", 9),
            ("at most", 7),
            ("changes", 9),
            ("tests", 9),
        ],
    );
    let [pair, own] = CELLS;
    let def = |(mesh, plan): (Mesh, Flightplan)| BodyDef::new(mesh, plan);
    let scenes = [
        ("two sheets", vec![def(sheet(1, pair, 0.0)), def(sheet(2, pair, 0.3))]),
        ("a sheet itself", vec![def(sheet(3, own, 0.0)).self_contact(true)]),
    ];
    for (name, bodies) in scenes {
        let (mut best, mut seen) = ([[[f64::INFINITY; 2]; 2]; 2], None);
        for _ in 0..5 {
            for (pool, best) in pools.iter().zip(&mut best) {
                let (times, found) = step(pool, &bodies, 1.0 / 60.0);
                assert_eq!(*seen.get_or_insert(found), found);
                best.iter_mut().flatten().zip(times.iter().flatten()).for_each(|(best, time)| *best = best.min(*time));
            }
        }
        let (changes, tests) = seen.unwrap_or_default();
        for (place, what) in ["adding", "a step"].into_iter().enumerate() {
            let [[one, alone], [two, busiest]] = best.map(|best| best[place]);
            println!(
                "{name:>14}  {what:>8}  {one:9.1}  {two:9.1}  {:6.2}  {busiest:9.1}  {:7.2}  {changes:9}  {tests:9}",
                one / two,
                alone / busiest
            );
        }
    }
}

/// Key intervals of a run with contacts at times.
const INTERVALS: usize = 8;

/// A walking figure in a dress, and cloth with itself (the second one where the shared data is),
/// with key times and the first key of the run, three quarters into the clip.
fn clips() -> Vec<(&'static str, Vec<BodyDef>, Vec<f64>, usize)> {
    let mut clips = Vec::new();
    let mut add = |name, bodies, times: Vec<f64>| {
        let first = (times.len() - 1 - INTERVALS) * 3 / 4;
        clips.push((name, bodies, times, first));
    };
    let mut times = Vec::new();
    let walk = WalkDef { triangles: 130_000, ..WalkDef::default() }.generate();
    let bodies = walk.bodies.into_iter().map(|body| match body {
        GeneratedBody::Keyed(clip) => {
            times.clone_from(&clip.times);
            let (points, _) = clip.positions.as_chunks::<3>();
            let mesh = Mesh::new(clip.vertex_count, clip.triangles).expect("a body");
            BodyDef::new(mesh, Flightplan::keyframes(clip.times, points.to_vec()))
        }
        _ => unreachable!("all bodies of the scene have keys"),
    });
    let bodies: Vec<BodyDef> = bodies.collect();
    add("walk, 130k", bodies, times);
    let fixture = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/cloth_ball")).to_owned();
    for (name, folder) in [("cloth/ball", Some(fixture)), ("cloth/twist", shared("cloth/twist"))] {
        let Some(folder) = folder else { continue };
        let mesh = read_obj(folder.join("cloth.obj")).expect("a readable mesh");
        let cache = read_pc2(folder.join("cloth.pc2")).expect("a readable cache");
        let times: Vec<f64> = (0..cache.frames).map(|frame| frame as f64 / 24.0).collect();
        let plan = Flightplan::keyframes(times.clone(), cache.positions.as_chunks::<3>().0.to_vec());
        let mesh = Mesh::new(cache.vertices, mesh.triangles).expect("a cloth");
        add(name, vec![BodyDef::new(mesh, plan).self_contact(true)], times);
    }
    clips
}

/// Milliseconds of a frame, wall time and processor time of the busiest thread; contacts of all
/// frames and exact tests.
fn frames(pool: &ThreadPool, bodies: &[BodyDef], times: &[f64], count: usize) -> ([f64; 2], (usize, u64)) {
    let mut world = World::new(WorldDef::default().start(times[0])).expect("a start");
    for body in bodies {
        world.add_body(body.clone()).expect("a good body");
    }
    // Both modes of bodies are made in the first interval.
    let frame = |interval: usize, frame: usize| {
        times[interval] + (times[interval + 1] - times[interval]) * frame as f64 / count as f64
    };
    let mut contacts = 0;
    let mut interval = |world: &mut World, number: usize| {
        for step in 1..=count {
            world.advance_to(frame(number, step)).expect("a time of the clip");
            contacts += world.contacts().len();
        }
    };
    pool.install(|| interval(&mut world, 0));
    let before = pool.broadcast(|_| clock::now());
    let begin = Instant::now();
    pool.install(|| (1..times.len() - 1).for_each(|number| interval(&mut world, number)));
    let wall = begin.elapsed().as_secs_f64() * 1e3;
    let after = pool.broadcast(|_| clock::now());
    let busiest = before.iter().zip(&after).map(|(before, after)| (after - before) * 1e-6).fold(0.0, f64::max);
    let steps = ((times.len() - 2) * count) as f64;
    ([wall / steps, busiest / steps], (contacts, world.stats().triangle_tests))
}

fn at_times(pools: &[ThreadPool]) {
    heading(
        "contacts at times, ms a frame; the fastest of five interleaved runs",
        &[
            ("scene", 14),
            ("frames", 6),
            ("1 thread", 9),
            ("2 threads", 9),
            ("gain", 6),
            ("at most", 7),
            ("contacts", 9),
        ],
    );
    for (name, bodies, times, first) in clips() {
        for count in [1, 10, 30] {
            let (mut best, mut seen) = ([[f64::INFINITY; 2]; 2], None);
            for _ in 0..5 {
                for (pool, best) in pools.iter().zip(&mut best) {
                    let (took, found) = frames(pool, &bodies, &times[first..=first + INTERVALS], count);
                    assert_eq!(*seen.get_or_insert(found), found);
                    best.iter_mut().zip(took).for_each(|(best, time)| *best = best.min(time));
                }
            }
            let [[one, alone], [two, busiest]] = best;
            println!(
                "{name:>14}  {count:6}  {one:9.3}  {two:9.3}  {:6.2}  {:7.2}  {:9}",
                one / two,
                alone / busiest,
                seen.map_or(0, |(contacts, _)| contacts)
            );
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wants = |word: &str| {
        !words.iter().any(|other| ["many", "one", "times"].contains(&other.as_str()))
            || words.iter().any(|other| other == word)
    };
    let pools: Vec<ThreadPool> = [1, 2]
        .map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"))
        .into_iter()
        .collect();
    if wants("times") {
        at_times(&pools);
    }
    if wants("one") {
        one_pair(&pools);
    }
    if !wants("many") {
        return;
    }
    let bodies: Vec<BodyDef> = (0..SIDE * SIDE * SIDE).map(|number| ball(number, KEYS)).collect();
    heading(
        "wall time per frame, ms; the fastest of five interleaved runs",
        &[("engine", 8), ("1 thread", 9), ("2 threads", 9), ("gain", 6), ("contacts", 9)],
    );
    for engine in [Engine::Interval, Engine::Refit] {
        let (mut best, mut seen) = ([f64::INFINITY; 2], None);
        for _ in 0..5 {
            for (pool, best) in pools.iter().zip(&mut best) {
                let (time, contacts, tests) = pool.install(|| run(&bodies, engine));
                assert_eq!(*seen.get_or_insert((contacts, tests)), (contacts, tests));
                *best = best.min(time);
            }
        }
        let name = format!("{engine:?}").to_lowercase();
        let contacts = seen.map_or(0, |(contacts, _)| contacts);
        println!(
            "{name:>8}  {:9.3}  {:9.3}  {:6.2}  {:9}",
            best[0],
            best[1],
            best[0] / best[1],
            contacts / ((KEYS - 1) * FRAMES) as u64
        );
    }
}
