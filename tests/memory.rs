//! What a world keeps per triangle, part by part, beyond meshes, keys and contacts; the bars are
//! those of docs/benchmarks/memory.md.
//!
//! `cargo test --test memory -- --nocapture` prints the table. "all" is what the allocator counts,
//! with meshes, keys, contacts and buffers of steps.

use allocation_counter::measure;
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::{GeneratedBody, GeneratedScene, TableclothDef, WalkDef};
use kinetree::world::{BodyDef, ContactMode, World, WorldDef};

/// With continuous contacts: bytes per triangle of the three scenes.
const MOST_CONTINUOUS: [f64; 3] = [255.0, 245.0, 660.0];

/// Steps per keyframe interval.
const STEPS: usize = 10;

/// A body that moves by keys, or rests.
fn body(generated: &GeneratedBody) -> BodyDef {
    let start = generated.start_positions();
    let mesh = Mesh::new(start.len(), generated.triangles().to_vec()).unwrap();
    let plan = match generated {
        GeneratedBody::Keyed(clip) => {
            let keys = (0..clip.key_count()).flat_map(|key| clip.key(key).to_vec()).collect();
            Flightplan::keyframes(clip.times.clone(), keys)
        }
        _ => Flightplan::fixed(start.to_vec()),
    };
    BodyDef::new(mesh, plan)
}

/// A sheet of 2 · side² triangles, folded once; the upper half sinks through the lower one and
/// comes out again.
fn folded(side: usize, keys: usize) -> BodyDef {
    let at = |row: usize, column: usize| (row * (side + 1) + column) as u32;
    let triangles = (0..side * side).flat_map(|cell| {
        let (row, column) = (cell / side, cell % side);
        let [p, q, r, s] = [at(row, column), at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)];
        [[p, q, r], [q, s, r]]
    });
    let place = |number: usize, key: usize| {
        let (v, u) = ((number / (side + 1)) as f32 / side as f32, (number % (side + 1)) as f32 / side as f32);
        let sink = 0.02 * (key as f32 - keys as f32 / 2.0) / keys as f32;
        let wave = 0.01 * (23.0 * v + 9.0 * u + 0.7 * key as f32).sin();
        if u < 0.5 { [u, v, 0.0] } else { [1.003 - u, v, sink + wave] }
    };
    let count = (side + 1) * (side + 1);
    let positions = (0..keys).flat_map(|key| (0..count).map(move |number| place(number, key))).collect();
    let times = (0..keys).map(|key| key as f64 / 32.0).collect();
    let mesh = Mesh::new(count, triangles.collect()).unwrap();
    BodyDef::new(mesh, Flightplan::keyframes(times, positions)).self_contact(true)
}

/// Steps a world through some keyframe intervals of 1 / `rate` seconds; returns bytes per triangle
/// by its own count.
fn kept(name: &str, bodies: &[BodyDef], mode: ContactMode, from: f64, rate: f64) -> f64 {
    let mut world = None;
    let counted = measure(|| {
        let mut own = World::new(WorldDef::default().start(from).contacts(mode)).unwrap();
        for body in bodies.iter().cloned() {
            own.add_body(body).unwrap();
        }
        // It ends inside an interval: the next one is prepared in part.
        for step in 1..=3 * STEPS + STEPS / 2 {
            own.advance_to(from + step as f64 / (rate * STEPS as f64)).unwrap();
        }
        world = Some(own);
    });
    let world = world.unwrap();
    let stats = world.stats();
    let triangles = stats.triangles as f64;
    let parts = world.bytes_by_part();
    assert_eq!(stats.bytes, parts.iter().map(|(_, bytes)| bytes).sum::<usize>());
    let own = stats.bytes as f64 / triangles;
    let all = counted.bytes_current as f64 / triangles;
    println!("{name}, {triangles} triangles, {} contacts: {own:.0} (all {all:.0})", world.contacts().len());
    for (part, bytes) in parts {
        println!("    {part:20} {:7.1}", bytes as f64 / triangles);
    }
    assert!(!world.contacts().is_empty(), "{name}: nothing touches");
    own
}

/// Bounds of what was measured; the bars are lower.
#[test]
fn bytes_per_triangle() {
    let cloth = TableclothDef { triangles: 16_000, keys: 40, ..TableclothDef::default() }.generate();
    let walk = WalkDef { triangles: 32_000, keys: 8, ..WalkDef::default() }.generate();
    let of = |scene: &GeneratedScene| scene.bodies.iter().map(body).collect::<Vec<_>>();
    for (mode, most) in [(ContactMode::AtTimes, [140.0, 160.0, 285.0]), (ContactMode::Continuous, MOST_CONTINUOUS)] {
        let found = [
            kept(&format!("A16k {mode:?}"), &of(&cloth), mode, 1.0, 30.0),
            kept(&format!("B32k {mode:?}"), &of(&walk), mode, 0.0, 30.0),
            kept(&format!("folded 16k {mode:?}"), &[folded(90, 8)], mode, 0.0, 32.0),
        ];
        assert!((0..3).all(|scene| found[scene] < most[scene]), "{mode:?}: {found:?}, at most {most:?}");
    }
}
