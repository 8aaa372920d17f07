//! Random histories in mixed worlds against brute force.

use std::cell::RefCell;

use kinetree::world::Engine;
use proptest::strategy::Strategy;

use crate::common::dice::Grain;
use crate::common::runner::check;
use crate::common::script::{self, Params, Player, Sizes, random_script};

pub(crate) fn histories() -> impl Strategy<Value = Params> {
    script::histories(Sizes {
        bodies: 2..=5,
        triangles: 60,
        keys: 7,
        steps: 30,
        changes: 40,
        grains: vec![Grain::Real, Grain::Lattice, Grain::Crooked],
        long: 0.2,
        curved: vec![0, 0, 40],
    })
}

#[test]
fn mixed_worlds_find_what_brute_force_finds() {
    let seen = RefCell::new((0, 0, 0));
    check("mixed engines", 60, &histories(), |params| {
        let script = random_script(params)?;
        let mut brute = Player::new(&script, Engine::BruteForce)?;
        let mut mixed = [Engine::Kinetic, Engine::Interval, Engine::Refit].map(|engine| Player::new(&script, engine));
        let compare = |brute: &Player, mixed: &[Result<Player, String>; 3]| -> Result<(), String> {
            let mut seen = seen.borrow_mut();
            seen.0 += brute.world.contacts().len();
            seen.1 += brute.world.contact_changes().len();
            for player in mixed {
                let player = player.as_ref().map_err(String::clone)?;
                let (ours, theirs) = (player.world.contacts(), brute.world.contacts());
                if ours != theirs || player.world.contact_changes() != brute.world.contact_changes() {
                    return Err(format!("at {}: {ours:?}, brute force {theirs:?}", brute.world.time()));
                }
                let report = player.world.audit();
                if !report.is_clean() {
                    return Err(format!("at {}: {report}", brute.world.time()));
                }
                seen.2 += player.world.stats().broad_phase.met;
            }
            Ok(())
        };
        compare(&brute, &mixed)?;
        for step in &script.steps {
            brute.advance(step.time)?;
            for player in &mut mixed {
                player.as_mut().map_err(|error| error.clone())?.advance(step.time)?;
            }
            compare(&brute, &mixed)?;
            if let Some(change) = &step.change {
                brute.apply(change)?;
                for player in &mut mixed {
                    player.as_mut().map_err(|error| error.clone())?.apply(change)?;
                }
                compare(&brute, &mixed)?;
            }
        }
        Ok(())
    });
    let (contacts, changes, met) = seen.into_inner();
    assert!(contacts > 500 && changes > 500 && met > 0, "{contacts} contacts, {changes} changes, {met} met");
}
