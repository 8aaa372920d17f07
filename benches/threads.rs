//! A world in pools of one and more threads: wall time of an advance, under engine window and under refit. The runs take turns, and find
//! the same contacts, which is checked.
//!
//! `cargo bench --bench threads --features rayon`
//!
//! Not by criterion: worlds in different pools take turns advance by advance; wall time, because processor time adds up all threads.

mod common;

use std::time::Instant;

use common::balls::{SIDE, ball};
use common::heading;
use kinetree::world::{BodyDef, Engine, World, WorldDef};

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

fn main() {
    let bodies: Vec<BodyDef> = (0..SIDE * SIDE * SIDE).map(|number| ball(number, KEYS)).collect();
    heading(
        "wall time per frame, ms; the fastest of five interleaved runs",
        &[("engine", 8), ("1 thread", 9), ("2 threads", 9), ("gain", 6), ("contacts", 9)],
    );
    let pools: Vec<rayon::ThreadPool> = [1, 2]
        .map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"))
        .into_iter()
        .collect();
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
