//! Continuous contacts and kept events of bounded bodies.

use std::collections::BTreeMap;

use kinetree::world::{BodyDef, Contact, ContactChange, ContactMode, Engine, TimeEnclosure, World, WorldDef};

use crate::bodies::{MODELS, definition, partners};
use crate::common::dice::Dice;
use crate::reduced_skins::rounds;

fn continuous() -> World {
    World::new(WorldDef::default().start(-1.0).contacts(ContactMode::Continuous).keep_events(true)).unwrap()
}

/// Bounded bodies, and all partners, of a round.
fn roster(seed: u64) -> Vec<BodyDef> {
    let mut dice = Dice::new(seed, &[44]);
    let models = [0, 1, 3].map(|step| MODELS[(seed as usize + step) % MODELS.len()]);
    let bounded = models.into_iter().enumerate().map(|(place, model)| {
        let thickness = if dice.percent(30) { 0.05 } else { 0.0 };
        definition(model, 70 * seed + place as u64).self_contact(dice.percent(30)).thickness(thickness)
    });
    bounded.chain(partners(seed)).collect()
}

/// Begins (true) and ends of contacts at some times, by contact, with the times that enclose each.
fn changes(world: &mut World, times: &[f64]) -> BTreeMap<Contact, Vec<(bool, TimeEnclosure)>> {
    let mut found: BTreeMap<Contact, Vec<(bool, TimeEnclosure)>> = BTreeMap::new();
    for &time in times {
        world.advance_to(time).unwrap();
        for change in world.contact_changes() {
            let (contact, change) = match *change {
                ContactChange::Began { contact, time, .. } => (contact, (true, time)),
                ContactChange::Ended { contact, time, .. } => (contact, (false, time)),
                _ => unreachable!(),
            };
            found.entry(contact).or_default().push(change);
        }
    }
    found
}

/// The same motion without bounds has kinetic AABB trees. Their leaves hold other triangles, so windows may be cut elsewhere, and
/// times differ by a rounding.
#[test]
fn begins_and_ends_are_those_of_the_same_motion_without_bounds() {
    let mut seen = 0;
    for seed in 0..rounds(1) {
        let (mut bounded, mut plain) = (continuous(), continuous());
        for def in roster(seed) {
            bounded.add_body(def.clone()).unwrap();
            let mut def = def;
            def.sampler = None;
            plain.add_body(def).unwrap();
        }
        assert_eq!(bounded.contacts(), plain.contacts(), "seed {seed}");
        assert_eq!((bounded.stats().engines.kinetic_bounded, plain.stats().engines.kinetic_bounded), (3, 0));
        let times: Vec<f64> = (1..=rounds(6).min(12)).map(|step| -1.0 + 0.35 * step as f64).collect();
        let (ours, theirs) = (changes(&mut bounded, &times), changes(&mut plain, &times));
        assert!(ours.keys().eq(theirs.keys()), "seed {seed}");
        for (contact, ours) in &ours {
            let theirs = &theirs[contact];
            assert_eq!(ours.len(), theirs.len(), "seed {seed}, {contact:?}: {ours:?}, {theirs:?}");
            for ((began, our), (their_began, their)) in ours.iter().zip(theirs) {
                let is_same = began == their_began && (our.lo - their.lo).abs() + (our.hi - their.hi).abs() < 1e-9;
                assert!(is_same, "seed {seed}, {contact:?}: {ours:?}, {theirs:?}");
                seen += 1;
            }
        }
        let audit = bounded.audit();
        assert!(audit.is_clean() && audit.checks > 100, "seed {seed}: {audit}");
    }
    assert!(seen > 250, "{seen} changes");
}

#[test]
fn every_contact_at_a_time_is_told_and_steps_do_not_matter() {
    let (mut seen, mut events) = (0, 0);
    for seed in 20..20 + rounds(2) {
        let (mut world, mut coarse) = (continuous(), continuous());
        let mut brute = World::new(WorldDef::default().start(-1.0).engine(Engine::BruteForce)).unwrap();
        for def in roster(seed) {
            for world in [&mut world, &mut coarse, &mut brute] {
                world.add_body(def.clone()).unwrap();
            }
        }
        let mut dice = Dice::new(seed, &[45]);
        let mut time = -1.0;
        for _ in 0..15 {
            time += dice.pick(&[0.01, 0.1, 0.3]);
            world.advance_to(time).unwrap();
            brute.advance_to(time).unwrap();
            for contact in brute.contacts() {
                assert!(world.contacts().contains(contact), "seed {seed}, {time} s: {contact:?} is missing");
            }
            seen += brute.contacts().len();
            let audit = world.audit();
            assert!(audit.is_clean(), "seed {seed}, {time} s: {audit}");
        }
        coarse.advance_to(time).unwrap();
        assert_eq!(world.log().hash(), coarse.log().hash(), "seed {seed}");
        assert_eq!(world.contacts(), coarse.contacts(), "seed {seed}");
        events += world.log().events().unwrap().len();
    }
    assert!(seen > 1000 && events > 1000, "{seen} contacts, {events} events");
}
