//! The continuous race: contacts of whole clips, by this library and by those that seek a time of impact per step.
//!
//! `cargo bench --bench versus_ccd --features peers [-- balls] [-- dense]`
//!
//! | word | what |
//! |---|---|
//! | `balls` | rigid balls that fly through each other: all contact intervals of triangles, against parry's nonlinear shape cast; they go to `target/ccd/` for `rivals/casts` (Bullet) |
//! | `dense` | one step with many contacts: our time; the step goes to `target/ccd/` for `rivals/continuous.py` |
//!
//! Both have the same positions: rest positions in `f32`, moved linearly from key to key. What each answers differs. The cast finds the
//! *first* time of impact of two bodies in a step, to a tolerance, or that they touch at its begin. The library finds *all* intervals in
//! which triangles touch, exactly. The cast takes rigid motion only: there is none for cloth, skins and morphs. It is given the pairs of
//! bodies whose boxes over the step overlap, found by comparing all, which is charged.
//!
//! Processor time of one thread, contenders in turn, medians. Not by criterion: steps in which one side finds nothing are counted too.

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::{clock, heading};
use kinetree::ContactMode;
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::material::jittered_grid_cloth;
use kinetree::scenes::{Random, shapes};
use kinetree::world::{BodyDef, World, WorldDef};
use parry3d::math::{Pose, Vector};
use parry3d::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
use parry3d::shape::TriMesh;

/// Balls, triangles of one, keys, and seconds between keys.
const BALLS: usize = 24;
const TRIANGLES: usize = 320;
const KEYS: usize = 24;
const STEP: f64 = 1.0 / 24.0;
/// Half the edge of the cube in which balls fly, and their radius, metres.
const ROOM: f64 = 1.5;
const RADIUS: f64 = 0.2;
/// Half the edge of a box around a ball, whose vertices are rounded, metres.
const REACH: f32 = 0.21;
const REPEATS: usize = 5;

/// Cells along an edge of the two sheets of the dense step.
const DENSE_CELLS: usize = 152;

/// A ball and where its centre is at each key.
struct Ball {
    rest: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    places: Vec<[f32; 3]>,
}

/// A number in 512ths: sums of these are exact in `f32`.
fn rounded(x: f64) -> f32 {
    ((x * 512.0).round() / 512.0) as f32
}

fn balls() -> Vec<Ball> {
    let mesh = shapes::icosphere(TRIANGLES, RADIUS);
    let rest: Vec<[f32; 3]> = mesh.positions.iter().map(|point| point.map(|x| rounded(x.into()))).collect();
    let mut random = Random::for_part(7, 1);
    (0..BALLS)
        .map(|_| {
            let places = (0..KEYS).map(|_| random.in_cube(ROOM)).collect::<Vec<_>>();
            // A ball goes on for four keys before it turns.
            let place = |key: usize| {
                let (from, part) = (key / 4, key % 4);
                [0, 1, 2].map(|k| {
                    let [a, b] = [places[from][k], places[(from + 1) % KEYS][k]];
                    rounded(a + (b - a) * part as f64 / 4.0)
                })
            };
            Ball { rest: rest.clone(), triangles: mesh.triangles.clone(), places: (0..KEYS).map(place).collect() }
        })
        .collect()
}

/// Contacts of two bodies: the pair, and from when to when, in steps.
type Stay = ([usize; 2], [f64; 2]);

/// All intervals in which triangles touch.
fn of_kinetree(balls: &[Ball]) -> Vec<Stay> {
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).expect("a start");
    let times: Vec<f64> = (0..KEYS).map(|key| key as f64).collect();
    let mut ids = Vec::new();
    for ball in balls {
        let at = |place: &[f32; 3]| {
            let place = *place;
            ball.rest.iter().map(move |point| [0, 1, 2].map(|k| point[k] + place[k]))
        };
        let positions = ball.places.iter().flat_map(at).collect();
        let mesh = Mesh::new(ball.rest.len(), ball.triangles.clone()).expect("a ball");
        ids.push(world.add_body(BodyDef::new(mesh, Flightplan::keyframes(times.clone(), positions))).expect("a ball"));
    }
    let place = |id| ids.iter().position(|&other| other == id).expect("a ball");
    let mut stays = Vec::new();
    let end = (KEYS - 1) as f64;
    for key in 1..KEYS {
        world.advance_to(key as f64).expect("a key");
        for change in world.contact_changes() {
            if let kinetree::ContactChange::Ended { contact, began, time, .. } = change {
                let begin = began.map_or(0.0, |began| began.lo);
                stays.push(([place(contact.a), place(contact.b)], [begin, time.hi]));
            }
        }
    }
    let ongoing = world.ongoing_contacts();
    stays.extend(ongoing.into_iter().map(|it| ([place(it.contact.a), place(it.contact.b)], [it.began.lo, end])));
    stays
}

/// First time of impact of pairs of bodies in each step, by a nonlinear cast.
fn of_parry(balls: &[Ball]) -> BTreeSet<([usize; 2], usize)> {
    let vector = |point: [f32; 3]| Vector::new(point[0], point[1], point[2]);
    let shapes: Vec<TriMesh> = balls
        .iter()
        .map(|ball| {
            TriMesh::new(ball.rest.iter().map(|&point| vector(point)).collect(), ball.triangles.clone())
                .expect("a mesh")
        })
        .collect();
    let mut hits = BTreeSet::new();
    for step in 0..KEYS - 1 {
        let range = |ball: &Ball, k: usize| {
            let [a, b] = [ball.places[step][k], ball.places[step + 1][k]];
            [a.min(b) - REACH, a.max(b) + REACH]
        };
        for (a, b) in (0..balls.len()).flat_map(|a| (a + 1..balls.len()).map(move |b| (a, b))) {
            let overlap = |k: usize| {
                let [one, two] = [range(&balls[a], k), range(&balls[b], k)];
                one[0] <= two[1] && two[0] <= one[1]
            };
            if !(0..3).all(overlap) {
                continue;
            }
            let motion = |ball: &Ball| {
                let [from, to] = [ball.places[step], ball.places[step + 1]].map(vector);
                let [x, y, z] = ball.places[step];
                NonlinearRigidMotion::new(Pose::translation(x, y, z), Vector::ZERO, to - from, Vector::ZERO)
            };
            let (one, two) = (motion(&balls[a]), motion(&balls[b]));
            let cast = cast_shapes_nonlinear(&one, &shapes[a], &two, &shapes[b], 0.0, 1.0, true);
            if cast.expect("meshes are supported").is_some() {
                hits.insert(([a, b], step));
            }
        }
    }
    hits
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn race_of_balls() {
    let balls = balls();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut stays, mut hits) = (Vec::new(), BTreeSet::new());
    for _ in 0..REPEATS {
        let (found, time) = clock::time(|| of_kinetree(&balls));
        ours.push(time * 1e-6);
        stays = found;
        let (found, time) = clock::time(|| of_parry(&balls));
        theirs.push(time * 1e-6);
        hits = found;
    }
    // In which steps a pair touches.
    let mut touching = BTreeSet::new();
    for &(pair, [begin, end]) in &stays {
        let steps = (begin.ceil() as usize).saturating_sub(1)..=(end.floor() as usize).min(KEYS - 2);
        touching.extend(steps.map(|step| (pair, step)));
    }
    let [ours, theirs] = [ours, theirs].map(median);
    let bodies = BALLS * TRIANGLES;
    println!("\n{BALLS} balls, {bodies} triangles, {} steps of {STEP:.3} s", KEYS - 1);
    heading("", &[("", 10), ("ms", 9), ("finds", 40), ("pairs and steps that only it finds", 36)]);
    let answer = format!("{} intervals, {} pairs and steps", stays.len(), touching.len());
    println!("{:>10}  {ours:9.1}  {answer:>40}  {:36}", "kinetree", touching.difference(&hits).count());
    let answer = format!("impacts in {} pairs and steps", hits.len());
    println!("{:>10}  {theirs:9.1}  {answer:>40}  {:36}", "parry3d", hits.difference(&touching).count());
    println!("parry3d takes {:.1} times as long", theirs / ours);
    match write_balls(&balls, &touching) {
        Ok(file) => println!("written to {file}, for rivals/casts"),
        Err(error) => println!("not written: {error}"),
    }
}

/// The balls for `rivals/casts`: numbers of balls, vertices and keys, the vertices, per ball its places, and the pairs and
/// steps in which this library finds a contact.
fn write_balls(balls: &[Ball], touching: &BTreeSet<([usize; 2], usize)>) -> std::io::Result<String> {
    use std::fmt::Write as _;
    let folder = ccd_folder()?;
    let mut text = format!("{} {} {KEYS}\n", balls.len(), balls[0].rest.len());
    for [x, y, z] in balls[0].rest.iter().chain(balls.iter().flat_map(|ball| &ball.places)) {
        let _ = writeln!(text, "{x} {y} {z}");
    }
    let _ = writeln!(text, "{}", touching.len());
    for ([a, b], step) in touching {
        let _ = writeln!(text, "{a} {b} {step}");
    }
    std::fs::write(folder.join("balls.txt"), text)?;
    Ok(folder.join("balls.txt").display().to_string())
}

fn ccd_folder() -> std::io::Result<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/ccd");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Two crossing sheets as one mesh, over one step.
fn dense_step() {
    let clips = [0, 1].map(|seed| jittered_grid_cloth(11 + seed, DENSE_CELLS, DENSE_CELLS, 2));
    let count = clips[0].vertex_count;
    let mut triangles = clips[0].triangles.clone();
    triangles.extend(clips[1].triangles.iter().map(|corners| corners.map(|corner| corner + count as u32)));
    let positions: Vec<[f32; 3]> =
        (0..2).flat_map(|key| clips.iter().flat_map(move |clip| clip.key(key))).copied().collect();
    let mesh = Mesh::new(2 * count, triangles.clone()).expect("sheets");
    let plan = Flightplan::keyframes(vec![0.0, 1.0], positions.clone());
    let mut contacts = 0;
    let mut times = Vec::new();
    for _ in 0..3 {
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).expect("a start");
        let def = BodyDef::new(mesh.clone(), plan.clone()).self_contact(true);
        // Contacts of the first interval are decided as the body is added.
        let ((), time) = clock::time(|| {
            world.add_body(def).expect("sheets");
            world.advance_to(1.0).expect("a key");
        });
        times.push(time * 1e-6);
        let ended = world.contact_changes().iter().filter(|change| !change.is_begin()).count();
        contacts = ended + world.ongoing_contacts().len();
    }
    println!("\ndense step: {} triangles, {contacts} intervals in {:.1} ms", triangles.len(), median(times));
    match write(&triangles, &positions) {
        Ok(folder) => println!("written to {folder}/dense.obj and dense.pc2"),
        Err(error) => println!("not written: {error}"),
    }
}

fn write(triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> std::io::Result<String> {
    use std::fmt::Write as _;
    let folder = ccd_folder()?;
    let count = positions.len() / 2;
    let mut obj = String::new();
    for [x, y, z] in &positions[..count] {
        let _ = writeln!(obj, "v {x} {y} {z}");
    }
    for [a, b, c] in triangles {
        let _ = writeln!(obj, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    std::fs::write(folder.join("dense.obj"), obj)?;
    let mut cache = b"POINTCACHE2\0".to_vec();
    cache.extend(1_i32.to_le_bytes());
    cache.extend((count as i32).to_le_bytes());
    cache.extend([0.0_f32, 1.0].iter().flat_map(|x| x.to_le_bytes()));
    cache.extend(2_i32.to_le_bytes());
    cache.extend(positions.iter().flatten().flat_map(|x| x.to_le_bytes()));
    std::fs::write(folder.join("dense.pc2"), cache)?;
    Ok(folder.display().to_string())
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let wants = |word: &str| words.is_empty() || words.iter().any(|other| other == word);
    if wants("balls") {
        race_of_balls();
    }
    if wants("dense") {
        dense_step();
    }
}
