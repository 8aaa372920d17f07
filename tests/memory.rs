//! What a world keeps per triangle, part by part, beyond meshes, keys and contacts; the bars are
//! those of docs/benchmarks/memory.md.
//!
//! `cargo test --test memory -- --nocapture` prints the table. "all" is what the allocator counts,
//! with meshes, keys, contacts and buffers of steps.

#[cfg(feature = "io")]
#[path = "io_support/mod.rs"]
mod io_support;

use std::sync::Arc;

use allocation_counter::measure;
use kinetree::bvh::BoundedSampler;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::reduced::{
    Affine, Blend, Influences, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy,
};
use kinetree::scenes::{GeneratedBody, GeneratedScene, TableclothDef, WalkDef};
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

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
/// comes out again: its triangles, and its vertices key by key.
fn folded_keys(side: usize, keys: usize) -> (Vec<[u32; 3]>, Vec<[f32; 3]>) {
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
    let positions = (0..keys).flat_map(|key| (0..count).map(move |number| place(number, key)));
    (triangles.collect(), positions.collect())
}

fn folded(side: usize, keys: usize) -> BodyDef {
    let (triangles, positions) = folded_keys(side, keys);
    let times = (0..keys).map(|key| key as f64 / 32.0).collect();
    let mesh = Mesh::new((side + 1) * (side + 1), triangles).unwrap();
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
    // What is known of contacts over time grows with contacts, not with triangles; it is printed, and has no bar.
    let over_time: usize =
        parts.iter().filter(|(part, _)| *part == "continuous contacts").map(|(_, bytes)| bytes).sum();
    let own = (stats.bytes - over_time) as f64 / triangles;
    let all = counted.bytes_current as f64 / triangles;
    println!("{name}, {triangles} triangles, {} contacts: {own:.0} (all {all:.0})", world.contacts().len());
    for (part, bytes) in parts {
        println!("    {part:20} {:7.1}", bytes as f64 / triangles);
    }
    assert!(!world.contacts().is_empty(), "{name}: nothing touches");
    own
}

/// The bars of contacts at times, and bounds of what was measured with continuous ones.
#[test]
fn bytes_per_triangle() {
    let cloth = TableclothDef { triangles: 16_000, keys: 40, ..TableclothDef::default() }.generate();
    let walk = WalkDef { triangles: 32_000, keys: 8, ..WalkDef::default() }.generate();
    let of = |scene: &GeneratedScene| scene.bodies.iter().map(body).collect::<Vec<_>>();
    for (mode, most) in [(ContactMode::AtTimes, [80.0, 80.0, 200.0]), (ContactMode::Continuous, MOST_CONTINUOUS)] {
        let found = [
            kept(&format!("A16k {mode:?}"), &of(&cloth), mode, 1.0, 30.0),
            kept(&format!("B32k {mode:?}"), &of(&walk), mode, 0.0, 30.0),
            kept(&format!("folded 16k {mode:?}"), &[folded(90, 8)], mode, 0.0, 32.0),
        ];
        assert!((0..3).all(|scene| found[scene] < most[scene]), "{mode:?}: {found:?}, at most {most:?}");
    }
}

/// A tube of `rings` rings of 16 vertices along x, one metre per joint, moved up and down by 96 joints over 40 keys. The joints also turn
/// to and fro where they may: between keys, maps are blended, and turned ones are no rotations then.
fn tube(rings: usize, is_turning: bool, blend: impl Fn(&[[f64; 3]]) -> Blend) -> ReducedBody {
    const ROUND: usize = 16;
    const JOINTS: usize = 96;
    let length = (JOINTS - 1) as f32;
    let rest: Vec<[f32; 3]> = (0..rings * ROUND)
        .map(|v| {
            let turn = (v % ROUND) as f32 / ROUND as f32 * std::f32::consts::TAU;
            [(v / ROUND) as f32 / (rings - 1) as f32 * length, turn.cos() * 0.4, turn.sin() * 0.4]
        })
        .collect();
    let cell = |c: usize| {
        let (p, q) = (c, c / ROUND * ROUND + (c + 1) % ROUND);
        [[p, q, q + ROUND], [p, q + ROUND, p + ROUND]].map(|corners| corners.map(|corner| corner as u32))
    };
    let mesh = Mesh::new(rest.len(), (0..(rings - 1) * ROUND).flat_map(cell).collect()).unwrap();
    let weights = rest.iter().map(|place| {
        let (near, part) = (place[0].floor().min(length - 1.0), f64::from(place[0].fract()));
        let near = near as u32;
        if part > 0.0 { vec![(near, 1.0 - part), (near + 1, part)] } else { vec![(place[0] as u32, 1.0)] }
    });
    let influences = Influences::convex(JOINTS, weights, WeightPolicy::default()).unwrap();
    let joints: Vec<[f64; 3]> = (0..JOINTS).map(|joint| [joint as f64, 0.0, 0.0]).collect();
    let def = ReducedDef { mesh, rest, influences, morphs: Vec::new(), blend: blend(&joints) };
    let times: Vec<f64> = (0..40).map(|key| f64::from(key) / 10.0).collect();
    let pose = |time: f64| {
        let map = |joint: usize| {
            let half = 0.1 * (if is_turning { 3.0 * time } else { 0.0 } + 0.3 * joint as f64).sin();
            let turn = Affine::from_parts([0.0; 3], [half.sin(), 0.0, 0.0, half.cos()], [1.0; 3]);
            Affine::from_parts([0.0, 0.0, 0.2 * (2.0 * time).sin()], [0.0, 0.0, 0.0, 1.0], [1.0; 3]).after(&turn)
        };
        Pose { maps: (0..JOINTS).map(map).collect(), morphs: Vec::new() }
    };
    let poses = times.iter().map(|&time| pose(time)).collect();
    let driver = PoseKeys::new(&times, poses, joints, Outside::Hold).unwrap();
    ReducedBody::new(Arc::new(ReducedMesh::new(def).unwrap()), Arc::new(driver)).unwrap()
}

/// What a world counts of a reduced body is what is allocated for it, poses and contacts over time included: between 80 and 110 of a
/// hundred. The rest are the last positions of vertices, and buffers of steps. What exists before (mesh, weights, keys) is in neither.
#[test]
fn a_reduced_body_counts_what_is_allocated() {
    let plate = |x: f32| [[x, -2.0, -2.0], [x, 2.0, -2.0], [x, 0.0, 3.0]];
    for (name, is_spherical) in [("linear", false), ("spherical", true)] {
        let body = tube(48, !is_spherical, |joints| {
            if is_spherical { Blend::Spherical { joints: joints.to_vec() } } else { Blend::Linear }
        });
        for (engine, mode) in [
            (Engine::Kinetic, ContactMode::AtTimes),
            (Engine::Auto, ContactMode::AtTimes),
            (Engine::Kinetic, ContactMode::Continuous),
            (Engine::Auto, ContactMode::Continuous),
        ] {
            let sampler: Arc<dyn BoundedSampler> = body.sampler(body.pieces_at_rate(10.0).unwrap()).unwrap();
            let skin = BodyDef::bounded(body.mesh().mesh().clone(), sampler);
            let walls: Vec<BodyDef> = (0..8)
                .map(|wall| {
                    let plan = Flightplan::fixed(plate(5.0 * wall as f32 + 1.3).to_vec());
                    BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)
                })
                .collect();
            let mut world = None;
            let counted = measure(|| {
                let mut own = World::new(WorldDef::default().engine(engine).contacts(mode)).unwrap();
                own.add_body(skin).unwrap();
                for wall in walls {
                    own.add_body(wall).unwrap();
                }
                for step in 1..=60 {
                    own.advance_to(f64::from(step) / 20.0).unwrap();
                }
                world = Some(own);
            });
            let world = world.unwrap();
            let (own, all) = (world.stats().bytes as f64, counted.bytes_current as f64);
            println!("{name}, {engine:?}, {mode:?}: {own:.0} of {all:.0} bytes, {:.2}", own / all);
            for (part, bytes) in world.bytes_by_part() {
                println!("    {part:20} {bytes:8}");
            }
            assert!(!world.contacts().is_empty(), "{name}: nothing touches");
            assert!((0.8..=1.1).contains(&(own / all)), "{name}, {engine:?}, {mode:?}: {own} of {all} bytes");
        }
    }
}

/// The folded sheet, which repeats its keys for a number of frames: contacts begin and end all the time.
#[cfg(feature = "io")]
fn looping(folder: &io_support::Folder, frames: u32) -> kinetree::io::Scene {
    const SIDE: usize = 12;
    let (triangles, positions) = folded_keys(SIDE, 8);
    let count = (SIDE + 1) * (SIDE + 1);
    let corners = positions[..count].iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    let faces =
        triangles.iter().map(|corners| corners.map(|corner| corner + 1)).map(|[p, q, r]| format!("f {p} {q} {r}\n"));
    folder.write("sheet.obj", corners.chain(faces).collect::<String>());
    folder.write("sheet.pc2", io_support::pc2(count as i32, 0.0, 1.0, 8, positions.as_flattened()));
    let end = f64::from(frames) / 24.0;
    let text = format!(
        "fps = 24\nspan = [0, {end}]\n[[body]]\nname = 'sheet'\nmesh = 'sheet.obj'\nmotion = 'sheet.pc2'\noutside = 'loop'\n\
         self_contact = true\n"
    );
    kinetree::io::read_scene(folder.write("scene.toml", text)).unwrap()
}

/// Counts what a function allocates whose work other threads do not share.
#[cfg(all(feature = "io", feature = "rayon"))]
fn measured_alone(act: impl FnOnce() + Send) -> allocation_counter::AllocationInfo {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread").install(|| measure(act))
}

#[cfg(all(feature = "io", not(feature = "rayon")))]
fn measured_alone(act: impl FnOnce()) -> allocation_counter::AllocationInfo {
    measure(act)
}

/// Contacts that are handed over as they end take no memory: ten times the frames take less than twice the bytes.
#[cfg(feature = "io")]
#[test]
fn a_check_that_hands_contacts_over_does_not_grow_with_frames() {
    use kinetree::check::{CheckSettings, check};

    let folder = io_support::Folder::new();
    let peak = |frames: u32, hand_over: bool| {
        let scene = looping(&folder, frames);
        let mut settings = CheckSettings::default();
        (settings.skip_incidents, settings.hand_over_contacts) = (true, hand_over);
        let (mut found, mut most) = (0, 0);
        let counted = measured_alone(|| {
            let result = check(&scene, &settings, |sample| {
                most = most.max(sample.handed_over.len());
                std::ops::ControlFlow::Continue(())
            });
            found = result.unwrap().pairs[0].contacts;
        });
        println!(
            "{frames} frames, {found} contacts, {most} at once, handed over: {hand_over}: {} bytes",
            counted.bytes_max
        );
        (counted.bytes_max, found)
    };
    let ([few, many], [few_kept, many_kept]) =
        ([48, 480].map(|of| peak(of, true)), [48, 480].map(|of| peak(of, false)));
    assert!(few.1 == few_kept.1 && many.1 == many_kept.1 && many.1 > 5 * few.1, "{few:?} {many:?}");
    assert!(many.0 < 2 * few.0, "{few:?} {many:?}");
    assert!(many_kept.0 > 2 * few_kept.0, "contacts are too few to tell: {few_kept:?} {many_kept:?}");
}
