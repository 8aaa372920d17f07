//! Latency: single advances of a world whose keys come one after the other, at 60 frames per second of a walker at half speed (four frames
//! per key): median, 99th percentile and longest, under windows, refits, and the choice.
//!
//! Figures are processor time of one thread; the first advances, in which trees are made, are shown by themselves.
//!
//! `cargo bench --bench latency -- 32000` measures another number of triangles than 130,000.

mod common;

use common::{clock, heading};
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::{GeneratedBody, WalkDef};
use kinetree::world::{BodyDef, Engine, World, WorldDef};

/// Frames per key.
const FRAMES: usize = 4;

/// Keys passed before anything is measured.
const FIRST_KEYS: usize = 2;

fn main() {
    let triangles = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(130_000);
    let scene = WalkDef { triangles, ..WalkDef::default() }.generate();
    let mut times = Vec::new();
    let bodies: Vec<BodyDef> = scene
        .bodies
        .iter()
        .map(|body| {
            let start = body.start_positions();
            let mesh = Mesh::new(start.len(), body.triangles().to_vec()).expect("a valid mesh");
            let plan = match body {
                GeneratedBody::Keyed(clip) => {
                    times.clone_from(&clip.times);
                    let (points, _) = clip.positions.as_chunks::<3>();
                    Flightplan::keyframes(clip.times.clone(), points.to_vec())
                }
                _ => Flightplan::fixed(start.clone()),
            };
            BodyDef::new(mesh, plan)
        })
        .collect();
    heading(
        &format!("walker, {triangles} triangles, {FRAMES} frames per key: ms per advance"),
        &[("engine", 8), ("first", 8), ("p50", 8), ("p99", 8), ("longest", 8), ("longest/p50", 11), ("foreseen", 8)],
    );
    for engine in [Engine::Window, Engine::Refit, Engine::Auto] {
        let mut world = World::new(WorldDef { engine, start: times[0], ..WorldDef::default() }).expect("a start");
        for body in &bodies {
            world.add_body(body.clone()).expect("a good body");
        }
        let mut costs = Vec::new();
        for interval in times.windows(2) {
            for frame in 1..=FRAMES {
                let part = frame as f64 / FRAMES as f64;
                let time = interval[0] + (interval[1] - interval[0]) * part;
                costs.push(clock::time(|| world.advance_to(time).expect("the clip reaches its own keys")).1 / 1e6);
            }
        }
        let first = costs[..FIRST_KEYS * FRAMES].iter().copied().fold(0.0, f64::max);
        let mut rest = costs.split_off(FIRST_KEYS * FRAMES);
        rest.sort_by(f64::total_cmp);
        let at = |part: f64| rest[((rest.len() - 1) as f64 * part) as usize];
        println!(
            "{:>8}  {first:8.2}  {:8.2}  {:8.2}  {:8.2}  {:11.2}  {:8}",
            format!("{engine:?}"),
            at(0.5),
            at(0.99),
            at(1.0),
            at(1.0) / at(0.5),
            world.stats().engines.windows_foreseen,
        );
    }
}
