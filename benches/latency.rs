//! Latency: single advances of a world at 60 frames per second of a walker at half speed (four frames per key): median, 99th percentile
//! and longest, under windows, refits, and the choice.
//!
//! | keys | |
//! |---|---|
//! | known | the whole clip is the bodies' plan: the window to come can be prepared in advances before it |
//! | streamed | at every key the bodies are told another ([`World::extend_flightplan`]), so that one interval is known beyond the present one; what that takes is added to the advance after it |
//! | replaced | the same by [`World::set_flightplan`]: at every key a plan of that key and the two after it |
//!
//! Figures are processor time of one thread; the first advances, in which trees are made, are shown by themselves.
//!
//! `cargo bench --bench latency -- 32000` measures another number of triangles than 130,000.
//!
//! Not by criterion: single advances are wanted, the longest among them, and criterion reports means of many.

mod common;

use common::{clock, heading};
use kinetree::BodyId;
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::{GeneratedBody, WalkDef};
use kinetree::world::{BodyDef, Engine, World, WorldDef};

/// Frames per key.
const FRAMES: usize = 4;

/// Keys of a plan where they are streamed.
const STREAMED: usize = 3;

/// Keys passed before anything is measured.
const FIRST_KEYS: usize = 2;

fn main() {
    let triangles = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(130_000);
    let scene = WalkDef { triangles, ..WalkDef::default() }.generate();
    let mut times = Vec::new();
    let mut keys: Vec<Vec<[f32; 3]>> = Vec::new();
    let meshes: Vec<Mesh> = scene
        .bodies
        .iter()
        .map(|body| {
            let start = body.start_positions();
            keys.push(match body {
                GeneratedBody::Keyed(clip) => {
                    times.clone_from(&clip.times);
                    clip.positions.as_chunks::<3>().0.to_vec()
                }
                _ => start.to_vec(),
            });
            Mesh::new(start.len(), body.triangles().to_vec()).expect("a valid mesh")
        })
        .collect();
    // The plan of a body from one key on.
    let plan = |body: usize, first: usize, count: usize| {
        let (points, size) = (&keys[body], meshes[body].vertex_count());
        if points.len() == size {
            return Flightplan::fixed(points.clone());
        }
        let last = (first + count).min(times.len());
        Flightplan::keyframes(times[first..last].to_vec(), points[first * size..last * size].to_vec())
    };
    heading(
        &format!("walker, {triangles} triangles, {FRAMES} frames per key: ms per advance"),
        &[
            ("engine", 8),
            ("keys", 8),
            ("first", 8),
            ("p50", 8),
            ("p99", 8),
            ("longest", 8),
            ("longest/p50", 11),
            ("foreseen", 8),
            ("p50 by frame of a key", 24),
        ],
    );
    let engines = [Engine::Interval, Engine::Refit, Engine::Auto];
    let ways = ["known", "streamed", "replaced"];
    for (engine, way) in engines.into_iter().flat_map(|engine| ways.map(|way| (engine, way))) {
        let known = if way == "known" { usize::MAX } else { STREAMED };
        let mut world = World::new(WorldDef::default().engine(engine).start(times[0])).expect("a start");
        let add = |(body, mesh): (usize, &Mesh)| {
            world.add_body(BodyDef::new(mesh.clone(), plan(body, 0, known.min(times.len())))).expect("a good body")
        };
        let bodies: Vec<BodyId> = meshes.iter().enumerate().map(add).collect();
        let mut costs = Vec::new();
        for (key, interval) in times.windows(2).enumerate() {
            // Plans are copied before the clock runs: the host has its keys anyway.
            let changed = if way == "replaced" && key > 0 { bodies.len() } else { 0 };
            let plans: Vec<Flightplan> = (0..changed).map(|body| plan(body, key, STREAMED)).collect();
            let told = key + STREAMED - 1;
            let ((), mut before) = clock::time(|| {
                for (&body, plan) in bodies.iter().zip(plans) {
                    world.set_flightplan(body, plan).expect("a good plan");
                }
                let is_told = way == "streamed" && key > 0 && told < times.len();
                for (body, &id) in bodies.iter().enumerate().filter(|_| is_told) {
                    let (points, size) = (&keys[body], meshes[body].vertex_count());
                    if points.len() > size {
                        let points = &points[told * size..(told + 1) * size];
                        world.extend_flightplan(id, times[told], points).expect("a good key");
                    }
                }
            });
            for frame in 1..=FRAMES {
                let part = frame as f64 / FRAMES as f64;
                let time = if frame == FRAMES { interval[1] } else { interval[0] + (interval[1] - interval[0]) * part };
                let ((), cost) = clock::time(|| world.advance_to(time).expect("the clip reaches its own keys"));
                costs.push((std::mem::take(&mut before) + cost) / 1e6);
            }
        }
        let first = costs[..FIRST_KEYS * FRAMES].iter().copied().fold(0.0, f64::max);
        let mut rest = costs.split_off(FIRST_KEYS * FRAMES);
        let by_frame: Vec<String> = (0..FRAMES)
            .map(|frame| {
                let mut of_frame: Vec<f64> = rest.iter().copied().skip(frame).step_by(FRAMES).collect();
                of_frame.sort_by(f64::total_cmp);
                format!("{:.2}", of_frame[of_frame.len() / 2])
            })
            .collect();
        rest.sort_by(f64::total_cmp);
        let at = |part: f64| rest[((rest.len() - 1) as f64 * part) as usize];
        println!(
            "{:>8}  {:>8}  {first:8.2}  {:8.2}  {:8.2}  {:8.2}  {:11.2}  {:8}  {:>24}",
            format!("{engine:?}"),
            way,
            at(0.5),
            at(0.99),
            at(1.0),
            at(1.0) / at(0.5),
            world.stats().engines.intervals_prefetched,
            by_frame.join(" "),
        );
    }
}
