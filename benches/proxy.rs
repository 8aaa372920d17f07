//! The example-based paper's table 1: what a crash of eight cars costs with sphere proxies, against triangle meshes of about 1,500
//! triangles.
//!
//! `cargo bench --features rapier --bench proxy [-- SECONDS RUNS]`. The four shapes take turns within a run, and the median of the runs is
//! shown. Two measures: the steps of a rigid-body engine (which is the paper's), by the wall clock, as the engine times its collision
//! detection; and worlds of this library that are told the motion that came of it, and asked for all contacts between cars sixty times a
//! second, in processor time of this thread. Ends with the error over the clip.
//!
//! Not by criterion: the engine times its own collision detection, and a crash is one run of a minute.

mod common;
#[allow(dead_code, unreachable_pub, reason = "shared with an example")]
#[path = "../examples/crash/scenes.rs"]
mod scenes;
#[allow(dead_code, unreachable_pub, reason = "shared with an example")]
#[path = "../examples/crash/sim.rs"]
mod sim;

use std::error::Error;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::Instant;

use common::{clock, heading};
use kinetree::mesh::{Mesh, Spheres};
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, Engine, World, WorldDef};
use sim::{Crash, Model, Shape};

/// How far pieces of turning spheres may leave their paths, metres.
const TOLERANCE: f64 = 0.01;

const SHAPES: [Shape; 4] = [Shape::Spheres(320), Shape::Spheres(114), Shape::Spheres(66), Shape::Triangles];

const ENGINES: [Engine; 3] = [Engine::Refit, Engine::Interval, Engine::Kinetic];

/// Milliseconds.
#[derive(Clone, Copy, Default)]
struct Row {
    rigid: f64,
    collision: f64,
    deforming: f64,
    /// By engine: making the world, and watching it.
    worlds: [[f64; 2]; 3],
}

/// What does not depend on the machine.
#[derive(Clone, Copy, Default, PartialEq)]
struct Note {
    dents: usize,
    /// Bodies that were awake, summed over the steps.
    awake: usize,
    /// Contacts at all times together.
    contacts: usize,
    most: usize,
    times: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let numbers: Vec<f64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let seconds = numbers.first().copied().unwrap_or(10.0);
    let runs = numbers.get(1).map_or(3, |&runs| runs as usize).max(1);
    let models: Result<Vec<_>, _> = SHAPES.iter().map(|&shape| Model::car(spheres_of(shape))).collect();
    let models = models?;
    let mut rows: Vec<Vec<Row>> = vec![Vec::new(); SHAPES.len()];
    let mut notes = vec![Note::default(); SHAPES.len()];
    for run in 0..runs {
        for (index, &shape) in SHAPES.iter().enumerate() {
            let mut cars = scenes::cars(shape, &models[index], wall)?;
            cars.run(seconds)?;
            let mut row = Row::of(&cars);
            for (which, engine) in ENGINES.into_iter().enumerate() {
                let (world, building) = clock::time(|| world(&cars, &models[index], shape, engine));
                let (note, watching) = clock::time(|| watch(world?, &cars));
                let note = Note { dents: cars.dents, awake: cars.awake, ..note? };
                assert!(run + which == 0 || note == notes[index], "engines and runs agree");
                notes[index] = note;
                row.worlds[which] = [building / 1e6, watching / 1e6];
            }
            rows[index].push(row);
        }
    }
    rigid("may fall asleep", seconds, runs, &rows, &notes);
    soup(seconds, runs, &models[3])?;
    awake(seconds, runs, &models)?;
    kinetic(&rows, &notes);
    errors(seconds)
}

/// Nanoseconds since the first call, by the wall clock.
fn wall() -> f64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed().as_nanos() as f64
}

fn spheres_of(shape: Shape) -> usize {
    if let Shape::Spheres(count) = shape { count } else { 1 }
}

fn name(shape: Shape) -> String {
    if let Shape::Spheres(count) = shape { count.to_string() } else { "triangles".into() }
}

/// A world with the motion of a simulation, its bodies being spheres or triangles.
fn world(cars: &Crash, model: &Model, shape: Shape, engine: Engine) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(WorldDef::default().engine(engine))?;
    for (index, body) in cars.bodies.iter().enumerate() {
        match shape {
            Shape::Spheres(_) => {
                let keys = model.proxy.keys(&body.track)?;
                let clip = cars.motion(index)?.compose(&keys, TOLERANCE)?;
                world.add_body(BodyDef::new(Spheres::new(clip.sphere_count())?, clip.flightplan()))?;
            }
            Shape::Triangles | Shape::Soup => {
                let mesh = Mesh::new(body.model.rest.vertex_count(), body.model.rest.triangles().to_vec())?;
                let plan = Flightplan::keyframes(cars.times().to_vec(), cars.keyframes(index)?);
                world.add_body(BodyDef::new(mesh, plan))?;
            }
        }
    }
    Ok(world)
}

/// Asks for all contacts at every step.
fn watch(mut world: World, cars: &Crash) -> Result<Note, Box<dyn Error>> {
    let mut note = Note::default();
    for &time in cars.times() {
        world.advance_to(time)?;
        note.times += 1;
        note.contacts += world.contacts().len();
        note.most = note.most.max(world.contacts().len());
    }
    Ok(note)
}

fn median(rows: &[Row], of: impl Fn(&Row) -> f64) -> f64 {
    let mut values: Vec<f64> = rows.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Milliseconds of each shape, and how many times as many triangles take.
fn with_ratio(rows: &[Vec<Row>], index: usize, of: impl Fn(&Row) -> f64) -> String {
    let (own, last) = (median(&rows[index], &of), median(&rows[rows.len() - 1], &of));
    format!("{own:>10.1} {:>6.1}", last / own)
}

/// The same simulations with all bodies awake.
fn awake(seconds: f64, runs: usize, models: &[Rc<Model>]) -> Result<(), Box<dyn Error>> {
    let mut rows: Vec<Vec<Row>> = vec![Vec::new(); SHAPES.len()];
    let mut notes = vec![Note::default(); SHAPES.len()];
    for _ in 0..runs {
        for (index, &shape) in SHAPES.iter().enumerate() {
            let mut cars = scenes::cars(shape, &models[index], wall)?;
            cars.keep_awake();
            cars.run(seconds)?;
            rows[index].push(Row::of(&cars));
            notes[index] = Note { dents: cars.dents, awake: cars.awake, ..Note::default() };
        }
    }
    rigid("are kept awake", seconds, runs, &rows, &notes);
    Ok(())
}

impl Row {
    fn of(cars: &Crash) -> Self {
        let [rigid, collision, deforming] = [cars.costs.rigid, cars.costs.collision, cars.costs.deforming];
        Self { rigid: rigid / 1e6, collision: collision / 1e6, deforming: deforming / 1e6, ..Self::default() }
    }
}

fn rigid(which: &str, seconds: f64, runs: usize, rows: &[Vec<Row>], notes: &[Note]) {
    heading(
        &format!(
            "rapier3d, {seconds} s of eight cars that {which}: ms and how many times the triangles' ms, medians of {runs} runs"
        ),
        &[
            ("shape", 9),
            ("collision", 17),
            ("whole step", 17),
            ("dents, shapes", 17),
            ("total", 17),
            ("dents", 6),
            ("awake", 6),
        ],
    );
    for (index, &shape) in SHAPES.iter().enumerate() {
        println!(
            "{:>9}  {}  {}  {}  {}  {:>6}  {:>6}",
            name(shape),
            with_ratio(rows, index, |row| row.collision),
            with_ratio(rows, index, |row| row.rigid),
            with_ratio(rows, index, |row| row.deforming),
            with_ratio(rows, index, |row| row.rigid + row.deforming),
            notes[index].dents,
            notes[index].awake
        );
    }
}

/// The same triangles without orientation and neighbours: less to build, and less to know.
fn soup(seconds: f64, runs: usize, model: &Rc<Model>) -> Result<(), Box<dyn Error>> {
    let mut own = Vec::new();
    for _ in 0..runs {
        let mut cars = scenes::cars(Shape::Soup, model, wall)?;
        cars.run(seconds)?;
        own.push(Row::of(&cars));
    }
    println!(
        "triangles without orientation: collision {:.1}, whole step {:.1}, total {:.1} ms",
        median(&own, |row| row.collision),
        median(&own, |row| row.rigid),
        median(&own, |row| row.rigid + row.deforming)
    );
    Ok(())
}

fn kinetic(rows: &[Vec<Row>], notes: &[Note]) {
    for (which, engine) in ENGINES.into_iter().enumerate() {
        heading(
            &format!("kinetree, {engine:?}, the same motion: ms and how many times the triangles' ms"),
            &[("shape", 9), ("watching", 17), ("making", 17), ("contacts, mean", 14), ("most", 7)],
        );
        for (index, &shape) in SHAPES.iter().enumerate() {
            println!(
                "{:>9}  {}  {}  {:>14.1}  {:>7}",
                name(shape),
                with_ratio(rows, index, |row| row.worlds[which][1]),
                with_ratio(rows, index, |row| row.worlds[which][0]),
                notes[index].contacts as f64 / notes[index].times as f64,
                notes[index].most
            );
        }
    }
}

/// Errors over the clip, all cars together: range over time of the median and of the maximum.
fn errors(seconds: f64) -> Result<(), Box<dyn Error>> {
    heading(
        "distance of mesh vertices from the spheres, m (eight cars, 5.25 m long): lowest and highest over the clip",
        &[("spheres", 9), ("median", 14), ("maximum", 14), ("uncovered from 0.15 m, %", 25), ("gaps", 9)],
    );
    for shape in &SHAPES[..3] {
        let mut cars = scenes::cars(*shape, &Model::car(spheres_of(*shape))?, wall)?;
        cars.run(seconds)?;
        let reports = cars.quality(0.15)?;
        let range = |of: &dyn Fn(&kinetree::proxy::Coverage) -> f64| {
            let values = || reports.iter().flat_map(|report| &report.rows).map(|row| of(&row.1));
            [values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max)]
        };
        let [median, maximum] = [range(&|row| row.median), range(&|row| row.maximum)];
        let [share, gaps] = [range(&|row| 100.0 * row.uncovered), range(&|row| row.gaps as f64)];
        println!(
            "{:>9}  {:>6.3}  {:>6.3}  {:>6.3}  {:>6.3}  {:>12.1}  {:>11.1}  {:>3}  {:>4}",
            name(*shape),
            median[0],
            median[1],
            maximum[0],
            maximum[1],
            share[0],
            share[1],
            gaps[0],
            gaps[1]
        );
    }
    Ok(())
}
