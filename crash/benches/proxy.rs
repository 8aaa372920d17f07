//! The paper's table 1: what a crash of eight cars costs with sphere proxies, against triangle meshes of about 1,500 triangles.
//!
//! `cd crash && cargo bench --bench proxy [-- SECONDS RUNS]`. Processor time of this thread; the four shapes take turns within a run, and the
//! median of the runs is shown. Two measures: the steps of a rigid-body engine (collisions and response, which is the paper's), and a
//! kinetic world of this library that is told the motion and asked for all contacts sixty times a second.

use kinetree::mesh::{Mesh, Spheres};
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, Engine, World, WorldDef};
use kinetree_crash::{Crash, Model, SHAPES, Shape, clock, name, scenes, spheres_of};

/// How far pieces of turning spheres may leave their paths, metres.
const TOLERANCE: f64 = 0.01;

/// Milliseconds per measure, and errors.
#[derive(Clone, Copy, Default)]
struct Row {
    rigid: f64,
    deforming: f64,
    building: f64,
    live: f64,
    refit: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<f64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let seconds = numbers.first().copied().unwrap_or(10.0);
    let runs = numbers.get(1).map_or(3, |&runs| runs as usize).max(1);
    let models: Result<Vec<_>, _> = SHAPES.iter().map(|&shape| Model::car(spheres_of(shape))).collect();
    let models = models?;
    let mut rows: Vec<Vec<Row>> = vec![Vec::new(); SHAPES.len()];
    // Shapes made anew, and most contacts at one time.
    let mut notes = vec![(0usize, 0usize); SHAPES.len()];
    // One motion for all worlds: that of the triangles, so that every shape is asked about the same crash.
    let mut reference = scenes::cars(Shape::Triangles, &models[1], clock)?;
    reference.run(seconds)?;
    for _ in 0..runs {
        for (index, &shape) in SHAPES.iter().enumerate() {
            let mut cars = scenes::cars(shape, &models[index], clock)?;
            cars.run(seconds)?;
            let mut row =
                Row { rigid: cars.costs.rigid / 1e6, deforming: cars.costs.deforming / 1e6, ..Row::default() };
            for engine in [Engine::Live, Engine::Refit] {
                let (world, building) = time(|| world(&reference, &models[index], shape, engine));
                let mut world = world?;
                let (most, watching) = time(|| {
                    reference.times().iter().try_fold(0, |most: usize, &time| {
                        world.advance_to(time).map(|_| most.max(world.contacts().len()))
                    })
                });
                let most = most?;
                match engine {
                    Engine::Live => {
                        (row.building, row.live) = (building / 1e6, watching / 1e6);
                        notes[index] = (cars.dents, most);
                    }
                    _ => row.refit = watching / 1e6,
                }
            }
            rows[index].push(row);
        }
    }
    show(seconds, runs, &rows, &notes);
    errors(seconds)
}

/// A world with the motion of a simulation, its bodies being spheres or triangles.
fn world(reference: &Crash, model: &Model, shape: Shape, engine: Engine) -> Result<World, Box<dyn std::error::Error>> {
    let mut world = World::new(WorldDef { engine, ..WorldDef::default() })?;
    for (index, body) in reference.bodies.iter().enumerate() {
        match shape {
            Shape::Spheres(_) => {
                // Cages, and so places and weights, are the same for every number of spheres.
                let keys = model.proxy.keys(&body.track)?;
                let clip = reference.motion(index)?.compose(&keys, TOLERANCE)?;
                world.add_body(BodyDef::new(Spheres::new(clip.sphere_count())?, clip.flightplan()))?;
            }
            Shape::Triangles => {
                let mesh = Mesh::new(body.model.rest.vertex_count(), body.model.rest.triangles().to_vec())?;
                let plan = Flightplan::keyframes(reference.times().to_vec(), reference.keyframes(index)?);
                world.add_body(BodyDef::new(mesh, plan))?;
            }
        }
    }
    Ok(world)
}

fn median(rows: &[Row], of: impl Fn(&Row) -> f64) -> f64 {
    let mut values: Vec<f64> = rows.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn show(seconds: f64, runs: usize, rows: &[Vec<Row>], notes: &[(usize, usize)]) {
    heading(
        &format!("{seconds} s of eight cars, ms of processor time, medians of {runs} interleaved runs"),
        &[
            ("shape", 9),
            ("rigid sim", 9),
            ("dents", 8),
            ("total", 8),
            ("ratio", 6),
            ("live world", 10),
            ("ratio", 6),
            ("refit world", 11),
            ("ratio", 6),
            ("build", 8),
            ("dented", 6),
            ("most contacts", 13),
        ],
    );
    let last = &rows[rows.len() - 1];
    for (index, &shape) in SHAPES.iter().enumerate() {
        let own = &rows[index];
        let of = |pick: fn(&Row) -> f64| (median(own, pick), median(last, pick) / median(own, pick));
        let (rigid, live, refit) = (of(|row| row.rigid), of(|row| row.live), of(|row| row.refit));
        let (dents, building) = (median(own, |row| row.deforming), median(own, |row| row.building));
        println!(
            "{:>9}  {:>9.1}  {dents:>8.1}  {:>8.1}  {:>6.1}  {:>10.1}  {:>6.1}  {:>11.1}  {:>6.1}  {building:>8.1}  {:>6}  {:>13}",
            name(shape),
            rigid.0,
            rigid.0 + dents,
            rigid.1,
            live.0,
            live.1,
            refit.0,
            refit.1,
            notes[index].0,
            notes[index].1
        );
    }
}

/// Errors over the clip, all cars together: range over time of the median, largest maximum.
fn errors(seconds: f64) -> Result<(), Box<dyn std::error::Error>> {
    heading(
        "distance of mesh vertices from the spheres, m (eight cars, 5.25 m long, over the clip)",
        &[("spheres", 9), ("median, lowest", 14), ("highest", 8), ("maximum, lowest", 15), ("highest", 8)],
    );
    for shape in &SHAPES[..3] {
        let mut cars = scenes::cars(*shape, &Model::car(spheres_of(*shape))?, clock)?;
        cars.run(seconds)?;
        let reports = cars.quality(0.15)?;
        let all = || reports.iter().flat_map(|report| &report.rows).map(|row| row.1);
        let low = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
        let high = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        println!(
            "{:>9}  {:>14.3}  {:>8.3}  {:>15.3}  {:>8.3}",
            name(*shape),
            low(&mut all().map(|row| row.median)),
            high(&mut all().map(|row| row.median)),
            low(&mut all().map(|row| row.maximum)),
            high(&mut all().map(|row| row.maximum))
        );
    }
    Ok(())
}

/// What `work` gives, and the nanoseconds it took.
fn time<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begin = clock();
    let result = work();
    (result, clock() - begin)
}

/// Prints a table's head and, under it, a line.
fn heading(title: &str, columns: &[(&str, usize)]) {
    println!("\n{title}");
    let line: Vec<String> = columns.iter().map(|(name, width)| format!("{name:>width$}")).collect();
    println!("{}", line.join("  "));
    println!("{}", "-".repeat(line.iter().map(String::len).sum::<usize>() + 2 * (columns.len() - 1)));
}
