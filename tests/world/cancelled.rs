//! Advances that another thread cancels: however often that happens, events, contacts and changes are those of one advance.

use std::collections::BTreeSet;

#[cfg(feature = "record")]
use kinetree::replay::{Recording, RecordingWorld};
use kinetree::time::Span;
use kinetree::world::{BodyDef, ContactChange, ContactMode, Engine, World, WorldDef};
use kinetree::{AdvanceError, Cancel};

use crate::common::dice::{Dice, Grain};
use crate::common::kinds::MODES;
use crate::common::runner::cases;
use crate::common::scene::{Style, random_body};

fn world((engine, contacts): (Engine, ContactMode), bodies: &[BodyDef]) -> World {
    let mut world = World::new(WorldDef::new().engine(engine).contacts(contacts)).unwrap();
    for body in bodies {
        world.add_body(body.clone()).unwrap();
    }
    world
}

fn random_bodies(dice: &mut Dice, triangles: usize) -> Vec<BodyDef> {
    let grain = dice.pick(&[Grain::Real, Grain::Lattice, Grain::Crooked]);
    let style = Style { grain, long: false, triangles, keys: 5, curved: if dice.percent(20) { 30 } else { 0 } };
    let window = Span { begin: 0.0, end: 5.0 };
    (0..4).map(|_| random_body(dice, style, window, 0).definition("body").engine(Engine::Auto)).collect()
}

/// What a host sees of a world that went through two advances.
#[derive(Debug, PartialEq)]
struct Seen {
    log: u64,
    contacts: Vec<kinetree::Contact>,
    /// Continuous contacts: all changes of the first advance. Others: those of its end.
    told: Vec<ContactChange>,
    later: Vec<ContactChange>,
}

/// Goes to a time by `advance`, called until it is done, then half a second further.
fn seen(world: &mut World, mut advance: impl FnMut(&mut World) -> bool) -> Seen {
    let mut told = Vec::new();
    loop {
        let is_done = advance(world);
        told.extend(world.contact_changes().iter().copied());
        if is_done {
            break;
        }
    }
    let contacts = world.contacts().to_vec();
    world.advance_to(world.time() + 0.5).unwrap();
    Seen { log: world.log().hash(), contacts, told, later: world.contact_changes().to_vec() }
}

#[test]
fn an_advance_cancelled_after_any_number_of_reads_goes_on_as_if_it_had_not_been() {
    let (mut stops, mut stayed, mut between, mut contacts) = ([0; MODES.len()], 0, 0, 0);
    for (kind, &setting) in MODES.iter().enumerate() {
        for seed in 0..u64::from(cases(12)) {
            let name = format!("seed {seed} {setting:?}");
            let mut dice = Dice::new(seed, &[18]);
            let bodies = random_bodies(&mut dice, 6);
            let expected = seen(&mut world(setting, &bodies), |world| world.advance_to(2.5).is_ok());
            let mut reads = dice.below(3) as u64;
            let mut parts = world(setting, &bodies);
            let found = seen(&mut parts, |world| {
                let (before, shown) = (world.time(), world.contacts().to_vec());
                let progress = world.advance_to_unless(2.5, &Cancel::after_reads(reads)).unwrap();
                assert_eq!(world.time(), progress.time, "{name}");
                assert!((before..=2.5).contains(&progress.time), "{name}");
                if !progress.is_done {
                    stops[kind] += 1;
                    stayed += usize::from(progress.time == before);
                    between += usize::from(progress.time > before && progress.time < 2.5);
                    if setting.1 == ContactMode::AtTimes {
                        assert_eq!(world.contacts(), shown, "{name}: not found");
                        assert!(world.contact_changes().is_empty(), "{name}");
                    } else if stops[kind] % 4 == 0 {
                        let mut there = self::world(setting, &bodies);
                        there.advance_to(progress.time).unwrap();
                        assert_eq!(there.contacts(), world.contacts(), "{name} at {}", progress.time);
                        assert_eq!(there.log().hash(), world.log().hash(), "{name} at {}", progress.time);
                    }
                }
                // A flag that is read less often than there are places to stop makes no progress.
                reads += 1 + dice.below(4) as u64;
                progress.is_done
            });
            assert_eq!(found, expected, "{name}");
            assert!(parts.audit().is_clean(), "{name}: {}", parts.audit());
            contacts += found.contacts.len();
        }
    }
    println!("{stops:?} stops, {stayed} where they began, {between} between, {contacts} contacts");
    assert!(stops.iter().all(|&stops| stops > 20), "{stops:?}");
    assert!(stayed > 25 && between > 50 && contacts > 50, "{stayed} {between} {contacts}");
}

/// Two sheets of 2 · side² triangles that sink through each other, key by key.
fn sheets(side: usize) -> [BodyDef; 2] {
    let at = |row: usize, column: usize| (row * (side + 1) + column) as u32;
    let triangles: Vec<[u32; 3]> = (0..side * side)
        .flat_map(|cell| {
            let (row, column) = (cell / side, cell % side);
            let [p, q, r, s] = [at(row, column), at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)];
            [[p, q, r], [q, s, r]]
        })
        .collect();
    let count = (side + 1) * (side + 1);
    let sheet = |sign: f32, keys: usize, shift: f32| {
        let place = move |number: usize, key: usize| {
            let (v, u) = ((number / (side + 1)) as f32, (number % (side + 1)) as f32);
            let height = 0.3 * (1.3 * u + 0.9 * v + key as f32).sin() + sign * (0.4 - 0.8 * key as f32 / keys as f32);
            [u + shift, v + shift, height]
        };
        let positions = (0..=keys).flat_map(|key| (0..count).map(move |number| place(number, key))).collect();
        let times = (0..=keys).map(|key| key as f64 * 5.0 / keys as f64).collect();
        let mesh = kinetree::Mesh::new(count, triangles.clone()).unwrap();
        BodyDef::new(mesh, kinetree::Flightplan::keyframes(times, positions))
    };
    [sheet(1.0, 5, 0.0), sheet(-1.0, 4, 0.21)]
}

#[test]
fn the_decision_of_long_windows_is_divided() {
    // At 2 s more than 1,024 pairs of triangles are decided.
    let bodies = sheets(30);
    for engine in [Engine::Auto, Engine::Kinetic] {
        let setting = (engine, ContactMode::Continuous);
        let ready = || {
            let mut world = world(setting, &bodies);
            world.advance_to(1.999).unwrap();
            world
        };
        let (mut whole, mut parts) = (ready(), ready());
        let expected = seen(&mut whole, |world| world.advance_to(2.001).is_ok());
        let (mut reads, mut stops, mut within) = (0, 0, 0);
        let found = seen(&mut parts, |world| {
            let (before, known) = (world.time(), world.stats().bytes);
            let progress = world.advance_to_unless(2.001, &Cancel::after_reads(reads)).unwrap();
            // Nothing has happened, and more is known.
            within += usize::from(progress.time == before && world.stats().bytes > known);
            stops += usize::from(!progress.is_done);
            reads += 9;
            progress.is_done
        });
        println!("{engine}: {stops} stops, {within} within a decision, {} contacts", found.contacts.len());
        assert_eq!(found, expected, "{engine}");
        assert!(engine == Engine::Kinetic || (within > 0 && stops > 5), "{engine}: {stops} stops, {within} within");
        assert!(stops > 2 && found.contacts.len() > 300, "{engine}: {stops} stops");
    }
}

#[test]
fn another_thread_cancels_at_any_moment() {
    let mut stops = 0;
    for &setting in &MODES {
        let bodies = random_bodies(&mut Dice::new(7, &[18]), 40);
        let started = std::time::Instant::now();
        let expected = seen(&mut world(setting, &bodies), |world| world.advance_to(2.5).is_ok());
        let whole = started.elapsed();
        let mut part = 0;
        let found = seen(&mut world(setting, &bodies), |world| {
            part += 1;
            let cancel = Cancel::new();
            let progress = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(whole * part / 16);
                    cancel.cancel();
                });
                world.advance_to_unless(2.5, &cancel).unwrap()
            });
            stops += usize::from(!progress.is_done);
            progress.is_done
        });
        assert_eq!(found, expected, "{setting:?}");
    }
    println!("{stops} stops");
}

#[test]
fn a_flag_that_is_set_leaves_the_clock_and_refusals_are_those_of_an_advance() {
    let cancel = Cancel::new();
    cancel.cancel();
    for setting in MODES {
        let mut world = world(setting, &random_bodies(&mut Dice::new(3, &[18]), 6));
        world.advance_to(1.0).unwrap();
        let (log, contacts) = (world.log().hash(), world.contacts().to_vec());
        let progress = world.advance_to_unless(4.0, &cancel).unwrap();
        assert_eq!((progress.is_done, progress.time, world.time()), (false, 1.0, 1.0), "{setting:?}");
        assert_eq!((world.contacts(), world.log().hash()), (&contacts[..], log), "{setting:?}");
        assert!(world.contact_changes().is_empty(), "{setting:?}");
        let backwards = world.advance_to_unless(0.5, &cancel);
        assert!(matches!(backwards, Err(AdvanceError::Backwards { to: 0.5, .. })));
        // The flag is not part of the world.
        world.advance_to(4.0).unwrap();
        assert!(world.clone().advance_to(4.5).is_ok());
    }
}

#[test]
fn a_flag_that_is_set_leaves_the_clock_where_no_event_is_due() {
    let cancel = Cancel::new();
    cancel.cancel();
    for (engine, contacts) in MODES {
        let mut world = World::new(WorldDef::new().engine(engine).contacts(contacts)).unwrap();
        for height in [0.0, 0.5] {
            let places = vec![[0.0, 0.0, height], [1.0, 0.0, 0.0], [0.0, 1.0, height]];
            let plan = kinetree::Flightplan::fixed(places);
            world.add_body(BodyDef::new(kinetree::Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
        }
        for from in [0.0, 1.0] {
            let progress = world.advance_to_unless(from + 1.0, &cancel).unwrap();
            let name = format!("{engine}, {contacts:?}, from {from}");
            assert_eq!((progress.is_done, progress.time, world.time()), (false, from, from), "{name}");
            assert_eq!(world.contacts().len(), 1, "{name}");
            let told = world.contact_changes().len();
            world.advance_to(from + 1.0).unwrap();
            assert_eq!((world.time(), world.contacts().len()), (from + 1.0, 1), "{name}");
            // The contact began when the second body was added.
            assert_eq!(told + world.contact_changes().len(), usize::from(from == 0.0), "{name}");
        }
    }
}

/// Nothing happens but changes that were scheduled, of a body at rest.
#[test]
fn an_advance_stops_before_a_change_that_was_scheduled() {
    let plan = || kinetree::Flightplan::fixed(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    for engine in [Engine::Auto, Engine::Refit, Engine::BruteForce] {
        let mut stops = BTreeSet::new();
        for reads in 0..10 {
            let mut world = World::new(WorldDef::new().engine(engine)).unwrap();
            let mesh = kinetree::Mesh::new(3, vec![[0, 1, 2]]).unwrap();
            let id = world.add_body(BodyDef::new(mesh, plan())).unwrap();
            for time in [1.0, 2.0, 3.0] {
                world.schedule_flightplan(id, time, plan()).unwrap();
            }
            let progress = world.advance_to_unless(4.0, &Cancel::after_reads(reads)).unwrap();
            let left = world.scheduled_changes().count();
            assert_eq!((progress.time, left), (world.time(), 3 - (world.time() as usize).min(3)), "{engine}");
            stops.insert(world.time() as u32);
        }
        assert!([0, 1, 2, 4].iter().all(|time| stops.contains(time)), "{engine}: {stops:?}");
    }
}

#[cfg(feature = "record")]
#[test]
fn a_recording_repeats_where_it_was_cancelled() {
    let mut stops = 0;
    for (engine, contacts) in MODES {
        let mut file = Vec::new();
        let def = WorldDef::new().engine(engine).contacts(contacts);
        let mut world = RecordingWorld::new(def, &mut file).unwrap();
        for body in random_bodies(&mut Dice::new(11, &[18]), 6) {
            world.add_body(body).unwrap();
        }
        for reads in [1, 2, 5, 1, 9, 100_000] {
            let progress = world.advance_to_unless(2.5, &Cancel::after_reads(reads)).unwrap();
            stops += usize::from(!progress.is_done);
        }
        world.advance_to(5.0).unwrap();
        world.finish().unwrap();
        let replayed = Recording::from_bytes(&file).unwrap().replay().unwrap();
        assert_eq!((replayed.calls, replayed.divergence), (11, None), "{engine} {contacts:?}");
    }
    assert!(stops > 20, "{stops}");
}
