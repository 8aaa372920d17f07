//! Separation lists and whole worlds: events by kind, what they cost, and the kinetic engine
//! against the refit. Figures are processor time of one thread; both engines give the same
//! contacts, which is checked.
//!
//! By criterion, with processor time as its measure; the tables before it are single runs.

mod common;

use common::clock::{self, ProcessorTime};
use common::heading;
use common::scenes::{self, Scene};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use kinetree::bvh::{BuildParams, Builder, Width};
use kinetree::stats::Stats;
use kinetree::world::{Engine, World};

/// What a run over a scene cost and gave.
struct Run {
    nanoseconds: f64,
    /// Part of it in frames at keys, or right after, where nothing but contacts is found anew.
    contacts: usize,
    stats: Stats,
    /// Largest number of bytes held at a key.
    bytes: usize,
    listed: usize,
}

/// Advances through a scene with some frames to a keyframe interval.
fn run(scene: &Scene, engine: Engine, build: BuildParams, frames: usize) -> Run {
    let mut world = scene.world(engine, build);
    let (mut contacts, mut bytes, mut listed) = (0, 0, 0);
    let mut nanoseconds = 0.0;
    for interval in scene.times.windows(2) {
        nanoseconds += clock::time(|| {
            for frame in 1..=frames {
                let part = frame as f64 / frames as f64;
                let time = interval[0] * (1.0 - part) + interval[1] * part;
                world.advance_to(time).expect("the clip reaches its own keys");
                contacts += world.contacts().len();
            }
        })
        .1;
        let stats = world.stats();
        bytes = bytes.max(stats.bytes);
        listed = listed.max(stats.list.listed);
    }
    Run { nanoseconds, contacts, stats: world.stats(), bytes, listed }
}

fn event_table(scene: &Scene, build: BuildParams) {
    let kinetic = run(scene, Engine::Kinetic, build, 1);
    let (intervals, list, tree) = ((scene.times.len() - 1) as f64, kinetic.stats.list, kinetic.stats.tree);
    println!("\n{}, leaves of {}, {:?}: per keyframe interval", scene.name, build.leaf_size, build.builder);
    let per_interval = |name: &str, count: u64| println!("{name:>38}  {:9.1}", count as f64 / intervals);
    per_interval("leaf events", tree.leaf_events);
    per_interval("tree events", tree.tree_events);
    per_interval("boxes met", list.boxes_met);
    per_interval("leaves parted", list.leaves_separated);
    per_interval("fathers parted", list.parents_separated);
    per_interval("witnesses replaced (no change)", list.witnesses_replaced);
    per_interval("bound changes (no event)", list.bound_changes);
    per_interval("certificate searches of the list", list.certificates_searched);
    per_interval("queue operations", kinetic.stats.queue_operations);
    println!("{:>38}  {:9.1}", "ns per event, contacts included", kinetic.nanoseconds / kinetic.stats.events as f64);
    println!("{:>38}  {:9}", "most pairs listed at a key", kinetic.listed);
    println!("{:>38}  {:9.1}", "bytes per triangle", kinetic.bytes as f64 / scene.triangles() as f64);
}

/// Kinetic against refit, side by side.
fn engine_table(scene: &Scene) {
    heading(
        &format!("whole advance, ms per keyframe interval: {}", scene.name),
        &[
            ("builder", 17),
            ("leaf", 4),
            ("frames", 6),
            ("kinetic", 8),
            ("refit", 8),
            ("refit/kinetic", 10),
            ("events", 8),
            ("B/tri", 6),
            ("contacts", 8),
        ],
    );
    for builder in [Builder::BinnedSurfaceArea, Builder::MedianSplit] {
        for leaf_size in [4, 8, 16, 32] {
            let build = BuildParams { builder, leaf_size, ..BuildParams::default() };
            for frames in [1, 10] {
                let kinetic = run(scene, Engine::Kinetic, build, frames);
                let refit = run(scene, Engine::Refit, build, frames);
                assert_eq!(kinetic.contacts, refit.contacts, "both engines find the same contacts");
                let intervals = (scene.times.len() - 1) as f64;
                println!(
                    "{:>17}  {leaf_size:4}  {frames:6}  {:8.3}  {:8.3}  {:10.2}  {:8.0}  {:6.0}  {:8}",
                    format!("{builder:?}"),
                    kinetic.nanoseconds / intervals / 1e6,
                    refit.nanoseconds / intervals / 1e6,
                    refit.nanoseconds / kinetic.nanoseconds,
                    kinetic.stats.events as f64 / intervals,
                    kinetic.bytes as f64 / scene.triangles() as f64,
                    kinetic.contacts,
                );
            }
        }
    }
}

/// Nodes of up to four children against binary ones.
fn width_table(scene: &Scene) {
    heading(
        &format!("width of all trees, per keyframe interval: {}", scene.name),
        &[
            ("leaf", 4),
            ("width", 5),
            ("tree events", 11),
            ("updates", 8),
            ("list events", 11),
            ("list searches", 13),
            ("listed", 7),
            ("B/tri", 6),
            ("ms, 1 frame", 11),
            ("ms, 10 frames", 13),
        ],
    );
    for leaf_size in [1, 4, 8, 16, 32] {
        let mut contacts = Vec::new();
        for width in [Width::Two, Width::Four] {
            let build = BuildParams { leaf_size, width, ..BuildParams::default() };
            let median = |frames| {
                let mut runs: Vec<Run> = (0..3).map(|_| run(scene, Engine::Kinetic, build, frames)).collect();
                runs.sort_by(|a, b| a.nanoseconds.total_cmp(&b.nanoseconds));
                runs.swap_remove(1)
            };
            let (once, often) = (median(1), median(10));
            let (intervals, list, tree) = ((scene.times.len() - 1) as f64, once.stats.list, once.stats.tree);
            println!(
                "{leaf_size:4}  {:>5}  {:11.0}  {:8.0}  {:11.0}  {:13.0}  {:7}  {:6.0}  {:11.3}  {:13.3}",
                format!("{width:?}"),
                (tree.leaf_events + tree.tree_events) as f64 / intervals,
                tree.updates as f64 / intervals,
                (list.boxes_met + list.leaves_separated + list.parents_separated) as f64 / intervals,
                list.certificates_searched as f64 / intervals,
                once.listed,
                once.bytes as f64 / scene.triangles() as f64,
                once.nanoseconds / intervals / 1e6,
                often.nanoseconds / intervals / 1e6,
            );
            contacts.push((once.contacts, often.contacts));
        }
        assert_eq!(contacts[0], contacts[1], "contacts do not depend on the width");
    }
}

fn separation(criterion: &mut Criterion<ProcessorTime>) {
    let scenes = scenes::all(12_800, 40);
    for scene in &scenes {
        event_table(scene, BuildParams::default());
        engine_table(scene);
        width_table(scene);
    }
    let mut group = criterion.benchmark_group("advance over a whole clip");
    group.sample_size(10);
    for engine in [Engine::Kinetic, Engine::Refit] {
        let to_its_end = |mut world: World| {
            scenes[0].times.iter().for_each(|&time| world.advance_to(time).expect("the clip reaches its own keys"));
            world
        };
        group.bench_function(format!("{engine:?}"), |bencher| {
            let begin = || scenes[0].world(engine, BuildParams::default());
            bencher.iter_batched(begin, to_its_end, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .with_measurement(ProcessorTime)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = separation
}
criterion_main!(benches);
