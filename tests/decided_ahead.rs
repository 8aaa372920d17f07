//! Windows of continuous contacts are decided ahead in small steps. Nothing a host sees depends on it: a clone has nothing prepared, so a
//! world that is replaced by its clone after each step decides all of a window when it begins.

mod common;

use common::dice::{Dice, Grain};
use common::runner::check;
use common::scene::PlanSpec;
use common::script::{Params, Player, Script, Sizes, histories, random_script};
use kinetree::world::{ContactMode, Engine, World, WorldDef};

use std::cell::Cell;

/// All that a host sees of a step, so that not a bit may differ.
fn story(world: &World) -> String {
    format!(
        "{} {} {} {:?} {:?} {:?} {:?} {:?}",
        world.time(),
        world.stats().events,
        world.log().hash(),
        world.next_event(),
        world.interval_stats(),
        world.contacts(),
        world.contact_changes(),
        world.ongoing_contacts()
    )
}

fn def(script: &Script, engine: Engine) -> WorldDef {
    WorldDef::new().engine(engine).contacts(ContactMode::Continuous).start(script.start).keep_events(true)
}

/// A change that scripts do not have.
fn change(dice: &mut Dice, players: [&mut Player; 2], roster: &[PlanSpec]) {
    let present = players[0].present();
    if present.is_empty() {
        return;
    }
    let body = dice.pick(&present);
    let kind = dice.below(6);
    let (thickness, back) = (dice.pick(&[0.0, 0.125, 0.5]), dice.real(-0.5, 0.5));
    let outcomes = players.map(|player| {
        let (id, time) = (player.ids[body].unwrap(), player.world.time());
        match kind {
            0 => player.world.set_thickness(id, thickness).map_err(|error| error.to_string()),
            1 => player.world.rebuild_degraded(id, 1.0).map(|_| ()).map_err(|error| error.to_string()),
            2 => player.world.seek(time + back).map_err(|error| error.to_string()),
            // The same plan from now on: nothing moves otherwise.
            3 => match roster.get(body) {
                Some(plan) => player.world.set_flightplan(id, plan.flightplan()).map_err(|error| error.to_string()),
                None => Ok(()),
            },
            4 => {
                let mut edit = player.world.begin_edit(id).expect("a mesh");
                edit.remove_triangle(0);
                player.world.apply_edit(edit).map_err(|error| error.to_string())
            }
            _ => {
                let last = roster.get(body).and_then(|plan| plan.turns().last().copied()).unwrap_or(time);
                let places: Vec<[f32; 3]> =
                    player.world.positions(id).unwrap().iter().map(|place| place.map(|x| x as f32 + 0.25)).collect();
                player
                    .world
                    .extend_flightplan(id, last.max(time - 1.0) + 0.75, &places)
                    .map_err(|error| error.to_string())
            }
        }
    });
    assert_eq!(outcomes[0], outcomes[1]);
}

/// Advances both by a number of steps of equal length; only the first keeps what it prepared.
fn advance(players: [&mut Player; 2], time: f64, steps: usize, context: &str) -> Result<(), String> {
    let [player, other] = players;
    let begin = player.world.time();
    for step in 1..=steps {
        let part = begin + (time - begin) * (step as f64 / steps as f64);
        let to = if step == steps { time } else { part.clamp(begin, time) };
        let outcomes = [player.advance(to), other.advance(to)];
        if outcomes[0] != outcomes[1] {
            return Err(format!("{context}: {outcomes:?}"));
        }
        other.world = other.world.clone();
        let (one, two) = (story(&player.world), story(&other.world));
        if one != two {
            return Err(format!("{context}, step {step} of {steps} to {time}:\n{one}\n{two}"));
        }
    }
    Ok(())
}

#[test]
fn nothing_depends_on_what_is_decided_ahead() {
    let (ahead, other_ahead, contacts, changes) = (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
    let sizes = Sizes {
        bodies: 2..=4,
        triangles: 14,
        keys: 8,
        steps: 10,
        changes: 40,
        grains: vec![Grain::Lattice, Grain::Crooked],
        long: 0.1,
        curved: vec![0, 0, 0, 30],
    };
    check("decided_ahead", 150, &histories(sizes), |params: Params| {
        let script = random_script(params)?;
        for engine in [Engine::Auto, Engine::Kinetic] {
            let mut player = Player::within(&script, def(&script, engine))?;
            let mut other = Player::within(&script, def(&script, engine))?;
            let dice = &mut Dice::new(params.seed, &[77]);
            let roster: Vec<PlanSpec> = script.bodies.iter().map(|body| body.plan.clone()).collect();
            for step in &script.steps {
                // Another change may have gone ahead of the script, or ended a plan early.
                let time = step.time.max(player.world.time());
                let context = format!("{engine:?}");
                let count = dice.pick(&[1, 3, 4, 7, 16]);
                advance([&mut player, &mut other], time, count, &context)?;
                contacts.set(contacts.get() + player.world.contacts().len());
                changes.set(changes.get() + player.world.contact_changes().len());
                if let Some(change) = &step.change {
                    let outcomes = [player.apply(change), other.apply(change)];
                    assert_eq!(outcomes[0], outcomes[1]);
                }
                if dice.percent(15) {
                    change(dice, [&mut player, &mut other], &roster);
                }
                let (one, two) = (story(&player.world), story(&other.world));
                if one != two {
                    return Err(format!("after a change:\n{one}\n{two}"));
                }
            }
            ahead.set(ahead.get() + player.world.stats().engines.windows_decided_ahead);
            other_ahead.set(other_ahead.get() + other.world.stats().engines.windows_decided_ahead);
        }
        Ok(())
    });
    let counts = (ahead.get(), contacts.get(), changes.get());
    assert!(counts.0 > 300 && counts.1 > 1000 && counts.2 > 300, "{counts:?}");
    assert_eq!(other_ahead.get(), 0, "a clone has nothing prepared");
}
