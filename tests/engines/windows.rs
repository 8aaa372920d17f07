//! What is particular to windows: which bodies they take, when they are left, what they answer.

use kinetree::bvh::BuildParams;
use kinetree::math::Aabb;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, VertexFlightplan};
use kinetree::scenes::Clip;
use kinetree::scenes::material::{jittered_grid_cloth, random_soup, symmetric_grid};
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef, WorldError};

use crate::common::lockstep::{body, shifted, standing};
use crate::common::shapes::Shape;

pub(crate) fn world(engine: Engine) -> World {
    World::new(WorldDef::default().engine(engine)).expect("a usable start")
}

pub(crate) fn square(z: f32) -> Shape {
    let corner = |x: f32, y: f32| [x, y, z];
    (vec![corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)], vec![[0, 1, 2], [0, 2, 3]])
}

/// A square that goes down through another and up again, 0 to 2 s.
pub(crate) fn falling() -> BodyDef {
    let plan = shifted(&square(0.0), &[0.0, 1.0, 2.0], &[[0.2, 0.1, 1.0], [0.2, 0.1, -1.0], [0.2, 0.1, 1.0]]);
    body(&square(0.0), plan).engine(Engine::Auto)
}

#[test]
fn windows_have_no_events_and_no_log() {
    let mut world = world(Engine::Interval);
    world.add_body(falling()).unwrap();
    world.add_body(standing(&square(0.0)).engine(Engine::Auto)).unwrap();
    let mut seen = 0;
    for step in 0..=40 {
        world.advance_to(0.05 * f64::from(step)).unwrap();
        seen += world.contacts().len();
        assert_eq!(world.next_event_time(), None);
    }
    // At 0.5 s and 1.5 s both lie in one plane; three of the four pairs of triangles reach into
    // each other.
    assert_eq!(seen, 6);
    assert_eq!((world.log().count(), world.stats().events, world.stats().scheduled), (0, 0, 0));
}

#[test]
fn engines_of_worlds_are_refused_for_bodies() {
    let refused = world(Engine::Interval).add_body(falling().engine(Engine::BruteForce)).unwrap_err();
    assert!(matches!(refused, WorldError::EngineOfWorlds { .. }), "{refused}");
    assert!(refused.to_string().contains("whole worlds"));
    // Worlds that look at everything their way take no notice.
    world(Engine::BruteForce).add_body(falling().engine(Engine::Interval)).unwrap();
    let continuous = WorldDef::default().contacts(ContactMode::Continuous).engine(Engine::Kinetic);
    let mut kinetic = World::new(continuous).unwrap();
    let refused = kinetic.add_body(falling().engine(Engine::Refit)).unwrap_err();
    assert!(matches!(refused, WorldError::NeedsKinetic { engine: Engine::Refit }), "{refused}");
    assert_eq!(kinetic.bodies().count(), 0);
}

#[test]
fn plans_that_windows_cannot_take_are_answered_all_the_same() {
    let mut worlds = [world(Engine::Interval), world(Engine::BruteForce)];
    for world in &mut worlds {
        let floor = world.add_body(standing(&square(0.0)).engine(Engine::Auto)).unwrap();
        let moving = world.add_body(falling()).unwrap();
        let mut found = Vec::new();
        let mut to = |world: &mut World, time: f64| {
            world.advance_to(time).unwrap();
            found.push(world.contacts().len());
        };
        to(world, 0.25);
        // A vertex goes its own way: no window.
        let down = VertexFlightplan::Velocity { from: None, velocity: [0.0, 0.0, -2.0] };
        world.set_vertex_flightplans(moving, &[(2, down)]).unwrap();
        to(world, 0.5);
        // All vertices under one plan again, on a curve.
        let [up, still] = [[0.0, 0.0, 1.0], [0.0; 3]].map(|v| vec![v; 4]);
        let thrown = Flightplan::ballistic(0.5, square(0.0).0, up, [0.0, 0.0, -2.0]);
        world.set_flightplan(moving, thrown).unwrap();
        to(world, 1.5);
        to(world, 1.75);
        // Linear again, and round and round.
        let looped = Flightplan::velocities_until(
            kinetree::time::Span { begin: 1.5, end: 2.5 },
            square(-0.5).0,
            vec![[0.0, 0.0, 1.0]; 4],
        );
        world.set_flightplan(moving, looped.outside(Outside::Loop)).unwrap();
        for step in 0..30 {
            to(world, 2.0 + 0.25 * f64::from(step));
        }
        world.set_flightplan(floor, Flightplan::velocities(0.0, square(0.0).0, still)).unwrap();
        to(world, 1000.0);
        assert_eq!(found[2], 4, "{found:?}");
        assert!(found.iter().sum::<usize>() > 30, "{found:?}");
        let bounds = Aabb { min: [0.4, 0.3, -1.0], max: [0.5, 0.4, 2.0] };
        assert!(!world.query_box(&bounds).0.is_empty());
    }
    assert_eq!(worlds[0].contacts(), worlds[1].contacts());
}

/// A square that shakes through another, one key every tenth of a second.
fn shaking() -> BodyDef {
    shaking_from(0.0)
}

fn shaking_from(begin: f64) -> BodyDef {
    let times: Vec<f64> = (0..=40).map(|key| begin + 0.1 * f64::from(key)).collect();
    let shifts: Vec<[f32; 3]> = (0..=40u8).map(|key| [0.2, 0.1, if key % 2 == 0 { 0.5 } else { -0.5 }]).collect();
    body(&square(0.0), shifted(&square(0.0), &times, &shifts)).engine(Engine::Auto)
}

#[test]
fn the_choice_follows_the_host_and_leaves_no_trace() {
    let mut brute = world(Engine::BruteForce);
    let mut auto = world(Engine::Auto);
    for world in [&mut brute, &mut auto] {
        world.add_body(standing(&square(0.0)).engine(Engine::Auto)).unwrap();
        world.add_body(shaking()).unwrap();
    }
    let mut step = |time: f64| {
        for world in [&mut brute, &mut auto] {
            world.advance_to(time).unwrap();
        }
        assert_eq!(auto.contacts(), brute.contacts(), "{time}");
        assert_eq!(auto.contact_changes(), brute.contact_changes(), "{time}");
        assert!(auto.audit().is_clean(), "{time}: {}", auto.audit());
        assert_eq!((auto.log().count(), auto.stats().events), (0, 0));
        (auto.stats().engines, auto.contacts().len())
    };
    // Once per key: refits. The wall rests, and may have a window.
    for key in 1..=10 {
        let (engines, _) = step(0.1 * f64::from(key));
        assert_eq!((engines.kinetic, engines.refit_few_frames >= 1), (0, true), "{engines:?}");
    }
    // Ten times per key: windows. The squares are flat, so the pair is watched only where they
    // pass, once in each of ten intervals; what finds it then is a window.
    let (mut watched, mut touching) = (0, 0);
    for frame in 1..=100 {
        let (engines, contacts) = step(1.0 + 0.01 * f64::from(frame));
        assert!(frame < 2 || engines.interval == 2, "{frame}: {engines:?}");
        assert!(contacts == 0 || engines.intervals >= 1, "{frame}: {engines:?}");
        watched += usize::from(engines.intervals >= 1);
        touching += usize::from(contacts > 0);
    }
    // By rounding they do not touch at every one of these looks.
    assert!(watched >= 10 && touching > 0, "{watched} {touching}");
    let engines = auto.stats().engines;
    assert!((10..=14).contains(&engines.intervals_entered), "{engines:?}");
    // Plans that are replaced at every look by others: refits. (The same plan once more is one that
    // goes on.)
    for frame in 1..=20u8 {
        let early = shaking_from(-0.001 * f64::from(frame % 2)).motion;
        for world in [&mut brute, &mut auto] {
            let moving = world.bodies().nth(1).unwrap();
            world.set_flightplan(moving, early.clone()).unwrap();
            world.advance_to(2.0 + 0.01 * f64::from(frame)).unwrap();
        }
        assert_eq!(auto.contacts(), brute.contacts(), "{frame}");
    }
    let engines = auto.stats().engines;
    assert_eq!((engines.refit_plans_replaced, engines.refit), (1, 1), "{engines:?}");
}

/// A grid of so many squares a side, with constant velocities.
fn flying(side: u16, speed: f32) -> BodyDef {
    let corners = (0..=side).flat_map(|y| (0..=side).map(move |x| [f32::from(x), f32::from(y), 0.0]));
    let positions: Vec<[f32; 3]> = corners.map(|place| place.map(|x| x / f32::from(side))).collect();
    let row = u32::from(side) + 1;
    let squares = (0..u32::from(side)).flat_map(|y| (0..u32::from(side)).map(move |x| y * row + x));
    let triangles = squares.flat_map(|p| [[p, p + 1, p + row], [p + 1, p + row + 1, p + row]]).collect();
    let velocities = vec![[0.0, 0.0, speed]; positions.len()];
    body(&(positions.clone(), triangles), Flightplan::velocities(0.0, positions, velocities)).engine(Engine::Auto)
}

/// Where it is kinetic and where not is a question of its triangles; where it is not, how often the
/// host looks decides between windows, no longer than it takes to move by some part of a leaf, and
/// refits. Contacts and logs do not depend on it.
#[test]
fn large_velocity_fields_go_by_windows_as_long_as_their_leaves() {
    // 242 and 288 triangles.
    for (side, engines_kinetic) in [(11, 1), (12, 0)] {
        let mut world = world(Engine::Auto);
        world.add_body(flying(side, 1.0)).unwrap();
        assert_eq!(world.stats().engines.kinetic, engines_kinetic, "{side}");
    }
    // A leaf of eight triangles is about a sixth of a metre large: at 1 m/s windows last some
    // hundredths of a second.
    for (step, windows, refits) in [(0.1, 0, 1), (0.0005, 1, 0)] {
        let mut worlds = [world(Engine::Auto), world(Engine::Interval), world(Engine::BruteForce)];
        for world in &mut worlds {
            world.add_body(flying(12, 1.0)).unwrap();
            world.add_body(standing(&square(0.125)).engine(Engine::Auto)).unwrap();
        }
        let mut seen = 0;
        for look in 1..=300 {
            worlds.iter_mut().for_each(|world| world.advance_to(step * f64::from(look)).unwrap());
            assert_eq!(worlds[0].contacts(), worlds[2].contacts(), "{step} {look}");
            assert_eq!(worlds[1].contacts(), worlds[2].contacts(), "{step} {look}");
            assert!(worlds[0].audit().is_clean());
            seen += worlds[2].contacts().len();
            assert_eq!((worlds[0].log().count(), worlds[0].stats().events), (0, 0));
        }
        let engines = worlds[0].stats().engines;
        assert_eq!((engines.interval, engines.refit), (1 + windows, refits), "{step}: {engines:?}");
        let entered = engines.intervals_entered;
        assert!(windows == 0 || (2..=10).contains(&entered), "{step}: {engines:?}");
        assert!(seen > 0 || step > 0.01, "{step}: {seen}");
    }
}

#[test]
fn who_is_kinetic_depends_on_definitions_alone() {
    let velocities = Flightplan::velocities(0.0, square(0.0).0, vec![[0.0, 0.0, 1.0]; 4]);
    let kinetic_bodies = |def: WorldDef, motion: &Flightplan| {
        let mut world = World::new(def).unwrap();
        world.add_body(body(&square(0.0), motion.clone()).engine(Engine::Auto)).unwrap();
        world.stats().engines.kinetic
    };
    let auto = WorldDef::default();
    assert_eq!(kinetic_bodies(auto, &shaking().motion), 0);
    assert_eq!(kinetic_bodies(auto, &velocities), 1);
    assert_eq!(kinetic_bodies(auto.keep_events(true), &shaking().motion), 1);
    assert_eq!(kinetic_bodies(auto.contacts(ContactMode::Continuous), &shaking().motion), 1);
    assert_eq!(kinetic_bodies(auto.engine(Engine::Interval), &velocities), 0);
}

/// A clip as a body.
fn keyed(clip: &Clip, shift: [f32; 3], scale: f32) -> BodyDef {
    let (points, _) = clip.positions.as_chunks::<3>();
    let place = |point: &[f32; 3]| std::array::from_fn(|axis| scale * (point[axis] + shift[axis]));
    let plan = Flightplan::keyframes(clip.times.clone(), points.iter().map(place).collect());
    BodyDef::new(Mesh::new(clip.vertex_count, clip.triangles.clone()).unwrap(), plan)
}

/// Looked at many times per interval, most contacts are not tested but known; they are those of
/// brute force, also where cloth lies in a plane, where nothing is in general position, and where a
/// wall cuts no interval.
#[test]
fn what_is_certain_is_what_brute_force_finds() {
    for (case, scale) in [(0, 1.0f32), (1, 1.0), (2, 1.0), (0, 1e-30), (0, 1e27)] {
        let clips = match case {
            0 => [random_soup(3, 40, 6, 1.0), random_soup(4, 40, 6, 1.0)],
            1 => [symmetric_grid(7, 7, 6, [true, false, true]), jittered_grid_cloth(3, 7, 7, 6)],
            _ => [jittered_grid_cloth(5, 7, 7, 6), random_soup(7, 40, 6, 1.0)],
        };
        let mut worlds = [world(Engine::Interval), world(Engine::BruteForce)];
        let (points, _) = clips[0].positions.as_chunks::<3>();
        for world in &mut worlds {
            world.add_body(keyed(&clips[0], [0.0; 3], scale).self_contact(true)).unwrap();
            world.add_body(keyed(&clips[1], [0.0, 0.0, 0.0625], scale)).unwrap();
            // A wall of its first key, that rests.
            let rest = points[..clips[0].vertex_count].iter().map(|p| p.map(|x| scale * x)).collect();
            let mesh = Mesh::new(clips[0].vertex_count, clips[0].triangles.clone()).unwrap();
            world.add_body(BodyDef::new(mesh, Flightplan::fixed(rest))).unwrap();
        }
        let (end, frames) = (clips[0].times[5], 163);
        let mut seen = 0;
        for frame in 1..=frames {
            let time = end * f64::from(frame) / f64::from(frames);
            for world in &mut worlds {
                world.advance_to(time).unwrap();
            }
            assert_eq!(worlds[0].contacts(), worlds[1].contacts(), "{case} {scale} {frame}");
            seen += worlds[0].contacts().len() as u64;
        }
        let tests = worlds[0].stats().triangle_tests;
        assert!(seen > 1_000, "{case} {scale}: {seen}");
        // In general position, and neither so small nor so large that f32 cannot tell what is
        // apart. Every contact costs a test where nothing is certain.
        assert!(case != 0 || scale != 1.0 || tests < seen, "{case} {scale}: {tests} tests, {seen} contacts");
        println!("{case} {scale}: {tests} tests, {seen} contacts");
    }
}

/// Small triangles that fly far between two keys sweep over all others: by counts, windows cost
/// more than refits. Then they are left out, for as long as that lasts, and contacts are the same.
#[test]
fn windows_that_cost_more_than_refits_are_left_out() {
    let clip = |seed: u64| {
        let clip = random_soup(seed, 600, 30, 1.0);
        let times: Vec<f64> = (0..30).map(|key| 0.1 * f64::from(key)).collect();
        // Triangles of 3 % of their size, around the same centres.
        let points = clip.positions.as_chunks::<9>().0.iter().flat_map(|corners| {
            let corner = |c: usize, axis: usize| corners[3 * c + axis];
            let shrunk = move |c: usize| -> [f32; 3] {
                std::array::from_fn(|axis| {
                    let centre = (corners[axis] + corners[3 + axis] + corners[6 + axis]) / 3.0;
                    centre + 0.03 * (corner(c, axis) - centre)
                })
            };
            [shrunk(0), shrunk(1), shrunk(2)]
        });
        BodyDef::new(
            Mesh::new(clip.vertex_count, clip.triangles.clone()).unwrap(),
            Flightplan::keyframes(times, points.collect()),
        )
    };
    let mut worlds = [world(Engine::Auto), world(Engine::Interval), world(Engine::BruteForce)];
    for world in &mut worlds {
        world.add_body(clip(1)).unwrap();
        world.add_body(clip(2)).unwrap();
    }
    let mut dear = 0;
    for look in 1..=80 {
        let mut copies = worlds.iter_mut();
        copies.try_for_each(|world| world.advance_to(0.0125 * f64::from(look))).unwrap();
        assert_eq!(worlds[0].contacts(), worlds[2].contacts(), "{look}");
        assert_eq!(worlds[1].contacts(), worlds[2].contacts(), "{look}");
        let engines = worlds[0].stats().engines;
        assert_eq!(engines.refit_intervals_expensive, engines.refit, "{engines:?}");
        dear += engines.refit_intervals_expensive;
        assert_eq!(worlds[1].stats().engines.interval, 2);
    }
    // Before the first is paid for.
    assert_eq!(dear, 2 * 80);
    // What needs fewer looks than that has no need to change.
    let mut calm = world(Engine::Auto);
    calm.add_body(shaking()).unwrap();
    calm.add_body(standing(&square(0.0)).engine(Engine::Auto)).unwrap();
    for look in 1..=160 {
        calm.advance_to(0.0125 * f64::from(look)).unwrap();
        assert_eq!(calm.stats().engines.refit_intervals_expensive, 0);
    }
}

/// Leaves of any size: those of more than eight triangles have no masks of triangles that share no
/// corner, and are asked pair by pair.
#[test]
fn triangles_that_share_a_corner_are_left_out_whatever_the_size_of_leaves() {
    let clip = jittered_grid_cloth(5, 12, 12, 5);
    let times: Vec<f64> = (0..5).map(f64::from).collect();
    for leaf_size in [1, 7, 8, 9, 20, 64] {
        let mut worlds = [
            world(Engine::BruteForce),
            world(Engine::Interval),
            World::new(WorldDef::new().contacts(ContactMode::Continuous)).unwrap(),
        ];
        for world in &mut worlds {
            let mesh = Mesh::new(clip.vertex_count, clip.triangles.clone()).unwrap();
            // Folded over, so that layers cross.
            let fold = |&[x, y, z]: &[f32; 3]| [x.min(0.5) + 0.3 * (0.5 - x).min(0.0), y, z + 0.05 * (7.0 * x).sin()];
            let points = clip.positions.as_chunks::<3>().0.iter().map(fold).collect();
            let def = BodyDef::new(mesh, Flightplan::keyframes(times.clone(), points)).self_contact(true);
            world.add_body(def.build(BuildParams { leaf_size, ..BuildParams::default() })).unwrap();
        }
        let mut seen = 0;
        for look in 0..=24 {
            worlds.iter_mut().try_for_each(|world| world.advance_to(f64::from(look) / 6.0)).unwrap();
            let [brute, interval, continuous] = &worlds;
            assert_eq!(interval.contacts(), brute.contacts(), "leaves of {leaf_size}, {look}");
            assert_eq!(continuous.contacts(), brute.contacts(), "leaves of {leaf_size}, {look}");
            seen += brute.contacts().len();
        }
        assert!(seen > 500, "{seen}");
        assert_eq!(worlds[1].stats().engines.interval, 1);
    }
}

/// Few leaf pairs for many triangles: those are tested, and no triangles are paired for the whole
/// interval.
#[test]
fn triangles_of_one_body_in_leaves_far_apart_in_the_tree_touch() {
    const COUNT: u16 = 600;
    // One after the other along x, and the last one upright in the third.
    let key = |z: f32| {
        let flat = move |number: u16| {
            let x = 10.0 * f32::from(number);
            [[x, 0.0, z], [x + 4.0, 0.0, z], [x, 4.0, z]]
        };
        let upright = [[21.0, 1.0, z - 1.0], [22.0, 1.0, z + 1.0], [21.0, 1.0, z + 1.0]];
        (0..COUNT - 1).flat_map(flat).chain(upright)
    };
    for engine in [Engine::BruteForce, Engine::Interval] {
        let mut world = world(engine);
        let corners = |number: u16| [0, 1, 2].map(|corner| 3 * u32::from(number) + corner);
        let mesh = Mesh::new(3 * usize::from(COUNT), (0..COUNT).map(corners).collect()).unwrap();
        let plan = Flightplan::keyframes(vec![0.0, 1.0], key(0.0).chain(key(1.0)).collect());
        let def = BodyDef::new(mesh, plan).self_contact(true);
        world.add_body(def.build(BuildParams { leaf_size: 1, ..BuildParams::default() })).unwrap();
        for step in 0..=4 {
            world.advance_to(0.25 * f64::from(step)).unwrap();
            let found: Vec<_> = world.contacts().iter().map(|c| (c.triangle_a, c.triangle_b)).collect();
            assert_eq!(found, [(2, u32::from(COUNT) - 1)], "{engine:?}, {step}");
        }
    }
}

/// Two rippled sheets that lie close to each other, and touch in one corner only: what is sampled
/// of an interval must not be that corner alone, or intervals seem far more expensive than they
/// are.
#[test]
fn a_corner_full_of_contacts_does_not_speak_for_the_rest() {
    const CELLS: u32 = 48;
    let index = |i: u32, j: u32| i * (CELLS + 1) + j;
    let cells = (0..CELLS * CELLS).map(|cell| (cell / CELLS, cell % CELLS));
    let triangles: Vec<[u32; 3]> = cells
        .flat_map(|(i, j)| {
            let [p, q, r, s] = [index(i, j), index(i + 1, j), index(i, j + 1), index(i + 1, j + 1)];
            [[p, q, s], [p, s, r]]
        })
        .collect();
    let mesh = Mesh::new(((CELLS + 1) * (CELLS + 1)) as usize, triangles).unwrap();
    let sheet = |gap: &dyn Fn(f32, f32) -> f32, shift: f32| -> Vec<[f32; 3]> {
        let points = (0..=CELLS).flat_map(|i| (0..=CELLS).map(move |j| [i, j].map(|k| k as f32 / CELLS as f32)));
        points.map(|[x, y]| [x + shift, y, 0.03 * (60.0 * x).sin() + 0.03 * (50.0 * y).sin() + gap(x, y)]).collect()
    };
    // The larger corners hold more than the part of the leaf pairs that is sampled.
    for (corner, size) in (0..4).flat_map(|corner| [(corner, 0.25), (corner, 0.4)]) {
        let [far_x, far_y] = [corner % 2 == 1, corner / 2 == 1];
        let side = |x: f32, is_far: bool| if is_far { 1.0 - x } else { x };
        // Steep ripples of another length, in the corner.
        let gap = |x: f32, y: f32| {
            let is_in = side(x, far_x).max(side(y, far_y)) < size;
            if is_in { 0.15 * (170.0 * x).sin() * (290.0 * y).cos() } else { 0.01 }
        };
        let mut world = world(Engine::Auto);
        world.add_body(BodyDef::new(mesh.clone(), Flightplan::fixed(sheet(&|_, _| 0.0, 0.0)))).unwrap();
        let keys: Vec<[f32; 3]> = (0..4).flat_map(|key| sheet(&gap, 0.0005 * (key % 2) as f32 + 0.0003)).collect();
        let times = (0..4).map(f64::from).collect();
        world.add_body(BodyDef::new(mesh.clone(), Flightplan::keyframes(times, keys))).unwrap();
        let mut seen = 0;
        for look in 1..=30 {
            world.advance_to(0.1 * f64::from(look)).unwrap();
            seen += world.contacts().len();
            assert_eq!(world.stats().engines.refit_intervals_expensive, 0, "{corner} {look}");
        }
        assert!(seen > 1_000, "{corner}: {seen}");
    }
}

/// Refits know who is kin: windows pay later for bodies tested against themselves than for others.
#[test]
fn bodies_tested_against_themselves_go_by_windows_from_four_looks_per_key_on() {
    for (looks, expected) in [(1, (0, 2)), (2, (0, 2)), (3, (1, 1)), (4, (2, 0)), (10, (2, 0))] {
        let mut world = world(Engine::Auto);
        world.add_body(shaking().self_contact(true)).unwrap();
        world.add_body(shaking()).unwrap();
        for look in 1..=10 * looks {
            world.advance_to(0.1 * f64::from(look) / f64::from(looks)).unwrap();
        }
        let engines = world.stats().engines;
        assert_eq!((engines.interval, engines.refit_few_frames), expected, "{looks} looks: {engines:?}");
    }
}
