//! Triangles that count as touching from a distance: all engines agree, over time and at instants,
//! for bodies and pairs.

use crate::common::dice::{Dice, Grain};
use crate::common::lockstep::{ENGINES, Lockstep};
use crate::common::scene::{BodySpec, Style, random_body};
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::time::Span;
use kinetree::world::{BodyDef, ContactChange, ContactMode, Engine, World, WorldDef, WorldError};

const STYLE: Style = Style { grain: Grain::Lattice, long: false, triangles: 24, keys: 6, curved: 0 };

fn scene(seed: u64, grain: Grain) -> Vec<BodySpec> {
    let window = Span { begin: 0.0, end: 6.0 };
    (0..3).map(|body| random_body(&mut Dice::new(seed, &[body]), Style { grain, ..STYLE }, window, 0)).collect()
}

fn square(height: f32) -> (Mesh, Vec<[f32; 3]>) {
    let points = vec![[0.0, 0.0, height], [2.0, 0.0, height], [2.0, 2.0, height], [0.0, 2.0, height]];
    (Mesh::new(4, vec![[0, 1, 2], [0, 2, 3]]).unwrap(), points)
}

/// A square at rest, and one that comes down to a height and goes up again.
fn sheets(lowest: f32) -> [BodyDef; 2] {
    let ((floor, still), (sheet, high)) = (square(0.0), square(8.0));
    let moving = [high.clone(), square(lowest).1, high].concat();
    [
        BodyDef::new(floor, Flightplan::fixed(still)).named("floor"),
        BodyDef::new(sheet, Flightplan::keyframes(vec![0.0, 1.0, 2.0], moving)).named("sheet"),
    ]
}

#[test]
fn sheets_that_come_exactly_as_close_as_they_are_thick() {
    for (lowest, thickness, expected) in [(0.5, 0.5, 4), (0.5, 0.499_999_9, 0), (0.5, 0.0, 0), (0.0, 0.0, 4)] {
        let mut worlds = Lockstep::new(0.0);
        for body in sheets(lowest) {
            worlds.add(&body.thickness(thickness));
        }
        assert_eq!((worlds.at(0.5), worlds.at(1.0), worlds.at(1.5)), (0, expected, 0), "{lowest} {thickness}");
    }
}

#[test]
fn a_body_tells_its_thickness() {
    let mut world = World::new(WorldDef::default()).unwrap();
    let ids = sheets(0.0).map(|body| world.add_body(body.thickness(0.25)).unwrap());
    world.set_thickness(ids[1], 0.75).unwrap();
    let told = ids.map(|id| world.body(id).unwrap().thickness());
    assert_eq!((told, world.pair(ids[0], ids[1]).unwrap().thickness()), ([0.25, 0.75], 0.5));
}

#[test]
fn from_when_to_when_sheets_are_close() {
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    let ids = sheets(0.0).map(|body| world.add_body(body.thickness(1.0)).unwrap());
    let Some(ContactChange::Began { time, .. }) = world.first_contact(ids[0], ids[1], 2.0).unwrap() else {
        panic!("they meet")
    };
    // 8 m to 1 m at 8 m/s.
    assert!(time.lo <= 0.875 && 0.875 <= time.hi && time.hi - time.lo < 1e-12, "{time:?}");
    world.advance_to(2.0).unwrap();
    let mut begins = 0;
    for change in world.contact_changes() {
        let (time, expected) = match change {
            ContactChange::Began { time, touch, .. } => {
                begins += 1;
                let normal = touch.expect("continuous").normal;
                assert_eq!(normal.map(f64::abs), [0.0, 0.0, 1.0]);
                (time, 0.875)
            }
            ContactChange::Ended { time, .. } => (time, 1.125),
            _ => unreachable!("{change:?}"),
        };
        assert!(time.lo <= expected && expected <= time.hi && time.hi - time.lo < 1e-12, "{change:?}");
    }
    assert_eq!((begins, world.contact_changes().len()), (4, 8));
    assert!(world.audit().is_clean());
}

/// Random scenes, each body with a thickness of its own; one of them tested against itself.
#[test]
fn all_engines_agree_about_thick_bodies() {
    for (grain, thicknesses) in
        [(Grain::Lattice, [1.0, 2.0, 0.5]), (Grain::Real, [0.3, 0.0, 1.1]), (Grain::Crooked, [0.1, 0.2, 0.3])]
    {
        let (mut close, mut touching) = (0, 0);
        for seed in 0..6 {
            let mut worlds = Lockstep::new(0.0);
            let mut thin = World::new(WorldDef::default()).unwrap();
            for (place, body) in scene(seed, grain).iter().enumerate() {
                let def = body.definition("body").self_contact(place == 1).thickness(thicknesses[place]);
                worlds.add(&def);
                thin.add_body(def.thickness(0.0)).unwrap();
            }
            for step in 0..=12 {
                let time = f64::from(step) * 0.5;
                close += worlds.at(time);
                thin.advance_to(time).unwrap();
                touching += thin.contacts().len();
                assert!(worlds.kinetic().audit().is_clean(), "{:?}", worlds.kinetic().audit());
            }
        }
        assert!(close > touching + 50, "{grain:?}: {close} close, {touching} touching");
    }
}

#[test]
fn continuous_contacts_of_thick_bodies_hold_what_brute_force_finds() {
    let (mut seen, mut between) = (0, 0);
    for seed in 20..26 {
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
        let mut brute = World::new(WorldDef::default().engine(Engine::BruteForce)).unwrap();
        for body in scene(seed, Grain::Real) {
            let def = body.definition("body").self_contact(true).thickness(0.4);
            world.add_body(def.clone()).unwrap();
            brute.add_body(def).unwrap();
        }
        let mut ends: Vec<f64> = Vec::new();
        for step in 0..=40 {
            let time = f64::from(step) * 0.147;
            world.advance_to(time).unwrap();
            brute.advance_to(time).unwrap();
            for change in world.contact_changes() {
                let time = change.time();
                ends.extend([time.lo, time.hi]);
            }
            seen += brute.contacts().len();
            between += world.contact_changes().len();
            for contact in brute.contacts() {
                let is_near = || ends.iter().any(|end| (end - time).abs() < 1e-9);
                assert!(world.contacts().contains(contact) || is_near(), "seed {seed}, {time}: {contact:?} is missing");
            }
            for contact in world.contacts().iter().filter(|contact| !brute.contacts().contains(contact)) {
                let ongoing = world.ongoing_contacts().into_iter().find(|ongoing| ongoing.contact == *contact).unwrap();
                let is_near = ends.iter().any(|end| (end - time).abs() < 1e-9);
                assert!(ongoing.undecided || is_near, "seed {seed}, {time}: {contact:?} is not in contact");
            }
        }
    }
    assert!(seen > 500 && between > 500, "{seen} {between}");
}

#[test]
fn a_pair_may_have_a_distance_of_its_own() {
    let mut worlds = Lockstep::new(0.0);
    let [floor, sheet] = sheets(0.5).map(|body| worlds.add(&body));
    assert_eq!(worlds.at(1.0), 0);
    worlds.all(|world| world.set_pair_thickness(sheet, floor, Some(0.5))).unwrap();
    assert_eq!(worlds.kinetic().contacts().len(), 4);
    worlds.all(|world| world.set_pair_thickness(floor, sheet, Some(0.25))).unwrap();
    assert_eq!(worlds.kinetic().contacts().len(), 0);
    worlds.all(|world| world.set_pair_thickness(floor, sheet, Some(5.0))).unwrap();
    assert_eq!((worlds.at(1.5), worlds.at(1.75)), (4, 0));
    assert!(worlds.kinetic().audit().is_clean(), "{:?}", worlds.kinetic().audit());
    worlds.all(|world| world.set_pair_thickness(floor, sheet, None)).unwrap();
    assert_eq!(worlds.kinetic().contacts().len(), 0);
    assert!(worlds.kinetic().audit().is_clean(), "{:?}", worlds.kinetic().audit());
    // A body with itself, and pairs far from each other.
    let before = worlds.kinetic().log().hash();
    let refused = worlds.all(|world| world.set_pair_thickness(floor, sheet, Some(-1.0)));
    assert!(matches!(&refused, Err(WorldError::BadThickness { body, value }) if body == "floor" && *value == -1.0));
    assert_eq!(worlds.kinetic().log().hash(), before);
    for bad in [f64::NAN, f64::INFINITY, -0.1, 1e300] {
        for engine in ENGINES {
            let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
            let [floor, _] = sheets(0.5);
            let refused = world.add_body(floor.thickness(bad)).unwrap_err();
            assert!(refused.to_string().contains("is not a usable thickness"), "{refused}");
            assert_eq!(world.bodies().count(), 0);
        }
    }
}

/// A tip turns 3.2e-17 m above a floor, by rationals; positions are evaluated as equal.
#[test]
fn a_thickness_below_the_rounding_of_positions_is_exact() {
    let floor = |z: f32| [[-40.0, -40.0, z], [40.0, -40.0, z], [0.0, 40.0, z]];
    let tip = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 4.0], [0.0, 1.0, z + 4.0]];
    let (turn, h) = (0.421_973_091_048_804, 0.321_146_55);
    for (thickness, expected) in [(1e-20, 0), (1e-16, 1)] {
        for engine in ENGINES {
            let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
            let lifted = Flightplan::keyframes(vec![0.0, 1.0], [floor(0.071_389_385), floor(0.663_268_74)].concat());
            let keys = [tip(h + 1.0), tip(h), tip(h + 1.0)].concat();
            for plan in [lifted, Flightplan::keyframes(vec![0.0, turn, 1.0], keys)] {
                let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
                world.add_body(BodyDef::new(mesh, plan).thickness(thickness)).unwrap();
            }
            world.advance_to(turn).unwrap();
            assert_eq!(world.contacts().len(), expected, "{engine} {thickness}");
        }
    }
}
