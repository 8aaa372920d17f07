//! Bounds of worlds: what asks for too much ends in an error, and the world goes on from there as if there had been none.

use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::world::{
    AdvanceError, BodyDef, ContactChange, ContactMode, Engine, World, WorldDef, WorldError, WorldLimits,
};

use crate::common::dice::{Dice, Grain};
use crate::common::shapes::soup_triangles;

const ENGINES: [Engine; 5] = [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce];

fn world(engine: Engine, limits: WorldLimits) -> World {
    World::new(WorldDef::default().engine(engine).limits(limits)).unwrap()
}

/// Triangles that are all at one place, which goes from height 1 to −1 in two seconds.
fn pile(triangles: usize) -> BodyDef {
    let at = |z: f32| (0..3 * triangles).map(move |v| [(v % 3 % 2) as f32, (v % 3 / 2) as f32, z]);
    let keys = at(1.0).chain(at(-1.0)).collect();
    let mesh = Mesh::new(3 * triangles, soup_triangles(triangles)).unwrap();
    BodyDef::new(mesh, Flightplan::keyframes(vec![0.0, 2.0], keys))
}

/// Triangles that all rest at height 0.
fn floor(triangles: usize) -> BodyDef {
    let places = (0..3 * triangles).map(|v| [(v % 3 % 2) as f32, (v % 3 / 2) as f32, 0.0]).collect();
    BodyDef::new(Mesh::new(3 * triangles, soup_triangles(triangles)).unwrap(), Flightplan::fixed(places))
}

#[test]
fn too_many_contacts_leave_the_world_where_it_can_go_on() {
    let bounds =
        [WorldLimits { contacts: 99, ..WorldLimits::DEFAULT }, WorldLimits { candidates: 99, ..WorldLimits::DEFAULT }];
    for engine in ENGINES {
        for limits in bounds {
            let is_counted = limits.contacts == 99 || engine != Engine::BruteForce;
            let (mut bounded, mut free) = (world(engine, limits), world(engine, WorldLimits::NONE));
            for def in [pile(10), floor(10)] {
                bounded.add_body(def.clone()).unwrap();
                free.add_body(def).unwrap();
            }
            for time in [0.25, 0.5] {
                [&mut bounded, &mut free].into_iter().for_each(|world| world.advance_to(time).unwrap());
            }
            free.advance_to(1.0).unwrap();
            assert_eq!((free.contacts().len(), free.contact_changes().len()), (100, 100));
            if !is_counted {
                continue;
            }
            for _ in 0..2 {
                let refused = bounded.advance_to(1.0);
                assert!(
                    matches!(refused, Err(AdvanceError::Limit { limit: 99, time: 1.0, .. })),
                    "{engine}: {refused:?}"
                );
                assert!(refused.unwrap_err().to_string().starts_with("more than 99 "));
                assert!(bounded.contacts().is_empty() && bounded.time() == 1.0);
                assert!(matches!(bounded.contacts_at(1.0), Err(WorldError::NotCertified { .. })), "{engine}");
            }
            // One way on: the bound is raised. Another: the bodies part again.
            let mut later = (world(engine, limits), world(engine, WorldLimits::NONE));
            bounded.set_limits(WorldLimits::DEFAULT);
            bounded.advance_to(1.0).unwrap();
            assert_eq!(bounded.contacts(), free.contacts(), "{engine}");
            assert_eq!(bounded.contact_changes(), free.contact_changes(), "{engine}");
            for def in [pile(10), floor(10)] {
                later.0.add_body(def.clone()).unwrap();
                later.1.add_body(def).unwrap();
            }
            assert!(later.0.advance_to(1.0).is_err());
            for time in [1.5, 1.75] {
                later.0.advance_to(time).unwrap();
                later.1.advance_to(time).unwrap();
                assert_eq!(later.0.contacts(), later.1.contacts());
                assert!(later.0.contact_changes().is_empty());
                assert!(later.0.audit().is_clean(), "{}", later.0.audit());
            }
        }
    }
}

/// A loop's jump at 1 s leads to more contacts than allowed, from just after that time on.
#[test]
fn too_many_contacts_just_after_a_time_are_told_of_the_next_number() {
    let at = |z: f32| (0..6).map(move |v| [(v % 3 % 2) as f32, (v % 3 / 2) as f32, z]);
    for engine in [Engine::Auto, Engine::Kinetic] {
        let limits = WorldLimits { contacts: 3, ..WorldLimits::DEFAULT };
        let def = WorldDef::default().engine(engine).contacts(ContactMode::Continuous).limits(limits).start(0.75);
        let mut world = World::new(def).unwrap();
        let keys = at(0.0).chain(at(0.0)).chain(at(5.0)).collect();
        let plan = Flightplan::keyframes(vec![0.0, 0.5, 1.0], keys).outside(Outside::Loop);
        world.add_body(BodyDef::new(Mesh::new(6, soup_triangles(2)).unwrap(), plan)).unwrap();
        world.add_body(floor(2)).unwrap();
        world.advance_to(1.0).unwrap();
        assert_eq!((world.contacts().len(), world.time()), (0, 1.0), "{engine}");
        let refused = world.advance_to(1.25);
        let Err(AdvanceError::Limit { limit: 3, time, .. }) = refused else { panic!("{engine}: {refused:?}") };
        assert_eq!((time, world.time()), (1.0_f64.next_up(), 1.0_f64.next_up()), "{engine}");
        // They part at 0.5 s of the round.
        world.set_limits(WorldLimits::DEFAULT);
        world.advance_to(1.25).unwrap();
        assert_eq!(world.contacts().len(), 4, "{engine}");
        world.advance_to(1.75).unwrap();
        assert!(world.contacts().is_empty() && world.audit().is_clean(), "{engine}");
    }
}

#[test]
fn a_body_with_too_many_contacts_is_not_added() {
    for engine in ENGINES {
        let mut world = world(engine, WorldLimits { contacts: 99, ..WorldLimits::DEFAULT });
        world.add_body(floor(10)).unwrap();
        world.add_body(floor(5)).unwrap();
        let (contacts, bodies) = (world.contacts().to_vec(), world.bodies().count());
        assert_eq!((contacts.len(), bodies), (50, 2));
        let refused = world.add_body(floor(10));
        assert_eq!(refused, Err(WorldError::Limit { what: "contacts", limit: 99 }), "{engine}");
        assert_eq!((world.contacts(), world.bodies().count()), (&contacts[..], 2), "{engine}");
        let id = world.add_body(floor(2)).unwrap();
        assert_eq!(world.contacts().len(), 80, "{engine}");
        world.remove_body(id).unwrap();
        assert_eq!(world.contacts(), contacts, "{engine}");
        assert!(world.audit().is_clean(), "{}", world.audit());
    }
}

#[test]
fn a_body_near_too_many_others_is_not_added() {
    for engine in ENGINES {
        // Pairs that are swept count eight times.
        let most = if matches!(engine, Engine::Kinetic | Engine::BruteForce) { 44 } else { 8 * 44 };
        let mut world = world(engine, WorldLimits { body_pairs: most, ..WorldLimits::DEFAULT });
        let mut added = 0;
        let refused = loop {
            match world.add_body(floor(1)) {
                Ok(_) => added += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(refused, WorldError::Limit { what: "pairs of bodies", limit: most as u64 }, "{engine}");
        assert!((9..=10).contains(&added), "{engine}: {added}");
        assert_eq!((world.bodies().count(), world.contacts().len()), (added, added * (added - 1) / 2), "{engine}");
        world.advance_to(1.0).unwrap();
        assert!(world.audit().is_clean(), "{}", world.audit());
    }
}

/// Ten bodies have 45 pairs: a bound of 45 keeps none of them out.
#[test]
fn as_many_pairs_as_the_bound_are_taken() {
    for bodies in [2, 3, 4, 5, 10] {
        let pairs = bodies * (bodies - 1) / 2;
        let mut world = world(Engine::BruteForce, WorldLimits { body_pairs: pairs, ..WorldLimits::DEFAULT });
        for added in 0..bodies {
            let outcome = world.add_body(floor(1));
            assert!(outcome.is_ok(), "{pairs} pairs, body {added}: {outcome:?}");
        }
        assert!(world.add_body(floor(1)).is_err(), "{pairs}");
        world.advance_to(0.5).unwrap();
        assert_eq!(world.contacts().len(), pairs);
        assert!(world.audit().is_clean(), "{}", world.audit());
    }
}

#[test]
fn too_many_pairs_of_swept_bodies_leave_the_world_where_it_can_go_on() {
    let (limits, free) = (WorldLimits { body_pairs: 160, ..WorldLimits::DEFAULT }, WorldLimits::NONE);
    for engine in [Engine::Auto, Engine::Interval, Engine::Refit] {
        let (mut bounded, mut free) = (world(engine, limits), world(engine, free));
        // Seven bodies come together from seven sides at 1 s.
        for body in 0..7 {
            let far = 8.0 * (body + 1) as f32;
            let keys =
                [[far, 0.0, 0.0], [far + 1.0, 0.0, 0.0], [far, 1.0, 0.0], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
            let plan = Flightplan::keyframes(vec![0.0, 1.0], keys.to_vec());
            let def = BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan);
            bounded.add_body(def.clone()).unwrap();
            free.add_body(def).unwrap();
        }
        free.advance_to(1.0).unwrap();
        assert_eq!(free.contacts().len(), 21);
        for _ in 0..2 {
            let refused = bounded.advance_to(1.0);
            let expected = AdvanceError::Limit { what: "pairs of bodies", limit: 160, time: 1.0 };
            assert_eq!(refused, Err(expected), "{engine}");
        }
        bounded.set_limits(WorldLimits::DEFAULT);
        bounded.advance_to(1.0).unwrap();
        assert_eq!(bounded.contacts(), free.contacts());
        assert_eq!(bounded.contact_changes(), free.contact_changes());
        assert!(bounded.audit().is_clean(), "{}", bounded.audit());
    }
}

/// Two triangles of which one dips through the other in every round of a loop.
fn dipping(limits: WorldLimits, contacts: ContactMode) -> World {
    let mut world = World::new(WorldDef::default().engine(Engine::Kinetic).contacts(contacts).limits(limits)).unwrap();
    let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 2.0], [0.0, 1.0, z + 2.0]];
    let plan = Flightplan::keyframes(vec![0.0, 0.5, 1.0], [at(1.0), at(-0.5), at(1.0)].concat());
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    world.add_body(BodyDef::new(mesh.clone(), plan.outside(Outside::Loop))).unwrap();
    let floor = Flightplan::fixed(vec![[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]]);
    world.add_body(BodyDef::new(mesh, floor)).unwrap();
    world
}

#[test]
fn an_advance_of_too_many_events_is_one_of_several() {
    let bounds = [
        WorldLimits { events: 10, ..WorldLimits::DEFAULT },
        WorldLimits { changes: 1, ..WorldLimits::DEFAULT },
        WorldLimits { events: 0, changes: 0, ..WorldLimits::DEFAULT },
    ];
    for mode in [ContactMode::Continuous, ContactMode::AtTimes] {
        let mut free = dipping(WorldLimits::NONE, mode);
        free.advance_to(20.25).unwrap();
        let expected: Vec<ContactChange> = free.contact_changes().to_vec();
        for limits in bounds {
            let mut bounded = dipping(limits, mode);
            let (mut told, mut stops, mut before) = (Vec::new(), 0, 0.0);
            loop {
                let outcome = bounded.advance_to(20.25);
                told.extend(bounded.contact_changes().iter().copied());
                match outcome {
                    Ok(()) => break,
                    Err(AdvanceError::Limit { time, .. }) => {
                        assert!(before < time && time < 20.25 && bounded.time() == time);
                        assert!(bounded.audit().is_clean(), "{}", bounded.audit());
                        (stops, before) = (stops + 1, time);
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            assert_eq!(bounded.log().hash(), free.log().hash());
            assert_eq!(bounded.contacts(), free.contacts());
            if mode == ContactMode::Continuous {
                assert_eq!(told, expected);
                assert!(stops > 5 && expected.len() >= 40, "{stops} stops");
            }
        }
    }
}

/// Bodies of one triangle that stand far apart until 0.75 s, and are all at one place at 1 s.
fn gathering(count: usize) -> Vec<BodyDef> {
    let body = |number: usize| {
        let far = 64.0 * (number + 1) as f32;
        let here = |[x, y]: [f32; 2]| [[x, y, 0.0], [x + 1.0, y, 0.0], [x, y + 1.0, 0.0]];
        let keys = [here([far, 0.0]), here([far, 1.0]), here([0.0; 2]), here([0.0, far])].concat();
        let plan = Flightplan::keyframes(vec![0.0, 0.75, 1.0, 3.0], keys);
        BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)
    };
    (0..count).map(body).collect()
}

#[test]
fn too_many_pairs_of_kinetic_bodies_leave_the_world_where_it_can_go_on() {
    for mode in [ContactMode::AtTimes, ContactMode::Continuous] {
        let def = WorldDef::default().engine(Engine::Kinetic).contacts(mode).keep_events(true);
        let mut free = World::new(def).unwrap();
        for body in gathering(24) {
            free.add_body(body).unwrap();
        }
        // Regions hold some of the way ahead: the least bound with which all bodies can be added.
        let least = |most: usize| {
            let limits = WorldLimits { body_pairs: most, ..WorldLimits::DEFAULT };
            let mut world = World::new(def.limits(limits)).unwrap();
            gathering(24).into_iter().all(|body| world.add_body(body).is_ok()).then_some((most, world))
        };
        let (most, mut bounded) =
            (0..276).step_by(12).find_map(least).expect("not all are near each other from the start");
        let (limits, limit) = (bounded.limits(), most as u64);
        let ids: Vec<_> = bounded.bodies().collect();
        let (mut told, mut stops) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            let refused = bounded.advance_to(2.0);
            let stop = bounded.time();
            assert_eq!(refused, Err(AdvanceError::Limit { what: "pairs of bodies", limit, time: stop }), "{mode:?}");
            told.extend(bounded.contact_changes().iter().copied());
            stops.push(stop);
        }
        assert!(stops[0] > 0.0 && stops[0] < 1.0 && stops[1] == stops[0], "no further: {stops:?}");
        // One way on: fewer bodies.
        let mut fewer = bounded.clone();
        ids[3..].iter().for_each(|&id| fewer.remove_body(id).unwrap());
        fewer.advance_to(1.0).unwrap();
        assert_eq!(fewer.contacts().len(), 3, "{mode:?}");
        assert!(fewer.audit().is_clean(), "{}", fewer.audit());
        // A saved world is the same.
        let snapshot = bounded.snapshot();
        let mut restored = World::restore(&snapshot);
        assert_eq!(restored.advance_to(2.0), bounded.advance_to(2.0));
        // Another: a higher bound.
        bounded.set_limits(WorldLimits::DEFAULT);
        bounded.advance_to(1.0).unwrap();
        told.extend(bounded.contact_changes().iter().copied());
        free.advance_to(1.0).unwrap();
        assert_eq!(
            (bounded.log().hash(), bounded.log().events()),
            (free.log().hash(), free.log().events()),
            "{mode:?}"
        );
        assert_eq!(bounded.contacts(), free.contacts());
        assert_eq!((told.as_slice(), free.contacts().len()), (free.contact_changes(), 276), "{mode:?}");
        // Seeks: back to where few are close, and not to where many are.
        bounded.seek(0.0).unwrap();
        bounded.set_limits(limits);
        let refused = bounded.seek(1.0);
        assert_eq!(refused, Err(AdvanceError::Limit { what: "pairs of bodies", limit, time: 0.0 }), "{mode:?}");
        assert!((bounded.time(), bounded.contacts().len()) == (0.0, 0) && bounded.audit().is_clean());
        bounded.set_limits(WorldLimits::DEFAULT);
        bounded.advance_to(1.0).unwrap();
        assert_eq!(bounded.contacts(), free.contacts());
    }
}

#[test]
fn too_many_continuous_contacts_leave_the_world_where_it_can_go_on() {
    // Nothing touches until 0.5 s; the windows after that hold 100 contacts, from 1 s to 1.5 s.
    let at = |z: f32| {
        // The last triangle has the boxes overlap from the start, beside the ground.
        let beside = [[31.0, 31.0, -2.0], [31.5, 31.0, 2.0], [31.0, 31.5, 2.0]];
        let tile = move |v: usize| {
            let (row, column) = ((v / 30) as f32, (v / 3 % 10) as f32);
            let [x, y] = [[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]][v % 3];
            [row + x, column + y, z + (v % 3) as f32 / 8.0]
        };
        (0..300).map(tile).chain(beside)
    };
    let keys = at(1.0).chain(at(0.5)).chain(at(-0.5)).chain(at(-1.0)).collect();
    let mesh = Mesh::new(303, soup_triangles(101)).unwrap();
    let tiles = BodyDef::new(mesh, Flightplan::keyframes(vec![0.0, 0.5, 1.5, 2.0], keys));
    let large = vec![[-4.0, -4.0, 0.0], [32.0, -4.0, 0.0], [-4.0, 32.0, 0.0]];
    let ground = BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::fixed(large));
    for engine in [Engine::Auto, Engine::Kinetic] {
        let def = WorldDef::default().engine(engine).contacts(ContactMode::Continuous);
        let limits = WorldLimits { contacts: 99, ..WorldLimits::DEFAULT };
        let (mut bounded, mut free) = (World::new(def.limits(limits)).unwrap(), World::new(def).unwrap());
        for body in [tiles.clone(), ground.clone()] {
            bounded.add_body(body.clone()).unwrap();
            free.add_body(body).unwrap();
        }
        let mut told = Vec::new();
        for _ in 0..2 {
            let refused = bounded.advance_to(1.25);
            let time = bounded.time();
            assert_eq!(refused, Err(AdvanceError::Limit { what: "contacts", limit: 99, time }), "{engine}");
            // A list decides when leaves meet, an interval when it begins; all that are on are counted at the end.
            assert!(time == 0.5 || (engine == Engine::Kinetic && time > 0.9), "{engine}: {time}");
            told.extend(bounded.contact_changes().iter().copied());
            assert!(bounded.contacts().is_empty(), "{engine}");
        }
        let mut restored = World::restore(&bounded.snapshot());
        assert!(restored.advance_to(1.25).is_err());
        bounded.set_limits(WorldLimits::DEFAULT);
        free.advance_to(1.25).unwrap();
        bounded.advance_to(1.25).unwrap();
        told.extend(bounded.contact_changes().iter().copied());
        assert_eq!(free.contacts().len(), 100, "{engine}");
        assert_eq!(bounded.contacts(), free.contacts(), "{engine}");
        assert_eq!(told, free.contact_changes(), "{engine}");
        [&mut bounded, &mut free].into_iter().for_each(|world| world.advance_to(2.0).unwrap());
        assert_eq!(bounded.contact_changes(), free.contact_changes(), "{engine}");
        assert_eq!(bounded.log().hash(), free.log().hash(), "{engine}");
        assert!(bounded.audit().is_clean(), "{}", bounded.audit());
        // A body is refused as one of contacts at times is.
        let mut small = World::new(def.limits(limits)).unwrap();
        small.add_body(floor(10)).unwrap();
        assert_eq!(small.add_body(floor(10)), Err(WorldError::Limit { what: "contacts", limit: 99 }), "{engine}");
        assert_eq!((small.bodies().count(), small.contact_changes().len()), (1, 0), "{engine}");
        assert!(small.audit().is_clean() && small.contacts().is_empty(), "{engine}");
        small.add_body(floor(9)).unwrap();
        assert_eq!(small.contacts().len(), 90, "{engine}");
    }
}

/// Wherever contacts become too many, in the middle of a window, at its end, at a key or at a jump, the log of a world
/// that goes on is that of one that was never stopped.
#[test]
fn a_world_that_was_stopped_by_contacts_has_the_same_log() {
    let mut stops = 0;
    for seed in 0..60 {
        let mut dice = Dice::new(seed, &[18]);
        let grain = if seed % 2 == 0 { Grain::Lattice } else { Grain::Real };
        let bodies: Vec<BodyDef> = (0..3)
            .map(|_| {
                let place = |dice: &mut Dice| [0; 3].map(|_| grain.coordinate(dice, 2));
                let begin = f64::from(dice.between(-1, 1)) / 2.0;
                let times = vec![begin, begin + 0.5, begin + 1.0];
                let keys = (0..3 * 12).map(|_| place(&mut dice)).collect();
                let outside = if dice.percent(50) { Outside::Loop } else { Outside::Hold };
                let plan = Flightplan::keyframes(times, keys).outside(outside);
                BodyDef::new(Mesh::new(12, soup_triangles(4)).unwrap(), plan).self_contact(dice.percent(30))
            })
            .collect();
        for engine in [Engine::Auto, Engine::Kinetic] {
            let def = WorldDef::default().engine(engine).contacts(ContactMode::Continuous).start(-1.0);
            let (mut bounded, mut free) = (World::new(def).unwrap(), World::new(def).unwrap());
            for body in &bodies {
                bounded.add_body(body.clone()).unwrap();
                free.add_body(body.clone()).unwrap();
            }
            for step in 0..10 {
                let time = f64::from(step) / 4.0;
                bounded.set_limits(WorldLimits { contacts: (seed % 7) as usize, ..WorldLimits::DEFAULT });
                let mut told = Vec::new();
                if bounded.advance_to(time).is_err() {
                    stops += 1;
                    told.extend(bounded.contact_changes().iter().copied());
                    bounded.set_limits(WorldLimits::DEFAULT);
                    bounded.advance_to(time).unwrap();
                }
                free.advance_to(time).unwrap();
                told.extend(bounded.contact_changes().iter().copied());
                let what = format!("seed {seed}, {engine} at {time}");
                assert_eq!(told, free.contact_changes(), "{what}");
                assert_eq!(bounded.contacts(), free.contacts(), "{what}");
                assert_eq!(bounded.log().hash(), free.log().hash(), "{what}");
                assert!(bounded.audit().is_clean(), "{what}: {}", bounded.audit());
            }
        }
    }
    assert!(stops > 200, "{stops} stops");
}

/// Contacts after a key are decided ahead for as long as there is room, and there is room for all
/// of them only at the third try.
#[test]
fn what_was_decided_ahead_in_part_is_entered_once() {
    // Eleven triangles of each body meet, the last of them low, so that the bodies are a pair
    // throughout.
    let row = |z: f32| {
        let x = |v: usize| (2 * (v / 3) + v % 3 % 2) as f32;
        (0..33).map(move |v| [x(v), (v % 3 / 2) as f32, if v < 30 { z } else { 5.0 * z - 9.0 }])
    };
    let mesh = Mesh::new(33, soup_triangles(11)).unwrap();
    let falls = Flightplan::keyframes(vec![0.0, 1.0, 2.0], [1.0, 1.0, -1.0].into_iter().flat_map(row).collect());
    let make = || {
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous).keep_events(true)).unwrap();
        for plan in [Flightplan::fixed(row(0.0).collect()), falls.clone()] {
            world.add_body(BodyDef::new(mesh.clone(), plan)).unwrap();
        }
        world
    };
    let (mut bounded, mut free) = (make(), make());
    bounded.set_limits(WorldLimits { contacts: 3, ..WorldLimits::DEFAULT });
    bounded.advance_to(0.5).unwrap();
    for contacts in [3, 6] {
        bounded.set_limits(WorldLimits { contacts, ..WorldLimits::DEFAULT });
        let refused = bounded.advance_to(1.25);
        assert_eq!(refused, Err(AdvanceError::Limit { what: "contacts", limit: contacts as u64, time: 1.0 }));
        assert!(bounded.contact_changes().is_empty());
    }
    bounded.set_limits(WorldLimits::DEFAULT);
    for time in [1.25, 1.75, 3.0] {
        [&mut bounded, &mut free].into_iter().for_each(|world| world.advance_to(time).unwrap());
        assert_eq!(bounded.contact_changes(), free.contact_changes(), "at {time} s");
        assert_eq!(bounded.contacts(), free.contacts(), "at {time} s");
        assert!(bounded.audit().is_clean(), "at {time} s: {}", bounded.audit());
    }
    assert_eq!(bounded.log().hash(), free.log().hash());
    assert_eq!(bounded.interval_stats(), free.interval_stats());
    assert!(bounded.stats().engines.windows_decided_ahead > 0);
}

#[test]
fn the_usual_bounds_end_what_would_take_all_memory() {
    // 6 million contacts of two bodies of 2,500 triangles at one place.
    let mut world = world(Engine::Auto, WorldLimits::DEFAULT);
    world.add_body(floor(2500)).unwrap();
    let refused = world.add_body(floor(2500));
    let most = WorldLimits::DEFAULT.candidates as u64;
    assert_eq!(refused, Err(WorldError::Limit { what: "candidate pairs of triangles", limit: most }));
    assert_eq!((world.bodies().count(), world.contacts().len()), (1, 0));
}
