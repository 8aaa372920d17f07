//! Trial steps: what a solver pays per proposal, in nanoseconds of processor time per triangle of the cloth.
//!
//! A wavy sheet of cloth hangs 5 mm over a wavy ground of as many triangles. It is proposed to sink: not at all into the
//! ground, within a thickness of it, and through it. The ground rests, has keys at both ends of the trial, or keys elsewhere.
//!
//! `cargo bench --bench trial`. Medians; not by criterion: a trial borrows its world.

#[allow(dead_code, unused_imports, unreachable_pub, reason = "shared with other benches")]
mod common;

use common::clock::{median, time};
use kinetree::{BodyDef, BodyId, Engine, Flightplan, Mesh, World, WorldDef};

const RUNS: usize = 9;
const STEP: f64 = 1.0 / 30.0;

/// A sheet of `2 n²` triangles, one metre a side, with waves of 2 cm.
fn sheet(n: usize) -> Mesh {
    let at = |row: usize, column: usize| (row * (n + 1) + column) as u32;
    let mut triangles = Vec::new();
    for row in 0..n {
        for column in 0..n {
            let (a, b, c, d) = (at(row, column), at(row, column + 1), at(row + 1, column), at(row + 1, column + 1));
            triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    Mesh::new((n + 1) * (n + 1), triangles).expect("a sheet")
}

fn waves(n: usize, height: f32) -> Vec<[f32; 3]> {
    let place = |x: usize| x as f32 / n as f32;
    let points = (0..=n).flat_map(|row| (0..=n).map(move |column| (place(row), place(column))));
    points.map(|(x, y)| [x, y, height + 0.02 * (9.0 * x + 5.0 * y).sin()]).collect()
}

fn scene(n: usize, ground: &str, thickness: f64) -> (World, BodyId) {
    let mut world = World::new(WorldDef::new().engine(Engine::Refit)).expect("a world");
    let keys = |times: [f64; 2]| Flightplan::keyframes(times.to_vec(), [waves(n, 0.0), waves(n, 0.001)].concat());
    let plan = match ground {
        "at rest" => Flightplan::fixed(waves(n, 0.0)),
        "keys at both ends" => keys([0.0, STEP]),
        _ => keys([-0.01, 0.1]),
    };
    world.add_body(BodyDef::new(sheet(n), plan).thickness(thickness)).expect("the ground");
    let cloth = BodyDef::new(sheet(n), Flightplan::fixed(waves(n, 0.005))).thickness(thickness);
    let cloth = world.add_body(cloth).expect("the cloth");
    world.advance_to(0.0).expect("no time passes");
    (world, cloth)
}

fn main() {
    println!(
        "| ground | triangles | proposal | thickness, m | candidates | contacts | trial | contacts() | correct() | contacts() again |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for n in [50, 150] {
        for ground in ["at rest", "keys at both ends", "keys elsewhere"] {
            for (proposal, height, thickness) in
                [("apart", 0.0045, 0.0), ("near", 0.0045, 0.006), ("through", -0.005, 0.0)]
            {
                let (mut world, cloth) = scene(n, ground, thickness);
                let to = waves(n, height);
                let triangles = (2 * n * n) as f64;
                let mut costs: [Vec<f64>; 4] = Default::default();
                let (mut candidates, mut contacts) = (0, 0);
                for _ in 0..RUNS {
                    let (trial, made) = time(|| world.trial(cloth, &to, STEP));
                    let mut trial = trial.expect("a trial");
                    let (count, found) = time(|| trial.contacts().map(<[_]>::len));
                    let ((), corrected) = time(|| trial.correct(cloth, &to).expect("the same"));
                    let (_, again) = time(|| trial.contacts().map(<[_]>::len));
                    (candidates, contacts) = (trial.candidates(), count.expect("no bound is met"));
                    for (costs, cost) in costs.iter_mut().zip([made, found, corrected, again]) {
                        costs.push(cost / triangles);
                    }
                }
                let mut values = costs.map(|mut costs| {
                    costs.sort_by(f64::total_cmp);
                    costs[RUNS / 2]
                });
                values.iter_mut().for_each(|value| *value = value.round());
                let [made, found, corrected, again] = values;
                println!(
                    "| {ground} | {triangles} | {proposal} | {thickness} | {candidates} | {contacts} | {made} | {found} | {corrected} | {again} |"
                );
            }
        }
        let (world, cloth) = scene(n, "at rest", 0.0);
        let to = waves(n, 0.0045);
        let commit = median(RUNS, || {
            let mut world = world.clone();
            world.trial(cloth, &to, STEP).expect("a trial").commit().expect("no bound is met");
        });
        let clone = median(RUNS, || drop(world.clone()));
        println!(
            "trial and commit of {} triangles: {:.0} ns a triangle",
            2 * n * n,
            (commit - clone) / (2 * n * n) as f64
        );
    }
}
