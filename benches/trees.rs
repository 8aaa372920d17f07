//! Trees alone, without pairs of bodies: the kinetic trees against the tuned refit, and what one changed flightplan costs.
//! Figures are processor time of one thread.
//!
//! By criterion, with processor time as its measure; the tables before it are single runs.

mod common;

use common::clock::{self, ProcessorTime};
use common::heading;
use common::scenes::{self, Scene};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kinetree::bvh::{BuildParams, Builder, Topology, Width};
use kinetree::kinetic::event::{EventLog, EventQueue};
use kinetree::kinetic::{EventContext, KineticTree, TreeContext, TreeKind};
use kinetree::mesh::Mesh;
use kinetree::motion::{KeyLayout, Motion, VertexFlightplan};
use kinetree::refit::RefitTree;
use kinetree::stats::TreeStats;
use kinetree::time::Moment;
use kinetree::tuning;
use kinetree::world::{Engine, World};

/// Frames per keyframe interval.
const FRAMES: [usize; 4] = [1, 10, 30, 100];

/// The first body of a scene, by itself.
struct Cloth {
    name: String,
    mesh: Mesh,
    times: Vec<f64>,
    by_key: Motion,
    by_vertex: Motion,
}

impl Cloth {
    fn of(scene: Scene) -> Self {
        let body = scene.bodies.into_iter().next().expect("a scene has a body");
        let motion = |layout| {
            Motion::new(body.plan.clone(), body.mesh.vertex_count(), layout).expect("the scene's plans are valid")
        };
        let (by_key, by_vertex) = (motion(KeyLayout::KeyMajor), motion(KeyLayout::VertexMajor));
        Self { name: scene.name, mesh: body.mesh, times: scene.times, by_key, by_vertex }
    }

    fn triangles(&self) -> f64 {
        self.mesh.triangles().len() as f64
    }

    fn topology(&self, params: BuildParams) -> Topology {
        let mut positions = Vec::new();
        self.by_key.positions(Moment::at(self.times[0]), &mut positions);
        Topology::build(&self.mesh, &positions, params)
    }
}

/// Nanoseconds per triangle of one frame.
struct RefitCost {
    interpolate: f64,
    refit: f64,
}

/// The refitted tree over all frames of a clip, some frames to a keyframe interval.
fn refit_cost(cloth: &Cloth, params: BuildParams) -> RefitCost {
    let mut positions = Vec::new();
    cloth.by_key.positions(Moment::at(0.0), &mut positions);
    let mut tree = RefitTree::new(cloth.topology(params), &cloth.mesh, &positions);
    let frames = 4 * (cloth.times.len() - 1);
    let mut frame = 0;
    let mut next = || {
        frame = (frame + 1) % frames;
        let (key, part) = (frame / 4, (frame % 4) as f64 / 4.0);
        Moment::at(cloth.times[key] * (1.0 - part) + cloth.times[key + 1] * part)
    };
    let runs = (4e6 / cloth.triangles()) as usize + 5;
    let both = clock::median(runs, || {
        let at = next();
        tree.refit_with(|vertices, points| cloth.by_key.rounded_positions(at, vertices, points));
    });
    // The positions are already in place.
    let refit = clock::median(runs, || tree.refit_with(|_, _| 1e-6));
    RefitCost { interpolate: (both - refit) / cloth.triangles(), refit: refit / cloth.triangles() }
}

/// What a kinetic tree did over a clip.
struct KineticCost {
    nanoseconds: f64,
    intervals: f64,
    build: f64,
    bytes: usize,
    drift: f64,
    stats: TreeStats,
}

impl KineticCost {
    fn events(&self) -> f64 {
        (self.stats.leaf_events + self.stats.tree_events) as f64
    }
}

fn kinetic_cost(cloth: &Cloth, kind: TreeKind, params: BuildParams) -> KineticCost {
    let (motion, until) = (&cloth.by_vertex, cloth.by_vertex.epoch_end(Moment::at(0.0)).time());
    let (mut queue, mut log) = (EventQueue::new(), EventLog::new(false));
    let ((mut tree, bytes), build) = clock::time(|| {
        let topology = cloth.topology(params);
        let mut clock = EventContext { queue: &mut queue, log: &mut log, now: Moment::at(cloth.times[0]) };
        let tree =
            KineticTree::new(kind, topology, 0, &mut TreeContext::new(motion, until, &mut clock, &mut Vec::new()));
        let bytes = tree.bytes() + clock.queue.bytes();
        (tree, bytes)
    });
    let before = tree.stats();
    let mut changes = Vec::new();
    let end = Moment::at(cloth.times[cloth.times.len() - 1]);
    let ((), nanoseconds) = clock::time(|| {
        while let Some(event) = queue.pop_until(end) {
            changes.clear();
            let mut clock = EventContext { queue: &mut queue, log: &mut log, now: event.moment };
            tree.process(event, &mut TreeContext::new(motion, until, &mut clock, &mut changes));
        }
    });
    let mut stats = tree.stats();
    stats.certificates_searched -= before.certificates_searched;
    stats.candidates_searched -= before.candidates_searched;
    let mut positions = Vec::new();
    motion.positions(end, &mut positions);
    let drift = tree.sah_ratio(0, &cloth.mesh, &positions);
    KineticCost { nanoseconds, intervals: (cloth.times.len() - 1) as f64, build, bytes, drift, stats }
}

fn cloths() -> Vec<Cloth> {
    let mut cloths: Vec<Cloth> = [(2_000, 40, 0.3), (16_000, 40, 0.3), (64_000, 16, 0.6), (200_000, 8, 0.7)]
        .map(|(triangles, keys, begin)| Cloth::of(scenes::falling_cloth(triangles, keys, begin)))
        .into();
    cloths.extend(scenes::cloth_ball().map(Cloth::of));
    cloths
}

fn refit_table(cloths: &[Cloth]) {
    heading(
        "tuned refit, ns per triangle and frame",
        &[("scene", 31), ("leaf", 4), ("interpolate", 11), ("refit", 5), ("both", 5)],
    );
    for cloth in cloths {
        for leaf_size in [1, 4, 8] {
            let cost = refit_cost(cloth, BuildParams { leaf_size, ..BuildParams::default() });
            println!(
                "{:>31}  {leaf_size:4}  {:11.2}  {:5.2}  {:5.2}",
                cloth.name,
                cost.interpolate,
                cost.refit,
                cost.interpolate + cost.refit
            );
        }
    }
}

fn kinetic_table(cloths: &[Cloth]) {
    heading(
        "kinetic trees alone; how many times cheaper than interpolate + refit with one triangle per leaf",
        &[
            ("scene", 31),
            ("tree", 4),
            ("leaf", 4),
            ("events/tri/key", 14),
            ("updates/event", 13),
            ("candidates/event", 16),
            ("ns/event", 8),
            ("ns/tri/key", 10),
            ("B/tri", 5),
            ("build ns/tri", 12),
            ("drift", 5),
            ("l=1", 5),
            ("l=10", 5),
            ("l=30", 5),
            ("l=100", 5),
        ],
    );
    for cloth in cloths {
        let rival = refit_cost(cloth, BuildParams { leaf_size: 1, ..BuildParams::default() });
        let rival = rival.interpolate + rival.refit;
        let kinds = [TreeKind::Aabb, TreeKind::Box];
        for (leaf_size, kind) in [1, tuning::LEAF_SIZE].into_iter().flat_map(|size| kinds.map(|kind| (size, kind))) {
            let cost = kinetic_cost(cloth, kind, BuildParams { leaf_size, ..BuildParams::default() });
            let per_interval = cost.nanoseconds / cloth.triangles() / cost.intervals;
            print!(
                "{:>31}  {:>4}  {leaf_size:4}  {:14.3}  {:13.2}  {:16.1}  {:8.0}  {per_interval:10.1}  {:5.0}  {:12.0}  {:5.2}",
                cloth.name,
                format!("{kind:?}"),
                cost.events() / cloth.triangles() / cost.intervals,
                cost.stats.updates as f64 / cost.events(),
                cost.stats.candidates_searched as f64 / cost.events(),
                cost.nanoseconds / cost.events(),
                cost.bytes as f64 / cloth.triangles(),
                cost.build / cloth.triangles(),
                cost.drift,
            );
            for frames in FRAMES {
                print!("  {:5.2}", frames as f64 * rival / per_interval);
            }
            println!();
        }
    }
}

fn leaf_table(cloths: &[Cloth]) {
    heading(
        "leaf sizes and builders, kinetic AABB tree alone",
        &[
            ("scene", 31),
            ("builder", 17),
            ("leaf", 4),
            ("events/tri/key", 14),
            ("ns/event", 8),
            ("ns/tri/key", 10),
            ("B/tri", 5),
            ("build ns/tri", 12),
        ],
    );
    for cloth in cloths.iter().filter(|cloth| (10_000.0..20_000.0).contains(&cloth.triangles())) {
        for builder in [Builder::MedianSplit, Builder::BinnedSurfaceArea] {
            for leaf_size in [1, 2, 4, 8, 16] {
                let cost =
                    kinetic_cost(cloth, TreeKind::Aabb, BuildParams { builder, leaf_size, ..BuildParams::default() });
                println!(
                    "{:>31}  {:>17}  {leaf_size:4}  {:14.3}  {:8.0}  {:10.1}  {:5.0}  {:12.0}",
                    cloth.name,
                    format!("{builder:?}"),
                    cost.events() / cloth.triangles() / cost.intervals,
                    cost.nanoseconds / cost.events(),
                    cost.nanoseconds / cloth.triangles() / cost.intervals,
                    cost.bytes as f64 / cloth.triangles(),
                    cost.build / cloth.triangles(),
                );
            }
        }
    }
}

/// Nodes of up to four children against binary ones.
fn width_table(cloths: &[Cloth]) {
    heading(
        "width of the kinetic AABB tree",
        &[
            ("scene", 31),
            ("builder", 17),
            ("leaf", 4),
            ("width", 5),
            ("nodes/tri", 9),
            ("events/tri/key", 14),
            ("updates/event", 13),
            ("ns/event", 8),
            ("ns/tri/key", 10),
            ("B/tri", 5),
            ("build ns/tri", 12),
        ],
    );
    for cloth in cloths {
        for builder in [Builder::MedianSplit, Builder::BinnedSurfaceArea] {
            for (leaf_size, width) in
                [1, 4, tuning::LEAF_SIZE].into_iter().flat_map(|size| [Width::Two, Width::Four].map(|w| (size, w)))
            {
                let params = BuildParams { builder, leaf_size, width };
                // The median of three runs, by time.
                let mut costs: Vec<KineticCost> = (0..3).map(|_| kinetic_cost(cloth, TreeKind::Aabb, params)).collect();
                costs.sort_by(|a, b| a.nanoseconds.total_cmp(&b.nanoseconds));
                let cost = &costs[1];
                println!(
                    "{:>31}  {:>17}  {leaf_size:4}  {:>5}  {:9.3}  {:14.3}  {:13.2}  {:8.0}  {:10.1}  {:5.0}  {:12.0}",
                    cloth.name,
                    format!("{builder:?}"),
                    format!("{width:?}"),
                    cloth.topology(params).node_count() as f64 / cloth.triangles(),
                    cost.events() / cloth.triangles() / cost.intervals,
                    cost.stats.updates as f64 / cost.events(),
                    cost.nanoseconds / cost.events(),
                    cost.nanoseconds / cloth.triangles() / cost.intervals,
                    cost.bytes as f64 / cloth.triangles(),
                    cost.build / cloth.triangles(),
                );
            }
        }
    }
}

/// Vertices take turns in getting plans of their own; the first changes, which set a body up for it, are not counted.
fn vertex_changes() {
    heading(
        "one vertex given another velocity, a body by itself and a body over a ball",
        &[("triangles", 9), ("tree", 4), ("slots", 6), ("alone ns", 8), ("in contact ns", 13)],
    );
    for triangles in [2_000, 8_000, 32_000, 200_000] {
        let mut scene = scenes::falling_cloth(triangles, 3, 0.8);
        let kinds = [TreeKind::Aabb, TreeKind::Box];
        let world = |scene: &Scene, kind| scene.world_of_trees(Engine::Kinetic, BuildParams::default(), kind);
        let mut with_ball = kinds.map(|kind| world(&scene, kind));
        scene.bodies.truncate(1);
        for (kind, with_ball) in kinds.into_iter().zip(&mut with_ball) {
            let (count, slots, by_itself) = changes(&mut world(&scene, kind), 4000);
            let (_, _, in_contact) = changes(with_ball, 400);
            println!("{count:9}  {:>4}  {slots:6.1}  {by_itself:8.0}  {in_contact:13.0}", format!("{kind:?}"));
        }
    }
}

/// Triangles of the first body, slots certified per change, nanoseconds per change.
fn changes(world: &mut World, count: usize) -> (usize, f64, f64) {
    world.advance_to(0.02).expect("a usable time");
    let body = world.bodies().next().expect("a body");
    let mesh = world.mesh(body).expect("it is there");
    let (vertices, triangles) = (mesh.vertex_count(), mesh.triangles().len());
    let mut state = 1u64;
    let mut change = |world: &mut World| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let vertex = ((state >> 33) as usize % vertices) as u32;
        let velocity = [24, 32, 40].map(|shift| f64::from((state >> shift) as u8) / 2560.0 - 0.05);
        let plan = VertexFlightplan::Velocity { from: None, velocity };
        world.set_vertex_flightplans(body, &[(vertex, plan)]).expect("a valid plan");
    };
    (0..50).for_each(|_| change(world));
    let before = world.stats().tree.slots_replanned;
    let ((), nanoseconds) = clock::time(|| (0..count).for_each(|_| change(world)));
    let slots = world.stats().tree.slots_replanned - before;
    (triangles, slots as f64 / count as f64, nanoseconds / count as f64)
}

fn trees(criterion: &mut Criterion<ProcessorTime>) {
    let cloths = cloths();
    refit_table(&cloths);
    kinetic_table(&cloths);
    leaf_table(&cloths);
    width_table(&cloths);
    vertex_changes();
    let mut group = criterion.benchmark_group("refit");
    for cloth in &cloths[1..3] {
        let mut positions = Vec::new();
        cloth.by_key.positions(Moment::at(0.0), &mut positions);
        let params = BuildParams { leaf_size: 1, ..BuildParams::default() };
        let mut tree = RefitTree::new(cloth.topology(params), &cloth.mesh, &positions);
        group.sample_size(20).throughput(Throughput::Elements(cloth.mesh.triangles().len() as u64));
        group.bench_function(cloth.name.as_str(), |bencher| bencher.iter(|| tree.refit_with(|_, _| 1e-6)));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .with_measurement(ProcessorTime)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = trees
}
criterion_main!(benches);
