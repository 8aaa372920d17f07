//! Filters and thicknesses changed after bodies were added, against fresh worlds.

use kinetree::{
    AdvanceError, BodyId, ContactMode, Engine, Filter, Flightplan, World, WorldDef, WorldError, WorldLimits,
};

use crate::dice::Dice;
use crate::scene::{ENGINES, body, soup};

const BODIES: usize = 7;

/// A world of brute force whose bodies have always had these rules.
fn fresh(seed: u64, rules: &[(Filter, f64)], time: f64) -> World {
    let mut world = World::new(WorldDef::new().engine(Engine::BruteForce)).unwrap();
    fill(&mut world, seed, rules);
    world.advance_to(time).unwrap();
    world
}

fn fill(world: &mut World, seed: u64, rules: &[(Filter, f64)]) -> Vec<BodyId> {
    let mut dice = Dice::new(seed, &[3]);
    let add = |(index, &(filter, thickness)): (usize, &(Filter, f64))| {
        let mut def = body(&mut dice, 2 + 4 * (index % 3), 1.4).self_contact(index % 3 == 0);
        if index >= 4 {
            // Some rest, and sleep.
            let (rest, _) = soup(&mut dice, 2 + 4 * (index % 3));
            def.motion = Flightplan::fixed(rest);
        }
        world.add_body(def.filter(filter).thickness(thickness)).unwrap()
    };
    rules.iter().enumerate().map(add).collect()
}

fn filter(dice: &mut Dice) -> Filter {
    Filter::new(dice.pick(&[0, 1, 1, 2, 3]), dice.pick(&[0, 1, 2, 3, 3, u64::MAX]))
}

#[test]
fn changed_rules_are_those_of_a_fresh_world() {
    let mut seen = [0; 3];
    for seed in 0..8 {
        for engine in ENGINES {
            for mode in [ContactMode::AtTimes, ContactMode::Continuous] {
                if mode == ContactMode::Continuous && !matches!(engine, Engine::Auto | Engine::Kinetic) {
                    continue;
                }
                let mut dice = Dice::new(seed, &[4]);
                let mut rules: Vec<(Filter, f64)> = (0..BODIES).map(|_| (filter(&mut dice), 0.0)).collect();
                let mut world = World::new(WorldDef::new().engine(engine).contacts(mode)).unwrap();
                let ids = fill(&mut world, seed, &rules);
                let mut time = 0.0;
                for _ in 0..25 {
                    let index = dice.below(BODIES);
                    let before = world.contacts().to_vec();
                    match dice.below(3) {
                        0 => {
                            time += dice.real(0.0, 0.15);
                            world.advance_to(time).unwrap();
                        }
                        1 => {
                            rules[index].0 = filter(&mut dice);
                            world.set_filter(ids[index], rules[index].0).unwrap();
                            seen[1] += usize::from(before != world.contacts());
                        }
                        _ => {
                            rules[index].1 = if dice.percent(30) { 0.0 } else { dice.real(0.0, 0.5) };
                            world.set_thickness(ids[index], rules[index].1).unwrap();
                            seen[2] += usize::from(before != world.contacts());
                        }
                    }
                    let expected = fresh(seed, &rules, time);
                    assert_eq!(world.contacts(), expected.contacts(), "{engine} {mode:?} seed {seed} at {time}");
                    seen[0] += world.contacts().len();
                    let audit = world.audit();
                    assert!(audit.is_clean(), "{audit:?}");
                }
                // What was changed holds from then on.
                world.advance_to(2.0).unwrap();
                assert_eq!(world.contacts(), fresh(seed, &rules, 2.0).contacts());
            }
        }
    }
    assert!(seen[0] > 5_000 && seen[1] > 100 && seen[2] > 100, "{seen:?}");
}

#[test]
fn contacts_that_go_on_are_not_interrupted_by_a_filter() {
    for engine in [Engine::Auto, Engine::Kinetic] {
        let mut world = World::new(WorldDef::new().engine(engine).contacts(ContactMode::Continuous)).unwrap();
        let ids = fill(&mut world, 1, &[(Filter::new(1, 7), 0.4); BODIES]);
        world.advance_to(0.5).unwrap();
        let before = (world.contacts().to_vec(), world.contact_changes().len());
        assert!(before.0.len() > 5);
        // Another group that allows the same.
        world.set_filter(ids[2], Filter::new(1, 3)).unwrap();
        assert_eq!((world.contacts(), world.contact_changes().len()), (&before.0[..], before.1));
        assert_eq!(world.pair(ids[2], ids[2]).unwrap().contacts().len(), 0);
    }
}

#[test]
fn a_filter_beyond_the_bound_can_be_taken_back() {
    for engine in [Engine::Kinetic, Engine::BruteForce] {
        let mut world = World::new(WorldDef::new().engine(engine)).unwrap();
        let plan = || kinetree::Flightplan::fixed(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let mesh = || kinetree::Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        let group = |bits: u64| kinetree::BodyDef::new(mesh(), plan()).filter(Filter::new(bits, bits));
        for _ in 0..3 {
            world.add_body(group(1)).unwrap();
        }
        let other = world.add_body(group(2)).unwrap();
        world.set_limits(WorldLimits { body_pairs: 3, ..WorldLimits::DEFAULT });
        let before = world.contacts().to_vec();
        assert_eq!(before.len(), 3);
        let beyond = world.set_filter(other, Filter::new(3, 3)).unwrap_err();
        assert!(matches!(beyond, WorldError::Limit { limit: 3, .. }), "{beyond}");
        assert_eq!(world.contacts(), before);
        let stopped = world.advance_to(1.0).unwrap_err();
        assert!(matches!(stopped, AdvanceError::Limit { limit: 3, time: 0.0, .. }), "{stopped}");
        world.set_filter(other, Filter::new(2, 2)).unwrap();
        world.advance_to(1.0).unwrap();
        assert_eq!(world.contacts(), before);
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(world.set_thickness(other, bad), Err(WorldError::BadThickness { .. })));
        }
        // A body that comes later meets those of its group, and not the one whose filter is as
        // before.
        world.set_limits(WorldLimits::DEFAULT);
        world.add_body(group(1)).unwrap();
        assert_eq!(world.contacts().len(), 6);
        world.remove_body(other).unwrap();
        assert!(matches!(world.set_filter(other, Filter::default()), Err(WorldError::NoSuchBody { .. })));
        assert!(matches!(world.set_thickness(other, 0.0), Err(WorldError::NoSuchBody { .. })));
    }
}
