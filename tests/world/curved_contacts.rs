//! Continuous contacts of bodies that move along curves hold what exact tests at any time find.

use crate::common::dice::{Dice, Grain};
use crate::common::scene::{Style, random_body};
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::time::Span;
use kinetree::world::{BodyDef, ContactChange, ContactMode, Engine, World, WorldDef};

const WINDOW: Span = Span { begin: 0.0, end: 4.0 };

#[test]
fn nothing_found_at_a_time_is_missing_from_the_intervals() {
    let (mut seen, mut changes, mut surplus) = (0, 0, 0);
    for seed in 0..8 {
        let grain = [Grain::Real, Grain::Lattice][seed as usize % 2];
        let style = Style { grain, long: false, triangles: 10, keys: 4, curved: 80 };
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
        let mut brute = World::new(WorldDef::default().engine(Engine::BruteForce)).unwrap();
        for body in 0..3 {
            let def = random_body(&mut Dice::new(seed, &[body]), style, WINDOW, 0).definition("body");
            let def = def.self_contact(body == 0).neighbours(seed % 3 == 0);
            world.add_body(def.clone()).unwrap();
            brute.add_body(def).unwrap();
        }
        for step in 0..=24 {
            let time = f64::from(step) / 6.0;
            world.advance_to(time).unwrap();
            brute.advance_to(time).unwrap();
            seen += brute.contacts().len();
            changes += world.contact_changes().len();
            for contact in brute.contacts() {
                assert!(world.contacts().contains(contact), "seed {seed}, {time}: {contact:?} is missing");
            }
            for contact in world.contacts().iter().filter(|contact| !brute.contacts().contains(contact)) {
                surplus += 1;
                let ongoing = world.ongoing_contacts().into_iter().find(|ongoing| ongoing.contact == *contact).unwrap();
                let is_just_ending = (ongoing.began.lo - time).abs() < 1e-9 || {
                    let ended = world.contact_changes().iter().filter_map(|change| match change {
                        ContactChange::Ended { contact: other, time, .. } if other == contact => Some(time.hi),
                        _ => None,
                    });
                    ended.into_iter().any(|end| (end - time).abs() < 1e-9)
                };
                assert!(ongoing.undecided || is_just_ending, "seed {seed}, {time}: {contact:?} is not in contact");
            }
        }
        assert!(world.audit().is_clean(), "{:?}", world.audit());
    }
    assert!(seen > 300 && changes > 100, "{seen} contacts seen, {changes} changes");
    assert!(surplus * 20 < seen, "{surplus} of {seen} are not there: the windows are too coarse");
}

/// Endless plans are cut at times that double, so the piece of a late one is long: as long as the clock's time.
#[test]
fn what_is_thrown_late_touches_where_it_lands() {
    let mesh = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    for begin in [0.0, 65.0, 4_097.0, 100_000.0] {
        let mut world = World::new(WorldDef::new().contacts(ContactMode::Continuous).start(begin)).unwrap();
        let floor = Flightplan::fixed(vec![[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]);
        world.add_body(BodyDef::new(mesh(), floor)).unwrap();
        let thrown = vec![[0.0, 0.0, 4.0], [0.2, 0.0, 4.0], [0.0, 0.2, 4.0]];
        let falls = Flightplan::ballistic(begin, thrown, vec![[0.0; 3]; 3], [0.0, 0.0, -9.81]);
        world.add_body(BodyDef::new(mesh(), falls)).unwrap();
        // It lands after 0.903 s, at 8.9 m/s.
        let lands = begin + (8.0f64 / 9.81).sqrt();
        world.advance_to(lands - 0.001).unwrap();
        assert!(world.contacts().is_empty(), "thrown at {begin} s, 9 mm above the floor");
        world.advance_to(lands + 0.001).unwrap();
        let began = world.contact_changes().iter().find(|change| change.is_begin()).expect("it lands").time();
        // Windows follow the path within 0.1 mm, so it counts as touching so much earlier.
        assert!(began.lo <= lands && lands - began.lo < 1e-4, "thrown at {begin} s: {began:?}, it lands at {lands}");
    }
}
