//! Worlds of curved flightplans, mixed with the others, that change while they run.

use std::cell::RefCell;

use kinetree::world::Engine;

use super::common::curved::GRAINS;
use super::common::dice::Dice;
use super::common::model::{Model, TOLERANCE};
use super::common::runner::{cases, check};
use super::common::script::{self, Params, Player, Sizes, random_script};
use proptest::strategy::Strategy;

fn histories() -> impl Strategy<Value = Params> {
    script::histories(Sizes {
        bodies: 2..=4,
        triangles: 60,
        keys: 6,
        steps: 20,
        changes: 50,
        grains: GRAINS.to_vec(),
        long: 0.1,
        curved: vec![50, 80, 100],
    })
}

/// What happened in all scenes.
#[derive(Debug, Default)]
struct Census {
    contacts: usize,
    checks: usize,
    changes: usize,
    tree_events: u64,
    list_events: u64,
}

/// Boxes hold at arbitrary times, the separation list is that of a traversal, contacts are those of
/// brute force, positions those of the plans; the log is the same in one advance per change and in
/// hundreds.
#[test]
fn everything_holds_for_curved_motion() {
    let census = RefCell::new(Census::default());
    check("curved worlds", 80, &histories(), |params| {
        let script = random_script(params)?;
        let mut kinetic = Player::new(&script, Engine::Kinetic)?;
        let mut often = Player::new(&script, Engine::Kinetic)?;
        let mut brute = Player::new(&script, Engine::BruteForce)?;
        let mut model = Model::new(&script);
        let mut dice = Dice::new(params.seed, &[20]);
        for step in &script.steps {
            let small = (script.end - script.start) / 500.0;
            while often.world.time() + small < step.time {
                often.advance(often.world.time() + small * dice.unit())?;
                if dice.percent(5) {
                    audit(&often, &census)?;
                    brute.advance(often.world.time())?;
                    compare(&often, &brute, &census)?;
                }
            }
            for player in [&mut kinetic, &mut often, &mut brute] {
                player.advance(step.time)?;
            }
            compare(&kinetic, &brute, &census)?;
            if let Some(change) = &step.change {
                for player in [&mut kinetic, &mut often, &mut brute] {
                    player.apply(change)?;
                }
                census.borrow_mut().changes += 1;
                model.apply(change, step.time, |body, vertex| kinetic.position(body, vertex));
                compare(&kinetic, &brute, &census)?;
            }
            audit(&kinetic, &census)?;
            follow(&kinetic, &model)?;
        }
        let (log, its_log) = (kinetic.world.log(), often.world.log());
        if log.events() != its_log.events() || log.hash() != its_log.hash() {
            return Err(format!("{} events, but {} where it was looked at often", log.count(), its_log.count()));
        }
        let stats = kinetic.world.stats();
        let mut census = census.borrow_mut();
        census.tree_events += stats.tree.leaf_events + stats.tree.tree_events;
        census.list_events += stats.list.boxes_met + stats.list.leaves_separated + stats.list.parents_separated;
        Ok(())
    });
    let census = census.into_inner();
    println!("{census:?}");
    let enough = cases(80) as usize;
    assert!(census.contacts > 100 * enough && census.changes > enough && census.checks > 1000 * enough);
    assert!(census.tree_events > 10 * enough as u64 && census.list_events > 10 * enough as u64);
}

fn audit(player: &Player, census: &RefCell<Census>) -> Result<(), String> {
    let report = player.world.audit();
    census.borrow_mut().checks += report.checks;
    if report.is_clean() { Ok(()) } else { Err(format!("at {}: {report}", player.world.time())) }
}

fn compare(player: &Player, brute: &Player, census: &RefCell<Census>) -> Result<(), String> {
    let (ours, theirs) = (player.contacts(), brute.contacts());
    census.borrow_mut().contacts += ours.len();
    if ours == theirs { Ok(()) } else { Err(format!("at {}: {ours:?}, not {theirs:?}", player.world.time())) }
}

fn follow(player: &Player, model: &Model) -> Result<(), String> {
    let time = player.world.time();
    for body in player.present() {
        let truth = model.bodies[body].as_ref().expect("there");
        for vertex in 0..truth.spec.vertex_count as u32 {
            let (found, places) = (player.position(body, vertex), truth.places(vertex, time));
            let near = |place: &[f64; 3]| (0..3).all(|i| (place[i] - found[i]).abs() <= TOLERANCE);
            if !(places.iter().any(near) || truth.has_jumps() && truth.may_be(vertex, time, &found)) {
                return Err(format!("at {time}: body {body}, vertex {vertex} is at {found:?}, not at {places:?}"));
            }
        }
    }
    Ok(())
}
