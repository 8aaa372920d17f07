//! Advances with a budget: however a stretch of time is divided, events, contacts and changes are those of one advance.

use crate::common::dice::{Dice, Grain};
use crate::common::runner::cases;
use crate::common::scene::{Style, random_body};
use kinetree::time::Span;
use kinetree::world::{BodyDef, ContactChange, ContactMode, Engine, World, WorldDef};
use kinetree::{AdvanceError, WorldLimits};

fn world(engine: Engine, contacts: ContactMode, bodies: &[BodyDef]) -> World {
    let def = WorldDef::new().engine(engine).contacts(contacts).keep_events(true);
    let mut world = World::new(def).unwrap();
    for body in bodies {
        world.add_body(body.clone()).unwrap();
    }
    world
}

fn random_bodies(dice: &mut Dice) -> Vec<BodyDef> {
    let grain = dice.pick(&[Grain::Real, Grain::Lattice, Grain::Crooked]);
    let style = Style { grain, long: false, triangles: 6, keys: 5, curved: if dice.percent(20) { 30 } else { 0 } };
    let window = Span { begin: 0.0, end: 5.0 };
    (0..3).map(|_| random_body(dice, style, window, 0).definition("body").engine(Engine::Auto)).collect()
}

#[test]
fn any_division_into_budgets_is_one_advance() {
    let modes = [
        (Engine::Auto, ContactMode::Continuous),
        (Engine::Kinetic, ContactMode::Continuous),
        (Engine::Kinetic, ContactMode::AtTimes),
        (Engine::Auto, ContactMode::AtTimes),
    ];
    let (mut stops, mut changes, mut events) = (0, 0, 0);
    for (engine, mode) in modes {
        for seed in 0..u64::from(cases(40)) {
            let name = format!("seed {seed} {engine:?} {mode:?}");
            let mut dice = Dice::new(seed, &[17]);
            let bodies = random_bodies(&mut dice);
            let mut whole = world(engine, mode, &bodies);
            whole.advance_to(5.0).unwrap();
            let mut parts = world(engine, mode, &bodies);
            let mut told: Vec<ContactChange> = Vec::new();
            let usual = dice.pick(&[0, 1, 2, 7, 40]);
            loop {
                let before = parts.time();
                let budget = if dice.percent(30) { dice.below(9) as u64 } else { usual };
                let progress = parts.advance_to_within(5.0, budget).unwrap();
                told.extend(parts.contact_changes());
                assert_eq!(parts.time(), progress.time, "{name}");
                assert_eq!(progress.is_done, progress.time == 5.0, "{name}");
                if progress.is_done {
                    break;
                }
                assert!(progress.time > before, "{name}: no progress at {before}");
                // Exact up to there.
                if stops % 16 == 0 {
                    let mut there = world(engine, mode, &bodies);
                    there.advance_to(progress.time).unwrap();
                    assert_eq!(there.contacts(), parts.contacts(), "{name} at {}", progress.time);
                    assert_eq!(there.log().hash(), parts.log().hash(), "{name} at {}", progress.time);
                }
                stops += 1;
            }
            assert_eq!(parts.log().hash(), whole.log().hash(), "{name}");
            assert_eq!(parts.log().events(), whole.log().events(), "{name}");
            assert_eq!(parts.contacts(), whole.contacts(), "{name}");
            if mode == ContactMode::Continuous {
                assert_eq!(told, whole.contact_changes(), "{name}");
                changes += told.len();
            }
            events += whole.log().events().map_or(0, <[_]>::len);
            assert_eq!(parts.limits(), WorldLimits::DEFAULT);
        }
    }
    assert!(stops > 1000 && changes > 500 && events > 5000, "{stops} stops, {changes} changes, {events} events");
}

#[test]
fn refusals_and_bounds_are_those_of_an_advance() {
    let bodies = random_bodies(&mut Dice::new(3, &[17]));
    let mut world = world(Engine::Kinetic, ContactMode::Continuous, &bodies);
    world.advance_to(1.0).unwrap();
    let backwards = world.advance_to_within(0.5, 1).unwrap_err();
    assert_eq!(backwards, AdvanceError::Backwards { now: 1.0, to: 0.5 });
    assert!(matches!(world.advance_to_within(f64::NAN, 1), Err(AdvanceError::BadTime { .. })));
    // The world's own bound is below the budget.
    let limits = WorldLimits { events: 3, ..WorldLimits::DEFAULT };
    let mut stops = 0;
    for seed in 0..40 {
        let bodies = random_bodies(&mut Dice::new(seed, &[17]));
        let mut world = self::world(Engine::Kinetic, ContactMode::Continuous, &bodies);
        world.set_limits(limits);
        if let Err(error) = world.advance_to_within(5.0, 9) {
            assert!(matches!(error, AdvanceError::Limit { limit: 3, .. }), "{error}");
            stops += 1;
        }
        assert_eq!(world.limits(), limits);
    }
    assert!(stops > 10, "{stops}");
}
