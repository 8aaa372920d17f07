//! Many bodies, few near each other: skinned characters in a hall, and ten rigid balls for each of them. How the cost of a step grows in
//! bodies, in triangles and in steps, with the exponent of a power law fitted to each.
//!
//! `cargo bench --bench many_bodies --features rayon [-- quick] [-- write]`; `write` puts the plot into
//! `docs/figures/many_bodies.svg`. Without the feature there is one thread alone.
//!
//! Processor time of the calling thread, and wall time on one thread and on all cores: medians over the steps, the least
//! of three runs in turn; bytes as the world counts them. Not by criterion: a world is stepped through time, and steps are
//! counted together with what they cost.

mod common;
#[path = "../src/cli/bench/svg.rs"]
#[allow(dead_code, unused_imports, unreachable_pub, reason = "the program uses more of it; its tests run there")]
mod svg;

use std::sync::Arc;
use std::time::Instant;

use common::{clock, heading};
use kinetree::bvh::BoundedSampler;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::reduced::{
    Affine, Blend, Influences, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy,
};
use kinetree::scenes::{SkinnedFigure, SkinnedFigureDef, shapes};
use kinetree::world::{BodyDef, World, WorldDef};
use svg::{Figure, Panel, Series};

/// Rigid bodies for each character, and triangles of one.
const BALLS: usize = 10;
const BALL: usize = 80;
/// Metres from place to place; the characters of one place in `NEAR` are two, which touch.
const PITCH: f64 = 4.0;
const NEAR: usize = 16;
/// How far vertices may be from their true paths, metres.
const TOLERANCE: f64 = 0.002;
/// Seconds that are stepped through.
const DURATION: f64 = 0.5;

/// A hall: characters, triangles of each, steps in `DURATION`.
#[derive(Clone, Copy, Debug)]
struct Hall {
    characters: usize,
    triangles: usize,
    steps: usize,
}

/// What a hall costs.
struct Cost {
    bodies: usize,
    triangles: usize,
    /// Seconds before the first step.
    set_up: f64,
    /// Milliseconds of a step, and of all steps: processor time of this thread.
    step: f64,
    all: f64,
    /// The same, wall time.
    step_wall: f64,
    all_wall: f64,
    bytes: usize,
    /// Pairs of bodies that are tested, and contacts at the end.
    pairs: usize,
    contacts: usize,
}

/// The place of a character or ball in the hall, metres.
fn place(number: usize) -> [f64; 3] {
    // By squares, so that small halls are as dense as large ones.
    let side = number.isqrt();
    let along = number - side * side;
    let [x, z] = if along <= side { [side, along] } else { [2 * side - along, side] };
    [PITCH * x as f64, 0.0, PITCH * z as f64]
}

/// A character that walks on the spot.
fn character(number: usize, figure: &SkinnedFigure, mesh: &Arc<ReducedMesh>) -> Arc<dyn BoundedSampler> {
    let [x, y, z] = place(number - number % NEAR / (NEAR - 1));
    // The last of `NEAR` stands half a step beside the one before it.
    let beside = if number % NEAR == NEAR - 1 { 0.3 } else { 0.0 };
    let at = Affine::from_parts([x + beside, y, z], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
    let poses = figure.poses.chunks(figure.bones).map(|bones| Pose {
        maps: bones.iter().map(|&rows| at.after(&Affine::from_rows(rows))).collect(),
        morphs: Vec::new(),
    });
    let centres = vec![[0.0, 0.9, 0.0]; figure.bones];
    let driver = PoseKeys::new(&figure.times, poses.collect(), centres, Outside::Hold).expect("poses");
    let body = ReducedBody::new(Arc::clone(mesh), Arc::new(driver)).expect("a reduced body");
    let pieces = body.pieces(TOLERANCE).expect("pieces");
    body.sampler(pieces).expect("a linear blend")
}

/// A ball that rises and falls in its place; every hundredth through its neighbour.
fn ball(number: usize) -> BodyDef {
    let mesh = shapes::icosphere(BALL, 0.15);
    let (owner, own) = (number / BALLS, number % BALLS);
    let [x, _, z] = place(owner);
    let angle = std::f64::consts::TAU * own as f64 / BALLS as f64;
    let rest = mesh.positions.clone();
    let radius = if number % 100 == 1 { 1.55 } else { 1.5 };
    let angle = if number % 100 == 1 { angle - 0.5 } else { angle };
    let keys: Vec<f64> = (0..=16).map(|key| f64::from(key) / 30.0).collect();
    let transform = |&time: &f64| {
        let up = 1.0 + 0.2 * (6.0 * time + own as f64).sin();
        let [x, z] = [x + radius * angle.cos(), z + radius * angle.sin()];
        [1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, up, 0.0, 0.0, 1.0, z, 0.0, 0.0, 0.0, 1.0]
    };
    let plan = Flightplan::rigid(keys.clone(), keys.iter().map(transform).collect(), rest);
    BodyDef::new(Mesh::new(mesh.positions.len(), mesh.triangles.clone()).expect("a ball"), plan)
}

impl Hall {
    fn run(self) -> Cost {
        let figure = SkinnedFigureDef { seed: 1, triangles: self.triangles, keys: 31, forward: false }.generate();
        let mesh = Mesh::new(figure.positions.len(), figure.triangles.clone()).expect("a figure");
        let lists = figure.weights.iter().map(|pair| pair.to_vec());
        let influences = Influences::convex(figure.bones, lists, WeightPolicy::Strict).expect("weights");
        let (rest, morphs) = (figure.positions.clone(), Vec::new());
        let def = ReducedDef { mesh: mesh.clone(), rest, influences, morphs, blend: Blend::Linear };
        let reduced = Arc::new(ReducedMesh::new(def).expect("a reduced mesh"));
        let (mut world, set_up) = clock::time(|| {
            let mut world = World::new(WorldDef::default()).expect("a world");
            for number in 0..self.characters {
                let sampler = character(number, &figure, &reduced);
                world.add_body(BodyDef::bounded(mesh.clone(), sampler)).expect("a character");
            }
            for number in 0..BALLS * self.characters {
                world.add_body(ball(number)).expect("a ball");
            }
            world
        });
        let time = |step: usize| DURATION * step as f64 / self.steps as f64;
        let advance = |step: usize| {
            let begin = Instant::now();
            let ((), spent) = clock::time(|| world.advance_to(time(step)).expect("a step"));
            (spent, begin.elapsed().as_nanos() as f64)
        };
        let (times, walls): (Vec<f64>, Vec<f64>) = (1..=self.steps).map(advance).unzip();
        let ([step, all], [step_wall, all_wall]) = (median_and_sum(times), median_and_sum(walls));
        let stats = world.stats();
        Cost {
            bodies: stats.bodies,
            triangles: stats.triangles,
            set_up: 1e-9 * set_up,
            step,
            all,
            step_wall,
            all_wall,
            bytes: stats.bytes,
            pairs: stats.pairs,
            contacts: world.contacts().len(),
        }
    }
}

/// Milliseconds, of nanoseconds.
fn median_and_sum(mut times: Vec<f64>) -> [f64; 2] {
    let all = 1e-6 * times.iter().sum::<f64>();
    times.sort_by(f64::total_cmp);
    [1e-6 * times[times.len() / 2], all]
}

/// How many threads share a hall in turn: one, and all cores.
fn pools() -> Vec<usize> {
    let cores = if cfg!(feature = "rayon") { std::thread::available_parallelism().map_or(1, usize::from) } else { 1 };
    if cores > 1 { vec![1, cores] } else { vec![1] }
}

#[cfg(feature = "rayon")]
fn run_on(threads: usize, hall: Hall) -> Cost {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(|| hall.run())
}

#[cfg(not(feature = "rayon"))]
fn run_on(_: usize, hall: Hall) -> Cost {
    hall.run()
}

/// What a hall costs in each pool: of three runs in turn, the least of each time.
fn costs(hall: Hall) -> Vec<Cost> {
    let round = || pools().into_iter().map(|threads| run_on(threads, hall)).collect::<Vec<Cost>>();
    let mut best = round();
    for _ in 0..2 {
        for (best, cost) in best.iter_mut().zip(round()) {
            best.step = best.step.min(cost.step);
            best.all = best.all.min(cost.all);
            best.step_wall = best.step_wall.min(cost.step_wall);
            best.all_wall = best.all_wall.min(cost.all_wall);
        }
    }
    best
}

/// The exponent of a power law through points, by least squares of logarithms.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|&(x, y)| [x.ln(), y.ln()]).collect();
    let count = logs.len() as f64;
    let mean = [0, 1].map(|axis| logs.iter().map(|log| log[axis]).sum::<f64>() / count);
    let moment = |other: usize| logs.iter().map(|log| (log[0] - mean[0]) * (log[other] - mean[other])).sum::<f64>();
    moment(1) / moment(0)
}

/// Runs halls that grow in one way; prints a table and the laws, and returns a panel.
fn growth(title: &str, x_label: &str, halls: &[Hall], x: impl Fn(&Hall, &Cost) -> f64, is_whole: bool) -> Panel {
    let columns = [
        ("bodies", 8),
        ("triangles", 10),
        ("steps", 6),
        ("set-up s", 9),
        ("step ms", 9),
        ("all ms", 9),
        ("wall, 1", 9),
        ("wall, all", 9),
        ("MB", 8),
        ("pairs", 7),
        ("contacts", 9),
    ];
    heading(title, &columns);
    let (mut serial, mut shared, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    for hall in halls {
        let costs = costs(*hall);
        let (cost, last) = (&costs[0], &costs[costs.len() - 1]);
        let wall = |cost: &Cost| if is_whole { cost.all_wall } else { cost.step_wall };
        let megabytes = cost.bytes as f64 / 1e6;
        println!(
            "{:8}  {:10}  {:6}  {:9.3}  {:9.3}  {:9.1}  {:9.3}  {:9.3}  {:8.1}  {:7}  {:9}",
            cost.bodies,
            cost.triangles,
            hall.steps,
            cost.set_up,
            cost.step,
            cost.all,
            wall(cost),
            wall(last),
            megabytes,
            cost.pairs,
            cost.contacts
        );
        let at = x(hall, cost);
        serial.push((at, if is_whole { cost.all } else { cost.step }));
        shared.push((at, wall(last)));
        bytes.push((at, megabytes));
    }
    let laws = [exponent(&serial), exponent(&shared), exponent(&bytes)];
    println!("time grows as x^{:.2}, on all cores as x^{:.2}, memory as x^{:.2}", laws[0], laws[1], laws[2]);
    let what = if is_whole { "all steps, ms" } else { "a step, ms" };
    let line = |name: String, points, look| Series { name, points, look, dashed: look != 0 };
    let mut series = vec![line(format!("{what}: exponent {:.2}", laws[0]), serial, 0)];
    if let Some(&cores) = pools().get(1) {
        series.push(line(format!("on {cores} cores: exponent {:.2}", laws[1]), shared, 2));
    }
    series.push(line(format!("world, MB: exponent {:.2}", laws[2]), bytes, 1));
    Panel { title: title.into(), x_label: x_label.into(), y_label: String::new(), x_log: true, y_log: true, series }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|other| other == word);
    let most = if has("quick") { 125 } else { 1000 };
    let hall = |characters: usize, triangles: usize, steps: usize| Hall { characters, triangles, steps };
    let bodies: Vec<Hall> = (0..5).rev().map(|halving| hall(most >> halving, 1000, 30)).collect();
    let triangles: Vec<Hall> = (0..4).map(|doubling| hall(most / 16, 1000 << (2 * doubling), 30)).collect();
    let steps: Vec<Hall> = (0..4).map(|doubling| hall(most / 8, 1000, 15 << doubling)).collect();
    let panels = vec![
        growth("bodies", "bodies", &bodies, |_, cost| cost.bodies as f64, false),
        growth("triangles of a character", "triangles of all", &triangles, |_, cost| cost.triangles as f64, false),
        growth("steps in half a second", "steps", &steps, |hall, _| hall.steps as f64, true),
    ];
    if has("write") {
        let title = "Skinned characters, ten rigid balls for each, few near each other".into();
        let caption = vec!["Processor time of one thread, wall time of all cores; medians over the steps.".into()];
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/figures/many_bodies.svg");
        std::fs::write(path, Figure { title, caption, columns: 3, panels }.svg()).expect("a writable folder");
    }
}
