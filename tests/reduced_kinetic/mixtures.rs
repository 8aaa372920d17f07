//! All engines agree on mixtures of bounded bodies with bodies of every other kind, and all events
//! are there.

use std::collections::{BTreeMap, BTreeSet};

use kinetree::EventKind;

use crate::bodies::{MODELS, definition, partners};
use crate::common::dice::Dice;
use crate::common::lockstep::Lockstep;
use crate::reduced_skins::rounds;

/// Names of the partners, one of each kind.
const PARTNERS: [&str; 6] = ["keys", "box tree", "cubics", "spheres", "velocities", "rest"];

#[test]
fn contacts_are_those_of_brute_force_with_partners_of_every_kind() {
    let mut seen = 0;
    let mut kinds = [0usize; 12];
    // Pairs of bodies by their names that were near each other, and the contacts of each.
    let mut met: BTreeMap<(String, String), usize> = BTreeMap::new();
    // Three rounds take every model, the next ones other models together.
    for seed in 0..rounds(3) {
        let mut dice = Dice::new(seed, &[43]);
        let mut worlds = Lockstep::new(-1.0);
        let (first, apart) = (3 * seed as usize, 1 + seed as usize / 3);
        let models = [0, 1, 2].map(|step| MODELS[(first + step * apart) % MODELS.len()]);
        for (place, model) in models.into_iter().enumerate() {
            let thickness = if dice.percent(30) { 0.05 } else { 0.0 };
            worlds
                .add(&definition(model, 50 * seed + place as u64).self_contact(dice.percent(40)).thickness(thickness));
        }
        for partner in partners(seed) {
            worlds.add(&partner);
        }
        let engines = worlds.kinetic().stats().engines;
        assert_eq!((engines.kinetic, engines.kinetic_bounded), (9, 3), "{models:?}");
        let mut time = -1.0;
        for step in 0..14 {
            time += dice.pick(&[0.01, 0.1, 0.4]);
            seen += worlds.at(time);
            // Reading a list makes the boxes of all its members.
            if step % 4 > 0 {
                continue;
            }
            let world = worlds.kinetic();
            let ids: Vec<_> = world.bodies().collect();
            for (place, &a) in ids[..3].iter().enumerate() {
                for &b in &ids[place + 1..] {
                    let names = [a, b].map(|body| world.name(body).unwrap().to_owned());
                    if !world.pair(a, b).unwrap().cut().is_empty() {
                        let touching = world.contacts().iter().filter(|contact| (contact.a, contact.b) == (a, b));
                        *met.entry(names.into()).or_default() += touching.count();
                    }
                }
            }
        }
        assert_eq!(worlds.kinetic().stats().engines.kinetic_bounded, 3);
        for event in worlds.kinetic().log().events().unwrap() {
            kinds[event.kind as usize] += 1;
        }
    }
    assert!(seen > 1000, "{seen} contacts");
    // Every model was near partners of several kinds, and touched something; in many rounds, near
    // partners of all kinds.
    let least = if rounds(1) > 1 { PARTNERS.len() } else { 4 };
    for model in MODELS {
        let own = || met.iter().filter(|((name, _), _)| *name == format!("{model:?}"));
        let near: BTreeSet<&str> = own().map(|((_, partner), _)| partner.as_str()).collect();
        let kinds = PARTNERS.iter().filter(|partner| near.contains(*partner)).count();
        println!("{model:?} was near {near:?}");
        assert!(kinds >= least, "{model:?} was near {near:?} only");
        assert!(own().any(|(_, contacts)| *contacts > 0), "{model:?}: {:?}", own().collect::<Vec<_>>());
    }
    let wanted =
        [EventKind::BodiesMeet, EventKind::BoxesOverlap, EventKind::LeavesSeparate, EventKind::ParentsSeparate];
    for kind in wanted {
        assert!(kinds[kind as usize] > 40, "{kind:?}: {} events", kinds[kind as usize]);
    }
}

/// Two bounded bodies alone: their trees have no event, their lists do.
#[test]
fn trees_of_bounded_bodies_have_no_event() {
    let steps = rounds(20).min(40);
    for model in MODELS {
        let mut worlds = Lockstep::new(-3.0);
        worlds.add(&definition(model, 1).self_contact(true));
        worlds.add(&definition(model, 2));
        for step in 0..steps {
            worlds.at(-3.0 + 8.0 * step as f64 / steps as f64);
        }
        let log = worlds.kinetic().log().events().unwrap();
        assert!(log.iter().all(|event| !event.kind.is_of_tree()), "{model:?}");
        assert!(log.iter().any(|event| event.kind == EventKind::BoxesOverlap), "{model:?}: {} events", log.len());
        assert_eq!(worlds.kinetic().stats().engines.kinetic_bounded, 2, "{model:?}");
    }
}
