//! Continuous contacts: exact begin and end times as events, against hand-written times and against exact tests at many times.

use std::collections::BTreeSet;

use kinetree::bvh::BuildParams;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::narrow::triangles_touch;
use kinetree::scenes::material::{folding_strip, random_soup};
use kinetree::scenes::{Clip, ExpandingSpheresDef};
use kinetree::world::{BodyDef, Contact, ContactChange, ContactMode, Engine, World, WorldDef, WorldError};

fn continuous() -> World {
    World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap()
}

const LOW: [[f32; 3]; 3] = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];

fn floor() -> BodyDef {
    BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::fixed(LOW.to_vec())).named("floor")
}

/// A triangle whose lowest corner is at the given height at each key, the others one higher.
fn pointer(times: &[f64], heights: &[f32]) -> BodyDef {
    let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
    let keys = heights.iter().flat_map(|&z| at(z)).collect();
    BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::keyframes(times.to_vec(), keys)).named("pointer")
}

/// Begins and ends in the order in which they were told.
fn history(world: &mut World, times: &[f64]) -> Vec<(bool, f64, f64)> {
    let mut history = Vec::new();
    for &time in times {
        world.advance_to(time).unwrap();
        for change in world.contact_changes() {
            let time = change.time();
            history.push((change.is_begin(), time.lo, time.hi));
        }
    }
    history
}

#[test]
fn a_pointer_through_the_floor_between_two_frames() {
    for times in [vec![4.0], vec![1.0, 2.0, 3.0, 4.0], (0..=400).map(|i| f64::from(i) / 100.0).collect()] {
        let mut world = continuous();
        world.add_body(floor()).unwrap();
        // Down from 1 to -3 in one second, then up again: the floor is met from 0.25 s on until it is left.
        world.add_body(pointer(&[0.0, 1.0, 2.0, 4.0], &[1.0, -0.5, 1.0, 1.0])).unwrap();
        let history = history(&mut world, &times);
        let [(true, b0, b1), (false, e0, e1)] = history[..] else { panic!("{history:?}") };
        assert!(b0 <= 2.0 / 3.0 && 2.0 / 3.0 <= b1 && b1 - b0 < 1e-14, "{history:?}");
        assert!(e0 <= 4.0 / 3.0 && 4.0 / 3.0 <= e1 && e1 - e0 < 1e-14, "{history:?}");
    }
}

#[test]
fn a_touch_of_one_instant_at_a_key_is_told() {
    let mut world = continuous();
    world.add_body(floor()).unwrap();
    world.add_body(pointer(&[0.0, 1.0, 2.0], &[1.0, 0.0, 1.0])).unwrap();
    assert_eq!(history(&mut world, &[0.5, 1.5, 3.0]), [(true, 1.0, 1.0), (false, 1.0, 1.0)]);
    // A host that stops at the very instant sees it.
    let mut world = continuous();
    world.add_body(floor()).unwrap();
    world.add_body(pointer(&[0.0, 1.0, 2.0], &[1.0, 0.0, 1.0])).unwrap();
    world.advance_to(1.0).unwrap();
    assert_eq!(world.contacts().len(), 1);
    let Some(ContactChange::Began { touch: Some(touch), .. }) = world.contact_changes().first() else { panic!() };
    assert_eq!(touch.point, [0.0, 0.0, 0.0]);
    assert_eq!(touch.normal.map(f64::abs), [0.0, 0.0, 1.0]);
    world.advance_to(1.0 + 1e-9).unwrap();
    assert!(world.contacts().is_empty());
    assert_eq!(world.contact_changes().len(), 1);
}

#[test]
fn a_contact_across_keys_is_one_contact() {
    let mut world = continuous();
    world.add_body(floor()).unwrap();
    world.add_body(pointer(&[0.0, 1.0, 2.0, 3.0, 4.0], &[1.0, -0.5, -0.5, -0.25, 1.0])).unwrap();
    let history = history(&mut world, &[4.0]);
    assert_eq!(history.len(), 2, "{history:?}");
    assert!((history[0].1 - 2.0 / 3.0).abs() < 1e-12 && (history[1].1 - 3.2).abs() < 1e-12, "{history:?}");
}

#[test]
fn a_world_that_starts_in_contact_and_a_contact_that_never_ends() {
    let mut world = continuous();
    world.add_body(floor()).unwrap();
    world.add_body(pointer(&[0.0, 1.0], &[-0.5, -0.25])).unwrap();
    assert_eq!(world.contacts().len(), 1);
    assert_eq!(history(&mut world, &[0.0, 5.0, 1000.0]), [(true, 0.0, 0.0)]);
    assert_eq!(world.ongoing_contacts().len(), 1);
    assert_eq!(world.ongoing_contacts()[0].began.lo, 0.0);
}

#[test]
fn changed_plans_change_what_was_decided() {
    let mut world = continuous();
    world.add_body(floor()).unwrap();
    let pointer = world.add_body(pointer(&[0.0, 2.0], &[1.0, -1.0])).unwrap();
    // Would touch at 1 s; is stopped at 0.5 s at height 0.5, and let fall again at 3 s.
    world.advance_to(0.5).unwrap();
    let stop = |v: u32| (v, VertexFlightplan::Velocity { from: None, velocity: [0.0; 3] });
    world.set_vertex_flightplans(pointer, &[stop(0), stop(1), stop(2)]).unwrap();
    assert_eq!(history(&mut world, &[1.0, 2.0, 3.0]), []);
    let fall = |v: u32| (v, VertexFlightplan::Velocity { from: None, velocity: [0.0, 0.0, -1.0] });
    world.set_vertex_flightplans(pointer, &[fall(0), fall(1), fall(2)]).unwrap();
    let touched = history(&mut world, &[4.0]);
    assert_eq!(touched.len(), 1);
    assert!((touched[0].1 - 3.5).abs() < 1e-12, "{touched:?}");
    // Lifted away at once: the contact ends now, and the next advance says so.
    let lift = |v: u32, z: f64| (v, VertexFlightplan::Fixed { position: [f64::from(v), 0.0, z] });
    world.set_vertex_flightplans(pointer, &[lift(0, 5.0), lift(1, 6.0), lift(2, 6.0)]).unwrap();
    assert!(world.contacts().is_empty());
    assert_eq!(history(&mut world, &[5.0]), [(false, 4.0, 4.0)]);
}

#[test]
fn contacts_at_times_just_passed() {
    let mut world = continuous();
    world.add_body(floor()).unwrap();
    world.add_body(pointer(&[0.0, 1.0, 2.0], &[1.0, -0.5, 1.0])).unwrap();
    world.advance_to(0.5).unwrap();
    world.advance_to(2.0).unwrap();
    let count = |time| world.contacts_at(time).map(|contacts| contacts.len());
    assert_eq!([0.5, 0.66, 0.67, 1.0, 1.33, 1.34, 2.0].map(|time| count(time).unwrap()), [0, 0, 1, 1, 1, 0, 0]);
    for time in [0.4, 2.1, f64::NAN] {
        assert!(matches!(count(time), Err(WorldError::NotCertified { .. })), "{time}");
    }
}

#[test]
fn the_first_contact_to_come() {
    let mut world = World::new(WorldDef::default()).unwrap();
    let tip = world.add_body(pointer(&[0.0, 1.0, 2.0], &[1.0, -0.5, 1.0])).unwrap();
    let floor = world.add_body(floor()).unwrap();
    let far = world.add_body(pointer(&[0.0, 9.0], &[50.0, 60.0])).unwrap();
    let hash = world.log().hash();
    let Some(ContactChange::Began { contact, time, .. }) = world.first_contact(floor, tip, 2.0).unwrap() else {
        panic!()
    };
    assert_eq!((contact.a, contact.b), (tip, floor));
    assert!(time.lo <= 2.0 / 3.0 && 2.0 / 3.0 <= time.hi);
    assert_eq!(world.first_contact(floor, tip, 0.6).unwrap(), None);
    assert_eq!(world.first_contact(floor, far, 9.0).unwrap(), None);
    assert_eq!(world.first_contact(tip, tip, 2.0).unwrap(), None);
    assert!(matches!(world.first_contact(floor, tip, -1.0), Err(WorldError::BadTime { .. })));
    assert_eq!((world.time(), world.log().hash()), (0.0, hash));
    world.advance_to(1.0).unwrap();
    let Some(ContactChange::Began { time, .. }) = world.first_contact(floor, tip, 2.0).unwrap() else { panic!() };
    assert_eq!(time.lo, 1.0);
}

#[test]
fn other_engines_refuse() {
    let def = WorldDef::default().contacts(ContactMode::Continuous).engine(Engine::Refit);
    assert!(matches!(World::new(def), Err(WorldError::NeedsKinetic { engine: Engine::Refit })));
}

fn clip_body(clip: &Clip, leaf_size: usize) -> BodyDef {
    let (points, _) = clip.positions.as_chunks::<3>();
    let mesh = Mesh::new(clip.vertex_count, clip.triangles.clone()).unwrap();
    let plan = Flightplan::keyframes(clip.times.clone(), points.to_vec());
    BodyDef::new(mesh, plan).build(BuildParams { leaf_size, ..BuildParams::default() })
}

/// Compares what continuous worlds say with exact tests of all pairs, at the given times.
///
/// Positions at a time are rounded, intervals are not: the two may differ only within a rounding of an interval's end.
fn compare(defs: impl Fn() -> Vec<BodyDef>, times: &[f64], least: usize) {
    let mut world = continuous();
    for def in defs() {
        world.add_body(def).unwrap();
    }
    let mut brute = World::new(WorldDef::default().engine(Engine::BruteForce)).unwrap();
    for def in defs() {
        brute.add_body(def).unwrap();
    }
    let (mut seen, mut on) = (0, BTreeSet::new());
    let mut ends: Vec<f64> = Vec::new();
    for &time in times {
        world.advance_to(time).unwrap();
        for change in world.contact_changes() {
            let time = change.time();
            ends.extend([time.lo, time.hi]);
            // The first advance also tells what adding the bodies began.
            let is_new = if change.is_begin() { on.insert(change.contact()) } else { on.remove(&change.contact()) };
            assert!(is_new, "{change:?}");
        }
        brute.advance_to(time).unwrap();
        let truth: BTreeSet<Contact> = brute.contacts().iter().copied().collect();
        let said: BTreeSet<Contact> = world.contacts().iter().copied().collect();
        assert_eq!(said, on, "at {time}: contacts and changes disagree");
        seen += truth.len();
        for contact in truth.symmetric_difference(&said) {
            let near = ends.iter().any(|end| (end - time).abs() < 1e-12);
            assert!(
                near,
                "at {time}: {contact:?}, brute force {}, world {}",
                truth.contains(contact),
                said.contains(contact)
            );
        }
    }
    assert!(seen >= least, "only {seen} contacts seen");
    assert_eq!(world.interval_stats().undecided, 0);
}

fn random_times(seed: u64, count: usize, end: f64) -> Vec<f64> {
    let mut random = kinetree::scenes::Random::new(seed);
    let mut times: Vec<f64> = (0..count).map(|_| random.unit() * end).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

#[test]
fn soups_at_random_times() {
    for seed in 0..4 {
        let (a, b) = (random_soup(seed, 30, 5, 1.0), random_soup(seed + 100, 30, 4, 1.0));
        let end = a.times[a.times.len() - 1].min(b.times[b.times.len() - 1]);
        compare(|| vec![clip_body(&a, 1 + seed as usize), clip_body(&b, 4)], &random_times(seed, 100, end), 200);
    }
}

#[test]
fn soups_with_themselves() {
    for seed in 10..13 {
        let soup = random_soup(seed, 40, 6, 1.0);
        let end = soup.times[soup.times.len() - 1];
        compare(|| vec![clip_body(&soup, 3).self_contact(true)], &random_times(seed, 100, end), 200);
    }
}

/// One half of a flat strip turns onto the other: hundreds of pairs touch at nearly one instant, exactly coplanar ones too.
/// A frame test sees none of it.
#[test]
fn a_strip_that_folds_through_itself() {
    let strip = folding_strip(12, 12);
    let end = strip.times[strip.times.len() - 1];
    let mut world = continuous();
    world.add_body(clip_body(&strip, 4).self_contact(true)).unwrap();
    let history = history(&mut world, &[end]);
    let begins = history.iter().filter(|change| change.0).count();
    assert!(begins > 100, "{begins} contacts began");
    assert_eq!(history.len() - begins + world.contacts().len(), begins);
}

#[test]
fn expanding_spheres() {
    let scene = ExpandingSpheresDef { triangles: 400, ..ExpandingSpheresDef::default() }.generate();
    let defs = || {
        scene
            .bodies
            .iter()
            .map(|body| match body {
                kinetree::scenes::GeneratedBody::Moving(body) => BodyDef::new(
                    Mesh::new(body.positions.len(), body.triangles.clone()).unwrap(),
                    Flightplan::velocities(0.0, body.positions.clone(), body.velocities.clone()),
                ),
                _ => panic!("a sphere moves"),
            })
            .collect()
    };
    compare(defs, &random_times(9, 60, 3.0), 20);
}

#[test]
fn the_brute_force_used_here_finds_a_touch() {
    let wide = |t: [[f32; 3]; 3]| t.map(|p| p.map(f64::from));
    assert!(triangles_touch(&wide(LOW), &wide([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])));
}

/// Another plan for a body whose boxes are known until its next key: what it meets before that key is found.
#[test]
fn another_plan_before_the_next_key() {
    for engine in [Engine::Auto, Engine::Kinetic] {
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous).engine(engine)).unwrap();
        world.add_body(floor()).unwrap();
        let id = world.add_body(pointer(&[0.0, 4.0], &[5.0, 5.5])).unwrap();
        world.advance_to(1.0).unwrap();
        let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
        let down = Flightplan::keyframes(vec![1.0, 3.0], [at(5.0), at(-0.5)].concat());
        world.set_flightplan(id, down).unwrap();
        let told = history(&mut world, &[3.0]);
        // 5 - 2.75 (t - 1) = 0 at t = 31 / 11.
        let [(true, lo, hi)] = told[..] else { panic!("{engine:?}: {told:?}") };
        assert!(lo < 2.8182 && hi > 2.8181 && hi - lo < 1e-9, "{engine:?}: {told:?}");
        assert_eq!(world.contacts().len(), 1);
    }
}

/// A body that was to touch the floor gets a plan that does not: nothing is told.
#[test]
fn a_contact_to_come_is_dropped_with_its_plan() {
    for engine in [Engine::Auto, Engine::Kinetic] {
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous).engine(engine)).unwrap();
        world.add_body(floor()).unwrap();
        let id = world.add_body(pointer(&[0.0, 4.0], &[1.0, -1.0])).unwrap();
        world.advance_to(1.0).unwrap();
        let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
        world.set_flightplan(id, Flightplan::keyframes(vec![1.0, 3.0], [at(0.5), at(3.0)].concat())).unwrap();
        assert_eq!(history(&mut world, &[1.5, 2.5, 4.0]), [], "{engine:?}");
        assert!(world.contacts().is_empty());
    }
}

/// A body that came to rest moves on: what was decided for its rest is decided again.
#[test]
fn a_key_after_a_rest_is_decided() {
    for engine in [Engine::Auto, Engine::Kinetic] {
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous).engine(engine)).unwrap();
        world.add_body(floor()).unwrap();
        let id = world.add_body(pointer(&[0.0, 1.0], &[5.0, 4.0])).unwrap();
        assert_eq!(history(&mut world, &[1.5, 2.0]), []);
        let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
        world.extend_flightplan(id, 3.0, &at(-0.5)).unwrap();
        let told = history(&mut world, &[3.0]);
        // 4 - 4.5 (t - 2) = 0 at t = 26 / 9.
        let [(true, lo, hi)] = told[..] else { panic!("{engine:?}: {told:?}") };
        assert!(lo < 2.8889 && hi > 2.8888 && hi - lo < 1e-9, "{engine:?}: {told:?}");
        assert_eq!(world.contacts().len(), 1);
    }
}

/// A body is removed before its tree is certified over the key that it was told last.
#[test]
fn a_body_with_a_new_key_is_removed() {
    for contacts in [ContactMode::AtTimes, ContactMode::Continuous] {
        let mut world = World::new(WorldDef::default().contacts(contacts).engine(Engine::Kinetic)).unwrap();
        world.add_body(floor()).unwrap();
        let id = world.add_body(pointer(&[0.0, 1.0], &[5.0, 4.0])).unwrap();
        let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
        world.extend_flightplan(id, 3.0, &at(3.0)).unwrap();
        world.remove_body(id).unwrap();
        for time in [0.5, 2.0, 4.0] {
            world.advance_to(time).unwrap();
            assert!(world.contacts().is_empty() && world.audit().is_clean(), "{}", world.audit());
        }
    }
}
