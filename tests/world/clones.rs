//! A clone of a world has the future of the original, bit for bit, and neither knows of the other.

use crate::common::dice::{Dice, Grain};
use crate::common::scene::{BodySpec, Style, random_body, random_plan};
use kinetree::BodyId;
use kinetree::time::Span;
use kinetree::world::{ContactMode, Engine, World, WorldDef};

const SPAN: Span = Span { begin: 0.0, end: 6.0 };

/// One world per engine and mode.
fn definitions() -> Vec<WorldDef> {
    let at_times = [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce];
    let over_time = [Engine::Auto, Engine::Kinetic];
    let def = |engine, contacts| {
        let mut def = WorldDef::new().engine(engine).contacts(contacts);
        def.keep_events = true;
        def
    };
    let mut definitions: Vec<WorldDef> = at_times.map(|engine| def(engine, ContactMode::AtTimes)).into();
    definitions.extend(over_time.map(|engine| def(engine, ContactMode::Continuous)));
    definitions
}

fn filled(def: WorldDef, bodies: &[BodySpec]) -> (World, Vec<BodyId>) {
    let mut world = World::new(def).unwrap();
    let mut ids = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        let def = body.definition(&format!("body {number}")).self_contact(number == 0);
        ids.push(world.add_body(def).unwrap());
    }
    (world, ids)
}

/// All that a host can ask of a step, in words, so that not a bit may differ.
fn story(world: &World) -> String {
    let (events, bodies) = (world.stats().events, world.stats().bodies);
    let (log, next) = (world.log().hash(), world.next_event());
    format!(
        "{events} {bodies} {log} {next:?} {:?} {:?} {:?}",
        world.contacts(),
        world.contact_changes(),
        world.ongoing_contacts()
    )
}

fn style(dice: &mut Dice) -> Style {
    let grain = dice.pick(&[Grain::Lattice, Grain::Crooked]);
    Style { grain, long: false, triangles: 10, keys: 5, curved: if dice.percent(30) { 40 } else { 0 } }
}

#[test]
fn clones_go_the_way_of_the_original() {
    let (mut events, mut contacts, mut changed) = (0, 0, 0);
    for seed in 0..60 {
        let dice = &mut Dice::new(seed, &[1]);
        let style = style(dice);
        let bodies: Vec<BodySpec> = (0..3).map(|_| random_body(dice, style, SPAN, 0)).collect();
        let mut times: Vec<f64> = (0..12).map(|_| dice.real(0.0, 5.9)).collect();
        times.sort_by(f64::total_cmp);
        let place = dice.below(times.len());
        let replaced = dice.percent(50);
        let plan = random_plan(dice, bodies[1].plan.flightplan().rest_positions(bodies[1].vertex_count), style, SPAN);
        for def in definitions() {
            let (mut world, ids) = filled(def, &bodies);
            for &time in &times[..place] {
                world.advance_to(time).unwrap();
            }
            let before = story(&world);
            let mut clone = world.clone();
            assert_eq!(story(&clone), before);
            // The original goes first, so that anything they shared would show in the clone.
            let mut run = |world: &mut World| {
                let mut stories = Vec::new();
                for (step, &time) in times[place..].iter().enumerate() {
                    if step == 1 && replaced {
                        stories.push(format!("{:?}", world.set_flightplan(ids[1], plan.flightplan()).is_ok()));
                    }
                    world.advance_to(time).unwrap();
                    stories.push(story(world));
                    contacts += world.contacts().len();
                }
                stories
            };
            let first = run(&mut world);
            assert_eq!(story(&clone), before, "seed {seed}: the original's steps changed its clone");
            let second = run(&mut clone);
            assert_eq!(first, second, "seed {seed}, from step {place}");
            let report = clone.audit();
            assert!(report.is_clean(), "seed {seed}: {:?}", report.faults);
            events += clone.stats().events;
            changed += u32::from(replaced);
        }
    }
    assert!(
        events > 1000 && contacts > 1000 && changed > 50,
        "{events} events, {contacts} contacts, {changed} changes"
    );
}

#[test]
fn going_back_a_thousand_times_changes_nothing() {
    let dice = &mut Dice::new(7, &[2]);
    let style = style(dice);
    let bodies: Vec<BodySpec> = (0..3).map(|_| random_body(dice, style, SPAN, 0)).collect();
    for def in definitions() {
        let (mut world, _) = filled(def, &bodies);
        let mut straight = filled(def, &bodies).0;
        for frame in 1..=20 {
            let kept = world.clone();
            let ahead = (f64::from(frame) * 0.25 + 0.9).min(5.9);
            for _ in 0..50 {
                world.advance_to(ahead).unwrap();
                world = kept.clone();
            }
            world.advance_to(f64::from(frame) * 0.25).unwrap();
            straight.advance_to(f64::from(frame) * 0.25).unwrap();
            assert_eq!(story(&world), story(&straight), "frame {frame}");
        }
    }
}

#[test]
fn changes_of_a_clone_do_not_reach_the_original() {
    let dice = &mut Dice::new(9, &[3]);
    let style = style(dice);
    let bodies: Vec<BodySpec> = (0..3).map(|_| random_body(dice, style, SPAN, 0)).collect();
    for def in definitions() {
        let (mut world, ids) = filled(def, &bodies);
        world.advance_to(1.0).unwrap();
        let mut clone = world.clone();
        clone.remove_body(ids[0]).unwrap();
        clone.add_body(bodies[0].definition("another")).unwrap();
        clone.advance_to(3.0).unwrap();
        let (mut fresh, _) = filled(def, &bodies);
        fresh.advance_to(1.0).unwrap();
        for time in [1.5, 2.25, 4.0] {
            world.advance_to(time).unwrap();
            fresh.advance_to(time).unwrap();
            assert_eq!(story(&world), story(&fresh));
        }
        assert!(world.audit().is_clean());
    }
}
